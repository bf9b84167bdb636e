//! Where to look for the group of an episode: every group hangs on hooks (files, errors, words, pairs of words, corners
//! of the space of meanings), and only groups that hang on one of the episode's hooks are looked at. A hook with too
//! many groups tells nothing and is passed over, so that the work an episode makes is bounded.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::case::Case;

/// A hook with more groups than this is passed over.
const CROWDED: usize = 64;
/// So many groups are looked at closely.
const MOST_CANDIDATES: usize = 16;
/// Words that are paired with each other.
const PAIRED: usize = 8;
/// Planes that a meaning is compared with, and how many make a corner.
const PLANES: usize = 96;
const NARROW: usize = 12;
const WIDE: usize = 6;
/// Dimensions a plane looks at.
const SAMPLED: usize = 32;

/// Hooks are spread evenly already: they are their own hash.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = mixed(9, self.0, u64::from(*byte)));
    }

    fn write_u64(&mut self, hook: u64) {
        self.0 = hook;
    }
}

#[derive(Default)]
pub(super) struct Hooks {
    groups: HashMap<u64, Vec<u32>, BuildHasherDefault<Spread>>,
    /// What each group scores while one episode is looked at, and those that score at all.
    scores: Vec<f32>,
    scoring: Vec<u32>,
    /// Of every plane, the dimensions it looks at and on which side.
    planes: Vec<Vec<(usize, f32)>>,
}

impl Hooks {
    /// The hooks of an episode, each once.
    pub(super) fn of(&mut self, case: &Case) -> Vec<u64> {
        let mut found: Vec<u64> = Vec::new();
        found.extend(case.files.iter().map(|file| mixed(1, u64::from(*file), 0)));
        found.extend(case.troubles.iter().map(|trouble| mixed(2, u64::from(trouble.print), 0)));
        let mut telling: Vec<(u32, f32)> = case.stems.clone();
        telling.sort_by(|(a, of_a), (b, of_b)| of_b.total_cmp(of_a).then(a.cmp(b)));
        found
            .extend(telling.iter().filter(|(_, weight)| *weight >= 1.0).map(|(stem, _)| mixed(3, u64::from(*stem), 0)));
        telling.truncate(PAIRED);
        for (at, (one, _)) in telling.iter().enumerate() {
            found.extend(telling[at + 1..].iter().map(|(other, _)| {
                let (low, high) = if one < other { (one, other) } else { (other, one) };
                mixed(4, u64::from(*low), u64::from(*high))
            }));
        }
        if let Some(meaning) = &case.meaning {
            self.corners(meaning, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    pub(super) fn hang(&mut self, group: u32, hooks: &[u64]) {
        for hook in hooks {
            let groups = self.groups.entry(*hook).or_default();
            if groups.len() <= CROWDED && !groups.contains(&group) {
                groups.push(group);
            }
        }
    }

    /// The groups that share most with these hooks, rare ones counting more; best first.
    pub(super) fn candidates(&mut self, hooks: &[u64], groups: usize) -> Vec<u32> {
        self.scores.resize(groups, 0.0);
        for groups in hooks.iter().filter_map(|hook| self.groups.get(hook)).filter(|groups| groups.len() <= CROWDED) {
            let worth = 1.0 / (groups.len() as f32).sqrt();
            for group in groups {
                let score = &mut self.scores[*group as usize];
                if *score == 0.0 {
                    self.scoring.push(*group);
                }
                *score += worth;
            }
        }
        let mut best: Vec<(u32, f32)> =
            self.scoring.drain(..).map(|group| (group, std::mem::take(&mut self.scores[group as usize]))).collect();
        let order = |(a, of_a): &(u32, f32), (b, of_b): &(u32, f32)| of_b.total_cmp(of_a).then(a.cmp(b));
        if best.len() > MOST_CANDIDATES {
            best.select_nth_unstable_by(MOST_CANDIDATES, order);
            best.truncate(MOST_CANDIDATES);
        }
        best.sort_unstable_by(order);
        best.into_iter().map(|(group, _)| group).collect()
    }

    /// Meanings that point the same way lie in the same corners, most likely in several.
    fn corners(&mut self, meaning: &[f32], found: &mut Vec<u64>) {
        if self.planes.is_empty() {
            self.planes = (0..PLANES).map(|plane| sampled(plane, meaning.len())).collect();
        }
        let side = |plane: &Vec<(usize, f32)>| {
            let sum: f32 = plane.iter().map(|(at, sign)| sign * meaning.get(*at).copied().unwrap_or(0.0)).sum();
            sum > 0.0
        };
        let sides: Vec<bool> = self.planes.iter().map(side).collect();
        for (salt, size) in [(7, NARROW), (8, WIDE)] {
            for (at, corner) in sides.chunks(size).enumerate() {
                let bits = corner.iter().fold(0_u64, |bits, side| bits << 1 | u64::from(*side));
                found.push(mixed(salt, at as u64, bits));
            }
        }
    }
}

/// The dimensions a plane looks at, the same on every machine.
fn sampled(plane: usize, dimensions: usize) -> Vec<(usize, f32)> {
    let mut state = mixed(5, plane as u64, 0);
    let mut next = || {
        state = mixed(6, state, 0);
        ((state >> 8) as usize % dimensions.max(1), if state & 1 == 0 { 1.0 } else { -1.0 })
    };
    (0..SAMPLED).map(|_| next()).collect()
}

fn mixed(salt: u64, a: u64, b: u64) -> u64 {
    let mut state =
        salt.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ a.wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ b.rotate_left(32);
    for _ in 0..2 {
        state ^= state >> 31;
        state = state.wrapping_mul(0x94d0_49bb_1331_11eb);
    }
    state ^ state >> 29
}
