//! Every way to say no: RFC 9457 problem documents with a code that stays.
//!
//! A detail names the field, the path or the limit it is about, and never the text of a memory.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use lokid_engine::{EngineError, ProjectError};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Code {
    BadRequest,
    InvalidJson,
    NotFound,
    ProjectNotWatched,
    PreconditionFailed,
    TooLarge,
    Busy,
    Forbidden,
    DiskFull,
    Internal,
}

#[derive(Clone, Debug)]
pub(super) struct Problem {
    status: StatusCode,
    code: Code,
    detail: String,
}

/// A problem as it goes over the wire.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProblemDocument {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    detail: String,
    code: Code,
}

impl Code {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Code::BadRequest => "bad_request",
            Code::InvalidJson => "invalid_json",
            Code::NotFound => "not_found",
            Code::ProjectNotWatched => "project_not_watched",
            Code::PreconditionFailed => "precondition_failed",
            Code::TooLarge => "too_large",
            Code::Busy => "busy",
            Code::Forbidden => "forbidden",
            Code::DiskFull => "disk_full",
            Code::Internal => "internal",
        }
    }
}

impl Problem {
    pub(super) fn new(status: StatusCode, code: Code, detail: impl Into<String>) -> Problem {
        Problem { status, code, detail: detail.into() }
    }

    pub(super) fn bad_request(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, Code::BadRequest, detail)
    }

    /// A field that cannot be what it is.
    pub(super) fn field(name: &str, reason: impl std::fmt::Display) -> Problem {
        Problem::bad_request(format!("{name}: {reason}"))
    }

    pub(super) fn not_found(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, Code::NotFound, detail)
    }

    pub(super) fn too_large(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, Code::TooLarge, detail)
    }

    pub(super) fn timed_out(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::REQUEST_TIMEOUT, Code::BadRequest, detail)
    }

    pub(super) fn busy(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, Code::Busy, detail)
    }

    pub(super) fn forbidden(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, Code::Forbidden, detail)
    }

    pub(super) fn internal(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, Code::Internal, detail)
    }

    pub(super) fn code(&self) -> Code {
        self.code
    }

    pub(super) fn is_stale(&self) -> bool {
        self.code == Code::PreconditionFailed
    }

    pub(super) fn detail(&self) -> &str {
        &self.detail
    }

    pub(super) fn with_detail(self, detail: impl Into<String>) -> Problem {
        Problem { detail: detail.into(), ..self }
    }

    pub(super) fn document(self) -> ProblemDocument {
        ProblemDocument {
            r#type: "about:blank",
            title: self.status.canonical_reason().unwrap_or("Error"),
            status: self.status.as_u16(),
            detail: self.detail,
            code: self.code,
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, busy) = (self.status, self.code == Code::Busy);
        // The writer has said that the disk is full, once.
        if status.is_server_error() && !busy && self.code != Code::DiskFull {
            tracing::error!(status = status.as_u16(), detail = self.detail, "a request failed");
        }
        let document = serde_json::to_vec(&self.document()).unwrap_or_default();
        let mut response = Response::new(Body::from(document));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if busy {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Problem {
        let detail = error.to_string();
        match error {
            EngineError::Busy | EngineError::Stopping | EngineError::Locked(_) => Problem::busy(detail),
            EngineError::NotFound(_) | EngineError::NoContradiction(_) => Problem::not_found(detail),
            EngineError::Stale { .. } => {
                Problem::new(StatusCode::PRECONDITION_FAILED, Code::PreconditionFailed, detail)
            }
            EngineError::Invalid { .. } => Problem::bad_request(detail),
            EngineError::Disk(_) => Problem::new(StatusCode::INSUFFICIENT_STORAGE, Code::Internal, detail),
            EngineError::Full(_) => Problem::new(StatusCode::INSUFFICIENT_STORAGE, Code::DiskFull, detail),
            EngineError::Forbidden(_) => Problem::forbidden(detail),
        }
    }
}

impl From<ProjectError> for Problem {
    fn from(error: ProjectError) -> Problem {
        let detail = error.to_string();
        match error {
            ProjectError::NoneWatched | ProjectError::NotWatched { .. } => {
                Problem::new(StatusCode::NOT_FOUND, Code::ProjectNotWatched, detail)
            }
            ProjectError::Ambiguous { .. } | ProjectError::Unusable { .. } => Problem::bad_request(detail),
            ProjectError::InUse { .. } | ProjectError::Starting { .. } => Problem::busy(detail),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_reads_the_same_in_json_and_in_words() {
        for code in [
            Code::BadRequest,
            Code::InvalidJson,
            Code::ProjectNotWatched,
            Code::TooLarge,
            Code::DiskFull,
            Code::Internal,
        ] {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }

    #[test]
    fn a_full_inbox_says_when_to_come_back() {
        let response = Problem::from(EngineError::Busy).into_response();
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[RETRY_AFTER], "1");
        assert_eq!(response.headers()[CONTENT_TYPE], "application/problem+json");
    }

    #[test]
    fn a_full_disk_is_told_apart_and_the_fix_is_named() {
        let problem = Problem::from(EngineError::Full("/x/notes: No space left on device".into()));
        assert_eq!((problem.status, problem.code), (StatusCode::INSUFFICIENT_STORAGE, Code::DiskFull));
        assert!(problem.detail.contains("/x/notes") && problem.detail.contains("make room"), "{}", problem.detail);
    }

    #[test]
    fn a_disk_that_says_no_is_not_the_fault_of_the_request() {
        let problem = Problem::from(EngineError::Disk("no space left".into()));
        assert_eq!(problem.status, StatusCode::INSUFFICIENT_STORAGE);
        assert_eq!(problem.code, Code::Internal);
        assert!(problem.detail.contains("no space left"));
    }
}
