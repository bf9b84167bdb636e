//! `lokid redact`: what a pattern matches is told, and then found nowhere, while all the rest is still known.

use serde_json::{Value, json};

use crate::home::{Daemon, Home, eventually_some};
use crate::purge::found;

/// What the pattern matches begins with it.
const PLANTED: &str = "zq-";
const PATTERN: &str = r"\bzq-\d{4}-[a-z]+";

fn everywhere(home: &Home) -> Vec<String> {
    found(&home.path(""), PLANTED)
}

fn post(home: &Home, path: &str, body: &Value) -> Value {
    let client = lokid::serve::Client::new(home.socket());
    let answer = client.send(&lokid::serve::Request::post(path, body)).unwrap();
    assert!(answer.is_success(), "{path} {body}: {}", answer.text());
    answer.json().unwrap_or_default()
}

fn told(home: &Home, arguments: &[&str]) -> String {
    let told = home.run(arguments).succeeded();
    told.out.trim().strip_prefix("remembered ").unwrap_or_else(|| panic!("{told:?}")).to_owned()
}

/// In every place there is.
fn plant(home: &Home) -> (String, String) {
    let server = home.remember("the release server is zq-1234-prod, reached over the tunnel");
    let other = home.remember("the tunnel ends at the old gate");
    home.run(&["links", "add", &server, "related_to", &other]).succeeded();
    told(home, &["remember", "--private", "my login at zq-1234-prod is ada"]);
    told(home, &["remember", "--scope", "system", "all releases pass zq-9999-gate first"]);
    told(home, &["remember", "--key", "release.server", "--value", "zq-1234-prod"]);
    told(home, &["remember", "--tag", "zq-1234-prod", "the tag alone tells it"]);
    let gone = home.remember("before that it was zq-0001-old, in the cellar");
    home.run(&["forget", "--yes", &gone]).succeeded();
    // It stands in an earlier wording alone, and in the archive of one that came back.
    let reworded = home.remember("the spare is zq-5555-spare");
    home.run(&["forget", "--yes", &reworded]).succeeded();
    home.run(&["forget", "--undo", &reworded]).succeeded();
    let client = lokid::serve::Client::new(home.socket());
    let path = format!("/v1/memories/{reworded}");
    let new = json!({"text": "the spare has no name any more"});
    assert!(client.send(&lokid::serve::Request::patch(path, &new)).unwrap().is_success());
    let episode = json!({"kind": "episode", "outcome": "success", "episode": {"goal": "release over the tunnel",
        "errors_encountered": [{"type": "Timeout", "message": "zq-1234-prod timed out", "resolution": "wake it first"}]}});
    post(home, "/v1/memories", &episode);
    post(home, "/v1/skills", &json!({"name": "Wake zq-1234-prod", "steps": ["ring the bell"]}));
    home.run_with(&["handoff", "write", "h-1"], &json!({"note": "ask zq-1234-prod", "to": "ada"}).to_string())
        .succeeded();
    home.run_with(&["ledger", "write", "coder"], &json!({"task": "wake zq-1234-prod"}).to_string()).succeeded();
    home.run(&["recall", "release server"]).succeeded();
    (server, other)
}

#[test]
fn what_matches_is_told_first_and_then_found_nowhere_and_the_rest_is_still_known() {
    let home = Home::new();
    let daemon = home.daemon();
    let mut events = Daemon::start(home.command(&["events", "--json"]));
    let (server, other) = plant(&home);
    // The index follows what was told by a moment.
    let before = eventually_some(|| {
        let found = everywhere(&home);
        found.iter().any(|path| path.ends_with("/index.json")).then_some(found)
    });
    assert!(before.len() > 4, "{before:?}");

    let shown = home.run(&["redact", "--pattern", PATTERN]).succeeded().says("nothing was changed");
    assert!(shown.out.contains("7 memories") && shown.out.contains("1 archived memory"), "{shown:#?}");
    assert!(shown.out.contains("2 ledgers and handoffs") && shown.out.contains("4 earlier wordings"), "{shown:#?}");
    assert!(!shown.out.contains("zq-"), "{shown:#?}");
    assert_eq!(everywhere(&home), before, "nothing was changed yet");

    let done = home.run(&["redact", "--pattern", PATTERN, "--yes", "--json"]).succeeded().json();
    assert_eq!((&done["dry_run"], &done["memories"], &done["archived"]), (&json!(false), &json!(7), &json!(1)));
    let event = events.out.wait_for("memories_redacted");
    assert!(event.contains("\"documents\":2") && !event.contains("zq-"), "{event}");
    home.run(&["show", &server]).exited(1);
    let copy = |title: &str| {
        let all = done["redacted"].as_array().unwrap();
        let one = all.iter().find(|one| one["title"].as_str().unwrap().contains(title)).unwrap();
        one["replaced_by"].as_str().unwrap().to_owned()
    };
    let server = copy("release server is");
    let text = "the release server is [redacted], reached over the tunnel";
    home.run(&["show", &server]).succeeded().says(text);
    home.run(&["links", &server]).succeeded().says(&other);
    let private = home.run(&["show", &copy("my login"), "--json"]).succeeded().json();
    assert_eq!(private["scope"], "user-private");
    assert_eq!(home.run(&["show", &copy("all releases"), "--json"]).succeeded().json()["scope"], "system");
    home.run(&["forget", "--undo", &copy("before that")]).succeeded();
    home.run(&["show", &copy("before that")]).succeeded().says("it was [redacted], in the cellar");
    home.run(&["handoff", "show", "h-1"]).succeeded().says("ask [redacted]").says("ada");
    home.run(&["recall", "the spare"]).succeeded().says("has no name any more");
    home.run(&["redact", "--pattern", PATTERN]).succeeded().says("nothing matches");
    post(&home, "/v1/consolidate", &json!({}));
    crate::door::stopped(daemon);
    assert_eq!(everywhere(&home), Vec::<String>::new());
    let daemon = home.daemon();
    eventually_some(|| home.run(&["recall", "release server"]).out.contains("[redacted]").then_some(()));
    home.run(&["show", &server]).succeeded().says(text);
    crate::door::stopped(daemon);
}

#[test]
fn a_pattern_that_is_none_or_matches_everything_is_refused() {
    let home = Home::new();
    let _daemon = home.daemon();
    let id = home.remember("a lamp");
    for (pattern, why) in [
        ("(", "is no regular expression"),
        (r"(a)\1", "backreferences are not supported"),
        ("a(?=b)", "look-around"),
        (".*", "matches the empty text"),
        ("", "matches the empty text"),
        (r"\w+", "is too broad"),
    ] {
        home.run(&["redact", "--yes", "--pattern", pattern]).exited(1).says(why);
    }
    home.run(&["redact"]).exited(2);
    home.run(&["show", &id]).succeeded().says("a lamp");
}
