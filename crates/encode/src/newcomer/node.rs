//! What a `package.json` says: engines, package manager, scripts, and the runner its tests use.

use std::collections::BTreeSet;

use serde_json::Value;

use super::checks::runs;
use super::{Answer, Project};
use crate::workflows::{self, Target, WorkflowFile};

const SCRIPTS: &[(&str, &[&str])] = &[
    ("build", &["build", "compile"]),
    ("test.all", &["test", "test:all", "tests"]),
    ("lint", &["lint", "lint:check", "lint:code", "check:lint", "eslint", "check"]),
    ("format", &["format:fix", "format:write", "format", "fmt", "prettier", "lint:fix", "lint-fix", "fix"]),
    ("typecheck", &["typecheck", "type-check", "check-types", "types", "tsc", "check:types", "test:types", "check"]),
    ("docs", &["docs:build", "build:docs"]),
];

pub(super) fn answers(project: &Project<'_>) -> Vec<Answer> {
    let Some((path, text)) = project.named("package.json").first().copied() else { return Vec::new() };
    // A package below the top is one of several, and none speaks for all.
    let Ok(manifest) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    if path.contains('/') {
        return Vec::new();
    }
    let mut told = Vec::new();
    if let Some(node) = manifest.pointer("/engines/node").and_then(Value::as_str) {
        told.push(Answer::new("language.minimum", format!("Node {node}"), path));
    }
    let (manager, source) = manager(project, &manifest);
    if let Some(source) = source {
        told.push(Answer::new("package.manager", format!("{manager} (`{manager} install`)"), source));
    }
    let targets = workflows::targets(WorkflowFile::PackageJson, text);
    let find = |name: &str| targets.iter().find(|target| target.name == name);
    for (key, names) in SCRIPTS {
        let named = names.iter().find_map(|name| find(name)).filter(|target| means(key, target));
        let Some(target) = named else { continue };
        let Some(runs) = runs(target) else { continue };
        let typed = match (manager, target.name.as_str()) {
            ("npm", "test") => "npm test".to_owned(),
            ("npm" | "bun", name) => format!("{manager} run {name}"),
            (_, name) => format!("{manager} {name}"),
        };
        told.push(Answer::new(key, format!("`{typed}` ({runs})"), path));
    }
    told.extend(
        find("test")
            .and_then(|test| one(project, test, &targets, manager))
            .map(|line| Answer::new("test.one", line, path)),
    );
    told
}

/// Who runs the scripts, and the file that says so.
fn manager(project: &Project<'_>, manifest: &Value) -> (&'static str, Option<&'static str>) {
    let declared = manifest.get("packageManager").and_then(Value::as_str).unwrap_or("");
    let known = ["pnpm", "yarn", "bun", "npm"].into_iter().find(|name| declared.starts_with(name));
    if let Some(name) = known {
        return (name, Some("package.json"));
    }
    let locks = [
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("bun.lock", "bun"),
        ("bun.lockb", "bun"),
        ("package-lock.json", "npm"),
    ];
    let lock = locks.into_iter().find(|(lock, _)| project.has(lock));
    lock.map_or(("npm", None), |(lock, name)| (name, Some(lock)))
}

fn means(key: &str, target: &Target) -> bool {
    let line = target.commands.join(" ");
    match (key, target.name.as_str()) {
        ("typecheck", "check" | "types" | "test:types") => line.contains("tsc") || line.contains("tsd"),
        ("test.all", _) => !line.contains("no test specified"),
        ("format", "lint:fix" | "lint-fix") => line.contains("--fix"),
        ("format", "fix") => line.contains("--fix") || line.contains("gts fix"),
        ("lint", "check") => ["gts", "eslint", "biome", "standard", "prettier"].iter().any(|tool| line.contains(tool)),
        _ => true,
    }
}

/// pnpm takes `"/^test:.*/"` for all that begin so.
fn is_called(name: &str, script: &str) -> bool {
    let begins = name.trim_matches(['"', '\'', '\\']).strip_prefix("/^").and_then(|rest| rest.strip_suffix(".*/"));
    begins.map_or(name == script, |start| script.starts_with(start))
}

