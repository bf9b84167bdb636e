//! One question to the API and what its answer means to a command: no sockets, no engine.

use std::path::Path;

use anyhow::Context;
use serde_json::{Map, Value};

use super::failure::Failure;
use super::screen::Screen;
use super::settings::Settings;
use crate::serve::{Request, Response};

/// A request about to be sent: about a project, and with what was typed.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    request: Request,
    body: Option<Map<String, Value>>,
}

impl Ask {
    pub(super) fn get(path: &str) -> Ask {
        Ask { request: Request::get(format!("/v1{path}")), body: None }
    }

    pub(super) fn post(path: &str) -> Ask {
        Ask::with(path, Map::new())
    }

    pub(super) fn with(path: &str, body: Map<String, Value>) -> Ask {
        Ask { request: Request::new("POST", format!("/v1{path}")), body: Some(body) }
    }

    /// A question without a JSON body: what there is to say stands in the query, or is sent separately.
    pub(super) fn bare_post(path: &str) -> Ask {
        Ask { request: Request::new("POST", format!("/v1{path}")), body: None }
    }

    pub(super) fn delete(path: &str) -> Ask {
        Ask { request: Request::delete(format!("/v1{path}")), body: None }
    }

    pub(super) fn query(self, name: &str, value: &str) -> Ask {
        Ask { request: self.request.query(name, value), ..self }
    }

    pub(super) fn maybe(self, name: &str, value: Option<&str>) -> Ask {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    pub(super) fn field(mut self, name: &str, value: impl Into<Value>) -> Ask {
        self.body.get_or_insert_default().insert(name.to_owned(), value.into());
        self
    }

    pub(super) fn maybe_field(self, name: &str, value: Option<impl Into<Value>>) -> Ask {
        match value {
            Some(value) => self.field(name, value),
            None => self,
        }
    }

    pub(super) fn header(self, name: &str, value: &str) -> Ask {
        Ask { request: self.request.header(name, value), ..self }
    }

    /// About the user's project: in the body where there is one, else in the query.
    pub(super) fn project(self, settings: &Settings) -> Ask {
        let project = settings.project.display().to_string();
        if self.body.is_some() { self.field("project", project) } else { self.query("project", &project) }
    }

    pub(super) fn request(&self) -> Request {
        match &self.body {
            Some(body) => self.request.clone().json(&Value::Object(body.clone())),
            None => self.request.clone(),
        }
    }
}

/// What the answer says; `None` when it was asked for as it came and has been printed so.
pub(super) fn told(answer: &Response, settings: &Settings, screen: &mut Screen) -> Result<Option<Value>, Failure> {
    if settings.json {
        return screen.text(&answer.text()).map(|()| None);
    }
    json(answer).map(Some)
}

pub(super) fn json(answer: &Response) -> Result<Value, Failure> {
    Ok(answer.json().context("the answer is no JSON")?)
}

/// `key` of an answer, where it is a list.
pub(super) fn list<'a>(answer: &'a Value, key: &str) -> &'a [Value] {
    answer.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The answer if it is one, else the problem it tells of, with the way out where there is one.
pub(super) fn or_problem(answer: Response, project: &Path) -> Result<Response, Failure> {
    if answer.is_success() {
        return Ok(answer);
    }
    let detail = Some(answer.detail()).filter(|detail| !detail.is_empty());
    let detail = detail.unwrap_or_else(|| format!("the daemon answered with status {}", answer.status));
    let project = project.display();
    Err(match answer.code().as_deref() {
        Some("project_not_watched") => {
            let message = format!("the daemon does not watch the project of {project}: {detail}");
            Failure::new(message).hint(format!("`lokid project add {project}` starts watching it"))
        }
        Some("busy") => Failure::new(detail).hint("the daemon is catching up; try again in a moment"),
        Some("not_found") => Failure::new(detail).hint("`lokid list` shows what there is"),
        _ => Failure::new(detail),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_question_carries_what_was_typed_and_nothing_else() {
        let ask = Ask::get("/links/a").query("project", "/a b").maybe("depth", None).maybe("relation", Some("x"));
        assert_eq!(ask.request().path, "/v1/links/a?project=%2Fa%20b&relation=x");
        let ask = Ask::post("/x").field("a", 1).maybe_field("b", None::<&str>);
        assert_eq!(ask.request().body, br#"{"a":1}"#);
        assert!(Ask::get("/x").request().body.is_empty());
    }

    #[test]
    fn an_unwatched_project_comes_with_the_way_to_watch_it() {
        let body = json!({"code": "project_not_watched", "detail": "watched: nothing"}).to_string().into_bytes();
        let answer = Response { status: 404, body, ..Response::default() };
        let failure = or_problem(answer, Path::new("/code/app")).unwrap_err();
        assert!(failure.message().unwrap().contains("`lokid project add /code/app`"), "{failure:?}");
        assert_eq!(failure.code, 1);
    }
}
