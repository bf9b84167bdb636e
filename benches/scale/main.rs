//! What questions cost as a memory grows: through the real binary and the real socket, beside plain tantivy and plain
//! vector search over the same texts in the same run.
//!
//! `cargo bench --bench scale` runs 1,000, 10,000 and 100,000 memories; `-- 1000000` takes another number, several one
//! after the other. `-- alone` leaves out the plain searches. `--features graph -- nearest` compares the vectors with a graph
//! (`hnsw_rs`) over them, without a daemon; to build it takes minutes from 100,000 on.
//! `LOKID_BENCH_KEEP` names a folder in which the stores stay, so that another program can be asked about the same ones;
//! what would change them, more imports and a lost cache, is not measured then.
//! Texts and questions are made up, always the same ones: mostly words of one of 300 topics, as frequent as words are.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lokid_index::meaning::{Meanings, Model};
use lokid_index::search::Indexer;
use lokid_index::searchable::passages;
use lokid_index::vector::{Question as VectorQuestion, Row};
use lokid_model::{Kind, Memory, MemoryId, Timestamp};
use lokid_text::Embedder;
use pulp::{Arch, NullaryFnOnce, Simd, WithSimd};
use serde_json::{Value, json};
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Index, IndexWriter, ReloadPolicy, Searcher, TantivyDocument, Term};

mod baseline;
mod corpus;
mod daemon;
#[cfg(feature = "graph")]
mod graph;
mod machine;

use baseline::*;
use corpus::*;
use daemon::*;
use machine::*;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const QUESTIONS: usize = 1_000;
/// Asked again after everything derived was deleted.
const REPEATED: usize = 50;
/// Compared with an exact scan.
const COMPARED: usize = 200;
/// Asked for over the socket, and of the raw baselines: what a recall of that many looks at in each of its arms.
const WANTED: usize = 5;
const LOOKED_AT: usize = 20;
/// Imported while questions are asked.
const MORE: usize = 10_000;
/// Nothing is waited for longer than this.
const PATIENCE: Duration = Duration::from_secs(30 * 60);
/// A disturbed measurement is made again so often, and with so many half seconds of waiting for others to finish.
const TRIES: usize = 5;
const QUIET_TURNS: usize = 600;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let alone = words.iter().any(|word| word == "alone");
    let mut sizes: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    if sizes.is_empty() {
        sizes.extend(SIZES);
    }
    println!("{} cores, sizes {sizes:?}", std::thread::available_parallelism().unwrap());
    let world = World::new();
    if words.iter().any(|word| word == "nearest") {
        #[cfg(feature = "graph")]
        return graph::run(&world, &sizes);
        #[cfg(not(feature = "graph"))]
        return println!("skipped: `nearest` needs `--features graph`");
    }
    let mut rows: Vec<TableRow> = Vec::new();
    for size in sizes {
        rows.push(one_size(&world, size, alone));
    }
    print_table(&rows);
}

/// One line of the table at the end.
struct TableRow {
    size: usize,
    import_rate: f64,
    ready_after: f64,
    rebuilt_after: f64,
    rss_mb: f64,
    cache_mb: f64,
    p50: f64,
    p99: f64,
    raw_p50: f64,
    raw_p99: f64,
}

