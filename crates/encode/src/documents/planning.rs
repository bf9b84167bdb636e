//! Planning documents: Markdown whose front matter says what a piece of work requires, provides and affects.
//!
//! Whoever requires something is linked to whoever provides it, by name. Other Markdown teaches nothing here, and the
//! prose below the front matter is not repeated beyond its first words.

use super::{DocumentLink, DocumentName, Learnt, date, outline::*, piece};
use crate::{prose, yaml::Yaml};
use lokid_model::{Kind, MemoryId, Relation};

const MOST_LINKS: usize = 40;
const MOST_FILES: usize = 20;
const LINE: usize = 200;

pub(super) fn learn(path: &str, outline: &Outline) -> Learnt {
    let Some(front) = &outline.front else { return Learnt::default() };
    let list = |names: &[&str]| front.any(names).map(Yaml::items).unwrap_or_default();
    let requires = list(&["requires", "depends_on", "depends-on"]);
    let (provides, affects) = (list(&["provides"]), list(&["affects"]));
    if requires.is_empty() && provides.is_empty() && affects.is_empty() {
        return Learnt::default();
    }
    let text_of = |name: &str| front.get(name).and_then(Yaml::text);
    let (phase, plan) = (text_of("phase"), text_of("plan"));
    let heading = outline.sections.iter().find(|section| section.level == 1).map(|section| section.heading.as_str());
    let title = text_of("title").or(heading).or(phase).unwrap_or(path.rsplit('/').next().unwrap_or(path));
    let id = piece::key(Kind::Note, path, &["plan"]);
    let mut draft =
        piece::draft(Kind::Note, path, id.clone(), title, told(outline, front, requires, provides, affects));
    draft.files.clear();
    draft.tags.clear();
    for file in
        list(&["key-files", "key_files", "files", "files_modified", "files-modified"]).iter().flat_map(Yaml::texts)
    {
        let file = file.split(" (").next().unwrap_or(file).trim().trim_start_matches("./");
        if file.len() <= 300 && !file.contains(' ') && !file.starts_with(['/', '~']) && draft.files.len() < MOST_FILES {
            draft.files.push(file.to_owned());
        }
    }
    for tag in list(&["subsystem"]).iter().chain(list(&["tags"])).flat_map(Yaml::texts).take(12) {
        piece::tag(&mut draft, &prose::cut(tag, 60));
    }
    piece::tag(&mut draft, "plan");
    draft.valid_at = text_of("completed").or(text_of("date")).and_then(date::find);
    draft.importance = Some(0.5);
    let names = names(path, title, phase, plan, provides);
    let mut links = Vec::new();
    let mut link = |name: String, relation| {
        let own = names.contains(&name);
        let link = DocumentLink { from_key: id.clone(), to_name: name, relation };
        if !own && link.to_name.len() > "plan ".len() && links.len() < MOST_LINKS && !links.contains(&link) {
            links.push(link);
        }
    };
    for required in requires {
        wanted(required).into_iter().for_each(|name| link(name, Relation::DerivedFrom));
    }
    for affected in affects.iter().flat_map(Yaml::texts) {
        link(name_of(affected), Relation::RelatedTo);
    }
    let names = names.into_iter().map(|name| DocumentName { name, key: MemoryId::clone(&id) }).collect();
    Learnt { drafts: vec![draft], links, names }
}

fn told(outline: &Outline, front: &Yaml, requires: &[Yaml], provides: &[Yaml], affects: &[Yaml]) -> String {
    let mut text = String::new();
    let paragraphs = outline.sections.iter().flat_map(|section| &section.blocks);
    let mut first = paragraphs.filter_map(|block| match block {
        Block::Paragraph(text) => Some(prose::plain(text)),
        _ => None,
    });
    if let Some(first) = first.find(|text| text.split_whitespace().count() >= 5) {
        text.push_str(&prose::cut(&first, 300));
        text.push('\n');
    }
    let decisions = front.any(&["key-decisions", "key_decisions", "decisions"]).map(Yaml::items).unwrap_or_default();
    let patterns = front.any(&["patterns-established", "patterns_established"]).map(Yaml::items).unwrap_or_default();
    let parts = [
        ("Provides", provides),
        ("Requires", requires),
        ("Affects", affects),
        ("Decided", decisions),
        ("Patterns", patterns),
    ];
    for (label, items) in parts {
        let said: Vec<String> = items
            .iter()
            .map(|item| prose::cut(&item.texts().join(": "), LINE))
            .filter(|line| !line.is_empty())
            .take(8)
            .collect();
        if !said.is_empty() {
            let short = said.iter().all(|line| line.len() < 40);
            let joined = if short { format!(" {}", said.join(", ")) } else { format!("\n- {}", said.join("\n- ")) };
            text.push_str(&format!("{label}:{joined}\n"));
        }
    }
    text.trim_end().to_owned()
}

/// One spelling for `Phase 03: Stash-Creator`, `phase-03-stash-creator` and `03-stash-creator`.
fn name_of(text: &str) -> String {
    let folded = prose::fold(prose::head(text, 200));
    let bare = folded.strip_prefix("phase ").unwrap_or(&folded);
    format!("plan {bare}")
}

/// All that others may call this piece of work.
fn names(path: &str, title: &str, phase: Option<&str>, plan: Option<&str>, provides: &[Yaml]) -> Vec<String> {
    let stem = path.rsplit('/').next().unwrap_or(path);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let stem = ["-SUMMARY", "-PLAN", "_SUMMARY", "_PLAN"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
    let mut names = vec![name_of(title), name_of(stem)];
    if let Some(phase) = phase {
        let number: String =
            prose::fold(phase).trim_start_matches("phase ").chars().take_while(char::is_ascii_digit).collect();
        let mut ways = vec![phase.to_owned(), number.clone()];
        if let Some(plan) = plan {
            ways.extend([format!("{phase}-{plan}"), format!("{number}-{plan}")]);
        }
        names.extend(ways.iter().filter(|way| !way.is_empty()).map(|way| name_of(way)));
    }
    names.extend(provides.iter().flat_map(Yaml::texts).take(MOST_LINKS).map(name_of));
    names.sort();
    names.dedup();
    names.retain(|name| name.len() > "plan ".len());
    names
}

/// The names that a requirement asks for: a bare word, or a phase with what it provides.
fn wanted(required: &Yaml) -> Vec<String> {
    if let Some(text) = required.text() {
        return vec![name_of(text)];
    }
    let field = |name: &str| required.get(name).and_then(Yaml::text);
    let mut names = Vec::new();
    match (field("phase"), field("plan")) {
        (Some(phase), Some(plan)) => names.push(name_of(&format!("{phase}-{plan}"))),
        (Some(phase), None) => names.push(name_of(phase)),
        _ => {}
    }
    let provided = required.any(&["provides", "name", "id"]).map(Yaml::texts).unwrap_or_default();
    names.extend(provided.into_iter().take(8).map(name_of));
    names
}
