//! A memory in a test: nights are planned, their proposals checked as the engine checks them, and applied.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::learn::{Limits, plan};
use crate::plan::{Around, Proposal, Scene};
use lokid_model::{Archived, Change, Link, Memory, MemoryId, Timestamp};

type Meaning = dyn Fn(&str) -> Option<Vec<f32>>;

pub(super) struct Lab {
    pub(super) memories: BTreeMap<MemoryId, Arc<Memory>>,
    pub(super) links: Vec<Arc<Link>>,
    pub(super) archived: Vec<Arc<Archived>>,
    pub(super) purged: BTreeSet<MemoryId>,
    pub(super) meaning: Box<Meaning>,
    pub(super) limits: Limits,
    /// Nothing is found near anything: a search of all by all is not the subject.
    pub(super) blind: bool,
    /// The memories are told the other way round.
    pub(super) turned: bool,
    pub(super) over: bool,
}

struct Town<'a> {
    lab: &'a Lab,
}

impl Around for Town<'_> {
    fn near(&self, memory: &Memory, most: usize) -> Vec<(Arc<Memory>, f32)> {
        let Some(ours) = (self.lab.meaning)(&memory.text).filter(|_| !self.lab.blind) else { return Vec::new() };
        let kept = self.lab.memories.values().filter(|other| other.kind == memory.kind && other.id != memory.id);
        let mut found: Vec<(Arc<Memory>, f32)> = kept
            .filter_map(|other| {
                let theirs = (self.lab.meaning)(&other.text)?;
                Some((Arc::clone(other), ours.iter().zip(&theirs).map(|(a, b)| a * b).sum()))
            })
            .collect();
        found.sort_by(|(a, of_a), (b, of_b)| of_b.total_cmp(of_a).then(a.id.cmp(&b.id)));
        found.truncate(most);
        found
    }

    fn meaning(&self, text: &str) -> Option<Vec<f32>> {
        (self.lab.meaning)(text)
    }

    fn fingerprint(&self, error: &str) -> String {
        error.chars().filter(|letter| !letter.is_ascii_digit()).collect()
    }

    fn step(&self, action: &str) -> Option<String> {
        let words: Vec<&str> = action.split_whitespace().filter(|word| !word.starts_with('-')).collect();
        let known = ["cargo", "npm", "npx", "git", "docker", "go", "alembic"].contains(words.first()?);
        Some(words[..words.len().min(if known { 2 } else { 8 })].join(" "))
    }

    fn is_free(&self, id: &MemoryId) -> bool {
        let archived = self.lab.archived.iter().any(|archived| archived.memory.id == *id);
        !self.lab.memories.contains_key(id) && !archived && !self.lab.purged.contains(id)
    }

    fn is_over(&self) -> bool {
        self.lab.over
    }
}

impl Lab {
    pub(super) fn new(memories: impl IntoIterator<Item = Arc<Memory>>) -> Lab {
        let mut lab = Lab {
            memories: BTreeMap::new(),
            links: Vec::new(),
            archived: Vec::new(),
            purged: BTreeSet::new(),
            meaning: Box::new(meaning),
            limits: Limits::default(),
            blind: false,
            turned: false,
            over: false,
        };
        lab.add(memories);
        lab
    }

    pub(super) fn add(&mut self, memories: impl IntoIterator<Item = Arc<Memory>>) {
        self.memories.extend(memories.into_iter().map(|memory| (memory.id.clone(), memory)));
    }

    pub(super) fn proposals(&self, now: i64) -> Vec<Proposal> {
        let mut memories: Vec<Arc<Memory>> = self.memories.values().cloned().collect();
        if self.turned {
            memories.reverse();
        }
        let scene = Scene {
            now: Timestamp::from_micros(now),
            memories: &memories,
            links: &self.links,
            contradictions: &[],
            archived: &self.archived,
            around: &Town { lab: self },
        };
        plan(&scene, &self.limits)
    }

    pub(super) fn apply(&mut self, proposal: &Proposal) {
        for change in &proposal.changes {
            match change {
                Change::Put { before, after } => {
                    assert_eq!(before.as_ref(), self.memories.get(&after.id), "made from what is there");
                    assert!(before.is_some() || Town { lab: self }.is_free(&after.id), "{} is taken", after.id);
                    self.memories.insert(after.id.clone(), Arc::clone(after));
                }
                Change::Link(link) => {
                    assert!(self.memories.contains_key(&link.from) && self.memories.contains_key(&link.to));
                    assert!(!self.links.iter().any(|known| known.key() == link.key()), "linked twice");
                    self.links.push(Arc::new(link.clone()));
                }
                Change::Archive(archived) => {
                    let known = self.memories.remove(&archived.memory.id);
                    assert_eq!(known.as_ref(), Some(&archived.memory));
                    self.links.retain(|link| !link.touches(&archived.memory.id));
                    self.archived.push(Arc::clone(archived));
                }
                other => panic!("learning does not do this: {other:?}"),
            }
        }
    }

    /// Rounds until nothing is proposed; the number of changes made.
    pub(super) fn night(&mut self, now: i64) -> usize {
        let mut made = 0;
        for _ in 0..3 {
            let proposals = self.proposals(now);
            if proposals.is_empty() {
                return made;
            }
            made += proposals.len();
            proposals.iter().for_each(|proposal| self.apply(proposal));
        }
        let left = self.proposals(now);
        assert!(left.is_empty(), "the night finds no end: {left:#?}");
        made
    }

    pub(super) fn patterns(&self) -> Vec<&Arc<Memory>> {
        self.memories.values().filter(|memory| memory.kind == lokid_model::Kind::Pattern).collect()
    }
}

/// A stand-in for a model: words have directions, some words mean nearly the same, and all texts have something in
/// common.
pub(super) fn meaning(text: &str) -> Option<Vec<f32>> {
    const DIM: usize = 64;
    const SAME: &[&[&str]] = &[
        &["login", "log", "logging", "sign", "signing"],
        &["timeout", "timeouts", "times", "time", "slow"],
        &["large", "size", "smaller", "shrink", "reduce"],
        &["restyle", "styling", "colour", "padding", "design"],
        &["throttle", "rate", "limit", "limits", "limiting"],
        &["twice", "duplicate", "double", "idempotent"],
        &["rotate", "rotation", "rotating"],
        &["rank", "ranks", "ranking", "ranked", "relevance", "irrelevant"],
    ];
    let lower = text.get(..text.len().min(2_000)).unwrap_or("").to_lowercase();
    let mut sum = vec![0.0_f32; DIM];
    let mut any = false;
    for word in lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() > 2) {
        let concept = SAME.iter().find(|group| group.contains(&word)).map_or(word, |group| group[0]);
        let mut dice = super_dice(concept);
        for part in &mut sum {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *part += ((dice >> 40) as f32 / (1_u64 << 23) as f32) - 1.0;
        }
        any = true;
    }
    let length = |vector: &[f32]| vector.iter().map(|part| part * part).sum::<f32>().sqrt().max(1e-6);
    let scale = length(&sum);
    sum.iter_mut().for_each(|part| *part = *part / scale + 0.06);
    let scale = length(&sum);
    any.then(|| sum.into_iter().map(|part| part / scale).collect())
}

fn super_dice(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
