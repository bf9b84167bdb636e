"""Step 3. The table: the teacher's vectors of single entries to begin with, then trained on pairs, averaged, softened.

Writes table.npy. Three runs of 1,500 steps of 4,096 pairs are minutes on a large GPU."""

import argparse
import json
import pathlib

import numpy as np
import torch
from torch.nn.functional import cross_entropy, embedding_bag, normalize

from words import Tokenizer

DIM, SHORT_DIM = 256, 128  # the first 128 dimensions are trained to be of use alone
SIF = 1e-3
SHARE = {"commit": 1, "docs": 1, "code": 1, "adjacent": 1, "general": 0.7, "glosses": 0.3}
PROSE = {"commit", "docs", "adjacent", "general"}
RUNS = [  # they differ a little, so that their average is better than any of them
    dict(temperature=0.035, regression=2.0, halves=0.0, rate=1e-3),
    dict(temperature=0.04, regression=6.0, halves=0.0, rate=1e-3),
    dict(temperature=0.035, regression=2.0, halves=0.2, rate=7e-4),
]
TRAINED_SHARE = 0.85  # the rest is the table it began with: what was rare in training stays what the teacher said


def start(entries, counts):
    """Centred, brought to DIM dimensions by PCA; frequent entries count less (SIF)."""
    rows = normalize(entries - entries.mean(0), dim=-1)
    rows = rows - rows.mean(0)
    rows = rows @ torch.linalg.svd(rows, full_matrices=False).Vh[:DIM].T
    share = (counts + 1) / (counts + 1).sum()
    rows = rows * (SIF / (SIF + share)).unsqueeze(-1)
    return rows / rows.square().sum(1).mean().sqrt()


class Bags:
    """All texts as rows of the table, one after the other."""

    def __init__(self, texts, tokenizer, device):
        bags = [tokenizer.rows(text, 256) for text in texts]
        self.begin = torch.tensor([0] + [len(bag) for bag in bags]).cumsum(0).to(device)
        self.rows = torch.tensor([row for bag in bags for row in bag]).to(device)

    def sums(self, table, texts, kept=1.0):
        """Sums of the rows of some texts, each row kept by chance."""
        lengths = self.begin[texts + 1] - self.begin[texts]
        offsets = lengths.cumsum(0) - lengths
        at = torch.repeat_interleave(self.begin[texts] - offsets, lengths)
        at += torch.arange(len(at), device=at.device)
        weights = (torch.rand(len(at), device=at.device) < kept).float()
        return embedding_bag(self.rows[at], table, offsets, mode="sum", per_sample_weights=weights)


def targets(teacher, bags, table):
    """The teacher's vectors of all texts, turned to where the table's own already point (Procrustes)."""
    teacher = normalize(teacher - teacher.mean(0), dim=-1)
    basis = torch.linalg.eigh(teacher.T @ teacher).eigenvectors.flip(1)[:, :DIM]
    reduced = normalize(teacher @ basis, dim=-1)
    sample = torch.randperm(len(reduced), device=reduced.device)[:200_000]
    left, _, right = torch.linalg.svd(reduced[sample].T @ normalize(bags.sums(table, sample), dim=-1))
    return reduced @ (left @ right)


def contrast(queries, passages, temperature, masked=None):
    """Each query finds its own passage among all, and each passage its query."""
    scores = normalize(queries, dim=-1) @ normalize(passages, dim=-1).T / temperature
    if masked is not None:
        scores = scores.masked_fill(masked, -30.0)
    own = torch.arange(len(scores), device=scores.device)
    return (cross_entropy(scores, own) + cross_entropy(scores.T, own)) / 2


def false_negatives(queries, passages, teacher):
    """Not counted as wrong: what the teacher finds nearer than the pair itself, and the same text twice."""
    nearness = teacher[queries] @ teacher[passages].T
    own = nearness.diagonal() + 0.02
    nearer = (nearness > own[:, None]) | (nearness > own[None])
    same = (queries[:, None] == queries) | (passages[:, None] == passages)
    return (nearer | same).fill_diagonal_(False)


def run(first, bags, pairs, teacher, wanted, steps, batch, temperature, regression, halves, rate):
    table, average = first.clone().requires_grad_(), first.clone()
    adam = torch.optim.Adam([table], lr=rate, betas=(0.9, 0.99))
    sources = list(pairs)
    odds = torch.tensor([SHARE.get(source, 1) * len(pairs[source]) ** 0.5 for source in sources])
    for step in range(steps):
        adam.param_groups[0]["lr"] = rate * min(1, (step + 1) / 100) * max(0.02, 1 - step / steps)
        source = sources[torch.multinomial(odds, 1)]
        chosen = torch.randint(len(pairs[source]), (batch,), device=first.device)
        query, passage = pairs[source][chosen].T
        a, b = bags.sums(table, query, 0.9), bags.sums(table, passage, 0.9)
        masked = false_negatives(query, passage, teacher)
        loss = contrast(a, b, temperature, masked)
        loss += 0.3 * contrast(a[:, :SHORT_DIM], b[:, :SHORT_DIM], temperature, masked)
        half = batch // 2
        if halves and source in PROSE:  # two random parts of one text belong together
            parts = (bags.sums(table, passage[:half], kept) + 1e-6 for kept in (0.35, 0.6))
            loss += halves * contrast(*parts, temperature)
        ours = normalize(torch.cat([a[:half], b[:half]]), dim=-1)
        theirs = wanted[torch.cat([query[:half], passage[:half]])]
        loss += regression * (1 - (ours * theirs).sum(-1)).mean()
        loss += regression * 20 * (ours @ ours.T - theirs @ theirs.T).square().mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
        average.lerp_(table.detach(), 1 - min(0.998, (step + 1) / (step + 10)))
    print(f"loss {loss.item():.3f}")
    return average


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--work", type=pathlib.Path, required=True)
    arguments.add_argument("--steps", type=int, default=1500)
    arguments.add_argument("--batch", type=int, default=4096)
    arguments = arguments.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    load = lambda name: torch.from_numpy(np.load(arguments.work / name)).float().to(device)
    read = json.loads((arguments.work / "texts.json").read_text(encoding="utf8"))
    vocabulary = (arguments.work / "vocab.txt").read_text(encoding="utf8").splitlines()
    bags = Bags(read["texts"], Tokenizer(vocabulary), device)
    pairs = {source: torch.tensor(list_, device=device) for source, list_ in read["pairs"].items()}
    first = start(load("entries.npy"), torch.bincount(bags.rows, minlength=len(vocabulary)).double()).float()
    teacher = load("texts.npy")
    torch.manual_seed(1)
    given = (first, bags, pairs, teacher, targets(teacher, bags, first), arguments.steps, arguments.batch)
    runs = [run(*given, **how) for how in RUNS]
    table = TRAINED_SHARE * sum(runs) / len(runs) + (1 - TRAINED_SHARE) * first
    np.save(arguments.work / "table.npy", table.cpu().numpy())


if __name__ == "__main__":
    main()
