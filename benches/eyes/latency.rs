//! How long it takes from something happening to its line on the event stream.

use rustix::fs::inotify::WatchFlags;

use super::*;

const ACTIONS: usize = 200;
const OPENINGS: usize = 20;
/// A file must rest this long before it is looked at (`watch/debounce.rs`).
const REST_MS: f64 = 30.0;
/// An opening is held this long, in case it is part of a search or a build (`watch/burst.rs`).
const HOLD_MS: f64 = 1_500.0;
/// What a checkout writes is not taken for edits so long (`engine/eyes/git.rs`), and a bit more.
const AFTERMATH: Duration = Duration::from_millis(1_500);

/// Microseconds of each action until its line arrived, and until the plain listener heard of it.
#[derive(Default)]
struct Times {
    lokid: Vec<f64>,
    plain: Vec<f64>,
    /// Of the action itself, where it is a program.
    itself: Vec<f64>,
    remembered: Vec<f64>,
}

fn micros(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_secs_f64() * 1e6
}

pub(crate) fn run(verdicts: &mut Verdicts) {
    let folder = tempfile::tempdir().unwrap();
    let home = small_home(folder.path(), 40);
    let repo = Repo::of(&home);
    repo.git(&["checkout", "-qb", "topic"]);
    repo.write("src/part1.rs", "pub fn part1() -> usize {\n    1_000\n}\n");
    repo.commit("part1: a thousand");
    repo.git(&["checkout", "-q", "main"]);
    repo.write(".loki/CONTINUITY.md", &page(0));
    let daemon = home.start();
    daemon.wait_for_project();
    wait_for(&daemon, "the past is read", has_read_the_past);
    let stream = Stream::open(&home.socket);
    daemon.wait_until_quiet();

    println!("\n=== from just before an action to its line on the event stream");
    let edits = undisturbed(&daemon, || edits(&repo, &stream));
    print("an edit", &edits);
    std::thread::sleep(AFTERMATH);
    let checkouts = undisturbed(&daemon, || checkouts(&repo, &stream));
    print("git checkout", &checkouts);
    std::thread::sleep(AFTERMATH);
    let pages = std::cell::Cell::new(0);
    let continuity = undisturbed(&daemon, || continuity(&repo, &stream, &pages));
    print("CONTINUITY.md", &continuity);
    let rounds = std::cell::Cell::new(0);
    let openings = undisturbed(&daemon, || openings(&repo, &stream, &rounds));
    print("an opening by cat", &openings);
    let beyond = Latency::of(openings.lokid.iter().map(|micros| micros - HOLD_MS * 1e3).collect());
    println!("  {:<28} {beyond}", "  beyond the burst window");
    println!("  edits rest {REST_MS} ms before they are looked at; openings are held for {HOLD_MS} ms");
    for (what, times) in [("edit", &edits), ("checkout", &checkouts), ("CONTINUITY.md", &continuity)] {
        verdicts.expect(format!("{what} to signal, p95"), Latency::of(times.lokid.clone()).at(0.95) / 1e3, 50.0, "ms");
    }
    daemon.stop();
}

fn print(what: &str, times: &Times) {
    println!("  {what:<28} {}", Latency::of(times.lokid.clone()));
    println!("  {:<28} {}", "  plain inotify", Latency::of(times.plain.clone()));
    if !times.itself.is_empty() {
        println!("  {:<28} {}", "  the program itself", Latency::of(times.itself.clone()));
    }
    if !times.remembered.is_empty() {
        println!("  {:<28} {}", "  until it is remembered", Latency::of(times.remembered.clone()));
    }
}

