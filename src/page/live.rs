//! What happens, told to every open page: one thread follows the daemon for all of them. A page is only told what kind of
//! thing happened in which project, and asks for what it shows anew.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
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
pub(super) struct Live {
    sender: broadcast::Sender<String>,
    /// How much was told so far.
    told: Arc<AtomicU64>,
}

/// Something happened, and nobody knows what.
pub(super) fn missed() -> String {
    json!({"kind": "missed"}).to_string()
}

impl Live {
    /// The thread ends with the process: it waits for the daemon, or for it to come back.
    pub(super) fn follow(client: Client) -> io::Result<Live> {
        let (sender, _) = broadcast::channel(WAITING);
        let live = Live { sender, told: Arc::default() };
        let own = live.clone();
        let request = Request::get("/v1/events").header("accept", "application/x-ndjson");
        thread::spawn("events", move || {
            loop {
                let _ended = client.follow(&request, |line| {
                    if let Some(news) = brief(line) {
                        own.tell(news);
                    }
                    true
                });
                own.tell(json!({"kind": "away"}).to_string());
                thread::pause(AGAIN);
            }
        })?;
        Ok(live)
    }

    /// Nobody listening is no reason to stop.
    fn tell(&self, news: String) {
        self.told.fetch_add(1, Ordering::Relaxed);
        let _nobody = self.sender.send(news);
    }

    /// What a page that is made now has heard of.
    pub(super) fn told(&self) -> u64 {
        self.told.load(Ordering::Relaxed)
    }

    pub(super) fn listen(&self) -> broadcast::Receiver<String> {
        self.sender.subscribe()
    }
}

fn brief(line: &str) -> Option<String> {
    let event: Value = serde_json::from_str(line).ok()?;
    let field = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default();
    Some(json!({"kind": field("kind"), "project": field("project")}).to_string())
}
