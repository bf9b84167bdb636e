//! How alike an episode is to those of a group: by its goal, its files, its errors and its steps, as far as both have
//! them. What a group is like is kept as counts, so that a group of thousands costs as much as one of ten.

use super::case::{Case, Names};
use super::words::opposites;

/// What a part counts for, where both sides have it.
const GOAL: f32 = 0.55;
const FILES: f32 = 0.25;
const ERRORS: f32 = 0.2;
const STEPS: f32 = 0.1;
/// Of the goal: what it means, and its words.
const MEANING: f32 = 0.55;
/// Cosines below say nothing, and above `SAME_MEANING` the goals mean the same.
const OTHER_MEANING: f32 = 0.2;
const SAME_MEANING: f32 = 0.75;
/// Goals less alike than this are different work, whatever files they share,
const LEAST_GOAL: f32 = 0.3;
/// unless the same error was met in the same files.
const LEAST_GOAL_OF_ONE_ERROR: f32 = 0.12;
/// A neighbour in the same folder is half as telling as the same file.
const FOLDER: f32 = 0.5;
const MOST_KEYS: usize = 256;

/// How often something was seen in a group.
#[derive(Default)]
struct Counts {
    /// In the order of the items.
    times: Vec<(u32, f32)>,
    /// The sum of all weights.
    mass: f32,
    cases: f32,
}

impl Counts {
    fn add(&mut self, items: impl Iterator<Item = (u32, f32)>) {
        let mut any = false;
        for (item, weight) in items {
            any = true;
            if self.count(item, 1.0) {
                self.mass += weight;
            }
        }
        self.cases += f32::from(u8::from(any));
    }

    fn count(&mut self, item: u32, times: f32) -> bool {
        match self.times.binary_search_by_key(&item, |(item, _)| *item) {
            Ok(at) => self.times[at].1 += times,
            Err(at) if self.times.len() < MOST_KEYS => self.times.insert(at, (item, times)),
            Err(_) => return false,
        }
        true
    }

    fn absorb(&mut self, other: Counts) {
        for (item, times) in other.times {
            self.count(item, times);
        }
        self.mass += other.mass;
        self.cases += other.cases;
    }

    fn share(&self, item: u32) -> f32 {
        match self.times.binary_search_by_key(&item, |(item, _)| *item) {
            Ok(at) => self.times[at].1 / self.cases,
            Err(_) => 0.0,
        }
    }

    /// What two groups share of what each of their episodes has.
    fn in_common(&self, other: &Counts, weight: impl Fn(u32) -> f32) -> Option<f32> {
        if self.cases == 0.0 || other.cases == 0.0 {
            return None;
        }
        let shared: f32 =
            self.times.iter().map(|(item, times)| weight(*item) * (times / self.cases).min(other.share(*item))).sum();
        let both = self.mass / self.cases + other.mass / other.cases;
        Some(if both == 0.0 { 0.0 } else { (2.0 * shared / both).min(1.0) })
    }

    /// The most that an item is met in both.
    fn best_in_common(&self, other: &Counts) -> Option<f32> {
        let met = self.times.iter().map(|(item, times)| (times / self.cases).min(other.share(*item)));
        (self.cases > 0.0 && other.cases > 0.0).then(|| met.fold(0.0, f32::max))
    }

    /// What the items and the group share, of what they have: 1 for the same, nothing where one side has none.
    fn overlap(&self, items: impl Iterator<Item = (u32, f32)>) -> Option<f32> {
        if self.cases == 0.0 {
            return None;
        }
        let (mut mass, mut shared, mut any) = (0.0, 0.0, false);
        for (item, weight) in items {
            any = true;
            mass += weight;
            shared += weight * self.share(item);
        }
        if !any {
            return None;
        }
        let both = mass + self.mass / self.cases;
        Some(if both == 0.0 { 0.0 } else { (2.0 * shared / both).min(1.0) })
    }
}

/// What the episodes of a group have in common.
#[derive(Default)]
pub(super) struct Profile {
    stems: Counts,
    files: Counts,
    folders: Counts,
    errors: Counts,
    steps: Counts,
    meaning: Vec<f32>,
}

impl Profile {
    pub(super) fn add(&mut self, case: &Case, folders: &[u32]) {
        self.stems.add(case.stems.iter().copied());
        self.files.add(case.files.iter().map(|file| (*file, 1.0)));
        self.folders.add(folders.iter().map(|folder| (*folder, 1.0)));
        self.errors.add(case.troubles.iter().map(|trouble| (trouble.print, 1.0)));
        self.steps.add(case.steps.iter().map(|step| (*step, 1.0)));
        if let Some(meaning) = &case.meaning {
            if self.meaning.is_empty() {
                self.meaning = vec![0.0; meaning.len()];
            }
            self.meaning.iter_mut().zip(meaning.iter()).for_each(|(sum, part)| *sum += part);
        }
    }

    pub(super) fn absorb(&mut self, other: Profile) {
        self.stems.absorb(other.stems);
        self.files.absorb(other.files);
        self.folders.absorb(other.folders);
        self.errors.absorb(other.errors);
        self.steps.absorb(other.steps);
        if self.meaning.is_empty() {
            self.meaning = other.meaning;
        } else {
            self.meaning.iter_mut().zip(other.meaning).for_each(|(sum, part)| *sum += part);
        }
    }

