//! One memory with its whole life: what it says, as of any moment on both axes of time; its versions and what made them,
//! what it comes from, what stands around it, and when it was said.

use maud::{Markup, html};
use serde_json::Value;

use super::daemon::{Trouble, segment};
use super::diff;
use super::frame::Sheet;
use super::graph::{self, Edge, Node};
use super::memories::{marks, mention};
use super::parts::{
    act, count, file_link, hidden, kind, line, list, memory_link, number, prose, text, texts, tier, when, with,
};
use super::site::Here;
use crate::words;

pub(super) async fn screen(here: Here) -> Result<Sheet, Trouble> {
    let id = here.param("id").to_owned();
    let about = here.about.within(here.query("namespace"));
    let path = format!("/memories/{}", segment(&id));
    let told = about.get(&path, &[("counted", "false")]).await;
    let history = about.get(&format!("{path}/history"), &[]).await.unwrap_or_default();
    let memory = match told {
        Ok(memory) => memory,
        Err(trouble) if trouble.status == 404 => return Ok(gone(&here, &id, &trouble, &history)),
        Err(trouble) => return Err(trouble),
    };
    let around = about.get(&format!("/links/{}", segment(&id)), &[("depth", depth(&here))]).await.unwrap_or_default();
    let said = about.get("/said", &[("memory", &id), ("spoken", "true"), ("limit", "20")]).await.unwrap_or_default();
    let disputes = about.get("/contradictions", &[("status", "open")]).await.unwrap_or_default();
    let moment = Moment::read(&here, &memory, &history);
    let shown = moment.version.unwrap_or(&memory);
    let title = words::brief(text(&memory, "title"), 80);
    let title = if title.is_empty() { words::brief(text(&memory, "text"), 80) } else { title };
    let body = html! {
        article.whole {
            p { a href=(here.to("memories")) { "Memories" } }
            h1 { (kind(text(&memory, "kind"))) " " (tier(text(&memory, "tier"))) " " (line(&title)) }
            (marks(&memory))
            (moment.sliders(&here, &id))
            (prose(text(shown, "text")))
            @if !moment.is_true { p { span.mark.warn { "not held true then" } } }
            (acts(&here, &memory))
            (disputed(&here, &id, &disputes))
        }
        div.split {
            div {
                (versions(&history))
                h2 { "When it was said" }
                (uses(&here, &memory, &said, &id))
                h2 { "What stands around it" }
                (neighbours(&here, &id, &around))
            }
            aside { h2 { "About it" } (facts(&here, &memory)) }
        }
    };
    Ok(Sheet { title, live: "memory memories link contradiction tier said", body })
}

fn depth(here: &Here) -> &str {
    if here.query("depth") == "2" { "2" } else { "1" }
}

/// Forgotten, or never there; what is archived comes back from here.
fn gone(here: &Here, id: &str, trouble: &Trouble, history: &Value) -> Sheet {
    let body = html! {
        article.whole {
            h1 { "Not among what is known" }
            p.trouble { (trouble.detail) }
            @if !list(history, "versions").is_empty() || trouble.detail.contains("forgotten") {
                div.acts { (act(here, "restore", "Bring it back", "u", &[("id", id)])) }
            }
        }
        (versions(history))
    };
    Sheet { title: id.to_owned(), live: "memory memories", body }
}

/// A moment on both axes: what was known then, and whether it held.
struct Moment<'v> {
    /// Every moment at which something else was known, oldest first.
    known: Vec<&'v str>,
    /// Every moment at which it began or ceased to hold.
    holds: Vec<&'v str>,
    at_known: usize,
    at_holds: usize,
    version: Option<&'v Value>,
    is_true: bool,
}

