//! What the agents really send, and what is understood of it. The samples are what Claude Code 2.1.325 and Codex
//! 0.166.0 wrote to their hooks, with other paths.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::answer::{shaped, takes};
use super::command::{files_read, is_own, names, spoken};
use super::payload::{Agent, Happening, What};
use super::told::Told;
use super::{Event, waiting};
use lokid_model::{Kind, Memory, MemoryId, SignalKind, Timestamp};

const AT: Timestamp = Timestamp::from_micros(1_790_000_000_000_000);

fn claude(event: &str, extra: Value) -> Happening {
    let mut input = json!({
        "session_id": "c255085b-e6e8-4146-8499-f1932203ef46",
        "transcript_path": "/home/ada/.claude/projects/-code-app/c255085b-e6e8-4146-8499-f1932203ef46.jsonl",
        "cwd": "/code/app",
        "prompt_id": "fbcced86-68d8-4545-8ce5-b49449ff45a7",
        "permission_mode": "default",
        "effort": {"level": "medium"},
        "hook_event_name": event,
    });
    input.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    Happening::read(Agent::Claude, event, &input, None)
}

fn codex(event: &str, extra: Value) -> Happening {
    let mut input = json!({
        "session_id": "01a1dff1-1404-71b2-bcd8-abf123bdac6e",
        "turn_id": "01a1dff1-1434-7e93-9c68-feec687ecc7a",
        "transcript_path": "/home/ada/.codex/sessions/rollout.jsonl",
        "cwd": "/code/app",
        "hook_event_name": event,
        "model": "gpt-stub",
        "permission_mode": "bypassPermissions",
    });
    input.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    Happening::read(Agent::Codex, event, &input, None)
}

/// Signals as `kind path-or-text-or-goal`.
fn said(happening: &Happening) -> Vec<String> {
    let Some(told) = Told::of(happening, AT) else { return vec!["nothing".to_owned()] };
    let one = |said: &super::told::Said| {
        let what = said.path.as_deref().or(said.text.as_deref()).or(said.goal.as_deref()).unwrap_or_default();
        format!("{} {what}", said.kind.as_str()).trim().to_owned()
    };
    told.signals.iter().map(one).collect()
}

#[test]
fn every_event_of_claude_code_is_understood() {
    let start = claude("SessionStart", json!({"source": "startup"}));
    assert_eq!(start.session, "c255085b-e6e8-4146-8499-f1932203ef46");
    assert_eq!(start.cwd.as_deref(), Some(Path::new("/code/app")));
    assert_eq!(said(&start), ["session_start"]);
    let again = claude("SessionStart", json!({"source": "compact"}));
    assert!(Told::of(&again, AT).unwrap().compacted);
    assert_eq!(said(&claude("UserPromptSubmit", json!({"prompt": "fix the login"}))), ["task_start fix the login"]);
    assert_eq!(said(&claude("UserPromptSubmit", json!({"prompt": "/clear"}))), Vec::<String>::new());
    let bash = json!({"tool_name": "Bash", "tool_input": {"command": "cat src/a.rs", "description": "x"},
                      "tool_use_id": "toolu_01"});
    assert_eq!(said(&claude("PreToolUse", bash)), ["file_opened /code/app/src/a.rs"]);
    let ran = json!({"tool_name": "Bash", "tool_input": {"command": "echo hi", "description": "x"},
                     "tool_response": {"stdout": "hi", "stderr": "", "interrupted": false, "isImage": false,
                                       "noOutputExpected": false},
                     "tool_use_id": "toolu_01", "duration_ms": 29});
    assert_eq!(said(&claude("PostToolUse", ran)), Vec::<String>::new());
    let failed = json!({"tool_name": "Bash", "tool_input": {"command": "false; echo boom >&2; exit 3"},
                        "tool_use_id": "toolu_01", "error": "Exit code 3\nboom", "is_interrupt": false,
                        "duration_ms": 319});
    assert_eq!(said(&claude("PostToolUseFailure", failed)), ["error Exit code 3\nboom"]);
    let stop = json!({"stop_hook_active": false, "last_assistant_message": "ok. Applied: [M:1a2b3c4d]",
                      "background_tasks": [], "session_crons": []});
    let stopped = claude("Stop", stop);
    assert_eq!(said(&stopped), ["task_complete"]);
    assert_eq!(Told::of(&stopped, AT).unwrap().cited.unwrap(), ["M:1a2b3c4d"]);
    let goes_on = json!({"stop_hook_active": true, "last_assistant_message": "[G:00ff00ff]"});
    let goes_on = claude("Stop", goes_on);
    assert_eq!(said(&goes_on), Vec::<String>::new());
    assert_eq!(Told::of(&goes_on, AT).unwrap().cited.unwrap(), ["M:00ff00ff"]);
    assert!(Told::of(&claude("PreCompact", json!({"trigger": "auto"})), AT).unwrap().compacted);
    assert_eq!(said(&claude("SessionEnd", json!({"reason": "other"}))), ["session_end"]);
    assert_eq!(said(&claude("Notification", json!({"message": "x"}))), ["nothing"]);
}

