//! `lokid ledger` and `lokid handoff`: Loki Mode's documents, kept whole and not interpreted.

use std::io::{self, Read};

use anyhow::Context;
use serde_json::{Map, Value};

use super::args::DocumentCommand;
use super::ask::{self, Ask};
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::screen::Screen;
use super::settings::Settings;
use super::words;
use crate::serve::encode;
use lokid_model::DocumentKind;

/// More than any request may have; the daemon draws the exact line.
const MOST: u64 = 1 << 30;

pub(super) fn run(
    kind: DocumentKind,
    command: Option<&DocumentCommand>,
    settings: &Settings,
    screen: &mut Screen,
) -> Done {
    // The field that names a document is Loki Mode's.
    let (path, noun, named) = match kind {
        DocumentKind::Ledger => ("/ledgers", "ledger", "agent_id"),
        DocumentKind::Handoff => ("/handoffs", "handoff", "id"),
    };
    match command {
        None | Some(DocumentCommand::List) => {
            let Some(answer) =
                Reach::reader(settings, screen)?.told(&Ask::get(path).project(settings), settings, screen)?
            else {
                return Ok(());
            };
            let found = ask::list(&answer, "items");
            if found.is_empty() {
                screen.note(format!("there is no {noun}"));
            }
            found.iter().try_for_each(|document| screen.line(words::field(document, named)))
        }
        Some(DocumentCommand::Show { name }) => {
            let answer = Reach::reader(settings, screen)?.learn(&Ask::get(path).project(settings))?;
            let mut found = ask::list(&answer, "items").iter();
            let Some(document) = found.find(|document| words::field(document, named) == *name) else {
                let hint = format!("`lokid {noun} list` lists them");
                return Err(Failure::new(format!("there is no {noun} {name}")).hint(hint));
            };
            if settings.json {
                return screen.line(document.to_string());
            }
            screen.text(&serde_json::to_string_pretty(document).context("cannot write JSON")?)
        }
        Some(DocumentCommand::Write { name }) => {
            let daemon = Reach::daemon(settings)?;
            let ask = Ask::with(path, from_stdin()?).project(settings).field(named, name.as_str());
            let answer = daemon.ask(&ask)?;
            if settings.json {
                return screen.text(&answer.text());
            }
            screen.line(format!("wrote the {noun} {name}"))
        }
        Some(DocumentCommand::Erase { name }) => {
            let path = format!("{path}/{}", encode(name));
            let answer = Reach::daemon(settings)?.ask(&Ask::delete(&path).project(settings))?;
            if settings.json {
                return screen.text(&answer.text());
            }
            screen.line(format!("erased the {noun} {name}"))
        }
    }
}

fn from_stdin() -> Result<Map<String, Value>, Failure> {
    let mut text = String::new();
    io::stdin().take(MOST).read_to_string(&mut text).context("cannot read the standard input")?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("the standard input is no JSON object: {error}")))
}
