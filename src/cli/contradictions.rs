//! `lokid contradictions`: memories that cannot both hold, listed and settled; and `lokid confirm`: vouching for one.

use serde_json::Value;

use super::args::{Confirm, Contradictions, ContradictionsCommand};
use super::ask::{self, Ask};
use super::failure::Done;
use super::reach::Reach;
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::words;
use crate::serve::encode;

pub(super) fn run(contradictions: &Contradictions, settings: &Settings, screen: &mut Screen) -> Done {
    let namespace = contradictions.namespace.as_deref();
    match &contradictions.command {
        None => list(contradictions, settings, screen),
        Some(ContradictionsCommand::Resolve { id, resolution, note }) => {
            let ask = Ask::post(&format!("/contradictions/{}/resolve", encode(id)))
                .project(settings)
                .maybe_field("namespace", namespace)
                .field("resolution", resolution.as_str())
                .maybe_field("note", note.as_deref());
            let answer = Reach::daemon(settings)?.ask(&ask)?;
            if settings.json {
                screen.text(&answer.text())
            } else {
                screen.line(format!("{id} is settled: {resolution}"))
            }
        }
        Some(ContradictionsCommand::Check { a, b }) => {
            let ask = Ask::post("/contradictions/check").project(settings).maybe_field("namespace", namespace);
            let ask = match b {
                Some(b) => ask.field("a", a.as_str()).field("b", b.as_str()),
                None => ask.field("text", a.as_str()),
            };
            let Some(answer) = Reach::reader(settings, screen)?.told(&ask, settings, screen)? else { return Ok(()) };
            checked(&answer, screen)
        }
    }
}

fn list(contradictions: &Contradictions, settings: &Settings, screen: &mut Screen) -> Done {
    let status = if contradictions.status.is_empty() { "open".to_owned() } else { contradictions.status.join(",") };
    let ask = Ask::get("/contradictions")
        .project(settings)
        .query("status", &status)
        .maybe("namespace", contradictions.namespace.as_deref());
    let Some(answer) = Reach::reader(settings, screen)?.told(&ask, settings, screen)? else { return Ok(()) };
    let found = ask::list(&answer, "items");
    if found.is_empty() {
        screen.note(format!("no contradiction is {}", status.replace(',', " or ")));
        return Ok(());
    }
    for (at, one) in found.iter().enumerate() {
        if at > 0 {
            screen.line("")?;
        }
        let state = words::field(one, "resolution");
        let state = if state.is_empty() { words::field(one, "status") } else { state };
        let head = format!("{}  {state}", screen.paint(Style::Bold, &words::field(one, "id")));
        screen.line(format!("{head}  {}", screen.paint(Style::Dim, &words::field(one, "why"))))?;
        for side in ["a", "b"] {
            let says = words::brief(&words::field(one, &format!("{side}_says")), 100);
            screen.line(format!("  {side}  {}  {says}", words::field(one, side)))?;
        }
    }
    if status == "open" {
        screen.note("settle one with `lokid contradictions resolve ID a_wins|b_wins|both_valid|merged`");
    }
    Ok(())
}

fn checked(answer: &Value, screen: &mut Screen) -> Done {
    let sure = answer.get("score").and_then(Value::as_f64).unwrap_or(0.0);
    let verdict = screen.paint(Style::Bold, &words::field(answer, "verdict"));
    screen.line(format!("{verdict} ({sure:.2})  {}", words::field(answer, "why")))?;
    let rows: Vec<Vec<String>> = ask::list(answer, "with")
        .iter()
        .map(|one| {
            let title = words::brief(&words::field(one, "title"), 60);
            vec![
                format!("  {}", words::field(one, "verdict")),
                words::field(one, "id"),
                title,
                words::field(one, "why"),
            ]
        })
        .collect();
    screen.table(&rows)
}

pub(super) fn confirm(confirm: &Confirm, settings: &Settings, screen: &mut Screen) -> Done {
    let ask = Ask::post(&format!("/memories/{}/confirm", encode(&confirm.id)))
        .project(settings)
        .maybe_field("namespace", confirm.namespace.as_deref())
        .maybe_field("tier", confirm.tier.as_deref());
    let Some(memory) = Reach::daemon(settings)?.told(&ask, settings, screen)? else { return Ok(()) };
    screen.line(format!("{} is a {} now, on your word", confirm.id, words::field(&memory, "tier")))
}
