//! What planners ask of the house, answered from one snapshot: likeness, errors, steps, lengths, and the code that
//! memories speak of.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::familiar::Familiar;
use super::ground::Grounds;
use crate::encode::embed::pairs::Pairs;
use crate::encode::{compress, errors, workflows};
use crate::engine::company::{self, Words};
use crate::engine::decide;
use crate::engine::project::Project;
use crate::engine::search::Ready;
use crate::index::Snapshot;
use crate::index::roster::Filter;
use crate::manage::plan::{Around, Ground};
use crate::manage::statement::{self, Judgement, Read};
use crate::manage::{contradict, merge};
use crate::model::{Key, Level, Memory, MemoryId, Namespace, Scope, Timestamp, Usage, Verdict};

/// So many statements are kept in mind as they were read.
const REMEMBERED: usize = 8_192;

/// So many pairs of statements are read together in one night, some thirty milliseconds each. When very many memories
/// came at once, the others are judged by what can be read off.
const MOST_WEIGHED: usize = 150;

/// A way to find memories that are like one.
type Find = fn(&Ready, &Memory, usize, &Filter) -> Vec<(u32, f32)>;

pub(super) struct Surroundings<'a> {
    project: &'a Project,
    snapshot: &'a Snapshot,
    namespace: &'a Namespace,
    now: Timestamp,
    familiar: &'a Familiar,
    ready: &'a Option<Ready>,
    words: Words<'a>,
    /// Statements that were read: most are held against many others.
    read: Mutex<HashMap<String, Arc<Read>>>,
    /// Made when it is first asked for: most phases do not look at the code …
    grounds: OnceLock<Grounds>,
    /// … nor hold two statements against each other. How many pairs this night has read together.
    pairs: OnceLock<Arc<Pairs>>,
    weighed: &'a AtomicUsize,
}

impl<'a> Surroundings<'a> {
    pub(super) fn new(
        project: &'a Project,
        snapshot: &'a Snapshot,
        namespace: &'a Namespace,
        now: Timestamp,
        familiar: &'a Familiar,
        ready: &'a Option<Ready>,
        weighed: &'a AtomicUsize,
    ) -> Surroundings<'a> {
        Surroundings {
            project,
            snapshot,
            namespace,
            now,
            familiar,
            ready,
            words: Words::new(ready.as_ref()),
            read: Mutex::default(),
            grounds: OnceLock::new(),
            pairs: OnceLock::new(),
            weighed,
        }
    }

    /// How two statements stand to each other.
    pub(super) fn compared(&self, a: &str, b: &str) -> Judgement {
        let alike = |one: &str, other: &str| self.words.alike(one, other);
        let weigh = |one: &str, other: &str| {
            let may = self.weighed.fetch_add(1, Ordering::Relaxed) < MOST_WEIGHED;
            may.then(|| self.pairs.get_or_init(Pairs::built_in).weigh(one, other))
        };
        statement::compare_read(&self.read(a), &self.read(b), &alike, &weigh)
    }

    fn read(&self, text: &str) -> Arc<Read> {
        if let Some(read) = self.read.lock().get(text) {
            return Arc::clone(read);
        }
        let read = Arc::new(statement::read(text));
        let mut known = self.read.lock();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(text.to_owned(), Arc::clone(&read));
        read
    }

    /// The same, with the judge's word where the rules are not sure and somebody was named to be asked. What is private
    /// or restricted is told to nobody.
    pub(super) fn ruled(&self, a: &Memory, b: &Memory) -> Judgement {
        let may_be_told = |memory: &Memory| memory.scope != Scope::UserPrivate && !memory.restricted;
        let judgement = self.compared(&a.text, &b.text);
        let unclear = !judgement.clear && matches!(judgement.verdict, Verdict::Contradicts | Verdict::Compatible);
        if !unclear || !may_be_told(a) || !may_be_told(b) {
            return judgement;
        }
        let config = self.project.config.load();
        let over = || self.is_over();
        match self.project.judge.ask(&config.judge, &a.text, &b.text, self.project.clock.now(), &over) {
            Some(verdict) if verdict != judgement.verdict => {
                // Whoever overrules is believed, and never so much that nobody needs to look.
                Judgement {
                    verdict,
                    score: contradict::SURE,
                    why: format!("{} (by the judge)", judgement.why),
                    ..judgement
                }
            }
            _ => judgement,
        }
    }

    pub(super) fn judged(&self, a: &str, b: &str) -> merge::Judged {
        let verdict = self.compared(a, b).verdict;
        merge::Judged { duplicate: verdict == Verdict::Duplicate, contradicts: verdict == Verdict::Contradicts }
    }

    fn around(&self, memory: &Memory, most: usize, find: Find) -> Vec<(Arc<Memory>, f32)> {
        let Some(ready) = self.ready.as_ref() else { return Vec::new() };
        let mut filter = Filter::new(self.namespace.clone(), self.now);
        (filter.unverified, filter.restricted, filter.invalid) = (true, true, true);
        // One more, for itself.
        let found = find(ready, memory, most + 1, &filter).into_iter();
        let living = found.filter_map(|(number, likeness)| Some((self.living(ready, number)?, likeness)));
        let others = living.filter(|(other, _)| other.id != memory.id && !self.snapshot.is_derived(&other.key()));
        others.map(|(other, likeness)| (Arc::clone(other), likeness)).collect()
    }

    fn living(&self, ready: &Ready, number: u32) -> Option<&'a Arc<Memory>> {
        self.snapshot.get(ready.view.roster.key(number))
    }
}

impl Around for Surroundings<'_> {
    fn usage(&self, memory: &Memory) -> Usage {
        self.project.usage.of(memory)
    }

    fn near(&self, memory: &Memory, most: usize) -> Vec<(Arc<Memory>, f32)> {
        self.around(memory, most, company::alike)
    }

    fn like(&self, memory: &Memory, most: usize) -> Vec<(Arc<Memory>, f32)> {
        self.around(memory, most, company::close)
    }

    fn meaning(&self, text: &str) -> Option<Vec<f32>> {
        self.words.meaning(text).map(|meaning| meaning.to_vec())
    }

    fn fingerprint(&self, error: &str) -> String {
        blake3::hash(errors::normalise(error).as_bytes()).to_hex()[..16].to_owned()
    }

    fn step(&self, action: &str) -> Option<String> {
        workflows::step(action)
    }

    fn shorten(&self, memory: &Memory, level: Level) -> String {
        compress::made(memory, level)
    }

    fn ground(&self, memory: &Memory) -> Ground {
        self.grounds.get_or_init(|| Grounds::of(self.project)).under(memory)
    }

    fn is_fresh(&self, memory: &Memory) -> bool {
        !self.familiar.knows(memory)
    }

    fn is_free(&self, id: &MemoryId) -> bool {
        decide::is_free(self.snapshot, &Key::new(self.namespace, id))
    }

    fn is_buried(&self, memory: &Memory) -> bool {
        self.snapshot.is_buried(&memory.fingerprint())
    }

    fn is_over(&self) -> bool {
        self.project.night.is_over()
    }
}
