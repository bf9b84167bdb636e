//! `lokid show`: one memory, readable.

use std::collections::BTreeSet;

use serde_json::Value;

use super::args::Show;
use super::ask::{self, Ask};
use super::back;
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::remember;
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::words;
use crate::serve::encode;

pub(super) fn run(show: &Show, settings: &Settings, screen: &mut Screen) -> Done {
    if show.history {
        return back::history(show, settings, screen);
    }
    let as_of = remember::time("--as-of", show.as_of.as_deref())?;
    let ask = Ask::get(&format!("/memories/{}", encode(&show.id)))
        .project(settings)
        .query("counted", "false")
        .maybe("level", show.level.as_deref())
        .maybe("as_of", as_of.as_deref())
        .maybe("namespace", show.namespace.as_deref());
    let reach = Reach::reader(settings, screen)?;
    let Some(shown) = reach.told(&ask, settings, screen)? else { return Ok(()) };
    record(&shown, screen)?;
    if words::field(&shown, "expired_at").is_empty() {
        return Ok(());
    }
    for successor in successors(show, settings, &reach)? {
        screen.line(format!("superseded by {successor}"))?;
    }
    Ok(())
}

/// What took the place of a memory that no longer holds.
fn successors(show: &Show, settings: &Settings, reach: &Reach) -> Result<Vec<String>, Failure> {
    let ask = Ask::get(&format!("/links/{}", encode(&show.id)))
        .project(settings)
        .maybe("namespace", show.namespace.as_deref());
    let answer = reach.learn(&ask)?;
    // It may be told from either end.
    let heir = |edge: &Value| {
        let [from, to, relation] = ["from", "to", "relation"].map(|name| words::field(edge, name));
        match relation.as_str() {
            "superseded_by" if from == show.id => Some(to),
            "supersedes" if to == show.id => Some(from),
            _ => None,
        }
    };
    let found: BTreeSet<String> = ask::list(&answer, "edges").iter().filter_map(heir).collect();
    Ok(found.into_iter().collect())
}

/// Shown at the top, or the text once more.
const ELSEWHERE: [&str; 10] =
    ["id", "kind", "title", "text", "summary", "tier", "namespace", "level", "compressed", "index"];
/// What a memory is made of; the text tells it, and what it leaves out stands in rows of its own.
const BODIES: [&str; 6] = ["fact", "episode", "pattern", "anti_pattern", "skill", "learning"];
/// What goes without saying.
const USUAL: [(&str, &str); 2] = [("status", "asserted"), ("scope", "project-shared")];

/// The head, the text, then every other field that says something.
pub(super) fn record(record: &Value, screen: &mut Screen) -> Done {
    let mut head = vec![words::field(record, "kind"), words::field(record, "tier")];
    let namespace = words::field(record, "namespace");
    if namespace != "default" {
        head.push(namespace);
    }
    head.retain(|word| !word.is_empty());
    let id = screen.paint(Style::Bold, &words::field(record, "id"));
    screen.line(format!("{id}  {}", screen.paint(Style::Dim, &head.join(" · "))))?;
    let (title, text) = (words::field(record, "title"), words::field(record, "text"));
    let text = if text.is_empty() { words::field(record, "summary") } else { text };
    if !title.is_empty() && !text.trim_start().starts_with(title.trim()) {
        screen.line(screen.paint(Style::Bold, &title))?;
    }
    if !text.is_empty() {
        screen.line("")?;
        screen.text(&text)?;
    }
    let rows = rows(record, &text);
    if !rows.is_empty() {
        screen.line("")?;
    }
    screen.table(&rows)
}

fn rows(record: &Value, text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let created = words::field(record, "created_at");
    for (key, value) in record.as_object().into_iter().flatten() {
        if BODIES.contains(&key.as_str()) {
            rows.extend(body_rows(value, text));
            continue;
        }
        if key == "usage" {
            rows.extend(usage_row(value));
            continue;
        }
        let is_time = key.ends_with("_at") || ["timestamp", "stale_after", "last_used"].contains(&key.as_str());
        let shown = match value {
            Value::String(text) if is_time && *text == created && key != "created_at" => String::new(),
            Value::String(text) if is_time => words::moment(text),
            Value::Bool(false) => String::new(),
            other => words::plain(other),
        };
        let usual = USUAL.contains(&(key.as_str(), shown.as_str())) || ELSEWHERE.contains(&key.as_str());
        if !shown.is_empty() && !usual {
            rows.push(vec![key.replace('_', " "), shown]);
        }
    }
    rows
}

/// What of a body its text does not say; long lists are counted.
fn body_rows(body: &Value, text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (key, value) in body.as_object().into_iter().flatten() {
        let shown = match value {
            Value::Array(list) if list.iter().any(Value::is_object) => words::number(list.len() as u64),
            Value::Object(_) => String::new(),
            Value::Number(number) if number.as_f64() == Some(0.0) => String::new(),
            other => words::plain(other),
        };
        let told = match value {
            Value::Array(list) => list.iter().all(|item| item.as_str().is_some_and(|item| text.contains(item))),
            _ => text.contains(&shown),
        };
        if !shown.is_empty() && !told {
            rows.push(vec![key.replace('_', " "), shown]);
        }
    }
    rows
}

/// `handed out 4 times, last 2026-11-16 21:53 UTC; named once …`
fn usage_row(usage: &Value) -> Option<Vec<String>> {
    let part = |count: &str, verb: &str, last: Option<&str>| {
        let many = usage.get(count).and_then(Value::as_u64).filter(|many| *many > 0)?;
        let times = if many == 1 { "once".to_owned() } else { format!("{} times", words::number(many)) };
        let last = last.map(|name| words::field(usage, name)).filter(|time| !time.is_empty());
        let last = last.map(|time| format!(", last {}", words::moment(&time))).unwrap_or_default();
        Some(format!("{verb} {times}{last}"))
    };
    let told = [
        part("loaded", "handed out", Some("last_accessed")),
        part("referenced", "named", Some("last_used")),
        part("success", "of help", None),
        part("ignored", "passed over", None),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    (!told.is_empty()).then(|| vec!["usage".to_owned(), told.join("; ")])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_fields_that_say_something_become_rows() {
        let record = json!({"id": "n-1", "text": "x", "tags": [], "files": ["a.rs", "b.rs"], "restricted": false,
                            "status": "asserted", "usage": {"loaded": 0}, "valid_at": "2026-11-13T04:59:53Z", "invalid_at": null, "importance": 0.5});
        let expected = [["files", "a.rs, b.rs"], ["valid at", "2026-11-13 04:59 UTC"], ["importance", "0.5"]];
        assert_eq!(rows(&record, "x"), expected);
    }

    #[test]
    fn a_body_is_told_once_and_usage_in_words() {
        let record = json!({"id": "sem-1", "pattern": {"pattern": "retry", "category": "net", "conditions": ["slow"],
                            "source_episodes": []}, "usage": {"loaded": 4, "referenced": 1, "success": 0,
                            "last_accessed": "2026-11-13T04:59:53Z"}});
        let expected = [["category", "net"], ["usage", "handed out 4 times, last 2026-11-13 04:59 UTC; named once"]];
        assert_eq!(rows(&record, "retry\nwhen: slow"), expected);
    }
}
