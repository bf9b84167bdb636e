//! What a session is given, what it says of it, and what that cost.

use axum::http::StatusCode;

use super::context::{budget, opening, whose};
use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, json, ok};
use crate::serve::dto::answers::Accepted;
use crate::serve::dto::context::{
    Economics, EconomicsAnswer, PromptAnswer, PromptRequest, SessionAnswer, SessionEntry, SessionRequest, UsageRequest,
};
use crate::serve::dto::queries::namespace;
use crate::serve::problem::Problem;
use lokid_engine::contexts::PromptGiven;
use lokid_engine::said::{SaidAt, Utterance};
use lokid_engine::sessions::{InSession, UsageReport};

const LONGEST_SESSION_ID: usize = 200;
const MOST_TOKENS: usize = 10_000;
const MOST_DAYS: u32 = 400;

pub(in crate::serve) async fn session(app: App, call: Call) -> Answer {
    let most = app.config().server.max_record;
    let request: SessionRequest = call.json(&app, most).await?;
    let started = app.monotonic();
    let session = session_id(request.session_id)?;
    let (project, _) = whose(&app, request.project, None).await?;
    let budget = budget(request.budget, MOST_TOKENS)?.unwrap_or(app.config().context.session_budget);
    let (place, agent, goal) = (namespace(request.namespace), request.agent, request.goal);
    let given = aside(move || {
        let asked = goal.clone().unwrap_or_default();
        let handed = project.contexts.session_block(&place, &session, agent, goal, budget)?;
        let block = handed.block.clone();
        project.sessions.note_said(Utterance {
            session,
            event: SaidAt::SessionStart,
            asked,
            text: block.text.clone(),
            handed: vec![handed],
            took_us: app.monotonic().saturating_duration_since(started).as_micros() as u64,
            ..Utterance::default()
        });
        Some(block)
    });
    let given = given.await?.ok_or_else(opening)?;
    ok(&SessionAnswer { context: given.text, token_count: given.tokens, items: entries(&given.items) })
}

pub(in crate::serve) async fn prompt(app: App, call: Call) -> Answer {
    let started = app.monotonic();
    let most = app.config().server.max_body;
    let request: PromptRequest = call.json(&app, most).await?;
    let session = session_id(request.session_id)?;
    let context_use = share("context_use", request.context_use)?;
    let (project, _) = whose(&app, request.project, None).await?;
    let budget = budget(request.budget, MOST_TOKENS)?.unwrap_or(app.config().context.prompt_budget);
    let (place, prompt, files) = (namespace(request.namespace), request.prompt, request.files);
    let given = aside(move || {
        let PromptGiven { handed, topic_moved } =
            project.contexts.prompt_tail(&place, &session, &prompt, &files, context_use, budget)?;
        let block = handed.block.clone();
        let took_us = app.monotonic().saturating_duration_since(started).as_micros() as u64;
        project.sessions.note_said(Utterance {
            session,
            asked: prompt,
            files: files.iter().map(|path| project.repository.inside(path)).collect(),
            text: block.text.clone(),
            handed: vec![handed],
            took_us,
            topic_moved,
            ..Utterance::default()
        });
        Some((block, topic_moved, took_us))
    });
    let (block, topic_moved, took_us) = given.await?.ok_or_else(opening)?;
    let (token_count, items) = (block.tokens, entries(&block.items));
    ok(&PromptAnswer { context: block.text, token_count, items, topic_moved, took_us })
}

fn entries(items: &[InSession]) -> Vec<SessionEntry> {
    let entry = |item: &InSession| SessionEntry {
        id: item.key.id.to_string(),
        cite: lokid_model::citation::mark(item.tier, &item.key),
        tier: item.tier.as_str(),
    };
    items.iter().map(entry).collect()
}

/// Counted, not waited for.
pub(in crate::serve) async fn usage(app: App, call: Call) -> Answer {
    let most = app.config().server.max_body;
    let request: UsageRequest = call.json(&app, most).await?;
    let session = request.session_id.map(session_id).transpose()?;
    let report = UsageReport {
        namespace: namespace(request.namespace),
        session,
        loaded: request.loaded,
        cited: request.cited,
        ignored: request.ignored,
        text: request.text,
        context_use: share("context_use", request.context_use)?,
        outcome: request.outcome.map(|outcome| outcome.0),
    };
    let (project, _) = whose(&app, request.project, None).await?;
    aside(move || project.sessions.note_usage(&report)).await?;
    json(StatusCode::ACCEPTED, &Accepted { accepted: true })
}

pub(in crate::serve) async fn economics(app: App, call: Call) -> Answer {
    let Economics { project, session_id, days } = call.query()?;
    if days.is_some_and(|days| !(1..=MOST_DAYS).contains(&days)) {
        return Err(Problem::field("days", format_args!("must be between 1 and {MOST_DAYS}")));
    }
    if days.is_some() && session_id.is_some() {
        return Err(Problem::field("days", "are those of all sessions; leave `session_id` out"));
    }
    let project = app.project(project.as_deref()).await?;
    let known = project.sessions.economics(session_id.as_deref());
    let unknown = || Problem::not_found(format!("no session {:?} is known", session_id.clone().unwrap_or_default()));
    let mut known = known.ok_or_else(unknown)?;
    if let Some(days) = days {
        known.insert("days".to_owned(), project.sessions.economics_by_day(days).into());
    }
    ok(&EconomicsAnswer(known))
}

fn session_id(id: String) -> Result<String, Problem> {
    if id.trim().is_empty() || id.len() > LONGEST_SESSION_ID || id.chars().any(char::is_control) {
        return Err(Problem::field("session_id", format_args!("must be 1 to {LONGEST_SESSION_ID} printable bytes")));
    }
    Ok(id)
}

fn share(name: &'static str, asked: Option<f64>) -> Result<Option<f64>, Problem> {
    match asked {
        Some(share) if !(0.0..=1.0).contains(&share) => {
            Err(Problem::field(name, format_args!("{share} is not between 0 and 1")))
        }
        asked => Ok(asked),
    }
}
