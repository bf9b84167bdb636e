"""Trains the model that reads two statements together, from all-MiniLM-L6-v2 and the pairs of this directory, and writes
it to assets/pairs with a byte for each weight. `python train.py MINILM`, where MINILM is a directory with that model."""

import json
import math
import random
import shutil
import sys

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import nn
from transformers import AutoModel, AutoTokenizer

from common import ASSETS, is_kept_aside, pairs, tell

EPOCHS, BATCH, RATE, WARM, LONGEST, PLACES = 3, 48, 1.5e-4, 0.1, 96, 256


class Net(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.encoder = AutoModel.from_pretrained(base)
        self.encoder.embeddings.requires_grad_(False)
        self.drop = nn.Dropout(0.1)
        self.answer = nn.Linear(self.encoder.config.hidden_size, 4)

    def forward(self, texts):
        return self.answer(self.drop(self.encoder(**texts).last_hidden_state[:, 0]))


def batches(data, dice=None):
    order = list(range(len(data)))
    if dice:
        dice.shuffle(order)
    found = []
    for start in range(0, len(order), 20 * BATCH):
        window = sorted(order[start : start + 20 * BATCH], key=lambda at: len(data[at][0]) + len(data[at][1]))
        found += [window[at : at + BATCH] for at in range(0, len(window), BATCH)]
    if dice:
        dice.shuffle(found)
    return found


def texts(tokenizer, data, batch):
    one, other = [data[at][0] for at in batch], [data[at][1] for at in batch]
    return tokenizer(one, other, padding=True, truncation=True, max_length=2 * LONGEST, return_tensors="pt")


def scores(net, tokenizer, data):
    net.eval()
    found = torch.zeros(len(data), 4)
    with torch.no_grad():
        for batch in batches(data):
            found[batch] = net(texts(tokenizer, data, batch)).float()
    return found


def train(net, tokenizer, data, seed=1):
    dice = random.Random(seed)
    torch.manual_seed(seed)
    data = [(b, a, label) if dice.random() < 0.5 else (a, b, label) for a, b, label in data]
    learning = [weight for weight in net.parameters() if weight.requires_grad]
    groups = [
        {"params": [weight for weight in learning if weight.ndim > 1], "weight_decay": 0.01},
        {"params": [weight for weight in learning if weight.ndim < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=RATE, fused=True)
    steps, step = EPOCHS * math.ceil(len(data) / BATCH), 0
    for _ in range(EPOCHS):
        net.train()
        for batch in batches(data, dice):
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1, (step + 1) / (WARM * steps)) * max(0, 1 - step / steps)
            with torch.autocast("cpu", torch.bfloat16):
                found = net(texts(tokenizer, data, batch))
            right = torch.tensor([data[at][2] for at in batch])
            loss = nn.functional.cross_entropy(found.float(), right, label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(learning, 1.0)
            optimizer.step()
            step += 1
            if step % 100 == 0:
                print(f"{step} of {steps}: {loss.item():.3f}", flush=True)


def export(net, base):
    weights = {name: value.float().numpy() for name, value in net.encoder.state_dict().items()}
    tensors = {}

    def write(name, value):
        """A byte for each number, and for each row what a one is worth."""
        scale = np.abs(value).max(1) / 127
        scale[scale == 0] = 1
        tensors[name] = np.clip(np.rint(value / scale[:, None]), -127, 127).astype("i1")
        tensors[name + ".scale"] = scale.astype("f4")

    places = weights["embeddings.position_embeddings.weight"][:PLACES]
    write("embeddings.word_embeddings.weight", weights["embeddings.word_embeddings.weight"])
    tensors["embeddings.position_embeddings.weight"] = places
    tensors["embeddings.token_type_embeddings.weight"] = weights["embeddings.token_type_embeddings.weight"]
    for end in ["weight", "bias"]:
        tensors[f"embeddings.LayerNorm.{end}"] = weights[f"embeddings.LayerNorm.{end}"]
    config = net.encoder.config
    for layer in range(config.num_hidden_layers):
        at = f"encoder.layer.{layer}."
        parts = [f"attention.self.{part}" for part in ["query", "key", "value"]]
        for part in [*parts, "attention.output.dense", "intermediate.dense", "output.dense"]:
            write(at + part + ".weight", weights[at + part + ".weight"])
            tensors[at + part + ".bias"] = weights[at + part + ".bias"]
        for part in ["attention.output.LayerNorm", "output.LayerNorm"]:
            for end in ["weight", "bias"]:
                tensors[f"{at}{part}.{end}"] = weights[f"{at}{part}.{end}"]
    tensors["answer.weight"] = net.answer.weight.detach().numpy()
    tensors["answer.bias"] = net.answer.bias.detach().numpy()
    ASSETS.mkdir(parents=True, exist_ok=True)
    ordered = {name: np.ascontiguousarray(tensors[name]) for name in sorted(tensors)}
    save_file(ordered, ASSETS / "model.safetensors")
    names = ["hidden_size", "intermediate_size", "num_attention_heads", "num_hidden_layers", "vocab_size", "layer_norm_eps"]
    shape = {name: getattr(config, name) for name in names} | {"max_position_embeddings": PLACES, "type_vocab_size": 2}
    (ASSETS / "config.json").write_text(json.dumps(shape, indent=1) + "\n")
    shutil.copy(f"{base}/vocab.txt", ASSETS / "vocab.txt")


def main(base):
    tokenizer, net = AutoTokenizer.from_pretrained(base), Net(base)
    known = pairs()
    learnt = [(a, b, label) for family, a, b, label in known if not is_kept_aside(family)]
    aside = [(*sorted((a, b)), label) for family, a, b, label in known if is_kept_aside(family)]
    print(f"{len(learnt)} pairs to learn from, {len(aside)} kept aside")
    train(net, tokenizer, learnt)
    found = scores(net, tokenizer, aside)
    tell("kept aside", found.tolist(), [label for *_, label in aside])
    export(net, base)
    torch.save(net.state_dict(), "net.pt")


if __name__ == "__main__":
    main(sys.argv[1])