impl<'v> Moment<'v> {
    fn read(here: &Here, memory: &'v Value, history: &'v Value) -> Moment<'v> {
        let versions = list(history, "versions");
        let mut known: Vec<&str> =
            versions.iter().map(|version| text(version, "at")).filter(|at| !at.is_empty()).collect();
        known.reverse();
        if known.is_empty() {
            known.push(text(memory, "created_at"));
        }
        let step = |name: &str, most: usize| here.query(name).parse::<usize>().ok().filter(|step| *step <= most);
        // Behind the last is now.
        let at_known = step("known", known.len()).unwrap_or(known.len());
        let version =
            (at_known < known.len()).then(|| versions.get(versions.len().checked_sub(1 + at_known)?)).flatten();
        let version = version.and_then(|version| version.get("record"));
        let shown = version.unwrap_or(memory);
        let times = [text(shown, "valid_at"), text(shown, "invalid_at")];
        let holds: Vec<&str> = times.into_iter().filter(|at| !at.is_empty()).collect();
        let at_holds = step("holds", holds.len()).unwrap_or(holds.len());
        // Before the first it did not hold yet; behind the end it holds no longer.
        let is_true = match at_holds {
            0 if !holds.is_empty() => false,
            at if at >= 2 => text(shown, "invalid_at") > super::parts::now().record_style().as_str(),
            _ => true,
        };
        Moment { known, holds, at_known, at_holds, version, is_true }
    }

    fn sliders(&self, here: &Here, id: &str) -> Markup {
        if self.known.len() < 2 && self.holds.len() < 2 {
            return html! {};
        }
        let named = |times: &[&str], step: usize, word: &str| {
            times.get(step).map_or("now".to_owned(), |at| format!("{word}{}", words::moment(at)))
        };
        let known = named(&self.known, self.at_known, "");
        let holds = named(&self.holds, self.at_holds, "before ");
        html! {
            form method="get" action=(here.to(&format!("memories/{}", segment(id)))) data-eager {
                @if self.known.len() > 1 {
                    label for="known" { "As it was known: " strong { (known) } }
                    input #known type="range" name="known" min="0" max=(self.known.len()) value=(self.at_known) aria-valuetext=(known);
                }
                @if self.holds.len() > 1 {
                    label for="holds" { "As it held: " strong { (holds) } }
                    input #holds type="range" name="holds" min="0" max=(self.holds.len()) value=(self.at_holds) aria-valuetext=(holds);
                }
                @if !here.query("namespace").is_empty() { input type="hidden" name="namespace" value=(here.query("namespace")); }
                noscript { button { "Show" } }
            }
        }
    }
}

fn acts(here: &Here, memory: &Value) -> Markup {
    let id = text(memory, "id");
    let own = [("id", id)];
    let private = text(memory, "scope") == "user-private";
    html! {
        div.acts {
            (act(here, "confirm", "Accept", "a", &[("id", id), ("tier", text(memory, "tier"))]))
            @if private { (act(here, "shared", "Share", "p", &own)) } @else { (act(here, "private", "Make private", "p", &own)) }
            @match text(memory, "tier") {
                "mandate" => {}
                "guardrail" => (act(here, "tier", "Promote to mandate", "t", &[("id", id), ("tier", "mandate")])),
                _ => (act(here, "tier", "Promote to guardrail", "t", &[("id", id), ("tier", "guardrail")])),
            }
            @if text(memory, "tier") != "reference" { (act(here, "tier", "Let it bind less", "", &[("id", id), ("tier", "reference")])) }
            (act(here, "mute", "Never say it unasked", "n", &own))
            (act(here, "forget", "Forget", "x", &own))
        details #edit data-key="e" {
            summary { "Edit" }
            form method="post" action=(here.to("act")) {
                (hidden(here, "edit", &[("id", id), ("was", text(memory, "text"))]))
                label for="edit-text" { "What is remembered" }
                textarea #edit-text name="text" dir="auto" { (text(memory, "text")) }
                p { button.primary { "Keep" } }
            }
        }
        }
    }
}

fn disputed(here: &Here, id: &str, disputes: &Value) -> Markup {
    let own = |one: &&Value| text(one, "a") == id || text(one, "b") == id;
    html! { @for one in list(disputes, "items").iter().filter(own) { (contradiction(here, one)) } }
}

/// Two that cannot both hold, side by side, and the ways to settle it.
pub(super) fn contradiction(here: &Here, one: &Value) -> Markup {
    let id = text(one, "id");
    let side = |name: &str, says: &str| {
        html! {
            div { p.hint { (name) " " (memory_link(here, text(one, name), text(one, name))) } (prose(text(one, says))) }
        }
    };
    let settle =
        |how: &str, label: &str, key: &str| act(here, "settle", label, key, &[("id", id), ("resolution", how)]);
    html! {
        section.item data-item=(id) {
            header { span.mark.bad { "cannot both hold" } span.meta { (when(text(one, "found_at"))) } }
            p { (line(text(one, "why"))) }
            div.beside { (side("a", "a_says")) (side("b", "b_says")) }
            div.acts { (settle("a_wins", "The first holds", "1")) (settle("b_wins", "The second holds", "2")) (settle("both_valid", "Both hold", "3")) }
        }
    }
}

