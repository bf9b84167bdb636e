//! What decided that a memory was said: carried along as it was found, and put into words when it is kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use lokid_context::gate::Signs;
use lokid_context::predict::memories::Evidence;
use lokid_context::session::{SessionBlock, SessionCandidate};
use lokid_model::{Key, Memory, Tier};
use lokid_retrieve::score::Parts;

/// From this likeness on the meaning is a reason.
const CLOSE: f64 = 0.3;

#[derive(Clone, Debug)]
pub enum Because {
    /// It is said to every session, whatever that is about.
    Binds,
    /// The reason in a clause, and the strongest evidence.
    Foreseen { why: String, evidence: Option<Evidence> },
    /// Learnt from the repository, and likely enough of use.
    Weighed { why: String, signs: Signs },
    /// It answers the prompt.
    Recalled(Box<Parts>),
    /// It binds at this file.
    AtHome(String),
    /// It binds, and speaks of the command.
    Commanded,
    /// It was learnt from this very failure.
    SameFailure,
    /// It has the words of the failure.
    LikeFailure(Box<Parts>),
    /// The session began with it.
    Again,
}

/// A memory that may be said, and why.
#[derive(Clone, Debug)]
pub struct Reasoned {
    pub memory: Arc<Memory>,
    /// As it is ranked among the others.
    pub value: f64,
    /// As it was found.
    pub score: f64,
    pub because: Because,
}

impl Reasoned {
    pub(crate) fn new(memory: &Arc<Memory>, score: f64, because: Because) -> Reasoned {
        Reasoned { memory: Arc::clone(memory), value: score, score, because }
    }

    pub(crate) fn candidates(found: &[Reasoned]) -> Vec<SessionCandidate> {
        let candidate = |one: &Reasoned| SessionCandidate { memory: Arc::clone(&one.memory), value: one.value };
        found.iter().map(candidate).collect()
    }
}

/// What was handed out, and why each memory is in it.
#[derive(Clone, Debug, Default)]
pub struct Handed {
    pub block: SessionBlock,
    pub reasons: Vec<Reasoned>,
}

impl Handed {
    /// `reason` is asked for the memories of the block alone.
    pub(crate) fn new(block: SessionBlock, reason: impl Fn(&Key) -> Option<Reasoned>) -> Handed {
        let reasons = block.items.iter().filter_map(|item| reason(&item.key)).collect();
        Handed { block, reasons }
    }

    pub(crate) fn of(block: SessionBlock, found: &[Reasoned]) -> Handed {
        Handed::new(block, |key| found.iter().find(|one| one.memory.key() == *key).cloned())
    }
}

impl Because {
    /// One short clause for a person. It quotes no other memory: what is purged must not stay in here.
    pub(super) fn why(&self, memory: &Memory) -> String {
        match self {
            Because::Binds => match memory.tier {
                Tier::Mandate => "a mandate: always said".to_owned(),
                Tier::Guardrail => "a guardrail: always said".to_owned(),
                Tier::Reference | Tier::Archive => "a gotcha: always said".to_owned(),
            },
            Because::Foreseen { why, .. } | Because::Weighed { why, .. } => {
                why.split('“').next().unwrap_or_default().trim_end_matches([':', ' ']).to_owned()
            }
            Because::Recalled(parts) => answers(parts, "prompt"),
            Because::AtHome(file) => format!("binds at {file}"),
            Because::Commanded => "binds, and speaks of this command".to_owned(),
            Because::SameFailure => "learnt from this very failure".to_owned(),
            Because::LikeFailure(parts) => answers(parts, "failure"),
            Because::Again => "the session began with it".to_owned(),
        }
    }

    /// The factors by name: those of a score, or what each sign added for or against.
    pub(super) fn parts(&self, score: f64) -> BTreeMap<String, f64> {
        let parts: Vec<(&str, f64)> = match self {
            Because::Recalled(parts) | Because::LikeFailure(parts) => factors(parts),
            Because::Weighed { signs, .. } => signs.parts().into_iter().map(|(name, _, adds)| (name, adds)).collect(),
            Because::Foreseen { evidence: Some(evidence), .. } => vec![(evidence.as_str(), score)],
            _ => Vec::new(),
        };
        let told = parts.into_iter().map(|(name, value)| (name.to_owned(), rounded(value)));
        told.filter(|(_, value)| *value != 0.0).collect()
    }
}

fn answers(parts: &Parts, what: &str) -> String {
    let mut reasons = Vec::new();
    if parts.place > 0.0 {
        reasons.push("at home in a file at hand".to_owned());
    }
    if parts.time > 0.0 {
        reasons.push(format!("of the time the {what} speaks of"));
    }
    if parts.keyword > 0.0 {
        reasons.push(format!("has {:.0} % of what the {what}'s words weigh", 100.0 * parts.keyword.min(1.0)));
    }
    if parts.semantic >= CLOSE {
        reasons.push("close in meaning".to_owned());
    }
    if reasons.is_empty() {
        let linked = if parts.linked > 0.0 { "tied to what matches" } else { "the best there is" };
        reasons.push(linked.to_owned());
    }
    reasons.join(", ")
}

fn factors(parts: &Parts) -> Vec<(&'static str, f64)> {
    vec![
        ("semantic", parts.semantic),
        ("keyword", parts.keyword),
        ("occasion", parts.occasion),
        ("linked", parts.linked),
        ("place", parts.place),
        ("time", parts.time),
        ("fit", parts.fit),
        ("recency", parts.recency),
        ("usage", parts.usage),
        ("tier", parts.tier),
        ("importance", parts.importance),
        ("task", parts.task),
        ("outcome", parts.outcome),
        ("speaker", parts.speaker),
    ]
}

pub(super) fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Kind, MemoryId, Timestamp};

    #[test]
    fn a_reason_is_told_in_a_clause_and_quotes_no_other_memory() {
        let memory = Memory::new(MemoryId::new("n-1").unwrap(), Kind::Note, "x", Timestamp::from_micros(1));
        let why = |because: Because| because.why(&memory);
        assert_eq!(why(Because::Binds), "a gotcha: always said");
        let disputed = "open contradiction: “tabs” against “spaces”".to_owned();
        assert_eq!(why(Because::Foreseen { why: disputed, evidence: None }), "open contradiction");
        let parts = Parts { keyword: 0.6, semantic: 0.5, ..Parts::default() };
        assert_eq!(
            why(Because::Recalled(Box::new(parts))),
            "has 60 % of what the prompt's words weigh, close in meaning"
        );
        assert_eq!(why(Because::LikeFailure(Box::default())), "the best there is");
        let seen = Because::Foreseen { why: String::new(), evidence: Some(Evidence::Goal) };
        assert_eq!(seen.parts(0.7004), BTreeMap::from([("goal".to_owned(), 0.7)]));
    }
}
