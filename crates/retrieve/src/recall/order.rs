//! The order in which what was found is told: the best first, then always the best of what is not yet said, with room for
//! experience beside what the repository says anyway.

use std::sync::Arc;

use super::{Candidate, Hit, Search, by_score};
use crate::newer;
use crate::score::Parts;
use lokid_model::{Memory, Timestamp};

/// More than these are not compared, however long the time that was asked about.
const MOST_OF_A_TIME: usize = 4096;
/// From this likeness on two memories begin to say the same, and from the second on they do.
const ALIKE: f32 = 0.75;
const SAME: f32 = 0.95;

/// So many of others' memories are told beyond what was asked for, which would else leave no room for any.
const MOST_BORROWED: usize = 3;

/// What is left of a score when so much of it was said already. Saying it twice may be evidence; the third time is noise.
fn room(said: f64) -> f64 {
    1.0 - 0.75 * (said - 1.0).clamp(0.0, 1.0)
}

/// Experience this good, compared with what the repository says anyway, is not crowded out by it.
pub const NEARLY_AS_GOOD: f64 = 0.7;

/// May one more of the repository's own documents, code and commits stand behind so many answers? The first
/// and every second place is kept for experience that is nearly as good.
pub fn has_room(taught: usize, placed: usize) -> bool {
    2 * taught < placed
}

impl Search<'_> {
    /// Of what is in order: takes the best, then always the best of what is not yet said; behind all that, what was borrowed.
    pub(super) fn diversify(self, scored: Vec<(f64, Candidate)>) -> Vec<Hit> {
        let (borrowed, scored): (Vec<_>, Vec<_>) =
            scored.into_iter().partition(|(_, found)| found.memory.is_borrowed());
        let meanings = &self.sources.view.meanings;
        let first_row = |candidate: &Candidate| candidate.number.and_then(|number| meanings.first_row(number));
        let mut rest: Vec<_> =
            scored.into_iter().map(|(score, found)| (score, 0.0_f64, first_row(&found), found)).collect();
        let mut hits = Vec::with_capacity(self.request.k);
        let is_taught = |candidate: &Candidate| self.sources.snapshot.is_derived(&candidate.memory.key());
        let mut taught = 0;
        while hits.len() < self.request.k && !rest.is_empty() {
            let best_of = |experience: bool| {
                (0..rest.len()).filter(|at| !experience || !is_taught(&rest[*at].3)).min_by(|a, b| {
                    let (one, other) = (&rest[*a], &rest[*b]);
                    by_score(one.0 * room(one.1), &one.3, other.0 * room(other.1), &other.3)
                })
            };
            let mut best = best_of(false).unwrap_or(0);
            if is_taught(&rest[best].3) && !has_room(taught, hits.len()) {
                let least = NEARLY_AS_GOOD * rest[best].0 * room(rest[best].1);
                best = best_of(true).filter(|at| rest[*at].0 * room(rest[*at].1) >= least).unwrap_or(best);
            }
            taught += usize::from(is_taught(&rest[best].3));
            let (score, _, row, candidate) = rest.remove(best);
            for (_, said, other, _) in &mut rest {
                if let (Some(row), Some(other)) = (&row, other) {
                    let alike = ((row.likeness(other) - ALIKE) / (SAME - ALIKE)).clamp(0.0, 1.0);
                    *said += f64::from(alike);
                }
            }
            hits.push(candidate.hit(score));
        }
        newer::first(&mut hits);
        let room = MOST_BORROWED.max(self.request.k.saturating_sub(hits.len()));
        hits.extend(borrowed.into_iter().take(room).map(|(score, found)| found.hit(score)));
        hits
    }

    /// What happened then, whatever it says: the most important first, of equals the newest.
    pub(super) fn of_the_time(mut self) -> Vec<Hit> {
        let (snapshot, filter) = (self.sources.snapshot, &self.request.filter);
        let is_in = |memory: &&Arc<Memory>| {
            let at = memory.times.created_at.as_micros();
            self.spans.iter().any(|(from, until)| (*from..*until).contains(&at)) && filter.admits(memory)
        };
        let last = self.spans.iter().map(|(_, until)| *until).max().unwrap_or(i64::MAX);
        let first = self.spans.iter().map(|(from, _)| *from).min().unwrap_or(i64::MIN);
        let found = snapshot
            .newest_before(Timestamp::from_micros(last))
            .take_while(|memory| memory.times.created_at.as_micros() >= first)
            .filter(is_in)
            .take(MOST_OF_A_TIME);
        let found: Vec<Arc<Memory>> = found.cloned().collect();
        let mut scored: Vec<(f64, Candidate)> = Vec::with_capacity(found.len());
        for memory in found {
            let number = self.sources.view.number(&memory.key());
            let parts = Parts::default();
            let mut candidate = Candidate { memory, parts, number, arrival: None, instead_of: None };
            self.complete(&mut candidate);
            // No kind of memory is what was asked for.
            (candidate.parts.task, candidate.parts.fit) = (1.0, 1.0);
            let score = candidate.parts.total(self.sources.weights);
            if self.request.min_score.is_none_or(|least| score >= least) {
                scored.push((score, candidate));
            }
        }
        // They come newest first, and the order of equals stays.
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        scored.truncate(self.request.k);
        scored.into_iter().map(|(score, candidate)| candidate.hit(score)).collect()
    }
}
