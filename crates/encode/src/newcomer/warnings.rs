//! What comments warn of: SAFETY, HACK, FIXME, and what must not be touched, at the definition they stand in. Plans,
//! wishes and reminders to write tests are none.

use std::collections::BTreeSet;

use super::{draft, paths};
use crate::code::{Definition, DefinitionKind, Language};
use crate::prose;
use lokid_model::{Draft, Kind};

const MOST_OF_FILE: usize = 5;
const MOST_SAFETY: usize = 2;
const LONGEST: usize = 400;
const MOST_LINES: usize = 10;

/// One warning, as the code says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// The definition it stands in, or right above.
    pub symbol: String,
    pub text: String,
}

impl Warning {
    pub fn draft(&self, path: &str) -> Draft {
        let place = if self.symbol.is_empty() { format!("`{path}`") } else { format!("`{}` in {path}", self.symbol) };
        let about = format!("warning\0{path}\0{}\0{}", self.symbol, prose::fold(&self.text));
        Draft {
            title: prose::cut(&self.text, 100),
            symbols: Some(self.symbol.clone()).filter(|symbol| !symbol.is_empty()).into_iter().collect(),
            importance: Some(0.4),
            confidence: Some(0.8),
            ..draft(Kind::Note, &about, format!("{place}: {}", self.text), path)
        }
    }
}

/// The marks comments open with, and how much they must say.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Safety,
    /// Something is wrong here, and said to be.
    Wrong,
    /// Worth telling only with a danger in it.
    Remark,
}

const MARKS: &[(&str, Mark)] = &[
    ("SAFETY", Mark::Safety),
    ("HACK", Mark::Wrong),
    ("FIXME", Mark::Wrong),
    ("XXX", Mark::Wrong),
    ("BUG", Mark::Wrong),
    ("WARNING", Mark::Remark),
    ("WARN", Mark::Remark),
    ("CAUTION", Mark::Remark),
    ("DANGER", Mark::Remark),
    ("IMPORTANT", Mark::Remark),
    ("CAVEAT", Mark::Remark),
    ("NOTE", Mark::Remark),
    ("NB", Mark::Remark),
    ("TODO", Mark::Remark),
];

#[rustfmt::skip]
const DANGERS: &[&str] = &[
    "must not", "must be", "must come", "must happen", "must never", "must stay", "must match", "must hold",
    "must run", "do not", "don't remove", "don't change", "don't call", "don't use", "never ", "deadlock", " race",
    "otherwise", "workaround", "work around", "works around", "breaks", "would break", "will break", "leak",
    "order matters", "order is important", "in sync", "undefined behavior", "unsound", "relies on", "careful",
    "corrupt", "overflow", "backward", "compatibility", "has to be", "have to be", "infinite", " hang", "panic",
    "security", "vulnerab", "intentional", "on purpose", "deliberate",
];

/// What somebody who changes the code has to keep up.
const OBLIGATIONS: &[&str] =
    &["must", "caller", "guarantee", "because", "never", "as long as", "ensure", "relies", "only ", "require"];
/// Why something is as it is.
#[rustfmt::skip]
const CAUSES: &[&str] = &[
    "because", "bug", "wrong", "incorrect", "http", "#", "until", "once ", "fail", "should not", "shouldn't",
    "broken", "temporar", "hack", "since ", "doesn't work", "does not work", "not supported", "so that", "issue",
    "legacy", "needed", "required",
];

