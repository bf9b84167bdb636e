//! Whatever is typed and whatever comes in, the end is a good one.

use std::time::Instant;

use super::*;

#[test]
fn nothing_that_comes_in_makes_it_fail_or_speak() {
    let (home, _daemon) = lab();
    let large = format!(
        "{{\"session_id\":\"s\",\"cwd\":\"{}\",\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":\"x\"}},\
                         \"tool_response\":{{\"stdout\":\"{}\"}}}}",
        home.path("app").display(),
        "y".repeat(10 << 20)
    );
    let deep = "[".repeat(200_000);
    for input in [
        "",
        " \n",
        "garbage",
        "{",
        "[]",
        "7",
        "null",
        "\"x\"",
        "{\"session_id\":7}",
        "{}}{{",
        "{\"a\":1} trailing",
        "\u{0}\u{1}",
        &deep,
        &large,
    ] {
        for event in ["SessionStart", "PostToolUse", "Nonsense"] {
            let told = run(&home, &["hook", event], input.as_bytes());
            let shown = input.get(..40).unwrap_or(input);
            assert_eq!((told.code, told.out.as_str(), told.err.as_str()), (Some(0), "", ""), "{event} {shown:?}");
        }
    }
    let told = run(&home, &["hook", "SessionStart"], b"\xff\xfe{\"session_id\":\"\xff\"}");
    assert_eq!((told.code, told.out.as_str()), (Some(0), ""));
    assert!(client(&home).send(&Request::get("/v1/health")).unwrap().is_success());
}

#[test]
fn nothing_that_is_typed_makes_it_fail() {
    let home = Home::new();
    for arguments in [
        &["hook"][..],
        &["hook", ""],
        &["hook", "--agent", "nobody", "Stop"],
        &["hook", "--agent"],
        &["hook", "--unknown", "Stop", "more", "and more"],
        &["hook", "--socket", "/nowhere/at/all", "Stop"],
        &["hook", "--config", "/nowhere.toml", "Stop"],
        &["--socket", "/nowhere/at/all", "hook", "Stop"],
    ] {
        let told = run(&home, arguments, b"{}");
        assert_eq!((told.code, told.out.as_str(), told.err.as_str()), (Some(0), "", ""), "{arguments:?}");
    }
    home.run(&["hook", "--help"]).succeeded().says("lokid hook").says("--agent");
}

#[test]
fn an_input_that_never_ends_is_not_waited_for() {
    let home = Home::new();
    let mut command = home.command(&["hook", "Stop"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let held = child.stdin.take();
    let started = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    drop(held);
    assert_eq!(home.command(&["hook", "Stop"]).status().unwrap().code(), Some(0), "no input at all");
}

#[test]
fn it_says_what_it_does_only_when_asked() {
    let home = Home::new();
    let mut command = home.command(&["hook", "Stop"]);
    let told = command.env("LOKID_HOOK_DEBUG", "1").env("LOKID_HOOK_DEADLINE_MS", PATIENT).output().unwrap();
    assert!(told.stdout.is_empty() && String::from_utf8_lossy(&told.stderr).starts_with("lokid hook Stop: no daemon"));
    home.configure("[hook]\ndeadline = \"1ms\"\n");
    assert_eq!(home.command(&["hook", "Stop"]).status().unwrap().code(), Some(0));
}

#[test]
fn an_agent_that_is_told_to_keep_it_to_itself_does() {
    let home = Home::new();
    let told = input(&home.path("app"), "UserPromptSubmit", "s", json!({"prompt": "x"})).to_string();
    let mut command = home.command(&["hook", "UserPromptSubmit"]);
    let mut child = command.env("LOKID_HOOK", "off").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(told.as_bytes());
    let said = child.wait_with_output().unwrap();
    assert!(said.status.success() && said.stdout.is_empty());
    assert!(!home.path("state/lokid/hooks.spool").exists());
}

#[test]
fn the_socket_of_the_configuration_is_found() {
    let home = Home::new();
    let socket = home.path("run/elsewhere.sock");
    home.configure(&format!("[server]\nsocket = \"{}\"\n", socket.display()));
    let mut daemon = Daemon::start(home.command(&["run"]));
    daemon.out.wait_for("watching ");
    let read = json!({"tool_name": "Read", "tool_input": {"file_path": "one.rs"}, "tool_use_id": "t1"});
    let told = input(&home.path("app"), "PreToolUse", "s", read).to_string();
    eventually_some(|| {
        let mut command = home.command(&["hook", "PreToolUse"]);
        command.env("LOKID_HOOK_DEBUG", "1").env("LOKID_HOOK_DEADLINE_MS", PATIENT).stdin(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(told.as_bytes()).unwrap();
        let said = child.wait_with_output().unwrap().stderr;
        String::from_utf8_lossy(&said).contains("heard").then_some(())
    });
}
