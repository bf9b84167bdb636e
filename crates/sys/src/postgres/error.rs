//! What can go wrong with a database, by what the caller can do about it.

use std::error::Error;
use std::time::Duration;

use tokio_postgres::error::{DbError, SqlState};

#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// Later it may work.
    #[error("the database cannot be reached: {0}")]
    Unreachable(String),
    /// Until somebody changes who may what, it will not work.
    #[error("the database refuses: {message} ({code})")]
    Refused { code: String, message: String },
    #[error("no secure connection to the database: {0}")]
    Tls(String),
    #[error("the database says: {message} ({code})")]
    Statement { code: String, message: String },
}

pub(super) fn no_answer(time: Duration) -> PostgresError {
    PostgresError::Unreachable(format!("no answer in {} s", time.as_secs()))
}

impl From<tokio_postgres::Error> for PostgresError {
    fn from(error: tokio_postgres::Error) -> PostgresError {
        if let Some(said) = error.as_db_error() {
            return by_code(said);
        }
        let outer = error.to_string();
        let cause = deepest(&error);
        if outer.starts_with("error performing TLS handshake") {
            return PostgresError::Tls(cause);
        }
        if outer.starts_with("authentication error") || outer.starts_with("invalid configuration") {
            let code = SqlState::INVALID_AUTHORIZATION_SPECIFICATION.code().to_owned();
            return PostgresError::Refused { code, message: cause };
        }
        let ours = ["error serializing parameter", "error deserializing column", "query returned"];
        if ours.iter().any(|start| outer.starts_with(start)) {
            return PostgresError::Statement { code: "XX000".to_owned(), message: outer };
        }
        PostgresError::Unreachable(cause)
    }
}

fn by_code(said: &DbError) -> PostgresError {
    let (code, message) = (said.code().code().to_owned(), said.message().to_owned());
    match code.get(..2).unwrap_or_default() {
        // No role, no password, no such database, no right.
        "28" | "3D" => PostgresError::Refused { code, message },
        _ if *said.code() == SqlState::INSUFFICIENT_PRIVILEGE => PostgresError::Refused { code, message },
        // The connection, a conflict between transactions, no room, the hands of its operator, a read-only standby.
        "08" | "40" | "53" | "55" | "57" | "58" => PostgresError::Unreachable(message),
        _ if *said.code() == SqlState::READ_ONLY_SQL_TRANSACTION => PostgresError::Unreachable(message),
        _ => PostgresError::Statement { code, message },
    }
}

/// The outer ones say only that there was an error.
fn deepest(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
