//! Markdown as far as working memory needs it: headings, items with what hangs on them, rows of tables, paragraphs.
//! It knows nothing of what a section means.

use crate::excerpt::head;

const MOST_BLOCKS: usize = 4_000;
const MOST_TEXT: usize = 2_000;
const MOST_DETAILS: usize = 24;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LineBlock {
    /// A bold label on a line of its own counts as the deepest heading.
    Heading {
        level: usize,
        text: String,
    },
    Item(Item),
}

pub(super) const LABEL_LEVEL: usize = 7;

/// A bullet, a numbered point, a row of a table or a paragraph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) text: String,
    pub(super) checked: Option<bool>,
    /// Bullets below this one.
    pub(super) details: Vec<String>,
    /// Cells of a row under the names of their columns.
    pub(super) cells: Vec<(String, String)>,
    /// Was it a bullet or a number?
    pub(super) listed: bool,
}

/// Does the first line that says something open with a heading?
pub(super) fn opens_with_heading(text: &str) -> bool {
    text.trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .is_some_and(|line| heading(line).is_some())
}

/// Text without byte order mark, comments and fenced code: none of these is meant as memory.
pub(super) fn visible(text: &str) -> String {
    without_fences(&without_comments(text.trim_start_matches('\u{feff}')))
}

fn without_comments(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("<!--") {
        seen.push_str(&rest[..start]);
        rest = &rest[start..];
        let closed = rest.find("-->").map(|end| end + 3);
        // What is never closed hides its own line only: the file may be half written.
        let end = closed.or_else(|| rest.find('\n')).unwrap_or(rest.len());
        rest = &rest[end..];
        if closed.is_none() {
            break;
        }
    }
    seen.push_str(rest);
    seen
}

fn without_fences(text: &str) -> String {
    let is_fence = |line: &str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    let fences = text.lines().filter(|line| is_fence(line)).count();
    let mut seen = String::with_capacity(text.len());
    let mut passed = 0;
    for line in text.lines() {
        if is_fence(line) {
            passed += 1;
            continue;
        }
        // The last of an odd number opens a block that nobody closed: its lines count.
        if passed % 2 == 0 || passed == fences {
            seen.push_str(line.trim_end());
            seen.push('\n');
        }
    }
    seen
}

/// The blocks of a text that went through [`visible`].
pub(super) fn blocks(text: &str) -> Vec<LineBlock> {
    let mut reader = LineReader::default();
    for line in text.lines() {
        if reader.blocks.len() >= MOST_BLOCKS {
            break;
        }
        reader.line(line);
    }
    reader.end_table();
    reader.close();
    reader.blocks
}

#[derive(Default)]
struct LineReader {
    blocks: Vec<LineBlock>,
    open: Option<(usize, Item)>,
    columns: Vec<String>,
    /// A row that may turn out to be the names of the columns.
    first_row: Option<Vec<String>>,
    after_blank: bool,
}

impl LineReader {
    fn line(&mut self, line: &str) {
        let after_blank = std::mem::replace(&mut self.after_blank, line.trim().is_empty());
        let indent = line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum();
        let text = line.trim().trim_start_matches("> ").trim();
        if let Some(cells) = row(text) {
            return self.row(cells);
        }
        self.end_table();
        if text.is_empty() {
            // A blank line ends a paragraph, but a bullet may still have others below it.
            if self.open.as_ref().is_some_and(|(_, item)| !item.listed) {
                self.close();
            }
        } else if let Some((level, text)) = heading(text) {
            self.close();
            self.blocks.push(LineBlock::Heading { level, text: head(text, MOST_TEXT).to_owned() });
        } else if is_rule(text) {
            self.underline(text);
        } else if let Some((checked, text)) = bullet(text) {
            self.bullet(indent, checked, text);
        } else if let Some((label, rest)) = bold_label(text).filter(|_| !self.hangs_on_open(indent)) {
            self.close();
            self.blocks.push(LineBlock::Heading { level: LABEL_LEVEL, text: label.to_owned() });
            if !rest.is_empty() {
                self.open = Some((0, Item { text: head(rest, MOST_TEXT).to_owned(), ..Item::default() }));
            }
        } else {
            if after_blank && !self.hangs_on_open(indent) {
                self.close();
            }
            self.words(indent, text);
        }
    }

