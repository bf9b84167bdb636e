//! How to build, test, lint, format and type-check, from what the files of the build say. Targets that people named for
//! it come first, then what the tools of the language are. It must not guess: without a file that says so, nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::checks::runs;
use super::{Answer, Project, checks, fact, node, others, paths, python, rust};
use crate::code::Language;
use crate::workflows::{self, Target, WorkflowFile};
use lokid_model::Draft;

/// How each key is told to a reader, in the order of reading.
const WORDS: &[(&str, &str)] = &[
    ("language.minimum", "Needs"),
    ("package.manager", "Package manager"),
    ("build", "Build"),
    ("test.all", "Run all tests"),
    ("test.one", "Run one test"),
    ("lint", "Lint"),
    ("format", "Format"),
    ("typecheck", "Type-check"),
    ("docs", "Build the docs"),
    ("release", "Release"),
];

/// Names of targets that mean one of the keys, most telling first.
const NAMES: &[(&str, &[&str])] = &[
    ("build", &["build", "compile", "all"]),
    ("test.all", &["test", "tests", "test-all", "test:all", "check"]),
    ("lint", &["lint", "lint:all", "lint:check", "style"]),
    ("format", &["fmt", "format", "format:write", "fix"]),
    ("typecheck", &["typecheck", "type-check", "check-types", "types", "mypy", "check:types", "ts:check"]),
    ("docs", &["docs", "doc", "docs:build", "docs-build", "build:docs"]),
    ("release", &["release", "publish"]),
];
/// Facts about commands, versions and checks.
pub fn commands(project: &Project<'_>) -> Vec<Draft> {
    let services = checks::services(project);
    let shares = shares(project.paths);
    let mut told: Vec<(String, Vec<Answer>)> = Vec::new();
    let mut add = |scope: &str, answers: Vec<Answer>| {
        if !answers.is_empty() {
            told.push((scope.to_owned(), answers));
        }
    };
    if is_spoken(&shares, "rust") {
        add("rust", rust::answers(project, &services));
    }
    if is_spoken(&shares, "python") {
        add("python", python::answers(project, &services));
    }
    if is_spoken(&shares, "javascript") {
        add("javascript", node::answers(project));
    }
    if is_spoken(&shares, "go") {
        add("go", others::go(project, &services));
    }
    if is_spoken(&shares, "java") {
        add("java", others::java(project));
    }
    if is_spoken(&shares, "c") {
        add("c", others::cmake(project));
    }
    // The language most of it is written in needs no name.
    told.sort_by_key(|(scope, _)| std::cmp::Reverse(shares.get(scope.as_str()).copied().unwrap_or(0)));
    if let Some((scope, answers)) = told.first_mut() {
        scope.clear();
        for answer in tasks(project) {
            // One test is run by the runner itself, whatever the target for all of them is called.
            answers.retain(|other| other.key != answer.key);
            answers.push(answer);
        }
    } else {
        told.push((String::new(), tasks(project)));
    }
    let mut facts: Vec<Draft> = Vec::new();
    for (key, words) in WORDS {
        for (scope, answers) in &told {
            facts.extend(answers.iter().find(|answer| answer.key == *key).map(|answer| {
                let of = if scope.is_empty() { String::new() } else { format!(" ({scope})") };
                let text = format!("{words}{of}: {}", answer.value);
                let importance = if matches!(*key, "docs" | "release" | "package.manager") { 0.45 } else { 0.6 };
                Draft { importance: Some(importance), ..fact(key, scope, answer.value.clone(), text, &answer.source) }
            }));
        }
    }
    facts.extend(checks::facts(&services));
    facts
}

/// How many files of the program are written in what.
fn shares(paths: &[String]) -> BTreeMap<&'static str, usize> {
    let mut shares = BTreeMap::new();
    for path in paths.iter().filter(|path| !paths::is_foreign(path)) {
        let name = match Language::of(path) {
            Some(Language::Rust) => "rust",
            Some(Language::Python) => "python",
            Some(Language::JavaScript | Language::TypeScript | Language::Tsx) => "javascript",
            Some(Language::Go) => "go",
            Some(Language::Java) => "java",
            Some(Language::C | Language::Cpp) => "c",
            None if path.ends_with(".kt") => "java",
            None if path.ends_with(".vue") || path.ends_with(".svelte") => "javascript",
            None => continue,
        };
        *shares.entry(name).or_insert(0) += 1;
    }
    shares
}

/// A script or two in another language need no setting up.
fn is_spoken(shares: &BTreeMap<&'static str, usize>, language: &str) -> bool {
    let all: usize = shares.values().sum();
    shares.get(language).is_some_and(|own| own * 6 >= all)
}

/// What targets at the top are called says what they do.
fn tasks(project: &Project<'_>) -> Vec<Answer> {
    let kinds = [WorkflowFile::Justfile, WorkflowFile::Makefile, WorkflowFile::Taskfile, WorkflowFile::Pyproject];
    let mut found: Vec<Answer> = Vec::new();
    let mut seen = BTreeSet::new();
    for wanted in kinds {
        for (path, text) in project.texts.iter().filter(|(path, _)| workflows::which(path) == Some(wanted)) {
            if path.contains('/') {
                continue;
            }
            let targets = workflows::targets(wanted, text);
            for (key, names) in NAMES {
                let named = |name: &str| targets.iter().find(|target| last_word(&target.name) == name);
                let Some(target) = names.iter().find_map(|name| named(name)) else { continue };
                let Some(runs) = runs(target).filter(|_| means(key, target)) else { continue };
                if seen.insert(*key) {
                    let typed = format!("{}{}", wanted.runner(), target.name);
                    found.push(Answer::new(key, format!("`{typed}` ({runs})"), path.as_str()));
                }
            }
        }
    }
    found
}

/// `hatch run test` is called test.
fn last_word(name: &str) -> &str {
    name.rsplit([' ']).next().unwrap_or(name)
}

/// `check` and `all` are names of many things.
fn means(key: &str, target: &Target) -> bool {
    let name = last_word(&target.name);
    let does = || target.commands.iter().chain(&target.before).any(|line| line.contains("test"));
    match (key, name) {
        ("test.all", "check") => does(),
        ("build", "all") => target.before.iter().any(|name| name.contains("build")),
        ("format", "fix") => target.commands.iter().any(|line| line.contains("fmt") || line.contains("format")),
        _ => true,
    }
}
