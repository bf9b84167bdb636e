//! The block a session begins with, and what later prompts add to it: mandates, guardrails and reference in a few
//! hundred tokens, each with a mark an answer can cite. Text only; it neither finds memories nor remembers sessions
//! beyond the book it is handed.

mod book;
mod fill;
mod line;
mod record;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::assemble::NOTE;
use super::parts::{FileLine, Pointer};
use lokid_model::citation::{CLOSE, OPEN, handle, mark};
use lokid_model::{Key, Level, Memory, Tier, token};

pub(super) use book::session_name;
pub use book::{Beginning, Pressure, SessionBook, Topic, Verdicts};
pub use record::Session;

use fill::{Fill, SessionLine};

/// What a session block takes unless somebody asks for another size.
pub const SESSION_TOKENS: usize = 400;

/// The sections with what each may take of [`SESSION_TOKENS`].
const SECTIONS: [(Tier, &str, usize); 3] = [
    (Tier::Mandate, "## Mandates", 150),
    (Tier::Guardrail, "## Guardrails", 100),
    (Tier::Reference, "## Reference", 150),
];
const LONGEST_FILE_LINE: usize = 400;
const LONGEST_OPENING_LINE: usize = 320;
const MOST_TOPICS: usize = 4;
/// How the last line begins; it ends with the letter of what stands above, as long as this one.
const FOOTER: &str = "Say which of these you apply: `Applied: [";

/// What stands above memories that are handed out later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// A prompt called for them.
    Prompt,
    /// A file or a command is about to be touched.
    Deed,
    /// Something failed.
    Failure,
}

impl Occasion {
    fn heading(self) -> &'static str {
        match self {
            Occasion::Prompt => "New since the session began (cite as before):",
            Occasion::Deed => "Known about this step (cite as before):",
            Occasion::Failure => "Known about this failure (cite as before):",
        }
    }
}

/// A memory that may be handed to a session.
#[derive(Clone, Debug)]
pub struct SessionCandidate {
    pub memory: Arc<Memory>,
    /// How much it is worth to have; comparable within one call.
    pub value: f64,
}

/// One memory as it was handed out.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionItem {
    pub key: Key,
    pub tier: Tier,
    /// Of its line alone.
    pub tokens: usize,
    pub level: Level,
}

/// What is handed out. Empty text when nothing fits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionBlock {
    pub text: String,
    /// Of the whole text, markers and headings included.
    pub tokens: usize,
    pub items: Vec<SessionItem>,
}

/// The block a session begins with. Each section has its share of what the frame leaves; what it does not need goes
/// to the next, never back, so that mandates stay few.
pub fn block(
    candidates: &[SessionCandidate],
    budget: usize,
    lengths: &dyn Fn(&Memory, Level) -> String,
) -> SessionBlock {
    let ranked = ranked(candidates, &|_| false);
    let frame = token::estimate(&framed(&[], true));
    let Some(room) = budget.checked_sub(frame) else { return SessionBlock::default() };
    let mut sections = Vec::new();
    let mut left_over = 0;
    for (tier, heading, share) in SECTIONS {
        let own: Vec<&Memory> = ranked.iter().copied().filter(|memory| section_of(memory.tier) == tier).collect();
        // In wide numbers: a budget without bounds is a budget too.
        let limit = left_over + (room as u128 * share as u128 / SESSION_TOKENS as u128) as usize;
        let filled = Fill { heading, limit, binding: tier != Tier::Reference, lengths }.with(&own);
        left_over = limit.saturating_sub(filled.tokens());
        sections.push(filled);
    }
    sections.retain(|section| !section.lines.is_empty());
    finish(sections, true, budget)
}

/// What a session is told before anything that is remembered: what was handed over to it, and what is in work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opening {
    pub handed_over: Vec<String>,
    pub in_work: Vec<String>,
}

