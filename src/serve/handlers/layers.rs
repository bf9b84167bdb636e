//! The two short layers: the index and the timeline.

use axum::body::Body;
use axum::http::StatusCode;

use super::view;
use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok, with_type};
use crate::serve::dto::answers::Items;
use crate::serve::dto::bodies::Object;
use crate::serve::dto::queries::{Format, Layer, namespace};
use crate::serve::problem::Problem;
use lokid_config::LayersConfig;
use lokid_context::layers::{self, Arrangement, TopicGroups};
use lokid_engine::Project;
use lokid_index::Snapshot;
use lokid_model::{Level, Namespace, Timestamp, token};

/// What an opened topic may take unless told.
const TOPIC_TOKENS: usize = 2_000;

type AsJson = fn(&Snapshot, &Namespace, &LayersConfig, &Arrangement, Timestamp) -> Object;
type AsText = fn(&Snapshot, &Namespace, &LayersConfig, &Arrangement, Timestamp) -> String;

pub(in crate::serve) async fn index(app: App, call: Call) -> Answer {
    let query: Layer = call.query()?;
    if query.topic.is_some() {
        return topic(app, query).await;
    }
    let as_text: AsText =
        |snapshot, namespace, limits, arrangement, _| layers::index_text(snapshot, namespace, limits, arrangement);
    layer(app, query, layers::index, as_text, |project, session, tokens| project.sessions.count_index(session, tokens))
        .await
}

pub(in crate::serve) async fn timeline(app: App, call: Call) -> Answer {
    let query: Layer = call.query()?;
    let place = namespace(query.namespace.clone());
    let (config, now) = (app.config(), app.now());
    layer(app, query, layers::timeline, layers::timeline_text, move |project, session, tokens| {
        // How long it would be without a bound, so that the ledger can tell what was chosen from.
        let whole = layers::timeline(&project.writer.snapshot(), &place, &config.layers, &Arrangement::default(), now);
        let available = token::estimate(&serde_json::Value::Object(whole).to_string());
        project.sessions.count_timeline(session, tokens, available);
    })
    .await
}

/// Reads of agents are counted; those of people are not.
async fn layer(
    app: App,
    query: Layer,
    as_json: AsJson,
    as_text: AsText,
    count: impl FnOnce(&Project, Option<&str>, usize) + Send + 'static,
) -> Answer {
    let project = app.project(query.project.as_deref()).await?;
    let (config, now, place) = (app.config(), app.now(), namespace(query.namespace));
    let (session, counted) = (query.session_id, query.counted.unwrap_or(true));
    let format = query.format;
    let told = aside(move || {
        let (snapshot, arrangement) = (project.writer.snapshot(), project.sessions.arrangement());
        let told = match format {
            Format::Json => {
                serde_json::Value::Object(as_json(&snapshot, &place, &config.layers, &arrangement, now)).to_string()
            }
            Format::Text => as_text(&snapshot, &place, &config.layers, &arrangement, now),
        };
        if counted {
            count(&project, session.as_deref(), token::estimate(&told));
        }
        told
    });
    let media = match format {
        Format::Json => "application/json",
        Format::Text => "text/plain; charset=utf-8",
    };
    Ok(with_type(StatusCode::OK, media, Body::from(told.await?)))
}

/// The best memories of one topic.
async fn topic(app: App, query: Layer) -> Answer {
    let project = app.project(query.project.as_deref()).await?;
    let (config, now, place) = (app.config(), app.now(), namespace(query.namespace));
    let name = query.topic.unwrap_or_default();
    let budget = query.budget.unwrap_or(TOPIC_TOKENS);
    let (session, counted, format) = (query.session_id, query.counted.unwrap_or(true), query.format);
    let found = aside(move || {
        let snapshot = project.writer.snapshot();
        let shelves = TopicGroups::of(&snapshot, &place, config.layers.topics, &project.sessions.arrangement());
        let found = layers::expand(&snapshot, &shelves, &name, budget, now);
        if counted {
            for memory in &found {
                project.sessions.count_shown(session.as_deref(), memory, token::estimate(&memory.text));
            }
        }
        if found.is_empty() {
            let theirs = snapshot.neighbour(&place).map(|known| known.topics.as_slice()).unwrap_or_default();
            let theirs = theirs.iter().filter_map(|topic| topic.get("id").and_then(serde_json::Value::as_str));
            let known: Vec<&str> = shelves.shown().iter().map(|shelf| shelf.name.as_str()).chain(theirs).collect();
            return Err(Problem::not_found(format!("no topic \"{name}\"; there are: {}", known.join(", "))));
        }
        Ok(found)
    });
    let found = found.await??;
    match format {
        Format::Json => ok(&Items { items: found.iter().map(|memory| view::brief(memory, Level::Full)).collect() }),
        Format::Text => {
            let text = layers::topic_text(&found);
            Ok(with_type(StatusCode::OK, "text/plain; charset=utf-8", Body::from(text)))
        }
    }
}
