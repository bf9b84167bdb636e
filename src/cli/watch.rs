//! `lokid status --watch`: how the daemon fares, as it happens. On a terminal one calm page that is drawn in place; into a
//! pipe a line a look.
//!
//! What happens is told by the daemon's own stream, numbers are asked for now and then; a daemon that goes away is waited
//! for. It leaves the terminal as it was, however it ends.

mod page;
mod stream;

use std::time::Duration;

use anyhow::Context;
use serde_json::Value;

use super::args::Status;
use super::ask::Ask;
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::screen::Screen;
use super::settings::Settings;
use lokid_sys::{Clock, terminal};
use page::Page;
use stream::{News, Stream};

/// Things come in bursts; they are drawn together.
const SETTLE: Duration = Duration::from_millis(150);

pub(super) fn run(asked: &Status, every: Duration, settings: &Settings, screen: &mut Screen) -> Done {
    // Where there is no daemon there is nothing to watch; one that goes away later is waited for.
    drop(Reach::daemon(settings)?);
    let on_terminal = terminal::size().is_some() && !settings.json;
    let _restored =
        if on_terminal { Some(terminal::Drawing::begin().context("cannot draw on this terminal")?) } else { None };
    let stream = Stream::open(settings)?;
    let clock = Clock::system();
    let mut page = Page::new(settings, screen.colour());
    let mut looks = 0;
    loop {
        let status = look(settings);
        page.look(status.as_ref(), clock.now(), clock.utc_offset_seconds());
        looks += 1;
        let last = asked.times.is_some_and(|times| looks >= times);
        if on_terminal {
            draw(&page, screen)?;
        } else if settings.json {
            screen.line(status.map_or_else(|| "null".to_owned(), |status| status.to_string()))?;
            screen.flush()?;
        } else {
            screen.line(page.line())?;
            screen.flush()?;
        }
        if last {
            return Ok(());
        }
        if !until_next_look(&stream, &clock, every, &mut page, &mut |page| {
            if on_terminal { draw(page, screen) } else { Ok(()) }
        })? {
            return Ok(());
        }
    }
}

/// Draws what happens meanwhile, a burst at once. Answers whether anybody wants to see more.
fn until_next_look(
    stream: &Stream,
    clock: &Clock,
    every: Duration,
    page: &mut Page,
    draw: &mut dyn FnMut(&Page) -> Done,
) -> Result<bool, Failure> {
    let until = clock.monotonic() + every;
    let mut drawn_by = None;
    loop {
        let now = clock.monotonic();
        let wake = drawn_by.unwrap_or(until).min(until);
        match stream.next(wake.saturating_duration_since(now)) {
            Some(News::Stop) => return Ok(false),
            Some(News::Resized) => draw(page)?,
            Some(News::Happened(event)) => {
                page.hear(&event);
                drawn_by.get_or_insert(now + SETTLE);
            }
            None if drawn_by.take().is_some() => draw(page)?,
            None => return Ok(true),
        }
    }
}

fn look(settings: &Settings) -> Option<Value> {
    let ask = Ask::get("/status");
    let ask = if settings.project_named { ask.project(settings) } else { ask };
    Reach::daemon(settings).ok()?.learn(&ask).ok()
}

fn draw(page: &Page, screen: &mut Screen) -> Done {
    let (columns, rows) = terminal::size().unwrap_or((80, 24));
    screen.page(&page.draw(columns, rows))
}
