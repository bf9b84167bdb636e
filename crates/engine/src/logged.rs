//! A change as the log of changes keeps it: what a memory, a link or a contradiction was before and is since, by whom, why,
//! and as a line of JSON. And when two versions of a memory are the same: counts, the time of the last touch, whose word it
//! is and what was once taken back do not tell them apart.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use lokid_manage::plan::Phase;
use lokid_model::memory::{AUTHOR, Claim, UNDONE};
use lokid_model::{By, ChangeOp, Contradiction, Key, Link, Memory, MemoryId, Namespace, Source, Tier, Timestamp};
use lokid_store::schema::{Detail, lists, record};

/// A longer record is not kept: the change is told, and cannot be undone.
const LONGEST: usize = 1 << 20;
/// Beside a record: what it was here, where its file asks to be more.
const WEIGHED: &str = "weighed";

#[derive(Clone, Debug)]
pub struct LoggedChange {
    pub id: String,
    /// The id of the first of those that were done together.
    pub group: String,
    /// How many were done together: where some of them are told no more, none can be taken back.
    pub of: usize,
    pub at: Timestamp,
    pub op: ChangeOp,
    pub by: By,
    pub why: String,
    pub night: Option<Timestamp>,
    pub phase: Option<Phase>,
    /// The group it takes back.
    pub undoes: Option<String>,
    /// The memory it is about; of links the one they start from, of a contradiction the later side.
    pub key: Key,
    pub what: LoggedWhat,
}

#[derive(Clone, Debug, PartialEq)]
pub enum LoggedWhat {
    /// Neither where the record was too long, or too many changed at once.
    Memory {
        before: Option<Arc<Memory>>,
        after: Option<Arc<Memory>>,
        /// Of what was restored: why it had been archived.
        left_for: Option<String>,
    },
    /// Each with the one that stood in its place before.
    Links(Vec<(Link, Option<Link>)>),
    Contradiction {
        before: Option<Arc<Contradiction>>,
        after: Arc<Contradiction>,
    },
}

impl LoggedWhat {
    pub(super) fn memory(before: Option<Arc<Memory>>, after: Option<Arc<Memory>>) -> LoggedWhat {
        LoggedWhat::Memory { before, after, left_for: None }
    }
}

