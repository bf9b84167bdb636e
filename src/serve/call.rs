//! One request on its way to its handler: what stands in its path, its query, its headers and its body.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;

use axum::body::{Body, HttpBody};
use axum::extract::{FromRequestParts, Query, RawPathParams};
use axum::http::header::{CONTENT_TYPE, IF_MATCH, IF_NONE_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use futures_util::FutureExt;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::app::App;
use super::problem::Problem;
use super::{API_HEADER, API_VERSION, BY_HEADER, body};
use lokid_model::{By, MemoryId};

pub(super) type Answer = Result<Response, Problem>;
pub(super) type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;
pub(super) type Handler = fn(App, Call) -> Answering;

/// Bodies up to this many bytes are read and cleaned of secrets within a millisecond.
const SHORT: u64 = 32 << 10;

pub(super) struct Call {
    parts: Parts,
    /// The one variable part of a path, where it has one.
    variable: Option<String>,
    pub(super) body: Body,
}

impl Call {
    pub(super) async fn new(request: axum::extract::Request, has_variable: bool) -> Result<Call, Problem> {
        let (mut parts, body) = request.into_parts();
        same_api(&parts)?;
        let mut variable = None;
        if has_variable {
            let found = RawPathParams::from_request_parts(&mut parts, &()).await;
            let found = found.map_err(|error| Problem::bad_request(error.body_text()))?;
            variable = found.iter().next().map(|(_, value)| value.to_owned());
        }
        Ok(Call { parts, variable, body })
    }

    /// The memory a path names. Ids of foreign files are looked up as they are: nothing derives a file from them.
    pub(super) fn id(&self) -> Result<MemoryId, Problem> {
        let text = self.variable.as_deref().unwrap_or_default();
        MemoryId::foreign(text).ok_or_else(|| Problem::field("id", format_args!("an id is {}", MemoryId::RULE)))
    }

    pub(super) fn query<T: DeserializeOwned + Default>(&self) -> Result<T, Problem> {
        if self.parts.uri.query().is_none_or(str::is_empty) {
            return Ok(T::default());
        }
        let read = Query::try_from_uri(&self.parts.uri).map_err(|rejected| {
            let said = rejected.body_text();
            Problem::bad_request(said.strip_prefix("Failed to deserialize query string: ").unwrap_or(&said))
        });
        read.map(|Query(query)| query)
    }

    /// The body as JSON of at most `most` bytes; an empty body counts as `{}`.
    pub(super) async fn json<T: DeserializeOwned>(self, app: &App, most: u64) -> Result<T, Problem> {
        let bytes = body::read(&self.parts.headers, self.body, most, app.config().server.request_timeout).await?;
        super::dto::decode(if bytes.is_empty() { b"{}" } else { &bytes })
    }

    /// Is the body longer than what is gone through in no time, or is that not said?
    pub(super) fn is_long(&self) -> bool {
        body::announced(&self.parts.headers).unwrap_or(u64::MAX) > SHORT && !self.body.is_end_stream()
    }

    /// Waits until all of the body is here.
    pub(super) async fn gather(&mut self, app: &App) -> Result<(), Problem> {
        let server = &app.config().server;
        let body = std::mem::take(&mut self.body);
        self.body = body::read(&self.parts.headers, body, server.max_body, server.request_timeout).await?.into();
        Ok(())
    }

    pub(super) fn header(&self, name: &HeaderName) -> Option<&str> {
        self.parts.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub(super) fn accepts(&self, media: &str) -> bool {
        self.header(&axum::http::header::ACCEPT).is_some_and(|accepted| accepted.contains(media))
    }

    /// By whose hand a change is: an agent's, where the client says so, else the user's.
    pub(super) fn by(&self) -> By {
        match self.parts.headers.get(BY_HEADER).and_then(|value| value.to_str().ok()).and_then(By::parse) {
            Some(By::Agent) => By::Agent,
            _ => By::User,
        }
    }

    /// The tags of `If-Match`, without their quotes; `*` is one of them.
    pub(super) fn if_match(&self) -> Option<Vec<String>> {
        self.header(&IF_MATCH).map(tags)
    }

    pub(super) fn if_none_match(&self) -> Option<Vec<String>> {
        self.header(&IF_NONE_MATCH).map(tags)
    }
}

fn tags(header: &str) -> Vec<String> {
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").trim_matches('"').to_owned();
    header.split(',').map(bare).filter(|tag| !tag.is_empty()).collect()
}

/// An old daemon that survived an upgrade, or the other way round, is found out by the first request.
fn same_api(parts: &Parts) -> Result<(), Problem> {
    match parts.headers.get(API_HEADER) {
        Some(wanted) if wanted != API_VERSION => Err(Problem::bad_request(format!(
            "the client speaks version {} of the API, this daemon ({}) version {API_VERSION}",
            wanted.to_str().unwrap_or("?"),
            env!("CARGO_PKG_VERSION"),
        ))),
        _ => Ok(()),
    }
}

/// What every answer carries.
pub(super) fn signed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let server = HeaderValue::from_static(concat!("lokid/", env!("CARGO_PKG_VERSION")));
    headers.insert(axum::http::header::SERVER, server);
    headers.insert(API_HEADER, HeaderValue::from_static(API_VERSION));
    response
}

pub(super) fn json(status: StatusCode, value: &impl Serialize) -> Answer {
    let bytes = serde_json::to_vec(value).map_err(|error| Problem::internal(format!("no JSON: {error}")))?;
    Ok(with_type(status, "application/json", Body::from(bytes)))
}

pub(super) fn ok(value: &impl Serialize) -> Answer {
    json(StatusCode::OK, value)
}

pub(super) fn with_type(status: StatusCode, media: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}

/// A panic in a handler is that request's failure and nobody else's.
pub(super) async fn guarded<T>(work: impl Future<Output = T>) -> Option<T> {
    AssertUnwindSafe(work).catch_unwind().await.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_lose_their_quotes_and_their_weakness() {
        assert_eq!(tags(r#""a", W/"b" ,*"#), ["a", "b", "*"]);
        assert!(tags("").is_empty());
    }

    #[test]
    fn a_panic_is_caught_and_a_result_is_handed_on() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert_eq!(runtime.block_on(guarded(async { 7 })), Some(7));
        let quiet = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let caught = runtime.block_on(guarded(async { panic!("no") }));
        std::panic::set_hook(quiet);
        assert_eq!(caught, None::<()>);
    }
}
