//! Change logs: a short note for each of the newest releases, saying first what can break somebody's work.
//!
//! It must not repeat every line: what was broken, removed, deprecated or made safe is kept, of the rest the headlines.

use super::{Learnt, date, outline::*, piece, place};
use crate::encode::prose;
use crate::model::{Kind, Timestamp};

const MOST_RELEASES: usize = 20;
const MOST_HEAVY: usize = 8;
const MOST_LIGHT: usize = 4;
const LINE: usize = 180;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Breaking,
    Security,
    Removed,
    Deprecated,
    Changed,
    Added,
    Fixed,
    Chore,
}

impl Weight {
    fn label(self) -> &'static str {
        match self {
            Weight::Breaking => "Breaking",
            Weight::Security => "Security",
            Weight::Removed => "Removed",
            Weight::Deprecated => "Deprecated",
            Weight::Changed => "Changed",
            Weight::Added => "Added",
            Weight::Fixed => "Fixed",
            Weight::Chore => "Other",
        }
    }

    fn is_heavy(self) -> bool {
        self <= Weight::Deprecated
    }
}

struct Release {
    version: String,
    date: Option<Timestamp>,
    lines: Vec<(Weight, String)>,
    raw: String,
}

pub(super) fn learn(path: &str, outline: &Outline) -> Learnt {
    let scope = place::scope(path);
    let package = scope.rsplit('/').next().unwrap_or("");
    let mut drafts = Vec::new();
    for release in releases(outline)
        .into_iter()
        .filter(|release| release.lines.iter().any(|(weight, _)| *weight < Weight::Chore))
        .take(MOST_RELEASES)
    {
        let heavy = release.lines.iter().filter(|(weight, _)| weight.is_heavy()).count();
        let name = format!("{package} {}", release.version);
        let day = release.date.map_or(String::new(), |date| format!(" ({})", date.day()));
        let title = match release.version.as_str() {
            "unreleased" => format!("Unreleased changes {package}").trim_end().to_owned(),
            _ => format!("Release {}{day}", name.trim()),
        };
        let id = piece::key(Kind::Note, path, &["release", &release.version]);
        let mut draft = piece::draft(Kind::Note, path, id, &title, text(&title, &release.lines));
        draft.valid_at = release.date;
        draft.importance = Some(if heavy > 0 { 0.6 } else { 0.25 });
        draft.tags.extend(["changelog".to_owned(), "release".to_owned()]);
        for (weight, _) in release.lines.iter().filter(|(weight, _)| weight.is_heavy()) {
            piece::tag(&mut draft, &weight.label().to_lowercase());
        }
        piece::anchor(&mut draft, path, &release.raw);
        drafts.push(draft);
    }
    Learnt { drafts, ..Learnt::default() }
}

fn text(title: &str, lines: &[(Weight, String)]) -> String {
    let mut sorted: Vec<&(Weight, String)> = lines.iter().collect();
    sorted.sort_by_key(|(weight, _)| *weight);
    let (heavy, light): (Vec<&(Weight, String)>, Vec<_>) =
        sorted.into_iter().partition(|(weight, _)| weight.is_heavy());
    // Chores are counted, not told.
    let chores = light.iter().filter(|(weight, _)| *weight == Weight::Chore).count();
    let light = &light[..light.len() - chores];
    let room = if heavy.is_empty() { MOST_LIGHT } else { 2 };
    let mut out = format!("{title}:");
    for (weight, line) in heavy.iter().take(MOST_HEAVY).chain(light.iter().take(room)) {
        out.push_str(&format!("\n- {}: {line}", weight.label()));
    }
    let left = heavy.len().saturating_sub(MOST_HEAVY) + light.len().saturating_sub(room) + chores;
    if left > 0 {
        out.push_str(&format!("\n- and {left} more"));
    }
    out
}

fn releases(outline: &Outline) -> Vec<Release> {
    let version_of = |section: &Section| version(&section.heading);
    let Some(level) = usual_level(outline) else { return Vec::new() };
    let mut found: Vec<Release> = Vec::new();
    for section in &outline.sections {
        match version_of(section).filter(|_| section.level <= level) {
            Some(version) if section.level == level => found.push(Release {
                version,
                date: date::find(&section.heading),
                lines: Vec::new(),
                raw: String::new(),
            }),
            _ if section.level <= level && section.level > 0 && version_of(section).is_none() => {
                // A heading beside the releases that is none ends the list of the one before.
                if found.len() > MOST_RELEASES {
                    break;
                }
                continue;
            }
            _ => {}
        }
        if found.len() > 2 * MOST_RELEASES {
            break;
        }
        if let Some(release) = found.last_mut() {
            fill(release, section, level);
        }
    }
    found
}

