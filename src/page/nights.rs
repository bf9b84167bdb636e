//! What the nights did, each deed with its reason and each night with its undo; when the next one comes; and what waits
//! for a person: contradictions, files that are gone, authority that is asked for, what is muted. Beside it, how the
//! daemon fares (`health`).

use maud::{Markup, html};
use serde_json::Value;

use super::daemon::Trouble;
use super::frame::{self, Sheet};
use super::health;
use super::memories::mention;
use super::memory::contradiction;
use super::parts::{
    act, count, file_link, flag, line, list, memory_link, nothing, number, text, texts, tier, when, with,
};
use super::site::Here;
use crate::words;

/// Kept by the daemon.
const NIGHTS: &str = "30";
/// Deeds of the last night that stand on the first screen.
const SHOWN: usize = 20;
/// Of each sort of what waits.
const WAITING: usize = 10;
/// Memories named for one deed.
const NAMED: usize = 4;

pub(super) async fn screen(here: Here) -> Result<Sheet, Trouble> {
    let nights = here.about.get("/consolidate", &[("limit", NIGHTS)]).await?;
    match here.query("night") {
        "" => whole(&here, &nights).await,
        wanted => one(&here, &nights, wanted),
    }
}

async fn whole(here: &Here, nights: &Value) -> Result<Sheet, Trouble> {
    let (health, waits) = tokio::join!(health::facts(here), waiting(here));
    let body = html! {
        h1 { "Nights and health" }
        div.split {
            div {
                (coming(here, nights))
                (waits)
                h2 { "What the nights did" }
                @if list(nights, "nights").is_empty() {
                    (nothing("There was no night yet.", "At night it tidies up: what says the same is merged, what recurs is learnt, what nobody needs is archived."))
                }
                @for (place, night) in list(nights, "nights").iter().enumerate() {
                    (entry(here, night, if place == 0 { SHOWN } else { 0 }))
                }
            }
            aside { h2 { "Health" } (health?) }
        }
        (frame::later(here, "doctor", "What the doctor finds", "health/doctor", &[]))
    };
    Ok(Sheet {
        title: "Nights and health".to_owned(),
        live: "memory memories link contradiction consolidation tier team bootstrap",
        body,
    })
}

/// One night with all that is told of it.
fn one(here: &Here, nights: &Value, wanted: &str) -> Result<Sheet, Trouble> {
    let night = list(nights, "nights").iter().find(|night| text(night, "started_at") == wanted);
    let night = night.ok_or_else(|| Trouble::new(404, "Nothing is known of such a night any more."))?;
    let title = format!("The night of {}", words::moment(wanted));
    let body = html! {
        p { a href=(here.to("nights")) { "Nights and health" } }
        h1 { (title) }
        (entry(here, night, usize::MAX))
    };
    Ok(Sheet { title, live: "memory memories consolidation", body })
}

/// The night that runs, or the next, and what can be done about it.
fn coming(here: &Here, nights: &Value) -> Markup {
    let running = nights.get("running").filter(|running| !running.is_null());
    let (paused, waits, next) = (flag(nights, "paused"), text(nights, "waits"), text(nights, "next"));
    html! {
        p {
            @match running {
                Some(running) => {
                    span.mark.good { "a night is under way" } " begun " (when(text(running, "since"))) ", now: " (text(running, "phase")) ", "
                    (words::count(count(running, "done"), "deed", "deeds")) " so far"
                }
                None if paused => { span.mark.warn { "paused" } " No night comes until they are resumed." }
                None if !waits.is_empty() => { "The next night waits: " (waits) "." }
                None if !next.is_empty() => { "The next night comes " (when(next)) "." }
                None => "No night is planned.",
            }
        }
        div.acts {
            @if running.is_none() { (act(here, "night", "Run a night now", "", &[])) }
            @if paused { (act(here, "resume", "Resume nights", "", &[])) } @else { (act(here, "pause", "Pause nights", "", &[])) }
        }
    }
}

fn entry(here: &Here, night: &Value, most: usize) -> Markup {
    let (started, deeds) = (text(night, "started_at"), list(night, "done"));
    let (did, untold) = (words::deeds(night), count(night, "more"));
    let own = with(here, "nights", &[("night", started)]);
    html! {
        article.item data-item=(started) {
            header {
                h3 { a href=(own) data-open { (words::moment(started)) } }
                @if flag(night, "failed") { span.mark.bad { "failed" } } @else if flag(night, "interrupted") { span.mark.warn { "ended early" } }
                span.meta { (cause(text(night, "cause"))) ", " (when(started)) ", took " (format!("{:.1} s", number(night, "took_ms") / 1000.0)) }
            }
            p { @if did.is_empty() { "Nothing was to be done." } @else { (did.join(", ")) "." } }
            @if most > 0 {
                ul.rows { @for deed in deeds.iter().take(most) { (told(here, deed)) } }
                @for step in texts(night, "learnt") { p.hint { (line(step)) } }
                (unread(list(night, "problems")))
                @if untold > 0 && deeds.len() <= most { p.hint { "and " (words::number(untold)) " more that are not told one by one" } }
            }
            @if deeds.len() > most { p { a href=(own) { "All " (words::count(deeds.len() as u64, "deed", "deeds")) " with their reasons" } } }
            (undo(here, night))
        }
    }
}

