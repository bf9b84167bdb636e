//! The shape of a document: front matter, headings, paragraphs, list items and code, read line by line from Markdown,
//! reStructuredText, AsciiDoc or plain text.
//!
//! A small reader and no Markdown library, since four notations share it and only this coarse shape is asked for. It
//! must not judge what a text means. Bytes and lines beyond the limits are not read.

#[cfg(test)]
mod tests;

use crate::{prose, yaml};

const MOST_BYTES: usize = 512 << 10;
const MOST_LINE: usize = 4_000;
const MOST_BLOCKS: usize = 8_000;
const MOST_CODE: usize = 4_000;
/// Stands where something was not read.
const LEFT_OUT: &str = "…";

#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) front: Option<yaml::Yaml>,
    /// The first has no heading and holds what stands before the first heading.
    pub(super) sections: Vec<Section>,
}

#[derive(Debug, Default)]
pub(super) struct Section {
    pub(super) level: usize,
    pub(super) heading: String,
    /// The headings above, outermost first.
    pub(super) above: Vec<String>,
    pub(super) blocks: Vec<Block>,
}

#[derive(Debug, PartialEq)]
pub(super) enum Block {
    Paragraph(String),
    /// `depth` counts from 0.
    Item {
        depth: usize,
        ordered: bool,
        text: String,
    },
    Code(String),
    /// The rows of a table as they stand, without the line below its head.
    Table(String),
}

#[derive(Clone, Copy, PartialEq)]
enum Notation {
    Markdown,
    Structured,
    Ascii,
    Plain,
}

pub(super) fn read(path: &str, text: &str) -> Outline {
    let text = prose::head(text.trim_start_matches('\u{feff}'), MOST_BYTES);
    let (front, text) = split_front(text);
    let lower = path.to_ascii_lowercase();
    let notation = match lower.rsplit('/').next().unwrap_or("").rsplit_once('.').map(|(_, extension)| extension) {
        Some("md" | "markdown" | "mdc" | "mdx") => Notation::Markdown,
        Some("rst") => Notation::Structured,
        Some("adoc" | "asciidoc") => Notation::Ascii,
        _ => Notation::Plain,
    };
    let mut reader = Reader::new(notation);
    for line in text.lines() {
        if reader.blocks >= MOST_BLOCKS {
            break;
        }
        let line = line.trim_end_matches('\r');
        let read = prose::head(line, MOST_LINE);
        if read.len() < line.len() {
            reader.line(&format!("{read}{LEFT_OUT}"));
        } else {
            reader.line(read);
        }
    }
    Outline { front: front.and_then(yaml::read), sections: reader.finish() }
}

/// Front matter stands between two lines of `---` (or, in Hugo's dialect, `+++`, which is not read) at the very start.
fn split_front(text: &str) -> (Option<&str>, &str) {
    let Some(rest) =
        text.strip_prefix("---").and_then(|rest| rest.strip_prefix('\r').unwrap_or(rest).strip_prefix('\n'))
    else {
        return (None, text);
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return (Some(&rest[..at]), &rest[at + line.len()..]);
        }
        at += line.len();
    }
    (None, text)
}

/// What a run of lines is being left out of.
enum Skip {
    Nothing,
    UntilSeen(&'static str),
    /// A directive's indented content.
    WhileIndented(usize),
}

struct Reader {
    notation: Notation,
    sections: Vec<Section>,
    blocks: usize,
    /// Headings that are open, with their levels.
    open: Vec<(usize, String)>,
    /// Underlines of reStructuredText in the order met: their level is their place.
    underlines: Vec<char>,
    paragraph: String,
    paragraph_lines: usize,
    /// Indents of the lists that are open; the item being read is the last block when `in_item`.
    indents: Vec<usize>,
    in_item: bool,
    fence: Option<(char, usize)>,
    /// Indent of a block of code that has no fence.
    indented_code: Option<usize>,
    /// The next indented lines are code (`::`, `.. code-block::`).
    expect_code: bool,
    code: String,
    blank_before: bool,
    skip: Skip,
}

impl Reader {
    fn new(notation: Notation) -> Reader {
        Reader {
            notation,
            sections: vec![Section::default()],
            blocks: 0,
            open: Vec::new(),
            underlines: Vec::new(),
            paragraph: String::new(),
            paragraph_lines: 0,
            indents: Vec::new(),
            in_item: false,
            fence: None,
            indented_code: None,
            expect_code: false,
            code: String::new(),
            blank_before: true,
            skip: Skip::Nothing,
        }
    }

    fn finish(mut self) -> Vec<Section> {
        self.end_code();
        self.end_text();
        self.sections
    }

    fn line(&mut self, raw: &str) {
        let trimmed = raw.trim();
        let indent = raw.len() - raw.trim_start().len();
        if self.skipped(trimmed, indent) || self.inside_code(raw, trimmed, indent) {
            return;
        }
        if trimmed.is_empty() {
            if !self.in_item {
                self.end_text();
            }
            self.blank_before = true;
            return;
        }
        let quoted = trimmed.strip_prefix('>').filter(|_| self.notation != Notation::Structured);
        let text = quoted.map_or(trimmed, str::trim_start);
        self.content(text, indent);
        self.blank_before = false;
    }

