//! What is handed out before somebody works: contexts, predictions, task contexts.

use std::path::PathBuf;
use std::sync::Arc;

use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::answers::TaskWeights;
use crate::serve::dto::context::{
    AssembleRequest, ContextAnswer, ContextItem, ForeseenFile, ForeseenMemory, LayerItem, PredictAnswer,
    PredictRequest, RelevantAnswer, RelevantRequest, TaskAnswer, TaskMemory, TaskRequest, TierTokens, WeighedItem,
};
use crate::serve::dto::queries::namespace;
use crate::serve::problem::Problem;
use lokid_context::gate::Weighed;
use lokid_engine::Project;
use lokid_engine::contexts::{Asked, Given};
use lokid_engine::focus::Owner;

const MOST_TOKENS: usize = 1_000_000;
const LAYERED: usize = 2_000;

pub(in crate::serve) async fn assemble(app: App, call: Call) -> Answer {
    let started = app.monotonic();
    let most = app.config().server.max_body;
    let request: AssembleRequest = call.json(&app, most).await?;
    let (project, owner) = whose(&app, request.project, request.session_id.as_deref()).await?;
    let asked = Asked {
        namespace: namespace(request.namespace),
        budget: budget(request.budget, MOST_TOKENS)?,
        file: request.signals.current_file,
        errors: request.signals.recent_errors,
        activity: request.signals.activity.map(|activity| activity.0),
        goal: request.signals.goal,
        branch: request.signals.branch,
        author: None,
        as_of: request.as_of.map(|time| time.0),
    };
    let counted = request.counted.unwrap_or(true);
    let given = match project.contexts.ready_context(&owner, &asked) {
        // What stands ready is handed over at once.
        Some(given) => given,
        None => {
            let work = Arc::clone(&project);
            let whose = owner.clone();
            aside(move || work.contexts.assemble(&whose, &asked)).await?.ok_or_else(opening)?
        }
    };
    if counted {
        project.contexts.count_given(&owner, &given);
    }
    let mut answer = show(&given, request.explain);
    answer.took_us = app.monotonic().saturating_duration_since(started).as_micros() as u64;
    ok(&answer)
}

fn show(given: &Given, explain: bool) -> ContextAnswer {
    let assembled = &given.prepared.assembled;
    let [tier1, tier2, tier3, tier4] = assembled.parts;
    let item = |item: &lokid_context::assemble::Item| ContextItem {
        id: item.key.id.to_string(),
        tier: item.part as usize + 1,
        tokens: item.tokens,
        level: item.level.as_str(),
        why: item.why.clone(),
    };
    ContextAnswer {
        context: assembled.text.clone(),
        token_count: assembled.tokens,
        tiers: TierTokens { tier1, tier2, tier3, tier4 },
        items: assembled.items.iter().map(item).collect(),
        prefetched: given.ahead,
        weighed: given.prepared.weighed.iter().filter(|_| explain).map(weighed).collect(),
        took_us: 0,
    }
}

fn weighed(weighed: &Weighed) -> WeighedItem {
    let round = |value: f64| (value * 1e3).round() / 1e3;
    let signs = weighed.signs.parts().into_iter().filter(|(_, value, _)| *value != 0.0);
    WeighedItem {
        id: weighed.key.id.to_string(),
        title: weighed.title.clone(),
        chance: round(weighed.chance),
        signs: signs.map(|(name, value, adds)| (name, (round(value), round(adds)))).collect(),
    }
}

pub(in crate::serve) async fn predict(app: App, call: Call) -> Answer {
    let started = app.monotonic();
    let most = app.config().server.max_body;
    let request: PredictRequest = call.json(&app, most).await?;
    let k = within("k", request.k, 10, 100)?;
    let (project, owner) = whose(&app, request.project, request.session_id.as_deref()).await?;
    let clues = [&request.file_opened, &request.branch, &request.error, &request.author, &request.goal];
    if clues.iter().all(|clue| clue.as_deref().is_none_or(|clue| clue.trim().is_empty())) {
        let detail = "one of `file_opened`, `branch`, `error`, `author` and `goal` is needed";
        return Err(Problem::bad_request(detail));
    }
    let asked = Asked {
        namespace: namespace(request.namespace),
        file: request.file_opened,
        branch: request.branch,
        errors: request.error.into_iter().collect(),
        author: request.author,
        goal: request.goal,
        ..Asked::default()
    };
    let foreseen = aside(move || project.contexts.predict(&owner, &asked, k)).await?.ok_or_else(opening)?;
    let round = |score: f64| (score * 1e4).round() / 1e4;
    ok(&PredictAnswer {
        predicted_memories: foreseen
            .memories
            .into_iter()
            .map(|found| ForeseenMemory {
                id: found.memory.id.to_string(),
                kind: found.memory.kind.as_str(),
                title: found.memory.headline().to_owned(),
                score: round(found.score),
                why: found.why,
            })
            .collect(),
        predicted_files: foreseen
            .files
            .into_iter()
            .map(|found| ForeseenFile { path: found.path, score: round(found.score), why: found.why })
            .collect(),
        confidence: round(foreseen.confidence),
        prefetched: foreseen.ahead,
        took_us: app.monotonic().saturating_duration_since(started).as_micros() as u64,
    })
}

