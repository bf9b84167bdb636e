//! What is worth a lesson: which errors belong to the work and not to the room it was done in, which resolutions say what
//! helped, and which steps somebody needs to be told. It must not know what becomes of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::made::flat;
use lokid_model::{Body, Memory};

/// Said by the tools of an agent about its own handling of them.
const TOOLING: &[&str] = &[
    "tool_use_error",
    "string to replace not found",
    "file has not been read yet",
    "file has been modified since",
    "matches of the string to replace",
    "request interrupted",
    "user doesn't want to",
    "requires approval",
    "command timed out",
    "eisdir",
];
/// Somebody stood in the wrong place, or asked for what was not there yet.
const MISPLACED: &[&str] = &[
    "no such file or directory",
    "can't open file",
    "cannot open file",
    "file does not exist",
    "path does not exist",
    "cannot change to",
    "not a git repository",
    "error: not found:",
    "is not a valid editable requirement",
    "pathspec",
    "command not found",
    "already exists and is not an empty directory",
];
/// The machine lacks something: a lesson only with the way to get it.
const MISSING: &[&str] = &[
    "no module named",
    "modulenotfounderror",
    "cannot find module",
    "library not loaded",
    "externally-managed-environment",
    "subprocess-exited-with-error",
    "could not find a version that satisfies",
    "no matching distribution",
];
/// Words of errors that say that something failed, and not what.
const STOCK: &str = "a an the e in on at of to is was be with by and or for it its error errors err failed failure failures fail \
    failing assert assertion assertionerror assertionerro assertio false true none null syntaxerror invalid syntax exit code \
    status exception traceback most recent call last test tests testing fatal warning command process returned returncode \
    short summary info collected interrupted stopped after stopping during collection typeerror valueerror rated your out code has been run previous";
/// Programs that look, move about or set a room up.
const EVERYDAY: &str = "cd ls cat pwd echo printf grep rg egrep find fd head tail less more wc which type whoami date env export \
    source sleep clear stat file du df tree sed awk sort uniq diff jq rm cp mv mkdir touch chmod true false open read view glob \
    search list edit write create think todowrite task agent webfetch websearch multiedit notebookedit \
    pip pip3 conda kill pkill ps lsof timeout vim nano";
/// What git does beyond everyday.
const GIT_TELLING: &[&str] = &["tag", "push", "merge", "rebase", "cherry-pick", "bisect", "submodule", "lfs", "revert"];
const INTERPRETERS: &[&str] = &["python", "node", "ruby", "perl", "bash", "sh", "zsh"];
const TEST_WORDS: &[&str] =
    &["test", "tests", "pytest", "spec", "rspec", "jest", "vitest", "tox", "nox", "unittest", "ctest"];

/// Does this error tell of the surroundings, or of nothing at all? What lacks something is worth a word where the fix
/// brings it.
pub(super) fn is_noise(error: &str, fix: &str) -> bool {
    let lower = error.to_lowercase();
    let has = |list: &[&str]| list.iter().any(|sign| lower.contains(sign));
    // That a test failed while somebody worked on it is how work goes.
    let is_a_test = lower.contains("assertionerror") || lower.contains("::test") || lower.starts_with("error: test_");
    if has(TOOLING) || has(MISPLACED) || is_a_test || is_quoted_source(error) {
        return true;
    }
    if has(MISSING) {
        return !brings(fix, &lower);
    }
    let stock: BTreeSet<&str> = STOCK.split_whitespace().collect();
    let telling = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 2 && !stock.contains(word);
    let script = |c: char| !(c.is_alphanumeric() || c == '_');
    // A command that failed is told by what it said, not by its name.
    let named = lower.strip_suffix(" failed").filter(|command| is_everyday(command));
    named.is_some() || !lower.split(script).any(|word| telling(&word)) && lower.is_ascii()
}

/// A line of a program, or what a script of the moment printed: the error is elsewhere.
fn is_quoted_source(error: &str) -> bool {
    let text = error.trim_start();
    let begins = ["print(", "raise ", "echo ", "console.", "throw ", "return ", "✗", "❌", "✘", "if ", "assert "];
    begins.iter().any(|begin| text.starts_with(begin)) || text.contains("{e}") || text.contains("__name__")
}

/// Does the fix name what was missing?
fn brings(fix: &str, error: &str) -> bool {
    let fix = fix.to_lowercase();
    let installs = ["install", "add ", "pin ", "require", "build", "download", "upgrade"];
    if !installs.iter().any(|word| fix.contains(word)) {
        return false;
    }
    let named = error.split(['\'', '"', ' ', '.', '/', '`']).filter(|word| word.len() > 3 && !word.contains(':'));
    let mut named =
        named.filter(|word| !["module", "named", "library", "loaded", "cannot", "find", "error"].contains(word));
    named.any(|word| fix.contains(word))
}

