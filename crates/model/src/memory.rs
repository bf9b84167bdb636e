//! One memory: what is remembered, how it is known, and when it holds.

use super::rare::{Omitted, Rare};
use super::{Key, Kind, MemoryId, Namespace, Outcome, Scope, Source, Status, Tier, Timestamp, render};

/// Fields of a record that lokid does not know. They are kept and written back, never interpreted.
pub type Extra = Option<Box<serde_json::Map<String, serde_json::Value>>>;

#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    pub id: MemoryId,
    pub namespace: Namespace,
    pub kind: Kind,
    /// May be empty; [`Memory::headline`] then speaks for it.
    pub title: String,
    /// The full length. For a structured body without words of its own, what [`render::text_of`] makes of it.
    pub text: String,
    pub shorter: Rare<Shorter>,
    pub tier: Tier,
    pub tags: Vec<String>,
    pub anchors: Anchors,
    pub importance: f64,
    pub confidence: f64,
    pub times: Times,
    pub source: Source,
    /// What its file says of its own authority, where nobody here has confirmed it: `tier` and `source` say less.
    pub claim: Option<Claim>,
    /// The person, agent or tool behind the source, where known.
    pub actor: Option<String>,
    /// What it was made or merged from: ids, commits, addresses.
    pub sources: Vec<String>,
    pub status: Status,
    pub restricted: bool,
    pub scope: Scope,
    pub outcome: Option<Outcome>,
    pub usage: Rare<Usage>,
    pub body: Body,
    pub extra: Extra,
}

/// Authority that a file asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    pub tier: Tier,
    pub source: Source,
}

/// The three shorter lengths, where somebody wrote them; otherwise they are made on demand.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Shorter {
    pub summary: Option<String>,
    pub compressed: Option<String>,
    pub index: Option<String>,
}

impl Omitted for Shorter {
    const NOTHING: &'static Shorter = &Shorter { summary: None, compressed: None, index: None };
}

/// Where in the repository a memory is at home.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Anchors {
    pub files: Vec<String>,
    pub symbols: Vec<String>,
    pub commits: Vec<String>,
}

/// Two axes: when something held in the world (`valid_at` to `invalid_at`) and when lokid knew it (`created_at` to
/// `expired_at`).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Times {
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub valid_at: Timestamp,
    /// In the past: no longer true. In the future: an expiry.
    pub invalid_at: Option<Timestamp>,
    pub expired_at: Option<Timestamp>,
    /// From then on it may be out of date (a tool's result, say).
    pub stale_after: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Usage {
    pub loaded: u64,
    pub referenced: u64,
    pub success: u64,
    pub ignored: u64,
    /// Named by whoever applied it.
    pub last_used: Option<Timestamp>,
    /// Handed out, whatever came of it.
    pub last_accessed: Option<Timestamp>,
    /// What this machine saw of it itself. No file says it, and none is told.
    pub witnessed: Witnessed,
}

/// Sessions that named a memory, as they were counted here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Witnessed {
    pub sessions: u64,
    /// Those with a good end.
    pub good: u64,
    /// Days on which there was one,
    pub days: u64,
    /// and the last of them, counted from 1970. A clock that was set back brings no new day.
    pub last_day: i64,
}

impl Witnessed {
    /// Another session named it.
    pub fn note(&mut self, now: Timestamp) {
        let day = now.as_micros().div_euclid(super::time::DAY);
        self.sessions += 1;
        if day > self.last_day {
            (self.days, self.last_day) = (self.days + 1, day);
        }
    }

    fn plus(&self, more: &Witnessed) -> Witnessed {
        Witnessed {
            sessions: self.sessions + more.sessions,
            good: self.good + more.good,
            days: self.days + more.days,
            last_day: self.last_day.max(more.last_day),
        }
    }
}

