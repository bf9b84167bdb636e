//! What became of what was handed out: citations, sessions that end, and the tiers that memories earn by it.

use std::collections::BTreeSet;

use super::{Sessions, is_good};
use lokid_context::economics::{Checkpoint, Entry};
use lokid_manage::promote;
use lokid_model::citation::{self, Cited};
use lokid_model::{Key, MemoryId, Namespace, Outcome, Tier};
use lokid_sys::kept;

/// A file of so many bytes is about a token's worth of reading.
const BYTES_A_TOKEN: u64 = 4;

/// What somebody tells of memories that were handed out.
#[derive(Clone, Debug, Default)]
pub struct UsageReport {
    pub namespace: Namespace,
    pub session: Option<String>,
    pub loaded: Vec<String>,
    /// Ids, or the marks they were handed out under.
    pub cited: Vec<String>,
    pub ignored: Vec<String>,
    /// An answer, to be read for citations.
    pub text: Option<String>,
    pub context_use: Option<f64>,
    /// The session is over.
    pub outcome: Option<Outcome>,
}

impl Sessions {
    pub fn note_usage(&self, report: &UsageReport) {
        let now = self.env.clock.now();
        let session = report.session.as_deref();
        let loaded = self.named(&report.namespace, session, &report.loaded);
        let ignored = self.named(&report.namespace, session, &report.ignored);
        let mut cited = self.named(&report.namespace, session, &report.cited);
        let said = report.text.as_deref().map(citation::cited).unwrap_or_default();
        cited.extend(self.meant(&report.namespace, session, &said));
        self.usage.loaded(loaded.iter().cloned());
        self.usage.ignored(ignored.iter().cloned());
        match session {
            Some(session) => {
                let mut state = self.state.lock();
                state.book.note_loaded(session, &loaded, now);
                if report.text.is_some() || !report.cited.is_empty() {
                    state.under_way(session).is_heard = true;
                    state.book.note_answered(session, now);
                }
                drop(state);
                self.cite_in(session, &cited);
                if let Some(share) = report.context_use {
                    self.note_context_use(session, share);
                }
                if let Some(outcome) = report.outcome {
                    self.end_session(session, Some(outcome));
                }
            }
            None => {
                self.usage.referenced(cited.iter().cloned(), now);
                if is_good(report.outcome) {
                    self.usage.succeeded(cited.iter().cloned());
                }
                self.reconsider(cited.iter().chain(&ignored));
            }
        }
        self.search.handle().used();
        self.note_changed();
    }

    /// A text outside any session named memories: working notes, say.
    pub(super) fn note_references(&self, names: &[String]) {
        let cited = self.named(&Namespace::default(), None, names);
        if !cited.is_empty() {
            self.usage.referenced(cited.iter().cloned(), self.env.clock.now());
            self.search.handle().used();
            self.reconsider(cited.iter());
        }
    }

    /// Each memory is cited once a session, however often it is named.
    fn cite_in(&self, session: &str, cited: &[Key]) {
        let now = self.env.clock.now();
        let mut state = self.state.lock();
        let known: BTreeSet<Key> =
            state.book.get(session).map(|known| known.cited().cloned().collect()).unwrap_or_default();
        let fresh: BTreeSet<Key> = cited.iter().filter(|key| !known.contains(*key)).cloned().collect();
        state.book.note_cited(session, &fresh, now);
        drop(state);
        if fresh.is_empty() {
            return;
        }
        self.usage.named_in_session(fresh.iter().cloned(), now);
        self.record(session, &[Entry::Cited { memories: fresh.len() as u64 }]);
    }

    /// What was given and not named was ignored; what was named shares in the outcome.
    pub(super) fn end_session(&self, session: &str, outcome: Option<Outcome>) {
        let now = self.env.clock.now();
        let avoided = self.avoided_reading(session);
        if avoided > 0 {
            self.record(session, &[Entry::AvoidedReading { tokens: avoided }]);
        }
        let mut state = self.state.lock();
        let is_heard = state.under_way.get(session).is_some_and(|session| session.is_heard);
        let verdicts = state.book.end(session, outcome, now);
        // What foresees well here counts more next time.
        let spoke = state.under_way.get(session).map(|known| known.evidence.clone()).unwrap_or_default();
        for (keys, used) in [(&verdicts.cited, true), (&verdicts.ignored, false)] {
            for evidence in keys.iter().filter_map(|key| spoke.get(key)).filter(|_| is_heard) {
                state.weights.learn(*evidence, used);
            }
        }
        drop(state);
        self.strategy.judge(session, is_heard.then_some(&verdicts.cited[..]), verdicts.outcome, now);
        // Who never says what it applies cannot be said to ignore.
        if is_heard && !verdicts.ignored.is_empty() {
            self.usage.ignored(verdicts.ignored.iter().cloned());
            self.record(session, &[Entry::Ignored { memories: verdicts.ignored.len() as u64 }]);
        }
        if is_good(verdicts.outcome) {
            self.usage.ended_well(verdicts.cited.iter().cloned());
        }
        self.check(session, Checkpoint::SessionEnd);
        self.write_ledger(session);
        let mut state = self.state.lock();
        state.under_way.remove(session);
        drop(state);
        self.note_changed();
        if let Some(search) = self.search.if_started() {
            search.used();
        }
        self.reconsider(verdicts.cited.iter().chain(&verdicts.ignored));
    }

