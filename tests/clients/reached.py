"""What reached a model, read from the log of stub.py. AGENT is claude or codex.

    reached.py LOG AGENT count            how many requests there were
    reached.py LOG AGENT has FROM TEXT    the number of the first request, not before FROM, that holds TEXT
    reached.py LOG AGENT prefix           how much consecutive requests share from their beginning, and whether all that
                                          lokid put into one stands at the same place in the next
"""
import json
import os
import re
import sys

PATHS = {"claude": "/messages", "codex": "/responses"}
OURS = re.compile(r"<lokid-memory>.*?</lokid-memory>", re.S)


def bare(value):
    """Without the marks for the cache, which move and are no part of what is read."""
    if isinstance(value, dict):
        return {name: bare(inner) for name, inner in value.items() if name != "cache_control"}
    return [bare(inner) for inner in value] if isinstance(value, list) else value


def text(body):
    """A request in the order a model reads it, one element a line."""
    parts = list(body.get("tools") or [])
    system = body.get("system") or body.get("instructions") or []
    parts += system if isinstance(system, list) else [system]
    for item in body.get("messages") or body.get("input") or []:
        content = item.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        # Who speaks, and each block on its own: more may be said in the same breath later.
        parts += [[item.get("role"), block] for block in content] if content else [item]
    return "\n".join(json.dumps(bare(part), ensure_ascii=False, sort_keys=True) for part in parts) + "\n"


def requests(log, agent):
    """Those of the session itself: agents also ask for titles and the like, without their tools."""
    with open(log, encoding="utf-8") as lines:
        entries = [json.loads(line) for line in lines]
    return [text(entry["body"]) for entry in entries
            if entry["path"].endswith(PATHS[agent]) and entry["body"].get("tools")]


def prefix(agent, all_requests):
    shares, blocks = [], 0
    for before, after in zip(all_requests, all_requests[1:]):
        shared = len(os.path.commonprefix([before, after]))
        shares.append(shared / len(before))
        for block in OURS.finditer(before):
            if block.end() > shared:
                sys.exit(f"request {len(shares)}: what lokid said changed: {after[block.start():][:300]!r}")
            blocks += 1
    if not blocks:
        sys.exit("nothing of lokid's was sent twice")
    sizes = [len(request) for request in all_requests]
    print(f"{agent}: {len(all_requests)} requests of {min(sizes)} to {max(sizes)} characters; "
          f"each shares {min(shares):.2%} or more of the one before it, byte for byte; "
          f"{blocks} repeated blocks of lokid's, all unchanged")


def main(log, agent, what, *rest):
    all_requests = requests(log, agent)
    if what == "count":
        print(len(all_requests))
    elif what == "has":
        start, wanted = int(rest[0]), json.dumps(rest[1], ensure_ascii=False)[1:-1]
        found = [number for number, request in enumerate(all_requests) if number >= start and wanted in request]
        if not found:
            sys.exit(1)
        print(found[0])
    else:
        prefix(agent, all_requests)


main(*sys.argv[1:])
