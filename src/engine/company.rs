//! Those that a memory is held against when it is told: found by meaning and by words, without holding up the writer.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::decide::Company;
use super::project::Project;
use super::search::{Ready, SearchHandle};
use crate::encode::embed::pairs::Pairs;
use crate::index::roster::Filter;
use crate::index::searchable::passages;
use crate::index::vector::Question;
use crate::manage::contradict;
use crate::manage::statement::{self, Judgement, Read, Weigh};
use crate::model::{Key, Memory, Timestamp};
use crate::retrieve::query;

/// From this likeness on two memories may say the same; the words decide.
const TWINS: f32 = 0.95;
const MOST_TWINS: usize = 4;
/// A question waits this long for the indexes to open.
const OPENING: Duration = Duration::from_secs(5);
/// Words whose meaning was asked for are remembered, up to this many.
const REMEMBERED: usize = 50_000;
/// The same between one memory that is told and the next.
const REMEMBERED_FOR_LONG: usize = 2_000;
/// Statements that were read stay read, up to this many: who told something tells more about it.
const READ: usize = 512;

pub(super) struct Writers<'a> {
    pub(super) search: Option<&'a SearchHandle>,
    pub(super) now: Timestamp,
}

impl Company for Writers<'_> {
    /// Long texts are not compared: no two long texts say quite the same.
    fn twins(&self, memory: &Memory) -> Vec<Key> {
        let Some(ready) = self.ready() else { return Vec::new() };
        let (Some(ready), true) = (ready.as_ref(), passages(memory).len() == 1) else { return Vec::new() };
        let mut filter = Filter::new(memory.namespace.clone(), self.now);
        (filter.unverified, filter.restricted, filter.kinds) = (true, true, vec![memory.kind]);
        let Some(question) = question(ready, memory) else { return Vec::new() };
        let found = ready.view.nearest(&question, MOST_TWINS, &filter).into_iter();
        let alike = found.filter(|(_, likeness)| *likeness >= TWINS);
        alike.map(|(number, _)| ready.view.roster.key(number).clone()).collect()
    }

    fn neighbours(&self, memory: &Memory) -> Vec<(Key, f32)> {
        let Some(ready) = self.ready() else { return Vec::new() };
        let Some(ready) = ready.as_ref() else { return Vec::new() };
        let filter = Filter::new(memory.namespace.clone(), self.now);
        let found = alike(ready, memory, contradict::CANDIDATES, &filter).into_iter();
        found.map(|(number, likeness)| (ready.view.roster.key(number).clone(), likeness)).collect()
    }

    /// Reading both together takes too long for a writer; the night does that.
    fn compare(&self, a: &str, b: &str) -> Judgement {
        self.judge(a, b, &|_, _| None)
    }
}

/// What was read and understood for the last comparisons.
#[derive(Default)]
pub(super) struct Readings {
    statements: Mutex<HashMap<String, Arc<Read>>>,
    /// By the model that told them.
    meanings: Mutex<(String, Arc<Meanings>)>,
}

impl Readings {
    fn read(&self, text: &str) -> Arc<Read> {
        if let Some(known) = self.statements.lock().get(text) {
            return Arc::clone(known);
        }
        let read = Arc::new(statement::read(text));
        let mut statements = self.statements.lock();
        if statements.len() >= READ {
            statements.clear();
        }
        statements.insert(text.to_owned(), Arc::clone(&read));
        read
    }

    fn words<'a>(&self, ready: Option<&'a Ready>) -> Words<'a> {
        let mut known = self.meanings.lock();
        let model = ready.map_or("", |ready| ready.embedder.id());
        if known.0 != model {
            *known = (model.to_owned(), Arc::default());
        }
        Words { ready, meanings: Arc::clone(&known.1), most: REMEMBERED_FOR_LONG }
    }
}

/// Many records at once are not held against the others one by one; the next night does that.
pub(super) struct Alone;

impl Company for Alone {
    fn twins(&self, _: &Memory) -> Vec<Key> {
        Vec::new()
    }

    fn neighbours(&self, _: &Memory) -> Vec<(Key, f32)> {
        Vec::new()
    }

    fn compare(&self, a: &str, b: &str) -> Judgement {
        statement::compare(a, b, &|_, _| 0.0)
    }
}

