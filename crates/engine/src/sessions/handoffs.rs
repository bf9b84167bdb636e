//! What one agent leaves for the next: the handoffs that wait for an agent, told once, in the first session after them.
//! How they are stored is not decided here; both forms of Loki Mode are read.

use serde_json::Value;

use super::Sessions;
use lokid_context::session::SessionBook;
use lokid_model::{Document, DocumentKind, Timestamp, time};

/// What was handed over longer ago is history.
const AGE: i64 = 14 * time::DAY;
const MOST: usize = 2;
/// Of each list.
const MOST_ITEMS: usize = 3;
/// Addresses of whoever comes next.
const ANYBODY: [&str; 4] = ["*", "any", "all", "next"];

impl Sessions {
    /// The handoffs to the agent of this session that none of its sessions before was told of, newest first, a line each.
    pub(crate) fn handed_over(&self, session: &str) -> Vec<String> {
        let documents = match self.env.documents(DocumentKind::Handoff) {
            Ok(documents) => documents,
            Err(error) => {
                tracing::warn!(project = %self.env.name, reason = %error, "handoffs could not be read");
                return Vec::new();
            }
        };
        let now = self.env.clock.now();
        let state = self.state.lock();
        let mut waiting: Vec<(Timestamp, Document)> = documents
            .into_iter()
            .filter_map(|document| Some((waits_since(&document, &state.book, session, now)?, document)))
            .collect();
        drop(state);
        waiting.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.name.cmp(&other.1.name)));
        let lines = waiting.iter().take(MOST).map(|(at, document)| self.env.redaction.text(&told(document, *at)));
        lines.collect()
    }
}

/// When it was written, if it is for this session.
fn waits_since(document: &Document, sessions: &SessionBook, session: &str, now: Timestamp) -> Option<Timestamp> {
    let text = |name: &str| document.body.get(name).and_then(Value::as_str).map(str::trim);
    let at = text("timestamp").and_then(Timestamp::parse)?;
    if now.as_micros() - at.as_micros() > AGE {
        return None;
    }
    let agent = sessions.get(session).map(|known| known.agent.as_str()).unwrap_or_default();
    let receiver = text("to_agent").filter(|name| !name.is_empty() && !ANYBODY.contains(name));
    let is_receiver = |agent: &str| receiver.is_none_or(|name| name.eq_ignore_ascii_case(agent));
    let was_told = sessions.iter().any(|(id, known)| id != session && known.started >= at && is_receiver(&known.agent));
    (is_receiver(agent) && !was_told).then_some(at)
}

/// `from coder, 2026-11-16: the parser is done; needs testing: empty input; known issues: slow on long lines`
fn told(document: &Document, at: Timestamp) -> String {
    let context = document.body.get("context").and_then(Value::as_object).unwrap_or(&document.body);
    let from = document.body.get("from_agent").and_then(Value::as_str).filter(|name| !name.is_empty());
    let mut parts: Vec<String> = Vec::new();
    for (names, label) in [
        (["what_was_done", "reason"], ""),
        (["needs_testing", "task_status"], "needs testing: "),
        (["known_issues", "blockers"], "known issues: "),
        (["open_questions", "questions"], "open: "),
        (["key_decisions", "decisions"], "decided: "),
        (["artifacts", "files_modified"], "files: "),
    ] {
        let found = names.iter().find_map(|name| Some((*name, said(context.get(*name)?)?)));
        parts.extend(found.map(|(name, said)| match name {
            "task_status" => format!("status: {said}"),
            _ => format!("{label}{said}"),
        }));
    }
    format!("from {}, {}: {}", from.unwrap_or("the session before"), at.day(), parts.join("; "))
}

/// A text, or the first of a list of texts; of a map, what its fields say.
fn said(value: &Value) -> Option<String> {
    let one = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(fields) => {
            let named = ["title", "decision", "question", "description", "text", "path", "name"];
            named.iter().find_map(|name| fields.get(*name)?.as_str()).map(str::to_owned)
        }
        _ => None,
    };
    let text = match value {
        Value::Array(items) => items.iter().filter_map(one).take(MOST_ITEMS).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let told = fields.iter().filter_map(|(name, value)| Some(format!("{name} {}", one(value)?)));
            told.take(MOST_ITEMS).collect::<Vec<_>>().join(", ")
        }
        value => one(value)?,
    };
    Some(text).filter(|text| !text.is_empty())
}
