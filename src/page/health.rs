//! How the daemon fares: what it holds, what waits, how it watches, what went wrong; and what the doctor finds, which takes
//! a moment and so is loaded by itself.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value;

use super::daemon::Trouble;
use super::frame::{self, Tab};
use super::parts::{bar, count, flag, line, list, number, text, texts, when};
use super::site::Here;
use crate::words;

/// Of each sort of trouble.
const SHOWN: usize = 10;

/// A name and what is to be said of it.
type Fact = (&'static str, Markup);

pub(super) async fn facts(here: &Here) -> Result<Markup, Trouble> {
    let (status, team, mirror) = tokio::join!(
        here.about.get("/status", &[]),
        here.about.get("/team/status", &[]),
        here.about.get("/managed/status", &[]),
    );
    let status = status?;
    let project = list(&status, "projects").first().unwrap_or(&Value::Null);
    let mut facts = process(&status);
    facts.extend(holdings(project));
    facts.extend(watching(project));
    facts.extend(hooks(&status));
    facts.extend(team_facts(&team.unwrap_or_default()));
    facts.extend(mirror_facts(&mirror.unwrap_or_default()));
    Ok(html! {
        dl.facts { @for (name, value) in facts { dt { (name) } dd { (value) } } }
        (problems(list(project, "problems")))
    })
}

fn process(status: &Value) -> Vec<Fact> {
    let memory = part(status, "memory");
    let (held, limit) = (count(status, "rss_bytes"), count(memory, "limit_bytes"));
    let of_limit = format!("{} of {}", words::size(held), words::size(limit));
    let state = text(memory, "state");
    vec![
        ("daemon", html! { (text(status, "version")) ", up for " (words::span(count(status, "uptime_s"))) }),
        (
            "memory",
            html! {
                @if limit > 0 { (bar(held as f64 / limit as f64, &of_limit)) " " (of_limit) } @else { (words::size(held)) }
                @if !state.is_empty() && state != "calm" { " " span.mark.warn { (state) } }
                @if count(memory, "sheds") > 0 { " " small { "let go of what can be made again " (words::number(count(memory, "sheds"))) "×" } }
            },
        ),
    ]
}

fn holdings(project: &Value) -> Vec<Fact> {
    let (index, past, prefetch) = (part(project, "index"), part(project, "past"), part(project, "prefetch"));
    let number = |value: &Value, name: &str| words::number(count(value, name));
    let asked = count(prefetch, "hits") + count(prefetch, "misses");
    vec![
        (
            "known",
            html! { (words::count(count(project, "memories"), "memory", "memories")) ", " (number(project, "archived")) " archived, " (words::count(count(project, "links"), "link", "links")) },
        ),
        (
            "index",
            html! {
                (text(index, "state")) ", " (number(index, "indexed")) " can be found"
                @if count(index, "waiting") > 0 { ", " span.mark.warn { (number(index, "waiting")) " wait" } }
            },
        ),
        (
            "past",
            html! {
                (text(past, "state")) @if count(past, "total") > 0 { " " (number(past, "done")) " of " (number(past, "total")) }
                ", " (words::count(count(past, "commits"), "commit", "commits")) ", " (words::count(count(past, "code_files"), "source file", "source files"))
            },
        ),
        (
            "prefetch",
            html! {
                (text(prefetch, "state")) ", " (number(prefetch, "ready")) " ready"
                @if asked > 0 { ", there in time " (number(prefetch, "hits")) " of " (words::number(asked)) "×" }
            },
        ),
    ]
}

fn watching(project: &Value) -> Vec<Fact> {
    let watch = part(project, "watch");
    let (state, outside) = (text(watch, "state"), count(project, "kept_outside"));
    vec![
        (
            "watches",
            html! {
                @match state {
                    "native" => "as the system tells",
                    "partial" => span.mark.warn { "in part by looking from time to time" },
                    "polling" => span.mark.warn { "by looking from time to time" },
                    "absent" => span.mark.bad { "the working tree is not there" },
                    "on-demand" => "when it is asked",
                    other => (other),
                }
                ", " (words::count(count(watch, "files"), "file", "files"))
                @if !text(watch, "reason").is_empty() { ": " (line(text(watch, "reason"))) }
                @for warning in texts(watch, "warnings").take(SHOWN) { br; span.mark.warn { "!" } " " (line(warning)) }
            },
        ),
        (
            "waiting",
            html! {
                (words::count(count(watch, "backlog"), "event", "events")) " for the writer"
                @if outside > 0 { ", " span.mark.warn { (words::count(outside, "change", "changes")) " kept outside until the repository can be written" } }
            },
        ),
    ]
}

fn hooks(status: &Value) -> Option<Fact> {
    let heard = status.get("hooks").and_then(Value::as_object).filter(|heard| !heard.is_empty())?;
    let last = |one: &Value| when(text(one, "last_event_at"));
    Some(("hooks", html! { @for (agent, one) in heard { div { (line(agent)) ", " (last(one)) } } }))
}

fn team_facts(team: &Value) -> Option<Fact> {
    let waiting = team.get("waiting").and_then(Value::as_u64);
    flag(team, "joined").then(|| {
        let said = html! {
            (line(text(team, "project"))) @if !text(team, "member").is_empty() { " as " (line(text(team, "member"))) } ", "
            @if flag(team, "connected") { span.mark.good { "connected" } } @else { span.mark.warn { "away" } }
            ", " (words::number(count(team, "items"))) " shared"
            @if count(team, "behind") > 0 { ", " (words::number(count(team, "behind"))) " behind" }
            @if let Some(waiting) = waiting.filter(|waiting| *waiting > 0) { ", " (words::number(waiting)) " wait" }
            @if count(team, "refused") > 0 { ", " span.mark.warn { (words::number(count(team, "refused"))) " refused" } }
            (failure(part(team, "last_error")))
            @for peer in list(team, "peers").iter().take(SHOWN) { br; small { (line(text(peer, "member"))) ", " (line(text(peer, "machine"))) ", seen " (when(text(peer, "seen_at"))) } }
        };
        ("team", said)
    })
}

fn mirror_facts(mirror: &Value) -> Option<Fact> {
    let written = part(mirror, "shadow_write");
    flag(mirror, "enabled").then(|| {
        let said = html! {
            (line(text(mirror, "base_url"))) ", " (words::number(count(written, "mirrored"))) " mirrored"
            @if number(written, "waiting") > 0.0 { ", " (words::number(count(written, "waiting"))) " wait" }
            @if count(written, "refused") > 0 { ", " span.mark.warn { (words::number(count(written, "refused"))) " refused" } }
            @if !text(written, "last_success").is_empty() { ", last " (when(text(written, "last_success"))) }
            (failure(part(written, "last_failure")))
        };
        ("mirror", said)
    })
}

fn failure(last: &Value) -> Markup {
    html! { @if !last.is_null() { br; span.mark.warn { "went wrong" } " " (when(text(last, "at"))) ": " (line(text(last, "detail"))) } }
}

fn problems(found: &[Value]) -> Markup {
    html! {
        @if !found.is_empty() {
            h3 { "Files that cannot be read" }
            ul.rows { @for one in found.iter().take(SHOWN) { li { code { (line(text(one, "path"))) } ": " (line(text(one, "reason"))) } } }
            @if found.len() > SHOWN { p.hint { "and " (found.len() - SHOWN) " more" } }
        }
    }
}

fn part<'v>(value: &'v Value, name: &str) -> &'v Value {
    value.get(name).unwrap_or(&Value::Null)
}

