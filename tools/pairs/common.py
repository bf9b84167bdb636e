"""What the scripts of this directory share: the labelled pairs, and how a score is told."""

import json
import random
import zlib
from pathlib import Path

LABELS = ["contradicts", "duplicate", "compatible", "unrelated"]
HERE = Path(__file__).parent
ROOT = HERE.parent.parent
ASSETS = ROOT / "assets" / "pairs"
LISTS = {"con": 0, "dup": 1, "com": 2, "unr": 3}


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def families():
    """Every family with its name: the file and the line it stands on."""
    for path in sorted((HERE / "families").glob("*.jsonl")):
        for number, family in enumerate(lines(path)):
            yield f"{path.stem}-{number}", family


def measured():
    """The pairs that are only measured on, whichever of the two comes first."""
    learnt = {"natural.jsonl"}
    paths = (ROOT / "tests" / "data" / "statements").glob("*.jsonl")
    return {frozenset((pair["a"], pair["b"])) for path in paths if path.name not in learnt for pair in lines(path)}


def pairs():
    """All pairs to learn from, each as (family, a, b, label). What says the same as the first statement of a family
    stands in its place now and then, and the first of one family beside something of another theme is unrelated. What
    is measured on is never among them."""
    found = []
    for path in [ROOT / "tests" / "data" / "statements" / "natural.jsonl", *sorted((HERE / "single").glob("*.jsonl"))]:
        for number, pair in enumerate(lines(path)):
            found.append((f"{path.stem}-{number}", pair["a"], pair["b"], LABELS.index(pair["label"])))
    known = list(families())
    for number, (name, family) in enumerate(known):
        dice = random.Random(number)
        first, same = family["a"], family.get("dup", [])
        drawn = [(first, other, label) for key, label in LISTS.items() for other in family.get(key, [])]
        if len(same) > 1:
            drawn.append((same[0], same[1], 1))
        for key, share in [("con", 1.0), ("com", 0.5)]:
            if same and family.get(key) and dice.random() < share:
                drawn.append((same[0], dice.choice(family[key]), LISTS[key]))
        stranger = dice.choice(known)[1]
        if stranger.get("theme") != family.get("theme") and dice.random() < 0.7:
            drawn.append((first, dice.choice([stranger["a"], *stranger.get("con", []), *stranger.get("com", [])]), 3))
        found.extend((name, a, b, label) for a, b, label in drawn)
    left_out = measured()
    return [pair for pair in found if frozenset(pair[1:3]) not in left_out]


def is_kept_aside(family):
    """One family in 25 is not learnt from: what the two readings are worth together is fitted on those."""
    return zlib.crc32(family.encode()) % 25 == 0


def tell(name, scores, labels):
    """Scores are rows of four; prints how often each answer is right and found."""
    told = [max(range(4), key=lambda at: row[at]) for row in scores]
    right = [sum(t == k == y for t, y in zip(told, labels)) for k in range(4)]
    said = [max(1, told.count(k)) for k in range(4)]
    true = [max(1, labels.count(k)) for k in range(4)]
    mistaken = sum(t == 1 and y == 0 for t, y in zip(told, labels)) / true[0]
    parts = " ".join(f"{LABELS[k]} {right[k] / said[k]:.3f}/{right[k] / true[k]:.3f}" for k in range(4))
    print(f"{name:<16} right {sum(right) / len(labels):.3f} {parts} contradictions called duplicate {mistaken:.3f}", flush=True)