/// What helped, without what only looked around. Nothing for what says no more than that it went away.
pub(super) fn fix_in(resolution: &str, scratch: &Scratch) -> Option<String> {
    let told = resolution.trim();
    if told == "passed when run again" {
        return None;
    }
    if let Some(edited) = told.strip_prefix("edited ") {
        let is_lasting = |part: &&str| !scratch.names(part.split(' ').next().unwrap_or(part));
        let kept: Vec<&str> = edited.split(", ").filter(is_lasting).collect();
        return (!kept.is_empty()).then(|| format!("edited {}", kept.join(", ")));
    }
    let Some(ran) = told.strip_prefix("ran ") else { return Some(told.to_owned()) };
    let mut kept = commands(ran);
    kept.retain(|part| !is_everyday(part) && !scratch.is_run_by(part));
    (!kept.is_empty()).then(|| format!("ran {}", kept.join(", ")))
}

/// Commands that were listed with commas, though they may hold commas themselves: within quotes nothing ends.
fn commands(list: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_open = false;
    for part in list.split(", ") {
        match found.last_mut() {
            Some(last) if is_open => last.push_str(&format!(", {part}")),
            _ => found.push(part.to_owned()),
        }
        let last = found.last().map_or("", String::as_str);
        let is_odd = |quote: char| last.matches(quote).count() % 2 == 1;
        is_open = !last.ends_with('…') && (is_odd('"') || is_odd('\'') || last.contains("<<"));
    }
    found
}

/// Is this command one that everybody knows, and that changes nothing for good?
pub(super) fn is_everyday(command: &str) -> bool {
    let lower = command.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().filter(|word| !word.contains('=')).collect();
    let Some(program) = words.first().map(|word| word.rsplit('/').next().unwrap_or(word)) else { return true };
    if words.windows(2).any(|pair| pair[1] == "install" && (pair[0].contains("pip") || pair[0] == "conda")) {
        // What is installed by name is a fix; the project itself is how everybody begins.
        let names = |word: &&&str| !word.starts_with('-') && !word.contains('/') && **word != ".";
        let is_project = words.iter().any(|word| matches!(*word, "-e" | "--editable"));
        let at = words.iter().position(|word| *word == "install").unwrap_or(0);
        let is_upgrade = words[at..].iter().any(|word| ["pip", "setuptools", "wheel"].contains(word));
        return is_upgrade || is_project || words[at + 1..].iter().filter(names).count() == 0;
    }
    if program == "git" {
        return !words.iter().skip(1).any(|word| GIT_TELLING.contains(word));
    }
    if ["setup.py", "manage.py"].iter().any(|script| words.iter().skip(1).take(2).any(|word| word.ends_with(script))) {
        return false;
    }
    if INTERPRETERS.contains(&program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')) {
        // What stands in the repository is run for a reason; what was written on the command line is a thought.
        let script = words.iter().skip(1).find(|word| !word.starts_with('-'));
        let is_there = script.is_some_and(|script| script.contains('/') && !script.starts_with(['/', '.', '"', '\'']));
        return (!words.contains(&"-m") || words.contains(&"pip")) && !is_there;
    }
    let is_word = program.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    !is_word || EVERYDAY.split_whitespace().any(|known| known == program)
}

/// What sort of step this is, for steps that somebody needs to be told: all ways to run tests are one.
fn sort_of<'s>(step: &'s str, scratch: &Scratch) -> Option<&'s str> {
    if is_everyday(step) || is_everyday(&format!("{step} .")) && step.contains("install") || scratch.is_run_by(step) {
        return None;
    }
    let words = || step.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_test = |word: &str| {
        TEST_WORDS.contains(&word) || word.starts_with("test_") || word.ends_with("_test") || word.ends_with("tests")
    };
    // `test_issue` is a script of the moment that stands for a run of tests.
    Some(if words().any(is_test) { "test" } else { step })
}

/// Do these steps make a way of doing something that a person would write down?
pub(super) fn is_way(steps: &[String], scratch: &Scratch) -> bool {
    steps.iter().filter_map(|step| sort_of(step, scratch)).collect::<BTreeSet<_>>().len() >= 2
}

/// A name for a way: the one it was found under where that tells what it is for, else what is done in it.
pub(super) fn name_of_way(found: &str, steps: &[String]) -> String {
    let plain = |name: &str| name.replace(['_', '-', ':'], " ");
    let is_bare = steps.iter().any(|step| step == found || step.ends_with(&format!(" {found}")));
    if !(is_bare || found.contains(" after ") || found.contains(" then ")) {
        return found.to_owned();
    }
    let mut verbs: Vec<String> = Vec::new();
    for step in steps.iter().filter(|step| !is_everyday(step)) {
        let verb = plain(step.rsplit([' ', '/']).find(|word| !word.starts_with('-')).unwrap_or(step));
        let verb = if TEST_WORDS.contains(&verb.as_str()) { "test".to_owned() } else { verb };
        if !verbs.contains(&verb) {
            verbs.push(verb);
        }
    }
    match verbs.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => found.to_owned(),
    }
}

