//! Everything that is known: found by a question as `recall` finds it, with its own explanation, or looked through by kind,
//! topic, folder, author and time.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::daemon::{Told, Trouble};
use super::frame::Sheet;
use super::parts::{
    bar, count, file_link, flag, kind, line, list, memory_link, more, nothing, number, prose, text, texts, tier, when,
    with,
};
use super::site::Here;
use crate::words;

/// Found for one question.
const FOUND: usize = 30;
/// What can be narrowed by: its name in the address, in the daemon's facets, and for a reader.
const FACETS: &[(&str, &str, &str)] = &[
    ("kind", "kind", "Kind"),
    ("tier", "tier", "Binding"),
    ("tag", "tag", "Topic"),
    ("file", "folder", "Folder"),
    ("author", "author", "Author"),
    ("source", "source", "Learnt from"),
    ("month", "month", "Month"),
];
/// Parts of a score, in the order they matter, with the words for them.
pub(super) const PARTS: &[(&str, &str)] = &[
    ("semantic", "meaning"),
    ("keyword", "words"),
    ("place", "file"),
    ("time", "time"),
    ("occasion", "occasion"),
    ("linked", "links"),
    ("recency", "recency"),
    ("usage", "use"),
    ("importance", "importance"),
];

pub(super) async fn screen(here: Here) -> Result<Sheet, Trouble> {
    let asked = here.query("q").trim();
    let listed = listing(&here).await?;
    let found = match asked {
        "" => None,
        question => Some(recall(&here, question).await?),
    };
    let title = if asked.is_empty() { "Memories".to_owned() } else { format!("{asked} · Memories") };
    let body = html! {
        h1 { "Memories" }
        (search(&here))
        div.split.left {
            aside.facets aria-label="Narrow down" { (facets(&here, &listed)) }
            section #results aria-live="polite" {
                @match &found {
                    Some(found) => (results(&here, found)),
                    None => (page(&here, &listed)),
                }
            }
        }
    };
    Ok(Sheet { title, live: "memory memories tier learnt bootstrap consolidation", body })
}

async fn listing(here: &Here) -> Told {
    let (since, until) = month(here.query("month"));
    let ask = |name| (name, here.query(name));
    let mut query: Vec<(&str, &str)> =
        ["kind", "tier", "tag", "file", "author", "source", "derived", "stale_anchor", "cursor"].map(ask).to_vec();
    query.extend([("facets", "true"), ("limit", "40"), ("since", &since), ("until", &until)]);
    if !here.query("all").is_empty() {
        query.push(("include", "unverified,invalid,restricted"));
    }
    here.about.get("/memories", &query).await
}

async fn recall(here: &Here, question: &str) -> Told {
    let one = |name: &str| Some(here.query(name)).filter(|value| !value.is_empty()).into_iter().collect::<Vec<_>>();
    let mut body = json!({
        "query": question, "k": FOUND, "explain": true, "counted": false,
        "kinds": one("kind"), "tiers": one("tier"), "files": one("file"),
    });
    if !here.query("all").is_empty() {
        body["include"] = json!(["unverified", "invalid", "restricted"]);
    }
    here.about.post("/recall", body).await
}

/// The first moment of a month and of the next; nothing for what is no month.
fn month(named: &str) -> (String, String) {
    let read = || {
        let (year, month) = named.split_once('-')?;
        let (year, month): (u16, u16) = (year.parse().ok().filter(|year| *year < 10_000)?, month.parse().ok()?);
        let next = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        let first = |(year, month): (u16, u16)| format!("{year:04}-{month:02}-01T00:00:00Z");
        (1..=12).contains(&month).then(|| (first((year, month)), first(next)))
    };
    read().unwrap_or_default()
}

/// What the address says now, but for what is left out; for links that change one thing.
fn kept<'h>(here: &'h Here, but: &str) -> Vec<(&'static str, &'h str)> {
    let all = ["q", "kind", "tier", "tag", "file", "author", "source", "month", "all", "derived", "stale_anchor"];
    all.into_iter().filter(|name| *name != but).map(|name| (name, here.query(name))).collect()
}

fn search(here: &Here) -> Markup {
    html! {
        form.search role="search" method="get" action=(here.to("memories")) data-eager {
            input #q type="search" name="q" value=(here.query("q")) placeholder="Ask what is remembered" aria-label="Ask what is remembered" autocomplete="off" maxlength="2000";
            @for (name, value) in kept(here, "q").into_iter().filter(|(_, value)| !value.is_empty()) {
                input type="hidden" name=(name) value=(value);
            }
            button.primary { "Ask" }
        }
    }
}

fn facets(here: &Here, listed: &Value) -> Markup {
    let known = listed.get("facets").unwrap_or(&Value::Null);
    let all = here.query("all");
    html! {
        // A question is narrowed by what recall itself knows.
        @for (name, facet, label) in FACETS.iter().filter(|(name, ..)| here.query("q").is_empty() || ["kind", "tier"].contains(name)) {
            @let chosen = here.query(name);
            @let values = list(known, facet);
            @if !values.is_empty() || !chosen.is_empty() {
                h2 { (label) }
                ul {
                    @if !chosen.is_empty() {
                        li { a aria-current="true" href=(with(here, "memories", &kept(here, name))) title="No longer narrow by this" { (shown(name, chosen)) " ×" } }
                    } @else {
                        @for value in values {
                            @let named = text(value, "value");
                            @let wanted: Vec<(&str, &str)> = kept(here, name).into_iter().chain([(*name, named)]).collect();
                            li { a href=(with(here, "memories", &wanted)) { (shown(name, named)) } " " small { (words::number(count(value, "count"))) } }
                        }
                    }
                }
            }
        }
        h2 { "Also" }
        ul { li {
            @let wanted: Vec<(&str, &str)> = kept(here, "all").into_iter().chain([("all", if all.is_empty() { "yes" } else { "" })]).collect();
            a href=(with(here, "memories", &wanted)) aria-current=[(!all.is_empty()).then_some("true")] { "what is unproven, restricted or over" }
        } }
    }
}

