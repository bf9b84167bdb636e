//! What was said can be looked up: the exact words, what called for them and why, silence as well; and what is erased is
//! erased there, too.

use super::*;
use crate::purge::found;

const WEBSOCKET: &str = "The websocket reconnects with an exponential backoff capped at thirty seconds.";
const ASKED: &str = "how does the websocket reconnect, which backoff does it use";

pub(super) fn said(home: &Home, query: &str) -> Vec<Value> {
    let answer = get(home, &format!("/v1/said?project={}&{query}", home.path("app").display()));
    answer["items"].as_array().unwrap_or_else(|| panic!("{answer:#}")).clone()
}

/// The memory of an entry.
#[track_caller]
fn item<'a>(entry: &'a Value, id: &str) -> &'a Value {
    let items = entry["items"].as_array().unwrap();
    items.iter().find(|item| item["id"] == id).unwrap_or_else(|| panic!("{id} is not in {entry:#}"))
}

fn edit(home: &Home, file: &str, call: &str) -> Value {
    json!({"tool_name": "Edit", "tool_input": {"file_path": home.path("app").join(file)}, "tool_use_id": call})
}

fn kept(home: &Home) -> std::path::PathBuf {
    let projects = std::fs::read_dir(home.path("state/lokid/projects")).unwrap().flatten();
    let mut folders = projects.filter_map(|project| std::fs::read_dir(project.path().join("said")).ok());
    folders.next().unwrap().next().unwrap().unwrap().path()
}

fn refused(home: &Home, request: &Request, field: &str) {
    let answer = client(home).send(request).unwrap();
    assert_eq!((answer.status, answer.detail().contains(field)), (400, true), "{}", answer.text());
}

#[test]
fn what_was_said_is_told_to_the_byte_with_its_reasons_and_silence_is_told_too() {
    let (home, _daemon) = lab();
    remember(&home, "m-1", "mandate", "Every handler has a timeout.", &[]);
    remember(&home, "n-ws", "reference", WEBSOCKET, &[]);
    settled(&home);
    let block = start(&home, "s", "startup");
    let tail = prompt(&home, "s", 1, ASKED);
    assert_eq!(prompt(&home, "s", 2, ASKED), "");
    remember(&home, "g-1", "guardrail", "Never edit the generated schema by hand.", &["src/schema.rs"]);
    let beside = context(&hook(&home, "PreToolUse", "s", edit(&home, "src/schema.rs", "t1")));
    assert_eq!(context(&hook(&home, "PreToolUse", "s", edit(&home, "src/other.rs", "t2"))), "");
    let learnt = json!({"project": home.path("app"), "error": "boom", "fix": "run make up first"});
    post(&home, "/v1/learnings", &learnt);
    settled(&home);
    let mut failed = bash("./boom --now", "t3");
    failed["error"] = "Exit code 3\nboom".into();
    let fix = context(&hook(&home, "PostToolUseFailure", "s", failed));
    assert!([&block, &tail, &beside, &fix].iter().all(|text| !text.is_empty()));

    let all = said(&home, "");
    let told: Vec<(&str, &str)> =
        all.iter().map(|entry| (entry["event"].as_str().unwrap(), entry["text"].as_str().unwrap())).collect();
    let expected = [
        ("failed", fix.as_str()),
        ("before_tool", &beside),
        ("prompt", ""),
        ("prompt", &tail),
        ("session_start", &block),
    ];
    assert_eq!(told, expected, "a deed beside which nothing is known is no occasion: {all:#?}");
    for entry in &all {
        assert_eq!((&entry["session_id"], &entry["agent"]), (&json!("s"), &json!("claude")));
        assert_eq!(entry["tokens"], lokid_model::token::estimate(entry["text"].as_str().unwrap()));
        for item in entry["items"].as_array().unwrap() {
            let line = item["line"].as_str().unwrap();
            assert!(entry["text"].as_str().unwrap().lines().any(|said| said == line), "{item:#}");
            assert!(line.contains(&format!("[{}]", item["cite"].as_str().unwrap())), "{item:#}");
            assert_eq!((&item["cited"], &item["namespace"]), (&Value::Null, &json!("default")), "nobody answered yet");
        }
    }
    let mandate = item(&all[4], "m-1");
    assert_eq!((&mandate["why"], &mandate["tier"]), (&json!("a mandate: always said"), &json!("mandate")));
    let recalled = item(&all[3], "n-ws");
    assert!(recalled["parts"]["keyword"].as_f64().unwrap() > 0.0 && recalled["score"].as_f64().unwrap() > 0.0);
    assert!(recalled["why"].as_str().unwrap().contains("the prompt's words"), "{recalled:#}");
    assert_eq!((&all[3]["asked"], &recalled["kind"]), (&json!(ASKED), &json!("note")));
    assert_eq!(
        (&item(&all[1], "g-1")["why"], &all[1]["files"]),
        (&json!("binds at src/schema.rs"), &json!(["src/schema.rs"]))
    );
    assert_eq!(all[0]["asked"], "./boom --now");

    assert_eq!(said(&home, "spoken=true").len(), 4);
    assert_eq!(said(&home, "spoken=false").len(), 1);
    assert_eq!(said(&home, "session_id=other").len(), 0);
    let of = |id: &str| said(&home, &format!("memory={id}"));
    assert_eq!((of("n-ws").len(), of("nobody").len()), (1, 0));

    let applied = format!("Done. Applied: {}", mark(&tail, "websocket"));
    let extra = json!({"stop_hook_active": false, "last_assistant_message": applied, "prompt_id": "a"});
    hook(&home, "Stop", "s", extra);
    let all = said(&home, "");
    assert_eq!((&item(&all[3], "n-ws")["cited"], &item(&all[4], "m-1")["cited"]), (&json!(true), &json!(false)));
    remember(&home, "m-2", "mandate", "A rule that came later.", &[]);
    prompt(&home, "s", 4, "what else is there to do in this repository");
    assert_eq!(item(&said(&home, "limit=1")[0], "m-2")["cited"], Value::Null, "no answer came since");

    let sessions = get(&home, "/v1/sessions");
    let one = &sessions["items"][0];
    assert_eq!((&one["session_id"], &one["agent"], &one["ended_at"]), (&json!("s"), &json!("claude"), &Value::Null));
    assert_eq!(
        (&one["asked"], &one["spoken"], &one["given"], &one["cited"]),
        (&json!(6), &json!(5), &json!(5), &json!(1))
    );
    assert_eq!((&one["ignored"], &sessions["next_cursor"]), (&json!(4), &Value::Null));
}

