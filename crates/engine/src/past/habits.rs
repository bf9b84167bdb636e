//! Habits: sequences of steps that the episodes of this project show again and again.

use super::{Chapter, Lesson, PastWorker};
use lokid_encode::workflows::{StepSequence, recurring};
use lokid_model::{Body, Memory, Outcome};

/// The newest episodes say what is usual here.
const MOST_EPISODES: usize = 2_000;

impl PastWorker {
    pub(super) fn read_habits(&mut self) {
        let snapshot = self.writer.snapshot();
        let mut sequences: Vec<StepSequence> = snapshot.memories().filter_map(|memory| steps_of(memory)).collect();
        sequences.sort_by(|one, other| other.at.cmp(&one.at).then_with(|| one.id.cmp(&other.id)));
        sequences.truncate(MOST_EPISODES);
        self.begin(Chapter::Habits, sequences.len());
        let newest = sequences.first().map(|sequence| sequence.at).unwrap_or_default();
        let memories = recurring(&sequences).iter().filter_map(|found| self.memory(found.draft(), newest)).collect();
        self.teach(Chapter::Habits, Lesson { memories, links: Vec::new() });
    }
}

/// What an episode did, in order.
pub(crate) fn steps_of(memory: &Memory) -> Option<StepSequence> {
    let Body::Episode(episode) = &memory.body else { return None };
    let told = |action: &lokid_model::Action| {
        let is_command = matches!(action.action.to_lowercase().as_str(), "bash" | "shell" | "run" | "command" | "exec");
        if is_command && !action.target.is_empty() { action.target.clone() } else { action.action.clone() }
    };
    Some(StepSequence {
        id: memory.id.as_str().to_owned(),
        steps: episode.action_log.iter().map(told).collect(),
        success: memory.outcome.map(|outcome| outcome == Outcome::Success),
        at: memory.times.created_at,
    })
}
