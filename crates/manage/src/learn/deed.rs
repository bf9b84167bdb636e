//! One action of an episode as a deed: what was done, comparable with other episodes, and whether it failed. Looking
//! around is no deed.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::words::{head, line as one_line};
use crate::plan::Around;
use crate::worth;
use lokid_model::Action;

const LONGEST: usize = 400;
/// Of a long log its beginning and its end are heard.
const FIRST: usize = 60;
const LAST: usize = 60;

static LOOKING: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(
        "read view grep glob search ls list open cat think plan todo todowrite omitted read_file view_file \
    list_files list_dir find search_files websearch webfetch fetch note observe inspect explore analyze analyse review_file",
    )
});
static EDITING: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(
        "edit write create modify patch update write_file edit_file create_file modify_file update_file \
    str_replace str_replace_editor multiedit multi_edit apply_patch notebookedit change replace insert file_write file_edit",
    )
});
static RUNNING: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(
        "bash shell run exec execute command terminal run_command execute_command run_shell run_tests \
    shell_command local_shell sh zsh cmd powershell local_shell_call exec_command",
    )
});
static PROGRAMS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(
        "cargo git npm pnpm yarn bun go make pytest python python3 node docker kubectl just tox uv pip pip3 npx \
    deno mvn gradle terraform ruff mypy eslint tsc jest vitest bundle rake rails dotnet mix poetry helm gh psql alembic \
    prisma ./gradlew rustup bazel cmake ctest ninja swift composer php",
    )
});
/// A command that only finds out whether things are right: that it failed says nothing against it.
static CHECKING: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(
        "test tests check build lint clippy pytest jest vitest tsc verify ci compile mypy ruff eslint tox bench \
    typecheck validate e2e spec ctest nextest fmt",
    )
});
/// Every piece of work has them, beside what everybody does everywhere.
const ROUTINE: &str = "git push|git merge";
const FAILING: &[&str] =
    &["fail", "error", "panicked", "traceback", "exception", "exit 1", "exit=1", "exit code 1", "exit status 1"];
const HARMLESS: &[&str] = &[
    "0 failed",
    "0 errors",
    "0 error",
    "0 failures",
    "0 failure",
    "no errors",
    "no error",
    "no failures",
    "without errors",
    "without error",
    "no failed",
    "error-free",
    "0 exceptions",
    "errors: 0",
    "failed: 0",
    "failures: 0",
    "fail 0",
    "error: none",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sort {
    /// A command.
    Run,
    /// A file was changed.
    Edit,
    /// Told in somebody's words.
    Told,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deed {
    /// The same for the same deed in another episode.
    pub(super) key: String,
    pub(super) sort: Sort,
    /// As it was done this time.
    pub(super) shown: String,
    pub(super) failed: bool,
}

impl Deed {
    pub(super) fn is_check(&self) -> bool {
        self.sort == Sort::Run && self.key.split(|c: char| !c.is_alphanumeric()).any(|word| listed(&CHECKING, word))
    }

    pub(super) fn is_routine(&self) -> bool {
        self.sort == Sort::Run
            && (ROUTINE.split('|').any(|start| self.shown.starts_with(start)) || worth::is_everyday(&self.shown))
    }
}

/// The deeds of a log, in order.
pub(super) fn deeds(log: &[Action], around: &dyn Around) -> Vec<Deed> {
    let heard: Vec<&Action> = if log.len() <= FIRST + LAST {
        log.iter().collect()
    } else {
        log[..FIRST].iter().chain(&log[log.len() - LAST..]).collect()
    };
    heard.into_iter().filter_map(|action| deed(action, around)).collect()
}

fn deed(action: &Action, around: &dyn Around) -> Option<Deed> {
    let verb = head(action.action.trim(), LONGEST);
    let target = head(action.target.trim(), LONGEST);
    let tool = verb.split(|c: char| c.is_whitespace() || c == ':' || c == '(').next().unwrap_or("").to_lowercase();
    let failed = has_failed(action);
    if verb.is_empty() && target.is_empty() || listed(&LOOKING, &tool) {
        return None;
    }
    if listed(&EDITING, &tool) {
        let words = if target.is_empty() { verb.split_whitespace().last().unwrap_or("") } else { target };
        if let Some(path) = path_of(words) {
            return Some(Deed { key: format!("edit {path}"), sort: Sort::Edit, shown: path, failed });
        }
    }
    let runs = listed(&RUNNING, &tool) && !target.is_empty();
    let line = match (runs, target.is_empty(), verb.is_empty()) {
        (true, _, _) | (_, _, true) => target.to_owned(),
        (_, true, _) => verb.to_owned(),
        _ if verb.contains(target) => verb.to_owned(),
        _ => format!("{verb} {target}"),
    };
    let key = around.step(&line)?;
    let first = line.split_whitespace().next().unwrap_or("");
    let sort = if runs || listed(&PROGRAMS, first) || line.contains(" --") { Sort::Run } else { Sort::Told };
    let shown = one_line(&line, 80);
    (!key.trim().is_empty() && !shown.is_empty()).then_some(Deed {
        key: key.trim().to_lowercase(),
        sort,
        shown,
        failed,
    })
}

/// A path as files of the repository are named.
pub(super) fn path_of(text: &str) -> Option<String> {
    let path = text.trim().trim_matches(['`', '"', '\'']).trim_start_matches("./");
    let sane = (1..=200).contains(&path.len()) && !path.contains(char::is_whitespace) && path.contains(['.', '/']);
    sane.then(|| path.replace('\\', "/"))
}

fn has_failed(action: &Action) -> bool {
    let error = action.error.trim();
    if !error.is_empty() && !["none", "null", "false", "0", "ok", "{}", "[]"].contains(&error.to_lowercase().as_str()) {
        return true;
    }
    let mut result = head(action.result.trim(), LONGEST).to_lowercase();
    for harmless in HARMLESS {
        // `10 failed` ends like `0 failed`.
        while let Some(at) = result.match_indices(harmless).map(|(at, _)| at).find(|at| !after_a_digit(&result, *at)) {
            result.replace_range(at..at + harmless.len(), "");
        }
    }
    FAILING.iter().any(|sign| result.contains(sign))
}

fn after_a_digit(text: &str, at: usize) -> bool {
    text[..at].ends_with(|letter: char| letter.is_ascii_digit())
}

fn words(list: &'static str) -> HashSet<&'static str> {
    list.split_whitespace().collect()
}

fn listed(list: &LazyLock<HashSet<&str>>, word: &str) -> bool {
    list.contains(word)
}
