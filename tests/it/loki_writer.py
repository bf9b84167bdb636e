"""Writes patterns and counts into a store the way Loki Mode does: flock on <file>.lock, read, change, rename."""
import fcntl, json, os, sys, tempfile

memory, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])


def change(path, edit, empty):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            with open(path) as old:
                data = json.load(old)
        except FileNotFoundError:
            data = empty
        edit(data)
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".tmp_", suffix=".json")
        with os.fdopen(handle, "w") as new:
            json.dump(data, new, indent=2)
        os.rename(temporary, path)


for number in range(count):
    entry = {
        "id": f"sem-{name}-{number}",
        "pattern": f"pattern {number} of {name}",
        "category": "test",
        "conditions": [],
        "correct_approach": "",
        "incorrect_approach": "",
        "confidence": 0.5,
        "source_episodes": [],
        "usage_count": 0,
        "links": [],
        "their_own_field": {"writer": name, "number": number},
    }
    change(f"{memory}/semantic/patterns.json", lambda data: data["patterns"].append(entry), {"patterns": []})

    def count_up(data):
        data["their_count"] = data.get("their_count", 0) + 1

    change(f"{memory}/index.json", count_up, {"version": "1.1.0", "topics": []})
