//! What the database answers, read into what it means. It was written by the functions of the schema, but what is inside
//! of it by anybody.

use lokid_model::Timestamp;
use serde_json::Value;

use super::{Hello, RelayError};
use crate::item::{Endorsement, Head, HeadState, ItemKey, ItemKind, Outcome};

/// For whom something shall bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Team,
    Org,
}

impl Target {
    pub fn as_str(self) -> &'static str {
        match self {
            Target::Team => "team",
            Target::Org => "org",
        }
    }

    pub fn parse(word: &str) -> Option<Target> {
        [Target::Team, Target::Org].into_iter().find(|target| target.as_str() == word)
    }
}

/// Somebody wants a promoter to stand behind this.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    pub head: Head,
    pub to: Target,
    pub print: String,
    pub tier: String,
    pub by: String,
    pub at: Timestamp,
}

/// One line of an item's history.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    pub version: u64,
    /// `put`, `forget`, `purge`, `promote`, `demote` or `propose`.
    pub what: String,
    pub author: String,
    pub at: Timestamp,
    pub record: Option<Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AuditLine {
    pub item: ItemKey,
    /// Whether it happened to what the organisation shares.
    pub org: bool,
    pub what: String,
    pub author: String,
    pub at: Timestamp,
    /// Of a promotion: `to`, `tier`, `print`.
    pub note: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    pub replica: String,
    pub member: String,
    pub label: String,
    pub seen_at: Timestamp,
    pub cursor: u64,
}

pub(super) fn object(text: &str) -> Result<Value, RelayError> {
    let read: Result<Value, _> = serde_json::from_str(text);
    read.ok().filter(Value::is_object).ok_or_else(|| RelayError::Garbled("no object".to_owned()))
}

pub(super) fn one(rows: &[String]) -> Result<Value, RelayError> {
    object(rows.first().map_or("", String::as_str))
}

pub(super) fn number(rows: &[String]) -> Result<u64, RelayError> {
    let read = rows.first().and_then(|text| text.parse().ok());
    read.ok_or_else(|| RelayError::Garbled("no number".to_owned()))
}

pub(super) fn hello(value: &Value) -> Result<Hello, RelayError> {
    Ok(Hello {
        database: text(value, "database")?,
        schema: u32::try_from(count(value, "schema")?).unwrap_or(u32::MAX),
        member: text(value, "member")?,
        may_promote: value["may_promote"] == true,
        may_promote_org: value["may_promote_org"] == true,
        promoters: value["promoters"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect(),
        seq: count(value, "seq")?,
    })
}

pub(super) fn outcome(value: &Value) -> Result<Outcome, RelayError> {
    Ok(match value["outcome"].as_str() {
        Some("taken") => Outcome::Taken { version: count(value, "version")? },
        Some("behind") => Outcome::Behind(Box::new(head(&value["head"])?)),
        Some("purged") => Outcome::Purged,
        Some("refused") => Outcome::Refused(text(value, "why")?),
        _ => return Err(missing("outcome")),
    })
}

pub(super) fn head(value: &Value) -> Result<Head, RelayError> {
    let state = match value["state"].as_str() {
        Some("live") => HeadState::Live(value["record"].clone()),
        Some("forgotten") => HeadState::Forgotten,
        Some("purged") => HeadState::Purged { fingerprint: text(value, "fingerprint")? },
        _ => return Err(missing("state")),
    };
    Ok(Head {
        item: item(value)?,
        seq: count(value, "seq")?,
        version: count(value, "version")?,
        state,
        author: text(value, "author")?,
        at: time(value, "at")?,
        hlc: value["hlc"].as_i64().ok_or_else(|| missing("hlc"))?,
        endorsed: value.get("endorsed").filter(|found| !found.is_null()).map(endorsement).transpose()?,
    })
}

pub(super) fn proposal(value: &Value) -> Result<Proposal, RelayError> {
    let (proposed, head) = (&value["proposed"], head(value)?);
    let to = proposed["to"].as_str().and_then(Target::parse).ok_or_else(|| missing("to"))?;
    let Endorsement { print, tier, by, at } = endorsement(proposed)?;
    Ok(Proposal { head, to, print, tier, by, at })
}

pub(super) fn version(value: &Value) -> Result<Version, RelayError> {
    Ok(Version {
        version: count(value, "version")?,
        what: text(value, "what")?,
        author: text(value, "author")?,
        at: time(value, "at")?,
        record: value.get("record").filter(|record| record.is_object()).cloned(),
    })
}

pub(super) fn audit_line(value: &Value) -> Result<AuditLine, RelayError> {
    Ok(AuditLine {
        item: item(value)?,
        org: value["project"] == super::ORG,
        what: text(value, "what")?,
        author: text(value, "author")?,
        at: time(value, "at")?,
        note: value.get("note").filter(|note| note.is_object()).cloned(),
    })
}

pub(super) fn peer(value: &Value) -> Result<Peer, RelayError> {
    Ok(Peer {
        replica: text(value, "replica")?,
        member: text(value, "member")?,
        label: text(value, "label")?,
        seen_at: time(value, "seen_at")?,
        cursor: count(value, "cursor")?,
    })
}

fn endorsement(value: &Value) -> Result<Endorsement, RelayError> {
    Ok(Endorsement {
        print: text(value, "print")?,
        tier: text(value, "tier")?,
        by: text(value, "by")?,
        at: time(value, "at")?,
    })
}

fn item(value: &Value) -> Result<ItemKey, RelayError> {
    let kind = value["kind"].as_str().and_then(ItemKind::parse).ok_or_else(|| missing("kind"))?;
    Ok(ItemKey { kind, namespace: text(value, "namespace")?, name: text(value, "name")? })
}

fn text(value: &Value, field: &str) -> Result<String, RelayError> {
    value[field].as_str().map(str::to_owned).ok_or_else(|| missing(field))
}

fn count(value: &Value, field: &str) -> Result<u64, RelayError> {
    value[field].as_u64().ok_or_else(|| missing(field))
}

fn time(value: &Value, field: &str) -> Result<Timestamp, RelayError> {
    value[field].as_i64().map(Timestamp::from_micros).ok_or_else(|| missing(field))
}

fn missing(field: &str) -> RelayError {
    RelayError::Garbled(format!("`{field}` is missing"))
}
