//! One line of the page: pieces of text, each in its own style, and as wide as a terminal draws them. What a terminal would
//! obey is spelt out before anything is measured.

use unicode_width::UnicodeWidthChar;

use super::super::screen::{Style, paint};
use lokid_model::unseen;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line(Vec<(Option<Style>, String)>);

impl Line {
    pub(super) fn plain(text: impl AsRef<str>) -> Line {
        Line::default().and(text)
    }

    pub(super) fn styled(style: Style, text: impl AsRef<str>) -> Line {
        Line::default().then(style, text)
    }

    pub(super) fn and(mut self, text: impl AsRef<str>) -> Line {
        self.push(None, text.as_ref());
        self
    }

    pub(super) fn then(mut self, style: Style, text: impl AsRef<str>) -> Line {
        self.push(Some(style), text.as_ref());
        self
    }

    pub(super) fn join(mut self, other: Line) -> Line {
        self.0.extend(other.0);
        self
    }

    fn push(&mut self, style: Option<Style>, text: &str) {
        // A tab is as wide as it likes.
        let shown = unseen::shown_line(text).replace('\t', " ");
        if !shown.is_empty() {
            self.0.push((style, shown));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| width(text)).sum()
    }

    /// At most so wide, with `…` for what does not fit: a line that wraps would push the others down.
    pub(super) fn cut(self, columns: usize) -> Line {
        if self.width() <= columns {
            return self;
        }
        let mut left = columns.saturating_sub(1);
        let mut pieces = Vec::new();
        for (style, text) in self.0 {
            let end = beginning(&text, left);
            left -= width(&text[..end]);
            pieces.push((style, text[..end].to_owned()));
            if end < text.len() {
                break;
            }
        }
        pieces.push((None, "…".repeat(columns.min(1))));
        Line(pieces)
    }

    /// Exactly so wide.
    pub(super) fn fit(self, columns: usize) -> Line {
        let line = self.cut(columns);
        let room = columns - line.width();
        line.and(" ".repeat(room))
    }

    /// With something at the right edge; that stays where both do not fit.
    pub(super) fn beside(self, right: Line, columns: usize) -> Line {
        let right = right.cut(columns);
        let room = columns - right.width();
        if right.is_empty() {
            return self.cut(columns);
        }
        self.cut(room.saturating_sub(1)).fit(room).join(right)
    }

    pub(super) fn paint(&self, colour: bool) -> String {
        let painted =
            self.0.iter().map(|(style, text)| style.map_or_else(|| text.clone(), |style| paint(colour, style, text)));
        painted.collect()
    }
}

fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// At least what a terminal draws: some give the coloured form of a character, which the selector asks for, one more.
fn columns_of(character: char) -> usize {
    if character == '\u{fe0f}' { 1 } else { character.width().unwrap_or(0) }
}

/// Where the part of a text ends that is at most so wide.
fn beginning(text: &str, columns: usize) -> usize {
    let mut left = columns;
    for (at, character) in text.char_indices() {
        match left.checked_sub(columns_of(character)) {
            Some(rest) => left = rest,
            None => return at,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_never_wider_than_it_may_be_whatever_stands_in_it() {
        for text in [
            "plain words",
            "東京都庁舎",
            "a東b京c",
            "❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}",
            "e\u{301}e\u{301}e\u{301}",
            "a\tb\u{1b}[2J",
        ] {
            let line = || Line::plain(text).then(Style::Bold, text);
            for columns in 0..30 {
                let (cut, fit) = (line().cut(columns).width(), line().fit(columns).width());
                assert!(cut <= columns, "{text:?}: {cut} of {columns}");
                assert_eq!(fit, columns, "{text:?}");
                assert_eq!(line().beside(Line::plain("right"), columns).width(), columns, "{text:?}");
            }
        }
    }

    #[test]
    fn what_does_not_fit_ends_with_an_ellipsis_and_what_stands_right_stays() {
        let painted = |line: Line| line.paint(false);
        assert_eq!(painted(Line::plain("abcdef").cut(4)), "abc…");
        assert_eq!(painted(Line::plain("東京都").cut(4)), "東…");
        assert_eq!(painted(Line::plain("abcdef").beside(Line::plain("15:02"), 10)), "abc… 15:02");
        assert_eq!(painted(Line::plain("a\u{1b}[2J")), "a\\u001b[2J");
    }
}
