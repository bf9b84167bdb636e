//! What everybody meets everywhere: programs that look around or set a room up, and errors that tell of the room, of the
//! tools or of nothing. One list, for whoever reads sessions and for whoever learns from them.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Said by the tools of an agent about its own handling of them, or by somebody who stood in the wrong place.
const ROOM: &[&str] = &[
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
    "unknown command",
    "unrecognized arguments",
    "operation not permitted",
    "could not resolve host",
    "already exists and is not an empty directory",
];
/// The machine lacks something: a lesson only with the way to get it.
const MISSING: &[&str] = &[
    "no module named",
    "modulenotfounderror",
    "cannot find module",
    "cannot import name",
    "library not loaded",
    "externally-managed-environment",
    "subprocess-exited-with-error",
    "could not find a version that satisfies",
    "no matching distribution",
];
/// That a test failed while somebody worked on it is how work goes.
const TESTS: &[&str] = &["assertionerror", "::test", "did not raise", "== failures ==", "failures="];
/// Words of errors that say that something failed, and not what.
const STOCK: &str = "a an the in on at of to is was be with by and or for it its err failed failure failures fail failing assert \
    assertion false true none null invalid syntax exit code status traceback most recent call last test tests testing fatal \
    warning command process returned returncode short summary info collected interrupted stopped after stopping during \
    collection rated your out has been run previous passed results deselected expected got";
/// What an error has to say beside its kind to be known again.
const FEWEST_WORDS: usize = 2;
const PROGRAMS: &str = "cd ls cat pwd echo printf grep rg egrep find fd head tail less more wc which type whoami date env export \
    source sleep clear stat file du df tree sed awk sort uniq diff jq rm cp mv mkdir touch chmod true false open read view glob \
    search list edit write create think todowrite task agent webfetch websearch multiedit notebookedit \
    pip pip3 conda kill pkill ps lsof timeout vim nano curl wget uname";

static STOCK_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| STOCK.split_whitespace().collect());
static PROGRAM_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| PROGRAMS.split_whitespace().collect());

/// Does everybody run this program anywhere, and change nothing for good by it?
pub fn is_everyday(program: &str) -> bool {
    PROGRAM_WORDS.contains(program)
}

/// Does this error tell of the surroundings? No matter of the project.
pub fn is_of_the_room(error: &str) -> bool {
    let lower = error.to_lowercase();
    has(&lower, ROOM) || has(&lower, MISSING)
}

/// Does this error tell of the surroundings, or of nothing at all? What lacks something is worth a word where the fix
/// brings it.
pub fn is_noise(error: &str, fix: &str) -> bool {
    let lower = error.to_lowercase();
    let begins = ["error: test_", "fail: ", "e assert"];
    let is_a_test = has(&lower, TESTS) || begins.iter().any(|begin| lower.starts_with(begin));
    if has(&lower, ROOM) || is_a_test || is_quoted(error) {
        return true;
    }
    if has(&lower, MISSING) {
        return !brings(fix, &lower);
    }
    let is_telling = |word: &&str| {
        let is_kind = word.ends_with("error") || word.ends_with("errors") || word.ends_with("exception");
        word.chars().filter(|c| c.is_alphabetic()).count() > 2 && !is_kind && !STOCK_WORDS.contains(word)
    };
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(is_telling);
    lower.is_ascii() && words.take(FEWEST_WORDS).count() < FEWEST_WORDS
}

fn has(text: &str, list: &[&str]) -> bool {
    list.iter().any(|sign| text.contains(sign))
}

/// A line of a program, or what a script of the moment printed: the error is elsewhere.
fn is_quoted(error: &str) -> bool {
    let text = error.trim_start();
    let begins = ["print(", "raise ", "echo ", "console.", "throw ", "return ", "✗", "❌", "✘", "if ", "assert ", "<"];
    begins.iter().any(|begin| text.starts_with(begin)) || text.contains("{e}") || text.contains("__name__")
}

/// Does the fix name what was missing?
fn brings(fix: &str, error: &str) -> bool {
    let fix = fix.to_lowercase();
    if !has(&fix, &["install", "add ", "pin ", "require", "build", "download", "upgrade"]) {
        return false;
    }
    let named = error.split(['\'', '"', ' ', '.', '/', '`']).filter(|word| word.len() > 3 && !word.contains(':'));
    let mut named =
        named.filter(|word| !["module", "named", "library", "loaded", "cannot", "find", "error"].contains(word));
    named.any(|word| fix.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_is_not_the_work() {
        for noise in [
            "<tool_use_error>String to replace not found in file.",
            "File has not been read yet. Read it first before writing to it.",
            "ls: testbed: No such file or directory",
            "python3: can't open file 'test_issue.py': [Errno 2] No such file or directory",
            "ImportError: No module named pytest",
            "SyntaxError: invalid syntax",
            "KeyError: 'id'",
            "E AssertionError: assert False",
            "E Failed: DID NOT RAISE <class 'ImportError'>",
            "FAILED (failures=1)",
            "FAILED tests/test_a.py::test_sum - AssertionError: ...",
            "print(f\"ERROR: {type(e).__name__}: {e}\")",
            "error: subprocess-exited-with-error",
            "E as",
            "E assert {Basic()} == set()",
            "Results: 3 passed, 5 failed",
            "FAILED: expected 5, got -1",
            "Your code has been rated at 5.00/10 (previous run: 5.00/10, +0.00)",
        ] {
            assert!(is_noise(noise, ""), "{noise}");
        }
        for telling in [
            "database is locked by process 4711",
            "disk is full",
            "error[E0308]: mismatched types",
            "AttributeError: 'NoneType' object has no attribute 'loader'",
            "ValueError: 10000 is no port of the relay",
            "no such route was found",
            "接続が拒否されました",
        ] {
            assert!(!is_noise(telling, ""), "{telling}");
        }
        let missing = "ModuleNotFoundError: No module named 'asgiref'";
        assert!(!is_noise(missing, "ran python3.10 -m pip install asgiref sqlparse -q"));
        assert!(is_noise(missing, "ran pip install django"));
    }
}
