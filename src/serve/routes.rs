//! What can be asked: one table, from which both the router and the OpenAPI document are made.
//!
//! Every route stands under `/v1` and, as an alias, without it.

mod openapi;
mod table;

use std::time::Duration;

use axum::Router;
use axum::body::HttpBody;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::app::{App, aside};
use super::call::{Answer, Call, Handler, guarded, signed};
use super::problem::{Code, Problem};
pub use openapi::openapi;
use table::ROUTES;

type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// A body, as the document tells it.
#[derive(Clone, Copy)]
struct Content {
    media: &'static str,
    schema: Option<SchemaOf>,
}

#[derive(Clone, Copy)]
struct Reply {
    status: u16,
    says: &'static str,
    content: &'static [Content],
}

struct Route {
    verb: Method,
    path: &'static str,
    summary: &'static str,
    query: Option<SchemaOf>,
    body: Option<Content>,
    replies: &'static [Reply],
    handler: Handler,
}

impl Route {
    fn has_variable(&self) -> bool {
        self.path.contains('{')
    }

    /// Lines are taken as they come, everything else at once.
    fn is_read_whole(&self) -> bool {
        self.body.is_some_and(|content| content.media == "application/json")
    }
}

/// Everything the daemon answers, ready to be called.
pub fn router(app: App) -> Router {
    let mut router = Router::new();
    for route in ROUTES {
        let Ok(method) = MethodFilter::try_from(route.verb.clone()) else { continue };
        for prefix in ["/v1", ""] {
            let app = app.clone();
            let answer = move |request: Request| answer(app, route, request);
            router = router.route(&format!("{prefix}{}", route.path), on(method, answer));
        }
    }
    let (wrong, unknown) = (app.clone(), app);
    router
        .method_not_allowed_fallback(move |request: Request| async move {
            let detail = format!("{} is not possible here; the Allow header tells what is", request.method());
            stray(&wrong, Problem::new(StatusCode::METHOD_NOT_ALLOWED, Code::BadRequest, detail))
        })
        .fallback(move |request: Request| async move {
            let detail = format!("there is no {}; GET /v1/openapi.json tells what is", request.uri().path());
            stray(&unknown, Problem::not_found(detail))
        })
}

async fn answer(app: App, route: &'static Route, request: Request) -> Response {
    let started = app.monotonic();
    let response = match guarded(carry_out(app.clone(), route, request)).await {
        Some(Ok(response)) => response,
        Some(Err(problem)) => problem.into_response(),
        None => Problem::internal("the handler panicked; the daemon goes on").into_response(),
    };
    let took = app.monotonic().saturating_duration_since(started);
    app.tally().answered(route.verb.as_str(), route.path, response.status(), took);
    signed(response)
}

async fn carry_out(app: App, route: &'static Route, request: Request) -> Answer {
    let mut call = Call::new(request, route.has_variable()).await?;
    if !route.is_read_whole() || !call.is_long() {
        return (route.handler)(app, call).await;
    }
    // What is long is long to go through as well: once all of it is here, beside the connections and not among them.
    call.gather(&app).await?;
    let runtime = tokio::runtime::Handle::current();
    aside(move || runtime.block_on((route.handler)(app, call))).await?
}

fn stray(app: &App, problem: Problem) -> Response {
    let response = problem.into_response();
    app.tally().answered("*", "other", response.status(), Duration::ZERO);
    debug_assert!(response.body().size_hint().exact().is_some());
    signed(response)
}