    fn hangs_on_open(&self, indent: usize) -> bool {
        self.open.as_ref().is_some_and(|(base, item)| item.listed && indent > *base)
    }

    /// `====` under a paragraph makes it a heading. Dashes would too, but agents mean a line across the page by them.
    fn underline(&mut self, text: &str) {
        match self.open.take() {
            Some((_, item)) if text.starts_with('=') && !item.listed => {
                self.blocks.push(LineBlock::Heading { level: 1, text: item.text });
            }
            open => {
                self.open = open;
                self.close();
            }
        }
    }

    fn bullet(&mut self, indent: usize, checked: Option<bool>, text: &str) {
        if let Some((base, item)) = &mut self.open
            && item.listed
            && indent >= *base + 2
            && checked.is_none()
        {
            if item.details.len() < MOST_DETAILS {
                item.details.push(head(text, MOST_TEXT).to_owned());
            }
            return;
        }
        self.close();
        let item = Item { text: head(text, MOST_TEXT).to_owned(), checked, listed: true, ..Item::default() };
        self.open = Some((indent, item));
    }

    /// A line without a mark goes on with what is open, wherever it was wrapped.
    fn words(&mut self, indent: usize, text: &str) {
        // "Current Phase: x" under "Last Updated: y" is another line of a head, not the rest of a sentence.
        if self.open.as_ref().is_some_and(|(_, item)| !item.listed) && is_key_and_value(text) {
            self.close();
        }
        match &mut self.open {
            Some((_, item)) => {
                let place = item.details.last_mut().unwrap_or(&mut item.text);
                if place.len() + text.len() < MOST_TEXT {
                    place.push(' ');
                    place.push_str(text);
                }
            }
            None => self.open = Some((indent, Item { text: head(text, MOST_TEXT).to_owned(), ..Item::default() })),
        }
    }

    fn row(&mut self, cells: Vec<String>) {
        self.close();
        if cells.iter().all(|cell| is_rule(cell) || cell.trim_matches(':').chars().all(|c| c == '-')) {
            self.columns = self.first_row.take().unwrap_or_default();
        } else if self.columns.is_empty() && self.first_row.is_none() {
            self.first_row = Some(cells);
        } else {
            self.end_first_row();
            self.push_row(cells);
        }
    }

    fn push_row(&mut self, cells: Vec<String>) {
        let names = self.columns.iter().cloned().chain(std::iter::repeat(String::new()));
        let cells: Vec<(String, String)> = names.zip(cells).filter(|(_, cell)| !cell.is_empty()).collect();
        let text = cells.first().map(|(_, cell)| cell.clone()).unwrap_or_default();
        self.blocks.push(LineBlock::Item(Item { text, cells, listed: true, ..Item::default() }));
    }

    fn end_first_row(&mut self) {
        if let Some(cells) = self.first_row.take() {
            self.push_row(cells);
        }
    }

    fn end_table(&mut self) {
        self.end_first_row();
        self.columns.clear();
    }

    fn close(&mut self) {
        if let Some((_, item)) = self.open.take() {
            self.blocks.push(LineBlock::Item(item));
        }
    }
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let text = line[level..].trim().trim_end_matches('#').trim();
    let spaced = line[level..].starts_with(|c: char| c.is_whitespace() || !c.is_alphanumeric());
    ((1..=6).contains(&level) && spaced && !text.is_empty()).then_some((level, text))
}

fn is_rule(text: &str) -> bool {
    text.len() >= 3 && ['-', '=', '*', '_'].iter().any(|mark| text.chars().all(|c| c == *mark))
}

/// What follows `-`, `*`, `+`, `•`, `1.` or `1)`, and whether a box before it is ticked.
fn bullet(line: &str) -> Option<(Option<bool>, &str)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let marked = line.strip_prefix(['-', '*', '+', '•', '–', '—', '◦', '▪', '✓', '✔', '✅', '☑']);
    let numbered = || line[digits..].strip_prefix(['.', ')']).filter(|_| (1..=4).contains(&digits));
    let ticked = line.starts_with(['✓', '✔', '✅', '☑']);
    let rest = match marked {
        Some(rest) => rest.trim_start_matches('\u{fe0f}'),
        None => numbered()?,
    };
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return None;
    }
    let rest = rest.trim();
    let boxed = |mark: &str| rest.strip_prefix(mark).filter(|rest| rest.is_empty() || rest.starts_with(' '));
    if let Some(rest) = boxed("[ ]").or_else(|| boxed("[]")).or_else(|| boxed("☐")) {
        return Some((Some(false), rest.trim()));
    }
    let done = ["[x]", "[X]", "[✓]", "[✔]", "☑", "✅"].iter().find_map(|mark| boxed(mark));
    Some(match done {
        Some(rest) => (Some(true), rest.trim()),
        None => (ticked.then_some(true), rest),
    })
}

