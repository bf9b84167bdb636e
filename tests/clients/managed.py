"""The official SDK against our server of memory stores, so that the server is not the mirror image of our own client.

    managed.py ADDRESS KEY        every call of the SDK, and every refusal it names
    managed.py ADDRESS KEY slow   the server allows two requests a second: the SDK's own retries get through
"""
import hashlib
import sys
import time
from datetime import timedelta

import anthropic

ADDRESS, KEY = sys.argv[1:3]
client = anthropic.Anthropic(api_key=KEY, base_url=ADDRESS, max_retries=0, timeout=10)
stores = client.beta.memory_stores
memories, versions = stores.memories, stores.memory_versions
passed = 0


def check(name, holds):
    global passed
    if not holds:
        sys.exit(f"FAILED  {name}")
    passed += 1
    print(f"ok    {name}")


def refused(name, error, kind, call, /, **arguments):
    """The call fails with this class of error and this type in its body."""
    try:
        call(**arguments)
    except error as caught:
        check(name, caught.body["type"] == "error" and caught.body["error"]["type"] == kind)
        return caught
    sys.exit(f"FAILED  {name}: it was not refused")


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def condition(text):
    return {"type": "content_sha256", "content_sha256": sha(text)}


def retries():
    patient = anthropic.Anthropic(api_key=KEY, base_url=ADDRESS, max_retries=4, timeout=10)
    began = time.monotonic()
    for _ in range(5):
        patient.beta.memory_stores.list()
    check("the SDK waits and gets through", time.monotonic() - began >= 1)
    try:
        for _ in range(5):
            stores.list()
        sys.exit("FAILED  nobody was too fast")
    except anthropic.RateLimitError as caught:
        check("429 names its kind", caught.body["error"]["type"] == "rate_limit_error")
        check("429 says when to come back", int(caught.response.headers["retry-after"]) >= 1)


