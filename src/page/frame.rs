//! What stands around every screen: the head, the way from one screen to another, what came of the last act. And the few
//! pages that have no project to stand in.

use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use super::daemon::Trouble;
use super::parts::with;
use super::site::Here;

/// A screen before it is framed.
pub(super) struct Sheet {
    pub(super) title: String,
    /// Kinds of events, parted by spaces, after which it is worth looking anew.
    pub(super) live: &'static str,
    pub(super) body: Markup,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tab {
    Said,
    Inbox,
    Memories,
    Files,
    Nights,
    Worth,
}

/// Each with its path, its name, the key behind `g` that leads there, and what it shows.
const TABS: &[(Tab, &str, &str, &str, &str)] = &[
    (Tab::Said, "said", "Said", "s", "What agents were told, and why"),
    (Tab::Inbox, "inbox", "Inbox", "i", "What changed lately, to settle or take back"),
    (Tab::Memories, "memories", "Memories", "m", "Everything that is known"),
    (Tab::Files, "files", "Files", "f", "What is known where"),
    (Tab::Nights, "nights", "Nights", "n", "What nights did, and how the daemon fares"),
    (Tab::Worth, "worth", "Worth", "w", "What memory costs and saves"),
];

pub(super) fn around(here: &Here, tab: Tab, made: Result<Sheet, Trouble>) -> Response {
    let (status, sheet) = match made {
        Ok(sheet) => (StatusCode::OK, sheet),
        Err(trouble) => {
            let status = StatusCode::from_u16(trouble.status).unwrap_or(StatusCode::BAD_GATEWAY);
            let body = html! { h1 { (heading(status)) } (told(&trouble)) };
            (status, Sheet { title: heading(status).to_owned(), live: "away", body })
        }
    };
    let notice = here.take_notice();
    let page = document(
        here.folder(),
        &format!("{} · {}", sheet.title, here.project.name()),
        &html! {
            a.skip href="#main" { "Skip to the page" }
            header.top {
                a.brand href=(here.to("said")) { img src={(here.folder()) "/mark.svg"} alt="" width="22" height="22"; " lokid" }
                (switcher(here))
                nav aria-label="Screens" {
                    @for (own, path, name, key, shows) in TABS {
                        a href=(here.to(path)) aria-current=[(*own == tab).then_some("page")] data-go=(key) title=(shows) { (name) }
                    }
                }
            }
            p.notice role="status" .failed[notice.as_ref().is_some_and(|notice| notice.failed)] {
                @if let Some(notice) = &notice { (notice.text) }
            }
            main #main tabindex="-1" data-live=(sheet.live) data-heard=(here.heard) data-project=(here.project.id) data-path=(here.project.path) {
                (sheet.body)
            }
            footer {
                p.keys { kbd { "j" } " " kbd { "k" } " move · " kbd { "Enter" } " open · " kbd { "/" } " search · " kbd { "g" } " and a letter: another screen · " kbd { "?" } " all keys" }
            }
            (keys())
        },
    );
    (status, page).into_response()
}

/// The place of a part that takes a moment. Without JavaScript it is a way there.
pub(super) fn later(here: &Here, id: &str, heading: &str, page: &str, asked: &[(&str, &str)]) -> Markup {
    let part = with(here, page, &[asked, &[("part", "yes")]].concat());
    html! { section id=(id) data-load=(part) { h2 { (heading) } p { a href=(with(here, page, asked)) { "Have a look" } } } }
}

/// That part, alone for whoever puts it into a page, or as a page.
pub(super) fn part(here: &Here, tab: Tab, title: &str, head: &Markup, part: &Markup) -> Response {
    if !here.query("part").is_empty() {
        return Html(part.0.clone()).into_response();
    }
    around(here, tab, Ok(Sheet { title: title.to_owned(), live: "", body: html! { (head) (part) } }))
}

/// Shown by `?`; a dialog that is not open says nothing.
fn keys() -> Markup {
    let rows: &[(&str, &str)] = &[
        ("j, k", "next, previous"),
        ("Enter", "open what is chosen"),
        ("u", "undo"),
        ("a", "accept"),
        ("e", "edit"),
        ("p", "make private, or shared again"),
        ("t", "promote"),
        ("x", "forget"),
        ("n", "never say it here again"),
        ("1, 2, 3", "of two that cannot both hold: the first, the second, both"),
        ("/", "search"),
    ];
    html! {
        dialog #keys aria-labelledby="keys-title" {
            h2 #keys-title { "Keys" }
            dl {
                @for (key, what) in rows { dt { kbd { (key) } } dd { (what) } }
                @for (_, _, name, key, _) in TABS { dt { kbd { "g " (key) } } dd { (name) } }
            }
            form method="dialog" { button { "Close" } }
        }
    }
}

fn switcher(here: &Here) -> Markup {
    html! {
        @if here.projects.len() > 1 {
            details.switch {
                summary { span.project { (here.project.name()) } }
                ul {
                    @for known in &here.projects {
                        li { a href={(here.folder()) "/p/" (known.id) "/said"} { (known.name()) " " small { (known.path) } } }
                    }
                }
            }
        } @else {
            span.project title=(here.project.path) { (here.project.name()) }
        }
    }
}

fn heading(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "Not here",
        StatusCode::BAD_GATEWAY => "The daemon does not answer",
        _ => "That did not work",
    }
}

fn told(trouble: &Trouble) -> Markup {
    html! {
        p.trouble { (trouble.detail) }
        @if trouble.is_away {
            p { "Start it with " code { "lokid run" } "; this page shows it as soon as it is back." }
        }
    }
}

/// Without a project there is no way elsewhere.
pub(super) fn bare(trouble: &Trouble) -> Response {
    let status = StatusCode::from_u16(trouble.status).unwrap_or(StatusCode::BAD_GATEWAY);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; title { (heading(status)) " · lokid" } meta http-equiv="refresh" content="3"; }
            body { main { h1 { (heading(status)) } (told(trouble)) } }
        }
    };
    (status, Html(page.into_string())).into_response()
}

/// For whoever was not let in: nothing of the page is shown.
pub(super) fn plain(status: StatusCode, words: &str) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" { head { meta charset="utf-8"; title { "lokid" } } body { main { h1 { "lokid" } p { (words) } } } }
    };
    (status, Html(page.into_string())).into_response()
}

/// A page that leads on at once, and leaves the token behind.
pub(super) fn passing(to: &str) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="referrer" content="no-referrer";
                title { "lokid" }
                meta http-equiv="refresh" content={"0;url=" (to)};
            }
            body { main { h1 { "lokid" } p { a href=(to) { "Come in" } } } }
        }
    };
    Html(page.into_string()).into_response()
}

fn document(folder: &str, title: &str, body: &Markup) -> Html<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href={(folder) "/mark.svg"};
                link rel="stylesheet" href={(folder) "/page.css"};
                script src={(folder) "/page.js"} defer {}
            }
            body data-folder=(folder) { (body) }
        }
    };
    Html(page.into_string())
}
