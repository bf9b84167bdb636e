//! What is known where: the tree with its heat, a folder at a time, and one file with its memories, what changes with it
//! and why, what broke there, what explains it, and a small picture of its neighbourhood.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::daemon::Trouble;
use super::frame::{self, Sheet, Tab};
use super::graph::{self, Edge, Node};
use super::memories::mention;
use super::parts::{
    count, file_link, flag, heat, line, list, memory_link, nothing, number, prose, text, texts, when, with,
};
use super::site::Here;
use crate::serve::encode;
use crate::words;

const WHY: &str = "Why it is as it is";
/// Neighbours in the picture.
const DRAWN: usize = 8;

pub(super) async fn screen(here: Here) -> Result<Sheet, Trouble> {
    let path = here.query("path").to_owned();
    let tree = here.about.get("/files", &[("path", &path)]).await;
    match tree {
        Ok(tree) if path.is_empty() || !list(&tree, "entries").is_empty() => Ok(folder(&here, &path, &tree)),
        Err(trouble) if path.is_empty() => Err(trouble),
        _ => file(&here, &path).await,
    }
}

fn folder(here: &Here, path: &str, tree: &Value) -> Sheet {
    let entries = list(tree, "entries");
    let body = html! {
        h1 { "Files" }
        (trail(here, path))
        @if entries.is_empty() { (nothing("Nothing is known of files here.", "The history is still being read, or nothing is committed yet.")) }
        div.wide {
            table {
                thead { tr { th scope="col" { "Name" } th scope="col" { "Heat" } th.n scope="col" { "Memories" } th.n scope="col" { "Fixes" } th.n scope="col" { "Commits" } } }
                tbody {
                    @for entry in entries {
                        tr data-item=(text(entry, "path")) {
                            td { a.file data-open href=(with(here, "files", &[("path", text(entry, "path"))])) { (line(text(entry, "name"))) @if flag(entry, "dir") { "/" } } }
                            td { (heat(number(entry, "heat"))) }
                            td.n { (number_or_blank(count(entry, "memories"))) }
                            td.n { (number_or_blank(count(entry, "fixes"))) }
                            td.n { (number_or_blank(count(entry, "commits"))) }
                        }
                    }
                }
            }
        }
        p.hint { "Heat: how much was changed and mended there lately, beside the hottest of the project." }
    };
    Sheet {
        title: if path.is_empty() { "Files".to_owned() } else { path.to_owned() },
        live: "memory memories learnt git",
        body,
    }
}

fn number_or_blank(number: u64) -> String {
    if number == 0 { String::new() } else { words::number(number) }
}

/// The folders above, each a way back.
fn trail(here: &Here, path: &str) -> Markup {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    html! {
        p.mono {
            a href=(here.to("files")) { (line(here.project.name())) }
            @for (place, part) in parts.iter().enumerate() {
                " / "
                @if place + 1 == parts.len() { (line(part)) } @else { a href=(with(here, "files", &[("path", &parts[..=place].join("/"))])) { (line(part)) } }
            }
        }
    }
}

async fn file(here: &Here, path: &str) -> Result<Sheet, Trouble> {
    let known = here.about.get("/file", &[("path", path)]).await?;
    let memories_count = count(&known, "memories_count");
    let body = html! {
        h1 { (line(path)) }
        (trail(here, path))
        @if !flag(&known, "there") { p { span.mark.warn { "no longer there" } @if !text(&known, "today").is_empty() { " called " (file_link(here, text(&known, "today"))) " by now" } } }
        p.hint {
            (heat(number(&known, "heat"))) " "
            (words::count(count(&known, "commits"), "commit", "commits")) ", " (words::count(count(&known, "fixes_count"), "fix", "fixes"))
            ", " (words::count(memories_count, "memory", "memories"))
        }
        div.split {
            div {
                h2 { "What is known about it" }
                (memories(here, &known))
                @if memories_count > list(&known, "memories").len() as u64 { p.hint { "and older ones" } }
                h2 { "Errors and their fixes" }
                (errors(here, &known))
                (frame::later(here, "why", WHY, "files/why", &[("path", path)]))
                h2 { "What broke here before" }
                (broke(here, &known))
            }
            aside {
                h2 { "Changes with it" }
                (partners(here, &known))
                (code(here, &known))
            }
        }
        h2 { "Around it" }
        (around(here, path, &known))
    };
    Ok(Sheet { title: path.to_owned(), live: "memory memories learnt git", body })
}

