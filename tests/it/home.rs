//! A home of its own for the program under test, its daemon, and what was said.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use lokid::serve::{Client, Request};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

const DEADLINE: Duration = Duration::from_secs(60);
/// Of a hook, in milliseconds.
pub(crate) const PATIENT: &str = "20000";

/// A home directory and the repositories in it.
pub(crate) struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new() -> Home {
        let home = Home { dir: tempfile::tempdir().unwrap() };
        for dir in ["home", "config/lokid", "state", "cache", "data"] {
            std::fs::create_dir_all(home.path(dir)).unwrap();
        }
        std::fs::create_dir(home.path("run")).unwrap();
        home.repository("app");
        home
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(inside)
    }

    pub(crate) fn repository(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        crate::repo::new(&path, "first");
        path
    }

    pub(crate) fn configure(&self, text: &str) {
        std::fs::write(self.path("config/lokid/config.toml"), text).unwrap();
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path("run/lokid/lokid.sock")
    }

    /// The program in the repository `app`, seeing nothing of the real user.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(env!("CARGO_BIN_EXE_lokid"), arguments)
    }

    pub(crate) fn command_of(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.path("app")).env_clear().env("HOME", self.path("home"));
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        for (name, dir) in [("CONFIG", "config"), ("STATE", "state"), ("CACHE", "cache"), ("DATA", "data")] {
            command.env(format!("XDG_{name}_HOME"), self.path(dir));
        }
        command.env("XDG_RUNTIME_DIR", self.path("run")).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Told {
        Told::new(arguments, self.command(arguments).output().unwrap())
    }

    pub(crate) fn run_with(&self, arguments: &[&str], input: &str) -> Told {
        self.feed(self.command(arguments), arguments, input)
    }

    /// A hook that has time; how it keeps to its own is tried where hooks are.
    pub(crate) fn hook(&self, arguments: &[&str], input: &str) -> Told {
        let arguments = [&["hook"], arguments].concat();
        let mut command = self.command(&arguments);
        command.env("LOKID_HOOK_DEADLINE_MS", PATIENT);
        self.feed(command, &arguments, input)
    }

    fn feed(&self, mut command: Command, arguments: &[&str], input: &str) -> Told {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Told::new(arguments, child.wait_with_output().unwrap())
    }

    /// A daemon that watches `app` and has said so.
    pub(crate) fn daemon(&self) -> Daemon {
        crate::instances::wait_until_some_are_free();
        let mut daemon = Daemon::start(self.command(&["run"]));
        daemon.out.wait_for("watching ");
        daemon.out.wait_for(" memor");
        daemon
    }

    /// Another day has come, while no daemon runs: what was last seen was seen the day before.
    pub(crate) fn next_day(&self) {
        let projects = std::fs::read_dir(self.path("state/lokid/projects")).unwrap().flatten();
        let book = projects.map(|project| project.path().join("usage.json")).find(|path| path.exists()).unwrap();
        let mut counts: Value = serde_json::from_slice(&std::fs::read(&book).unwrap()).unwrap();
        for rows in counts.as_object_mut().unwrap().values_mut() {
            for row in rows.as_object_mut().unwrap().values_mut() {
                row[9] = (row[9].as_i64().unwrap() - 1).into();
            }
        }
        std::fs::write(book, counts.to_string()).unwrap();
    }

    pub(crate) fn remember(&self, text: &str) -> String {
        let told = self.run(&["remember", text]).succeeded();
        told.out.trim().strip_prefix("remembered ").unwrap_or_else(|| panic!("{told:?}")).to_owned()
    }
}

/// What a command said and how it ended.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) what: String,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: Option<i32>,
}

impl Told {
    pub(crate) fn new(arguments: &[&str], output: Output) -> Told {
        Told {
            what: arguments.join(" "),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code(),
        }
    }

    #[track_caller]
    pub(crate) fn exited(self, code: i32) -> Told {
        assert_eq!(self.code, Some(code), "lokid {}: {self:#?}", self.what);
        self
    }

    #[track_caller]
    pub(crate) fn succeeded(self) -> Told {
        self.exited(0)
    }

    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Told {
        assert!(self.out.contains(text) || self.err.contains(text), "{text:?} is missing in {self:#?}");
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in {self:#?}"))
    }
}

/// The lines of a stream as they come.
pub(crate) struct Lines {
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Lines {
    pub(crate) fn of(stream: impl Read + Send + 'static) -> Lines {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Lines { lines, seen: Vec::new() }
    }

    /// The next line, if it comes within a moment.
    pub(crate) fn next(&mut self) -> Option<String> {
        self.lines.recv_timeout(Duration::from_millis(50)).ok()
    }

    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) -> String {
        let deadline = Instant::now() + DEADLINE;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) if line.contains(text) => return line,
                Ok(line) => self.seen.push(line),
                Err(_) => panic!("{text:?} never came; seen: {:#?}", self.seen),
            }
        }
    }
}

/// A running `lokid run`; it does not outlive the test.
pub(crate) struct Daemon {
    pub(crate) child: Child,
    pub(crate) out: Lines,
    pub(crate) err: Lines,
}

impl Daemon {
    pub(crate) fn start(mut command: Command) -> Daemon {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (Lines::of(child.stdout.take().unwrap()), Lines::of(child.stderr.take().unwrap()));
        Daemon { child, out, err }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// How it ended and how long that took.
    pub(crate) fn ended(&mut self) -> (Option<i32>, Duration) {
        let start = Instant::now();
        let status = eventually_some(|| self.child.try_wait().unwrap());
        (status.code(), start.elapsed())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks again until there is an answer; for what gives no line to wait for.
#[track_caller]
pub(crate) fn eventually_some<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + DEADLINE;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < deadline, "it never came");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// Of the daemon; more patient than any answer is slow, a night's too.
pub(crate) fn client(home: &Home) -> Client {
    Client::new(home.socket()).patience(Duration::from_secs(120))
}

#[track_caller]
pub(crate) fn post(home: &Home, path: &str, body: &Value) -> Value {
    let (client, request) = (client(home), Request::post(path, body));
    // An index that is still being opened is no answer.
    let answer = eventually_some(|| Some(client.send(&request).unwrap()).filter(|answer| answer.status != 503));
    assert!(answer.is_success(), "{path} {body}: {}", answer.text());
    answer.json().unwrap_or_default()
}

#[track_caller]
pub(crate) fn get(home: &Home, path: &str) -> Value {
    let answer = client(home).send(&Request::get(path)).unwrap();
    assert!(answer.is_success(), "{path}: {}", answer.text());
    answer.json().unwrap()
}
