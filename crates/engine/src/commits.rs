//! Commits beside memories: a question is answered from both, and a commit is shown by its id like a memory.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::foresight::shelf::Need;
use super::project::Project;
use lokid_config::RecallConfig;
use lokid_context::gate::Situation;
use lokid_context::predict::PredictedFile;
use lokid_context::predict::memories::branch_topic;
use lokid_encode::commits::as_memory;
use lokid_index::cochange::Cochange;
use lokid_index::commits::{CommitIndex, CommitMatch};
use lokid_model::{Commit, Kind, Memory, MemoryId, Tier};
use lokid_retrieve::query;
use lokid_retrieve::recall::{self, Answer, Hit, Request};
use lokid_retrieve::score::{self, Parts};

/// Nobody told a commit to be remembered: of two that match alike, what was told comes first.
const UNTOLD: f64 = 0.9;

/// Fewer commits say nothing about which words are rare.
const FEW: u64 = 100;
const UNKNOWN_RARITY: f64 = 4.0;
/// Commits looked at for each question, and files beside the one at hand.
const LOOKED_AT: usize = 15;
const NEAR: usize = 3;

impl Project {
    /// A commit by the id under which it is shown.
    pub fn commit(&self, id: &MemoryId) -> Option<Arc<Memory>> {
        let found = self.past_known().commits?.get(id.commit()?)?;
        as_memory(&found).map(Arc::new)
    }

    /// What somebody is doing, in words that are weighed by how few commits say them.
    pub(super) fn situation(&self, need: &Need) -> Situation {
        let texts = texts(need);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let Some(commits) = self.past_known().commits.filter(|commits| commits.commits() >= FEW) else {
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
        let past = self.past_known();
        let Some(commits) = past.commits.filter(|_| need.namespace.is_default() && need.as_of.is_none()) else {
            return Vec::new();
        };
        let mut wanted = query::wanted(&texts(need).join("\n"));
        wanted.truncate(query::MOST_ASKED);
        let cochange = &past.cochange;
        let own = need.file.iter().flat_map(|file| cochange.all_names(file));
        let near = related.iter().take(NEAR).flat_map(|file| cochange.all_names(&file.path));
        let (own, near): (Vec<&str>, Vec<&str>) = (own.collect(), near.collect());
        let mut found = if wanted.is_empty() { commits.touching(&own, LOOKED_AT) } else { Vec::new() };
        let told = [commits.search(&wanted, LOOKED_AT), commits.search_touching(&wanted, &own, LOOKED_AT)];
        let beside = commits.search_touching(&wanted, &near, LOOKED_AT);
        found.extend(told.into_iter().flatten().chain(beside).map(|found| found.commit));
        let mut seen = BTreeSet::new();
        found.retain(|commit| seen.insert(commit.id.clone()) && !commit.is_merge());
        let told = |commit: &Commit| {
            let mut memory = at_todays_places(as_memory(commit)?, cochange);
            // Of many files, those that matter here are named.
            let place = |path: &String| related.iter().position(|file| file.path == *path).unwrap_or(related.len());
            memory.anchors.files.sort_by_key(place);
            Some(Arc::new(memory))
        };
        found.iter().filter_map(told).collect()
    }

    /// Puts the commits that answer a question among the memories that do.
    pub(super) fn with_commits(&self, request: &Request, weights: &RecallConfig, answer: &mut Answer) {
        let filter = &request.filter;
        let asked_for = |kinds: &[Kind], tiers: &[Tier]| {
            (kinds.is_empty() || kinds.contains(&Kind::Note)) && (tiers.is_empty() || tiers.contains(&Tier::Reference))
        };
        if !filter.namespace.is_default() || !asked_for(&filter.kinds, &filter.tiers) {
            return;
        }
        let Some(commits) = self.past_known().commits else { return };
        if !answer.timeline.is_empty() {
            return with_commits_of_the_time(&commits, request, weights, answer);
        }
        let mut wanted = query::wanted(&request.query);
        let is_long = wanted.len() > query::LONG || commits.commits() < FEW;
        wanted.truncate(query::MOST_ASKED);
        let told: Vec<&str> =
            answer.hits.iter().flat_map(|hit| &hit.memory.anchors.commits).map(String::as_str).collect();
        let found = commits.search(&wanted, request.k);
        let hits: Vec<Hit> = found
            .into_iter()
            .filter(|found| !told.iter().any(|told| found.commit.id.starts_with(told)))
            .filter(|found| request.min_score.is_some() || is_long || found.share >= score::FLOOR)
            .filter_map(|found| self.hit(&found, request, weights, answer))
            .filter(|hit| request.min_score.is_none_or(|least| hit.score >= least))
            .collect();
        // The memories keep their order, which is not by score alone.
        let mut commits = hits.into_iter().peekable();
        let snapshot = self.snapshot();
        let (mut mixed, mut taught) = (Vec::with_capacity(answer.hits.len()), 0);
        for hit in std::mem::take(&mut answer.hits) {
            let is_taught = snapshot.is_derived(&hit.memory.key());
            let comes_first = |commit: &Hit, taught: usize, placed: usize| {
                let nearly = !is_taught && hit.score >= recall::NEARLY_AS_GOOD * commit.score;
                commit.score > hit.score && (!nearly || recall::has_room(taught, placed))
            };
            while let Some(commit) = commits.next_if(|commit| comes_first(commit, taught, mixed.len())) {
                mixed.push(commit);
                taught += 1;
            }
            mixed.push(hit);
            taught += usize::from(is_taught);
        }
        mixed.extend(commits);
        mixed.truncate(request.k);
        answer.hits = mixed;
    }

    /// A commit is compared by its words, which stand for its meaning too.
    fn hit(&self, found: &CommitMatch, request: &Request, weights: &RecallConfig, answer: &Answer) -> Option<Hit> {
        let memory = as_memory(&found.commit)?;
        if request.filter.as_of.is_some_and(|at| memory.times.created_at > at) {
            return None;
        }
        let parts = Parts {
            keyword: found.share,
            tier: 1.0,
            importance: memory.importance,
            task: score::task(answer.weights.of(memory.kind)),
            outcome: 1.0,
            speaker: 1.0,
            ..Parts::default()
        };
        let relevance = (weights.semantic + weights.keyword) * found.share;
        let score = UNTOLD * relevance * (0.5 + parts.importance) * parts.task;
        let score = (score * 1e6).round() / 1e6;
        Some(Hit { memory: Arc::new(memory), score, parts, arrival: None, instead_of: None })
    }
}

/// Where memories of a time leave room, its commits are told.
fn with_commits_of_the_time(commits: &CommitIndex, request: &Request, weights: &RecallConfig, answer: &mut Answer) {
    let second = |micros: i64| micros.div_euclid(1_000_000);
    for (from, until) in answer.timeline.clone() {
        for commit in commits.between(second(from), second(until), request.k) {
            let told = answer.hits.iter().flat_map(|hit| &hit.memory.anchors.commits);
            if answer.hits.len() >= request.k || told.into_iter().any(|told| commit.id.starts_with(told)) {
                continue;
            }
            let Some(memory) = as_memory(&commit) else { continue };
            let importance = memory.importance;
            let base = Parts { time: score::TIME, tier: 1.0, task: 1.0, outcome: 1.0, ..Parts::default() };
            let parts = Parts { importance, speaker: UNTOLD, ..base };
            let score = parts.total(weights);
            if request.min_score.is_none_or(|least| score >= least) {
                answer.hits.push(Hit { memory: Arc::new(memory), score, parts, arrival: None, instead_of: None });
            }
        }
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
