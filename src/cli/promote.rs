//! `lokid promote`: a memory for the whole organisation. It shows the exact bytes, asks, and writes them with the
//! organisation's own key; without one it prints the call to make. Nobody but a person starts it.

use std::io::{self, IsTerminal};

use serde_json::{Value, json};

use super::args::Promote;
use super::ask::{self, Ask};
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::team::promotion;
use super::words;
use crate::serve::encode;
use lokid_mirror::mapping::Projected;
use lokid_mirror::promote::{self, Promoted};
use lokid_mirror::{KeyKind, Stores};

pub(super) fn run(asked: &Promote, settings: &Settings, screen: &mut Screen) -> Done {
    if asked.to == "team" || promotion::is_in_team(settings, screen)? {
        return promotion::promote(asked, settings, screen);
    }
    let reach = Reach::reader(settings, screen)?;
    let ask = Ask::get(&format!("/memories/{}/promotion", encode(&asked.id))).project(settings);
    let answer = reach.ask(&ask.maybe("namespace", asked.namespace.as_deref()))?;
    let shown = ask::json(&answer)?;
    let field = |name: &str| words::field(&shown, name);
    let projected =
        Projected { paths: [field("path"), field("beside")], content: field("content"), sha256: field("sha256") };
    if !settings.json {
        let size = words::size(projected.content.len() as u64);
        screen
            .line(screen.paint(Style::Bold, &format!("{}  {size}  sha256 {}", projected.paths[0], projected.sha256)))?;
        screen.text(&projected.content)?;
    }
    let (stores, store) = match credentials(settings) {
        Ok(given) => given,
        Err(why) => return by_hand(&field("call"), &why, shown, settings, screen),
    };
    if !asked.yes {
        if !io::stdin().is_terminal() {
            let message = "it leaves this machine for good, and nobody is here to be asked";
            return Err(Failure::usage(message).hint("add `--yes`"));
        }
        if !screen.confirm(&format!("write these bytes into {store}, where the whole organisation reads them?")) {
            screen.note("nothing was written");
            return Ok(());
        }
    }
    let done = promote::write(&stores, &store, &projected)
        .map_err(|error| Failure::new(format!("{store} did not take it: {error}")))?;
    told(&done, &store, settings, screen)
}

/// The way in, or why there is none.
fn credentials(settings: &Settings) -> Result<(Stores, String), String> {
    let managed = &settings.config.managed;
    if !managed.uses_network() {
        return Err("managed memory is off (managed.agents and managed.memory)".to_owned());
    }
    let store = managed.org_store.clone().ok_or("managed.org_store names no store")?;
    let key = KeyKind::Organisation.read(managed).map_err(|error| error.to_string())?;
    let stores = Stores::new(managed, key).map_err(|error| error.to_string())?;
    Ok((stores, store))
}

fn by_hand(call: &str, why: &str, shown: Value, settings: &Settings, screen: &mut Screen) -> Done {
    if settings.json {
        return screen.line(shown.to_string());
    }
    screen.note(format!("nothing was written: {why}; whoever may write there makes this call:"));
    screen.text(call)
}

fn told(done: &Promoted, store: &str, settings: &Settings, screen: &mut Screen) -> Done {
    if settings.json {
        let told = json!({"store": store, "path": done.path, "id": done.id, "changed": done.changed});
        return screen.line(told.to_string());
    }
    let verb = if done.changed { "wrote" } else { "already there:" };
    screen.line(format!("{verb} {} in {store}", done.path))
}
