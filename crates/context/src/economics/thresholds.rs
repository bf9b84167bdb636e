//! The six bounds memory has to stay within, and what is to be done beyond each. Reads accounts; changes nothing.

use serde_json::{Value, json};

use super::ledger::LedgerView;
use lokid_model::words::vocabulary;

vocabulary!(
    /// What is to be done, most pressing first. Loki Mode knows the first four by these names.
    ActionKind {
        CompressLayer3 = "compress_layer3",
        ReviewTopicRelevance = "review_topic_relevance",
        CreateSpecializedIndex = "create_specialized_index",
        ReorganizeTopicIndex = "reorganize_topic_index",
        SplitTimeline = "split_timeline",
        BypassMemory = "bypass_memory",
    }
);

impl ActionKind {
    /// Can this be judged only where answers say what they apply?
    pub fn needs_answers(self) -> bool {
        self == ActionKind::BypassMemory
    }
}

vocabulary!(Operator { Above = ">", Below = "<" });

/// A bound on one figure of an account.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    pub metric: &'static str,
    pub operator: Operator,
    pub value: f64,
    pub action: ActionKind,
}

/// In the order of their actions. The last two are ours:
///
/// * The timeline is too long when a read hands out more than 60 % of it and more than a hundred tokens. Layer two is
///   there to be scanned, so handing out nearly all of it means that nothing chooses; the share alone would punish a
///   timeline of three lines, the length alone one that is well used.
/// * Memory does not pay when it cost more tokens than it saved and nothing of it was applied.
pub const THRESHOLDS: [Threshold; 6] = [
    bound("ratio", Operator::Above, 0.15, ActionKind::CompressLayer3),
    bound("savings_vs_full_load", Operator::Below, 50.0, ActionKind::ReviewTopicRelevance),
    bound("layer3_loads", Operator::Above, 3.0, ActionKind::CreateSpecializedIndex),
    bound("discovery_tokens", Operator::Above, 200.0, ActionKind::ReorganizeTopicIndex),
    bound("timeline_share", Operator::Above, 0.6, ActionKind::SplitTimeline),
    bound("net_tokens_saved", Operator::Below, 0.0, ActionKind::BypassMemory),
];

const fn bound(metric: &'static str, operator: Operator, value: f64, action: ActionKind) -> Threshold {
    Threshold { metric, operator, value, action }
}

/// When bounds are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkpoint {
    /// A task is done: what it cost, cheaply.
    TaskDone,
    /// Everything.
    SessionEnd,
    /// Layer three was read: the same two, once it was read more than twice.
    Layer3Load,
}

const MANY_LOADS: u64 = 2;

/// A bound that was crossed.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    pub kind: ActionKind,
    pub threshold: Threshold,
    pub measured: f64,
}

impl LedgerView {
    /// What is to be done now, most pressing first. A figure that cannot be told yet asks for nothing.
    pub fn check(&self, checkpoint: Checkpoint) -> Vec<Action> {
        let looked_at = |threshold: &&Threshold| match checkpoint {
            Checkpoint::SessionEnd => true,
            Checkpoint::Layer3Load if self.counts.layer3_loads <= MANY_LOADS => false,
            Checkpoint::TaskDone | Checkpoint::Layer3Load => {
                matches!(threshold.action, ActionKind::CompressLayer3 | ActionKind::CreateSpecializedIndex)
            }
        };
        let crossed = |threshold: &Threshold| {
            let measured = self.figure(threshold.action)?;
            let beyond = match threshold.operator {
                Operator::Above => measured > threshold.value,
                Operator::Below => measured < threshold.value,
            };
            beyond.then_some(Action { kind: threshold.action, threshold: *threshold, measured })
        };
        THRESHOLDS.iter().filter(looked_at).filter_map(crossed).collect()
    }

    /// The figure an action depends on, if there is one yet.
    fn figure(&self, action: ActionKind) -> Option<f64> {
        let counts = &self.counts;
        let spent = counts.spent_tokens() > 0;
        match action {
            ActionKind::CompressLayer3 => counts.ratio(),
            ActionKind::ReviewTopicRelevance => counts.savings_vs_full_load().filter(|_| spent),
            ActionKind::CreateSpecializedIndex => Some(counts.layer3_loads as f64),
            ActionKind::ReorganizeTopicIndex => Some(counts.discovery_tokens() as f64),
            ActionKind::SplitTimeline => counts.timeline_share(),
            // What an answer applied was worth its tokens, though nobody can say how many.
            ActionKind::BypassMemory => Some(counts.net_tokens_saved() as f64).filter(|_| spent && counts.cited == 0),
        }
    }
}

impl Action {
    /// One is the most pressing.
    pub fn priority(&self) -> usize {
        self.kind as usize + 1
    }

    /// `ratio > 0.15 (actual: 0.3)`, as Loki Mode has it.
    pub fn triggered_by(&self) -> String {
        let Threshold { metric, operator, value, .. } = self.threshold;
        format!("{metric} {operator} {value} (actual: {})", rounded(self.measured))
    }

    /// One sentence for a person.
    pub fn description(&self) -> String {
        let Action { measured, threshold: Threshold { value, .. }, .. } = self;
        let (percent, bound) = (measured * 100.0, value * 100.0);
        match self.kind {
            ActionKind::CompressLayer3 => {
                format!("Finding took {measured:.2} tokens for each one read, more than {value}: use shorter forms.")
            }
            ActionKind::ReviewTopicRelevance => {
                format!("Only {measured:.1} % of a full load was saved, less than {value} %: ask for a better fit.")
            }
            ActionKind::CreateSpecializedIndex => {
                format!("{measured:.0} memories were read in full, more than {value}: offer such topics as one.")
            }
            ActionKind::ReorganizeTopicIndex => {
                format!("Finding took {measured:.0} tokens, more than {value}: list the topics most used first.")
            }
            ActionKind::SplitTimeline => {
                format!("{percent:.0} % of the timeline was handed out, more than {bound:.0} %: show recent days only.")
            }
            ActionKind::BypassMemory => {
                format!("Nothing was applied, and memory cost {:.0} tokens more than it saved: skip it.", -measured)
            }
        }
    }

    pub fn to_value(&self) -> Value {
        json!({
            "action_type": self.kind.as_str(),
            "priority": self.priority(),
            "description": self.description(),
            "triggered_by": self.triggered_by(),
        })
    }
}

/// Four digits are enough for a person, and none of them depends on the machine.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
