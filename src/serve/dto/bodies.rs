//! The structured bodies of records: which field holds which, what they may bring along, and how they look in the
//! OpenAPI document. Reading them is the store's business, since it is the shape they have in files.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use lokid_model::{Body, Kind, render};
use lokid_store::schema::{record, take_body};

pub(in crate::serve) type Object = Map<String, Value>;

/// What is wrong with a field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::serve) struct Wrong {
    pub(in crate::serve) field: String,
    pub(in crate::serve) reason: String,
}

impl Wrong {
    pub(in crate::serve) fn new(field: impl Into<String>, reason: impl Into<String>) -> Wrong {
        Wrong { field: field.into(), reason: reason.into() }
    }
}

impl From<Wrong> for crate::serve::problem::Problem {
    fn from(wrong: Wrong) -> Self {
        crate::serve::problem::Problem::field(&wrong.field, wrong.reason)
    }
}

/// Declares a record as it is told: fields that may be left out, each read in the one way named, and the structured
/// bodies, of which at most one may be there.
macro_rules! told {
    ($(#[$about:meta])* $name:ident $read:tt { $($(#[$doc:meta])* $field:ident: $type:ty,)* }) => {
        told!(@ $(#[$about])* $name { $($(#[$doc])* #[serde $read] $field: Option<$type>,)* }
            fact "bodies::fact", episode "bodies::episode", pattern "bodies::pattern",
            anti_pattern "bodies::anti_pattern", skill "bodies::skill", learning "bodies::learning");
    };
    (@ $(#[$about:meta])* $name:ident { $($fields:tt)* } $($body:ident $schema:literal),*) => {
        $(#[$about])*
        #[derive(Debug, Default, serde::Deserialize, schemars::JsonSchema)]
        #[serde(default)]
        pub(in crate::serve) struct $name {
            pub(in crate::serve) project: Option<std::path::PathBuf>,
            pub(in crate::serve) namespace: Option<NamespaceName>,
            $($fields)*
            $(#[schemars(schema_with = $schema)] $body: Option<Object>,)*
        }

        impl $name {
            fn body(&mut self) -> Result<Option<Given>, Wrong> {
                let given = [$((stringify!($body), self.$body.take())),*];
                let mut given = given.into_iter().filter_map(|(field, object)| Some(Given { field, object: object? }));
                match (given.next(), given.next()) {
                    (Some(Given { field, .. }), Some(second)) => {
                        Err(Wrong::new(second.field, format!("a record has one body, and `{field}` is given as well")))
                    }
                    (first, _) => Ok(first),
                }
            }
        }
    };
}
pub(super) use told;

/// Gives fields to those of the same name, without the wire's wrapping of their values where they have any.
macro_rules! hand_over {
    ($from:ident => $to:ident; $($field:ident)+) => { $($to.$field = $from.$field;)+ };
    (inner $from:ident => $to:ident; $($field:ident)+) => { $($to.$field = $from.$field.map(|value| value.0);)+ };
}
pub(super) use hand_over;

pub(in crate::serve) struct Given {
    pub(in crate::serve) field: &'static str,
    pub(in crate::serve) object: Object,
}

impl Given {
    /// The body, and what of it nobody understood.
    pub(in crate::serve) fn read(mut self) -> Result<(Body, Object), Wrong> {
        let body = take_body(self.field, &mut self.object);
        let missing = |name: &str| Err(Wrong::new(format!("{}.{name}", self.field), "is required"));
        match &body {
            Body::Fact(fact) if fact.key.trim().is_empty() => return missing("key"),
            Body::Fact(fact) if fact.value.trim().is_empty() => return missing("value"),
            Body::Skill(skill) if skill.name.trim().is_empty() => return missing("name"),
            _ => {}
        }
        Ok((body, self.object))
    }
}

/// The kind of a record by its word, its body, or both when they agree.
pub(in crate::serve) fn kind_of(said: Option<Kind>, body: &Body) -> Result<Kind, Wrong> {
    match (said, record::kind_of_body(body)) {
        (Some(said), Some(implied)) if said != implied => {
            Err(Wrong::new("kind", format!("{said:?} does not go with a body of kind {implied}", said = said.as_str())))
        }
        (Some(kind), _) | (None, Some(kind)) => Ok(kind),
        (None, None) => Err(Wrong::new("kind", format!("is required: one of {}", Kind::WORDS.join(", ")))),
    }
}

/// A record has to say something.
pub(in crate::serve) fn says_something(text: &str, field: Option<&str>, body: &Body) -> Result<(), Wrong> {
    match field {
        _ if !text.trim().is_empty() => Ok(()),
        None => Err(Wrong::new("text", "is required unless a structured body is given")),
        Some(field) if render::text_of(body).trim().is_empty() => Err(Wrong::new(field, "says nothing")),
        Some(_) => Ok(()),
    }
}

fn texts() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

pub(in crate::serve) fn fact(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "required": ["key", "value"], "properties": {
        "key": {"type": "string"},
        "value": {"type": ["string", "number", "boolean"]},
        "scope": {"type": "string", "description": "what the value is about; another scope is another fact"},
    }})
}

pub(in crate::serve) fn episode(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "properties": {
        "id": {"type": "string"},
        "task_id": {"type": "string"},
        "timestamp": {"type": "string", "format": "date-time"},
        "duration_seconds": {"type": "number"},
        "agent": {"type": "string"},
        "context": {"type": "object", "properties": {
            "phase": {"type": "string"}, "goal": {"type": "string"},
            "constraints": texts(), "files_involved": texts(),
        }},
        "action_log": {"type": "array", "items": {"type": "object", "properties": {
            "t": {"type": "number"}, "action": {"type": "string"}, "target": {"type": "string"},
            "result": {"type": "string"}, "error": {"type": "string"},
        }}},
        "outcome": {"type": "string", "enum": lokid_model::Outcome::WORDS},
        "errors_encountered": {"type": "array", "items": {"type": "object", "properties": {
            "type": {"type": "string"}, "message": {"type": "string"}, "resolution": {"type": "string"},
        }}},
        "artifacts_produced": texts(),
        "git_commit": {"type": ["string", "null"]},
        "tokens_used": {"type": "integer"},
        "files_read": texts(),
        "files_modified": texts(),
        "importance": {"type": "number", "minimum": 0, "maximum": 1},
    }})
}

pub(in crate::serve) fn pattern(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "properties": {
        "pattern": {"type": "string"}, "category": {"type": "string"}, "conditions": texts(),
        "correct_approach": {"type": "string"}, "incorrect_approach": {"type": "string"}, "source_episodes": texts(),
    }})
}

pub(in crate::serve) fn anti_pattern(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "properties": {
        "what_fails": {"type": "string"}, "why": {"type": "string"},
        "prevention": {"type": "string"}, "source": {"type": "string"},
    }})
}

pub(in crate::serve) fn skill(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "description": {"type": "string"}, "prerequisites": texts(), "steps": texts(),
        "common_errors": {"type": "array", "items": {"type": "object", "properties": {
            "error": {"type": "string"}, "fix": {"type": "string"},
        }}},
        "exit_criteria": texts(),
    }})
}

pub(in crate::serve) fn learning(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "properties": {
        "error": {"type": "string"}, "cause": {"type": "string"},
        "fix": {"type": "string"}, "fingerprint": {"type": "string"},
    }})
}
