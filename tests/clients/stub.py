"""In place of the models: answers Anthropic's Messages API and OpenAI's Responses API on loopback, so that the real
agents run without an account and what reaches their model can be read afterwards.

    stub.py LOG     prints the port it listens on, and writes every request to LOG, one JSON document a line

What the "model" does stands in the prompt, in order:

    [[run COMMAND]]   call the agent's shell with this command, and go on when its result is there
    [[say TEXT]]      part of the final answer
    [[cite WORDS]]    part of the final answer: the mark of the remembered line that holds these words
"""
import http.server
import json
import re
import sys
import threading
import time

ORDER = re.compile(r"\[\[(run|say|cite) (.*?)\]\]", re.S)
REMEMBERED = re.compile(r"<lokid-memory>.*?</lokid-memory>", re.S)
SHELLS = ("Bash", "exec_command", "shell_command", "shell", "local_shell")


def spoken(body):
    """The conversation as (who, text), in order; the results of tools are by "tool"."""
    parts = []
    for item in body.get("messages") or body.get("input") or []:
        if item.get("type") in ("function_call_output", "custom_tool_call_output"):
            parts.append(("tool", json.dumps(item.get("output"))))
            continue
        content = item.get("content") or []
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for block in content:
            if block.get("type") == "tool_result":
                parts.append(("tool", json.dumps(block.get("content"))))
            elif block.get("text"):
                parts.append((item.get("role"), block["text"]))
    return parts


def next_step(body):
    """("run", command) or ("say", text), as the latest orders have it."""
    parts = spoken(body)
    orders, done = [], 0
    for who, text in parts:
        if who == "tool":
            done += 1
        elif who == "user":
            found = ORDER.findall(REMEMBERED.sub("", text))
            if found:
                orders, done = found, 0
    commands = [words for order, words in orders if order == "run"]
    if done < len(commands):
        return "run", commands[done]
    remembered = "\n".join(block for _, text in parts for block in REMEMBERED.findall(text)).splitlines()
    said = []
    for order, words in orders:
        if order == "say":
            said.append(words)
        elif order == "cite":
            marks = [line[2:14] for line in remembered if words in line and line.startswith("- [")]
            said.append("Applied: " + (marks[0] if marks else "[nothing remembered]"))
    return "say", " ".join(said) or "done"


def shell(body):
    """The name of the agent's shell among its tools, if this request may use it."""
    names = [tool.get("name") or tool.get("type") for tool in body.get("tools") or []]
    return next((name for name in SHELLS if name in names), None)


def arguments(name, command):
    if name == "exec_command":
        return {"cmd": command}
    if name in ("shell", "local_shell"):
        return {"command": ["bash", "-c", command]}
    return {"command": command, "description": "as ordered"}


def messages_events(body, number):
    """The Messages API, streamed."""
    step, words = next_step(body)
    tool = shell(body)
    if step == "run" and tool:
        block = {"type": "tool_use", "id": f"toolu_{number:04}", "name": tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments(tool, words))}
        reason = "tool_use"
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": words if step == "say" else "done"}
        reason = "end_turn"
    message = {
        "id": f"msg_{number:04}", "type": "message", "role": "assistant", "model": body.get("model"), "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 1},
    }
    if not body.get("stream"):
        yield None, {**message, "content": [{"type": "text", "text": "done"}], "stop_reason": "end_turn"}
        return
    ended = {"stop_reason": reason, "stop_sequence": None}
    for event in (
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ):
        yield event["type"], event


def responses_events(body, number):
    """The Responses API, streamed."""
    step, words = next_step(body)
    tool = shell(body)
    if step == "run" and tool:
        item = {"type": "function_call", "id": f"fc_{number:04}", "call_id": f"call_{number:04}", "name": tool,
                "arguments": json.dumps(arguments(tool, words))}
    else:
        text = words if step == "say" else "done"
        item = {"type": "message", "id": f"m_{number:04}", "role": "assistant",
                "content": [{"type": "output_text", "text": text}]}
    answer = {"id": f"resp_{number:04}"}
    usage = {"input_tokens": 9, "input_tokens_details": None, "output_tokens": 9, "output_tokens_details": None,
             "total_tokens": 18}
    for event in (
        {"type": "response.created", "response": answer},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {**answer, "usage": usage}},
    ):
        yield event["type"], event


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    asked = 0

    def log_message(self, *_):
        pass

    def answer(self, code, body, kind="application/json"):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_HEAD(self):
        self.answer(200, b"")

    def do_GET(self):
        self.answer(404, b"{}")

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(text)
        except ValueError:
            return self.answer(400, b"{}")
        path = self.path.split("?")[0]
        with Model.lock:
            Model.asked += 1
            number = Model.asked
            LOG.write(json.dumps({"at": time.time(), "path": path, "body": body}) + "\n")
            LOG.flush()
        if path.endswith("/messages/count_tokens"):
            return self.answer(200, b'{"input_tokens":9}')
        if path.endswith("/messages"):
            events = messages_events(body, number)
        elif path.endswith("/responses"):
            events = responses_events(body, number)
        else:
            return self.answer(404, b"{}")
        out = b""
        for name, event in events:
            if name is None:
                return self.answer(200, json.dumps(event).encode())
            out += f"event: {name}\ndata: {json.dumps(event)}\n\n".encode()
        return self.answer(200, out, "text/event-stream")


if __name__ == "__main__":
    LOG = open(sys.argv[1], "a", encoding="utf-8")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()
