//! `lokid status --watch`: how the daemon fares, as it happens. On a terminal one calm page that is drawn in place; into a
//! pipe a line a look.
//!
//! What happens is told by the daemon's own stream, numbers are asked for now and then; a daemon that goes away is waited
//! for. It leaves the terminal as it was, however it ends.

mod board;
mod digest;
mod happenings;
mod keys;
mod layout;
mod line;
mod panels;
mod stream;
#[cfg(test)]
mod tests;

use std::time::Duration;

use anyhow::Context;
use signal_hook::consts::SIGTSTP;

use super::args::Status;
use super::ask::Ask;
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::screen::Screen;
use super::settings::Settings;
use crate::serve::Client;
use board::{Board, Wish, clock};
use lokid_sys::{Clock, terminal};
use stream::{News, Stream, learn};

/// Things come in bursts; they are drawn together.
const SETTLE: Duration = Duration::from_millis(150);
/// The page tells the time.
const TICK: Duration = Duration::from_secs(1);

pub(super) fn run(asked: &Status, every: Duration, settings: &Settings, screen: &mut Screen) -> Done {
    // Where there is no daemon there is nothing to watch; one that goes away later is waited for.
    drop(Reach::daemon(settings)?);
    if terminal::size().is_some() && !settings.json {
        on_terminal(asked, every, settings, screen)
    } else {
        in_lines(asked, every, settings, screen)
    }
}

fn in_lines(asked: &Status, every: Duration, settings: &Settings, screen: &mut Screen) -> Done {
    let (stream, time, client) = (Stream::open()?, Clock::system(), Client::new(&settings.socket));
    let ask = Ask::get("/status");
    let request = if settings.project_named { ask.project(settings) } else { ask }.request();
    let mut looks = 0;
    loop {
        let status = learn(&client, &request);
        let told = clock(time.now(), time.utc_offset_seconds());
        screen.line(match &status {
            _ if !settings.json => digest::line(status.as_ref(), &told, &settings.socket.display().to_string()),
            Some(status) => status.to_string(),
            None => "null".to_owned(),
        })?;
        screen.flush()?;
        looks += 1;
        // What is told here is only the wish to end.
        if asked.times.is_some_and(|times| looks >= times) || stream.next(every).is_some() {
            return Ok(());
        }
    }
}

fn on_terminal(asked: &Status, every: Duration, settings: &Settings, screen: &mut Screen) -> Done {
    let begin = || terminal::Drawing::begin().context("cannot draw on this terminal");
    let mut drawing = begin()?;
    let time = Clock::system();
    let home = lokid_sys::env::home_dir().map(|home| home.display().to_string());
    let mut board = Board::new(settings.socket.display().to_string(), home, settings.project.display().to_string());
    let stream = Stream::open_for_terminal(settings, every, board.wanted())?;
    let (mut looks, mut draw_at) = (0, None);
    loop {
        let now = time.monotonic();
        let wake = draw_at.map_or(TICK, |at: std::time::Instant| at.saturating_duration_since(now));
        match stream.next(wake) {
            Some(News::Stop) => return Ok(()),
            Some(News::Pressed(key)) => match board.press(key) {
                Wish::Quit => return Ok(()),
                Wish::Look => stream.look_at(board.wanted()),
                Wish::Draw => {}
            },
            Some(News::Happened(event)) => {
                board.hear(&event);
                draw_at.get_or_insert(now + SETTLE);
                continue;
            }
            Some(News::Looked(look)) => {
                board.take(*look);
                looks += 1;
            }
            Some(News::Suspended) => {
                drop(drawing);
                signal_hook::low_level::emulate_default_handler(SIGTSTP).context("cannot be suspended")?;
                drawing = begin()?;
            }
            Some(News::Resized) | None => {}
        }
        draw_at = None;
        board.at(time.now(), time.utc_offset_seconds());
        draw(&board, screen)?;
        if asked.times.is_some_and(|times| looks >= times) {
            return Ok(());
        }
    }
}

fn draw(board: &Board, screen: &mut Screen) -> Result<(), Failure> {
    let (columns, rows) = terminal::size().unwrap_or((80, 24));
    let colour = screen.colour();
    let lines: Vec<String> = board.draw(columns, rows).iter().map(|line| line.paint(colour)).collect();
    screen.page(&lines)
}
