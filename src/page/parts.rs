//! What screens share: fields of an answer, times, badges, lists with a way on, and forms that act.

use maud::{Markup, html};
use serde_json::Value;

use super::site::Here;
use crate::serve::encode;
use crate::words;
use lokid_model::{Timestamp, unseen};
use lokid_sys::Clock;

/// A field that is text; empty when it is not there.
pub(super) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn number(value: &Value, name: &str) -> f64 {
    value.get(name).and_then(Value::as_f64).unwrap_or_default()
}

pub(super) fn count(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or_default()
}

pub(super) fn flag(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or_default()
}

pub(super) fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The texts in a list.
pub(super) fn texts<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v str> {
    list(value, name).iter().filter_map(Value::as_str)
}

/// From then on a day says more than a span: in seconds.
const LONG_AGO: i64 = 60 * 86_400;

pub(super) fn now() -> Timestamp {
    Clock::system().now()
}

/// How long ago it was, and when exactly for whoever wants to know.
pub(super) fn when(at: &str) -> Markup {
    let Some(then) = Timestamp::parse(at) else { return html! { (at) } };
    let seconds = (now().as_micros() - then.as_micros()) / 1_000_000;
    let span = words::span(seconds.unsigned_abs());
    if seconds > LONG_AGO {
        return html! { time datetime=(at) title=(at) { (then.day()) } };
    }
    html! {
        time datetime=(at) title=(at) {
            @if seconds.abs() < 2 { "now" } @else if seconds < 0 { "in " (span) } @else { (span) " ago" }
        }
    }
}

/// Words as they were written, lines included; what a reader would not see is shown.
pub(super) fn prose(said: &str) -> Markup {
    html! { p.prose dir="auto" { (unseen::shown(said)) } }
}

/// One line of them.
pub(super) fn line(said: &str) -> Markup {
    html! { bdi { (unseen::shown_line(said)) } }
}

pub(super) fn kind(name: &str) -> Markup {
    html! { span.kind data-kind=(name) { (name.replace('_', " ")) } }
}

/// Reference is what everything is; only what binds is marked.
pub(super) fn tier(name: &str) -> Markup {
    html! { @if !name.is_empty() && name != "reference" { span.tier data-tier=(name) { (name) } } }
}

/// A memory by its name, leading to it.
pub(super) fn memory_link(here: &Here, id: &str, title: &str) -> Markup {
    html! { a.memory href=(here.to(&format!("memories/{}", encode(id)))) { (line(if title.is_empty() { id } else { title })) } }
}

/// The page of a memory; one in another namespace says so.
pub(super) fn memory_address(here: &Here, id: &str, namespace: &str) -> String {
    let namespace = if namespace == "default" { "" } else { namespace };
    with(here, &format!("memories/{}", encode(id)), &[("namespace", namespace)])
}

/// A path, leading to what is known there.
pub(super) fn file_link(here: &Here, path: &str) -> Markup {
    html! { a.file href=(here.to(&format!("files?path={}", encode(path)))) { (line(path)) } }
}

/// This page with one thing asked otherwise; the place in the list is left.
pub(super) fn with(here: &Here, page: &str, asked: &[(&str, &str)]) -> String {
    let mut address = here.to(page);
    for (place, (name, value)) in asked.iter().filter(|(_, value)| !value.is_empty()).enumerate() {
        address.push(if place == 0 { '?' } else { '&' });
        address.push_str(&format!("{name}={}", encode(value)));
    }
    address
}

/// The way to what comes next in a list.
pub(super) fn more(here: &Here, page: &str, asked: &[(&str, &str)], told: &Value) -> Markup {
    let cursor = text(told, "next_cursor");
    let next: Vec<(&str, &str)> = asked.iter().copied().chain([("cursor", cursor)]).collect();
    html! { @if !cursor.is_empty() { p.more { a href=(with(here, page, &next)) rel="next" { "Older" } } } }
}

/// A button that does something, and comes back here. `key` is what is pressed for it.
pub(super) fn act(here: &Here, deed: &str, label: &str, key: &str, fields: &[(&str, &str)]) -> Markup {
    html! {
        form.act method="post" action=(here.to("act")) data-key=[(!key.is_empty()).then_some(key)] {
            (hidden(here, deed, fields))
            button title=[(!key.is_empty()).then(|| format!("key: {key}"))] { (label) }
        }
    }
}

/// What a form says beside what the reader types.
pub(super) fn hidden(here: &Here, deed: &str, fields: &[(&str, &str)]) -> Markup {
    html! {
        input type="hidden" name="do" value=(deed);
        input type="hidden" name="back" value=(here.address);
        @if !here.query("namespace").is_empty() { input type="hidden" name="namespace" value=(here.query("namespace")); }
        @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
    }
}

/// Nothing to show is said so, with what would change it.
pub(super) fn nothing(what: &str, then: &str) -> Markup {
    html! { div.nothing { p { strong { (what) } } p { (then) } } }
}

/// A number with its name below.
pub(super) fn figure(value: &str, name: &str) -> Markup {
    html! { div.figure { strong { (value) } span { (name) } } }
}

/// How much goes on somewhere, beside the hottest of the project.
pub(super) fn heat(share: f64) -> Markup {
    let label = format!("heat {share:.2}");
    html! { meter.heat min="0" max="1" value=(format!("{:.3}", share.clamp(0.0, 1.0))) aria-label=(label) title=(label) {} }
}

/// A share as a bar that can be read without seeing it.
pub(super) fn bar(share: f64, label: &str) -> Markup {
    html! { meter min="0" max="1" value=(format!("{:.3}", share.clamp(0.0, 1.0))) aria-label=(label) title=(label) {} }
}
