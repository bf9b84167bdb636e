//! Those that a memory is held against, found by meaning and by words, and how two statements stand to each other: by the
//! model that reads both, asked once for each two.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::search::{Ready, SearchHandle};
use lokid_index::Snapshot;
use lokid_index::roster::Filter;
use lokid_index::searchable::passages;
use lokid_index::vector::Question;
use lokid_manage::contradict;
use lokid_manage::statement::{self, Judgement, Shares};
use lokid_model::{Key, Memory, Timestamp};
use lokid_retrieve::query;
use lokid_text::Embedder;
use lokid_text::pairs::{Pairs, Statement};

/// From this likeness on two memories may say the same; the words decide.
const TWINS: f32 = 0.95;
const MOST_TWINS: usize = 4;
/// Words whose meaning was asked for are remembered, up to this many.
const REMEMBERED: usize = 50_000;
/// So many times as many as are wanted are looked at by meaning, and by words.
const WIDER: usize = 5;
/// So many of the nearest by meaning are asked what they are about.
const POOL: usize = 200;
/// So many pairs are read between two looks at whether anybody still wants to know.
const AT_ONCE: usize = 16;

/// Memories that are so alike in meaning that they may say the same, best first. Long texts are not compared: no two long
/// texts say quite the same. A slow model would hold up whoever writes.
pub(super) fn twins(search: Option<&SearchHandle>, memory: &Memory, now: Timestamp) -> Vec<Key> {
    let Some(ready) = search.map(SearchHandle::ready) else { return Vec::new() };
    let instant = |ready: &&Ready| ready.embedder.is_instant() && passages(memory).len() == 1;
    let Some(ready) = ready.as_ref().as_ref().filter(instant) else { return Vec::new() };
    let mut filter = Filter::new(memory.namespace.clone(), now);
    (filter.unverified, filter.restricted, filter.kinds) = (true, true, vec![memory.kind]);
    let found = close(ready, memory, MOST_TWINS, &filter).into_iter();
    let alike = found.filter(|(_, likeness)| *likeness >= TWINS);
    alike.map(|(number, _)| ready.view.roster.key(number).clone()).collect()
}

/// What is known about the same thing and may be denied by this, best first.
pub(super) fn disputable(
    ready: &Ready,
    snapshot: &Snapshot,
    memory: &Memory,
    most: usize,
    now: Timestamp,
) -> Vec<Arc<Memory>> {
    let mut filter = Filter::new(memory.namespace.clone(), now);
    filter.kinds = contradict::STATING.to_vec();
    let found = about_the_same(ready, snapshot, &Words::of_subjects(), memory, contradict::CANDIDATES, &filter);
    let fits = |(known, likeness): &(&Arc<Memory>, f32)| {
        contradict::speaks(known, now)
            && !snapshot.is_derived(&known.key())
            && contradict::comparable(known, memory, *likeness)
    };
    found.into_iter().filter(fits).take(most).map(|(known, _)| Arc::clone(known)).collect()
}

/// The memories that are about the same thing, and how surely. Best first. What denies another may share hardly a word with
/// it, and much that shares words is about something else.
pub(super) fn about_the_same<'a>(
    ready: &Ready,
    snapshot: &'a Snapshot,
    subjects: &Words,
    memory: &Memory,
    most: usize,
    filter: &Filter,
) -> Vec<(&'a Arc<Memory>, f32)> {
    let Some(asked) = subjects.meaning(&memory.text) else { return Vec::new() };
    let roster = &ready.view.roster;
    let near = close(ready, memory, POOL.max(most), filter).into_iter();
    let told = near.filter_map(|(number, _)| {
        let known = snapshot.get(roster.key(number))?;
        let subject = subjects.meaning(&known.text)?;
        Some((number, known, asked.iter().zip(subject.iter()).map(|(one, other)| one * other).sum::<f32>()))
    });
    let mut found: Vec<_> = told.collect();
    found.sort_by(|(one, _, by), (other, _, with)| {
        with.total_cmp(by).then_with(|| roster.facet(*one).lot.cmp(&roster.facet(*other).lot))
    });
    found.into_iter().take(most).map(|(_, known, likeness)| (known, likeness)).collect()
}

