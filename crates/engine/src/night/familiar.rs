//! Which memories were held against all others already, as they are now: the rest are fresh. A night changes much that
//! does not matter to a comparison (lengths, tiers, counts), and whoever was changed by that alone is not compared again.
//! What counts is what a memory says, not when: so what another hand brings in with an old date is fresh, whatever the
//! clock did.
//!
//! Derived: without the file everything is fresh, which costs a longer night and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lokid_manage::plan::Phase;
use lokid_model::{Body, Memory, Namespace, Timestamp};
use lokid_sys::plain;

/// A larger file is not ours.
const LARGEST: u64 = 64 << 20;
const WIDTH: usize = 8;
/// The phases that begin with what is fresh and hold it against everything else.
const COMPARING: [Phase; 3] = [Phase::Dedupe, Phase::Contradict, Phase::Connect];

/// Marks of memories, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Familiar(Vec<u64>);

impl Familiar {
    fn of(memories: &[Arc<Memory>]) -> Familiar {
        let mut marks: Vec<u64> = memories.iter().map(|memory| mark(memory)).collect();
        marks.sort_unstable();
        Familiar(marks)
    }

    pub(super) fn knows(&self, memory: &Memory) -> bool {
        !self.0.is_empty() && self.has(mark(memory))
    }

    fn has(&self, mark: u64) -> bool {
        self.0.binary_search(&mark).is_ok()
    }

    /// What cannot be read knows nobody.
    pub(super) fn read(night: &Path) -> Familiar {
        let bytes = plain::read(&beside(night), LARGEST).ok().flatten().unwrap_or_default();
        let (marks, rest) = bytes.as_chunks::<WIDTH>();
        let marks: Vec<u64> = marks.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        let is_ours = rest.is_empty() && marks.is_sorted();
        Familiar(if is_ours { marks } else { Vec::new() })
    }

    pub(super) fn write(&self, night: &Path) -> std::io::Result<()> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|mark| mark.to_le_bytes()).collect();
        plain::replace(&beside(night), &bytes)
    }
}

/// What the last whole night went through, and what each phase of this one did.
#[derive(Debug, Default)]
pub(super) struct Passed {
    before: Familiar,
    now: BTreeMap<(Namespace, Phase), Familiar>,
    /// Those that could not be held against all they should have been: nothing more comes of them tonight.
    undone: BTreeSet<u64>,
}

impl Passed {
    pub(super) fn since(night: Option<&Path>) -> Passed {
        Passed { before: night.map(Familiar::read).unwrap_or_default(), ..Passed::default() }
    }

    /// Whom a phase need not compare with each other.
    pub(super) fn by(&self, phase: Phase, namespace: &Namespace) -> &Familiar {
        self.now.get(&(namespace.clone(), phase)).unwrap_or(&self.before)
    }

    /// A phase compared all of these as far as it could, and everything that came of it was done.
    pub(super) fn note(
        &mut self,
        phase: Phase,
        namespace: &Namespace,
        seen: &[Arc<Memory>],
        is_done: impl Fn(&Memory) -> bool,
    ) {
        if COMPARING.contains(&phase) {
            self.undone.extend(seen.iter().filter(|memory| !is_done(memory)).map(|memory| mark(memory)));
            self.now.insert((namespace.clone(), phase), Familiar::of(seen));
        }
    }

    /// Those that every phase went through, and held against all.
    pub(super) fn by_all(&self) -> Familiar {
        let spaces: BTreeSet<&Namespace> = self.now.keys().map(|(space, _)| space).collect();
        let [first, others @ ..] = COMPARING;
        let mut marks: Vec<u64> = Vec::new();
        for space in spaces {
            let others = others.map(|phase| self.by(phase, space));
            let met = self.by(first, space).0.iter().copied();
            let is_done = |mark: &u64| !self.undone.contains(mark) && others.iter().all(|other| other.has(*mark));
            marks.extend(met.filter(is_done));
        }
        marks.sort_unstable();
        marks.dedup();
        Familiar(marks)
    }
}

/// Beside what is known of the nights.
fn beside(night: &Path) -> PathBuf {
    night.with_extension("seen")
}

/// Tells apart what a comparison could judge differently.
fn mark(memory: &Memory) -> u64 {
    let mut print = Print::default();
    print.texts([memory.namespace.as_str(), memory.id.as_str(), memory.kind.as_str(), memory.scope.as_str()]);
    print.texts([memory.status.as_str(), memory.source.as_str(), &memory.title, &memory.text]);
    print.texts([memory.outcome.map_or("", |outcome| outcome.as_str()), if memory.restricted { "r" } else { "" }]);
    print.texts(memory.sources.iter().map(String::as_str));
    for anchors in [&memory.anchors.files, &memory.anchors.symbols, &memory.anchors.commits] {
        print.texts(anchors.iter().map(String::as_str));
    }
    let times = &memory.times;
    for time in [Some(times.created_at), Some(times.valid_at), times.invalid_at, times.expired_at, times.stale_after] {
        print.number(time.map_or(i64::MIN, Timestamp::as_micros));
    }
    match &memory.body {
        // By far the most there are.
        Body::Episode(episode) => {
            print.texts([episode.task_id.as_str(), &episode.goal, episode.git_commit.as_deref().unwrap_or_default()]);
            for files in [&episode.files_read, &episode.files_modified] {
                print.texts(files.iter().map(String::as_str));
            }
            for error in &episode.errors {
                print.texts([error.kind.as_str(), &error.message, &error.resolution]);
            }
            for step in &episode.action_log {
                print.texts([step.action.as_str(), &step.target, &step.result, &step.error]);
            }
        }
        body => print.texts([format!("{body:?}").as_str()]),
    }
    print.end()
}

