//! `lokid mute`: what is not to be told unasked any more.

use serde_json::Value;

use super::args::Mute;
use super::ask::{self, Ask};
use super::failure::Done;
use super::reach::Reach;
use super::remember::{project_root, within};
use super::screen::Screen;
use super::settings::{Settings, absolute};
use super::words;

pub(super) fn run(mute: &Mute, settings: &Settings, screen: &mut Screen) -> Done {
    let Some(id) = mute.id.as_ref().filter(|_| !mute.list) else { return list(settings, screen) };
    let root = project_root(&settings.project);
    let file = mute.file.as_ref().map(|file| within(&root, &absolute(file)?)).transpose()?;
    let ask = if mute.undo { Ask::delete("/mutes") } else { Ask::post("/mutes") };
    let ask = ask
        .field("memory_id", id.as_str())
        .maybe_field("namespace", mute.namespace.as_deref())
        .maybe_field("file", file)
        .project(settings);
    let Some(answer) = Reach::daemon(settings)?.told(&ask, settings, screen)? else { return Ok(()) };
    let told = if mute.undo { "is told again" } else { "is told unasked no more" };
    screen.line(format!("{id} {told}{}", place(&answer)))
}

fn list(settings: &Settings, screen: &mut Screen) -> Done {
    let ask = Ask::get("/mutes").project(settings).query("limit", "500");
    let Some(answer) = Reach::reader(settings, screen)?.told(&ask, settings, screen)? else { return Ok(()) };
    let items = ask::list(&answer, "items");
    if items.is_empty() {
        screen.note("nothing is muted");
        return Ok(());
    }
    let rows: Vec<Vec<String>> = items.iter().map(row).collect();
    screen.table(&rows)?;
    if !words::field(&answer, "next_cursor").is_empty() {
        screen.note("there are more; `GET /v1/mutes` goes on");
    }
    Ok(())
}

fn row(item: &Value) -> Vec<String> {
    let file = Some(words::field(item, "file")).filter(|file| !file.is_empty());
    let title = words::brief(&words::field(item, "title"), 60);
    vec![words::field(item, "memory_id"), file.unwrap_or_else(|| "everywhere".to_owned()), title]
}

fn place(answer: &Value) -> String {
    match words::field(answer, "file") {
        file if file.is_empty() => String::new(),
        file => format!(" at {file}"),
    }
}
