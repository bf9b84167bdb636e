//! A repository, its daemon and its page; asked over plain TCP, or by a browser that was let in.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use lokid::serve::Request;
use serde_json::{Value, json};

use super::browser::{self, Tab};
use crate::home::{Daemon, Home, client, get, post};
use crate::repo;

/// With an answer that does not go on.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Lab {
    pub(crate) home: Home,
    pub(crate) daemon: Daemon,
    pub(crate) ui: Ui,
}

impl Lab {
    pub(crate) fn new() -> Lab {
        Lab::of(Home::new())
    }

    /// Unless somebody does without browsers.
    pub(crate) fn in_a_browser() -> Option<Lab> {
        browser::is_wanted().then(Lab::new)
    }

    pub(crate) fn of(home: Home) -> Lab {
        let daemon = home.daemon();
        let ui = Ui::start(&home);
        Lab { home, daemon, ui }
    }

    /// With something to see on every screen: history, memories of several kinds, a session, changes, a night.
    pub(crate) fn furnished() -> Lab {
        let home = Home::new();
        let app = home.path("app");
        std::fs::create_dir_all(app.join("src")).unwrap();
        for (turn, message) in
            ["feat: a gate and a lamp", "fix: the gate no longer sticks", "fix: the lamp at night"].iter().enumerate()
        {
            std::fs::write(app.join("src/gate.rs"), format!("pub fn gate() -> usize {{ {turn} }}\n")).unwrap();
            std::fs::write(app.join("src/lamp.rs"), format!("use crate::gate;\npub fn lamp() -> usize {{ {turn} }}\n"))
                .unwrap();
            repo::commit_all_as(&app, message, "Ada");
        }
        let lab = Lab::of(home);
        let word = "unbroken".repeat(40);
        let gate = lab
            .remember(&json!({"kind": "note", "title": "the gate", "tier": "guardrail", "tags": ["gate", "night"],
            "text": "open the gate only after the lamp is lit, or it sticks", "files": ["src/gate.rs"]}));
        let lamp = lab.remember(
            &json!({"kind": "note", "text": format!("the lamp burns oil\n{word}\n\u{5d0}\u{5d1}\u{5d2} (abc)"),
            "files": ["src/lamp.rs"], "scope": "user-private"}),
        );
        lab.remember(
            &json!({"kind": "decision", "text": "the gate is painted green because red fades", "tags": [word]}),
        );
        lab.remember(
            &json!({"kind": "episode", "outcome": "success", "episode": {"goal": "mend the gate", "errors_encountered":
            [{"type": "Stuck", "message": "the gate sticks at the hinge", "resolution": "oil the hinge"}]}}),
        );
        for value in ["seven", "nine"] {
            lab.home.run(&["remember", "--key", "gate.opens", "--value", value]).succeeded();
        }
        post(&lab.home, "/v1/links", &json!({"from": gate, "to": lamp, "relation": "related_to"}));
        lab.hook("SessionStart", &json!({"source": "startup"}));
        lab.settled();
        lab.hook("UserPromptSubmit", &json!({"prompt": "which colour is the gate painted, and why green?"}));
        lab.hook("Stop", &json!({}));
        let gone = lab.remember(&note("the gate was once made of rope"));
        lab.home.run(&["forget", "--yes", &gone, "--reason", "long ago"]).succeeded();
        lab.home.run(&["consolidate"]).succeeded();
        lab
    }

    /// Until what was told can be found.
    pub(crate) fn settled(&self) {
        post(&self.home, "/v1/recall", &json!({"query": "x", "fresh": true, "counted": false}));
    }

    /// What an agent's hook tells in one session.
    pub(crate) fn hook(&self, event: &str, more: &Value) {
        let mut input = json!({"session_id": "s-1", "cwd": self.home.path("app"), "hook_event_name": event});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.home.hook(&[event], &input.to_string()).succeeded();
    }

