//! What changed in the memory: listed, accepted, taken back.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use axum::http::StatusCode;

use super::{contradictions, view};
use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::bodies::Object;
use crate::serve::dto::changes::{
    AcceptedChanges, ChangeItem, ChangesAnswer, ChangesQuery, NightUndoAnswer, NightUndoRequest, SkippedUndo,
    UndoneAnswer,
};
use crate::serve::dto::queries::{Which, namespace};
use crate::serve::problem::{Code, Problem};
use lokid_engine::changes::LoggedGroup;
use lokid_engine::logged::{LoggedChange, LoggedWhat, differences};
use lokid_engine::{EngineError, Project, undo};
use lokid_index::Snapshot;
use lokid_model::{By, Key, Memory, Timestamp};
use lokid_store::schema::lists::view_link;

const USUAL_LIMIT: usize = 50;
const MOST: usize = 500;
/// Deeds of a night that are taken back in one turn of the writer.
const PORTION: usize = 64;

pub(in crate::serve) async fn list(app: App, call: Call) -> Answer {
    let query: ChangesQuery = call.query()?;
    let limit = query.limit.unwrap_or(USUAL_LIMIT);
    if !(1..=MOST).contains(&limit) {
        return Err(Problem::field("limit", format_args!("{limit} is not between 1 and {MOST}")));
    }
    if query.cursor.as_deref().is_some_and(|cursor| !is_cursor(cursor)) {
        return Err(Problem::field("cursor", "is not a next_cursor of this list"));
    }
    let project = app.project(query.project.as_deref()).await?;
    ok(&aside(move || page(&project, &query, limit)).await?)
}

