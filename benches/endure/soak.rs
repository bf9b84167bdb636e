//! Work that goes on: edits, checkouts, builds, errors and twenty clients, with a night again and again under a clock that
//! runs ahead by days. What a year does to the daemon in small steps would show here: memory and open files stay what they
//! were, every event is told, and the log has no errors.
//!
//! Like is compared with like. Before the time begins every client has told all that it will ever tell, and one night has
//! gone over it: whoever knows more may hold more, so from then on each write corrects one of these, and only what is
//! learnt from the errors comes to them. Then all of them work until whatever has a bound has reached it. What is held by
//! day is told apart from what a night takes for its comparisons, and the quarters are those of the day. Whatever is still
//! held for a version that was corrected, a question that was answered or an event that was told adds up all the same, and
//! fails.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use lokid::serve::Request;
use serde_json::{Value, json};

use crate::house::{Daemon, House, at};
use crate::lots::Lots;
use crate::writer::{Promised, Trouble, Writer};

const CLIENTS: usize = 20;
/// What each client knows to tell. A night of an unoptimised build takes seconds for every dozen that all of them know, so
/// the short form has less to compare.
const EACH: usize = 25;
const EACH_OF_A_SHORT_ONE: usize = 5;
/// From so many minutes on it is no short one.
const SHORT: u64 = 8;
/// Each is edited in turn, so that none is edited again within the time in which that is no news.
const FILES: u64 = 240;
/// Requests before the time begins. By then as many events were told as are kept, some hundred contexts were made ready,
/// and a thousand versions have come and gone: each of these fills something up to its bound, and once.
const WARM: usize = 8_000;
/// What is written right after git worked counts as git's.
const AFTER_GIT: Duration = Duration::from_millis(2_500);
/// An event that did not come by then is lost.
const LOST: Duration = Duration::from_secs(30);
/// How much more memory the last quarter may have than the second.
const GROWTH: f64 = 1.05;

pub(crate) fn run(minutes: u64) {
    let lasts = Duration::from_secs(minutes * 60);
    let (each, nights) = if minutes < SHORT { (EACH_OF_A_SHORT_ONE, 4) } else { (EACH, 8) };
    let house = House::new();
    house.configure("[night]\nafter_tasks = false\nmax_load = 1000\n");
    for file in 0..FILES {
        house.write(&format!("src/part{file}.py"), "def run():\n    return 1\n");
    }
    house.write(".gitignore", ".loki/\nbuild/\n");
    commit(&house, "Parts");
    house.git(&["branch", "other"]);
    let daemon = house.start();
    let (promised, course, samples) = (Promised::default(), Course::default(), Mutex::new(Vec::new()));
    println!("\nsoak: {minutes} min, {CLIENTS} clients, up to {nights} nights a day apart");
    let begun = Instant::now();
    let mut writers: Vec<Writer> = (0..CLIENTS)
        .map(|client| Writer::new(&house, &promised, format!("client{client}"), client as u64 + 1, each))
        .collect();
    let actions = std::thread::scope(|scope| {
        let course = &course;
        let _ended = Ended(course);
        scope.spawn(|| sample(&daemon, &samples, course));
        std::thread::scope(|scope| {
            for writer in &mut writers {
                scope.spawn(|| (0..each).for_each(|_| writer.write().unwrap_or_else(|trouble| panic!("{trouble}"))));
            }
        });
        sleep(&house, 0);
        for (number, writer) in writers.into_iter().enumerate() {
            scope.spawn(move || work(writer, number, course));
        }
        scope.spawn(|| sleep_and_wake(&house, lasts / nights, course));
        act(&house, course, lasts)
    });
    let samples = samples.into_inner().unwrap();
    let (nights, days): (Vec<Sample>, Vec<Sample>) = samples.into_iter().partition(|sample| sample.at_night);
    let files = |of: &[Sample]| median(of.iter().map(|sample| sample.files as f64));
    let memory = |of: &[Sample]| median(of.iter().map(|sample| sample.resident));
    let quarters: Vec<&[Sample]> = days.chunks(days.len().div_ceil(4)).collect();
    let [_, second, _, last] = quarters[..] else { panic!("{} looks by day are too few", days.len()) };
    let growth = memory(last) / memory(second);
    let children = course.children.into_inner();
    println!(
        "  {} memories; {} requests, {WARM} of them before the time; {:.0} s in all",
        CLIENTS * each,
        course.requests.into_inner(),
        begun.elapsed().as_secs_f64()
    );
    println!(
        "  {} actions, every one told; p50 {:.0} ms, p99 {:.0} ms",
        actions.len(),
        at(&actions, 0.5),
        at(&actions, 0.99)
    );
    for (name, of) in ["first", "second", "third", "last"].iter().zip(&quarters) {
        println!("  {name:<7} quarter {:>7.1} MB resident, {:>4.0} open files", memory(of), files(of));
    }
    println!("  nights          {:>7.1} MB resident, {:>4.0} open files", memory(&nights), files(&nights));
    println!(
        "  last beside second quarter: memory {growth:.3} x (at most {GROWTH}), files {:.2} x",
        files(last) / files(second)
    );
    println!("  children of the daemon at any time: {children}");
    daemon.stop(&house);
    let log = house.log();
    let bad: Vec<&str> = log.lines().filter(|line| line.contains("ERROR") || line.contains("panicked")).collect();
    let odd: Vec<&str> = log.lines().filter(|line| line.contains("WARN")).collect();
    println!("  log: {} errors, {} warnings", bad.len(), odd.len());
    odd.iter().take(5).for_each(|line| println!("    {line}"));
    promised.check(&house, "after the soak");
    println!("  {} memories acknowledged, all there", promised.acknowledged());
    assert!(bad.is_empty(), "{bad:#?}");
    assert_eq!(children, 0, "the daemon has no children");
    assert!(files(last) <= files(second) + 4.0, "open files grew");
    assert!(growth <= GROWTH, "memory grew");
}

