//! Ordered steps that episodes share: found by growing the most telling sequences first, within a fixed amount of work.
//!
//! Commands are compared without their arguments; up to two other steps may stand between two of a sequence. What
//! failed is no example. The same episodes always give the same workflows; it must not look at a clock to stop.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use super::command;
use lokid_model::{Draft, Kind, MemoryId, Source, Timestamp};

const LEAST_SUPPORT: usize = 3;
const MOST_STEPS: usize = 8;
/// How far the next step of a sequence may be: two others between them.
const REACH: usize = 3;
/// A sequence is told of when it is found in at least half of the episodes that hold its rarest step.
const LEAST_SHARE: usize = 500;
const MOST_SEQUENCES: usize = 20_000;
const LONGEST_SEQUENCE: usize = 200;
/// Places looked at before the search ends, which keeps ten thousand episodes within a second.
const WORK: usize = 4_000_000;
const MOST_CANDIDATES: usize = 1_000;
const MOST_WORKFLOWS: usize = 20;
const MOST_SOURCES: usize = 20;

/// What was done in one episode, in order: commands or actions as performed.
#[derive(Clone, Debug, PartialEq)]
pub struct StepSequence {
    pub id: String,
    pub steps: Vec<String>,
    /// How it ended, where known.
    pub success: Option<bool>,
    pub at: Timestamp,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RecurringWorkflow {
    /// Its most telling step; different for every workflow of one answer.
    pub name: String,
    /// Normalised commands.
    pub steps: Vec<String>,
    /// Episodes in which it was found.
    pub support: usize,
    /// Ids of such episodes, newest first, not more than twenty.
    pub sources: Vec<String>,
}

impl RecurringWorkflow {
    /// One line: `release: test→build→tag→push`.
    pub fn hint(&self) -> String {
        command::hint(&self.name, &self.steps, MOST_STEPS)
    }

    /// The workflow as a memory. Its id is made from the steps, so that the same way seen more often is the same memory.
    pub fn draft(&self) -> Draft {
        let hash = blake3::hash(self.steps.join("\0").as_bytes()).to_hex();
        let steps: Vec<String> =
            self.steps.iter().enumerate().map(|(at, step)| format!("{}. {step}", at + 1)).collect();
        let text = format!("{}\n{}\nseen in {} episodes", self.hint(), steps.join("\n"), self.support);
        let mut draft = Draft::new(Kind::Workflow, text);
        let id = format!("{}-seen-{}", Kind::Workflow.id_prefix(), &hash.as_str()[..16]);
        draft.id = Some(MemoryId::new(&id).expect("hex and a prefix are path-safe"));
        draft.title = self.name.clone();
        draft.summary = Some(self.hint());
        draft.tags = vec!["workflow".to_owned(), "recurring".to_owned()];
        draft.source = Some(Source::Agent);
        draft.sources = self.sources.clone();
        draft.confidence = Some((0.5 + 0.05 * self.support as f64).min(0.95));
        draft
    }
}

/// Where a sequence ends: episode and place in it.
type Ends = Vec<(u32, u32)>;

/// A sequence to be grown. The order is that of the search: most telling, most frequent, then by its steps.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Growing {
    /// Thousandths of the episodes with its rarest step that hold the whole.
    share: usize,
    support: usize,
    items: Reverse<Vec<u32>>,
    ends: Ends,
}

struct Episodes {
    names: Vec<String>,
    /// Steps as places in `names`; `RARE` for what too few episodes hold.
    steps: Vec<Vec<u32>>,
    /// In how many episodes each step is.
    support: Vec<usize>,
}

const RARE: u32 = u32::MAX;

pub fn recurring(sequences: &[StepSequence]) -> Vec<RecurringWorkflow> {
    let held: Vec<&StepSequence> =
        sequences.iter().filter(|sequence| sequence.success != Some(false)).take(MOST_SEQUENCES).collect();
    let episodes = gather(&held);
    let candidates = chosen(search(&episodes), &held);
    let mut names = BTreeSet::new();
    let mut told = Vec::new();
    for candidate in candidates {
        let steps: Vec<String> =
            candidate.items.0.iter().filter_map(|item| episodes.names.get(*item as usize).cloned()).collect();
        told.push(RecurringWorkflow {
            name: name(&steps, &mut names),
            steps,
            support: candidate.support,
            sources: sources(&candidate.ends, &held),
        });
    }
    told
}

