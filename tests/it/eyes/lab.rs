//! A repository with a daemon that watches it, and somebody who writes down what the daemon tells.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lokid::serve::{Client, Request};
use serde_json::Value;

use crate::home::{Daemon, Home, eventually_some};

/// Generous, for slow machines; nothing waits so long when all is well.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a sentinel may take before another one is tried.
const TRY: Duration = Duration::from_millis(700);
const LOOK: Duration = Duration::from_millis(2_200);
const LOOKS: u32 = 12;

pub(crate) struct Lab {
    pub(crate) home: Home,
    running: Option<Running>,
    /// Since the daemon started.
    heard: Vec<Value>,
    /// Where in `heard` the test at hand begins.
    begin: usize,
    sentinels: u32,
    looks: u32,
}

struct Running {
    daemon: Daemon,
    events: Daemon,
}

impl Lab {
    /// A repository with one commit, in which nobody watches yet.
    pub(crate) fn new() -> Lab {
        let home = Home::new();
        let lab = Lab { home, running: None, heard: Vec::new(), begin: 0, sentinels: 0, looks: 0 };
        lab.git(&["checkout", "-q", "-B", "main"]);
        for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org"), ("gc.auto", "0")] {
            lab.git(&["config", key, value]);
        }
        for look in 0..LOOKS {
            lab.write(&format!("sentinel/look-{look}"), "x\n");
        }
        lab.commit("Set up");
        lab
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.home.path("app").join(inside)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let full = self.path(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, text).unwrap();
    }

    pub(crate) fn append(&self, path: &str, text: impl AsRef<[u8]>) {
        let full = self.path(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(full).unwrap();
        file.write_all(text.as_ref()).unwrap();
    }

    /// Git in the repository, seeing nothing of the real user.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.run("git", arguments)
    }

    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A", "--", ":!sentinel/made"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> String {
        self.run_in(&self.path(""), program, arguments)
    }

    pub(crate) fn run_in(&self, folder: &Path, program: &str, arguments: &[&str]) -> String {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .env("HOME", self.home.path("home"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let ok = output.status.success() || ["grep", "rg"].contains(&program);
        assert!(ok, "{program} {arguments:?}: {told}{}", String::from_utf8_lossy(&output.stderr));
        told
    }

    /// Starts the daemon; comes back when it watches, has read the past, and is listened to.
    pub(crate) fn start(&mut self) {
        self.start_at_once();
        self.past_is_read();
        self.sentinel();
        self.mark();
    }

    /// Starts the daemon; comes back when it answers.
    pub(crate) fn start_at_once(&mut self) {
        let daemon = self.home.daemon();
        let events = Daemon::start(self.home.command(&["events", "--json"]));
        self.running = Some(Running { daemon, events });
        self.heard.clear();
        self.begin = 0;
    }

    pub(crate) fn past_is_read(&mut self) {
        eventually_some(|| (self.project()["past"]["state"] == "ready").then_some(()));
    }

    /// As a person does it. Answers with what the daemon logged.
    pub(crate) fn stop(&mut self) -> Vec<String> {
        self.home.run(&["stop"]).succeeded();
        let mut running = self.running.take().expect("a daemon that runs");
        assert_eq!(running.daemon.ended().0, Some(0));
        let mut logged = Vec::new();
        while let Some(line) = running.daemon.err.next() {
            logged.push(line);
        }
        logged
    }

    /// What the daemon itself is sent.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        self.running.as_ref().expect("a daemon that runs").daemon.signal(signal);
    }

    /// It was told to end and did so well.
    pub(crate) fn ended(&mut self) {
        let mut running = self.running.take().expect("a daemon that runs");
        assert_eq!(running.daemon.ended().0, Some(0));
    }

    pub(crate) fn pid(&self) -> u32 {
        self.running.as_ref().expect("a daemon that runs").daemon.child.id()
    }

    /// As the kernel does it when memory runs out.
    pub(crate) fn kill(&mut self) {
        let mut running = self.running.take().expect("a daemon that runs");
        running.daemon.child.kill().unwrap();
        running.daemon.ended();
    }

    pub(crate) fn restart(&mut self) {
        self.stop();
        self.start();
    }

    /// What was told before this is no part of the test.
    pub(crate) fn mark(&mut self) {
        self.begin = self.heard.len();
    }

    /// The next line of the stream, if it comes in time.
    fn listen(&mut self, until: Instant) -> Option<Value> {
        let events = &mut self.running.as_mut().expect("a daemon that runs").events;
        while Instant::now() < until {
            if let Some(line) = events.out.next() {
                let event: Value = serde_json::from_str(&line).unwrap();
                assert_ne!(event["kind"], "missed", "the listener was too slow");
                self.heard.push(event.clone());
                return Some(event);
            }
        }
        None
    }

    /// Waits for an event that was not waited for before.
    #[track_caller]
    pub(crate) fn hear(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        match self.hear_within(PATIENCE, is_it) {
            Some(event) => event,
            None => panic!("{what} never came; heard: {:#?}", self.told()),
        }
    }

    pub(crate) fn hear_within(&mut self, patience: Duration, is_it: impl Fn(&Value) -> bool) -> Option<Value> {
        let until = Instant::now() + patience;
        while let Some(event) = self.listen(until) {
            if is_it(&event) {
                return Some(event);
            }
        }
        None
    }

    #[track_caller]
    pub(crate) fn hear_signal(&mut self, kind: &str, about: &str) {
        let wanted = format!("{kind} {about}").trim_end().to_owned();
        self.hear(&wanted, |event| signal(event).as_deref() == Some(&wanted));
    }

    #[track_caller]
    pub(crate) fn hear_memory(&mut self, op: &str, kind: &str) -> String {
        let is_it = |event: &Value| {
            event["kind"] == "memory" && event["data"]["op"] == op && (kind.is_empty() || event["data"]["kind"] == kind)
        };
        self.hear(&format!("{kind} {op}"), is_it)["data"]["id"].as_str().unwrap().to_owned()
    }

    /// Makes a file and waits until that is told; what happened before it has then been looked at. Tries again, because
    /// right after git has moved the tree, new files count as git's.
    #[track_caller]
    pub(crate) fn sentinel(&mut self) {
        for _ in 0..40 {
            let path = format!("sentinel/made/{}", self.sentinels);
            self.sentinels += 1;
            // Moved there whole, it is noticed once.
            let outside = self.home.path("made");
            std::fs::write(&outside, "x").unwrap();
            std::fs::create_dir_all(self.path("sentinel/made")).unwrap();
            std::fs::rename(outside, self.path(&path)).unwrap();
            let wanted = format!("file_edited {path}");
            if self.hear_within(TRY, |event| signal(event).as_deref() == Some(&wanted)).is_some() {
                return;
            }
        }
        panic!("no sentinel was seen; heard: {:#?}", self.told());
    }

    /// Looks at a file and waits until that is told: openings are held for a while, and for longer after a storm.
    #[track_caller]
    pub(crate) fn look_until_seen(&mut self) {
        while self.looks < LOOKS {
            let path = format!("sentinel/look-{}", self.looks);
            self.looks += 1;
            self.run("cat", &[&path]);
            let wanted = format!("file_opened {path}");
            if self.hear_within(LOOK, |event| signal(event).as_deref() == Some(&wanted)).is_some() {
                return;
            }
        }
        panic!("no look was seen; heard: {:#?}", self.told());
    }

    pub(crate) fn told(&self) -> &[Value] {
        &self.heard[self.begin..]
    }

    /// The signals since the mark, without the sentinels: `file_edited src/main.rs`.
    pub(crate) fn signals(&self) -> Vec<String> {
        self.told().iter().filter_map(signal).filter(|told| !told.contains(" sentinel/")).collect()
    }

    /// How often something of this kind was told since the mark.
    pub(crate) fn count(&self, kind: &str) -> usize {
        self.told().iter().filter(|event| event["kind"] == kind).count()
    }

    pub(crate) fn send(&self, request: &Request) -> Value {
        let answer = Client::new(self.home.socket()).patience(PATIENCE).send(request).unwrap();
        assert!(answer.is_success(), "{} {}: {}", request.method, request.path, answer.text());
        answer.json().unwrap_or_default()
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        self.send(&Request::get(path))
    }

    pub(crate) fn project(&self) -> Value {
        self.get("/v1/status")["projects"][0].clone()
    }

    /// Every memory, as listings tell it, by id.
    pub(crate) fn memories(&self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut path = "/v1/memories?limit=100".to_owned();
        loop {
            let page = self.get(&path);
            all.extend(page["items"].as_array().unwrap().iter().cloned());
            match page["next_cursor"].as_str() {
                Some(cursor) => path = format!("/v1/memories?limit=100&cursor={}", lokid::serve::encode(cursor)),
                None => break,
            }
        }
        all.sort_by_key(|memory| memory["id"].as_str().unwrap().to_owned());
        all
    }

    /// The whole record.
    pub(crate) fn record(&self, id: &str) -> Value {
        self.home.run(&["--json", "show", id]).succeeded().json()
    }

    /// The one memory whose title says this.
    #[track_caller]
    pub(crate) fn titled(&self, words: &str) -> Value {
        let all = self.memories();
        let found: Vec<&Value> = all.iter().filter(|memory| has(&memory["title"], words)).collect();
        assert_eq!(found.len(), 1, "{words:?} in {all:#?}");
        self.record(found[0]["id"].as_str().unwrap())
    }

    pub(crate) fn titles(&self) -> Vec<String> {
        self.memories().iter().map(|memory| memory["title"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits until what is known satisfies this; for what gives no event of its own.
    #[track_caller]
    pub(crate) fn until(&self, is_so: impl Fn(&[Value]) -> bool) {
        eventually_some(|| is_so(&self.memories()).then_some(()));
    }
}

pub(crate) fn has(value: &Value, words: &str) -> bool {
    value.as_str().is_some_and(|text| text.contains(words))
}

/// `type path branch`, without what is not there.
pub(crate) fn signal(event: &Value) -> Option<String> {
    if event["kind"] != "signal" {
        return None;
    }
    let data = &event["data"];
    let parts = ["type", "path", "branch", "author"].iter().filter_map(|name| data[*name].as_str());
    Some(parts.collect::<Vec<&str>>().join(" "))
}

pub(crate) fn installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_err() {
        println!("{program} is not installed; what needs it is passed over");
    }
    found.is_ok()
}
