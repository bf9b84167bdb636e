//! Which of a memory's shorter lengths were made from its text rather than written by somebody, and whether the text is
//! still the one they were made from. The note stands beside the record's own fields; it never holds words of the memory.

use serde_json::{Map, Value};

use super::{Body, Level, Memory};

/// Where the note stands among the other fields of a record.
pub const FIELD: &str = "shortened";
/// What the lengths were made from.
const OF: &str = "of";

/// Does the record hold this length, is it made, and is it of a text that is no longer the text?
pub fn is_outdated(memory: &Memory, level: Level) -> bool {
    is_made(memory, level) && note(memory).and_then(|note| note.get(OF)?.as_str()) != Some(&words(memory))
}

/// Was this length made here? What somebody wrote over it since is theirs.
pub fn is_made(memory: &Memory, level: Level) -> bool {
    let (Some(note), Some(text)) = (note(memory), stored(memory, level)) else { return false };
    note.get(level.as_str()).and_then(Value::as_str).is_some_and(|made| made == digest([text]))
}

/// Takes out what was made, and the note with it; what somebody wrote stays.
pub fn drop_made(memory: &mut Memory) {
    for level in [Level::Summary, Level::Compressed, Level::Index] {
        if is_made(memory, level) {
            *place(memory, level) = None;
        }
    }
    if let Some(extra) = &mut memory.extra {
        extra.shift_remove(FIELD);
        if extra.is_empty() {
            memory.extra = None;
        }
    }
}

/// Puts lengths that were made from the text as it is now. The full length is no such length.
pub fn put_made(memory: &mut Memory, made: Vec<(Level, String)>) {
    if made.is_empty() {
        return;
    }
    let mut note = note(memory).cloned().unwrap_or_default();
    note.insert(OF.to_owned(), words(memory).into());
    for (level, text) in made.into_iter().filter(|(level, _)| *level != Level::Full) {
        note.insert(level.as_str().to_owned(), digest([text.as_str()]).into());
        *place(memory, level) = Some(text);
    }
    memory.extra.get_or_insert_default().insert(FIELD.to_owned(), Value::Object(note));
}

/// Tells apart what a memory says: its title, its text and what of its body the lengths are made from.
pub fn words(memory: &Memory) -> String {
    let mut parts = vec![memory.title.as_str(), memory.text.as_str(), memory.outcome.map_or("", |end| end.as_str())];
    match &memory.body {
        Body::None => {}
        Body::Fact(fact) => parts.extend([&*fact.key, &*fact.value, &*fact.scope]),
        Body::Episode(episode) => {
            parts.extend([&*episode.goal, &*episode.conclusion]);
            parts.extend(episode.changes.iter().map(String::as_str));
            for error in &episode.errors {
                parts.extend([&*error.kind, &*error.message, &*error.resolution]);
            }
        }
        Body::Pattern(pattern) => {
            parts.extend([&*pattern.pattern, &*pattern.correct_approach, &*pattern.incorrect_approach]);
            parts.extend(pattern.conditions.iter().map(String::as_str));
        }
        Body::AntiPattern(anti) => parts.extend([&*anti.what_fails, &*anti.why, &*anti.prevention]),
        Body::Skill(skill) => {
            parts.extend([&*skill.name, &*skill.description]);
            parts.extend(skill.steps.iter().chain(&skill.exit_criteria).map(String::as_str));
        }
        Body::Learning(learning) => parts.extend([&*learning.error, &*learning.cause, &*learning.fix]),
    }
    digest(parts)
}

fn note(memory: &Memory) -> Option<&Map<String, Value>> {
    memory.extra.as_ref()?.get(FIELD)?.as_object()
}

fn stored(memory: &Memory, level: Level) -> Option<&str> {
    match level {
        Level::Full => None,
        Level::Summary => memory.shorter.summary.as_deref(),
        Level::Compressed => memory.shorter.compressed.as_deref(),
        Level::Index => memory.shorter.index.as_deref(),
    }
}

fn place(memory: &mut Memory, level: Level) -> &mut Option<String> {
    match level {
        Level::Full | Level::Summary => &mut memory.shorter.summary,
        Level::Compressed => &mut memory.shorter.compressed,
        Level::Index => &mut memory.shorter.index,
    }
}

fn digest<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..12].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, MemoryId, Timestamp};

    fn memory() -> Memory {
        Memory::new(MemoryId::new("n").unwrap(), Kind::Note, "a long text", Timestamp::default())
    }

    #[test]
    fn what_was_made_is_outdated_once_the_text_is_another() {
        let mut memory = memory();
        put_made(&mut memory, vec![(Level::Summary, "a text".into()), (Level::Index, "text".into())]);
        assert!(is_made(&memory, Level::Summary) && !is_outdated(&memory, Level::Summary));
        memory.text = "another text".into();
        assert!(is_outdated(&memory, Level::Summary) && is_outdated(&memory, Level::Index));
        assert!(!is_outdated(&memory, Level::Compressed), "there is none");
        drop_made(&mut memory);
        assert_eq!((&memory.shorter, &memory.extra), (&Default::default(), &None));
    }

    #[test]
    fn what_somebody_wrote_over_it_is_theirs() {
        let mut memory = memory();
        put_made(&mut memory, vec![(Level::Summary, "a text".into())]);
        memory.shorter.summary = Some("by hand".into());
        memory.text = "another text".into();
        assert!(!is_made(&memory, Level::Summary) && !is_outdated(&memory, Level::Summary));
        drop_made(&mut memory);
        assert_eq!(memory.shorter.summary.as_deref(), Some("by hand"));
    }
}
