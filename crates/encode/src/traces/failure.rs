//! Errors as Loki Mode writes them down: the last one, the history of them, failed gates, crash reports and the log of
//! its memory engine.

use serde_json::Value;

use super::json::{number, object, text, time};
use super::{Crash, Trace};
use crate::excerpt::one_line;
use lokid_model::Timestamp;

const MOST_FRAMES: usize = 10;
const MOST_FRAME: usize = 200;
const MOST_MESSAGE: usize = 1_000;

/// `state/LAST_ERROR.json`: what the last iteration died of.
pub fn last_error(document: &str) -> Vec<Trace> {
    let Some(record) = object(document) else { return Vec::new() };
    let kind = text(&record, &["error_class", "error_type", "kind", "gate"]).unwrap_or_default();
    let message = text(&record, &["brief", "message", "error", "detail", "evidence"]);
    // Evidence of a gate may be an object; its text is then all there is.
    let structured = || match record.get("evidence") {
        Some(value @ (Value::Object(_) | Value::Array(_))) => Some(one_line(&value.to_string(), MOST_MESSAGE)),
        _ => None,
    };
    let message = message.or_else(structured).or_else(|| (!kind.is_empty()).then(|| kind.clone()));
    let Some(message) = message else { return Vec::new() };
    let iteration = number(&record, &["iteration"]).map(|number| format!("iteration {number}"));
    let verdict = text(&record, &["verdict"]);
    let context: Vec<String> = [iteration, verdict].into_iter().flatten().collect();
    let at = time(&record, &["timestamp", "recorded_at", "at"]);
    vec![Trace::ErrorSeen { message, kind, context: context.join(", "), at }]
}

/// A line of `state/failure-history.jsonl` or of `memory/failures.jsonl`: the same record, or a gate with its evidence.
pub fn failure_line(line: &str) -> Vec<Trace> {
    last_error(line)
}

/// `crash/*.json`.
pub fn crash(document: &str) -> Vec<Trace> {
    let Some(record) = object(document) else { return Vec::new() };
    let frames = match record.get("stack_signature").or_else(|| record.get("stack")) {
        Some(Value::Array(frames)) => frames.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(stack)) => stack.lines().take(MOST_FRAMES).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let frames: Vec<String> = frames.iter().take(MOST_FRAMES).map(|frame| one_line(frame, MOST_FRAME)).collect();
    let crash = Crash {
        kind: text(&record, &["error_class", "friction_kind", "error_type", "kind"]).unwrap_or_default(),
        message: text(&record, &["message", "error"]).unwrap_or_default(),
        phase: text(&record, &["rarv_phase", "phase"]).unwrap_or_default(),
        exit_code: number(&record, &["exit_code", "exitCode"]),
        fingerprint: text(&record, &["fingerprint"]).unwrap_or_default(),
        at: time(&record, &["captured_at", "timestamp"]),
        frames,
    };
    let says_nothing = crash.kind.is_empty() && crash.message.is_empty() && crash.frames.is_empty();
    if says_nothing { Vec::new() } else { vec![Trace::Crash(Box::new(crash))] }
}

/// A line of `memory/.errors.log`: time, function, class, message and a piece of the traceback, tabs between them.
pub fn memory_error_line(line: &str) -> Vec<Trace> {
    let mut fields = line.trim_end().splitn(5, '\t');
    let (Some(at), Some(function), Some(kind), Some(message)) =
        (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Vec::new();
    };
    let Some(at) = Timestamp::parse(at) else { return Vec::new() };
    let message = one_line(message, MOST_MESSAGE);
    let (kind, context) = (one_line(kind, MOST_FRAME), one_line(function, MOST_FRAME));
    vec![Trace::ErrorSeen { message, kind, context, at: Some(at) }]
}
