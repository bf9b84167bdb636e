//! Which repositories are watched, and the signals that come from them.

use std::path::PathBuf;
use std::sync::Arc;

use axum::http::StatusCode;

use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, json, ok};
use crate::serve::dto::answers::{Accepted, Projects, ReleasedProject, WatchedProject};
use crate::serve::dto::queries::ProjectPath;
use crate::serve::dto::requests::{ProjectRequest, SignalRequest};
use crate::serve::problem::Problem;
use lokid_engine::Project;

pub(in crate::serve) async fn list(app: App, _call: Call) -> Answer {
    let projects = app.registry().projects();
    ok(&Projects { projects: projects.iter().map(|project| watched(project)).collect() })
}

pub(in crate::serve) async fn add(app: App, call: Call) -> Answer {
    let most = app.config().server.max_body;
    let ProjectRequest { path } = call.json(&app, most).await?;
    let path = absolute(path)?;
    let known: Vec<String> = app.registry().projects().iter().map(|project| project.env.id.clone()).collect();
    let registry = Arc::clone(app.registry());
    let project = aside(move || registry.add(&path)).await??;
    let status = if known.iter().any(|id| *id == project.env.id) { StatusCode::OK } else { StatusCode::CREATED };
    json(status, &watched(&project))
}

/// The path may stand in the query, since some clients send no body with a DELETE.
pub(in crate::serve) async fn remove(app: App, call: Call) -> Answer {
    let ProjectPath { path, project } = call.query()?;
    let path = match path.or(project) {
        Some(path) => path,
        None => {
            let most = app.config().server.max_body;
            call.json::<ProjectRequest>(&app, most).await?.path
        }
    };
    let path = absolute(path)?;
    let registry = Arc::clone(app.registry());
    let root = aside(move || registry.remove(&path)).await??;
    ok(&ReleasedProject { path: root.display().to_string(), watched: false })
}

fn absolute(path: PathBuf) -> Result<PathBuf, Problem> {
    if path.is_absolute() {
        Ok(path)
    } else {
        Err(Problem::field("path", format_args!("\"{}\" is not an absolute path", path.display())))
    }
}

fn watched(project: &Project) -> WatchedProject {
    WatchedProject {
        id: project.env.id.clone(),
        path: project.env.root.display().to_string(),
        memory_dir: project.env.memory_dir.display().to_string(),
        memories: project.writer.snapshot().len(),
    }
}

/// Taken, not waited for: a signal is a hint.
pub(in crate::serve) async fn signal(app: App, call: Call) -> Answer {
    let most = app.config().server.max_record;
    let request: SignalRequest = call.json(&app, most).await?;
    let from = request.project.clone();
    let project = app.project(from.as_deref()).await?;
    project.signals.hear(project.repository.placed(request.into_signal(app.now()), from.as_deref()));
    json(StatusCode::ACCEPTED, &Accepted { accepted: true })
}
