//! `lokid hook EVENT`: an agent's event to the daemon, and what the agent should know to the standard output.
//!
//! It runs at every step of an agent, so it comes before the parser, the configuration and the log, and it never
//! fails, never speaks out of turn and never makes the agent wait: whatever happens, it exits with 0 and prints a JSON
//! object or nothing.

use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::args::{Global, Hook};
use super::screen;
use crate::serve::hook::{self, Agent, Event, Outcome};
use lokid_config::{Config, RedactConfig};
use lokid_encode::redact::{Redactor, Rule};
use lokid_sys::{Clock, Dirs, env, plain, stdin, thread};

/// Unless the configuration or the environment says otherwise, as `config.example.toml` has it.
const DEADLINE: Duration = Duration::from_millis(50);
const LONGEST_DEADLINE: u64 = 60_000;
/// This part of the deadline is left for writing down what nobody heard.
const TO_WRITE_DOWN: u32 = 5;
/// A longer input is nothing an agent says.
const MOST_INPUT: usize = 32 << 20;
const MOST_CONFIG: u64 = 1 << 20;

/// What was typed, read without the parser.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Asked {
    event: String,
    agent: String,
    socket: Option<PathBuf>,
    config: Option<PathBuf>,
}

impl Asked {
    /// Nothing when it is not `lokid hook …`, or asks for help.
    pub(super) fn read(arguments: &[OsString]) -> Option<Asked> {
        let is_hook = arguments.get(1)? == "hook";
        let asks_for_help = arguments.iter().any(|argument| argument == "-h" || argument == "--help");
        (is_hook && !asks_for_help).then(|| Asked::of(arguments[2..].iter().cloned()))
    }

    /// What stands behind `lokid hook`.
    pub(super) fn of(mut rest: impl Iterator<Item = OsString>) -> Asked {
        let mut asked = Asked::default();
        while let Some(argument) = rest.next() {
            let text = argument.to_string_lossy();
            let Some(option) = text.strip_prefix("--") else {
                // Flags such as -q change nothing here.
                if asked.event.is_empty() && !text.starts_with('-') {
                    asked.event = text.into_owned();
                }
                continue;
            };
            let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
            let mut value = || value.map(OsString::from).or_else(|| rest.next()).unwrap_or_default();
            match name {
                "agent" => asked.agent = value().to_string_lossy().into_owned(),
                "socket" => asked.socket = Some(value().into()),
                "config" => asked.config = Some(value().into()),
                "project" => drop(value()),
                _ => {}
            }
        }
        asked
    }

    pub(super) fn typed(hook: &Hook, global: &Global) -> Asked {
        Asked {
            event: hook.event.clone().unwrap_or_default(),
            agent: hook.agent.clone().unwrap_or_default(),
            socket: global.socket.clone(),
            config: global.config.clone(),
        }
    }
}

pub(super) fn run(asked: &Asked) -> ExitCode {
    let wants_words = env::var("LOKID_HOOK_DEBUG").is_some_and(|value| !value.is_empty() && value != "0");
    if !wants_words {
        panic::set_hook(Box::new(|_| {}));
    }
    let done = panic::catch_unwind(AssertUnwindSafe(|| attempt(asked)));
    if wants_words {
        let words = done.unwrap_or_else(|_| "panicked".to_owned());
        screen::remark(&format!("lokid hook {}: {words}", asked.event));
    }
    ExitCode::SUCCESS
}

/// What is configured and matters here.
struct Setting {
    socket: PathBuf,
    state: PathBuf,
    deadline: Duration,
    /// Nothing when the configuration cannot be read: then no text is kept either.
    redact: Option<RedactConfig>,
}

/// Answers with what was done, for whoever wants to know.
fn attempt(asked: &Asked) -> String {
    if env::var("LOKID_HOOK").is_some_and(|value| value == "off") {
        return "switched off by LOKID_HOOK".to_owned();
    }
    let clock = Clock::system();
    let started = clock.monotonic();
    let setting = match setting(asked) {
        Ok(setting) => setting,
        Err(why) => return why,
    };
    let deadline = setting.deadline;
    let is_answering = keep_to(deadline, &clock, started);
    let left = |keep: Duration| {
        let passed = clock.monotonic().saturating_duration_since(started);
        deadline.saturating_sub(passed).saturating_sub(keep)
    };
    let agent = match asked.agent.as_str() {
        "" => None,
        name => match Agent::parse(name) {
            Some(agent) => Some(agent),
            None => return format!("there is no agent {name:?}"),
        },
    };
    let at = clock.now();
    let input = match stdin::all(MOST_INPUT) {
        Ok(Some(input)) => input,
        Ok(None) => return format!("more than {MOST_INPUT} bytes on the standard input"),
        Err(error) => return format!("cannot read the standard input: {error}"),
    };
    let event = Event::new(agent, &asked.event, at, env::current_dir().ok(), input);
    let keep = deadline / TO_WRITE_DOWN;
    match hook::ask(&setting.socket, &event, &|| left(keep)) {
        Outcome::Answer(answer) => {
            is_answering.store(true, Ordering::SeqCst);
            match screen::answer(&answer) {
                Ok(()) => format!("answered with {} bytes", answer.len()),
                Err(error) => format!("nobody reads the answer: {error}"),
            }
        }
        Outcome::Silence => "heard; nothing to say".to_owned(),
        Outcome::Refused(why) => format!("refused: {why}"),
        Outcome::Away(why) => format!("{why}; {}", write_down(&event, &setting)),
    }
}

