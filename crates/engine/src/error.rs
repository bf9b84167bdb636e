//! Why a request to the engine was not carried out.

use lokid_model::Key;

#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    #[error("the project's inbox is full; try again in a moment")]
    Busy,
    #[error("the project is stopping")]
    Stopping,
    #[error("no memory {0}")]
    NotFound(Key),
    #[error("no contradiction {0}")]
    NoContradiction(String),
    #[error("the memory has changed since: its ETag is now {etag}")]
    Stale { etag: String },
    #[error("{field}: {reason}")]
    Invalid { field: &'static str, reason: String },
    /// The disk said no; nothing was changed.
    #[error("could not write: {0}")]
    Disk(String),
    /// There is no room on the disk; nothing was changed.
    #[error(
        "no room is left on the disk: {0}; make room there and ask again. Nothing was changed, and what is known can still \
         be read"
    )]
    Full(String),
    /// Another program holds a file we both keep.
    #[error("could not write yet: {0}")]
    Locked(String),
    #[error("{0}")]
    Forbidden(String),
}

impl EngineError {
    /// What the disk said to a write.
    pub(super) fn refused(error: &std::io::Error) -> EngineError {
        use std::io::ErrorKind;
        if error.get_ref().is_some_and(|inner| inner.is::<lokid_store::NewerFormat>()) {
            return EngineError::Forbidden(error.to_string());
        }
        match error.kind() {
            ErrorKind::TimedOut | ErrorKind::WouldBlock => EngineError::Locked(error.to_string()),
            kind if lokid_store::is_full(kind) => EngineError::Full(error.to_string()),
            _ => EngineError::Disk(error.to_string()),
        }
    }
}

/// Why a project could not be found or started.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error("no project is watched")]
    NoneWatched,
    #[error("{path} is in no watched project; watched: {watched}")]
    NotWatched { path: String, watched: String },
    #[error("several projects are watched, so `project` must name one of: {watched}")]
    Ambiguous { watched: String },
    #[error("{path}: {reason}")]
    Unusable { path: String, reason: String },
    #[error("{path} is still being read; try again in a moment")]
    Starting { path: String },
    #[error("{path} is in use by another lokid (pid {pid})")]
    InUse { path: String, pid: String },
}
