//! Words that match a pattern, made unreadable: first told, then done.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::json;

use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::answers::{RedactedMention, RedactionAnswer};
use crate::serve::dto::bodies::Object;
use crate::serve::dto::requests::RedactRequest;
use crate::serve::problem::Problem;
use lokid_engine::pattern::{BLACK, Pattern};
use lokid_engine::{EngineError, Project};
use lokid_mirror::EventKind;
use lokid_model::{Document, DocumentKind, Key, Memory, Namespace};

/// How many memories one turn of the writer replaces.
const PORTION: usize = 512;

pub(in crate::serve) async fn redact(app: App, call: Call) -> Answer {
    let most = app.config().server.max_record;
    let request: RedactRequest = call.json(&app, most).await?;
    let pattern = Pattern::parse(&request.pattern).map_err(|why| Problem::field("pattern", why))?;
    let pattern = Arc::new(pattern);
    let project = app.project(request.project.as_deref()).await?;
    let dry_run = request.dry_run.unwrap_or(true);
    let place = request.namespace.map(|name| name.0);
    let (looking, wanted) = (Arc::clone(&project), Arc::clone(&pattern));
    let found = aside(move || Found::look(&looking, &wanted, place.as_ref())).await??;
    let mut answer = found.told(&pattern, dry_run);
    answer.changes = in_log(&project, &pattern, false).await?;
    if dry_run {
        answer.history = app.settle(project.writer.history(&pattern, false)).await?;
        return ok(&answer);
    }
    let reason = request.reason.unwrap_or_else(|| "redacted".to_owned());
    let mut names = HashMap::new();
    for portion in found.keys().chunks(PORTION) {
        let done = app.settle(project.writer.redact(portion.to_vec(), &pattern, &reason)).await?;
        names.extend(done.into_iter().map(|one| (one.key, one.replaced_by)));
    }
    for (mention, (memory, ..)) in answer.redacted.iter_mut().zip(&found.memories) {
        mention.replaced_by = names.remove(&memory.key()).flatten().map(|id| id.to_string());
    }
    for document in found.documents {
        write_clean(&app, &project, document, &pattern).await?;
    }
    // Behind the others: what they replaced is history now.
    answer.history = app.settle(project.writer.history(&pattern, true)).await?;
    in_log(&project, &pattern, true).await?;
    let counts = json!({"memories": answer.memories, "archived": answer.archived, "derived": answer.derived,
        "documents": answer.documents, "history": answer.history, "changes": answer.changes, "places": answer.places});
    tracing::info!(project = %project.env.name, %counts, "words that match a pattern were made unreadable");
    if app.config().managed.uses_network() {
        let mut told = counts.clone();
        told["store"] = "local".into();
        project.events.tell(app.now(), EventKind::Redact, told, &project.env.redaction);
    }
    project.env.say("memories_redacted", counts);
    ok(&answer)
}

/// What the log of changes and what was said still say.
async fn in_log(project: &Arc<Project>, pattern: &Arc<Pattern>, strike: bool) -> Result<usize, Problem> {
    let (log, sessions, pattern) = (Arc::clone(&project.changes), Arc::clone(&project.sessions), Arc::clone(pattern));
    let both =
        move || Ok::<_, std::io::Error>(log.history(&pattern, strike)? + sessions.said_history(&pattern, strike)?);
    let lines = aside(both).await?;
    lines.map_err(|error| EngineError::Disk(error.to_string()).into())
}

async fn write_clean(app: &App, project: &Project, mut clean: Document, pattern: &Pattern) -> Result<(), Problem> {
    let folder = if clean.kind == DocumentKind::Ledger { "ledgers" } else { "handoffs" };
    let beside = project.env.memory_dir.join(folder).join(format!("{}.md", clean.name));
    // Loki Mode says the same in a second file.
    if beside.exists() {
        let erased = Document { body: Object::new(), ..clean.clone() };
        app.settle(project.writer.write_document(erased)).await?;
    }
    pattern.blacken(&mut clean);
    app.settle(project.writer.write_document(clean)).await
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stand {
    Living,
    Archived,
    /// The repository itself teaches it.
    Derived,
}

/// Everything that matches.
struct Found {
    memories: Vec<(Arc<Memory>, Stand, usize)>,
    documents: Vec<Document>,
    in_documents: usize,
}

impl Found {
    fn look(project: &Project, pattern: &Pattern, place: Option<&Namespace>) -> Result<Found, Problem> {
        let snapshot = project.writer.snapshot();
        let living = snapshot.memories().map(|memory| {
            let is_derived = snapshot.is_derived(&memory.key());
            (memory, if is_derived { Stand::Derived } else { Stand::Living })
        });
        let archived = snapshot.all_archived().map(|entry| (&entry.memory, Stand::Archived));
        let within = |memory: &Memory| place.is_none_or(|place| memory.namespace == *place);
        let memories = living.chain(archived).filter(|(memory, _)| within(memory)).filter_map(|(memory, stand)| {
            let places = pattern.places_of(memory);
            (places > 0).then(|| (Arc::clone(memory), stand, places))
        });
        let memories = memories.collect();
        let (mut documents, mut in_documents) = (Vec::new(), 0);
        for kind in [DocumentKind::Ledger, DocumentKind::Handoff] {
            let all = project.env.documents(kind).map_err(|error| Problem::internal(error.to_string()))?;
            for document in all.into_iter().filter(|_| place.is_none()) {
                let places = pattern.places(&document);
                in_documents += places;
                documents.extend((places > 0).then_some(document));
            }
        }
        Ok(Found { memories, documents, in_documents })
    }

    fn keys(&self) -> Vec<Key> {
        self.memories.iter().map(|(memory, ..)| memory.key()).collect()
    }

    fn told(&self, pattern: &Pattern, dry_run: bool) -> RedactionAnswer {
        let count = |wanted: Stand| self.memories.iter().filter(|(_, stand, _)| *stand == wanted).count();
        let mention = |(memory, _, places): &(Arc<Memory>, Stand, usize)| RedactedMention {
            id: pattern.text(memory.id.as_str()),
            kind: memory.kind.as_str(),
            title: pattern.text(memory.headline()),
            places: *places,
            replaced_by: None,
        };
        RedactionAnswer {
            dry_run,
            memories: count(Stand::Living),
            archived: count(Stand::Archived),
            derived: count(Stand::Derived),
            documents: self.documents.len(),
            history: 0,
            changes: 0,
            places: self.memories.iter().map(|(.., places)| places).sum::<usize>() + self.in_documents,
            redacted: self.memories.iter().map(mention).collect(),
            instead: BLACK,
        }
    }
}
