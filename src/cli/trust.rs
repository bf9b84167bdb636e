//! `lokid trust`: what files of the repository would like to be, and letting them.

use serde_json::Value;

use super::args::Trust;
use super::ask::{self, Ask};
use super::failure::Done;
use super::reach::Reach;
use super::screen::Screen;
use super::settings::Settings;
use super::words;

pub(super) fn run(trust: &Trust, settings: &Settings, screen: &mut Screen) -> Done {
    let lists = trust.ids.is_empty() && trust.author.is_empty() && !trust.all;
    let ask = match lists {
        true => Ask::get("/trust").project(settings),
        false => Ask::post("/trust")
            .project(settings)
            .maybe_field("namespace", trust.namespace.as_deref())
            .field("ids", trust.ids.clone())
            .field("authors", trust.author.clone())
            .field("all", trust.all)
            .field("revoke", trust.revoke),
    };
    let Some(answer) = Reach::daemon(settings)?.told(&ask, settings, screen)? else { return Ok(()) };
    let items = ask::list(&answer, "items");
    if !lists {
        return items.iter().try_for_each(|item| screen.line(became(item)));
    }
    if items.is_empty() {
        screen.note("nothing here asks for more than it is");
        return Ok(());
    }
    let rows: Vec<Vec<String>> = items.iter().map(row).collect();
    screen.table(&rows)?;
    screen.note("read them; then `lokid trust ID…` lets them be what they ask to be, until their words change");
    Ok(())
}

/// Who, what it asks to be, by whom and where, and what it says.
fn row(item: &Value) -> Vec<String> {
    let asks = format!("{} of {}", field(item, "/claims/tier"), field(item, "/claims/source"));
    let author = Some(words::field(item, "author")).filter(|author| !author.is_empty());
    let author = author.unwrap_or_else(|| "nobody named".to_owned());
    let title = words::brief(&words::field(item, "title"), 60);
    vec![words::field(item, "id"), asks, author, words::field(item, "file"), title]
}

fn became(item: &Value) -> String {
    let by = if item.get("confirmed") == Some(&Value::Bool(true)) { ", as it asks to be" } else { "" };
    format!("{} is a {} now{by}", words::field(item, "id"), words::field(item, "tier"))
}

fn field(item: &Value, pointer: &str) -> String {
    item.pointer(pointer).map(words::plain).unwrap_or_default()
}
