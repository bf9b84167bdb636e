//! Which version of the format a document is written in, and what becomes of one from the future.
//!
//! There has been one format so far, so nothing is ever migrated: an older store is the store. A document of lokid's own
//! that names a higher main number was written by a newer program, in ways that are not known here. It is read as far as it
//! is understood, and nothing is written to the whole store, for a file that was changed half-knowingly would be lost.

use serde_json::Value;

use super::layout::Role;
use super::raw::RawObject;
use super::schema::Shape;

/// The main number of the format this program writes.
const KNOWN: u64 = 1;

/// Something in a store was written by a newer program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{file} was written by a newer lokid (format {version}, this one knows {KNOWN}): the memory is read and not written \
     until lokid is upgraded"
)]
pub struct NewerFormat {
    pub(super) file: String,
    pub(super) version: String,
}

/// What Loki Mode writes has numbers of its own.
pub(super) fn newer(role: Role, envelope: &RawObject) -> Option<String> {
    if matches!(role, Role::Memories(Shape::Patterns | Shape::AntiPatterns)) {
        return None;
    }
    let version = match serde_json::from_str(envelope.get("version")?).ok()? {
        Value::String(version) => version,
        Value::Number(version) => version.to_string(),
        _ => return None,
    };
    let main: u64 = version.split('.').next()?.parse().ok()?;
    (main > KNOWN).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_higher_main_number_in_a_document_of_ours_is_from_the_future() {
        let check = |role, text: &str, expected: Option<&str>| {
            assert_eq!(newer(role, &RawObject::parse(text).unwrap()).as_deref(), expected, "{text}");
        };
        let facts = Role::Memories(Shape::Facts);
        check(facts, r#"{"version": "1.0"}"#, None);
        check(facts, r#"{"version": "1.9.3"}"#, None);
        check(facts, r#"{"facts": []}"#, None);
        check(facts, r#"{"version": "later"}"#, None);
        check(facts, r#"{"version": "2.0"}"#, Some("2.0"));
        check(Role::Links, r#"{"version": 3}"#, Some("3"));
        check(Role::Memories(Shape::Patterns), r#"{"version": "9.22"}"#, None);
    }
}
