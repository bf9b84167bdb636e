//! The progressive layers: what a namespace's index and timeline documents are made of.

use serde_json::{Map, Value};

/// What Loki Mode itself wrote into the layers of a namespace: kept, shown, never interpreted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Neighbour {
    pub topics: Vec<Value>,
    pub actions: Vec<Value>,
    pub decisions: Vec<Value>,
    pub active_context: Option<Value>,
}

/// The documents as they should stand, with the neighbour's part in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerDocuments {
    pub index: Map<String, Value>,
    pub timeline: Map<String, Value>,
    /// Episodes by day; absent when no episode changed.
    pub days: Option<Map<String, Value>>,
}

/// How our topics are told from Loki Mode's.
pub const TOPIC_PREFIX: &str = "lokid-";
/// The field that marks an action or a decision of the timeline as ours, and names its memory.
pub const MEMORY_FIELD: &str = "memory";

impl Neighbour {
    /// Keeps what is not ours of an index and a timeline.
    pub fn of(index: &Map<String, Value>, timeline: &Map<String, Value>) -> Neighbour {
        let list = |document: &Map<String, Value>, name: &str| -> Vec<Value> {
            document.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
        };
        let foreign_topic =
            |topic: &Value| !topic.get("id").and_then(Value::as_str).is_some_and(|id| id.starts_with(TOPIC_PREFIX));
        let foreign_entry = |entry: &Value| entry.get(MEMORY_FIELD).is_none();
        Neighbour {
            topics: list(index, "topics").into_iter().filter(foreign_topic).collect(),
            actions: list(timeline, "recent_actions").into_iter().filter(foreign_entry).collect(),
            decisions: list(timeline, "key_decisions").into_iter().filter(foreign_entry).collect(),
            active_context: timeline.get("active_context").cloned(),
        }
    }
}
