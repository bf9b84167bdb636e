//! The programs that keep services: what they are asked to do, and whether they can be asked at all.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::hooks::quote;
use super::super::screen::Screen;
use lokid_sys::child::{self, ChildLimits};
use lokid_sys::process;

/// A daemon that is stopped may have to write first.
const LIMITS: ChildLimits = ChildLimits { time: Duration::from_secs(90), output: 1 << 16 };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Manager {
    Systemd,
    Launchd,
}

impl Manager {
    pub(in crate::cli) const WORDS: [&'static str; 2] = ["systemd", "launchd"];

    pub(in crate::cli) fn own() -> Manager {
        if cfg!(target_os = "macos") { Manager::Launchd } else { Manager::Systemd }
    }

    pub(super) fn from_word(word: &str) -> Option<Manager> {
        [Manager::Systemd, Manager::Launchd].into_iter().find(|manager| manager.word() == word)
    }

    pub(in crate::cli) fn word(self) -> &'static str {
        Manager::WORDS[self as usize]
    }

    /// Does it answer to this user, here and now? Over a bare `su` or in a container it may not.
    pub(super) fn is_reachable(self) -> bool {
        let question = match self {
            Manager::Systemd => vec!["systemctl", "--user", "show", "--property=Version"],
            Manager::Launchd => vec!["launchctl", "version"],
        };
        ask(&question.into_iter().map(str::to_owned).collect::<Vec<_>>()).is_some_and(|answer| !answer.is_empty())
    }

    /// Reads the files again, if that is something it has to be told.
    pub(super) fn reload(self) -> Option<Vec<String>> {
        (self == Manager::Systemd).then(|| systemctl(&["daemon-reload"], &[]))
    }

    /// From now on and now.
    pub(super) fn enable(self, names: &[String], paths: &[String]) -> Vec<Vec<String>> {
        match self {
            Manager::Systemd => vec![systemctl(&["enable", "--now"], names)],
            Manager::Launchd => paths.iter().map(|path| launchctl("bootstrap", &domain(), Some(path))).collect(),
        }
    }

    pub(super) fn disable(self, names: &[String]) -> Vec<Vec<String>> {
        match self {
            Manager::Systemd => vec![systemctl(&["disable", "--now"], names)],
            Manager::Launchd => {
                names.iter().map(|label| launchctl("bootout", &format!("{}/{label}", domain()), None)).collect()
            }
        }
    }

    /// So that changed files count. Where the socket itself changes, both have to go first.
    pub(super) fn stop(self, names: &[String]) -> Vec<Vec<String>> {
        match self {
            Manager::Systemd => vec![systemctl(&["stop"], names)],
            Manager::Launchd => self.disable(names),
        }
    }

    /// Is this agent known to it?
    pub(super) fn has(self, label: &str) -> bool {
        ask(&launchctl("print", &format!("{}/{label}", domain()), None)).is_some()
    }

    pub(super) fn restart(self, name: &str) -> Option<Vec<String>> {
        (self == Manager::Systemd).then(|| systemctl(&["restart", name], &[]))
    }
}

pub(super) fn systemctl(verb: &[&str], names: &[String]) -> Vec<String> {
    ["systemctl", "--user"].iter().chain(verb).map(|word| (*word).to_owned()).chain(names.iter().cloned()).collect()
}

fn launchctl(verb: &str, domain: &str, path: Option<&str>) -> Vec<String> {
    ["launchctl", verb, domain].into_iter().chain(path).map(str::to_owned).collect()
}

fn domain() -> String {
    format!("gui/{}", process::uid())
}

/// What a program says, if it can be run and ends well.
pub(super) fn ask(argv: &[String]) -> Option<String> {
    let answer = child::run(argv, b"", LIMITS, &|| false).ok()?;
    String::from_utf8(answer).ok()
}

/// Commands in the order they were given, and what became of each.
pub(super) struct Steps {
    reachable: bool,
    all: Vec<(Vec<String>, Result<(), String>)>,
}

impl Steps {
    /// Where nobody can be asked, everything is left to the user.
    pub(super) fn new(reachable: bool) -> Steps {
        Steps { reachable, all: Vec::new() }
    }

    /// Tells whether it was done. Once one has failed the rest is left to the user, too.
    pub(super) fn take(&mut self, argv: Vec<String>) -> bool {
        let done = if !self.reachable {
            Err("no manager can be asked here".to_owned())
        } else if self.failed() {
            Err("not tried".to_owned())
        } else {
            child::run(&argv, b"", LIMITS, &|| false).map(drop).map_err(|error| error.to_string())
        };
        let is_done = done.is_ok();
        self.all.push((argv, done));
        is_done
    }

    pub(super) fn take_all(&mut self, commands: impl IntoIterator<Item = Vec<String>>) {
        for argv in commands {
            self.take(argv);
        }
    }

    pub(super) fn reachable(&self) -> bool {
        self.reachable
    }

    /// One that may fail without consequences: what it asks for may be so already.
    pub(super) fn try_to(&mut self, argv: Vec<String>) {
        if self.reachable && !self.failed() {
            let _ = child::run(&argv, b"", LIMITS, &|| false);
        }
    }

    pub(super) fn failed(&self) -> bool {
        self.all.iter().any(|(_, done)| done.is_err())
    }

    pub(super) fn json(&self) -> Value {
        let step = |(argv, done): &(Vec<String>, Result<(), String>)| json!({"command": argv, "done": done.is_ok(), "problem": done.as_ref().err()});
        self.all.iter().map(step).collect()
    }

    /// What was done, and what is left to do.
    pub(super) fn tell(&self, screen: &mut Screen) {
        for (argv, done) in &self.all {
            match done {
                Ok(()) => screen.note(format!("ran: {}", line(argv))),
                Err(why) if self.reachable => screen.warn(format!("{why}: {}", line(argv))),
                Err(_) => {}
            }
        }
        if !self.reachable && !self.all.is_empty() {
            screen.warn("no service manager of yours can be reached from here; where one can, run:");
            for (argv, _) in &self.all {
                screen.warn(format!("  {}", line(argv)));
            }
        }
    }
}

/// As a shell would read it.
fn line(argv: &[String]) -> String {
    argv.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_words_and_never_a_shells() {
        let names = [r"lokid-night@a\x20b.timer".to_owned()];
        let enable = Manager::Systemd.enable(&names, &[]);
        assert_eq!(enable, [["systemctl", "--user", "enable", "--now", r"lokid-night@a\x20b.timer"]]);
        assert_eq!(line(&enable[0]), r"systemctl --user enable --now 'lokid-night@a\x20b.timer'");
        let bootstrap = Manager::Launchd.enable(&[], &["/Users/a b/x.plist".to_owned()]);
        assert_eq!(bootstrap[0][1..3], ["bootstrap".to_owned(), domain()]);
        assert_eq!(bootstrap[0][3], "/Users/a b/x.plist");
    }

    #[test]
    fn nothing_is_run_where_nobody_can_be_asked_or_after_a_failure() {
        let mut steps = Steps::new(false);
        steps.take(vec!["/nowhere/at-all".into()]);
        assert!(steps.failed());
        let mut steps = Steps::new(true);
        steps.take(vec!["/bin/sh".into(), "-c".into(), "exit 0".into()]);
        assert!(!steps.failed());
        steps.take(vec!["/bin/sh".into(), "-c".into(), "exit 3".into()]);
        steps.take(vec!["/bin/sh".into(), "-c".into(), "exit 0".into()]);
        let told = steps.json();
        assert_eq!(told[1]["problem"], "ended with exit status: 3");
        assert_eq!(told[2]["problem"], "not tried");
    }
}
