//! Memories that cannot both hold: listed, settled, and looked for.

use serde_json::{Value, json};

use super::show;
use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::answers::Items;
use crate::serve::dto::night::{CheckAnswer, CheckRequest, Compared, ConfirmRequest, Disputed, ResolveRequest};
use crate::serve::dto::queries::{Within, namespace};
use crate::serve::problem::Problem;
use lokid_engine::Project;
use lokid_index::Snapshot;
use lokid_manage::statement::Judgement;
use lokid_model::{Contradiction, ContradictionStatus, Draft, Key, Kind, MemoryId, Namespace, Verdict};
use lokid_store::schema::lists::view_contradiction;

pub(in crate::serve) async fn list(app: App, call: Call) -> Answer {
    let query: Disputed = call.query()?;
    let project = app.project(query.project.as_deref()).await?;
    let place = namespace(query.namespace);
    let snapshot = project.writer.snapshot();
    let wanted = |found: &Contradiction| {
        // Somebody who asks for what is settled means all that is.
        let settled =
            found.status == ContradictionStatus::Superseded && query.status.has(ContradictionStatus::Resolved);
        // With one side gone there is nothing left to decide, until it is brought back.
        let lives = |id| snapshot.get(&Key::new(&place, id)).is_some();
        let is_moot = found.status == ContradictionStatus::Open && !(lives(&found.a) && lives(&found.b));
        found.namespace == place && !is_moot && (query.status.allow(found.status) || settled)
    };
    let mut found: Vec<_> = snapshot.contradictions().filter(|found| wanted(found)).collect();
    found.sort_by(|one, other| other.found_at.cmp(&one.found_at).then_with(|| one.id.cmp(&other.id)));
    let items = found.into_iter().filter_map(|found| with_words(&snapshot, found)).collect();
    ok(&Items { items })
}

/// With what the two say, unless that is restricted; then the reason, which may quote it, is kept back, too.
pub(in crate::serve) fn with_words(
    snapshot: &Snapshot,
    found: &Contradiction,
) -> Option<serde_json::Map<String, Value>> {
    let Value::Object(mut view) = view_contradiction(found) else { return None };
    for (name, id) in [("a_says", &found.a), ("b_says", &found.b)] {
        let key = Key::new(&found.namespace, id);
        let memory = snapshot.get(&key).or_else(|| snapshot.archived(&key).map(|entry| &entry.memory));
        if memory.is_some_and(|memory| memory.restricted) {
            view.insert("why".to_owned(), json!("one of the two is restricted"));
        }
        let says = memory.filter(|memory| !memory.restricted).map(|memory| memory.text.clone());
        view.insert(name.to_owned(), json!(says));
    }
    Some(view)
}

pub(in crate::serve) async fn resolve(app: App, call: Call) -> Answer {
    let (id, by) = (call.id()?, call.by());
    let most = app.config().server.max_record;
    let within: Within = call.query()?;
    let request: ResolveRequest = call.json(&app, most).await?;
    let project = app.project(request.project.or(within.project).as_deref()).await?;
    let place = namespace(request.namespace.or(within.namespace));
    let note = request.note.unwrap_or_default();
    let asked = project.writer.by(by).resolve(place, id.to_string(), request.resolution.0, &note);
    let ended = app.settle(asked).await?;
    ok(&with_words(&project.writer.snapshot(), &ended).unwrap_or_default())
}

pub(in crate::serve) async fn check(app: App, call: Call) -> Answer {
    let most = app.config().server.max_record;
    let request: CheckRequest = call.json(&app, most).await?;
    let project = app.project(request.project.as_deref()).await?;
    let place = namespace(request.namespace);
    match (request.a, request.b, request.text) {
        (Some(a), Some(b), None) => {
            let judgement = aside(move || project.recall.compare(&a, &b)).await?;
            ok(&answer(&judgement, None))
        }
        (None, None, Some(text)) => {
            if text.trim().is_empty() {
                return Err(Problem::field("text", "must not be empty"));
            }
            ok(&aside(move || against_memory(&project, &place, text)).await?)
        }
        _ => Err(Problem::bad_request("give `a` and `b`, or `text` alone")),
    }
}

fn answer(judgement: &Judgement, with: Option<Vec<Compared>>) -> CheckAnswer {
    let (verdict, score, why) = (judgement.verdict.as_str(), judgement.score, judgement.why.clone());
    CheckAnswer { verdict, score, why, with }
}

fn against_memory(project: &Project, place: &Namespace, text: String) -> CheckAnswer {
    let mut draft = Draft::new(Kind::Note, text);
    draft.namespace = place.clone();
    let id = MemoryId::new("asked").expect("a plain word is an id");
    let mut found = project.recall.hold_against(&draft.into_memory(id, project.env.now()));
    found.retain(|(_, judgement)| judgement.verdict != Verdict::Unrelated);
    let grave = |verdict: Verdict| match verdict {
        Verdict::Contradicts => 0,
        Verdict::Duplicate => 1,
        Verdict::Compatible => 2,
        Verdict::Unrelated => 3,
    };
    found.sort_by(|one, other| {
        let gravest = grave(one.1.verdict).cmp(&grave(other.1.verdict));
        gravest.then_with(|| other.1.score.total_cmp(&one.1.score)).then_with(|| one.0.id.cmp(&other.0.id))
    });
    let with: Vec<Compared> = found
        .iter()
        .map(|(memory, judgement)| Compared {
            id: memory.id.to_string(),
            title: memory.headline().to_owned(),
            verdict: judgement.verdict.as_str(),
            score: judgement.score,
            why: judgement.why.clone(),
        })
        .collect();
    match found.first() {
        Some((_, gravest)) => answer(gravest, Some(with)),
        None => {
            let why = "nothing that is known speaks of it".to_owned();
            CheckAnswer { verdict: Verdict::Unrelated.as_str(), score: 1.0, why, with: Some(with) }
        }
    }
}

pub(in crate::serve) async fn confirm(app: App, call: Call) -> Answer {
    let (id, by) = (call.id()?, call.by());
    let most = app.config().server.max_record;
    let within: Within = call.query()?;
    let request: ConfirmRequest = call.json(&app, most).await?;
    let project = app.project(request.project.or(within.project).as_deref()).await?;
    let key = Key { namespace: namespace(request.namespace.or(within.namespace)), id };
    show::changed(&app.settle(project.writer.by(by).confirm(key, request.tier.map(|tier| tier.0))).await?)
}
