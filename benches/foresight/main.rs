//! How well the memory looks ahead and what that costs: through the real binary and its socket, beside plain methods in
//! the same run.
//!
//! `cargo bench --bench foresight` runs everything; `-- goals replay latency layers` only what is named. Numbers are
//! sizes of the memory instead of the usual ones; `quick` asks a tenth of the questions, lets the daemon no time to rest and takes
//! the machine as it is: to see that all works, not to quote.
//!
//! `LOKID_BENCH_DATA` holds `history/*.jsonl` (`docs/BENCHMARKS.md`), `LOKID_BENCH_REPOS` names checkouts or folders of
//! them, separated by `:`; they are cloned and never written to. `LOKID_BENCH_BINARY` names another program to measure.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
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
mod goals;
mod latency;
mod layers;
#[path = "../scale/machine.rs"]
#[allow(dead_code)]
mod machine;
mod replay;
mod skeleton;
mod store;
#[path = "../eyes/stream.rs"]
#[allow(dead_code)]
mod stream;
mod verdicts;

use corpus::*;
use daemon::*;
use machine::*;
use store::Store;
use stream::Stream;
use verdicts::Verdicts;

/// Memories in the stores that are asked for contexts in time, and in those whose layers are counted.
const TIMED: [usize; 2] = [10_000, 100_000];
const LAYERED: [usize; 3] = [10, 1_000, 100_000];
/// And in the one whose contexts are counted.
const COUNTED: [usize; 1] = [10_000];
/// Asked for by the plain question that stands beside contexts.
const WANTED: usize = 5;
/// Nothing is waited for longer than this.
const PATIENCE: Duration = Duration::from_secs(30 * 60);
/// A disturbed measurement is made again so often, and with so many half seconds of waiting for others to finish.
const TRIES: usize = 3;
const QUIET_TURNS: usize = 40;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let parts = ["goals", "replay", "latency", "layers"];
    let named = |part: &str| words.iter().any(|word| word == part);
    let wanted = |part: &str| named(part) || !parts.iter().any(|part| named(part));
    let sizes: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let pace = Pace { quick: named("quick") };
    println!("{} cores{}", std::thread::available_parallelism().unwrap(), if pace.quick { ", quick" } else { "" });
    let mut verdicts = Verdicts::default();
    if wanted("goals") {
        match replay::repositories() {
            named if named.is_empty() => println!("\n=== goals: skipped, LOKID_BENCH_REPOS names no repository"),
            named => goals::run(&named, &mut verdicts),
        }
    }
    if wanted("replay") {
        replay::run(&mut verdicts);
    }
    // One store of each size, whatever is asked of it.
    let usual = |usual: &[usize], part: &str| match (wanted(part), sizes.is_empty()) {
        (false, _) => BTreeSet::new(),
        (true, true) => usual.iter().copied().collect(),
        (true, false) => sizes.iter().copied().collect::<BTreeSet<usize>>(),
    };
    let (timed, layered, counted) = (usual(&TIMED, "latency"), usual(&LAYERED, "layers"), usual(&COUNTED, "layers"));
    let all: BTreeSet<usize> = [&timed, &layered, &counted].into_iter().flatten().copied().collect();
    for size in all {
        let store = Store::open(size, pace);
        if layered.contains(&size) {
            layers::lengths(&store, &mut verdicts);
        }
        if counted.contains(&size) {
            layers::contexts(&store, pace, &mut verdicts);
        }
        if timed.contains(&size) {
            latency::run(&store, pace, &mut verdicts);
        }
        store.close();
    }
    verdicts.print();
}

/// How much is asked, and how patiently.
#[derive(Clone, Copy)]
struct Pace {
    quick: bool,
}

impl Pace {
    fn times(self, usual: usize) -> usize {
        if self.quick { usual.div_ceil(10) } else { usual }
    }

    fn measure<T>(self, daemon: &Daemon, measure: impl Fn() -> T) -> T {
        if self.quick { measure() } else { undisturbed(daemon, measure) }
    }
}
