//! Fields of a memory to be changed. What is left out stays; `null` clears what can be without a value.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::bodies::{self, Given, Object, Wrong, hand_over, told};
use super::values::{NamespaceName, Share, Time, Word};
use lokid_model::{Memory, Outcome, Patch, Scope, Status, Tier};
use lokid_store::schema::{Detail, record};

told! {
    #[derive(Clone)]
    Changes(deserialize_with = "given") {
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
        valid_at: Time,
        invalid_at: Option<Time>,
        stale_after: Option<Time>,
        status: Word<Status>,
        restricted: bool,
        scope: Word<Scope>,
        outcome: Option<Word<Outcome>>,
    }
}

/// Tells `null` from nothing at all: an outer option is there as soon as the field is.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl Changes {
    /// Fields of a body are laid over those it has, so that one of them can be changed alone.
    pub(in crate::serve) fn into_patch(mut self, memory: &Memory) -> Result<Patch, Wrong> {
        if self.text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return Err(Wrong::new("text", "may not be empty"));
        }
        let body = match self.body()? {
            None => None,
            Some(Given { field, object }) => {
                let object = overlay(memory, field, object);
                let (body, _) = Given { field, object }.read()?;
                bodies::kind_of(Some(memory.kind), &body).map_err(|wrong| Wrong::new(field, wrong.reason))?;
                Some(body)
            }
        };
        let mut patch = Patch { body, ..Patch::default() };
        hand_over!(self => patch; title text summary tags files symbols commits restricted);
        hand_over!(inner self => patch; tier importance confidence valid_at status scope);
        patch.invalid_at = self.invalid_at.map(|time| time.map(|time| time.0));
        patch.stale_after = self.stale_after.map(|time| time.map(|time| time.0));
        patch.outcome = self.outcome.map(|outcome| outcome.map(|outcome| outcome.0));
        Ok(patch)
    }
}

fn overlay(memory: &Memory, field: &str, changes: Object) -> Object {
    let mut whole = match record::write(memory, Detail::Whole).shift_remove(field) {
        Some(Value::Object(known)) => known,
        _ => Object::new(),
    };
    lay_over(&mut whole, changes);
    whole
}

fn lay_over(whole: &mut Object, changes: Object) {
    for (name, value) in changes {
        match (whole.get_mut(&name), value) {
            (Some(Value::Object(known)), Value::Object(inner)) => lay_over(known, inner),
            (_, value) => {
                whole.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Body, Fact, Kind, MemoryId, Timestamp};
    use serde_json::json;

    fn fact() -> Memory {
        let id = MemoryId::new("fact-1").unwrap();
        let mut memory = Memory::new(id, Kind::Fact, "", Timestamp::from_micros(1));
        memory.body = Body::Fact(Fact { key: "port".into(), value: "80".into(), scope: "prod".into() }.into());
        memory
    }

    fn patch(value: Value) -> Result<Patch, String> {
        let changes: Changes = super::super::decode(value.to_string().as_bytes()).map_err(|p| p.detail().to_owned())?;
        changes.into_patch(&fact()).map_err(|wrong| format!("{}: {}", wrong.field, wrong.reason))
    }

    #[test]
    fn null_clears_what_can_be_cleared_and_is_refused_elsewhere() {
        let cleared = patch(json!({"invalid_at": null, "outcome": null})).unwrap();
        assert_eq!((cleared.invalid_at, cleared.outcome, cleared.stale_after), (Some(None), Some(None), None));
        assert_eq!(patch(json!({"title": null})).unwrap_err(), "title: invalid type: null, expected a string");
    }

    #[test]
    fn one_field_of_a_body_can_be_changed_alone() {
        let body = patch(json!({"fact": {"value": 81}})).unwrap().body;
        let expect = Fact { key: "port".into(), value: "81".into(), scope: "prod".into() };
        assert_eq!(body, Some(Body::Fact(Box::new(expect))));
    }

    #[test]
    fn a_body_of_another_kind_is_refused() {
        let refused = patch(json!({"skill": {"name": "x"}})).unwrap_err();
        assert_eq!(refused, "skill: \"fact\" does not go with a body of kind skill");
        assert_eq!(patch(json!({"text": ""})).unwrap_err(), "text: may not be empty");
    }
}
