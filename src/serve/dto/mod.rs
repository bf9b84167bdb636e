//! Every type that goes over the wire, and how a body becomes one of them.
//!
//! Requests are read strictly where it matters (types, words, ranges) and name the field that is wrong; fields nobody
//! knows are passed over. What leaves this room towards the engine is the language of `model` alone.

pub(super) mod answers;
pub(super) mod bodies;
pub(super) mod changes;
pub(super) mod context;
pub(super) mod files;
pub(super) mod hook;
pub(super) mod night;
pub(super) mod patch;
pub(super) mod queries;
pub(super) mod record;
pub(super) mod requests;
pub(super) mod said;
pub(super) mod trust;
pub(super) mod values;
pub(super) mod why;

use axum::http::StatusCode;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::problem::{Code, Problem};

/// JSON into a request; what is wrong with it is told by line and column, or by the name of the field.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    if nests_deeper_than(bytes, MAX_NESTING) {
        return Err(Problem::bad_request(format!("nested more than {MAX_NESTING} levels deep")));
    }
    // A list would be taken for the fields in their order, which nobody means.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        serde_json::from_slice::<IgnoredAny>(bytes).map_err(|error| refusal(".", &error))?;
        return Err(Problem::bad_request("a JSON object is expected"));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        refusal(&path, error.inner())
    })?;
    reader.end().map_err(|error| refusal(".", &error))?;
    Ok(read)
}

/// What is accepted must also be readable where it is kept a level or two deeper: in the journal and in the archive.
const MAX_NESTING: usize = 64;

fn nests_deeper_than(bytes: &[u8], most: usize) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > most {
            return true;
        }
    }
    false
}

fn refusal(path: &str, error: &serde_json::Error) -> Problem {
    let told = error.to_string();
    if !error.is_data() {
        return Problem::new(StatusCode::BAD_REQUEST, Code::InvalidJson, format!("not JSON: {told}"));
    }
    let place = format!(" at line {} column {}", error.line(), error.column());
    let reason = told.strip_suffix(&place).unwrap_or(&told);
    if path == "." { Problem::bad_request(reason) } else { Problem::field(path, reason) }
}

#[cfg(test)]
mod tests {
    use super::record::Record;
    use super::*;

    fn check(json: &str, code: Code, detail: &str) {
        let problem = decode::<Record>(json.as_bytes()).err().unwrap();
        assert_eq!((problem.code(), problem.detail()), (code, detail), "{json}");
    }

    #[test]
    fn nesting_has_an_end_and_brackets_in_strings_do_not_count() {
        let deep = format!(r#"{{"text": {}1{}}}"#, "[".repeat(70), "]".repeat(70));
        check(&deep, Code::BadRequest, "nested more than 64 levels deep");
        let flat = format!(r#"{{"kind": "note", "text": "{}\\\" "}}"#, "[".repeat(300));
        assert!(decode::<Record>(flat.as_bytes()).is_ok());
    }

    #[test]
    fn a_wrong_field_names_itself() {
        check(r#"{"importance": "x"}"#, Code::BadRequest, r#"importance: invalid type: string "x", expected f64"#);
        check(r#"{"importance": 1.5}"#, Code::BadRequest, "importance: 1.5 is not between 0 and 1");
        check(r#"{"tags": ["a", 7]}"#, Code::BadRequest, "tags[1]: invalid type: integer `7`, expected a string");
        check(
            r#"{"links": [{"to": "a", "relation": "likes"}]}"#,
            Code::BadRequest,
            "links[0].relation: \"likes\" is not one of derived_from, related_to, contradicts, elaborates, example_of, supersedes, superseded_by, supports",
        );
        check(r#"{"created_at": "yesterday"}"#, Code::BadRequest, "created_at: \"yesterday\" is not an RFC 3339 time");
        check("[]", Code::BadRequest, "a JSON object is expected");
    }

    #[test]
    fn what_is_no_json_is_told_by_line_and_column() {
        check("{\n\"kind\": fact}", Code::InvalidJson, "not JSON: expected ident at line 2 column 11");
        check("{", Code::InvalidJson, "not JSON: EOF while parsing an object at line 1 column 1");
        check("", Code::InvalidJson, "not JSON: EOF while parsing a value at line 1 column 0");
        check("{} {}", Code::InvalidJson, "not JSON: trailing characters at line 1 column 4");
    }

    #[test]
    fn fields_nobody_knows_are_passed_over() {
        assert!(decode::<Record>(br#"{"text": "x", "colour": "blue"}"#).is_ok());
    }
}
