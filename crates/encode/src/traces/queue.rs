//! The files of `queue/`: a list of tasks, or an object with one. What appears in a queue has begun or ended.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::Trace;
use super::json::{parse, text, time};
use lokid_model::Outcome;

/// More at once is a queue filled by a program, not work that went on.
const MOST: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    Pending,
    InProgress,
    Completed,
    Failed,
}

impl Queue {
    /// The queue that a file below `queue/` holds: `in-progress.json` and the like.
    pub fn of_file(name: &str) -> Option<Queue> {
        match name.strip_suffix(".json")? {
            "pending" => Some(Queue::Pending),
            "in-progress" | "in_progress" => Some(Queue::InProgress),
            "completed" => Some(Queue::Completed),
            "failed" => Some(Queue::Failed),
            _ => None,
        }
    }
}

/// What the new version of a queue holds that the old one did not; the newest if there are too many. A version that
/// cannot be read holds nothing new.
pub fn queue_change(old: Option<&str>, new: &str, which: Queue) -> Vec<Trace> {
    let known: BTreeSet<(String, String)> = old.map(tasks).unwrap_or_default().iter().map(name).collect();
    let mut appeared: Vec<Map<String, Value>> = tasks(new);
    appeared.retain(|task| !known.contains(&name(task)));
    let skipped = appeared.len().saturating_sub(MOST);
    appeared.iter().skip(skipped).flat_map(|task| told(task, which)).collect()
}

fn tasks(document: &str) -> Vec<Map<String, Value>> {
    let list = match parse(document) {
        Some(Value::Array(list)) => list,
        Some(Value::Object(mut map)) => match map.remove("tasks") {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let task = |value| match value {
        Value::Object(map) => Some(map),
        // A bare string is a task by its title.
        Value::String(title) => Some(Map::from_iter([("title".to_owned(), Value::String(title))])),
        _ => None,
    };
    list.into_iter().filter_map(task).collect()
}

/// What tells a task apart. Loki Mode calls the first iteration of every run `iteration-1`, so the time belongs to it.
fn name(task: &Map<String, Value>) -> (String, String) {
    let id = text(task, &["id", "task_id", "taskId", "title", "description"]).unwrap_or_default();
    let time = text(task, &["completedAt", "completed_at", "failedAt", "failed_at", "startedAt", "started_at"]);
    (id, time.unwrap_or_default())
}

fn told(task: &Map<String, Value>, which: Queue) -> Vec<Trace> {
    let id = text(task, &["id", "task_id", "taskId"]).unwrap_or_default();
    let goal = text(task, &["title", "goal", "description", "name"]).unwrap_or_default();
    if id.is_empty() && goal.is_empty() {
        return Vec::new();
    }
    let ended = || time(task, &["completedAt", "completed_at", "failedAt", "failed_at", "updated_at"]);
    match which {
        Queue::Pending => Vec::new(),
        Queue::InProgress => {
            vec![Trace::TaskStarted { id, goal, at: time(task, &["startedAt", "started_at", "created_at"]) }]
        }
        Queue::Completed => vec![Trace::TaskCompleted { id, goal, outcome: Outcome::Success, at: ended() }],
        Queue::Failed => {
            let error = text(task, &["error", "lastError", "last_error", "reason", "failure_reason"]);
            let error = error.map(|message| Trace::ErrorSeen {
                message,
                kind: text(task, &["error_class", "errorType", "error_type"]).unwrap_or_default(),
                context: goal.clone(),
                at: ended(),
            });
            let done = Trace::TaskCompleted { id, goal, outcome: Outcome::Failure, at: ended() };
            std::iter::once(done).chain(error).collect()
        }
    }
}