/// Files made for the moment: whoever makes the same file again has thrown it away in between.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    paths: BTreeSet<String>,
    files: BTreeSet<String>,
}

impl Scratch {
    pub(super) fn of<'a>(memories: impl Iterator<Item = &'a Arc<Memory>>) -> Scratch {
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for memory in memories {
            let Body::Episode(episode) = &memory.body else { continue };
            let made: BTreeSet<&String> = episode.artifacts.iter().take(200).collect();
            made.into_iter().for_each(|path| *times.entry(flat(path, 200)).or_default() += 1);
        }
        let again = times.into_iter().filter(|(path, times)| *times >= 2 && path.contains('.')).map(|(path, _)| path);
        let paths: BTreeSet<String> = again.collect();
        let files = paths.iter().filter_map(|path| path.rsplit('/').next()).filter(|name| name.len() > 3);
        Scratch { files: files.map(str::to_owned).collect(), paths }
    }

    pub(super) fn names(&self, path: &str) -> bool {
        let path = path.trim_matches(['`', '"', '\'', ',']);
        self.paths.contains(path)
    }

    /// Does a command run such a file, by its name or without the ending?
    pub(super) fn is_run_by(&self, command: &str) -> bool {
        let words = command.split(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | ':' | '`'));
        let bare =
            |word: &str| self.files.iter().any(|file| file.rsplit_once('.').is_some_and(|(name, _)| name == word));
        words.into_iter().any(|word| self.files.contains(word) || word.len() > 3 && !word.contains(' ') && bare(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_is_not_the_work() {
        for noise in [
            "pwd && ls -la failed",
            "<tool_use_error>String to replace not found in file.",
            "File has not been read yet. Read it first before writing to it.",
            "ls: testbed: No such file or directory",
            "python3: can't open file 'test_issue.py': [Errno 2] No such file or directory",
            "ImportError: No module named pytest",
            "SyntaxError: invalid syntax",
            "E AssertionError: assert False",
            "FAILED (failures=1)",
            "print(f\"ERROR: {type(e).__name__}: {e}\")",
            "error: subprocess-exited-with-error",
            "E as",
            "Your code has been rated at 5.00/10 (previous run: 5.00/10, +0.00)",
        ] {
            assert!(is_noise(noise, ""), "{noise}");
        }
        for telling in [
            "database is locked by process 4711",
            "disk is full",
            "error[E0308]: mismatched types",
            "AttributeError: 'NoneType' object has no attribute 'loader'",
            "no such route was found",
            "接続が拒否されました",
        ] {
            assert!(!is_noise(telling, ""), "{telling}");
        }
        let missing = "ModuleNotFoundError: No module named 'asgiref'";
        assert!(!is_noise(missing, "ran python3.10 -m pip install asgiref sqlparse -q"));
        assert!(is_noise(missing, "ran pip install django"));
    }

    #[test]
    fn a_fix_says_what_helped() {
        let none = Scratch::default();
        let check = |told: &str, expect: Option<&str>| assert_eq!(fix_in(told, &none).as_deref(), expect, "{told}");
        check("passed when run again", None);
        check("ran pwd && ls -la, ls", None);
        check("ran git clone https://x/y.git testbed, pip install -e testbed", None);
        check(
            "ran python3 check.py, python3 -m pip install -q \"jinja2<3.1\"",
            Some("ran python3 -m pip install -q \"jinja2<3.1\""),
        );
        check("ran python3 -c \"from x import a, b; print(a)\", ls", None);
        check("edited src/a.rs (+ parse_utc)", Some("edited src/a.rs (+ parse_utc)"));
        check("close the other shell", Some("close the other shell"));
        check("ran alembic upgrade head", Some("ran alembic upgrade head"));
    }

    #[test]
    fn a_way_is_more_than_looking_around_and_testing() {
        let none = Scratch::default();
        let steps = |list: &[&str]| list.iter().map(|step| (*step).to_owned()).collect::<Vec<_>>();
        for way in [&["cargo test", "cargo build", "git push"][..], &["npm ci", "npm run lint", "npm run test"]] {
            assert!(is_way(&steps(way), &none), "{way:?}");
        }
        for none_at_all in
            [&["git clone", "git checkout", "pip install", "write"][..], &["edit", "pytest"], &["pytest", "runtests"]]
        {
            assert!(!is_way(&steps(none_at_all), &none), "{none_at_all:?}");
        }
        let name = |found: &str, list: &[&str]| name_of_way(found, &steps(list));
        assert_eq!(name("release", &["cargo test", "git tag"]), "release");
        assert_eq!(name("test", &["npm run lint", "npm run test", "npm run build"]), "lint, test and build");
    }
}
