//! What a person may pick in a client: prompts that bring memory along, and the short layers as resources. The words
//! of memories stay between their marks.

use rmcp::model::{Prompt, PromptArgument, Resource};
use serde_json::{Value, json};

use super::fields::{Arguments, Field, Object, Shape, brief, field};
use super::recall;
use super::session::{Refusal, Session};
use lokid_context::assemble::quoted;

const RECALL: &[Field] = &[field("topic", Shape::Text, "What you want to know about").required()];
const SESSION: &[Field] = &[field("goal", Shape::Text, "What is to be done")];

const INDEX: &str = "loki://memory/index";
const TIMELINE: &str = "loki://memory/timeline";

pub(super) fn prompts() -> Vec<Prompt> {
    let arguments = |fields: &[Field]| {
        let one = |f: &Field| PromptArgument::new(f.name).with_description(f.says).with_required(f.required);
        Some(fields.iter().map(one).collect())
    };
    vec![
        Prompt::new("recall", Some("Ask what the project's memory holds about something"), arguments(RECALL))
            .with_title("Recall"),
        Prompt::new("session", Some("Begin a session with what should be known"), arguments(SESSION))
            .with_title("Begin a session"),
    ]
}

pub(super) fn prompt(session: &Session, name: &str, given: Object) -> Result<String, Refusal> {
    match name {
        "recall" => {
            let asked = Arguments::read(RECALL, given)?;
            let topic = asked.said("topic")?;
            let context = context(session, Some(topic))?;
            Ok(format!(
                "What is known in this project about the following, and what follows from it?\n{topic}\n\n{context}"
            ))
        }
        "session" => {
            let asked = Arguments::read(SESSION, given)?;
            let goal = asked.text("goal").filter(|goal| !goal.trim().is_empty());
            let context = context(session, goal)?;
            let task = goal.map(|goal| format!("The goal of this session:\n{goal}\n\n")).unwrap_or_default();
            let cite = "Name the memories you apply at the end of an answer: `Applied: [R:1a2b3c4d]`.";
            Ok(format!("{task}{context}\n\n{cite}"))
        }
        _ => Err(Refusal::argument("name", format!("no prompt {:?}; there are recall, session", brief(name)))),
    }
}

fn context(session: &Session, goal: Option<&str>) -> Result<String, Refusal> {
    let given = goal.map(|goal| ("goal".to_owned(), json!(goal))).into_iter().collect();
    let asked = Arguments::read(&[field("goal", Shape::Text, "")], given)?;
    let answer = recall::context(session, &asked)?;
    Ok(answer.get("context").and_then(Value::as_str).unwrap_or_default().to_owned())
}

pub(super) fn resources() -> Vec<Resource> {
    let one = |uri: &str, name: &str, title: &str, says: &str| {
        Resource::new(uri, name).with_title(title).with_description(says).with_mime_type("text/plain")
    };
    vec![
        one(INDEX, "index", "Index", "The topics the memory holds"),
        one(TIMELINE, "timeline", "Timeline", "What was done, decided and learnt lately"),
    ]
}

/// `None` where there is no such resource.
pub(super) fn resource(session: &Session, uri: &str) -> Option<Result<String, Refusal>> {
    let path = match uri {
        INDEX => "/index",
        TIMELINE => "/timeline",
        _ => return None,
    };
    let request = session.get(path).query("format", "text").query("session_id", &session.id);
    Some(session.read_text(&request).map(quoted))
}