fn one_size(world: &World, size: usize, alone: bool) -> TableRow {
    println!("\n=== {size} memories");
    progress(format_args!("making up {size} memories"));
    let corpus = world.corpus(0, size);
    let questions = world.questions(&corpus.texts, QUESTIONS);
    let temporary = tempfile::tempdir().unwrap();
    let kept = std::env::var_os("LOKID_BENCH_KEEP").filter(|path| !path.is_empty());
    let folder = kept.as_ref().map_or(temporary.path().to_owned(), |kept| Path::new(kept).join(size.to_string()));
    let (home, is_full) = (Home::new(&folder), folder.join("full").exists());
    let mut daemon = home.start();
    daemon.wait_for_project();

    let started = Instant::now();
    if !is_full {
        progress(format_args!("importing {:.1} MB", megabytes(corpus.lines.len())));
        let report = home.import(&corpus.lines);
        assert_eq!(report["imported"].as_u64(), Some(size as u64), "{report}");
    }
    let imported = started.elapsed().as_secs_f64();
    let status = daemon.wait_until_ready();
    let ready_after = started.elapsed().as_secs_f64();
    let import_rate = if is_full { f64::NAN } else { size as f64 / imported };
    let index = &status["projects"][0]["index"];
    assert_eq!(index["indexed"].as_u64(), Some(size as u64), "{index}");
    if kept.is_some() {
        std::fs::write(folder.join("full"), "").unwrap();
    }
    println!("\nimport and index ({:.1} MB of NDJSON)", megabytes(corpus.lines.len()));
    println!("  import               {import_rate:>10.0} records/s ({imported:.2} s)");
    println!(
        "  index ready          {:>10.2} s after the import, {ready_after:.2} s after its start",
        ready_after - imported
    );
    println!("  found by search      {:>10} memories, {} passages", index["indexed"], index["passages"]);
    println!("  resident             {:>10.1} MB", rss_mb(&status));
    let at_once = asked_one_by_one(&home.socket, &questions[..QUESTIONS / 5]);

    let baseline = (!alone).then(|| Baseline::new(&corpus.texts));
    daemon.wait_until_quiet();
    let rss_mb = rss_mb(&daemon.status());
    let cache_mb = megabytes(home.cache_bytes());
    println!("  resident, rested     {rss_mb:>10.1} MB");
    println!("  cache directory      {cache_mb:>10.1} MB");
    println!("  store                {:>10.1} MB", megabytes(home.store_bytes()));

    progress(format_args!("asking {QUESTIONS} questions of the daemon, process {}", daemon.child.id()));
    let idle = undisturbed(&daemon, || asked_one_by_one(&home.socket, &questions));
    println!("\n{QUESTIONS} distinct questions, one after the other on one connection");
    println!("  {:<28} {}", "lokid", idle.latency);
    println!("  {:<28} {}", "  inside the daemon", idle.inside);
    println!("  {:<28} {}", "  filtered (kinds, as_of)", idle.filtered);
    println!("  {:<28} {}", "  right after indexing", at_once.latency);
    let (mut raw_p50, mut raw_p99) = (f64::NAN, f64::NAN);
    if let Some(baseline) = &baseline {
        (raw_p50, raw_p99) = baseline.measure(&daemon, &questions, &idle.latency);
        vector_recall(&daemon, &corpus.texts, &baseline.passages, &questions[..COMPARED]);
    }
    drop((baseline, corpus));

    let mut rebuilt_after = f64::NAN;
    if kept.is_none() {
        while_importing(world, &home, &daemon, size, &questions, &idle.latency);
        rebuilt_after = after_losing_the_cache(&home, &mut daemon, &questions);
    }
    daemon.stop();
    let (p50, p99) = (idle.latency.at(0.5), idle.latency.at(0.99));
    TableRow { size, import_rate, ready_after, rebuilt_after, rss_mb, cache_mb, p50, p99, raw_p50, raw_p99 }
}

/// Questions while others write, beside questions while nobody does.
fn while_importing(
    world: &World,
    home: &Home,
    daemon: &Daemon,
    size: usize,
    questions: &[Question],
    idle_before: &Latency,
) {
    let more = world.corpus(size, MORE).lines;
    progress(format_args!("importing {MORE} more while asking"));
    wait_for_a_quiet_machine();
    let import_and_ask = || {
        std::thread::scope(|scope| {
            let import = scope.spawn(|| home.import(&more));
            let done = || import.is_finished() && daemon.is_ready();
            let asked = ask_until(&home.socket, questions, done, Instant::now() + PATIENCE);
            let report = import.join().unwrap();
            assert_eq!(report["imported"].as_u64(), Some(MORE as u64), "{report}");
            asked
        })
    };
    let (asked, others) = with_others(daemon, import_and_ask);
    daemon.wait_until_ready();
    daemon.wait_until_quiet();
    let idle_after = undisturbed(daemon, || asked_one_by_one(&home.socket, questions).latency);
    println!("\nquestions while {MORE} more are imported and indexed");
    println!("  {:<28} {idle_before}", "idle before");
    println!("  {:<28} {idle_after}", "idle afterwards");
    asked.print(&idle_after, others);
}

