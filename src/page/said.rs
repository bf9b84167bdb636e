//! What agents were told unasked: every session and prompt, each line with the reason it was said, what it cost, whether
//! it was of use, and the exact bytes. And what was asked and answered with silence.

use maud::{Markup, html};
use serde_json::Value;

use super::daemon::Trouble;
use super::frame::Sheet;
use super::memories::score_parts;
use super::parts::{
    act, count, file_link, kind, line, list, memory_address, more, nothing, number, text, texts, tier, when, with,
};
use super::site::Here;
use crate::words;

/// Sessions named beside what was said.
const SESSIONS: &str = "12";

pub(super) async fn screen(here: Here) -> Result<Sheet, Trouble> {
    let session = here.query("session_id").to_owned();
    let silences = here.query("silences") == "yes";
    let spoken = if silences { "" } else { "true" };
    let asked =
        [("session_id", session.as_str()), ("spoken", spoken), ("cursor", here.query("cursor")), ("limit", "20")];
    let said = here.about.get("/said", &asked).await?;
    let sessions = here.about.get("/sessions", &[("limit", SESSIONS)]).await?;
    let kept = [("session_id", session.as_str()), ("silences", if silences { "yes" } else { "" })];
    let other = [("session_id", session.as_str()), ("silences", if silences { "" } else { "yes" })];
    let body = html! {
        h1 { "What was said" }
        p.hint {
            "What agents were told without asking, newest first. "
            a href=(with(&here, "said", &other)) { @if silences { "Leave out silences" } @else { "Show silences, too" } }
        }
        div.split {
            section {
                @if !session.is_empty() {
                    p { span.tag { "session " (line(&session)) } " " a href=(here.to("said")) { "all sessions" } }
                }
                @if list(&said, "items").is_empty() { (nobody_told(&session)) }
                @for one in list(&said, "items") { (entry(&here, one)) }
                (more(&here, "said", &kept, &said))
            }
            aside.facets { (sessions_beside(&here, &sessions, &said, &session)) }
        }
    };
    Ok(Sheet { title: "Said".to_owned(), live: "said economy", body })
}

fn nobody_told(session: &str) -> Markup {
    if session.is_empty() {
        nothing(
            "Nothing was said yet.",
            "Once an agent works here with its hooks installed (lokid hooks install), what it is told stands here.",
        )
    } else {
        nothing("Nothing was said in this session.", "Silence is an answer: nothing known was worth its tokens.")
    }
}

/// What a session is about: its goal, or else the first prompt among what is shown.
fn named<'v>(session: &'v Value, said: &'v Value) -> &'v str {
    let id = text(session, "session_id");
    let own = |one: &&Value| text(one, "session_id") == id && text(one, "event") == "prompt";
    let asked = list(said, "items").iter().rfind(own).map(|one| text(one, "asked")).unwrap_or_default();
    [text(session, "goal"), asked, id].into_iter().find(|name| !name.is_empty()).unwrap_or_default()
}

fn sessions_beside(here: &Here, sessions: &Value, said: &Value, chosen: &str) -> Markup {
    html! {
        h2 { "Sessions" }
        ul.rows {
            @for session in list(sessions, "items") {
                @let id = text(session, "session_id");
                li {
                    a href=(with(here, "said", &[("session_id", id)])) aria-current=[(id == chosen).then_some("true")] {
                        (line(&words::brief(named(session, said), 60)))
                    }
                    br;
                    small {
                        (text(session, "agent")) " " (when(text(session, "started_at")))
                        ", told " (words::number(count(session, "given"))) ", named " (words::number(count(session, "cited")))
                        ", " (words::number(count(session, "tokens"))) " tokens"
                    }
                }
            }
        }
    }
}

