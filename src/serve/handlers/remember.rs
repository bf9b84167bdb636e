//! A new memory.

use axum::http::StatusCode;

use crate::serve::app::App;
use crate::serve::call::{Answer, Call, json};
use crate::serve::dto::answers::RememberedAnswer;
use crate::serve::dto::record::Record;
use crate::serve::dto::requests::LearningRequest;
use lokid_engine::Remembered;
use lokid_model::Source;
use lokid_store::schema::lists::view_contradiction;

pub(in crate::serve) async fn remember(app: App, call: Call) -> Answer {
    let most = app.config().server.max_record;
    let mut record: Record = call.json(&app, most).await?;
    let path = record.project.take();
    let draft = record.into_draft(Source::Agent)?;
    let project = app.project(path.as_deref()).await?;
    answer(app.settle(project.writer.remember(draft)).await?)
}

pub(in crate::serve) async fn learn(app: App, call: Call) -> Answer {
    let most = app.config().server.max_record;
    let mut request: LearningRequest = call.json(&app, most).await?;
    let path = request.project.take();
    let draft = request.into_draft()?;
    let project = app.project(path.as_deref()).await?;
    answer(app.settle(project.writer.remember(draft)).await?)
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
