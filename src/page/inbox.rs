//! What changed in the memory lately and nobody has looked at yet: new, changed, merged, archived, in conflict. Each with
//! what differs, and the ways to settle it: accept, edit, keep it private, promote, forget, undo.

use maud::{Markup, html};
use serde_json::Value;

use super::daemon::Trouble;
use super::diff;
use super::frame::Sheet;
use super::memory::contradiction;
use super::parts::{act, flag, hidden, kind, line, list, memory_address, more, nothing, prose, text, tier, when, with};
use super::site::Here;
use crate::words;

/// What can be looked at: its name in the address, and for a reader.
const OPS: &[(&str, &str)] = &[
    ("", "everything"),
    ("new", "new"),
    ("changed", "changed"),
    ("merged", "merged"),
    ("archived", "archived"),
    ("conflict", "in conflict"),
];

pub(super) async fn screen(here: Here) -> Result<Sheet, Trouble> {
    let (op, all) = (here.query("op").to_owned(), here.query("all") == "yes");
    let open = if all { "" } else { "true" };
    let asked = [("open", open), ("op", op.as_str()), ("cursor", here.query("cursor")), ("limit", "30")];
    let changes = here.about.get("/changes", &asked).await?;
    let disputes = here.about.get("/contradictions", &[("status", "open")]).await?;
    let kept = [("op", op.as_str()), ("all", if all { "yes" } else { "" })];
    let shows_disputes = (op.is_empty() || op == "conflict") && here.query("cursor").is_empty();
    // A conflict that is still open stands above, with the ways to settle it.
    let open = list(&disputes, "items");
    let is_told = |change: &Value| {
        let matter = change.get("contradiction").map(|matter| text(matter, "id"));
        shows_disputes && matter.is_some_and(|id| open.iter().any(|one| text(one, "id") == id))
    };
    let is_above = |change: &&Value| !is_told(change);
    let items: Vec<&Value> = list(&changes, "items").iter().filter(is_above).collect();
    let disputes: &[Value] = if shows_disputes { list(&disputes, "items") } else { &[] };
    let body = html! {
        h1 { "Inbox" }
        nav.chips aria-label="Which changes" {
            ul {
                @for (name, label) in OPS {
                    @let wanted = [("op", *name), ("all", if all { "yes" } else { "" })];
                    li { a href=(with(&here, "inbox", &wanted)) aria-current=[(*name == op).then_some("true")] { (label) } }
                }
                @let wanted = [("op", op.as_str()), ("all", if all { "" } else { "yes" })];
                li { a href=(with(&here, "inbox", &wanted)) aria-current=[all.then_some("true")] { "also what is settled" } }
            }
        }
        @if items.is_empty() && disputes.is_empty() {
            (nothing("Nothing waits.", "What agents, nights, imports and teammates change stands here until somebody has looked at it."))
        }
        @for one in disputes { (contradiction(&here, one)) }
        @for change in items { (entry(&here, change)) }
        (more(&here, "inbox", &kept, &changes))
        @if !text(&changes, "since").is_empty() { p.hint { "Kept since " (when(text(&changes, "since"))) "." } }
    };
    Ok(Sheet { title: "Inbox".to_owned(), live: "memory memories contradiction link tier team consolidation", body })
}

fn entry(here: &Here, change: &Value) -> Markup {
    let (id, memory) = (text(change, "id"), text(change, "memory_id"));
    let title = words::brief(text(change, "title"), 120);
    html! {
        article.item data-item=(id) {
            header {
                span.mark.good[text(change, "op") == "new"].warn[text(change, "op") == "archived"] { (op_in_words(text(change, "op"))) }
                (kind(text(change, "kind"))) (tier(text(change, "tier")))
                h2 { a.memory data-open href=(memory_address(here, memory, text(change, "namespace"))) { (line(if title.is_empty() { memory } else { &title })) } }
                span.meta { (by(change)) (when(text(change, "at"))) }
            }
            @if !text(change, "why").is_empty() { p.hint { (line(text(change, "why"))) } }
            (difference(change, &title))
            (acts(here, change))
        }
    }
}

fn by(change: &Value) -> Markup {
    let author = text(change, "author");
    html! {
        @match text(change, "by") { "" => {}, "night" => "by a night, ", by => { "by " (by) @if author.is_empty() { ", " } } }
        @if !author.is_empty() { " " (line(author)) ", " }
    }
}

fn op_in_words(op: &str) -> &str {
    match op {
        "archived" => "forgotten",
        "restored" => "brought back",
        "conflict" => "in conflict",
        other => other,
    }
}

/// What differs; of what is all new or all gone, the text, unless the title has said it.
fn difference(change: &Value, title: &str) -> Markup {
    let side = |name: &str| change.get(name).filter(|record| !record.is_null());
    match (side("before"), side("after")) {
        (Some(before), Some(after)) => diff::records(before, after),
        (None, Some(record)) | (Some(record), None) if text(record, "text").trim() != title => {
            prose(&brief(text(record, "text")))
        }
        _ => html! {},
    }
}

/// The beginning of a long text; the whole of it is a step away.
fn brief(said: &str) -> String {
    const MOST: usize = 900;
    match said.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &said[..end]),
        None => said.to_owned(),
    }
}

fn acts(here: &Here, change: &Value) -> Markup {
    let (id, memory, op) = (text(change, "id"), text(change, "memory_id"), text(change, "op"));
    let place = text(change, "namespace");
    let own = [("change", id), ("id", memory), ("namespace", place)];
    let after = change.get("after").filter(|record| !record.is_null());
    let lives = after.is_some() && op != "archived";
    let private = after.is_some_and(|record| text(record, "scope") == "user-private");
    html! {
        div.acts {
            @if flag(change, "accepted") { (act(here, "unaccept", "No longer accepted", "", &own)) }
            @else if !flag(change, "undone") { (act(here, "accept", "Accept", "a", &own)) }
            @if flag(change, "undone") { span.mark { "undone" } }
            @else if flag(change, "can_undo") { (act(here, "undo", "Undo", "u", &own)) }
            @else if !text(change, "hindrance").is_empty() { small { "cannot be undone: " (line(text(change, "hindrance"))) } }
            @if lives {
                @if private { (act(here, "shared", "Share", "p", &own)) } @else { (act(here, "private", "Make private", "p", &own)) }
                @if text(change, "tier") == "reference" { (act(here, "tier", "Promote", "t", &[("id", memory), ("tier", "guardrail"), ("namespace", place)])) }
                (act(here, "forget", "Forget", "x", &own))
            }
            @if let Some(record) = after.filter(|_| lives) {
                details id={"edit-" (id)} data-key="e" {
                    summary { "Edit" }
                    form method="post" action=(here.to("act")) {
                        (hidden(here, "edit", &[("id", memory), ("was", text(record, "text")), ("namespace", place)]))
                        label for={"text-" (id)} { "What is remembered" }
                        textarea id={"text-" (id)} name="text" dir="auto" { (text(record, "text")) }
                        p { button.primary { "Keep" } }
                    }
                }
            }
        }
    }
}
