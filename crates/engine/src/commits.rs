//! Commits beside memories: a question is answered from both, and a commit is shown by its id like a memory.

use std::sync::Arc;

use super::recall::Recall;
use lokid_config::RecallConfig;
use lokid_encode::commits::as_memory;
use lokid_index::commits::{CommitIndex, CommitMatch};
use lokid_model::{Kind, Memory, MemoryId, Tier};
use lokid_retrieve::query;
use lokid_retrieve::recall::{self, Answer, Hit, Request};
use lokid_retrieve::score::{self, Parts};

/// Nobody told a commit to be remembered: of two that match alike, what was told comes first.
const UNTOLD: f64 = 0.9;

/// A commit that holds less of a question's words is no answer to it.
const ANSWERS: f64 = 0.17;

/// Fewer commits say nothing about which words are rare.
pub(super) const FEW: u64 = 100;

impl Recall {
    /// A commit by the id under which it is shown.
    pub fn commit(&self, id: &MemoryId) -> Option<Arc<Memory>> {
        let found = self.repository.known().commits?.get(id.commit()?)?;
        as_memory(&found).map(Arc::new)
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
        let Some(commits) = self.repository.known().commits else { return };
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
            .filter(|found| request.min_score.is_some() || is_long || found.share >= ANSWERS)
            .filter_map(|found| self.hit(&found, request, weights, answer))
            .filter(|hit| request.min_score.is_none_or(|least| hit.score >= least))
            .collect();
        // The memories keep their order, which is not by score alone.
        let mut commits = hits.into_iter().peekable();
        let snapshot = self.writer.snapshot();
        let (mut mixed, mut taught) = (Vec::with_capacity(answer.hits.len()), 0);
        let borrowed = answer.hits.split_off(answer.hits.partition_point(|hit| !hit.memory.is_borrowed()));
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
        mixed.extend(borrowed);
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
