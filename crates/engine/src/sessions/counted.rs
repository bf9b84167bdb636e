//! What left for an agent, counted: in the book of sessions, in the ledger, and in the use of each memory.

use std::collections::BTreeMap;

use super::{Sessions, SessionsState};
use crate::focus::Owner;
use lokid_context::assemble::{Assembled, Item};
use lokid_context::disclose::Disclosed;
use lokid_context::economics::{Checkpoint, Entry, NOBODY};
use lokid_context::predict::memories::Evidence;
use lokid_context::session::{SessionBlock, SessionItem, Topic};
use lokid_context::task::TaskContext;
use lokid_index::topics;
use lokid_model::{Key, Level, Memory, Tier, citation, token};

/// Memories of a session whose evidence is remembered.
const MOST_EVIDENCE: usize = 1_024;

impl SessionsState {
    pub(super) fn note_evidence(&mut self, session: &str, items: &[SessionItem], evidence: &BTreeMap<Key, Evidence>) {
        let known = &mut self.under_way(session).evidence;
        for item in items {
            if let Some(spoke) = evidence.get(&item.key).filter(|_| known.len() < MOST_EVIDENCE) {
                known.insert(item.key.clone(), *spoke);
            }
        }
    }
}

impl Sessions {
    /// Was this session given the block it begins with?
    pub fn has_block(&self, session: &str) -> bool {
        let state = self.state.lock();
        state.book.get(session).is_some_and(|known| known.block.is_some())
    }

    /// The session's context was summarised, and with it what stood behind its prompts.
    pub fn compacted(&self, session: &str) {
        self.state.lock().book.compacted(session);
        self.note_changed();
    }

    pub(crate) fn given_block(&self, session: &str) -> Option<SessionBlock> {
        let state = self.state.lock();
        let known = state.book.get(session)?;
        let text = known.block.clone()?;
        // In the order of the text, and under the mark they have there: a tier may have changed since.
        let place = |key: &Key| text.find(&format!(":{}]", citation::handle(key)));
        let tier = |at: usize| match text.as_bytes().get(at.saturating_sub(1)) {
            Some(b'M') => Tier::Mandate,
            Some(b'G') => Tier::Guardrail,
            _ => Tier::Reference,
        };
        let mut placed: Vec<(usize, &Key)> = known.injected().filter_map(|key| Some((place(key)?, key))).collect();
        placed.sort_unstable();
        let item = |(at, key): (usize, &Key)| {
            let (key, tier, level) = (key.clone(), tier(at), Level::Summary);
            SessionItem { key, tier, tokens: 0, level }
        };
        let items = placed.into_iter().map(item).collect();
        Some(SessionBlock { tokens: token::estimate(&text), text, items })
    }

    /// Composes a block of what a session was not given yet, and notes that it is given now.
    pub(crate) fn hand(
        &self,
        session: &str,
        compose: impl FnOnce(&dyn Fn(&Key) -> bool) -> SessionBlock,
    ) -> SessionBlock {
        let mut state = self.state.lock();
        let block = compose(&|key| state.book.has(session, key));
        // Who is given nothing need not be known.
        if block.items.is_empty() {
            return block;
        }
        state.book.note_injected(session, &block, self.env.clock.now());
        drop(state);
        self.note_given(session, &block);
        block
    }

    /// The block that a session begins with. Somebody else may have asked at the same time: the first answer stands.
    pub(crate) fn give_first(
        &self,
        session: &str,
        made: SessionBlock,
        evidence: &BTreeMap<Key, Evidence>,
    ) -> SessionBlock {
        let mut state = self.state.lock();
        state.note_evidence(session, &made.items, evidence);
        let mut is_first = false;
        let text = state.book.give_block(session, self.env.clock.now(), || {
            is_first = true;
            made.clone()
        });
        let text = text.to_owned();
        drop(state);
        if is_first {
            self.note_given(session, &made);
            self.keep_beginning(session);
            return made;
        }
        self.given_block(session).unwrap_or(SessionBlock { text, ..SessionBlock::default() })
    }

    /// What a session said it is about.
    pub(crate) fn goal_of(&self, session: &str) -> Option<String> {
        self.state.lock().book.get(session).map(|known| known.goal.clone())
    }

    /// Is a session about something else now than when it began?
    pub(crate) fn topic(&self, session: &str, vector: &[f32]) -> Topic {
        self.state.lock().book.topic(session, vector)
    }

    pub(crate) fn note_context_use(&self, session: &str, share: f64) {
        let pressure = self.state.lock().book.use_of_context(session, share);
        if let Some(pressure) = pressure {
            let data = serde_json::json!({"op": "half_full", "session_id": session, "share": pressure.share});
            self.env.say("context", data);
        }
    }

