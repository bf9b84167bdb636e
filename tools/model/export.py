"""Step 4. The table as bytes, a weight a row, with its vocabulary and its identity."""

import argparse
import hashlib
import json
import pathlib
import shutil

import numpy as np
from safetensors.numpy import save_file


def quantise(table):
    """The largest of each row becomes 127; row and weight give the numbers back."""
    weights = np.abs(table).max(1) / 127
    weights[weights == 0] = 1e-8
    rows = np.clip(np.rint(table / weights[:, None]), -127, 127).astype(np.int8)
    return rows, weights.astype(np.float32)


def write(rows, weights, vocabulary, out):
    out.mkdir(parents=True, exist_ok=True)
    save_file({"embeddings": rows, "weights": weights}, out / "model.safetensors", metadata={"format": "np"})
    shutil.copyfile(vocabulary, out / "vocab.txt")
    config = {
        "model_type": "static-int8",
        "tokenizer": "words+camel+wordpiece (see README)",
        "dim": rows.shape[1],
        "vocab_size": rows.shape[0],
        "normalize": True,
        "pooling": "sum(weights[id]*embeddings[id]) then L2",
        "max_tokens": 512,
        "matryoshka": [128, rows.shape[1]],
        "id": identity(out),
    }
    (out / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf8")


def identity(model):
    files = (model / name for name in ("model.safetensors", "vocab.txt"))
    return "sha256:" + hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--work", type=pathlib.Path, required=True)
    arguments.add_argument("--out", type=pathlib.Path, required=True)
    arguments = arguments.parse_args()
    write(*quantise(np.load(arguments.work / "table.npy")), arguments.work / "vocab.txt", arguments.out)
    print(identity(arguments.out))


if __name__ == "__main__":
    main()
