//! What can be asked: one table, from which both the router and the OpenAPI document are made.
//!
//! Every route stands under `/v1` and, as an alias, without it.

mod table;

use axum::Router;
use axum::body::HttpBody;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::app::App;
use super::call::{Answer, Call, Handler, guarded, signed};
use super::problem::{Code, Problem};
pub(super) use table::ROUTES;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Get,
    Post,
    Patch,
    Delete,
}

impl Verb {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Verb::Get => "GET",
            Verb::Post => "POST",
            Verb::Patch => "PATCH",
            Verb::Delete => "DELETE",
        }
    }

    fn filter(self) -> MethodFilter {
        match self {
            Verb::Get => MethodFilter::GET,
            Verb::Post => MethodFilter::POST,
            Verb::Patch => MethodFilter::PATCH,
            Verb::Delete => MethodFilter::DELETE,
        }
    }
}

pub(super) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// A body, as the document tells it.
#[derive(Clone, Copy)]
pub(super) struct Content {
    pub(super) media: &'static str,
    pub(super) schema: Option<SchemaOf>,
}

#[derive(Clone, Copy)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) says: &'static str,
    pub(super) content: &'static [Content],
}

pub(super) struct Route {
    pub(super) verb: Verb,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) query: Option<SchemaOf>,
    pub(super) body: Option<Content>,
    pub(super) replies: &'static [Reply],
    handler: Handler,
}

impl Route {
    fn has_variable(&self) -> bool {
        self.path.contains('{')
    }
}

/// Everything the daemon answers, ready to be called.
pub fn router(app: App) -> Router {
    let mut router = Router::new();
    for (index, route) in ROUTES.iter().enumerate() {
        for prefix in ["/v1", ""] {
            let app = app.clone();
            let answer = move |request: Request| answer(app, index, request);
            router = router.route(&format!("{prefix}{}", route.path), on(route.verb.filter(), answer));
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

async fn answer(app: App, index: usize, request: Request) -> Response {
    let started = app.monotonic();
    let route = &ROUTES[index];
    let response = match guarded(carry_out(app.clone(), route, request)).await {
        Some(Ok(response)) => response,
        Some(Err(problem)) => problem.into_response(),
        None => Problem::internal("the handler panicked; the daemon goes on").into_response(),
    };
    app.tally().answered(index, response.status(), app.monotonic().saturating_duration_since(started));
    signed(response)
}

async fn carry_out(app: App, route: &Route, request: Request) -> Answer {
    let call = Call::new(request, route.has_variable()).await?;
    (route.handler)(app, call).await
}

fn stray(app: &App, problem: Problem) -> Response {
    let response = problem.into_response();
    app.tally().stray(response.status());
    debug_assert!(response.body().size_hint().exact().is_some());
    signed(response)
}
