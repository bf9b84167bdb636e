//! What was read, kept in the cache directory: a file a chapter, the co-change counts, the map of the code, the ground. A file
//! that cannot be understood, or is of another version, counts as missing.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::code::CodeMap;
use super::{Chapter, Lesson};
use crate::ground::CodeGround;
use lokid_config::RedactConfig;
use lokid_index::cochange::Cochange;
use lokid_index::commits::CommitIndex;
use lokid_index::subjects::Subjects;
use lokid_model::{MemoryId, Relation, Timestamp};
use lokid_store::schema::{Detail, record};
use lokid_sys::plain;

/// Rises whenever what is learnt from the same repository changes: what older readers kept is read anew.
const VERSION: u64 = 3;
const LARGEST: u64 = 512 << 20;

pub(super) struct Folder {
    path: PathBuf,
    /// Version and rules of redaction: what was kept under others is read anew.
    version: String,
}

impl Folder {
    pub(super) fn new(cache: &Path, redact: &RedactConfig) -> Folder {
        let rules = blake3::hash(format!("{redact:?}").as_bytes()).to_hex();
        Folder { path: cache.join("past"), version: format!("{VERSION}-{}", &rules[..8]) }
    }

    fn is_current(&self, head: &Value) -> bool {
        head.get("version").and_then(Value::as_str) == Some(&self.version)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        plain::make_folder(&self.path)?;
        plain::replace(&self.path.join(name), bytes)
    }

    fn read(&self, name: &str) -> Option<String> {
        plain::read_text(&self.path.join(name), LARGEST).ok().flatten()
    }

    pub(super) fn keep_lesson(&self, chapter: Chapter, lesson: &Lesson) -> io::Result<()> {
        let links: Vec<Value> = lesson
            .links
            .iter()
            .map(|(from, to, relation)| json!([from.as_str(), to.as_str(), relation.as_str()]))
            .collect();
        let mut text = json!({"version": self.version, "links": links}).to_string();
        text.push('\n');
        for memory in &lesson.memories {
            text.push_str(&Value::Object(record::write(memory, Detail::Lean)).to_string());
            text.push('\n');
        }
        self.write(&format!("{}.ndjson", chapter.as_str()), text.as_bytes())
    }

    /// A chapter that teaches nothing is kept as well: that it was read is worth knowing.
    pub(super) fn has_lesson(&self, chapter: Chapter) -> bool {
        plain::is_file(&self.path.join(format!("{}.ndjson", chapter.as_str())))
    }

    /// What earlier runs kept. Nothing that came from the future: a clock that was wrong then would shadow what is true.
    pub(super) fn lessons(&self, now: Timestamp) -> Vec<(Chapter, Lesson)> {
        let kept = |chapter: Chapter| {
            let text = self.read(&format!("{}.ndjson", chapter.as_str()))?;
            let mut lines = text.lines();
            let head: Value = serde_json::from_str(lines.next()?).ok()?;
            if !self.is_current(&head) {
                return None;
            }
            let memories = lines.filter_map(|line| {
                let object: Map<String, Value> = serde_json::from_str(line).ok()?;
                record::read(object).ok().filter(|memory| memory.times.updated_at <= now).map(Arc::new)
            });
            let links = head.get("links").and_then(Value::as_array).into_iter().flatten().filter_map(link);
            Some((chapter, Lesson { memories: memories.collect(), links: links.collect() }))
        };
        Chapter::ALL.into_iter().filter_map(kept).collect()
    }

    pub(super) fn keep_history(
        &self,
        cochange: &Cochange,
        subjects: &Subjects,
        counted: &BTreeSet<u64>,
    ) -> io::Result<()> {
        let commits: Vec<u8> = counted.iter().flat_map(|commit| commit.to_le_bytes()).collect();
        self.write("commits.bin", &commits)?;
        self.write("subjects.bin", &subjects.to_bytes())?;
        self.write("cochange.bin", &cochange.to_bytes())
    }

    /// With the commits it counts; only together with the memories of the same history.
    pub(super) fn history(&self) -> Option<(Cochange, Subjects, BTreeSet<u64>)> {
        let bytes = |name: &str| plain::read(&self.path.join(name), LARGEST).ok().flatten();
        let history = self.read("history.ndjson")?;
        let head = history.lines().next().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
        if !self.is_current(&head) {
            return None;
        }
        let counted =
            bytes("commits.bin")?.as_chunks::<8>().0.iter().map(|commit| u64::from_le_bytes(*commit)).collect();
        let subjects = Subjects::from_bytes(&bytes("subjects.bin")?)?;
        Some((Cochange::from_bytes(&bytes("cochange.bin")?)?, subjects, counted))
    }

