//! What a build service checks before a change is taken: the jobs that run on pull requests, with their commands.

use std::collections::BTreeSet;

use super::{Project, fact};
use crate::{
    prose,
    workflows::{self, Job, Pipeline, Target},
};
use lokid_model::Draft;

/// Workflows that are told of, and jobs of one.
const MOST_SERVICES: usize = 3;
const MOST_JOBS: usize = 8;
const MOST_COMMANDS: usize = 5;
const LONGEST_COMMAND: usize = 90;
const LONGEST: usize = 480;
const LONGEST_RUN: usize = 120;

/// Programs and targets that check something.
#[rustfmt::skip]
const CHECKS: &[&str] = &[
    "test", "tests", "check", "build", "lint", "clippy", "fmt", "format", "typecheck", "tsc", "mypy", "pyright",
    "tox", "nox", "pytest", "vet", "eslint", "ruff", "black", "flake8", "golangci-lint", "staticcheck", "gofmt",
    "doc", "docs", "rustdoc", "clang-format", "ctest", "jest", "vitest", "mocha", "gradlew", "mvn", "nextest", "miri",
    "hack", "deny", "semver-checks", "pre-commit", "prettier", "types", "verify", "unit", "e2e", "bench", "stubtest",
    "coverage",
];

/// Words of commands that only make ready.
#[rustfmt::skip]
const PREPARES: &[&str] = &[
    "install", "add", "sync", "update", "apt-get", "brew", "pip", "rustup", "fetch", "download", "git", "curl", "docker", "cd",
    "echo", "(echo", "mkdir", "export", "grep", "cp", "mv", "cat", "sed",
];

/// What a shell does by itself.
#[rustfmt::skip]
const SHELL: &[&str] = &[
    "if", "fi", "else", "for", "done", "echo", "@echo", "set", "exit", "mkdir", "rm", "touch", "cd", "printf", "while", "hash", "test",
    "which", "command",
];

#[derive(Debug)]
pub(super) struct Service<'a> {
    path: &'a str,
    pipeline: Pipeline,
}

impl Service<'_> {
    fn calls(&self) -> Vec<String> {
        let uses = self.pipeline.jobs.iter().flat_map(|job| &job.uses);
        uses.filter_map(|uses| uses.strip_prefix("./")).map(str::to_owned).collect()
    }
}

/// What looks after the repository rather than the change.
fn is_aside(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "audit", "stress", "bench", "release", "publish", "fuzz", "label", "nightly", "codeql", "dependency", "stale",
        "deploy", "scorecard", "zizmor", "autofix", "comment", "lock", "changelog", "size", "triage", "welcome", "pypi",
        "upload", "wheel", "docker", "diff", "ecosystem", "nix", "milestone", "preview",
    ];
    NAMES.iter().any(|part| name.contains(part))
}

/// The workflows that judge a change.
pub(super) fn services<'a>(project: &Project<'a>) -> Vec<Service<'a>> {
    let mut found = Vec::new();
    for (path, text) in project.texts {
        let Some(pipeline) = workflows::which(path).and_then(|kind| workflows::pipeline(kind, text)) else { continue };
        found.push(Service { path, pipeline });
    }
    let judges = |service: &Service<'_>| {
        let events = &service.pipeline.events;
        events.is_empty() || events.iter().any(|event| event == "pull_request")
    };
    // A workflow that judges may hand its work to others.
    let handed: BTreeSet<String> = found.iter().filter(|service| judges(service)).flat_map(Service::calls).collect();
    found.retain(|service| (judges(service) || handed.contains(service.path)) && !is_aside(service.path));
    found
}

