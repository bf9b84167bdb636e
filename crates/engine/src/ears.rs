//! The project's ears: sessions of agents that hooks tell of, and the episodes they become, from the transcript that the
//! agent names, else from what was heard. A session is read when the agent has answered, when it ends and when it falls
//! silent; read again, it is told under the same ids, so nothing is kept twice.
//!
//! The thread begins with the first hook. Whether the repository is watched is no matter of it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::env::Env;
use super::inbox::WriterHandle;
use super::place::captures;
use lokid_encode::own_words::without_own_words;
use lokid_encode::transcript::{Happened, Transcript};
use lokid_model::{Draft, Staged, Timestamp};
use lokid_sys::{Clock, plain, thread};

/// What was told and may wait; what finds no room stands in the transcript.
const INBOX: usize = 1_024;
/// The agent may still be writing its last lines when it says that it is done.
const SETTLE: Duration = Duration::from_millis(1_000);
/// Without a word for so long, a session is read as it stands.
const SILENCE: Duration = Duration::from_secs(15 * 60);
const MOST_SESSIONS: usize = 64;
const LARGEST: u64 = 512 << 20;
/// Transcripts that are not read to their end, across restarts.
const FILE: &str = "transcripts.json";
const LARGEST_FILE: u64 = 1 << 20;

/// What a hook told of a session.
#[derive(Clone, Debug)]
pub struct Overheard {
    pub agent: String,
    pub session: String,
    pub transcript: Option<PathBuf>,
    pub at: Timestamp,
    pub happened: Vec<Happened>,
    /// What comes of it waits for this branch.
    pub staged: Option<Staged>,
}

enum EarsTask {
    Told(Overheard),
    Stop,
}

pub struct Ears {
    env: Arc<Env>,
    writer: WriterHandle,
    at_work: Mutex<Option<(Sender<EarsTask>, JoinHandle<()>)>>,
}

impl Ears {
    pub(super) fn new(env: Arc<Env>, writer: WriterHandle) -> Ears {
        Ears { env, writer, at_work: Mutex::default() }
    }

    /// A hook told of a session.
    pub fn hear_session(&self, told: Overheard) {
        let wanted = self.env.captures && self.env.config.load().hook.episodes;
        if wanted
            && !told.happened.is_empty()
            && !told.session.is_empty()
            && let Some(inbox) = self.open()
        {
            let _ = inbox.try_send(EarsTask::Told(told));
        }
    }

    /// Sessions that were not read to their end when the last daemon ended.
    pub(super) fn hear_what_was_left(&self) {
        if plain::is_file(&self.env.state.join(FILE)) && self.env.captures {
            self.open();
        }
    }

    /// Nothing for a project that is only read.
    fn open(&self) -> Option<Sender<EarsTask>> {
        let mut at_work = self.at_work.lock();
        if at_work.is_none() && !self.env.read_only {
            let (sender, inbox) = crossbeam_channel::bounded(INBOX);
            let worker = EarsWorker::new(&self.env, &self.writer, inbox);
            *at_work = thread::spawn("ears", move || worker.run()).ok().map(|thread| (sender, thread));
        }
        at_work.as_ref().map(|(sender, _)| sender.clone())
    }

    /// Everything heard so far is told; waits for it.
    pub(super) fn stop(&self) {
        let Some((inbox, thread)) = self.at_work.lock().take() else { return };
        let _ = inbox.send(EarsTask::Stop);
        if thread.join().is_err() {
            tracing::error!("the ears of a project ended in a panic");
        }
    }
}

struct EarsWorker {
    root: String,
    file: PathBuf,
    clock: Clock,
    writer: WriterHandle,
    inbox: Receiver<EarsTask>,
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
    staged: Option<Staged>,
}

