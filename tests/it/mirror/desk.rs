//! A home with a mirror that is switched on, and the server it speaks to.

use std::process::Command;

use lokid::serve::{Client, Request};
use lokid_testing::stores::StoreServer;
use serde_json::{Value, json};

use crate::home::{Daemon, Home, Told, eventually_some};

pub(crate) struct Desk {
    pub(crate) home: Home,
    pub(crate) server: StoreServer,
    pub(crate) store: String,
}

pub(crate) fn episode(id: &str, task: &str) -> Value {
    json!({"id": id, "kind": "episode", "text": format!("what happened in {task}"), "importance": 0.8,
        "created_at": "2026-11-02T10:00:00Z", "episode": {"task_id": task, "goal": format!("do {task}")}})
}

pub(crate) fn with(mut record: Value, field: &str, value: Value) -> Value {
    record[field] = value;
    record
}

impl Desk {
    pub(crate) fn new() -> Desk {
        Desk::with("")
    }

    /// With more lines in `[managed]`.
    pub(crate) fn with(more: &str) -> Desk {
        let server = StoreServer::new();
        let store = server.new_store("mine");
        let desk = Desk { home: Home::new(), server, store };
        desk.configure(&desk.server.url(), more);
        desk
    }

    pub(crate) fn configure(&self, url: &str, more: &str) {
        self.home.configure(&format!(
            "[night]\nenabled = false\n[managed]\nagents = true\nmemory = true\nbase_url = \"{url}\"\nuser_store = \"{}\"\n{more}",
            self.store
        ));
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.home.command(arguments);
        command.env("ANTHROPIC_API_KEY", StoreServer::KEY);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Told {
        Told::new(arguments, self.command(arguments).output().unwrap())
    }

    pub(crate) fn daemon(&self) -> Daemon {
        self.started(self.command(&["run"]))
    }

    pub(crate) fn started(&self, command: Command) -> Daemon {
        crate::instances::wait_until_some_are_free();
        let mut daemon = Daemon::start(command);
        daemon.out.wait_for("watching ");
        daemon.out.wait_for(" memor");
        daemon
    }

    pub(crate) fn import(&self, records: &[Value]) {
        let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
        self.home.run_with(&["import", "-"], &lines).succeeded();
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let answer = Client::new(self.home.socket()).send(&Request::get(path)).unwrap();
        assert!(answer.is_success(), "{path}: {} {}", answer.status, answer.text());
        serde_json::from_str(&answer.text()).unwrap()
    }

    #[track_caller]
    pub(crate) fn wait_for(&self, mut is_so: impl FnMut(&Desk) -> bool) {
        eventually_some(|| is_so(self).then_some(()));
    }

    /// So many stand in the store, and their events are written.
    #[track_caller]
    pub(crate) fn wait_for_mirrored(&self, many: usize) {
        self.wait_for(|desk| desk.server.all(&desk.store).len() == many && desk.kinds("created") >= many);
    }

    pub(crate) fn content(&self, task: &str) -> Option<String> {
        self.server.content(&self.store, &format!("/episodic/2026-11-02/{task}.json"))
    }

    pub(crate) fn events(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.home.path("app/.loki/managed/events.ndjson")).unwrap_or_default();
        // The last line may be on its way.
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Shadow writes of this kind.
    pub(crate) fn kinds(&self, op: &str) -> usize {
        self.events().iter().filter(|it| it["type"] == "managed_memory_shadow_write" && it["op"] == op).count()
    }

    /// The first event that something was given up or put off for this reason.
    #[track_caller]
    pub(crate) fn wait_for_fallback(&self, reason: &str) -> Value {
        let is_it = |event: &Value| event["type"] == "managed_agents_fallback" && event["reason"] == reason;
        eventually_some(|| self.events().into_iter().find(is_it))
    }
}
