//! Finds the files that may be meant, and what speaks for each.
//!
//! All looks into the past are bounded, so that a question costs about the same in any repository.

use std::collections::HashMap;

use super::evidence::{Feature, FileEvidence};
use super::{Opened, words};
use crate::predict::terrain::Terrain;
use lokid_index::cochange::{Cochange, Entry, PathId, folder_of, is_trivial};

const MOST_COMMITS: usize = 256;
const COMMITS_AROUND: usize = 60;
const COMMITS_LATELY: usize = 40;
const COMMITS_OF_A_PARTNER: usize = 30;
const PARTNERS_FOLLOWED: usize = 10;
const MOST_SIBLINGS: usize = 300;
const MOST_ALIKE: usize = 40;
const MOST_RECENT: usize = 5;
/// How much less each earlier commit of the same file, author or folder counts.
const FADING: f64 = 0.75;

/// More candidates than this are not looked at closely.
const MOST_CANDIDATES: usize = 300;

/// FileEvidence that also counts in relation to the candidate with the most of it,
const FOREMOST: [(Feature, Feature); 4] = [
    (Feature::Alike, Feature::ForemostAlike),
    (Feature::Together, Feature::Foremost),
    (Feature::AroundFolder, Feature::ForemostAround),
    (Feature::Run, Feature::ForemostRun),
];
/// by its rank,
const RANKED: [(Feature, Feature); 4] = [
    (Feature::TogetherLately, Feature::RankTogether),
    (Feature::ChanceBack, Feature::RankBack),
    (Feature::AroundFolder, Feature::RankAround),
    (Feature::MineShare, Feature::RankMine),
];
/// and more where the history of the opened file is thin.
const WHERE_THIN: [(Feature, Feature); 10] = [
    (Feature::Near, Feature::NewNear),
    (Feature::Words, Feature::NewWords),
    (Feature::SameFolder, Feature::NewFolder),
    (Feature::AroundFolder, Feature::NewAround),
    (Feature::Heat, Feature::NewHeat),
    (Feature::Fresh, Feature::NewRecent),
    (Feature::Mine, Feature::NewMine),
    (Feature::Namesake, Feature::NewNamesake),
    (Feature::Run, Feature::NewRun),
    (Feature::ChanceBack, Feature::NewBack),
];

struct Gathering<'a> {
    known: &'a Cochange,
    terrain: &'a dyn Terrain,
    opened: Option<PathId>,
    clue: &'a Opened<'a>,
    found: HashMap<PathId, FileEvidence<'a>>,
    /// Files history does not know.
    unknown: HashMap<&'a str, FileEvidence<'a>>,
}

pub(crate) fn gather<'a>(known: &'a Cochange, terrain: &'a dyn Terrain, clue: &'a Opened<'a>) -> Vec<FileEvidence<'a>> {
    let opened = known.find(clue.path);
    let mut gathering = Gathering { known, terrain, opened, clue, found: HashMap::new(), unknown: HashMap::new() };
    gathering.history();
    gathering.around();
    gathering.namesakes();
    gathering.lately();
    gathering.author();
    gathering.tree();
    gathering.session();
    gathering.two_steps();
    gathering.finish()
}

/// A wide commit says less about each of its files.
fn share(entry: &Entry) -> f64 {
    1.0 / (entry.files.len().saturating_sub(1).max(1) as f64).sqrt()
}

fn fade(age: u64, half_life: f64) -> f64 {
    (-(age as f64) / half_life).exp2()
}

