"""Pairs of sentences that stand near each other in real repositories: they teach how rare contradictions are.

    python neighbours.py OUT.jsonl GIT_DIRECTORY...

Sentences of documents and of commit messages, each beside those nearest to it by TF-IDF in the same repository."""

import json
import random
import re
import subprocess
import sys

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

MOST, NEAREST, CLOSE = 7000, 4, (0.15, 0.97)


def git(repository, *words):
    run = subprocess.run(["git", "--git-dir", repository, *words], capture_output=True, text=True, errors="replace")
    return run.stdout


def sentences(text):
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    for block in re.split(r"\n\s*\n|\n\s*[-*] ", text):
        block = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(block.split()))
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z`])", block):
            letters = sum(letter.isalpha() for letter in sentence)
            if 5 <= len(sentence.split()) <= 38 and len(sentence) < 260 and letters > 0.6 * len(sentence):
                yield sentence.strip("# *>")


def documents(repository, dice):
    files = [file for file in git(repository, "ls-tree", "-r", "--name-only", "HEAD").split("\n") if re.search(r"\.(md|rst|txt)$", file)]
    dice.shuffle(files)
    return [sentence for file in files[:250] for sentence in sentences(git(repository, "show", f"HEAD:{file}")[:60000])]


def commits(repository):
    for message in git(repository, "log", "--no-merges", "-4000", "--format=%s%n%n%b%x1e").split("\x1e"):
        subject, _, body = message.strip().partition("\n\n")
        if 4 <= len(subject.split()) <= 20 and not re.match(r"(bump|chore|release|merge|build\(deps)", subject, re.I):
            yield re.sub(r"\s*\(#\d+\)$", "", subject.strip())
        yield from [sentence for sentence in sentences(body) if not re.match(r"(Signed|Co-auth|Fixes|Closes)", sentence)][:2]


def near(statements, dice):
    statements = list(dict.fromkeys(statements))
    dice.shuffle(statements)
    statements = statements[:MOST]
    if len(statements) < 50:
        return
    rows = TfidfVectorizer(stop_words="english", sublinear_tf=True).fit_transform(statements)
    for one in range(len(statements)):
        alike = (rows[one] @ rows.T).toarray()[0]
        alike[one] = 0
        for other in np.argpartition(-alike, NEAREST)[:NEAREST]:
            if CLOSE[0] < alike[other] < CLOSE[1] and one < other:
                yield {"a": statements[one], "b": statements[other]}


def main(out, repositories):
    dice = random.Random(4)
    with open(out, "w", encoding="utf-8") as file:
        for repository in repositories:
            for statements in (documents(repository, dice), list(commits(repository))):
                for pair in near(statements, dice):
                    print(json.dumps(pair, ensure_ascii=False), file=file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
