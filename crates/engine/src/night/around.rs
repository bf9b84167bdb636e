//! What planners ask of the house, answered from one snapshot: likeness, errors, steps, lengths, and the code that
//! memories speak of.

use std::sync::{Arc, OnceLock};

use super::Tools;
use super::familiar::Familiar;
use super::ground::AnchorCheck;
use crate::company::{self, PairReader, Words};
use crate::decide;
use crate::search::Ready;
use lokid_encode::{compress, errors, workflows};
use lokid_index::Snapshot;
use lokid_index::roster::Filter;
use lokid_manage::contradict;
use lokid_manage::plan::{Anchored, Around};
use lokid_manage::statement::{self, Judgement};
use lokid_model::{Key, Kind, Level, Memory, MemoryId, Namespace, Timestamp, Usage, Verdict};

/// A way to find memories that are like one.
type Find = fn(&Ready, &Memory, usize, &Filter) -> Vec<(u32, f32)>;

pub(super) struct Surroundings<'a> {
    tools: &'a Tools,
    snapshot: &'a Snapshot,
    namespace: &'a Namespace,
    now: Timestamp,
    familiar: &'a Familiar,
    ready: &'a Option<Ready>,
    words: Words,
    subjects: Words,
    /// Made when it is first asked for: most phases do not look at the code.
    grounds: OnceLock<AnchorCheck>,
    reader: &'a PairReader,
}

impl<'a> Surroundings<'a> {
    pub(super) fn new(
        tools: &'a Tools,
        snapshot: &'a Snapshot,
        namespace: &'a Namespace,
        now: Timestamp,
        familiar: &'a Familiar,
        ready: &'a Option<Ready>,
        reader: &'a PairReader,
    ) -> Surroundings<'a> {
        Surroundings {
            tools,
            snapshot,
            namespace,
            now,
            familiar,
            ready,
            words: Words::new(ready.as_ref()),
            subjects: Words::of_subjects(),
            grounds: OnceLock::new(),
            reader,
        }
    }

    /// How each two statements stand to each other, with the judge's word where the model is not sure and somebody was named
    /// to be asked. What is private or restricted is told to nobody.
    pub(super) fn ruled(&self, pairs: &[contradict::Pair<'_>]) -> Vec<Option<Judgement>> {
        let texts: Vec<(&str, &str)> = pairs.iter().map(|(a, b)| (a.text.as_str(), b.text.as_str())).collect();
        let shares = self.reader.weigh(&texts, &|| self.is_over());
        let judge = |((a, b), shares): (&contradict::Pair<'_>, Option<statement::Shares>)| {
            let judgement = statement::judge(&a.text, &b.text, shares?);
            Some(self.heard(a, b, judgement))
        };
        pairs.iter().zip(shares).map(judge).collect()
    }

    fn heard(&self, a: &Memory, b: &Memory, judgement: Judgement) -> Judgement {
        let may_be_told = |memory: &Memory| memory.scope.is_shared() && !memory.restricted;
        let unclear = !judgement.clear && matches!(judgement.verdict, Verdict::Contradicts | Verdict::Compatible);
        if !unclear || !may_be_told(a) || !may_be_told(b) {
            return judgement;
        }
        let config = self.tools.env.config.load();
        let over = || self.is_over();
        match self.tools.judge.ask(&config.judge, &a.text, &b.text, self.tools.env.clock.now(), &over) {
            Some(verdict) if verdict != judgement.verdict => {
                // Whoever overrules is believed, and never so much that nobody needs to look.
                let why = format!("{} (by the judge)", judgement.why);
                Judgement { verdict, score: statement::TOLD, why, ..judgement }
            }
            _ => judgement,
        }
    }

    /// Which of these say the same, so surely that nobody needs to be asked.
    pub(super) fn same(&self, pairs: &[(&str, &str)]) -> Vec<bool> {
        let shares = self.reader.weigh(pairs, &|| self.is_over());
        let same = |((a, b), shares): (&(&str, &str), Option<statement::Shares>)| {
            let judgement = shares.map(|shares| statement::judge(a, b, shares));
            judgement.is_some_and(|found| found.verdict == Verdict::Duplicate && found.clear)
        };
        pairs.iter().zip(shares).map(same).collect()
    }

    /// Whoever asks for certain kinds asks for what holds: those that ended stay near for ever.
    fn filter(&self, kinds: &[Kind]) -> Filter {
        let mut filter = Filter::new(self.namespace.clone(), self.now);
        filter.kinds = kinds.to_vec();
        (filter.unverified, filter.restricted, filter.invalid) = (true, true, kinds.is_empty());
        filter
    }

    fn around(&self, memory: &Memory, kinds: &[Kind], most: usize, find: Find) -> Vec<(Arc<Memory>, f32)> {
        let Some(ready) = self.ready.as_ref() else { return Vec::new() };
        let filter = self.filter(kinds);
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
        self.tools.sessions.usage.of(memory)
    }

    fn near(&self, memory: &Memory, most: usize) -> Vec<(Arc<Memory>, f32)> {
        self.around(memory, &[], most, company::alike)
    }

    fn about(&self, memory: &Memory, kinds: &[Kind], most: usize) -> Vec<(Arc<Memory>, f32)> {
        let Some(ready) = self.ready.as_ref() else { return Vec::new() };
        let filter = self.filter(kinds);
        let found =
            company::about_the_same(ready, self.snapshot, &self.subjects, memory, most + 1, &filter).into_iter();
        let others = found.filter(|(other, _)| other.id != memory.id && !self.snapshot.is_derived(&other.key()));
        others.map(|(other, likeness)| (Arc::clone(other), likeness)).collect()
    }

    fn like_among(&self, memory: &Memory, kinds: &[Kind], most: usize) -> Vec<(Arc<Memory>, f32)> {
        self.around(memory, kinds, most, company::close)
    }

    fn like(&self, memory: &Memory, most: usize) -> Vec<(Arc<Memory>, f32)> {
        self.around(memory, &[], most, company::close)
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

    fn ground(&self, memory: &Memory) -> Anchored {
        self.grounds.get_or_init(|| AnchorCheck::of(&self.tools.env.root, &self.tools.repository)).under(memory)
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
        self.tools.night.is_over()
    }
}