fn versions(history: &Value) -> Markup {
    let versions = list(history, "versions");
    html! {
        h2 { "Versions" }
        @if versions.is_empty() { p.hint { "It is as it was first told." } }
        @for (place, version) in versions.iter().enumerate() {
            @let record = version.get("record").unwrap_or(&Value::Null);
            @let before = versions.get(place + 1).and_then(|version| version.get("record"));
            details #{"version-" (versions.len() - place)} open[place == 0] {
                summary { (text(version, "op")) " " (when(text(version, "at"))) @if !text(version, "by").is_empty() { " by " (text(version, "by")) } @if !text(version, "why").is_empty() { ": " (line(text(version, "why"))) } }
                @match before {
                    Some(before) => (diff::records(before, record)),
                    None => (prose(text(record, "text"))),
                }
            }
        }
        @if !text(history, "since").is_empty() { p.hint { "Kept since " (when(text(history, "since"))) "." } }
    }
}

fn uses(here: &Here, memory: &Value, said: &Value, id: &str) -> Markup {
    let usage = memory.get("usage").unwrap_or(&Value::Null);
    let times = |name: &str| words::number(count(usage, name));
    html! {
        p.hint {
            "handed out " (times("loaded")) "×, named " (times("referenced")) "×, of help " (times("success")) "×, passed over " (times("ignored")) "×"
        }
        ul.rows {
            @for one in list(said, "items") {
                @let own = list(one, "items").iter().find(|item| text(item, "id") == id);
                li {
                    (when(text(one, "at"))) " " a href=(with(here, "said", &[("session_id", text(one, "session_id"))])) { (text(one, "agent")) ", " (text(one, "event").replace('_', " ")) }
                    @if let Some(own) = own { ": " (line(text(own, "why"))) @if own.get("cited").and_then(Value::as_bool) == Some(true) { " " span.mark.good { "named" } } }
                }
            }
        }
    }
}

fn neighbours(here: &Here, id: &str, around: &Value) -> Markup {
    let others: Vec<&Value> = list(around, "nodes").iter().filter(|node| text(node, "id") != id).collect();
    if others.is_empty() {
        return html! { p.hint { "Nothing is linked to it yet." } };
    }
    let node = |node: &Value| Node {
        id: text(node, "id").to_owned(),
        label: words::brief(text(node, "title"), 34),
        address: here.to(&format!("memories/{}", segment(text(node, "id")))),
        is_here: text(node, "id") == id,
    };
    let edge = |edge: &Value| Edge {
        from: text(edge, "from").to_owned(),
        to: text(edge, "to").to_owned(),
        label: text(edge, "relation").replace('_', " "),
    };
    let nodes: Vec<Node> = list(around, "nodes").iter().map(node).collect();
    let edges: Vec<Edge> = list(around, "edges").iter().map(edge).collect();
    let (other, label) = if depth(here) == "2" { ("", "one step") } else { ("2", "two steps") };
    html! {
        (graph::drawn("How it is linked", &nodes, &edges))
        p.hint { a href=(with(here, &format!("memories/{}", segment(id)), &[("depth", other)])) { (label) } }
        details { summary { "As a list" } ul.rows { @for other in &others { li { (mention(here, other)) } } } }
    }
}

fn facts(here: &Here, memory: &Value) -> Markup {
    let row = |name: &str, value: Markup| html! { dt { (name) } dd { (value) } };
    let share = |name: &str| html! { (format!("{:.2}", number(memory, name))) };
    html! {
        dl.facts {
            (row("id", html! { code { (text(memory, "id")) } }))
            @for (name, label) in [("created_at", "learnt"), ("updated_at", "changed"), ("valid_at", "true since"), ("invalid_at", "true until")] {
                @if !text(memory, name).is_empty() { (row(label, when(text(memory, name)))) }
            }
            (row("from", html! { (text(memory, "source")) @if !text(memory, "actor").is_empty() { ", " (line(text(memory, "actor"))) } }))
            @if !text(memory, "author").is_empty() { (row("author", line(text(memory, "author")))) }
            (row("scope", html! { (text(memory, "scope")) }))
            (row("importance", share("importance")))
            (row("confidence", share("confidence")))
            @if !list(memory, "tags").is_empty() { (row("topics", html! { @for tag in texts(memory, "tags") { a.tag href=(with(here, "memories", &[("tag", tag)])) { (line(tag)) } " " } })) }
            @if !list(memory, "files").is_empty() { (row("files", html! { @for path in texts(memory, "files") { (file_link(here, path)) " " } })) }
            @if !list(memory, "sources").is_empty() { (row("made from", html! { @for source in texts(memory, "sources").take(20) { (memory_link(here, source, source)) " " } })) }
        }
    }
}
