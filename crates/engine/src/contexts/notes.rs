//! What the working notes of the project say: what is in work, what blocks it, what comes next, and the memories they
//! name. The notes themselves are read elsewhere; here stands what became of them.

use std::sync::Arc;

use serde_json::Value;

use crate::contexts::Contexts;
use lokid_model::{Key, Memory, MemoryId, Namespace};

/// Blockers, and what comes next.
const MOST_OF_THE_WORK: usize = 3;
const MOST_CITED: usize = 6;
/// Where the names of memories stand among what Loki Mode keeps of the notes.
pub(crate) const REFERENCES: &str = "references";

#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) focus: Option<String>,
    blocked_by: Vec<String>,
    next_up: Vec<String>,
    /// The memories they name, in their order.
    pub(crate) cited: Vec<Arc<Memory>>,
}

impl Notes {
    /// A line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let told = [
            ("in work", self.focus.clone().unwrap_or_default()),
            ("blocked by", self.blocked_by.join("; ")),
            ("next", self.next_up.join("; ")),
        ];
        told.into_iter().filter(|(_, text)| !text.is_empty()).map(|(name, text)| format!("{name}: {text}")).collect()
    }
}

impl Contexts {
    pub(crate) fn notes(&self, namespace: &Namespace) -> Notes {
        let snapshot = self.writer.snapshot();
        let active = snapshot.neighbour(namespace).and_then(|neighbour| neighbour.active_context.as_ref());
        let Some(active) = active else { return Notes::default() };
        let list = |name: &str| {
            let items = active.get(name).and_then(Value::as_array).into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned)
        };
        let memory = |name: String| snapshot.get(&Key::new(namespace, &MemoryId::foreign(&name)?)).cloned();
        let focus = active.get("current_focus").and_then(Value::as_str).filter(|focus| !focus.is_empty());
        Notes {
            focus: focus.map(str::to_owned),
            blocked_by: list("blocked_by").take(MOST_OF_THE_WORK).collect(),
            next_up: list("next_up").take(MOST_OF_THE_WORK).collect(),
            cited: list(REFERENCES).filter_map(memory).take(MOST_CITED).collect(),
        }
    }
}
