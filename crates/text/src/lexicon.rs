//! The vocabulary of a static model: which row a word or a piece of one has. A process that never embeds never builds
//! one, and a process that does should not notice: one pass over the text, no copies of the words.

use std::borrow::Cow;

use super::EmbedError;
use super::slots::{Hash, Slots};
use super::words::{humps, lower_case, without_accents, words};

/// Longer words are noise (hashes, keys, encoded data) and cost the most to take apart.
const LONGEST_WORD: usize = 64;
/// The same where a word is known as a whole or not at all; the measure of those who trained with it.
const LONGEST_WHOLE: usize = 100;

/// What stands before a piece that begins a word, and before one that goes on with it.
const BEGINNING: &str = "";
const CONTINUATION: &str = "##";

pub(super) struct Lexicon {
    text: Cow<'static, str>,
    lines: Lines,
    slots: Slots,
    /// Bytes of the longest entry: no longer prefix needs to be tried.
    longest: usize,
}

/// Where each line begins, and at last where one more would.
struct Lines(Vec<u32>);

impl Lexicon {
    /// One entry a line; the number of the line, from 0, is its row.
    pub(super) fn parse(file: &str, text: Cow<'static, str>) -> Result<Lexicon, EmbedError> {
        if u32::try_from(text.len() + 1).is_err() {
            return Err(EmbedError::damaged(file, "it is larger than 4 GiB"));
        }
        let count = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let mut slots = Slots::for_entries(count);
        let mut lines = Lines(Vec::with_capacity(count + 1));
        let (mut start, mut longest, mut hash) = (0, 0, Hash::of(BEGINNING));
        lines.0.push(0);
        // Ends and hashes in one go: this pass is all that the first text to be embedded waits for.
        let unended = (!text.is_empty() && !text.ends_with('\n')).then_some(b'\n');
        for (at, byte) in text.bytes().chain(unended).enumerate() {
            if byte != b'\n' {
                hash = hash.and(byte);
                continue;
            }
            let row = lines.count() as u32;
            if !slots.enter(hash, row, |row| lines.get(&text, row) == &text[start..at]) {
                return Err(EmbedError::damaged(file, format!("line {} is there twice", row + 1)));
            }
            longest = longest.max(at - start);
            (start, hash) = (at + 1, Hash::of(BEGINNING));
            lines.0.push(start as u32);
        }
        Ok(Lexicon { text, lines, slots, longest })
    }

    pub(super) fn len(&self) -> usize {
        self.lines.count()
    }

    /// The rows of what is known of a text, in its order, `most` at the most.
    pub(super) fn rows(&self, text: &str, most: usize) -> Vec<u32> {
        let mut rows = Vec::with_capacity((text.len() / 4).min(most));
        // No accent reaches over white space, so a long text is only read as far as it counts.
        for chunk in text.split_ascii_whitespace() {
            for word in words(&without_accents(chunk)) {
                self.push_word(word, &mut rows);
                if rows.len() >= most {
                    rows.truncate(most);
                    return rows;
                }
            }
        }
        rows
    }

    fn push_word(&self, word: &str, rows: &mut Vec<u32>) {
        if let Some(row) = self.find(&lower_case(word)) {
            rows.push(row);
        } else if word.chars().nth(LONGEST_WORD).is_none() {
            humps(word).for_each(|hump| self.push_pieces(&lower_case(hump), rows));
        }
    }

    /// Takes the longest known piece from the beginning, again and again; an unknown character is left out.
    fn push_pieces(&self, hump: &str, rows: &mut Vec<u32>) {
        let (mut rest, mut mark) = (hump, BEGINNING);
        while let Some(first) = rest.chars().next() {
            let (row, length) = self.longest_prefix(mark, rest).unzip();
            rows.extend(row);
            rest = &rest[length.unwrap_or(first.len_utf8())..];
            mark = CONTINUATION;
        }
    }

