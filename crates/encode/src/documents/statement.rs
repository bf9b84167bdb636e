//! The statements of a section, each as one could read it alone: an item of a list with the words that lead into it, a
//! sentence with those it leans on, steps in one piece, code with what announces it. It must not judge what is worth
//! keeping.

use super::{outline::*, rule};
use crate::prose;

/// A paragraph this short that holds a rule is kept whole: its other sentences say why.
const WHOLE: usize = 420;
/// An item this short is kept with the items below it.
const WITH_BELOW: usize = 600;

#[derive(Debug, Default)]
pub(super) struct Statement {
    /// What leads in: the sentence before the list, the item above, or a heading such as "Never".
    pub(super) lead: String,
    pub(super) text: String,
    /// With its markup.
    pub(super) raw: String,
    pub(super) code: String,
    /// It tells somebody to do something.
    pub(super) commands: bool,
}

impl Statement {
    /// Lead, text and code in one piece.
    pub(super) fn whole(&self) -> String {
        let mut whole = match self.lead.trim_end_matches(':') {
            "" => self.text.clone(),
            lead if self.text.contains('\n') => format!("{lead}:\n{}", self.text),
            lead => format!("{lead}: {}", self.text),
        };
        if !self.code.is_empty() {
            let short = !self.code.contains('\n') && whole.ends_with(':');
            whole.push_str(&if short { format!(" `{}`", self.code) } else { format!("\n```\n{}\n```", self.code) });
        }
        whole
    }
}

pub(super) fn of(section: &Section) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    let heading = leading_heading(&section.heading);
    let mut lead = heading.clone();
    let blocks = &section.blocks;
    let mut at = 0;
    while at < blocks.len() {
        let mut end = at + 1;
        match &blocks[at] {
            Block::Code(code) => {
                // Code goes with what announces it.
                let before = found.last_mut().filter(|before| before.code.is_empty() && at > 0);
                match before.filter(|before| before.commands || before.text.ends_with(':')) {
                    Some(before) => before.code = bare(code),
                    None => found.push(Statement { text: bare(code), ..Statement::default() }),
                }
            }
            Block::Table(rows) => {
                let lead = std::mem::take(&mut lead);
                found.push(Statement { lead, text: rows.clone(), ..Statement::default() });
            }
            Block::Paragraph(raw) => {
                let text = prose::plain(raw);
                lead = heading.clone();
                if text.ends_with(':') && matches!(blocks.get(at + 1), Some(Block::Item { .. } | Block::Table(_))) {
                    let (before, last) = split_lead(&text);
                    if !before.is_empty() {
                        paragraph(raw, before, &mut found);
                    }
                    lead = last.to_owned();
                } else if !text.is_empty() {
                    paragraph(raw, &text, &mut found);
                }
            }
            Block::Item { ordered: true, .. } if !lead.is_empty() || !is_full(&blocks[at..end_of_list(blocks, at)]) => {
                end = end_of_list(blocks, at);
                let mut said = steps(&blocks[at..end], if lead.is_empty() { &section.heading } else { &lead });
                // "Updating the parser" says what the steps are for, "Overview" does not.
                let first = section.heading.split(' ').next().unwrap_or("");
                said.commands &= !lead.is_empty() || first.ends_with("ing") || matches!(first, "How" | "To" | "Add");
                found.push(said);
            }
            Block::Item { .. } => {
                end = end_of_list(blocks, at);
                let apart = lead.is_empty() || !governed(&blocks[at..end], &lead);
                if apart {
                    end = end_of_item(blocks, at);
                    item(&blocks[at..end], &lead, &mut found);
                } else {
                    found.push(list(&blocks[at..end], &lead));
                }
            }
        }
        at = end;
    }
    // What announces something that is not there says nothing.
    found.retain(|said| !said.text.is_empty());
    for said in &mut found {
        let is_example = prose::fold(&said.lead).starts_with("example") || said.text.starts_with("Example");
        let dangles = said.text.ends_with(':') && said.code.is_empty();
        said.commands &= !(dangles || is_example);
    }
    found
}

/// Only the last sentence before a list leads into it; "Here are some rules:" says nothing beside them.
fn split_lead(text: &str) -> (&str, &str) {
    let last = prose::sentences(text).last().copied().unwrap_or(text);
    let before = text[..text.len() - last.len()].trim_end();
    let idle = ["here are ", "here is ", "some ", "a few "].iter().any(|words| last.to_lowercase().contains(words));
    (before, if idle && !rule::lead_commands(last) { "" } else { last })
}

/// "Never" and "When adding a flag" are read together with what stands below.
fn leading_heading(heading: &str) -> String {
    let folded = format!(" {} ", prose::fold(heading));
    let denies = [
        " don t ",
        " do not ",
        " never ",
        " avoid ",
        " not to do ",
        " anti patterns ",
        " forbidden ",
        " bad ",
        " mistakes ",
    ];
    let conditions = [" when ", " if ", " before ", " after "];
    let leads =
        denies.iter().any(|word| folded.contains(word)) || conditions.iter().any(|word| folded.starts_with(word));
    if leads { format!("{}:", heading.trim_end_matches([':', '.', ' '])) } else { String::new() }
}

fn end_of_list(blocks: &[Block], at: usize) -> usize {
    let ordered = matches!(&blocks[at], Block::Item { ordered: true, .. });
    let goes_on = |block: &&Block| match block {
        Block::Item { .. } => true,
        Block::Code(_) => ordered,
        _ => false,
    };
    at + blocks[at..].iter().take_while(goes_on).count().max(1)
}

