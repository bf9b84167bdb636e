//! What a workspace of memory stores holds, and the rules by which it changes: paths, sizes, preconditions, conflicts,
//! versions, redaction, archiving. Written from the types and comments of the official SDK. It knows nothing of HTTP
//! but the status of a refusal.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use unicode_normalization::is_nfc;

/// What a server allows; the real one's figures unless a test says otherwise.
#[derive(Clone, Debug)]
pub struct ShelfLimits {
    pub content_bytes: usize,
    pub memories: usize,
    pub path_bytes: usize,
    pub segments: usize,
}

impl Default for ShelfLimits {
    fn default() -> ShelfLimits {
        ShelfLimits { content_bytes: 102_400, memories: 2_000, path_bytes: 1_024, segments: 20 }
    }
}

/// A refusal as the API words it.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub status: u16,
    pub kind: &'static str,
    pub message: String,
    /// What stands beside `type` and `message`.
    pub more: Map<String, Value>,
}

impl Refusal {
    pub(crate) fn new(status: u16, kind: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { status, kind, message: message.into(), more: Map::new() }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Refusal {
        Refusal::new(400, "invalid_request_error", message)
    }

    fn missing(what: &str, id: &str) -> Refusal {
        Refusal::new(404, "not_found_error", format!("{what} `{id}` was not found"))
    }

    fn stale() -> Refusal {
        Refusal::new(409, "memory_precondition_failed_error", "the memory's content does not match the precondition")
    }

    fn path_taken(path: &str, memory: &str) -> Refusal {
        let mut refusal = Refusal::new(409, "memory_path_conflict_error", "a memory already exists at this path");
        refusal.more.insert("conflicting_path".into(), path.into());
        refusal.more.insert("conflicting_memory_id".into(), memory.into());
        refusal
    }
}

pub(crate) type Outcome = Result<Value, Refusal>;

#[derive(Clone, Debug)]
pub(crate) struct Memory {
    id: String,
    path: String,
    pub(crate) content: String,
    version: String,
    created: Timestamp,
    updated: Timestamp,
}

#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub(crate) id: String,
    memory: String,
    operation: &'static str,
    /// Neither of them once it is redacted; no content for a deletion.
    path: Option<String>,
    content: Option<String>,
    created: Timestamp,
    by: Value,
    redacted: Option<(Timestamp, Value)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(crate) id: String,
    name: String,
    description: String,
    metadata: BTreeMap<String, String>,
    created: Timestamp,
    updated: Timestamp,
    archived: Option<Timestamp>,
    pub(crate) memories: BTreeMap<String, Memory>,
    /// The oldest first.
    pub(crate) versions: Vec<Version>,
}

/// All stores of the workspace, in the order they were made.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    pub(crate) limits: ShelfLimits,
    pub(crate) stores: Vec<Store>,
    made: u64,
}

/// Which versions are asked for.
#[derive(Debug, Default)]
pub(crate) struct VersionFilter {
    pub(crate) memory: Option<String>,
    pub(crate) operation: Option<String>,
    /// The field of the actor and its value.
    pub(crate) actor: Vec<(&'static str, String)>,
    pub(crate) between: Between,
}

#[derive(Debug, Default)]
pub(crate) struct Between {
    pub(crate) from: Option<Timestamp>,
    pub(crate) to: Option<Timestamp>,
}

impl Between {
    pub(crate) fn holds(&self, time: Timestamp) -> bool {
        self.from.is_none_or(|from| time >= from) && self.to.is_none_or(|to| time <= to)
    }
}

impl Shelf {
    fn fresh(&mut self, prefix: &str) -> String {
        self.made += 1;
        format!("{prefix}_01test{:018}", self.made)
    }

    pub(crate) fn store(&mut self, id: &str) -> Result<&mut Store, Refusal> {
        self.stores.iter_mut().find(|store| store.id == id).ok_or_else(|| Refusal::missing("memory store", id))
    }

