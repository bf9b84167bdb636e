//! What the memories of a namespace are about, counted as they come and go: the raw material of the first layer.
//!
//! The name of a memory follows from that memory alone, so nothing is ever renamed because something else came. Which
//! names are shown, and which are shown together, is for the layers to decide. Bounded: a namespace has at most
//! `MOST_NAMES` names of at most [`MOST_CHARS`] characters, and what comes then is counted together.

mod concern;
mod place;

use std::sync::Arc;

use concern::Subject;
use imbl::OrdMap;

use lokid_model::{Body, Kind, Memory, Namespace, Outcome, Source, Status, Timestamp};

/// What has no name of its own among those shown or counted.
pub const OTHER: &str = "other";
/// Names are short: a person reads them, and the snapshot keeps them.
pub const MOST_CHARS: usize = 40;
/// A name has at most so many parts: `store/journal/replay`.
const MOST_PARTS: usize = 3;
const MOST_NAMES: usize = 4_096;
/// Who tags a memory says the first things first.
const MOST_TAGS: usize = 8;

/// Tags that say where a memory comes from or in which state it is, not what it is about.
const IDLE_TAGS: &str = "added aider blocker breaking claude claude-code code codex commands continuity cursor error \
    errors fixed fixme gemini general hack hotspot important imported loki loki-mode lokid memory misc module newcomer \
    open opencode other recurring removed resolved session todo transcript warning wip xxx";

/// Tags that say in which document something stood, and what a person calls what such documents are about.
const DOCUMENT_TAGS: &[(&str, &str)] = &[
    ("architecture", "adr adrs architecture design"),
    ("conventions", "agent-rules agents contributing convention conventions guideline guidelines rule rules"),
    ("docs", "doc docs document documentation readme"),
    ("releases", "changelog changes history release release-notes releases"),
];

#[derive(Clone, Debug, Default)]
pub struct Topics(OrdMap<Namespace, Counted>);

#[derive(Clone, Debug, Default)]
struct Counted {
    names: OrdMap<Arc<str>, Topic>,
    /// Those whose name found no room. While there are any, no name is added: so either all memories of a name are
    /// counted under it or none is, and taking one away never takes from another.
    rest: Topic,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topic {
    pub count: u64,
    pub tokens: u64,
    pub kinds: [u32; Kind::ALL.len()],
    /// When something about it was last said or, as the files tell it, handed out.
    pub last: Timestamp,
    /// In thousandths, of all together: whole numbers come out the same in any order.
    pub importance: u64,
}

impl Topic {
    pub fn merge(&mut self, other: &Topic) {
        self.count += other.count;
        self.tokens += other.tokens;
        self.kinds.iter_mut().zip(other.kinds).for_each(|(sum, count)| *sum += count);
        self.last = self.last.max(other.last);
        self.importance += other.importance;
    }

    fn count_in(&mut self, memory: &Memory, tokens: u64) {
        self.count += 1;
        self.tokens += tokens;
        self.kinds[memory.kind as usize] += 1;
        self.last = self.last.max(memory.times.updated_at).max(memory.usage.last_accessed.unwrap_or_default());
        self.importance += thousandths(memory.importance);
    }

    fn count_out(&mut self, memory: &Memory, tokens: u64) {
        self.count = self.count.saturating_sub(1);
        self.tokens = self.tokens.saturating_sub(tokens);
        let kind = &mut self.kinds[memory.kind as usize];
        *kind = kind.saturating_sub(1);
        self.importance = self.importance.saturating_sub(thousandths(memory.importance));
    }
}

fn thousandths(share: f64) -> u64 {
    (share.clamp(0.0, 1.0) * 1000.0).round() as u64
}

impl Topics {
    /// Every name with what is counted under it, in the order of the names; those without one come last.
    pub fn of<'a>(&'a self, namespace: &Namespace) -> impl Iterator<Item = (&'a str, &'a Topic)> {
        let own = self.0.get(namespace);
        let named = own.into_iter().flat_map(|own| own.names.iter()).map(|(name, topic)| (name.as_ref(), topic));
        named.chain(own.map(|own| (OTHER, &own.rest)).filter(|(_, rest)| rest.count > 0))
    }

    pub(super) fn add(&mut self, memory: &Memory, tokens: u64) {
        if !is_told(memory) {
            return;
        }
        let own = self.0.entry(memory.namespace.clone()).or_default();
        let name = name_of(memory);
        if let Some(topic) = own.names.get_mut(name.as_str()) {
            topic.count_in(memory, tokens);
        } else if own.rest.count > 0 || own.names.len() >= MOST_NAMES {
            own.rest.count_in(memory, tokens);
        } else {
            let mut topic = Topic::default();
            topic.count_in(memory, tokens);
            own.names.insert(name.into(), topic);
        }
    }

