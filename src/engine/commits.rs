//! Commits beside memories: a question is answered from both, and a commit is shown by its id like a memory.

use std::sync::Arc;

use super::project::Project;
use crate::config::RecallConfig;
use crate::encode::commits::as_memory;
use crate::index::commits::CommitMatch;
use crate::model::{Kind, Memory, MemoryId, Tier};
use crate::retrieve::query;
use crate::retrieve::recall::{Answer, Hit, Request};
use crate::retrieve::score::{self, Parts};

/// Nobody told a commit to be remembered: of two that match alike, what was told comes first.
const UNTOLD: f64 = 0.9;

impl Project {
    /// A commit by the id under which it is shown.
    pub fn commit(&self, id: &MemoryId) -> Option<Arc<Memory>> {
        let found = self.past_known().commits?.get(id.commit()?)?;
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
        let Some(commits) = self.past_known().commits else { return };
        let mut wanted = query::wanted(&request.query);
        wanted.truncate(query::MOST_ASKED);
        let told: Vec<&str> =
            answer.hits.iter().flat_map(|hit| &hit.memory.anchors.commits).map(String::as_str).collect();
        let found = commits.search(&wanted, request.k);
        let hits: Vec<Hit> = found
            .into_iter()
            .filter(|found| !told.iter().any(|told| found.commit.id.starts_with(told)))
            .filter_map(|found| self.hit(&found, request, weights, answer))
            .filter(|hit| request.min_score.is_none_or(|least| hit.score >= least))
            .collect();
        answer.hits.extend(hits);
        answer.hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.memory.id.cmp(&b.memory.id)));
        answer.hits.truncate(request.k);
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
            ..Parts::default()
        };
        let relevance = (weights.semantic + weights.keyword) * found.share;
        let score = UNTOLD * relevance * (0.5 + parts.importance) * parts.task;
        let score = (score * 1e6).round() / 1e6;
        Some(Hit { memory: Arc::new(memory), score, parts, arrival: None, instead_of: None })
    }
}
