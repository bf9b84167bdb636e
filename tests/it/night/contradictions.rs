//! Statements that cannot both hold: found right behind the telling, shown, settled; and those that say the same, made one.

use serde_json::{Value, json};

use super::{get, night, post, remember};
use crate::home::{Home, eventually_some};

fn open(home: &Home) -> Vec<Value> {
    get(home, "/v1/contradictions?status=open")["items"].as_array().unwrap().clone()
}

/// Once what was told has been held against what is known.
#[track_caller]
fn opened(home: &Home, many: usize) -> Vec<Value> {
    eventually_some(|| Some(open(home)).filter(|found| found.len() >= many))
}

#[test]
fn a_statement_that_cannot_hold_beside_a_known_one_is_found_when_it_is_told() {
    let home = Home::new();
    let _daemon = home.daemon();
    let first = remember(&home, json!({"kind": "decision", "text": "Deployments to production happen every Friday."}));
    let answer = post(
        &home,
        "/v1/memories",
        &json!({"kind": "decision", "text": "Deployments to production never happen on Fridays."}),
    );
    // The answer does not wait for it.
    assert_eq!(answer["contradictions"], json!([]));
    let listed = opened(&home, 1);
    assert_eq!(listed.len(), 1);
    let found = &listed[0];
    assert_eq!((&found["a"], &found["b"], &found["status"]), (&json!(first), &answer["id"], &json!("open")));
    assert_eq!(found["why"], "one denies what the other says");
    assert_eq!(listed[0]["a_says"], "Deployments to production happen every Friday.");
    // It is shown first in every context.
    let context = post(&home, "/v1/context/assemble", &json!({"signals": {"goal": "deploy to production"}}));
    assert!(context["context"].as_str().unwrap().contains("Friday"), "{context:#}");
    // A night finds nothing new in it.
    let told = night(&home);
    assert_eq!((&told["contradictions_found"], open(&home).len()), (&json!(0), 1), "{told:#}");

    let id = found["id"].as_str().unwrap();
    home.run(&["contradictions"]).succeeded().says(id);
    home.run(&["contradictions", "resolve", id, "b_wins", "--note", "agreed"]).succeeded().says("settled");
    assert!(open(&home).is_empty());
    let loser = get(&home, &format!("/v1/memories/{first}"));
    assert!(loser["invalid_at"].is_string() && loser["expired_at"].is_string(), "{loser:#}");
    let settled = get(&home, "/v1/contradictions?status=resolved")["items"][0].clone();
    assert_eq!((&settled["resolution"], &settled["note"]), (&json!("b_wins"), &json!("agreed")));
    night(&home);
    assert!(open(&home).is_empty(), "what was settled stays settled");
}

