"""Learns what statements are about, and writes the table in assets/subjects, a byte for each number.

    python subjects.py NEIGHBOURS.jsonl

Of a family, whatever says the same or denies it is near; other families and sentences of real repositories
(`neighbours.py`) are not. The table begins as the first 64 directions of that in assets/model and has its vocabulary. It
takes two minutes without a GPU; another run finds as much (.889 against .891 of what belongs together among the ten nearest)."""

import hashlib
import json
import random
import re
import sys

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.numpy import load_file, save_file
from torch import nn

from common import HERE, ROOT, lines, measured

DIM, STEPS, RATE, BATCH, STRANGERS, HEAT = 64, 800, 1e-2, 1024, 1024, 0.05
# So often a word is left out, and what only stands beside the first statement is taken for what is near.
DROPPED, BESIDE = 0.2, 0.2
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Words:
    """The rows of a text, as crates/text/src/lexicon.rs finds them in ASCII."""

    def __init__(self):
        entries = (ROOT / "assets" / "model" / "vocab.txt").read_text(encoding="utf-8").split("\n")
        self.row_of, self.known = {entry: row for row, entry in enumerate(entries)}, {}

    def pieces(self, part):
        at, found = 0, []
        while at < len(part):
            before = "##" if at else ""
            end = next((end for end in range(len(part), at, -1) if before + part[at:end] in self.row_of), None)
            if end:
                found.append(self.row_of[before + part[at:end]])
            at = end or at + 1
        return found

    def of(self, word):
        if word.lower() in self.row_of:
            return [self.row_of[word.lower()]]
        humps = [word] if word.islower() or word.isupper() else re.split(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", word)
        return [row for hump in humps for row in ([self.row_of[hump.lower()]] if hump.lower() in self.row_of else self.pieces(hump.lower()))]

    def rows(self, text):
        if text not in self.known:
            found = [row for word in re.findall(r"[A-Za-z0-9]{1,64}", text) for row in self.of(word)]
            self.known[text] = found[:96] or [0]
        return self.known[text]


class Table(nn.Module):
    def __init__(self):
        super().__init__()
        shipped = load_file(str(ROOT / "assets" / "model" / "model.safetensors"))
        rows = torch.tensor(shipped["embeddings"].astype("f4"))
        rows /= rows.norm(dim=1).median()
        directions = torch.linalg.svd(rows - rows.mean(0), full_matrices=False)[2][:DIM]
        self.rows = nn.Parameter((rows @ directions.T).contiguous())
        self.weights = nn.Parameter(torch.tensor(shipped["weights"]).clamp_min(1e-4).log())

    def forward(self, words, texts):
        rows = [words.rows(text) for text in texts]
        starts = torch.tensor(np.cumsum([0, *map(len, rows[:-1])]), device=DEVICE)
        rows = torch.tensor(np.concatenate(rows), device=DEVICE)
        weights = self.weights[rows].exp()
        if self.training:
            weights = weights * (torch.rand_like(weights) > DROPPED)
        return F.normalize(F.embedding_bag(rows, self.rows, starts, mode="sum", per_sample_weights=weights), dim=1, eps=1e-6)


def families():
    left_out = {text for pair in measured() for text in pair}
    for path in sorted((HERE / "families").glob("*.jsonl")):
        for family in lines(path):
            same = [family["a"], *family.get("dup", []), *family.get("con", [])]
            same, beside = ([text for text in part if text not in left_out] for part in (same, family.get("com", [])))
            if len(same) > 1:
                yield same, beside


def train(table, words, known, strangers):
    dice, optimizer = random.Random(1), torch.optim.AdamW(table.parameters(), lr=RATE, weight_decay=0.0)
    of_itself = torch.arange(BATCH, device=DEVICE)
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / (0.06 * STEPS)) * (1 - step / STEPS)
        drawn = []
        for same, beside in dice.sample(known, BATCH):
            one, other = dice.sample(same, 2)
            drawn.append((one, dice.choice(beside) if beside and dice.random() < BESIDE else other))
        told = table(words, [one for one, _ in drawn] + [other for _, other in drawn] + dice.sample(strangers, STRANGERS))
        ones, others, strange = told.split([BATCH, BATCH, STRANGERS])
        there = F.cross_entropy(torch.cat([ones @ others.T, ones @ strange.T], 1) / HEAT, of_itself)
        back = F.cross_entropy(torch.cat([others @ ones.T, others @ strange.T], 1) / HEAT, of_itself)
        optimizer.zero_grad()
        (there + back).backward()
        nn.utils.clip_grad_norm_(table.parameters(), 1.0)
        optimizer.step()


def save(table):
    folder = ROOT / "assets" / "subjects"
    rows = table.rows.detach()
    scale = rows.abs().amax(1, keepdim=True) / 127
    scale[scale == 0] = 1
    tensors = {
        "embeddings": (rows / scale).round().clamp(-127, 127).to(torch.int8).cpu().numpy(),
        "weights": (table.weights.detach().exp() * scale[:, 0]).cpu().numpy().astype("f4"),
    }
    save_file(tensors, str(folder / "model.safetensors"))
    config = json.loads((folder / "config.json").read_text())
    config["id"] = "sha256:" + hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()[:16]
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")


if __name__ == "__main__":
    table, known = Table().to(DEVICE), list(families())
    strangers = [text for pair in lines(sys.argv[1]) for text in (pair["a"], pair["b"])]
    train(table, Words(), known, strangers)
    save(table)
