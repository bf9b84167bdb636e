//! From a request to its answer: who asks, which beta, which parameters, which page. What a request carries that the
//! API does not know is refused, so that a client cannot invent fields.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::shelf::{Between, Outcome, Refusal, Shelf, VersionFilter, text};

/// A request as it was read, also kept for whoever counts.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    /// Without the query.
    pub path: String,
    pub query: BTreeMap<String, String>,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// `null` where there was none.
    pub body: Value,
}

/// A key that opens the workspace.
#[derive(Clone, Debug)]
pub struct Key {
    pub secret: String,
    /// As `created_by` of a version shows it.
    pub actor: Value,
    pub may_write: bool,
}

/// What the server takes, beside what its stores hold.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pub(crate) keys: Vec<Key>,
    pub(crate) betas: Vec<String>,
}

impl Gate {
    /// The actor who asks.
    fn admit(&self, request: &Request) -> Result<Value, Refusal> {
        let header = |name: &str| request.headers.get(name).map(String::as_str).unwrap_or_default();
        // The SDK sends the same key as a bearer.
        let given = header("authorization").strip_prefix("Bearer ").unwrap_or_else(|| header("x-api-key"));
        let key = self.keys.iter().find(|key| key.secret == given);
        let Some(key) = key else {
            return Err(Refusal::new(401, "authentication_error", "invalid API key"));
        };
        if header("anthropic-version").is_empty() {
            return Err(Refusal::invalid("anthropic-version: header is required"));
        }
        if !header("anthropic-beta").split(',').any(|beta| self.betas.iter().any(|known| known == beta.trim())) {
            let why = format!("this API is in beta: send `anthropic-beta: {}`", self.betas.join("` or `"));
            return Err(Refusal::invalid(why));
        }
        if request.method != "GET" && !key.may_write {
            return Err(Refusal::new(403, "permission_error", "this key may only read"));
        }
        Ok(key.actor.clone())
    }
}

pub(crate) fn answer(gate: &Gate, shelf: &mut Shelf, request: &Request, now: Timestamp) -> Outcome {
    let by = gate.admit(request)?;
    let path = request.path.strip_prefix("/v1/memory_stores").unwrap_or("/unknown/path/of/the/api");
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let ask = Ask { request };
    match (request.method.as_str(), segments.as_slice()) {
        ("POST", []) => shelf.create_store(ask.body(&["name", "description", "metadata"])?, now),
        ("GET", []) => list_stores(shelf, &ask),
        ("GET", [store]) => ask.nothing().and_then(|()| Ok(shelf.store(store)?.json())),
        ("POST", [store]) => shelf.update_store(store, ask.body(&["name", "description", "metadata"])?, now),
        ("DELETE", [store]) => ask.nothing().and_then(|()| shelf.delete_store(store)),
        ("POST", [store, "archive"]) => ask.nothing().and_then(|()| shelf.archive_store(store, now)),
        ("POST", [store, "memories"]) => {
            let full = ask.queries(&["view"]).and_then(|()| ask.full(false))?;
            let body = ask.body(&["path", "content"])?;
            let path = text(body, "path")?.ok_or_else(|| Refusal::invalid("path: Field required"))?;
            if !body.contains_key("content") {
                return Err(Refusal::invalid("content: Field required"));
            }
            let memory = shelf.create(store, path, text(body, "content")?.unwrap_or_default(), by, now)?;
            Ok(memory.json(store, full))
        }
        ("GET", [store, "memories"]) => list_memories(shelf, store, &ask),
        ("GET", [store, "memories", memory]) => {
            let full = ask.queries(&["view"]).and_then(|()| ask.full(true))?;
            Ok(shelf.memory(store, memory)?.json(store, full))
        }
        ("POST", [store, "memories", memory]) => {
            let full = ask.queries(&["view"]).and_then(|()| ask.full(false))?;
            let body = ask.body(&["path", "content", "precondition"])?;
            let wanted = (text(body, "path")?, text(body, "content")?, precondition(body)?);
            Ok(shelf.update(store, memory, wanted, by, now)?.json(store, full))
        }
        ("DELETE", [store, "memories", memory]) => {
            ask.queries(&["expected_content_sha256"])?;
            let expected = ask.query("expected_content_sha256").map(digest).transpose()?;
            shelf.delete(store, memory, expected, by, now)
        }
        ("GET", [store, "memory_versions"]) => list_versions(shelf, store, &ask),
        ("GET", [store, "memory_versions", version]) => {
            let full = ask.queries(&["view"]).and_then(|()| ask.full(true))?;
            Ok(shelf.version(store, version)?.json(store, full))
        }
        ("POST", [store, "memory_versions", version, "redact"]) => {
            ask.nothing().and_then(|()| shelf.redact(store, version, by, now))
        }
        _ => Err(Refusal::new(404, "not_found_error", "there is nothing at this address")),
    }
}