    pub(super) fn remove(&mut self, memory: &Memory, tokens: u64) {
        if !is_told(memory) {
            return;
        }
        let Some(own) = self.0.get_mut(&memory.namespace) else { return };
        let name = name_of(memory);
        match own.names.get_mut(name.as_str()) {
            Some(topic) if topic.count > 1 => topic.count_out(memory, tokens),
            Some(_) => {
                own.names.remove(name.as_str());
            }
            None => own.rest.count_out(memory, tokens),
        }
        if own.rest.count == 0 {
            own.rest = Topic::default();
            if own.names.is_empty() {
                self.0.remove(&memory.namespace);
            }
        }
    }
}

/// The first layer stands in the repository: what is private or restricted is not even counted there, nor what is
/// only hearsay or no longer held.
pub fn is_told(memory: &Memory) -> bool {
    let held = memory.status == Status::Asserted && memory.times.expired_at.is_none();
    memory.scope.is_shared() && !memory.restricted && held
}

/// The module a memory is at home in, else what its tags say, else the concern its headline speaks of, else its kind
/// with the word that stands out.
pub fn name_of(memory: &Memory) -> String {
    if let Some(place) = place::of_files(&memory.anchors.files).filter(|place| is_name(place)) {
        return place;
    }
    let (category, agent) = match &memory.body {
        Body::Pattern(pattern) => (Some(&pattern.category), ""),
        Body::Episode(episode) => (None, episode.agent.as_str()),
        _ => (None, ""),
    };
    let tags = memory.tags.iter().take(MOST_TAGS).filter(|tag| *tag != agent);
    if let Some(tag) = tags.chain(category).find_map(|tag| about(tag)) {
        return tag;
    }
    match concern::of(memory.headline()) {
        Subject::Concern(concern) => concern.to_owned(),
        Subject::Word(word) => tidy([plural(memory.kind).as_str(), &word]),
        Subject::Unknown => plural(memory.kind),
    }
}

/// `decisions`, `anti-patterns`.
pub fn plural(kind: Kind) -> String {
    format!("{}s", kind.as_str().replace('_', "-"))
}

/// A tag as a name, if it says what the memory is about.
fn about(tag: &str) -> Option<String> {
    let name = tidy(tag.trim_start_matches(['#', '@']).split([':', '/']));
    let is_idle = name.starts_with("branch/")
        || Kind::parse(&name).is_some()
        || Source::parse(&name).is_some()
        || Outcome::parse(&name).is_some()
        || IDLE_TAGS.split_ascii_whitespace().any(|idle| idle == name);
    let document = DOCUMENT_TAGS.iter().find(|(_, tags)| tags.split_ascii_whitespace().any(|known| known == name));
    if let Some((called, _)) = document {
        return Some((*called).to_owned());
    }
    (!is_idle && is_name(&name)).then_some(name)
}

/// A letter is no name, nor is a number.
fn is_name(name: &str) -> bool {
    let digits = name.bytes().filter(u8::is_ascii_digit).count();
    digits * 2 <= name.len() && name.chars().any(char::is_alphabetic) && name.chars().nth(1).is_some()
}

/// Small letters, no blanks, at most [`MOST_PARTS`] parts and [`MOST_CHARS`] characters. A part that does not fit is
/// left off; the first is cut.
fn tidy<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut tidy = String::with_capacity(MOST_CHARS);
    let mut chars = 0;
    for part in parts.into_iter().filter(|part| !part.is_empty()).take(MOST_PARTS) {
        let length = part.chars().take(MOST_CHARS + 1).count();
        if chars > 0 && chars + 1 + length > MOST_CHARS {
            break;
        }
        if chars > 0 {
            tidy.push('/');
            chars += 1;
        }
        let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | '+');
        if part.is_ascii() {
            let letters = part.bytes().take(MOST_CHARS).map(|byte| char::from(byte.to_ascii_lowercase()));
            tidy.extend(letters.map(|letter| if is_plain(letter) { letter } else { '-' }));
            chars += length.min(MOST_CHARS);
        } else {
            for letter in part.chars().flat_map(char::to_lowercase).take(MOST_CHARS - chars) {
                tidy.push(if is_plain(letter) { letter } else { '-' });
                chars += 1;
            }
        }
    }
    tidy
}

#[cfg(test)]
mod tests;
