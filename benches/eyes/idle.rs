//! What a daemon costs that has nothing to do, also after its working tree went away and came back.

use super::*;

const WATCHED_FOR: Duration = Duration::from_secs(10);

pub(crate) fn run(verdicts: &mut Verdicts) {
    let folder = tempfile::tempdir().unwrap();
    let home = small_home(folder.path(), 40);
    let daemon = home.start();
    daemon.wait_for_project();
    wait_for(&daemon, "the past is read", has_read_the_past);
    daemon.wait_until_quiet();
    println!("\n=== {} s in which nothing happens", WATCHED_FOR.as_secs());
    let (woken, millis) = quiet_time("lokid", daemon.child.id());
    verdicts.expect("idle for 10 s: processor", millis, 1.0, "ms");
    verdicts.expect("idle for 10 s: context switches", woken as f64, 2.0, "");

    let repo = home.folder.join("repo");
    let away = home.folder.join("away");
    std::fs::rename(&repo, &away).unwrap();
    wait_for(&daemon, "the tree is gone", |status| status["watch"]["state"] == "absent");
    std::fs::rename(&away, &repo).unwrap();
    wait_for(&daemon, "the tree is back", |status| status["watch"]["state"] == "native");
    daemon.wait_until_quiet();
    quiet_time("lokid, tree away and back", daemon.child.id());

    let mut sleep = Command::new("sleep").arg("60").spawn().unwrap();
    std::thread::sleep(Duration::from_millis(200));
    quiet_time("a program that sleeps", sleep.id());
    sleep.kill().unwrap();
    sleep.wait().unwrap();
    daemon.stop();
}

fn quiet_time(who: &str, process: u32) -> (u64, f64) {
    let before = Counted::of_process(process);
    std::thread::sleep(WATCHED_FOR);
    let after = Counted::of_process(process);
    let (woken, millis) = (after.switches_since(&before), after.millis_since(&before));
    let threads = after.told_by_thread(&before, 1.0);
    println!("  {who:<28} {millis:>8.3} ms processor {woken:>5} context switches   {threads}");
    (woken, millis)
}