/// Reads statements together, each once and each two once, up to as many tokens as it may: what is long takes longer.
pub(super) struct PairReader {
    /// Made ready when it is first needed: most of the time nothing is compared.
    pairs: OnceLock<Arc<Pairs>>,
    known: Mutex<KnownPairs>,
    left: AtomicUsize,
}

#[derive(Default)]
struct KnownPairs {
    statements: HashMap<Mark, Arc<Statement>>,
    shares: HashMap<(Mark, Mark), Shares>,
    /// Whose pairs could not all be read.
    unread: HashSet<Mark>,
}

type Mark = [u8; 16];

fn mark(text: &str) -> Mark {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    short
}

impl Default for PairReader {
    fn default() -> PairReader {
        PairReader::of(usize::MAX)
    }
}

impl PairReader {
    pub(super) fn of(most: usize) -> PairReader {
        PairReader { pairs: OnceLock::new(), known: Mutex::default(), left: AtomicUsize::new(most) }
    }

    pub(super) fn judge(&self, a: &str, b: &str) -> Judgement {
        let at_once = statement::at_once(a, b);
        at_once.unwrap_or_else(|| {
            let shares = self.weigh(&[(a, b)], &|| false).pop().flatten();
            statement::judge(a, b, shares.unwrap_or([0.0, 0.0, 0.0, 1.0]))
        })
    }

    /// How likely it is of each two that one denies the other, says the same, stands beside it, or is about something else.
    /// Nothing for those that could not be read: there were too many, or it was over.
    pub(super) fn weigh(&self, pairs: &[(&str, &str)], is_over: &dyn Fn() -> bool) -> Vec<Option<Shares>> {
        let marks: Vec<(Mark, Mark)> =
            pairs.iter().map(|(a, b)| (mark(a), mark(b))).map(|(a, b)| if a <= b { (a, b) } else { (b, a) }).collect();
        let mut missing: Vec<usize> = Vec::new();
        let mut met = HashSet::new();
        {
            let known = self.known.lock();
            missing.extend(
                (0..pairs.len()).filter(|at| !known.shares.contains_key(&marks[*at]) && met.insert(marks[*at])),
            );
        }
        let mut unread: Vec<usize> = Vec::new();
        for part in missing.chunks(AT_ONCE) {
            if is_over() || self.left.load(Ordering::Relaxed) == 0 {
                unread.extend(part);
                continue;
            }
            let model = self.pairs.get_or_init(Pairs::built_in);
            let read: Vec<_> =
                part.iter().map(|at| (self.read(model, pairs[*at].0), self.read(model, pairs[*at].1))).collect();
            let both: Vec<_> = read.iter().map(|(one, other)| (one.as_ref(), other.as_ref())).collect();
            let tokens: usize = both.iter().map(|(one, other)| one.len() + other.len()).sum();
            let spend = |left: usize| Some(left.saturating_sub(tokens));
            let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend);
            let shares = model.weigh(&both);
            self.known.lock().shares.extend(part.iter().map(|at| marks[*at]).zip(shares));
        }
        let mut known = self.known.lock();
        known.unread.extend(unread.into_iter().flat_map(|at| <[Mark; 2]>::from(marks[at])));
        marks.iter().map(|both| known.shares.get(both).copied()).collect()
    }

    /// Was it held against all it should have been?
    pub(super) fn is_done_with(&self, memory: &Memory) -> bool {
        let known = self.known.lock();
        known.unread.is_empty() || !known.unread.contains(&mark(&memory.text))
    }

    fn read(&self, model: &Pairs, text: &str) -> Arc<Statement> {
        let mark = mark(text);
        if let Some(known) = self.known.lock().statements.get(&mark) {
            return Arc::clone(known);
        }
        let read = Arc::new(model.read(text));
        self.known.lock().statements.insert(mark, Arc::clone(&read));
        read
    }
}

