//! `lokid redact`: words that match a pattern made unreadable. It tells what matches, and does it when told to.

use serde_json::Value;

use super::args::Redact;
use super::ask::{self, Ask};
use super::failure::Done;
use super::reach::Reach;
use super::screen::Screen;
use super::settings::Settings;
use super::words;

/// The counts of an answer, and what one and several of each are called.
const PLACES: [(&str, &str, &str); 5] = [
    ("memories", "memory", "memories"),
    ("archived", "archived memory", "archived memories"),
    ("documents", "ledger or handoff", "ledgers and handoffs"),
    ("history", "earlier wording", "earlier wordings"),
    ("derived", "memory of the repository itself", "memories of the repository itself"),
];

pub(super) fn run(redact: &Redact, settings: &Settings, screen: &mut Screen) -> Done {
    let daemon = Reach::daemon(settings)?;
    let ask = Ask::post("/memories/redact")
        .project(settings)
        .field("pattern", redact.pattern.as_str())
        .maybe_field("namespace", redact.namespace.as_deref())
        .maybe_field("reason", redact.reason.as_deref())
        .field("dry_run", !redact.yes);
    let answer = daemon.ask(&ask)?;
    let Some(told) = ask::told(&answer, settings, screen)? else { return Ok(()) };
    for line in words::table(&ask::list(&told, "redacted").iter().map(row).collect::<Vec<_>>()) {
        screen.line(line)?;
    }
    let counts = counts(&told);
    if counts.is_empty() {
        screen.note("nothing matches");
    } else if redact.yes {
        screen.line(format!("made unreadable: {counts}"))?;
    } else {
        screen.line(format!("matches: {counts}"))?;
        screen.note("nothing was changed: add --yes to make it unreadable for good");
    }
    if told["derived"].as_u64() > Some(0) {
        screen.note("what the repository itself says is no longer remembered, but stands there as before");
    }
    Ok(())
}

fn counts(told: &Value) -> String {
    let many = |name: &str| told[name].as_u64().unwrap_or(0);
    let places = PLACES.iter().filter(|(name, ..)| many(name) > 0);
    places.map(|(name, one, more)| words::count(many(name), one, more)).collect::<Vec<_>>().join(", ")
}

fn row(memory: &Value) -> Vec<String> {
    let places = words::count(memory["places"].as_u64().unwrap_or(0), "place", "places");
    let new = memory["replaced_by"].as_str().map(|id| format!("-> {id}")).unwrap_or_default();
    vec![words::field(memory, "id"), places, words::brief(&words::field(memory, "title"), 80), new]
}