fn edits(repo: &Repo, stream: &Stream) -> Times {
    let ear = PlainEar::on(&repo.0.join("src"), WatchFlags::MODIFY | WatchFlags::CLOSE_WRITE);
    let mut times = Times::default();
    stream.drain();
    for n in 0..ACTIONS {
        let name = format!("part{}.rs", n % 20);
        let path = format!("src/{name}");
        let text = format!("pub fn part{}() -> usize {{\n    {n}_{}\n}}\n", n % 20, std::process::id());
        let began = Instant::now();
        repo.write(&path, &text);
        let is_it = |line: &Value| is_signal(line, "file_edited") && line["data"]["path"] == path.as_str();
        times.lokid.push(micros(began, stream.until("an edit", is_it)));
        times.plain.extend(ear.first(began, &name).map(|at| micros(began, at)));
    }
    times
}

fn checkouts(repo: &Repo, stream: &Stream) -> Times {
    repo.git(&["checkout", "-qf", "main"]);
    std::thread::sleep(AFTERMATH);
    let ear = PlainEar::on(&repo.0.join(".git"), WatchFlags::MOVED_TO);
    let mut times = Times::default();
    stream.drain();
    for n in 0..ACTIONS {
        let branch = ["topic", "main"][n % 2];
        let began = Instant::now();
        repo.git(&["checkout", "-q", branch]);
        times.itself.push(micros(began, Instant::now()));
        let is_it = |line: &Value| is_signal(line, "branch_checkout") && line["data"]["branch"] == branch;
        times.lokid.push(micros(began, stream.until("a checkout", is_it)));
        times.plain.extend(ear.first(began, "HEAD").map(|at| micros(began, at)));
    }
    times
}

/// Working memory as an agent keeps it: the last few tasks and decisions, rewritten in place.
fn page(upto: usize) -> String {
    let first = upto.saturating_sub(10);
    let done: String = (first..=upto).map(|n| format!("- [x] Task {n} done\n")).collect();
    let decided: String =
        (first..=upto).map(|n| format!("- Part {n} keeps its own table because tables are cheap\n")).collect();
    format!(
        "# CONTINUITY\n\n## Current State\n- Phase: development\n\n## Completed\n{done}\n\
         ## Key Decisions This Session\n{decided}\n## Next Up\n- Task {}\n",
        upto + 1
    )
}

fn continuity(repo: &Repo, stream: &Stream, pages: &std::cell::Cell<usize>) -> Times {
    let ear = PlainEar::on(&repo.0.join(".loki"), WatchFlags::MODIFY | WatchFlags::CLOSE_WRITE);
    let mut times = Times::default();
    stream.drain();
    for _ in 0..ACTIONS {
        pages.set(pages.get() + 1);
        let text = page(pages.get());
        let began = Instant::now();
        repo.write(".loki/CONTINUITY.md", &text);
        let signal = stream.until("a task", |line| is_signal(line, "task_complete"));
        times.lokid.push(micros(began, signal));
        times.plain.extend(ear.first(began, "CONTINUITY.md").map(|at| micros(began, at)));
        let is_decision = |line: &Value| line["kind"] == "memory" && line["data"]["kind"] == "decision";
        times.remembered.push(micros(began, stream.until("a decision", is_decision)));
    }
    times
}

fn openings(repo: &Repo, stream: &Stream, rounds: &std::cell::Cell<usize>) -> Times {
    let ear = PlainEar::on(&repo.0.join("src"), WatchFlags::OPEN);
    let mut times = Times::default();
    // A file counts once in 30 s.
    let first = 20 * (rounds.replace(rounds.get() + 1) % 2);
    stream.drain();
    for n in first..first + OPENINGS {
        let name = format!("part{n}.rs");
        let path = format!("src/{name}");
        let began = Instant::now();
        repo.run("cat", &[&path]);
        times.itself.push(micros(began, Instant::now()));
        let is_it = |line: &Value| is_signal(line, "file_opened") && line["data"]["path"] == path.as_str();
        times.lokid.push(micros(began, stream.until("an opening", is_it)));
        times.plain.extend(ear.first(began, &name).map(|at| micros(began, at)));
    }
    times
}
