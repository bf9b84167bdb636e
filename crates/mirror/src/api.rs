//! The client of the memory stores: each call of the API that we use, its answers and its refusals by their meaning.
//!
//! It follows the official SDK (paths, fields, headers). It holds no state but the connection, decides nothing and tries
//! nothing twice; whoever calls knows what a refusal means for them.

use std::time::Duration;

use lokid_config::Managed;
use lokid_model::Timestamp;
use lokid_sys::https::{Answer, HttpsClient, HttpsError, Question, Secret, Verb};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::limits;

/// Longer words of a server are cut off.
const MOST_DETAIL: usize = 300;

#[derive(Debug)]
pub struct Stores {
    client: HttpsClient,
    base: String,
    key: Secret,
    time: Duration,
}

/// As it stands in the store. `content` is there when it was asked for.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct RemoteMemory {
    pub id: String,
    pub path: String,
    pub content: Option<String>,
    pub content_sha256: String,
    pub memory_version_id: String,
    #[serde(default)]
    pub updated_at: String,
}

/// What a list holds: memories, and the folders that were not entered.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(tag = "type")]
pub enum Listed {
    #[serde(rename = "memory")]
    Memory(RemoteMemory),
    #[serde(rename = "memory_prefix")]
    Prefix { path: String },
    /// Something a newer server knows.
    #[serde(other)]
    Unknown,
}

/// One entry of a memory's history. A redacted one has neither path nor content.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub struct RemoteVersion {
    pub id: String,
    pub memory_id: String,
    pub operation: String,
    pub created_at: String,
    pub path: Option<String>,
    pub content: Option<String>,
    pub content_sha256: Option<String>,
    pub redacted_at: Option<String>,
    pub created_by: Option<Value>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct RemoteStore {
    pub id: String,
    pub name: String,
    /// Read-only from then on.
    pub archived_at: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Page<T> {
    pub data: Vec<T>,
    pub next_page: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    #[error("the content is another one meanwhile")]
    Precondition,
    #[error("the path is taken")]
    PathConflict { path: Option<String>, memory: Option<String> },
    #[error("somebody changes it at the same time: {0}")]
    Conflict(String),
    #[error("it is not there")]
    NotFound,
    /// Until the content is another one.
    #[error("refused with {status}: {detail}")]
    Permanent { status: u16, detail: String },
    /// The header that names the beta is no longer understood.
    #[error("the beta {beta} is refused: {0}", beta = limits::BETA)]
    Beta(String),
    #[error("the key is refused with {0}")]
    Unauthorized(u16),
    #[error("busy ({status})")]
    Busy { status: u16, retry_after: Option<Duration> },
    #[error("the server failed with {0}")]
    Server(u16),
    #[error("{0}")]
    Unreachable(String),
    #[error("the answer cannot be understood: {0}")]
    BadAnswer(String),
}

impl ApiError {
    /// One word for events and for whoever counts.
    pub fn reason(&self) -> &'static str {
        match self {
            ApiError::Precondition => "precondition_failed",
            ApiError::PathConflict { .. } => "path_conflict",
            ApiError::Conflict(_) => "conflict",
            ApiError::NotFound => "not_found",
            ApiError::Permanent { .. } => "refused",
            ApiError::Beta(_) => "beta_header",
            ApiError::Unauthorized(_) => "unauthorized",
            ApiError::Busy { .. } => "busy",
            ApiError::Server(_) => "server_error",
            ApiError::Unreachable(_) => "unreachable",
            ApiError::BadAnswer(_) => "bad_answer",
        }
    }

    /// Will the same call, made later, do?
    pub fn passes(&self) -> bool {
        matches!(
            self,
            ApiError::Busy { .. }
                | ApiError::Server(_)
                | ApiError::Unreachable(_)
                | ApiError::BadAnswer(_)
                | ApiError::Unauthorized(_)
                | ApiError::Beta(_)
        )
    }
}

/// What of a store is listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Listing<'a> {
    /// Ends with a slash; everything when it is empty.
    pub prefix: &'a str,
    /// With contents: pages are shorter then.
    pub full: bool,
    /// Only what stands directly below the prefix.
    pub shallow: bool,
}

