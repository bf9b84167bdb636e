//! `lokid promote --to team|org` and `lokid demote`: what binds the others.

use std::io::{self, IsTerminal};

use serde_json::Value;

use crate::cli::args::{Demote, Promote};
use crate::cli::ask::{self, Ask};
use crate::cli::failure::{Done, Failure};
use crate::cli::reach::Reach;
use crate::cli::screen::Screen;
use crate::cli::settings::Settings;
use crate::cli::words;

/// Is the project in a team? Then that is whom a promotion is for.
pub(in crate::cli) fn is_in_team(settings: &Settings, screen: &mut Screen) -> Result<bool, Failure> {
    let answer = Reach::reader(settings, screen)?.ask(&Ask::get("/team/status").project(settings))?;
    Ok(ask::json(&answer)?["joined"] == Value::Bool(true))
}

/// Shows every word that would bind, asks, and means these words and no others.
pub(in crate::cli) fn promote(asked: &Promote, settings: &Settings, screen: &mut Screen) -> Done {
    let reach = Reach::daemon(settings)?;
    let ask = || {
        let ask = Ask::post("/team/promote").project(settings).field("id", asked.id.clone());
        ask.field("to", asked.to.clone()).maybe_field("namespace", asked.namespace.as_deref())
    };
    let shown = ask::json(&reach.ask(&ask())?)?;
    let whom = if asked.to == "org" { "the organisation" } else { "the team" };
    if !settings.json {
        screen.line(format!("{} for {whom}, by {}:", words::field(&shown, "tier"), words::field(&shown, "author")))?;
        screen.text(&format!("{}\n", words::field(&shown, "words")))?;
    }
    if !asked.yes {
        if !io::stdin().is_terminal() {
            let message = "it binds others, and nobody is here to be asked";
            return Err(Failure::usage(message).hint("add `--yes`"));
        }
        if !screen.confirm(&format!("promote these words for {whom}?")) {
            screen.note("nothing was promoted");
            return Ok(());
        }
    }
    let Some(told) = reach.told(&ask().field("print", words::field(&shown, "print")), settings, screen)? else {
        return Ok(());
    };
    match told["done"].as_str() {
        Some("proposed") => screen.line(format!("{} waits in the inbox of the promoters of {whom}", asked.id)),
        _ => screen.line(format!("{} holds for {whom}, until its words change", asked.id)),
    }
}

pub(in crate::cli) fn demote(asked: &Demote, settings: &Settings, screen: &mut Screen) -> Done {
    let ask = Ask::post("/team/demote").project(settings).field("id", asked.id.clone()).field("to", asked.from.clone());
    let Some(told) =
        Reach::daemon(settings)?.told(&ask.maybe_field("namespace", asked.namespace.as_deref()), settings, screen)?
    else {
        return Ok(());
    };
    screen.line(format!("{}: {}", asked.id, words::field(&told, "done")))
}
