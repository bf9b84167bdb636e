//! The page as text: recorded in `screens/` at several sizes and in several states. `LOKID_RECORD=1` records them anew.

#![allow(clippy::disallowed_methods)]

use serde_json::{Value, json};

use super::board::{Board, Look, Wish};
use super::digest;
use super::keys::Key;
use lokid_model::{Timestamp, unseen};

const APP: &str = "/home/ada/app";
const NOW: &str = "2026-11-15T14:02:31Z";

fn project(path: &str) -> Value {
    json!({
        "path": path, "memories": 1204, "kept_outside": 0, "open_contradictions": 0, "unconfirmed": 0, "capture": true,
        "problems": [],
        "watch": {"state": "native", "files": 266, "folders_watched": 49, "folders_polled": 0, "warnings": [], "backlog": 1,
            "signals": {"file_edited": 42, "error": 3, "task_start": 0}},
        "past": {"state": "ready", "done": 0, "total": 0, "memories": 310, "commits": 812, "code_files": 118},
        "index": {"state": "ready", "indexed": 1204, "waiting": 0},
        "focus": {"goal": "fix the login that fails behind the proxy", "branch": "fix/login", "errors": 2,
            "files": ["src/auth/session.rs", "src/auth/login.rs", "tests/login.rs"], "activity": "debugging",
            "at": "2026-11-15T14:02:19Z"},
        "prefetch": {"state": "on", "hits": 23, "misses": 9, "ready": 2, "contexts": [
            {"path": "src/auth/session.rs", "branch": "fix/login", "goal": null, "agent": "claude", "memories": 4, "tokens": 612, "asked": true},
            {"path": null, "branch": "fix/login", "goal": "fix the login that fails behind the proxy", "memories": 7, "tokens": 940, "asked": false}]},
        "consolidation": {"last": "2026-11-15T03:31:00Z", "next": "2026-11-16T03:30:00Z", "waits": null, "paused": false,
            "running": null, "did": {"deduped": 3, "archived": 2, "links_added": 11}},
    })
}

fn status(projects: &[Value]) -> Value {
    json!({
        "version": "0.2.0", "pid": 42, "uptime_s": 12_000, "rss_bytes": 50 << 20,
        "memory": {"state": "calm", "limit_bytes": 1 << 30, "sheds": 0},
        "hooks": {"claude": {"last_event_at": "2026-11-15T14:02:25Z"}, "codex": {"last_event_at": "2026-11-14T14:02:31Z"}},
        "projects": projects,
    })
}

fn sessions() -> Value {
    json!({"items": [
        {"session_id": "s-9", "agent": "claude", "goal": "fix the login that fails behind the proxy", "started_at": "2026-11-15T13:58:00Z",
            "last_at": "2026-11-15T14:02:25Z", "ended_at": null, "outcome": null, "given": 12, "cited": 3},
        {"session_id": "s-8", "agent": "codex", "goal": "", "started_at": "2026-11-14T13:58:00Z", "last_at": "2026-11-14T14:02:31Z",
            "ended_at": "2026-11-14T14:02:31Z", "outcome": "success", "given": 7, "cited": 0},
    ]})
}

fn event(second: u32, kind: &str, data: Value) -> Value {
    json!({"at": format!("2026-11-15T14:02:{second:02}Z"), "kind": kind, "project": APP, "data": data})
}

fn empty() -> Board {
    let mut board = Board::new("/run/lokid.sock".into(), Some("/home/ada".into()), format!("{APP}/src"));
    board.at(Timestamp::parse(NOW).unwrap(), 3600);
    board
}

fn seen(status: Value) -> Board {
    let mut board = empty();
    board.take(Look { status: Some(status), project: APP.into(), sessions: Some(sessions()), ledger: None });
    for (second, kind, data) in [
        (19, "signal", json!({"type": "file_edited", "path": "src/auth/session.rs"})),
        (19, "prefetch", json!({"path": "src/auth/session.rs", "branch": "fix/login", "tokens": 612})),
        (25, "memory", json!({"op": "created", "kind": "learning", "id": "learn-5ba3328d9456"})),
        (27, "flood", json!({"path": "target", "files": 300})),
        (29, "signal", json!({"type": "error", "path": "src/auth/login.rs"})),
    ] {
        board.hear(&event(second, kind, data));
    }
    board
}

fn drawn(board: &Board, columns: usize, rows: usize) -> String {
    let lines = board.draw(columns, rows);
    assert_eq!(lines.len(), rows, "{columns}×{rows}");
    assert!(lines.iter().all(|line| line.width() <= columns), "{columns}×{rows}: {lines:#?}");
    lines.iter().map(|line| line.paint(false).trim_end().to_owned() + "\n").collect()
}

