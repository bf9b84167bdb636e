//! Which memory may leave this machine, under which path it stands on the other side, and with which bytes.
//!
//! Pure. Private and restricted memories never leave, and what leaves has passed the redactor once more. What this machine
//! counts about its own reading stays here: otherwise every recall would be a write over there.

use lokid_model::{Body, Cleaner, Kind, Memory, Namespace, Scope, clean};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::limits;

/// A memory as it stands on the other side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projected {
    /// The first, and the one beside it for when that is somebody else's.
    pub paths: [String; 2],
    pub content: String,
    pub sha256: String,
}

/// Why a memory stays here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stays {
    /// Private or restricted: had it left before, it is taken back.
    Private,
    /// It is of no kind, weight or place that is mirrored.
    Unmirrored,
    /// It is longer than the other side takes.
    TooLong,
    /// Its name would tell what may not be told.
    Unnamable,
}

/// May an episode leave? Cheap, so that it can be asked of every memory.
pub fn may_leave(memory: &Memory) -> Result<(), Stays> {
    if memory.restricted || memory.scope != Scope::ProjectShared {
        return Err(Stays::Private);
    }
    let counts = memory.kind == Kind::Episode
        && memory.importance >= limits::LEAST_IMPORTANCE
        && memory.namespace == Namespace::default()
        && !memory.is_borrowed()
        && memory.times.expired_at.is_none();
    if counts { Ok(()) } else { Err(Stays::Unmirrored) }
}

/// An episode for the user's store.
pub fn episode(memory: &Memory, cleaner: &dyn Cleaner) -> Result<Projected, Stays> {
    may_leave(memory)?;
    project(memory, cleaner)
}

/// A pattern, a skill or an anti-pattern for the organisation's store, which only a person ever writes.
pub fn shared(memory: &Memory, cleaner: &dyn Cleaner) -> Result<Projected, Stays> {
    if memory.restricted || matches!(memory.scope, Scope::UserPrivate) {
        return Err(Stays::Private);
    }
    match memory.kind {
        Kind::Pattern | Kind::Skill | Kind::AntiPattern => project(memory, cleaner),
        _ => Err(Stays::Unmirrored),
    }
}

fn project(memory: &Memory, cleaner: &dyn Cleaner) -> Result<Projected, Stays> {
    let paths = paths(memory).ok_or(Stays::Unmirrored)?;
    if paths.iter().any(|path| path.len() > limits::MOST_PATH || cleaner.clean(path).is_some()) {
        return Err(Stays::Unnamable);
    }
    let mut document = Value::Object(lokid_store::document_of(memory).ok_or(Stays::Unmirrored)?);
    leave_out_counts(&mut document);
    let text = written(&document);
    let content = clean::json(&text, cleaner).map_or(text, |cleaned| cleaned.text);
    if content.len() > limits::MOST_CONTENT {
        return Err(Stays::TooLong);
    }
    let sha256 = sha256(&content);
    Ok(Projected { paths, content, sha256 })
}

/// As every document of ours is written there: for people, too.
pub fn written(document: &Value) -> String {
    format!("{document:#}\n")
}

