//! Is what the memory says worth hearing? Measured on real histories without a judge: through the real binary and its
//! socket, beside plain methods in the same run.
//!
//! `LOKID_BENCH_REPOS` names git directories or clones, separated by `:`. Each is cloned and set back fifty commits, a
//! fresh daemon reads it, and the commits that really came later are the situations. `cargo bench --bench worth` asks
//! everything; `-- quick` asks a quarter: to see that all works, not to quote. `LOKID_BENCH_BINARY` names another program.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

mod asked;
#[path = "../scale/daemon.rs"]
#[allow(dead_code)]
mod daemon;
#[path = "../scale/machine.rs"]
#[allow(dead_code)]
mod machine;
mod past;
mod plain;
mod score;

use daemon::*;
use machine::*;
use past::{Later, Message, Past, words};
use plain::{Messages, PathWords};
use score::{Answer, Line, Lines, Score};

/// Commits that are taken away, situations made of them, and commits whose reason is asked for.
const BACK: usize = 50;
const SITUATIONS: usize = 40;
const REASONS: usize = 60;
/// What a context may take.
const BUDGET: usize = 2_000;

// For the shared parts.
const PATIENCE: Duration = Duration::from_secs(10 * 60);
const TRIES: usize = 3;
const QUIET_TURNS: usize = 40;

struct Question {
    body: String,
    filtered: bool,
}

/// One repository: what each row of its table says, in the order of the rows.
type Table = Vec<(String, Score)>;

fn main() {
    let quick = std::env::args().any(|word| word == "quick");
    let repos: Vec<PathBuf> =
        std::env::var_os("LOKID_BENCH_REPOS").map(|paths| std::env::split_paths(&paths).collect()).unwrap_or_default();
    if repos.is_empty() {
        println!("skipped: LOKID_BENCH_REPOS names no repository");
        return;
    }
    let mut tables: Vec<Table> = Vec::new();
    for repo in &repos {
        let name = name_of(repo);
        progress(format_args!("{name}: cloning and setting back"));
        let folder = tempfile::tempdir().unwrap();
        let Some(past) = Past::of(repo, folder.path(), if quick { SITUATIONS / 4 } else { SITUATIONS }) else {
            println!("\n=== {name}: skipped, its history is too short");
            continue;
        };
        let table = measure(&name, &past, folder.path(), if quick { REASONS / 4 } else { REASONS });
        print(&format!("{name}: {} situations, {} commits before", past.later.len(), past.messages.len()), &table);
        tables.push(table);
    }
    if tables.len() > 1 {
        let rows = (0..tables[0].len()).map(|row| {
            let all: Vec<&Score> = tables.iter().map(|table| &table[row].1).collect();
            (tables[0][row].0.clone(), Score::mean(&all))
        });
        print(&format!("means of {} repositories", tables.len()), &rows.collect());
    }
}

/// Of a path such as `…/owner+name/repo` the name.
fn name_of(repo: &Path) -> String {
    let parts = repo.iter().map(|part| part.to_string_lossy().into_owned());
    let last = parts.rev().find(|part| part != "repo" && part != ".git").unwrap_or_default();
    last.rsplit('+').next().unwrap_or_default().to_owned()
}