/// The name of a change: those behind it have lower ones.
fn is_cursor(text: &str) -> bool {
    let digits = text.strip_prefix("c-").unwrap_or_default();
    digits.len() == 13 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn page(project: &Project, query: &ChangesQuery, limit: usize) -> ChangesAnswer {
    let (snapshot, now) = (project.writer.snapshot(), project.env.now());
    let mut items: Vec<ChangeItem> = Vec::new();
    let mut next_cursor = None;
    project.changes.read(|group| {
        let wanted = |change: &&LoggedChange| {
            let is_behind = query.cursor.as_deref().is_none_or(|cursor| change.id.as_str() < cursor);
            is_behind && is_wanted(change, &group, query)
        };
        let found: Vec<&LoggedChange> = group.changes.iter().rev().filter(wanted).collect();
        if found.is_empty() {
            return true;
        }
        let hindrance = hindrance(&snapshot, now, &group);
        for change in found {
            if items.len() == limit {
                next_cursor = items.last().map(|last| last.id.clone());
                return false;
            }
            items.push(item(project, &snapshot, &group, change, hindrance.clone()));
        }
        true
    });
    ChangesAnswer { items, next_cursor, since: project.changes.since().map(Timestamp::record_style) }
}

fn is_wanted(change: &LoggedChange, group: &LoggedGroup, query: &ChangesQuery) -> bool {
    let is_open = !group.accepted && !group.undone && change.by != By::User;
    let names = |id: &lokid_model::MemoryId| {
        let key = Key::new(&namespace(query.namespace.clone()), id);
        change.keys().contains(&key)
    };
    let with = |id: &String| group.changes.iter().any(|other| other.id == *id);
    query.change.as_ref().is_none_or(with)
        && query.op.allow(change.op)
        && query.by.allow(change.by)
        && query.open.is_none_or(|open| open == is_open)
        && query.since.as_ref().is_none_or(|since| change.at >= since.0)
        && query.until.as_ref().is_none_or(|until| change.at < until.0)
        && query.night.as_ref().is_none_or(|night| change.night == Some(night.0))
        && query.namespace.as_ref().is_none_or(|name| change.key.namespace == name.0)
        && query.memory.as_ref().is_none_or(|id| names(&id.0))
}

fn hindrance(snapshot: &Snapshot, now: Timestamp, group: &LoggedGroup) -> Option<String> {
    if group.undone { Some("undone already".to_owned()) } else { undo::plan(snapshot, now, &group.changes).err() }
}

fn item(
    project: &Project,
    snapshot: &Snapshot,
    group: &LoggedGroup,
    change: &LoggedChange,
    hindrance: Option<String>,
) -> ChangeItem {
    let (before, after) = match &change.what {
        LoggedWhat::Memory { before, after, .. } => (before.as_ref(), after.as_ref()),
        _ => (None, None),
    };
    let known = || snapshot.get(&change.key).or_else(|| snapshot.archived(&change.key).map(|entry| &entry.memory));
    let memory = after.or(before).or_else(known).map(|memory| cleaned(project, memory));
    let fields = before.zip(after).map(|(before, after)| differences(before, after)).unwrap_or_default();
    let shown = |memory: Option<&Arc<Memory>>| memory.map(|memory| view::whole(&cleaned(project, memory)));
    let (mut links, mut contradiction) = (Vec::new(), None);
    match &change.what {
        LoggedWhat::Links(tied) => links = tied.iter().map(|(link, _)| view_link(link)).collect(),
        LoggedWhat::Contradiction { after, .. } => contradiction = contradictions::with_words(snapshot, after),
        LoggedWhat::Memory { .. } => {}
    }
    ChangeItem {
        id: change.id.clone(),
        at: change.at.record_style(),
        group: change.group.clone(),
        op: change.op.as_str(),
        by: change.by.as_str(),
        why: project.env.redaction.text(&change.why),
        memory_id: change.key.id.to_string(),
        namespace: change.key.namespace.to_string(),
        kind: memory.as_ref().map(|memory| memory.kind.as_str()),
        tier: memory.as_ref().map(|memory| memory.tier.as_str()),
        title: memory.as_ref().map(|memory| memory.headline().to_owned()).unwrap_or_default(),
        author: memory.and_then(|memory| memory.author().map(str::to_owned).or(memory.actor)),
        fields,
        before: shown(before),
        after: shown(after),
        links,
        contradiction,
        night: change.night.map(Timestamp::record_style),
        accepted: group.accepted,
        undone: group.undone,
        can_undo: hindrance.is_none(),
        hindrance,
    }
}

/// Whatever the rules were when it was kept.
pub(in crate::serve) fn cleaned(project: &Project, memory: &Memory) -> Memory {
    let mut clean = memory.clone();
    project.env.redaction.clean(&mut clean);
    clean
}

async fn group_of(project: &Arc<Project>, id: String) -> Result<LoggedGroup, Problem> {
    let (log, wanted) = (Arc::clone(&project.changes), id.clone());
    let found = aside(move || log.group_of(&wanted)).await?;
    found.ok_or_else(|| Problem::not_found(format!("no change {id}, or it is older than what is kept")))
}

pub(in crate::serve) async fn undo(app: App, call: Call) -> Answer {
    let (id, by) = (call.id()?.to_string(), call.by());
    let most = app.config().server.max_record;
    let within: Which = call.query()?;
    let told: Which = call.json(&app, most).await?;
    let project = app.project(told.project.or(within.project).as_deref()).await?;
    let group = group_of(&project, id.clone()).await?;
    let stands = |why: String| {
        let detail = format!("{id} cannot be undone: {why}");
        Problem::new(StatusCode::PRECONDITION_FAILED, Code::PreconditionFailed, detail)
    };
    if group.undone {
        return Err(stands("it was undone already".to_owned()));
    }
    let mut undone = group.ids();
    let answer = app.settle(project.writer.by(by).undo(vec![group.changes])).await?;
    let left = answer.into_iter().next().unwrap_or_else(|| Ok(Vec::new())).map_err(stands)?;
    undone.retain(|id| left.iter().all(|(other, _)| other != id));
    let skipped = left.into_iter().map(|(id, why)| SkippedUndo { id, why: why.to_owned() }).collect();
    ok(&UndoneAnswer { undone, skipped })
}

pub(in crate::serve) async fn accept(app: App, call: Call) -> Answer {
    mark(app, call, true).await
}

pub(in crate::serve) async fn reopen(app: App, call: Call) -> Answer {
    mark(app, call, false).await
}

async fn mark(app: App, call: Call, accepted: bool) -> Answer {
    let id = call.id()?.to_string();
    let most = app.config().server.max_record;
    let within: Which = call.query()?;
    let told: Which = call.json(&app, most).await?;
    let project = app.project(told.project.or(within.project).as_deref()).await?;
    let group = group_of(&project, id).await?;
    let ids = group.ids();
    let marked =
        aside(move || if group.accepted == accepted { Ok(()) } else { project.changes.accept(&group, accepted) });
    marked.await?.map_err(|error| EngineError::Disk(error.to_string()))?;
    ok(&AcceptedChanges { accepted: ids })
}

/// The deeds of these nights that still stand, by when the nights began, the newest deed first.
fn deeds_of(project: &Project, is_meant: impl Fn(Timestamp) -> bool) -> BTreeMap<Timestamp, Vec<Vec<LoggedChange>>> {
    let mut found: BTreeMap<Timestamp, Vec<Vec<LoggedChange>>> = BTreeMap::new();
    project.changes.read(|group| {
        let night = group.changes.first().and_then(|change| change.night).filter(|night| is_meant(*night));
        if let Some(night) = night.filter(|_| !group.undone) {
            found.entry(night).or_default().push(group.changes);
        }
        true
    });
    found
}

/// How many deeds of each of these nights could be taken back now.
pub(in crate::serve) fn undoable(project: &Project, nights: &[Timestamp]) -> HashMap<Timestamp, usize> {
    let (snapshot, now) = (project.writer.snapshot(), project.env.now());
    let deeds = deeds_of(project, |night| nights.contains(&night));
    let count = |(night, deeds): (Timestamp, Vec<Vec<LoggedChange>>)| {
        let mut state = snapshot.as_ref().clone();
        let goes = |deed: &&Vec<LoggedChange>| match undo::plan(&state, now, deed) {
            Ok((changes, _)) => {
                changes.iter().for_each(|change| state.apply(change));
                true
            }
            Err(_) => false,
        };
        (night, deeds.iter().filter(goes).count())
    };
    deeds.into_iter().map(count).collect()
}

pub(in crate::serve) async fn undo_night(app: App, call: Call) -> Answer {
    let by = call.by();
    let most = app.config().server.max_record;
    let request: NightUndoRequest = call.json(&app, most).await?;
    let project = app.project(request.project.as_deref()).await?;
    let (log, night) = (Arc::clone(&project), request.started_at.0);
    let deeds = aside(move || deeds_of(&log, |began| began == night).remove(&night)).await?;
    if deeds.is_none() && project.night.known().nights.iter().all(|known| known.started_at != night) {
        return Err(Problem::not_found(format!("no night that is kept began at {night}")));
    }
    let mut answer = NightUndoAnswer { undone: 0, skipped: Vec::new() };
    for portion in deeds.unwrap_or_default().chunks(PORTION) {
        let done = app.settle(project.writer.by(by).undo(portion.to_vec())).await?;
        for (deed, done) in portion.iter().zip(done) {
            match (done, deed.first()) {
                (Err(why), Some(first)) => answer.skipped.push(SkippedUndo { id: first.id.clone(), why }),
                _ => answer.undone += 1,
            }
        }
    }
    ok(&answer)
}

/// As an object of its own, for whoever shows one version of a memory.
pub(in crate::serve) fn shown(project: &Project, memory: &Memory) -> Object {
    view::whole(&cleaned(project, memory))
}
