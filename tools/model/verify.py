"""Step 5. Reads a table with numpy alone, checks its identity, and writes what the program has to find in it."""

import argparse
import json
import pathlib
import sys
import tempfile

import numpy as np
from safetensors.numpy import load_file

import export
from words import Tokenizer

TEXTS = [
    "",
    " \t\n -- !? ",
    "memory",
    "The session token is rotated on every refresh.",
    "parseHTTPResponse2Json",
    "GitHub JavaScript OpenAI PostgreSQL",
    "getUserByIDFromXMLDocument",
    "SCREAMING_SNAKE_CASE snake_case kebab-case dot.case",
    "src/store/read.rs:42:13",
    r"C:\Users\dev\project\main.cpp",
    "https://example.com/a/b?q=1&page=2#top",
    "error[E0382]: borrow of moved value: `config`",
    "ECONNREFUSED 127.0.0.1:5432 exit code 137 SIGKILL",
    "npm ERR! code ERESOLVE unable to resolve dependency tree",
    'fn main() { println!("{}", x.unwrap_or_default()); }',
    "SELECT id, name FROM users WHERE created_at > now() - interval '7 days';",
    "v1.2.3-rc.4+build.5 2026-01-06T12:00:00Z",
    "naïve café ÅNGSTRÖM Übergrößenträger straßenName",
    "Nous avons décidé d'utiliser PostgreSQL plutôt que MySQL.",
    "ΟΔΟΣ Αθήνα Σίσυφος",
    "Привет, мир! Ёлка",
    "日本語のテキストと English mixed 漢字a仮名b",
    "中文分词：内存守护进程",
    "한국어 텍스트",
    "हिन्दी में लिखा हुआ पाठ",
    "مرحبا بالعالم",
    "🚀 ship it 🎉 done ✅ Ⓐ½²",
    "e\u0301 vs \u00e9; a\u200bb; ﬁ ligature; İstanbul ǅ",
    "x" * 64 + " " + "y" * 65 + " deadbeefcafe0123456789",
    "one\u00a0two\u3000three\u2028four\u000bfive",
]
# Far more than the 512 tokens that count.
REPEATED = ("The retryScheduler drops naïve jobs. ", 1000)


def load(directory):
    tensors = load_file(directory / "model.safetensors")
    vocabulary = (directory / "vocab.txt").read_text(encoding="utf8").split("\n")[:-1]
    return Tokenizer(vocabulary), tensors["embeddings"], tensors["weights"]


def embed(rows, embeddings, weights):
    vector = (embeddings[rows].astype(np.float64) * weights[rows, None]).sum(0)
    return vector / (np.linalg.norm(vector) or 1)


def check(directory, embeddings, weights):
    """The files are those config.json names, and exporting them once more gives the same bytes."""
    config = json.loads((directory / "config.json").read_text(encoding="utf8"))
    assert config["id"] == export.identity(directory), "config.json is of another model"
    assert embeddings.shape == (config["vocab_size"], config["dim"])
    rows, scales = export.quantise(embeddings.astype(np.float32) * weights[:, None])
    assert (rows == embeddings).all() and np.allclose(scales, weights, rtol=1e-6), "it was quantised in another way"
    with tempfile.TemporaryDirectory() as again:
        export.write(embeddings, weights, directory / "vocab.txt", pathlib.Path(again))
        assert export.identity(pathlib.Path(again)) == config["id"], "it was written in another way"
    return config["id"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--model", type=pathlib.Path, default="assets/model")
    arguments.add_argument("--write", type=pathlib.Path, help="where expectations go; else lines of stdin are embedded")
    arguments = arguments.parse_args()
    tokenizer, embeddings, weights = load(arguments.model)
    print(check(arguments.model, embeddings, weights), file=sys.stderr)

    def case(text, times=1):
        rows = tokenizer.rows(text * times)
        vector = embed(rows, embeddings, weights).round(6).tolist()
        return json.dumps({"text": text, "times": times, "rows": rows, "vector": vector})

    if arguments.write:
        cases = [case(text) for text in TEXTS] + [case(*REPEATED)]
        arguments.write.write_text("[\n" + ",\n".join(cases) + "\n]\n", encoding="utf8")
    else:
        for line in sys.stdin:
            print(case(line))


if __name__ == "__main__":
    main()