/// Of one file. `definitions` are those of its outline.
pub fn warnings(language: Language, path: &str, text: &str, definitions: &[Definition]) -> Vec<Warning> {
    if !paths::is_source(path) {
        return Vec::new();
    }
    let hash = language == Language::Python;
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<(Mark, Warning)> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let opened = comment(lines[at], hash).and_then(marked);
        let Some((mark, name, first)) = opened else {
            at += 1;
            continue;
        };
        let start = at;
        let mut words = first.to_owned();
        at += 1;
        // The rest of the comment, up to a gap or the next mark.
        while at < lines.len() && at - start < MOST_LINES {
            let Some(more) = comment(lines[at], hash).filter(|more| !more.is_empty() && marked(more).is_none()) else {
                break;
            };
            words.push(' ');
            words.push_str(more);
            at += 1;
        }
        let words = prose::collapse(prose::head(&words, 2_000));
        let is_tested =
            definitions.iter().any(|one| is_test(one) && one.line as usize <= start && start < one.end_line as usize);
        if !is_tested && worth(mark, name, &words) {
            let symbol = symbol(definitions, start as u32 + 1, at as u32);
            found.push((mark, Warning { symbol, text: format!("{name}: {words}") }));
        }
    }
    let mut said = BTreeSet::new();
    found.retain(|(_, warning)| said.insert(warning.text.clone()));
    let mut safety = 0;
    found.retain(|(mark, _)| {
        *mark != Mark::Safety || {
            safety += 1;
            safety <= MOST_SAFETY
        }
    });
    found.sort_by_key(|(mark, _)| *mark == Mark::Safety);
    found.truncate(MOST_OF_FILE);
    found.into_iter().map(|(_, warning)| warning).collect()
}

/// Shortened to whole sentences, after secrets are gone.
pub fn shortened(text: &str) -> String {
    prose::cut(text, LONGEST)
}

/// The words of a line that is a comment and nothing else.
fn comment(line: &str, hash: bool) -> Option<&str> {
    let line = prose::head(line.trim(), 400);
    let words = if hash {
        line.strip_prefix('#')?.trim_start_matches('#')
    } else {
        let start =
            ["///", "//!", "//", "/**", "/*", "*/", "*"].into_iter().find_map(|start| line.strip_prefix(start))?;
        start.strip_suffix("*/").unwrap_or(start)
    };
    Some(words.trim())
}

/// `FIXME(name): words`
fn marked(words: &str) -> Option<(Mark, &'static str, &str)> {
    let words = words.trim_start_matches(['@', '!', '*', '[', ' ']);
    let (name, mark) = MARKS.iter().find(|(name, _)| {
        words.get(..name.len()).is_some_and(|start| {
            start.eq_ignore_ascii_case(name)
                && (start == *name || *name == "SAFETY" || *name == "NOTE" || *name == "WARNING")
        })
    })?;
    let rest = &words[name.len()..];
    let rest = match rest.strip_prefix('(') {
        Some(owner) => owner.split_once(')')?.1,
        None => rest,
    };
    let is_loose = words.starts_with(name) && !matches!(*name, "NOTE" | "BUG" | "IMPORTANT");
    let said = rest.trim_start().strip_prefix([':', ']', '-', '*', '!']);
    let said = said.or_else(|| rest.strip_prefix(' ').filter(|_| is_loose))?;
    Some((*mark, name, said.trim_start_matches(['*', ':', '-', ' '])))
}

fn worth(mark: Mark, name: &str, words: &str) -> bool {
    if words.ends_with(['?', ':', ',']) {
        return false;
    }
    let count = words.split_whitespace().count();
    let lower = words.to_lowercase();
    let danger = || DANGERS.iter().any(|danger| lower.contains(danger));
    match mark {
        Mark::Safety => count >= 12 && OBLIGATIONS.iter().any(|word| lower.contains(word)),
        Mark::Wrong => count >= 7 && (danger() || CAUSES.iter().any(|word| lower.contains(word))),
        Mark::Remark if name == "TODO" => {
            count >= 8 && danger() && !lower.starts_with("add ") && !lower.contains("write test")
        }
        Mark::Remark => count >= 7 && danger(),
    }
}

fn is_test(definition: &Definition) -> bool {
    definition.kind == DefinitionKind::Test
        || definition.kind == DefinitionKind::Module && ["test", "tests"].contains(&definition.name.as_str())
}

/// The innermost definition around the lines, or the one that begins right behind them.
fn symbol(definitions: &[Definition], start: u32, end: u32) -> String {
    let behind = definitions.iter().find(|one| one.line > end && one.line <= end + 2);
    let around = definitions.iter().filter(|one| one.line <= start && start <= one.end_line);
    let around = around.min_by_key(|one| one.end_line - one.line);
    behind.or(around).map(|one| one.name.clone()).unwrap_or_default()
}
