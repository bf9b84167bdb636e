//! An event of an agent: heard, and answered with what the agent should know now.

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::Response;

use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::hook::{HookAnswer, HookRequest};
use crate::serve::hook::{self, Agent, Happening, Told};
use crate::serve::problem::Problem;
use lokid_model::Timestamp;

/// A clock that is further off than this is not believed: a day.
const FAR_MICROS: i64 = 86_400_000_000;

pub(in crate::serve) async fn hook(app: App, call: Call) -> Answer {
    let most = app.config().server.max_body;
    let request: HookRequest = call.json(&app, most).await?;
    let agent = match request.agent.as_deref() {
        None | Some("") => None,
        Some(name) => Some(Agent::parse(name).ok_or_else(|| unknown(name))?),
    };
    let now = app.now();
    let at = request.at.map(Timestamp::from_micros);
    let at = at.filter(|at| (at.as_micros() - now.as_micros()).abs() < FAR_MICROS).unwrap_or(now);
    // Once begun it is carried out, though the hook may have stopped waiting.
    let answer = aside(move || {
        hook::hear_what_waits(&app);
        let happening = Happening::read(agent, &request.event, &request.input, request.cwd);
        hook::note_heard(&app, happening.agent, at);
        let told = Told::of(&happening, at)?;
        Some(hook::act(&app, &happening, &told).map(|text| text.map(|text| hook::shaped(&happening, &text))))
    });
    match answer.await?.transpose()?.flatten() {
        Some(serde_json::Value::Object(answer)) => ok(&HookAnswer(answer)),
        _ => Ok(silence()),
    }
}

fn unknown(name: &str) -> Problem {
    Problem::field("agent", format_args!("{name:?} is none of {}", Agent::WORDS.join(", ")))
}

fn silence() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}