fn question(ready: &Ready, memory: &Memory) -> Option<Question> {
    let passages = passages(memory);
    Question::of(&ready.embedder.embed(&passages.first()?.text))
}

/// The memories whose meaning is most like this one's. Best first.
pub(super) fn close(ready: &Ready, memory: &Memory, most: usize, filter: &Filter) -> Vec<(u32, f32)> {
    question(ready, memory).map_or_else(Vec::new, |question| ready.view.nearest(&question, most, filter))
}

/// The memories most like this one, by meaning and by words, with the likeness of their meanings. Best first.
pub(super) fn alike(ready: &Ready, memory: &Memory, most: usize, filter: &Filter) -> Vec<(u32, f32)> {
    // Whoever is fairly near by both is nearer than who is near by one alone.
    let wide = most.saturating_mul(WIDER);
    let question = question(ready, memory);
    // The likeness of meanings, and the share of the most that words can tell.
    let mut found: HashMap<u32, (f32, f32)> = HashMap::new();
    if let Some(question) = &question {
        found.extend(
            ready.view.nearest(question, wide, filter).into_iter().map(|(number, alike)| (number, (alike, 0.0))),
        );
    }
    let roster = &ready.view.roster;
    let wanted = query::wanted(query::beginning(&memory.text));
    if let Some(scores) = ready.view.score(&wanted, wide, filter) {
        let best = ready.view.best(&scores, wide, filter);
        let highest = best.iter().map(|number| scores.of(*number)).fold(f32::MIN_POSITIVE, f32::max);
        for number in best {
            let likeness = || question.as_ref().and_then(|asked| ready.view.meanings.likeness(asked, number));
            let told = found.entry(number).or_insert_with(|| (likeness().unwrap_or(0.0), 0.0));
            told.1 = scores.of(number) / highest;
        }
    }
    let mut found: Vec<(u32, (f32, f32))> = found.into_iter().collect();
    found.sort_by(|(one, by), (other, with)| {
        (with.0 + with.1).total_cmp(&(by.0 + by.1)).then_with(|| roster.facet(*one).lot.cmp(&roster.facet(*other).lot))
    });
    found.into_iter().take(most).map(|(number, (alike, _))| (number, alike)).collect()
}

/// How alike words are, by one model.
pub(super) struct Words {
    model: Option<Arc<Embedder>>,
    meanings: Meanings,
}

/// Vectors of length 1, by the words.
type Meanings = Mutex<HashMap<String, Option<Arc<Vec<f32>>>>>;

impl Words {
    /// By the model of the index.
    pub(super) fn new(ready: Option<&Ready>) -> Words {
        Words { model: ready.map(|ready| Arc::clone(&ready.embedder)), meanings: Mutex::default() }
    }

    /// By what they are about.
    pub(super) fn of_subjects() -> Words {
        Words { model: Some(Embedder::of_subjects()), meanings: Mutex::default() }
    }

    /// As a vector of length 1.
    pub(super) fn meaning(&self, text: &str) -> Option<Arc<Vec<f32>>> {
        if let Some(known) = self.meanings.lock().get(text) {
            return known.clone();
        }
        let meaning = self.model.as_ref().and_then(|model| {
            let vector = model.embed(text);
            let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
            (length > 0.0).then(|| Arc::new(vector.iter().map(|value| value / length).collect()))
        });
        let mut meanings = self.meanings.lock();
        if meanings.len() >= REMEMBERED {
            meanings.clear();
        }
        meanings.insert(text.to_owned(), meaning.clone());
        meaning
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::Verdict;

    #[test]
    fn a_number_a_denial_a_name_or_an_opposite_keeps_two_apart() {
        let text = "Run the integration tests before pushing to the main branch";
        let others = [
            format!("{text} 2 times"),
            format!("Never {text}"),
            format!("{text} of Loki"),
            text.replace("before", "after"),
        ];
        for other in others {
            let found = PairReader::default().judge(text, &other);
            assert_ne!(found.verdict, Verdict::Duplicate, "{other}: {found:?}");
        }
    }
}