#[track_caller]
fn check(name: &str, board: &Board, columns: usize, rows: usize) {
    let drawn = drawn(board, columns, rows);
    let path = format!("{}/src/cli/watch/screens/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("LOKID_RECORD").is_some() {
        std::fs::write(&path, &drawn).unwrap();
    }
    assert_eq!(drawn, std::fs::read_to_string(&path).unwrap_or_default(), "\n{drawn}");
}

#[test]
fn the_page_fits_every_terminal() {
    let board = seen(status(&[project(APP)]));
    for (columns, rows) in [(40, 10), (80, 24), (120, 30), (200, 60)] {
        check(&format!("{columns}x{rows}"), &board, columns, rows);
    }
}

#[test]
fn two_projects_are_two_tabs_and_keys_turn_to_them() {
    let quiet =
        json!({"path": "/home/ada/web", "memories": 1, "prefetch": {"state": "off"}, "focus": {"branch": "main"}});
    let mut board = seen(status(&[project(APP), quiet]));
    check("two-projects", &board, 80, 12);
    assert_eq!((board.press(Key::Next), board.wanted()), (Wish::Look, "/home/ada/web"));
    check("two-projects-second", &board, 80, 20);
    assert_eq!((board.press(Key::Next), board.wanted()), (Wish::Look, APP));
    assert_eq!((board.press(Key::Previous), board.wanted()), (Wish::Look, "/home/ada/web"));
    assert_eq!((board.press(Key::Project(0)), board.wanted()), (Wish::Look, APP));
    assert_eq!((board.press(Key::Project(7)), board.wanted()), (Wish::Look, APP), "there is no eighth");
    let many: Vec<Value> = (0..30).map(|at| project(&format!("/home/ada/project-{at}"))).collect();
    let mut board = seen(status(&many));
    for _ in 0..20 {
        board.press(Key::Next);
    }
    assert!(drawn(&board, 60, 20).contains("[21 project-20]"));
}

#[test]
fn what_is_under_way_and_what_is_wrong_comes_first() {
    let mut busy = project(APP);
    busy["index"] = json!({"state": "indexing", "indexed": 400, "waiting": 804});
    busy["past"] = json!({"state": "history", "done": 300, "total": 1200});
    busy["consolidation"]["running"] =
        json!({"cause": "idle", "since": "2026-11-15T14:01:31Z", "phase": "merge", "done": 12});
    busy["watch"]["state"] = "partial".into();
    busy["watch"]["reason"] = "the limit of watches is reached".into();
    busy["watch"]["backlog"] = 9.into();
    (busy["open_contradictions"], busy["unconfirmed"], busy["kept_outside"]) = (2.into(), 1.into(), 3.into());
    busy["problems"] = json!([{"path": "x", "reason": "y"}]);
    let mut scarce = status(&[busy]);
    (scarce["memory"]["state"], scarce["rss_bytes"]) = ("tight".into(), (900 << 20).into());
    let board = seen(scarce);
    check("busy-80x30", &board, 80, 30);
    check("busy-40x10", &board, 40, 10);
}

#[test]
fn a_daemon_that_is_away_is_waited_for_and_what_it_said_stays() {
    let mut board = empty();
    check("asking", &board, 60, 4);
    board.take(Look::default());
    check("no-daemon", &board, 60, 4);
    board.take(Look { status: Some(status(&[])), ..Look::default() });
    check("no-project", &board, 80, 4);
    let mut board = seen(status(&[project(APP)]));
    board.take(Look::default());
    let page = drawn(&board, 80, 24);
    assert!(page.starts_with(" waiting for the daemon at /run/lokid.sock"), "{page}");
    assert!(page.contains("fix the login"), "{page}");
}

#[test]
fn a_held_page_stays_and_goes_on_where_it_would_have_been() {
    let mut board = seen(status(&[project(APP)]));
    assert_eq!(board.press(Key::Pause), Wish::Draw);
    let held = drawn(&board, 100, 30);
    board.hear(&event(40, "signal", json!({"type": "file_edited", "path": "src/later.rs"})));
    board.take(Look { status: Some(status(&[])), ..Look::default() });
    board.at(Timestamp::parse("2026-11-15T15:00:00Z").unwrap(), 3600);
    let still = drawn(&board, 100, 30);
    let below = |page: &str| page.split_once('\n').map(|(_, below)| below.to_owned());
    assert!(still.lines().next().unwrap().ends_with("paused, 1 since 15:02:31"), "{still}");
    assert_eq!(below(&still), below(&held));
    board.press(Key::Pause);
    let page = drawn(&board, 100, 30);
    assert!(page.contains("src/later.rs") && !page.contains("paused"), "{page}");
}

