//! Lines of `events.jsonl`, files of `events/pending`, and the phase in `state/orchestrator.json`.

use serde_json::{Map, Value};

use super::Trace;
use super::json::{number, object, text, time};
use lokid_model::Outcome;

/// What one event tells: a line of the log, or a whole pending file. `data` may be an object or a plain string, and is
/// called `payload` by some writers.
pub fn event_line(line: &str) -> Vec<Trace> {
    let Some(event) = object(line) else { return Vec::new() };
    let Some(name) = text(&event, &["type", "event", "name"]) else { return Vec::new() };
    let at = time(&event, &["timestamp", "ts", "time"]);
    let data = match event.get("data").or_else(|| event.get("payload")) {
        Some(Value::Object(map)) => map.clone(),
        Some(Value::String(words)) => {
            let mut map = Map::new();
            map.insert("message".to_owned(), Value::String(words.clone()));
            map
        }
        _ => Map::new(),
    };
    // The event bus says what happened in two words, the runner in one: `session` + `start`, `session_start`.
    let action = text(&data, &["action"]).unwrap_or_default().to_lowercase();
    let plain = ["session", "task", "error", "state", "phase", "iteration"].contains(&name.as_str());
    let full = if plain && !action.is_empty() { format!("{name}_{action}") } else { name.to_lowercase() };
    let id = || text(&data, &["session_id", "sessionId", "session", "run_id"]);
    let message = || text(&data, &["error", "message", "reason", "brief", "detail", "statement"]);
    let trace = match full.as_str() {
        "phase_change" | "phase_changed" | "phase_transition" => match text(&data, &["to", "phase", "new_phase"]) {
            Some(to) => Trace::PhaseChanged { from: text(&data, &["from", "old_phase"]), to, at },
            None => Trace::Other { name, at },
        },
        "session_start" | "session_started" | "session_quick_start" | "session_remote_start" | "session_resume" => {
            Trace::SessionStarted { id: id(), agent: text(&data, &["provider", "agent"]), at }
        }
        "session_end" | "session_ended" | "session_stop" => {
            let outcome = number(&data, &["result", "exit_code", "exitCode"]).map(outcome_of_exit);
            Trace::SessionEnded { id: id(), reason: message().unwrap_or_default(), outcome, at }
        }
        "iteration_start" | "task_start" | "task_started" | "task_begin" => {
            Trace::TaskStarted { id: task_id(&data), goal: goal(&data), at }
        }
        "iteration_complete" | "task_complete" | "task_completed" | "task_failed" | "iteration_failed" => {
            let failed = full.ends_with("failed");
            let outcome = if failed { Outcome::Failure } else { outcome(&data) };
            Trace::TaskCompleted { id: task_id(&data), goal: goal(&data), outcome, at }
        }
        "stage_complete" if text(&data, &["status"]).as_deref() == Some("fail") => {
            let stage = text(&data, &["stage"]).unwrap_or_default();
            Trace::ErrorSeen {
                message: format!("{stage} failed"),
                kind: "stage".to_owned(),
                context: context(&data),
                at,
            }
        }
        name if name.split('_').any(is_failing) => match message() {
            Some(message) => Trace::ErrorSeen { message, kind: name.to_owned(), context: context(&data), at },
            None => {
                Trace::ErrorSeen { message: name.replace('_', " "), kind: name.to_owned(), context: context(&data), at }
            }
        },
        _ => Trace::Other { name, at },
    };
    vec![trace]
}

fn is_failing(word: &str) -> bool {
    ["error", "errors", "failed", "failure", "fail", "crash", "crashed", "exception", "posttoolusefailure"]
        .contains(&word)
}

fn outcome_of_exit(code: i64) -> Outcome {
    match code {
        0 => Outcome::Success,
        // Interrupted or terminated: not done, but not gone wrong either.
        130 | 143 => Outcome::Partial,
        _ => Outcome::Failure,
    }
}

fn outcome(data: &Map<String, Value>) -> Outcome {
    match text(data, &["status", "outcome", "result"]).unwrap_or_default().to_lowercase().as_str() {
        "failed" | "failure" | "fail" | "error" => Outcome::Failure,
        "partial" | "interrupted" => Outcome::Partial,
        _ => number(data, &["exitCode", "exit_code"]).map_or(Outcome::Success, outcome_of_exit),
    }
}

fn task_id(data: &Map<String, Value>) -> String {
    let iteration = || number(data, &["iteration"]).map(|number| format!("iteration-{number}"));
    text(data, &["task_id", "taskId", "id"]).or_else(iteration).unwrap_or_default()
}

fn goal(data: &Map<String, Value>) -> String {
    text(data, &["goal", "title", "task", "description", "prd", "message"]).unwrap_or_default()
}

fn context(data: &Map<String, Value>) -> String {
    let iteration = number(data, &["iteration"]).map(|number| format!("iteration {number}"));
    let named = text(data, &["stage", "gate", "tool", "tool_name", "phase", "source"]);
    [iteration, named].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A change of phase between two versions of the orchestrator's state. The first version seen is no change.
pub fn orchestrator(old: Option<&str>, new: &str) -> Vec<Trace> {
    let phase = |state: &Map<String, Value>| text(state, &["currentPhase", "current_phase", "phase"]);
    let Some(state) = object(new) else { return Vec::new() };
    let (Some(from), Some(to)) = (old.and_then(object).as_ref().and_then(phase), phase(&state)) else {
        return Vec::new();
    };
    if from == to {
        return Vec::new();
    }
    let at = time(&state, &["updatedAt", "updated_at", "lastUpdated", "last_updated"]);
    vec![Trace::PhaseChanged { from: Some(from), to, at }]
}