fn gather(held: &[&StepSequence]) -> Episodes {
    // Commands repeat endlessly over episodes: each spelling is normalised once. The maps are only ever asked, never
    // walked, so their order reaches nothing.
    let mut spelled: HashMap<&str, Vec<u32>> = HashMap::new();
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut counts: Vec<usize> = Vec::new();
    let mut last_in: Vec<usize> = Vec::new();
    let mut steps: Vec<Vec<u32>> = Vec::with_capacity(held.len());
    for (episode, sequence) in held.iter().enumerate() {
        let mut done: Vec<u32> = Vec::new();
        for line in sequence.steps.iter().take(LONGEST_SEQUENCE) {
            let known = spelled.entry(line).or_insert_with(|| {
                let normal = command::normalise_all(std::iter::once(line.as_str())).into_iter();
                let number = |step: String| {
                    let next = numbers.len() as u32;
                    *numbers.entry(step).or_insert(next)
                };
                normal.map(number).collect()
            });
            for step in known.iter() {
                if done.last() != Some(step) && done.len() < LONGEST_SEQUENCE {
                    done.push(*step);
                }
            }
        }
        counts.resize(numbers.len(), 0);
        last_in.resize(numbers.len(), usize::MAX);
        for step in &done {
            let place = *step as usize;
            counts[place] += usize::from(last_in[place] != episode);
            last_in[place] = episode;
        }
        steps.push(done);
    }
    let mut names: Vec<(String, u32)> =
        numbers.into_iter().filter(|(_, number)| counts[*number as usize] >= LEAST_SUPPORT).collect();
    names.sort_unstable();
    let mut place = vec![RARE; counts.len()];
    for (at, (_, number)) in (0u32..).zip(&names) {
        place[*number as usize] = at;
    }
    steps.iter_mut().flatten().for_each(|step| *step = place[*step as usize]);
    Episodes {
        steps,
        support: names.iter().map(|(_, number)| counts[*number as usize]).collect(),
        names: names.into_iter().map(|(name, _)| name).collect(),
    }
}

/// Sequences of two to eight different steps, as many as the allowed work finds, the most telling first.
fn search(episodes: &Episodes) -> Vec<Growing> {
    let mut heap = BinaryHeap::new();
    let mut starts: Vec<Ends> = vec![Vec::new(); episodes.names.len()];
    for (episode, steps) in episodes.steps.iter().enumerate() {
        for (at, step) in steps.iter().enumerate().filter(|(_, step)| **step != RARE) {
            starts[*step as usize].push((episode as u32, at as u32));
        }
    }
    let mut work = 0;
    let mut pairs: HashMap<(u32, u32), usize> = HashMap::new();
    for (item, ends) in (0u32..).zip(&starts) {
        work += ends.len() * REACH;
        let grown = grown(episodes, &[item], ends);
        pairs.extend(grown.iter().map(|pair| ((pair.items.0[0], pair.items.0[1]), pair.support)));
        heap.extend(grown);
    }
    // Two steps that come in either order are only two things done often.
    let ordered = |growing: &Growing| match growing.items.0.as_slice() {
        [first, second] => pairs.get(&(*second, *first)).is_none_or(|back| back * 3 < growing.support * 2),
        _ => true,
    };
    // Pairs are always looked at; only what grows from them is limited.
    let mut left = WORK.saturating_sub(work).max(WORK / 2);
    let mut found = Vec::new();
    while let Some(growing) = heap.pop() {
        let cost = growing.ends.len() * REACH;
        if growing.items.0.len() < MOST_STEPS && cost <= left {
            left -= cost;
            heap.extend(grown(episodes, &growing.items.0, &growing.ends));
        }
        if growing.share >= LEAST_SHARE && ordered(&growing) {
            found.push(growing);
        }
        if found.len() >= 4 * MOST_CANDIDATES {
            break;
        }
    }
    found
}

/// Every sequence that is one step longer and frequent enough.
fn grown(episodes: &Episodes, items: &[u32], ends: &[(u32, u32)]) -> Vec<Growing> {
    let mut next: Vec<(u32, u32, u32)> = Vec::new();
    for (episode, at) in ends {
        let steps = &episodes.steps[*episode as usize];
        let from = *at as usize + 1;
        for (ahead, step) in steps.iter().enumerate().skip(from).take(REACH) {
            if *step != RARE && !items.contains(step) {
                next.push((*step, *episode, ahead as u32));
            }
        }
    }
    next.sort_unstable();
    next.dedup();
    let mut found = Vec::new();
    for group in next.chunk_by(|one, other| one.0 == other.0) {
        let ends: Ends = group.iter().map(|(_, episode, at)| (*episode, *at)).collect();
        let support = ends.chunk_by(|one, other| one.0 == other.0).count();
        if support < LEAST_SUPPORT {
            continue;
        }
        let mut longer = items.to_vec();
        longer.push(group[0].0);
        let rarest = longer.iter().map(|item| episodes.support[*item as usize]).min().unwrap_or(1);
        found.push(Growing { share: support * 1000 / rarest.max(1), support, items: Reverse(longer), ends });
    }
    found
}

