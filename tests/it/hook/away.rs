//! Nobody listens, or somebody who does not answer: what the agent notices of it (nothing), and what becomes of the
//! events.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::*;

/// Far more than the deadline, far less than anything an agent would notice as an error: tests run on busy machines.
const NOTICED: Duration = Duration::from_millis(1_500);

fn spool(home: &Home) -> std::path::PathBuf {
    home.path("state/lokid/hooks.spool")
}

#[test]
fn what_nobody_heard_is_heard_in_order_when_the_daemon_is_back() {
    let home = Home::new();
    home.configure("[log]\nlevel = \"debug\"\n");
    let mut daemon = home.daemon();
    remember(&home, "m-1", "mandate", "Every handler has a timeout.", &[]);
    settled(&home);
    let block = start(&home, "s", "startup");
    daemon.child.kill().unwrap();
    daemon.ended();

    let file = |name: &str| home.path("app").join(name);
    let step = |event: &str, tool: &str, name: &str| {
        let call = format!("{event}-{name}");
        let extra = json!({"tool_name": tool, "tool_input": {"file_path": file(name)}, "tool_use_id": call});
        assert_eq!(hook(&home, event, "s", extra).out, "");
    };
    step("PreToolUse", "Read", "one.rs");
    step("PreToolUse", "Read", "two.rs");
    step("PostToolUse", "Edit", "two.rs");
    let mut failed = bash("make", "t9");
    failed["error"] = "Exit code 2\nboom".into();
    hook(&home, "PostToolUseFailure", "s", failed);
    let applied = format!("Applied: {}", mark(&block, "has a timeout"));
    hook(&home, "Stop", "s", json!({"stop_hook_active": false, "last_assistant_message": applied, "prompt_id": "p"}));
    hook(&home, "SessionEnd", "s", json!({"reason": "other"}));

    let mode = std::fs::metadata(spool(&home)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(std::fs::read_to_string(spool(&home)).unwrap().lines().count(), 6);

    let mut daemon = home.daemon();
    for told in ["one.rs", "two.rs", "file_edited", "\"kind\":\"error\"", "task_complete", "session_end"] {
        daemon.err.wait_for(told);
    }
    eventually_some(|| (!spool(&home).exists() && !spool(&home).with_extension("taken").exists()).then_some(()));
    assert_eq!(cited(&home, "s"), 1);
    hears(&home, "file_opened", 2);
    hears(&home, "file_edited", 1);
}

#[test]
fn a_daemon_that_finds_the_spool_while_it_runs_reads_it_too() {
    let home = Home::new();
    let read = |name: &str| json!({"tool_name": "Read", "tool_input": {"file_path": name}, "tool_use_id": name});
    let socket = home.path("nowhere.sock");
    let lost = input(&home.path("app"), "PreToolUse", "s", read("one.rs")).to_string();
    let _daemon = home.daemon();
    settled(&home);
    run(&home, &["hook", "--socket", socket.to_str().unwrap(), "PreToolUse"], lost.as_bytes()).succeeded();
    assert!(spool(&home).exists());
    hook(&home, "PreToolUse", "s", read("two.rs"));
    eventually_some(|| (signals(&home, "file_opened") == 2).then_some(()));
    eventually_some(|| (!spool(&home).exists()).then_some(()));
}

#[test]
fn no_secret_lands_on_the_disk_while_it_waits() {
    let home = Home::new();
    home.configure("[redact]\nrules = [{ name = \"ticket\", pattern = \"TICKET-[0-9]+\" }]\n");
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let secret = format!("use {token} for TICKET-4711 and password = \"hunter2hunter2\"");
    let mut failed = bash(&format!("curl -u x:{token} y"), "t1");
    failed["error"] = format!("Exit code 1\n{secret}").into();
    hook(&home, "PostToolUseFailure", "s", failed);
    hook(&home, "UserPromptSubmit", "s", json!({"prompt": secret}));
    hook(&home, "Stop", "s", json!({"last_assistant_message": secret}));
    let read =
        json!({"tool_name": "Read", "tool_input": {"file_path": format!("/x/{token}.txt")}, "tool_use_id": "t2"});
    hook(&home, "PreToolUse", "s", read);
    let kept = std::fs::read_to_string(spool(&home)).unwrap();
    assert_eq!(kept.lines().count(), 4, "{kept}");
    for planted in [token.as_str(), "TICKET-4711", "hunter2"] {
        assert!(!kept.contains(planted), "{planted} is in {kept}");
    }
    // A configuration that cannot be read may hold rules that matter: then nothing is kept.
    home.configure("[redact]\nrules = 7\n");
    hook(&home, "UserPromptSubmit", "s", json!({"prompt": "TICKET-4711"}));
    assert_eq!(std::fs::read_to_string(spool(&home)).unwrap(), kept);
}

#[test]
fn the_spool_stays_small_and_keeps_what_is_new() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("state/lokid")).unwrap();
    let line = format!("{{\"v\":0,\"x\":\"{}\"}}\n", "y".repeat(500));
    std::fs::write(spool(&home), line.repeat((1 << 20) / line.len())).unwrap();
    hook(&home, "UserPromptSubmit", "s", json!({"prompt": "the newest of all"}));
    let kept = std::fs::read_to_string(spool(&home)).unwrap();
    assert!(kept.len() <= 1 << 20 && kept.starts_with("lost "), "{} bytes", kept.len());
    assert!(kept.trim_end().lines().last().unwrap().contains("the newest of all"));
    std::fs::write(spool(&home), format!("{{\"v\":0,\"x\":\"{}\"}}\n", "y".repeat(30)).repeat(5_000)).unwrap();
    hook(&home, "UserPromptSubmit", "s", json!({"prompt": "newer still"}));
    assert!(std::fs::read_to_string(spool(&home)).unwrap().lines().count() <= 4_096);
    // Lines nobody can read are no obstacle.
    let _daemon = home.daemon();
    eventually_some(|| (signals(&home, "task_start") == 1).then_some(()));
}

