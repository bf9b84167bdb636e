//! `lokid show`: one memory, readable.

use serde_json::Value;

use super::args::Show;
use super::ask::{self, Ask};
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::remember;
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::words;
use crate::serve::encode;

pub(super) fn run(show: &Show, settings: &Settings, screen: &mut Screen) -> Done {
    let as_of = remember::time("--as-of", show.as_of.as_deref())?;
    let ask = Ask::get(&format!("/memories/{}", encode(&show.id)))
        .project(settings)
        .query("counted", "false")
        .maybe("level", show.level.as_deref())
        .maybe("as_of", as_of.as_deref())
        .maybe("namespace", show.namespace.as_deref());
    let reach = Reach::reader(settings, screen)?;
    let answer = reach.ask(&ask)?;
    if settings.json {
        return screen.text(&answer.text());
    }
    let shown = ask::json(&answer)?;
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
        .query("relation", "superseded_by")
        .maybe("namespace", show.namespace.as_deref());
    let answer = reach.learn(&ask)?;
    let own = |edge: &&Value| words::field(edge, "from") == show.id;
    Ok(ask::list(&answer, "edges").iter().filter(own).map(|edge| words::field(edge, "to")).collect())
}

/// Shown at the top, or the text once more.
const ELSEWHERE: [&str; 10] =
    ["id", "kind", "title", "text", "summary", "tier", "namespace", "level", "compressed", "index"];
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
    let rows = rows(record);
    if !rows.is_empty() {
        screen.line("")?;
    }
    for line in words::table(&rows) {
        screen.line(line)?;
    }
    Ok(())
}

fn rows(record: &Value) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let created = words::field(record, "created_at");
    for (key, value) in record.as_object().into_iter().flatten() {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_fields_that_say_something_become_rows() {
        let record = json!({"id": "n-1", "text": "x", "tags": [], "files": ["a.rs", "b.rs"], "restricted": false,
                            "status": "asserted", "usage": {"loaded": 0}, "valid_at": "2026-11-13T04:59:53Z", "invalid_at": null, "importance": 0.5});
        let expected = [["files", "a.rs, b.rs"], ["valid at", "2026-11-13 04:59 UTC"], ["importance", "0.5"]];
        assert_eq!(rows(&record), expected);
    }
}
