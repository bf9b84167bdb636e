//! Everything that matters in one line, for a pipe.

use serde_json::Value;

use super::super::ask::list;
use super::super::words;

/// `status` is what the daemon said, if it said anything.
pub(super) fn line(status: Option<&Value>, clock: &str, socket: &str) -> String {
    let Some(status) = status else { return format!("{clock}  no daemon at {socket}") };
    let projects = list(status, "projects");
    let sum = |at: &str| projects.iter().filter_map(|project| project.pointer(at)?.as_u64()).sum::<u64>();
    let signals: u64 = projects.iter().map(signals_of).sum();
    let (hits, misses) = (sum("/prefetch/hits"), sum("/prefetch/misses"));
    let parts = [
        clock.to_owned(),
        status.get("rss_bytes").and_then(Value::as_u64).map(words::size).unwrap_or_default(),
        words::count(projects.len() as u64, "project", "projects"),
        words::count(sum("/memories"), "memory", "memories"),
        words::count(signals, "signal", "signals"),
        format!("{} of {} ready", words::number(hits), words::number(hits + misses)),
        format!("queue {}", words::number(projects.iter().map(queue_of).sum())),
        projects.first().map(night_of).unwrap_or_default(),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
}

pub(super) fn signals_of(project: &Value) -> u64 {
    let signals = project.pointer("/watch/signals").and_then(Value::as_object);
    signals.into_iter().flatten().filter_map(|(_, many)| many.as_u64()).sum()
}

/// Asking makes the writer look at the files: one is always waiting.
pub(super) fn queue_of(project: &Value) -> u64 {
    project.pointer("/watch/backlog").and_then(Value::as_u64).unwrap_or(0).saturating_sub(1)
}

fn night_of(project: &Value) -> String {
    let text = |name: &str| project.pointer(&format!("/consolidation/{name}")).and_then(Value::as_str);
    if let Some(phase) = text("running/phase") {
        return format!("under way: {phase}");
    }
    let last = text("last").map_or_else(|| "none yet".to_owned(), |at| format!("last {}", words::moment(at)));
    match (text("waits"), text("next")) {
        (Some(why), _) => format!("{last}, waits: {why}"),
        (None, Some(next)) => format!("{last}, next {}", words::moment(next)),
        (None, None) => last,
    }
}
