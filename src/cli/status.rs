//! `lokid status`: what the daemon knows, and how it fares.

use serde_json::Value;

use super::ask::{self, Ask};
use super::failure::Done;
use super::reach::Reach;
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::words;

pub(super) fn run(settings: &Settings, screen: &mut Screen) -> Done {
    let reach = Reach::reader(settings, screen)?;
    // A daemon is asked about everything it watches, unless one project was named.
    let ask = Ask::get("/status");
    let ask = if settings.project_named || !reach.is_daemon() { ask.project(settings) } else { ask };
    let Some(answer) = reach.told(&ask, settings, screen)? else { return Ok(()) };
    if reach.is_daemon() {
        head(&answer, settings, screen)?;
    }
    let projects = ask::list(&answer, "projects");
    if projects.is_empty() {
        screen.note("no project is watched; `lokid project add` begins with the one you stand in");
    }
    for (at, project) in projects.iter().enumerate() {
        if at > 0 || reach.is_daemon() {
            screen.line("")?;
        }
        screen.line(screen.paint(Style::Bold, &words::field(project, "path")))?;
        screen.table(&rows(project))?;
    }
    Ok(())
}

fn head(status: &Value, settings: &Settings, screen: &mut Screen) -> Done {
    let up = status.get("uptime_s").and_then(Value::as_u64).map(words::span);
    let memory = status.get("rss_bytes").and_then(Value::as_u64).map(words::size);
    let mut parts = vec![format!("lokid {}", words::field(status, "version"))];
    parts.extend(Some(words::field(status, "pid")).filter(|pid| !pid.is_empty()).map(|pid| format!("process {pid}")));
    parts.extend(up.map(|up| format!("up {up}")));
    parts.extend(memory.map(|memory| format!("{memory} in use")));
    screen.line(parts.join(", "))?;
    if let Some(memory) = scarcity(status) {
        screen.line(screen.paint(Style::Yellow, &memory))?;
    }
    screen.line(format!("socket {}", settings.socket.display()))
}

fn rows(project: &Value) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String| {
        if !value.is_empty() {
            rows.push(vec![format!("  {name}"), value]);
        }
    };
    let counts = project.get("counts").and_then(Value::as_object);
    let by_kind: Vec<(String, u64)> =
        counts.into_iter().flatten().filter_map(|(kind, many)| Some((kind.clone(), many.as_u64()?))).collect();
    row("holds", words::holdings(&by_kind));
    row("outside", outside(project));
    row("archived", open(project, "/archived"));
    row("links", open(project, "/links"));
    row("contradictions", open(project, "/open_contradictions"));
    row("trust", unconfirmed(project).map(|found| format!("{found}: lokid trust")).unwrap_or_default());
    row("night", night(project));
    row("watched", watched(project));
    row("past", past(project));
    row("ahead", ahead(project));
    for warning in project.pointer("/watch/warnings").and_then(Value::as_array).into_iter().flatten() {
        row("warning", warning.as_str().unwrap_or_default().to_owned());
    }
    // Asking makes the writer look at the files: one is always waiting.
    let waiting = project.pointer("/watch/backlog").and_then(Value::as_u64).filter(|many| *many > 1);
    row("waiting", waiting.map(words::number).unwrap_or_default());
    let silent = project.get("capture") == Some(&Value::Bool(false));
    row("capture", if silent { "switched off by an opt-out".to_owned() } else { String::new() });
    let problems = ask::list(project, "problems").len();
    if problems > 0 {
        row(
            "problems",
            format!(
                "{} to look at; `lokid doctor` names them and says why",
                words::count(problems as u64, "file", "files")
            ),
        );
    }
    rows
}

/// What files of the repository ask to be and nobody here confirmed.
pub(super) fn unconfirmed(project: &Value) -> Option<String> {
    let many = project.get("unconfirmed").and_then(Value::as_u64).filter(|many| *many > 0)?;
    Some(format!("{} of the repository would like to be more than reference", words::count(many, "record", "records")))
}