#[test]
fn a_subagent_that_ends_does_not_end_the_work_of_its_session() {
    let stop = json!({"stop_hook_active": false, "agent_id": "a7", "last_assistant_message": "done [R:00ff00ff]"});
    let told = Told::of(&claude("SubagentStop", stop), AT).unwrap();
    let signal = told.signal(&told.signals[0]);
    assert_eq!(signal.kind, SignalKind::TaskComplete);
    assert_eq!(signal.session.as_deref(), Some("c255085b-e6e8-4146-8499-f1932203ef46#a7"));
    assert_eq!(told.cited.unwrap(), ["M:00ff00ff"]);
}

#[test]
fn the_file_tools_name_their_files() {
    let check = |event: &str, tool: &str, input: Value, expect: &[&str]| {
        let happening = claude(event, json!({"tool_name": tool, "tool_input": input, "tool_use_id": "t"}));
        assert_eq!(said(&happening), expect, "{event} {tool}");
    };
    check("PreToolUse", "Read", json!({"file_path": "/code/app/a.rs"}), &["file_opened /code/app/a.rs"]);
    check("PreToolUse", "Edit", json!({"file_path": "/code/app/a.rs"}), &["file_opened /code/app/a.rs"]);
    for tool in ["Edit", "MultiEdit", "Write"] {
        check("PostToolUse", tool, json!({"file_path": "src/../a.rs"}), &["file_edited /code/app/a.rs"]);
    }
    check("PostToolUse", "NotebookEdit", json!({"notebook_path": "/n.ipynb"}), &["file_edited /n.ipynb"]);
    check("PreToolUse", "Grep", json!({"pattern": "x", "path": "src/a.rs"}), &["file_opened /code/app/src/a.rs"]);
    check("PreToolUse", "Grep", json!({"pattern": "x", "path": "src"}), &[]);
    check("PreToolUse", "Glob", json!({"pattern": "**/*.rs"}), &[]);
    check("PreToolUse", "Task", json!({"prompt": "x"}), &[]);
}

#[test]
fn every_event_of_codex_is_understood() {
    assert_eq!(said(&codex("SessionStart", json!({"source": "startup"}))), ["session_start"]);
    assert_eq!(said(&codex("UserPromptSubmit", json!({"prompt": "please FAIL"}))), ["task_start please FAIL"]);
    let bash = json!({"tool_name": "Bash", "tool_input": {"command": "sed -n 1,9p src/a.py"}, "tool_use_id": "call_1"});
    assert_eq!(said(&codex("PreToolUse", bash)), ["file_opened /code/app/src/a.py"]);
    // It says how a command ended only in words.
    let ran = json!({"tool_name": "Bash", "tool_input": {"command": "pytest"}, "tool_use_id": "call_1",
                     "tool_response": "E   KeyError: 'port'\n"});
    match codex("PostToolUse", ran).event {
        What::After { doubtful, .. } => assert_eq!(doubtful.as_deref(), Some("E   KeyError: 'port'\n")),
        other => panic!("{other:?}"),
    }
    let ended = json!({"tool_name": "shell", "tool_input": {"command": ["bash", "-lc", "make"]},
                       "tool_response": "{\"output\":\"no rule\",\"metadata\":{\"exit_code\":2}}"});
    assert_eq!(said(&codex("PostToolUse", ended)), ["error no rule"]);
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** Add File: b.rs\n+z\n*** End Patch";
    let patched = ["file_edited /code/app/src/a.rs", "file_edited /code/app/b.rs"];
    let tool = json!({"tool_name": "apply_patch", "tool_input": {"input": patch}, "tool_response": "Success"});
    assert_eq!(said(&codex("PostToolUse", tool)), patched);
    let shell = json!({"tool_name": "Bash", "tool_input": {"command": format!("apply_patch <<'EOF'\n{patch}\nEOF")}});
    assert_eq!(said(&codex("PostToolUse", shell)), patched);
    let stop = json!({"stop_hook_active": false, "last_assistant_message": "ok done"});
    assert_eq!(said(&codex("Stop", stop)), ["task_complete"]);
    assert_eq!(said(&codex("SessionEnd", json!({"reason": "other"}))), ["session_end"]);
}