fn measure(name: &str, past: &Past, folder: &Path, reasons: usize) -> Table {
    progress(format_args!("{name}: reading"));
    let home = Home::new(folder);
    let daemon = home.start();
    daemon.wait_for_project();
    asked::wait_until_read(&daemon);
    let (ask, later) = (asked::Ask::new(&home.socket), &past.later);
    let (messages, paths) = (Messages::of(&past.messages), PathWords::of(past));
    let mut table = Table::new();
    let mut row = |name: &str, score: Score| table.push((name.to_owned(), score));
    let ours = |answer: &dyn Fn((usize, &Later)) -> Answer| {
        let answers: Vec<Answer> = later.iter().enumerate().map(answer).collect();
        score::of(past, &answers, &ask.lines(&answers))
    };
    let plain = |lines: &Lines, answer: &dyn Fn(&Later) -> Answer| {
        score::of(past, &later.iter().map(answer).collect::<Vec<_>>(), lines)
    };

    progress(format_args!("{name}: files ahead"));
    // Goals alone come first: nobody has opened anything yet.
    let files = |found: &dyn Fn(&Later) -> Answer| {
        let found: Vec<f64> = later.iter().filter_map(|at| found(at).files).collect();
        Score { files: score::mean(&found), ..Score::default() }
    };
    row("goal, ten files: lokid", files(&|at| Answer::of_files(&ask.files(json!({"goal": at.subject})), &at.files)));
    row("  path words and frequency", files(&|at| Answer::of_files(&paths.best(&at.subject, None), &at.files)));
    row(
        "file and goal, ten files: lokid",
        files(&|at| {
            let found = ask.files(json!({"goal": at.subject, "file_opened": at.files[0]}));
            Answer::of_files(&found, &at.files[1..])
        }),
    );
    row(
        "  path words and frequency",
        files(&|at| Answer::of_files(&paths.best(&at.subject, Some(&at.files[0])), &at.files[1..])),
    );

    progress(format_args!("{name}: a file and a goal, errors, branches, strange goals"));
    let context = |signals: Value, wanted: &[String]| ask.context(signals, wanted);
    row(
        "file and goal: lokid",
        ours(&|(_, at)| context(json!({"current_file": at.files[0], "goal": at.subject}), &at.files[1..])),
    );
    let commits = messages.lines(&past.messages);
    row(
        "  BM25 over messages, five commits",
        plain(&commits, &|at| messages.five(&at.subject, &past.messages, &at.files[1..])),
    );
    row("  nothing", plain(&Lines::new(), &|at| Answer::of_files(&[], &at.files[1..])));
    row("error: lokid", ours(&|(_, at)| context(json!({"recent_errors": [at.error()]}), &at.files[1..])));
    row("branch: lokid", ours(&|(_, at)| context(json!({"branch": at.branch()}), &at.files)));
    let strange: Vec<f64> = asked::STRANGE.iter().map(|goal| context(json!({"goal": goal}), &[]).tokens).collect();
    row("strange goal: lokid", Score { tokens: score::mean(&strange), ..Score::default() });

    let why = past.reasons(reasons);
    progress(format_args!("{name}: {} commits explain something; sessions", why.len()));
    let share = |found: &dyn Fn(usize, &str) -> bool| {
        let hits = why.iter().filter(|(commit, words)| found(*commit, words)).count();
        Score { why: hits as f64 / why.len() as f64, ..Score::default() }
    };
    row("why: lokid", share(&|commit, words| ask.finds(words, &past.messages[commit].sha)));
    row("  BM25 over messages", share(&|commit, words| messages.best(words, 5).contains(&commit)));
    // Last: whoever begins a session is known from then on.
    row("session start: lokid", ours(&|(number, at)| ask.session(number, &at.subject, &at.files)));
    daemon.stop();
    table
}

fn print(heading: &str, table: &Table) {
    println!("\n=== {heading}");
    println!(
        "  {:<34} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "", "lines", "specific", "grounded", "files", "tokens", "why@5"
    );
    let share = |value: f64| if value.is_nan() { "–".to_owned() } else { format!("{value:.2}") };
    let whole = |value: f64| if value.is_nan() { "–".to_owned() } else { format!("{value:.0}") };
    for (name, score) in table {
        let Score { lines, specific, grounded, files, tokens, why } = *score;
        println!(
            "  {name:<34} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
            if lines.is_nan() { "–".to_owned() } else { format!("{lines:.1}") },
            share(specific),
            share(grounded),
            share(files),
            whole(tokens),
            share(why)
        );
    }
}
