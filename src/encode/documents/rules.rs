//! Rules for people and agents (`CONTRIBUTING`, `AGENTS.md` and their like): one memory a rule, one note a section of
//! prose. It must not soften or sharpen a rule: a mandate is only what its author marks as one.

use super::{DocumentKind, Learnt, outline::*, piece, rule};
use crate::encode::prose;
use crate::model::{Draft, Kind, Source, Tier};

const MOST_RULES: usize = 60;
const MOST_NOTES: usize = 15;
const RULE: usize = 400;
const CODE: usize = 400;
const NOTE: usize = 700;
/// A paragraph this short that holds a rule is kept whole: its other sentences say why.
const WHOLE: usize = 280;

#[derive(Debug)]
struct Found {
    text: String,
    raw: String,
    code: String,
    /// What leads in: the sentence before the list, or the item above.
    lead: String,
    mandate: bool,
}

pub(super) fn learn(kind: DocumentKind, path: &str, outline: &Outline) -> Learnt {
    let globs = globs(outline);
    let file = path.rsplit('/').next().unwrap_or(path);
    let (mut rules, mut notes) = (Vec::new(), Vec::new());
    for section in outline.sections.iter().filter(|section| !piece::is_ceremony(&section.heading)) {
        let hard =
            rule::is_hard_heading(&section.heading) || section.above.iter().skip(1).any(|h| rule::is_hard_heading(h));
        let (found, rest) = sort(section, hard, kind);
        let way = piece::way(section);
        for found in found {
            let mut draft = rule_draft(path, &found, &format!("{file} › {way}"));
            rescope(&mut draft, &globs);
            rules.push(draft);
        }
        if rest.chars().filter(|c| c.is_alphabetic()).count() >= 40 && notes.len() < MOST_NOTES {
            let id = piece::key(Kind::Note, path, &["section", &section.above.join(" › "), &section.heading]);
            let title = if way.is_empty() { file.to_owned() } else { format!("{way} ({file})") };
            let mut note = piece::draft(Kind::Note, path, id, &title, cut_lines(&rest, NOTE));
            piece::anchor(&mut note, path, &rest);
            piece::tag(&mut note, tag_of(kind));
            note.importance = Some(if kind == DocumentKind::AgentRules { 0.45 } else { 0.3 });
            rescope(&mut note, &globs);
            notes.push(note);
        }
    }
    rules.iter_mut().for_each(|draft| piece::tag(draft, tag_of(kind)));
    if rules.len() > MOST_RULES {
        // The sort keeps the order of the document among equals.
        rules.sort_by_key(|draft| draft.tier);
        rules.truncate(MOST_RULES);
    }
    rules.append(&mut notes);
    Learnt { drafts: rules, ..Learnt::default() }
}

fn tag_of(kind: DocumentKind) -> &'static str {
    if kind == DocumentKind::AgentRules { "agent-rules" } else { "contributing" }
}

fn rule_draft(path: &str, found: &Found, under: &str) -> Draft {
    let mut text = found.text.clone();
    if !found.code.is_empty() {
        text.push_str("\n```\n");
        text.push_str(&found.code);
        text.push_str("\n```");
    }
    let under = under.trim_end_matches([' ', '›']);
    let lead = if found.lead.is_empty() { String::new() } else { format!(" › {}", prose::cut(&found.lead, 100)) };
    text.push_str(&format!("\n({under}{lead})"));
    let id = piece::key(Kind::Note, path, &["rule", &found.lead, &found.text]);
    let first = prose::sentences(&found.text).first().copied().unwrap_or(&found.text).to_owned();
    let mut draft = piece::draft(Kind::Note, path, id, &first, text);
    draft.source = Some(Source::User);
    draft.confidence = Some(0.9);
    draft.tier = Some(if found.mandate { Tier::Mandate } else { Tier::Guardrail });
    draft.importance = Some(if found.mandate { 0.9 } else { 0.7 });
    piece::tag(&mut draft, "rule");
    piece::anchor(&mut draft, path, &found.raw);
    draft
}

