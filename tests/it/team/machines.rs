//! Machines with homes of their own that share the memory of a project over a real database, through the binary.

use std::time::Duration;

use lokid::serve::{Client, Request};
use lokid_sys::postgres::Parameters;
use lokid_team::relay::admin::{Admin, NewRole, Setup};
use lokid_testing::postgres::{PASSWORD, SUPERUSER, Server};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::lab::Team;
use crate::home::{Daemon, Home, eventually_some};

/// A database with the team `garden` on a server of the test's own: ada, ben and eve.
pub(super) fn garden(server: &Server) -> String {
    let database = server.database();
    let members: Vec<String> = ["ada", "ben", "eve"].map(String::from).into();
    let created = members.iter().map(|name| NewRole { name: name.clone(), password: PASSWORD.into() }).collect();
    let setup = Setup { project: "garden".to_owned(), members, created, ..Setup::default() };
    let admin = Parameters::read(&server.url(SUPERUSER, &database)).unwrap();
    Admin::open(&admin).unwrap().apply(&setup).unwrap();
    database
}

/// The machine of a member: a home, a repository of its own, and a daemon.
pub(super) struct Machine {
    pub(super) home: Home,
    pub(super) daemon: Option<Daemon>,
    member: String,
    clock: Vec<(&'static str, String)>,
}

impl Machine {
    /// A daemon that has joined the team.
    pub(super) fn of(team: &Team, name: &str) -> Machine {
        Machine::at(team.server, &team.database, &team.role(name))
    }

    pub(super) fn at(server: &Server, database: &str, member: &str) -> Machine {
        Machine::in_team(server, database, member, "garden")
    }

    pub(super) fn in_team(server: &Server, database: &str, member: &str, project: &str) -> Machine {
        Machine::on(server.port(), database, (member, project), Vec::new())
    }