/// Words of ours have no underscores for a reader; paths and topics stay what they are.
fn shown(facet: &str, value: &str) -> Markup {
    if facet == "kind" { line(&value.replace('_', " ")) } else { line(value) }
}

fn page(here: &Here, listed: &Value) -> Markup {
    let items = list(listed, "items");
    let asked = kept(here, "q");
    html! {
        @if !here.query("stale_anchor").is_empty() {
            p { span.tag { "about files that are gone" } " " a href=(here.to("memories")) { "all memories" } }
        }
        @if let Some(total) = listed.get("total").and_then(Value::as_u64) {
            p.hint { (words::count(total, "memory", "memories")) ", newest first" }
        }
        @if items.is_empty() {
            (nothing("Nothing here.", "Narrow down less, or tell it something: lokid remember 'tests need redis'."))
        }
        @for item in items { (entry(here, item, &html! {})) }
        (more(here, "memories", &asked, listed))
    }
}

fn results(here: &Here, found: &Value) -> Markup {
    let results = list(found, "results");
    html! {
        p.hint {
            (words::count(results.len() as u64, "memory", "memories")) " in " (format!("{:.1} ms", number(found, "took_us") / 1000.0))
            ", asked as for " (text(found, "task_type"))
            @if let Some(waiting) = found.get("waiting").and_then(Value::as_u64) { "; " (words::number(waiting)) " more cannot be found yet, the index is being made" }
        }
        @if results.is_empty() {
            (nothing("Nothing that fits.", "Other words, or fewer, may find it. What hardly matches is kept silent."))
        }
        @for result in results { (entry(here, result, &explained(result))) }
    }
}

/// One memory in a list, with what is to be said of it here.
fn entry(here: &Here, item: &Value, beside: &Markup) -> Markup {
    let (id, title) = (text(item, "id"), text(item, "title"));
    let summary = text(item, "summary");
    html! {
        article.item data-item=(id) {
            header {
                (kind(text(item, "kind"))) (tier(text(item, "tier")))
                h3 { a.memory data-open href=(here.to(&format!("memories/{}", super::daemon::segment(id)))) { (line(title)) } }
                span.meta { (when(text(item, "created_at"))) }
            }
            @if summary.trim() != title.trim() { (prose(summary)) }
            @if !list(item, "files").is_empty() {
                p.files { @for path in texts(item, "files").take(4) { (file_link(here, path)) } }
            }
            (beside)
            (marks(item))
        }
    }
}

/// What is out of the ordinary about it.
pub(super) fn marks(item: &Value) -> Markup {
    let over = !text(item, "invalid_at").is_empty();
    html! {
        @if flag(item, "restricted") || over || text(item, "status") == "unverified" || text(item, "scope") == "user-private" {
            p {
                @if over { span.mark.warn { "no longer true" } " " }
                @if text(item, "status") == "unverified" { span.mark.warn { "unproven" } " " }
                @if flag(item, "restricted") { span.mark.bad { "restricted" } " " }
                @if text(item, "scope") == "user-private" { span.mark { "private" } }
            }
        }
    }
}

fn explained(result: &Value) -> Markup {
    let Some(parts) = result.get("parts") else { return html! {} };
    let score = number(result, "score");
    html! {
        p.parts {
            span { (bar(score, &format!("score {score:.2}"))) " " (format!("{score:.2}")) }
            (score_parts(parts))
        }
        @if !list(parts, "words").is_empty() {
            p.hint { "matched " @for word in texts(parts, "words") { code { (word) } " " } }
        }
    }
}

/// What a score is made of, leaving out what added nothing.
pub(super) fn score_parts(parts: &Value) -> Markup {
    html! {
        @for (name, label) in PARTS {
            @let value = number(parts, name);
            @if value.abs() >= 0.005 { span { (label) " " (format!("{value:.2}")) } }
        }
        @if !text(parts, "link").is_empty() { span { "by way of " (line(text(parts, "link"))) } }
        @if !text(parts, "instead_of").is_empty() { span { "instead of " (line(text(parts, "instead_of"))) } }
    }
}

/// A short line for a memory elsewhere: its kind, its name, and how old it is.
pub(super) fn mention(here: &Here, item: &Value) -> Markup {
    html! { (kind(text(item, "kind"))) " " (tier(text(item, "tier"))) " " (memory_link(here, text(item, "id"), text(item, "title"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_a_span_and_nonsense_is_none() {
        assert_eq!(month("2026-12"), ("2026-12-01T00:00:00Z".to_owned(), "2027-01-01T00:00:00Z".to_owned()));
        assert_eq!(month("2026-02").1, "2026-03-01T00:00:00Z");
        for nonsense in ["", "2026", "2026-13", "x-1", "2026-00"] {
            assert_eq!(month(nonsense), (String::new(), String::new()), "{nonsense}");
        }
    }
}