/// Rules files of editors say in their front matter which files they are for.
fn globs(outline: &Outline) -> Vec<String> {
    let Some(front) = &outline.front else { return Vec::new() };
    let given = front.any(&["globs", "applyTo", "paths"]).map(|globs| globs.texts()).unwrap_or_default();
    let each = given.iter().flat_map(|text| text.split(','));
    let fixed = each.map(|glob| {
        let glob = glob.trim().trim_matches(['"', '\'', '[', ']']);
        let fixed = &glob[..glob.find(['*', '?', '{', '[']).unwrap_or(glob.len())];
        // `src/app*` is about what lies in `src`.
        let whole = fixed.len() == glob.len();
        let folder = if whole { fixed } else { fixed.rsplit_once('/').map_or("", |(folder, _)| folder) };
        folder.trim_start_matches("./").trim_matches('/').to_owned()
    });
    let mut fixed: Vec<String> = fixed.filter(|folder| !folder.is_empty() && folder.len() <= 160).take(8).collect();
    fixed.dedup();
    fixed
}

fn rescope(draft: &mut Draft, globs: &[String]) {
    for glob in globs {
        piece::tag(draft, glob);
        if !draft.files.contains(glob) {
            draft.files.push(glob.clone());
        }
    }
}

/// The rules of a section, and the rest of it as text.
fn sort(section: &Section, hard: bool, kind: DocumentKind) -> (Vec<Found>, String) {
    let mut found: Vec<Found> = Vec::new();
    let mut rest: Vec<String> = Vec::new();
    // Whether the block before was a rule: code goes with what it follows.
    let mut rule_before = false;
    let mut lead = Lead::default();
    let blocks = &section.blocks;
    let mut at = 0;
    while at < blocks.len() {
        let next = blocks.get(at + 1);
        match &blocks[at] {
            Block::Code(code) => {
                match found.last_mut().filter(|_| rule_before) {
                    Some(rule) if rule.code.len() < CODE => rule.code = joined_code(&rule.code, code),
                    _ => rest.push(cut_lines(&indent_free(code), CODE)),
                }
                at += 1;
            }
            Block::Paragraph(raw) => {
                let text = prose::plain(raw);
                lead = Lead::default();
                if text.ends_with(':') && matches!(next, Some(Block::Item { .. })) {
                    lead = Lead::new(&text);
                    // What leads in to the rules says nothing alone; what leads in to facts does.
                    rest.push(text);
                    rule_before = false;
                } else {
                    rule_before = paragraph(raw, &text, hard, &mut found, &mut rest);
                }
                at += 1;
            }
            Block::Item { ordered, .. } => {
                let end = end_of_item(blocks, at);
                // "To preview the pages: 1. install …, 2. run …" is a procedure; whoever does something else is free.
                let procedure = lead.tells_how || (*ordered && kind == DocumentKind::Contributing && !lead.commands);
                if procedure {
                    rest.extend(blocks[at..end].iter().map(|block| match block {
                        Block::Item { depth, text, .. } => format!("{}- {}", "  ".repeat(*depth), prose::plain(text)),
                        Block::Paragraph(text) | Block::Code(text) => text.clone(),
                    }));
                    (rule_before, at) = (false, end);
                    continue;
                }
                rule_before = item(&blocks[at..end], &lead, hard, &mut found, &mut rest);
                at = end;
            }
        }
    }
    // A lead whose items all became rules is no prose.
    rest.retain(|text| !(text.ends_with(':') && found.iter().any(|rule| rule.lead == *text)));
    (found, rest.join("\n"))
}

#[derive(Clone, Default)]
struct Lead {
    text: String,
    commands: bool,
    shouts: bool,
    tells_how: bool,
}

impl Lead {
    fn new(text: &str) -> Lead {
        let strong = format!(" {} ", prose::fold(text));
        let commands = [
            " must ",
            " never ",
            " always ",
            " do not ",
            " don t ",
            " rules ",
            " should ",
            " avoid ",
            " make sure ",
            " please ",
        ]
        .iter()
        .any(|word| strong.contains(word));
        let tells_how = strong.starts_with(" to ") && !commands;
        Lead { text: text.to_owned(), commands, shouts: rule::is_shouted(text), tells_how }
    }
}

/// Where the item that begins at `at` ends: its children belong to it, and the code between them.
fn end_of_item(blocks: &[Block], at: usize) -> usize {
    let Some(Block::Item { depth: own, .. }) = blocks.get(at) else { return at + 1 };
    let mut end = at + 1;
    while let Some(Block::Item { depth, .. }) = blocks.get(end) {
        if depth <= own {
            break;
        }
        end += 1;
    }
    end
}

