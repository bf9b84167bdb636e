//! Targets of a build file become drafts: those of several steps a workflow each, the single commands one list.
//!
//! It must not know any notation: the readers beside it hand over named targets.

use std::collections::{BTreeMap, BTreeSet};

use super::{FileWorkflow, command};
use crate::encode::prose;
use crate::model::{Draft, Kind, MemoryId, Source};

pub(super) const MOST_BYTES: usize = 512 << 10;
pub(super) const MOST_TARGETS: usize = 200;
pub(super) const MOST_COMMANDS: usize = 40;
const MOST_WORKFLOWS: usize = 30;
const MOST_LISTED: usize = 40;
const MOST_STEPS: usize = 24;
const COMMAND: usize = 160;
const TEXT: usize = 2_500;

/// One named piece of work as a file states it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Target {
    pub(super) name: String,
    /// Targets that come first, in order.
    pub(super) before: Vec<String>,
    pub(super) commands: Vec<String>,
    /// Targets that come last.
    pub(super) after: Vec<String>,
    /// What its author says of it.
    pub(super) about: String,
    /// A step of others that nobody types.
    pub(super) hidden: bool,
}

pub(super) fn key(kind: Kind, path: &str, name: &str) -> MemoryId {
    let hash = blake3::hash(format!("{path}\0{name}").as_bytes()).to_hex();
    MemoryId::new(&format!("{}-file-{}", kind.id_prefix(), &hash.as_str()[..16]))
        .expect("hex and a prefix are path-safe")
}

pub(super) fn draft(kind: Kind, path: &str, name: &str, title: &str, text: String) -> Draft {
    let mut draft = Draft::new(kind, prose::head(&text, TEXT).to_owned());
    draft.id = Some(key(kind, path, name));
    draft.title = prose::cut(title, 100);
    draft.files = vec![path.to_owned()];
    draft.sources = vec![path.to_owned()];
    draft.source = Some(Source::Import);
    draft.tags = vec![if kind == Kind::Workflow { "workflow" } else { "commands" }.to_owned()];
    draft
}

/// The drafts of a file. `runner` is what is typed before the name of a target: `make`, `just`.
pub(super) fn tell(path: &str, runner: &str, targets: Vec<Target>) -> Vec<FileWorkflow> {
    let known: BTreeMap<&str, &Target> = targets.iter().map(|target| (target.name.as_str(), target)).collect();
    let (mut told, mut single) = (Vec::new(), Vec::new());
    for target in targets.iter().take(MOST_TARGETS).filter(|target| !target.hidden) {
        let said = said(target, &known);
        let steps = flattened(target, &known);
        if said.is_empty() {
            continue;
        }
        if said.len() < 2 {
            single.push(target);
        } else if told.len() < MOST_WORKFLOWS {
            told.push(workflow(path, runner, target, &said, steps));
        }
    }
    told.extend(listing(path, runner, &single));
    // One recipe a system: the first speaks for its namesakes.
    let mut seen = BTreeSet::new();
    told.retain(|workflow| workflow.draft.id.as_ref().is_some_and(|id| seen.insert(id.clone())));
    told
}

/// The steps as the hint names them: targets by their names, commands normalised.
fn said(target: &Target, known: &BTreeMap<&str, &Target>) -> Vec<String> {
    let named =
        |names: &[String]| names.iter().filter(|name| known.contains_key(name.as_str())).cloned().collect::<Vec<_>>();
    let mut said = named(&target.before);
    for step in command::normalise_all(target.commands.iter().map(String::as_str)) {
        if said.last() != Some(&step) {
            said.push(step);
        }
    }
    said.extend(named(&target.after));
    said
}

/// All commands that run, those of the targets before included, normalised. Circles are walked once.
fn flattened(target: &Target, known: &BTreeMap<&str, &Target>) -> Vec<String> {
    let mut lines: Vec<&str> = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    enum Visit<'a> {
        Target(&'a Target),
        Commands(&'a Target),
    }
    let mut waiting = vec![Visit::Target(target)];
    while let Some(visit) = waiting.pop() {
        match visit {
            Visit::Commands(target) => lines.extend(target.commands.iter().map(String::as_str)),
            Visit::Target(target) => {
                if !seen.insert(&target.name) || lines.len() > MOST_STEPS * 4 {
                    continue;
                }
                let find = |name: &String| known.get(name.as_str()).map(|found| Visit::Target(found));
                waiting.extend(target.after.iter().rev().filter_map(find));
                waiting.push(Visit::Commands(target));
                waiting.extend(target.before.iter().rev().filter_map(find));
            }
        }
    }
    let mut steps = command::normalise_all(lines.into_iter());
    steps.truncate(MOST_STEPS);
    steps
}

fn typed(runner: &str, name: &str) -> String {
    format!("{runner} {name}").trim().to_owned()
}

fn workflow(path: &str, runner: &str, target: &Target, said: &[String], steps: Vec<String>) -> FileWorkflow {
    let hint = command::hint(&target.name, said, 8);
    let mut text = format!("{}\n{hint}", typed(runner, &target.name));
    if !target.about.is_empty() {
        text.push_str(&format!("\n{}", prose::cut(&target.about, 200)));
    }
    if !target.before.is_empty() {
        text.push_str(&format!("\nfirst: {}", prose::cut(&target.before.join(", "), 200)));
    }
    for line in target.commands.iter().take(MOST_STEPS) {
        text.push_str(&format!("\n    {}", prose::cut(line, COMMAND)));
    }
    if !target.after.is_empty() {
        text.push_str(&format!("\nthen: {}", prose::cut(&target.after.join(", "), 200)));
    }
    let mut draft = draft(Kind::Workflow, path, &target.name, &typed(runner, &target.name), text);
    draft.summary = Some(hint);
    if !runner.is_empty() {
        draft.tags.push(runner.split(' ').next().unwrap_or(runner).to_owned());
    }
    draft.importance = Some(0.5);
    FileWorkflow { draft, steps }
}

/// Targets of one command are no sequence: one note says them all.
fn listing(path: &str, runner: &str, single: &[&Target]) -> Option<FileWorkflow> {
    if single.is_empty() {
        return None;
    }
    let mut text = format!("Commands of {path}:");
    for target in single.iter().take(MOST_LISTED) {
        let does = target.commands.first().map_or_else(|| target.before.join(", "), |line| prose::cut(line, 120));
        let about =
            if target.about.is_empty() { String::new() } else { format!(" ({})", prose::cut(&target.about, 80)) };
        text.push_str(&format!("\n- {}: {does}{about}", typed(runner, &target.name)));
    }
    if single.len() > MOST_LISTED {
        text.push_str(&format!("\n- and {} more", single.len() - MOST_LISTED));
    }
    let names: Vec<String> = single.iter().map(|target| target.name.clone()).collect();
    let mut draft = draft(Kind::Note, path, "", &format!("Commands of {path}"), text);
    draft.summary = Some(prose::cut(&format!("{path}: {}", names.join(", ")), 300));
    draft.importance = Some(0.5);
    Some(FileWorkflow { draft, steps: Vec::new() })
}
