//! What a command line and its output tell: whether two commands are the same one, whether one checks the work, what
//! went wrong, which commit was made. It reads text only; nothing is run.

use std::borrow::Cow;

use crate::excerpt::{head, one_line};
use lokid_model::noise;

const MOST_MESSAGE: usize = 300;
const MOST_COMMAND: usize = 4_000;
/// A line that is longer than this is data.
const MOST_LINE: usize = 2_000;

/// The command without what only concerns its output: a change of directory before it, pipes and redirections after it.
pub(super) fn essence(command: &str) -> String {
    let even = one_line(head(command, MOST_COMMAND), MOST_COMMAND);
    let mut text = even.as_str();
    while let Some(rest) = text.strip_prefix("cd ") {
        let Some((_, rest)) = rest.split_once("&&").or_else(|| rest.split_once(';')) else { break };
        text = rest.trim();
    }
    for mark in [
        " | tail",
        " | head",
        " | grep",
        " | cat",
        " | tee",
        " || true",
        " || echo",
        "; echo",
        " 2>&1",
        " 2>/dev/null",
        " >/dev/null",
        " > /dev/null",
    ] {
        if let Some(at) = text.find(mark) {
            text = text[..at].trim_end_matches([';', ' ']);
        }
    }
    text.to_owned()
}

/// Does `later` run what `earlier` ran, or more of it? `cargo test` covers `cargo test login`.
pub(super) fn covers(later: &str, earlier: &str) -> bool {
    earlier == later || (is_check(later) && earlier.starts_with(later) && earlier[later.len()..].starts_with(' '))
}

/// A command that says whether the work is right.
pub(super) fn is_check(command: &str) -> bool {
    let checks = [
        "test",
        "tests",
        "check",
        "build",
        "lint",
        "typecheck",
        "pytest",
        "jest",
        "vitest",
        "tsc",
        "clippy",
        "mypy",
        "ruff",
        "eslint",
        "flake8",
        "make",
        "ctest",
        "rspec",
        "phpunit",
        "vet",
        "verify",
        "nextest",
        "tox",
        "gradlew",
        "bazel",
        "playwright",
        "cypress",
        "unittest",
        "ci",
        "compile",
    ];
    let words = command.split(|c: char| !c.is_alphanumeric() && c != '_');
    !is_search(command) && words.take(12).any(|word| checks.contains(&word) || word.starts_with("test_"))
}

/// A command that answers with its exit code: one says "not found", not "failed".
pub(super) fn is_search(command: &str) -> bool {
    let programs = [
        "grep", "rg", "egrep", "ag", "diff", "test", "[", "which", "command", "cmp", "pgrep", "find", "ls", "cat",
        "git diff", "git grep", "head", "tail", "sed -n", "wc",
    ];
    programs
        .iter()
        .any(|program| command.strip_prefix(program).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
}

/// Commands that anybody runs anywhere: that one passed explains nothing, and that one failed teaches nothing.
pub(super) fn is_generic(command: &str) -> bool {
    let mut words = command.split_whitespace().skip_while(|word| word.contains('=') || *word == "sudo");
    let program = words.next().unwrap_or_default();
    let looks = ["--version", "-V", "--help", "-h", "version"];
    program == "git" || noise::is_everyday(program) || words.next().is_some_and(|word| looks.contains(&word))
}

/// Files that `sed -i` changes where they are.
pub(super) fn files_edited(command: &str) -> impl Iterator<Item = &str> {
    let parts = command.split(['&', ';', '|', '\n']).map(str::trim);
    parts.filter(|part| part.starts_with("sed -i")).filter_map(|part| part.split_whitespace().next_back()).take(64)
}

/// Files that the shell writes what a command says into.
pub(super) fn files_written(command: &str) -> impl Iterator<Item = &str> {
    // What follows the line of a here-document is the file's own.
    let told =
        command.find("<<").map_or(command.len(), |at| command[at..].find('\n').map_or(command.len(), |end| at + end));
    let parts = command[..told].split(['&', ';', '|', '\n']).filter_map(|part| part.split_once('>'));
    parts.filter_map(|(_, rest)| rest.trim_start_matches('>').split_whitespace().next()).take(64)
}

/// Files that a command plainly takes away.
pub(super) fn files_removed(command: &str) -> impl Iterator<Item = &str> {
    let parts = command.split(['&', ';', '|', '\n']).map(str::trim);
    let removals = parts.filter_map(|part| part.strip_prefix("rm "));
    removals.flat_map(str::split_whitespace).filter(|word| !word.starts_with('-')).take(64)
}

/// What a program printed, without what Python says about the machine before it begins.
pub(super) fn without_preamble(output: &str) -> Cow<'_, str> {
    const OPENS: &str = "Error processing line ";
    const CLOSES: &str = "Remainder of file ignored";
    let Some((before, told)) = output.split_once(OPENS) else { return Cow::Borrowed(output) };
    let mut kept = before.to_owned();
    for part in told.split(OPENS) {
        kept.push_str(part.split_once(CLOSES).map_or(part, |(_, after)| after));
    }
    Cow::Owned(kept)
}

