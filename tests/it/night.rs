//! Nights, through the real daemon: what is learnt, merged, contradicted, forgotten and brought back; what a night costs
//! nobody; and that it may be cut off anywhere.

mod aging;
mod contradictions;
mod crash;
mod disturbed;
mod hours;
mod learning;

use serde_json::{Value, json};

use crate::home::{Home, client, get, post};
use lokid::serve::Request;

/// Long, and worth shortening.
pub(crate) const STORY: &str = "Last week we talked about the login for a long time and looked at many things on the way. We switched \
    the auth layer from JWT to server-side sessions because the tokens were too large for cookies. Sessions live in Redis \
    with a TTL of 3600 seconds. The old middleware must never be used again. It was a long day, and afterwards everybody \
    went home to rest a while and to think about what had been said. The root cause was a missing limit on claims. \
    There was some talk about lunch and about the weather, which was fine for the season, and about the next meeting, for \
    which nobody had found a room yet. Somebody remembered the meeting before that one, and somebody else the one after it. \
    In the end it was agreed that another meeting would be held about the same matter before the month was over.";

#[track_caller]
pub(crate) fn remember(home: &Home, record: Value) -> String {
    post(home, "/v1/memories", &record)["id"].as_str().unwrap().to_owned()
}

pub(crate) fn show(home: &Home, id: &str) -> Option<Value> {
    let answer = client(home).send(&Request::get(format!("/v1/memories/{id}?counted=false"))).unwrap();
    answer.is_success().then(|| answer.json().unwrap())
}

/// A whole night, now.
#[track_caller]
fn night(home: &Home) -> Value {
    let told = post(home, "/v1/consolidate", &json!({}));
    assert_eq!((&told["interrupted"], &told["failed"]), (&json!(false), &json!(false)), "{told:#}");
    told
}

/// A night as if so many days had passed.
#[track_caller]
pub(crate) fn night_in(home: &Home, days: i64) -> Value {
    post(home, "/v1/consolidate", &json!({"now": in_days(days)}))
}

fn in_days(days: i64) -> String {
    let now = lokid_sys::Clock::system().now();
    now.plus_micros(days * 86_400_000_000).to_string()
}

/// How many things a night did, of whatever sort.
fn deeds(told: &Value) -> usize {
    let listed = told["done"].as_array().or_else(|| told["plan"].as_array()).map_or(0, Vec::len);
    listed + told["more"].as_u64().unwrap_or(0) as usize
}

/// Somebody fixes the login again and again, and the same way helps.
fn episode(id: &str, goal: &str, outcome: &str, steps: &[(&str, &str)], errors: &[(&str, &str, &str)]) -> Value {
    let action = |(command, error): &(&str, &str)| json!({"action": "bash", "target": command, "error": error});
    let error =
        |(kind, message, fix): &(&str, &str, &str)| json!({"type": kind, "message": message, "resolution": fix});
    json!({
        "id": id, "kind": "episode", "outcome": outcome, "timestamp": "2026-03-01T10:00:00Z",
        "episode": {
            "task_id": id, "agent": "claude",
            "context": {"goal": goal, "phase": "development", "files_involved": ["src/auth/session.rs"]},
            "action_log": steps.iter().map(action).collect::<Vec<_>>(),
            "errors_encountered": errors.iter().map(error).collect::<Vec<_>>(),
            "files_modified": ["src/auth/session.rs"], "outcome": outcome,
        },
    })
}

/// Four times the same trouble with the login, three of them mended the same way.
pub(crate) fn logins(home: &Home) {
    let mended = [("edit src/auth/session.rs", ""), ("cargo test -p auth", "")];
    let trouble = [("TimeoutError", "session store timed out after 30 s", "raise the pool of the session store to 20")];
    for (id, goal) in [
        ("ep-login-1", "fix the login timeout in the session store"),
        ("ep-login-2", "login timeout: the session store is slow again"),
        ("ep-login-3", "fix the timeout when logging in, session store"),
    ] {
        remember(home, episode(id, goal, "success", &mended, &trouble));
    }
}
