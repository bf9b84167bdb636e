//! Transcripts of agents' sessions, read line by line, and the episodes they tell. A transcript of any length streams:
//! what is kept of a piece of work is bounded. It reads no file and knows no memory; what memory itself injected into
//! the session is taken out by the caller's `strip`.

mod claude;
mod codex;
mod command;
mod events;
mod insight;
mod paths;
mod person;
mod piece;
mod session;
mod telling;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::Value;

use self::session::Session;
use lokid_model::{Draft, Timestamp};

/// Takes out of a text what memory itself put in.
pub type Strip<'a> = dyn Fn(&str) -> Cow<'_, str> + Sync + 'a;

/// Lines above this hold an image or a dump; nobody's words are that long.
const MOST_LINE: usize = 8 << 20;

pub use events::Happened;

/// One session being read.
#[derive(Clone)]
pub struct Transcript<'a> {
    session: Session<'a>,
    format: Format,
    unread: u64,
}

#[derive(Clone)]
enum Format {
    Claude(claude::ClaudeReader),
    Codex(codex::CodexReader),
    Events,
}

impl<'a> Transcript<'a> {
    /// A transcript of Claude Code.
    pub fn claude(strip: &'a Strip<'a>) -> Transcript<'a> {
        let session = Session::new("claude-code", strip);
        Transcript { session, format: Format::Claude(claude::ClaudeReader::default()), unread: 0 }
    }

    /// A rollout of Codex.
    pub fn codex(strip: &'a Strip<'a>) -> Transcript<'a> {
        let session = Session::new("codex", strip);
        Transcript { session, format: Format::Codex(codex::CodexReader::default()), unread: 0 }
    }

    /// A session of which nothing is known but what hooks tell.
    pub fn events(agent: &str, id: &str, strip: &'a Strip<'a>) -> Transcript<'a> {
        let mut session = Session::new(agent, strip);
        id.clone_into(&mut session.id);
        Transcript { session, format: Format::Events, unread: 0 }
    }

    /// Paths are told from here, wherever the session began.
    pub fn rooted(mut self, root: &str) -> Transcript<'a> {
        self.session.stand_in(root);
        self
    }

    /// The next thing that a hook tells.
    pub fn happened(&mut self, what: &Happened, at: Timestamp) {
        events::take(what, at, &mut self.session);
    }

    /// The next line. One that cannot be read is counted and passed over.
    pub fn line(&mut self, line: &str) {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() {
            return;
        }
        let value = if line.len() > MOST_LINE { None } else { serde_json::from_str(line).ok() };
        match (value, &mut self.format) {
            (Some(Value::Object(map)), Format::Claude(reader)) => reader.line(&map, &mut self.session),
            (Some(Value::Object(map)), Format::Codex(reader)) => reader.line(&map, &mut self.session),
            _ => self.unread += 1,
        }
    }

    /// How many lines could not be read.
    pub fn unread(&self) -> u64 {
        self.unread
    }

    /// The episodes of the session, oldest first. An episode is named by the message that began it, so reading the
    /// same session again, or a copy of it, gives the same ids.
    pub fn finish(self) -> Vec<Draft> {
        self.session.finish()
    }
}
