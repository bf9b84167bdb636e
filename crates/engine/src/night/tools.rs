//! What a night works with, and the little it does with several of them at once.

use std::sync::Arc;

use super::{Night, NightReport};
use crate::env::Env;
use crate::inbox::WriterHandle;
use crate::judge::Judge;
use crate::memory_care::MemoryCare;
use crate::repository::Repository;
use crate::search::Search;
use crate::sessions::Sessions;
use lokid_index::Snapshot;
use lokid_manage::plan::{Act, Phase, Proposal};
use lokid_model::Change;

pub(crate) struct Tools {
    pub(crate) night: Arc<Night>,
    pub(crate) env: Arc<Env>,
    pub(crate) writer: WriterHandle,
    pub(crate) search: Arc<Search>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) repository: Arc<Repository>,
    pub(crate) judge: Arc<Judge>,
    pub(crate) memory: Arc<MemoryCare>,
}

impl Tools {
    /// What is known, with the indexes brought up to it; and whether they could be.
    pub(super) fn settled(&self) -> (Arc<Snapshot>, bool) {
        let is_found = super::phases::catch_up(self);
        (self.writer.snapshot(), is_found)
    }

    /// Has the writer carry proposals out; answers which it did, and nothing where it could not write.
    pub(super) fn tidy(&self, batch: &[Proposal]) -> Option<Vec<bool>> {
        match self.writer.tidy(batch.to_vec(), self.night.since()) {
            Ok(tidied) => {
                for (proposal, _) in batch.iter().zip(&tidied.done).filter(|(_, done)| **done) {
                    self.inherit(proposal);
                }
                Some(tidied.done)
            }
            Err(error) => {
                tracing::warn!(project = %self.env.name, reason = %error, "a part of the night could not be written");
                None
            }
        }
    }

    /// What was counted for a memory that became part of another counts there now, and no longer for itself.
    fn inherit(&self, proposal: &Proposal) {
        if proposal.act != Act::Deduped {
            return;
        }
        let ended = |change: &Change| match change {
            Change::Put { before: Some(before), after } if after.times.expired_at != before.times.expired_at => {
                Some(after.key())
            }
            _ => None,
        };
        for loser in proposal.changes.iter().filter_map(ended) {
            self.sessions.usage.forget(&loser);
        }
    }

    pub(super) fn tell_night(&self, op: &'static str, report: &NightReport, phase: Option<(Phase, usize)>) {
        let mut data = report.counts();
        data.insert("op".to_owned(), op.into());
        data.insert("cause".to_owned(), report.cause.as_str().into());
        data.insert("dry_run".to_owned(), report.dry_run.into());
        if let Some((phase, round)) = phase {
            data.insert("phase".to_owned(), phase.as_str().into());
            data.insert("round".to_owned(), round.into());
        }
        self.env.say("consolidation", serde_json::Value::Object(data));
    }
}