pub(super) async fn doctor(here: Here) -> Response {
    let (outlook, path) = (here.site.outlook.clone(), here.about.project().to_owned());
    let found = tokio::task::spawn_blocking(move || outlook.doctor(&path)).await.unwrap_or_default();
    let back = html! { p { a href=(here.to("nights")) { "Nights and health" } } h1 { "Health" } };
    frame::part(&here, Tab::Nights, "Health", &back, &findings(&found))
}

/// What is wrong first, each with its fix; what is well only for whoever wants to know.
fn findings(found: &Value) -> Markup {
    let is_well = |check: &&Value| text(check, "state") == "good";
    let (well, wrong): (Vec<&Value>, Vec<&Value>) = list(found, "checks").iter().partition(is_well);
    html! {
        section #doctor {
            h2 { "What the doctor finds" }
            @if list(found, "checks").is_empty() { p.trouble { "The doctor could not look." } }
            @else if wrong.is_empty() { p { span.mark.good { "all is well" } } }
            ul.rows {
                @for check in wrong {
                    li {
                        @if text(check, "state") == "broken" { span.mark.bad { "broken" } } @else { span.mark.warn { "to look at" } }
                        " " strong { (line(text(check, "name"))) } ": " (line(text(check, "found")))
                        @if !text(check, "fix").is_empty() { br; "Fix: " (line(text(check, "fix"))) }
                    }
                }
            }
            @if !well.is_empty() {
                details #doctor-well {
                    summary { (words::number(well.len() as u64)) " found well" }
                    ul.rows { @for check in well { li { strong { (line(text(check, "name"))) } ": " (line(text(check, "found"))) } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_wrong_stands_first_with_its_fix_and_nothing_is_markup() {
        let found = json!({"ok": false, "checks": [
            {"name": "program", "state": "good", "found": "lokid 1"},
            {"name": "hooks", "state": "doubtful", "found": "<img src=x>", "fix": "lokid hooks install"},
        ]});
        let made = findings(&found).into_string();
        let place = |word: &str| made.find(word).unwrap_or_else(|| panic!("no {word} in {made}"));
        assert!(place("Fix:") < place("lokid 1"), "{made}");
        assert!(made.contains("&lt;img") && !made.contains("<img") && !made.contains("all is well"), "{made}");
        assert!(findings(&json!({"checks": [{"name": "a", "state": "good"}]})).into_string().contains("all is well"));
        assert!(findings(&Value::Null).into_string().contains("could not look"), "a doctor that fell is no good news");
    }

    #[test]
    fn an_answer_without_its_parts_is_told_as_far_as_it_goes() {
        let told: Vec<Fact> = [process(&Value::Null), holdings(&Value::Null), watching(&Value::Null)].concat();
        assert_eq!(told.len(), 8);
        assert!(
            hooks(&Value::Null).is_none() && team_facts(&Value::Null).is_none() && mirror_facts(&Value::Null).is_none()
        );
        let away = json!({"joined": true, "connected": false, "last_error": {"at": "x", "detail": "<b>no route</b>"}});
        let (_, said) = team_facts(&away).unwrap();
        let said = said.into_string();
        assert!(said.contains("away") && said.contains("&lt;b&gt;no route") && !said.contains("<b>"), "{said}");
    }
}
