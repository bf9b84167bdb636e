//! From a question to the memories that answer it: candidates by words and by meaning, what their neighbours and links
//! say, the factors of the score, and an order in which near-duplicates do not crowd out the rest.
//!
//! Everything is decided by the snapshot, the view, the request and the day: the same four give the same bytes.

mod order;

pub use order::{NEARLY_AS_GOOD, has_room};

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::graph::{self, Arrival};
use super::query::{self, Query};
use super::reinforce;
use super::score::{self, Parts};
use super::task::{self, Weights};
use super::when::{Clue, Side};
use lokid_config::RecallConfig;
use lokid_index::Snapshot;
use lokid_index::roster::{Filter, Number};
use lokid_index::search::View;
use lokid_index::searchable::Searchable;
use lokid_index::text::view::{Scores, Wanted};
use lokid_index::vector::Question;
use lokid_model::{Key, Kind, Memory, TaskType, Timestamp, Usage};

pub struct Request {
    pub query: String,
    pub k: usize,
    pub task_type: Option<TaskType>,
    pub phase: Option<String>,
    pub action: Option<String>,
    /// Memories at home in these come first.
    pub files: Vec<String>,
    pub filter: Filter,
    pub min_score: Option<f64>,
}

/// What a question is answered from.
pub struct Sources<'a> {
    pub snapshot: &'a Snapshot,
    pub view: &'a View,
    /// The question as a vector of the view's model.
    pub vector: Option<Vec<f32>>,
    /// What is counted of a memory, on top of what its file says.
    pub usage: &'a dyn Fn(&Memory) -> Usage,
    pub weights: &'a RecallConfig,
}

pub struct Answer {
    pub task: TaskType,
    pub weights: Weights,
    pub hits: Vec<Hit>,
    /// The times it was asked about, if it was asked for nothing else.
    pub timeline: Vec<(i64, i64)>,
}

pub struct Hit {
    pub memory: Arc<Memory>,
    pub score: f64,
    pub parts: Parts,
    /// How it was reached over a link.
    pub arrival: Option<Arrival>,
    /// What it replaced, when that is what matched.
    pub instead_of: Option<Key>,
}

/// Neighbours on each side that tell about a memory.
const REACH: usize = 16;
/// How much the two next to it count, and the best of the occasion.
const BESIDE: f64 = 0.15;
const OCCASION: f64 = 0.6;
/// Numbers of memories up to which a store is small.
const SMALL_STORE: usize = 16_384;
/// In a large store: how many more than twice those asked for are heard together with those around them.
const HEARD: usize = 20;
/// The best matches whose links are followed.
const STARTS: usize = 8;
/// What is left when a successor answers in place of what matched.
const SUCCESSION: f64 = 0.95;
/// An event of a "before the …" must be named this well.
const EVENT: f32 = 0.5;

pub fn recall(sources: &Sources<'_>, request: &Request) -> Answer {
    let detected = task::detect(query::beginning(&request.query), request.action.as_deref(), request.phase.as_deref());
    let task = request.task_type.unwrap_or(detected.task_type);
    let weights = task::weights(task);
    let Some(search) = Search::new(sources, request, task, weights) else {
        return Answer { task, weights, hits: Vec::new(), timeline: Vec::new() };
    };
    if search.of_time_alone {
        let timeline = search.spans.clone();
        return Answer { task, weights, hits: search.of_the_time(), timeline };
    }
    Answer { task, weights, hits: search.run(), timeline: Vec::new() }
}

/// The words of a question that a memory holds.
pub fn matched_words(memory: &Memory, question: &str) -> Vec<String> {
    let held = Searchable::of(memory);
    let holds = |wanted: &Wanted| held.fields.iter().any(|words| words.contains(&wanted.word));
    query::wanted(question).into_iter().filter(holds).map(|wanted| wanted.word).collect()
}

struct Search<'a> {
    sources: &'a Sources<'a>,
    request: &'a Request,
    task: TaskType,
    weights: Weights,
    question: Option<Question>,
    scores: Scores,
    /// The best by words, also of what no longer holds, and the best by meaning.
    named: Vec<Number>,
    meant: Vec<Number>,
    spans: Vec<(i64, i64)>,
    of_time_alone: bool,
    /// Too long for any memory to answer much of it.
    is_long: bool,
    /// How far the meaning of the question can be told.
    certainty: f64,
    /// Words and meaning of memories already compared.
    direct: HashMap<Number, (f64, f64)>,
}