#[test]
fn the_others_are_understood_in_their_own_words() {
    let check = |agent: Agent, event: &str, input: Value, expect: &[&str]| {
        assert_eq!(said(&Happening::read(agent, event, &input, Some(PathBuf::from("/w")))), expect, "{event}");
    };
    let read = json!({"session_id": "g", "tool_name": "read_file", "tool_input": {"absolute_path": "/w/a.ts"}});
    check(Agent::Gemini, "BeforeTool", read, &["file_opened /w/a.ts"]);
    check(Agent::Gemini, "BeforeAgent", json!({"session_id": "g", "prompt": "go"}), &["task_start go"]);
    check(Agent::Gemini, "AfterAgent", json!({"prompt_response": "done"}), &["task_complete"]);
    let edit = json!({"conversation_id": "c", "file_path": "/w/a.ts", "edits": [], "workspace_roots": ["/w"]});
    check(Agent::Cursor, "afterFileEdit", edit, &["file_edited /w/a.ts"]);
    let shell = json!({"conversation_id": "c", "command": "cat x.md", "cwd": "/w"});
    check(Agent::Cursor, "beforeShellExecution", shell, &["file_opened /w/x.md"]);
    check(Agent::Cursor, "afterAgentResponse", json!({"text": "done"}), &[]);
    let args = json!({"sessionId": "p", "toolName": "edit", "toolArgs": "{\"path\":\"/w/a.go\"}",
                      "toolResult": {"resultType": "success", "textResultForLlm": "ok"}});
    check(Agent::Copilot, "postToolUse", args, &["file_edited /w/a.go"]);
    let failed = json!({"toolName": "bash", "toolArgs": "{\"command\":\"make\"}",
                        "toolResult": {"resultType": "failure", "textResultForLlm": "no rule"}});
    check(Agent::Copilot, "postToolUse", failed, &["error no rule"]);
}

#[test]
fn our_own_doing_is_not_heard() {
    for tool in ["mcp__loki__recall", "mcp__lokid__save", "mcp__plugin_loki_loki__mem_search"] {
        assert_eq!(said(&claude("PostToolUse", json!({"tool_name": tool, "tool_input": {}}))), ["nothing"], "{tool}");
    }
    for command in ["lokid recall x", "cd a && /usr/bin/lokid remember 'y'", "FOO=1 sudo lokid status"] {
        assert!(is_own(command), "{command}");
        let bash = json!({"tool_name": "Bash", "tool_input": {"command": command}});
        assert_eq!(said(&claude("PreToolUse", bash)), ["nothing"], "{command}");
    }
    assert!(!is_own("cat lokid.md && cd lokid"));
    let told = "<lokid-memory>\n- [R:1a2b3c4d] x\n</lokid-memory>";
    assert_eq!(said(&claude("UserPromptSubmit", json!({"prompt": told}))), Vec::<String>::new());
    assert_eq!(said(&claude("UserPromptSubmit", json!({"prompt": format!("{told}\nfix it")}))), ["task_start fix it"]);
}