    /// Our own block in somebody's rules, comments, and directives that say nothing.
    fn skipped(&mut self, trimmed: &str, indent: usize) -> bool {
        match self.skip {
            Skip::UntilSeen(end) => {
                if trimmed.contains(end) {
                    self.skip = Skip::Nothing;
                }
                return true;
            }
            Skip::WhileIndented(base) => {
                if trimmed.is_empty() || indent > base {
                    return true;
                }
                self.skip = Skip::Nothing;
            }
            Skip::Nothing => {}
        }
        if self.fence.is_some() {
            return false;
        }
        for (start, end) in [("<lokid-memory", "</lokid-memory>"), ("<!--", "-->")] {
            if trimmed.starts_with(start) {
                if !trimmed.contains(end) {
                    self.skip = Skip::UntilSeen(end);
                }
                return true;
            }
        }
        false
    }

    fn inside_code(&mut self, raw: &str, trimmed: &str, indent: usize) -> bool {
        if let Some((mark, length)) = self.fence {
            let closes = trimmed.chars().take_while(|c| *c == mark).count() >= length
                && trimmed.trim_start_matches(mark).is_empty();
            if closes {
                self.end_code()
            } else {
                self.add_code(raw)
            }
            return true;
        }
        if let Some(base) = self.indented_code {
            if trimmed.is_empty() || indent >= base {
                self.add_code(raw);
                return true;
            }
            self.end_code();
        }
        let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~' | '-' | '.'));
        if let Some(mark) = mark {
            let length = trimmed.chars().take_while(|c| *c == mark).count();
            let opens = match mark {
                '`' => length >= 3 && !trimmed[length..].contains('`'),
                '~' => length >= 3 && self.notation != Notation::Structured,
                _ => self.notation == Notation::Ascii && length >= 4 && trimmed.len() == length,
            };
            if opens {
                self.end_paragraph();
                self.fence = Some((mark, length));
                return true;
            }
        }
        let deep = if self.expect_code { 1 } else { 4 };
        // An indent alone makes a quotation in reStructuredText.
        let indents_code = self.notation != Notation::Structured && self.blank_before && self.indents.is_empty();
        let lone = self.expect_code || indents_code;
        if !trimmed.is_empty() && lone && indent >= deep && self.paragraph.is_empty() {
            self.indented_code = Some(indent);
            self.expect_code = false;
            self.add_code(raw);
            return true;
        }
        if !trimmed.is_empty() {
            self.expect_code = false;
        }
        false
    }

    fn add_code(&mut self, raw: &str) {
        if self.code.ends_with(LEFT_OUT) {
            return;
        }
        if self.code.len() + raw.len() >= MOST_CODE {
            self.code.push_str(LEFT_OUT);
        } else {
            let common = self.indented_code.unwrap_or(0).min(raw.len() - raw.trim_start().len());
            self.code.push_str(raw[common..].trim_end());
            self.code.push('\n');
        }
    }

    fn end_code(&mut self) {
        (self.fence, self.indented_code) = (None, None);
        let code = std::mem::take(&mut self.code);
        if !code.trim().is_empty() {
            self.push(Block::Code(code.trim_matches('\n').to_owned()));
        }
        self.blank_before = true;
    }

    fn content(&mut self, text: &str, indent: usize) {
        if let Some((level, heading)) = self.marked_heading(text, indent) {
            return self.heading(level, heading);
        }
        if let Some(level) = self.underline(text, indent) {
            let heading = std::mem::take(&mut self.paragraph);
            return self.heading(level, &heading);
        }
        if text.starts_with('|') && self.notation == Notation::Markdown {
            return self.row(text);
        }
        if is_rule_line(text) || text.starts_with('|') || text.starts_with("+--") {
            return self.end_text();
        }
        if self.notation == Notation::Structured && text.starts_with(".. ") {
            return self.directive(text, indent);
        }
        if let Some(alert) = text.strip_prefix("[!").and_then(|rest| rest.strip_suffix(']')) {
            self.end_text();
            self.add_text(&format!("{alert}:"));
            return;
        }
        if let Some(item) = item_text(text, self.notation) {
            return self.item(item, text.starts_with(|c: char| c.is_ascii_digit() || c == '#'), indent);
        }
        let belongs = self.indents.last().is_some_and(|list| indent > *list) || !self.blank_before;
        if self.in_item && !belongs {
            self.end_text();
        }
        self.add_text(text);
        if self.notation == Notation::Structured && text.ends_with("::") {
            self.expect_code = true;
            self.paragraph.pop();
            self.end_paragraph();
        }
    }

    fn row(&mut self, text: &str) {
        self.end_text();
        if text.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ')) {
            return;
        }
        match self.sections.last_mut().and_then(|section| section.blocks.last_mut()) {
            Some(Block::Table(rows)) if !self.blank_before => {
                rows.push('\n');
                rows.push_str(text);
            }
            _ => self.push(Block::Table(text.to_owned())),
        }
    }

