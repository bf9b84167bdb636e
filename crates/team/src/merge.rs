//! What becomes of an item here when another version of it stands in the database. Pure: it knows records, and neither
//! files nor connections.

use lokid_model::memory::AUTHOR;
use lokid_store::three_way;
use serde_json::Value;

use super::item::HeadState;

/// An item as it stands on this machine.
#[derive(Clone, Debug, PartialEq)]
pub enum LocalItem {
    /// Not there, and nobody said that it should go: a wiped folder looks like this, and so does another branch.
    Absent,
    Live(Value),
    /// Taken away by somebody here, with what it said.
    Forgotten(Value),
    /// Gone for good. The fingerprint is the hash by which what it said would be known again, in hex.
    Purged {
        fingerprint: String,
    },
    /// It is here and stays here: it was made private or restricted.
    Kept,
    /// It is none of the team's business, whatever happens to it here: it cannot be sent, it speaks of what does not
    /// leave, or the night put it aside.
    Aside,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    Nothing,
    Put(Value),
    Archive,
    /// What was forgotten here was changed elsewhere since, and is wanted.
    Restore(Value),
    Purge,
}

/// `base` is what both once had in common. What one side takes away and the other changes is kept.
pub fn decide(local: &LocalItem, base: Option<&Value>, theirs: &HeadState, me: &str) -> Decision {
    let is_base = |record: &Value| base.is_some_and(|base| same(base, record));
    match (local, theirs) {
        (LocalItem::Aside, HeadState::Purged { .. }) => Decision::Purge,
        (LocalItem::Purged { .. } | LocalItem::Kept | LocalItem::Aside, _) => Decision::Nothing,
        (_, HeadState::Purged { .. }) => Decision::Purge,
        (LocalItem::Live(ours), HeadState::Forgotten) if is_base(ours) => Decision::Archive,
        (_, HeadState::Forgotten) => Decision::Nothing,
        (LocalItem::Absent, HeadState::Live(theirs)) => Decision::Put(theirs.clone()),
        (LocalItem::Forgotten(ours), HeadState::Live(theirs)) => {
            if is_base(theirs) || same(ours, theirs) {
                return Decision::Nothing;
            }
            Decision::Restore(together(base, ours, theirs, me))
        }
        (LocalItem::Live(ours), HeadState::Live(theirs)) => {
            let merged = together(base, ours, theirs, me);
            if same(&merged, ours) { Decision::Nothing } else { Decision::Put(merged) }
        }
    }
}

/// Whoever puts two together says what comes of it, unless one of them said that already. What was here before anybody
/// brought it to the team stays the word of who has it here.
fn together(base: Option<&Value>, ours: &Value, theirs: &Value, me: &str) -> Value {
    let mut merged = three_way::merge_records(base, ours, theirs).value;
    let author = match base {
        _ if merged.get(AUTHOR).is_none() => None,
        Some(_) if words(&merged) == words(theirs) => theirs.get(AUTHOR).cloned(),
        Some(_) if words(&merged) != words(ours) => Some(me.into()),
        _ => ours.get(AUTHOR).cloned(),
    };
    if let (Some(author), Some(fields)) = (author, merged.as_object_mut()) {
        fields.insert(AUTHOR.to_owned(), author);
    }
    merged
}

/// Fields that surround what a memory says.
const AROUND: [&str; 26] = [
    "author",
    "updated_at",
    "created_at",
    "valid_at",
    "invalid_at",
    "expired_at",
    "stale_after",
    "tags",
    "files",
    "symbols",
    "commits",
    "importance",
    "confidence",
    "tier",
    "source",
    "actor",
    "sources",
    "status",
    "restricted",
    "scope",
    "outcome",
    "conflicts",
    "also",
    "merged_into",
    "shortened",
    "staged",
];

/// What a record says, and nothing of what surrounds it.
fn words(record: &Value) -> Value {
    let mut words = record.clone();
    if let Some(fields) = words.as_object_mut() {
        fields.retain(|name, _| !AROUND.contains(&name.as_str()));
    }
    words
}

/// The same as a hash.
pub fn words_print(record: &Value) -> [u8; 16] {
    print(&words(record))
}

/// Do two records say the same, whatever the order of their fields?
pub fn same(one: &Value, other: &Value) -> bool {
    one == other
}

/// Tells one record from another, whatever the order of its fields.
pub fn print(record: &Value) -> [u8; 16] {
    let mut sorted = record.clone();
    sorted.sort_all_objects();
    let hash = blake3::hash(sorted.to_string().as_bytes());
    std::array::from_fn(|at| hash.as_bytes()[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn live(text: &str) -> LocalItem {
        LocalItem::Live(json!({"id": "a", "text": text}))
    }

    fn head(text: &str) -> HeadState {
        HeadState::Live(json!({"text": text, "id": "a"}))
    }

    #[test]
    fn what_one_side_took_away_and_the_other_changed_is_kept() {
        let base = json!({"id": "a", "text": "one"});
        assert_eq!(decide(&live("one"), Some(&base), &HeadState::Forgotten, "ana"), Decision::Archive);
        assert_eq!(decide(&live("two"), Some(&base), &HeadState::Forgotten, "ana"), Decision::Nothing);
        let gone = LocalItem::Forgotten(base.clone());
        assert_eq!(decide(&gone, Some(&base), &head("one"), "ana"), Decision::Nothing);
        assert!(matches!(decide(&gone, Some(&base), &head("two"), "ana"), Decision::Restore(_)));
    }

    #[test]
    fn what_was_purged_stays_so_and_what_is_private_is_nobodys_business() {
        let purged = HeadState::Purged { fingerprint: String::new() };
        assert_eq!(decide(&live("two"), None, &purged, "ana"), Decision::Purge);
        assert_eq!(decide(&LocalItem::Absent, None, &purged, "ana"), Decision::Purge);
        assert_eq!(decide(&LocalItem::Kept, None, &purged, "ana"), Decision::Nothing);
        let ours = LocalItem::Purged { fingerprint: String::new() };
        assert_eq!(decide(&ours, None, &head("two"), "ana"), Decision::Nothing);
    }

    #[test]
    fn only_what_differs_is_written() {
        let base = json!({"id": "a", "text": "one"});
        assert_eq!(decide(&live("two"), Some(&base), &head("two"), "ana"), Decision::Nothing);
        assert_eq!(decide(&live("two"), Some(&base), &head("one"), "ana"), Decision::Nothing);
        let Decision::Put(record) = decide(&live("one"), Some(&base), &head("two"), "ana") else {
            panic!("theirs is newer")
        };
        assert_eq!(record["text"], "two");
        assert_eq!(print(&json!({"a": 1, "b": {"c": 2, "d": 3}})), print(&json!({"b": {"d": 3, "c": 2}, "a": 1})));
    }
}
