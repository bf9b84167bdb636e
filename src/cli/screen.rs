//! What the reader sees: data on the standard output, everything else on the standard error, colour on terminals only.
//!
//! The only place that writes to either. Whatever stands in a text, no terminal obeys it: what is not seen is spelt out,
//! and colours and the moves of the cursor are added here. It formats nothing by itself; `words.rs` does. Whoever prints
//! ends quietly when nobody reads any more.

// The doors that `clippy.toml` closes elsewhere.
#![allow(clippy::disallowed_methods)]

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::sync::LazyLock;

use super::failure::{Done, Failure};
use super::words;
use lokid_model::unseen;
use lokid_sys::{env, process};

pub(super) struct Screen {
    out: BufWriter<io::Stdout>,
    colour: bool,
    quiet: bool,
}

/// Begins a style of ours. Nobody who writes a text knows it, so that no text has a colour of its own.
static MARK: LazyLock<String> = LazyLock::new(|| format!("\u{1b}{}", process::random_hex(16)));
/// To the beginning of the line, and nothing behind.
const CLEAR: &str = "\r\x1b[K";

/// The few ways to set a word apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    /// One line of data, whatever stands in it.
    pub(super) fn line(&mut self, text: impl AsRef<str>) -> Done {
        self.write(&styled(text.as_ref(), unseen::shown_line))?;
        self.write("\n")
    }

    /// Rows with their columns aligned.
    pub(super) fn table(&mut self, rows: &[Vec<String>]) -> Done {
        words::table(rows).into_iter().try_for_each(|line| self.line(line))
    }

    /// The same, where each row is called by its first cell.
    pub(super) fn listed(&mut self, rows: &[Vec<String>]) -> Done {
        rows.iter().zip(words::table(rows)).try_for_each(|(row, line)| {
            let (name, rest) = line.split_at(row.first().map_or(0, String::len));
            self.line(format!("{}{rest}", self.paint(Style::Bold, name)))
        })
    }

    /// Data of several lines, a line break at its end.
    pub(super) fn text(&mut self, text: &str) -> Done {
        self.write(&unseen::shown(text.strip_suffix('\n').unwrap_or(text)))?;
        self.write("\n")
    }

    /// A page drawn in place, from the top left corner, a line for every row of the terminal. Each row is cleared before
    /// its line is written: behind a line that fills it, the last character would go. Terminals that can show all of it
    /// at once.
    pub(super) fn page(&mut self, lines: &[String]) -> Done {
        let lines: Vec<_> = lines.iter().map(|line| format!("\x1b[K{}", styled(line, unseen::shown_line))).collect();
        self.write(&format!("\x1b[?2026h\x1b[H{}\x1b[?2026l", lines.join("\r\n")))?;
        self.flush()
    }

    fn write(&mut self, text: &str) -> Done {
        self.out.write_all(text.as_bytes()).map_err(Failure::printing)
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
        remark(&unseen::shown_line(text.as_ref()));
    }

    /// Asks on the terminal; the answer is no unless it begins with y.
    pub(super) fn confirm(&mut self, question: &str) -> bool {
        let _ = self.out.flush();
        let mut asked = io::stderr();
        let _ = write!(asked, "{} [y/N] ", unseen::shown_line(question)).and_then(|()| asked.flush());
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
    if colour { format!("{}{}m{text}{}0m", *MARK, style.code(), *MARK) } else { text.to_owned() }
}

/// What a person may be shown of it, and our own styles as the terminal knows them.
fn styled<'a>(text: &'a str, shown: impl Fn(&str) -> Cow<'_, str>) -> Cow<'a, str> {
    if !text.contains('\u{1b}') {
        return Cow::Owned(shown(text).into_owned());
    }
    let mut parts = text.split(MARK.as_str());
    let mut out = shown(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let (code, rest) = part.split_once('m').unwrap_or(("0", part));
        out.push_str(&format!("\x1b[{code}m{}", shown(rest)));
    }
    Cow::Owned(out)
}

/// A remark on the standard error.
pub(super) fn remark(text: &str) {
    let _ = writeln!(io::stderr(), "{}", unseen::shown(text));
}

/// An answer to a program, which reads JSON: it means the same with every character spelt out that is not seen.
pub(super) fn answer(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(unseen::shown(&String::from_utf8_lossy(bytes)).as_bytes())?;
    out.flush()
}

/// A line that moves where it can be drawn over, and stands where it cannot. Nobody need be there to read it.
#[derive(Debug)]
pub(super) enum Ticker {
    Out,
    Err,
    Nowhere,
    #[cfg(test)]
    Kept(Vec<u8>),
}

impl Ticker {
    /// One that stays.
    pub(super) fn line(&mut self, text: &str) {
        self.write(&format!("{}\n", unseen::shown_line(text)));
    }

    /// One that is drawn over the one before.
    pub(super) fn over(&mut self, text: &str) {
        self.write(&format!("{CLEAR}{}", unseen::shown_line(text)));
    }

    fn write(&mut self, text: &str) {
        let text = text.as_bytes();
        let _ = match self {
            Ticker::Out => io::stdout().write_all(text).and_then(|()| io::stdout().flush()),
            Ticker::Err => io::stderr().write_all(text).and_then(|()| io::stderr().flush()),
            Ticker::Nowhere => Ok(()),
            #[cfg(test)]
            Ticker::Kept(kept) => kept.write_all(text),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_wraps_the_word_and_is_absent_without_a_terminal() {
        let shown = |text: &str| styled(text, unseen::shown_line).into_owned();
        assert_eq!(shown(&paint(true, Style::Bold, "x")), "\x1b[1mx\x1b[0m");
        assert_eq!(paint(false, Style::Bold, "x"), "x");
    }

    #[test]
    fn no_text_has_a_colour_of_its_own() {
        let shown = |text: &str| styled(text, unseen::shown_line).into_owned();
        let line = format!("{} \x1b[31m \u{202e}\n", paint(true, Style::Dim, "a\x1b[2J"));
        assert_eq!(shown(&line), "\x1b[2ma\\u001b[2J\x1b[0m \\u001b[31m \\u202e\\n");
    }
}
