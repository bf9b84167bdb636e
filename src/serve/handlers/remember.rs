//! A new memory.

use std::path::Path;

use axum::http::StatusCode;

use crate::serve::app::App;
use crate::serve::call::{Answer, Call, json};
use crate::serve::dto::answers::RememberedAnswer;
use crate::serve::dto::record::Record;
use crate::serve::dto::requests::LearningRequest;
use lokid_engine::{Remembered, staging};
use lokid_model::{Draft, Source};
use lokid_store::schema::lists::view_contradiction;

pub(in crate::serve) async fn remember(app: App, call: Call) -> Answer {
    let most = app.config().server.max_record;
    let mut record: Record = call.json(&app, most).await?;
    let path = record.project.take();
    let mut draft = record.into_draft(Source::Agent)?;
    let project = app.project(path.as_deref()).await?;
    stage(&app, path.as_deref(), &mut draft);
    answer(app.settle(project.writer.remember(draft)).await?)
}

pub(in crate::serve) async fn learn(app: App, call: Call) -> Answer {
    let most = app.config().server.max_record;
    let mut request: LearningRequest = call.json(&app, most).await?;
    let path = request.project.take();
    let mut draft = request.into_draft()?;
    let project = app.project(path.as_deref()).await?;
    stage(&app, path.as_deref(), &mut draft);
    answer(app.settle(project.writer.remember(draft)).await?)
}

/// What is told in a linked working tree may have to wait for its branch.
pub(in crate::serve) fn stage(app: &App, path: Option<&Path>, draft: &mut Draft) {
    if let Some(staged) = path.and_then(|path| staging::waits_for(&app.config(), path)) {
        draft.stage(&staged);
    }
}

pub(in crate::serve) fn answer(remembered: Remembered) -> Answer {
    let status = if remembered.created { StatusCode::CREATED } else { StatusCode::OK };
    json(
        status,
        &RememberedAnswer {
            id: remembered.id.to_string(),
            created: remembered.created,
            merged_into: remembered.merged_into.map(|id| id.to_string()),
            contradictions: remembered.contradictions.iter().map(view_contradiction).collect(),
        },
    )
}