#[test]
fn the_night_finds_what_an_import_brought() {
    let home = Home::new();
    let _daemon = home.daemon();
    let lines = [
        json!({"id": "n-tabs", "kind": "note", "text": "The code base is indented with tabs."}),
        json!({"id": "n-spaces", "kind": "note", "text": "The code base is indented with spaces."}),
        json!({"id": "n-port", "kind": "note", "text": "The metrics endpoint listens on port 9100."}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    home.run_with(&["import", "-"], &text).succeeded();
    assert!(open(&home).is_empty());
    let told = night(&home);
    assert_eq!(told["contradictions_found"], 1, "{told:#}");
    let found = &open(&home)[0];
    let mut two = [found["a"].as_str().unwrap(), found["b"].as_str().unwrap()];
    two.sort_unstable();
    assert_eq!(two, ["n-spaces", "n-tabs"]);
    let both = home.run(&["contradictions", "resolve", found["id"].as_str().unwrap(), "both_valid"]).succeeded();
    assert!(both.out.contains("both_valid"));
    let again = night(&home);
    assert_eq!(again["contradictions_found"], 0);
    assert_eq!(again["deduped"], 0, "what contradicts is never merged");
}

#[test]
fn only_what_cannot_both_hold_is_told_and_once() {
    let home = Home::new();
    let _daemon = home.daemon();
    for text in [
        "Deletion requests must be done within 30 days.",
        "Deletion requests took 11 days on average.",
        "Ingrid is the one who approves schema changes.",
        "Approval of schema changes lies with Tomasz.",
    ] {
        remember(&home, json!({"kind": "note", "text": text}));
    }
    let listed = opened(&home, 1);
    let says: Vec<&str> = listed.iter().filter_map(|found| found["b_says"].as_str()).collect();
    assert_eq!(says, ["Approval of schema changes lies with Tomasz."], "{listed:#?}");
    let told = night(&home);
    assert_eq!((&told["contradictions_found"], open(&home).len()), (&json!(0), 1), "{told:#}");
}

/// A story as a session tells it: notes that look like denials and are none, and two that are.
#[test]
fn what_only_looks_like_a_denial_is_not_told() {
    let home = Home::new();
    let _daemon = home.daemon();
    for text in [
        "tests need redis on 6380",
        "integration tests require redis on port 6380",
        "Prefer pnpm for everything in this repo.",
        "package_manager: pnpm",
        "Blocked: the staging database is down.",
        "Run `make seed` to fill the staging database.",
        "The build uses make.",
        "Never deploy on Fridays.",
        "Docs are deployed from main on every push.",
        "Retries are capped at 5 in the worker.",
        "The HTTP client retries 3 times.",
        "Use npm for installs.",
        "Deploys on Fridays are allowed.",
    ] {
        remember(&home, json!({"kind": "note", "text": text}));
    }
    let told = opened(&home, 2);
    let mut says: Vec<&str> = told.iter().filter_map(|found| found["b_says"].as_str()).collect();
    says.sort_unstable();
    says.dedup();
    assert_eq!(says, ["Deploys on Fridays are allowed.", "Use npm for installs."], "{told:#?}");
    night(&home);
    assert!(open(&home).iter().all(|found| says.contains(&found["b_says"].as_str().unwrap())), "{:#?}", open(&home));
}

#[test]
fn a_note_that_says_itself_that_it_replaces_another_ends_it() {
    let home = Home::new();
    let _daemon = home.daemon();
    let old = remember(&home, json!({"kind": "note", "text": "Deploys run on Jenkins."}));
    remember(&home, json!({"kind": "note", "text": "Deploys no longer run on Jenkins, they run on GitHub Actions."}));
    let ended = || get(&home, &format!("/v1/memories/{old}"))["invalid_at"].is_string().then_some(());
    eventually_some(ended);
    assert!(open(&home).is_empty());
}

#[test]
fn what_says_the_same_in_other_words_becomes_one_that_is_found_by_both() {
    let home = Home::new();
    let _daemon = home.daemon();
    let say = |id: &str, text: &str, source: &str| {
        remember(&home, json!({"id": id, "kind": "note", "text": text, "source": source}));
    };
    say("n-agent", "Integration tests require a redis listening on port 6380.", "agent");
    say("n-user", "tests need redis on 6380", "user");
    say("n-other", "The worker needs redis on 6379.", "agent");
    let before = get(&home, "/v1/memories/n-agent");
    assert_eq!(night(&home)["deduped"], 1);
    let kept = get(&home, "/v1/memories/n-user");
    assert_eq!(kept["text"], "tests need redis on 6380", "a person's own words stay the wording");
    let found = post(&home, "/v1/recall", &json!({"query": "integration listening"}));
    assert_eq!(found["results"][0]["id"], "n-user", "{found:#}");
    assert_eq!(super::deeds(&night(&home)), 0);
    // Taken back, it is what it was, and no night does it again.
    home.run(&["forget", "--undo", "n-agent"]).succeeded();
    let mut back = get(&home, "/v1/memories/n-agent");
    back["updated_at"] = before["updated_at"].clone();
    back["usage"] = before["usage"].clone();
    assert_eq!(back, before);
    let found = post(&home, "/v1/recall", &json!({"query": "integration listening"}));
    assert_eq!(found["results"][0]["id"], "n-agent", "{found:#}");
    assert_eq!(night(&home)["deduped"], 0);
    // Purged, its words are nowhere, not even beside those it became one with.
    say("n-third", "Start redis on 6380 before running the tests; zebrafish.", "agent");
    home.run(&["forget", "--purge", "--yes", "n-third"]).succeeded();
    for (path, bytes) in crate::lab::tree(&home.path("app/.loki")) {
        assert!(!String::from_utf8_lossy(&bytes).contains("zebrafish"), "{}", path.display());
    }
}

#[test]
fn the_same_failure_told_twice_is_one() {
    let home = Home::new();
    let _daemon = home.daemon();
    for (error, cause, fix) in [
        ("Integration tests cannot connect to redis on 6380", "redis is not running", "start redis with `make redis`"),
        (
            "The integration tests fail to connect to redis on port 6380",
            "redis was not started",
            "run `make redis` first",
        ),
        ("Integration tests cannot connect to postgres on 5433", "postgres is not running", "start it with `make db`"),
    ] {
        let learning = json!({"error": error, "cause": cause, "fix": fix});
        remember(&home, json!({"kind": "learning", "learning": learning}));
    }
    assert_eq!(night(&home)["deduped"], 1);
    assert_eq!(super::deeds(&night(&home)), 0);
}

#[test]
fn what_comes_later_with_an_old_date_is_compared_too() {
    let home = Home::new();
    let _daemon = home.daemon();
    remember(&home, json!({"kind": "note", "text": "The request timeout is 30 seconds."}));
    night(&home);
    let old =
        |id: &str, text: &str| json!({"id": id, "kind": "note", "text": text, "timestamp": "2026-01-02T00:00:00Z"});
    let (tabs, spaces) = ("The code base is indented with tabs.", "The code base is indented with spaces.");
    home.run_with(&["import", "-"], &format!("{}\n{}\n", old("n-tabs", tabs), old("n-spaces", spaces))).succeeded();
    assert_eq!(night(&home)["contradictions_found"], 1);
    // A branch that is merged brings files from the past, too.
    let late = json!({"id": "n-pull", "kind": "note", "text": "The request timeout is 60 seconds.", "created_at": "2026-01-01T00:00:00Z"});
    std::fs::write(home.path("app/.loki/memory/notes/2026-01.00c0ffee.ndjson"), format!("{late}\n")).unwrap();
    assert_eq!(night(&home)["contradictions_found"], 1);
    assert_eq!(super::deeds(&night(&home)), 0);
}

#[test]
fn what_a_newer_value_ended_holds_again_when_both_are_valid() {
    let home = Home::new();
    let _daemon = home.daemon();
    let port = |value: &str| json!({"kind": "fact", "fact": {"key": "server.port", "value": value}});
    let first = remember(&home, port("8080"));
    let answer = post(&home, "/v1/memories", &port("9443"));
    let id = answer["contradictions"][0]["id"].as_str().unwrap();
    let ended = || get(&home, &format!("/v1/memories/{first}"))["expired_at"].is_string();
    assert!(ended());
    for _ in 0..2 {
        home.run(&["contradictions", "resolve", id, "both_valid"]).succeeded();
        assert!(!ended());
        let told = night(&home);
        assert_eq!((&told["superseded"], ended()), (&json!(0), false), "{told:#}");
    }
}

#[test]
fn a_purge_strikes_its_memory_out_of_what_is_told_of_nights() {
    let home = Home::new();
    let _daemon = home.daemon();
    remember(&home, json!({"id": "n-tabs", "kind": "note", "text": "The code base is indented with tabs."}));
    remember(&home, json!({"id": "n-spaces", "kind": "note", "text": "The code base is indented with spaces."}));
    night(&home);
    let told = || get(&home, "/v1/consolidate").to_string() + &home.run(&["consolidate", "--last"]).succeeded().out;
    assert!(told().contains("n-tabs"));
    let metrics = super::client(&home).send(&lokid::serve::Request::get("/v1/metrics")).unwrap().text().into_owned();
    for number in
        ["lokid_open_contradictions{", "outcome=\"whole\"} 1\n", "act=\"linked\"}", "lokid_last_night_seconds{"]
    {
        assert!(metrics.contains(number), "{number} is not in\n{metrics}");
    }
    home.run(&["forget", "--purge", "--yes", "n-tabs"]).succeeded();
    assert!(!told().contains("n-tabs"));
    assert_eq!(get(&home, "/v1/status")["projects"][0]["open_contradictions"], 0);
}

#[test]
fn two_statements_are_held_against_each_other_without_being_kept() {
    let home = Home::new();
    let _daemon = home.daemon();
    let check = |a: &str, b: &str, verdict: &str| {
        let told = post(&home, "/v1/contradictions/check", &json!({"a": a, "b": b}));
        assert_eq!(told["verdict"], verdict, "{a} / {b}: {told:#}");
        assert!((0.0..=1.0).contains(&told["score"].as_f64().unwrap()));
    };
    check("The request timeout is 30 seconds.", "The request timeout is 60 seconds.", "contradicts");
    check("Never push to main.", "Don't push to main.", "duplicate");
    check("Backups are kept in two regions.", "The login page has a dark theme.", "unrelated");
    remember(&home, json!({"kind": "note", "text": "The request timeout is 30 seconds."}));
    let told = post(&home, "/v1/contradictions/check", &json!({"text": "The request timeout is 5 minutes."}));
    assert_eq!((&told["verdict"], told["with"].as_array().unwrap().len()), (&json!("contradicts"), 1), "{told:#}");
    for (body, field) in [(json!({}), "text"), (json!({"a": "x"}), "b"), (json!({"text": " "}), "text")] {
        let answer =
            super::client(&home).send(&lokid::serve::Request::post("/v1/contradictions/check", &body)).unwrap();
        assert_eq!(answer.status, 400);
        assert!(answer.text().contains(field));
    }
}

#[test]
fn a_person_vouches_for_what_a_log_said() {
    let home = Home::new();
    let _daemon = home.daemon();
    let record =
        json!({"kind": "note", "text": "The queue drops messages over 1 MB.", "source": "log", "tier": "mandate"});
    let id = remember(&home, record);
    assert_eq!(get(&home, &format!("/v1/memories/{id}"))["tier"], "guardrail", "a log gives no orders");
    home.run(&["confirm", &id]).succeeded().says("mandate");
    let now = get(&home, &format!("/v1/memories/{id}"));
    assert_eq!((&now["tier"], &now["source"]), (&json!("mandate"), &json!("user")));
    home.run(&["confirm", "nobody"]).exited(1).says("no memory");
}

#[test]
fn a_judge_who_was_named_is_asked_about_what_is_unclear_and_believed() {
    let texts = [
        "The API answers in XML.",
        "Mobile clients read JSON from the gateway.",
        "The indexer runs with four threads.",
        "The number of indexer threads is set by INDEX_THREADS.",
        "The README explains how to run the service.",
        "Deployment is described in `docs/deploy.md`, not in the README.",
    ];
    let by_the_judge = |judge: &str| {
        let home = Home::new();
        home.configure(judge);
        let _daemon = home.daemon();
        texts.iter().for_each(|text| {
            remember(&home, json!({"kind": "note", "text": text}));
        });
        night(&home);
        let told = open(&home).into_iter().map(|found| found["why"].as_str().unwrap().to_owned());
        told.filter(|why| why.ends_with("(by the judge)")).count()
    };
    assert_eq!(by_the_judge(""), 0);
    let says = |word: &str| format!("[judge]\ncommand = [\"/bin/sh\", \"-c\", \"cat > /dev/null; echo {word}\"]\n");
    assert_eq!(by_the_judge(&says("compatible")), 0);
    assert!(by_the_judge(&says("contradicts")) > 0);
}

#[test]
fn many_that_disagree_about_one_thing_are_one_matter_and_behind_it_is_the_next() {
    let home = Home::new();
    let _daemon = home.daemon();
    for many in 3..15 {
        remember(&home, json!({"kind": "note", "text": format!("The upload worker gives up after {many} attempts.")}));
    }
    let first = opened(&home, 1);
    night(&home);
    assert_eq!(open(&home).len(), 1, "{:#?}", open(&home));
    let id = first[0]["id"].as_str().unwrap();
    home.run(&["contradictions", "resolve", id, "b_wins"]).succeeded();
    let next = opened(&home, 1);
    assert!(next.len() == 1 && next[0]["id"] != first[0]["id"], "{next:#?}");
}

#[test]
fn values_that_nobody_can_choose_between_are_one_matter() {
    let home = Home::new();
    let _daemon = home.daemon();
    let fact = |value: usize, source: &str| {
        let fact = json!({"key": "cache.size", "value": value.to_string()});
        post(&home, "/v1/memories", &json!({"kind": "fact", "source": source, "text": "", "fact": fact}))
    };
    fact(0, "user");
    for value in 1..8 {
        let told = fact(value, "tool");
        let matters = told["contradictions"].as_array().unwrap();
        let about: Vec<_> = matters.iter().filter(|found| found["status"] == "open").collect();
        assert!(about.len() == 1 && about[0]["b"] == told["id"], "{told:#}");
        let listed = open(&home);
        assert!(
            listed.len() == 1 && listed[0]["id"] == about[0]["id"],
            "the matter goes on with the last: {listed:#?}"
        );
    }
}
