"""Learns the trees from the features of the pairs and how much each reading is believed, and writes both into the program.

    python trees.py pairs > pairs.jsonl
    cargo bench --bench night -- features < pairs.jsonl > features.csv
    python trees.py learn features.csv MINILM

Needs what `train.py` left: `net.pt`."""

import json
import re
import sys

import lightgbm
import numpy as np
from sklearn.linear_model import LogisticRegression

from common import LABELS, ROOT, is_kept_aside, pairs, tell

STATEMENT = ROOT / "src" / "manage" / "statement"
SHAPE = dict(
    n_estimators=400, learning_rate=0.1, num_leaves=8, max_depth=3, min_child_samples=20, subsample=0.7,
    subsample_freq=1, colsample_bytree=0.3, reg_lambda=5, boost_from_average=False, deterministic=True, random_state=7,
    verbose=-1,
)
# As in judge.rs.
LEAST = 1e-3


def number(value, digits=4):
    text = f"{value:.{digits}f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def complete(tree):
    """A tree of any shape up to depth three as seven questions and eight answers, breadth first."""
    splits, leaves = [(0, None)] * 7, [0.0] * 8

    def walk(node, at, depth):
        if "leaf_value" in node:
            first = last = at
            for _ in range(3 - depth):
                first, last = 2 * first + 1, 2 * last + 2
            leaves[first - 7 : last - 6] = [node["leaf_value"]] * (last - first + 1)
            return
        splits[at] = (node["split_feature"], node["threshold"])
        walk(node["left_child"], 2 * at + 1, depth + 1)
        walk(node["right_child"], 2 * at + 2, depth + 1)

    walk(tree, 0, 0)
    asked = ", ".join(f"({at}, {number(least, 5)})" if least is not None else "(0, 9e9)" for at, least in splits)
    return f"    ([{asked}], [{', '.join(number(leaf) for leaf in leaves)}]),"


def write_trees(model):
    trees = model.booster_.dump_model()["tree_info"]
    for label, name in enumerate(LABELS):
        rows = [complete(tree["tree_structure"]) for at, tree in enumerate(trees) if at % 4 == label]
        head = [
            "//! The learnt trees for one class: made by the training run described in `judge`, not by hand.",
            "", "use super::super::judge::Tree;", "", "#[rustfmt::skip]",
            f"pub(in super::super) static TREES: [Tree; {len(rows)}] = [",
        ]
        (STATEMENT / "trees" / f"{name}.rs").write_text("\n".join([*head, *rows, "];"]) + "\n")


def write_weights(fitted):
    rows = ""
    for start, weights in zip(fitted.intercept_, fitted.coef_):
        halves = [", ".join(number(weight, 3) for weight in half) for half in (weights[:4], weights[4:])]
        rows += f"    ({number(start, 3)}, [{halves[0]}], [{halves[1]}]),\n"
    path = STATEMENT / "judge.rs"
    text = re.sub(r"(CLASSES\] = \[\n)(    \(.*\n){4}(?=\];)", lambda found: found.group(1) + rows, path.read_text())
    path.write_text(text)


def learn(features, base):
    import torch
    from transformers import AutoTokenizer

    from train import Net, scores

    known = pairs()
    rows = np.genfromtxt(features, delimiter=",", skip_header=1, usecols=range(1, len(open(features).readline().split(","))))
    labels = np.array([label for *_, label in known])
    aside = np.array([is_kept_aside(family) for family, *_ in known])
    trees = lightgbm.LGBMClassifier(**SHAPE).fit(rows[~aside], labels[~aside])
    net = Net(base)
    net.load_state_dict(torch.load("net.pt"))
    texts = [(*sorted((a, b)), label) for family, a, b, label in known if is_kept_aside(family)]
    model = scores(net, AutoTokenizer.from_pretrained(base), texts).numpy()
    both = np.hstack([np.log(trees.predict_proba(rows[aside]) + LEAST), model])
    fitted = LogisticRegression(C=0.3, max_iter=2000).fit(both, labels[aside])
    tell("trees", trees.predict_proba(rows[aside]).tolist(), labels[aside].tolist())
    tell("model", model.tolist(), labels[aside].tolist())
    alone = torch.softmax(torch.as_tensor(model), 1).numpy()
    tell("together", ((fitted.predict_proba(both) + alone) / 2).tolist(), labels[aside].tolist())
    write_weights(fitted)
    write_trees(lightgbm.LGBMClassifier(**SHAPE).fit(rows, labels))


if sys.argv[1] == "pairs":
    for _, a, b, label in pairs():
        print(json.dumps({"a": a, "b": b, "label": LABELS[label]}))
else:
    learn(*sys.argv[2:4])
