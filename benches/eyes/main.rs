//! What it costs to watch a repository and to learn from it: through the real binary, its socket and its event stream,
//! beside what the kernel, git and plain programs need for the same in the same run.
//!
//! `cargo bench --bench eyes` runs everything; `-- latency mining idle build setup reading` only what is named.
//! `LOKID_BENCH_REPOS` names checkouts with a real history, separated by `:`; they are copied and never written to.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, unbounded};
use serde_json::{Value, json};

mod build;
#[path = "../scale/daemon.rs"]
#[allow(dead_code)]
mod daemon;
mod idle;
mod latency;
#[path = "../scale/machine.rs"]
#[allow(dead_code)]
mod machine;
mod mining;
mod process;
mod reading;
mod setup;
mod stream;

use daemon::*;
use machine::*;
use process::*;
use stream::*;

/// Nothing is waited for longer than this.
const PATIENCE: Duration = Duration::from_secs(5 * 60);
/// A disturbed measurement is made again so often, and with so many half seconds of waiting for others to finish.
const TRIES: usize = 3;
const QUIET_TURNS: usize = 40;

/// What a question is to the shared parts.
struct Question {
    body: String,
    filtered: bool,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |section: &str| words.is_empty() || words.iter().any(|word| word == section);
    println!("{} cores", std::thread::available_parallelism().unwrap());
    let mut verdicts = Verdicts::default();
    let sections: [Section; 6] = [
        ("latency", latency::run),
        ("mining", mining::run),
        ("idle", idle::run),
        ("build", build::run),
        ("setup", setup::run),
        ("reading", reading::run),
    ];
    for (name, run) in sections.into_iter().filter(|(name, _)| wanted(name)) {
        progress(format_args!("{name}"));
        run(&mut verdicts);
    }
    verdicts.print();
}

type Section = (&'static str, fn(&mut Verdicts));

/// What was promised, and what was found.
#[derive(Default)]
struct Verdicts(Vec<(String, f64, f64, &'static str)>);

impl Verdicts {
    fn expect(&mut self, what: impl Into<String>, found: f64, at_most: f64, unit: &'static str) {
        self.0.push((what.into(), found, at_most, unit));
    }

    fn print(&self) {
        println!("\npromises");
        for (what, found, at_most, unit) in &self.0 {
            let verdict = if found <= at_most { "kept" } else { "MISSED" };
            println!("  {what:<48} {found:>10.2} {unit:<3} (at most {at_most} {unit})   {verdict}");
        }
    }
}

/// A home with a repository of a few files and a commit in it.
fn small_home(folder: &Path, files: usize) -> Home {
    let home = Home::new(folder);
    let repo = Repo::of(&home);
    repo.settle_in();
    repo.write(".gitignore", "target/\n");
    for n in 0..files {
        repo.write(&format!("src/part{n}.rs"), &format!("pub fn part{n}() -> usize {{\n    {n}\n}}\n"));
    }
    repo.commit("parts: lay them out");
    home
}