impl Open {
    fn new(agent: &str, session: &str, root: &str, due: Instant) -> Open {
        // Transcripts call Claude Code by its whole name.
        let name = if agent == "claude" { "claude-code" } else { agent };
        let heard = Transcript::events(name, session, &without_own_words).rooted(root);
        Open { agent: agent.to_owned(), transcript: None, heard, due, has_news: false, ended: false, staged: None }
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

impl EarsWorker {
    fn new(env: &Env, writer: &WriterHandle, inbox: Receiver<EarsTask>) -> EarsWorker {
        let mut worker = EarsWorker {
            root: env.name.to_string(),
            file: env.state.join(FILE),
            clock: env.clock.clone(),
            writer: writer.clone(),
            inbox,
            open: BTreeMap::new(),
        };
        worker.take_up();
        worker
    }

    fn run(mut self) {
        loop {
            let first = match self.open.values().map(|open| open.due).min() {
                None => self.inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(at) => self.inbox.recv_timeout(at.saturating_duration_since(self.clock.monotonic())),
            };
            match first {
                Ok(EarsTask::Told(told)) => self.hear(told),
                Err(RecvTimeoutError::Timeout) => {}
                Ok(EarsTask::Stop) | Err(RecvTimeoutError::Disconnected) => break,
            }
            let now = self.clock.monotonic();
            self.tell(|open| open.due <= now);
        }
        self.tell(|_| true);
    }

    fn hear(&mut self, told: Overheard) {
        let now = self.clock.monotonic();
        if !self.open.contains_key(&told.session) && self.open.len() >= MOST_SESSIONS {
            let first = self.open.values().map(|open| open.due).min();
            self.tell(|open| Some(open.due) == first);
        }
        let open = self.open.entry(told.session.clone());
        let open = open.or_insert_with(|| Open::new(&told.agent, &told.session, &self.root, now));
        open.transcript = told.transcript.or(open.transcript.take());
        open.staged = told.staged;
        open.due = now + SILENCE;
        for happened in &told.happened {
            open.heard.happened(happened, told.at);
            match happened {
                Happened::Answered(_) => open.due = now + SETTLE,
                Happened::Ended => (open.due, open.ended) = (now + SETTLE, true),
                _ => {}
            }
        }
        if !std::mem::replace(&mut open.has_news, true) {
            self.write_down();
        }
    }

    /// Reads those sessions and hands them over. They may go on; who stays silent is let go.
    fn tell(&mut self, which: impl Fn(&Open) -> bool) {
        let chosen: Vec<String> =
            self.open.iter().filter(|(_, open)| which(open)).map(|(session, _)| session.clone()).collect();
        for session in &chosen {
            let Some(mut open) = self.open.remove(session).filter(|open| open.has_news) else { continue };
            let mut drafts = open.drafts(&self.root);
            if let Some(staged) = &open.staged {
                drafts.iter_mut().for_each(|draft| draft.stage(staged));
            }
            let told = drafts.len();
            self.remember(drafts);
            tracing::debug!(project = %self.root, session, told, "read a session");
            if !open.ended {
                open.due = self.clock.monotonic() + SILENCE;
                open.has_news = false;
                self.open.insert(session.clone(), open);
            }
        }
        if !chosen.is_empty() {
            self.write_down();
        }
    }

    fn remember(&self, drafts: Vec<Draft>) {
        // Somebody may have opted out meanwhile.
        if drafts.is_empty() || !captures(Path::new(&self.root)) {
            return;
        }
        for error in self.writer.remember_seen(drafts).into_iter().flat_map(|report| report.errors) {
            tracing::warn!(project = %self.root, reason = %error.detail, "something of a session could not be kept");
        }
    }

    fn write_down(&self) {
        let rows = self.open.iter().filter(|(_, open)| open.has_news).filter_map(|(session, open)| {
            Some((session.clone(), json!([open.agent, open.transcript.as_ref()?.to_str()?])))
        });
        let rows: Map<String, Value> = rows.collect();
        let written = match rows.is_empty() {
            true => plain::remove_if_there(&self.file),
            false => plain::replace(&self.file, Value::Object(rows).to_string().as_bytes()),
        };
        if let Err(error) = written {
            tracing::debug!(reason = %error, "which transcripts are still to be read could not be written down");
        }
    }

    fn take_up(&mut self) {
        let text = plain::read_text(&self.file, LARGEST_FILE).ok().flatten();
        let left: Value = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        for (session, row) in left.as_object().into_iter().flatten().take(MOST_SESSIONS) {
            let text = |at: usize| row.get(at).and_then(Value::as_str);
            if let (Some(agent), Some(path)) = (text(0), text(1)) {
                let open = Open::new(agent, session, &self.root, self.clock.monotonic());
                let open = Open { transcript: Some(PathBuf::from(path)), has_news: true, ..open };
                self.open.insert(session.clone(), open);
            }
        }
    }
}
