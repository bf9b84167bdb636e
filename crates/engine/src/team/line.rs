//! The line to the team's database: what goes over it is cleaned once more, and what goes wrong is told in words.

use serde_json::Value;

use super::told::{Membership, TeamError};
use crate::redaction::Redaction;
use lokid_model::clean;
use lokid_sys::postgres::Parameters;
use lokid_team::relay::{Hello, Relay, RelayError, Space};
use lokid_team::sync::Hub;
use lokid_team::{Head, ItemKey, Op, Outcome};

pub(super) struct Line {
    pub(super) relay: Relay,
    redaction: Redaction,
}

/// Connects once, to learn who we are there.
pub(super) fn introduce(parameters: &Parameters, project: &str) -> Result<Membership, TeamError> {
    let mut relay = Relay::open(parameters, project, "").map_err(refusal)?;
    let hello = relay.hello().map_err(refusal)?;
    Ok(membership(&hello))
}

pub(super) fn membership(hello: &Hello) -> Membership {
    let (may_promote, may_promote_org) = (hello.may_promote, hello.may_promote_org);
    Membership { member: hello.member.clone(), may_promote, may_promote_org }
}

pub(super) fn refusal(error: RelayError) -> TeamError {
    match error.passes() {
        true => TeamError::Away(error.to_string()),
        false => TeamError::Refused(error.to_string()),
    }
}

impl Line {
    pub(super) fn new(relay: Relay, redaction: &Redaction) -> Line {
        Line { relay, redaction: redaction.clone() }
    }

    fn cleaned(&self, op: &Op) -> Option<Op> {
        let text = op.record.as_ref()?.to_string();
        let cleaned = clean::json(&text, &self.redaction)?;
        Some(Op { record: Some(serde_json::from_str(&cleaned.text).ok()?), ..op.clone() })
    }
}

impl Hub for Line {
    type Error = RelayError;

    fn append(&mut self, ops: &[Op]) -> Result<Vec<Outcome>, RelayError> {
        let cleaned: Vec<Op> = ops.iter().map(|op| self.cleaned(op).unwrap_or_else(|| op.clone())).collect();
        self.relay.append(&cleaned)
    }

    fn changes(&mut self, after: u64, limit: usize) -> Result<Vec<Head>, RelayError> {
        self.relay.changes(Space::Project, after, limit)
    }

    fn many_changes(&mut self, after: u64, limit: usize) -> Result<Vec<Head>, RelayError> {
        let mut heads = Vec::new();
        self.relay.copy(Space::Project, (after, limit), &mut |head| heads.push(head))?;
        // What cannot be read there is passed over by the other way.
        if heads.is_empty() { self.changes(after, limit) } else { Ok(heads) }
    }

    fn record(&mut self, item: &ItemKey, version: u64) -> Result<Option<Value>, RelayError> {
        self.relay.record(item, version)
    }

    fn purge(&mut self, item: &ItemKey, fingerprint: &str) -> Result<Outcome, RelayError> {
        match self.relay.purge(item, fingerprint) {
            Ok(_) => Ok(Outcome::Purged),
            Err(error) if error.passes() => Err(error),
            Err(error) => Ok(Outcome::Refused(error.to_string())),
        }
    }
}