pub fn sha256(content: &str) -> String {
    Sha256::digest(content.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn leave_out_counts(document: &mut Value) {
    for name in ["access_count", "last_accessed", "usage_count", "last_used"] {
        document.as_object_mut().and_then(|fields| fields.shift_remove(name));
    }
    if let Some(own) = document.get_mut("lokid").and_then(Value::as_object_mut) {
        own.shift_remove("usage");
    }
}

/// Where a memory stands over there, or would.
pub fn paths(memory: &Memory) -> Option<[String; 2]> {
    let id = segment(memory.id.as_str());
    let (folder, name) = match memory.kind {
        Kind::Episode => {
            let task = match &memory.body {
                Body::Episode(episode) if !episode.task_id.is_empty() => segment(&episode.task_id),
                _ => id.clone(),
            };
            (format!("/episodic/{}", memory.times.created_at.day()), task)
        }
        Kind::Pattern => ("/patterns".to_owned(), id),
        Kind::Skill => ("/skills".to_owned(), id),
        Kind::AntiPattern => ("/anti_patterns".to_owned(), id),
        _ => return None,
    };
    // Tasks of the same name on the same day: of another session, or of another project that shares the store.
    let mark = sha256(&format!("{} {}", memory.id, memory.times.created_at.as_micros()));
    Some([format!("{folder}/{name}.json"), format!("{folder}/{name}-{}.json", &mark[..12])])
}

/// Letters, digits, `.`, `_` and `-`: nothing that a path over there may not hold.
fn segment(name: &str) -> String {
    let plain = |sign: char| if sign.is_ascii_alphanumeric() || "._-".contains(sign) { sign } else { '_' };
    name.chars().map(plain).take(200).collect()
}

/// Do two documents tell of the same event? Ids alone are not enough: projects that share a store count alike.
pub fn is_same_record(ours: &Value, theirs: &Value) -> bool {
    let born = |record: &Value| record.get("timestamp").or_else(|| record.get("created_at")).cloned();
    ours.get("id").is_some() && ours.get("id") == theirs.get("id") && born(ours) == born(theirs)
}

#[cfg(test)]
mod tests {
    use lokid_model::clean::AsItIs;
    use lokid_model::{Episode, MemoryId, Timestamp};

    use super::*;

    fn memory(kind: Kind) -> Memory {
        let at = Timestamp::parse("2026-11-17T06:51:14Z").unwrap();
        let id = MemoryId::new("ep-1").unwrap();
        Memory { importance: 0.6, ..Memory::new(id, kind, "what happened", at) }
    }

    fn of_task(task: &str) -> Memory {
        let body = Body::Episode(Box::new(Episode { task_id: task.to_owned(), ..Episode::default() }));
        Memory { body, ..memory(Kind::Episode) }
    }

    #[test]
    fn an_episode_stands_under_its_day_and_task() {
        let projected = episode(&of_task("T-7/a b"), &AsItIs).unwrap();
        assert_eq!(projected.paths[0], "/episodic/2026-11-17/T-7_a_b.json");
        assert!(projected.paths[1].starts_with("/episodic/2026-11-17/T-7_a_b-"), "{:?}", projected.paths);
        assert_eq!(projected.sha256, sha256(&projected.content));
        let document: Value = serde_json::from_str(&projected.content).unwrap();
        assert_eq!((document["id"].as_str(), document["task_id"].as_str()), (Some("ep-1"), Some("T-7/a b")));
        let without = episode(&memory(Kind::Episode), &AsItIs).unwrap();
        assert_eq!(without.paths[0], "/episodic/2026-11-17/ep-1.json");
    }

    #[test]
    fn what_is_shared_stands_under_its_kind() {
        for (kind, folder) in
            [(Kind::Pattern, "patterns"), (Kind::Skill, "skills"), (Kind::AntiPattern, "anti_patterns")]
        {
            assert_eq!(shared(&memory(kind), &AsItIs).unwrap().paths[0], format!("/{folder}/ep-1.json"));
            assert_eq!(episode(&memory(kind), &AsItIs), Err(Stays::Unmirrored), "only a person writes there");
        }
        assert_eq!(shared(&memory(Kind::Note), &AsItIs), Err(Stays::Unmirrored));
    }

    #[test]
    fn what_is_private_restricted_or_unimportant_stays_here() {
        let stays = |change: fn(&mut Memory)| {
            let mut memory = memory(Kind::Episode);
            change(&mut memory);
            episode(&memory, &AsItIs).unwrap_err()
        };
        assert_eq!(stays(|memory| memory.restricted = true), Stays::Private);
        assert_eq!(stays(|memory| memory.scope = Scope::UserPrivate), Stays::Private);
        assert_eq!(stays(|memory| memory.importance = 0.59), Stays::Unmirrored);
        assert_eq!(stays(|memory| memory.namespace = Namespace::new("other").unwrap()), Stays::Unmirrored);
        assert_eq!(stays(|memory| memory.text = "x".repeat(limits::MOST_CONTENT)), Stays::TooLong);
    }

    #[test]
    fn reading_here_changes_nothing_there_but_words_do() {
        let mut read = memory(Kind::Episode);
        read.usage.loaded = 7;
        read.usage.last_used = Some(read.times.created_at);
        let before = episode(&memory(Kind::Episode), &AsItIs).unwrap();
        assert_eq!(episode(&read, &AsItIs).unwrap(), before);
        read.text.push('!');
        assert_ne!(episode(&read, &AsItIs).unwrap().sha256, before.sha256);
    }

    #[test]
    fn a_secret_is_taken_out_on_the_way_and_a_secret_name_stays() {
        struct NoHappened;
        impl Cleaner for NoHappened {
            fn clean(&self, text: &str) -> Option<lokid_model::Cleaned> {
                let cleaned =
                    || lokid_model::Cleaned { text: text.replace("happened", "[gone]"), ..Default::default() };
                text.contains("happened").then(cleaned)
            }
        }
        let projected = episode(&memory(Kind::Episode), &NoHappened).unwrap();
        assert!(projected.content.contains("what [gone]") && !projected.content.contains("happened"));
        assert_eq!(episode(&of_task("it-happened"), &NoHappened), Err(Stays::Unnamable));
    }
}