impl Stores {
    /// Opens no connection yet.
    pub fn new(managed: &Managed, key: Secret) -> std::io::Result<Stores> {
        let near = managed.base_url.starts_with("http://");
        let named = lokid_sys::env::var_path("SSL_CERT_FILE").or_else(|| managed.ca_file.clone());
        let client = HttpsClient::new(named.as_deref(), near)?;
        Ok(Stores { client, base: managed.base_url.clone(), key, time: limits::CALL })
    }

    /// The same, with less patience.
    pub fn within(self, time: Duration) -> Stores {
        Stores { time, ..self }
    }

    /// How long the next calls may take.
    pub fn patience(&mut self, time: Duration) {
        self.time = time;
    }

    /// The store, and what the server's clock says, whatever the answer is.
    pub fn look_at(&self, store: &str) -> (Result<RemoteStore, ApiError>, Option<Timestamp>) {
        match self.ask(Verb::Get, &format!("/v1/memory_stores/{store}"), None) {
            Ok(answer) => {
                let date = answer.date;
                (self.read(answer), date)
            }
            Err(error) => (Err(error), None),
        }
    }

    pub fn create(&self, store: &str, path: &str, content: &str) -> Result<RemoteMemory, ApiError> {
        let body = json!({"path": path, "content": content});
        self.call(Verb::Post, &format!("/v1/memory_stores/{store}/memories"), Some(&body))
    }

    /// With its content.
    pub fn retrieve(&self, store: &str, id: &str) -> Result<RemoteMemory, ApiError> {
        self.call(Verb::Get, &format!("/v1/memory_stores/{store}/memories/{}", plain(id)?), None)
    }

    /// Only when what stands there has the hash `expected`.
    pub fn update(&self, store: &str, id: &str, content: &str, expected: &str) -> Result<RemoteMemory, ApiError> {
        let precondition = json!({"type": "content_sha256", "content_sha256": expected});
        let body = json!({"content": content, "precondition": precondition});
        self.call(Verb::Post, &format!("/v1/memory_stores/{store}/memories/{}", plain(id)?), Some(&body))
    }

    /// Only when what stands there has the hash `expected`. Its versions stay.
    pub fn delete(&self, store: &str, id: &str, expected: &str) -> Result<(), ApiError> {
        let path =
            format!("/v1/memory_stores/{store}/memories/{}?expected_content_sha256={}", plain(id)?, encoded(expected));
        self.call::<Value>(Verb::Delete, &path, None).map(drop)
    }

    pub fn list(&self, store: &str, of: Listing<'_>, page: Option<&str>) -> Result<Page<Listed>, ApiError> {
        let (view, limit) = if of.full { ("full", limits::FULL_PAGE) } else { ("basic", limits::PAGE) };
        let mut path = format!("/v1/memory_stores/{store}/memories?view={view}&limit={limit}");
        if !of.prefix.is_empty() {
            path.push_str(&format!("&path_prefix={}", encoded(of.prefix)));
        }
        if of.shallow {
            path.push_str("&depth=1");
        }
        self.call(Verb::Get, &paged(path, page), None)
    }

    /// Every memory below a prefix, page after page.
    pub fn list_all(&self, store: &str, of: Listing<'_>) -> Result<Vec<RemoteMemory>, ApiError> {
        let mut found = Vec::new();
        let mut page: Option<String> = None;
        loop {
            let answer = self.list(store, of, page.as_deref())?;
            found.extend(answer.data.into_iter().filter_map(|item| match item {
                Listed::Memory(memory) => Some(memory),
                _ => None,
            }));
            match answer.next_page {
                // A server that never ends would be followed for ever.
                Some(next) if page.as_ref() != Some(&next) => page = Some(next),
                _ => return Ok(found),
            }
        }
    }

    /// The history of a memory, or of the whole store.
    pub fn versions(
        &self,
        store: &str,
        memory: Option<&str>,
        full: bool,
        page: Option<&str>,
    ) -> Result<Page<RemoteVersion>, ApiError> {
        let (view, limit) = if full { ("full", limits::FULL_PAGE) } else { ("basic", limits::PAGE) };
        let mut path = format!("/v1/memory_stores/{store}/memory_versions?view={view}&limit={limit}");
        if let Some(memory) = memory {
            path.push_str(&format!("&memory_id={}", encoded(memory)));
        }
        self.call(Verb::Get, &paged(path, page), None)
    }

