//! Puts a context together within a budget of tokens: who gets in, how long, and how it reads. Pure: what the
//! candidates are worth is decided elsewhere, and the same candidates in any order give the same bytes.
//!
//! What holds, with costs as sums of blocks and "worse" for lower in value, ties by key:
//! - The text never has more tokens than the budget.
//! - A memory that does not bind is left out only if its shortest form does not fit in what is left, not even if
//!   every worse one of its part that does not bind either were taken out.
//! - A memory that binds is left out only if its shortest form does not fit beside the better ones that bind.
//! - Neither a key nor the words of a memory stand in it twice.

mod budget;
mod choose;
mod entry;
mod quote;
mod render;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use budget::{BudgetLine, Plan, Sheet};
pub(super) use choose::{digest, words_of};
pub use quote::clean;
pub(super) use quote::{inline, lines as quoted_lines};
pub(super) use render::Frame;
pub use render::quoted;
pub(crate) use render::{NOTE, said_by};

use super::parts::{Candidate, FileLine, Part, Pointer, Shares};
use lokid_model::{Key, Level, Memory, token};

/// A memory at one of its lengths.
pub type Lengths<'a> = &'a dyn Fn(&Memory, Level) -> String;

/// What a context is to be made of.
pub struct Order<'a> {
    pub budget: usize,
    pub shares: Shares,
    pub candidates: Vec<Candidate>,
    /// What is in work, a line each; it stands first.
    pub work: &'a [String],
    /// Likeliest first; they stand before the memories of their part.
    pub files: &'a [FileLine],
    pub pointers: &'a [Pointer],
    /// What the context is for, as a headline; may be empty.
    pub about: &'a str,
    pub lengths: Lengths<'a>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assembled {
    pub text: String,
    pub tokens: usize,
    /// The tokens of each part, its heading with it.
    pub parts: [usize; 4],
    /// In the order of the text.
    pub items: Vec<Item>,
    /// Best first. Without those that say what another says, or nothing at all.
    pub dropped: Vec<Dropped>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub key: Key,
    pub part: Part,
    pub level: Level,
    pub tokens: usize,
    pub why: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    pub key: Key,
    pub part: Part,
    pub value: f64,
}

/// More than any model reads; sums of it stay numbers.
const MOST_TOKENS: usize = 1 << 30;
/// The rounds in which a text that turned out too long gives back no more than it has too much.
const GENTLE_ROUNDS: usize = 4;

/// How often what a whole costs less than its blocks is spent, and from which part of the budget on that is worth it.
const MOST_LIFTS: usize = 2;
const WORTH_A_LIFT: usize = 100;

pub fn assemble(order: &Order<'_>) -> Assembled {
    put_together(order).0
}

/// The context, and what it had to spend: about the budget, as the costs of blocks and of their whole differ.
fn put_together(order: &Order<'_>) -> (Assembled, usize) {
    let frame = Frame::new(order.about, order.budget);
    let mut sheet = Sheet { entries: choose::ranked(&order.candidates), lines: lines(order), lengths: order.lengths };
    // Costs are not additive: a whole may have more tokens than its blocks, and mostly it has fewer. What there is to
    // spend follows from that.
    let mut spendable = order.budget.min(MOST_TOKENS);
    let mut best = None;
    let mut lifts = 0;
    for round in 0.. {
        let Some(room) = spendable.checked_sub(frame.tokens) else { break };
        let plan = budget::plan(&mut sheet, room, &order.shares);
        if plan.is_empty() {
            break;
        }
        let sections = sections(&sheet, &plan);
        let text = frame.around(&sections);
        let tokens = token::estimate(&text);
        if tokens <= order.budget {
            let parts = shared_out(tokens, sections.map(|section| token::estimate(&section)));
            let over = order.budget - tokens;
            let is_wanted = lifts < MOST_LIFTS && over > order.budget / WORTH_A_LIFT && plan.leaves_out(&mut sheet);
            best = Some((plan, Assembled { text, tokens, parts, ..Assembled::default() }, spendable));
            if !is_wanted {
                break;
            }
            lifts += 1;
            spendable += over;
            continue;
        }
        if best.is_some() {
            break;
        }
        let excess = tokens - order.budget;
        let step = if round < GENTLE_ROUNDS { excess } else { excess.max(spendable / 8) };
        spendable = spendable.saturating_sub(step);
    }
    if let Some((plan, whole, spendable)) = best {
        return (account(&mut sheet, &plan, whole), spendable);
    }
    let nothing = Plan { forms: vec![None; sheet.entries.len()], lines: Vec::new() };
    (account(&mut sheet, &nothing, Assembled::default()), spendable)
}

/// What stands in a context without being a memory, none twice.
fn lines(order: &Order<'_>) -> Vec<BudgetLine> {
    let mut seen = HashSet::new();
    let work = order.work.iter().filter_map(|text| render::work(text)).map(|text| (Part::Critical, text));
    let files = order.files.iter().filter_map(render::file).map(|text| (Part::Relevant, text));
    let pointers = order.pointers.iter().filter_map(render::pointer).map(|text| (Part::Index, text));
    let lines = work.chain(files).chain(pointers).filter(|(_, text)| seen.insert(text.to_lowercase()));
    lines.map(|(part, text)| BudgetLine { part, tokens: token::estimate(&text), text }).collect()
}

fn sections(sheet: &Sheet<'_>, plan: &Plan) -> [String; 4] {
    Part::ALL.map(|part| {
        let mut section = String::new();
        let mut push = |block: &str| {
            if section.is_empty() {
                section.push_str(render::heading(part));
            }
            section.push_str(block);
        };
        let shown = || sheet.lines.iter().zip(&plan.lines).filter(|(line, shown)| **shown && line.part == part);
        if part != Part::Index {
            shown().for_each(|(line, _)| push(&line.text));
        }
        for (entry, form) in sheet.entries.iter().zip(&plan.forms).filter(|(entry, _)| entry.part() == part) {
            if let Some((form, _)) = form {
                push(entry.block(*form));
            }
        }
        if part == Part::Index {
            shown().for_each(|(line, _)| push(&line.text));
        }
        section
    })
}

/// Who is in, part by part, and who is not.
fn account(sheet: &mut Sheet<'_>, plan: &Plan, mut assembled: Assembled) -> Assembled {
    let lengths = sheet.lengths;
    for (entry, form) in sheet.entries.iter_mut().zip(&plan.forms) {
        let (key, part) = (entry.key.clone(), entry.part());
        if let Some((form, tokens)) = *form {
            let (level, why) = (entry.level(form, lengths), entry.candidate.why.clone());
            assembled.items.push(Item { key, part, level, tokens, why });
        } else if entry.shortest(lengths).is_some() {
            assembled.dropped.push(Dropped { key, part, value: entry.value });
        }
    }
    assembled.items.sort_by_key(|item| item.part);
    assembled
}

/// A short text is counted with a larger margin than a long one, so the parts may seem to cost more than the whole: what
/// is too much is taken off the largest.
fn shared_out(whole: usize, mut parts: [usize; 4]) -> [usize; 4] {
    let mut too_much = parts.iter().sum::<usize>().saturating_sub(whole);
    while too_much > 0 {
        let Some(largest) = parts.iter_mut().max() else { break };
        let off = too_much.div_ceil(4).min(*largest);
        *largest -= off;
        too_much -= off;
    }
    parts
}