/// Are the items parts of the sentence that leads in, rather than sentences that command by themselves?
fn governed(blocks: &[Block], lead: &str) -> bool {
    let commands = |block: &Block| match block {
        Block::Item { depth: 0, text, .. } => rule::is_rule(&prose::plain(text), rule::RulePlace::ListItem),
        _ => true,
    };
    rule::lead_governs(lead) || !blocks.iter().all(commands)
}

/// A list that is one with what leads into it.
fn list(blocks: &[Block], lead: &str) -> Statement {
    let mut said = Statement { lead: lead.to_owned(), commands: rule::lead_commands(lead), ..Statement::default() };
    for block in blocks {
        let Block::Item { depth, text, .. } = block else { continue };
        let plain = prose::plain(text);
        said.commands |= !rule::lead_governs(lead) && rule::is_rule(&plain, rule::RulePlace::ListItem);
        said.text.push_str(if said.text.is_empty() { "" } else { "\n" });
        said.text.push_str(&format!("{}- {plain}", "  ".repeat((*depth).min(4))));
        said.raw.push_str(text);
    }
    said
}

/// Is each item a rule of its own, told at some length?
fn is_full(blocks: &[Block]) -> bool {
    blocks.iter().all(|block| match block {
        Block::Item { text, .. } => {
            text.chars().count() >= 60 && rule::is_rule(&prose::plain(text), rule::RulePlace::ListItem)
        }
        _ => false,
    })
}

/// An ordered list that something leads into: one does all of it, or none.
fn steps(blocks: &[Block], lead: &str) -> Statement {
    let mut said = Statement { lead: lead.to_owned(), commands: true, ..Statement::default() };
    let mut number = 0;
    for block in blocks {
        let line = match block {
            Block::Item { depth: 0, text, .. } => {
                number += 1;
                said.raw.push_str(text);
                format!("{number}. {}", prose::plain(text))
            }
            Block::Item { text, .. } => format!("   - {}", prose::plain(text)),
            Block::Code(code) => bare(code).lines().map(|line| format!("   {line}")).collect::<Vec<_>>().join("\n"),
            _ => continue,
        };
        if !said.text.is_empty() {
            said.text.push('\n');
        }
        said.text.push_str(&line);
    }
    said
}

/// Where the item that begins at `at` ends: its children belong to it.
fn end_of_item(blocks: &[Block], at: usize) -> usize {
    let Some(Block::Item { depth: own, .. }) = blocks.get(at) else { return at + 1 };
    let below = |block: &&Block| matches!(block, Block::Item { depth, .. } if depth > own);
    at + 1 + blocks[at + 1..].iter().take_while(below).count()
}

/// One item with the items below it where that is short, else each with the one above it for a lead.
fn item(blocks: &[Block], lead: &str, found: &mut Vec<Statement>) {
    let texts: Vec<(&str, String)> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::Item { text, .. } => Some((text.as_str(), prose::plain(text))),
            _ => None,
        })
        .filter(|(_, text)| !text.is_empty())
        .collect();
    let Some(((raw, own), below)) = texts.split_first() else { return };
    let led = rule::lead_commands(lead);
    let judge = |text: &str| led || rule::is_rule(text.trim_end_matches(':'), rule::RulePlace::ListItem);
    let whole = below.iter().fold(own.clone(), |whole, (_, text)| format!("{whole}\n- {text}"));
    let commands = judge(own) || below.iter().any(|(_, text)| judge(text));
    if whole.chars().count() <= WITH_BELOW || below.is_empty() {
        let raw = texts.iter().map(|(raw, _)| *raw).collect::<Vec<_>>().join("\n");
        found.push(Statement { lead: lead.to_owned(), text: whole, raw, commands, ..Statement::default() });
        return;
    }
    let announces = own.ends_with(':');
    if !announces {
        let (lead, text, raw) = (lead.to_owned(), own.clone(), (*raw).to_owned());
        found.push(Statement { lead, text, raw, commands: judge(own), ..Statement::default() });
    }
    let above = if announces { own.as_str() } else { "" };
    let led = led || rule::lead_commands(above);
    for (raw, text) in below {
        let commands = led || rule::is_rule(text, rule::RulePlace::ListItem);
        let (lead, text, raw) = (above.to_owned(), text.clone(), (*raw).to_owned());
        found.push(Statement { lead, text, raw, commands, ..Statement::default() });
    }
}

/// Running text: whole where it is short, else rule by rule, each with the sentences behind it, which say why.
fn paragraph(raw: &str, text: &str, found: &mut Vec<Statement>) {
    let is_import = text.starts_with('@') && !text.contains(' ');
    if is_import {
        return;
    }
    let of = |text: String, commands| Statement { text, raw: raw.to_owned(), commands, ..Statement::default() };
    let sentences = prose::sentences(text);
    let is_rule = |sentence: &str| rule::is_rule(sentence, rule::RulePlace::RunningText);
    if text.chars().count() <= WHOLE || !sentences.iter().any(|sentence| is_rule(sentence)) {
        found.push(of(text.to_owned(), sentences.iter().any(|sentence| is_rule(sentence))));
        return;
    }
    let mut open = of(String::new(), false);
    for sentence in sentences {
        let commands = is_rule(sentence);
        if commands && !open.text.is_empty() && !rule::leans(sentence) {
            found.push(std::mem::replace(&mut open, of(String::new(), false)));
        }
        if !open.text.is_empty() {
            open.text.push(' ');
        }
        open.text.push_str(sentence);
        open.commands |= commands;
    }
    found.push(open);
}

/// Code without the indent that all its lines share.
fn bare(code: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let shared = code.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let lines = code.lines().map(|line| line.get(shared..).unwrap_or("").trim_end());
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}
