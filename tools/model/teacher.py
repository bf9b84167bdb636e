"""Step 2. What the teacher makes of every entry of the vocabulary, alone, and of every text.

Writes entries.npy and texts.npy, unit rows in half precision."""

import argparse
import json
import pathlib

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer


@torch.inference_mode()
def encode(model, tokenizer, texts, most_tokens, pooling, batch):
    vectors = np.zeros((len(texts), model.config.hidden_size), np.float16)
    by_length = sorted(range(len(texts)), key=lambda at: len(texts[at]))  # texts of one length need little padding
    how = {"padding": True, "truncation": True, "max_length": most_tokens, "return_tensors": "pt"}
    for start in range(0, len(texts), batch):
        chosen = by_length[start : start + batch]
        inputs = tokenizer([texts[at] for at in chosen], **how)
        states = model(**inputs.to(model.device)).last_hidden_state.float()
        mask = inputs["attention_mask"].unsqueeze(-1)
        pooled = states[:, 0] if pooling == "cls" else (states * mask).sum(1) / mask.sum(1)
        vectors[chosen] = torch.nn.functional.normalize(pooled, dim=-1).half().cpu().numpy()
    return vectors


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--teacher", required=True, help="directory of the teacher")
    arguments.add_argument("--pooling", choices=["cls", "mean"], default="cls")
    arguments.add_argument("--batch", type=int, default=512)
    arguments.add_argument("--work", type=pathlib.Path, required=True)
    arguments = arguments.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = AutoModel.from_pretrained(arguments.teacher).to(device).eval()
    tokenizer = AutoTokenizer.from_pretrained(arguments.teacher)
    vocabulary = (arguments.work / "vocab.txt").read_text(encoding="utf8").splitlines()
    texts = json.loads((arguments.work / "texts.json").read_text(encoding="utf8"))["texts"]
    # A byte-level teacher knows a word inside a text, where words mostly stand, by the space before it.
    space = " " if model.config.model_type == "roberta" else ""
    alone = [space + entry.removeprefix("##") for entry in vocabulary]
    for name, list_, most_tokens in [("entries", alone, 32), ("texts", texts, 128)]:
        vectors = encode(model, tokenizer, list_, most_tokens, arguments.pooling, arguments.batch)
        np.save(arguments.work / f"{name}.npy", vectors)
        print(name, vectors.shape)


if __name__ == "__main__":
    main()
