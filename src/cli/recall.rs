//! `lokid recall`: a question and the memories that answer it.

use std::io::{self, Read};

use anyhow::Context;
use serde_json::Value;

use super::args::Recall;
use super::ask::{self, Ask};
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::remember;
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::words;

/// More than any question needs; the daemon reads the beginning only.
const MOST_TEXT: u64 = 8 << 20;

pub(super) fn run(recall: &Recall, settings: &Settings, screen: &mut Screen) -> Done {
    let query = query(recall)?;
    if query.trim().is_empty() {
        return Err(Failure::usage("the question is empty"));
    }
    let as_of = remember::time("--as-of", recall.as_of.as_deref())?;
    let reach = Reach::reader(settings, screen)?;
    // A person looks; nothing leaves for an agent. Without a daemon the index is brought up to date first.
    let ask = Ask::post("/recall")
        .project(settings)
        .field("query", query)
        .field("k", recall.k)
        .field("explain", recall.explain)
        .field("counted", false)
        .field("fresh", !reach.is_daemon())
        .maybe_field("task_type", recall.task.clone())
        .maybe_field("as_of", as_of)
        .maybe_field("min_score", recall.min_score)
        .maybe_field("level", recall.level.clone())
        .maybe_field("namespace", recall.namespace.clone())
        .maybe_field("kinds", some(&recall.kind))
        .maybe_field("tiers", some(&recall.tier))
        .maybe_field("files", some(&recall.file))
        .maybe_field("include", some(&recall.include));
    let Some(answer) = reach.told(&ask, settings, screen)? else { return Ok(()) };
    let results = ask::list(&answer, "results");
    for (place, found) in results.iter().enumerate() {
        if place > 0 {
            screen.line("")?;
        }
        show(found, recall.level.as_deref().unwrap_or("summary"), screen)?;
    }
    if results.is_empty() {
        screen.note("nothing is remembered about that");
    }
    if let Some(waiting) = answer.get("waiting").and_then(Value::as_u64) {
        let memories = words::count(waiting, "memory", "memories");
        screen.note(format!("the index is being made: {memories} cannot be found yet"));
    }
    Ok(())
}

fn query(recall: &Recall) -> Result<String, Failure> {
    if recall.query != ["-"] {
        return Ok(recall.query.join(" "));
    }
    let mut bytes = Vec::new();
    io::stdin().take(MOST_TEXT).read_to_end(&mut bytes).context("cannot read the standard input")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn some(words: &[String]) -> Option<Vec<String>> {
    (!words.is_empty()).then(|| words.to_vec())
}

fn show(found: &Value, level: &str, screen: &mut Screen) -> Done {
    let mut head = vec![words::field(found, "kind"), words::field(found, "tier"), words::field(found, "outcome")];
    head.retain(|word| !word.is_empty() && word != "reference");
    head.push(words::moment(&words::field(found, "created_at")));
    head.push(format!("{:.3}", found.get("score").and_then(Value::as_f64).unwrap_or(0.0)));
    let id = screen.paint(Style::Bold, &words::field(found, "id"));
    screen.line(format!("{id}  {}", screen.paint(Style::Dim, &head.join(" · "))))?;
    let (title, text) = (words::field(found, "title"), words::field(found, level));
    if !title.is_empty() && !text.trim_start().starts_with(title.trim()) {
        screen.line(format!("  {title}"))?;
    }
    for line in text.lines() {
        screen.line(format!("  {line}"))?;
    }
    let files = words::field(found, "files");
    if !files.is_empty() {
        screen.line(screen.paint(Style::Dim, &format!("  {files}")))?;
    }
    for line in found.get("parts").map(explain).unwrap_or_default() {
        screen.line(screen.paint(Style::Dim, &format!("  {line}")))?;
    }
    Ok(())
}

/// What the score is made of: what the question brought, then what it is multiplied with.
fn explain(parts: &Value) -> Vec<String> {
    let number = |name: &str| parts.get(name).and_then(Value::as_f64).unwrap_or(0.0);
    let named = |name: &&str| format!("{name} {}", number(name));
    let sum: Vec<String> = ["semantic", "keyword"].iter().map(named).collect();
    let rest = ["occasion", "linked", "place", "time"];
    let rest: Vec<String> = rest.iter().filter(|name| number(name) != 0.0).map(named).collect();
    let factors: Vec<String> =
        ["fit", "recency", "usage", "tier", "importance", "task", "outcome", "speaker"].iter().map(named).collect();
    let relevance = format!("relevance {}", number("relevance"));
    let mut lines = vec![[vec![relevance], sum, rest].concat().join(", "), factors.join(", ")];
    let matched = words::field(parts, "words");
    if !matched.is_empty() {
        lines.push(format!("words: {matched}"));
    }
    for (name, word) in [("link", "reached by"), ("instead_of", "in place of")] {
        let value = words::field(parts, name);
        if !value.is_empty() {
            lines.push(format!("{word} {value}"));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_explanation_leaves_out_what_added_nothing() {
        let parts = json!({"relevance": 0.59, "semantic": 0.5, "keyword": 1.0, "occasion": 0.0, "linked": 0.1, "place": 0, "time": 0.0,
            "fit": 1, "recency": 1.0, "usage": 0.5, "tier": 1.0, "importance": 0.5, "task": 1.25, "outcome": 1.0, "speaker": 1.0,
            "words": ["parser"], "instead_of": "fact-1"});
        let expected = [
            "relevance 0.59, semantic 0.5, keyword 1, linked 0.1",
            "fit 1, recency 1, usage 0.5, tier 1, importance 0.5, task 1.25, outcome 1, speaker 1",
            "words: parser",
            "in place of fact-1",
        ];
        assert_eq!(explain(&parts), expected);
    }
}
