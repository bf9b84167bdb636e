//! What earlier work on such a goal or error touched: the files of the episodes that match, weighed by how well each
//! matches, how it ended and what was done to the file.
//!
//! Pure: which file of this repository a path of an episode is, whoever asks tells.

use std::collections::{BTreeMap, BTreeSet};

use super::PredictedFile;
use super::memories::{Evidence, PredictedMemory, quote};
use lokid_model::{Body, Episode, Memory, Outcome};

/// So many episodes are listened to, and each counts less than the one before.
const MOST_EPISODES: usize = 6;
const FADING: f64 = 0.75;
/// How likely a file is needed again that an episode changed, and one that it only read; each later one is less so.
const CHANGED: f64 = 0.55;
const READ: f64 = 0.22;
const LATER: f64 = 0.85;
/// Files of each sort that are looked at.
const MOST_FILES: usize = 12;
/// What did not succeed looked in the wrong place more often.
const PARTLY: f64 = 0.9;
const FAILED: f64 = 0.7;
const LONGEST_TITLE: usize = 60;

/// Which file of the repository a path of an episode is.
pub type InRepository<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The episodes that the goal or the error called to mind, best first.
pub fn matching(predicted: &[PredictedMemory]) -> Vec<PredictedMemory> {
    let calls = |evidence: &Evidence| {
        matches!(evidence, Evidence::Goal | Evidence::SameError | Evidence::ErrorTie | Evidence::LikeError)
    };
    let is_episode = |found: &&PredictedMemory| matches!(found.memory.body, Body::Episode(_));
    let called = predicted.iter().filter(is_episode).filter(|found| found.evidence.iter().any(calls));
    called.take(MOST_EPISODES).cloned().collect()
}

/// What they touched, as it is called in the repository, likeliest first.
pub fn files(episodes: &[PredictedMemory], places: InRepository<'_>) -> Vec<PredictedFile> {
    let mut doubts: BTreeMap<String, (f64, f64, String)> = BTreeMap::new();
    let mut rank = 1.0;
    for episode in episodes {
        let worth = rank * episode.score * outcome_worth(episode.memory.outcome);
        rank *= FADING;
        for (path, share, was) in touched(&episode.memory, places) {
            let chance = worth * share;
            let known = doubts.entry(path).or_insert_with(|| (1.0, 0.0, String::new()));
            known.0 *= 1.0 - chance;
            if chance > known.1 {
                let title = quote(episode.memory.headline(), LONGEST_TITLE);
                (known.1, known.2) = (chance, format!("{was} in [{}] {title}", episode.memory.id));
            }
        }
    }
    let told = doubts.into_iter().map(|(path, (doubt, _, why))| PredictedFile { path, score: 1.0 - doubt, why });
    sorted(told.collect())
}

/// Both together: what two speak for is likelier than what one does. The surer one tells why.
pub fn join(found: Vec<PredictedFile>, experienced: Vec<PredictedFile>) -> Vec<PredictedFile> {
    let mut joined: BTreeMap<String, PredictedFile> = found.into_iter().map(|file| (file.path.clone(), file)).collect();
    for file in experienced {
        match joined.get_mut(&file.path) {
            Some(known) => {
                if file.score > known.score {
                    known.why = file.why;
                }
                known.score = 1.0 - (1.0 - known.score) * (1.0 - file.score);
            }
            None => drop(joined.insert(file.path.clone(), file)),
        }
    }
    sorted(joined.into_values().collect())
}

fn sorted(mut files: Vec<PredictedFile>) -> Vec<PredictedFile> {
    files.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.path.cmp(&other.path)));
    files
}

/// Each file once, with how much it counts and what was done to it.
fn touched(memory: &Memory, places: InRepository<'_>) -> Vec<(String, f64, &'static str)> {
    let Body::Episode(episode) = &memory.body else { return Vec::new() };
    let homes = homes(episode, places);
    let mut found: Vec<(String, f64, &'static str)> = Vec::new();
    for (paths, most, was) in [(&episode.files_modified, CHANGED, "changed"), (&episode.files_read, READ, "read")] {
        let mut share = most;
        let here = paths.iter().filter_map(|path| places(path).filter(|place| is_meant(path, place, &homes)));
        for path in here.take(MOST_FILES) {
            if found.iter().all(|(known, ..)| *known != path) {
                found.push((path, share, was));
                share *= LATER;
            }
        }
    }
    found
}

/// What stands before the paths of this repository in those of the episode.
fn homes<'a>(episode: &'a Episode, places: InRepository<'_>) -> BTreeSet<&'a str> {
    let all = episode.files_modified.iter().chain(&episode.files_read);
    let deep = all.filter_map(|path| places(path).filter(|place| place.contains('/')).map(|place| (path, place)));
    deep.map(|(path, place)| before(path, &place)).collect()
}

fn before<'a>(path: &'a str, place: &str) -> &'a str {
    path.strip_suffix(place).unwrap_or_default()
}

