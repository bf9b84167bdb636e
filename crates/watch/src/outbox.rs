//! What was seen and is on its way to whoever wants to know. When that one has no room it waits here and is offered again;
//! when there is no room here either, all that is left to say is that something was missed.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::Seen;

pub(super) type Sink = Box<dyn FnMut(Seen) -> bool + Send>;

const MOST_BACKLOG: usize = 4_096;
const RETRY: Duration = Duration::from_millis(50);

pub(super) struct Outbox {
    sink: Sink,
    backlog: VecDeque<Seen>,
    retry_at: Option<Instant>,
    has_lost: bool,
}

impl Outbox {
    pub(super) fn new(sink: Sink) -> Outbox {
        Outbox { sink, backlog: VecDeque::new(), retry_at: None, has_lost: false }
    }

    pub(super) fn len(&self) -> usize {
        self.backlog.len()
    }

    pub(super) fn retry_at(&self) -> Option<Instant> {
        self.retry_at
    }

    pub(super) fn put(&mut self, seen: Seen) {
        if self.backlog.is_empty() && (self.sink)(seen.clone()) {
            return;
        }
        // A perhaps that has to wait is worth nothing.
        if matches!(seen, Seen::MaybeOpened { .. }) {
            return;
        }
        if self.backlog.len() < MOST_BACKLOG {
            self.backlog.push_back(seen);
        } else {
            self.has_lost = true;
        }
    }

    pub(super) fn empty(&mut self, now: Instant) {
        while let Some(seen) = self.backlog.front() {
            if !(self.sink)(seen.clone()) {
                break;
            }
            self.backlog.pop_front();
        }
        if self.backlog.is_empty() && std::mem::take(&mut self.has_lost) {
            self.backlog.push_back(Seen::Dirty);
        }
        self.retry_at = (!self.backlog.is_empty()).then(|| now + RETRY);
    }
}
