//! What is worth a lesson: which errors belong to the work and not to the room it was done in, which resolutions say what
//! helped, and which steps somebody needs to be told. It must not know what becomes of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::made::flat;
use lokid_model::{Body, Memory, noise};

/// What git does beyond everyday.
const GIT_TELLING: &[&str] = &["tag", "push", "merge", "rebase", "cherry-pick", "bisect", "submodule", "lfs", "revert"];
const INTERPRETERS: &[&str] = &["python", "node", "ruby", "perl", "bash", "sh", "zsh"];
const TEST_WORDS: &[&str] =
    &["test", "tests", "pytest", "spec", "rspec", "jest", "vitest", "tox", "nox", "unittest", "ctest"];

/// Does this error tell of the surroundings, or of nothing at all?
pub(super) fn is_noise(error: &str, fix: &str) -> bool {
    // A command that failed is told by what it said, not by its name.
    error.strip_suffix(" failed").is_some_and(is_everyday) || noise::is_noise(error, fix)
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
    !is_word || noise::is_everyday(program)
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
    fn a_command_that_failed_is_told_by_what_it_said() {
        assert!(is_noise("pwd && ls -la failed", ""));
        assert!(!is_noise("terraform apply failed", ""));
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