#[test]
fn a_daemon_that_hangs_is_not_waited_for_and_counts_once_when_it_wakes() {
    let (home, daemon) = lab();
    let read = json!({"tool_name": "Read", "tool_input": {"file_path": "one.rs"}, "tool_use_id": "t1"});
    let told = input(&home.path("app"), "PreToolUse", "s", read).to_string();
    // Once beforehand: a program that is started for the first time is read from the disk.
    run_within(&home, &["hook", "Notification"], b"{}", None).succeeded();
    daemon.signal(Signal::STOP);
    let started = Instant::now();
    let silent = run_within(&home, &["hook", "PreToolUse"], told.as_bytes(), Some("200"));
    let took = started.elapsed();
    let waits = spool(&home).exists();
    daemon.signal(Signal::CONT);
    assert_eq!((silent.code, silent.out.as_str(), silent.err.as_str()), (Some(0), "", ""));
    assert!(took < NOTICED, "{took:?}");
    assert!(waits, "it was written down");
    hook(
        &home,
        "PreToolUse",
        "s",
        json!({"tool_name": "Read", "tool_input": {"file_path": "two.rs"}, "tool_use_id": "t2"}),
    );
    eventually_some(|| (!spool(&home).exists() && signals(&home, "file_opened") >= 2).then_some(()));
    assert_eq!(signals(&home, "file_opened"), 2, "sent, written down, heard once");
}

#[test]
fn a_socket_nobody_listens_on_is_like_none() {
    let home = Home::new();
    std::fs::create_dir_all(home.socket().parent().unwrap()).unwrap();
    drop(std::os::unix::net::UnixListener::bind(home.socket()).unwrap());
    hook(&home, "UserPromptSubmit", "s", json!({"prompt": "x"}));
    assert!(spool(&home).exists());
}