/// Output that tells of failure although the exit code, perhaps that of a pipe, is zero.
pub(super) fn tells_failure(output: &str) -> bool {
    let line_tells = |line: &str| {
        let line = head(line, MOST_LINE);
        let counted = |word: &str| {
            line.split(|c: char| !c.is_alphanumeric())
                .collect::<Vec<_>>()
                .windows(2)
                .any(|pair| pair[1] == word && pair[0].parse::<u64>().is_ok_and(|count| count > 0))
        };
        line.starts_with("FAILED")
            || line.contains("test result: FAILED")
            || line.starts_with("error[")
            || line.starts_with("error: ")
            || line.starts_with("npm ERR!")
            || line.contains("panicked at")
            || counted("failed")
            || counted("failures")
    };
    output.lines().any(line_tells)
}

/// The exit code that agents write in front of what a command printed.
pub(super) fn exit_code(output: &str) -> Option<i64> {
    for line in head(output, MOST_LINE).lines().take(8) {
        for mark in ["Exit code: ", "Exit code ", "Process exited with code ", "exited with code "] {
            if let Some(at) = line.find(mark) {
                let digits = line[at + mark.len()..].trim();
                return digits.split(|c: char| !c.is_ascii_digit() && c != '-').next()?.parse().ok();
            }
        }
    }
    None
}

/// Kind and message of what went wrong: the line that names an error, else the last one.
pub(super) fn error_in(output: &str) -> (String, String) {
    let lines = || output.lines().map(|line| head(line.trim(), MOST_LINE)).filter(|line| !line.is_empty());
    let names_error = |line: &&str| {
        let lower = line.to_ascii_lowercase();
        let says = [
            "error:",
            "error[",
            "fatal:",
            "panicked at",
            "exception:",
            "failed:",
            "fail:",
            "not found",
            "no such file",
            "denied",
        ];
        says.iter().any(|word| lower.contains(word)) || line.starts_with("FAILED") || line.starts_with("E   ")
    };
    let is_frame = |line: &&str| line.starts_with("Exit code") || line.starts_with("Error: Exit code") || *line == "…";
    // What Python prints last is what ended it; a compiler's first word tells most.
    let is_raised = |line: &&str| {
        let name = line.split([':', ' ']).next().unwrap_or_default();
        name.len() > 5 && (name.ends_with("Error") || name.ends_with("Exception"))
    };
    let raised = if output.contains("Traceback (most recent call last)") { lines().rfind(is_raised) } else { None };
    let telling = raised.or_else(|| lines().filter(|line| !is_frame(line)).find(names_error));
    let line = telling.or_else(|| lines().rfind(|line| !is_frame(line))).unwrap_or_default();
    let message = one_line(line, MOST_MESSAGE);
    let words = || message.split(|c: char| c.is_whitespace() || c == ':' || c == '(');
    let named = words().find(|word| {
        let last = word.rsplit('.').next().unwrap_or(word);
        last.len() > 5 && (last.ends_with("Error") || last.ends_with("Exception"))
    });
    let coded = || {
        let (_, rest) = message.split_once("error[").or_else(|| message.split_once("error "))?;
        let code = rest.split([']', ':', ' ']).next()?;
        let is_code = code.len() <= 10
            && code.bytes().any(|byte| byte.is_ascii_digit())
            && code.starts_with(|c: char| c.is_ascii_uppercase());
        is_code.then_some(code)
    };
    (named.or_else(coded).unwrap_or_default().to_owned(), message)
}

