"""Step 1. The vocabulary: BERT's, less what never carries meaning here, and the words developers use beside it.

Writes vocab.txt, and texts.json with every distinct text and the pairs as indices into them."""

import argparse
import collections
import json
import pathlib

from words import humps, words

NEW_WORD_IN_TEXTS = 25  # a new word is one that so many texts contain
MOST_NEW_WORDS = 7000


def is_kept(entry):
    """No special tokens, no punctuation; of scripts Latin, Greek, Cyrillic, and single kana and ideographs."""
    piece = entry.removeprefix("##")
    if entry.startswith("[") and len(entry) > 1 or not any(c.isalnum() for c in piece):
        return False
    begins = piece == entry
    in_script = lambda c: c < "\u0250" or c.isdigit() or "\u0370" <= c < "\u0530" or begins and "\u3040" <= c < "\ua000"
    return all(map(in_script, piece))


def candidates(text, known):
    """Unknown words and humps of a text, and names of two or three humps (GitHub, JavaScript) as a whole."""
    found = set()
    for word in filter(str.isascii, words(text)):
        if word.lower() in known:
            continue
        parts = humps(word)
        found.update(part.lower() for part in parts if part.isalpha() and 3 <= len(part) <= 24)
        if 2 <= len(parts) <= 3 and word.isalpha() and len(word) <= 16:
            found.add(word.lower())
    return found - known


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--base", required=True, help="vocab.txt of an uncased BERT")
    arguments.add_argument("--pairs", nargs="+", required=True, help='lines of ["source", "query", "passage"]')
    arguments.add_argument("--work", type=pathlib.Path, required=True)
    arguments = arguments.parse_args()
    base = [entry for entry in open(arguments.base, encoding="utf8").read().splitlines() if is_kept(entry)]
    index, pairs = {}, collections.defaultdict(list)
    for file in arguments.pairs:
        for line in open(file, encoding="utf8"):
            source, query, passage = json.loads(line)
            pairs[source].append([index.setdefault(text, len(index)) for text in (query, passage)])
    texts_with, known = collections.Counter(), set(base)
    for text in index:
        texts_with.update(candidates(text, known))
    frequent = sorted((-count, word) for word, count in texts_with.items() if count >= NEW_WORD_IN_TEXTS)
    new = [word for _, word in frequent[:MOST_NEW_WORDS]]
    arguments.work.mkdir(parents=True, exist_ok=True)
    (arguments.work / "vocab.txt").write_text("\n".join(base + new) + "\n", encoding="utf8")
    (arguments.work / "texts.json").write_text(json.dumps({"texts": list(index), "pairs": pairs}), encoding="utf8")
    print(f"{len(base)} entries of BERT, {len(new)} new ones; {len(index)} texts")


if __name__ == "__main__":
    main()
