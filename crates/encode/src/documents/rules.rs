//! Rules for people and agents (`CONTRIBUTING`, `AGENTS.md` and their like): one memory a rule.
//!
//! Of what people are told only that is kept which an agent can follow while it works on the code. Rules files of agents
//! are kept whole: what is no rule becomes notes, section by section. It must not soften or sharpen a rule, and nothing
//! is cut without a mark.

use super::statement::{self, Statement};
use super::{DocumentKind, Learnt, audience, outline::*, piece, rule};
use crate::prose;
use lokid_model::{Draft, Kind, Tier};

const MOST_RULES: usize = 150;
const MOST_NOTES: usize = 80;
/// In characters.
const RULE: usize = 1_200;
const RULE_FOR_PEOPLE: usize = 600;
const NOTE: usize = 1_200;

pub(super) fn learn(kind: DocumentKind, path: &str, outline: &Outline) -> Learnt {
    let globs = globs(outline);
    let for_agents = kind == DocumentKind::AgentRules;
    let (mut rules, mut notes) = (Vec::new(), Vec::new());
    let title = outline.sections.iter().find(|section| section.level == 1).map_or("", |section| &section.heading);
    let (folder, stem) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = folder.rsplit('/').next().unwrap_or(folder);
    if !for_agents && (audience::is_tutorial(title) || audience::is_aside(stem) || audience::is_aside(folder)) {
        return Learnt::default();
    }
    for section in &outline.sections {
        let headings = || section.above.iter().skip(1).chain([&section.heading]);
        let worked_on = || headings().any(|heading| audience::is_about_work(heading));
        let wanted = match kind {
            DocumentKind::AgentRules => !piece::is_ceremony(&section.heading),
            DocumentKind::Readme => worked_on() && !headings().any(|heading| audience::is_aside(heading)),
            _ => !headings().any(|heading| audience::is_aside(heading)),
        };
        if !wanted {
            continue;
        }
        let way = piece::way(section);
        let source = if way.is_empty() { path.to_owned() } else { format!("{path} › {way}") };
        let mut rest = Vec::new();
        for said in statement::of(section) {
            let whole = said.whole();
            let is_rule = if for_agents {
                said.commands && whole.chars().count() <= RULE && !rule::leans(&whole)
            } else {
                said.commands
                    && whole.chars().count() <= RULE_FOR_PEOPLE
                    && audience::is_for_code(&whole)
                    && (rule::binds(&whole) || audience::is_concrete(&whole))
            };
            if is_rule {
                rules.push(rule_draft(path, &said, &whole, &source, for_agents || rule::binds(&whole)));
            } else if for_agents {
                rest.push(said);
            }
        }
        notes.extend(note_drafts(path, section, &rest, &source));
    }
    for (drafts, most) in [(&mut rules, MOST_RULES), (&mut notes, MOST_NOTES)] {
        let left = drafts.len().saturating_sub(most);
        drafts.truncate(most);
        if let Some(last) = drafts.last_mut().filter(|_| left > 0) {
            last.text.push_str(&format!("\n… {left} more in {path}"));
        }
    }
    rules.append(&mut notes);
    for draft in &mut rules {
        piece::tag(draft, if for_agents { "agent-rules" } else { "contributing" });
        rescope(draft, &globs);
    }
    Learnt { drafts: rules, ..Learnt::default() }
}

fn rule_draft(path: &str, said: &Statement, whole: &str, source: &str, binding: bool) -> Draft {
    let id = piece::key(Kind::Note, path, &["rule", &said.lead, &said.text]);
    let first = prose::sentences(whole).first().copied().unwrap_or(whole).to_owned();
    let mut draft = piece::draft(Kind::Note, path, id, render_title(&first), with_source(whole, source));
    draft.confidence = Some(0.9);
    draft.tier = Some(if binding { Tier::Guardrail } else { Tier::Reference });
    draft.importance = Some(if binding { 0.7 } else { 0.5 });
    piece::tag(&mut draft, "rule");
    piece::anchor(&mut draft, path, &said.raw);
    draft
}

fn render_title(text: &str) -> &str {
    text.lines().next().unwrap_or(text).trim_end_matches(':')
}

pub(super) fn with_source(text: &str, source: &str) -> String {
    format!("{text}{}({source})", if text.contains('\n') { "\n" } else { " " })
}

/// What is left of a section, whole, in as many notes as it takes.
fn note_drafts(path: &str, section: &Section, rest: &[Statement], source: &str) -> Vec<Draft> {
    let letters: usize = rest.iter().map(|said| said.text.chars().filter(|c| c.is_alphabetic()).count()).sum();
    // A short word of welcome is no note.
    if letters < if section.level <= 1 { 100 } else { 25 } {
        return Vec::new();
    }
    let mut parts = vec![String::new()];
    let mut lead = "";
    for said in rest {
        let led = (said.lead != lead && !said.lead.is_empty()).then_some(said.lead.as_str());
        lead = &said.lead;
        for line in led.into_iter().chain(said.text.lines()).chain(said.code.lines()) {
            let part = parts.last().map_or(0, |part| part.chars().count());
            if part > 0 && part + line.chars().count() > NOTE {
                parts.push(String::new());
            }
            if let Some(part) = parts.last_mut() {
                part.push_str(&prose::cut(line, NOTE));
                part.push('\n');
            }
        }
    }
    let count = parts.len();
    let named = if section.heading.is_empty() { path } else { &section.heading };
    let draft = |(at, part): (usize, &String)| {
        let number = (at + 1).to_string();
        let (source, title) = if count == 1 {
            (source.to_owned(), named.to_owned())
        } else {
            (format!("{source}, part {number} of {count}"), format!("{named}, part {number}"))
        };
        let id = piece::key(Kind::Note, path, &["section", &section.above.join(" › "), &section.heading, &number]);
        let text = format!("{named}: {}", part.trim_end());
        let mut note = piece::draft(Kind::Note, path, id, &title, with_source(&text, &source));
        note.tier = Some(Tier::Reference);
        note.importance = Some(0.45);
        piece::anchor(&mut note, path, part);
        note
    };
    parts.iter().enumerate().map(draft).collect()
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
