//! What happened, in the words of the page.

use serde_json::Value;

use super::super::screen::Style;
use super::super::words;
use super::line::Line;
use lokid_model::Timestamp;

/// Wide enough for most of what happens.
const VERB: usize = 15;

/// An event as it came, told when it is drawn.
#[derive(Clone, Debug)]
pub(super) struct Happening {
    pub(super) at: Timestamp,
    /// The path of its project; empty when it concerns all.
    pub(super) project: String,
    verb: String,
    about: String,
}

impl Happening {
    pub(super) fn new(event: &Value, now: Timestamp) -> Happening {
        let (verb, about) = told(event);
        let at = Timestamp::parse(&words::field(event, "at")).unwrap_or(now);
        Happening { at, project: words::field(event, "project"), verb, about }
    }

    pub(super) fn brief(&self) -> Line {
        Line::styled(style_of(&self.verb), &self.verb).and(" ").and(&self.about)
    }

    pub(super) fn line(&self, clock: &str) -> Line {
        let verb = Line::styled(style_of(&self.verb), &self.verb).fit(VERB);
        Line::styled(Style::Dim, clock).and("  ").join(verb).and(" ").and(&self.about)
    }
}

fn style_of(verb: &str) -> Style {
    match verb {
        "error" | "contradiction" | "missed" => Style::Yellow,
        "made ready" | "many changes" => Style::Dim,
        _ => Style::Bold,
    }
}

/// What happened, in a verb, and what it was about.
fn told(event: &Value) -> (String, String) {
    let data = |name: &str| event.pointer(&format!("/data/{name}")).map(words::plain).unwrap_or_default();
    let first = |names: &[&str]| names.iter().map(|name| data(name)).find(|text| !text.is_empty()).unwrap_or_default();
    let both = |one: String, other: String| if one.is_empty() { other } else { format!("{one}, {other}") };
    match words::field(event, "kind").as_str() {
        "signal" => (data("type").replace('_', " "), first(&["path", "branch", "author", "agent", "session_id"])),
        "flood" => {
            let files = words::count(data("files").parse().unwrap_or(0), "more file", "more files");
            let folder = data("path");
            ("many changes".to_owned(), if folder.is_empty() { files } else { format!("{files} in {folder}/") })
        }
        "prefetch" => {
            let tokens = words::count(data("tokens").parse().unwrap_or(0), "token", "tokens");
            ("made ready".to_owned(), both(first(&["path", "branch"]), tokens))
        }
        "memory" => {
            let verb = match data("op").as_str() {
                "created" => "remembered".to_owned(),
                "updated" => "changed".to_owned(),
                op => op.to_owned(),
            };
            (verb, format!("{} {}", data("kind"), data("id")).trim().to_owned())
        }
        "bootstrap" if data("reading") != "done" => {
            ("reading".to_owned(), format!("{}, {} of {}", data("reading"), data("done"), data("total")))
        }
        "git" => (data("op"), both(data("commit").chars().take(12).collect(), format!("{} files", data("files")))),
        "economy" => ("economy".to_owned(), data("did")),
        kind => (kind.replace('_', " "), words::brief(&words::field(event, "data"), 200)),
    }
}