#[test]
fn a_page_leads_to_the_next_and_nonsense_is_refused_by_name() {
    let (home, _daemon) = lab();
    let sessions: Vec<String> = (0..5).map(|number| format!("s-{number}")).collect();
    for session in &sessions {
        post(&home, "/v1/context/session", &json!({"session_id": session, "agent": "codex", "goal": "x"}));
    }
    for (path, name) in [("/v1/said", "session_id"), ("/v1/sessions", "session_id")] {
        let (mut seen, mut next) = (Vec::new(), String::new());
        loop {
            let page = get(&home, &format!("{path}?limit=2{next}"));
            seen.extend(page["items"].as_array().unwrap().iter().map(|item| item[name].as_str().unwrap().to_owned()));
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            next = format!("&cursor={cursor}");
        }
        seen.reverse();
        assert_eq!(seen, sessions, "{path}");
        for (query, field) in
            [("limit=0", "limit"), ("limit=501", "limit"), ("cursor=zz", "cursor"), ("cursor=s-", "cursor")]
        {
            refused(&home, &Request::get(format!("{path}?{query}")), field);
        }
    }
    assert_eq!(said(&home, "limit=1")[0]["agent"], "codex");
    refused(&home, &Request::get("/v1/said?spoken=perhaps"), "spoken");
}

#[test]
fn what_was_said_outlives_a_kill_and_a_broken_line_costs_itself() {
    let (home, mut daemon) = lab();
    remember(&home, "m-1", "mandate", "Every handler has a timeout.", &[]);
    start(&home, "s", "startup");
    let before = said(&home, "");
    daemon.child.kill().unwrap();
    daemon.child.wait().unwrap();
    let path = kept(&home);
    let mut torn = std::fs::read(&path).unwrap();
    torn.extend_from_slice(b"{\"id\":\"s-ffff\",\"text\":7}\nno line of ours\n{\"id\":\"s-fffe\",\"te\xff");
    std::fs::write(&path, torn).unwrap();
    let mut daemon = home.daemon();
    settled(&home);
    assert_eq!(said(&home, ""), before);
    daemon.err.wait_for("cannot be read and is passed over");
    start(&home, "t", "startup");
    let after = said(&home, "");
    assert_eq!((after.len(), &after[0]["session_id"], &after[1]), (2, &json!("t"), &before[0]));
    assert_eq!(get(&home, "/v1/sessions")["items"][0]["session_id"], "t");
    while let Some(line) = daemon.err.next() {
        assert!(!line.contains("cannot be read"), "said once: {line}");
    }
}

#[test]
fn what_is_said_after_a_clock_was_set_back_stands_before_what_was_said_later() {
    let (home, daemon) = lab();
    start(&home, "s", "startup");
    let before = said(&home, "");
    drop(daemon);
    let path = kept(&home);
    let (id, later) = (before[0]["id"].as_str().unwrap(), "s-7fffffffffff0");
    std::fs::write(&path, std::fs::read_to_string(&path).unwrap().replace(id, later)).unwrap();
    let _daemon = home.daemon();
    start(&home, "t", "startup");
    let sessions = |page: &Value| page["items"][0]["session_id"].clone();
    let first = get(&home, "/v1/said?limit=1");
    let second = get(&home, &format!("/v1/said?limit=1&cursor={}", first["next_cursor"].as_str().unwrap()));
    assert_eq!((sessions(&first), sessions(&second)), (json!("t"), json!("s")));
}

