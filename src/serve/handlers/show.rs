//! One memory by its id.

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::ETAG;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;

use super::{history, log, tag, view};
use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, json};
use crate::serve::dto::queries::{Show, namespace};
use crate::serve::problem::Problem;
use lokid_encode::compress::at_level;
use lokid_index::Snapshot;
use lokid_model::{Key, Level, Memory, token};

pub(in crate::serve) async fn show(app: App, call: Call) -> Answer {
    let id = call.id()?;
    let query: Show = call.query()?;
    let project = app.project(query.project.as_deref()).await?;
    let snapshot = project.writer.snapshot();
    let key = Key { namespace: namespace(query.namespace), id };
    let as_of = query.as_of.map(|time| time.0);
    let commit = snapshot.get(&key).is_none().then(|| project.recall.commit(&key.id)).flatten();
    let then = match as_of {
        Some(moment) => {
            let (log, key) = (Arc::clone(&project.changes), key.clone());
            aside(move || history::at(&log.life_of(&key), moment)).await?
        }
        None => None,
    };
    let then = then.map(|then| then.map(|memory| Arc::new(log::cleaned(&project, &memory))));
    let memory = match &then {
        Some(then) => then.as_ref(),
        None => snapshot.get(&key).or(commit.as_ref()),
    };
    let memory = memory
        .filter(|memory| as_of.is_none_or(|at| memory.known_at(at)))
        .ok_or_else(|| Problem::not_found(absent(&snapshot, &key)))?;
    let tag = tag::of(memory);
    let bare = tag.to_str().unwrap_or_default().trim_matches('"');
    if call.if_none_match().is_some_and(|known| known.iter().any(|known| known == bare || known == "*")) {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(tagged(response, tag));
    }
    // With what was counted since the last night.
    let counted = Memory { usage: project.sessions.usage.of(memory).into(), ..memory.as_ref().clone() };
    let shown = match query.level.map(|level| level.0) {
        None | Some(Level::Full) => view::whole(&counted),
        Some(level) => view::shorter(&counted, level),
    };
    if query.counted.unwrap_or(true) && commit.is_none() {
        let level = query.level.map_or(Level::Full, |level| level.0);
        let tokens = token::estimate(&at_level(memory, level));
        project.sessions.count_shown(query.session_id.as_deref(), memory, tokens);
    }
    Ok(tagged(json(StatusCode::OK, &shown)?, tag))
}

/// Says of a forgotten memory when that was and how it comes back, and nothing else.
fn absent(snapshot: &Snapshot, key: &Key) -> String {
    match snapshot.archived(key) {
        Some(entry) => {
            let day = entry.at.day();
            format!("{key} was forgotten on {day}; `lokid forget --undo {}` or its `restore` brings it back", key.id)
        }
        None => format!("no memory {key}"),
    }
}

/// The whole of a memory that was just changed.
pub(in crate::serve) fn changed(memory: &Arc<Memory>) -> Answer {
    Ok(tagged(json(StatusCode::OK, &view::whole(memory))?, tag::of(memory)))
}

fn tagged(mut response: Response, tag: HeaderValue) -> Response {
    response.headers_mut().insert(ETAG, tag);
    response
}
