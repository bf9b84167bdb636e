//! What sessions were told and what they made of it, for whoever looks at it later: the notes of what was said are kept
//! here, behind the answers, and read together with the book.

use serde_json::json;

use super::Sessions;
use super::worker::SessionTask;
use crate::focus::Owner;
use crate::pattern::Pattern;
use crate::said::{Echo, Goes, SaidMemory, SaidQuery, Saying, Utterance};
use lokid_model::{Change, Key, Memory, Outcome, Timestamp};

/// A session in short.
#[derive(Clone, Debug)]
pub struct SessionSummary {
    pub id: String,
    pub agent: String,
    pub goal: String,
    pub started: Timestamp,
    pub seen: Timestamp,
    pub ended: Option<Timestamp>,
    pub outcome: Option<Outcome>,
    /// How often something could have been said, and was.
    pub asked: u64,
    pub spoken: u64,
    pub tokens: u64,
    /// Memories: handed out unasked, cited, and not cited though there was an answer.
    pub given: usize,
    pub cited: usize,
    pub ignored: usize,
}

impl Sessions {
    /// Something was said to a session, or could have been. Never waits for the disk.
    pub fn note_said(&self, mut utterance: Utterance) {
        // Where nothing that happens may become memory, nobody's words are kept either.
        if !self.env.captures {
            utterance.asked.clear();
        }
        if utterance.agent.is_empty() {
            utterance.agent = self.agent_of(&Owner::Session(utterance.session.clone()));
        }
        self.said.note(utterance, self.env.clock.now());
        self.queue.tell(SessionTask::Said);
    }

    /// What was noted is written down and counted.
    pub(super) fn keep_said(&self) {
        // Looked at when the notes are in hand: what was purged before that is in none.
        let gone = |memory: &Memory| {
            let (snapshot, key) = (self.writer.snapshot(), memory.key());
            let stands = memory.is_commit() || snapshot.get(&key).is_some();
            (!stands).then(|| if snapshot.archived(&key).is_some() { Goes::Words } else { Goes::All })
        };
        match self.said.keep(&gone) {
            Ok(kept) if kept.is_empty() => {}
            Ok(kept) => {
                let mut state = self.state.lock();
                kept.iter().for_each(|saying| state.book.note_occasion(&saying.session_id, !saying.text.is_empty()));
                drop(state);
                self.note_changed();
                for saying in &kept {
                    let data = json!({"id": saying.id, "session_id": saying.session_id, "tokens": saying.tokens});
                    self.env.say("said", data);
                }
            }
            Err(error) => {
                tracing::warn!(project = %self.env.name, reason = %error, "what was said could not be kept");
            }
        }
    }

    /// Memories left: what was said of them goes from what is kept.
    pub(super) fn strike_said(&self, keys: &[(Key, Goes)], echo: &Echo) {
        self.keep_said();
        if let Err(error) = self.said.strike(keys, echo) {
            tracing::warn!(project = %self.env.name, reason = %error, "what was said could not be rewritten");
        }
    }

    /// How much of what was said holds what must not be kept; with `strike` it goes.
    pub fn said_history(&self, pattern: &Pattern, strike: bool) -> std::io::Result<usize> {
        self.keep_said();
        self.said.history(pattern, strike && !self.env.read_only)
    }

    /// What was said, newest first.
    pub fn said(&self, query: &SaidQuery) -> Vec<Saying> {
        self.keep_said();
        let mut page = self.said.page(query);
        let (snapshot, state) = (self.writer.snapshot(), self.state.lock());
        for saying in &mut page {
            let session = state.book.get(&saying.session_id).zip(Timestamp::parse(&saying.at));
            for item in &mut saying.items {
                item.cited = item.key().zip(session).and_then(|(key, (session, at))| session.has_cited(&key, at));
            }
            let keys: Vec<Key> = saying.items.iter().filter_map(SaidMemory::key).collect();
            // Its words may not be struck out yet.
            for key in keys.iter().filter(|key| snapshot.archived(key).is_some() && snapshot.get(key).is_none()) {
                saying.strike(key, Goes::Words);
            }
        }
        page
    }

    /// The one heard of last first, then by id; those behind `after`.
    pub fn list(&self, after: Option<&(Timestamp, String)>, limit: usize) -> Vec<SessionSummary> {
        self.keep_said();
        let state = self.state.lock();
        let place = |seen: Timestamp, id: &str| (std::cmp::Reverse(seen), id.to_owned());
        let after = after.map(|(seen, id)| place(*seen, id));
        let mut all: Vec<_> = state.book.iter().map(|(id, session)| (place(session.seen, id), session)).collect();
        all.retain(|(place, _)| after.as_ref().is_none_or(|after| place > after));
        all.sort_by(|one, other| one.0.cmp(&other.0));
        let summary = |((_, id), session): (_, &lokid_context::session::Session)| SessionSummary {
            id,
            agent: session.agent.clone(),
            goal: session.goal.clone(),
            started: session.started,
            seen: session.seen,
            ended: session.ended,
            outcome: session.outcome,
            asked: session.asked,
            spoken: session.spoken,
            tokens: session.tokens,
            given: session.injected().count(),
            cited: session.cited().count(),
            ignored: session.passed_over(),
        };
        all.into_iter().take(limit).map(summary).collect()
    }
}

/// Which memories left with these changes and may come back.
pub(super) fn leaving(changes: &[Change]) -> Vec<(Key, Goes)> {
    let left = |change: &Change| match change {
        Change::Archive(entry) => Some((entry.memory.key(), Goes::Words)),
        _ => None,
    };
    changes.iter().filter_map(left).collect()
}
