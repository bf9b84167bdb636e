//! How long it takes until a large working tree is watched, what that holds in memory, and what a second look costs.

use lokid_sys::Clock;
use lokid_watch::{Seen, Watch, WatchLimits, WatchPlan};

use super::*;

const SIZES: [usize; 3] = [0, 20_000, 100_000];
const FILES_A_FOLDER: usize = 10;

pub(crate) fn run(verdicts: &mut Verdicts) {
    println!("\n=== until a working tree is watched, {FILES_A_FOLDER} files a folder");
    let mut empty_mb = f64::NAN;
    for size in SIZES {
        progress(format_args!("{size} files"));
        let folder = tempfile::tempdir().unwrap();
        let home = small_home(folder.path(), 1);
        fill(&home.folder.join("repo"), size);
        let (find_wall, find_cpu) = {
            let repo = Repo::of(&home);
            let find = || repo.run("find", &[".", "-type", "f", "-size", "+1k"]);
            find();
            cost_of(find)
        };
        wait_for_a_quiet_machine();
        let started = Instant::now();
        let daemon = home.start();
        let (state, others) = with_others(&daemon, || {
            // The number of files is told when the first look is complete.
            wait_for(&daemon, "all is watched", |status| status["watch"]["files"].as_u64() > Some(size as u64))
        });
        let (ready, cpu) = (started.elapsed().as_secs_f64(), daemon.cpu_ticks() as f64 / 100.0);
        daemon.wait_until_quiet();
        let rss_mb = memory_mb(&daemon, "VmRSS");
        if size == 0 {
            empty_mb = rss_mb;
        }
        println!(
            "  {size:>7} files  ready {ready:>6.2} s after the start ({cpu:.2} s processor)   find {find_wall:>5.2} s \
             ({find_cpu:.2} s processor)   +{:.1} MB   {} folders {}{}",
            rss_mb - empty_mb,
            state["watch"]["folders_watched"],
            state["watch"]["state"].as_str().unwrap_or_default(),
            if others >= DISTURBING { format!(" (disturbed: {:.0} %)", others * 100.0) } else { String::new() }
        );
        daemon.stop();
        if size > 0 {
            second_look(&home.folder.join("repo"), size);
        }
        if size == 100_000 {
            verdicts.expect("100,000 files: ready", ready, 5.0, "s");
        }
    }
}

fn fill(repo: &Path, files: usize) {
    for folder in 0..files / FILES_A_FOLDER {
        let path = repo.join(format!("lib/a{}/b{folder}", folder % 100));
        std::fs::create_dir_all(&path).unwrap();
        for n in 0..FILES_A_FOLDER {
            std::fs::write(path.join(format!("source_file_{n}.rs")), "x").unwrap();
        }
    }
}

/// A watcher without a daemon around it: its first look, and one that is asked for when all is known.
fn second_look(repo: &Path, size: usize) {
    let plan = WatchPlan {
        worktree: repo.to_owned(),
        git_dir: Some(repo.join(".git")),
        common_dir: Some(repo.join(".git")),
        loki_dir: repo.join(".loki"),
        memory_dir: None,
        ignore: Vec::new(),
        error_logs: Vec::new(),
        limits: WatchLimits::default(),
    };
    let (sender, seen) = unbounded();
    let (started, before) = (Instant::now(), ticks_of("self"));
    let watch = Watch::start(plan, Clock::system(), move |what| sender.try_send(what).is_ok()).unwrap();
    while seen.recv_timeout(PATIENCE).unwrap() != Seen::Ready {}
    let (first, first_cpu) = (started.elapsed(), (ticks_of("self") - before) * 10);
    let (started, before) = (Instant::now(), ticks_of("self"));
    watch.rescan();
    while watch.state().scans < 2 {
        assert!(started.elapsed() < PATIENCE, "{:?}", watch.state());
        std::thread::sleep(Duration::from_millis(1));
    }
    let (again, again_cpu) = (started.elapsed(), (ticks_of("self") - before) * 10);
    println!(
        "  {size:>7} files  the watcher alone: first look {first:.0?} ({first_cpu} ms processor), \
         a second look {again:.0?} ({again_cpu} ms processor)"
    );
    watch.stop();
}
