//! Looking back: `lokid changes`, `lokid undo` and `lokid show --history`.

use serde_json::Value;

use super::args::{Changes, Show, Undo};
use super::ask::{self, Ask};
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::remember;
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::words;
use crate::serve::encode;
use lokid_sys::Clock;

const TITLE: usize = 60;
/// Of a field that is shown before and after.
const LONGEST: usize = 2_000;

pub(super) fn changes(asked: &Changes, settings: &Settings, screen: &mut Screen) -> Done {
    let is_change = asked.id.as_deref().is_some_and(|id| id.starts_with("c-"));
    let named = if is_change { "change" } else { "memory" };
    let since = asked.since.as_deref().map(since).transpose()?;
    let list = |words: &[String]| (!words.is_empty()).then(|| words.join(","));
    let ask = Ask::get("/changes")
        .project(settings)
        .maybe(named, asked.id.as_deref())
        .maybe("since", since.as_deref())
        .maybe("open", asked.open.then_some("true"))
        .maybe("by", list(&asked.by).as_deref())
        .maybe("op", list(&asked.op).as_deref())
        .maybe("cursor", asked.cursor.as_deref())
        .maybe("namespace", asked.namespace.as_deref())
        .query("limit", &asked.limit.to_string());
    let answer = Reach::reader(settings, screen)?.ask(&ask)?;
    let items = ask::json(&answer)?;
    if let Some(id) = asked.id.as_deref().filter(|_| is_change && ask::list(&items, "items").is_empty()) {
        return Err(Failure::new(format!("no change {id}, or it is older than what is kept")));
    }
    let Some(answer) = ask::told(&answer, settings, screen)? else { return Ok(()) };
    let items = ask::list(&answer, "items");
    if items.is_empty() {
        screen.note(if asked.open { "nothing is open" } else { "nothing changed that fits" });
    }
    if is_change {
        return whole(items, screen);
    }
    let rows: Vec<Vec<String>> = items.iter().map(row).collect();
    screen.listed(&rows)?;
    let next = words::field(&answer, "next_cursor");
    if !next.is_empty() {
        screen.note(format!("there are more: `--cursor {next}` shows the next"));
    }
    Ok(())
}

/// A time, or how long ago.
fn since(typed: &str) -> Result<String, Failure> {
    match lokid_config::parse_duration(typed) {
        Some(ago) => {
            let micros = i64::try_from(ago.as_micros()).unwrap_or(i64::MAX);
            Ok(Clock::system().now().plus_micros(micros.saturating_neg()).record_style())
        }
        None => remember::time("--since", Some(typed)).map(Option::unwrap_or_default),
    }
}

fn row(item: &Value) -> Vec<String> {
    let state = match (item["undone"].as_bool(), item["accepted"].as_bool()) {
        (Some(true), _) => " (undone)",
        (_, Some(true)) => " (accepted)",
        _ => "",
    };
    let title = words::brief(&words::field(item, "title"), TITLE);
    let title = if title.is_empty() { words::field(item, "memory_id") } else { title };
    let why = words::brief(&words::field(item, "why"), TITLE);
    vec![
        words::field(item, "id"),
        words::moment(&words::field(item, "at")),
        format!("{} by {}{state}", words::field(item, "op"), words::field(item, "by")),
        title,
        why,
    ]
}

