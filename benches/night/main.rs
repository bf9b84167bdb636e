//! What a night costs and what it gets right: through the real binary, its socket and its event stream where time is
//! concerned, through the planners themselves where judgement is; beside plain methods in the same run.
//!
//! `cargo bench --bench night` runs everything; `-- time loki statements neighbours merging years` only what is named. Numbers are
//! episodes instead of the usual ones; `quick` takes the machine as it is and measures once: to see that all works, not
//! to quote. `-- shares` prints what the reader of pairs makes of every pair, a line each, for those who choose thresholds.
//!
//! `LOKID_BENCH_DATA` holds pairs of statements: `contradictions.jsonl`, `neighbours.jsonl` and `statements/*.jsonl`
//! (`docs/BENCHMARKS.md`).
//! `LOKID_BENCH_LOKI_MODE` names a checkout of Loki Mode, whose own consolidation is run on a copy of the same files.
//! `LOKID_BENCH_BINARY` names another program to measure.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, unbounded};
use lokid_model::Timestamp;
use serde_json::{Value, json};

#[path = "../scale/corpus.rs"]
#[allow(dead_code)]
mod corpus;
#[path = "../scale/daemon.rs"]
#[allow(dead_code)]
mod daemon;
mod life;
mod loki;
#[path = "../scale/machine.rs"]
#[allow(dead_code)]
mod machine;
mod merging;
mod neighbours;
mod pairs;
#[path = "../foresight/skeleton.rs"]
mod skeleton;
mod statements;
mod store;
#[path = "../eyes/stream.rs"]
#[allow(dead_code)]
mod stream;
mod themes;
mod time;
#[path = "../foresight/verdicts.rs"]
#[allow(dead_code)]
mod verdicts;
mod years;

use corpus::*;
use daemon::*;
use machine::*;
use stream::Stream;
use verdicts::Verdicts;

/// Episodes; a fifth as many notes, decisions and facts come with them.
const SIZES: [usize; 2] = [1_000, 10_000];
const QUESTIONS: usize = 1_000;
/// Asked for over the socket.
const WANTED: usize = 5;
/// Nothing is waited for longer than this.
const PATIENCE: Duration = Duration::from_secs(60 * 60);
/// A disturbed measurement is made again so often, and with so many half seconds of waiting for others to finish.
const TRIES: usize = 3;
const QUIET_TURNS: usize = 40;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let parts = ["time", "loki", "statements", "neighbours", "merging", "years"];
    let named = |part: &str| words.iter().any(|word| word == part);
    let wanted = |part: &str| named(part) || !parts.iter().any(|part| named(part));
    if named("shares") {
        return statements::shares(&pairs::sets());
    }
    let mut sizes: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    if sizes.is_empty() {
        sizes.extend(SIZES);
    }
    let pace = Pace { quick: named("quick") };
    println!("{} cores{}", std::thread::available_parallelism().unwrap(), if pace.quick { ", quick" } else { "" });
    let mut verdicts = Verdicts::default();
    if wanted("time") {
        sizes.into_iter().for_each(|size| time::run(size, pace, &mut verdicts));
    }
    if wanted("loki") {
        loki::run(pace, &mut verdicts);
    }
    let judging = ["statements", "neighbours", "merging"].into_iter().any(wanted);
    let sets = if judging { pairs::sets() } else { Vec::new() };
    if wanted("statements") {
        statements::run(&sets, &mut verdicts);
    }
    if wanted("neighbours") {
        neighbours::run(&sets, &mut verdicts);
    }
    if wanted("merging") {
        merging::run(&sets, &mut verdicts);
    }
    if wanted("years") {
        years::run(&mut verdicts);
    }
    verdicts.print();
}

/// How patiently it is measured.
#[derive(Clone, Copy)]
struct Pace {
    quick: bool,
}

impl Pace {
    fn measure<T>(self, daemon: &Daemon, measure: impl Fn() -> T) -> T {
        if self.quick { measure() } else { undisturbed(daemon, measure) }
    }

    fn rest(self, daemon: &Daemon) {
        if !self.quick {
            daemon.wait_until_quiet();
        }
    }
}