    /// Over a line of the test's own, and with another clock.
    pub(super) fn through(port: u16, database: &str, member: &str, clock: Vec<(&'static str, String)>) -> Machine {
        Machine::on(port, database, (member, "garden"), clock)
    }

    fn on(port: u16, database: &str, (member, project): (&str, &str), clock: Vec<(&'static str, String)>) -> Machine {
        let mut machine = Machine { home: Home::new(), daemon: None, member: member.to_owned(), clock };
        let line = format!("127.0.0.1:{port}:*:{member}:{PASSWORD}\n");
        let file = machine.home.path("home/.pgpass");
        std::fs::write(&file, line).unwrap();
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        machine.start();
        let address = format!("postgres://{member}@127.0.0.1:{port}/{database}");
        machine.home.run(&["team", "join", &address, "--project", project]).succeeded().says(member);
        machine
    }

    pub(super) fn start(&mut self) {
        let mut command = self.home.command(&["run"]);
        command.envs(self.clock.iter().cloned());
        let mut daemon = Daemon::start(command);
        daemon.out.wait_for("watching ");
        daemon.out.wait_for(" memor");
        self.daemon = Some(daemon);
    }

    pub(super) fn kill(&mut self) {
        if let Some(mut daemon) = self.daemon.take() {
            daemon.signal(Signal::KILL);
            daemon.ended();
        }
    }

    pub(super) fn client(&self) -> Client {
        Client::new(self.home.socket()).patience(Duration::from_secs(60))
    }

    pub(super) fn get(&self, path: &str) -> Value {
        self.client().send(&Request::get(path)).unwrap().json().unwrap()
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.client().send(&Request::post(path, body)).unwrap();
        assert!(answer.status < 300, "{path}: {} {}", answer.status, answer.text());
        answer.json().unwrap()
    }

    pub(super) fn remember(&self, text: &str) -> String {
        self.post("/v1/memories", &json!({"kind": "note", "text": text}))["id"].as_str().unwrap().to_owned()
    }

    pub(super) fn patch(&self, id: &str, body: &Value) {
        let answer = self.client().send(&Request::patch(format!("/v1/memories/{id}"), body)).unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text());
    }

    pub(super) fn pass(&self) -> Value {
        let told = self.post("/v1/team/pass", &json!({"seconds": 30}));
        assert_eq!(told["passed"], true, "{} {told:#}", self.member);
        told
    }

    /// Everything it remembers: the same bytes on every machine of a team, but for what each counts for itself and how
    /// much it makes of the word of others.
    pub(super) fn export(&self) -> String {
        let told = self.home.run(&["export"]).succeeded().out;
        let mut records: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for record in &mut records {
            let fields = record.as_object_mut().unwrap();
            fields.shift_remove("usage");
            fields.shift_remove("built_on");
            for (name, value) in
                fields.shift_remove("claims").and_then(|it| it.as_object().cloned()).unwrap_or_default()
            {
                fields.insert(name, value);
            }
        }
        records.iter().map(|record| format!("{record}\n")).collect()
    }

    pub(super) fn show(&self, id: &str) -> Option<Value> {
        let answer = self.client().send(&Request::get(format!("/v1/memories/{id}"))).unwrap();
        (answer.status == 200).then(|| answer.json().unwrap())
    }

    /// Passes until the machine says so.
    #[track_caller]
    pub(super) fn comes_to(&self, is_so: impl Fn(&Machine) -> bool) {
        eventually_some(|| {
            self.pass();
            is_so(self).then_some(())
        });
    }
}

#[test]
fn what_one_remembers_the_other_knows_and_says_whose_word_it_is() {
    let team = Team::new();
    let (ada, eve) = (Machine::of(&team, "ada"), Machine::of(&team, "eve"));
    let id = ada.remember("the staging database is reset every Monday");
    ada.pass();
    eve.comes_to(|eve| eve.show(&id).is_some());
    let known = eve.show(&id).unwrap();
    assert_eq!(known["author"], json!(team.role("ada")), "{known:#}");
    assert_eq!(ada.show(&id).unwrap()["author"], json!(team.role("ada")));
    assert_eq!(ada.export(), eve.export());

    // What changed is written down a moment after it did.
    let told = |machine: &Machine, asked: &str| {
        let told = || Some(machine.get(asked)["items"].clone()).filter(|told| told[0].is_object());
        eventually_some(told)
    };
    let told_eve = told(&eve, "/v1/changes?by=team");
    assert_eq!((&told_eve[0]["op"], &told_eve[0]["author"]), (&json!("new"), &json!(team.role("ada"))), "{told_eve:#}");
    assert_eq!(told_eve.as_array().unwrap().len(), 1);
    assert_eq!(ada.get("/v1/changes")["items"].as_array().unwrap().len(), 1, "a signature is no change");

    // And an edit comes back without anybody asking for it.
    eve.patch(&id, &json!({"tags": ["db"]}));
    eventually_some(|| (ada.show(&id).unwrap()["tags"] == json!(["db"])).then_some(()));
    assert_eq!(ada.export(), eve.export());

    // Taken back here, it is so for all.
    let change = told(&ada, "/v1/changes?by=team&op=changed")[0]["id"].as_str().unwrap().to_owned();
    ada.post(&format!("/v1/changes/{change}/undo"), &json!({}));
    ada.pass();
    eve.comes_to(|eve| eve.show(&id).unwrap()["tags"] == json!([]));
    assert_eq!(ada.export(), eve.export());
}

#[test]
fn what_is_private_stays_and_what_becomes_private_is_struck_from_the_log() {
    let team = Team::new();
    let (ada, eve) = (Machine::of(&team, "ada"), Machine::of(&team, "eve"));
    ada.post("/v1/memories", &json!({"kind": "note", "text": "mine alone: pears", "scope": "user-private"}));
    ada.post("/v1/memories", &json!({"kind": "note", "text": "for few: plums", "restricted": true}));
    let id = ada.post(
        "/v1/memories",
        &json!({"kind": "note", "text": "apples keep in the cellar", "files": ["src/a.rs", "/home/ada/secret"]}),
    )["id"]
        .as_str()
        .unwrap()
        .to_owned();
    ada.home.run(&["recall", "apples"]).succeeded();
    eve.comes_to(|eve| eve.show(&id).is_some());
    assert_eq!(eve.show(&id).unwrap()["files"], json!(["src/a.rs"]));
    let log = team.truth("SELECT string_agg(record::text, ' ') FROM lokid.log");
    assert!(log.contains("apples"), "{log}");
    for secret in ["pears", "plums", "/home/ada", "usage", "loaded"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
    ada.patch(&id, &json!({"scope": "user-private"}));
    ada.pass();
    eve.comes_to(|eve| eve.show(&id).is_none());
    assert!(ada.show(&id).is_some(), "here it stays");
    let log = team.truth("SELECT coalesce(string_agg(record::text, ' '), '') FROM lokid.log");
    assert!(!log.contains("apples"), "{log}");
}

#[test]
fn a_secret_is_taken_out_before_it_is_sent_and_again_when_it_comes() {
    let team = Team::new();
    let (ada, eve) = (Machine::of(&team, "ada"), Machine::of(&team, "eve"));
    let key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    ada.remember(&format!("the key is {key}"));
    ada.pass();
    let log = team.truth("SELECT string_agg(record::text, ' ') FROM lokid.log");
    assert!(log.contains("[redacted:") && !log.contains("abcdefghijklmnop"), "{log}");
    // Somebody with another program sends it all the same.
    let sent = json!([{"kind": "memory", "namespace": "default", "name": "note-x", "index": 1, "hlc": 1, "base": 0,
        "record": {"id": "note-x", "kind": "note", "text": format!("a key: {key}"), "created_at": "2026-11-17T00:00:00Z"}}]);
    let (ok, said) = team.psql("ada", &format!("SELECT lokid.append('garden', 'by-hand', '{sent}')"));
    assert!(ok && said.contains("taken"), "{said}");
    eve.comes_to(|eve| eve.show("note-x").is_some());
    let text = eve.show("note-x").unwrap()["text"].as_str().unwrap().to_owned();
    assert!(text.contains("[redacted:") && !text.contains("abcdefghijklmnop"), "{text}");
}

#[test]
fn what_is_forgotten_leaves_late_and_what_is_purged_leaves_every_machine_and_the_log() {
    let team = Team::new();
    let (ada, eve) = (Machine::of(&team, "ada"), Machine::of(&team, "eve"));
    let (forgotten, purged) = (ada.remember("the old build needs ant"), ada.remember("the boss snores in meetings"));
    ada.pass();
    eve.comes_to(|eve| eve.show(&forgotten).is_some() && eve.show(&purged).is_some());
    ada.home.run(&["forget", &forgotten]).succeeded();
    ada.pass();
    eve.pass();
    assert!(eve.show(&forgotten).is_some(), "at once");
    ada.home.run(&["forget", &purged, "--purge", "--yes"]).succeeded();
    ada.pass();
    eve.comes_to(|eve| eve.show(&purged).is_none());
    let log = team.truth("SELECT string_agg(coalesce(record::text, ''), ' ') FROM lokid.log");
    assert!(!log.contains("snores"), "{log}");
    let found = std::process::Command::new("grep").args(["-rl", "snores"]).arg(eve.home.path("app/.loki")).output();
    assert_eq!(String::from_utf8_lossy(&found.unwrap().stdout), "", "no file of the other machine has it");
    // The same words of hers do not come back under another name, and nobody takes them from her machine.
    let again = ada.remember("the boss snores in meetings");
    ada.pass();
    assert!(ada.show(&again).is_some());
    let log = team.truth("SELECT string_agg(coalesce(record::text, ''), ' ') FROM lokid.log");
    assert!(!log.contains("snores"), "{log}");
    eve.comes_to(|eve| {
        ada.pass();
        eve.show(&forgotten).is_none()
    });
    eve.post(&format!("/v1/memories/{forgotten}/restore"), &json!({}));
    assert!(eve.show(&forgotten).is_some(), "forgotten is not purged");
}

#[test]
fn a_wiped_folder_and_a_wiped_database_are_filled_again_and_nothing_is_deleted() {
    let team = Team::new();
    let (mut ada, eve) = (Machine::of(&team, "ada"), Machine::of(&team, "eve"));
    let ids: Vec<String> = (0..30).map(|number| ada.remember(&format!("rule {number} of the house"))).collect();
    ada.pass();
    eve.comes_to(|eve| ids.iter().all(|id| eve.show(id).is_some()));
    let whole = eve.export();
    ada.kill();
    std::fs::remove_dir_all(ada.home.path("app/.loki/memory")).unwrap();
    ada.start();
    ada.comes_to(|ada| ids.iter().all(|id| ada.show(id).is_some()));
    eve.pass();
    assert_eq!((ada.export(), eve.export()), (whole.clone(), whole.clone()));

    team.truth("TRUNCATE lokid.log, lokid.heads; UPDATE lokid.projects SET seq = 0; UPDATE lokid.meta SET database = gen_random_uuid()");
    for machine in [&ada, &eve] {
        // It learns of the other database when it connects again.
        team.truth("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lokid' AND datname = current_database()");
        eventually_some(|| (machine.post("/v1/team/pass", &json!({}))["passed"] == true).then_some(()));
    }
    eventually_some(|| {
        ada.post("/v1/team/pass", &json!({}));
        let heads = team.truth("SELECT count(*) FROM lokid.heads WHERE kind = 'memory' AND state = 'live'");
        (heads.trim() == "30").then_some(())
    });
    assert_eq!((ada.export(), eve.export()), (whole.clone(), whole));
}

#[test]
fn the_word_of_others_binds_nobody_until_a_promoter_says_so() {
    let team = Team::new();
    let (ada, mut eve, pam) = (Machine::of(&team, "ada"), Machine::of(&team, "eve"), Machine::of(&team, "pam"));
    let why = "because the people who could mend what breaks are at home with their families until Monday morning. "
        .repeat(30);
    let rule = format!("never push to main on Fridays\n\n{why}");
    let rule = json!({"kind": "note", "text": rule, "tier": "mandate", "source": "user"});
    let id = ada.post("/v1/memories", &rule)["id"].as_str().unwrap().to_owned();
    ada.pass();
    eve.comes_to(|eve| eve.show(&id).is_some());
    let tier = |machine: &Machine| machine.show(&id).unwrap()["tier"].as_str().unwrap().to_owned();
    assert_eq!((tier(&ada).as_str(), tier(&eve).as_str()), ("mandate", "reference"));

    ada.home.run(&["promote", &id, "--to", "team", "--yes"]).succeeded().says("waits in the inbox");
    pam.comes_to(|pam| pam.show(&id).is_some());
    let inbox = pam.home.run(&["team", "inbox"]).succeeded();
    assert!(inbox.out.contains(&id) && inbox.out.contains("+ never push to main on Fridays"), "{}", inbox.out);
    pam.home.run(&["promote", &id, "--to", "team", "--yes"]).succeeded().says("holds for the team");
    eve.comes_to(|eve| tier(eve) == "mandate");
    assert_eq!(ada.export(), eve.export());
    pam.home.run(&["team", "inbox"]).succeeded();
    // It stays so over a night, which may write shorter lengths of it, and over a restart.
    eve.home.run(&["consolidate"]).succeeded();
    eve.kill();
    eve.start();
    assert_eq!(tier(&eve), "mandate", "{:#}", eve.show(&id).unwrap());

    // Other words are another matter.
    eve.patch(&id, &json!({"text": "always push to main on Fridays"}));
    eve.pass();
    ada.comes_to(|ada| ada.show(&id).unwrap()["text"] == "always push to main on Fridays");
    assert_eq!(tier(&ada), "reference");
    let audit = pam.home.run(&["team", "audit"]).succeeded();
    assert!(audit.out.contains("promote") && audit.out.contains(&team.role("pam")), "{}", audit.out);
}

#[test]
fn what_the_organisation_shares_reaches_other_teams_and_only_its_promoters_write_it() {
    let team = Team::new();
    let (ada, org) = (Machine::of(&team, "ada"), Machine::of(&team, "org"));
    let id = ada.remember("secrets live in the vault, never in the repository");
    ada.pass();
    org.comes_to(|org| org.show(&id).is_some());
    ada.home.run(&["promote", &id, "--to", "org", "--yes"]).succeeded().says("waits");
    org.home.run(&["promote", &id, "--to", "org", "--yes"]).succeeded().says("holds for the organisation");
    let oto = Machine::in_team(team.server, &team.database, &team.role("oto"), "other");
    oto.comes_to(|oto| oto.show(&id).is_some());
    let found = || oto.home.run(&["recall", "where do secrets live"]).succeeded().out.contains("vault");
    eventually_some(|| found().then_some(()));
    let heads = team.truth("SELECT count(*) FROM lokid.heads WHERE project = 'other'");
    assert_eq!(heads.trim(), "0", "it is nobody's to send on");
}

#[test]
fn a_database_that_is_away_costs_nobody_anything_and_what_waits_goes_later() {
    let mut server = Server::start_with(false);
    let database = garden(&server);
    let (mut ada, eve) = (Machine::at(&server, &database, "ada"), Machine::at(&server, &database, "eve"));
    server.stop();
    let ids: Vec<String> = (0..20).map(|number| ada.remember(&format!("written in the dark, {number}"))).collect();
    let told = eventually_some(|| {
        let told = ada.get("/v1/team/status");
        (told["connected"] == false && told["last_error"].is_object()).then_some(told)
    });
    assert!(!told.to_string().contains(PASSWORD), "{told:#}");
    ada.home.run(&["team", "status"]).succeeded().says("not connected");
    // Also over a death in the dark.
    ada.kill();
    ada.start();
    server.start_again();
    eventually_some(|| (ada.post("/v1/team/pass", &json!({}))["connected"] == true).then_some(()));
    eventually_some(|| {
        eve.post("/v1/team/pass", &json!({}));
        ids.iter().all(|id| eve.show(id).is_some()).then_some(())
    });
    assert_eq!(ada.export(), eve.export());
}

#[test]
fn a_password_in_an_address_is_refused_and_leaving_keeps_what_is_here() {
    let team = Team::new();
    let ada = Machine::of(&team, "ada");
    let id = ada.remember("bread is baked on Tuesdays");
    ada.pass();
    let refused = ada.home.run(&["team", "join", "postgres://ada:geheim@127.0.0.1/x", "--project", "garden"]).exited(2);
    assert!(refused.err.contains(".pgpass") && !refused.err.contains("geheim"), "{}", refused.err);
    ada.home.run(&["team", "status"]).succeeded().says("in step");
    ada.home.run(&["team", "leave"]).succeeded().says("no longer in the team");
    ada.home.run(&["team", "status"]).succeeded().says("in no team");
    assert!(ada.show(&id).is_some());
    ada.remember("and nothing of this is told");
    let log = team.truth("SELECT string_agg(record::text, ' ') FROM lokid.log");
    assert!(log.contains("bread") && !log.contains("nothing of this"), "{log}");
}

#[test]
fn two_edits_of_one_memory_stand_side_by_side_everywhere_until_somebody_chooses() {
    let server = Server::start_with(false);
    let database = garden(&server);
    let (ada, eve) = (Machine::at(&server, &database, "ada"), Machine::at(&server, &database, "eve"));
    let id = ada.remember("the release is cut by the intern");
    ada.pass();
    eve.comes_to(|eve| eve.show(&id).is_some());
    // Neither hears of the other.
    server.pause();
    ada.patch(&id, &json!({"text": "the release is cut by the release manager", "tags": ["ada"]}));
    eve.patch(&id, &json!({"text": "the release is cut by a robot every night", "tags": ["eve"]}));
    server.resume();
    let settled = |one: &Machine, other: &Machine| {
        one.post("/v1/team/pass", &json!({}));
        one.export() == other.export()
            && one.get("/v1/contradictions?status=open")["items"].as_array().unwrap().len() == 1
    };
    eventually_some(|| (settled(&ada, &eve) && settled(&eve, &ada)).then_some(()));
    let whole = ada.export();
    assert!(whole.contains("release manager") && whole.contains("robot every night"), "{whole}");
    assert_eq!(ada.show(&id).unwrap()["tags"].as_array().unwrap().len(), 2, "what does not conflict is there: {whole}");
    let open = ada.get("/v1/contradictions?status=open")["items"][0]["id"].as_str().unwrap().to_owned();
    ada.home.run(&["contradictions", "resolve", &open, "a_wins"]).succeeded();
    eve.comes_to(|eve| eve.get("/v1/contradictions?status=open")["items"].as_array().unwrap().is_empty());
    assert_eq!(ada.export(), eve.export());
}

#[test]
fn of_two_values_of_one_fact_the_later_holds_and_both_authors_are_known() {
    let team = Team::new();
    let (ada, eve) = (Machine::of(&team, "ada"), Machine::of(&team, "eve"));
    let fact = |value: &str, at: &str| json!({"kind": "fact", "source": "agent", "fact": {"key": "build.tool", "value": value}, "valid_at": at});
    let old = ada.post("/v1/memories", &fact("make", "2026-10-01T00:00:00Z"))["id"].as_str().unwrap().to_owned();
    let new = eve.post("/v1/memories", &fact("just", "2026-11-01T00:00:00Z"))["id"].as_str().unwrap().to_owned();
    let holds = |machine: &Machine, id: &str| machine.show(id).is_some_and(|fact| fact["invalid_at"].is_null());
    for machine in [&ada, &eve] {
        machine.comes_to(|machine| machine.show(&old).is_some() && holds(machine, &new) && !holds(machine, &old));
    }
    eventually_some(|| {
        for machine in [&ada, &eve] {
            machine.pass();
        }
        (ada.export() == eve.export()).then_some(())
    });
    let authors = [&old, &new].map(|id| ada.show(id).unwrap()["author"].clone());
    assert_eq!(authors, [json!(team.role("ada")), json!(team.role("eve"))]);

    // What a person said here themselves gives way to nobody without being asked.
    let own = json!({"kind": "fact", "source": "user", "fact": {"key": "deploy.day", "value": "Monday"}, "valid_at": "2026-10-01T00:00:00Z"});
    let own = ada.post("/v1/memories", &own)["id"].as_str().unwrap().to_owned();
    let theirs = json!({"kind": "fact", "source": "agent", "fact": {"key": "deploy.day", "value": "Friday"}, "valid_at": "2026-11-01T00:00:00Z"});
    let theirs = eve.post("/v1/memories", &theirs)["id"].as_str().unwrap().to_owned();
    ada.comes_to(|ada| ada.show(&theirs).is_some());
    let is_asked = |machine: &Machine| {
        let open = machine.get("/v1/contradictions?status=open")["items"].to_string();
        open.contains(&own) && open.contains(&theirs)
    };
    for machine in [&ada, &eve] {
        machine.comes_to(is_asked);
        assert!(holds(machine, &own) && holds(machine, &theirs));
    }
}

#[test]
fn every_kind_of_memory_arrives_whole_and_then_nobody_has_anything_to_say() {
    let team = Team::new();
    let (mut ada, mut eve) = (Machine::of(&team, "ada"), Machine::of(&team, "eve"));
    let records = [
        json!({"id": "ep-1", "kind": "episode", "text": "the login broke and was mended", "outcome": "success", "importance": 0.9,
            "episode": {"task_id": "T-1", "goal": "mend the login", "phase": "ACT", "agent": "a", "duration_seconds": 3.5,
                "files_modified": ["src/a.rs"], "errors": [{"type": "E", "message": "boom", "resolution": "less boom"}],
                "action_log": [{"t": 1.0, "action": "edit", "target": "src/a.rs", "result": "ok"}]}}),
        json!({"id": "sem-1", "kind": "pattern", "tags": ["db"], "tier": "guardrail", "files": ["src/db.rs"],
            "pattern": {"pattern": "migrations run first", "category": "deploy", "conditions": ["schema changed"],
                "correct_approach": "migrate, then restart", "incorrect_approach": "restart first"}}),
        json!({"id": "anti-1", "kind": "anti_pattern",
            "anti_pattern": {"what_fails": "sleeping in tests", "why": "it hides races", "prevention": "wait for events"}}),
        json!({"id": "fact-1", "kind": "fact", "fact": {"key": "db.port", "value": "5432", "scope": "tests"}}),
        json!({"id": "skill-release", "kind": "skill", "skill": {"name": "Release", "description": "cut a release",
            "prerequisites": ["green"], "steps": ["tag", "push"], "common_errors": [{"error": "no tag", "fix": "tag"}],
            "exit_criteria": ["it is out"]}}),
        json!({"id": "learn-1", "kind": "learning", "learning": {"error": "E0308", "cause": "types", "fix": "into()"}}),
        json!({"id": "dec-1", "kind": "decision", "text": "we keep one writer", "sources": ["commit-abc"]}),
        json!({"id": "wf-1", "kind": "workflow", "text": "fmt, clippy, test", "their_field": {"a": [1, 2.5, null]}}),
        json!({"id": "code-1", "kind": "code_pattern", "text": "errors are enums", "symbols": ["EngineError"]}),
        json!({"id": "note-ns", "kind": "note", "text": "of another place", "namespace": "web"}),
    ];
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    ada.home.run_with(&["import", "-"], &lines).succeeded();
    ada.pass();
    eve.comes_to(|eve| {
        ["ep-1", "sem-1", "anti-1", "fact-1", "skill-release", "learn-1", "dec-1", "wf-1", "code-1"]
            .iter()
            .all(|id| eve.show(id).is_some())
    });
    eventually_some(|| {
        ada.pass();
        eve.pass();
        (ada.export() == eve.export()).then_some(())
    });
    let versions = || team.truth("SELECT string_agg(name || ' ' || version, ',' ORDER BY name) FROM lokid.heads");
    let settled = versions();
    for _ in 0..2 {
        for machine in [&mut ada, &mut eve] {
            machine.kill();
            machine.start();
        }
        for machine in [&ada, &eve] {
            eventually_some(|| {
                (machine.post("/v1/team/pass", &json!({"seconds": 30}))["passed"] == true).then_some(())
            });
            machine.pass();
        }
        assert_eq!(versions(), settled, "what was read back from files is what was sent");
    }
    assert_eq!(ada.export(), eve.export());
}

#[test]
fn whoever_changes_the_words_of_another_says_them_as_their_own_and_nobody_elses_as_theirs() {
    let team = Team::new();
    let (ada, eve) = (Machine::of(&team, "ada"), Machine::of(&team, "eve"));
    let id = ada.remember("the gate is closed at night");
    ada.pass();
    eve.comes_to(|eve| eve.show(&id).is_some());
    eve.patch(&id, &json!({"text": "the gate is open at night"}));
    ada.comes_to(|ada| ada.show(&id).unwrap()["text"] == "the gate is open at night");
    assert_eq!(ada.show(&id).unwrap()["author"], json!(team.role("eve")));
    assert_eq!(ada.show(&id).unwrap()["source"], "import", "no longer her own word");
    eventually_some(|| {
        eve.pass();
        (ada.export() == eve.export()).then_some(())
    });
    // With another program: other words under ada's name, a record that only the database can read, a cursor below zero,
    // and one that says it is restricted.
    let append = |name: &str, base: u64, index: u64, record: &str| {
        let op = format!(
            r#"[{{"kind":"memory","namespace":"default","name":"{name}","index":{index},"hlc":1,"base":{base},"record":{record}}}]"#
        );
        team.psql("eve", &format!("SELECT lokid.append('garden', 'by-hand', '{op}')")).1
    };
    let own = ada.remember("ada counts the apples herself");
    ada.pass();
    let base: u64 =
        team.truth(&format!("SELECT version FROM lokid.heads WHERE name = '{own}'")).trim().parse().unwrap();
    let author = team.role("ada");
    let forged = format!(r#"{{"id":"{own}","kind":"note","text":"eve counts the apples","author":"{author}"}}"#);
    assert!(append(&own, base, 1, &forged).contains("refused"));
    let restricted = format!(
        r#"{{"id":"{own}","kind":"note","text":"ada counts the apples herself","author":"{author}","restricted":true}}"#
    );
    assert!(append(&own, base, 2, &restricted).contains("refused"));
    assert!(append("odd", 0, 3, r#"{"id":"odd","kind":"note","text":"x","n":1e999}"#).contains("taken"));
    assert!(team.psql("eve", "SELECT lokid.beat('garden', 'by-hand', 'x', -1)").0);
    let after = ada.remember("and after that all goes on");
    ada.pass();
    eve.comes_to(|eve| eve.show(&after).is_some());
    assert_eq!(ada.show(&own).unwrap()["text"], "ada counts the apples herself");
}

#[test]
fn another_branch_and_a_night_take_nothing_from_the_others() {
    let team = Team::new();
    let (ada, eve) = (Machine::of(&team, "ada"), Machine::of(&team, "eve"));
    let (a, b) = (ada.remember("the lock is taken first"), ada.remember("the rename comes last"));
    ada.post("/v1/links", &json!({"from": a, "to": b, "relation": "related_to"}));
    ada.pass();
    eve.comes_to(|eve| eve.get(&format!("/v1/links/{a}")).to_string().contains(&b));
    // As a checkout does it, under the running daemon.
    std::fs::remove_dir_all(ada.home.path("app/.loki/memory")).unwrap();
    ada.post("/v1/memories", &json!({"kind": "note", "text": "something else entirely"}));
    ada.get("/v1/status?fresh=true");
    for _ in 0..3 {
        ada.pass();
        eve.pass();
    }
    let removed = team.truth("SELECT count(*) FROM lokid.heads WHERE state <> 'live'");
    assert_eq!(removed.trim(), "0");
    assert!(eve.show(&a).is_some() && eve.get(&format!("/v1/links/{a}")).to_string().contains(&b));
}