/// One item with the items below it: a single rule where that fits, else a rule each.
fn item(blocks: &[Block], lead: &Lead, hard: bool, found: &mut Vec<Found>, rest: &mut Vec<String>) -> bool {
    let texts: Vec<(usize, &str, String)> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::Item { depth, text, .. } => Some((*depth, text.as_str(), prose::plain(text))),
            _ => None,
        })
        .filter(|(_, _, text)| !text.is_empty())
        .collect();
    let Some((_, raw, own)) = texts.first() else { return false };
    let below = &texts[1..];
    let judge = |text: &str| lead.commands || rule::is_rule(text, rule::Place::ListItem);
    let make = |text: &str, raw: &str, lead_text: &str| Found {
        text: prose::cut(text, RULE),
        raw: raw.to_owned(),
        code: String::new(),
        lead: lead_text.to_owned(),
        mandate: hard || lead.shouts || rule::is_shouted(text),
    };
    let whole = below.iter().fold(own.clone(), |whole, (_, _, text)| format!("{whole}\n- {text}"));
    let own_is_rule = judge(own.trim_end_matches(':'));
    let any_below = below.iter().any(|(_, _, text)| judge(text));
    if whole.chars().count() <= RULE {
        if own_is_rule || any_below {
            let raw = texts.iter().map(|(_, raw, _)| *raw).collect::<Vec<_>>().join("\n");
            found.push(make(&whole, &raw, &lead.text));
            return true;
        }
        rest.push(format!("- {whole}"));
        return false;
    }
    let mut last_is_rule = false;
    if own_is_rule && (below.is_empty() || !own.ends_with(':')) {
        found.push(make(own, raw, &lead.text));
        last_is_rule = true;
    } else if !own_is_rule && !any_below {
        rest.push(format!("- {}", prose::cut(own, NOTE / 2)));
    }
    for (_, raw, text) in below {
        last_is_rule = judge(text) || (own.ends_with(':') && own_is_rule);
        if last_is_rule {
            found.push(make(text, raw, own));
        } else if let Some(rule) = found.last_mut().filter(|_| own_is_rule) {
            // An explanation of the rule above it.
            let longer = format!("{} {text}", rule.text);
            rule.text = prose::cut(&longer, RULE);
        }
    }
    last_is_rule
}

/// The rules in running text; each takes the sentences after it along, which say why.
fn paragraph(raw: &str, text: &str, hard: bool, found: &mut Vec<Found>, rest: &mut Vec<String>) -> bool {
    let import = text.starts_with('@') && !text.contains(' ');
    if text.is_empty() || import {
        return false;
    }
    let sentences = prose::sentences(text);
    let is_rule = |sentence: &str| rule::is_rule(sentence, rule::Place::RunningText);
    let make = |text: &str| Found {
        text: prose::cut(text, RULE),
        raw: raw.to_owned(),
        code: String::new(),
        lead: String::new(),
        mandate: hard || rule::is_shouted(text),
    };
    if !sentences.iter().any(|sentence| is_rule(sentence)) {
        rest.push(text.to_owned());
        return false;
    }
    if text.chars().count() <= WHOLE {
        found.push(make(text));
        return true;
    }
    let mut rule = String::new();
    for sentence in sentences {
        if is_rule(sentence) {
            if !rule.is_empty() {
                found.push(make(&rule));
            }
            rule = sentence.to_owned();
        } else if rule.is_empty() {
            rest.push(sentence.to_owned());
        } else if rule.chars().count() + sentence.chars().count() < RULE {
            rule.push(' ');
            rule.push_str(sentence);
        }
    }
    found.push(make(&rule));
    true
}

fn joined_code(before: &str, code: &str) -> String {
    let code = indent_free(code);
    cut_lines(&if before.is_empty() { code } else { format!("{before}\n{code}") }, CODE)
}

/// Code without the indent that all its lines share.
pub(super) fn indent_free(code: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let shared = code.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let lines = code.lines().map(|line| line.get(shared..).unwrap_or("").trim_end());
    lines.collect::<Vec<_>>().join("\n")
}

/// Whole lines as long as they fit; the first is cut if it alone is too long.
pub(super) fn cut_lines(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    for line in text.lines() {
        let chars = line.chars().count() + 1;
        if length + chars > most {
            let room = most.saturating_sub(length + 1);
            if room > 80 || out.is_empty() {
                out.push_str(&prose::cut(line, room));
            }
            break;
        }
        length += chars;
        out.push_str(line);
        out.push('\n');
    }
    out.trim_end().to_owned()
}
