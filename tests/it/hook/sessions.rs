//! A whole session through hooks becomes an episode: from the transcript its agent names, else from what was heard.

use super::*;

fn told(home: &Home, kind: &str) -> Vec<Value> {
    let app = home.path("app");
    let listed = get(home, &format!("/v1/memories?kind={kind}&project={}", app.display()));
    let items = listed["items"].as_array().or_else(|| listed["memories"].as_array());
    items.unwrap_or_else(|| panic!("{listed:#}")).clone()
}

/// The transcript of a real session, as if it had been held in `app`.
fn transcript(home: &Home) -> std::path::PathBuf {
    let written = include_str!("../../data/transcripts/claude.jsonl");
    let path = home.path("session.jsonl");
    std::fs::write(&path, written.replace("/home/kim/sum", &home.path("app").display().to_string())).unwrap();
    path
}

#[test]
fn a_session_with_a_transcript_becomes_one_episode_however_often_it_is_heard() {
    let home = Home::new();
    home.configure("[log]\nlevel = \"debug\"\n");
    let mut daemon = home.daemon();
    settled(&home);
    let path = transcript(&home);
    let stop = || {
        let extra = json!({"stop_hook_active": false, "last_assistant_message": "Fixed.", "transcript_path": path});
        hook(&home, "Stop", "67ffbf22", extra);
    };
    stop();
    daemon.err.wait_for("read a session");
    let first = told(&home, "episode").pop().unwrap();
    assert_eq!(first["title"], "The tests fail. Fix the sum in add.sh");
    assert_eq!(first["files"][0], "add.sh");
    stop();
    hook(&home, "SessionEnd", "67ffbf22", json!({"reason": "other", "transcript_path": path}));
    daemon.err.wait_for("read a session");
    assert_eq!(told(&home, "episode").len(), 1);
}

#[test]
fn without_a_transcript_what_was_heard_is_the_episode_and_goes_on_with_the_session() {
    let (home, _daemon) = lab();
    let gemini = |event: &str, extra: Value| {
        let input = input(&home.path("app"), event, "g-1", extra).to_string();
        let told = run(&home, &["hook", "--agent", "gemini", event], input.as_bytes());
        assert_eq!((told.code, told.err.as_str()), (Some(0), ""), "{told:?}");
    };
    let file = home.path("app").join("port.py");
    gemini("BeforeAgent", json!({"prompt": "Ports above 9999 are refused, please fix it"}));
    // Numbered, so that the same command twice is heard twice.
    let shell = |failed: bool| {
        let answer = if failed {
            json!({"exit_code": 1, "output": "ValueError: 10000 is no port of the relay"})
        } else {
            json!({"exit_code": 0})
        };
        json!({"tool_name": "run_shell_command", "tool_input": {"command": "pytest -q"}, "tool_response": answer,
               "tool_call_id": if failed { "t-1" } else { "t-2" }})
    };
    gemini("AfterTool", shell(true));
    gemini(
        "AfterTool",
        json!({"tool_name": "replace", "tool_input": {"file_path": file}, "tool_response": {"output": "ok"}}),
    );
    gemini("AfterTool", shell(false));
    gemini("AfterAgent", json!({"prompt_response": "**Cause**: four digits were read.\n\n**Fix**: five are."}));
    let heard = eventually_some(|| told(&home, "episode").pop());
    assert_eq!(heard["title"], "Ports above 9999 are refused, please fix it");
    assert_eq!((&heard["outcome"], &heard["files"][0]), (&json!("success"), &json!("port.py")));
    let whole = get(&home, &format!("/v1/memories/{}", heard["id"].as_str().unwrap()));
    let text = whole["text"].as_str().unwrap();
    assert!(
        text.contains("Cause: four digits were read.") && text.contains("ValueError: 10000 is no port of the relay"),
        "{text}"
    );
    // The error, its cause and its fix are a lesson of their own.
    let lesson = told(&home, "learning").pop().unwrap();
    assert!(lesson["title"].as_str().unwrap().contains("10000 is no port of the relay"), "{lesson:#}");

    gemini("BeforeAgent", json!({"prompt": "no, use pytest -x instead of pytest -q"}));
    gemini("AfterAgent", json!({"prompt_response": "Will do."}));
    let wish = eventually_some(|| told(&home, "note").pop());
    assert_eq!((&wish["title"], &wish["source"]), (&json!("Use pytest -x instead of pytest -q"), &json!("user")));
    assert_eq!(told(&home, "episode").len(), 1);
}

#[test]
fn what_happened_while_nobody_listened_is_an_episode_too() {
    let home = Home::new();
    let path = transcript(&home);
    drop(home.daemon());
    hook(
        &home,
        "Stop",
        "s",
        json!({"stop_hook_active": false, "last_assistant_message": "Done.", "transcript_path": path}),
    );
    let _daemon = home.daemon();
    assert_eq!(eventually_some(|| told(&home, "episode").pop())["files"][0], "add.sh");
}

#[test]
fn a_secret_in_a_session_reaches_no_file() {
    let (home, _daemon) = lab();
    let path = transcript(&home);
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let written =
        std::fs::read_to_string(&path).unwrap().replace("The tests fail.", &format!("The token {secret} fails."));
    std::fs::write(&path, written).unwrap();
    hook(
        &home,
        "Stop",
        "s",
        json!({"stop_hook_active": false, "last_assistant_message": "Done.", "transcript_path": path}),
    );
    let kept = eventually_some(|| told(&home, "episode").pop());
    assert!(!kept.to_string().contains(secret), "{kept:#}");
    let found = std::process::Command::new("grep").args(["-rl", secret]).arg(home.path("app")).output().unwrap();
    assert!(found.stdout.is_empty(), "{}", String::from_utf8_lossy(&found.stdout));
}
