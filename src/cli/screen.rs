//! What the reader sees: data on the standard output, everything else on the standard error, colour on terminals only.
//!
//! It formats nothing by itself; `words.rs` does. Whoever prints ends quietly when nobody reads any more.

use std::io::{self, BufWriter, Write};

use super::failure::{Done, Failure};
use lokid_sys::env;

pub(super) struct Screen {
    out: BufWriter<io::Stdout>,
    colour: bool,
    quiet: bool,
}

/// The few ways to set a word apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Bold,
    Dim,
    Green,
    Yellow,
    Red,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Green => "32",
            Style::Yellow => "33",
            Style::Red => "31",
        }
    }
}

impl Screen {
    pub(super) fn new(quiet: bool) -> Screen {
        Screen { out: BufWriter::new(io::stdout()), colour: colour_is_wanted() && env::stdout_is_terminal(), quiet }
    }

    pub(super) fn colour(&self) -> bool {
        self.colour
    }

    pub(super) fn quiet(&self) -> bool {
        self.quiet
    }

    /// One line of data.
    pub(super) fn line(&mut self, text: impl AsRef<str>) -> Done {
        let text = text.as_ref();
        self.out.write_all(text.as_bytes()).and_then(|()| self.out.write_all(b"\n")).map_err(Failure::printing)
    }

    /// Data as it came, a line break at its end.
    pub(super) fn text(&mut self, text: &str) -> Done {
        self.line(text.strip_suffix('\n').unwrap_or(text))
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Done {
        self.out.write_all(bytes).map_err(Failure::printing)
    }

    pub(super) fn flush(&mut self) -> Done {
        self.out.flush().map_err(Failure::printing)
    }

    /// A remark to the person, not part of the data; `--quiet` silences it.
    pub(super) fn note(&mut self, text: impl AsRef<str>) {
        if !self.quiet {
            self.warn(text);
        }
    }

    /// A remark that even a quiet reader must have.
    pub(super) fn warn(&mut self, text: impl AsRef<str>) {
        // The data before it stands before it, also when both streams end in one file.
        let _ = self.out.flush();
        let _ = writeln!(io::stderr(), "{}", text.as_ref());
    }

    /// Asks on the terminal; the answer is no unless it begins with y.
    pub(super) fn confirm(&mut self, question: &str) -> bool {
        let _ = self.out.flush();
        let mut asked = io::stderr();
        let _ = write!(asked, "{question} [y/N] ").and_then(|()| asked.flush());
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).is_ok() && answer.trim_start().to_lowercase().starts_with('y')
    }

    pub(super) fn paint(&self, style: Style, text: &str) -> String {
        paint(self.colour, style, text)
    }
}

/// <https://no-color.org>: set and not empty means no colour.
pub(super) fn colour_is_wanted() -> bool {
    env::var("NO_COLOR").is_none_or(|value| value.is_empty()) && env::var("TERM").is_none_or(|term| term != "dumb")
}

pub(super) fn paint(colour: bool, style: Style, text: &str) -> String {
    if colour { format!("\x1b[{}m{text}\x1b[0m", style.code()) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_wraps_the_word_and_is_absent_without_a_terminal() {
        assert_eq!(paint(true, Style::Bold, "x"), "\x1b[1mx\x1b[0m");
        assert_eq!(paint(false, Style::Bold, "x"), "x");
    }
}