/// Where everybody is.
#[derive(Default)]
struct Course {
    requests: AtomicUsize,
    /// The time has begun.
    counts: AtomicBool,
    asleep: AtomicBool,
    over: AtomicBool,
    /// The most that the daemon ever had, from its start.
    children: AtomicUsize,
}

/// All others end with the course of things, also where that fails: they would be waited for without end.
struct Ended<'a>(&'a Course);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Relaxed);
    }
}

struct Sample {
    resident: f64,
    files: usize,
    at_night: bool,
}

fn sample(daemon: &Daemon, samples: &Mutex<Vec<Sample>>, course: &Course) {
    while !course.over.load(Ordering::Relaxed) {
        let at_night = course.asleep.load(Ordering::Relaxed);
        course.children.fetch_max(daemon.children(), Ordering::Relaxed);
        if course.counts.load(Ordering::Relaxed) {
            let (resident, files) = (daemon.resident_mb(), daemon.open_files());
            samples.lock().unwrap().push(Sample { resident, files, at_night });
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    at(&sorted, 0.5)
}

fn work(mut writer: Writer<'_>, number: usize, course: &Course) {
    let mut lots = Lots::new(number as u64 + 50);
    while !course.over.load(Ordering::Relaxed) {
        let done = if lots.draw(5) == 0 { writer.write() } else { writer.ask() };
        if let Err(trouble @ (Trouble::Refused(_) | Trouble::Unheard(_))) = done {
            panic!("client {number}: {trouble}");
        }
        course.requests.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(100 + lots.draw(300)));
    }
}

/// A night in the middle of every such time, each a day later than the one before; a day is at least half as long.
fn sleep_and_wake(house: &House, every: Duration, course: &Course) {
    let (mut begun, mut woke, mut nights) = (Instant::now(), Instant::now(), 0);
    while !course.over.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
        if !course.counts.load(Ordering::Relaxed) {
            begun = Instant::now();
        }
        if begun.elapsed() < every * nights + every / 2 || woke.elapsed() < every / 2 {
            continue;
        }
        nights += 1;
        course.asleep.store(true, Ordering::Relaxed);
        sleep(house, nights);
        course.asleep.store(false, Ordering::Relaxed);
        woke = Instant::now();
    }
}

