//! Progressive disclosure for one question: the index, then the timeline, then at most two topics opened, and no
//! further than is needed. Owns the order and the stopping; what is relevant is for recall to say.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::assemble::{Frame, inline};
use super::layers::{self, Arrangement, TopicGroups};
use lokid_config::LayersConfig;
use lokid_index::Snapshot;
use lokid_index::topics::{OTHER, name_of};
use lokid_model::{Key, Level, Memory, Namespace, Timestamp, token};

/// What is disclosed, and how.
pub struct LayerSources<'a> {
    pub snapshot: &'a Snapshot,
    pub namespace: &'a Namespace,
    pub limits: &'a LayersConfig,
    pub arrangement: &'a Arrangement,
    /// A memory at one of its lengths.
    pub lengths: &'a dyn Fn(&Memory, Level) -> String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disclosed {
    pub text: String,
    pub tokens: usize,
    /// Tokens of the index, of the timeline and of the opened topics.
    pub layers: [usize; 3],
    /// The topics that were opened.
    pub topics: Vec<String>,
    /// Each memory once, with the longest form it was told in and the tokens of all its forms.
    pub items: Vec<(Key, Level, usize)>,
    /// Was all told that bears on the question?
    pub enough: bool,
    /// Why it ends here, one clause for a person.
    pub why: String,
}

/// Hits below this part of the best one's score do not have to be told.
const RELEVANT: f64 = 0.5;
const MOST_WANTED: usize = 8;
/// Told this part of what matters, weighed by score, enough is known.
const ENOUGH: f64 = 0.8;
const MOST_TOPICS: usize = 2;
/// What binds in an opened topic comes first, up to one part in so many of the room.
const BINDING_SHARE: usize = 3;
const MOST_BINDING: usize = 8;
const LONGEST_TOPIC: usize = 160;

/// Tells what bears on a question whose answers by recall are `hits`, in at most `budget` tokens. Without hits it is
/// the index and the timeline.
///
/// Enough is known when four fifths of the best hits, weighed by their scores, were told: a memory counts as told by
/// as much of it as was shown.
pub fn load_relevant_context(
    sources: &LayerSources<'_>,
    hits: &[(Key, f64)],
    budget: usize,
    now: Timestamp,
) -> Disclosed {
    let shelves = TopicGroups::of(sources.snapshot, sources.namespace, sources.limits.topics, sources.arrangement);
    let wanted = wanted(sources, &shelves, hits, now);
    let frame = Frame::new("", budget);
    let room = budget.saturating_sub(frame.tokens);
    let mut telling = Telling { sources, shelves, budget: room, now, wanted, told: Disclosed::default() };
    telling.index();
    telling.timeline();
    if !telling.is_enough() {
        telling.topics();
    }
    let mut told = telling.finish(budget);
    told.text = frame.quote(&told.text);
    if !told.text.is_empty() {
        told.tokens = token::estimate(&told.text);
        // The frame is paid for by who is told anything at all, which begins with the index.
        told.layers[0] += told.tokens.saturating_sub(told.layers.iter().sum());
    }
    told
}

/// A hit that should be told.
struct Wanted {
    memory: Arc<Memory>,
    score: f64,
    shelf: String,
    /// How much of it was told, between 0 and 1.
    told: f64,
}

impl Wanted {
    fn missing(&self) -> f64 {
        self.score * (1.0 - self.told)
    }
}

fn wanted(sources: &LayerSources<'_>, shelves: &TopicGroups, hits: &[(Key, f64)], now: Timestamp) -> Vec<Wanted> {
    let mut scores: BTreeMap<&Key, f64> = BTreeMap::new();
    for (key, score) in hits.iter().filter(|(key, score)| score.is_finite() && key.namespace == *sources.namespace) {
        let best = scores.entry(key).or_insert(*score);
        *best = best.max(*score);
    }
    let mut found: Vec<Wanted> = scores
        .into_iter()
        .filter(|(_, score)| *score > 0.0)
        .filter_map(|(key, score)| Some((sources.snapshot.get(key)?, score)))
        .filter(|(memory, _)| memory.holds_now(now))
        .map(|(memory, score)| Wanted {
            memory: Arc::clone(memory),
            score,
            shelf: topic_of(shelves, memory),
            told: 0.0,
        })
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.memory.id.cmp(&b.memory.id)));
    let least = found.first().map_or(0.0, |best| best.score * RELEVANT);
    found.retain(|one| one.score >= least);
    found.truncate(MOST_WANTED);
    found
}

