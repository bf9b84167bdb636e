//! The night: asking for one, asking about one, holding them off.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::log;
use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok, with_type};
use crate::serve::dto::night::{ConsolidateAnswer, ConsolidateRequest, NightAnswer, Nights, PauseRequest};
use crate::serve::problem::Problem;
use lokid_engine::Project;
use lokid_engine::night::{MOST_NIGHTS, NightReport, Wish};
use lokid_manage::schedule::Cause;
use lokid_model::Timestamp;

/// Who wants to know how far it is hears of it this often.
const TELL_EVERY: Duration = Duration::from_millis(500);

/// Waits as long as the night takes; whoever asked may leave, it goes on.
pub(in crate::serve) async fn consolidate(app: App, call: Call) -> Answer {
    let most = app.config().server.max_record;
    let progress = call.accepts("application/x-ndjson");
    let request: ConsolidateRequest = call.json(&app, most).await?;
    let project = app.project(request.project.as_deref()).await?;
    // What another program wrote takes part.
    project.writer.rescan()?.answer().await?;
    let wish = Wish {
        dry_run: request.dry_run,
        phases: request.phases.into_iter().map(|phase| phase.0).collect(),
        now: request.now.map(|time| time.0),
        cause: Cause::Asked,
    };
    if progress {
        return Ok(with_progress(project, wish));
    }
    let report = project.night.consolidate(wish)?.answer().await?;
    ok(&ConsolidateAnswer::of(&report))
}

/// Lines of how far it is, the last one the answer itself.
fn with_progress(project: Arc<Project>, wish: Wish) -> axum::response::Response {
    let (teller, told) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let tell = |value: &Value| drop(teller.send(Bytes::from(format!("{value}\n"))));
        let pending = match project.night.consolidate(wish) {
            Ok(pending) => pending,
            Err(error) => return tell(&json!({"problem": Problem::from(error).document()})),
        };
        let mut answer = Box::pin(pending.answer());
        loop {
            tokio::select! {
                done = &mut answer => {
                    return match done {
                        Ok(report) => tell(&json!(ConsolidateAnswer::of(&report))),
                        Err(error) => tell(&json!({"problem": Problem::from(error).document()})),
                    };
                }
                () = tokio::time::sleep(TELL_EVERY) => {
                    if let Some(running) = project.night.known().running {
                        tell(&json!({"phase": running.phase.as_str(), "done": running.done}));
                    }
                }
            }
        }
    });
    let lines = futures_util::stream::unfold(told, |mut told| async move {
        let line: Bytes = told.recv().await?;
        Some((Ok::<Bytes, Infallible>(line), told))
    });
    with_type(StatusCode::OK, "application/x-ndjson", Body::from_stream(lines))
}

pub(in crate::serve) async fn tell(app: App, call: Call) -> Answer {
    let query: Nights = call.query()?;
    let limit = query.limit.unwrap_or(0);
    if query.limit.is_some() && !(1..=MOST_NIGHTS).contains(&limit) {
        return Err(Problem::field("limit", format_args!("{limit} is not between 1 and {MOST_NIGHTS}")));
    }
    let project = app.project(query.project.as_deref()).await?;
    let known = project.night.known();
    let mut answer = NightAnswer::of(&known);
    if limit > 0 {
        let nights: Vec<Arc<NightReport>> = known.nights.into_iter().take(limit).collect();
        let began: Vec<Timestamp> = nights.iter().map(|night| night.started_at).collect();
        let undoable = aside(move || log::undoable(&project, &began)).await?;
        answer.list(&nights, &undoable);
    }
    ok(&answer)
}

pub(in crate::serve) async fn pause(app: App, call: Call) -> Answer {
    let most = app.config().server.max_record;
    let request: PauseRequest = call.json(&app, most).await?;
    let project = app.project(request.project.as_deref()).await?;
    project.night.pause(request.paused.unwrap_or(true));
    ok(&NightAnswer::of(&project.night.known()))
}
