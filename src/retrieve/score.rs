//! The factors of a score, each a pure function of a memory, the question and the day.

use crate::config::RecallConfig;
use crate::model::{Memory, Outcome, TaskType, Tier, Timestamp, Usage};

/// Everything a score is made of; also what an explanation shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// How close the best passage is in meaning, −1 to 1.
    pub semantic: f64,
    /// The share of the question's words that the memory answers, 0 to 1.
    pub keyword: f64,
    /// What neighbours of the same occasion add or take away from the two above.
    pub occasion: f64,
    /// What arrives over links from better matches.
    pub linked: f64,
    /// Anchored to a file that was asked about.
    pub place: f64,
    /// Of the time the question speaks of.
    pub time: f64,
    /// How much of the best match's relevance it has: only as far as it fits do its other merits count.
    pub fit: f64,
    pub recency: f64,
    pub usage: f64,
    pub tier: f64,
    pub importance: f64,
    pub task: f64,
    pub outcome: f64,
}

/// What a full match of place or time is worth, beside 0.6 for a full match in words and meaning.
pub const PLACE: f64 = 0.15;
pub const TIME: f64 = 0.12;

impl Parts {
    /// The part that depends on the question, as the weights have it.
    pub fn relevance(&self, weights: &RecallConfig) -> f64 {
        let direct = weights.semantic * self.semantic.max(0.0) + weights.keyword * self.keyword;
        direct + self.occasion + self.linked + self.place + self.time
    }

    /// Merits that do not depend on the question would otherwise lift the newest mandate over the answer.
    pub fn total(&self, weights: &RecallConfig) -> f64 {
        let merits = weights.recency * self.recency + weights.usage * self.usage;
        let tier = 1.0 + self.fit * (self.tier - 1.0);
        let score =
            (self.relevance(weights) + self.fit * merits) * tier * (0.5 + self.importance) * self.task * self.outcome;
        // Nobody needs more digits, and none of them may depend on the machine.
        (score * 1e6).round() / 1e6
    }
}

/// From 0 to 1: the share of the best match's relevance. Where nothing matches well, nothing fits well either.
pub fn fit(relevance: f64, best: f64) -> f64 {
    const GOOD_MATCH: f64 = 0.2;
    (relevance / best.max(GOOD_MATCH)).clamp(0.0, 1.0)
}

/// Closer in meaning than any two texts are by chance, or sharing a word, or brought by something that does.
pub fn is_about_it(parts: &Parts) -> bool {
    const CHANCE: f64 = 0.1;
    parts.keyword > 0.0 || parts.semantic >= CHANCE || parts.linked + parts.place > 0.0
}

/// Halves every seven days since the memory was last of use, a mandate's every thirty. Counted in days of the
/// calendar, so that the same question has the same answer all day long.
pub fn recency(memory: &Memory, usage: &Usage, now: Timestamp) -> f64 {
    const DAY: i64 = 86_400_000_000;
    let last = usage.last_used.unwrap_or(memory.times.created_at).max(memory.times.created_at);
    let days = (now.as_micros().div_euclid(DAY) - last.as_micros().div_euclid(DAY)).max(0);
    let half_life = if memory.tier == Tier::Mandate { 30.0 } else { 7.0 };
    0.5_f64.powf(days as f64 / half_life)
}

/// So often may a memory be passed over before it counts.
const PATIENCE: u64 = 4;

/// One half for what nobody was ever given; more for what was cited, most for what helped, and less for what was given
/// and ignored.
pub fn usage(usage: &Usage) -> f64 {
    let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { (part as f64 / whole as f64).min(1.0) };
    // Who cites a memory has met it, however it came.
    let met = usage.loaded.max(usage.referenced + usage.ignored);
    let cited = 0.3 * share(usage.referenced, met) + 0.2 * share(usage.success, usage.referenced);
    // Passed over once is no habit.
    0.5 + cited - 0.3 * share(usage.ignored, met + PATIENCE)
}

pub fn tier(tier: Tier) -> f64 {
    match tier {
        Tier::Mandate => 2.0,
        Tier::Guardrail => 1.5,
        Tier::Reference => 1.0,
        // Unused for long: only what nobody else knows makes it worth telling.
        Tier::Archive => 0.5,
    }
}

/// Failures are what one looks for when debugging; otherwise what worked comes first.
pub fn outcome(outcome: Option<Outcome>, task: TaskType) -> f64 {
    match outcome {
        Some(Outcome::Failure) if task != TaskType::Debugging => 0.7,
        Some(Outcome::Success) if task != TaskType::Debugging => 1.1,
        _ => 1.0,
    }
}

/// A kind of memory that a task calls for weighs more; one it does not call for is still found.
pub fn task(weight: f64) -> f64 {
    0.75 + weight
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, MemoryId};

    const DAY: i64 = 86_400_000_000;

    fn note(day: i64) -> Memory {
        Memory::new(MemoryId::new("n-1").unwrap(), Kind::Note, "x", Timestamp::from_micros(day * DAY))
    }

    #[test]
    fn recency_halves_in_a_week_and_for_a_mandate_in_a_month() {
        let now = Timestamp::from_micros(30 * DAY + 5);
        let recent = |memory: &Memory| recency(memory, &memory.usage, now);
        assert_eq!(recent(&note(30)), 1.0);
        assert_eq!(recent(&note(23)), 0.5);
        let mandate = Memory { tier: Tier::Mandate, ..note(0) };
        assert_eq!(recent(&mandate), 0.5);
        assert_eq!(recent(&note(40)), 1.0, "a clock that was ahead does no harm");
        let mut used = note(0);
        used.usage.last_used = Some(Timestamp::from_micros(23 * DAY));
        assert_eq!(recent(&used), 0.5);
    }

    #[test]
    fn what_was_cited_and_helped_rises() {
        let check = |loaded, referenced, success, expected: f64| {
            let found = usage(&Usage { loaded, referenced, success, ..Usage::default() });
            assert!((found - expected).abs() < 1e-9, "{found}");
        };
        check(0, 0, 0, 0.5);
        check(10, 0, 0, 0.5);
        check(10, 5, 0, 0.65);
        check(10, 10, 10, 1.0);
        check(1, 5, 9, 1.0);
    }

    #[test]
    fn failures_step_back_except_when_debugging() {
        assert!(outcome(Some(Outcome::Failure), TaskType::Implementation) < outcome(None, TaskType::Implementation));
        assert!(outcome(Some(Outcome::Success), TaskType::Review) > 1.0);
        assert_eq!(outcome(Some(Outcome::Failure), TaskType::Debugging), 1.0);
    }
}
