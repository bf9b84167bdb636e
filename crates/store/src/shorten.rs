//! Lines of `notes/` that a later line of the same file has replaced, taken out again.
//!
//! A change is one line more, so that it costs the same however much there is; without this a file would grow by every
//! change for good. Only this machine's own files are written, only as they were last seen, and each as a whole: a
//! reader sees it long or short and finds the same memories in both.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use super::Store;
use super::door::CleanDisk;
use super::layout::{Area, FileId, Role};
use super::read::{self, Version};
use super::scan::{Catalog, Seen};
use super::schema::Shape;
use lokid_model::{MemoryId, Timestamp};

/// Fewer are not worth a file that git sees as changed.
const MANY: usize = 128;

impl Store {
    /// Writes every file of ours anew that holds more replaced lines than others. Answers how many lines went. What
    /// cannot be written now stays long, which harms nobody, and is tried another time.
    pub fn shorten(&mut self) -> io::Result<usize> {
        let closed = self.options.read_only || self.catalog.newer().is_some() || !self.waiting.is_empty();
        if closed || self.is_shut() {
            return Ok(0);
        }
        let own = format!(".{}.ndjson", self.writer);
        let is_ours =
            |file: &FileId| file.area != Area::System && file.path.to_str().is_some_and(|path| path.ends_with(&own));
        let notes = |file: &FileId| file.role == Role::Memories(Shape::Notes);
        let worth_it = |seen: &Seen| !seen.too_long && seen.replaced >= MANY && seen.replaced > seen.entries.len();
        let long = self.catalog.files.iter().filter(|(file, seen)| notes(file) && is_ours(file) && worth_it(seen));
        let long: Vec<Arc<FileId>> = long.map(|(file, _)| Arc::clone(file)).collect();
        let mut gone = 0;
        for file in long {
            let tree = self.tree(file.area);
            tree.refresh();
            if let Some(disk) = tree.look()?.cloned() {
                gone += shorten(&mut self.catalog, &disk, &file)?;
            }
        }
        Ok(gone)
    }
}

fn shorten(catalog: &mut Catalog, disk: &CleanDisk, file: &Arc<FileId>) -> io::Result<usize> {
    let Some(seen) = catalog.files.get_mut(file) else { return Ok(0) };
    let as_seen = || disk.stamp(&file.path).map(|stamp| stamp.is_some() && stamp == seen.stamp);
    if !as_seen()? {
        return Ok(0);
    }
    let bytes = disk.read(&file.path, u64::MAX)?;
    let Short { text, entries, gone } = short(&bytes);
    // Whoever changed it meanwhile goes first.
    if gone == 0 || !as_seen()? {
        return Ok(0);
    }
    disk.replace(&file.path, &text)?;
    seen.stamp = disk.stamp(&file.path)?;
    (seen.entries, seen.replaced) = (entries, 0);
    Ok(gone)
}

struct Short {
    text: Vec<u8>,
    /// What stands there now: each record and the hash of its line.
    entries: HashMap<MemoryId, u64>,
    gone: usize,
}