#[test]
fn what_is_archived_leaves_its_id_and_what_is_purged_nothing_before_that_is_answered() {
    let (home, daemon) = lab();
    remember(&home, "n-ws", "reference", WEBSOCKET, &[]);
    remember(&home, "m-1", "mandate", "Every handler has a timeout.", &[]);
    settled(&home);
    start(&home, "s", "startup");
    let tail = prompt(&home, "s", 1, ASKED);
    assert!(tail.contains("backoff capped"), "{tail}");
    let on_disk = || std::fs::read_to_string(kept(&home)).unwrap();
    assert_eq!(said(&home, "memory=n-ws").len(), 1);
    assert!(on_disk().contains("backoff capped"));

    home.run(&["forget", "--yes", "n-ws"]).succeeded();
    let left = eventually_some(|| said(&home, "memory=n-ws").pop().filter(|entry| entry["text"] != tail.as_str()));
    let item = item(&left, "n-ws");
    assert_eq!((&item["title"], &item["line"], &left["asked"]), (&json!(""), &json!(""), &json!(ASKED)), "{left:#}");
    assert!(!on_disk().contains("backoff capped") && on_disk().contains("n-ws"));
    home.run(&["forget", "--purge", "--yes", "n-ws"]).succeeded();
    assert!(!on_disk().contains("n-ws") && !on_disk().contains("which backoff"), "{}", on_disk());
    home.run(&["forget", "--purge", "--yes", "m-1"]).succeeded();
    assert!(!on_disk().contains("timeout"), "{}", on_disk());
    assert_eq!(said(&home, "").len(), 2, "that something was said stays");
    drop(daemon);
    for words in ["backoff capped", "has a timeout"] {
        assert_eq!(found(&home.path("state"), words), Vec::<String>::new(), "{words}");
    }
}

#[test]
fn a_prompt_that_repeats_a_purged_memory_goes_with_it_though_it_was_never_said() {
    let home = Home::new();
    home.configure("[hook]\nepisodes = false\n");
    let daemon = home.daemon();
    settled(&home);
    prompt(&home, "s", 1, "please note:  the harbour master is called Quentin");
    prompt(&home, "s", 2, "the harbour opens at dawn");
    remember(&home, "n-1", "reference", "The harbour master is called Quentin.", &[]);
    let asked = || said(&home, "").iter().map(|entry| entry["asked"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert!(asked()[1].contains("Quentin"), "{:?}", asked());
    home.run(&["forget", "--purge", "--yes", "n-1"]).succeeded();
    assert_eq!(found(&home.path("state"), "Quentin"), Vec::<String>::new(), "before the purge is answered");
    assert_eq!(asked(), ["the harbour opens at dawn", ""]);
    drop(daemon);
}

#[test]
fn the_block_of_a_session_is_told_again_as_what_it_is_and_one_who_missed_it_gets_it_with_the_prompt() {
    let (home, _daemon) = lab();
    remember(&home, "m-1", "mandate", "Every handler has a timeout.", &[]);
    remember(&home, "n-ws", "reference", WEBSOCKET, &[]);
    settled(&home);
    let missed = prompt(&home, "late", 1, ASKED);
    let entry = said(&home, "limit=1").pop().unwrap();
    assert_eq!((&entry["event"], &entry["text"]), (&json!("prompt"), &json!(missed)));
    let why = |entry: &Value, id: &str| item(entry, id)["why"].as_str().unwrap().to_owned();
    assert_eq!(why(&entry, "m-1"), "a mandate: always said");
    let again = start(&home, "late", "resume");
    let entry = said(&home, "limit=1").pop().unwrap();
    assert_eq!((&entry["asked"], &entry["text"]), (&json!("resume"), &json!(again)));
    assert_eq!(why(&entry, "m-1"), "the session began with it");
    assert!(item(&entry, "m-1")["tokens"].as_u64().unwrap() > 0);
}

#[test]
fn where_nothing_may_become_memory_no_prompt_is_kept() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("app/.loki")).unwrap();
    std::fs::write(home.path("app/.loki/config.json"), r#"{"memory": {"disabled": true}}"#).unwrap();
    let daemon = home.daemon();
    remember(&home, "n-ws", "reference", WEBSOCKET, &[]);
    settled(&home);
    assert!(prompt(&home, "s", 1, ASKED).contains("backoff capped"));
    assert_eq!(said(&home, "")[0]["asked"], "");
    drop(daemon);
    assert_eq!(found(&home.path("state"), ASKED), Vec::<String>::new());
}

#[test]
fn a_secret_in_a_prompt_is_not_kept_where_the_prompt_is_cut() {
    let (home, daemon) = lab();
    let secret = ["ghp", "0123456789abcdefghijABCDEFGHIJ012345"].join("_");
    for (number, before) in [280, 295, 310].into_iter().enumerate() {
        prompt(&home, "s", number, &format!("{} {secret} and more", "push it ".repeat(before / 8)));
    }
    let all = said(&home, "");
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(|entry| entry["asked"].as_str().unwrap().chars().count() <= 300));
    drop(daemon);
    for piece in [&secret[..], &secret[..14]] {
        assert_eq!(found(&home.path("state"), piece), Vec::<String>::new(), "{all:#?}");
    }
}