/// The first command of any of them that begins with these words, as it can be typed.
pub(super) fn command(services: &[Service<'_>], starts: &[&str]) -> Option<(String, String)> {
    for service in services {
        for line in service.pipeline.jobs.iter().flat_map(|job| &job.lines) {
            let parts = workflows::parts(line);
            let typed = parts.iter().find(|part| starts.iter().any(|start| begins(part, start)));
            if let Some(part) = typed.filter(|part| !part.contains("${{") && !part.contains('$')) {
                return Some((part.clone(), service.path.to_owned()));
            }
        }
    }
    None
}

fn begins(line: &str, start: &str) -> bool {
    line.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

pub(super) fn facts(services: &[Service<'_>]) -> Vec<Draft> {
    let mut told: Vec<(usize, Vec<String>, Draft)> = Vec::new();
    for service in services {
        let jobs: Vec<String> = service.pipeline.jobs.iter().filter_map(job).collect();
        if jobs.is_empty() {
            continue;
        }
        let left = jobs.len().saturating_sub(MOST_JOBS);
        let more = if left > 0 { format!("; and {left} more jobs") } else { String::new() };
        let value = format!("{}{more}", jobs.iter().take(MOST_JOBS).cloned().collect::<Vec<_>>().join("; "));
        let value = prose::cut(&value, LONGEST);
        let stem = service.path.rsplit('/').next().unwrap_or(service.path);
        let stem = stem.trim_start_matches('.').rsplit_once('.').map_or(stem, |(stem, _)| stem);
        let text = format!("CI on pull requests ({}): {value}", service.path);
        let all: Vec<String> = service.pipeline.jobs.iter().flat_map(commands).collect();
        let tests = all.iter().filter(|line| ["test", "tox", "nox"].iter().any(|word| line.contains(word))).count();
        let weight = all.len() + 3 * tests;
        told.push((weight, all, fact("ci.checks", stem, value, text, service.path)));
    }
    told.sort_by_key(|(weight, ..)| std::cmp::Reverse(*weight));
    // Another runtime or branch that is checked the same way is no news.
    let mut known: BTreeSet<String> = BTreeSet::new();
    told.retain(|(_, commands, _)| commands.iter().filter(|line| known.insert((*line).clone())).count() > 0);
    told.into_iter().take(MOST_SERVICES).map(|(.., draft)| draft).collect()
}

/// `test (ubuntu, windows): cargo build → cargo test`
fn job(job: &Job) -> Option<String> {
    let commands = commands(job);
    if commands.is_empty() {
        return None;
    }
    let systems = if job.systems.len() > 1 { format!(" ({})", job.systems.join(", ")) } else { String::new() };
    Some(format!("{}{systems}: {}", prose::cut(&job.name, 40), commands.join(" → ")))
}

fn is_check(command: &str) -> bool {
    let prepares = command.split(' ').take(4).any(|word| PREPARES.contains(&word)) || command.starts_with("npm ci");
    let halves = |word: &str| {
        if word.starts_with('-') { Vec::new() } else { word.split([':', '/', '.', '-']).map(str::to_owned).collect() }
    };
    let tells = |word: &str| CHECKS.contains(&word) || word.ends_with("test") && word != "latest";
    let mut words = command.split(' ').take(8);
    !prepares
        && !command.contains("$(")
        && (command == "make ci" || words.any(|word| tells(word) || halves(word).iter().any(|half| tells(half))))
}

fn commands(job: &Job) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in job.lines.iter().flat_map(|line| workflows::parts(line)) {
        let part = readable(&part);
        if is_check(&part) && !found.contains(&part) && found.len() < MOST_COMMANDS {
            found.push(part);
        }
    }
    for uses in &job.uses {
        let name = uses.rsplit('/').next().unwrap_or(uses);
        let known = ["golangci-lint-action", "cargo-deny-action", "pre-commit-action", "typos", "super-linter"];
        let name_told = name.trim_end_matches("-action").to_owned();
        if known.contains(&name) || uses == "pre-commit/action" {
            found.push(if name == "action" { "pre-commit".to_owned() } else { name_told });
        }
    }
    found.truncate(MOST_COMMANDS);
    found
}

/// What the service puts in is left out; it differs from run to run.
fn readable(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("${{") {
        out.push_str(&rest[..at]);
        let Some(end) = rest[at..].find("}}") else { break };
        out.push('…');
        rest = &rest[at + end + 2..];
    }
    out.push_str(rest);
    let line = prose::collapse(&out);
    let line = line.trim_start_matches(|c: char| c == '…' || c.is_whitespace());
    prose::cut(without_settings(line), LONGEST_COMMAND)
}

/// A command without the settings before it.
pub(super) fn without_settings(line: &str) -> &str {
    std::iter::successors(Some(line), |line| without_setting(line)).last().unwrap_or(line)
}

/// `NAME=value command`, `NAME="two words" command`
fn without_setting(line: &str) -> Option<&str> {
    let (name, value) = line.split_once('=')?;
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    if !is_name {
        return None;
    }
    let quote = value.chars().next().filter(|first| ['"', '\''].contains(first));
    let end = match quote {
        Some(quote) => value[1..].find(quote)? + 2,
        None => value.find(' ')?,
    };
    value.get(end..).map(str::trim_start)
}

/// What a target runs, in short.
pub(super) fn runs(target: &Target) -> Option<String> {
    // Switches of the shell and of make are nobody's work.
    let is_work = |line: &&str| {
        let word = line.split_whitespace().next().unwrap_or("").trim_end_matches(';');
        !SHELL.contains(&word)
            && !word.starts_with(['$', '{', '(', '[', '#', '"'])
            && !word.contains('=')
            && !line.contains("$$")
    };
    let lines: Vec<String> = target
        .commands
        .iter()
        .map(|line| without_settings(line))
        .filter(is_work)
        .map(|line| prose::cut(line, LONGEST_RUN))
        .collect();
    let said = if lines.is_empty() { target.before.iter().take(6).cloned().collect() } else { lines };
    let more = if said.len() > 3 { "; …" } else { "" };
    let joined = said.iter().take(3).cloned().collect::<Vec<_>>().join("; ");
    (!joined.is_empty()).then(|| format!("{}{more}", prose::cut(&joined, 2 * LONGEST_RUN)))
}