def everything():
    # Stores.
    store = stores.create(name="one", description="what we know", metadata={"team": "a"})
    check("a store is made", store.type == "memory_store" and store.id.startswith("memstore_") and store.archived_at is None)
    changed = stores.update(store.id, name="uno", metadata={"team": None, "area": "b"})
    check("a store is changed", (changed.name, changed.description, changed.metadata) == ("uno", "what we know", {"area": "b"}))
    check("a store is read", stores.retrieve(store.id).name == "uno")
    others = [stores.create(name=f"store {number}").id for number in range(24)]
    check("stores come in pages, each once", len({found.id for found in stores.list(limit=10)}) == 25)
    check("20 a page unless asked", len(stores.list().data) == 20)
    later = store.created_at + timedelta(days=1)
    check("stores by time", not stores.list(created_at_gte=later).data and stores.list(created_at_lte=later).data)
    check("a store is deleted", stores.delete(others[0]).type == "memory_store_deleted")
    refused("a deleted store is gone", anthropic.NotFoundError, "not_found_error", stores.retrieve, memory_store_id=others[0])
    refused("a name may not be empty", anthropic.BadRequestError, "invalid_request_error", stores.create, name="")
    pairs = {str(number): "x" for number in range(17)}
    refused("16 pairs", anthropic.BadRequestError, "invalid_request_error", stores.create, name="x", metadata=pairs)

    # Memories.
    s = store.id
    made = memories.create(s, path="/notes/a.md", content="eins")
    check("basic has no content", made.content is None and made.content_sha256 == sha("eins") and made.content_size_bytes == 4)
    check("full has", memories.create(s, path="/notes/b.md", content="zwei ü", view="full").content == "zwei ü")
    read = memories.retrieve(made.id, memory_store_id=s)
    check("retrieve is full", (read.content, read.path, read.memory_version_id) == ("eins", "/notes/a.md", made.memory_version_id))
    check("or basic", memories.retrieve(made.id, memory_store_id=s, view="basic").content is None)
    taken = refused("a path is taken", anthropic.ConflictError, "memory_path_conflict_error",
                    memories.create, memory_store_id=s, path="/notes/a.md", content="x")
    check("and by whom", taken.body["error"]["conflicting_memory_id"] == made.id)
    refused("a memory is no folder", anthropic.ConflictError, "memory_path_conflict_error",
            memories.create, memory_store_id=s, path="/notes/a.md/b", content="x")
    for path in ["x", "/", "/a//b", "/a/", "/./a", "/a/..", "/a\nb", "/a\u200bb", "/a\u2028b", "/u\u0308", "/" + "a" * 1024,
                 "/a" * 21]:
        refused(f"the path {path[:20]!r}", anthropic.BadRequestError, "invalid_request_error",
                memories.create, memory_store_id=s, path=path, content="x")
    big = "x" * 102_400
    check("102,400 bytes", memories.create(s, path="/big", content=big).content_size_bytes == 102_400)
    refused("and not one more", anthropic.BadRequestError, "invalid_request_error",
            memories.create, memory_store_id=s, path="/bigger", content=big + "x")

    # Changes.
    new = memories.update(made.id, memory_store_id=s, content="one", precondition=condition("eins"))
    check("a change is a new version", new.memory_version_id != made.memory_version_id and new.content_sha256 == sha("one"))
    refused("a stale hash", anthropic.ConflictError, "memory_precondition_failed_error", memories.update,
            memory_id=made.id, memory_store_id=s, content="two", precondition=condition("eins"))
    same = memories.update(made.id, memory_store_id=s, content="one", precondition=condition("eins"))
    check("what already matches succeeds", same.memory_version_id == new.memory_version_id)
    moved = memories.update(made.id, memory_store_id=s, path="/notes/c.md")
    check("a rename keeps id and content", moved.id == made.id and moved.content_sha256 == sha("one"))
    refused("a rename onto another", anthropic.ConflictError, "memory_path_conflict_error", memories.update,
            memory_id=made.id, memory_store_id=s, path="/notes/b.md")
    refused("no such memory", anthropic.NotFoundError, "not_found_error", memories.update,
            memory_id="mem_none", memory_store_id=s, content="x")

    # Lists.
    for number in range(150):
        memories.create(s, path=f"/deep/{number:03}/x.json", content=str(number))
    check("100 a page at most", len(memories.list(s, limit=100).data) == 100)
    check("20 with content", len(memories.list(s, limit=100, view="full").data) == 20)
    everything_there = list(memories.list(s, limit=100))
    check("every memory once", len({item.path for item in everything_there}) == len(everything_there) == 153)
    full = list(memories.list(s, path_prefix="/deep/", view="full"))
    check("a folder with its contents", [item.content for item in full] == [str(number) for number in range(150)])
    top = list(memories.list(s, depth=1))
    check("folders are rolled up", [(item.type, item.path) for item in top] ==
          [("memory", "/big"), ("memory_prefix", "/deep/"), ("memory_prefix", "/notes/")])
    check("whole segments", not memories.list(s, path_prefix="/dee/").data)
    refused("a prefix ends with /", anthropic.BadRequestError, "invalid_request_error", memories.list,
            memory_store_id=s, path_prefix="/deep")
    for limit in [0, 101]:
        refused(f"limit {limit}", anthropic.BadRequestError, "invalid_request_error", memories.list, memory_store_id=s, limit=limit)

    # Versions.
    history = list(versions.list(s, memory_id=made.id, view="full"))
    check("the history, the newest first", [version.content for version in history] == ["one", "one", "eins"])
    check("with what was done", [version.operation for version in history] == ["modified", "modified", "created"])
    check("and who did it", history[0].created_by.type == "api_actor" and history[0].created_by.api_key_id.startswith("apikey_"))
    check("by who did it", len(list(versions.list(s, session_id="sesn_none"))) == 0)
    check("by kind", {version.operation for version in versions.list(s, operation="modified")} == {"modified"})
    check("one version", versions.retrieve(made.memory_version_id, memory_store_id=s).content == "eins")
    refused("a head is not redacted", anthropic.ConflictError, "conflict_error", versions.redact,
            memory_version_id=moved.memory_version_id, memory_store_id=s)
    gone = versions.redact(made.memory_version_id, memory_store_id=s)
    check("a redacted version is empty", (gone.content, gone.path, gone.content_sha256, gone.content_size_bytes) == (None,) * 4)
    check("and says so", gone.redacted_at is not None and gone.redacted_by.type == "api_actor")
    check("it can still be read", versions.retrieve(made.memory_version_id, memory_store_id=s).redacted_at is not None)
    refused("delete with a stale hash", anthropic.ConflictError, "memory_precondition_failed_error", memories.delete,
            memory_id=made.id, memory_store_id=s, expected_content_sha256=sha("eins"))
    dead = memories.delete(made.id, memory_store_id=s, expected_content_sha256=sha("one"))
    check("a memory is deleted", dead.type == "memory_deleted")
    check("its history stays", versions.list(s, memory_id=made.id).data[0].operation == "deleted")
    check("a head no more", versions.redact(moved.memory_version_id, memory_store_id=s).redacted_at is not None)

    # Archive.
    check("a store is archived", stores.archive(s).archived_at is not None)
    check("twice is once", stores.archive(s).archived_at == stores.retrieve(s).archived_at)
    check("it is out of the list", s not in {found.id for found in stores.list(limit=100)})
    check("unless asked for", s in {found.id for found in stores.list(limit=100, include_archived=True)})
    refused("it takes nothing", anthropic.BadRequestError, "invalid_request_error", memories.create,
            memory_store_id=s, path="/late", content="x")
    refused("not even a name", anthropic.BadRequestError, "invalid_request_error", stores.update, memory_store_id=s, name="x")
    check("it can be read", len(list(memories.list(s))) == 152)
    check("and deleted from", memories.delete(everything_there[0].id, memory_store_id=s).type == "memory_deleted")

    # 2,000 memories.
    full_store = others[1]
    for number in range(2_000):
        memories.create(full_store, path=f"/{number}", content="")
    refused("not one more than 2,000", anthropic.BadRequestError, "invalid_request_error", memories.create,
            memory_store_id=full_store, path="/one-more", content="")

    # Doors.
    refused("a wrong key", anthropic.AuthenticationError, "authentication_error",
            client.with_options(api_key="sk-ant-wrong").beta.memory_stores.list)
    refused("a beta nobody knows", anthropic.BadRequestError, "invalid_request_error", stores.list,
            extra_headers={"anthropic-beta": "agent-memory-2020-01-01"})
    check("the other beta", stores.list(extra_headers={"anthropic-beta": "managed-agents-2026-04-01"}).data)
    refused("an invented field", anthropic.BadRequestError, "invalid_request_error", stores.create, name="x",
            extra_body={"colour": "red"})
    refused("an invented parameter", anthropic.BadRequestError, "invalid_request_error", stores.list,
            extra_query={"order": "asc"})


retries() if sys.argv[3:] == ["slow"] else everything()
print(f"{passed} passed with anthropic {anthropic.__version__}")