    /// A block left for an agent.
    pub(crate) fn note_given(&self, session: &str, block: &SessionBlock) {
        let full: usize = block.items.iter().filter(|item| item.level == Level::Full).map(|item| item.tokens).sum();
        if block.tokens > 0 {
            self.usage.loaded(block.items.iter().map(|item| item.key.clone()));
            let injected = Entry::Injected { tokens: block.tokens as u64, full: full as u64 };
            let [given, answered] = self.given(session, block.items.iter().map(|item| &item.key));
            self.record(session, &[injected, given, answered]);
        }
    }

    /// So many memories were said unasked, and so many failures answered by that.
    fn given<'a>(&self, session: &str, keys: impl Iterator<Item = &'a Key> + Clone) -> [Entry<'static>; 2] {
        let memories = keys.clone().count() as u64;
        let errors = self.state.lock().answer_failures(session, keys);
        [Entry::Given { memories }, Entry::ErrorsAnswered { errors }]
    }

    /// A context left for an agent.
    pub(crate) fn count_context(
        &self,
        owner: &Owner,
        assembled: &Assembled,
        evidence: &BTreeMap<Key, Evidence>,
        is_ahead: bool,
    ) {
        let keys = || assembled.items.iter().map(|item| item.key.clone());
        let full = |item: &&Item| item.level == Level::Full;
        let full: usize = assembled.items.iter().filter(full).map(|item| item.tokens).sum();
        let cache = if is_ahead { Entry::CacheHit } else { Entry::CacheMiss };
        let session = owner.session();
        self.usage.loaded(keys());
        self.search.handle().used();
        if let Some(session) = session {
            let items = assembled.items.iter().map(|item| SessionItem {
                key: item.key.clone(),
                tier: Tier::Reference,
                tokens: item.tokens,
                level: item.level,
            });
            let block = SessionBlock { text: String::new(), tokens: assembled.tokens, items: items.collect() };
            let mut state = self.state.lock();
            state.book.note_injected(session, &block, self.env.clock.now());
            state.note_evidence(session, &block.items, evidence);
        }
        let session = session.unwrap_or(NOBODY);
        let injected = Entry::Injected { tokens: assembled.tokens as u64, full: full as u64 };
        let [given, answered] = self.given(session, assembled.items.iter().map(|item| &item.key));
        self.record(session, &[cache, injected, given, answered]);
    }

    /// A memory was read in full.
    pub fn count_shown(&self, session: Option<&str>, memory: &Memory, tokens: usize) {
        let session = session.unwrap_or(NOBODY);
        let topic = topics::name_of(memory);
        self.usage.loaded(std::iter::once(memory.key()));
        self.search.handle().used();
        self.state.lock().book.note_loaded(session, [&memory.key()], self.env.clock.now());
        self.record(session, &[Entry::Full { tokens: tokens as u64, topic: &topic }]);
        self.check(session, Checkpoint::Layer3Load);
    }

    /// A task context left for an agent.
    pub fn count_task(&self, owner: &Owner, context: &TaskContext) {
        let keys: Vec<Key> = context.items().map(|item| item.key.clone()).collect();
        self.usage.loaded(keys.iter().cloned());
        let session = owner.session();
        if let Some(session) = session {
            self.state.lock().book.note_loaded(session, &keys, self.env.clock.now());
        }
        let session = session.unwrap_or(NOBODY);
        let injected = Entry::Injected { tokens: context.token_count as u64, full: 0 };
        let [given, answered] = self.given(session, keys.iter());
        self.record(session, &[injected, given, answered]);
    }

    /// Layers left for an agent.
    pub fn count_disclosed(&self, owner: &Owner, found: &Disclosed) {
        let session = owner.session().unwrap_or(NOBODY);
        let [index, timeline, memories] = found.layers.map(|tokens| tokens as u64);
        let mut entries = vec![Entry::Index { tokens: index }];
        if timeline > 0 {
            entries.push(Entry::Timeline { scanned: timeline, available: timeline });
        }
        if memories > 0 {
            let topic = found.topics.first().map(String::as_str).unwrap_or_default();
            entries.push(Entry::Full { tokens: memories, topic });
        }
        self.usage.loaded(found.items.iter().map(|(key, _, _)| key.clone()));
        self.record(session, &entries);
    }

    // What an agent reads by itself.

    pub fn count_index(&self, session: Option<&str>, tokens: usize) {
        self.record(session.unwrap_or(NOBODY), &[Entry::Index { tokens: tokens as u64 }]);
    }

    pub fn count_timeline(&self, session: Option<&str>, scanned: usize, available: usize) {
        let entry = Entry::Timeline { scanned: scanned as u64, available: available as u64 };
        self.record(session.unwrap_or(NOBODY), &[entry]);
    }

    pub fn count_search(&self, session: Option<&str>, tokens: usize) {
        self.record(session.unwrap_or(NOBODY), &[Entry::Search { tokens: tokens as u64 }]);
    }
}