/// `1,204 files in 96 folders`, with what is not as it should be.
fn watched(project: &Value) -> String {
    let number = |at: &str| project.pointer(at).and_then(Value::as_u64).unwrap_or(0);
    let state = project.pointer("/watch/state").and_then(Value::as_str).unwrap_or_default();
    let folders = number("/watch/folders_watched") + number("/watch/folders_polled");
    let what = format!(
        "{} in {}",
        words::count(number("/watch/files"), "file", "files"),
        words::count(folders, "folder", "folders")
    );
    match state {
        "native" => what,
        "partial" => format!("{what}, {} of them by looking every few seconds", number("/watch/folders_polled")),
        "polling" => format!("{what}, by looking every few seconds"),
        "absent" => "the working tree is not there".to_owned(),
        _ => String::new(),
    }
}

/// What the repository taught by itself, or how far the reading is.
fn past(project: &Value) -> String {
    let number = |at: &str| project.pointer(at).and_then(Value::as_u64).unwrap_or(0);
    match project.pointer("/past/state").and_then(Value::as_str).unwrap_or_default() {
        "off" | "" => String::new(),
        "ready" => format!(
            "{} from {} and {}",
            words::count(number("/past/memories"), "memory", "memories"),
            words::count(number("/past/commits"), "commit", "commits"),
            words::count(number("/past/code_files"), "source file", "source files")
        ),
        chapter => format!("reading {chapter}, {} of {}", number("/past/done"), number("/past/total")),
    }
}

/// When memory was last tidied, and when it will be.
fn night(project: &Value) -> String {
    let text = |name: &str| project.pointer(&format!("/consolidation/{name}")).and_then(Value::as_str);
    if let Some(phase) = text("running/phase") {
        return format!("under way: {phase}");
    }
    let last = text("last").map_or_else(|| "none yet".to_owned(), |at| format!("last {}", words::moment(at)));
    match (text("waits"), text("next")) {
        (Some(why), _) => format!("{last}, the next one waits: {why}"),
        (None, Some(next)) => format!("{last}, next {}", words::moment(next)),
        (None, None) => last,
    }
}

/// How often a context was ready before it was asked for.
fn ahead(project: &Value) -> String {
    let number = |name: &str| project.pointer(&format!("/prefetch/{name}")).and_then(Value::as_u64).unwrap_or(0);
    let (hits, asked) = (number("hits"), number("hits") + number("misses"));
    let prepared = words::count(number("prepared"), "context", "contexts");
    match (number("prepared"), asked) {
        (0, _) => String::new(),
        (_, 0) => format!("{prepared} made ready, none asked for yet"),
        _ => {
            format!("{prepared} made ready, {} of {} asked for stood ready", words::number(hits), words::number(asked))
        }
    }
}

/// What waits until the repository can be written.
fn outside(project: &Value) -> String {
    let many = project.get("kept_outside").and_then(Value::as_u64).unwrap_or(0);
    if many == 0 {
        return String::new();
    }
    let changes = words::count(many, "change", "changes");
    format!("{changes} kept in the state directory: the repository cannot be written, or is not there")
}

/// Worth a line only while it is scarce.
fn scarcity(status: &Value) -> Option<String> {
    let limit = words::size(status.pointer("/memory/limit_bytes").and_then(Value::as_u64)?);
    match status.pointer("/memory/state").and_then(Value::as_str)? {
        "tight" => Some(format!("memory: close to the limit of {limit}; what can be made again was let go of")),
        "scarce" => Some(format!("memory: very close to the limit of {limit}; nothing is made ready in advance")),
        _ => None,
    }
}

/// A number that is worth a line only when it is not zero.
fn open(project: &Value, at: &str) -> String {
    project.pointer(at).and_then(Value::as_u64).filter(|many| *many > 0).map(words::number).unwrap_or_default()
}
