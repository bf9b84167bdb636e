//! Which note is which file: a note of the default namespace that carries its path as a tag. Finding, writing and
//! taking away go through the API alone, so a file is found by a search like any other note.

use serde_json::{Value, json};

use super::path::FilePath;
use crate::serve::mcp::fields::Object;
use crate::serve::mcp::recall::items;
use crate::serve::mcp::session::{Refusal, Session, memory_path};
use lokid_sys::process::random_hex;

const TAG: &str = "path:";
/// A note has to say something; a file need not.
const EMPTY: &str = "(this file is empty)";
const PAGE: &str = "500";
/// Notes that are looked at for one path: 100,000.
const MOST_PAGES: usize = 200;

#[derive(Clone, Debug)]
pub(super) struct File {
    id: String,
    pub(super) path: FilePath,
    pub(super) text: String,
    tags: Vec<String>,
    /// Of the version that was read: whoever changes it has to have seen it.
    version: String,
}

pub(super) struct McpFiles<'a> {
    session: &'a Session,
}

impl<'a> McpFiles<'a> {
    pub(super) fn new(session: &'a Session) -> McpFiles<'a> {
        McpFiles { session }
    }

    pub(super) fn find(&self, path: &FilePath) -> Result<Option<File>, Refusal> {
        let known = self.session.known_files.lock().get(path.as_str()).cloned();
        if let Some(id) = known
            && let Some(file) = self.open(&id)?.filter(|file| file.path == *path)
        {
            return Ok(Some(file));
        }
        let mut found = None;
        self.each(|id, at| {
            if at == *path {
                found = Some(id.to_owned());
            }
            found.is_none()
        })?;
        match found {
            Some(id) => Ok(self.open(&id)?.filter(|file| file.path == *path)),
            None => Ok(None),
        }
    }

    /// Every file in a folder and in the folders below it, by path.
    pub(super) fn below(&self, folder: &FilePath) -> Result<Vec<File>, Refusal> {
        let mut ids = Vec::new();
        self.each(|id, path| {
            if path.is_below(folder) {
                ids.push(id.to_owned());
            }
            true
        })?;
        let mut files = Vec::new();
        for id in ids {
            files.extend(self.open(&id)?);
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(files)
    }

    /// A file where a folder of this path would be.
    pub(super) fn file_above(&self, path: &FilePath) -> Result<Option<FilePath>, Refusal> {
        let folders: Vec<FilePath> = path.folders().collect();
        let mut found = None;
        self.each(|_, path| {
            if folders.contains(&path) {
                found = Some(path);
            }
            found.is_none()
        })?;
        Ok(found)
    }

    pub(super) fn create(&self, path: &FilePath, text: &str) -> Result<(), Refusal> {
        // A name of its own keeps it from being taken for another note that says the same.
        let record = json!({
            "id": format!("note-file-{}", random_hex(6)),
            "kind": "note",
            "title": path.as_str(),
            "text": kept(text),
            "tags": [format!("{TAG}{path}")],
            "source": "agent",
        });
        let answer = self.session.write(&self.session.post("/memories", object(record)))?;
        if let Some(id) = answer.get("id").and_then(Value::as_str) {
            self.session.known_files.lock().insert(path.to_string(), id.to_owned());
        }
        Ok(())
    }

    pub(super) fn write(&self, file: &File, text: &str) -> Result<(), Refusal> {
        self.change(file, json!({"text": kept(text)}))
    }

    pub(super) fn rename(&self, file: &File, path: &FilePath) -> Result<(), Refusal> {
        let others = file.tags.iter().filter(|tag| !tag.starts_with(TAG)).cloned();
        let tags: Vec<String> = others.chain([format!("{TAG}{path}")]).collect();
        self.change(file, json!({"title": path.as_str(), "tags": tags}))?;
        let mut known = self.session.known_files.lock();
        known.remove(file.path.as_str());
        known.insert(path.to_string(), file.id.clone());
        Ok(())
    }

    /// To the archive, from where a person can bring it back.
    pub(super) fn remove(&self, file: &File) -> Result<(), Refusal> {
        let request = self.session.delete(&memory_path(&file.id)).query("reason", "deleted as a memory file");
        self.session.write(&request)?;
        self.session.known_files.lock().remove(file.path.as_str());
        Ok(())
    }

    fn change(&self, file: &File, fields: Value) -> Result<(), Refusal> {
        let request = self.session.patch(&memory_path(&file.id), object(fields)).header("if-match", &file.version);
        self.session.write(&request).map(drop)
    }

    fn open(&self, id: &str) -> Result<Option<File>, Refusal> {
        let found = self.session.look(&self.session.get(&memory_path(id)).query("counted", "false"))?;
        Ok(found.and_then(|(record, version)| read(&record, version)))
    }

    /// Every file there is, until `more` says no: its id and its path.
    fn each(&self, mut more: impl FnMut(&str, FilePath) -> bool) -> Result<(), Refusal> {
        let mut cursor: Option<String> = None;
        for _ in 0..MOST_PAGES {
            let request = self.session.get("/memories").query("kind", "note").query("limit", PAGE);
            let request = request.query("include", "unverified,restricted");
            let request = cursor.iter().fold(request, |request, cursor| request.query("cursor", cursor));
            let page = self.session.read(&request)?;
            for item in items(&page) {
                let id = item.get("id").and_then(Value::as_str).unwrap_or_default();
                if let Some(path) = path_of(&item)
                    && !more(id, path)
                {
                    return Ok(());
                }
            }
            cursor = page.get("next_cursor").and_then(Value::as_str).map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        Ok(())
    }
}

fn read(record: &Value, version: String) -> Option<File> {
    let text = record.get("text").and_then(Value::as_str).unwrap_or_default();
    let tags = record.get("tags").and_then(Value::as_array).into_iter().flatten();
    Some(File {
        id: record.get("id")?.as_str()?.to_owned(),
        path: path_of(record)?,
        text: if text == EMPTY { String::new() } else { text.to_owned() },
        tags: tags.filter_map(Value::as_str).map(str::to_owned).collect(),
        version,
    })
}

/// Only a path that could be asked for counts.
fn path_of(item: &Value) -> Option<FilePath> {
    let tags = item.get("tags").and_then(Value::as_array)?;
    let tag = tags.iter().filter_map(Value::as_str).find_map(|tag| tag.strip_prefix(TAG))?;
    FilePath::new(tag).ok().filter(|path| !path.is_root() && path.as_str() == tag)
}

fn kept(text: &str) -> &str {
    if text.trim().is_empty() { EMPTY } else { text }
}

fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_a_file_only_with_a_path_that_could_be_asked_for() {
        let note = |tag: &str| json!({"id": "note-1", "text": "x", "tags": ["a", tag]});
        assert_eq!(read(&note("path:/memories/a.md"), "*".into()).unwrap().path.as_str(), "/memories/a.md");
        for tag in ["path:/etc/passwd", "path:/memories/../x", "path:/memories", "path:/memories/a/", "b"] {
            assert!(read(&note(tag), "*".into()).is_none(), "{tag}");
        }
    }

    #[test]
    fn an_empty_file_is_a_note_that_says_so() {
        assert_eq!((kept(""), kept(" \n"), kept("x")), (EMPTY, EMPTY, "x"));
        let file = read(&json!({"id": "n", "text": EMPTY, "tags": ["path:/memories/a"]}), "*".into()).unwrap();
        assert_eq!(file.text, "");
    }
}