#[test]
fn odd_payloads_mean_less_and_never_fail() {
    for input in [
        Value::Null,
        json!([]),
        json!("x"),
        json!(7),
        json!({"session_id": 7, "cwd": ["x"], "tool_name": {"a": 1}, "tool_input": "not json", "error": null}),
        json!({"session_id": "a\nb", "cwd": "relative", "tool_input": {"file_path": 7, "command": {"x": 1}}}),
        json!({"tool_name": "Bash", "tool_input": {"command": "'unclosed \\"}, "tool_response": [[[]]]}),
    ] {
        for event in [
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "Stop",
            "SubagentStop",
            "PreCompact",
            "SessionEnd",
            "",
            "é",
            "x".repeat(9_999).as_str(),
        ] {
            let happening = Happening::read(Agent::Claude, event, &input, None);
            assert!(happening.session.is_empty() && happening.cwd.is_none());
            let _ = Told::of(&happening, AT);
        }
    }
}

#[test]
fn files_that_a_command_plainly_reads_are_found() {
    let check = |line: &str, expect: &[&str]| assert_eq!(files_read(line), expect, "{line}");
    check("cat src/main.rs | head -5", &["src/main.rs"]);
    check("cd x && sed -n '1,20p' a.py; tail -f log.txt", &["a.py", "log.txt"]);
    check("sed -i s/a/b/ a.py", &[]);
    check("cat *.rs $FILE 'with space.rs' <x.rs", &[]);
    check("grep x a.rs", &[]);
    check("head -n 3 \"quoted.md\"", &["quoted.md"]);
    check("cat 1.5 ..", &[]);
}

#[test]
fn a_memory_that_names_the_command_speaks_of_it_and_no_other() {
    let memory = |text: &str| Memory::new(MemoryId::new("n-1").unwrap(), Kind::Note, text, AT);
    let check = |text: &str, line: &str, expect: bool| {
        assert_eq!(names(&memory(text), &spoken(line)), expect, "{text:?} about {line:?}");
    };
    check("Never run `cargo publish` by hand.", "cargo publish --dry-run", true);
    check("Never run `cargo publish` by hand.", "cd a && FOO=1 cargo publish", true);
    check("Never run `cargo publish` by hand.", "cargo build", false);
    check("Never run cargo publish by hand.", "echo cargo publish", false);
    check("Never `git push --force` here.", "git push --force origin", true);
    check("Never `git push --force` here.", "git push -f", true);
    check("Never `git push --force` here.", "git push", false);
    check("git pushes nothing", "git push", false);
    check("Always run deploy.sh from the root.", "./scripts/deploy.sh prod", true);
    check("`terraform` is run by CI only", "terraform -chdir=x", true);
    check("Make the tests fast", "make", false);
    check("npm run deploy goes to production", "npm run deploy", true);
    check("npm run deploy goes to production", "npm run test", false);
    check("manage.py migrate locks the table", "python manage.py migrate app", true);
    check("", "", false);
}

#[test]
fn what_waits_comes_back_as_it_was_and_without_its_secrets() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let input = json!({
        "session_id": "s", "cwd": "/code/app", "prompt_id": "p", "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash", "tool_input": {"command": format!("curl -H 'Authorization: Bearer {token}'")},
        "error": format!("Exit code 22\ncurl: bad token {token}"), "tool_use_id": "t1",
    });
    let event = Event::new(Some(Agent::Claude), "PostToolUseFailure", AT, None, input.to_string().into_bytes());
    let redactor = lokid_encode::redact::Redactor::brief(&[], &[]).unwrap();
    let line = waiting(&event, &|text| redactor.redact(text).text.into_owned()).unwrap();
    assert!(!line.contains(&token) && line.contains("redacted"), "{line}");
    assert!(!line.contains('\n'));
    let told = Told::from_line(&line).unwrap();
    let live = Told::of(&Happening::read(Agent::Claude, "PostToolUseFailure", &input, None), AT).unwrap();
    assert_eq!((&told.mark, told.at, &told.session), (&live.mark, live.at, &live.session));
    assert_eq!(told.signals[0].kind, SignalKind::Error);
    for broken in ["", "{", "[]", "{\"v\":2}", &line[..line.len() - 1], "{\"v\":1,\"at\":1,\"mark\":\"é\"}"] {
        assert_eq!(Told::from_line(broken), None, "{broken}");
    }
}

