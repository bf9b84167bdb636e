//! `lokid events`: what happens, as it happens. A daemon that goes away is waited for.

use std::time::Duration;

use serde_json::Value;

use super::ask::Ask;
use super::failure::Done;
use super::reach::{self, Reach};
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::words;
use lokid_sys::thread;

/// How long a daemon that is away is left alone.
const AGAIN: Duration = Duration::from_millis(500);

pub(super) fn run(settings: &Settings, screen: &mut Screen) -> Done {
    let mut daemon = Reach::daemon(settings)?;
    let ask = Ask::get("/events").header("accept", "application/x-ndjson");
    let ask = if settings.project_named { ask.project(settings) } else { ask };
    loop {
        let mut unread = false;
        let ended = daemon.follow(&ask, |line| tell(line, settings.json, screen).inspect_err(|_| unread = true));
        // Nobody reads any more, or the daemon refuses: neither is mended by waiting.
        if unread || (ended.is_err() && reach::is_up(&settings.socket)) {
            return ended;
        }
        screen.note("the daemon ended the stream; waiting for it to come back");
        daemon = loop {
            thread::pause(AGAIN);
            if let Ok(back) = Reach::daemon(settings) {
                break back;
            }
        };
        screen.note("the daemon is back; what happened meanwhile was not heard");
    }
}

fn tell(line: &str, json: bool, screen: &mut Screen) -> Done {
    if line.is_empty() {
        return Ok(());
    }
    let shown = if json { line.to_owned() } else { words_of(line, screen) };
    screen.line(shown)?;
    screen.flush()
}

/// `04:59:53  memory_written  id note-1, kind note`
fn words_of(line: &str, screen: &Screen) -> String {
    let Ok(event) = serde_json::from_str::<Value>(line) else { return line.to_owned() };
    let at = words::field(&event, "at");
    let clock = at.get(11..19).unwrap_or(&at);
    let kind = words::field(&event, "kind");
    let data = words::field(&event, "data");
    format!("{}  {}  {data}", screen.paint(Style::Dim, clock), screen.paint(Style::Bold, &kind)).trim_end().to_owned()
}
