"""What the scripts of this directory share: the labelled pairs to learn from."""

import json
import random
from pathlib import Path

LABELS = ["contradicts", "duplicate", "compatible", "unrelated"]
HERE = Path(__file__).parent
ROOT = HERE.parent.parent
ASSETS = ROOT / "assets" / "pairs"


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def measured():
    """The pairs that are only measured on, whichever of the two comes first."""
    paths = (ROOT / "tests" / "data" / "statements").glob("*.jsonl")
    return {frozenset((pair["a"], pair["b"])) for path in paths if path.name != "natural.jsonl" for pair in lines(path)}


def of_family(family, all_of_file, dice, most):
    """Everything a family says about its first statement, and some of what follows for the others: what denies the first
    denies what says the same, and what may stand beside the one may stand beside the other."""
    first, same, denied, beside = family["a"], family.get("dup", []), family.get("con", []), family.get("com", [])
    found = [(first, other, 1) for other in same] + [(first, other, 0) for other in denied]
    found += [(first, other, 2) for other in beside] + [(first, other, 3) for other in family.get("unr", [])]
    for derived in (
        [(one, other, 1) for at, one in enumerate(same) for other in same[at + 1 :]],
        [(one, other, 0) for one in same for other in denied],
        [(one, other, 2) for one in same for other in beside],
    ):
        dice.shuffle(derived)
        found += derived[:most]
    stranger = dice.choice(all_of_file)
    if stranger.get("theme") != family.get("theme"):
        found.append((first, dice.choice([stranger["a"], *stranger.get("con", []), *stranger.get("com", [])]), 3))
    return found


def pairs(most=8):
    """All pairs to learn from, each as (a, b, label). What is measured on is never among them."""
    dice, found = random.Random(5), []
    for path in [ROOT / "tests" / "data" / "statements" / "natural.jsonl", *sorted((HERE / "single").glob("*.jsonl"))]:
        found += [(pair["a"], pair["b"], LABELS.index(pair["label"])) for pair in lines(path)]
    for path in sorted((HERE / "families").glob("*.jsonl")):
        families = lines(path)
        found += [pair for family in families for pair in of_family(family, families, dice, most)]
    left_out = measured()
    return [pair for pair in found if frozenset(pair[:2]) not in left_out]