/// A thread that ends the process when the time is up, whatever it waits for then: an input that never ends, a disk that
/// hangs. While the answer is being written it looks on.
fn keep_to(deadline: Duration, clock: &Clock, started: Instant) -> Arc<AtomicBool> {
    let is_answering = Arc::new(AtomicBool::new(false));
    let (seen, clock) = (Arc::clone(&is_answering), clock.clone());
    // Without it the deadline still holds for the daemon.
    let _ = thread::spawn("deadline", move || {
        thread::pause(deadline.saturating_sub(clock.monotonic().saturating_duration_since(started)));
        if !seen.load(Ordering::SeqCst) {
            std::process::exit(0);
        }
    });
    is_answering
}

fn told_deadline() -> Option<Duration> {
    let told = env::var("LOKID_HOOK_DEADLINE_MS").and_then(|text| text.trim().parse::<u64>().ok());
    told.map(|told| Duration::from_millis(told.clamp(1, LONGEST_DEADLINE)))
}

fn setting(asked: &Asked) -> Result<Setting, String> {
    let dirs = Dirs::from_env().map_err(|error| error.to_string())?;
    let file = asked.config.clone().unwrap_or_else(|| dirs.config.join("config.toml"));
    let text = plain::read_text(&file, MOST_CONFIG).ok().flatten().unwrap_or_default();
    let (mut configured, mut deadline) = (None, DEADLINE);
    let mut redact = Some(RedactConfig::default());
    // Reading all of it takes longer than everything else here, and mostly there is nothing in it for us.
    if concerns_us(&text) {
        let config = Config::parse(&text).ok();
        configured = config.as_ref().and_then(|config| config.server.socket.clone());
        deadline = config.as_ref().map_or(DEADLINE, |config| config.hook.deadline);
        redact = config.map(|config| config.redact);
    }
    let typed = asked.socket.clone().or_else(|| env::var_path("LOKID_SOCKET"));
    let typed = typed.map(|path| std::path::absolute(&path).unwrap_or(path));
    let socket = typed.or(configured).unwrap_or_else(|| dirs.default_socket());
    Ok(Setting { socket, state: dirs.state, deadline: told_deadline().unwrap_or(deadline), redact })
}

fn concerns_us(config: &str) -> bool {
    let ours = |line: &str| ["socket", "hook", "redact"].iter().any(|word| line.contains(word));
    config.lines().any(|line| !line.trim_start().starts_with('#') && ours(line))
}

/// Secrets are taken out here, before anything touches the disk.
fn write_down(event: &Event, setting: &Setting) -> String {
    let Some(redact) = &setting.redact else { return "not written down: the configuration cannot be read".to_owned() };
    let rule = |(name, pattern): &(String, String)| Rule { name: name.clone(), pattern: pattern.clone() };
    let rules: Vec<Rule> = redact.rules.iter().map(rule).collect();
    let redactor = match Redactor::brief(&rules, &redact.allow) {
        Ok(redactor) => redactor,
        Err(error) => return format!("not written down: {error}"),
    };
    let clean = |text: &str| redactor.redact(text).text.into_owned();
    match hook::waiting(event, &clean).map(|line| append(&setting.state, &line)) {
        None => "nothing to write down".to_owned(),
        Some(Ok(())) => "written down for later".to_owned(),
        Some(Err(error)) => format!("cannot be written down: {error}"),
    }
}

fn append(state: &Path, line: &str) -> std::io::Result<()> {
    hook::spool(state).append(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<Asked> {
        Asked::read(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn an_event_is_found_wherever_the_options_stand() {
        let expect = Asked { event: "Stop".into(), agent: "codex".into(), ..Asked::default() };
        for line in [
            "lokid hook --agent codex Stop",
            "lokid hook Stop --agent=codex",
            "lokid hook -q Stop --agent codex --json",
        ] {
            assert_eq!(read(line), Some(expect.clone()), "{line}");
        }
        let socket = read("lokid hook --socket /x.sock SessionStart").unwrap();
        assert_eq!((socket.socket.as_deref(), socket.event.as_str()), (Some(Path::new("/x.sock")), "SessionStart"));
    }

    #[test]
    fn help_and_other_commands_go_to_the_parser() {
        for line in ["lokid", "lokid run", "lokid hook --help", "lokid hook Stop -h", "lokid hooks install"] {
            assert_eq!(read(line), None, "{line}");
        }
        assert_eq!(read("lokid hook"), Some(Asked::default()));
        assert_eq!(read("lokid hook --agent"), Some(Asked::default()));
    }

    #[test]
    fn only_a_configuration_with_something_for_us_is_read() {
        assert!(!concerns_us("# socket = \"x\"\n[log]\nlevel = \"info\"\n"));
        assert!(concerns_us("[server]\nsocket = \"/x\"\n"));
        assert!(concerns_us("redact.allow = [\"x\"]"));
        assert!(!concerns_us(""));
    }
}
