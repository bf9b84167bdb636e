//! `lokid team status`, `lokid team inbox` and `lokid team audit`: how the team fares, what waits for a decision, and who
//! did what.

use serde_json::Value;

use crate::cli::args::Audit;
use crate::cli::ask::{self, Ask};
use crate::cli::failure::Done;
use crate::cli::reach::Reach;
use crate::cli::screen::Screen;
use crate::cli::settings::Settings;
use crate::cli::words;

pub(in crate::cli) fn status(settings: &Settings, screen: &mut Screen) -> Done {
    let Some(told) =
        Reach::reader(settings, screen)?.told(&Ask::get("/team/status").project(settings), settings, screen)?
    else {
        return Ok(());
    };
    if told["joined"] != Value::Bool(true) {
        screen.line("in no team: the memory of this project is shared by nobody but git")?;
        screen.note("`lokid team join --help` tells how it is shared over a database");
        return Ok(());
    }
    let field = |name: &str| words::field(&told, name);
    let count = |name: &str| told[name].as_u64().unwrap_or(0);
    let member = told["member"].as_str().map(|member| format!(", as {member}")).unwrap_or_default();
    screen.line(format!("team {}{member}: {}", field("project"), field("database")))?;
    let connected = told["connected"] == Value::Bool(true);
    let items = words::count(count("items"), "item", "items");
    let state = if connected { "in step" } else { "not connected" };
    let waiting = told["waiting"].as_u64().map_or("everything".to_owned(), |waiting| waiting.to_string());
    screen.line(format!("{state}: {items} shared, {} behind, {waiting} waiting to be sent", count("behind")))?;
    if count("removals_waiting") > 0 {
        let removals = words::count(count("removals_waiting"), "deletion", "deletions");
        screen.line(format!("{removals} waiting: what is forgotten leaves the team a little later"))?;
    }
    let done = [("received", "received"), ("sent", "sent"), ("merged", "merged"), ("refused", "refused")];
    let done: Vec<String> = done.iter().map(|(name, says)| format!("{} {says}", count(name))).collect();
    screen.line(format!("since the start: {}", done.join(", ")))?;
    if count("conflicts") > 0 {
        let open = words::count(count("conflicts"), "contradiction", "contradictions");
        screen.line(format!("{open} open: `lokid contradictions` settles them"))?;
    }
    if let Some(error) = told.get("last_error").filter(|error| error.is_object()) {
        screen.line(format!("last error, {}: {}", words::field(error, "at"), words::field(error, "detail")))?;
    }
    if let Some(until) = told["paused_until"].as_str().filter(|_| !connected) {
        screen.line(format!("tried again at {until}"))?;
    }
    let rows: Vec<Vec<String>> = ask::list(&told, "peers").iter().map(peer).collect();
    screen.table(&rows)
}

fn peer(peer: &Value) -> Vec<String> {
    let behind = peer["behind"].as_u64().unwrap_or(0);
    let state = if behind == 0 { "in step".to_owned() } else { format!("{behind} behind") };
    let own = if peer["is_this_machine"] == Value::Bool(true) { "this machine" } else { "" };
    let field = |name: &str| words::field(peer, name);
    vec![field("member"), field("machine"), state, field("seen_at"), own.to_owned()]
}

pub(in crate::cli) fn inbox(settings: &Settings, screen: &mut Screen) -> Done {
    let Some(told) = Reach::daemon(settings)?.told(&Ask::get("/team/inbox").project(settings), settings, screen)?
    else {
        return Ok(());
    };
    let items = ask::list(&told, "items");
    if items.is_empty() {
        screen.note("nothing waits for a promoter");
        return Ok(());
    }
    for item in items {
        let field = |name: &str| words::field(item, name);
        let to = field("to");
        screen.line(format!(
            "{}  {} for the {to}, asked by {} {}",
            field("id"),
            field("tier"),
            field("by"),
            field("at")
        ))?;
        let lines = |name: &str| field(name).lines().map(str::to_owned).collect::<Vec<_>>();
        let (before, after) = (lines("before"), lines("after"));
        for line in before.iter().filter(|line| !after.contains(line)) {
            screen.line(format!("- {line}"))?;
        }
        for line in &after {
            let mark = if before.contains(line) { " " } else { "+" };
            screen.line(format!("{mark} {line}"))?;
        }
    }
    screen.note("`lokid promote ID --to team` agrees, `lokid demote ID` declines");
    Ok(())
}

pub(in crate::cli) fn audit(asked: &Audit, settings: &Settings, screen: &mut Screen) -> Done {
    let ask =
        Ask::get("/team/audit").project(settings).maybe("limit", asked.limit.map(|limit| limit.to_string()).as_deref());
    let Some(told) = Reach::daemon(settings)?.told(&ask, settings, screen)? else { return Ok(()) };
    let row = |line: &Value| ["at", "what", "by", "kind", "id"].map(|name| words::field(line, name)).to_vec();
    let rows: Vec<Vec<String>> = ask::list(&told, "items").iter().map(row).collect();
    screen.table(&rows)
}
