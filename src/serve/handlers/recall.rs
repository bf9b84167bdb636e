//! A question, answered.

use std::sync::Arc;
use std::time::Duration;

use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::answers::{Explanation, Found, RecallAnswer, TaskWeights};
use crate::serve::dto::bodies::Object;
use crate::serve::dto::queries::namespace;
use crate::serve::dto::requests::RecallRequest;
use crate::serve::dto::values::Include;
use crate::serve::problem::Problem;
use lokid_config::RecallConfig;
use lokid_encode::compress::at_level;
use lokid_engine::recall::Recalled;
use lokid_engine::{Project, staging};
use lokid_index::roster::Filter;
use lokid_model::{Level, Staged, Timestamp, token};
use lokid_retrieve::recall::{Hit, Request, matched_words};
use lokid_retrieve::score::Parts;
use lokid_store::schema::usage_object;

const USUAL: usize = 5;
const MOST: usize = 1000;
/// How long a question that wants everything waits for it.
const CATCHING_UP: Duration = Duration::from_secs(60);

pub(in crate::serve) async fn recall(app: App, call: Call) -> Answer {
    let started = app.monotonic();
    let most = app.config().server.max_body;
    let mut asked: RecallRequest = call.json(&app, most).await?;
    let path = asked.project.take();
    let project = app.project(path.as_deref()).await?;
    let mut request = request(&mut asked, app.now())?;
    let here = path.and_then(|path| staging::waits_for(&app.config(), &path));
    request.filter.staged = here.map(|here| Staged::mark(&here.branch));
    let wait = asked.fresh.then_some(CATCHING_UP);
    let (work, counted, session) = (Arc::clone(&project), asked.counted, asked.session_id.take());
    let (recalled, request, session) = aside(move || {
        let recalled = if counted {
            work.recall.recall_for(session.as_deref(), &request, wait)
        } else {
            work.recall.recall(&request, wait)
        };
        (recalled, request, session)
    })
    .await?;
    let Some(recalled) = recalled else {
        return Err(Problem::busy("the search index is being opened"));
    };
    if asked.counted {
        project.recall.count_loaded(&recalled.answer);
    }
    let level = asked.level.map_or(Level::Summary, |level| level.0);
    let mut answer = show(&project, recalled, level, asked.explain.then_some(request.query.as_str()));
    if asked.counted {
        project.sessions.count_search(session.as_deref(), answer.results.iter().map(|found| found.tokens).sum());
    }
    answer.took_us = app.monotonic().saturating_duration_since(started).as_micros() as u64;
    ok(&answer)
}

fn request(asked: &mut RecallRequest, now: Timestamp) -> Result<Request, Problem> {
    let k = asked.k.unwrap_or(USUAL);
    if !(1..=MOST).contains(&k) {
        return Err(Problem::field("k", format_args!("{k} is not between 1 and {MOST}")));
    }
    let mut filter = Filter::new(namespace(asked.namespace.take()), now);
    filter.kinds = asked.kinds.iter().map(|kind| kind.0).collect();
    filter.tiers = asked.tiers.iter().map(|tier| tier.0).collect();
    let includes = |word: Include| asked.include.iter().any(|found| found.0 == word);
    filter.unverified = includes(Include::Unverified);
    filter.restricted = includes(Include::Restricted);
    filter.invalid = includes(Include::Invalid);
    filter.as_of = asked.as_of.as_ref().map(|time| time.0);
    Ok(Request {
        query: std::mem::take(&mut asked.query),
        k,
        task_type: asked.task_type.map(|task| task.0),
        phase: asked.phase.take(),
        action: asked.action_type.take(),
        files: std::mem::take(&mut asked.files),
        filter,
        min_score: asked.min_score,
    })
}

fn show(project: &Project, recalled: Recalled, level: Level, explained: Option<&str>) -> RecallAnswer {
    let answer = recalled.answer;
    let weights = answer.weights;
    RecallAnswer {
        task_type: answer.task.as_str(),
        weights: TaskWeights {
            episodic: weights.episodic,
            semantic: weights.semantic,
            skills: weights.skills,
            anti_patterns: weights.anti_patterns,
        },
        results: answer.hits.iter().map(|hit| found(project, &recalled.weights, hit, level, explained)).collect(),
        waiting: (recalled.waiting > 0).then_some(recalled.waiting),
        took_us: 0,
    }
}

fn found(project: &Project, weights: &RecallConfig, hit: &Hit, level: Level, explained: Option<&str>) -> Found {
    let memory = &hit.memory;
    let text = at_level(memory, level);
    let tokens = token::estimate(&text);
    let mut shown = Object::new();
    shown.insert(level.as_str().to_owned(), text.into_owned().into());
    Found {
        id: memory.id.to_string(),
        kind: memory.kind.as_str(),
        tier: memory.tier.as_str(),
        title: memory.headline().to_owned(),
        source: memory.is_borrowed().then_some(memory.source.as_str()),
        author: memory.author().map(str::to_owned),
        shown,
        score: hit.score,
        tokens,
        files: memory.anchors.files.clone(),
        usage: explained.map(|_| usage_object(&project.sessions.usage.of(memory), true)),
        created_at: memory.times.created_at.record_style(),
        invalid_at: memory.times.invalid_at.map(|at| at.record_style()),
        outcome: memory.outcome.map(|outcome| outcome.as_str()),
        parts: explained.map(|question| explanation(weights, hit, question)),
    }
}

fn explanation(weights: &RecallConfig, hit: &Hit, question: &str) -> Explanation {
    let Parts {
        semantic,
        keyword,
        occasion,
        linked,
        place,
        time,
        fit,
        recency,
        usage,
        tier,
        importance,
        task,
        outcome,
        speaker,
    } = hit.parts;
    let round = |value: f64| (value * 1e4).round() / 1e4;
    Explanation {
        semantic: round(semantic),
        keyword: round(keyword),
        occasion: round(occasion),
        linked: round(linked),
        place: round(place),
        time: round(time),
        relevance: round(hit.parts.relevance(weights)),
        fit: round(fit),
        recency: round(recency),
        usage: round(usage),
        tier,
        importance,
        task: round(task),
        outcome,
        speaker,
        words: matched_words(&hit.memory, question),
        link: hit.arrival.as_ref().map(|arrival| format!("{} {}", arrival.relation.as_str(), arrival.from)),
        instead_of: hit.instead_of.as_ref().map(|key| key.id.to_string()),
    }
}