    /// The index of all commits. Where `make` is, one that is missing or cannot be understood is begun anew.
    pub(super) fn commits(&self, make: bool) -> Option<CommitIndex> {
        let place = self.path.join("commits");
        if make && plain::make_folder(&place).is_err() {
            return None;
        }
        CommitIndex::open(Some(&place), &self.version)
            .or_else(|error| {
                if !make {
                    return Err(error);
                }
                tracing::warn!(reason = %error, "the index of commits cannot be read and is made anew");
                let _ = plain::remove_folder(&place).and_then(|()| plain::make_folder(&place));
                CommitIndex::open(Some(&place), &self.version)
            })
            .ok()
    }

    pub(super) fn keep_code(&self, code: &CodeMap) -> io::Result<()> {
        let mut text = json!({ "version": self.version }).to_string();
        text.push('\n');
        code.write(&mut text);
        self.write("code-map.ndjson", text.as_bytes())
    }

    pub(super) fn code(&self) -> CodeMap {
        let Some(text) = self.read("code-map.ndjson") else { return CodeMap::default() };
        let mut lines = text.lines();
        let head = lines.next().and_then(|line| serde_json::from_str::<Value>(line).ok()).unwrap_or_default();
        if self.is_current(&head) { CodeMap::read(lines) } else { CodeMap::default() }
    }

    pub(super) fn keep_ground(&self, ground: &CodeGround) -> io::Result<()> {
        let mut text = json!({ "version": self.version, "words": CodeGround::VERSION }).to_string();
        text.push('\n');
        ground.write(&mut text);
        self.write("ground.ndjson", text.as_bytes())
    }

    pub(super) fn ground(&self) -> CodeGround {
        let Some(text) = self.read("ground.ndjson") else { return CodeGround::default() };
        let mut lines = text.lines();
        let head = lines.next().and_then(|line| serde_json::from_str::<Value>(line).ok()).unwrap_or_default();
        let knows_the_words = head.get("words").and_then(Value::as_u64) == Some(CodeGround::VERSION);
        if self.is_current(&head) && knows_the_words { CodeGround::read(lines) } else { CodeGround::default() }
    }
}

fn link(row: &Value) -> Option<(MemoryId, MemoryId, Relation)> {
    let id = |at: usize| row.get(at).and_then(Value::as_str).and_then(MemoryId::new);
    Some((id(0)?, id(1)?, Relation::parse(row.get(2)?.as_str()?)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::FileView;
    use lokid_model::{Kind, Memory};

    #[test]
    fn what_was_kept_comes_back_and_what_is_damaged_is_read_anew() {
        let lab = tempfile::tempdir().unwrap();
        let rules = RedactConfig { rules: Vec::new(), allow: Vec::new() };
        let folder = Folder::new(lab.path(), &rules);
        let id = |name: &str| MemoryId::new(name).unwrap();
        let at = Timestamp::from_micros(5_000_000);
        let memory = Memory::new(id("dec-1"), Kind::Decision, "use plain files", at);
        let links = vec![(id("dec-1"), id("dec-0"), Relation::Supersedes)];
        let lesson = Lesson { memories: vec![Arc::new(memory)], links };
        folder.keep_lesson(Chapter::History, &lesson).unwrap();
        folder.keep_lesson(Chapter::Code, &Lesson::default()).unwrap();
        let again = folder.lessons(at);
        assert_eq!(again.len(), 2);
        assert_eq!(again[0], (Chapter::History, lesson));
        plain::replace(&lab.path().join("past/history.ndjson"), b"{\"version\": 99}\n{}").unwrap();
        assert_eq!(folder.lessons(at).len(), 1);
        assert!(folder.history().is_none());
    }

    #[test]
    fn the_ground_comes_back_under_its_own_rules_only() {
        let lab = tempfile::tempdir().unwrap();
        let rules = |allow: &[&str]| RedactConfig {
            rules: Vec::new(),
            allow: allow.iter().map(|one| (*one).to_owned()).collect(),
        };
        let folder = Folder::new(lab.path(), &rules(&[]));
        assert!(folder.ground().is_empty());
        let mut ground = CodeGround::default();
        ground.put("notes.md", FileView::of_text("notes.md", "what is kept"));
        folder.keep_ground(&ground).unwrap();
        assert_eq!(folder.ground().paths().collect::<Vec<_>>(), ["notes.md"]);
        assert!(Folder::new(lab.path(), &rules(&["x"])).ground().is_empty());
        plain::replace(&lab.path().join("past/ground.ndjson"), b"{}\n[1]").unwrap();
        assert!(folder.ground().is_empty());
    }
}
