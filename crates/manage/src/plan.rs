//! What a night may do, as proposals: each a few changes that belong together, with the reason. Planners see a [`Scene`]
//! and propose; they never write. Whoever commits a proposal first checks that what it was made from still stands.

use std::collections::BTreeSet;
use std::sync::Arc;

use lokid_model::words::vocabulary;
use lokid_model::{
    Archived, Change, Contradiction, ContradictionStatus, Key, Kind, Level, Link, Memory, MemoryId, Relation,
    Timestamp, Usage,
};

vocabulary!(
    /// The parts of a night, in the order they are done.
    Phase {
        /// Episodes become patterns.
        Learn = "learn",
        /// Errors become anti-patterns and learnings.
        Errors = "errors",
        /// Repeated successful actions become skills.
        Skills = "skills",
        /// What says the same becomes one.
        Dedupe = "dedupe",
        /// What cannot both hold is found.
        Contradict = "contradict",
        /// What is old gets its shorter lengths.
        Compress = "compress",
        /// Tiers rise and sink.
        Promote = "promote",
        /// What speaks of code that changed is marked.
        Stale = "stale",
        /// What nobody needs leaves for the archive.
        Forget = "forget",
        /// Connections are found.
        Connect = "connect",
    }
);

vocabulary!(
    /// What a proposal does, as it is counted in the report of a night.
    Act {
        PatternCreated = "pattern_created",
        PatternUpdated = "pattern_updated",
        AntiPattern = "anti_pattern",
        Learning = "learning",
        Skill = "skill",
        Deduped = "deduped",
        ContradictionFound = "contradiction_found",
        Superseded = "superseded",
        Summarized = "summarized",
        Compressed = "compressed",
        Promoted = "promoted",
        Demoted = "demoted",
        Staled = "staled",
        /// Left the memory because nobody needed it.
        Archived = "archived",
        /// Left the memory because something else took its place.
        Forgotten = "forgotten",
        Linked = "linked",
        Unlinked = "unlinked",
    }
);

/// A few changes that are made together or not at all.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    pub phase: Phase,
    pub act: Act,
    /// The memories it is about, the one that matters most first.
    pub about: Vec<MemoryId>,
    /// For a person: what was seen that makes this right. Never the text of a memory that is restricted.
    pub why: String,
    pub changes: Vec<Change>,
}

/// The memory of one namespace, as planners see it. Namespaces never see each other.
pub struct Scene<'a> {
    pub now: Timestamp,
    /// The living, in the order of their ids, without what the repository teaches by itself.
    pub memories: &'a [Arc<Memory>],
    pub links: &'a [Arc<Link>],
    pub contradictions: &'a [Arc<Contradiction>],
    pub archived: &'a [Arc<Archived>],
    pub around: &'a dyn Around,
}

impl<'a> Scene<'a> {
    /// The memories that an open contradiction is about.
    pub(super) fn disputed(&self) -> BTreeSet<&'a MemoryId> {
        let open = self.contradictions.iter().filter(|found| found.status == ContradictionStatus::Open);
        open.flat_map(|found| [&found.a, &found.b]).collect()
    }
}

/// What planners ask of the rest of the house. What can be told from a memory alone is told so unless somebody knows
/// more.
pub trait Around {
    /// What the file says and what was counted since.
    fn usage(&self, memory: &Memory) -> Usage {
        Usage::clone(&memory.usage)
    }

    /// The living memories most like this one, by meaning and by words, best first, without itself. The number is the
    /// cosine of their meanings. Of every kind and status, also those that no longer hold.
    fn near(&self, _memory: &Memory, _most: usize) -> Vec<(Arc<Memory>, f32)> {
        Vec::new()
    }

    /// The same by meaning alone, in a fraction of the time, among these kinds and of those that hold: where there are a
    /// hundred episodes for a note, they are what is near.
    fn like_among(&self, memory: &Memory, kinds: &[Kind], most: usize) -> Vec<(Arc<Memory>, f32)> {
        let mut found = self.near(memory, most);
        found.retain(|(other, _)| kinds.contains(&other.kind));
        found
    }

    /// Those among them that are about the same thing, and how surely.
    fn about(&self, memory: &Memory, kinds: &[Kind], most: usize) -> Vec<(Arc<Memory>, f32)> {
        self.like_among(memory, kinds, most)
    }

    /// The same by meaning alone, in a fraction of the time: for those who ask nothing of what only shares words.
    fn like(&self, memory: &Memory, most: usize) -> Vec<(Arc<Memory>, f32)> {
        self.near(memory, most)
    }

    /// The meaning of a short text as a vector of length 1; nothing for a text without words that are known.
    fn meaning(&self, _text: &str) -> Option<Vec<f32>> {
        None
    }

    /// Tells an error apart from others, whatever its numbers and paths.
    fn fingerprint(&self, error: &str) -> String {
        error.to_owned()
    }