impl Omitted for Usage {
    const NOTHING: &'static Usage = &Usage {
        loaded: 0,
        referenced: 0,
        success: 0,
        ignored: 0,
        last_used: None,
        last_accessed: None,
        witnessed: Witnessed { sessions: 0, good: 0, days: 0, last_day: 0 },
    };
}

impl Usage {
    /// With what was counted elsewhere.
    pub fn plus(&self, more: &Usage) -> Usage {
        Usage {
            loaded: self.loaded + more.loaded,
            referenced: self.referenced + more.referenced,
            success: self.success + more.success,
            ignored: self.ignored + more.ignored,
            last_used: self.last_used.max(more.last_used),
            last_accessed: self.last_accessed.max(more.last_accessed),
            witnessed: self.witnessed.plus(&more.witnessed),
        }
    }
}

/// The structured part, for the kinds that have one.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Body {
    #[default]
    None,
    Fact(Box<Fact>),
    Episode(Box<Episode>),
    Pattern(Box<Pattern>),
    AntiPattern(Box<AntiPattern>),
    Skill(Box<Skill>),
    Learning(Box<Learning>),
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Fact {
    pub key: String,
    pub value: String,
    /// What the value is about ("production", "tests"); another scope is another fact.
    pub scope: String,
}

#[derive(Clone, Debug, PartialEq, Default)]
pub struct Episode {
    pub task_id: String,
    pub duration_seconds: Option<f64>,
    pub agent: String,
    pub phase: String,
    pub goal: String,
    pub constraints: Vec<String>,
    pub action_log: Vec<Action>,
    pub errors: Vec<EpisodeError>,
    pub artifacts: Vec<String>,
    pub git_commit: Option<String>,
    pub tokens_used: Option<u64>,
    pub files_read: Vec<String>,
    pub files_modified: Vec<String>,
    /// Cause and fix, in the agent's own last words.
    pub conclusion: String,
    /// What was changed where, the decisive first.
    pub changes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Default)]
