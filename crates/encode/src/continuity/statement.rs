//! A decision and its reason, told apart where the writer told them apart.

use super::Statement;
use super::item::{bare, is_placeholder};
use super::lines::{Item, bold_label};
use crate::excerpt::plain_words;

const REASONS: &[&str] = &["rationale", "reason", "reasoning", "why", "because", "justification"];
const DECISIONS: &[&str] = &["decision", "decided", "choice", "what"];
const ASIDE: &[&str] = &["date", "time", "timestamp", "when", "id", "agent", "status"];

/// What an item of a section of decisions says.
pub(super) fn statement(item: &Item) -> Option<Statement> {
    let mut fields: Vec<(String, String)> = item.cells.clone();
    fields.extend(item.details.iter().map(|detail| match labelled(detail) {
        Some((label, rest)) => (label.to_owned(), rest.to_owned()),
        None => (String::new(), detail.clone()),
    }));
    let field = |names: &[&str]| {
        let of = |(label, value): &(String, String)| is_named(label, names).then(|| bare(value));
        fields.iter().filter_map(of).find(|value| !is_placeholder(value))
    };
    let own = if item.cells.is_empty() { Some(item.text.clone()) } else { field(DECISIONS) };
    let own = own.or_else(|| {
        let spoken = |(label, _): &&(String, String)| !is_named(label, ASIDE) && !is_named(label, REASONS);
        fields.iter().find(spoken).map(|(_, value)| value.clone())
    })?;
    let (text, inline) = split(&own);
    let text = text.trim_end_matches(':').trim_end().to_owned();
    if is_placeholder(&own) || is_placeholder(&text) {
        return None;
    }
    // A bullet below a decision that carries no label elaborates it.
    let below = || {
        let told: Vec<String> =
            fields.iter().filter(|(label, _)| label.is_empty()).map(|(_, value)| bare(value)).collect();
        (item.cells.is_empty() && !told.is_empty()).then(|| told.join("; "))
    };
    let rationale = field(REASONS).or(inline).or_else(below).filter(|reason| !is_placeholder(reason));
    Some(Statement { text, rationale, revised: None })
}

fn is_named(label: &str, names: &[&str]) -> bool {
    plain_words(label).first().is_some_and(|word| names.contains(&word.as_str()))
}

/// `**Label:** rest`, or `Label: rest` with a label of one or two words.
pub(super) fn labelled(text: &str) -> Option<(&str, &str)> {
    if let Some(found) = bold_label(text) {
        return Some(found);
    }
    let (label, rest) = text.split_once(": ").or_else(|| text.strip_suffix(':').map(|label| (label, "")))?;
    let short = !label.trim().is_empty() && label.len() <= 40 && label.split_whitespace().count() <= 4;
    short.then_some((label.trim(), rest.trim()))
}

/// Decision and reason of one line: "Use X because Y", "Use X for Z: Y", "**Use X** - Y", "Use X (rationale: Y)".
fn split(line: &str) -> (String, Option<String>) {
    let line = line.trim();
    if let Some((label, rest)) = labelled(line)
        && is_named(label, DECISIONS)
    {
        return split(rest);
    }
    let lower = line.to_ascii_lowercase();
    for mark in ["(rationale:", "(reason:", "(because ", "(why:", "rationale:", "reason:", "because ", "why:"] {
        let inside = |at: &usize| *at > 0 && !lower.as_bytes()[at - 1].is_ascii_alphanumeric();
        if let Some(at) = lower.find(mark).filter(inside) {
            let reason = bare(line[at + mark.len()..].trim().trim_end_matches(')'));
            let text = line[..at].trim_end_matches(|c: char| c.is_whitespace() || "-–—:;,(.".contains(c));
            if !text.is_empty() && !reason.is_empty() {
                return (bare(text), Some(reason));
            }
        }
    }
    if let Some(inner) = line.strip_prefix("**")
        && let Some((text, rest)) = inner.split_once("**")
        && text.split_whitespace().count() >= 2
    {
        let reason = bare(rest.trim_start_matches(|c: char| c.is_whitespace() || "-–—:".contains(c)));
        let text = bare(text.trim_end_matches(':'));
        return (text, Some(reason).filter(|reason| !reason.is_empty()));
    }
    if let Some((text, reason)) = line.split_once(": ")
        && text.split_whitespace().count() >= 3
    {
        return (bare(text), Some(bare(reason)).filter(|reason| !reason.is_empty()));
    }
    (bare(line), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, text: &str, rationale: Option<&str>) {
        let item = Item { text: line.to_owned(), listed: true, ..Item::default() };
        let found = statement(&item).unwrap();
        assert_eq!((found.text.as_str(), found.rationale.as_deref()), (text, rationale), "{line}");
    }

    #[test]
    fn a_reason_is_told_apart_where_the_writer_did() {
        check(
            "Use JWT for sessions: no state on the server - 2026-01-04T00:16:00Z",
            "Use JWT for sessions",
            Some("no state on the server"),
        );
        check("Use JWT because the servers share nothing", "Use JWT", Some("the servers share nothing"));
        check("**Use JWT** - stateless", "Use JWT", Some("stateless"));
        check("Use JWT (rationale: stateless)", "Use JWT", Some("stateless"));
        check("**Decision:** Use JWT. Rationale: stateless", "Use JWT", Some("stateless"));
        check("Database: PostgreSQL", "Database: PostgreSQL", None);
        check("Keep it simple", "Keep it simple", None);
    }

    #[test]
    fn rows_and_bullets_below_carry_reasons_too() {
        let cells = [("Date", "2026-01-04"), ("Decision", "Use JWT"), ("Why", "stateless")];
        let cells = cells.map(|(name, cell)| (name.to_owned(), cell.to_owned())).to_vec();
        let row = Item { text: "2026-01-04".into(), cells, ..Item::default() };
        assert_eq!(statement(&row).unwrap().rationale.as_deref(), Some("stateless"));
        assert_eq!(statement(&row).unwrap().text, "Use JWT");
        let bullet = Item { text: "Use JWT".into(), details: vec!["Why: stateless".into()], ..Item::default() };
        assert_eq!(statement(&bullet).unwrap().rationale.as_deref(), Some("stateless"));
        let unlabelled =
            Item { text: "Use JWT".into(), details: vec!["the servers share nothing".into()], ..Item::default() };
        assert_eq!(statement(&unlabelled).unwrap().rationale.as_deref(), Some("the servers share nothing"));
    }
}
