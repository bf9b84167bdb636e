//! The two short layers: the index and the timeline.

use axum::body::Body;
use axum::http::StatusCode;

use crate::config::LayersConfig;
use crate::context::layers;
use crate::index::Snapshot;
use crate::model::{Namespace, Timestamp};
use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok, with_type};
use crate::serve::dto::bodies::Object;
use crate::serve::dto::queries::{Format, Layer, namespace};

type AsJson = fn(&Snapshot, &Namespace, &LayersConfig, Timestamp) -> Object;
type AsText = fn(&Snapshot, &Namespace, &LayersConfig, Timestamp) -> String;

pub(in crate::serve) async fn index(app: App, call: Call) -> Answer {
    layer(app, call, layers::index, layers::index_text).await
}

pub(in crate::serve) async fn timeline(app: App, call: Call) -> Answer {
    layer(app, call, layers::timeline, layers::timeline_text).await
}

async fn layer(app: App, call: Call, as_json: AsJson, as_text: AsText) -> Answer {
    let query: Layer = call.query()?;
    let snapshot = app.project(query.project.as_deref())?.snapshot();
    let (config, now, place) = (app.config(), app.now(), namespace(query.namespace));
    match query.format {
        Format::Json => ok(&aside(move || as_json(&snapshot, &place, &config.layers, now)).await?),
        Format::Text => {
            let text = aside(move || as_text(&snapshot, &place, &config.layers, now)).await?;
            Ok(with_type(StatusCode::OK, "text/plain; charset=utf-8", Body::from(text)))
        }
    }
}