    fn item(&mut self, text: &str, ordered: bool, indent: usize) {
        self.end_paragraph();
        while self.indents.last().is_some_and(|open| *open > indent) {
            self.indents.pop();
        }
        if self.indents.last() != Some(&indent) {
            self.indents.push(indent);
        }
        self.in_item = true;
        self.push(Block::Item { depth: self.indents.len() - 1, ordered, text: String::new() });
        self.add_text(text);
    }

    fn add_text(&mut self, text: &str) {
        if !self.paragraph.is_empty() {
            self.paragraph.push(' ');
        }
        self.paragraph.push_str(text);
        self.paragraph_lines += 1;
    }

    /// The paragraph becomes a block, or goes on with the item it stands in.
    fn end_paragraph(&mut self) {
        self.paragraph_lines = 0;
        let text = std::mem::take(&mut self.paragraph);
        if text.trim().is_empty() {
            return;
        }
        if self.in_item {
            // What follows code in an item stands by itself.
            let last = self.sections.last_mut().and_then(|section| section.blocks.last_mut());
            if let Some(Block::Item { text: last, .. }) = last {
                if !last.is_empty() {
                    last.push(' ');
                }
                last.push_str(&text);
                return;
            }
        }
        self.push(Block::Paragraph(text));
    }

    fn end_text(&mut self) {
        self.end_paragraph();
        self.in_item = false;
        self.indents.clear();
    }

    fn push(&mut self, block: Block) {
        self.blocks += 1;
        if let Some(section) = self.sections.last_mut() {
            section.blocks.push(block);
        }
    }

    fn marked_heading<'a>(&self, text: &'a str, indent: usize) -> Option<(usize, &'a str)> {
        let mark = match self.notation {
            Notation::Ascii => '=',
            Notation::Structured => return None,
            Notation::Markdown | Notation::Plain => '#',
        };
        let level = text.bytes().take_while(|byte| char::from(*byte) == mark).count();
        let heading = text[level..].trim_end_matches(mark).trim();
        let fits = (1..=6).contains(&level) && text[level..].starts_with([' ', '\t']) && indent < 4;
        (fits && !heading.is_empty()).then_some((level, heading))
    }

    /// The level of the heading that the only line before this one becomes through it.
    fn underline(&mut self, text: &str, indent: usize) -> Option<usize> {
        let mark = text.chars().next().filter(|c| c.is_ascii_punctuation())?;
        let length = text.len();
        let pure = text.chars().all(|c| c == mark);
        if !pure || indent > 0 || self.blank_before || self.in_item || self.paragraph_lines != 1 {
            return None;
        }
        let enough = match self.notation {
            Notation::Markdown => length >= 2,
            _ => length >= 3 && length + 3 >= self.paragraph.chars().count(),
        };
        match (self.notation, mark) {
            _ if !enough => None,
            (Notation::Ascii, _) => None,
            (Notation::Markdown | Notation::Plain, '=') => Some(1),
            (Notation::Markdown | Notation::Plain, '-') => Some(2),
            (Notation::Markdown, _) => None,
            (_, mark) => {
                let known = self.underlines.iter().position(|seen| *seen == mark);
                let place = known.unwrap_or_else(|| {
                    self.underlines.push(mark);
                    self.underlines.len() - 1
                });
                Some((place + 1).min(6))
            }
        }
    }

    fn heading(&mut self, level: usize, heading: &str) {
        let heading = prose::cut(&prose::plain(heading), 160);
        self.end_text();
        self.open.retain(|(open, _)| *open < level);
        let above = self.open.iter().map(|(_, heading)| heading.clone()).collect();
        self.open.push((level, heading.clone()));
        self.sections.push(Section { level, heading, above, blocks: Vec::new() });
        self.blocks += 1;
        self.blank_before = true;
    }

    fn directive(&mut self, text: &str, indent: usize) {
        self.end_text();
        let name = text[3..].split("::").next().unwrap_or("").trim();
        match name {
            "code-block" | "code" | "sourcecode" | "prompt" => self.expect_code = true,
            "note" | "important" | "warning" | "caution" | "attention" => {}
            _ => self.skip = Skip::WhileIndented(indent),
        }
    }
}

fn is_rule_line(text: &str) -> bool {
    let bare: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).take(200).collect();
    bare.len() >= 3 && matches!(bare[0], '-' | '*' | '_' | '=' | '~' | '^' | '+') && bare.iter().all(|c| *c == bare[0])
}

/// The text of a list item without its marker and its check box.
fn item_text(text: &str, notation: Notation) -> Option<&str> {
    let after_bullet = text.strip_prefix(['-', '*', '+', '•']).filter(|rest| rest.starts_with([' ', '\t']));
    let rest = after_bullet.or_else(|| {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let marker = (1..=3).contains(&digits) || (notation == Notation::Structured && text.starts_with("#."));
        let rest = text[digits..].trim_start_matches('#').strip_prefix(['.', ')'])?;
        (marker && rest.starts_with([' ', '\t'])).then_some(rest)
    })?;
    let rest = rest.trim_start();
    let unchecked = ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| rest.strip_prefix(mark));
    Some(unchecked.unwrap_or(rest).trim())
}
