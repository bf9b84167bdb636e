//! What a memory brings along whatever the moment: how it fared when it was handed out before, how new and how
//! important it is, and whether its kind helps with the activity at hand.

use lokid_config::Decay;
use lokid_model::{Body, Kind, Memory, Outcome, TaskType, Timestamp, Usage};
use lokid_retrieve::{score, task};

/// So often may a memory be passed over before it counts against it.
const PATIENCE: f64 = 4.0;
const LEAST_MERIT: f64 = 0.4;
pub(super) const MOST_MERIT: f64 = 1.8;

/// Around 1; below, it needs more evidence to be foreseen.
pub(crate) fn merit(memory: &Memory, usage: &Usage, activity: Option<TaskType>, now: Timestamp) -> f64 {
    let recency = 0.9 + 0.2 * score::recency(memory, usage, Decay::Weekly, now);
    let importance = 0.8 + 0.4 * memory.importance.clamp(0.0, 1.0);
    let confidence = 0.6 + 0.5 * memory.confidence.clamp(0.0, 1.0);
    let fits = activity.map_or(1.0, |activity| fitness(memory, activity));
    (standing(usage) * recency * importance * confidence * fits).clamp(LEAST_MERIT, MOST_MERIT)
}

/// Passed over again and again it sinks to less than half; cited, and of help, it rises by up to a third.
fn standing(usage: &Usage) -> f64 {
    let (ignored, cited) = (usage.ignored as f64, usage.referenced as f64);
    let passed_over = ignored / (ignored + cited + PATIENCE);
    let helped = 2.0 * (score::usage(usage) - 0.5).max(0.0);
    (1.0 - 0.6 * passed_over) * (1.0 + 0.35 * helped)
}

fn fitness(memory: &Memory, activity: TaskType) -> f64 {
    let by_kind = score::task(task::weights(activity).of(memory.kind));
    let by_end = score::outcome(memory.outcome, activity);
    let helps_to_debug = activity == TaskType::Debugging
        && (memory.kind == Kind::Learning
            || memory.outcome == Some(Outcome::Failure)
            || matches!(&memory.body, Body::Episode(episode) if !episode.errors.is_empty()));
    by_kind * by_end * if helps_to_debug { 1.2 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::MemoryId;

    fn told(kind: Kind, usage: Usage, activity: Option<TaskType>) -> f64 {
        let memory = Memory::new(MemoryId::new("m-1").unwrap(), kind, "x", Timestamp::from_micros(0));
        merit(&memory, &usage, activity, Timestamp::from_micros(90 * lokid_model::time::DAY))
    }

    #[test]
    fn what_is_passed_over_sinks_and_what_helped_rises() {
        let usage = |loaded, referenced, success, ignored| {
            let usage = Usage { loaded, referenced, success, ignored, ..Usage::default() };
            told(Kind::Note, usage, None)
        };
        let fresh = usage(0, 0, 0, 0);
        assert!(usage(2, 0, 0, 1) > 0.85 * fresh, "once is no habit");
        assert!(usage(20, 0, 0, 20) < 0.6 * fresh);
        assert!(usage(20, 15, 15, 5) > fresh);
        assert!(usage(20, 20, 20, 0) > usage(20, 20, 0, 0));
    }

    #[test]
    fn debugging_calls_for_what_went_wrong() {
        let debugging = |kind| told(kind, Usage::default(), Some(TaskType::Debugging));
        assert!(debugging(Kind::Learning) > debugging(Kind::Decision));
        assert!(debugging(Kind::AntiPattern) > debugging(Kind::Skill));
        let building = |kind| told(kind, Usage::default(), Some(TaskType::Implementation));
        assert!(building(Kind::Skill) > building(Kind::AntiPattern));
    }
}
