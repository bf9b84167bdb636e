//! The commits that have to do with what somebody is doing, and how much each of their words tells.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Contexts;
use super::cache::Need;
use super::named::place_of;
use crate::commits::FEW;
use lokid_context::predict::PredictedFile;
use lokid_context::predict::goal::{self, without_head};
use lokid_context::predict::memories::branch_topic;
use lokid_context::predict::terrain::Terrain;
use lokid_context::situation::{MOST_WORDS, Situation, is_doing};
use lokid_encode::commits::{CommitKind, as_memory, kind_of};
use lokid_index::analyze;
use lokid_index::cochange::Cochange;
use lokid_index::commits::CommitMatch;
use lokid_model::{Commit, Memory, Timestamp};
use lokid_retrieve::query;

/// How rare a word is taken to be where too few commits can tell.
const UNKNOWN_RARITY: f64 = 4.0;
/// Commits looked at for each question, and files beside the one at hand.
const LOOKED_AT: usize = 15;
const NEAR: usize = 3;
const LONGEST_SUBJECT: usize = 80;
/// A commit that says less of a goal is none like it.
const LIKE: f64 = 0.45;
const NEARLY: f64 = 0.8;
/// Seconds after which it was done otherwise.
const OLDEST: i64 = 4 * 365 * 86_400;
pub(super) const SHOWN_OF_AN_ID: usize = 9;
/// How a line begins that tells of a commit of the same file.
pub(super) const ALIKE_THERE: &str = "the like was done there by ";
/// How much of all that a goal and a subject say they both say, by weight. Of 1,561 later commits of 38 repositories one in nine had
/// such a precedent in its main file.
const ALIKE: f64 = 0.3;
const ALIKE_OF_BRANCH: f64 = 0.4;
const FEWEST_SHARED: usize = 2;
/// Commits that are held against a goal, word by word, and files that are told of them.
const MOST_ROUTINES: usize = 40;
const MOST_OF_A_ROUTINE: usize = 6;
/// The last of them, most of which touched what is told.
const LAST_ROUTINES: usize = 5;

impl Contexts {
    /// What somebody is doing, in words that are weighed by how few commits say them.
    pub(super) fn situation(&self, need: &Need) -> Situation {
        let texts = texts(need);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let Some(commits) = self.repository.known().commits.filter(|commits| commits.commits() >= FEW) else {
            return Situation::new(texts, &|_| UNKNOWN_RARITY);
        };
        let all = commits.commits() as f64;
        Situation::new(texts, &|word| {
            let holders = commits.said_by(word) as f64;
            (1.0 + (all - holders + 0.5).max(0.0) / (holders + 0.5)).ln()
        })
    }

    /// Commits that may tell about this: those that say its words, in its files first.
    pub(super) fn commits_about(&self, need: &Need, related: &[PredictedFile]) -> Vec<Arc<Memory>> {
        let past = self.repository.known();
        let Some(commits) = past.commits.filter(|_| need.namespace.is_default() && need.as_of.is_none()) else {
            return Vec::new();
        };
        let mut wanted = query::wanted(&texts(need).join("\n"));
        wanted.truncate(query::MOST_ASKED);
        let cochange = &past.cochange;
        let own = need.file.as_deref().or_else(|| place_of(related));
        let own = own.into_iter().flat_map(|file| cochange.all_names(file));
        let near = related.iter().take(NEAR).flat_map(|file| cochange.all_names(&file.path));
        let (own, near): (Vec<&str>, Vec<&str>) = (own.collect(), near.collect());
        let mut found = if wanted.is_empty() { commits.touching(&own, LOOKED_AT) } else { Vec::new() };
        let told = [commits.search(&wanted, LOOKED_AT), commits.search_touching(&wanted, &own, LOOKED_AT)];
        let beside = commits.search_touching(&wanted, &near, LOOKED_AT);
        found.extend(told.into_iter().flatten().chain(beside).map(|found| found.commit));
        let mut seen = BTreeSet::new();
        // `Merge commit from fork` says nothing, whatever stands below it.
        found.retain(|commit| {
            seen.insert(commit.id.clone()) && !commit.is_merge() && !commit.subject.starts_with("Merge ")
        });
        let told = |commit: &Commit| {
            let mut memory = at_todays_places(as_memory(commit)?, cochange);
            // Of many files, those that matter here are named.
            let place = |path: &String| related.iter().position(|file| file.path == *path).unwrap_or(related.len());
            memory.anchors.files.sort_by_key(place);
            Some(Arc::new(memory))
        };
        found.iter().filter_map(told).collect()
    }

