//! The same requests and answers without a socket: the router in this very process, for commands that find no daemon.

use std::io::Read;

use axum::Router;
use axum::body::{Body, Bytes};
use http_body_util::BodyExt;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

use super::app::App;
use super::client::{ClientError, LineBuffer};
use super::message::{Request, Response};
use super::routes::router;

/// How much of an upload is read at once.
const PIECE: usize = 64 << 10;

pub struct Embedded {
    router: Router,
    runtime: Runtime,
}

impl Embedded {
    pub fn new(app: App) -> std::io::Result<Embedded> {
        let runtime = Builder::new_current_thread().enable_time().build()?;
        Ok(Embedded { router: router(app), runtime })
    }

    pub fn send(&self, request: &Request) -> Result<Response, ClientError> {
        let body = Body::from(request.body.clone());
        self.runtime.block_on(self.exchange(request, body, |_| {}))
    }

    /// Sends what `source` gives as the body; every line of the answer is handed on as it comes, and kept.
    pub fn upload(
        &self,
        request: &Request,
        source: impl Read + Send + 'static,
        on_line: impl FnMut(&str),
    ) -> Result<Response, ClientError> {
        // Reading blocks this thread, which has nothing else to do: the engine writes on its own.
        let pieces = futures_util::stream::unfold(source, |mut source| async move {
            let mut piece = vec![0; PIECE];
            match source.read(&mut piece) {
                Ok(0) => None,
                Ok(read) => {
                    piece.truncate(read);
                    Some((Ok(Bytes::from(piece)), source))
                }
                Err(error) => Some((Err(error), source)),
            }
        });
        self.runtime.block_on(self.exchange(request, Body::from_stream(pieces), on_line))
    }

    async fn exchange(
        &self,
        request: &Request,
        body: Body,
        mut on_line: impl FnMut(&str),
    ) -> Result<Response, ClientError> {
        let mut builder = axum::http::Request::builder().method(request.method).uri(&request.path);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        let asked = builder.body(body).map_err(|error| ClientError::Malformed(error.to_string()))?;
        let answer = match self.router.clone().oneshot(asked).await {
            Ok(answer) => answer,
            Err(never) => match never {},
        };
        let (parts, mut body) = answer.into_parts();
        let text = |value: &axum::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = parts.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        let mut response = Response { status: parts.status.as_u16(), headers, body: Vec::new() };
        let mut lines = LineBuffer::default();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| ClientError::Malformed(error.to_string()))?;
            let bytes = frame.into_data().unwrap_or_default();
            response.body.extend_from_slice(&bytes);
            lines.push(&bytes, &mut on_line);
        }
        lines.finish(&mut on_line);
        Ok(response)
    }
}