struct Candidate {
    memory: Arc<Memory>,
    parts: Parts,
    number: Option<Number>,
    arrival: Option<Arrival>,
    instead_of: Option<Key>,
}

impl Candidate {
    fn hit(self, score: f64) -> Hit {
        let Candidate { memory, parts, arrival, instead_of, .. } = self;
        Hit { memory, score, parts, arrival, instead_of }
    }
}

impl<'a> Search<'a> {
    fn new(sources: &'a Sources<'a>, request: &'a Request, task: TaskType, weights: Weights) -> Option<Search<'a>> {
        let now = request.filter.as_of.unwrap_or(request.filter.now);
        let query = Query::of(&request.query, &request.files, now);
        let spans = query.clues.iter().filter_map(|clue| span(sources, request, clue)).collect();
        // What was replaced is found too: its successor answers.
        let wide =
            Filter { invalid: request.filter.invalid || request.filter.as_of.is_none(), ..request.filter.clone() };
        let question = sources.vector.as_deref().and_then(Question::of);
        let (view, depth) = (sources.view, depth(request));
        let (scores, meant) = view.ask((&query.wanted, &wide), (question.as_ref(), &request.filter), depth);
        let (scores, certainty, direct) = (scores?, query.certainty(), HashMap::new());
        let meant = best_by_meaning(view, meant, depth);
        let named = view.best(&scores, 2 * depth, &wide);
        let (of_time_alone, is_long) = (query.of_time_alone, query.is_long());
        Some(Search {
            sources,
            request,
            task,
            weights,
            question,
            scores,
            named,
            meant,
            spans,
            of_time_alone,
            is_long,
            certainty,
            direct,
        })
    }

    fn run(mut self) -> Vec<Hit> {
        let mut found: BTreeMap<Key, Candidate> = BTreeMap::new();
        for (number, ghost) in self.gather() {
            self.take(number, ghost, &mut found);
        }
        self.follow_links(&mut found);
        self.rank(found.into_values().collect())
    }

    /// The best by words and by meaning, those of the times spoken of, and who stood beside the best. Each with
    /// whether it no longer holds.
    fn gather(&mut self) -> Vec<(Number, bool)> {
        let (view, filter, depth) = (self.sources.view, &self.request.filter, depth(self.request));
        let Some(admits) = view.admits(filter) else { return Vec::new() };
        let mut numbers: Vec<Number> = Vec::new();
        let mut ghosts: Vec<Number> = Vec::new();
        for number in std::mem::take(&mut self.named) {
            if admits(number) {
                if numbers.len() < depth {
                    numbers.push(number);
                }
            } else if ghosts.len() < depth {
                ghosts.push(number);
            }
        }
        if let Some(question) = &self.question {
            numbers.append(&mut self.meant);
            for (from, until) in &self.spans {
                let then = Filter { between: Some((*from, *until)), ..filter.clone() };
                numbers.extend(best_by_meaning(view, view.nearest(question, depth, &then), depth));
            }
        }
        // In a large store neighbours are worth a look only beside the better half of what was found.
        let share = if self.has_time() { 1 } else { 2 };
        let better: Vec<Number> =
            numbers.chunks(depth).flat_map(|arm| &arm[..arm.len().div_ceil(share)]).copied().collect();
        let beside: Vec<Number> = better.into_iter().flat_map(|number| self.beside(number)).collect();
        numbers.extend(beside.into_iter().filter(|number| admits(*number)));
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().map(|number| (number, false)).chain(ghosts.into_iter().map(|ghost| (ghost, true))).collect()
    }

    /// Those of the same occasion who may be part of the answer, and the place among them. Nobody else is listened to.
    fn circle(&self, number: Number) -> Option<(Vec<Number>, usize)> {
        let view = self.sources.view;
        let (mut circle, place) = view.occasions.circle(number)?;
        let reach = place.saturating_sub(2 * REACH)..circle.len().min(place + 2 * REACH + 1);
        let admits = view.admits(&self.request.filter)?;
        circle = circle[reach].iter().copied().filter(|other| *other == number || admits(*other)).collect();
        let place = circle.iter().position(|other| *other == number)?;
        (circle.len() > 1).then_some((circle, place))
    }

    /// The one before and the one after, on the same occasion.
    fn beside(&self, number: Number) -> Vec<Number> {
        let Some((circle, place)) = self.circle(number) else { return Vec::new() };
        let before = place.checked_sub(1).and_then(|place| circle.get(place));
        before.into_iter().chain(circle.get(place + 1)).copied().collect()
    }

    fn take(&mut self, number: Number, ghost: bool, found: &mut BTreeMap<Key, Candidate>) {
        let snapshot = self.sources.snapshot;
        let key = self.sources.view.roster.key(number).clone();
        let (semantic, keyword) = self.direct(number);
        let parts = Parts { semantic, keyword, ..Parts::default() };
        if !ghost {
            // The snapshot has the last word: what was forgotten a moment ago is not told any more.
            let Some(memory) = snapshot.get(&key).filter(|memory| self.request.filter.admits(memory)) else { return };
            let candidate =
                Candidate { memory: Arc::clone(memory), parts, number: Some(number), arrival: None, instead_of: None };
            found.entry(key).or_insert(candidate);
            return;
        }
        let heir = graph::successor(snapshot, &key).filter(|memory| self.request.filter.admits(memory));
        let Some(memory) = heir else { return };
        let inherited = Parts { semantic: semantic * SUCCESSION, keyword: keyword * SUCCESSION, ..parts };
        let number = self.sources.view.number(&memory.key());
        let heir = found.entry(memory.key()).or_insert_with(|| {
            let (semantic, keyword) = number.map_or((0.0, 0.0), |number| self.direct(number));
            let parts = Parts { semantic, keyword, ..Parts::default() };
            Candidate { memory, parts, number, arrival: None, instead_of: None }
        });
        let weights = self.sources.weights;
        if heir.parts.relevance(weights) < inherited.relevance(weights) {
            heir.parts = inherited;
            heir.instead_of = Some(key);
        }
    }

    /// How well a memory matches by itself: meaning and words.
    fn direct(&mut self, number: Number) -> (f64, f64) {
        let (scores, question, view, certainty) = (&self.scores, &self.question, self.sources.view, self.certainty);
        *self.direct.entry(number).or_insert_with(|| {
            let likeness = question.as_ref().and_then(|question| view.meanings.likeness(question, number));
            (f64::from(likeness.unwrap_or(0.0)) * certainty, f64::from(scores.of(number)))
        })
    }

    /// What a memory gains or loses by those around it: a good match among good matches is a better one.
    fn occasion(&mut self, number: Number) -> f64 {
        let Some((circle, place)) = self.circle(number) else { return 0.0 };
        let unknown = circle.iter().filter(|other| !self.direct.contains_key(other));
        unknown.for_each(|other| self.sources.view.meanings.send_for(*other));
        let weights = self.sources.weights;
        let mut worth = |number: Number| {
            let (semantic, keyword) = self.direct(number);
            weights.semantic * semantic.max(0.0) + weights.keyword * keyword
        };
        let own = worth(number);
        let near = &circle[place.saturating_sub(REACH)..circle.len().min(place + REACH + 1)];
        let mut best: Vec<f64> = near.iter().map(|number| worth(*number)).collect();
        best.sort_by(|a, b| b.total_cmp(a));
        best.truncate(3);
        let beside: f64 = [place.checked_sub(1), Some(place + 1)]
            .into_iter()
            .flatten()
            .filter_map(|place| circle.get(place))
            .map(|number| worth(*number))
            .sum();
        let together = own + BESIDE * beside + OCCASION * best.iter().sum::<f64>() / best.len() as f64;
        together / (1.0 + OCCASION) - own
    }

    /// From the best matches on, what they are tied to.
    fn follow_links(&mut self, found: &mut BTreeMap<Key, Candidate>) {
        let weights = self.sources.weights;
        let mut starts: Vec<(Key, f64)> =
            found.iter().map(|(key, candidate)| (key.clone(), candidate.parts.relevance(weights))).collect();
        starts.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        starts.truncate(STARTS);
        let admitted = |memory: &Memory| self.request.filter.admits(memory);
        for (key, arrival) in graph::spread(self.sources.snapshot, &starts, admitted) {
            let candidate = match found.remove(&key) {
                Some(candidate) => candidate,
                None => {
                    let memory = self.sources.snapshot.get(&key).filter(|memory| self.request.filter.admits(memory));
                    let Some(memory) = memory else { continue };
                    let number = self.sources.view.number(&key);
                    let (semantic, keyword) = number.map_or((0.0, 0.0), |number| self.direct(number));
                    let parts = Parts { semantic, keyword, ..Parts::default() };
                    Candidate { memory: Arc::clone(memory), parts, number, arrival: None, instead_of: None }
                }
            };
            let parts = Parts { linked: arrival.strength * STEP_SHARE, ..candidate.parts };
            found.insert(key, Candidate { parts, arrival: Some(arrival), ..candidate });
        }
    }

    /// Completes the parts, keeps of each collection what its weight allows, and orders.
    fn rank(mut self, candidates: Vec<Candidate>) -> Vec<Hit> {
        let weights = self.sources.weights;
        let mut candidates = candidates;
        self.listen_around(&mut candidates);
        candidates.iter_mut().for_each(|candidate| self.complete(candidate));
        candidates.retain(|candidate| score::is_about_it(&candidate.parts));
        if self.request.min_score.is_none() && !self.is_answered(&candidates) {
            return Vec::new();
        }
        let own = |candidate: &&Candidate| !candidate.memory.is_borrowed();
        let relevance = |candidate: &Candidate| candidate.parts.relevance(weights);
        let best = candidates.iter().filter(own).map(relevance).fold(0.0, f64::max);
        let mut scored: Vec<(f64, Candidate)> = Vec::with_capacity(candidates.len());
        for mut candidate in candidates {
            candidate.parts.fit = score::fit(candidate.parts.relevance(weights), best);
            let score = candidate.parts.total(weights);
            if self.request.min_score.is_none_or(|least| score >= least) {
                scored.push((score, candidate));
            }
        }
        scored.sort_by(|a, b| by_score(a.0, &a.1, b.0, &b.1));
        let mut left: BTreeMap<task::Collection, usize> = BTreeMap::new();
        let most = [self.weights.episodic, self.weights.semantic, self.weights.skills, self.weights.anti_patterns]
            .into_iter()
            .fold(0.0, f64::max);
        scored.retain(|(_, candidate)| {
            // It stands behind the others and takes no place of theirs.
            if candidate.memory.is_borrowed() {
                return true;
            }
            let collection = task::store_of(candidate.memory.kind);
            let share = (self.weights.of(candidate.memory.kind) / most).max(0.25);
            let left = left.entry(collection).or_insert((depth(self.request) as f64 * share).ceil() as usize);
            let has_room = *left > 0;
            *left = left.saturating_sub(1);
            has_room
        });
        self.diversify(scored)
    }

    /// Does any of them answer enough of the question that the others are worth telling?
    fn is_answered(&self, candidates: &[Candidate]) -> bool {
        let weights = self.sources.weights;
        if self.is_long {
            return true;
        }
        let floor = if self.scores.among() < score::FEW { score::FLOOR_OF_FEW } else { score::FLOOR };
        candidates.iter().any(|candidate| {
            let parts = &candidate.parts;
            let covered = candidate.number.map_or(0.0, |number| f64::from(self.scores.covered(number)));
            // What answers in place of another is found by the other's words.
            let covered = if candidate.instead_of.is_some() { covered.max(parts.keyword) } else { covered };
            parts.place > 0.0 || score::evidence(parts.semantic, covered, weights) >= floor
        })
    }

    /// Finding candidates in a small store takes so little that all of them can be listened to.
    fn has_time(&self) -> bool {
        self.sources.view.roster.len() <= SMALL_STORE
    }

    /// The better ones are heard together with those around them; the others are taken for lonely, if they belong to an
    /// occasion at all.
    fn listen_around(&mut self, candidates: &mut [Candidate]) {
        let weights = self.sources.weights;
        candidates.sort_by(|a, b| {
            let (one, other) = (a.parts.relevance(weights), b.parts.relevance(weights));
            other.total_cmp(&one).then_with(|| a.memory.id.cmp(&b.memory.id))
        });
        let heard = if self.has_time() { usize::MAX } else { 2 * self.request.k + HEARD };
        for (place, candidate) in candidates.iter_mut().enumerate() {
            let Some(number) = candidate.number.filter(|_| candidate.instead_of.is_none()) else { continue };
            // A session is an occasion of its own: who worked at the same time worked on something else.
            if candidate.memory.kind == Kind::Episode {
                continue;
            }
            candidate.parts.occasion = if place < heard {
                self.occasion(number)
            } else if self.sources.view.occasions.is_seated(number) {
                let own =
                    weights.semantic * candidate.parts.semantic.max(0.0) + weights.keyword * candidate.parts.keyword;
                own * ((1.0 + OCCASION / 3.0) / (1.0 + OCCASION) - 1.0)
            } else {
                0.0
            };
        }
    }

    fn complete(&mut self, candidate: &mut Candidate) {
        let memory = Arc::clone(&candidate.memory);
        let usage = (self.sources.usage)(&memory);
        let parts = &mut candidate.parts;
        let created = memory.times.created_at.as_micros();
        parts.time =
            if self.spans.iter().any(|(from, until)| (*from..*until).contains(&created)) { score::TIME } else { 0.0 };
        let at_home = |file: &String| memory.anchors.files.iter().any(|anchor| same_file(anchor, file));
        parts.place = if self.request.files.iter().take(query::MOST_FILES).any(at_home) { score::PLACE } else { 0.0 };
        let now = self.request.filter.as_of.unwrap_or(self.request.filter.now);
        parts.recency = score::recency(&memory, &usage, self.sources.weights.decay, now);
        parts.usage = score::usage(&usage);
        parts.tier = score::tier(memory.tier);
        parts.importance = reinforce::reinforced(&memory, &usage, now);
        parts.task = score::task(self.weights.of(memory.kind));
        parts.outcome = score::outcome(memory.outcome, self.task);
        parts.speaker = score::speaker(&memory);
    }
}

/// Ties are settled the same way after every rebuild.
fn best_by_meaning(view: &View, mut nearest: Vec<(Number, f32)>, most: usize) -> Vec<Number> {
    nearest
        .sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| view.roster.facet(a.0).lot.cmp(&view.roster.facet(b.0).lot)));
    nearest.into_iter().take(most).map(|(number, _)| number).collect()
}

