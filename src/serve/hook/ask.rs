//! The hook process's end: one request with a deadline, and a line in the spool when nobody hears it.
//!
//! It starts with every tool call of an agent, so it does next to nothing: no runtime, no thread of its own, no pattern
//! is compiled, and what only the spool needs is built only then. What it sends is what it was given; long texts are
//! shortened first.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::payload::{Agent, Happening, cut};
use super::told::Told;
use crate::serve::client::{Client, ClientError};
use crate::serve::message::Request;
use lokid_model::Timestamp;
use lokid_sys::spool::Spool;

/// A longer input is shortened before it is sent.
const LONG_INPUT: usize = 256 << 10;
/// In bytes, of one text in it.
const LONGEST_TEXT: usize = 24 << 10;
/// Of the spool.
const MOST_BYTES: u64 = 1 << 20;
const MOST_EVENTS: usize = 4_096;

/// An event on its way.
#[derive(Debug)]
pub struct Event {
    /// Unless told, what it says shows whose it is.
    pub agent: Option<Agent>,
    pub name: String,
    pub at: Timestamp,
    /// Where the hook runs, for agents that do not say.
    pub cwd: Option<PathBuf>,
    /// JSON, as far as anybody knows.
    pub input: Vec<u8>,
}

/// How asking ended.
#[derive(Debug)]
pub enum Outcome {
    /// To be printed as it is.
    Answer(Vec<u8>),
    Silence,
    /// Nobody heard it.
    Away(String),
    Refused(String),
}

impl Event {
    pub fn new(agent: Option<Agent>, name: &str, at: Timestamp, cwd: Option<PathBuf>, input: Vec<u8>) -> Event {
        let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).collect();
        let input = if input.len() > LONG_INPUT { shortened(&input).unwrap_or(input) } else { input };
        Event { agent, name, at, cwd, input }
    }

    fn body(&self) -> Vec<u8> {
        let cwd = Value::from(self.cwd.as_deref().and_then(Path::to_str));
        let at = self.at.as_micros();
        let agent = self.agent.map_or("", Agent::as_str);
        let head = format!("{{\"agent\":\"{agent}\",\"event\":\"{}\",\"at\":{at},\"cwd\":{cwd}", self.name);
        let mut body = head.into_bytes();
        if !self.input.iter().all(u8::is_ascii_whitespace) {
            body.extend_from_slice(b",\"input\":");
            body.extend_from_slice(&self.input);
        }
        body.push(b'}');
        body
    }
}

/// Keeps both ends of every long text: nobody needs the middle of a large output.
fn shortened(input: &[u8]) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(input).ok()?;
    let mut open = vec![&mut value];
    while let Some(next) = open.pop() {
        match next {
            Value::String(text) if text.len() > LONGEST_TEXT => *text = cut(text, LONGEST_TEXT),
            Value::Array(items) => {
                items.truncate(64);
                open.extend(items);
            }
            Value::Object(fields) => open.extend(fields.values_mut()),
            _ => {}
        }
    }
    serde_json::to_vec(&value).ok()
}

/// Asks the daemon; `left` tells how much time there is.
pub fn ask(socket: &Path, event: &Event, left: &dyn Fn() -> Duration) -> Outcome {
    let mut request = Request::new("POST", "/v1/hook").header("content-type", "application/json");
    request.body = event.body();
    match Client::new(socket).send_within(&request, left) {
        Ok(answer) if answer.status == 200 && answer.body.starts_with(b"{") => Outcome::Answer(answer.body),
        Ok(answer) if answer.is_success() => Outcome::Silence,
        Ok(answer) if answer.status == 503 => Outcome::Away(answer.detail()),
        Ok(answer) => Outcome::Refused(answer.detail()),
        Err(error @ ClientError::Malformed(_)) => Outcome::Refused(error.to_string()),
        Err(error) => Outcome::Away(error.to_string()),
    }
}

/// What the spool should keep of an event that nobody heard; nothing if it means nothing.
pub fn waiting(event: &Event, redact: &dyn Fn(&str) -> String) -> Option<String> {
    let input: Value = serde_json::from_slice(&event.input).ok()?;
    let happening = Happening::read(event.agent, &event.name, &input, event.cwd.clone());
    happening.cwd.as_ref()?;
    let told = Told::of(&happening, event.at)?;
    (!told.is_empty()).then(|| told.line(redact))
}

/// Where events wait, below lokid's state.
pub fn spool(state: &Path) -> Spool {
    Spool::new(state.join("hooks.spool"), MOST_BYTES, MOST_EVENTS)
}