fn sleep(house: &House, days: u32) {
    let client = house.client().patience(Duration::from_secs(600));
    let now = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(24 * i64::from(days));
    let answer = client.send(&Request::post("/v1/consolidate", &json!({"now": now.to_string()}))).unwrap();
    assert_eq!(answer.status, 200, "night {days}: {}", answer.text());
    let report = answer.json().unwrap();
    assert_eq!((&report["failed"], &report["interrupted"]), (&json!(false), &json!(false)), "{report}");
}

/// Does one thing after another and waits until each was told, and says when the time begins. How long each took, in
/// milliseconds, in order.
fn act(house: &House, course: &Course, lasts: Duration) -> Vec<f64> {
    let (teller, told) = channel();
    let follower = house.client();
    std::thread::spawn(move || {
        let request = Request::get("/v1/events").header("accept", "application/x-ndjson");
        let _ = follower.follow(&request, |line| {
            serde_json::from_str(line).map_or(true, |event: Value| teller.send(event).is_ok())
        });
    });
    // Whoever hears anything follows; what is done before that is told to nobody.
    told.recv_timeout(LOST).expect("what the clients tell is an event");
    let (mut lots, mut took, mut begun) = (Lots::new(11), Vec::new(), None);
    let (mut branch, mut edited) = ("main", 0);
    for turn in 0_u64.. {
        if begun.is_none() && course.requests.load(Ordering::Relaxed) >= WARM {
            begun = Some(Instant::now());
            course.counts.store(true, Ordering::Relaxed);
        }
        if begun.is_some_and(|begun| begun.elapsed() >= lasts) {
            break;
        }
        let since = Instant::now();
        match lots.draw(20) {
            0 => {
                branch = if branch == "main" { "other" } else { "main" };
                house.git(&["stash", "-q", "-u"]);
                house.git(&["checkout", "-q", branch]);
                hear(&told, "branch_checkout", "branch", branch);
                took.push(since.elapsed().as_secs_f64() * 1e3);
                std::thread::sleep(AFTER_GIT);
                continue;
            }
            1 => {
                commit(house, &format!("Change {turn}"));
                std::thread::sleep(AFTER_GIT);
                continue;
            }
            2 => {
                // What a build leaves behind is nobody's news.
                for object in 0..100 {
                    house.write(&format!("build/{object}.o"), &turn.to_string());
                }
                continue;
            }
            3 => {
                let (part, kind) = (lots.draw(FILES), lots.one_of(&["ValueError", "KeyError", "OSError"]));
                let trace = format!(
                    "Traceback (most recent call last):\n  File \"src/part{part}.py\", line 2, in run\n    return 1\n{kind}: part {part} at turn {turn}\n"
                );
                house.append(".loki/logs/app.log", &trace);
                hear(&told, "error", "path", &format!("src/part{part}.py"));
            }
            _ => {
                edited += 1;
                let path = format!("src/part{}.py", edited % FILES);
                house.append(&path, &format!("# {turn}\n"));
                hear(&told, "file_edited", "path", &path);
            }
        }
        took.push(since.elapsed().as_secs_f64() * 1e3);
        std::thread::sleep(Duration::from_millis(100));
    }
    took.sort_by(f64::total_cmp);
    took
}

fn commit(house: &House, message: &str) {
    house.git(&["add", "-A"]);
    house.git(&["commit", "-q", "--allow-empty", "-m", message]);
}

fn hear(told: &Receiver<Value>, kind: &str, field: &str, value: &str) {
    let end = Instant::now() + LOST;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let event = told.recv_timeout(left).unwrap_or_else(|_| panic!("{kind} {value} was never told"));
        let data = &event["data"];
        if event["kind"] == "signal" && data["type"] == kind && data[field] == value {
            return;
        }
    }
}
