//! The daemon as the page knows it: one question, and its answer as JSON or the reason there is none.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::serve::{Client, ClientError, Request, Response, encode};

#[derive(Clone)]
pub(super) struct Daemon(Arc<Client>);

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(super) struct Trouble {
    pub(super) status: u16,
    pub(super) detail: String,
    pub(super) is_away: bool,
}

impl Trouble {
    pub(super) fn new(status: u16, detail: impl Into<String>) -> Trouble {
        Trouble { status, detail: detail.into(), is_away: false }
    }

    fn of(error: &ClientError) -> Trouble {
        let is_away = matches!(error, ClientError::Unreachable { .. } | ClientError::Broken(_));
        Trouble { status: 502, detail: error.to_string(), is_away }
    }
}

pub(super) type Told = Result<Value, Trouble>;

impl Daemon {
    pub(super) fn new(socket: PathBuf) -> Daemon {
        Daemon(Arc::new(Client::new(socket)))
    }

    /// About a project, by its path.
    pub(super) fn about(&self, project: &str) -> About {
        About { daemon: self.clone(), project: project.to_owned(), namespace: String::new() }
    }

    pub(super) async fn get(&self, path: &str) -> Told {
        self.send(Request::get(path)).await
    }

    async fn send(&self, request: Request) -> Told {
        let client = Arc::clone(&self.0);
        let sent = tokio::task::spawn_blocking(move || client.send(&request)).await;
        let answer = sent.map_err(|_| Trouble::new(500, "the question was lost"))?;
        read(&answer.map_err(|error| Trouble::of(&error))?)
    }
}

fn read(answer: &Response) -> Told {
    if !answer.is_success() {
        return Err(Trouble::new(answer.status, answer.detail()));
    }
    if answer.body.is_empty() {
        return Ok(Value::Null);
    }
    answer.json().map_err(|error| Trouble::new(502, format!("the daemon's answer is no JSON: {error}")))
}

/// Questions about one project. Paths begin behind `/v1`.
#[derive(Clone)]
pub(super) struct About {
    daemon: Daemon,
    project: String,
    /// The default one where it is empty.
    namespace: String,
}

impl About {
    /// The same about another namespace.
    pub(super) fn within(&self, namespace: &str) -> About {
        About { namespace: namespace.to_owned(), ..self.clone() }
    }

    pub(super) fn project(&self) -> &str {
        &self.project
    }

    /// With those parameters that say something.
    pub(super) async fn get(&self, path: &str, query: &[(&str, &str)]) -> Told {
        self.daemon.send(self.asking(Request::get(format!("/v1{path}")), query)).await
    }

    pub(super) async fn post(&self, path: &str, body: Value) -> Told {
        self.tell(Request::new("POST", format!("/v1{path}")), body).await
    }

    pub(super) async fn patch(&self, path: &str, body: Value) -> Told {
        self.tell(Request::new("PATCH", format!("/v1{path}")), body).await
    }

    pub(super) async fn delete(&self, path: &str, query: &[(&str, &str)]) -> Told {
        self.daemon.send(self.asking(Request::delete(format!("/v1{path}")), query)).await
    }

    pub(super) async fn delete_with(&self, path: &str, body: Value) -> Told {
        self.tell(Request::delete(format!("/v1{path}")), body).await
    }

    fn asking(&self, request: Request, query: &[(&str, &str)]) -> Request {
        let place = [("namespace", self.namespace.as_str())];
        let telling = query.iter().chain(&place).filter(|(_, value)| !value.is_empty());
        telling.fold(request.query("project", &self.project), |request, (name, value)| request.query(name, value))
    }

    async fn tell(&self, request: Request, mut body: Value) -> Told {
        if let Some(fields) = body.as_object_mut() {
            fields.insert("project".to_owned(), json!(self.project));
            if !self.namespace.is_empty() {
                fields.insert("namespace".to_owned(), json!(self.namespace));
            }
        }
        self.daemon.send(request.json(&body)).await
    }
}

/// One segment of a path.
pub(super) fn segment(id: &str) -> String {
    encode(id)
}
