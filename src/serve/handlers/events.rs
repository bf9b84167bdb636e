//! What happens, as it happens: server-sent events for browsers and editors, lines of JSON for everybody else.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::serve::app::App;
use crate::serve::call::{Answer, Call, with_type};
use crate::serve::dto::queries::Which;
use lokid_engine::{Happening, News, Project};

/// Keeps proxies and clients from giving up on a quiet stream. Only while somebody listens to one.
const HEARTBEAT: Duration = Duration::from_secs(30);

pub(in crate::serve) async fn follow(app: App, call: Call) -> Answer {
    let Which { project } = call.query()?;
    let only = match project {
        Some(path) => Some(names_of(&*app.project(Some(&path)).await?)),
        None => None,
    };
    let sse = call.accepts("text/event-stream");
    let media = if sse { "text/event-stream" } else { "application/x-ndjson" };
    // From here on nothing is missed, so a client that has seen the head of the answer hears everything.
    let follower = app.registry().feed().follow();
    let listening = Listening { app, follower, only, sse };
    let pieces = futures_util::stream::unfold(listening, |mut listening| async move {
        let piece = listening.next().await?;
        Some((Ok::<Bytes, Infallible>(Bytes::from(piece)), listening))
    });
    Ok(with_type(StatusCode::OK, media, Body::from_stream(pieces)))
}

/// A project is told by its id or its path, whichever the feed uses.
fn names_of(project: &Project) -> [String; 2] {
    [project.env.id.to_owned(), project.env.root.display().to_string()]
}

struct Listening {
    app: App,
    follower: lokid_engine::FeedFollower,
    only: Option<[String; 2]>,
    sse: bool,
}

impl Listening {
    /// `None` ends the stream: the daemon is closing.
    async fn next(&mut self) -> Option<String> {
        loop {
            let patience = if self.sse { Some(HEARTBEAT) } else { None };
            let news = tokio::select! {
                news = within(patience, self.follower.next()) => news,
                () = self.app.closed() => return None,
            };
            match news {
                None => return Some(":\n\n".to_owned()),
                Some(None) => return None,
                Some(Some(News::Missed(count))) => {
                    return Some(self.write(None, "missed", &json!({"kind": "missed", "data": {"missed": count}})));
                }
                Some(Some(News::Happened(event))) if self.wants(&event) => {
                    return Some(self.write(Some(event.sequence), event.kind, &told(&event)));
                }
                Some(Some(News::Happened(_))) => {}
            }
        }
    }

    fn wants(&self, event: &Happening) -> bool {
        self.only.as_ref().is_none_or(|names| names.iter().any(|name| **name == *event.project))
    }

    fn write(&self, sequence: Option<u64>, kind: &str, data: &Value) -> String {
        match (self.sse, sequence) {
            (false, _) => format!("{data}\n"),
            (true, Some(sequence)) => format!("id: {sequence}\nevent: {kind}\ndata: {data}\n\n"),
            (true, None) => format!("event: {kind}\ndata: {data}\n\n"),
        }
    }
}

/// Without patience there is no timer at all.
async fn within<T>(patience: Option<Duration>, work: impl Future<Output = T>) -> Option<T> {
    match patience {
        Some(patience) => tokio::time::timeout(patience, work).await.ok(),
        None => Some(work.await),
    }
}

fn told(event: &Happening) -> Value {
    json!({
        "sequence": event.sequence,
        "at": event.at.record_style(),
        "kind": event.kind,
        "project": &*event.project,
        "data": serde_json::from_str::<Value>(&event.data).unwrap_or_default(),
    })
}
