//! What the memory already says about errors, by fingerprint, so that evidence goes there and no twin is made.
//! It must not change anything.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::made;
use super::super::plan::Scene;
use super::seen::{Met, says_something};
use super::telling::{Fingerprints, headline};
use lokid_model::{Body, Kind, Learning, Memory, Scope, Source};

const LONGEST: usize = 600;

/// A memory and the episodes it was learnt from.
type Learnt<'a> = (&'a Arc<Memory>, Vec<&'a str>);

/// The best memory for every error: by scope and fingerprint.
type ByError<'a> = BTreeMap<(Scope, String), &'a Arc<Memory>>;

#[derive(Default)]
pub(super) struct KnownFixes<'a> {
    learnings: ByError<'a>,
    /// Learnings of others that name a cause, and those that name a fix.
    causes: ByError<'a>,
    fixes: ByError<'a>,
    antis: ByError<'a>,
    /// Anti-patterns that name only a sort of error, as Loki Mode's do, with the episodes they were learnt from.
    kinds: BTreeMap<(Scope, String), Vec<Learnt<'a>>>,
    /// Anti-patterns of others by the command or the way they speak of.
    approaches: ByError<'a>,
}

impl<'a> KnownFixes<'a> {
    pub(super) fn of(scene: &Scene<'a>, prints: &Fingerprints<'_>) -> KnownFixes<'a> {
        let mut known = KnownFixes::default();
        for memory in scene.memories.iter().filter(|memory| made::is_plain(memory)) {
            // The night finds its own anti-patterns by their names.
            if memory.kind == Kind::AntiPattern && made::is_own(memory) {
                continue;
            }
            match (&memory.body, memory.kind) {
                (Body::Learning(learning), _) => known.add_learning(memory, learning, prints),
                (Body::AntiPattern(anti), _) => {
                    known.add_anti(memory, [&anti.what_fails, &anti.why], prints);
                    let learnt: Vec<&str> = anti.learnt_from.split([',', ' ']).filter(|id| !id.is_empty()).collect();
                    let kind = made::flat(&anti.what_fails, 60).to_lowercase();
                    known.kinds.entry((memory.scope, kind)).or_default().push((memory, learnt));
                }
                (_, Kind::AntiPattern) => known.add_anti(memory, [&memory.text, &memory.title], prints),
                _ => {}
            }
        }
        known
    }

    fn add_learning(&mut self, memory: &'a Arc<Memory>, learning: &Learning, prints: &Fingerprints<'_>) {
        let own = (!learning.fingerprint.is_empty()).then(|| learning.fingerprint.clone());
        for print in own.into_iter().chain(prints.of(&headline(&learning.error))) {
            put(&mut self.learnings, memory, &print);
            if made::is_own(memory) {
                continue;
            }
            for (text, index) in [(&learning.cause, &mut self.causes), (&learning.fix, &mut self.fixes)] {
                if says_something(text) {
                    put(index, memory, &print);
                }
            }
        }
    }

    fn add_anti(&mut self, memory: &'a Arc<Memory>, texts: [&String; 2], prints: &Fingerprints<'_>) {
        for print in texts.iter().flat_map(|text| prints.named_in(text)) {
            put(&mut self.antis, memory, &print);
        }
        let told = made::flat(texts[0], 600);
        put(&mut self.approaches, memory, &told);
        for quoted in told.split('`').skip(1).step_by(2).take(8) {
            put(&mut self.approaches, memory, &format!("`{quoted}`"));
        }
    }

    pub(super) fn learning(&self, key: &(Scope, String)) -> Option<&'a Arc<Memory>> {
        self.learnings.get(key).copied()
    }

    pub(super) fn cause(&self, key: &(Scope, String)) -> Option<String> {
        learning(self.causes.get(key)?).map(|learning| made::flat(&learning.cause, LONGEST))
    }

    pub(super) fn fix(&self, key: &(Scope, String)) -> Option<String> {
        learning(self.fixes.get(key)?).map(|learning| made::flat(&learning.fix, LONGEST))
    }

    pub(super) fn anti(&self, key: &(Scope, String)) -> Option<&'a Arc<Memory>> {
        self.antis.get(key).copied()
    }

    /// The anti-pattern on this sort of error that was learnt mostly from these episodes.
    pub(super) fn anti_of_kind(&self, scope: Scope, met: &[Met<'_>]) -> Option<&'a Arc<Memory>> {
        let ids: BTreeSet<&str> = met.iter().map(|one| one.memory.id.as_str()).collect();
        let kinds: BTreeSet<&String> = met.iter().flat_map(|one| &one.kinds).filter(|kind| !kind.is_empty()).collect();
        let named = kinds.into_iter().filter_map(|kind| self.kinds.get(&(scope, kind.clone()))).flatten();
        let about = |learnt: &[&str]| {
            let shared = learnt.iter().filter(|id| ids.contains(*id)).count();
            shared > 0 && shared * 2 >= learnt.len()
        };
        named.filter(|(_, learnt)| about(learnt)).map(|(memory, _)| *memory).min_by_key(|memory| &memory.id)
    }

    pub(super) fn approach(&self, scope: Scope, told: &str) -> Option<&'a Arc<Memory>> {
        self.approaches.get(&(scope, made::flat(told, 600))).copied()
    }
}

fn learning(memory: &Memory) -> Option<&Learning> {
    match &memory.body {
        Body::Learning(learning) => Some(learning),
        _ => None,
    }
}

/// Of several that speak of one error, a person's gains the evidence, then the night's own, then the oldest.
fn put<'a>(index: &mut ByError<'a>, memory: &'a Arc<Memory>, print: &str) {
    let rank = |memory: &Memory| {
        let owner = (memory.source != Source::User, !made::is_own(memory));
        (memory.times.expired_at.is_some(), owner, memory.times.created_at)
    };
    let place = index.entry((memory.scope, print.to_owned())).or_insert(memory);
    if (rank(memory), &memory.id) < (rank(place), &place.id) {
        *place = memory;
    }
}