impl<'a> Gathering<'a> {
    fn at(&mut self, place: PathId) -> &mut FileEvidence<'a> {
        let known = self.known;
        let place = known.today(place);
        self.found.entry(place).or_insert_with(|| FileEvidence::new(known.path(place), Some(place)))
    }

    fn named(&mut self, path: &'a str) -> &mut FileEvidence<'a> {
        match self.known.find(path) {
            Some(place) => self.at(place),
            None => self.unknown.entry(path).or_insert_with(|| FileEvidence::new(path, None)),
        }
    }

    /// The commits of the opened file itself.
    fn history(&mut self) {
        let Some(opened) = self.opened else { return };
        let author = self.clue.author.and_then(|author| self.known.find_author(author));
        let (mut ever, mut lately, mut now, mut run, mut own_run) = (0.0, 0.0, 0.0, 0.0, 1.0);
        for (age, entry) in self.known.commits_of(opened).take(MOST_COMMITS) {
            let (slow, middle, quick) = (fade(age, 2000.0), fade(age, 200.0), fade(age, 20.0));
            (ever, lately, now, run) = (ever + slow, lately + middle, now + quick, run + own_run);
            let share = share(entry);
            let is_mine = author.is_some() && entry.author == author;
            for place in entry.files.iter().map(|place| self.known.today(*place)).filter(|place| *place != opened) {
                let evidence = self.at(place);
                evidence.times += 1;
                if evidence.times == 1 {
                    evidence.last = entry.time;
                    evidence.set(Feature::LastTogether, own_run);
                }
                evidence.add(Feature::Together, slow * share);
                evidence.add(Feature::TogetherLately, middle * share);
                evidence.add(Feature::TogetherNow, quick * share);
                evidence.add(Feature::ChanceSmall, slow * share * share);
                evidence.add(Feature::ChanceEver, slow);
                evidence.add(Feature::Chance, middle);
                evidence.add(Feature::Run, own_run * share.sqrt());
                if is_mine {
                    evidence.add(Feature::TogetherByAuthor, middle * share);
                }
            }
            own_run *= FADING;
        }
        for (place, evidence) in &mut self.found {
            let heat = self.known.heat(*place);
            evidence.set(Feature::ChanceBack, evidence.get(Feature::TogetherLately) / (heat + 0.5));
            evidence.set(Feature::Bond, evidence.get(Feature::Chance) / ((lately + 0.5) * (heat + 0.5)).sqrt());
            evidence.set(Feature::Chance, evidence.get(Feature::Chance) / (lately + 0.5));
            evidence.set(Feature::ChanceEver, evidence.get(Feature::ChanceEver) / (ever + 0.5));
            evidence.set(Feature::ChanceSmall, evidence.get(Feature::ChanceSmall) / (ever + 0.5));
            evidence.set(Feature::Run, evidence.get(Feature::Run) / (run + 0.5));
            for feature in [Feature::Together, Feature::TogetherLately, Feature::TogetherNow, Feature::TogetherByAuthor]
            {
                evidence.set(feature, evidence.get(feature).ln_1p());
            }
        }
    }

    /// Commits in the folder of the opened file: what changes with its neighbours.
    fn around(&mut self) {
        let commits = self.known.commits_around(self.clue.path, COMMITS_AROUND);
        self.follow(&commits, Feature::AroundFolder, 0.95);
    }

    fn follow(&mut self, commits: &[(u64, &'a Entry)], feature: Feature, fading: f64) {
        let (mut all, mut own) = (0.3, 1.0);
        for _ in commits {
            all += own;
            own *= fading;
        }
        own = 1.0;
        for (_, entry) in commits {
            for place in &entry.files {
                let add = own * share(entry) / all;
                self.at(*place).add(feature, add);
            }
            own *= fading;
        }
    }

    /// Commits of the files with the same stem: what changes with them.
    fn namesakes(&mut self) {
        let places: Vec<PathId> = self.known.namesakes(self.clue.path).take(50).collect();
        let mut commits = Vec::new();
        for place in places {
            self.at(place).set(Feature::Namesake, 1.0);
            if Some(place) != self.opened {
                commits.extend(self.known.commits_of(place).take(10));
            }
        }
        commits.sort_by_key(|(age, _)| *age);
        commits.truncate(COMMITS_AROUND);
        self.follow(&commits, Feature::AroundNames, 0.9);
    }

    fn lately(&mut self) {
        for entry in self.known.latest().take(COMMITS_LATELY) {
            for place in &entry.files {
                self.at(*place);
            }
        }
    }

    /// What the one at work touched in their latest commits.
    fn author(&mut self) {
        let Some(author) = self.clue.author.and_then(|author| self.known.find_author(author)) else { return };
        let (mut own, mut all) = (1.0, 0.0);
        let commits: Vec<_> = self.known.commits_by(author).collect();
        for (at, (_, entry)) in commits.iter().enumerate() {
            let hours = (self.clue.now.saturating_sub(entry.time)).max(0) as f64 / 3600.0;
            for place in &entry.files {
                let evidence = self.at(*place);
                if evidence.get(Feature::Mine) == 0.0 {
                    evidence.set(Feature::Mine, own);
                    evidence.set(Feature::MineNow, 0.9_f64.powi(at as i32) * (-hours / 6.0).exp2());
                }
                evidence.add(Feature::MineShare, 0.9_f64.powi(at as i32));
            }
            own *= FADING;
            all += 0.9_f64.powi(at as i32);
        }
        for evidence in self.found.values_mut() {
            evidence.set(Feature::MineShare, evidence.get(Feature::MineShare) / (all + 0.5));
        }
    }

    fn tree(&mut self) {
        let siblings: Vec<PathId> = self.known.in_folder(self.clue.path).collect();
        let mut by_age: Vec<(u64, PathId)> =
            siblings.into_iter().map(|place| (self.known.age(place).unwrap_or(u64::MAX), place)).collect();
        by_age.sort_unstable();
        for (_, place) in by_age.into_iter().take(MOST_SIBLINGS) {
            self.at(place);
        }
        let terrain = self.terrain;
        for path in terrain.siblings(self.clue.path).into_iter().take(MOST_SIBLINGS) {
            self.named(path);
        }
        for path in terrain.imports(self.clue.path) {
            self.named(path).set(Feature::Imported, 1.0);
        }
        let importers = terrain.importers(self.clue.path);
        // One of many importers is seldom the one.
        let each = 1.0 / (1.0 + importers.len() as f64 / 4.0).sqrt();
        for path in importers {
            self.named(path).set(Feature::Importer, each);
        }
        for (path, alike) in terrain.alike(self.clue.path, MOST_ALIKE) {
            self.named(path).set(Feature::Alike, alike.clamp(0.0, 1.0));
        }
    }

    /// What changes with the files that were open just before.
    fn session(&mut self) {
        let clue = self.clue;
        for (at, path) in clue.recent.iter().take(MOST_RECENT).enumerate() {
            let Some(place) = self.known.find(path) else { continue };
            let weight = FADING.powi(at as i32);
            self.at(place).add(Feature::Session, weight);
            self.partners_of(place, weight, Feature::Session);
        }
    }

    /// Partners of the partners.
    fn two_steps(&mut self) {
        let mut first: Vec<(f64, PathId)> = self
            .found
            .iter()
            .map(|(place, evidence)| {
                let known = evidence.get(Feature::Chance) * 0.5 + evidence.get(Feature::Run) * 0.5;
                (known + if self.opened.is_none() { evidence.get(Feature::Namesake) } else { 0.0 }, *place)
            })
            .filter(|(weight, place)| *weight > 0.02 && Some(*place) != self.opened)
            .collect();
        first.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        for (weight, place) in first.into_iter().take(PARTNERS_FOLLOWED) {
            self.partners_of(place, weight, Feature::TwoSteps);
        }
    }

    fn partners_of(&mut self, place: PathId, weight: f64, feature: Feature) {
        let known = self.known;
        let all: f64 =
            0.5 + known.commits_of(place).take(COMMITS_OF_A_PARTNER).map(|(age, _)| fade(age, 200.0)).sum::<f64>();
        for (age, entry) in known.commits_of(place).take(COMMITS_OF_A_PARTNER) {
            let add = weight * fade(age, 200.0) * share(entry) / all;
            for other in entry.files.iter().filter(|other| **other != place) {
                self.at(*other).add(feature, add);
            }
        }
    }

    /// The most promising at a glance, by path, without those that cannot be meant.
    fn promising(&mut self) -> Vec<FileEvidence<'a>> {
        let (known, terrain, path, opened) = (self.known, self.terrain, self.clue.path, self.opened);
        let glance = |place: PathId, evidence: &FileEvidence<'_>| {
            let age = known.age(place).map_or(f32::INFINITY, |age| age as f32);
            evidence.features.iter().sum::<f32>() + 1.0 / (1.0 + age / 40.0)
        };
        let mut order: Vec<(f32, PathId)> = self
            .found
            .iter()
            .filter(|(place, _)| Some(**place) != opened && !known.is_gone(**place))
            .map(|(place, evidence)| (glance(*place, evidence), *place))
            .collect();
        order.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let can_be_meant = |other: &str| other != path && !is_trivial(other) && terrain.is_there(other);
        let places = order.into_iter().map(|(_, place)| place).filter(|place| can_be_meant(known.path(*place)));
        let mut all: Vec<FileEvidence<'a>> =
            places.take(MOST_CANDIDATES).filter_map(|place| self.found.remove(&place)).collect();
        all.extend(self.unknown.drain().map(|(_, evidence)| evidence).filter(|evidence| can_be_meant(evidence.path)));
        all.sort_unstable_by(|one, other| one.path.cmp(other.path));
        all
    }

    /// What can be said of each by itself, and of each among the others.
    fn finish(mut self) -> Vec<FileEvidence<'a>> {
        let (known, path, opened) = (self.known, self.clue.path, self.opened);
        let mut all = self.promising();
        for (from, to) in FOREMOST {
            let most = all.iter().map(|evidence| evidence.get(from)).fold(0.0, f64::max);
            if most > 0.0 {
                all.iter_mut().for_each(|evidence| evidence.set(to, evidence.get(from) / most));
            }
        }
        RANKED.into_iter().for_each(|(from, to)| rank(&mut all, from, to));
        let (own, own_name) = (words::of(path), words::of(words::name(path)));
        // The less a file's own history tells, the more its surroundings do.
        let thin = 1.0 / (1.0 + opened.map_or(0, |opened| known.count_of(opened)) as f64 / 2.0);
        for evidence in &mut all {
            if let Some(place) = evidence.place {
                let age = known.age(place).unwrap_or(u64::MAX) as f64;
                evidence.set(Feature::Fresh, 1.0 / (1.0 + age / 2.0));
                evidence.set(Feature::Recent, 1.0 / (1.0 + age / 40.0));
                evidence.set(Feature::Heat, known.heat(place).ln_1p());
            }
            let same_folder = folder_of(evidence.path) == folder_of(path);
            evidence.set(Feature::SameFolder, f64::from(same_folder));
            evidence.set(Feature::Near, words::near(evidence.path, path));
            evidence.set(Feature::SameName, f64::from(words::name(evidence.path) == words::name(path)));
            evidence.set(Feature::SameKind, f64::from(words::kind(evidence.path) == words::kind(path)));
            evidence.set(Feature::Words, words::shared(&words::of(evidence.path), &own));
            evidence.set(Feature::NameWords, words::shared(&words::of(words::name(evidence.path)), &own_name));
            for (from, to) in WHERE_THIN {
                evidence.set(to, thin * evidence.get(from));
            }
        }
        all
    }
}

/// One for the first, a half for the second, and so on; those that are equal share a rank.
fn rank(all: &mut [FileEvidence<'_>], from: Feature, to: Feature) {
    let mut order: Vec<(f64, usize)> = all
        .iter()
        .enumerate()
        .map(|(at, evidence)| (evidence.get(from), at))
        .filter(|(value, _)| *value > 0.0)
        .collect();
    order.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let (mut before, mut rank) = (f64::INFINITY, 0);
    for (position, (value, at)) in order.into_iter().enumerate() {
        if value < before {
            (before, rank) = (value, position);
        }
        all[at].set(to, 1.0 / (1.0 + rank as f64));
    }
}
