//! What a person does not want agents to be told unasked.

use std::cmp::Reverse;
use std::sync::Arc;

use axum::http::StatusCode;

use super::paging;
use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, json, ok};
use crate::serve::dto::queries::namespace;
use crate::serve::dto::said::{MuteItem, MuteRequest, MutesAnswer, Page};
use crate::serve::problem::Problem;
use lokid_engine::Project;
use lokid_engine::mutes::Muted;
use lokid_model::{Key, Timestamp};

pub(in crate::serve) async fn list(app: App, call: Call) -> Answer {
    let query: Page = call.query()?;
    let limit = paging::limit(query.limit)?;
    let after = query.cursor.as_deref().map(paging::read_cursor).transpose()?;
    let after = after.map(|(at, name)| (Reverse(at), name));
    let project = app.project(query.project.as_deref()).await?;
    let muted = project.mutes.list();
    let mut found: Vec<_> = muted.iter().map(|(muted, at)| ((Reverse(at), name_of(muted)), muted)).collect();
    found.retain(|(place, _)| after.as_ref().is_none_or(|after| place > after));
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found.truncate(limit + 1);
    let (page, next_cursor) = paging::page(found, limit, |((at, name), _)| paging::cursor(at.0, name));
    let items = page.into_iter().map(|((at, _), muted)| item(&project, muted, at.0)).collect();
    ok(&MutesAnswer { items, next_cursor })
}

/// By which it is told from others of the same time.
fn name_of(muted: &Muted) -> String {
    format!("{} {}", muted.key, muted.file.as_deref().unwrap_or_default())
}

pub(in crate::serve) async fn mute(app: App, call: Call) -> Answer {
    let (project, muted) = asked(&app, call).await?;
    let key = &muted.key;
    let snapshot = project.writer.snapshot();
    let is_known = || snapshot.get(key).is_some() || snapshot.archived(key).is_some();
    if !is_known() && project.recall.commit(&key.id).is_none() {
        return Err(Problem::not_found(format!("no memory {key}")));
    }
    let (work, silent) = (Arc::clone(&project), muted.clone());
    let (at, is_news) = aside(move || work.mutes.mute(silent)).await??;
    if is_news {
        project.prefetch.make_anew();
    }
    let status = if is_news { StatusCode::CREATED } else { StatusCode::OK };
    json(status, &item(&project, &muted, at))
}

pub(in crate::serve) async fn unmute(app: App, call: Call) -> Answer {
    let (project, muted) = asked(&app, call).await?;
    let (work, silent) = (Arc::clone(&project), muted.clone());
    let Some(at) = aside(move || work.mutes.unmute(&silent)).await?? else {
        let place = muted.file.as_ref().map(|file| format!(" at {file}")).unwrap_or_default();
        return Err(Problem::not_found(format!("{} is not muted{place}", muted.key)));
    };
    project.prefetch.make_anew();
    ok(&item(&project, &muted, at))
}

async fn asked(app: &App, call: Call) -> Result<(Arc<Project>, Muted), Problem> {
    let request: MuteRequest = call.json(app, app.config().server.max_record).await?;
    let project = app.project(request.project.as_deref()).await?;
    let key = Key { namespace: namespace(request.namespace), id: request.memory_id.0 };
    let file = request.file.map(|path| place(&project, &path)).transpose()?;
    Ok((project, Muted { key, file }))
}

/// A file or a folder as memories name it.
fn place(project: &Project, path: &str) -> Result<String, Problem> {
    let inside = project.repository.inside(path.trim());
    let inside = inside.trim_end_matches('/');
    let leads_out = inside.starts_with(['/', '~']) || inside.split('/').any(|part| matches!(part, "" | "." | ".."));
    if leads_out || inside.chars().any(char::is_control) {
        return Err(Problem::field("file", format_args!("{path:?} is no file or folder of the project")));
    }
    Ok(inside.to_owned())
}

fn item(project: &Project, muted: &Muted, at: Timestamp) -> MuteItem {
    let snapshot = project.writer.snapshot();
    MuteItem {
        memory_id: muted.key.id.to_string(),
        namespace: muted.key.namespace.to_string(),
        file: muted.file.clone(),
        at: at.record_style(),
        title: snapshot.get(&muted.key).filter(|memory| !memory.restricted).map(|memory| memory.headline().to_owned()),
    }
}