    /// Every page there is, as far as there are different ones.
    pub(crate) fn pages(&self) -> Vec<String> {
        let listed = get(&self.home, "/v1/memories?limit=50");
        let ids = listed["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap());
        let screens = SCREENS.iter().map(|screen| (*screen).to_owned());
        let others = [
            "memories?q=gate",
            "memories?kind=decision",
            "memories?q=zzzz",
            "files?path=src",
            "files?path=src/gate.rs",
            "memories/none",
        ];
        let memories = ids.take(6).map(|id| format!("memories/{id}"));
        screens.chain(others.map(str::to_owned)).chain(memories).collect()
    }

    /// The folder of the project's pages.
    pub(crate) fn project(&self) -> String {
        let told = get(&self.home, "/v1/projects");
        let app = self.home.path("app").display().to_string();
        let own = told["projects"].as_array().unwrap().iter().find(|project| project["path"] == app.as_str()).unwrap();
        format!("{}/p/{}", self.ui.folder, own["id"].as_str().unwrap())
    }

    /// The address of a page of the project.
    pub(crate) fn at(&self, page: &str) -> String {
        format!("{}{}/{page}", self.ui.origin(), self.project())
    }

    /// A browser that was let in, at the first screen.
    pub(crate) fn tab(&self) -> Tab {
        self.tab_with(&[])
    }

    pub(crate) fn tab_with(&self, flags: &[&str]) -> Tab {
        let tab = Tab::with(flags);
        tab.go(&self.ui.address);
        tab.until("document.getElementById('main') && location.pathname.endsWith('/said')");
        tab
    }

    pub(crate) fn remember(&self, body: &Value) -> String {
        let told = post(&self.home, "/v1/memories", body);
        told["id"].as_str().unwrap_or_else(|| panic!("{told}")).to_owned()
    }

    /// Other words for a memory, by another hand.
    pub(crate) fn reword(&self, id: &str, words: &str) {
        let request = Request::new("PATCH", format!("/v1/memories/{id}")).json(&json!({"text": words}));
        let answer = client(&self.home).send(&request).unwrap();
        assert!(answer.is_success(), "{}", answer.text());
    }

    /// What the daemon knows of a memory; nothing once it is forgotten.
    pub(crate) fn memory(&self, id: &str) -> Option<Value> {
        let path = format!("/v1/memories/{id}?counted=false");
        let answer = client(&self.home).send(&Request::get(path)).unwrap();
        answer.is_success().then(|| answer.json().unwrap())
    }

    /// Comes in by plain HTTP, and gives the cookie.
    pub(crate) fn enter(&self) -> String {
        self.ui.enter()
    }
}

/// A running `lokid ui`; it does not outlive the test.
pub(crate) struct Ui {
    pub(crate) process: Daemon,
    pub(crate) address: String,
    pub(crate) port: u16,
    pub(crate) folder: String,
}

impl Ui {
    pub(crate) fn start(home: &Home) -> Ui {
        Ui::start_at(home, None)
    }

    pub(crate) fn start_at(home: &Home, port: Option<&str>) -> Ui {
        let mut command = home.command(&["ui", "--no-browser", "--json"]);
        if let Some(port) = port {
            command.args(["--port", port]);
        }
        let mut process = Daemon::start(command);
        let told: Value = serde_json::from_str(&process.out.wait_for("address")).unwrap();
        let (address, port) = (told["address"].as_str().unwrap().to_owned(), told["port"].as_u64().unwrap());
        let folder = url::Url::parse(&address).unwrap().path().strip_suffix("/enter").unwrap().to_owned();
        Ui { process, address, port: port.try_into().unwrap(), folder }
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The way in, as a browser would ask for it.
    pub(crate) fn entrance(&self) -> &str {
        self.address.strip_prefix(&self.origin()).unwrap()
    }

    #[track_caller]
    pub(crate) fn enter(&self) -> String {
        let answer = self.get(self.entrance(), &[]);
        let cookie = answer.header("set-cookie").unwrap_or_else(|| panic!("{answer:?}"));
        cookie.split(';').next().unwrap().to_owned()
    }

    pub(crate) fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.ask("GET", path, headers, "")
    }

    /// A form as the page itself would send it.
    pub(crate) fn act(&self, path: &str, cookie: &str, fields: &[(&str, &str)]) -> Answer {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let form = ("Content-Type", "application/x-www-form-urlencoded");
        self.ask("POST", path, &[("Cookie", cookie), ("Origin", &self.origin()), form], &body)
    }

    /// `Host` is the page's own unless another is given.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            request.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        headers.iter().for_each(|(name, value)| request.push_str(&format!("{name}: {value}\r\n")));
        self.send(format!("{request}\r\n{body}").as_bytes())
    }

    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).unwrap()
    }

    /// Bytes as they are, and all that comes back; an answer may come before the last of them was taken, and a stream
    /// never ends.
    pub(crate) fn send(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        let mut reader = stream.try_clone().unwrap();
        reader.set_read_timeout(Some(PATIENCE)).unwrap();
        let told = std::thread::spawn(move || {
            let mut told = Vec::new();
            let _cut_off = reader.read_to_end(&mut told);
            told
        });
        let _not_taken = stream.write_all(bytes);
        Answer::read(&told.join().unwrap())
    }
}

#[derive(Debug)]
pub(crate) struct Answer {
    /// 0 when the connection was closed without a word.
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    fn read(bytes: &[u8]) -> Answer {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or_default();
        let pair = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        Answer { status, headers: lines.filter_map(pair).collect(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, wanted: &str) -> Option<&str> {
        self.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }

    /// Turned away, without a word of the page.
    #[track_caller]
    pub(crate) fn is_refused(&self) {
        assert!([403, 421].contains(&self.status), "{self:?}");
        let tells = ["data-folder", "page.js", "token", "memories"].iter().any(|word| self.body.contains(word));
        assert!(!tells && self.header("set-cookie").is_none(), "{self:?}");
    }
}

/// Every screen, by its path below the project.
pub(crate) const SCREENS: &[&str] = &["said", "inbox", "memories", "files", "nights", "worth"];

/// A note for the daemon to keep.
pub(crate) fn note(text: &str) -> Value {
    json!({"kind": "note", "text": text})
}
