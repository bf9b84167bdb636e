//! What a project is told of a happening: signals, citations, and what tells it from other happenings. This is also
//! all that is kept of one that nobody heard: its line in the spool, every text of it redacted.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value, json};

use super::heard::Mark;
use super::payload::{Happening, What, cut};
use lokid_encode::transcript::Happened;
use lokid_engine::Overheard;
use lokid_model::citation;
use lokid_model::{Signal, SignalKind, Timestamp};

/// In bytes.
const LONGEST_GOAL: usize = 2_000;
const LONGEST_ERROR: usize = 4 << 10;
const LONGEST_ANSWER: usize = 8 << 10;
/// Of a line of the spool.
const VERSION: u64 = 1;

#[derive(Clone, Debug, PartialEq)]
pub(in crate::serve) struct Told {
    pub(super) at: Timestamp,
    pub(super) agent: String,
    pub(super) session: String,
    pub(super) cwd: Option<PathBuf>,
    pub(super) mark: Mark,
    pub(super) signals: Vec<Said>,
    /// What an answer cited; nothing when there was no answer.
    pub(super) cited: Option<Vec<String>>,
    /// Output that may tell of a failure.
    pub(super) doubtful: Option<String>,
    pub(super) compacted: bool,
    /// Where the agent writes down the session.
    pub(super) transcript: Option<PathBuf>,
    /// The command that was run, and the agent's last words: told where no transcript tells them.
    pub(super) command: Option<String>,
    pub(super) answer: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said {
    pub(super) kind: SignalKind,
    pub(super) path: Option<String>,
    pub(super) text: Option<String>,
    pub(super) goal: Option<String>,
    /// Of a subagent, which works beside its session.
    pub(super) within: Option<String>,
}

impl Said {
    fn new(kind: SignalKind) -> Said {
        Said { kind, path: None, text: None, goal: None, within: None }
    }
}

impl Told {
    /// Nothing for what means nothing here.
    pub(in crate::serve) fn of(happening: &Happening, at: Timestamp) -> Option<Told> {
        let mut told = Told {
            at,
            agent: happening.agent.as_str().to_owned(),
            session: happening.session.clone(),
            cwd: happening.cwd.clone(),
            mark: mark(happening),
            signals: Vec::new(),
            cited: None,
            doubtful: None,
            compacted: false,
            transcript: happening.transcript.clone(),
            command: None,
            answer: None,
        };
        let heard = |text: &str, most: usize| happening.transcript.is_none().then(|| cut(text, most));
        let absolute = |path: &String| absolute(happening.cwd.as_deref(), path);
        let about = |kind: SignalKind, path: &String| Said { path: Some(absolute(path)), ..Said::new(kind) };
        match &happening.event {
            What::Nothing => return None,
            What::SessionStart { after_compaction, .. } => {
                told.compacted = *after_compaction;
                told.signals.push(Said::new(SignalKind::SessionStart));
            }
            What::Prompt(prompt) => {
                // A command to the agent is no goal.
                let goal = Some(prompt.trim()).filter(|goal| !goal.is_empty() && !goal.starts_with('/'));
                let goal = goal.map(|goal| goal[..goal.floor_char_boundary(LONGEST_GOAL)].to_owned());
                told.signals.extend(goal.map(|goal| Said { goal: Some(goal), ..Said::new(SignalKind::TaskStart) }));
            }
            What::Before(deeds) => {
                let files = deeds.opened.iter().chain(&deeds.edited);
                told.signals.extend(files.map(|path| about(SignalKind::FileOpened, path)));
            }
            What::After { deeds, doubtful } => {
                told.signals.extend(deeds.edited.iter().map(|path| about(SignalKind::FileEdited, path)));
                told.doubtful = doubtful.as_deref().map(|text| cut(text, LONGEST_ERROR));
                told.command = deeds.command.as_deref().and_then(|command| heard(command, LONGEST_GOAL));
            }
            What::Failed { deeds, error } => {
                let path = deeds.files().first().map(absolute);
                let text = Some(cut(error, LONGEST_ERROR)).filter(|text| !text.trim().is_empty());
                told.signals.push(Said { path, text, ..Said::new(SignalKind::Error) });
                told.command = deeds.command.as_deref().and_then(|command| heard(command, LONGEST_GOAL));
            }
            What::Answered { message, is_done, subagent } => {
                told.cited = Some(citation::cited(message).into_iter().map(citation::Cited::into_name).collect());
                if subagent.is_none() {
                    told.answer = heard(message, LONGEST_ANSWER);
                }
                if *is_done {
                    let within = subagent.clone();
                    told.signals.push(Said { within, ..Said::new(SignalKind::TaskComplete) });
                }
            }
            What::Compaction => told.compacted = true,
            What::SessionEnd => told.signals.push(Said::new(SignalKind::SessionEnd)),
        }
        Some(told)
    }

