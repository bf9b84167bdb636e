//! The commits that have to do with what somebody is doing, and how much each of their words tells.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Contexts;
use super::cache::Need;
use super::lines::place_of;
use crate::commits::FEW;
use lokid_context::gate::{Situation, is_doing};
use lokid_context::predict::PredictedFile;
use lokid_context::predict::memories::branch_topic;
use lokid_encode::commits::as_memory;
use lokid_index::cochange::Cochange;
use lokid_model::{Commit, Memory, Timestamp};
use lokid_retrieve::query;

/// How rare a word is taken to be where too few commits can tell.
const UNKNOWN_RARITY: f64 = 4.0;
/// Commits looked at for each question, and files beside the one at hand.
const LOOKED_AT: usize = 15;
const NEAR: usize = 3;
const LONGEST_SUBJECT: usize = 80;

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

    /// The commit of a file that says most of a goal, as it is quoted.
    pub(super) fn commit_like(&self, goal: &str, path: &str) -> Option<String> {
        let past = self.repository.known();
        let mut wanted = query::wanted(goal);
        wanted.retain(|wanted| !is_doing(&wanted.word));
        wanted.truncate(query::MOST_ASKED);
        let found = past.commits?.search_touching(&wanted, &past.cochange.all_names(path), LOOKED_AT);
        let found = found.into_iter().map(|found| found.commit).find(|commit| !commit.is_merge())?;
        let subject: String = found.subject.chars().take(LONGEST_SUBJECT).collect();
        let cut = if subject.len() < found.subject.len() { "…" } else { "" };
        let day = Timestamp::from_micros(found.time.saturating_mul(1_000_000)).day();
        Some(format!("\"{subject}{cut}\" ({}, {day})", found.id.get(..9)?))
    }
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
