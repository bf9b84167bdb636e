//! Which memories have earned another tier: those that are named again and again rise, those that are given again and
//! again and never named sink. Pure: a memory and its counts in, a verdict out.
//!
//! What a person decided stays: a mandate of a person is never taken back here, and text that nobody vouches for never
//! becomes one.

use crate::model::{Memory, Source, Status, Tier, Usage};

/// A reference that was named this often becomes a guardrail,
const REFERENCES_OF_A_GUARDRAIL: u64 = 10;
/// if it was named in this share of the sessions that saw it.
const RELEVANCE_OF_A_GUARDRAIL: f64 = 0.7;
/// A guardrail that was named and led to a good end this often becomes a mandate.
const REFERENCES_OF_A_MANDATE: u64 = 25;
const SUCCESSES_OF_A_MANDATE: u64 = 20;
/// What was given this often
const IGNORED: u64 = 20;
/// and named in less than this share of the sessions that saw it sinks.
const RELEVANCE_OF_THE_IGNORED: f64 = 0.1;

#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub tier: Tier,
    pub why: String,
}

/// The tier a memory has earned, if it is another than it has.
pub fn judge(memory: &Memory, usage: &Usage) -> Option<Verdict> {
    let settled = memory.status == Status::Asserted && memory.times.expired_at.is_none() && !memory.restricted;
    if !settled {
        return None;
    }
    let relevance = relevance(usage);
    let (named, seen) = (usage.referenced, usage.referenced + usage.ignored);
    match memory.tier {
        Tier::Reference if named >= REFERENCES_OF_A_GUARDRAIL && relevance >= RELEVANCE_OF_A_GUARDRAIL => {
            Some(Verdict { tier: Tier::Guardrail, why: format!("named in {named} of {seen} sessions") })
        }
        Tier::Guardrail
            if named >= REFERENCES_OF_A_MANDATE
                && usage.success >= SUCCESSES_OF_A_MANDATE
                && memory.source.may_mandate() =>
        {
            let why = format!("named {named} times, {} of them with a good end", usage.success);
            Some(Verdict { tier: Tier::Mandate, why })
        }
        Tier::Mandate | Tier::Guardrail if memory.source == Source::User => None,
        Tier::Mandate | Tier::Guardrail if usage.ignored >= IGNORED && relevance < RELEVANCE_OF_THE_IGNORED => {
            let tier = if memory.tier == Tier::Mandate { Tier::Guardrail } else { Tier::Reference };
            Some(Verdict { tier, why: format!("named in {named} of {seen} sessions that saw it") })
        }
        _ => None,
    }
}

/// In which share of the sessions that saw it a memory was named.
fn relevance(usage: &Usage) -> f64 {
    let seen = usage.referenced + usage.ignored;
    if seen == 0 { 0.0 } else { usage.referenced as f64 / seen as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, MemoryId, Timestamp};

    fn tier(tier: Tier, source: Source, counts: [u64; 3]) -> Option<Tier> {
        let mut memory = Memory::new(MemoryId::new("n").unwrap(), Kind::Note, "x", Timestamp::default());
        (memory.tier, memory.source) = (tier, source);
        let [referenced, success, ignored] = counts;
        judge(&memory, &Usage { referenced, success, ignored, ..Usage::default() }).map(|verdict| verdict.tier)
    }

    #[test]
    fn what_is_named_again_and_again_rises_step_by_step() {
        let check = |from, counts, to| assert_eq!(tier(from, Source::Agent, counts), to, "{from} {counts:?}");
        check(Tier::Reference, [9, 9, 0], None);
        check(Tier::Reference, [10, 0, 4], Some(Tier::Guardrail));
        check(Tier::Reference, [10, 0, 5], None);
        check(Tier::Guardrail, [25, 19, 0], None);
        check(Tier::Guardrail, [25, 20, 3], Some(Tier::Mandate));
        assert_eq!(tier(Tier::Guardrail, Source::Log, [99, 99, 0]), None, "a log gives no orders");
    }

    #[test]
    fn what_is_ignored_sinks_unless_a_person_wrote_it() {
        assert_eq!(tier(Tier::Mandate, Source::Agent, [1, 0, 20]), Some(Tier::Guardrail));
        assert_eq!(tier(Tier::Guardrail, Source::Git, [0, 0, 20]), Some(Tier::Reference));
        assert_eq!(tier(Tier::Guardrail, Source::Git, [3, 0, 20]), None);
        assert_eq!(tier(Tier::Mandate, Source::User, [0, 0, 500]), None);
        assert_eq!(tier(Tier::Reference, Source::Agent, [0, 0, 500]), None, "there is nothing below but the archive");
    }

    #[test]
    fn hearsay_stays_where_it_is() {
        let mut memory = Memory::new(MemoryId::new("n").unwrap(), Kind::Note, "x", Timestamp::default());
        memory.status = Status::Unverified;
        assert_eq!(judge(&memory, &Usage { referenced: 50, success: 50, ..Usage::default() }), None);
    }
}