pub(in crate::serve) async fn task(app: App, call: Call) -> Answer {
    let started = app.monotonic();
    let most = app.config().server.max_body;
    let request: TaskRequest = call.json(&app, most).await?;
    if request.goal.trim().is_empty() {
        return Err(Problem::field("goal", "is required"));
    }
    let k = within("k", request.k, 5, 50)?;
    let (project, owner) = whose(&app, request.project, request.session_id.as_deref()).await?;
    let place = namespace(request.namespace);
    let (goal, phase, action, files) = (request.goal, request.phase, request.action_type, request.files);
    let counted = request.counted.unwrap_or(true);
    let found = aside(move || {
        let found = project.contexts.task_context(&place, &goal, phase.as_deref(), action.as_deref(), &files, k)?;
        if counted {
            project.sessions.count_task(&owner, &found.context);
        }
        Some(found)
    });
    let found = found.await?.ok_or_else(opening)?;
    let memory = |item: lokid_context::task::TaskItem| TaskMemory {
        id: item.key.id.to_string(),
        kind: item.kind.as_str(),
        title: item.title,
        text: item.text,
        score: item.score,
        files: item.files,
    };
    let (context, weights) = (found.context, found.weights);
    ok(&TaskAnswer {
        detected_task_type: found.task.as_str(),
        weights: TaskWeights {
            episodic: weights.episodic,
            semantic: weights.semantic,
            skills: weights.skills,
            anti_patterns: weights.anti_patterns,
        },
        relevant_patterns: context.relevant_patterns.into_iter().map(memory).collect(),
        avoid_these: context.avoid_these.into_iter().map(memory).collect(),
        critical_avoid: context.critical_avoid.into_iter().map(memory).collect(),
        applicable_skills: context.applicable_skills.into_iter().map(memory).collect(),
        token_count: context.token_count,
        took_us: app.monotonic().saturating_duration_since(started).as_micros() as u64,
    })
}

pub(in crate::serve) async fn relevant(app: App, call: Call) -> Answer {
    let started = app.monotonic();
    let most = app.config().server.max_body;
    let request: RelevantRequest = call.json(&app, most).await?;
    let (project, owner) = whose(&app, request.project, request.session_id.as_deref()).await?;
    let (place, query) = (namespace(request.namespace), request.query);
    let budget = budget(request.budget, MOST_TOKENS)?.unwrap_or(LAYERED);
    let counted = request.counted.unwrap_or(true);
    let found = aside(move || {
        let found = project.contexts.disclose(&place, &query, budget)?;
        if counted {
            project.sessions.count_disclosed(&owner, &found);
        }
        Some(found)
    });
    let found = found.await?.ok_or_else(opening)?;
    ok(&RelevantAnswer {
        context: found.text,
        token_count: found.tokens,
        layers: found.layers,
        topics: found.topics,
        items: found
            .items
            .into_iter()
            .map(|(key, level, tokens)| LayerItem { id: key.id.to_string(), level: level.as_str(), tokens })
            .collect(),
        enough: found.enough,
        why: found.why,
        took_us: app.monotonic().saturating_duration_since(started).as_micros() as u64,
    })
}

/// The project of a request, and whose focus it is about.
pub(super) async fn whose(
    app: &App,
    path: Option<PathBuf>,
    session: Option<&str>,
) -> Result<(Arc<Project>, Owner), Problem> {
    let project = app.project(path.as_deref()).await?;
    let owner = project.contexts.owner(session, path.as_deref());
    Ok((project, owner))
}

pub(super) fn opening() -> Problem {
    Problem::busy("the search index is being opened")
}

pub(super) fn budget(asked: Option<usize>, most: usize) -> Result<Option<usize>, Problem> {
    match asked {
        Some(budget) if budget > most => Err(Problem::field("budget", format_args!("{budget} is more than {most}"))),
        asked => Ok(asked),
    }
}

fn within(name: &'static str, asked: Option<usize>, usual: usize, most: usize) -> Result<usize, Problem> {
    match asked.unwrap_or(usual) {
        k if (1..=most).contains(&k) => Ok(k),
        k => Err(Problem::field(name, format_args!("{k} is not between 1 and {most}"))),
    }
}