/// Of what arrives over a link, this much counts.
const STEP_SHARE: f64 = 0.6;

/// How many of each arm are looked at.
fn depth(request: &Request) -> usize {
    (4 * request.k).max(20)
}

fn by_score(one: f64, a: &Candidate, other: f64, b: &Candidate) -> Ordering {
    other.total_cmp(&one).then_with(|| a.memory.id.cmp(&b.memory.id))
}

/// Is it the same file, whichever of the two is written from further up?
fn same_file(one: &str, other: &str) -> bool {
    let (long, short) = if one.len() >= other.len() { (one, other) } else { (other, one) };
    let rest = long.strip_suffix(short);
    !short.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// The time a clue speaks of. An event counts when a memory names it well.
fn span(sources: &Sources<'_>, request: &Request, clue: &Clue) -> Option<(i64, i64)> {
    match clue {
        Clue::Span(when) => {
            let from = when.from.map_or(i64::MIN, Timestamp::as_micros);
            Some((from, when.until.map_or(i64::MAX, Timestamp::as_micros)))
        }
        Clue::Event { side, words } => {
            let wanted = query::wanted(words);
            let scores = sources.view.score(&wanted, 1, &request.filter)?;
            let best = *sources.view.best(&scores, 1, &request.filter).first()?;
            let at = sources.snapshot.get(sources.view.roster.key(best))?.times.created_at.as_micros();
            let named = scores.of(best) >= EVENT;
            named.then_some(match side {
                Side::Before => (i64::MIN, at),
                Side::After => (at.saturating_add(1), i64::MAX),
            })
        }
    }
}
