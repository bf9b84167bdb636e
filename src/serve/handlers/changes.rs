//! Changing, forgetting and bringing back one memory.

use crate::serve::app::App;
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::answers::Forgotten;
use crate::serve::dto::patch::Changes;
use crate::serve::dto::queries::{Forget, Within, namespace};
use crate::serve::problem::Problem;
use lokid_engine::{EngineError, Project, etag};
use lokid_model::Key;

use super::{show, view};

/// How often a change that nobody tied to a version is tried again on a newer one.
const ATTEMPTS: usize = 4;

pub(in crate::serve) async fn patch(app: App, call: Call) -> Answer {
    let (id, by) = (call.id()?, call.by());
    let within: Within = call.query()?;
    let wanted = call.if_match().filter(|tags| !tags.iter().any(|tag| tag == "*"));
    let most = app.config().server.max_record;
    let mut changes: Changes = call.json(&app, most).await?;
    let project = app.project(changes.project.take().or(within.project).as_deref()).await?;
    let key = Key { namespace: namespace(changes.namespace.take().or(within.namespace)), id };
    let mut attempt = 1;
    loop {
        let (patch, base) = on_current(&project, &key, &changes, wanted.as_deref())?;
        match app.settle(project.writer.by(by).patch(key.clone(), patch, Some(base))).await {
            Err(problem) if wanted.is_none() && problem.is_stale() && attempt < ATTEMPTS => attempt += 1,
            changed => return show::changed(&changed?),
        }
    }
}

/// The patch, and the version it was made for: fields of a body are laid over those it has there.
fn on_current(
    project: &Project,
    key: &Key,
    changes: &Changes,
    wanted: Option<&[String]>,
) -> Result<(lokid_model::Patch, String), Problem> {
    let snapshot = project.writer.snapshot();
    let memory = snapshot.get(key).ok_or_else(|| EngineError::NotFound(key.clone()))?;
    let current = etag(memory);
    if wanted.is_some_and(|tags| !tags.contains(&current)) {
        return Err(EngineError::Stale { etag: current }.into());
    }
    Ok((changes.clone().into_patch(memory)?, current))
}

pub(in crate::serve) async fn forget(app: App, call: Call) -> Answer {
    let (id, by) = (call.id()?, call.by());
    let query: Forget = call.query()?;
    let project = app.project(query.project.as_deref()).await?;
    let key = Key { namespace: namespace(query.namespace), id };
    let snapshot = project.writer.snapshot();
    let archived = snapshot.archived(&key).map(|archived| &archived.memory);
    // What is archived can still be purged.
    let memory = snapshot.get(&key).or(archived.filter(|_| query.purge));
    let memory = memory.ok_or_else(|| EngineError::NotFound(key.clone()))?;
    let reason = query.reason.unwrap_or_else(|| "asked to".to_owned());
    let gone = app.settle(project.writer.by(by).forget(vec![key.clone()], reason, query.purge)).await?;
    if gone.is_empty() {
        return Err(EngineError::NotFound(key).into());
    }
    ok(&Forgotten { dry_run: false, purge: query.purge, forgotten: vec![view::mention(memory)], count: gone.len() })
}

pub(in crate::serve) async fn restore(app: App, call: Call) -> Answer {
    let (id, by) = (call.id()?, call.by());
    let mut within: Within = call.query()?;
    let most = app.config().server.max_record;
    let told: Changes = call.json(&app, most).await?;
    within = Within { project: told.project.or(within.project), namespace: told.namespace.or(within.namespace) };
    let project = app.project(within.project.as_deref()).await?;
    let key = Key { namespace: namespace(within.namespace), id };
    show::changed(&app.settle(project.writer.by(by).restore(key)).await?)
}
