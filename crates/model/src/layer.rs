//! The progressive layers: what a namespace's index and timeline documents are made of.

use serde_json::{Map, Value};

use super::{Kind, MemoryId, Timestamp};

/// What Loki Mode itself wrote into the layers of a namespace: kept, shown, never interpreted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Neighbour {
    pub topics: Vec<Value>,
    pub actions: Vec<Value>,
    pub decisions: Vec<Value>,
    pub active_context: Option<Value>,
    /// The memories that entries of ours tell of.
    pub ours: Vec<String>,
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

/// What an entry of `key_decisions` says was decided: Loki Mode has two shapes of it.
pub fn decision_words(entry: &Value) -> Option<&str> {
    let word = |name: &str| entry.get(name).and_then(Value::as_str).map(str::trim).filter(|words| !words.is_empty());
    word("decision").or_else(|| word("action"))
}

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
            ours: ["recent_actions", "key_decisions"]
                .iter()
                .flat_map(|name| list(timeline, name))
                .filter_map(|entry| entry.get(MEMORY_FIELD).and_then(Value::as_str).map(str::to_owned))
                .collect(),
        }
    }

    /// What its topics say they hold.
    pub fn tokens(&self) -> u64 {
        self.topics.iter().filter_map(|topic| topic.get("token_count").and_then(Value::as_u64)).sum()
    }

    /// One of its topics by name.
    pub fn topic(&self, id: &str) -> Option<&Value> {
        let named =
            |topic: &&Value| topic.get("id").and_then(Value::as_str).is_some_and(|own| own.eq_ignore_ascii_case(id));
        self.topics.iter().find(named)
    }

    /// Drops what the neighbour tells of a purged episode or decision: its own line of the timeline, and an episode's
    /// goal and id in a topic. What merely reads alike stays.
    pub fn forget(&mut self, kind: Kind, id: &MemoryId, at: Timestamp, headline: &str) {
        // Loki Mode keeps the first hundred or two hundred characters of a goal.
        let cut = |most: usize| headline.chars().take(most).collect::<String>();
        let (short, long) = (cut(100), cut(200));
        let says = |text: Option<&Value>| {
            let text = text.and_then(Value::as_str).unwrap_or_default();
            !text.is_empty() && (text == headline || text == short || text == long)
        };
        let time = |entry: &Value| entry.get("timestamp").and_then(Value::as_str).and_then(Timestamp::parse);
        if kind == Kind::Decision {
            self.decisions.retain(|entry| !says(entry.get("decision")));
        }
        if kind != Kind::Episode {
            return;
        }
        self.actions.retain(|entry| !(time(entry) == Some(at) && says(entry.get("action"))));
        for topic in self.topics.iter_mut().filter_map(Value::as_object_mut) {
            let Some(ids) = topic.get_mut("episode_ids").and_then(Value::as_array_mut) else { continue };
            let before = ids.len();
            ids.retain(|known| known.as_str() != Some(id.as_str()));
            if ids.len() != before && says(topic.get("summary")) {
                topic.insert("summary".to_owned(), Value::String(String::new()));
            }
        }
    }
}
