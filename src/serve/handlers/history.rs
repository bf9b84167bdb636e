//! The life of one memory: what it was, from when until when, by whom; and what it was at a moment.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::log;
use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::changes::{HistoryAnswer, VersionItem};
use crate::serve::dto::queries::{Within, namespace};
use crate::serve::problem::Problem;
use lokid_engine::Project;
use lokid_engine::logged::{LoggedChange, LoggedWhat};
use lokid_model::{By, ChangeOp, Key, Memory, Timestamp};

pub(in crate::serve) async fn history(app: App, call: Call) -> Answer {
    let id = call.id()?;
    let within: Within = call.query()?;
    let project = app.project(within.project.as_deref()).await?;
    let key = Key { namespace: namespace(within.namespace), id };
    let answer = aside(move || whole(&project, &key)).await?;
    ok(&answer?)
}

struct Lived {
    at: Timestamp,
    /// It was archived then.
    until: Option<Timestamp>,
    by: By,
    op: ChangeOp,
    why: String,
    memory: Arc<Memory>,
}

fn whole(project: &Project, key: &Key) -> Result<HistoryAnswer, Problem> {
    let mut versions = logged(&project.changes.life_of(key));
    let snapshot = project.writer.snapshot();
    let archived = snapshot.archived(key);
    let earlier = project.env.earlier_versions(key).map_err(|error| Problem::internal(error.to_string()))?;
    let now = snapshot.get(key).or(archived.map(|entry| &entry.memory)).cloned();
    let mut known: BTreeSet<Timestamp> = versions.iter().map(|one| one.memory.times.updated_at).collect();
    // What stands now may differ from its line in what the line asks to be.
    for memory in now.into_iter().chain(earlier) {
        if known.insert(memory.times.updated_at) {
            let until = archived.filter(|entry| Arc::ptr_eq(&entry.memory, &memory)).map(|entry| entry.at);
            versions.push(Lived { until, ..unlogged(memory) });
        }
    }
    if versions.is_empty() {
        return Err(Problem::not_found(format!("no memory {key}")));
    }
    versions.sort_by_key(|version| Reverse(version.at));
    let mut next = None;
    let versions = versions.into_iter().map(|one| {
        let until = one.until.or(next);
        next = Some(one.at);
        VersionItem {
            at: one.at.record_style(),
            until: until.map(Timestamp::record_style),
            by: one.by.as_str(),
            op: one.op.as_str(),
            why: project.env.redaction.text(&one.why),
            record: log::shown(project, &one.memory),
        }
    });
    Ok(HistoryAnswer { versions: versions.collect(), since: project.changes.since().map(Timestamp::record_style) })
}

/// The newest first; what stood before the first change that is logged, last.
fn logged(life: &[LoggedChange]) -> Vec<Lived> {
    let mut versions = Vec::new();
    let mut ended = None;
    for change in life {
        let LoggedWhat::Memory { after, .. } = &change.what else { continue };
        match after {
            Some(memory) => versions.push(Lived {
                at: change.at,
                until: ended.take(),
                by: change.by,
                op: change.op,
                why: change.why.clone(),
                memory: Arc::clone(memory),
            }),
            None => ended = Some(change.at),
        }
    }
    if let Some(LoggedChange { what: LoggedWhat::Memory { before: Some(memory), .. }, .. }) = life.last() {
        versions.push(Lived { until: ended, ..unlogged(Arc::clone(memory)) });
    }
    versions
}

/// Who changed it is not known any more: whoever says it.
fn unlogged(memory: Arc<Memory>) -> Lived {
    let times = &memory.times;
    let op = if times.updated_at == times.created_at { ChangeOp::New } else { ChangeOp::Changed };
    Lived { at: times.updated_at, until: None, by: memory.source.into(), op, why: String::new(), memory }
}

/// The version that was known at a moment; `None` where the log says nothing of it, and inside that where it was not there.
/// What was told late, of an earlier time, counts as known from that time on.
pub(in crate::serve) fn at(life: &[LoggedChange], moment: Timestamp) -> Option<Option<Arc<Memory>>> {
    let (change, is_done) = match life.iter().find(|change| change.at <= moment) {
        Some(last) => (last, true),
        None => (life.last()?, false),
    };
    match &change.what {
        LoggedWhat::Memory { before: None, after: None, .. } => None,
        LoggedWhat::Memory { before, after, .. } => {
            Some(if is_done || change.op == ChangeOp::New { after } else { before }.clone())
        }
        _ => None,
    }
}
