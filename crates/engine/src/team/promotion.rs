//! What a person wants to bind the team: promoted, proposed, looked at, taken back. Each asks the database on a line of its
//! own, so that nothing waits for it but whoever asked.

use std::time::Duration;

use serde_json::{Value, json};

use super::line::refusal;
use super::{Joined, Team, TeamError};
use crate::authority;
use lokid_model::{Key, Memory};
use lokid_sys::postgres::Parameters;
use lokid_team::relay::{AuditLine, Promotion, Proposal, Relay, Space, Target};
use lokid_team::{HeadState, ItemKey, projection};

/// What is new here has to be there before anybody can stand behind it.
const PATIENCE: Duration = Duration::from_secs(10);

impl Team {
    /// Without `print` only shows what would be promoted, and its print. With it, what has these very words is promoted:
    /// `done` is `promoted`, or `proposed` where somebody else has to agree.
    pub fn promote(&self, key: &Key, to_org: bool, print: Option<&str>) -> Result<Value, TeamError> {
        let mut relay = self.relay()?;
        self.pass_now(PATIENCE);
        let (item, missing) = (projection::key_of(key), || TeamError::NotHere(key.id.as_str().to_owned()));
        let (version, record) = self.last(&mut relay, &item)?.ok_or_else(missing)?;
        let there = self.read(&item, &record)?;
        let here = self.writer.snapshot().get(key).cloned().ok_or_else(missing)?;
        let found = authority::print(&there);
        if authority::print(&here) != found {
            return Err(TeamError::Refused(
                "the database does not have these words yet; try again in a moment".to_owned(),
            ));
        }
        let tier = there.claimed().tier.as_str();
        let stamp = format!("{found}-{tier}");
        let Some(print) = print else {
            return Ok(json!({"print": stamp, "tier": tier, "author": there.author(), "words": self.words(&there)}));
        };
        if print != stamp {
            return Err(TeamError::Refused("it says something else by now; look at it again".to_owned()));
        }
        let target = if to_org { Target::Org } else { Target::Team };
        let promoted = relay.promote(&item, version, &found, tier, target).map_err(refusal)?;
        match promoted {
            Promotion::Endorsed => {
                self.pass_now(PATIENCE);
                Ok(json!({"done": "promoted"}))
            }
            Promotion::Proposed => Ok(json!({"done": "proposed"})),
            Promotion::Behind => Err(TeamError::Refused("somebody changed it just now; look at it again".to_owned())),
        }
    }

    /// Everything of a memory that would bind.
    fn words(&self, memory: &Memory) -> String {
        let shorter = [&memory.shorter.summary, &memory.shorter.compressed, &memory.shorter.index];
        let parts = [Some(&memory.title), Some(&memory.text)].into_iter().chain(shorter.map(Option::as_ref));
        let mut said: Vec<&str> = Vec::new();
        for part in parts.flatten().filter(|part| !part.is_empty()) {
            if !said.contains(&part.as_str()) {
                said.push(part);
            }
        }
        said.join("\n")
    }

    /// Answers whether there was something to take back.
    pub fn demote(&self, key: &Key, from_org: bool) -> Result<bool, TeamError> {
        let space = if from_org { Space::Org } else { Space::Project };
        let done = self.relay()?.demote(space, &projection::key_of(key)).map_err(refusal)?;
        self.pass_now(PATIENCE);
        Ok(done)
    }

    /// What members want promoted, each with what it said when it was last promoted.
    pub fn inbox(&self) -> Result<Vec<Value>, TeamError> {
        let mut relay = self.relay()?;
        let proposals = relay.proposals().map_err(refusal)?;
        proposals.iter().map(|proposal| self.shown(&mut relay, proposal)).collect()
    }

    /// Who promoted, demoted, proposed or purged what, newest first.
    pub fn audit(&self, limit: usize) -> Result<Vec<Value>, TeamError> {
        let lines = self.relay()?.audit(limit).map_err(refusal)?;
        let shown = |line: &AuditLine| {
            json!({
                "at": line.at.record_style(), "what": line.what, "by": line.author, "kind": line.item.kind.as_str(),
                "id": line.item.name, "namespace": line.item.namespace, "org": line.org, "note": line.note,
            })
        };
        Ok(lines.iter().map(shown).collect())
    }

    fn relay(&self) -> Result<Relay, TeamError> {
        let Joined { database, project, .. } = self.joined().ok_or(TeamError::Alone)?;
        let parameters = Parameters::read(&database).map_err(|error| TeamError::Address(error.to_string()))?;
        Relay::open(&parameters, &project, "").map_err(refusal)
    }

    fn last(&self, relay: &mut Relay, item: &ItemKey) -> Result<Option<(u64, Value)>, TeamError> {
        let history = relay.history(item).map_err(refusal)?;
        let written = history.into_iter().filter(|version| matches!(version.what.as_str(), "put" | "forget" | "purge"));
        let last = written.max_by_key(|version| version.version);
        Ok(last.and_then(|last| Some((last.version, last.record?))))
    }

    fn read(&self, item: &ItemKey, record: &Value) -> Result<Memory, TeamError> {
        projection::memory_from(item, record, "", None, &self.env.redaction).map_err(TeamError::Refused)
    }

    fn shown(&self, relay: &mut Relay, proposal: &Proposal) -> Result<Value, TeamError> {
        let item = &proposal.head.item;
        let read = |record: &Value| self.read(item, record).ok();
        let now = match &proposal.head.state {
            HeadState::Live(record) => read(record),
            HeadState::Forgotten | HeadState::Purged { .. } => None,
        };
        let history = relay.history(item).map_err(refusal)?;
        let promoted = history.into_iter().filter(|version| version.what == "promote");
        let before = match promoted.max_by_key(|version| version.version) {
            Some(known) => relay.record(item, known.version).map_err(refusal)?.as_ref().and_then(read),
            None => None,
        };
        // What it asks to be is what its record says, not what whoever proposes it says.
        let tier = now.as_ref().map_or("unreadable", |memory| memory.claimed().tier.as_str());
        Ok(json!({
            "id": item.name, "namespace": item.namespace, "to": proposal.to.as_str(), "tier": tier,
            "by": proposal.by, "at": proposal.at.record_style(), "author": proposal.head.author,
            "before": before.map(|memory| self.words(&memory)), "after": now.map(|memory| self.words(&memory)),
        }))
    }
}