fn list_stores(shelf: &Shelf, ask: &Ask) -> Outcome {
    ask.queries(&["created_at[gte]", "created_at[lte]", "include_archived", "limit", "page"])?;
    let archived_too = match ask.query("include_archived") {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(Refusal::invalid("include_archived: Input should be a valid boolean")),
    };
    let between = ask.between()?;
    let stores = shelf.stores.iter().enumerate().filter(|(_, store)| store.listed(archived_too, &between));
    ask.page(newest_first(stores.map(|(place, store)| (place, store.json()))), 100)
}

fn list_memories(shelf: &mut Shelf, store: &str, ask: &Ask) -> Outcome {
    ask.queries(&["path_prefix", "depth", "limit", "page", "view"])?;
    let full = ask.full(false)?;
    let prefix = ask.query("path_prefix").unwrap_or("/");
    if !prefix.starts_with('/') || !prefix.ends_with('/') {
        return Err(Refusal::invalid("path_prefix: must start and end with `/`"));
    }
    let depth = ask.number("depth")?.unwrap_or(0);
    if depth > 1 {
        return Err(Refusal::invalid("depth: must be 0 or 1"));
    }
    ask.page(shelf.store(store)?.listing(prefix, depth, full), if full { 20 } else { 100 })
}

fn list_versions(shelf: &mut Shelf, store: &str, ask: &Ask) -> Outcome {
    let actors = ["api_key_id", "service_account_id", "session_id"];
    let others = ["created_at[gte]", "created_at[lte]", "limit", "memory_id", "operation", "page", "view"];
    ask.queries(&[actors.as_slice(), others.as_slice()].concat())?;
    let full = ask.full(false)?;
    let operation = ask.query("operation").map(str::to_owned);
    if operation.as_deref().is_some_and(|operation| !["created", "modified", "deleted"].contains(&operation)) {
        return Err(Refusal::invalid("operation: Input should be 'created', 'modified' or 'deleted'"));
    }
    let filter = VersionFilter {
        memory: ask.query("memory_id").map(str::to_owned),
        operation,
        actor: actors.iter().filter_map(|field| Some((*field, ask.query(field)?.to_owned()))).collect(),
        between: ask.between()?,
    };
    let versions = shelf.store(store)?.versions.iter().enumerate().filter(|(_, version)| version.passes(&filter));
    let items = newest_first(versions.map(|(place, version)| (place, version.json(store, full))));
    ask.page(items, if full { 20 } else { 100 })
}

/// Keys that sort the newest before the others, and stay what they are when more comes.
fn newest_first(items: impl Iterator<Item = (usize, Value)>) -> BTreeMap<String, Value> {
    items.map(|(place, item)| (format!("{:020}", usize::MAX - place), item)).collect()
}

fn precondition(body: &Map<String, Value>) -> Result<Option<&str>, Refusal> {
    let condition = match body.get("precondition") {
        None | Some(Value::Null) => return Ok(None),
        Some(condition) => condition,
    };
    match (condition["type"].as_str(), condition["content_sha256"].as_str()) {
        (Some("content_sha256"), Some(sha)) => digest(sha).map(Some),
        _ => Err(Refusal::invalid("precondition: only `content_sha256` is supported")),
    }
}

