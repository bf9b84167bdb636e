//! One client's session: its project, the questions it asks the desk, and how the desk's refusals are told. Knows no
//! tool by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

use super::desk::{Away, Desk, Need};
use super::fields::{Object, Wrong};
use crate::serve::BY_HEADER;
use crate::serve::message::{Request, Response, encode};
use lokid_model::{By, Timestamp};
use lokid_sys::Clock;
use lokid_sys::process::random_hex;

/// Why a tool did not do what it was asked, in words for the one who asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Argument(Wrong),
    /// Said no for a reason, as the API tells it.
    No(String),
    /// There is no such memory.
    Absent(String),
    Away(Away),
}

impl Refusal {
    pub(super) fn no(reason: impl Into<String>) -> Refusal {
        Refusal::No(reason.into())
    }

    pub(super) fn argument(field: &str, reason: impl Into<String>) -> Refusal {
        Refusal::Argument(Wrong::new(field, reason))
    }

    pub(super) fn told(&self) -> String {
        match self {
            Refusal::Argument(Wrong { field, reason }) => format!("{field}: {reason}"),
            Refusal::No(reason) | Refusal::Absent(reason) => reason.clone(),
            Refusal::Away(Away { what, fix }) => format!("{what}\nFix: {fix}"),
        }
    }
}

impl From<Wrong> for Refusal {
    fn from(wrong: Wrong) -> Refusal {
        Refusal::Argument(wrong)
    }
}

pub(super) type McpAnswer = Result<Value, Refusal>;

pub(super) struct Session {
    desk: Arc<dyn Desk>,
    project: String,
    clock: Clock,
    /// Ties what was handed out to what is said of it later, for clients that name no session of their own.
    pub(super) id: String,
    /// Which note stood for a path when it was last looked for; a hint that is checked.
    pub(super) known_files: Mutex<BTreeMap<String, String>>,
}

impl Session {
    pub(super) fn new(desk: Arc<dyn Desk>) -> Session {
        let project = desk.project();
        Session {
            desk,
            project,
            clock: Clock::system(),
            id: format!("mcp-{}", random_hex(6)),
            known_files: Mutex::default(),
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A question that stands in the path and the query.
    pub(super) fn get(&self, path: &str) -> Request {
        Request::get(format!("/v1{path}")).query("project", &self.project)
    }

    pub(super) fn delete(&self, path: &str) -> Request {
        Request::delete(format!("/v1{path}")).query("project", &self.project)
    }

    pub(super) fn post(&self, path: &str, body: Object) -> Request {
        Request::post(format!("/v1{path}"), &self.about(body))
    }

    pub(super) fn patch(&self, path: &str, body: Object) -> Request {
        Request::patch(format!("/v1{path}"), &self.about(body))
    }

    fn about(&self, mut body: Object) -> Value {
        body.insert("project".to_owned(), self.project.clone().into());
        Value::Object(body)
    }

    pub(super) fn read(&self, request: &Request) -> McpAnswer {
        self.json(request, Need::Read)
    }

    pub(super) fn write(&self, request: &Request) -> McpAnswer {
        self.json(request, Need::Write)
    }

    /// The answer as it is written.
    pub(super) fn read_text(&self, request: &Request) -> Result<String, Refusal> {
        Ok(self.ask(request, Need::Read)?.text().into_owned())
    }

    /// A memory and the tag of its version; `None` where there is no such memory.
    pub(super) fn look(&self, request: &Request) -> Result<Option<(Value, String)>, Refusal> {
        match self.ask(request, Need::Read) {
            Ok(answer) => {
                let tag = answer.header("etag").unwrap_or("*").to_owned();
                Ok(Some((json(&answer)?, tag)))
            }
            Err(Refusal::Absent(_)) => Ok(None),
            Err(refusal) => Err(refusal),
        }
    }

    fn json(&self, request: &Request, need: Need) -> McpAnswer {
        json(&self.ask(request, need)?)
    }

    fn ask(&self, request: &Request, need: Need) -> Result<Response, Refusal> {
        let request = match need {
            Need::Read => request.clone(),
            Need::Write => request.clone().header(BY_HEADER, By::Agent.as_str()),
        };
        let answer = self.desk.ask(&request, need).map_err(Refusal::Away)?;
        if answer.is_success() {
            return Ok(answer);
        }
        let detail = answer.detail();
        Err(match answer.code().as_deref() {
            Some("not_found") => Refusal::Absent(detail),
            Some("project_not_watched") => Refusal::Away(Away {
                what: detail,
                fix: format!("run `lokid project add {}`, or start this server with `lokid mcp --start`", self.project),
            }),
            Some("precondition_failed") => {
                Refusal::no("it was changed meanwhile: look at it again and repeat the change")
            }
            Some("busy") => {
                Refusal::Away(Away { what: detail, fix: "the daemon is catching up; ask again in a moment".to_owned() })
            }
            Some(_) => Refusal::No(detail),
            None => Refusal::No(format!("the daemon answered with status {}", answer.status)),
        })
    }
}

fn json(answer: &Response) -> McpAnswer {
    answer.json().map_err(|error| Refusal::no(format!("the daemon's answer is no JSON: {error}")))
}

/// `/memories/{id}`, whatever the id holds.
pub(super) fn memory_path(id: &str) -> String {
    format!("/memories/{}", encode(id))
}