/// One test, where the script for all of them leads to one runner.
fn one(project: &Project<'_>, test: &Target, targets: &[Target], manager: &str) -> Option<String> {
    let mut lines: Vec<&str> = Vec::new();
    let mut waiting = vec![test];
    let mut seen = BTreeSet::new();
    while let Some(target) = waiting.pop() {
        if seen.insert(target.name.as_str()) {
            lines.extend(target.commands.iter().map(String::as_str));
            let called = |line: &str| {
                let word = line.split_whitespace().filter(|word| !word.starts_with('-')).nth(2);
                let runs =
                    line.starts_with("npm run ") || line.starts_with("pnpm run ") || line.starts_with("yarn run ");
                word.filter(|_| runs).map(str::to_owned)
            };
            let names = target
                .before
                .iter()
                .chain(&target.after)
                .cloned()
                .chain(target.commands.iter().filter_map(|line| called(line)));
            let names: Vec<String> = names.collect();
            let is_meant = |other: &&Target| names.iter().any(|name| is_called(name, &other.name));
            waiting.extend(targets.iter().filter(is_meant));
        }
    }
    let runners = ["vitest", "jest", "mocha", "ava", "tap", "borp", "jasmine"];
    let has = |runner: &str, line: &str| line.split([' ', '/']).any(|word| word == runner);
    let found: Vec<(&str, &str)> = runners
        .iter()
        .flat_map(|runner| lines.iter().filter(|line| has(runner, line)).map(|line| (*runner, *line)))
        .collect();
    let by_node = lines.iter().any(|line| line.starts_with("node --test"));
    let names: BTreeSet<&str> = found.iter().map(|(runner, _)| *runner).collect();
    let (runner, line) = match (names.len(), by_node) {
        (1, false) => found[0],
        (0, true) => ("node", ""),
        _ => return None,
    };
    let exec = match manager {
        "pnpm" => "pnpm",
        "yarn" => "yarn",
        "bun" => "bunx",
        _ => "npx",
    };
    let is_folder =
        |word: &str| project.paths.iter().any(|path| path.strip_prefix(word).is_some_and(|rest| rest.starts_with('/')));
    let (folder, ending) = named_files(line, &is_folder);
    let file = example(project, &folder, &ending).unwrap_or("FILE");
    Some(match runner {
        "vitest" => format!("`{exec} vitest run {file} -t 'NAME'`"),
        "jest" => format!("`{exec} jest {file} -t 'NAME'`"),
        "mocha" => format!("`{exec} mocha{} {file} -g 'NAME'`", requires(line)),
        "node" => format!("`node --test --test-name-pattern='NAME' {file}`"),
        "ava" => format!("`{exec} ava {file} --match='NAME'`"),
        "borp" => format!("`{exec} borp {file}`"),
        "tap" => format!("`{exec} tap {file}`"),
        _ => format!("`{exec} jasmine {file} --filter='NAME'`"),
    })
}

/// What mocha needs to be told every time.
fn requires(line: &str) -> String {
    let mut words = line.split_whitespace();
    let mut kept = String::new();
    while let Some(word) = words.next() {
        if matches!(word, "--require" | "-r")
            && let Some(what) = words.next()
        {
            kept.push_str(&format!(" --require {what}"));
        }
    }
    kept
}

/// The folder that the runner is sent to, and what files there end in: `test/unit` and `.js` of `mocha ./test/unit/**/*.js`, `tests/`
/// of `mocha tests`.
fn named_files(line: &str, is_folder: &dyn Fn(&str) -> bool) -> (String, String) {
    let is_path = |word: &&str| word.contains('/') && !word.contains('=') && !word.starts_with(['-', '$', '.', '@']);
    let bare = |word: &'_ str| word.trim_matches(['"', '\'']).to_owned();
    let words: Vec<String> = line.split_whitespace().map(bare).collect();
    let mut words = words.iter().map(|word| word.strip_prefix("./").unwrap_or(word));
    while let Some(word) = words.next() {
        let is_setting = matches!(word, "--require" | "-r" | "--config" | "-c" | "--import" | "--loader");
        if is_setting {
            words.next();
        } else if is_path(&word) && !word.contains("bin/") {
            let literal = word.split(['*', '{']).next().unwrap_or(word);
            let ending = word.rsplit_once('*').map_or("", |(_, ending)| ending);
            let ending = if ending.starts_with('.') && !ending.contains(['{', '/', '(']) { ending } else { "" };
            let folder = literal.rsplit_once('/').map_or(literal, |(folder, _)| folder);
            return (folder.to_owned(), ending.to_owned());
        } else if is_folder(word) {
            return (format!("{word}/"), String::new());
        }
    }
    Default::default()
}

/// A test file that stands, the nearest to the top.
fn example<'a>(project: &Project<'a>, within: &str, ending: &str) -> Option<&'a str> {
    let is_test = |path: &&String| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_script = [".js", ".ts", ".tsx", ".mjs", ".cjs", ".mts"].iter().any(|end| name.ends_with(end));
        let marked = name.contains(".test.") || name.contains(".spec.") || name.contains("-test.");
        let inside = path.split('/').any(|part| ["test", "tests", "__tests__"].contains(&part));
        is_script
            && (marked || inside)
            && !super::paths::is_aside(path)
            && !super::paths::is_foreign(path)
            && !super::paths::is_for_browsers(path, &|path| project.has(path))
            && !path.contains("/support/")
            && !name.starts_with(['.', '_'])
    };
    let marks = |path: &&String| !(path.contains(".test.") || path.contains(".spec."));
    project
        .paths
        .iter()
        .filter(|path| path.starts_with(within) && path.ends_with(ending))
        .filter(is_test)
        .min_by_key(|path| (marks(path), path.matches('/').count(), path.len()))
        .map(String::as_str)
}
