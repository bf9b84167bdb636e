//! Loki Mode's ledgers and handoffs: documents that are listed and written whole and never interpreted.

use std::sync::Arc;

use axum::http::StatusCode;

use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, json, ok};
use crate::serve::dto::answers::{Erased, Items, Written};
use crate::serve::dto::bodies::Object;
use crate::serve::dto::queries::Which;
use crate::serve::dto::requests::DocumentRequest;
use crate::serve::problem::Problem;
use lokid_model::{Document, DocumentKind, MemoryId, Timestamp};

pub(in crate::serve) async fn ledgers(app: App, call: Call) -> Answer {
    list(app, call, DocumentKind::Ledger).await
}

pub(in crate::serve) async fn handoffs(app: App, call: Call) -> Answer {
    list(app, call, DocumentKind::Handoff).await
}

async fn list(app: App, call: Call, kind: DocumentKind) -> Answer {
    let Which { project } = call.query()?;
    let project = app.project(project.as_deref()).await?;
    let documents = aside(move || project.env.documents(kind)).await?;
    let documents = documents.map_err(|error| Problem::internal(error.to_string()))?;
    ok(&Items { items: documents.into_iter().map(named).collect() })
}

/// The file's name tells whose it is where the document does not.
fn named(document: Document) -> Object {
    let mut body = document.body;
    body.entry(name_field(document.kind)).or_insert_with(|| document.name.into());
    body
}

fn name_field(kind: DocumentKind) -> &'static str {
    match kind {
        DocumentKind::Ledger => "agent_id",
        DocumentKind::Handoff => "id",
    }
}

pub(in crate::serve) async fn write_ledger(app: App, call: Call) -> Answer {
    write(app, call, DocumentKind::Ledger).await
}

pub(in crate::serve) async fn write_handoff(app: App, call: Call) -> Answer {
    write(app, call, DocumentKind::Handoff).await
}

async fn write(app: App, call: Call, kind: DocumentKind) -> Answer {
    let most = app.config().server.max_record;
    let DocumentRequest { project, mut body } = call.json(&app, most).await?;
    let name = name_of(kind, &mut body, app.now())?;
    let project = app.project(project.as_deref()).await?;
    if kind == DocumentKind::Handoff && !body.contains_key("timestamp") {
        let (known, name) = (Arc::clone(&project), name.clone());
        let is_known = move || known.env.documents(kind).is_ok_and(|all| all.iter().any(|one| one.name == name));
        // Without it nobody could tell who comes after.
        if !aside(is_known).await? {
            body.insert("timestamp".to_owned(), app.now().to_string().into());
        }
    }
    app.settle(project.writer.write_document(Document { kind, name: name.clone(), body })).await?;
    json(StatusCode::CREATED, &Written { id: name, created: true })
}

pub(in crate::serve) async fn erase_ledger(app: App, call: Call) -> Answer {
    erase(app, call, DocumentKind::Ledger).await
}

pub(in crate::serve) async fn erase_handoff(app: App, call: Call) -> Answer {
    erase(app, call, DocumentKind::Handoff).await
}

/// There is no archive of documents: it is gone for good.
async fn erase(app: App, call: Call, kind: DocumentKind) -> Answer {
    let Which { project } = call.query()?;
    let name = call.id()?.to_string();
    let project = app.project(project.as_deref()).await?;
    let known = Arc::clone(&project);
    let documents = aside(move || known.env.documents(kind)).await?.unwrap_or_default();
    // It is named as a list names it: by what the document says, or by its file.
    let named = |document: &&Document| {
        let said = document.body.get(name_field(kind)).and_then(serde_json::Value::as_str);
        document.name == name || said == Some(&name)
    };
    let Some(found) = documents.iter().find(named) else {
        return Err(Problem::not_found(format!("no document {name}")));
    };
    let document = Document { kind, name: found.name.clone(), body: Object::new() };
    app.settle(project.writer.write_document(document)).await?;
    ok(&Erased { erased: name })
}

/// A name becomes a file's, so it has to be one that cannot lead anywhere else.
fn name_of(kind: DocumentKind, body: &mut Object, now: Timestamp) -> Result<String, Problem> {
    let field = name_field(kind);
    match body.get(field) {
        Some(serde_json::Value::String(name)) => {
            let name = MemoryId::new(name)
                .ok_or_else(|| Problem::field(field, format_args!("a name is {}", MemoryId::RULE)))?;
            Ok(name.as_str().to_owned())
        }
        Some(_) => Err(Problem::field(field, "is not a string")),
        None if kind == DocumentKind::Ledger => Err(Problem::field(field, "is required")),
        None => {
            let content = serde_json::to_vec(&*body).unwrap_or_default();
            let name = format!("handoff-{}-{}", now.day(), &blake3::hash(&content).to_hex()[..8]);
            body.insert(field.to_owned(), name.clone().into());
            Ok(name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn name(kind: DocumentKind, body: serde_json::Value) -> Result<String, String> {
        let mut body = body.as_object().unwrap().clone();
        let now = Timestamp::parse("2026-01-06").unwrap();
        name_of(kind, &mut body, now).map_err(|problem| problem.detail().to_owned())
    }

    #[test]
    fn a_name_that_could_leave_the_folder_is_refused() {
        assert_eq!(name(DocumentKind::Ledger, json!({"agent_id": "coder"})).unwrap(), "coder");
        for bad in ["../x", "a/b", ".hidden", ""] {
            assert!(name(DocumentKind::Ledger, json!({"agent_id": bad})).unwrap_err().starts_with("agent_id: "));
        }
        assert_eq!(name(DocumentKind::Ledger, json!({})).unwrap_err(), "agent_id: is required");
        assert_eq!(name(DocumentKind::Handoff, json!({"id": 7})).unwrap_err(), "id: is not a string");
    }

    #[test]
    fn the_same_handoff_on_the_same_day_gets_the_same_name() {
        let first = name(DocumentKind::Handoff, json!({"reason": "done"})).unwrap();
        assert!(first.starts_with("handoff-2026-01-06-"));
        assert_eq!(first, name(DocumentKind::Handoff, json!({"reason": "done"})).unwrap());
        assert_ne!(first, name(DocumentKind::Handoff, json!({"reason": "stuck"})).unwrap());
    }
}
