"""The tokenizer of the static model. Its twin is src/encode/embed/{words,lexicon}.rs: change both or neither."""

import re
import unicodedata

LONGEST_WORD = 64
MOST_TOKENS = 512

HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
IDEOGRAPH = re.compile("([\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff])")
# Letters in circles and squares are alphabetic to Unicode, and so to Rust, but not to Python.
ENCLOSED_LETTER = re.compile("[\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]")


def words(text):
    """Runs of letters and digits without accents; an ideograph is a word by itself."""
    if not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.category(c).startswith("M"))
    runs = "".join(c if c.isalnum() or ENCLOSED_LETTER.match(c) else " " for c in text).split()
    return [word for run in runs for word in IDEOGRAPH.split(run) if word]


def humps(word):
    """parseHTTPBody2Json: parse, HTTP, Body2, Json. What has no small letter stays whole."""
    return HUMP.split(word) if re.search("[a-z]", word) else [word]


class Tokenizer:
    def __init__(self, vocabulary):
        self.row = {entry: row for row, entry in enumerate(vocabulary)}
        self.known = {}

    def rows(self, text, most=MOST_TOKENS):
        rows = []
        for word in words(text):
            if word not in self.known:
                self.known[word] = self.rows_of_word(word)
            rows += self.known[word]
            if len(rows) >= most:
                break
        return rows[:most]

    def rows_of_word(self, word):
        if word.lower() in self.row:
            return [self.row[word.lower()]]
        if len(word) > LONGEST_WORD:
            return []
        return [row for hump in humps(word) for row in self.pieces(hump.lower())]

    def pieces(self, hump):
        """The longest known piece from the beginning, again and again; an unknown character is left out."""
        rows, at = [], 0
        while at < len(hump):
            mark = "##" if at else ""
            ends = (end for end in range(len(hump), at, -1) if mark + hump[at:end] in self.row)
            end = next(ends, None)
            if end:
                rows.append(self.row[mark + hump[at:end]])
            at = end or at + 1
        return rows