    fn writable(&mut self, id: &str) -> Result<&mut Store, Refusal> {
        let store = self.store(id)?;
        match store.archived {
            None => Ok(store),
            Some(_) => Err(Refusal::invalid("the memory store is archived and can only be read")),
        }
    }

    pub(crate) fn create_store(&mut self, body: &Map<String, Value>, now: Timestamp) -> Outcome {
        let id = self.fresh("memstore");
        let mut store = Store {
            id,
            name: String::new(),
            description: String::new(),
            metadata: BTreeMap::new(),
            created: now,
            updated: now,
            archived: None,
            memories: BTreeMap::new(),
            versions: Vec::new(),
        };
        if !body.contains_key("name") {
            return Err(Refusal::invalid("name: Field required"));
        }
        store.describe(body)?;
        let answer = store.json();
        self.stores.push(store);
        Ok(answer)
    }

    pub(crate) fn update_store(&mut self, id: &str, body: &Map<String, Value>, now: Timestamp) -> Outcome {
        let store = self.writable(id)?;
        let mut changed = store.clone();
        changed.describe(body)?;
        changed.updated = now;
        *store = changed;
        Ok(store.json())
    }

    pub(crate) fn archive_store(&mut self, id: &str, now: Timestamp) -> Outcome {
        let store = self.store(id)?;
        if store.archived.is_none() {
            (store.archived, store.updated) = (Some(now), now);
        }
        Ok(store.json())
    }

    pub(crate) fn delete_store(&mut self, id: &str) -> Outcome {
        self.store(id)?;
        self.stores.retain(|store| store.id != id);
        Ok(json!({"id": id, "type": "memory_store_deleted"}))
    }

    pub(crate) fn create(
        &mut self,
        store: &str,
        path: &str,
        content: &str,
        by: Value,
        now: Timestamp,
    ) -> Result<Memory, Refusal> {
        let limits = self.limits.clone();
        let (id, version) = (self.fresh("mem"), self.fresh("memver"));
        let store = self.writable(store)?;
        check_path(path, &limits)?;
        check_content(content, &limits)?;
        store.free(path, None)?;
        if store.memories.len() >= limits.memories {
            return Err(Refusal::invalid(format!("a memory store holds at most {} memories", limits.memories)));
        }
        let memory = Memory { id, path: path.into(), content: content.into(), version, created: now, updated: now };
        store.record(&memory, "created", by, now);
        store.memories.insert(memory.id.clone(), memory.clone());
        Ok(memory)
    }

    pub(crate) fn memory(&mut self, store: &str, id: &str) -> Result<Memory, Refusal> {
        self.store(store)?.memories.get(id).cloned().ok_or_else(|| Refusal::missing("memory", id))
    }

    pub(crate) fn update(
        &mut self,
        store: &str,
        id: &str,
        (path, content, expected): (Option<&str>, Option<&str>, Option<&str>),
        by: Value,
        now: Timestamp,
    ) -> Result<Memory, Refusal> {
        let limits = self.limits.clone();
        let version = self.fresh("memver");
        let mut memory = self.memory(store, id)?;
        let store = self.writable(store)?;
        let (path, content) = (path.unwrap_or(&memory.path), content.unwrap_or(&memory.content));
        check_path(path, &limits)?;
        check_content(content, &limits)?;
        // What is already there is there, however old the hash of who asks.
        if path == memory.path && content == memory.content {
            return Ok(memory);
        }
        if expected.is_some_and(|sha| sha != sha256(&memory.content)) {
            return Err(Refusal::stale());
        }
        store.free(path, Some(id))?;
        (memory.path, memory.content) = (path.to_owned(), content.to_owned());
        (memory.version, memory.updated) = (version, now);
        store.record(&memory, "modified", by, now);
        store.memories.insert(memory.id.clone(), memory.clone());
        Ok(memory)
    }