    /// The pieces of a word, if they make up all of it, else the one that stands for what is not known.
    pub(super) fn push_whole(&self, word: &str, unknown: u32, rows: &mut Vec<u32>) {
        let (mut rest, mut mark, before) = (word, BEGINNING, rows.len());
        let is_noise = word.chars().nth(LONGEST_WHOLE).is_some();
        while !rest.is_empty() {
            let Some((row, length)) = self.longest_prefix(mark, rest).filter(|_| !is_noise) else {
                rows.truncate(before);
                rows.push(unknown);
                return;
            };
            rows.push(row);
            (rest, mark) = (&rest[length..], CONTINUATION);
        }
    }

    pub(super) fn find(&self, word: &str) -> Option<u32> {
        self.slots.find(Hash::of(word), |row| self.lines.get(&self.text, row) == word)
    }

    /// The row and the length of the longest entry that, after its mark, begins the word.
    fn longest_prefix(&self, mark: &str, word: &str) -> Option<(u32, usize)> {
        let mut hash = Hash::of(mark);
        let mut longest = None;
        for (at, byte) in word.bytes().enumerate().take(self.longest) {
            hash = hash.and(byte);
            // An entry is whole characters, so a part of one is never found.
            let prefix = &word.as_bytes()[..=at];
            let is_meant =
                |row| self.lines.get(&self.text, row).as_bytes().strip_prefix(mark.as_bytes()) == Some(prefix);
            if let Some(row) = self.slots.find(hash, is_meant) {
                longest = Some((row, at + 1));
            }
        }
        longest
    }
}

impl Lines {
    fn count(&self) -> usize {
        self.0.len() - 1
    }

    fn get<'a>(&self, text: &'a str, row: u32) -> &'a str {
        let (start, next) = (self.0[row as usize] as usize, self.0[row as usize + 1] as usize);
        &text[start..next - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[u32]) {
        let lexicon = Lexicon::parse("v", "read\nre\n##ad\n##er\n##s\nhttp\nerror\n漢\ne".into()).unwrap();
        assert_eq!(lexicon.rows(text, 100), expect, "{text}");
    }

    #[test]
    fn a_known_word_is_one_row_and_others_are_taken_apart() {
        check("read READ Réad", &[0, 0, 0]);
        check("reads reader", &[0, 4, 0, 3]);
        check("readHTTPError", &[0, 5, 6]);
        check("漢字", &[7]);
        check("zreadz", &[2]);
        check("", &[]);
    }

    #[test]
    fn words_beyond_all_measure_are_left_out() {
        check(&"read".repeat(16), &[0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
        check(&format!("{}s", "read".repeat(16)), &[]);
    }

    #[test]
    fn a_word_is_known_whole_or_not_at_all() {
        let lexicon = Lexicon::parse("v", "read\nre\n##ad\n##er\n##s\n漢\n?".into()).unwrap();
        let check = |word: &str, expect: &[u32]| {
            let mut rows = vec![1];
            lexicon.push_whole(word, 6, &mut rows);
            assert_eq!(rows[1..], *expect, "{word}");
        };
        check("readers", &[0, 3, 4]);
        check("readz", &[6]);
        check("ad", &[6]);
        check("漢", &[5]);
        check("", &[]);
        check(&format!("{}ad", "read".repeat(24)), &[6]);
        check(&format!("read{}", "s".repeat(96)), &[&[0][..], &[4; 96]].concat());
        check(&format!("read{}", "s".repeat(97)), &[6]);
    }

    #[test]
    fn no_more_rows_are_given_than_wanted() {
        let lexicon = Lexicon::parse("v", "a\n##b\n".into()).unwrap();
        assert_eq!(lexicon.rows("ab ab ab", 3), [0, 1, 0]);
    }

    #[test]
    fn an_entry_that_is_there_twice_is_named() {
        let refused = Lexicon::parse("v", "a\n##a\nb\na\n".into()).err().unwrap();
        assert_eq!(refused.to_string(), "v cannot be read: line 4 is there twice");
    }

    #[test]
    fn an_empty_vocabulary_knows_nothing() {
        assert!(Lexicon::parse("v", "".into()).unwrap().rows("a b", 9).is_empty());
    }
}