#[test]
fn prompts_are_kept_as_goals_and_answers_as_citations_unless_nobody_else_keeps_them() {
    let keep = |event: &str, extra: Value| {
        let mut input = json!({"session_id": "s", "cwd": "/code/app"});
        input.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let event = Event::new(Some(Agent::Claude), event, AT, None, input.to_string().into_bytes());
        waiting(&event, &str::to_owned)
    };
    let said = json!({"last_assistant_message": "long words [M:1a2b3c4d] more", "transcript_path": "/t/s.jsonl"});
    let line = keep("Stop", said).unwrap();
    assert!(line.contains("1a2b3c4d") && line.contains("/t/s.jsonl") && !line.contains("long words"), "{line}");
    let line = keep("Stop", json!({"last_assistant_message": "long words"})).unwrap();
    assert!(line.contains("long words"), "{line}");
    assert_eq!(keep("PostToolUse", json!({"tool_name": "Read", "tool_input": {"file_path": "a.rs"}})), None);
    assert_eq!(keep("Notification", json!({})), None);
}

#[test]
fn each_agent_is_answered_in_its_own_shape_and_only_where_it_listens() {
    let check = |agent: Agent, event: &str, expect: Option<Value>| {
        let input = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "make"}, "prompt": "x"});
        let happening = Happening::read(agent, event, &input, None);
        assert_eq!(takes(&happening).then(|| shaped(&happening, "T")), expect, "{agent:?} {event}");
    };
    let specific = |name: &str| Some(json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": "T"}}));
    for agent in [Agent::Claude, Agent::Codex] {
        for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"] {
            check(agent, event, specific(event));
        }
        for event in ["Stop", "SessionEnd", "PreCompact"] {
            check(agent, event, None);
        }
    }
    check(Agent::Claude, "PostToolUseFailure", specific("PostToolUseFailure"));
    check(Agent::Gemini, "BeforeAgent", specific("BeforeAgent"));
    check(Agent::Gemini, "BeforeTool", None);
    check(Agent::Cursor, "sessionStart", Some(json!({"additional_context": "T"})));
    check(Agent::Cursor, "preToolUse", None);
    check(Agent::Copilot, "postToolUse", Some(json!({"additionalContext": "T"})));
    check(Agent::Copilot, "preToolUse", None);
    check(Agent::OpenCode, "PostToolUse", specific("PostToolUse"));
    check(Agent::OpenCode, "PreToolUse", None);
}

#[test]
fn whoever_does_not_say_who_they_are_is_known_by_their_words() {
    let agent = |input: Value| Happening::read(None, "Stop", &input, None).agent;
    assert_eq!(agent(json!({"session_id": "s", "turn_id": "t"})), Agent::Codex);
    assert_eq!(agent(json!({"session_id": "s", "prompt_id": "p"})), Agent::Claude);
    assert_eq!(agent(json!({"turn_id": 7})), Agent::Claude);
    // At both ends of a session there is no turn.
    assert_eq!(agent(json!({"transcript_path": "/h/.codex/sessions/rollout-2026-11-15.jsonl"})), Agent::Codex);
    assert_eq!(agent(json!({"transcript_path": "/h/.claude/projects/rollout-x/c255.jsonl"})), Agent::Claude);
    let named = Happening::read(Agent::Gemini, "Stop", &json!({"turn_id": "t"}), None);
    assert_eq!(named.agent, Agent::Gemini);
    for agent in Agent::ALL.iter().copied() {
        assert_eq!(Agent::parse(agent.as_str()), Some(agent));
    }
}

#[test]
fn a_long_input_is_shortened_and_stays_json() {
    let input = json!({"session_id": "s", "tool_response": {"stdout": "é".repeat(1 << 20)}, "error": "boom"});
    let event = Event::new(Some(Agent::Claude), "x y\"}", AT, None, input.to_string().into_bytes());
    assert!(event.input.len() < 64 << 10);
    let value: Value = serde_json::from_slice(&event.input).unwrap();
    assert_eq!(value["error"], "boom");
    assert_eq!(event.name, "xy");
}

proptest::proptest! {
    #[test]
    fn any_command_is_survived(line in "(?s).{0,120}") {
        let _ = (files_read(&line), spoken(&line), is_own(&line));
        let memory = Memory::new(MemoryId::new("n-1").unwrap(), Kind::Note, line.clone(), AT);
        let _ = names(&memory, &spoken(&line));
    }
}
