//! `lokid links`: how a memory is connected, and connecting two.

use serde_json::Value;

use super::args::{Links, LinksCommand};
use super::ask::{self, Ask};
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::words;
use crate::serve::encode;

pub(super) fn run(links: &Links, settings: &Settings, screen: &mut Screen) -> Done {
    let namespace = links.namespace.as_deref();
    match (&links.command, &links.id) {
        (Some(LinksCommand::Add { from, relation, to }), _) => {
            let ask = Ask::post("/links").project(settings).maybe_field("namespace", namespace);
            let ask = ask.field("from", from.as_str()).field("to", to.as_str()).field("relation", relation.as_str());
            let answer = Reach::daemon(settings)?.ask(&ask)?;
            if settings.json {
                return screen.text(&answer.text());
            }
            screen.line(format!("{from} {relation} {to}"))
        }
        (None, Some(id)) => {
            let depth = links.depth.map(|depth| depth.to_string());
            let ask = Ask::get(&format!("/links/{}", encode(id)))
                .project(settings)
                .maybe("depth", depth.as_deref())
                .maybe("relation", links.relation.as_deref())
                .maybe("namespace", namespace);
            let Some(answer) = Reach::reader(settings, screen)?.told(&ask, settings, screen)? else { return Ok(()) };
            graph(id, &answer, screen)
        }
        (None, None) => Err(Failure::usage("name a memory")),
    }
}

/// Each connection with what its ends are called.
fn graph(id: &str, answer: &Value, screen: &mut Screen) -> Done {
    let list = |key: &str| ask::list(answer, key);
    let title = |id: &str| {
        let node = list("nodes").iter().find(|node| words::field(node, "id") == id);
        node.map(|node| words::brief(&words::field(node, "title"), 60)).unwrap_or_default()
    };
    screen.line(format!("{}  {}", screen.paint(Style::Bold, id), title(id)))?;
    let edges = list("edges");
    if edges.is_empty() {
        screen.note("it is connected to nothing");
    }
    let rows: Vec<Vec<String>> = edges
        .iter()
        .map(|edge| {
            let (from, to) = (words::field(edge, "from"), words::field(edge, "to"));
            // The asked one has its title at the top already.
            let other = if to == id { format!("(from: {})", title(&from)) } else { title(&to) };
            vec![format!("  {from}"), words::field(edge, "relation"), to, other]
        })
        .collect();
    screen.table(&rows)
}