/// The level on which most headings are versions.
fn usual_level(outline: &Outline) -> Option<usize> {
    let mut counts = [0usize; 7];
    for section in outline.sections.iter().filter(|section| version(&section.heading).is_some()) {
        counts[section.level.min(6)] += 1;
    }
    (1..=6).rev().max_by_key(|level| counts[*level]).filter(|level| counts[*level] > 0)
}

fn fill(release: &mut Release, section: &Section, level: usize) {
    let mut standing = if section.level > level { weight_of_heading(&section.heading) } else { None };
    let mut below = None;
    for block in &section.blocks {
        match block {
            Block::Paragraph(text) => {
                if release.date.is_none() && release.lines.is_empty() {
                    release.date = date::find(text);
                }
                let plain = prose::plain(text);
                // `Bug fixes:` before a list, as ripgrep and others write it.
                if plain.ends_with(':') && plain.split_whitespace().count() <= 5 {
                    standing = weight_of_heading(&plain);
                } else if let Some(weight @ (Weight::Breaking | Weight::Security)) = weight_of_line(&plain)
                    && !plain.to_lowercase().starts_with("released")
                {
                    release.lines.push((weight, line_of(&plain)));
                }
            }
            Block::Item { depth, text, .. } => {
                let plain = prose::plain(text);
                let plain = without_number(&plain);
                // `breaking:` as an item of its own heads the items below it.
                if *depth == 0 {
                    let heads = plain.ends_with(':') && plain.split_whitespace().count() <= 3;
                    below = if heads { weight_of_heading(plain).or_else(|| Some(weight_of_verb(plain))) } else { None };
                    if heads {
                        continue;
                    }
                } else if *depth > 1 || below.is_none() {
                    continue;
                }
                let marked = text.contains(":ghsa:") || text.contains(":cve:");
                let own = if marked { Some(Weight::Security) } else { weight_of_line(plain) };
                let weight = match (below.or(standing), own) {
                    (Some(weight), _) if weight.is_heavy() => weight,
                    (_, Some(weight)) => weight,
                    (Some(weight), None) => weight,
                    (None, None) => weight_of_verb(plain),
                };
                let line = line_of(plain);
                if line.chars().count() > 12 && release.lines.len() < 400 {
                    release.lines.push((weight, line));
                    if weight.is_heavy() && release.raw.len() < 4_000 {
                        release.raw.push_str(text);
                        release.raw.push('\n');
                    }
                }
            }
            _ => {}
        }
    }
}

