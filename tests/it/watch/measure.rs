//! Figures, printed with `--nocapture`, and the one promise among them: an idle watcher does not wake up.

use std::time::{Duration, Instant};

use super::edited;
use super::lab::Repo;
use lokid::watch::{GitArea, Seen, WatchMode};

/// Voluntary switches of the threads that belong to a watcher.
fn switches() -> u64 {
    let mut sum = 0;
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        let task = task.unwrap().path();
        let name = std::fs::read_to_string(task.join("comm")).unwrap_or_default();
        if name.trim() == "watch" || name.starts_with("notify-rs") {
            let status = std::fs::read_to_string(task.join("status")).unwrap_or_default();
            let line = status.lines().find(|line| line.starts_with("voluntary_ctxt_switches")).unwrap_or_default();
            sum += line.rsplit('\t').next().and_then(|count| count.trim().parse::<u64>().ok()).unwrap_or(0);
        }
    }
    sum
}

/// Alone in its process, or the threads of other tests are counted as well.
#[test]
#[ignore = "counts the threads of the whole process: run by itself"]
fn an_idle_watcher_never_wakes_up() {
    let lab = Repo::new().watched();
    lab.settled();
    lab.openings();
    let before = switches();
    assert!(lab.seen.recv_timeout(Duration::from_secs(5)).is_err());
    let woken = switches() - before;
    println!("wake-ups in 5 s: {woken}");
    assert_eq!(woken, 0);
    // Nor after the tree went away and came back.
    let away = lab.root.with_file_name("away");
    std::fs::rename(&lab.root, &away).unwrap();
    lab.wait_for_state(|state| state.mode == WatchMode::Absent);
    std::fs::rename(&away, &lab.root).unwrap();
    lab.wait_for_state(|state| state.mode == WatchMode::Native);
    lab.settled();
    lab.openings();
    let before = switches();
    assert!(lab.seen.recv_timeout(Duration::from_secs(1)).is_err());
    assert_eq!(switches() - before, 0);
}

#[test]
#[ignore = "a measurement"]
fn latency() {
    let lab = Repo::new().watched();
    let mut edits: Vec<Duration> = Vec::new();
    let mut heads: Vec<Duration> = Vec::new();
    for n in 0..100 {
        let text = format!("fn main() {{ {n}; }}\n");
        let began = Instant::now();
        lab.write("src/main.rs", &text);
        lab.expect(&edited("src/main.rs"));
        edits.push(began.elapsed());
        std::fs::write(lab.path(".git/HEAD.lock"), format!("ref: refs/heads/b{n}\n")).unwrap();
        let began = Instant::now();
        std::fs::rename(lab.path(".git/HEAD.lock"), lab.path(".git/HEAD")).unwrap();
        lab.expect(&Seen::Git(GitArea::Head));
        heads.push(began.elapsed());
    }
    for (name, mut times) in [("edit", edits), ("head", heads)] {
        times.sort();
        println!("{name}: p50 {:?}, p95 {:?}, max {:?}", times[50], times[95], times[99]);
    }
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn size(files: usize) {
    let repo = Repo::new();
    for folder in 0..files / 10 {
        let path = repo.root.join(format!("lib/a{}/b{folder}", folder % 100));
        std::fs::create_dir_all(&path).unwrap();
        (0..10).for_each(|n| std::fs::write(path.join(format!("source_file_{n}.rs")), "x").unwrap());
    }
    let (before, began) = (resident(), Instant::now());
    let lab = repo.watched();
    let (took, cost) = (began.elapsed(), ticks() * 10);
    println!("{files} files: ready after {took:?} ({cost} ms of processor), +{} kB", resident() - before);
    let (began, before) = (Instant::now(), ticks());
    lab.watch().rescan();
    lab.wait_for_state(|state| state.scans > 1);
    let cost = (ticks() - before) * 10;
    println!("{files} files: rescan {:?} ({cost} ms of processor); {:?}", began.elapsed(), lab.watch().state());
}

#[test]
#[ignore = "a measurement"]
fn set_up_of_20k_files() {
    size(20_000);
}

#[test]
#[ignore = "a measurement"]
fn set_up_of_100k_files() {
    size(100_000);
}

/// Processor time of the watcher's threads, in ticks of a hundredth of a second.
fn ticks() -> u64 {
    let mut sum = 0;
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        let stat = std::fs::read_to_string(task.unwrap().path().join("stat")).unwrap_or_default();
        let Some((name, rest)) = stat.rsplit_once(')') else { continue };
        if name.ends_with("(watch") || name.contains("(notify-rs") {
            let fields: Vec<&str> = rest.split_whitespace().collect();
            sum += fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        }
    }
    sum
}

#[test]
#[ignore = "a measurement"]
fn cost_beside_a_build() {
    let repo = Repo::new();
    repo.write("Cargo.toml", "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    let modules: String = (0..150).map(|n| format!("mod m{n};\n")).collect();
    repo.write("src/main.rs", &format!("{modules}fn main() {{}}\n"));
    for n in 0..150 {
        let body: String = (0..40).map(|f| format!("pub fn f{f}(x: u64) -> u64 {{ x * {f} + {n} }}\n")).collect();
        repo.write(&format!("src/m{n}.rs"), &body);
    }
    let lab = repo.watched();
    let (before, began) = (ticks(), Instant::now());
    lab.run("cargo", &["build", "--offline"]);
    lab.settled();
    println!("cargo build: {:?}, watcher {} ms", began.elapsed(), (ticks() - before) * 10);
    let (before, began) = (ticks(), Instant::now());
    (0..20).for_each(|_| lab.run("grep", &["-r", "nothing", "."]));
    lab.settled();
    println!("20 searches: {:?}, watcher {} ms", began.elapsed(), (ticks() - before) * 10);
    assert_eq!(lab.openings(), [] as [&str; 0]);
}