/// Nothing where the daemon does not tell.
fn undo(here: &Here, night: &Value) -> Markup {
    let Some(many) = night.get("undoable").and_then(Value::as_u64) else { return html! {} };
    html! {
        @if many > 0 {
            div.acts {
                (act(here, "undo-night", "Undo this night", "u", &[("night", text(night, "started_at"))]))
                small { (words::count(many, "change", "changes")) " of it can still be undone" }
            }
        } @else if !words::deeds(night).is_empty() { p.hint { "Nothing of it is left to undo." } }
    }
}

fn told(here: &Here, deed: &Value) -> Markup {
    let about = list(deed, "ids").len();
    html! {
        li {
            span.tag { (text(deed, "act").replace('_', " ")) } " " (line(text(deed, "why"))) " "
            small {
                @for id in texts(deed, "ids").take(NAMED) { (memory_link(here, id, id)) " " }
                @if about > NAMED { "and " (about - NAMED) " more" }
            }
        }
    }
}

fn cause(name: &str) -> &str {
    match name {
        "nightly" => "at its hour",
        "missed" => "made up for",
        "idle" => "while nobody worked",
        "task" => "after a task",
        "phase" => "after a phase",
        "asked" => "asked for",
        "signal" => "after a signal",
        other => other,
    }
}

/// Files that took no part.
fn unread(problems: &[Value]) -> Markup {
    html! {
        @if !problems.is_empty() {
            ul.rows { @for one in problems.iter().take(WAITING) { li { span.mark.warn { "not read" } " " (line(text(one, "path"))) ": " (line(text(one, "reason"))) } } }
        }
    }
}

/// What only a person can settle; nothing where nothing waits, or where the daemon does not know of it.
async fn waiting(here: &Here) -> Markup {
    let few = [("stale_anchor", "true"), ("facets", "true"), ("limit", "10")];
    let (disputes, stale, trust, mutes) = tokio::join!(
        here.about.get("/contradictions", &[("status", "open")]),
        here.about.get("/memories", &few),
        here.about.get("/trust", &[]),
        here.about.get("/mutes", &[("limit", "500")]),
    );
    let (disputes, stale) = (disputes.unwrap_or_default(), stale.unwrap_or_default());
    let (trust, mutes) = (trust.unwrap_or_default(), mutes.unwrap_or_default());
    let asks: Vec<&Value> = list(&trust, "items").iter().filter(|item| !flag(item, "confirmed")).collect();
    html! {
        (section("Cannot both hold", list(&disputes, "items").len(), &html! {
            @for one in list(&disputes, "items").iter().take(WAITING) { (contradiction(here, one)) }
            @if list(&disputes, "items").len() > WAITING { p.more { a href=(with(here, "inbox", &[("op", "conflict")])) { "All of them" } } }
        }))
        (section("Ask for more authority", asks.len(), &html! {
            p.hint { "Their files came with the repository and ask to bind. Read them first; what you allow holds until their words change." }
            ul.rows { @for item in asks.iter().take(WAITING) { (claim(here, item)) } }
        }))
        (section("Speak of files that are gone", count(&stale, "total") as usize, &html! {
            ul.rows {
                @for item in list(&stale, "items") { li { (mention(here, item)) " " small.files { @for path in texts(item, "files").take(NAMED) { (file_link(here, path)) " " } } } }
            }
            p.more { a href=(with(here, "memories", &[("stale_anchor", "true")])) { "All of them" } }
        }))
        (section("Muted", list(&mutes, "items").len(), &html! {
            ul.rows { @for item in list(&mutes, "items") { (muted(here, item)) } }
        }))
    }
}

fn section(title: &str, many: usize, body: &Markup) -> Markup {
    html! { @if many > 0 { h2 { (title) " " small { (words::number(many as u64)) } } (body) } }
}

fn claim(here: &Here, item: &Value) -> Markup {
    let (id, claims) = (text(item, "id"), item.get("claims").unwrap_or(&Value::Null));
    let fields = [("id", id), ("namespace", text(item, "namespace"))];
    html! {
        li data-item=(id) {
            (mention(here, item)) " asks to be " (tier(text(claims, "tier"))) " of " (text(claims, "source"))
            @if !text(item, "author").is_empty() { ", says " (line(text(item, "author"))) }
            @if !text(item, "file").is_empty() { " " small { code { (line(text(item, "file"))) } } }
            " " (act(here, "trust", "Let it", "t", &fields))
        }
    }
}

fn muted(here: &Here, item: &Value) -> Markup {
    let (id, file) = (text(item, "memory_id"), text(item, "file"));
    let fields = [("id", id), ("namespace", text(item, "namespace")), ("file", file)];
    html! {
        li {
            (memory_link(here, id, text(item, "title"))) " "
            @if file.is_empty() { "everywhere" } @else { "at " (file_link(here, file)) }
            " " small { (when(text(item, "at"))) } " " (act(here, "unmute", "Say it again", "", &fields))
        }
    }
}
