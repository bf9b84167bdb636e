//! `lokid events`: what happens, as it happens.

use serde_json::Value;

use super::ask::Ask;
use super::failure::Done;
use super::reach::Reach;
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::words;

pub(super) fn run(settings: &Settings, screen: &mut Screen) -> Done {
    let daemon = Reach::daemon(settings)?;
    let ask = Ask::get("/events").header("accept", "application/x-ndjson");
    let ask = if settings.project_named { ask.project(settings) } else { ask };
    daemon.follow(&ask, |line| {
        if line.is_empty() {
            return Ok(());
        }
        let shown = if settings.json { line.to_owned() } else { tell(line, screen) };
        screen.line(shown)?;
        screen.flush()
    })?;
    screen.note("the daemon ended the stream");
    Ok(())
}

/// `04:59:53  memory_written  id note-1, kind note`
fn tell(line: &str, screen: &Screen) -> String {
    let Ok(event) = serde_json::from_str::<Value>(line) else { return line.to_owned() };
    let at = words::field(&event, "at");
    let clock = at.get(11..19).unwrap_or(&at);
    let kind = words::field(&event, "kind");
    let data = words::field(&event, "data");
    format!("{}  {}  {data}", screen.paint(Style::Dim, clock), screen.paint(Style::Bold, &kind)).trim_end().to_owned()
}
