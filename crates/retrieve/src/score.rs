//! The factors of a score, each a pure function of a memory, the question and the day.

use lokid_config::{Decay, RecallConfig};
use lokid_model::{Kind, Memory, Outcome, Source, TaskType, Tier, Timestamp, Usage};

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
    /// Who said it: an assistant's word stands behind a person's.
    pub speaker: f64,
}

/// What a full match of place or time is worth, beside 0.6 for a full match in words and meaning.
pub const PLACE: f64 = 0.15;
pub const TIME: f64 = 0.12;

impl Parts {
    /// The part that depends on the question, as the weights have it.
    pub fn relevance(&self, weights: &RecallConfig) -> f64 {
        let direct = weights.semantic * self.semantic.max(0.0) + weights.keyword * self.keyword;
        let own = direct + self.occasion + self.place + self.time;
        // Who is brought by a link was not asked for: a link adds candidates and lifts nobody who matches.
        own.max(self.linked)
    }

    /// Merits that do not depend on the question would otherwise lift the newest mandate over the answer.
    pub fn total(&self, weights: &RecallConfig) -> f64 {
        let merits = weights.recency * self.recency + weights.usage * self.usage;
        let tier = 1.0 + self.fit * (self.tier - 1.0);
        let score = (self.relevance(weights) + self.fit * merits)
            * tier
            * (0.5 + self.importance)
            * self.task
            * self.outcome
            * self.speaker;
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

/// How much speaks for a memory being an answer at all: its meaning, and the share of the whole question that it covers.
pub fn evidence(semantic: f64, covered: f64, weights: &RecallConfig) -> f64 {
    let all = weights.semantic + weights.keyword;
    if all > 0.0 { (weights.semantic * semantic.max(0.0) + weights.keyword * covered) / all } else { 1.0 }
}

/// The least evidence of a best match with which a question is answered at all. Chosen by who gets an answer (a store a
/// conversation; 760 questions of LoCoMo and 235 of LongMemEval that have an answer; the 760 of LoCoMo asked of another
/// conversation, and 50 goals from elsewhere), and whether LoCoMo's is among the ten:
///
/// | floor | LoCoMo | any@10 | LongMemEval | of another talk | goals from elsewhere |
/// |---|---|---|---|---|---|
/// | .17 | .988 | .793 | 1 | .44 | .08 |
/// | .185 | .980 | .791 | 1 | .34 | .06 |
/// | **.19** | .978 | .789 | 1 | .31 | .04 |
/// | .20 | .959 | .776 | 1 | .25 | .04 |
pub const FLOOR: f64 = 0.19;
/// Among fewer memories little can be told about which words are rare. In the 40 small stores of AutoMemoryBench the best
/// evidence is .16 and more for questions that need a memory, and at most .08 for those that need none.
pub const FEW: u64 = 100;
pub const FLOOR_OF_FEW: f64 = 0.09;

/// Halves in a time that depends on the kind of memory, or every seven days (a mandate's every thirty) where the
/// settings say so; counted from when it was last of use, in days of the calendar, so that the same question has the
/// same answer all day long. A time in the future is one of a clock that was wrong: the further off, the less it says.
pub fn recency(memory: &Memory, usage: &Usage, decay: Decay, now: Timestamp) -> f64 {
    const DAY: i64 = 86_400_000_000;
    let made = memory.times.created_at;
    let last = usage.last_used.filter(|used| *used <= now).unwrap_or(made).max(made);
    let days = now.as_micros().div_euclid(DAY).abs_diff(last.as_micros().div_euclid(DAY));
    let half_life = match decay {
        Decay::Weekly if memory.tier == Tier::Mandate => 30.0,
        Decay::Weekly => 7.0,
        Decay::ByKind => half_life(memory),
    };
    0.5_f64.powf(days as f64 / half_life)
}

/// In days: what happened is soon history, what was decided holds longer, how things are done longest.
fn half_life(memory: &Memory) -> f64 {
    match memory.kind {
        _ if memory.tier == Tier::Mandate => 180.0,
        Kind::Episode => 14.0,
        Kind::Note => 30.0,
        Kind::Learning | Kind::AntiPattern => 60.0,
        Kind::Fact | Kind::Decision => 90.0,
        Kind::Pattern | Kind::CodePattern | Kind::Skill | Kind::Workflow => 180.0,
    }
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

/// What a person said counts a little more than what nobody knows who said, and what an assistant said, often its
/// question in other words, a little less. An episode is what happened, whoever tells it.
pub fn speaker(memory: &Memory) -> f64 {
    let actor = memory.actor.as_deref().unwrap_or_default();
    let is_one_of = |names: &[&str]| names.iter().any(|name| actor.eq_ignore_ascii_case(name));
    match memory.kind {
        Kind::Episode => 1.0,
        // A file that says so is nobody's word.
        _ if memory.claim.is_some() => 1.0,
        _ if is_one_of(&["assistant", "agent", "ai"]) => 0.9,
        _ if memory.source == Source::User || is_one_of(&["user", "human"]) => 1.05,
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
    use lokid_model::MemoryId;

    const DAY: i64 = 86_400_000_000;

    fn note(day: i64) -> Memory {
        Memory::new(MemoryId::new("n-1").unwrap(), Kind::Note, "x", Timestamp::from_micros(day * DAY))
    }

    #[test]
    fn recency_halves_in_a_week_and_for_a_mandate_in_a_month() {
        let now = Timestamp::from_micros(30 * DAY + 5);
        let recent = |memory: &Memory| recency(memory, &memory.usage, Decay::Weekly, now);
        assert_eq!(recent(&note(30)), 1.0);
        assert_eq!(recent(&note(23)), 0.5);
        let mandate = Memory { tier: Tier::Mandate, ..note(0) };
        assert_eq!(recent(&mandate), 0.5);
        assert_eq!(recent(&note(37)), 0.5, "what a clock that was ahead dated does not stay new until then");
        let mut used = note(0);
        used.usage.last_used = Some(Timestamp::from_micros(23 * DAY));
        assert_eq!(recent(&used), 0.5);
    }

    #[test]
    fn recency_fades_by_the_kind_of_memory() {
        let now = Timestamp::from_micros(30 * DAY);
        let recent = |memory: &Memory| recency(memory, &memory.usage, Decay::ByKind, now);
        assert_eq!(recent(&note(0)), 0.5);
        let of = |kind| recent(&Memory { kind, ..note(0) });
        assert!(of(Kind::Episode) < of(Kind::Note) && of(Kind::Note) < of(Kind::Learning));
        assert!(of(Kind::Learning) < of(Kind::Decision) && of(Kind::Decision) < of(Kind::Skill));
        assert!(recent(&Memory { tier: Tier::Mandate, ..note(0) }) > of(Kind::Decision));
    }

    #[test]
    fn an_assistants_word_stands_behind_a_persons_and_what_happened_behind_nobodys() {
        let said = |source, actor: Option<&str>, kind| {
            speaker(&Memory { source, actor: actor.map(str::to_owned), kind, ..note(0) })
        };
        let unknown = said(Source::Agent, None, Kind::Note);
        assert!(said(Source::User, None, Kind::Note) > unknown);
        assert!(said(Source::Import, Some("user"), Kind::Note) > unknown);
        assert!(said(Source::Import, Some("Assistant"), Kind::Note) < unknown);
        assert_eq!(said(Source::Agent, Some("assistant"), Kind::Episode), 1.0);
    }

    #[test]
    fn a_link_lifts_nobody_above_what_matches_by_itself() {
        let weights = lokid_config::Config::default().recall;
        let direct = Parts { keyword: 0.6, ..Parts::default() };
        let linked = Parts { keyword: 0.5, linked: 0.2, ..Parts::default() };
        assert!(direct.relevance(&weights) > linked.relevance(&weights));
        let brought = Parts { linked: 0.1, ..Parts::default() };
        assert_eq!(brought.relevance(&weights), 0.1);
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