#[test]
fn help_lies_over_the_page_and_escape_takes_it_away_before_it_leaves() {
    let mut board = seen(status(&[project(APP)]));
    board.press(Key::Help);
    check("help", &board, 80, 24);
    assert_eq!(board.press(Key::Back), Wish::Draw);
    assert!(drawn(&board, 80, 24).contains("src/auth"));
    assert_eq!((board.press(Key::Back), board.press(Key::Quit)), (Wish::Quit, Wish::Quit));
}

#[test]
fn an_older_daemon_tells_what_sessions_cost_and_another_project_is_not_told_for_this() {
    let ledger =
        json!({"metrics": {"injected_tokens": 3400, "memories_cited": 12, "tasks": 1, "savings_vs_full_load": "78%"}});
    let look = |about: &str| Look {
        status: Some(status(&[project(APP)])),
        project: about.into(),
        sessions: None,
        ledger: Some(ledger.clone()),
    };
    let mut board = empty();
    board.take(look(APP));
    let page = drawn(&board, 100, 30);
    assert!(page.contains("3,400 tokens given, 12 memories cited, 1 task") && page.contains("78% saved"), "{page}");
    board.take(look("/home/ada/web"));
    assert!(!drawn(&board, 100, 30).contains("3,400"));
}

#[test]
fn a_pipe_gets_everything_that_matters_in_a_line() {
    let told = status(&[project(APP)]);
    let expected = "15:02:31  50.0 MiB  1 project  1,204 memories  45 signals  23 of 32 ready  queue 0  last 2026-11-15 03:31 \
                    UTC, next 2026-11-16 03:30 UTC";
    assert_eq!(digest::line(Some(&told), "15:02:31", "/run/lokid.sock"), expected);
    assert_eq!(digest::line(None, "14:02:31", "/run/lokid.sock"), "14:02:31  no daemon at /run/lokid.sock");
}

/// Whatever names, goals and reasons say: nothing steers the terminal, no line is forged, none is too wide.
#[test]
fn what_is_told_cannot_steer_the_terminal() {
    const HOSTILE: &str =
        "\u{1b}]52;c;cm0gLXJm\u{7}\u{1b}[2J\u{9b}31m\u{85}\u{202e}\u{200b}\r\n\tFORGED 東京東京東京 ❤\u{fe0f}";
    fn poison(value: &mut Value) {
        match value {
            Value::String(text) if Timestamp::parse(text).is_none() => text.push_str(HOSTILE),
            Value::Array(items) => items.iter_mut().for_each(poison),
            Value::Object(fields) => fields.values_mut().for_each(poison),
            _ => {}
        }
    }
    let mut told = status(&[project(APP), project("/home/ada/web")]);
    poison(&mut told);
    let path = told["projects"][0]["path"].as_str().unwrap().to_owned();
    let mut said = sessions();
    poison(&mut said);
    let mut board = empty();
    board.take(Look { status: Some(told), project: path.clone(), sessions: Some(said), ledger: None });
    for kind in ["signal", "memory", "prefetch", "flood", "git", "economy", "bootstrap", "tier", HOSTILE] {
        let mut event = event(
            1,
            kind,
            json!({"type": "x", "path": "a", "op": "b", "id": "c", "did": "d", "reading": "e", "tokens": "f"}),
        );
        poison(&mut event);
        event["project"] = path.clone().into();
        board.hear(&event);
    }
    for (columns, rows) in [(200, 60), (120, 40), (80, 24), (40, 10), (12, 3), (1, 1), (0, 0)] {
        let page = drawn(&board, columns, rows);
        assert!(!page.chars().any(|c| unseen::is_unseen(c) || c == '\t'), "{columns}×{rows}: {page:?}");
        assert!(!page.lines().any(|line| line.trim_start().starts_with("FORGED")), "{page}");
    }
}

#[test]
fn any_size_and_any_answer_is_drawn() {
    for value in [
        json!(null),
        json!([]),
        json!({"projects": 7}),
        json!({"projects": [null, 1, {}, []]}),
        json!({"projects": [{"focus": 1, "watch": []}]}),
    ] {
        let mut board = seen(value);
        for (columns, rows) in [(200, 60), (100, 16), (80, 24), (40, 10), (5, 5), (1, 1), (0, 7)] {
            drawn(&board, columns, rows);
            board.press(Key::Next);
        }
    }
}