/// Reads the file and asks git, which takes a moment.
pub(super) async fn why(here: Here) -> Response {
    let path = here.query("path").to_owned();
    let why = here.about.post("/why", json!({"file": path, "k": 5})).await.unwrap_or_default();
    let part = html! { section #why { h2 { (WHY) } (explained(&here, &why)) } };
    frame::part(&here, Tab::Files, &path, &html! { h1 { (line(&path)) } (trail(&here, &path)) }, &part)
}

fn memories(here: &Here, known: &Value) -> Markup {
    let memories = list(known, "memories");
    html! {
        @if memories.is_empty() { p.hint { "Nothing is remembered here." } }
        @for memory in memories {
            article.item data-item=(text(memory, "id")) {
                (mention(here, memory))
                @if text(memory, "summary").trim() != text(memory, "title").trim() { (prose(text(memory, "summary"))) }
            }
        }
    }
}

fn errors(here: &Here, known: &Value) -> Markup {
    let errors = list(known, "errors");
    html! {
        @if errors.is_empty() { p.hint { "None were met." } }
        ul.rows { @for error in errors { li { (memory_link(here, text(error, "id"), text(error, "title"))) @if !text(error, "fix").is_empty() { (prose(text(error, "fix"))) } } } }
    }
}

fn explained(here: &Here, why: &Value) -> Markup {
    let (blame, explained) = (list(why, "blame"), list(why, "explained_by"));
    html! {
        @if blame.is_empty() && explained.is_empty() { p.hint { @if text(why, "note").is_empty() { "The history does not tell." } @else { (text(why, "note")) } } }
        ul.rows { @for commit in explained.iter().chain(blame) { li { (told_commit(here, commit)) } } }
    }
}

fn told_commit(here: &Here, commit: &Value) -> Markup {
    let at = if text(commit, "date").is_empty() { text(commit, "at") } else { text(commit, "date") };
    let id = if text(commit, "id").is_empty() { text(commit, "commit") } else { text(commit, "id") };
    let leads = id.starts_with("commit-");
    html! {
        @if leads { (memory_link(here, id, text(commit, "subject"))) } @else { strong { (line(text(commit, "subject"))) } }
        " " small { (line(text(commit, "author"))) ", " (when(at)) }
        @if !text(commit, "reason").is_empty() { (prose(text(commit, "reason"))) }
    }
}

fn broke(here: &Here, known: &Value) -> Markup {
    let fixes = list(known, "fixes");
    html! {
        @if fixes.is_empty() { p.hint { "Nothing was mended here." } }
        ul.rows { @for fix in fixes { li { (told_commit(here, fix)) } } }
    }
}

fn partners(here: &Here, known: &Value) -> Markup {
    let partners = list(known, "partners");
    html! {
        @if partners.is_empty() { p.hint { "Nothing in particular." } }
        ul.rows {
            @for partner in partners {
                li { (file_link(here, text(partner, "path"))) " " small { (count(partner, "together")) "×" } br; small { (line(text(partner, "why"))) } }
            }
        }
    }
}

fn code(here: &Here, known: &Value) -> Markup {
    let files = |name: &str, label: &str| {
        let paths = list(known, name);
        html! { @if !paths.is_empty() { h2 { (label) } ul.rows { @for path in texts(known, name).take(12) { li { (file_link(here, path)) } } } } }
    };
    html! {
        (files("imports", "Uses"))
        (files("imported_by", "Used by"))
        @if !list(known, "defines").is_empty() { h2 { "Defines" } p { @for name in texts(known, "defines") { code { (line(name)) } " " } } }
    }
}

fn around(here: &Here, path: &str, known: &Value) -> Markup {
    let short = |path: &str| words::brief(path.rsplit('/').next().unwrap_or(path), 34);
    let node = |path: &str, is_here: bool| Node {
        id: path.to_owned(),
        label: short(path),
        address: here.to(&format!("files?path={}", encode(path))),
        is_here,
    };
    let mut nodes = vec![node(path, true)];
    let mut edges = Vec::new();
    let mut add = |other: &str, label: String, towards: bool| {
        if other != path && nodes.iter().all(|node| node.id != other) {
            nodes.push(node(other, false));
            let (from, to) = if towards { (path, other) } else { (other, path) };
            edges.push(Edge { from: from.to_owned(), to: to.to_owned(), label });
        }
    };
    for partner in list(known, "partners").iter().take(DRAWN) {
        add(text(partner, "path"), format!("{}×", count(partner, "together")), true);
    }
    for other in texts(known, "imports").take(DRAWN) {
        add(other, "uses".to_owned(), true);
    }
    for other in texts(known, "imported_by").take(DRAWN) {
        add(other, "uses".to_owned(), false);
    }
    for memory in list(known, "memories").iter().take(DRAWN / 2) {
        let id = text(memory, "id");
        nodes.push(Node {
            id: id.to_owned(),
            label: words::brief(text(memory, "title"), 30),
            address: here.to(&format!("memories/{}", encode(id))),
            is_here: false,
        });
        edges.push(Edge { from: id.to_owned(), to: path.to_owned(), label: "about".to_owned() });
    }
    html! { @if nodes.len() > 1 { (graph::drawn(&format!("What {path} is connected with"), &nodes, &edges)) } @else { p.hint { "Nothing is known of its neighbours." } } }
}
