//! Machines with homes of their own that share the memory of a project over a real database, through the binary.

use std::time::Duration;

use lokid::serve::{Client, Request};
use lokid_testing::postgres::{PASSWORD, Server};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::lab::Team;
use crate::home::{Daemon, Home, eventually_some};

/// The machine of a member: a home, a repository of its own, and a daemon.
pub(super) struct Machine {
    pub(super) home: Home,
    pub(super) daemon: Option<Daemon>,
    member: String,
}

impl Machine {
    /// A daemon that has joined the team.
    pub(super) fn of(team: &Team, name: &str) -> Machine {
        Machine::at(team.server, &team.database, &team.role(name))
    }

    pub(super) fn at(server: &Server, database: &str, member: &str) -> Machine {
        let mut machine = Machine { home: Home::new(), daemon: None, member: member.to_owned() };
        let line = format!("127.0.0.1:{}:*:{member}:{PASSWORD}\n", server.port());
        let file = machine.home.path("home/.pgpass");
        std::fs::write(&file, line).unwrap();
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        machine.start();
        let address = format!("postgres://{member}@127.0.0.1:{}/{database}", server.port());
        machine.home.run(&["team", "join", &address, "--project", "garden"]).succeeded().says(member);
        machine
    }

    pub(super) fn start(&mut self) {
        self.daemon = Some(self.home.daemon());
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
        self.post("/v1/memories", &json!({"text": text}))["id"].as_str().unwrap().to_owned()
    }

    pub(super) fn pass(&self) -> Value {
        let told = self.post("/v1/team/pass", &json!({"seconds": 30}));
        assert_eq!(told["passed"], true, "{} {told:#}", self.member);
        told
    }

    /// Everything it remembers, as it would leave: the same bytes on every machine of a team.
    pub(super) fn export(&self) -> String {
        self.home.run(&["export"]).succeeded().out
    }

    pub(super) fn show(&self, id: &str) -> Option<Value> {
        let answer = self.client().send(&Request::get(&format!("/v1/memories/{id}"))).unwrap();
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

    // And an edit comes back without anybody asking for it.
    let patched = eve.client().send(&Request::patch(format!("/v1/memories/{id}"), &json!({"tags": ["db"]})));
    assert_eq!(patched.unwrap().status, 200);
    eventually_some(|| (ada.show(&id).unwrap()["tags"] == json!(["db"])).then_some(()));
    assert_eq!(ada.export(), eve.export());
}
