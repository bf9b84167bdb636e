//! A record as a client gives it, and the draft it becomes.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::bodies::{self, Given, Object, Wrong, hand_over, told};
use super::values::{Id, KnownId, NamespaceName, Share, Time, Word};
use lokid_model::{Draft, Kind, MemoryId, Outcome, Relation, Scope, Source, Status, Tier, Timestamp, Usage, render};

told! {
    /// What is to be remembered. `text` is required unless a structured body is given; `kind` may be left to the body.
    Record(default) {
        /// Kept if it is unused, else another one is minted.
        id: Id,
        kind: Word<Kind>,
        title: String,
        text: String,
        summary: String,
        tier: Word<Tier>,
        tags: Vec<String>,
        files: Vec<String>,
        symbols: Vec<String>,
        commits: Vec<String>,
        importance: Share,
        confidence: Share,
        /// When it happened or was said.
        timestamp: Time,
        created_at: Time,
        updated_at: Time,
        valid_at: Time,
        /// In the future it is an expiry.
        invalid_at: Time,
        expired_at: Time,
        /// From then on a tool's result may be out of date.
        stale_after: Time,
        source: Word<Source>,
        actor: String,
        sources: Vec<String>,
        status: Word<Status>,
        restricted: bool,
        scope: Word<Scope>,
        outcome: Word<Outcome>,
        usage: UsageFields,
        supersedes: Vec<KnownId>,
        links: Vec<LinkFields>,
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct LinkFields {
    to: KnownId,
    relation: Word<Relation>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct UsageFields {
    loaded: u64,
    referenced: u64,
    success: u64,
    ignored: u64,
    last_used: Option<Time>,
    last_accessed: Option<Time>,
}

impl Record {
    /// `source` is who said it when the record does not tell.
    pub(in crate::serve) fn into_draft(mut self, source: Source) -> Result<Draft, Wrong> {
        let given = self.body()?;
        let field = given.as_ref().map(|given| given.field);
        let (brought, body, rest) = match given {
            None => (Brought::default(), lokid_model::Body::None, Object::new()),
            Some(mut given) => {
                let brought = Brought::take(&mut given)?;
                let (body, rest) = given.read()?;
                (brought, body, rest)
            }
        };
        let text = self.text.unwrap_or_default();
        let kind = bodies::kind_of(self.kind.map(|kind| kind.0), &body)?;
        bodies::says_something(&text, field, &body)?;

        let mut draft = Draft::new(kind, text);
        draft.id = self.id.map(|id| id.0).or(brought.id);
        draft.namespace = self.namespace.map(|name| name.0).unwrap_or_default();
        // An export spells the title out even where it is only the beginning of the text.
        let said = self.title.filter(|title| title != render::first_line(&draft.text));
        draft.title = said.unwrap_or_default();
        hand_over!(self => draft; summary actor);
        hand_over!(inner self => draft; tier updated_at valid_at invalid_at expired_at stale_after);
        draft.tags = self.tags.unwrap_or_default();
        draft.files = self.files.or(brought.files).unwrap_or_default();
        draft.symbols = self.symbols.unwrap_or_default();
        draft.commits = self.commits.unwrap_or_default();
        draft.importance = self.importance.map(|share| share.0).or(brought.importance);
        draft.confidence = self.confidence.map(|share| share.0).or(brought.confidence);
        draft.timestamp = self.timestamp.or(self.created_at).map(|time| time.0).or(brought.timestamp);
        draft.source = Some(self.source.map_or(source, |source| source.0));
        draft.sources = self.sources.unwrap_or_default();
        draft.status = self.status.map(|status| status.0).unwrap_or_default();
        draft.restricted = self.restricted.unwrap_or_default();
        draft.scope = self.scope.map(|scope| scope.0).unwrap_or_default();
        draft.outcome = self.outcome.map(|outcome| outcome.0).or(brought.outcome);
        draft.usage = self.usage.map(UsageFields::into_usage).unwrap_or_default().into();
        draft.supersedes = self.supersedes.unwrap_or_default().into_iter().map(|id| id.0).collect();
        draft.links = self.links.unwrap_or_default().into_iter().map(|link| (link.to.0, link.relation.0)).collect();
        draft.extra = field
            .filter(|_| !rest.is_empty())
            .map(|field| Box::new(Object::from_iter([(field.to_owned(), Value::Object(rest))])));
        draft.body = body;
        Ok(draft)
    }
}

impl UsageFields {
    fn into_usage(self) -> Usage {
        Usage {
            loaded: self.loaded,
            referenced: self.referenced,
            success: self.success,
            ignored: self.ignored,
            last_used: self.last_used.map(|time| time.0),
            last_accessed: self.last_accessed.map(|time| time.0),
            ..Usage::default()
        }
    }
}

/// What a body says that belongs to the record: Loki Mode's own documents hold everything in one object.
#[derive(Default)]
struct Brought {
    id: Option<MemoryId>,
    timestamp: Option<Timestamp>,
    outcome: Option<Outcome>,
    importance: Option<f64>,
    confidence: Option<f64>,
    files: Option<Vec<String>>,
}

impl Brought {
    fn take(given: &mut Given) -> Result<Brought, Wrong> {
        let field = given.field;
        let mut typed = |name: &str| given.object.shift_remove(name).filter(|value| !value.is_null());
        let mut brought = Brought {
            id: read::<Id>(field, "id", typed("id"))?.map(|id| id.0),
            timestamp: read::<Time>(field, "timestamp", typed("timestamp"))?.map(|time| time.0),
            outcome: read::<Word<Outcome>>(field, "outcome", typed("outcome"))?.map(|outcome| outcome.0),
            importance: read::<Share>(field, "importance", typed("importance"))?.map(|share| share.0),
            confidence: read::<Share>(field, "confidence", typed("confidence"))?.map(|share| share.0),
            files: None,
        };
        if let Some(Value::Object(context)) = given.object.get_mut("context") {
            let files = context.shift_remove("files_involved").filter(|value| !value.is_null());
            brought.files = read(field, "context.files_involved", files)?;
        }
        Ok(brought)
    }
}

fn read<T: serde::de::DeserializeOwned>(field: &str, name: &str, value: Option<Value>) -> Result<Option<T>, Wrong> {
    let read = value.map(T::deserialize).transpose();
    read.map_err(|error| Wrong::new(format!("{field}.{name}"), error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::Body;
    use serde_json::json;

    fn draft(value: Value) -> Result<Draft, String> {
        let record: Record = super::super::decode(value.to_string().as_bytes()).map_err(|p| p.detail().to_owned())?;
        record.into_draft(Source::Agent).map_err(|wrong| format!("{}: {}", wrong.field, wrong.reason))
    }

    fn refused(value: Value, reason: &str) {
        assert_eq!(draft(value.clone()).err().as_deref(), Some(reason), "{value}");
    }

    #[test]
    fn a_body_tells_the_kind_and_the_words() {
        let fact = draft(json!({"fact": {"key": "port", "value": 8080}})).unwrap();
        assert_eq!(fact.kind, Kind::Fact);
        assert!(matches!(fact.body, Body::Fact(fact) if fact.value == "8080"));
        refused(
            json!({"kind": "note", "fact": {"key": "a", "value": "b"}}),
            "kind: \"note\" does not go with a body of kind fact",
        );
        refused(
            json!({"fact": {"key": "a", "value": "b"}, "skill": {"name": "x"}}),
            "skill: a record has one body, and `fact` is given as well",
        );
    }

    #[test]
    fn a_record_has_to_say_something() {
        refused(json!({"kind": "note"}), "text: is required unless a structured body is given");
        refused(json!({"kind": "note", "text": "  "}), "text: is required unless a structured body is given");
        refused(json!({"fact": {"key": "a"}}), "fact.value: is required");
        refused(json!({"pattern": {}}), "pattern: says nothing");
        assert!(draft(json!({"text": "x"})).unwrap_err().starts_with("kind: is required: one of episode, "));
    }

    #[test]
    fn an_episode_of_loki_mode_brings_its_own_id_time_outcome_and_files() {
        let draft = draft(json!({"episode": {
            "id": "ep-1", "timestamp": "2026-01-06T10:00:00Z", "outcome": "failure", "importance": 0.9,
            "context": {"goal": "ship", "files_involved": ["a.rs"]}, "custom": 7,
        }}))
        .unwrap();
        assert_eq!(draft.id.unwrap().as_str(), "ep-1");
        assert_eq!(draft.timestamp.unwrap().to_string(), "2026-01-06T10:00:00Z");
        assert_eq!((draft.outcome, draft.importance), (Some(Outcome::Failure), Some(0.9)));
        assert_eq!(draft.files, ["a.rs"]);
        assert_eq!(Value::Object(*draft.extra.unwrap()), json!({"episode": {"custom": 7}}));
    }

    #[test]
    fn what_the_record_says_goes_before_what_its_body_says() {
        let draft = draft(
            json!({"id": "mine", "outcome": "partial", "episode": {"id": "its", "outcome": "failure", "goal": "g"}}),
        )
        .unwrap();
        assert_eq!((draft.id.unwrap().as_str(), draft.outcome), ("mine", Some(Outcome::Partial)));
        refused(json!({"episode": {"id": "../x", "goal": "g"}}), &format!("episode.id: an id is {}", MemoryId::RULE));
        refused(json!({"id": "../x", "kind": "note", "text": "t"}), &format!("id: an id is {}", MemoryId::RULE));
    }
}
