//! The mirror: how it fares, what it did, and the history of a memory in its store.

use lokid_engine::mirror;
use lokid_mirror::events::Wanted;
use serde_json::{Map, Value, json};

use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::answers::{Items, RecordAnswer};
use crate::serve::dto::queries::{ManagedEvents, Which};
use crate::serve::problem::Problem;

const FEW: usize = 100;
const MANY: usize = 10_000;

pub(in crate::serve) async fn status(app: App, call: Call) -> Answer {
    let query: Which = call.query()?;
    let project = app.project(query.project.as_deref()).await?;
    let told = aside(move || {
        let mut told = mirror::status(&project.env, project.mirror.as_deref());
        if told["enabled"] == Value::Bool(true) {
            let borrowed = project.writer.snapshot().memories().filter(|memory| memory.is_borrowed()).count();
            told["retrieve"] = json!({"borrowed": borrowed});
        }
        told
    })
    .await?;
    ok(&RecordAnswer(object(told)))
}

pub(in crate::serve) async fn events(app: App, call: Call) -> Answer {
    let query: ManagedEvents = call.query()?;
    let project = app.project(query.project.as_deref()).await?;
    let limit = query.limit.unwrap_or(FEW).min(MANY);
    let wanted = Wanted { limit, since: query.since.map(|time| time.0), kind: query.kind };
    let found = aside(move || project.events.read(&wanted)).await?;
    let found = found.map_err(|error| Problem::internal(format!("the events cannot be read: {error}")))?;
    ok(&Items { items: found.into_iter().map(object).collect() })
}

/// Asks the store, so it takes as long as the store does.
pub(in crate::serve) async fn versions(app: App, call: Call) -> Answer {
    let query: Which = call.query()?;
    let id = call.id()?;
    let project = app.project(query.project.as_deref()).await?;
    let Some(mirror) = project.mirror.clone() else {
        return Err(Problem::not_found("the mirror is off, so no memory has a history in a store"));
    };
    let found = aside(move || mirror.versions(id.as_str())).await?;
    let found = found.map_err(|error| Problem::not_found(format!("its history cannot be had: {error}")))?;
    ok(&Items { items: found.into_iter().map(|version| object(json!(version))).collect() })
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