    pub(crate) fn delete(
        &mut self,
        store: &str,
        id: &str,
        expected: Option<&str>,
        by: Value,
        now: Timestamp,
    ) -> Outcome {
        let version = self.fresh("memver");
        let mut memory = self.memory(store, id)?;
        if expected.is_some_and(|sha| sha != sha256(&memory.content)) {
            return Err(Refusal::stale());
        }
        memory.version = version;
        let store = self.store(store)?;
        store.memories.remove(id);
        store.record(&memory, "deleted", by, now);
        Ok(json!({"id": id, "type": "memory_deleted"}))
    }

    pub(crate) fn version(&mut self, store: &str, id: &str) -> Result<&mut Version, Refusal> {
        let versions = &mut self.store(store)?.versions;
        versions.iter_mut().find(|version| version.id == id).ok_or_else(|| Refusal::missing("memory version", id))
    }

    pub(crate) fn redact(&mut self, store: &str, id: &str, by: Value, now: Timestamp) -> Outcome {
        self.version(store, id)?;
        if self.store(store)?.memories.values().any(|memory| memory.version == id) {
            let why = "the version holds the current content of its memory; replace or delete that first";
            return Err(Refusal::new(409, "conflict_error", why));
        }
        let version = self.version(store, id)?;
        if version.redacted.is_none() {
            (version.path, version.content) = (None, None);
            version.redacted = Some((now, by));
        }
        Ok(version.clone().json(store, true))
    }
}

impl Store {
    pub(crate) fn json(&self) -> Value {
        json!({
            "id": self.id,
            "type": "memory_store",
            "name": self.name,
            "description": self.description,
            "metadata": self.metadata,
            "created_at": self.created.to_string(),
            "updated_at": self.updated.to_string(),
            "archived_at": self.archived.map(|time| time.to_string()),
        })
    }

    pub(crate) fn listed(&self, archived_too: bool, between: &Between) -> bool {
        (archived_too || self.archived.is_none()) && between.holds(self.created)
    }

    fn describe(&mut self, body: &Map<String, Value>) -> Result<(), Refusal> {
        if let Some(name) = text(body, "name")? {
            if name.is_empty() || name.chars().count() > 255 || name.chars().any(char::is_control) {
                return Err(Refusal::invalid("name: must be 1 to 255 characters without control characters"));
            }
            self.name = name.to_owned();
        }
        if let Some(description) = text(body, "description")? {
            if description.chars().count() > 1_024 {
                return Err(Refusal::invalid("description: must be at most 1,024 characters"));
            }
            self.description = description.to_owned();
        }
        match body.get("metadata") {
            None | Some(Value::Null) => {}
            Some(Value::Object(pairs)) => {
                for (key, value) in pairs {
                    match value {
                        Value::Null => drop(self.metadata.remove(key)),
                        Value::String(value)
                            if value.chars().count() <= 512 && (1..=64).contains(&key.chars().count()) =>
                        {
                            self.metadata.insert(key.clone(), value.clone());
                        }
                        _ => return Err(Refusal::invalid(format!("metadata.{key}: not a valid pair"))),
                    }
                }
                if self.metadata.len() > 16 {
                    return Err(Refusal::invalid("metadata: at most 16 pairs"));
                }
            }
            Some(_) => return Err(Refusal::invalid("metadata: Input should be a valid dictionary")),
        }
        Ok(())
    }

    /// A path is free when no other memory is there, below it or on the way to it: stores are mounted as folders.
    fn free(&self, path: &str, except: Option<&str>) -> Result<(), Refusal> {
        let inside = |outer: &str, inner: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
        let others = self.memories.values().filter(|memory| Some(memory.id.as_str()) != except);
        for other in others {
            if other.path == path || inside(&other.path, path) || inside(path, &other.path) {
                return Err(Refusal::path_taken(&other.path, &other.id));
            }
        }
        Ok(())
    }

    fn record(&mut self, memory: &Memory, operation: &'static str, by: Value, now: Timestamp) {
        self.versions.push(Version {
            id: memory.version.clone(),
            memory: memory.id.clone(),
            operation,
            path: Some(memory.path.clone()),
            content: (operation != "deleted").then(|| memory.content.clone()),
            created: now,
            by,
            redacted: None,
        });
    }