/// `1.2.3`, `v2.0.0-rc.1`, `2024.05`, `Unreleased`: what a release is called, if the heading names one.
fn version(heading: &str) -> Option<String> {
    if prose::head(heading, 40).to_lowercase().contains("unreleased") {
        return Some("unreleased".to_owned());
    }
    heading.split([' ', '[', ']', '(', ')', '/', ',', ':', '|', '@']).find_map(|word| {
        let bare = word.trim_start_matches(['v', 'V']);
        let bare = bare.rsplit_once("-v").map_or(bare, |(_, version)| version);
        let mut parts = bare.split(['.', '-', '+']);
        let number = |part: Option<&str>| {
            part.is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let dotted = bare.find('.').is_some_and(|dot| dot > 0 && bare[..dot].bytes().all(|byte| byte.is_ascii_digit()));
        let is_version = dotted && number(parts.next()) && (number(parts.next()) || bare.ends_with(".x"));
        (is_version && bare.len() <= 40).then(|| bare.to_owned())
    })
}

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

fn weight_of_heading(heading: &str) -> Option<Weight> {
    let heading = prose::fold(heading);
    if has(&heading, &["breaking", "incompatible", "backward", "migration", "upgrade note"]) {
        Some(Weight::Breaking)
    } else if has(&heading, &["security", "vulnerab"]) {
        Some(Weight::Security)
    } else if has(&heading, &["removed", "removal", "dropped"]) {
        Some(Weight::Removed)
    } else if has(&heading, &["deprecat"]) {
        Some(Weight::Deprecated)
    } else if has(&heading, &["fix", "bug", "performance"]) {
        Some(Weight::Fixed)
    } else if has(&heading, &["added", "feature", "new", "enhancement", "improvement"]) {
        Some(Weight::Added)
    } else if has(&heading, &["changed", "change"]) {
        Some(Weight::Changed)
    } else if has(&heading, &["documentation", "docs", "internal", "chore", "dependencies", "other", "misc", "deps"]) {
        Some(Weight::Chore)
    } else {
        None
    }
}

/// What a line says by its own words, only where it says so plainly.
fn weight_of_line(line: &str) -> Option<Weight> {
    let lower = prose::head(line, 300).to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or("");
    if has(&lower, &["breaking change", "backwards incompatible", "backward incompatible", "backwards-incompatible"])
        || first == "breaking"
    {
        Some(Weight::Breaking)
    } else if has(&lower, &["cve-", "ghsa-", "security fix", "security issue", "security vulnerab", "security advisor"])
        || lower.starts_with("security:")
    {
        Some(Weight::Security)
    } else if has(&lower, &["deprecate", "deprecation"]) && !matches!(first, "fix" | "fixed" | "fixes") {
        let removal = matches!(first, "remove" | "removed" | "removes" | "drop" | "dropped" | "drops");
        Some(if removal { Weight::Removed } else { Weight::Deprecated })
    } else if has(
        &lower,
        &[
            "drop support",
            "dropped support",
            "drops support",
            "no longer support",
            "has been removed",
            "have been removed",
            "was removed",
            "were removed",
        ],
    ) {
        Some(Weight::Removed)
    } else {
        None
    }
}

fn weight_of_verb(line: &str) -> Weight {
    let folded = prose::fold(prose::head(line, 120));
    let mut words = folded.split(' ').filter(|word| !matches!(*word, "feat" | "bug" | "feature" | "perf"));
    if has(&folded, &[" been fixed", " is fixed", " are fixed"]) {
        return Weight::Fixed;
    }
    match words.next().unwrap_or("") {
        "remove" | "removed" | "removes" | "drop" | "dropped" | "drops" => Weight::Removed,
        "add" | "added" | "adds" | "new" | "support" | "allow" | "introduce" | "implement" => Weight::Added,
        "fix" | "fixed" | "fixes" | "prevent" | "bugfix" => Weight::Fixed,
        "deps" | "chore" | "docs" | "bump" | "typo" | "test" | "tests" | "ci" | "build" => Weight::Chore,
        _ => Weight::Changed,
    }
}

/// `BUG #3194, BUG #3212: the text` without the numbers of issues at its start.
fn without_number(plain: &str) -> &str {
    let Some((label, rest)) = plain.split_once(": ") else { return plain };
    let mut words = label.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
    let numbers = words.clone().any(|word| word.starts_with('#'));
    let only = words.all(|word| word.starts_with('#') || word.chars().all(|c| c.is_ascii_uppercase()));
    if numbers && only { rest.trim_start() } else { plain }
}

/// The line without the trailing thanks and numbers of pull requests.
fn line_of(plain: &str) -> String {
    let mut line = plain;
    loop {
        let before = line;
        line = line.trim_end_matches([' ', ',', ';']);
        if let Some(open) = line.strip_suffix(')').and_then(|inner| inner.rfind('(')) {
            let inside = &line[open + 1..line.len() - 1];
            if inside.starts_with('#') || inside.starts_with("http") || inside.starts_with('@') || is_commit(inside) {
                line = &line[..open];
            }
        }
        for by in [" - by ", " by @", " in #", " in http", " thanks @", " Thanks @"] {
            if let Some(at) = line.rfind(by) {
                line = &line[..at];
            }
        }
        if let Some(open) = line.strip_suffix('`').and_then(|inner| inner.rfind(" `")) {
            let inside = &line[open + 2..line.len() - 1];
            if !inside.is_empty() && inside.bytes().all(|byte| byte.is_ascii_digit() || byte == b',') {
                line = &line[..open];
            }
        }
        if line == before {
            return prose::cut(line, LINE);
        }
    }
}

fn is_commit(text: &str) -> bool {
    (7..=40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