/// Of all that was found, what is not said by a longer sequence as well, the most useful first.
fn chosen(mut found: Vec<Growing>, held: &[&StepSequence]) -> Vec<Growing> {
    found.sort_by(|one, other| {
        let size = |growing: &Growing| (growing.items.0.len(), growing.support);
        size(other).cmp(&size(one)).then_with(|| other.items.cmp(&one.items))
    });
    found.truncate(4 * MOST_CANDIDATES);
    let mut closed: Vec<Growing> = Vec::new();
    for growing in found {
        // A part is worth telling only if it is clearly more common than the whole.
        let said = closed
            .iter()
            .any(|longer| longer.support * 3 >= growing.support * 2 && is_within(&growing.items.0, &longer.items.0));
        if !said && closed.len() < MOST_CANDIDATES {
            closed.push(growing);
        }
    }
    let worth = |growing: &Growing| {
        let episodes: BTreeSet<u32> = growing.ends.iter().map(|(episode, _)| *episode).collect();
        let known = episodes.iter().filter(|episode| held[**episode as usize].success == Some(true)).count();
        (growing.support + known) * growing.items.0.len() * growing.share
    };
    let mut ranked: Vec<(usize, Growing)> = closed.into_iter().map(|growing| (worth(&growing), growing)).collect();
    ranked.sort_by(|(one, first), (other, second)| other.cmp(one).then_with(|| second.items.cmp(&first.items)));
    let mut kept: Vec<Growing> = Vec::new();
    for (_, growing) in ranked {
        if kept.len() < MOST_WORKFLOWS && !kept.iter().any(|other| is_alike(&growing.items.0, &other.items.0)) {
            kept.push(growing);
        }
    }
    kept
}

fn is_within(part: &[u32], whole: &[u32]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|item| rest.any(|other| other == item))
}

/// Nearly the same steps, whatever their order: a variant of a way already told.
fn is_alike(one: &[u32], other: &[u32]) -> bool {
    let shared = one.iter().filter(|item| other.contains(item)).count();
    shared * 10 >= one.len().max(other.len()) * 7
}

fn sources(ends: &Ends, held: &[&StepSequence]) -> Vec<String> {
    let episodes: BTreeSet<u32> = ends.iter().map(|(episode, _)| *episode).collect();
    let mut seen: Vec<&StepSequence> = episodes.iter().map(|episode| held[*episode as usize]).collect();
    seen.sort_by(|one, other| other.at.cmp(&one.at).then_with(|| one.id.cmp(&other.id)));
    seen.into_iter().take(MOST_SOURCES).map(|sequence| sequence.id.clone()).collect()
}

/// Words that tell most about what is done, first things first.
const TELLING: &[&str] = &[
    "deploy",
    "rollback",
    "release",
    "publish",
    "migrate",
    "migration",
    "provision",
    "apply",
    "backup",
    "restore",
    "tag",
    "upgrade",
    "bench",
    "e2e",
    "build",
    "docker",
    "push",
    "install",
    "test",
    "pytest",
    "jest",
    "lint",
    "clippy",
    "fmt",
    "commit",
];

fn name(steps: &[String], taken: &mut BTreeSet<String>) -> String {
    let telling = TELLING.iter().find_map(|word| {
        let step = steps.iter().find(|step| step.split(|c: char| !c.is_alphanumeric()).any(|part| part == *word))?;
        Some((*word, step))
    });
    let last = steps.last().map_or("", String::as_str);
    let (word, step) = telling.map_or((command::verb(last), last), |(word, step)| (word, step.as_str()));
    let word = if word == "tag" { "release" } else { word };
    let first = steps.first().map_or("", String::as_str);
    let tries = [word.to_owned(), step.to_owned(), format!("{step} after {first}"), steps.join(" then ")];
    let name = tries.iter().find(|name| !taken.contains(*name)).unwrap_or(&tries[3]).clone();
    taken.insert(name.clone());
    name
}
