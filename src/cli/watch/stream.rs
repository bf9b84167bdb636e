//! Everything that can change the page, in one line: what the daemon tells, the size of the terminal, and the wish to end.
//!
//! The daemon is followed by a thread of its own, which waits for it to come back when it goes away.

use std::time::Duration;

use anyhow::Context;
use crossbeam_channel::{Receiver, Sender};
use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGWINCH};
use signal_hook::iterator::Signals;

use super::super::ask::Ask;
use super::super::failure::Failure;
use super::super::settings::Settings;
use crate::serve::{Client, Request};
use lokid_sys::{terminal, thread};

/// How long a daemon that is away is left alone.
const AGAIN: Duration = Duration::from_millis(500);
/// More than this waits only when nobody draws.
const WAITING: usize = 1_024;

pub(super) enum News {
    Happened(Value),
    Resized,
    Stop,
}

pub(super) struct Stream(Receiver<News>);

impl Stream {
    /// The threads end with the process: each waits for somebody else.
    pub(super) fn open(settings: &Settings) -> Result<Stream, Failure> {
        let (sender, receiver) = crossbeam_channel::bounded(WAITING);
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGWINCH]).context("cannot listen for signals")?;
        let told = sender.clone();
        thread::spawn("signals", move || {
            for signal in signals.forever() {
                let news = if signal == SIGWINCH { News::Resized } else { News::Stop };
                let _ = told.send(news);
            }
        })
        .context("cannot start a thread")?;
        let pressed = sender.clone();
        thread::spawn("keys", move || {
            while let Some(key) = terminal::key() {
                // End of input is no wish to end; `q` is.
                if matches!(key, b'q' | b'Q' | 27) {
                    let _ = pressed.send(News::Stop);
                }
            }
        })
        .context("cannot start a thread")?;
        let ask = Ask::get("/events").header("accept", "application/x-ndjson");
        let ask = if settings.project_named { ask.project(settings) } else { ask };
        let (client, request) = (Client::new(&settings.socket), ask.request());
        thread::spawn("events", move || follow(&client, &request, &sender)).context("cannot start a thread")?;
        Ok(Stream(receiver))
    }

    /// `None` when nothing came in time.
    pub(super) fn next(&self, most: Duration) -> Option<News> {
        self.0.recv_timeout(most).ok()
    }
}

fn follow(client: &Client, request: &Request, sender: &Sender<News>) {
    loop {
        let _ended = client.follow(request, |line| match serde_json::from_str(line) {
            Ok(event) => sender.send(News::Happened(event)).is_ok(),
            Err(_) => true,
        });
        thread::pause(AGAIN);
    }
}
