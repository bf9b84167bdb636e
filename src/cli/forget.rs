//! `lokid forget`: one memory by its id, or several by words or key after showing them; and back again.

use std::io::{self, IsTerminal};

use serde_json::Value;

use super::args::Forget;
use super::ask::{self, Ask};
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::screen::Screen;
use super::settings::Settings;
use super::words;
use crate::serve::encode;

pub(super) fn run(forget: &Forget, settings: &Settings, screen: &mut Screen) -> Done {
    let daemon = Reach::daemon(settings)?;
    if let Some(id) = &forget.undo {
        let look = Ask::get(&format!("/memories/{}", encode(id))).project(settings);
        let known = daemon.ask(&look.maybe("namespace", forget.namespace.as_deref())).ok();
        // One that became part of another is still there, and can be itself again.
        if known.is_some_and(|known| known.json().is_ok_and(|memory| memory["merged_into"].is_null())) {
            screen.note(format!("{id} was not forgotten"));
            return Ok(());
        }
        let ask = Ask::bare_post(&format!("/memories/{}/restore", encode(id)));
        let answer = daemon.ask(&ask.project(settings).maybe("namespace", forget.namespace.as_deref()))?;
        return if settings.json { screen.text(&answer.text()) } else { screen.line(format!("{id} is back")) };
    }
    match &forget.id {
        Some(id) => one(id, forget, &daemon, settings, screen),
        None => several(forget, &daemon, settings, screen),
    }
}

fn one(id: &str, forget: &Forget, daemon: &Reach, settings: &Settings, screen: &mut Screen) -> Done {
    let asking = forget.purge && !forget.yes;
    if asking && !io::stdin().is_terminal() {
        return Err(Failure::usage("a purge cannot be undone, and nobody is here to be asked").hint("add `--yes`"));
    }
    if asking && !screen.confirm(&format!("erase {id} for good?")) {
        screen.note("nothing was erased");
        return Ok(());
    }
    let ask = Ask::delete(&format!("/memories/{}", encode(id)))
        .project(settings)
        .maybe("reason", forget.reason.as_deref())
        .maybe("purge", forget.purge.then_some("true"))
        .maybe("namespace", forget.namespace.as_deref());
    let answer = daemon.ask(&ask)?;
    if settings.json {
        return screen.text(&answer.text());
    }
    screen.line(gone(id, forget.purge))?;
    if !forget.purge {
        screen.note(format!("`lokid forget --undo {id}` brings it back"));
    }
    Ok(())
}

fn several(forget: &Forget, daemon: &Reach, settings: &Settings, screen: &mut Screen) -> Done {
    let ask = |dry_run: bool| {
        Ask::post("/memories/forget")
            .project(settings)
            .maybe_field("query", forget.query.as_deref())
            .maybe_field("key", forget.key.as_deref())
            .maybe_field("namespace", forget.namespace.as_deref())
            .maybe_field("reason", forget.reason.as_deref())
            .field("dry_run", dry_run)
            .field("purge", forget.purge)
    };
    if !forget.yes {
        let answer = daemon.ask(&ask(true))?;
        let would = ask::json(&answer)?;
        let found = ask::list(&would, "forgotten");
        if settings.json && !io::stdin().is_terminal() {
            return screen.text(&answer.text());
        }
        screen.table(&found.iter().map(row).collect::<Vec<_>>())?;
        if found.is_empty() {
            screen.note("nothing matches");
            return Ok(());
        }
        let many = words::count(found.len() as u64, "memory", "memories");
        if !io::stdin().is_terminal() {
            screen.note(format!("{many} would be forgotten; nothing was yet: add --yes to go on"));
            return Ok(());
        }
        let verb = if forget.purge { "erase for good" } else { "forget" };
        if !screen.confirm(&format!("{verb} {many}?")) {
            screen.note("nothing was forgotten");
            return Ok(());
        }
    }
    let Some(done) = daemon.told(&ask(false), settings, screen)? else { return Ok(()) };
    let done = ask::list(&done, "forgotten");
    for one in done {
        screen.line(gone(&words::field(one, "id"), forget.purge))?;
    }
    if done.is_empty() {
        screen.note("nothing matches");
    }
    Ok(())
}

fn gone(id: &str, purge: bool) -> String {
    if purge { format!("erased {id} for good") } else { format!("forgot {id}") }
}

fn row(memory: &Value) -> Vec<String> {
    vec![words::field(memory, "id"), words::field(memory, "kind"), words::brief(&words::field(memory, "title"), 80)]
}
