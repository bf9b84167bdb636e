//! What somebody asks to be remembered or changed, before the engine has decided what becomes of it.

use super::{
    Body, Episode, Extra, Kind, Memory, MemoryId, Namespace, Outcome, Rare, Relation, Scope, Shorter, Source, Status,
    Tier, Timestamp, Usage, render,
};

/// Gives fields to those of the same name: all of them, or those that are there.
macro_rules! hand_over {
    ($from:ident => $to:expr; $($field:ident)+) => {
        $($to.$field = $from.$field;)+
    };
    (given $from:ident => $to:expr; $($field:ident)+) => {
        $(if let Some(given) = $from.$field {
            $to.$field = given;
        })+
    };
}

/// A record as given: what is `None` was left to the engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    pub id: Option<MemoryId>,
    pub namespace: Namespace,
    pub kind: Kind,
    pub title: String,
    pub text: String,
    pub summary: Option<String>,
    pub tier: Option<Tier>,
    pub tags: Vec<String>,
    pub files: Vec<String>,
    pub symbols: Vec<String>,
    pub commits: Vec<String>,
    pub importance: Option<f64>,
    pub confidence: Option<f64>,
    /// When it happened or was said; now, if nobody says.
    pub timestamp: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
    pub valid_at: Option<Timestamp>,
    pub invalid_at: Option<Timestamp>,
    pub expired_at: Option<Timestamp>,
    pub stale_after: Option<Timestamp>,
    pub source: Option<Source>,
    pub actor: Option<String>,
    pub sources: Vec<String>,
    pub status: Status,
    pub restricted: bool,
    pub scope: Scope,
    pub outcome: Option<Outcome>,
    pub usage: Rare<Usage>,
    pub body: Body,
    pub extra: Extra,
    pub supersedes: Vec<MemoryId>,
    pub links: Vec<(MemoryId, Relation)>,
}

impl Draft {
    pub fn new(kind: Kind, text: impl Into<String>) -> Draft {
        Draft { kind, text: text.into(), ..Draft::default() }
    }

    /// An episode told in plain words still has a goal, which is what Loki Mode looks for. Bulk text from elsewhere stays
    /// plain.
    fn with_goal(self) -> Draft {
        let plain = self.kind == Kind::Episode && self.body == Body::None && self.source != Some(Source::Import);
        if !plain {
            return self;
        }
        let told = if self.title.is_empty() { &self.text } else { &self.title };
        let episode = Episode { goal: render::first_line(told).to_owned(), ..Episode::default() };
        Draft { body: Body::Episode(Box::new(episode)), ..self }
    }

    /// The memory this draft asks for. `id` is the one given or minted; a mandate needs a source that may give one.
    pub fn into_memory(self, id: MemoryId, now: Timestamp) -> Memory {
        let this = self.with_goal();
        let created_at = this.timestamp.unwrap_or(now);
        let mut memory = Memory::new(id, this.kind, this.text, created_at);
        memory.title = if this.title.is_empty() { render::title_of(&this.body) } else { this.title };
        if memory.text.is_empty() {
            memory.text = render::text_of(&this.body);
        }
        memory.shorter = Shorter { summary: this.summary, ..Shorter::default() }.into();
        memory.importance = this.importance.unwrap_or(Memory::DEFAULT_IMPORTANCE);
        memory.confidence = this.confidence.unwrap_or(Memory::DEFAULT_CONFIDENCE);
        memory.times.updated_at = this.updated_at.unwrap_or(now);
        memory.times.valid_at = this.valid_at.unwrap_or(created_at);
        memory.source = this.source.unwrap_or(Source::Agent);
        hand_over!(this => memory; namespace tags actor sources status restricted scope outcome usage body extra);
        hand_over!(this => memory.anchors; files symbols commits);
        hand_over!(this => memory.times; invalid_at expired_at stale_after);
        memory.tier = allowed_tier(this.tier.unwrap_or(Tier::Reference), memory.source);
        memory.settle();
        memory
    }
}

/// Text from tools, logs and imports never becomes a mandate by itself.
pub fn allowed_tier(wanted: Tier, source: Source) -> Tier {
    if wanted == Tier::Mandate && !source.may_mandate() { Tier::Guardrail } else { wanted }
}

/// Fields of a memory to be changed; what is `None` stays. The outer `Some(None)` of a time clears it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    pub title: Option<String>,
    pub text: Option<String>,
    pub summary: Option<String>,
    pub tier: Option<Tier>,
    pub tags: Option<Vec<String>>,
    pub files: Option<Vec<String>>,
    pub symbols: Option<Vec<String>>,
    pub commits: Option<Vec<String>>,
    pub importance: Option<f64>,
    pub confidence: Option<f64>,
    pub valid_at: Option<Timestamp>,
    pub invalid_at: Option<Option<Timestamp>>,
    pub stale_after: Option<Option<Timestamp>>,
    pub status: Option<Status>,
    pub restricted: Option<bool>,
    pub scope: Option<Scope>,
    pub outcome: Option<Option<Outcome>>,
    pub body: Option<Body>,
    /// Its branch was merged.
    pub unstage: bool,
}

impl Patch {
    pub fn apply(self, old: &Memory, now: Timestamp) -> Memory {
        let mut memory = old.clone();
        let derived = memory.text == render::text_of(&memory.body);
        if let Some(body) = self.body {
            if derived {
                memory.text = render::text_of(&body);
                memory.title = render::title_of(&body);
            }
            memory.body = body;
        }
        let tier = self.tier.map(|tier| allowed_tier(tier, old.source));
        if let Some(tier) = tier {
            // Whoever gives it a tier has read it, whatever its file asked for.
            (memory.tier, memory.claim) = (tier, None);
        }
        if self.summary.is_some() {
            memory.shorter.summary = self.summary;
        }
        hand_over!(given self => memory; title text tags importance confidence status restricted scope outcome);
        hand_over!(given self => memory.anchors; files symbols commits);
        hand_over!(given self => memory.times; valid_at invalid_at stale_after);
        if self.unstage {
            memory.unstage();
        }
        if memory != *old {
            memory.times.updated_at = now.max(old.times.updated_at.plus_micros(1));
        }
        memory
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_cannot_issue_a_mandate_but_a_person_can() {
        let draft = |source| Draft { tier: Some(Tier::Mandate), source: Some(source), ..Draft::new(Kind::Note, "x") };
        let id = MemoryId::new("n").unwrap();
        let tier = |source| draft(source).into_memory(id.clone(), Timestamp::from_micros(1)).tier;
        assert_eq!(tier(Source::Log), Tier::Guardrail);
        assert_eq!(tier(Source::Import), Tier::Guardrail);
        assert_eq!(tier(Source::User), Tier::Mandate);
    }

    #[test]
    fn a_patch_that_changes_nothing_leaves_even_the_time_of_the_last_change() {
        let old = Memory::new(MemoryId::new("n").unwrap(), Kind::Note, "x", Timestamp::from_micros(1));
        let same = Patch { text: Some("x".into()), ..Patch::default() }.apply(&old, Timestamp::from_micros(9));
        assert_eq!(same, old);
        let other = Patch { text: Some("y".into()), ..Patch::default() }.apply(&old, Timestamp::from_micros(9));
        assert_eq!(other.times.updated_at, Timestamp::from_micros(9));
    }
}