impl Opening {
    /// As many lines as such a room holds.
    fn text(&self, room: usize) -> String {
        let mut text = String::new();
        for (heading, lines) in [("## Handed over\n", &self.handed_over), ("## Work\n", &self.in_work)] {
            let mut section = heading.to_owned();
            for line in lines {
                let line = format!("- {}\n", line::even(line, LONGEST_OPENING_LINE));
                if token::estimate(&format!("{text}{section}{line}")) <= room {
                    section.push_str(&line);
                }
            }
            if section.len() > heading.len() {
                text.push_str(&section);
            }
        }
        text
    }
}

/// A block with an opening before it, which takes half of the budget at the most; `make` is told what is left.
pub fn opened(opening: &Opening, budget: usize, make: impl Fn(usize) -> SessionBlock) -> SessionBlock {
    let text = opening.text(budget / 2);
    if text.is_empty() {
        return make(budget);
    }
    let mut room = budget.saturating_sub(token::estimate(&text));
    loop {
        let block = make(room);
        let whole = match block.text.strip_prefix(&head()) {
            Some(rest) => format!("{}{text}{rest}", head()),
            None => format!("{}{text}{CLOSE}", head()),
        };
        let tokens = token::estimate(&whole);
        // A whole may have more tokens than its parts.
        match (tokens <= budget, block.text.is_empty()) {
            (true, _) => return SessionBlock { text: whole, tokens, items: block.items },
            (false, true) => return make(budget),
            (false, false) => room = room.saturating_sub((tokens - budget).max(8)),
        }
    }
}

/// The same with the files that will be needed, as far as the budget goes.
pub fn with_files(block: SessionBlock, files: &[FileLine], budget: usize) -> SessionBlock {
    let lines = files.iter().map(|file| match file {
        FileLine::Likely { path, why } => format!("- {path}: {why}"),
        FileLine::Others(paths) => format!("- {paths}"),
    });
    with_section(block, "## Files\n", lines, budget)
}

/// The same with topics that can be asked for.
pub fn with_index(block: SessionBlock, topics: &[Pointer], budget: usize) -> SessionBlock {
    let lines = topics.iter().map(|topic| format!("- {}: `{}`", topic.text, topic.command.replace('`', "'")));
    with_section(block, "## Index\n", lines.take(MOST_TOPICS), budget)
}

fn with_section(
    block: SessionBlock,
    heading: &str,
    lines: impl Iterator<Item = String>,
    budget: usize,
) -> SessionBlock {
    let mut section = heading.to_owned();
    let mut best = block.clone();
    for line in lines {
        section.push_str(&line::even(&line, LONGEST_FILE_LINE));
        section.push('\n');
        let text = match block.text.find(FOOTER).or_else(|| block.text.rfind(CLOSE)) {
            Some(at) => format!("{}{section}{}", &block.text[..at], &block.text[at..]),
            None => format!("{}{section}{CLOSE}", head()),
        };
        let tokens = token::estimate(&text);
        if tokens > budget {
            break;
        }
        best = SessionBlock { text, tokens, items: block.items.clone() };
    }
    best
}

/// What became known since the block was handed out, for the end of a later prompt: the block itself stays as it is,
/// so the prompt before it can be kept by whoever caches it.
pub fn tail(
    new: &[SessionCandidate],
    already: &dyn Fn(&Key) -> bool,
    budget: usize,
    lengths: &dyn Fn(&Memory, Level) -> String,
) -> SessionBlock {
    tail_for(Occasion::Prompt, new, already, budget, lengths)
}

/// A tail for another occasion than a prompt.
pub fn tail_for(
    occasion: Occasion,
    new: &[SessionCandidate],
    already: &dyn Fn(&Key) -> bool,
    budget: usize,
    lengths: &dyn Fn(&Memory, Level) -> String,
) -> SessionBlock {
    let mut ranked = ranked(new, already);
    ranked.sort_by_key(|memory| section_of(memory.tier));
    let frame = token::estimate(&framed(&[], false));
    let Some(limit) = budget.checked_sub(frame) else { return SessionBlock::default() };
    let filled = Fill { heading: occasion.heading(), limit, binding: false, lengths }.with(&ranked);
    let sections = if filled.lines.is_empty() { Vec::new() } else { vec![filled] };
    finish(sections, false, budget)
}