/// What a group that was taken back leaves as it is, by the names of the changes, and why.
pub type LeftAsItIs = Vec<(String, &'static str)>;

impl LoggedChange {
    /// Every memory it names.
    pub fn keys(&self) -> Vec<Key> {
        match &self.what {
            LoggedWhat::Memory { .. } => vec![self.key.clone()],
            LoggedWhat::Links(links) => {
                let ends = links.iter().map(|(link, _)| Key::new(&link.namespace, &link.to));
                [self.key.clone()].into_iter().chain(ends).collect()
            }
            LoggedWhat::Contradiction { after, .. } => after.sides().to_vec(),
        }
    }

    pub(super) fn to_line(&self) -> String {
        let mut line = Map::new();
        let mut put = |name: &str, value: Value| {
            if !value.is_null() && value != "" {
                line.insert(name.to_owned(), value);
            }
        };
        put("id", self.id.as_str().into());
        put("group", self.group.as_str().into());
        put("of", self.of.into());
        put("at", self.at.record_style().into());
        put("op", self.op.as_str().into());
        put("by", self.by.as_str().into());
        put("why", self.why.as_str().into());
        put("night", self.night.map(Timestamp::record_style).into());
        put("phase", self.phase.map(Phase::as_str).into());
        put("undoes", self.undoes.clone().into());
        put("namespace", self.key.namespace.as_str().into());
        put("memory", self.key.id.as_str().into());
        match &self.what {
            LoggedWhat::Memory { before, after, left_for } => {
                put("left_for", left_for.clone().into());
                put("before", before.as_deref().map_or(Value::Null, kept));
                put("after", after.as_deref().map_or(Value::Null, kept));
            }
            LoggedWhat::Links(links) => {
                let one = |(link, was): &(Link, Option<Link>)| {
                    let mut view = lists::view_link(link);
                    if let Some(was) = was {
                        view["was"] = lists::view_link(was);
                    }
                    view
                };
                put("links", links.iter().map(one).collect());
            }
            LoggedWhat::Contradiction { before, after } => {
                put("was", before.as_deref().map_or(Value::Null, lists::view_contradiction));
                put("contradiction", lists::view_contradiction(after));
            }
        }
        let mut line = Value::Object(line);
        let text = line.to_string();
        if text.len() <= LONGEST {
            return text;
        }
        if let Value::Object(line) = &mut line {
            line.retain(|name, _| !matches!(name.as_str(), "before" | "after"));
        }
        line.to_string()
    }

    pub(super) fn read(line: &Value) -> Option<LoggedChange> {
        let text = |name: &str| line.get(name).and_then(Value::as_str);
        let namespace = Namespace::new(text("namespace")?)?;
        let matter = |name: &str| {
            let found = lists::read_contradiction(line.get(name)?.as_object()?.clone(), &namespace)?;
            Some(Arc::new(found))
        };
        let what = if let Some(links) = line.get("links").and_then(Value::as_array) {
            let link = |value: &Value| lists::read_link(value.as_object()?.clone(), &namespace, Timestamp::default());
            let one = |value: &Value| Some((link(value)?, value.get("was").and_then(link)));
            LoggedWhat::Links(links.iter().filter_map(one).collect())
        } else if let Some(after) = matter("contradiction") {
            LoggedWhat::Contradiction { before: matter("was"), after }
        } else {
            let left_for = text("left_for").map(str::to_owned);
            LoggedWhat::Memory { before: memory(line.get("before"))?, after: memory(line.get("after"))?, left_for }
        };
        Some(LoggedChange {
            id: text("id")?.to_owned(),
            group: text("group")?.to_owned(),
            of: line.get("of").and_then(Value::as_u64).unwrap_or(1) as usize,
            at: Timestamp::parse(text("at")?)?,
            op: ChangeOp::parse(text("op")?)?,
            by: By::parse(text("by")?)?,
            why: text("why").unwrap_or_default().to_owned(),
            night: text("night").and_then(Timestamp::parse),
            phase: text("phase").and_then(Phase::parse),
            undoes: text("undoes").map(str::to_owned),
            key: Key { id: MemoryId::foreign(text("memory")?)?, namespace },
            what,
        })
    }
}

fn kept(memory: &Memory) -> Value {
    let mut record = record::write(memory, Detail::Lean);
    if memory.claim.is_some() {
        let weighed = json!({"tier": memory.tier.as_str(), "source": memory.source.as_str()});
        record.insert(WEIGHED.to_owned(), weighed);
    }
    Value::Object(record)
}

/// A record that is not understood makes the line none.
fn memory(kept: Option<&Value>) -> Option<Option<Arc<Memory>>> {
    let Some(Value::Object(record)) = kept else { return Some(None) };
    let mut record = record.clone();
    let weighed = record.shift_remove(WEIGHED);
    let mut memory = record::read(record).ok()?;
    if let Some(weighed) = weighed {
        let word = |name: &str| weighed.get(name).and_then(Value::as_str);
        memory.claim = Some(Claim { tier: memory.tier, source: memory.source });
        memory.tier = Tier::parse(word("tier")?)?;
        memory.source = Source::parse(word("source")?)?;
    }
    Some(Some(Arc::new(memory)))
}

/// What tells one version of a memory from another.
const NOT_TOLD_APART_BY: [&str; 4] = ["usage", "updated_at", AUTHOR, UNDONE];

/// In the form its file would give it: after a restart a memory is what was read.
fn bare(memory: &Memory) -> Map<String, Value> {
    let mut record = record::write(&lokid_store::as_read_back(memory), Detail::Lean);
    record.retain(|name, _| !NOT_TOLD_APART_BY.contains(&name.as_str()));
    record
}

/// The fields of the record in which two versions differ.
pub fn differences(one: &Memory, other: &Memory) -> Vec<String> {
    let (one, other) = (bare(one), bare(other));
    let differs = |name: &&String| one.get(*name) != other.get(*name);
    let new = other.keys().filter(|name| !one.contains_key(*name));
    one.keys().chain(new).filter(differs).cloned().collect()
}

pub(super) fn are_one_version(one: &Arc<Memory>, other: &Arc<Memory>) -> bool {
    Arc::ptr_eq(one, other) || differences(one, other).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Kind, Relation};

    fn note(text: &str) -> Memory {
        let mut memory =
            Memory::new(MemoryId::new("n-1").unwrap(), Kind::Note, text, Timestamp::from_micros(1_000_000));
        memory.namespace = Namespace::new("other").unwrap();
        memory
    }

    fn logged(what: LoggedWhat) -> LoggedChange {
        LoggedChange {
            id: "c-2".to_owned(),
            group: "c-1".to_owned(),
            of: 2,
            at: Timestamp::from_micros(7_000_000),
            op: ChangeOp::Changed,
            by: By::Night,
            why: "because".to_owned(),
            night: Some(Timestamp::from_micros(6_000_000)),
            phase: Some(Phase::Promote),
            undoes: Some("c-0".to_owned()),
            key: note("").key(),
            what,
        }
    }

    #[test]
    fn a_change_comes_back_from_its_line_as_it_was() {
        let mut asks = note("two");
        asks.claim = Some(Claim { tier: Tier::Mandate, source: Source::User });
        asks.source = Source::Import;
        let place = note("").namespace;
        let link = |strength| Link {
            namespace: place.clone(),
            from: MemoryId::new("n-1").unwrap(),
            to: MemoryId::new("n-2").unwrap(),
            relation: Relation::RelatedTo,
            strength,
            created_at: Timestamp::from_micros(5_000_000),
            inline: false,
        };
        for what in [
            LoggedWhat::memory(Some(note("one").into()), Some(asks.into())),
            LoggedWhat::memory(None, None),
            LoggedWhat::Memory { before: None, after: Some(note("two").into()), left_for: Some("old".to_owned()) },
            LoggedWhat::Links(vec![(link(0.5), Some(link(0.4))), (link(0.9), None)]),
        ] {
            let told = logged(what);
            let back = LoggedChange::read(&serde_json::from_str(&told.to_line()).unwrap()).unwrap();
            assert_eq!(format!("{back:?}"), format!("{told:?}"));
        }
    }

    #[test]
    fn a_record_that_is_too_long_is_told_and_not_kept() {
        let long = note(&"x".repeat(LONGEST));
        let line = logged(LoggedWhat::memory(None, Some(long.into()))).to_line();
        assert!(line.len() < 1_000);
        let back = LoggedChange::read(&serde_json::from_str(&line).unwrap()).unwrap();
        assert_eq!(back.what, LoggedWhat::memory(None, None));
    }

    #[test]
    fn counts_and_touches_are_no_other_version_and_words_are() {
        let (one, mut other) = (note("one"), note("one"));
        other.usage.loaded = 7;
        other.times.updated_at = Timestamp::from_micros(9_000_000);
        other.set_author("ada");
        lokid_manage::undone::note(&mut other, Phase::Promote);
        assert_eq!(differences(&one, &other), Vec::<String>::new());
        (other.text, other.tier) = ("two".to_owned(), Tier::Guardrail);
        assert_eq!(differences(&one, &other), ["text", "tier"]);
    }
}
