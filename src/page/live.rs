//! What happens, told to every open page: one thread follows the daemon for all of them. A page is only told what kind of
//! thing happened in which project, and asks for what it shows anew.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::broadcast;

use crate::serve::{Client, Request};
use lokid_sys::thread;

/// How long a daemon that is away is left alone.
const AGAIN: Duration = Duration::from_millis(500);
/// A page that sleeps longer than this many events looks anew in any case.
const WAITING: usize = 256;

#[derive(Clone)]
pub(super) struct Live(broadcast::Sender<String>);

impl Live {
    /// The thread ends with the process: it waits for the daemon, or for it to come back.
    pub(super) fn follow(client: Client) -> io::Result<Live> {
        let (sender, _) = broadcast::channel(WAITING);
        let told = sender.clone();
        let request = Request::get("/v1/events").header("accept", "application/x-ndjson");
        thread::spawn("events", move || {
            loop {
                let _ended = client.follow(&request, |line| {
                    // Nobody listening is no reason to stop.
                    if let Some(news) = brief(line) {
                        let _nobody = told.send(news);
                    }
                    true
                });
                let _nobody = told.send(json!({"kind": "away"}).to_string());
                thread::pause(AGAIN);
            }
        })?;
        Ok(Live(sender))
    }

    pub(super) fn listen(&self) -> broadcast::Receiver<String> {
        self.0.subscribe()
    }
}

fn brief(line: &str) -> Option<String> {
    let event: Value = serde_json::from_str(line).ok()?;
    let field = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default();
    Some(json!({"kind": field("kind"), "project": field("project")}).to_string())
}