/// The commit that `git commit` reports: `[main 0a1b2c3] subject`, or the first hash a log after it shows.
pub(super) fn commit_made(command: &str, output: &str) -> Option<String> {
    if !(command.contains("git ") && command.contains(" commit")) {
        return None;
    }
    let is_hash = |word: &&str| (7..=40).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let reported = |line: &str| {
        let inside = line.trim().strip_prefix('[')?.split(']').next()?;
        inside.split_whitespace().next_back().filter(is_hash).map(str::to_owned)
    };
    let logged = |line: &str| line.split_whitespace().next().filter(is_hash).map(str::to_owned);
    let lines = || output.lines().take(200).map(|line| head(line, MOST_LINE));
    let shows_log = command.contains("git log") || command.contains("rev-parse");
    lines().find_map(reported).or_else(|| shows_log.then(|| lines().find_map(logged)).flatten())
}

/// The line of a command's output worth keeping: the last one that says something.
pub(super) fn upshot(output: &str, most: usize) -> String {
    let line = output
        .lines()
        .rev()
        .map(|line| head(line.trim(), MOST_LINE))
        .find(|line| line.chars().any(char::is_alphanumeric));
    one_line(line.unwrap_or_default(), most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_command_is_known_in_other_clothes() {
        assert_eq!(essence("cd /home/ada/app && cargo test  login 2>&1 | tail -20"), "cargo test login");
        assert_eq!(essence("npm test || true"), "npm test");
        assert!(covers("cargo test", "cargo test login") && covers("ls x", "ls x"));
        assert!(
            !covers("cargo test login", "cargo test")
                && !covers("cargo", "cargo run")
                && !covers("cargo test", "cargo tests")
        );
    }

    #[test]
    fn a_failure_shows_behind_a_pipe() {
        assert!(tells_failure("running\ntest result: FAILED. 3 passed; 1 failed; 0 ignored"));
        assert!(tells_failure("Tests: 2 failed, 7 passed"));
        assert!(!tells_failure("test result: ok. 4 passed; 0 failed; 0 ignored"));
        assert!(!tells_failure("the failed login is handled"));
    }

    #[test]
    fn the_telling_line_is_kept() {
        let python = "Exit code 1\nTraceback (most recent call last):\n  File \"a.py\", line 1\nValueError: bad port";
        assert_eq!(error_in(python), ("ValueError".into(), "ValueError: bad port".into()));
        let rust = "error[E0308]: mismatched types\n --> src/a.rs:3";
        assert_eq!(error_in(rust), ("E0308".into(), "error[E0308]: mismatched types".into()));
        let twice = format!("Error in a.pth:\nTraceback (most recent call last):\nAttributeError: x\n\n{python}");
        assert_eq!(error_in(&twice).0, "ValueError");
        assert_eq!(error_in("Exit code 3\nboom"), (String::new(), "boom".into()));
        assert_eq!(error_in("src/a.ts(3,1): error TS2322: Type x").0, "TS2322");
        assert_eq!(error_in(""), (String::new(), String::new()));
    }

    #[test]
    fn what_python_says_about_the_machine_is_no_error_of_the_work() {
        let preamble = "Error processing line 1 of /opt/x.pth:\n\n  Traceback (most recent call last):\n  \
                        AttributeError: 'NoneType' object has no attribute 'loader'\n\nRemainder of file ignored\n";
        let output = format!("Exit code 1\n{preamble}{preamble}ValueError: bad port");
        assert_eq!(error_in(&without_preamble(&output)).1, "ValueError: bad port");
        assert_eq!(without_preamble("all fine"), "all fine");
    }

    #[test]
    fn what_the_shell_writes_is_known_and_what_stands_in_it_is_not() {
        let written = |command: &'static str| files_written(command).collect::<Vec<_>>();
        assert_eq!(written("cat > try.py << 'EOF'\nprint(1 > x)\nEOF\npython try.py"), ["try.py"]);
        assert_eq!(written("cat <<EOF >> a.txt\nx > y\nEOF"), ["a.txt"]);
        assert_eq!(written("make 2>&1 | tail"), [] as [&str; 0]);
    }

    #[test]
    fn exit_codes_and_commits_are_found() {
        assert_eq!(exit_code("Exit code 3\nboom"), Some(3));
        assert_eq!(
            exit_code("Chunk ID: 8f84b4\nWall time: 0.0000 seconds\nProcess exited with code 1\nOutput:\n"),
            Some(1)
        );
        assert_eq!(exit_code("hello"), None);
        assert_eq!(commit_made("git commit -m x", "[main 0a1b2c3] x\n 1 file changed").as_deref(), Some("0a1b2c3"));
        assert_eq!(
            commit_made("git add -A && git -c a=b commit -qm x; git log --oneline -1", "7a64d88 fix").as_deref(),
            Some("7a64d88")
        );
        assert_eq!(commit_made("git log --oneline", "7a64d88 fix"), None);
    }
}