fn entry(here: &Here, one: &Value) -> Markup {
    let (id, items) = (text(one, "id"), list(one, "items"));
    let file = texts(one, "files").next().unwrap_or_default();
    html! {
        article.item id=(id) {
            header {
                h2 { (line(event_in_words(text(one, "event")))) @if !text(one, "agent").is_empty() { ", " (line(text(one, "agent"))) } }
                span.meta {
                    (when(text(one, "at"))) ", " (words::number(count(one, "tokens"))) " tokens, answered in " (took(number(one, "took_us")))
                }
            }
            @if !text(one, "asked").is_empty() { blockquote { (line(&words::brief(text(one, "asked"), 300))) } }
            @if !list(one, "files").is_empty() { p.files { @for path in texts(one, "files").take(6) { (file_link(here, path)) } } }
            @if items.is_empty() && text(one, "text").is_empty() { p.hint { "Nothing was said." } }
            @if !items.is_empty() { ul.rows { @for item in items { (told(here, one, item, file)) } } }
            @if !text(one, "text").is_empty() {
                details #{"bytes-" (id)} {
                    summary data-open { "The exact bytes (" (words::number(text(one, "text").len() as u64)) ")" }
                    pre.exact tabindex="0" { (lokid_model::unseen::shown(text(one, "text"))) }
                }
            }
        }
    }
}

/// One memory among what was said.
fn told(here: &Here, one: &Value, item: &Value, file: &str) -> Markup {
    let (id, cite, place) = (text(item, "id"), text(item, "cite"), text(item, "namespace"));
    let said =
        [text(item, "line"), text(item, "title"), id].into_iter().find(|said| !said.is_empty()).unwrap_or_default();
    // The mark before it is shown beside it.
    let bare = said.trim_start_matches("- ").trim_start_matches(&format!("[{cite}]")).trim_start();
    let title = text(item, "title");
    let (name, rest) = bare.strip_prefix(title).filter(|_| !title.is_empty()).map_or((bare, ""), |rest| (title, rest));
    html! {
        li data-item={(text(one, "id")) "/" (id)} {
            div {
                (kind(text(item, "kind"))) " " (tier(text(item, "tier"))) " "
                a.memory data-open href=(memory_address(here, id, place)) { (line(name)) } (line(rest))
                " " code.cite { (cite) } " " (verdict(item))
            }
            div.parts.quiet {
                span { (line(text(item, "why"))) }
                @if number(item, "score") > 0.0 { span { "score " (format!("{:.2}", number(item, "score"))) } }
                span { (count(item, "tokens")) " tokens" }
                @match item.get("parts") { Some(parts) => (any_parts(parts)), None => {} }
                @if file.is_empty() { (act(here, "mute", "never say this unasked", "n", &[("id", id), ("namespace", place)])) }
                @else {
                    (act(here, "mute", "never here again", "n", &[("id", id), ("file", file), ("namespace", place)]))
                    (act(here, "mute", "never anywhere", "", &[("id", id), ("namespace", place)]))
                }
            }
        }
    }
}

fn verdict(item: &Value) -> Markup {
    html! {
        @match item.get("cited").and_then(Value::as_bool) {
            Some(true) => span.mark.good { "named by the agent" },
            Some(false) => span.mark { "passed over" },
            None => {}
        }
    }
}

/// Those of a recall by their names, whatever else decided by its own.
fn any_parts(parts: &Value) -> Markup {
    if parts.get("semantic").or(parts.get("keyword")).is_some() {
        return score_parts(parts);
    }
    let signs = parts.as_object().into_iter().flatten();
    let telling =
        signs.filter_map(|(name, value)| Some((name, value.as_f64()?))).filter(|(_, value)| value.abs() >= 0.005);
    html! { @for (name, value) in telling { span { (name.replace('_', " ")) " " (format!("{value:.2}")) } } }
}

fn event_in_words(event: &str) -> &str {
    match event {
        "session_start" => "A session began",
        "prompt" => "A prompt",
        "before_tool" => "Before a tool was used",
        "after_tool" => "After a tool was used",
        "failed" => "Something failed",
        other => other,
    }
}

fn took(micros: f64) -> String {
    format!("{:.1} ms", micros / 1000.0)
}