    /// Items of a listing with the keys that pages go by: memories, and with depth 1 the folders of what is deeper.
    pub(crate) fn listing(&self, prefix: &str, depth: u64, full: bool) -> BTreeMap<String, Value> {
        let mut items = BTreeMap::new();
        for memory in self.memories.values() {
            let Some(rest) = memory.path.strip_prefix(prefix) else { continue };
            match rest.split_once('/') {
                Some((folder, _)) if depth == 1 => {
                    let path = format!("{prefix}{folder}/");
                    items.insert(path.clone(), json!({"type": "memory_prefix", "path": path}));
                }
                _ => drop(items.insert(memory.path.clone(), memory.json(&self.id, full))),
            }
        }
        items
    }
}

impl Memory {
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn json(&self, store: &str, full: bool) -> Value {
        json!({
            "id": self.id,
            "type": "memory",
            "memory_store_id": store,
            "memory_version_id": self.version,
            "path": self.path,
            "content": full.then_some(&self.content),
            "content_sha256": sha256(&self.content),
            "content_size_bytes": self.content.len(),
            "created_at": self.created.to_string(),
            "updated_at": self.updated.to_string(),
        })
    }
}

impl Version {
    pub(crate) fn json(&self, store: &str, full: bool) -> Value {
        json!({
            "id": self.id,
            "type": "memory_version",
            "memory_id": self.memory,
            "memory_store_id": store,
            "operation": self.operation,
            "path": self.path,
            "content": self.content.as_ref().filter(|_| full),
            "content_sha256": self.content.as_deref().map(sha256),
            "content_size_bytes": self.content.as_ref().map(String::len),
            "created_at": self.created.to_string(),
            "created_by": self.by,
            "redacted_at": self.redacted.as_ref().map(|(time, _)| time.to_string()),
            "redacted_by": self.redacted.as_ref().map(|(_, by)| by),
        })
    }

    pub(crate) fn passes(&self, filter: &VersionFilter) -> bool {
        filter.memory.as_ref().is_none_or(|id| *id == self.memory)
            && filter.operation.as_ref().is_none_or(|operation| operation == self.operation)
            && filter.actor.iter().all(|(field, value)| self.by[*field] == value.as_str())
            && filter.between.holds(self.created)
    }
}

pub(crate) fn sha256(content: &str) -> String {
    Sha256::digest(content.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A text of the body; `null` is as if it were not there.
pub(crate) fn text<'a>(body: &'a Map<String, Value>, field: &str) -> Result<Option<&'a str>, Refusal> {
    match body.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Refusal::invalid(format!("{field}: Input should be a valid string"))),
    }
}

fn check_content(content: &str, limits: &ShelfLimits) -> Result<(), Refusal> {
    if content.len() <= limits.content_bytes {
        return Ok(());
    }
    Err(Refusal::invalid(format!("content: must be at most {} bytes", limits.content_bytes)))
}

fn check_path(path: &str, limits: &ShelfLimits) -> Result<(), Refusal> {
    let refuse = |why: &str| Err(Refusal::invalid(format!("path: {why}")));
    let Some(inside) = path.strip_prefix('/') else { return refuse("must start with `/`") };
    if path.len() > limits.path_bytes {
        return refuse("is too long");
    }
    if inside.split('/').count() > limits.segments {
        return refuse("has too many segments");
    }
    if inside.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
        return refuse("a segment can't be empty, `.` or `..`");
    }
    if path.chars().any(|c| c.is_control() || is_format(c) || matches!(c, '\u{2028}' | '\u{2029}')) {
        return refuse("can't contain control or format characters or line separators");
    }
    if !is_nfc(path) {
        return refuse("must be in Unicode Normalization Form C");
    }
    Ok(())
}

/// The general category Cf.
fn is_format(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
        | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0001}'
        | '\u{e0020}'..='\u{e007f}')
}