/// A text that was handed out, without the lines that tell of a memory: its own, and those that name it as their source.
/// Nothing when no line does.
pub fn without(text: &str, key: &Key) -> Option<String> {
    let (mark, name) = (format!(":{}] ", handle(key)), format!("[{}]", key.id));
    let tells = |line: &&str| has_mark(line, &mark) || line.contains(&name);
    let told = text.lines().any(|line| tells(&line));
    told.then(|| text.lines().filter(|line| !tells(line)).collect::<Vec<_>>().join("\n"))
}

/// The line of a memory in a text that was handed out.
pub fn line_in<'a>(text: &'a str, key: &Key) -> Option<&'a str> {
    let mark = format!(":{}] ", handle(key));
    text.lines().find(|line| has_mark(line, &mark))
}

/// Behind the letter of its tier.
fn has_mark(line: &str, mark: &str) -> bool {
    line.starts_with("- [") && line.get(4..).is_some_and(|rest| rest.starts_with(mark))
}

/// Best first, what was borrowed last, ties by key, each once.
fn ranked<'a>(candidates: &'a [SessionCandidate], left_out: &dyn Fn(&Key) -> bool) -> Vec<&'a Memory> {
    let worth = |value: f64| if value.is_nan() { f64::NEG_INFINITY } else { value };
    let mut ranked: Vec<(f64, Key, &Memory)> = candidates
        .iter()
        .map(|candidate| (worth(candidate.value), candidate.memory.key(), candidate.memory.as_ref()))
        .filter(|(_, key, _)| !left_out(key))
        .collect();
    ranked.sort_by(|a, b| {
        let borrowed = a.2.is_borrowed().cmp(&b.2.is_borrowed());
        borrowed.then_with(|| b.0.total_cmp(&a.0)).then_with(|| a.1.cmp(&b.1))
    });
    let mut seen = BTreeSet::new();
    ranked.retain(|(_, key, _)| seen.insert(key.clone()));
    ranked.into_iter().map(|(_, _, memory)| memory).collect()
}

fn section_of(tier: Tier) -> Tier {
    if tier == Tier::Archive { Tier::Reference } else { tier }
}

struct Section {
    heading: &'static str,
    lines: Vec<SessionLine>,
}

impl Section {
    fn text(&self) -> String {
        let mut text = format!("{}\n", self.heading);
        for line in &self.lines {
            text.push_str(&line.text);
            text.push('\n');
        }
        text
    }

    /// An empty section is not shown.
    fn tokens(&self) -> usize {
        if self.lines.is_empty() { 0 } else { token::estimate(&self.text()) }
    }
}

/// How everything begins that a session begins with.
fn head() -> String {
    format!("{OPEN}\n{NOTE}\n")
}

fn framed(sections: &[Section], is_first: bool) -> String {
    // What comes later is cited, and meant, as before.
    let mut text = if is_first { head() } else { format!("{OPEN}\n") };
    sections.iter().for_each(|section| text.push_str(&section.text()));
    if is_first {
        let first = sections.iter().flat_map(|section| &section.lines).next();
        let mark = first.map(|line| mark(line.item.tier, &line.item.key));
        text.push_str(&format!("{FOOTER}{}:…]`\n", mark.as_deref().map_or("M", |mark| &mark[..1])));
    }
    text.push_str(CLOSE);
    text
}

/// The last word on the budget, however tokens are counted: should parts that fit not fit together, the least goes.
fn finish(mut sections: Vec<Section>, is_first: bool, budget: usize) -> SessionBlock {
    while !sections.is_empty() {
        let text = framed(&sections, is_first);
        let tokens = token::estimate(&text);
        if tokens <= budget {
            let items = sections.into_iter().flat_map(|section| section.lines).map(|line| line.item).collect();
            return SessionBlock { text, tokens, items };
        }
        sections.last_mut().map(|section| section.lines.pop());
        sections.retain(|section| !section.lines.is_empty());
    }
    SessionBlock::default()
}