/// Put together first: hashing many small pieces takes longer than one whole.
#[derive(Default)]
struct Print(Vec<u8>);

impl Print {
    fn texts<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) {
        let mut count = 0;
        for text in texts {
            self.number(text.len() as i64);
            self.0.extend_from_slice(text.as_bytes());
            count += 1;
        }
        self.number(count);
    }

    fn number(&mut self, number: i64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn end(&self) -> u64 {
        let hash = blake3::hash(&self.0);
        hash.as_bytes().iter().take(WIDTH).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Kind, MemoryId, Tier};

    fn note(id: &str, text: &str) -> Memory {
        Memory::new(MemoryId::new(id).unwrap(), Kind::Note, text, Timestamp::from_micros(5))
    }

    fn all(memories: &[Memory]) -> Vec<Arc<Memory>> {
        memories.iter().cloned().map(Arc::new).collect()
    }

    #[test]
    fn what_was_there_is_known_and_what_it_says_anew_makes_it_fresh() {
        let (a, b) = (note("a", "one"), note("b", "two"));
        let familiar = Familiar::of(&all(&[a.clone(), b.clone()]));
        assert!(familiar.knows(&a) && familiar.knows(&b));
        assert!(!familiar.knows(&note("c", "one")), "with however old a date");
        let mut rewritten = a.clone();
        rewritten.text = "another hand did not say when".to_owned();
        let mut placed = a.clone();
        placed.anchors.files.push("gate.rs".to_owned());
        let mut ended = a.clone();
        ended.times.expired_at = Some(Timestamp::from_micros(50));
        for other in [rewritten, placed, ended] {
            assert!(!familiar.knows(&other), "{other:?}");
        }
        assert!(!Familiar::default().knows(&b));
    }

    #[test]
    fn shorter_lengths_tiers_and_counts_make_nobody_fresh() {
        let before = note("a", "the gate opens at nine");
        let mut after = before.clone();
        after.shorter.summary = Some("opens at nine".to_owned());
        after.tier = Tier::Guardrail;
        after.usage.loaded = 9;
        after.times.updated_at = Timestamp::from_micros(50);
        assert!(Familiar::of(&all(&[before])).knows(&after));
    }

    #[test]
    fn another_step_of_an_episode_is_another_story() {
        let mut before = note("a", "did it");
        before.body = Body::Episode(Box::default());
        let mut after = before.clone();
        let Body::Episode(episode) = &mut after.body else { unreachable!() };
        episode.action_log.push(Default::default());
        assert!(!Familiar::of(&all(&[before])).knows(&after));
    }

    #[test]
    fn a_phase_knows_what_it_went_through_and_the_night_what_all_did() {
        let (mut passed, place) = (Passed::default(), Namespace::default());
        let (a, b) = (note("a", "one"), note("b", "two"));
        passed.note(Phase::Dedupe, &place, &all(&[a.clone(), b.clone()]), |_| true);
        passed.note(Phase::Learn, &place, &all(std::slice::from_ref(&a)), |_| true);
        assert!(passed.by(Phase::Dedupe, &place).knows(&a));
        assert!(!passed.by(Phase::Connect, &place).knows(&a));
        assert!(!passed.by(Phase::Learn, &place).knows(&a), "it goes by the last whole night");
        assert_eq!(passed.by_all(), Familiar::default());
        passed.note(Phase::Contradict, &place, &all(&[a.clone(), b.clone()]), |_| true);
        passed.note(Phase::Connect, &place, &all(std::slice::from_ref(&a)), |_| true);
        assert!(passed.by_all().knows(&a) && !passed.by_all().knows(&b));
        passed.note(Phase::Connect, &place, &all(&[a.clone(), b.clone()]), |memory| memory.id != a.id);
        assert!(passed.by(Phase::Connect, &place).knows(&a), "tonight nothing more comes of it");
        assert!(!passed.by_all().knows(&a) && passed.by_all().knows(&b));
    }

    #[test]
    fn it_comes_back_from_its_file_and_a_broken_one_knows_nobody() {
        let lab = tempfile::tempdir().unwrap();
        let night = lab.path().join("night.json");
        assert_eq!(Familiar::read(&night), Familiar::default());
        let familiar = Familiar::of(&all(&[note("a", "one"), note("b", "two"), note("c", "three")]));
        familiar.write(&night).unwrap();
        assert_eq!(Familiar::read(&night), familiar);
        plain::replace(&beside(&night), b"not a row of marks").unwrap();
        assert_eq!(Familiar::read(&night), Familiar::default());
    }
}