    /// The commit of a file that says most of what a goal is about, as it is quoted.
    pub(super) fn commit_like(&self, goal: &str, path: &str) -> Option<String> {
        let past = self.repository.known();
        let now = self.env.clock.now().as_micros() / 1_000_000;
        let mut wanted = query::wanted(without_head(goal));
        wanted.retain(|wanted| wanted.word.len() > 1 && !is_doing(&wanted.word));
        wanted.truncate(query::MOST_ASKED);
        let found = past.commits?.search_touching(&wanted, &past.cochange.all_names(path), LOOKED_AT);
        let is_recent = |commit: &Commit| commit.time >= now - OLDEST;
        let found: Vec<CommitMatch> = found.into_iter().filter(|found| !found.commit.is_merge()).collect();
        let best = found.first()?.share;
        // Of those that say as much the newest knows how it is done today.
        let alike = found.iter().filter(|found| found.share >= LIKE.max(NEARLY * best) && is_recent(&found.commit));
        let newest = alike.max_by_key(|found| found.commit.time);
        newest.and_then(|found| quoted(&found.commit))
    }

    /// The commit of a file whose subject says nearly what a goal or a branch says: how the like was done there.
    pub(super) fn alike_in(&self, said: &str, path: &str, has_goal: bool) -> Option<String> {
        let past = self.repository.known();
        let commits = past.commits?;
        let (all, now) = (commits.commits() as f64, self.env.clock.now().as_micros() / 1_000_000);
        let weight = |word: &String| {
            let holders = commits.said_by(word) as f64;
            (1.0 + (all - holders + 0.5).max(0.0) / (holders + 0.5)).ln()
        };
        let own = subject_words(said);
        let likeness = |commit: &Commit| {
            if takes_away(said) != takes_away(&commit.subject) {
                return 0.0;
            }
            let words = subject_words(&commit.subject);
            let shared: Vec<&String> = own.intersection(&words).collect();
            let is_chance = shared.len() < FEWEST_SHARED || commit.is_merge() || commit.time < now - OLDEST;
            if is_chance { 0.0 } else { sum(shared, &weight) / sum(own.union(&words), &weight).max(f64::MIN_POSITIVE) }
        };
        let mut wanted = query::wanted(without_head(said));
        wanted.truncate(query::MOST_ASKED);
        let mut found = commits.search_touching(&wanted, &past.cochange.all_names(path), LOOKED_AT);
        // What was written about it shows nobody how it is done.
        let [is_of_texts, _] = goal::sorts(said);
        found.retain(|found| is_of_texts || kind_of(&found.commit) != CommitKind::Docs);
        let least = if has_goal { ALIKE } else { ALIKE_OF_BRANCH };
        let alike = found.iter().map(|found| (likeness(&found.commit), &found.commit));
        let (_, best) = alike.filter(|(share, _)| *share >= least).max_by(|one, other| one.0.total_cmp(&other.0))?;
        Some(format!("{ALIKE_THERE}{}", quoted(best)?))
    }

    /// The commit that a goal names by the number of its request, with what it touched.
    pub(super) fn numbered(&self, goal: &str) -> Option<String> {
        let past = self.repository.known();
        let commits = past.commits?;
        let number = |word: &str| {
            let digits = word.trim_matches(|sign: char| !sign.is_ascii_digit() && sign != '#').strip_prefix('#')?;
            let is_number = digits.len() > 1 && digits.bytes().all(|sign| sign.is_ascii_digit());
            is_number.then(|| format!("#{digits}"))
        };
        let found = goal.split_whitespace().filter_map(number).find_map(|number| {
            let names = |commit: &Commit| {
                commit.subject.split_whitespace().any(|word| word.trim_matches(['(', ')', ',', ':']) == number)
            };
            let found = commits.search(&query::wanted(&number), LOOKED_AT).into_iter().map(|found| found.commit);
            found.into_iter().find(|commit| !commit.is_merge() && names(commit))
        })?;
        let today = found.files.iter().map(|file| past.cochange.name_today(&file.path).unwrap_or(&file.path));
        let files: Vec<&str> = today.filter(|path| past.ground.is_there(path)).take(MOST_OF_A_ROUTINE).collect();
        Some(format!("{}: {}", quoted(&found)?, files.join(", "))).filter(|_| !files.is_empty())
    }