impl Project {
    /// How two statements stand to each other.
    pub fn compare(&self, a: &str, b: &str) -> Judgement {
        Writers { search: Some(self.search()), now: self.clock.now() }.consider(a, b, &Pairs::built_in())
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// What is known about the same thing, and how it stands to this.
    pub fn hold_against(&self, memory: &Memory) -> Vec<(Arc<Memory>, Judgement)> {
        let now = self.clock.now();
        self.search().opened(OPENING);
        let company = Writers { search: Some(self.search()), now };
        let (snapshot, pairs) = (self.snapshot(), Pairs::built_in());
        let mut found = Vec::new();
        for (key, likeness) in company.neighbours(memory) {
            let Some(known) = snapshot.get(&key).filter(|known| contradict::speaks(known, now)) else { continue };
            if contradict::comparable(known, memory, likeness) {
                found.push((Arc::clone(known), company.consider(&known.text, &memory.text, &pairs)));
            }
        }
        found
    }
}

impl Writers<'_> {
    /// As `compare`, for whoever has the time.
    fn consider(&self, a: &str, b: &str, pairs: &Pairs) -> Judgement {
        self.judge(a, b, &|one, other| Some(pairs.weigh(one, other)))
    }

    fn judge(&self, a: &str, b: &str, weigh: Weigh<'_>) -> Judgement {
        let Some(search) = self.search else { return Alone.compare(a, b) };
        let (ready, readings) = (search.ready(), &search.readings);
        let words = readings.words(ready.as_ref().as_ref());
        statement::compare_read(&readings.read(a), &readings.read(b), &|one, other| words.alike(one, other), weigh)
    }

    /// A slow model would hold up the writer.
    fn ready(&self) -> Option<Arc<Option<Ready>>> {
        let ready = self.search?.ready();
        ready.as_ref().as_ref().is_some_and(|ready| ready.embedder.is_instant()).then_some(ready)
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
    let question = question(ready, memory);
    let mut found: HashMap<u32, f32> = HashMap::new();
    if let Some(question) = &question {
        found.extend(ready.view.nearest(question, most, filter));
    }
    let roster = &ready.view.roster;
    let wanted = query::wanted(query::beginning(&memory.text));
    if let Some(scores) = ready.view.score(&wanted, most, filter) {
        for number in ready.view.best(&scores, most, filter) {
            let likeness = || question.as_ref().and_then(|asked| ready.view.meanings.likeness(asked, number));
            found.entry(number).or_insert_with(|| likeness().unwrap_or(0.0));
        }
    }
    let mut found: Vec<(u32, f32)> = found.into_iter().collect();
    found.sort_by(|one, other| {
        other.1.total_cmp(&one.1).then_with(|| roster.facet(one.0).lot.cmp(&roster.facet(other.0).lot))
    });
    found
}

/// How alike words are, by the model of the index.
pub(super) struct Words<'a> {
    ready: Option<&'a Ready>,
    meanings: Arc<Meanings>,
    /// So many are remembered.
    most: usize,
}

/// Vectors of length 1, by the words.
type Meanings = Mutex<HashMap<String, Option<Arc<Vec<f32>>>>>;

impl<'a> Words<'a> {
    pub(super) fn new(ready: Option<&'a Ready>) -> Words<'a> {
        Words { ready, meanings: Arc::default(), most: REMEMBERED }
    }

    pub(super) fn alike(&self, one: &str, other: &str) -> f32 {
        match (self.meaning(one), self.meaning(other)) {
            (Some(one), Some(other)) => one.iter().zip(other.iter()).map(|(one, other)| one * other).sum(),
            _ => 0.0,
        }
    }

    /// As a vector of length 1.
    pub(super) fn meaning(&self, text: &str) -> Option<Arc<Vec<f32>>> {
        if let Some(known) = self.meanings.lock().get(text) {
            return known.clone();
        }
        let meaning = self.ready.and_then(|ready| {
            let vector = ready.embedder.embed(text);
            let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
            (length > 0.0).then(|| Arc::new(vector.iter().map(|value| value / length).collect()))
        });
        let mut meanings = self.meanings.lock();
        if meanings.len() >= self.most {
            meanings.clear();
        }
        meanings.insert(text.to_owned(), meaning.clone());
        meaning
    }
}
