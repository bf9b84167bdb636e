//! `lokid list`: the memories themselves, newest first, a line each.

use super::args::List;
use super::ask::{self, Ask};
use super::failure::Done;
use super::reach::Reach;
use super::remember;
use super::screen::Screen;
use super::settings::Settings;
use super::words;

/// Longer titles are cut.
const TITLE: usize = 100;

pub(super) fn run(list: &List, settings: &Settings, screen: &mut Screen) -> Done {
    let several = |words: &[String]| (!words.is_empty()).then(|| words.join(","));
    let derived = [(list.derived, "true"), (list.told, "false")].into_iter().find(|(wanted, _)| *wanted);
    let file = list.file.as_deref().map(|file| file.strip_prefix("./").unwrap_or(file));
    let ask = Ask::get("/memories")
        .project(settings)
        .maybe("kind", several(&list.kind).as_deref())
        .maybe("tier", several(&list.tier).as_deref())
        .maybe("source", several(&list.source).as_deref())
        .maybe("tag", list.tag.as_deref())
        .maybe("file", file)
        .maybe("derived", derived.map(|(_, word)| word))
        .maybe("since", remember::time("--since", list.since.as_deref())?.as_deref())
        .maybe("until", remember::time("--until", list.until.as_deref())?.as_deref())
        .maybe("include", several(&list.include).as_deref())
        .maybe("cursor", list.cursor.as_deref())
        .query("limit", &list.limit.to_string())
        .maybe("namespace", list.namespace.as_deref());
    let Some(answer) = Reach::reader(settings, screen)?.told(&ask, settings, screen)? else { return Ok(()) };
    let items = ask::list(&answer, "items");
    if items.is_empty() {
        screen.note("nothing is remembered that fits");
    }
    let row = |item: &serde_json::Value| {
        let day = words::field(item, "created_at").chars().take(10).collect();
        let title = words::brief(&words::field(item, "title"), TITLE);
        vec![words::field(item, "id"), day, words::field(item, "kind"), title]
    };
    let rows: Vec<Vec<String>> = items.iter().map(row).collect();
    screen.listed(&rows)?;
    let next = words::field(&answer, "next_cursor");
    if !next.is_empty() {
        screen.note(format!("there are more: `--limit {}` shows more at once, `--cursor {next}` the next", 500));
    }
    Ok(())
}