    /// Does it tell the project anything?
    pub(super) fn is_empty(&self) -> bool {
        self.signals.is_empty()
            && self.cited.is_none()
            && self.doubtful.is_none()
            && !self.compacted
            && self.command.is_none()
    }

    pub(super) fn signal(&self, said: &Said) -> Signal {
        let session = match &said.within {
            Some(subagent) => format!("{}#{subagent}", self.session),
            None => self.session.clone(),
        };
        Signal {
            path: said.path.clone(),
            text: said.text.clone(),
            goal: said.goal.clone(),
            session: Some(session).filter(|_| !self.session.is_empty()),
            agent: Some(self.agent.clone()),
            ..Signal::new(self.at, said.kind)
        }
    }

    /// What became known of the session, for the episode it will be.
    pub(super) fn news(&self, doubtful_failed: bool) -> Overheard {
        let mut happened: Vec<Happened> = Vec::new();
        let mut failed = doubtful_failed.then(|| self.doubtful.clone().unwrap_or_default());
        for said in self.signals.iter().filter(|said| said.within.is_none()) {
            match (said.kind, &said.path, &said.goal) {
                (SignalKind::TaskStart, _, Some(goal)) => {
                    happened.push(Happened::Asked { words: goal.clone(), id: self.mark.name() });
                }
                (SignalKind::FileOpened, Some(path), _) => happened.push(Happened::Read(path.clone())),
                (SignalKind::FileEdited, Some(path), _) => happened.push(Happened::Edited(path.clone())),
                (SignalKind::Error, ..) => failed = said.text.clone().or(failed),
                (SignalKind::SessionEnd, ..) => happened.push(Happened::Ended),
                _ => {}
            }
        }
        if let Some(command) = self.command.clone() {
            let (output, failed) = (failed.clone().unwrap_or_default(), failed.is_some());
            happened.push(Happened::Ran { command, output, failed });
        }
        let is_done = |said: &Said| said.kind == SignalKind::TaskComplete && said.within.is_none();
        if self.answer.is_some() || self.signals.iter().any(is_done) {
            happened.push(Happened::Answered(self.answer.clone().unwrap_or_default()));
        }
        let (agent, session, transcript) = (self.agent.clone(), self.session.clone(), self.transcript.clone());
        Overheard { agent, session, transcript, at: self.at, happened, staged: None }
    }

