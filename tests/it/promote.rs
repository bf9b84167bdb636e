//! What leaves for the organisation leaves by a person's hand, and what must be unreadable is so in the stores, too.

use lokid_testing::stores::{Fault, StoreServer};
use serde_json::{Value, json};

use crate::home::{Daemon, Home, Told};

const ORG_KEY: &str = "sk-ant-test-full";

/// A home with managed memory, a server of stores, and the ids of the user's and the organisation's.
struct Lab {
    home: Home,
    server: StoreServer,
    user: String,
    org: String,
}

impl Lab {
    fn new() -> Lab {
        let (home, server) = (Home::new(), StoreServer::new());
        let (user, org) = (server.new_store("user"), server.new_store("org"));
        home.configure(&format!(
            "[managed]\nagents = true\nmemory = true\nbase_url = \"{}\"\nuser_store = \"{user}\"\norg_store = \"{org}\"\n",
            server.url()
        ));
        Lab { home, server, user, org }
    }

    fn daemon(&self) -> Daemon {
        crate::instances::wait_until_some_are_free();
        let mut command = self.home.command(&["run"]);
        command.env("ANTHROPIC_API_KEY", StoreServer::KEY);
        let mut daemon = Daemon::start(command);
        daemon.out.wait_for("watching ");
        daemon.out.wait_for(" memor");
        daemon
    }

    fn as_organisation(&self, arguments: &[&str]) -> Told {
        let output = self.home.command(arguments).env("LOKI_MANAGED_ORG_API_KEY", ORG_KEY).output().unwrap();
        Told::new(arguments, output)
    }

    fn remember(&self, record: &Value) -> String {
        let client = lokid::serve::Client::new(self.home.socket());
        let answer = client.send(&lokid::serve::Request::post("/v1/memories", record)).unwrap();
        assert!(answer.is_success(), "{}", answer.text());
        answer.json().unwrap()["id"].as_str().unwrap().to_owned()
    }

    fn writes_to_org(&self) -> usize {
        self.server.count("POST", &self.org)
    }
}

fn pattern(text: &str) -> Value {
    json!({"kind": "pattern", "pattern": {"pattern": text, "category": "net"}})
}

#[test]
fn nothing_is_promoted_without_a_person_and_the_organisations_key() {
    let lab = Lab::new();
    let _daemon = lab.daemon();
    let id = lab.remember(&pattern("don't retry what the server refused"));
    let shown = lab.home.run(&["promote", &id, "--to", "org", "--yes"]).succeeded();
    let shown = shown.says("nothing was written").says("$LOKI_MANAGED_ORG_API_KEY").says("$ANTHROPIC_API_KEY");
    assert!(
        shown.out.contains(&format!("/patterns/{id}.json")) && shown.out.contains("curl -sS -X POST"),
        "{shown:#?}"
    );
    assert!(shown.out.contains(&lab.org) && !shown.out.contains(StoreServer::KEY), "{shown:#?}");
    lab.as_organisation(&["promote", &id, "--to", "org"]).exited(2).says("nobody is here to be asked");
    assert_eq!(lab.writes_to_org(), 0);
    lab.home.run(&["promote", &id]).exited(2);
}

#[test]
fn what_is_shown_is_what_is_written_once_and_again_when_it_changed() {
    let lab = Lab::new();
    let _daemon = lab.daemon();
    let id = lab.remember(&pattern("never retry what the server refused"));
    let promote = || lab.as_organisation(&["promote", &id, "--to", "org", "--yes"]).succeeded();
    let told = promote().says("wrote");
    let path = format!("/patterns/{id}.json");
    let written = lab.server.content(&lab.org, &path).unwrap();
    assert!(told.out.contains(written.trim_end()), "{told:#?}");
    promote().says("already there");
    let client = lokid::serve::Client::new(lab.home.socket());
    let change = json!({"pattern": {"correct_approach": "ask the person"}});
    assert!(client.send(&lokid::serve::Request::patch(format!("/v1/memories/{id}"), &change)).unwrap().is_success());
    promote().says("wrote");
    assert!(lab.server.content(&lab.org, &path).unwrap().contains("ask the person"));
    assert_eq!(lab.server.all(&lab.org).len(), 1);
}

#[test]
fn what_is_private_restricted_or_no_lesson_stays_here_with_the_reason() {
    let lab = Lab::new();
    let _daemon = lab.daemon();
    let with = |name: &str, value: Value| {
        let mut record = pattern(&format!("a pattern that is {name} {value}"));
        record[name] = value;
        lab.remember(&record)
    };
    for (id, why) in [
        (with("scope", json!("user-private")), "it is private"),
        (with("restricted", json!(true)), "it is restricted"),
        (lab.home.remember("a note"), "it is a note"),
        ("sem-nobody".to_owned(), "no memory"),
    ] {
        lab.as_organisation(&["promote", &id, "--to", "org", "--yes"]).exited(1).says(why);
    }
    assert_eq!(lab.writes_to_org(), 0);
}

#[test]
fn versions_of_the_store_become_unreadable_the_current_one_by_a_clean_one_in_its_place() {
    let lab = Lab::new();
    let daemon = lab.daemon();
    let put = |path: &str, text: &str| lab.server.put(&lab.user, path, &json!({"id": "x", "goal": text}).to_string());
    for number in 0..30 {
        put(&format!("/episodic/2026-11-01/t-{number}.json"), "a quiet day");
    }
    put("/episodic/2026-11-01/t-1.json", "wake zq-1234-prod");
    put("/episodic/2026-11-01/t-1.json", "wake it");
    put("/episodic/2026-11-02/t-2.json", "sail to zq-9999-gate");
    let pattern = r"zq-\d{4}-[a-z]+";
    let told = |arguments: &[&str]| lab.home.run(&[&["redact", "--pattern", pattern], arguments].concat());
    told(&["--scope", "managed"]).succeeded().says("33 versions, 2 match");
    assert!(lab.server.versions(&lab.user).iter().any(|version| version.to_string().contains("zq-1234")));

    // It ends in the middle, and goes on from there.
    lab.server.fail(1, "POST", "/redact", Fault::Status(500, Vec::new()));
    told(&["--scope", "managed", "--yes"]).exited(1).says("what is done stays done");
    told(&["--scope", "managed", "--yes"]).succeeded().says("made unreadable");
    told(&["--scope", "all"]).succeeded().says("nothing matches").says("0 match");
    let left = lab.server.versions(&lab.user);
    assert!(left.iter().all(|version| !version.to_string().contains("zq-")), "{left:#?}");
    let head = lab.server.content(&lab.user, "/episodic/2026-11-02/t-2.json").unwrap();
    assert_eq!(head, json!({"id": "x", "goal": "sail to [redacted]"}).to_string());
    let events = std::fs::read_to_string(lab.home.path("app/.loki/managed/events.ndjson")).unwrap();
    assert!(events.contains("\"managed_memory_redact\"") && !events.contains("zq-"), "{events}");
    crate::door::stopped(daemon);
}

#[test]
fn without_managed_memory_no_store_is_looked_at() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.run(&["redact", "--scope", "managed", "--pattern", "zq-1"]).exited(1).says("managed memory is off");
}