pub struct Action {
    /// Seconds into the episode, or whatever the writer put there.
    pub t: Option<f64>,
    pub action: String,
    pub target: String,
    pub result: String,
    pub error: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct EpisodeError {
    pub kind: String,
    pub message: String,
    pub resolution: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Pattern {
    pub pattern: String,
    pub category: String,
    pub conditions: Vec<String>,
    pub correct_approach: String,
    pub incorrect_approach: String,
    pub source_episodes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct AntiPattern {
    pub what_fails: String,
    pub why: String,
    pub prevention: String,
    /// The episode or document it was learnt from.
    pub learnt_from: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Skill {
    pub name: String,
    pub description: String,
    pub prerequisites: Vec<String>,
    pub steps: Vec<String>,
    pub common_errors: Vec<CommonError>,
    pub exit_criteria: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct CommonError {
    pub error: String,
    pub fix: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Learning {
    pub error: String,
    pub cause: String,
    pub fix: String,
    /// Tells the same error apart from another, whatever its numbers and paths.
    pub fingerprint: String,
}

/// Where among the further fields the other wordings stand, and what one that became part of another remembers of it.
const ALSO: &str = "also";
const MERGED: &str = "merged_into";
/// What another copy of the record said where two changed the same, until it is settled.
pub const CONFLICTS: &str = "conflicts";
/// Which member of a team it comes from.
pub const AUTHOR: &str = "author";
/// Which parts of a night somebody took back.
pub const UNDONE: &str = "undone";
/// Further fields that are our own, whatever the body.
pub const OWN_FIELDS: [&str; 7] =
    [ALSO, MERGED, CONFLICTS, AUTHOR, UNDONE, super::staged::FIELD, super::lengths::FIELD];

impl Memory {
    /// The same in other words, as others told it before it became one with this.
    pub fn also(&self) -> impl Iterator<Item = &str> {
        let list = self.extra.as_ref().and_then(|extra| extra.get(ALSO)?.as_array());
        list.into_iter().flatten().filter_map(serde_json::Value::as_str)
    }

    pub fn set_also(&mut self, wordings: Vec<String>) {
        self.note(ALSO, (!wordings.is_empty()).then(|| wordings.into()));
    }

    /// What it became part of.
    pub fn merged_into(&self) -> Option<&str> {
        self.extra.as_ref()?.get(MERGED)?.as_str()
    }

    pub fn set_merged_into(&mut self, id: Option<&MemoryId>) {
        self.note(MERGED, id.map(|id| id.as_str().into()));
    }

    /// The member of the team it comes from, by the word of the team's database.
    pub fn author(&self) -> Option<&str> {
        self.extra.as_ref()?.get(AUTHOR)?.as_str()
    }

    pub fn drop_author(&mut self) {
        if self.author().is_some() {
            self.note(AUTHOR, None);
        }
    }

    pub fn set_author(&mut self, author: &str) {
        self.note(AUTHOR, Some(author.into()));
    }

    pub(super) fn note(&mut self, name: &str, value: Option<serde_json::Value>) {
        let extra = self.extra.get_or_insert_default();
        match value {
            Some(value) => extra.insert(name.to_owned(), value),
            None => extra.shift_remove(name),
        };
        if extra.is_empty() {
            self.extra = None;
        }
    }

    pub const DEFAULT_IMPORTANCE: f64 = 0.5;
    pub const DEFAULT_CONFIDENCE: f64 = 0.8;

    /// A memory with every field at its default.
    pub fn new(id: MemoryId, kind: Kind, text: impl Into<String>, at: Timestamp) -> Memory {
        Memory {
            id,
            namespace: Namespace::default(),
            kind,
            title: String::new(),
            text: text.into(),
            shorter: Rare::default(),
            tier: Tier::Reference,
            tags: Vec::new(),
            anchors: Anchors::default(),
            importance: Self::DEFAULT_IMPORTANCE,
            confidence: Self::DEFAULT_CONFIDENCE,
            times: Times { created_at: at, updated_at: at, valid_at: at, ..Times::default() },
            source: Source::Agent,
            claim: None,
            actor: None,
            sources: Vec::new(),
            status: Status::Asserted,
            restricted: false,
            scope: Scope::ProjectShared,
            outcome: None,
            usage: Rare::default(),
            body: Body::None,
            extra: None,
        }
    }

    pub fn key(&self) -> Key {
        Key::new(&self.namespace, &self.id)
    }

    /// The title, or the first line of the text.
    pub fn headline(&self) -> &str {
        if self.title.is_empty() { render::first_line(&self.text) } else { &self.title }
    }

    /// A commit in the form of a memory; it is stored nowhere.
    pub fn is_commit(&self) -> bool {
        self.source == Source::Git && self.id.commit().is_some()
    }

    /// Read from a memory store that others write too: it stands behind whatever is known here, and never binds.
    pub fn is_borrowed(&self) -> bool {
        self.source == Source::Mirror
    }

    /// What its file says of its own authority, confirmed or not.
    pub fn claimed(&self) -> Claim {
        self.claim.unwrap_or(Claim { tier: self.tier, source: self.source })
    }

    /// Another tier, given by whoever has none to give above the one it has: what its file asks for sinks with it.
    pub fn lower_to(&mut self, tier: Tier) {
        self.tier = tier;
        if let Some(claim) = &mut self.claim {
            claim.tier = tier;
        }
    }

    /// How far it presses, whatever somebody is doing: what binds by its tier, and as reference what is a gotcha or most
    /// important.
    pub fn presses(&self) -> Option<Tier> {
        let is_gotcha = || self.tags.iter().any(|tag| tag.eq_ignore_ascii_case("gotcha"));
        match self.tier {
            Tier::Mandate | Tier::Guardrail => Some(self.tier),
            Tier::Reference => (self.importance >= 0.9 || is_gotcha()).then_some(Tier::Reference),
            Tier::Archive => None,
        }
    }

    pub fn fact(&self) -> Option<&Fact> {
        match &self.body {
            Body::Fact(fact) => Some(fact),
            _ => None,
        }
    }

    /// Is it known, and does it hold? Whatever stands here is known, also when the clock was set back after it was told:
    /// only what was told to begin later has not begun.
    pub fn holds_now(&self, now: Timestamp) -> bool {
        let times = &self.times;
        times.expired_at.is_none()
            && (times.valid_at <= now || times.valid_at <= times.created_at)
            && times.invalid_at.is_none_or(|end| now < end)
    }

    /// Held true at `at`, and known by then: both axes of time.
    pub fn holds_at(&self, at: Timestamp) -> bool {
        self.known_at(at) && self.times.valid_at <= at && self.times.invalid_at.is_none_or(|end| at < end)
    }

    /// Was this record part of what lokid knew at `at`?
    pub fn known_at(&self, at: Timestamp) -> bool {
        self.times.created_at <= at && self.times.expired_at.is_none_or(|end| at < end)
    }

    /// Two records with the same fingerprint say the same thing: same kind, place, words and values. Episodes are
    /// events, so the same words at another time are another episode.
    pub fn fingerprint(&self) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        let mut part = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        part(self.kind.as_str());
        part(self.namespace.as_str());
        part(self.scope.as_str());
        part(&even_blanks(&self.text));
        match &self.body {
            Body::Fact(fact) => {
                part(&fact.key);
                part(&fact.value);
                part(&fact.scope);
            }
            Body::Episode(episode) => part(&episode.task_id),
            Body::Skill(skill) => part(&skill.name),
            _ => {}
        }
        if self.kind == Kind::Episode {
            part(&self.times.created_at.to_string());
        }
        let mut short = [0; 16];
        short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        short
    }
}

/// White space does not tell two texts apart.
fn even_blanks(text: &str) -> String {
    let mut even = String::with_capacity(text.len());
    for word in text.split_ascii_whitespace() {
        if !even.is_empty() {
            even.push(' ');
        }
        even.push_str(word);
    }
    even
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(text: &str) -> Memory {
        Memory::new(MemoryId::new("n-1").unwrap(), Kind::Note, text, Timestamp::from_micros(1_000))
    }

    #[test]
    fn white_space_does_not_make_another_memory_but_words_and_scopes_do() {
        assert_eq!(note("use  tabs\n").fingerprint(), note("use tabs").fingerprint());
        assert_ne!(note("use tabs").fingerprint(), note("use spaces").fingerprint());
        let private = Memory { scope: Scope::UserPrivate, ..note("use tabs") };
        assert_ne!(note("use tabs").fingerprint(), private.fingerprint());
    }

    #[test]
    fn a_memory_takes_little_besides_its_words() {
        assert!(size_of::<Memory>() <= 360, "{}", size_of::<Memory>());
        let mut memory = Memory { tags: Vec::with_capacity(8), ..note(&"word ".repeat(3)) };
        (memory.title, memory.anchors.files) = (String::with_capacity(99), Vec::with_capacity(9));
        let before = memory.clone();
        memory.settle();
        assert_eq!(memory, before);
        assert_eq!((memory.title.capacity(), memory.tags.capacity(), memory.anchors.files.capacity()), (0, 0, 0));
    }

    #[test]
    fn a_memory_holds_between_its_times_and_not_at_the_end() {
        let mut memory = note("x");
        memory.times.invalid_at = Some(Timestamp::from_micros(2_000));
        assert!(!memory.holds_at(Timestamp::from_micros(999)));
        assert!(memory.holds_now(Timestamp::from_micros(999)), "the clock was set back");
        assert!(!memory.holds_now(Timestamp::from_micros(2_000)));
        assert!(memory.holds_at(Timestamp::from_micros(1_999)));
        assert!(!memory.holds_at(Timestamp::from_micros(2_000)));
    }
}