/// The shelf it stands on; of those that share one only for being few, its own.
fn topic_of(shelves: &TopicGroups, memory: &Memory) -> String {
    let name = name_of(memory);
    match shelves.shelf_of(&name) {
        OTHER => name.split('/').next().unwrap_or(OTHER).to_owned(),
        shelf => shelf.to_owned(),
    }
}

struct Telling<'a> {
    sources: &'a LayerSources<'a>,
    shelves: TopicGroups,
    budget: usize,
    now: Timestamp,
    wanted: Vec<Wanted>,
    told: Disclosed,
}

impl Telling<'_> {
    fn is_enough(&self) -> bool {
        let all: f64 = self.wanted.iter().map(|one| one.score).sum();
        let missing: f64 = self.wanted.iter().map(Wanted::missing).sum();
        missing <= all * (1.0 - ENOUGH)
    }

    fn left(&self) -> usize {
        self.budget.saturating_sub(token::estimate(&self.told.text))
    }

    /// What the first two layers may take: what is wanted needs room behind them.
    fn room(&self, share: usize) -> usize {
        if self.wanted.is_empty() { self.left() } else { self.left() / share }
    }

    fn index(&mut self) {
        let text = layers::index_within(self.sources.snapshot, &self.shelves, self.room(4));
        self.append(0, &text);
    }

    fn timeline(&mut self) {
        let LayerSources { snapshot, limits, arrangement, .. } = *self.sources;
        // Who asks for something is told what happened there, and not everything that happened.
        let topics: BTreeSet<&str> =
            self.wanted.iter().map(|one| self.shelves.shelf_of(&name_of(&one.memory))).collect();
        let topics: Vec<&str> = topics.into_iter().collect();
        let most = self.room(3);
        let told = layers::timeline_within(snapshot, &self.shelves, limits, arrangement, self.now, most, &topics);
        if !self.append(1, &told.text) {
            return;
        }
        for (id, tokens) in told.items {
            let key = Key::new(self.sources.namespace, &id);
            if let Some(memory) = snapshot.get(&key).cloned() {
                let share = tokens as f64 / token::estimate(&memory.text).max(1) as f64;
                self.note(&memory, Level::Index, tokens, share.min(1.0));
            }
        }
    }

    /// Opens the topics in which most is missing, then points at what stands elsewhere.
    fn topics(&mut self) {
        for at in 0..MOST_TOPICS {
            let Some(topic) = self.next_topic().filter(|_| !self.is_enough()) else { break };
            let room = if at + 1 < MOST_TOPICS { self.left() * 2 / 3 } else { self.left() };
            self.open(&topic, token::estimate(&self.told.text) + room);
        }
        let elsewhere: Vec<Arc<Memory>> = self
            .wanted
            .iter()
            .filter(|one| !self.told.topics.contains(&one.shelf) && one.told < ENOUGH)
            .map(|one| Arc::clone(&one.memory))
            .collect();
        let mut heading = "## Elsewhere\n".to_owned();
        for memory in elsewhere {
            self.tell(&memory, &[Level::Compressed, Level::Index], &mut heading, self.budget);
        }
    }

    fn next_topic(&self) -> Option<String> {
        let mut missing: BTreeMap<&str, f64> = BTreeMap::new();
        for one in self.wanted.iter().filter(|one| !self.told.topics.contains(&one.shelf)) {
            *missing.entry(&one.shelf).or_default() += one.missing();
        }
        let most = missing.into_iter().filter(|(_, score)| *score > 0.0);
        let most = most.reduce(|best, next| if next.1 > best.1 { next } else { best });
        most.map(|(shelf, _)| shelf.to_owned())
    }

    /// What binds there, then what was asked for. `until` is how long the whole text may become.
    fn open(&mut self, topic: &str, until: usize) {
        let before = token::estimate(&self.told.text);
        let for_binding = before + until.saturating_sub(before) / BINDING_SHARE;
        let binding = layers::binding(self.sources.snapshot, &self.shelves, topic, self.now);
        let asked: Vec<Arc<Memory>> =
            self.wanted.iter().filter(|one| one.shelf == topic).map(|one| Arc::clone(&one.memory)).collect();
        let mut heading = format!("## {}\n", inline(topic, LONGEST_TOPIC));
        for memory in binding.iter().take(MOST_BINDING) {
            self.tell(memory, &Level::ALL[..3], &mut heading, for_binding);
        }
        for memory in &asked {
            self.tell(memory, Level::ALL, &mut heading, until);
        }
        if heading.is_empty() {
            self.told.topics.push(topic.to_owned());
        }
    }

    /// Tells a memory in the longest of these forms that fits, unless it was told as well already. The heading goes
    /// before the first and is used up by it.
    fn tell(&mut self, memory: &Arc<Memory>, levels: &[Level], heading: &mut String, until: usize) {
        let key = memory.key();
        let known = self.told.items.iter().find(|(told, _, _)| *told == key).map(|(_, level, _)| *level);
        for level in levels.iter().filter(|level| known.is_none_or(|known| **level < known)) {
            let told = (self.sources.lengths)(memory, *level);
            if told.trim().is_empty() {
                continue;
            }
            let text = format!("{heading}- [{}] {}\n", memory.id, layers::lines_of(&told));
            if token::estimate(&self.told.text) + token::estimate(&text) > until || !self.append(2, &text) {
                continue;
            }
            heading.clear();
            let tokens = token::estimate(&told);
            // A shorter form was made to stand for the whole.
            let share = match level {
                Level::Full => 1.0,
                Level::Summary => 0.9,
                Level::Compressed => 0.7,
                Level::Index => (tokens as f64 / token::estimate(&memory.text).max(1) as f64).min(1.0),
            };
            self.note(memory, *level, tokens, share);
            return;
        }
    }

    fn note(&mut self, memory: &Memory, level: Level, tokens: usize, share: f64) {
        let key = memory.key();
        match self.told.items.iter_mut().find(|(told, _, _)| *told == key) {
            Some((_, known, sum)) => (*known, *sum) = ((*known).min(level), *sum + tokens),
            None => self.told.items.push((key.clone(), level, tokens)),
        }
        for one in self.wanted.iter_mut().filter(|one| one.memory.id == key.id) {
            one.told = one.told.max(share);
        }
    }

    /// Puts a piece behind the text if the budget allows it.
    fn append(&mut self, layer: usize, piece: &str) -> bool {
        let longer = format!("{}{piece}", self.told.text);
        let (before, after) = (token::estimate(&self.told.text), token::estimate(&longer));
        if piece.is_empty() || after > self.budget {
            return false;
        }
        self.told.text = longer;
        self.told.layers[layer] += after.saturating_sub(before);
        true
    }

    fn finish(mut self, budget: usize) -> Disclosed {
        self.told.tokens = token::estimate(&self.told.text);
        self.told.enough = self.is_enough();
        let missing = self.wanted.iter().filter(|one| one.told < ENOUGH).count();
        self.told.why = match (self.wanted.len(), self.told.enough, self.told.topics.as_slice()) {
            _ if self.sources.snapshot.is_empty() => "nothing is remembered yet".to_owned(),
            (0, _, _) => "nothing more that is remembered bears on this".to_owned(),
            (_, true, []) => "the timeline tells what matters".to_owned(),
            (all, true, topics) => format!("{} of {all} hits told from {}", all - missing, topics.join(" and ")),
            (_, false, []) => format!("{missing} hits do not fit into {budget} tokens"),
            (_, false, topics) => format!("{} opened, {missing} hits are told in part or not", topics.join(" and ")),
        };
        self.told
    }
}

#[cfg(test)]
mod tests;