    /// One line for the spool. Nothing that is text leaves unread by `redact`.
    pub(super) fn line(&self, redact: &dyn Fn(&str) -> String) -> String {
        let mut line = Map::new();
        let mut put = |name: &str, value: Value| {
            if !matches!(&value, Value::Null) {
                line.insert(name.to_owned(), value);
            }
        };
        let clean = |text: &Option<String>| text.as_deref().map(redact);
        put("v", VERSION.into());
        put("at", self.at.as_micros().into());
        put("agent", self.agent.clone().into());
        put("session", redact(&self.session).into());
        put("cwd", self.cwd.as_ref().and_then(|cwd| cwd.to_str()).map(redact).into());
        put("mark", self.mark.name().into());
        let signal = |said: &Said| {
            let all = [
                ("type", Some(said.kind.as_str().to_owned())),
                ("path", clean(&said.path)),
                ("text", clean(&said.text)),
                ("goal", clean(&said.goal)),
                ("within", clean(&said.within)),
            ];
            let told = all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), Value::String(value?))));
            Value::Object(told.collect())
        };
        put("signals", self.signals.iter().map(signal).collect());
        let cited = self.cited.as_ref().map(|cited| cited.iter().map(|name| redact(name)).collect::<Vec<_>>());
        put("cited", cited.map_or(Value::Null, |cited| json!(cited)));
        put("doubtful", clean(&self.doubtful).into());
        put("compacted", if self.compacted { true.into() } else { Value::Null });
        put("transcript", self.transcript.as_ref().and_then(|path| path.to_str()).into());
        put("command", clean(&self.command).into());
        put("answer", clean(&self.answer).into());
        Value::Object(line).to_string()
    }

    /// A line that is torn, or of another version, is nothing.
    pub(super) fn from_line(line: &str) -> Option<Told> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        if value.get("v").and_then(Value::as_u64) != Some(VERSION) {
            return None;
        }
        let said = |value: &Value| {
            Some(Said {
                kind: SignalKind::parse(value.get("type")?.as_str()?)?,
                path: text(value, "path"),
                text: text(value, "text"),
                goal: text(value, "goal"),
                within: text(value, "within"),
            })
        };
        let list = |name: &str| value.get(name).and_then(Value::as_array);
        Some(Told {
            at: Timestamp::from_micros(value.get("at")?.as_i64()?),
            agent: text(&value, "agent").unwrap_or_default(),
            session: text(&value, "session").unwrap_or_default(),
            cwd: text(&value, "cwd").map(PathBuf::from),
            mark: Mark::parse(value.get("mark")?.as_str()?)?,
            signals: list("signals").into_iter().flatten().filter_map(said).collect(),
            cited: list("cited").map(|all| all.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect()),
            doubtful: text(&value, "doubtful"),
            compacted: value.get("compacted").and_then(Value::as_bool) == Some(true),
            transcript: text(&value, "transcript").map(PathBuf::from),
            command: text(&value, "command"),
            answer: text(&value, "answer"),
        })
    }
}

/// Two deliveries of one event are told by what they are about, never by when they arrive.
fn mark(happening: &Happening) -> Mark {
    let (kind, content) = match &happening.event {
        What::SessionStart { source, .. } => ("start", source.clone()),
        What::Prompt(prompt) => ("prompt", prompt.clone()),
        What::Before(deeds) => ("before", format!("{deeds:?}")),
        What::After { deeds, .. } => ("after", format!("{deeds:?}")),
        What::Failed { deeds, .. } => ("after", format!("{deeds:?}")),
        What::Answered { message, is_done, subagent } => ("answered", format!("{is_done} {subagent:?} {message}")),
        What::Compaction => ("compaction", String::new()),
        What::SessionEnd => ("end", String::new()),
        What::Nothing => ("nothing", String::new()),
    };
    let numbered = !happening.call.is_empty() || !happening.turn.is_empty();
    Mark::of(&[&happening.session, kind, &happening.turn, &happening.call, &content], numbered)
}

/// A path as it stands on the disk, as far as words can tell.
fn absolute(cwd: Option<&Path>, path: &str) -> String {
    let Some(cwd) = cwd.filter(|_| !path.starts_with('/') && !path.starts_with('~')) else { return path.to_owned() };
    let mut whole = PathBuf::new();
    for part in cwd.join(path).components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            Component::CurDir => {}
            part => whole.push(part),
        }
    }
    whole.to_str().unwrap_or(path).to_owned()
}