fn digest(sha: &str) -> Result<&str, Refusal> {
    let hex = sha.len() == 64 && sha.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if hex { Ok(sha) } else { Err(Refusal::invalid("content_sha256: must be 64 lowercase hexadecimal characters")) }
}

/// The parameters of a request.
struct Ask<'a> {
    request: &'a Request,
}

impl<'a> Ask<'a> {
    fn query(&self, name: &str) -> Option<&'a str> {
        self.request.query.get(name).map(String::as_str)
    }

    /// No other parameters than these, and the mark that SDKs append.
    fn queries(&self, known: &[&str]) -> Result<(), Refusal> {
        match self.request.query.keys().find(|name| *name != "beta" && !known.contains(&name.as_str())) {
            Some(name) => Err(Refusal::invalid(format!("{name}: Extra inputs are not permitted"))),
            None => Ok(()),
        }
    }

    fn nothing(&self) -> Result<(), Refusal> {
        self.queries(&[])?;
        let empty = self.request.body.as_object().is_none_or(Map::is_empty);
        if empty { Ok(()) } else { Err(Refusal::invalid("body: Extra inputs are not permitted")) }
    }

    fn body(&self, known: &[&str]) -> Result<&'a Map<String, Value>, Refusal> {
        let Value::Object(body) = &self.request.body else {
            return Err(Refusal::invalid("body: Input should be a valid dictionary"));
        };
        match body.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(Refusal::invalid(format!("{name}: Extra inputs are not permitted"))),
            None => Ok(body),
        }
    }

    fn full(&self, default: bool) -> Result<bool, Refusal> {
        match self.query("view") {
            None => Ok(default),
            Some("full") => Ok(true),
            Some("basic") => Ok(false),
            Some(_) => Err(Refusal::invalid("view: Input should be 'basic' or 'full'")),
        }
    }

    fn number(&self, name: &str) -> Result<Option<u64>, Refusal> {
        let parse = |value: &str| value.parse().map_err(|_| Refusal::invalid(format!("{name}: not a valid integer")));
        self.query(name).map(parse).transpose()
    }

    fn between(&self) -> Result<Between, Refusal> {
        let time = |name: &str| match self.query(name) {
            None => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| Refusal::invalid(format!("{name}: not a valid datetime"))),
        };
        Ok(Between { from: time("created_at[gte]")?, to: time("created_at[lte]")? })
    }

    fn page(&self, items: BTreeMap<String, Value>, most: usize) -> Outcome {
        let limit = self.number("limit")?.unwrap_or(20);
        if !(1..=100).contains(&limit) {
            return Err(Refusal::invalid("limit: must be between 1 and 100"));
        }
        let after = match self.query("page").map(read_mark) {
            None => None,
            Some(Some(key)) => Some(key),
            Some(None) => return Err(Refusal::invalid("page: not a page of this list")),
        };
        let mut rest = items.into_iter().filter(|(key, _)| after.as_ref().is_none_or(|after| key > after));
        let page: Vec<(String, Value)> = rest.by_ref().take(most.min(limit as usize)).collect();
        let next = rest.next().and(page.last()).map(|(key, _)| mark(key));
        let data: Vec<Value> = page.into_iter().map(|(_, item)| item).collect();
        Ok(json!({"data": data, "next_page": next}))
    }
}

/// The key of the last item, in a shape nobody is tempted to read.
fn mark(key: &str) -> String {
    format!("page_{}", key.bytes().map(|byte| format!("{byte:02x}")).collect::<String>())
}

fn read_mark(page: &str) -> Option<String> {
    let hex = page.strip_prefix("page_")?;
    let byte = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..hex.len()).step_by(2).map(byte).collect();
    String::from_utf8(bytes?).ok()
}
