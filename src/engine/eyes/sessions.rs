//! Sessions of agents that hooks tell of, and the episodes they become: from the transcript that the agent names, else
//! from what was heard. A session is read when the agent has answered, when it ends and when it falls silent; read
//! again, it is told under the same ids, so nothing is kept twice.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::Looker;
use crate::encode::own_words::without_own_words;
use crate::encode::transcript::{Happened, Transcript};
use crate::model::{Draft, Timestamp};
use crate::sys::plain;

/// The agent may still be writing its last lines when it says that it is done.
const SETTLE: Duration = Duration::from_millis(1_000);
/// Without a word for so long, a session is read as it stands.
const SILENCE: Duration = Duration::from_secs(15 * 60);
const MOST_SESSIONS: usize = 64;
const LARGEST: u64 = 512 << 20;

/// What a hook told of a session.
#[derive(Clone, Debug)]
pub struct Overheard {
    pub agent: String,
    pub session: String,
    pub transcript: Option<PathBuf>,
    pub at: Timestamp,
    pub happened: Vec<Happened>,
}

#[derive(Default)]
pub(super) struct Sessions {
    open: BTreeMap<String, Open>,
}

struct Open {
    agent: String,
    transcript: Option<PathBuf>,
    heard: Transcript<'static>,
    due: Instant,
    /// Something was heard since it was read.
    has_news: bool,
    ended: bool,
}

impl Open {
    fn new(agent: &str, session: &str, root: &str, due: Instant) -> Open {
        // Transcripts call Claude Code by its whole name.
        let name = if agent == "claude" { "claude-code" } else { agent };
        let heard = Transcript::events(name, session, &without_own_words).rooted(root);
        Open { agent: agent.to_owned(), transcript: None, heard, due, has_news: true, ended: false }
    }

    fn drafts(&self, root: &str) -> Vec<Draft> {
        let written = self.transcript.as_deref().and_then(|path| read(path, &self.agent, root));
        written.filter(|drafts| !drafts.is_empty()).unwrap_or_else(|| self.heard.clone().finish())
    }
}

/// Nothing when the transcript is gone, or nobody here can read it.
fn read(path: &Path, agent: &str, root: &str) -> Option<Vec<Draft>> {
    let transcript = match agent {
        "claude" => Transcript::claude(&without_own_words),
        "codex" => Transcript::codex(&without_own_words),
        _ => return None,
    };
    let mut transcript = transcript.rooted(root);
    let mut reader = BufReader::new(plain::reader(path).ok()??.take(LARGEST));
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).ok()? > 0 {
        transcript.line(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Some(transcript.finish())
}

impl Sessions {
    pub(super) fn due(&self) -> Option<Instant> {
        self.open.values().map(|open| open.due).min()
    }

    /// Transcripts that were not read to their end, for the next start.
    pub(super) fn to_value(&self) -> Value {
        let rows = self.open.iter().filter(|(_, open)| open.has_news).filter_map(|(session, open)| {
            Some((session.clone(), json!([open.agent, open.transcript.as_ref()?.to_str()?])))
        });
        Value::Object(rows.collect::<Map<_, _>>())
    }

    pub(super) fn of_value(value: &Value, root: &str, now: Instant) -> Sessions {
        let mut sessions = Sessions::default();
        for (session, row) in value.as_object().into_iter().flatten().take(MOST_SESSIONS) {
            let text = |at: usize| row.get(at).and_then(Value::as_str);
            if let (Some(agent), Some(path)) = (text(0), text(1)) {
                let open = Open { transcript: Some(PathBuf::from(path)), ..Open::new(agent, session, root, now) };
                sessions.open.insert(session.clone(), open);
            }
        }
        sessions
    }
}

impl Looker {
    pub(super) fn overhear(&mut self, told: Overheard) {
        if self.muted || told.session.is_empty() {
            return;
        }
        let now = self.setting.clock.monotonic();
        let root = self.setting.root.display().to_string();
        let is_new = !self.sessions.open.contains_key(&told.session);
        if is_new && self.sessions.open.len() >= MOST_SESSIONS {
            let first = self.sessions.open.iter().min_by_key(|(_, open)| open.due).map(|(session, _)| session.clone());
            first.into_iter().for_each(|session| self.tell_session(&session));
        }
        let open = self.sessions.open.entry(told.session.clone());
        let open = open.or_insert_with(|| Open::new(&told.agent, &told.session, &root, now));
        open.transcript = told.transcript.or(open.transcript.take());
        open.due = now + SILENCE;
        let is_written = std::mem::replace(&mut open.has_news, true) && !is_new;
        for happened in &told.happened {
            open.heard.happened(happened, told.at);
            match happened {
                Happened::Answered(_) => open.due = now + SETTLE,
                Happened::Ended => (open.due, open.ended) = (now + SETTLE, true),
                _ => {}
            }
        }
        if !is_written {
            self.save_soon();
        }
    }

    pub(super) fn tell_sessions_due(&mut self, now: Instant) {
        let is_due = |(_, open): &(&String, &Open)| open.due <= now;
        let due: Vec<String> = self.sessions.open.iter().filter(is_due).map(|(session, _)| session.clone()).collect();
        due.iter().for_each(|session| self.tell_session(session));
    }

    /// Every session as it stands: nobody will hear the rest.
    pub(super) fn tell_all_sessions(&mut self) {
        let all: Vec<String> = self.sessions.open.keys().cloned().collect();
        all.iter().for_each(|session| self.tell_session(session));
    }

    fn tell_session(&mut self, session: &str) {
        let Some(mut open) = self.sessions.open.remove(session).filter(|open| open.has_news) else { return };
        let drafts = open.drafts(&self.setting.root.display().to_string());
        tracing::debug!(project = %self.setting.project, session, episodes = drafts.len(), "read a session");
        self.remember(drafts);
        // It may go on; who stays silent is let go.
        if !open.ended {
            open.due = self.setting.clock.monotonic() + SILENCE;
            open.has_news = false;
            self.sessions.open.insert(session.to_owned(), open);
        }
    }
}
