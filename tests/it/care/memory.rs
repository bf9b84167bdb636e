//! The ceiling on memory, through the program: caches go, then nothing is made ready, then all is as before.

use rustix::process::Signal;
use serde_json::json;

use super::{project, status};
use crate::home::{Home, eventually_some};

#[test]
fn close_to_the_ceiling_the_daemon_lets_go_and_goes_on_answering() {
    let home = Home::new();
    home.configure("[service]\nmemory_limit = \"16 MiB\"\n");
    let mut daemon = home.daemon();
    if status(&home)["rss_bytes"].is_null() {
        println!("skipped: this system does not tell what a process holds");
        return;
    }
    let lines: String = (0..20_000)
        .map(|n| {
            json!({"id": format!("n-{n}"), "kind": "note", "text": format!("lamp number {n}, green")}).to_string()
                + "\n"
        })
        .collect();
    home.run_with(&["import", "-"], &lines).succeeded();
    let told = eventually_some(|| Some(status(&home)).filter(|told| told["memory"]["state"] == "scarce"));
    assert_eq!(told["memory"]["limit_bytes"], 16 << 20);
    assert!(told["memory"]["sheds"].as_u64().unwrap() >= 1, "{told:#}");
    daemon.err.wait_for("very close to service.memory_limit");
    home.run(&["status"]).succeeded().says("memory").says("16.0 MiB");
    let file = home.path("app/src.rs");
    std::fs::write(&file, "fn main() {}\n").unwrap();
    let seen = |kind: &str| project(&home)["watch"]["signals"][kind].as_u64().unwrap();
    eventually_some(|| (seen("file_edited") > 0).then_some(()));
    home.run(&["recall", "lamp number 7"]).succeeded().says("lamp number 7");
    home.run(&["context", "--file", "src.rs"]).succeeded();
    assert_eq!(project(&home)["prefetch"]["prepared"], 0, "nothing is made ready in advance");

    home.configure("[service]\nmemory_limit = \"64 GiB\"\n");
    daemon.signal(Signal::HUP);
    eventually_some(|| (status(&home)["memory"]["state"] == "calm").then_some(()));
    daemon.err.wait_for("memory is no longer scarce");
    let mut turn = 0;
    eventually_some(|| {
        turn += 1;
        std::fs::write(&file, format!("fn main() {{ {turn} }}\n")).unwrap();
        (project(&home)["prefetch"]["prepared"].as_u64() > Some(0)).then_some(())
    });
}