    /// 0 for nothing in common, 1 for the same; 0 too where something speaks against it.
    pub(super) fn likeness(&self, case: &Case, folders: &[u32], stems: &Names) -> f32 {
        let goal = self.goal(case);
        if goal.is_some_and(|goal| goal < LEAST_GOAL_OF_ONE_ERROR) || self.is_opposite(case, stems) {
            return 0.0;
        }
        let files = self.files.overlap(case.files.iter().map(|file| (*file, 1.0))).map(|files| {
            let folder = self.folders.overlap(folders.iter().map(|folder| (*folder, 1.0)));
            files.max(FOLDER * folder.unwrap_or(0.0))
        });
        let met = case.troubles.iter().map(|trouble| self.errors.share(trouble.print)).fold(0.0, f32::max);
        let errors = (!case.troubles.is_empty() && self.errors.cases > 0.0).then_some(met);
        let steps = self.steps.overlap(case.steps.iter().map(|step| (*step, 1.0)));
        mixed(goal, files, errors, steps)
    }

    /// The same for two groups: what differs from one episode to the next counts less.
    pub(super) fn likeness_of(&self, other: &Profile, weight: impl Fn(u32) -> f32) -> f32 {
        let goal = self.goal_of(other, weight);
        let files = self.files.in_common(&other.files, |_| 1.0).map(|files| {
            let folder = self.folders.in_common(&other.folders, |_| 1.0);
            files.max(FOLDER * folder.unwrap_or(0.0))
        });
        let errors = self.errors.best_in_common(&other.errors);
        mixed(goal, files, errors, self.steps.in_common(&other.steps, |_| 1.0))
    }

    fn goal_of(&self, other: &Profile, weight: impl Fn(u32) -> f32) -> Option<f32> {
        let words = self.stems.in_common(&other.stems, weight)?;
        Some(said(words, cosine(&self.meaning, &other.meaning)))
    }

    /// Do their goals have nothing to do with each other?
    pub(super) fn is_other_work(&self, other: &Profile, weight: impl Fn(u32) -> f32) -> bool {
        self.goal_of(other, weight).is_some_and(|goal| goal < LEAST_GOAL_OF_ONE_ERROR)
    }

    /// Do most of them go the other way?
    pub(super) fn is_turned(&self, other: &Profile, stems: &Names) -> bool {
        let mostly = self.stems.times.iter().map(|(stem, _)| *stem).filter(|stem| self.stems.share(*stem) >= 0.5);
        mostly.into_iter().any(|stem| other.goes_against(stem, stems))
    }

    fn goal(&self, case: &Case) -> Option<f32> {
        let words = self.stems.overlap(case.stems.iter().copied())?;
        Some(said(words, case.meaning.as_ref().and_then(|meaning| cosine(meaning, &self.meaning))))
    }

    /// `Disable the cache` is no more of `enable the cache`.
    fn is_opposite(&self, case: &Case, stems: &Names) -> bool {
        case.stems.iter().any(|(stem, _)| self.goes_against(*stem, stems))
    }

    fn goes_against(&self, stem: u32, stems: &Names) -> bool {
        let turned = |other: &String| stems.known(other).is_some_and(|other| self.stems.share(other) >= 0.5);
        let against = opposites(stems.name(stem));
        !against.is_empty() && self.stems.share(stem) < 0.5 && against.iter().any(turned)
    }
}

/// Goals by their words and what they mean.
fn said(words: f32, cosine: Option<f32>) -> f32 {
    let Some(cosine) = cosine else { return words };
    let meaning = ((cosine - OTHER_MEANING) / (SAME_MEANING - OTHER_MEANING)).clamp(0.0, 1.0);
    MEANING * meaning + (1.0 - MEANING) * words
}

/// All that both sides have, or 0 where too little is the same to be the same work.
fn mixed(goal: Option<f32>, files: Option<f32>, errors: Option<f32>, steps: Option<f32>) -> f32 {
    let same_trouble = errors.is_some_and(|met| met >= 0.5) && files.is_some_and(|files| files >= 0.3);
    let least = if same_trouble { LEAST_GOAL_OF_ONE_ERROR } else { LEAST_GOAL };
    let against = match goal {
        Some(goal) => goal < least,
        // Without words, the same place or the same error is the least there must be.
        None => files.unwrap_or(0.0).max(errors.unwrap_or(0.0)) < 0.5,
    };
    if against {
        return 0.0;
    }
    let parts = [(GOAL, goal), (FILES, files), (ERRORS, errors), (STEPS, steps)];
    let there = parts.iter().filter_map(|(weight, part)| part.map(|part| (weight, part)));
    let (sum, weights) = there.fold((0.0, 0.0), |(sum, all), (weight, part)| (sum + weight * part, all + weight));
    if weights == 0.0 { 0.0 } else { sum / weights }
}

/// Nothing where one of them has no length.
pub(super) fn cosine(a: &[f32], b: &[f32]) -> Option<f32> {
    if a.is_empty() || a.len() != b.len() {
        return None;
    }
    let (mut dot, mut of_a, mut of_b) = (0.0_f32, 0.0_f32, 0.0_f32);
    for (a, b) in a.iter().zip(b) {
        dot += a * b;
        of_a += a * a;
        of_b += b * b;
    }
    let length = (of_a * of_b).sqrt();
    (length > 0.0).then(|| dot / length)
}
