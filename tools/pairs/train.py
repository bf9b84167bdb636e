"""Teaches the model in assets/pairs another turn and writes it back, a byte for each weight.

    python train.py NEIGHBOURS.jsonl...

Learns from the families of this directory, and from neighbours (`neighbours.py`) that contradictions are rare. A GPU needs
some two minutes."""

import json
import math
import random
import sys

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.numpy import load_file, save_file
from tokenizers import BertWordPieceTokenizer
from torch import nn
from transformers import BertConfig, BertModel

from common import ASSETS, lines, pairs

PASSES, RATE, WARM, BATCH, LONGEST = 4, 1.5e-4, 0.06, 512, 96
# How much a label counts beside what the model thought before, and how likely a neighbour is a contradiction.
HARD, SMOOTH, RARE = 0.85, 0.03, 0.002
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
tokenizer = BertWordPieceTokenizer(str(ASSETS / "vocab.txt"), lowercase=True)


class Net(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.encoder = BertModel(BertConfig(**shape), add_pooling_layer=False)
        self.drop, self.answer = nn.Dropout(0.1), nn.Linear(shape["hidden_size"], 4)

    def forward(self, ids, kinds, mask):
        states = self.encoder(input_ids=ids, token_type_ids=kinds, attention_mask=mask).last_hidden_state
        return self.answer(self.drop(states[:, 0]))


def load():
    tensors = load_file(str(ASSETS / "model.safetensors"))
    net = Net(json.loads((ASSETS / "config.json").read_text()))
    weights = {}
    for name, value in tensors.items():
        if not name.endswith(".scale"):
            value = value.astype("f4") * (tensors[name + ".scale"][:, None] if name + ".scale" in tensors else 1)
            weights[name if name.startswith("answer.") else "encoder." + name] = torch.tensor(value)
    net.load_state_dict(weights, strict=False)
    return net.to(DEVICE)


def save(net):
    tensors = {}
    for name, value in net.encoder.state_dict().items():
        value = value.float().cpu().numpy()
        if name.endswith("_ids"):
            continue
        if value.ndim == 2 and ("encoder.layer" in name or "word_embeddings" in name):
            scale = np.abs(value).max(1) / 127
            scale[scale == 0] = 1
            tensors[name + ".scale"] = scale.astype("f4")
            value = np.clip(np.rint(value / scale[:, None]), -127, 127).astype("i1")
        tensors[name] = np.ascontiguousarray(value)
    tensors["answer.weight"], tensors["answer.bias"] = (p.detach().float().cpu().numpy() for p in net.answer.parameters())
    save_file({name: tensors[name] for name in sorted(tensors)}, str(ASSETS / "model.safetensors"))


def batch_of(known, texts):
    rows = [[101, *known[a], 102, *known[b], 102] for a, b in texts]
    width = max(map(len, rows))
    ids, kinds, mask = (np.zeros((len(rows), width), "i8") for _ in range(3))
    for at, ((a, _), row) in enumerate(zip(texts, rows)):
        ids[at, : len(row)], mask[at, : len(row)], kinds[at, len(known[a]) + 2 : len(row)] = row, 1, 1
    return [torch.from_numpy(part).to(DEVICE) for part in (ids, kinds, mask)]


def batches(known, data, dice=None):
    order = list(range(len(data)))
    if dice:
        dice.shuffle(order)
    length = lambda at: len(known[data[at][0]]) + len(known[data[at][1]])
    found = []
    for start in range(0, len(order), 40 * BATCH):
        window = sorted(order[start : start + 40 * BATCH], key=length)
        found += [window[at : at + BATCH] for at in range(0, len(window), BATCH)]
    if dice:
        dice.shuffle(found)
    return found


@torch.no_grad()
def views(net, known, texts):
    """What the model thinks of them, both ways round."""
    net.eval()
    found = np.zeros((len(texts), 4), "f4")
    for way in (lambda a, b: (a, b), lambda a, b: (b, a)):
        turned = [way(a, b) for a, b in texts]
        for batch in batches(known, turned):
            with torch.autocast(DEVICE, torch.bfloat16):
                scores = net(*batch_of(known, [turned[at] for at in batch]))
            found[batch] += F.softmax(scores.float(), 1).cpu().numpy() / 2
    return found


def train(net, known, data, seed):
    dice = random.Random(seed)
    torch.manual_seed(seed)
    learning = [weight for weight in net.parameters() if weight.requires_grad]
    groups = [
        {"params": [weight for weight in learning if weight.ndim > 1], "weight_decay": 0.01},
        {"params": [weight for weight in learning if weight.ndim < 2], "weight_decay": 0.0},
    ]
    optimizer, step = torch.optim.AdamW(groups, lr=RATE), 0
    steps = PASSES * math.ceil(len(data) / BATCH)
    for turn in range(PASSES):
        net.train()
        for batch in batches(known, data, dice):
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1, (step + 1) / (WARM * steps)) * max(0, 1 - step / steps)
            texts = [data[at][:2] if dice.random() < 0.5 else data[at][1::-1] for at in batch]
            target = torch.tensor(np.stack([data[at][2] for at in batch]), device=DEVICE)
            with torch.autocast(DEVICE, torch.bfloat16):
                scores = net(*batch_of(known, texts))
            loss = -(target * F.log_softmax(scores.float(), 1)).sum(1).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(learning, 1.0)
            optimizer.step()
            step += 1
        print(f"seed {seed}, pass {turn + 1} of {PASSES}: {loss.item():.3f}", flush=True)


def main(paths):
    labelled = pairs()
    neighbours = [(pair["a"], pair["b"]) for path in paths for pair in lines(path)]
    texts = list(dict.fromkeys(text for pair in [*labelled, *neighbours] for text in pair[:2]))
    known = {text: cut.ids[:LONGEST] for text, cut in zip(texts, tokenizer.encode_batch(texts, add_special_tokens=False))}
    print(f"{len(labelled)} labelled pairs, {len(neighbours)} neighbours", flush=True)
    before = load()
    data = []
    for (a, b, label), view in zip(labelled, views(before, known, [pair[:2] for pair in labelled])):
        right = np.full(4, SMOOTH / 4, "f4")
        right[label] += 1 - SMOOTH
        data.append((a, b, HARD * right + (1 - HARD) * view))
    for (a, b), view in zip(neighbours, views(before, known, neighbours)):
        view[0] = min(view[0], RARE)
        data.append((a, b, view / view.sum()))
    net = load()
    train(net, known, data, seed=1)
    save(net)


if __name__ == "__main__":
    main(sys.argv[1:])