/// The newest record of each memory unless it was taken back since, and the last time it was taken back: another
/// machine's file may still hold it. What is not understood stays where it is.
fn short(bytes: &[u8]) -> Short {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let versions = read::versions(&lines);
    let mut records: HashMap<&MemoryId, (Timestamp, usize)> = HashMap::new();
    let mut ends: HashMap<&MemoryId, (Timestamp, usize)> = HashMap::new();
    for (at, version) in versions.iter().enumerate() {
        let Some(Version { id, updated_at, hash }) = version else { continue };
        let newest = if hash.is_some() { &mut records } else { &mut ends };
        let known = newest.entry(id).or_insert((*updated_at, at));
        // Of two of the same moment the later line counts, as it does for a reader.
        if known.0 <= *updated_at {
            *known = (*updated_at, at);
        }
    }
    let holds = |id: &MemoryId, at: usize| {
        let over = ends.get(id).is_some_and(|(end, _)| records.get(id).is_some_and(|(newest, _)| newest <= end));
        !over && records.get(id).is_some_and(|(_, newest)| *newest == at)
    };
    let mut short = Short { text: Vec::with_capacity(bytes.len() / 2), entries: HashMap::new(), gone: 0 };
    for (at, (line, version)) in lines.iter().zip(&versions).enumerate() {
        let stays = match version {
            None => true,
            Some(Version { id, hash: Some(_), .. }) => holds(id, at),
            Some(Version { id, hash: None, .. }) => ends.get(id).is_some_and(|(_, newest)| *newest == at),
        };
        if !stays {
            short.gone += 1;
            continue;
        }
        short.text.extend_from_slice(line);
        if let Some(Version { id, hash: Some(hash), .. }) = version {
            short.entries.insert(id.clone(), *hash);
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::schema::Object;
    use lokid_model::Namespace;

    fn record(id: &str, second: u32, text: &str) -> String {
        format!(
            r#"{{"id":"{id}","kind":"note","text":"{text}","created_at":"2026-11-01T00:00:00Z","updated_at":"2026-11-01T00:00:{second:02}Z"}}"#
        )
    }

    fn taken_back(id: &str, second: u32) -> String {
        format!(r#"{{"id":"{id}","kind":"note","updated_at":"2026-11-01T00:00:{second:02}Z","deleted":true}}"#)
    }

    fn shortened(lines: &[String]) -> Vec<String> {
        let text = short((lines.join("\n") + "\n").as_bytes()).text;
        String::from_utf8(text).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn only_the_newest_line_of_each_memory_stays() {
        let lines = [record("a", 1, "one"), record("b", 1, "other"), record("a", 3, "three"), record("a", 2, "two")];
        assert_eq!(shortened(&lines), [lines[1].clone(), lines[2].clone()]);
    }

    #[test]
    fn that_it_was_taken_back_stays_told_and_its_words_do_not() {
        let lines = [record("a", 1, "one"), taken_back("a", 2), taken_back("a", 3)];
        assert_eq!(shortened(&lines), [lines[2].clone()]);
        let again = [record("a", 1, "one"), taken_back("a", 2), record("a", 3, "again")];
        assert_eq!(shortened(&again), [again[1].clone(), again[2].clone()]);
    }

    #[test]
    fn what_is_not_understood_stays_and_replaces_nothing() {
        let odd = [
            r#"{"kind":"note","text":"nobody's","updated_at":"2026-11-01T00:00:09Z"}"#.to_owned(),
            r#"{"id":"a","kind":"note","updated_at":"2026-11-0"#.to_owned(),
            "=======".to_owned(),
            String::new(),
        ];
        let lines: Vec<String> =
            [record("a", 1, "one")].into_iter().chain(odd.clone()).chain([record("a", 2, "two")]).collect();
        assert_eq!(shortened(&lines), odd.into_iter().chain([record("a", 2, "two")]).collect::<Vec<_>>());
        let torn = b"{\"id\":\"a\"";
        assert_eq!(short(torn).text, torn, "not even its missing end is added");
    }

    /// What a reader knows of a file: who is there, in which words.
    fn known(bytes: &[u8]) -> BTreeMap<String, String> {
        let role = Role::Memories(Shape::Notes);
        let file = Arc::new(FileId::new(Area::Shared, &Namespace::default(), role, "notes/2026-11.0a1b2c3d.ndjson"));
        let contents = read::parse(&file, bytes, Timestamp::default(), &Object::new()).unwrap();
        let (mut catalog, mut found) = (Catalog::default(), super::super::scan::Difference::default());
        found.absorb(&mut catalog, &file, contents);
        let changes = found.into_changes(&mut catalog);
        let told = changes.into_iter().filter_map(|change| match change {
            lokid_model::Change::Put { after, .. } => Some((after.id.to_string(), after.text.clone())),
            _ => None,
        });
        told.chain(catalog.deletions.iter().map(|(key, at)| (format!("no {}", key.id), at.to_string()))).collect()
    }

    proptest! {
        #[test]
        fn a_reader_finds_the_same_in_the_short_file(
            lines in prop::collection::vec((0..4_u8, 0..6_u32, 0..5_u8), 0..40)
        ) {
            let write = |(at, (id, second, what)): (usize, &(u8, u32, u8))| match what {
                0 => taken_back(&format!("m-{id}"), *second),
                1 => format!("{{\"id\":\"m-{id}\""),
                _ => record(&format!("m-{id}"), *second, &format!("text {at}")),
            };
            let long: String = lines.iter().enumerate().map(|line| write(line) + "\n").collect();
            let once = short(long.as_bytes());
            prop_assert_eq!(known(&once.text), known(long.as_bytes()));
            prop_assert_eq!(short(&once.text).gone, 0, "and there is nothing more to take out");
        }
    }
}