    /// What was done again and again in the same words, as releases are, and touched the same files each time: the last
    /// time, with these files.
    pub(super) fn routine(&self, goal: &str, at_hand: Option<&str>) -> Option<String> {
        let past = self.repository.known();
        let words = shape(goal);
        let mut wanted = query::wanted(goal);
        wanted.retain(|wanted| !wanted.word.contains(|sign: char| sign.is_ascii_digit()));
        wanted.truncate(query::MOST_ASKED);
        let found = past.commits?.search(&wanted, MOST_ROUTINES);
        let mut alike: Vec<Commit> = found.into_iter().map(|found| found.commit).collect();
        alike.retain(|commit| !commit.is_merge() && shape(&commit.subject) == words);
        alike.sort_by_key(|commit| std::cmp::Reverse(commit.time));
        alike.truncate(LAST_ROUTINES);
        let [last, _, ..] = alike.as_slice() else { return None };
        let touches = |commit: &Commit, path: &str| commit.files.iter().any(|file| file.path == path);
        let is_usual = |path: &&str| {
            let times = alike.iter().filter(|commit| touches(commit, path)).count();
            2 * times > alike.len() && past.ground.is_there(path)
        };
        let usual: Vec<&str> = last.files.iter().map(|file| file.path.as_str()).filter(is_usual).collect();
        // What was taken away then, as notes that a release collects, is another thing each time.
        let is_usual = |commit: &Commit| {
            let there = commit.files.iter().filter(|file| past.ground.is_there(&file.path)).count();
            2 * usual.iter().filter(|path| touches(commit, path)).count() > there
        };
        let is_routine = 2 * alike.iter().filter(|commit| is_usual(commit)).count() > alike.len();
        let new: Vec<&str> = usual.iter().copied().filter(|path| Some(*path) != at_hand).collect();
        let is_news = is_routine && (1..=MOST_OF_A_ROUTINE).contains(&new.len());
        is_news.then(|| Some(format!("done before by {}: {}", quoted(last)?, new.join(", "))))?
    }
}

fn sum<'a>(words: impl IntoIterator<Item = &'a String>, weight: &dyn Fn(&String) -> f64) -> f64 {
    words.into_iter().map(weight).sum()
}

/// What it says, without its kind and the request it came by.
fn subject_words(subject: &str) -> BTreeSet<String> {
    let words = analyze::distinct(without_head(subject), MOST_WORDS).into_iter();
    words.filter(|word| word.chars().any(char::is_alphabetic)).collect()
}

/// The words without numbers, and without the request a commit came by.
fn shape(subject: &str) -> Vec<String> {
    let end = subject.rfind(" (#").filter(|_| subject.ends_with(')')).unwrap_or(subject.len());
    let words = subject[..end].split(|sign: char| !sign.is_alphanumeric() && sign != '.');
    let is_number = |word: &str| word.contains(|sign: char| sign.is_ascii_digit());
    let told = |word: &str| if is_number(word) { "0".to_owned() } else { word.to_lowercase() };
    words.filter(|word| !word.is_empty()).map(told).collect()
}

/// `"subject" (id, day)`
pub(super) fn quoted(commit: &Commit) -> Option<String> {
    let subject: String = commit.subject.chars().take(LONGEST_SUBJECT).collect();
    let cut = if subject.len() < commit.subject.len() { "…" } else { "" };
    let day = Timestamp::from_micros(commit.time.saturating_mul(1_000_000)).day();
    Some(format!("\"{subject}{cut}\" ({}, {day})", commit.id.get(..SHOWN_OF_AN_ID)?))
}

/// A commit speaks of files by the names they had then.
fn at_todays_places(mut memory: Memory, cochange: &Cochange) -> Memory {
    for file in &mut memory.anchors.files {
        if let Some(today) = cochange.stats(file).map(|stats| stats.path).filter(|today| today != file) {
            *file = today.to_owned();
        }
    }
    memory
}

/// What somebody is doing, in their words: the goal, else what the branch is called after, and the errors.
fn texts(need: &Need) -> Vec<String> {
    let branch = need.branch.as_ref().filter(|_| need.goal.is_none()).and_then(|branch| branch_topic(&branch.name));
    let errors = need.errors.iter().map(|error| query::beginning(&error.text).to_owned());
    need.goal.clone().into_iter().chain(branch).chain(errors).collect()
}

/// To drop something is done in other ways than to support it.
fn takes_away(subject: &str) -> bool {
    const TAKING: [&str; 6] = ["drop", "remov", "delet", "disabl", "deprec", "revert"];
    analyze::distinct(subject, usize::MAX).iter().any(|word| TAKING.iter().any(|start| word.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_the_same_whatever_its_numbers_are() {
        assert_eq!(shape("Version 0.34.3 (#2617)"), shape("Version 0.34.10"));
        assert_eq!(shape("chore(deps): bump x to v1.2"), shape("chore(deps): Bump x to v1.3 (#7)"));
        assert_ne!(shape("chore(deps): bump x to 1"), shape("chore(deps): bump y to 1"));
        assert_eq!(without_head("fix(a): b"), "b");
        assert_eq!(without_head("let it be: b"), "let it be: b");
    }
}