/// Every repository has a `setup.py`: one that lies elsewhere is meant only where its neighbours are.
fn is_meant(path: &str, place: &str, homes: &BTreeSet<&str>) -> bool {
    place.contains('/') || matches!(before(path, place), "" | "./") || homes.contains(before(path, place))
}

fn outcome_worth(outcome: Option<Outcome>) -> f64 {
    match outcome {
        Some(Outcome::Success) | None => 1.0,
        Some(Outcome::Partial) => PARTLY,
        Some(Outcome::Failure) => FAILED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::{Lab, memory, now};
    use crate::predict::memories::{Clues, predict};
    use lokid_model::{Kind, Namespace};

    fn episode(id: &str, goal: &str, modified: &[&str], read: &[&str], outcome: Outcome) -> Memory {
        let list = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
        let body = Episode {
            goal: goal.to_owned(),
            files_modified: list(modified),
            files_read: list(read),
            ..Episode::default()
        };
        let mut memory = memory(id, Kind::Episode, goal, &[]);
        (memory.body, memory.outcome) = (Body::Episode(Box::new(body)), Some(outcome));
        memory
    }

    fn known(path: &str) -> Option<String> {
        let files = ["src/cart.py", "src/price.py", "src/login.py", "setup.py"];
        files.into_iter().find(|file| path == *file || path.ends_with(&format!("/{file}"))).map(str::to_owned)
    }

    fn foretold(lab: &Lab, goal: &str) -> Vec<PredictedFile> {
        let clues = Clues { goal: Some(goal.to_owned()), ..Clues::default() };
        let found = lab.ask(|sources| predict(sources, &clues, &Namespace::default(), now(), 10));
        files(&matching(&found), &known)
    }

    #[test]
    fn what_such_work_changed_comes_before_what_it_read_under_the_name_it_has_here() {
        let mut lab = Lab::default();
        lab.put(episode(
            "ep-1",
            "Prices in the cart are rounded twice",
            &["testbed/src/price.py", "testbed/reproduce.py", "testbed/setup.py"],
            &["/home/ada/testbed/src/cart.py", "/usr/lib/python3/setup.py"],
            Outcome::Success,
        ));
        let found = foretold(&lab, "the cart rounds prices");
        let paths: Vec<&str> = found.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["src/price.py", "setup.py", "src/cart.py"], "{found:?}");
        assert_eq!(found[0].why, "changed in [ep-1] Prices in the cart are rounded twice");
        assert!(found[2].why.starts_with("read in [ep-1]"), "{found:?}");
        assert!(found.iter().all(|file| file.score > 0.0 && file.score < 1.0), "{found:?}");
        assert_eq!(foretold(&lab, "herons nest at the pond"), []);
    }

    #[test]
    fn a_file_that_every_repository_has_is_meant_only_beside_others_of_this_one() {
        let mut lab = Lab::default();
        let elsewhere = ["other/setup.py", "other/lib/thing.py"];
        lab.put(episode("ep-1", "Prices in the cart are rounded twice", &elsewhere, &[], Outcome::Success));
        assert_eq!(foretold(&lab, "the cart rounds prices"), []);
    }

    #[test]
    fn what_failed_counts_less_than_what_succeeded() {
        let score = |outcome: Outcome| {
            let mut lab = Lab::default();
            lab.put(episode("ep-1", "Prices in the cart are rounded twice", &["src/price.py"], &[], outcome));
            foretold(&lab, "the cart rounds prices")[0].score
        };
        assert!(score(Outcome::Success) > score(Outcome::Partial));
        assert!(score(Outcome::Partial) > score(Outcome::Failure));
    }

    #[test]
    fn what_two_speak_for_comes_first_and_the_surer_one_tells_why() {
        let file = |path: &str, score: f64, why: &str| PredictedFile { path: path.into(), score, why: why.into() };
        let joined = join(
            vec![file("a", 0.4, "history"), file("b", 0.3, "history")],
            vec![file("b", 0.35, "episode"), file("c", 0.1, "episode")],
        );
        let told: Vec<(&str, &str)> = joined.iter().map(|file| (file.path.as_str(), file.why.as_str())).collect();
        assert_eq!(told, [("b", "episode"), ("a", "history"), ("c", "episode")]);
    }
}