    /// A command or an action without what differs from one time to the next. Nothing for what is no step.
    fn step(&self, action: &str) -> Option<String> {
        Some(action.to_owned())
    }

    /// What a memory is at this length, made from its text.
    fn shorten(&self, memory: &Memory, _level: Level) -> String {
        memory.text.clone()
    }

    /// How the code stands that a memory is anchored to, compared with when the memory was last known to be right.
    fn ground(&self, _memory: &Memory) -> Anchored {
        Anchored::default()
    }

    /// Was it new or changed since the last night that was finished? Comparisons begin with these.
    fn is_fresh(&self, _memory: &Memory) -> bool {
        true
    }

    /// May this id be given to something new? Not while another lives, is archived or was purged under it.
    fn is_free(&self, id: &MemoryId) -> bool;

    /// Was a memory that said exactly this purged? Then nobody brings it back.
    fn is_buried(&self, _memory: &Memory) -> bool {
        false
    }

    /// Asked between two steps of anything long: the night is over.
    fn is_over(&self) -> bool {
        false
    }
}

/// The code under a memory.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Anchored {
    /// Anchored files that stand as they did.
    pub standing: Vec<String>,
    pub changed: Vec<String>,
    pub gone: Vec<String>,
    /// Anchored symbols that no file defines any more.
    pub lost_symbols: Vec<String>,
}

/// Another version of a memory; nothing if it would be the same.
pub fn revise(old: &Arc<Memory>, now: Timestamp, change: impl FnOnce(&mut Memory)) -> Option<Change> {
    let mut new = old.as_ref().clone();
    change(&mut new);
    if new == **old {
        return None;
    }
    new.times.updated_at = now.max(old.times.updated_at.plus_micros(1));
    Some(Change::Put { before: Some(Arc::clone(old)), after: Arc::new(new) })
}

pub fn create(memory: Memory) -> Change {
    Change::Put { before: None, after: Arc::new(memory) }
}

/// Into the archive, from where it can be brought back.
pub fn archive(memory: &Arc<Memory>, now: Timestamp, reason: &str) -> Change {
    let at = now.max(memory.times.updated_at);
    Change::Archive(Arc::new(Archived { memory: Arc::clone(memory), at, reason: reason.to_owned() }))
}

pub fn tie(from: &Memory, relation: Relation, to: &MemoryId, strength: f64, now: Timestamp) -> Change {
    let (namespace, from) = (from.namespace.clone(), from.id.clone());
    Change::Link(Link { namespace, from, to: to.clone(), relation, strength, created_at: now, inline: false })
}

/// Does it hold now: asserted or not, but neither ended nor replaced?
pub fn holds(memory: &Memory, now: Timestamp) -> bool {
    memory.times.expired_at.is_none() && memory.times.invalid_at.is_none_or(|end| now < end)
}

/// How sure `good` of `all` cases make: the lower end of Wilson's interval. Two of two just reach 0.8, so that one
/// case alone proves nothing and a single counter-example is heard.
pub fn lower_bound(good: usize, all: usize) -> f64 {
    const Z_SQUARED: f64 = 0.5;
    if all == 0 {
        return 0.0;
    }
    let n = all as f64;
    let share = good as f64 / n;
    let spread = (Z_SQUARED * (share * (1.0 - share) / n + Z_SQUARED / (4.0 * n * n))).sqrt();
    ((share + Z_SQUARED / (2.0 * n) - spread) / (1.0 + Z_SQUARED / n)).clamp(0.0, 1.0)
}

impl Proposal {
    pub fn new(phase: Phase, act: Act, about: &Memory, why: impl Into<String>, changes: Vec<Change>) -> Proposal {
        Proposal { phase, act, about: vec![about.id.clone()], why: why.into(), changes }
    }

    pub fn with(mut self, others: impl IntoIterator<Item = MemoryId>) -> Proposal {
        self.about.extend(others);
        self
    }
}

impl Scene<'_> {
    pub fn get(&self, id: &MemoryId) -> Option<&Arc<Memory>> {
        self.memories.binary_search_by(|memory| memory.id.cmp(id)).ok().map(|at| &self.memories[at])
    }

    pub fn key(&self, id: &MemoryId) -> Option<Key> {
        self.get(id).map(|memory| memory.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certainty_grows_with_cases_and_falls_with_counter_examples() {
        let check = |good, all, expected: f64| {
            let found = lower_bound(good, all);
            assert!((found - expected).abs() < 0.005, "{good} of {all}: {found}");
        };
        check(0, 0, 0.0);
        check(1, 1, 0.667);
        check(2, 2, 0.8);
        check(3, 3, 0.857);
        check(4, 5, 0.648);
        check(9, 10, 0.813);
        check(0, 9, 0.0);
    }
}