    /// With its content, unless it was redacted.
    pub fn version(&self, store: &str, id: &str) -> Result<RemoteVersion, ApiError> {
        self.call(Verb::Get, &format!("/v1/memory_stores/{store}/memory_versions/{}", plain(id)?), None)
    }

    pub fn redact(&self, store: &str, version: &str) -> Result<RemoteVersion, ApiError> {
        let path = format!("/v1/memory_stores/{store}/memory_versions/{}/redact", plain(version)?);
        self.call(Verb::Post, &path, Some(&json!({})))
    }

    fn call<T: DeserializeOwned>(&self, verb: Verb, path: &str, body: Option<&Value>) -> Result<T, ApiError> {
        let answer = self.ask(verb, path, body)?;
        self.read(answer)
    }

    fn ask(&self, verb: Verb, path: &str, body: Option<&Value>) -> Result<Answer, ApiError> {
        let url = format!("{}{path}", self.base);
        let body = body.map(Value::to_string);
        let question = Question {
            verb,
            url: &url,
            headers: &[("anthropic-version", limits::API_VERSION), ("anthropic-beta", limits::BETA)],
            bearer: &self.key,
            body: body.as_deref().map(str::as_bytes),
            time: self.time,
            most: limits::MOST_ANSWER,
        };
        self.client.ask(&question).map_err(|error| match error {
            HttpsError::TooLong(_) | HttpsError::Garbled => ApiError::BadAnswer(error.to_string()),
            other => ApiError::Unreachable(self.key.taken_out_of(&other.to_string())),
        })
    }

    fn read<T: DeserializeOwned>(&self, answer: Answer) -> Result<T, ApiError> {
        if (200..300).contains(&answer.status) {
            // A server may repeat in its answer what it was sent: words about where it is wrong, none of its own.
            return serde_json::from_slice(&answer.body)
                .map_err(|error| ApiError::BadAnswer(format!("line {} column {}", error.line(), error.column())));
        }
        Err(self.refusal(&answer))
    }

    fn refusal(&self, answer: &Answer) -> ApiError {
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let text = |name: &str| body["error"][name].as_str().map(|text| self.key.taken_out_of(text));
        let detail: String = text("message").unwrap_or_default().chars().take(MOST_DETAIL).collect();
        match answer.status {
            400 if detail.contains("anthropic-beta") => ApiError::Beta(detail),
            400 | 413 | 422 => ApiError::Permanent { status: answer.status, detail },
            401 | 403 => ApiError::Unauthorized(answer.status),
            404 => ApiError::NotFound,
            409 | 412 => match text("type").as_deref() {
                Some("memory_path_conflict_error") => {
                    ApiError::PathConflict { path: text("conflicting_path"), memory: text("conflicting_memory_id") }
                }
                Some("memory_precondition_failed_error") => ApiError::Precondition,
                None if answer.status == 412 => ApiError::Precondition,
                _ => ApiError::Conflict(detail),
            },
            429 | 503 | 529 => ApiError::Busy {
                status: answer.status,
                retry_after: answer.retry_after.as_deref().and_then(|text| text.trim().parse().ok()).map(seconds),
            },
            500.. => ApiError::Server(answer.status),
            status => ApiError::BadAnswer(format!("the status {status}")),
        }
    }
}

fn seconds(number: f64) -> Duration {
    Duration::try_from_secs_f64(number).unwrap_or(limits::LONGEST_PAUSE).min(limits::LONGEST_PAUSE)
}

fn paged(path: String, page: Option<&str>) -> String {
    match page {
        Some(page) => format!("{path}&page={}", encoded(page)),
        None => path,
    }
}

/// An id comes from the other side and goes into a path: letters, digits, `_` and `-` are all it may be made of.
fn plain(id: &str) -> Result<&str, ApiError> {
    let good = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if good { Ok(id) } else { Err(ApiError::BadAnswer("an id that is none".to_owned())) }
}

fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests;
