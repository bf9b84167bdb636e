//! Everything that can change the page, in one line: what the daemon says and tells, what is typed, the size of the
//! terminal, and the wish to end.
//!
//! The daemon is asked and followed by threads of their own, which wait for it to come back when it goes away: whoever
//! draws and listens to keys never waits for it.

use std::time::Duration;

use anyhow::Context;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;

use super::super::ask::{Ask, list};
use super::super::failure::{Done, Failure};
use super::super::settings::Settings;
use super::super::words;
use super::board::{Look, place_of};
use super::keys::{self, Key};
use crate::serve::{Client, Request};
use lokid_sys::{terminal, thread};

/// How long a daemon that is away is left alone.
const AGAIN: Duration = Duration::from_millis(500);
/// How long an answer is waited for: the page says that nobody answers, and asks again.
const PATIENCE: Duration = Duration::from_secs(5);
/// More than this waits only when nobody draws.
const WAITING: usize = 1_024;
/// Sessions that fit on a tall terminal.
const SESSIONS: &str = "20";

pub(super) enum News {
    Looked(Box<Look>),
    Happened(Value),
    Pressed(Key),
    Resized,
    /// The terminal's owner wants it back for a while.
    Suspended,
    Stop,
}

/// The threads end with the process: each waits for somebody else.
pub(super) struct Stream {
    news: Receiver<News>,
    sender: Sender<News>,
    wanted: Option<Sender<String>>,
}

impl Stream {
    /// Hears only the wish to end.
    pub(super) fn open() -> Result<Stream, Failure> {
        let (sender, news) = crossbeam_channel::bounded(WAITING);
        let stream = Stream { news, sender, wanted: None };
        stream.heed(&[SIGINT, SIGTERM, SIGHUP])?;
        Ok(stream)
    }

    /// Hears everything there is to draw on a terminal.
    pub(super) fn open_for_terminal(settings: &Settings, every: Duration, wanted: &str) -> Result<Stream, Failure> {
        let mut stream = Stream::open()?;
        stream.heed(&[SIGWINCH, SIGTSTP])?;
        let pressed = stream.sender.clone();
        // The end of what is typed is no wish to end.
        spawn("keys", move || {
            while let Some(typed) = terminal::typed() {
                keys::read(&typed).into_iter().for_each(|key| drop(pressed.send(News::Pressed(key))));
            }
        })?;
        let ask = |path: &str| {
            let ask = Ask::get(path);
            if settings.project_named { ask.project(settings) } else { ask }
        };
        let events = ask("/events").header("accept", "application/x-ndjson").request();
        let (client, sender) = (Client::new(&settings.socket), stream.sender.clone());
        spawn("events", move || follow(&client, &events, &sender))?;
        let (wish, wishes) = crossbeam_channel::bounded(WAITING);
        let asking =
            Asking { client: Client::new(&settings.socket).patience(PATIENCE), status: ask("/status").request() };
        let (sender, wanted) = (stream.sender.clone(), wanted.to_owned());
        spawn("looks", move || asking.keep_looking(wanted, every, &wishes, &sender))?;
        stream.wanted = Some(wish);
        Ok(stream)
    }

    fn heed(&self, signals: &[i32]) -> Done {
        let mut signals = Signals::new(signals).context("cannot listen for signals")?;
        let told = self.sender.clone();
        spawn("signals", move || {
            for signal in signals.forever() {
                let news = match signal {
                    SIGWINCH => News::Resized,
                    SIGTSTP => News::Suspended,
                    _ => News::Stop,
                };
                let _ = told.send(news);
            }
        })
    }

    /// Another project is looked at, from now on and at once.
    pub(super) fn look_at(&self, project: &str) {
        if let Some(wanted) = &self.wanted {
            let _ = wanted.try_send(project.to_owned());
        }
    }

    /// `None` when nothing came in time.
    pub(super) fn next(&self, most: Duration) -> Option<News> {
        self.news.recv_timeout(most).ok()
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Done {
    thread::spawn(name, work).context("cannot start a thread")?;
    Ok(())
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

struct Asking {
    client: Client,
    status: Request,
}

impl Asking {
    fn keep_looking(&self, mut wanted: String, every: Duration, wishes: &Receiver<String>, sender: &Sender<News>) {
        loop {
            if sender.send(News::Looked(Box::new(self.look(&wanted)))).is_err() {
                return;
            }
            match wishes.recv_timeout(every) {
                // Of several, the last one counts.
                Ok(wish) => wanted = wishes.try_iter().last().unwrap_or(wish),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn look(&self, wanted: &str) -> Look {
        let status = self.learn(&self.status);
        let project = status.as_ref().and_then(|status| list(status, "projects").get(place_of(status, wanted)));
        let Some(project) = project.map(|project| words::field(project, "path")) else {
            return Look { status, ..Look::default() };
        };
        let about = |path: &str| Ask::get(path).query("project", &project);
        let sessions = self.learn(&about("/sessions").query("limit", SESSIONS).request());
        // An older daemon tells only what all of them cost.
        let ledger = if sessions.is_none() { self.learn(&about("/economics").request()) } else { None };
        Look { status, project, sessions, ledger }
    }

    fn learn(&self, request: &Request) -> Option<Value> {
        learn(&self.client, request)
    }
}

/// What the daemon answers; nothing where it is away or refuses.
pub(super) fn learn(client: &Client, request: &Request) -> Option<Value> {
    client.send(request).ok().filter(|answer| answer.is_success())?.json().ok()
}