/// What a deleted cache costs: time to the first answer, to a complete index, questions meanwhile; and that it is the
/// same afterwards. Answers how long the index took to be complete again.
fn after_losing_the_cache(home: &Home, daemon: &mut Daemon, questions: &[Question]) -> f64 {
    let repeated = &questions[..REPEATED];
    let before = answers(&home.socket, repeated);
    let idle = undisturbed(daemon, || asked_one_by_one(&home.socket, questions).latency);
    daemon.end();
    std::fs::remove_dir_all(&home.cache).unwrap();
    progress(format_args!("restarting without a cache"));
    wait_for_a_quiet_machine();
    let started = Instant::now();
    *daemon = home.start();
    let ((first, first_found, asked), others) = with_others(daemon, || {
        let (first, first_found) = first_answers(&home.socket, repeated, started);
        (first, first_found, ask_until(&home.socket, questions, || daemon.is_ready(), started + PATIENCE))
    });
    daemon.wait_until_ready();
    let ready = started.elapsed().as_secs_f64();
    println!("\nrestart with the cache directory deleted");
    println!("  first answer         {:>10.0} ms", first.as_secs_f64() * 1e3);
    println!("  first memory found   {:>10.0} ms", first_found.as_secs_f64() * 1e3);
    println!("  index complete       {ready:>10.2} s");
    println!("  {:<28} {idle}", "idle before");
    asked.print(&idle, others);
    let after = answers(&home.socket, repeated);
    daemon.wait_until_quiet();
    let rested = answers(&home.socket, repeated);
    let same = |one: &[Value], other: &[Value]| one.iter().zip(other).filter(|(a, b)| a == b).count();
    let ids = |all: &[Value]| all.iter().map(ids_of).collect::<Vec<Value>>();
    println!(
        "  the same answers     {:>10} of {REPEATED} (same order {}), {} after merging",
        same(&before, &after),
        same(&ids(&before), &ids(&after)),
        same(&before, &rested)
    );
    println!("  resident, rested     {:>10.1} MB", rss_mb(&daemon.status()));
    ready
}

fn print_table(rows: &[TableRow]) {
    println!(
        "\n{:>9} {:>9} {:>8} {:>9} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>7}",
        "memories",
        "import/s",
        "ready s",
        "rebuild s",
        "RSS MB",
        "cache MB",
        "p50 ms",
        "p99 ms",
        "raw p50",
        "raw p99",
        "x p50",
        "x p99",
        "growth"
    );
    let mut before: Option<f64> = None;
    for row in rows {
        println!(
            "{:>9} {:>9.0} {:>8.1} {:>9.1} {:>8.0} {:>9.1} {:>9.2} {:>9.2} {:>9.2} {:>9.2} {:>8.2} {:>8.2} {:>7}",
            row.size,
            row.import_rate,
            row.ready_after,
            row.rebuilt_after,
            row.rss_mb,
            row.cache_mb,
            row.p50 / 1e3,
            row.p99 / 1e3,
            row.raw_p50 / 1e3,
            row.raw_p99 / 1e3,
            row.p50 / row.raw_p50,
            row.p99 / row.raw_p99,
            before.map_or("-".to_owned(), |before| format!("{:.1} x", row.p50 / before)),
        );
        before = Some(row.p50);
    }
}
