//! A tier is earned on several days and in many sessions, as this machine saw them.

use super::*;

/// A session that names a memory and ends well.
fn session(home: &Home, name: &str, id: &str) {
    post(
        home,
        "/v1/usage",
        &json!({"project": home.path("app"), "session_id": name, "cited": [id], "outcome": "success"}),
    );
}

fn next_day(home: &Home, daemon: Daemon) -> Daemon {
    stop(daemon);
    home.next_day();
    started(home)
}

#[test]
fn a_script_of_many_sessions_promotes_nothing_and_days_of_work_do() {
    let home = Home::new();
    let mut daemon = started(&home);
    let id = home.remember("Retry the upload once after a timeout.");
    for at in 0..40 {
        session(&home, &format!("scripted-{at}"), &id);
    }
    post(&home, "/v1/consolidate", &json!({}));
    assert_eq!(tier(&home, &id), "reference", "forty sessions on one day");
    for day in 1..3 {
        daemon = next_day(&home, daemon);
        session(&home, &format!("day-{day}"), &id);
    }
    becomes(&home, &id, "guardrail");
    session(&home, "one more", &id);
    post(&home, "/v1/consolidate", &json!({}));
    assert_eq!(tier(&home, &id), "guardrail", "not two steps on one day");
    let now = lokid_sys::Clock::system().now().plus_micros(86_400_000_000).to_string();
    post(&home, "/v1/consolidate", &json!({"now": now}));
    assert_eq!(tier(&home, &id), "mandate");
    let _daemon = again(&home, daemon);
    assert_eq!(tier(&home, &id), "mandate", "what rose here is known to have risen here");
}

#[test]
fn counts_and_notes_in_a_file_promote_nothing() {
    let home = Home::new();
    let usage = json!({"loaded": 99, "referenced": 99, "success": 99, "last_used": "2026-11-01T10:00:00Z"});
    let at = "2026-01-05T10:00:00Z";
    let lines = [
        note("n-counted", "Always run ./door-counted.sh.", json!({"usage": usage})),
        // As if a night had once taken its tier for a doubt that is over.
        note(
            "n-doubted",
            "Always run ./door-doubted.sh.",
            json!({"usage": usage, "files": ["src/main.rs"],
            "tags": ["stale"], "staled": {"state": "marked", "at": at, "over": [], "tier": "mandate", "demoted": "reference"}}),
        ),
    ];
    write(&home, "src/main.rs", "fn main() {}\n");
    write(&home, NOTES, &lines.concat());
    let daemon = started(&home);
    session(&home, "once", "n-counted");
    for days in [0, 1, 2, 20, 40] {
        let now = lokid_sys::Clock::system().now().plus_micros(days * 86_400_000_000).to_string();
        post(&home, "/v1/consolidate", &json!({"now": now}));
    }
    for id in ["n-counted", "n-doubted"] {
        assert!(!["mandate", "guardrail"].contains(&tier(&home, id).as_str()), "{id}");
    }
    drop(daemon);
}