    /// Tokens of files that cited memories stand for and that the session did not open.
    fn avoided_reading(&self, session: &str) -> u64 {
        let snapshot = self.writer.snapshot();
        let state = self.state.lock();
        let Some(known) = state.book.get(session) else { return 0 };
        let memories = known.cited().filter_map(|key| snapshot.get(key));
        let mut files: BTreeSet<&String> = memories.flat_map(|memory| &memory.anchors.files).collect();
        if let Some(under_way) = state.under_way.get(session) {
            files.retain(|file| !under_way.opened.contains(*file));
        }
        let inside = files.into_iter().filter(|file| kept::is_inside(&self.env.root, file));
        let sizes = inside.filter_map(|file| kept::standing(&self.env.root.join(file))).map(|file| file.size);
        sizes.map(|bytes| bytes / BYTES_A_TOKEN).sum()
    }

    /// Do these still have the tier they have earned?
    fn reconsider<'a>(&self, keys: impl Iterator<Item = &'a Key>) {
        let snapshot = self.writer.snapshot();
        for key in keys {
            let Some(memory) = snapshot.get(key) else { continue };
            let usage = self.usage.of(memory);
            let found = promote::judge(memory, &usage).zip(promote::propose(memory, &usage, self.env.clock.now()));
            if !self.is_news(key, found.as_ref().map(|(verdict, _)| verdict.tier)) {
                continue;
            }
            let Some((verdict, proposal)) = found else { continue };
            let data = serde_json::json!({
                "op": if verdict.tier < memory.tier { "promoted" } else { "demoted" },
                "id": key.id.as_str(),
                "namespace": key.namespace.as_str(),
                "tier": verdict.tier.as_str(),
                "why": verdict.why,
            });
            if self.writer.move_tier(proposal) {
                self.env.say("tier", data);
            } else {
                self.is_news(key, None);
            }
        }
    }

    /// Was this tier not asked for already? A memory that has what it earned waits for nothing.
    fn is_news(&self, key: &Key, earned: Option<Tier>) -> bool {
        let rising = &mut self.state.lock().rising;
        match earned {
            Some(tier) => rising.insert(key.clone(), tier) != Some(tier),
            None => {
                rising.remove(key);
                false
            }
        }
    }

    /// Memories by the names somebody used for them.
    fn named(&self, namespace: &Namespace, session: Option<&str>, names: &[String]) -> Vec<Key> {
        let cited: Vec<Cited> = names.iter().map(|name| as_cited(name)).collect();
        self.meant(namespace, session, &cited)
    }

    fn meant(&self, namespace: &Namespace, session: Option<&str>, cited: &[Cited]) -> Vec<Key> {
        if cited.is_empty() {
            return Vec::new();
        }
        let snapshot = self.writer.snapshot();
        let met = session.and_then(|session| {
            let state = self.state.lock();
            state.book.get(session).map(|known| known.named_by(cited))
        });
        let mut found: BTreeSet<Key> = met.unwrap_or_default().into_iter().collect();
        let mut handles: BTreeSet<&str> = BTreeSet::new();
        for one in cited {
            match one {
                Cited::Handle(digits) => drop(handles.insert(digits)),
                Cited::Id(id) => {
                    let key = MemoryId::foreign(id).map(|id| Key::new(namespace, &id));
                    found.extend(key.filter(|key| snapshot.get(key).is_some()));
                }
            }
        }
        let known: BTreeSet<String> = found.iter().map(citation::handle).collect();
        handles.retain(|digits| !known.contains(*digits));
        if !handles.is_empty() {
            let of_space = snapshot.memories().map(|memory| memory.key()).filter(|key| key.namespace == *namespace);
            found.extend(of_space.filter(|key| handles.contains(citation::handle(key).as_str())));
        }
        found.into_iter().collect()
    }
}

/// `M:1a2b3c4d`, `[M:1a2b3c4d]`, or an id.
fn as_cited(name: &str) -> Cited {
    let bare = name.trim().trim_matches(['[', ']']);
    let digits = bare.get(2..).filter(|_| matches!(bare.as_bytes(), [b'M' | b'G' | b'R', b':', ..]));
    match digits.filter(|digits| digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        Some(digits) => Cited::Handle(digits.to_ascii_lowercase()),
        None => Cited::Id(bare.to_owned()),
    }
}