/// All that was done together, in its order, with what it was before.
fn whole(items: &[Value], screen: &mut Screen) -> Done {
    for (at, item) in items.iter().rev().enumerate() {
        if at > 0 {
            screen.line("")?;
        }
        let told = row(item);
        let head = screen.paint(Style::Bold, &told[0]);
        screen.line(format!("{head}  {}  {}  {}", told[1], told[2], words::field(item, "memory_id")))?;
        let why = words::field(item, "why");
        if !why.is_empty() {
            screen.line(screen.paint(Style::Dim, &why))?;
        }
        differences(item, screen)?;
        for link in ask::list(item, "links") {
            let [from, relation, to] = ["from", "relation", "to"].map(|name| words::field(link, name));
            screen.line(format!("  {from} {relation} {to}"))?;
        }
        if let Some(matter) = item.get("contradiction") {
            let [id, status, a, b] = ["id", "status", "a_says", "b_says"].map(|name| words::field(matter, name));
            screen.line(format!("  {id} is {status}"))?;
            screen.line(format!("  a  {}", words::brief(&a, 100)))?;
            screen.line(format!("  b  {}", words::brief(&b, 100)))?;
        }
    }
    let Some(item) = items.first() else { return Ok(()) };
    match words::field(item, "hindrance").as_str() {
        "" => screen.note(format!("`lokid undo {}` takes it back", words::field(item, "id"))),
        why => screen.note(format!("it cannot be undone: {why}")),
    }
    Ok(())
}

fn differences(item: &Value, screen: &mut Screen) -> Done {
    let (before, after) = (&item["before"], &item["after"]);
    let mut fields: Vec<&str> = ask::list(item, "fields").iter().filter_map(Value::as_str).collect();
    // Of what came or went, what it says.
    if before.is_null() != after.is_null() {
        fields = vec!["text"];
    }
    for field in fields {
        screen.line(format!("  {field}"))?;
        for (mark, style, record) in [("-", Style::Red, before), ("+", Style::Green, after)] {
            let said = words::field(record, field);
            for line in lokid_model::words::head(&said, LONGEST).lines() {
                screen.line(screen.paint(style, &format!("  {mark} {line}")))?;
            }
        }
    }
    Ok(())
}

pub(super) fn undo(asked: &Undo, settings: &Settings, screen: &mut Screen) -> Done {
    let ask = match (&asked.change, &asked.night) {
        (_, Some(night)) => {
            let night = remember::time("--night", Some(night))?;
            Ask::post("/consolidate/undo").project(settings).maybe_field("started_at", night)
        }
        (change, None) => {
            let change = change.as_deref().unwrap_or_default();
            Ask::post(&format!("/changes/{}/undo", encode(change))).project(settings)
        }
    };
    let Some(answer) = Reach::daemon(settings)?.told(&ask, settings, screen)? else { return Ok(()) };
    let undone = match &answer["undone"] {
        Value::Array(ids) => ids.len() as u64,
        many => many.as_u64().unwrap_or(0),
    };
    screen.line(format!("{} undone", words::count(undone, "change", "changes")))?;
    for skipped in ask::list(&answer, "skipped") {
        screen.note(format!("{} stays: {}", words::field(skipped, "id"), words::field(skipped, "why")));
    }
    Ok(())
}

pub(super) fn history(show: &Show, settings: &Settings, screen: &mut Screen) -> Done {
    let ask = Ask::get(&format!("/memories/{}/history", encode(&show.id)))
        .project(settings)
        .maybe("namespace", show.namespace.as_deref());
    let Some(answer) = Reach::reader(settings, screen)?.told(&ask, settings, screen)? else { return Ok(()) };
    for (at, version) in ask::list(&answer, "versions").iter().enumerate() {
        if at > 0 {
            screen.line("")?;
        }
        let until = words::field(version, "until");
        let until = if until.is_empty() { "now".to_owned() } else { words::moment(&until) };
        let times = format!("{} to {until}", words::moment(&words::field(version, "at")));
        let (op, by) = (words::field(version, "op"), words::field(version, "by"));
        screen.line(format!("{}  {op} by {by}", screen.paint(Style::Bold, &times)))?;
        let why = words::field(version, "why");
        if !why.is_empty() {
            screen.line(screen.paint(Style::Dim, &why))?;
        }
        let record = &version["record"];
        let (tier, text) = (words::field(record, "tier"), words::field(record, "text"));
        screen.line(format!("  {tier}"))?;
        for line in text.lines() {
            screen.line(format!("  {line}"))?;
        }
    }
    Ok(())
}