/// `**Label:** rest` or `**Label**: rest` at the beginning of a line.
pub(super) fn bold_label(line: &str) -> Option<(&str, &str)> {
    let inner = line.strip_prefix("**").or_else(|| line.strip_prefix("__"))?;
    let end = head(inner, 80).find(&line[..2])?;
    let (label, rest) = (&inner[..end], &inner[end + 2..]);
    let rest = match label.trim_end().strip_suffix(':') {
        Some(_) => rest,
        None => rest.trim_start().strip_prefix(':')?,
    };
    Some((label.trim().trim_end_matches(':').trim(), rest.trim()))
}

fn is_key_and_value(text: &str) -> bool {
    let Some((key, _)) = text.split_once(':') else { return false };
    key.len() <= 40 && key.split_whitespace().count() <= 3 && key.starts_with(char::is_uppercase)
}

fn row(line: &str) -> Option<Vec<String>> {
    let inner = line.strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    if inner.is_empty() {
        return None;
    }
    Some(inner.split('|').take(16).map(|cell| head(cell.trim(), MOST_TEXT).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Vec<Item> {
        let item = |block| match block {
            LineBlock::Item(item) => Some(item),
            LineBlock::Heading { .. } => None,
        };
        blocks(&visible(text)).into_iter().filter_map(item).collect()
    }

    fn texts(text: &str) -> Vec<String> {
        items(text).into_iter().map(|item| item.text).collect()
    }

    #[test]
    fn bullets_numbers_boxes_and_paragraphs_are_items() {
        assert_eq!(texts("- a\n* b\n1. c\n2) d\n\npara one\nwrapped"), ["a", "b", "c", "d", "para one wrapped"]);
        let boxes = items("- [x] done\n- [ ] open\n✅ ticked\n- plain");
        let checked: Vec<_> = boxes.iter().map(|item| item.checked).collect();
        assert_eq!(checked, [Some(true), Some(false), Some(true), None]);
    }

    #[test]
    fn what_hangs_below_a_bullet_belongs_to_it() {
        let items = items("- parent\n  wrapped\n  - child\n    more\n- next");
        assert_eq!(items.len(), 2);
        assert_eq!((items[0].text.as_str(), &items[0].details[..]), ("parent wrapped", &["child more".to_owned()][..]));
    }

    #[test]
    fn comments_fences_and_marks_are_not_read() {
        assert_eq!(texts("\u{feff}- a <!-- no -->b\r\n```\n- code\n```\n- c\r\n"), ["a b", "c"]);
        assert_eq!(texts("```\n- after a fence nobody closed"), ["after a fence nobody closed"]);
        assert_eq!(texts("- a\n<!-- open\n- b"), ["a", "b"]);
    }

    #[test]
    fn rows_carry_the_names_of_their_columns() {
        let items = items("| Decision | Why |\n|---|:--|\n| JWT | no state |\n");
        let cells = [("Decision".to_owned(), "JWT".to_owned()), ("Why".to_owned(), "no state".to_owned())];
        assert_eq!(items[0].cells, cells);
        assert_eq!(texts("| only | row |"), ["only"]);
    }

    #[test]
    fn headings_come_in_three_shapes() {
        let levels = |text: &str| -> Vec<(usize, String)> {
            let heading = |block| match block {
                LineBlock::Heading { level, text } => Some((level, text)),
                LineBlock::Item(_) => None,
            };
            blocks(&visible(text)).into_iter().filter_map(heading).collect()
        };
        let expect = [(2, "A"), (1, "B"), (7, "Completed")].map(|(level, text)| (level, text.to_owned()));
        assert_eq!(levels("## A ##\nB\n===\n**Completed:**\n- x\n#hashtag"), expect);
    }
}
