//! What happens, for those who listen: a ring of the latest events that any number of readers follow at their own
//! pace. A reader that falls behind the ring is told how many it missed; nobody slows the writer down. While nobody
//! listens nothing is kept, for whoever comes hears only what happens from then on.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

use lokid_model::Timestamp;

const CAPACITY: usize = 4096;

/// One thing that happened. `data` never holds a memory's text. It is kept as JSON: thousands of these wait for the
/// slowest reader, and as a tree each would take several times the room.
#[derive(Clone, Debug)]
pub struct Happening {
    pub sequence: u64,
    pub at: Timestamp,
    pub kind: &'static str,
    pub project: Arc<str>,
    pub data: Arc<str>,
}

#[derive(Clone)]
pub struct Feed {
    ring: Arc<Mutex<Ring>>,
    latest: Arc<watch::Sender<u64>>,
}

#[derive(Default)]
struct Ring {
    next: u64,
    events: VecDeque<Happening>,
}

/// A place in the feed.
pub struct FeedFollower {
    ring: Arc<Mutex<Ring>>,
    latest: watch::Receiver<u64>,
    next: u64,
}

/// What a follower gets.
#[derive(Clone, Debug)]
pub enum News {
    Happened(Happening),
    Missed(u64),
}

impl Default for Feed {
    fn default() -> Feed {
        Feed { ring: Arc::default(), latest: Arc::new(watch::Sender::new(0)) }
    }
}

impl Feed {
    pub fn tell(
        &self,
        at: Timestamp,
        project: &Arc<str>,
        kind: &'static str,
        data: serde_json::Map<String, serde_json::Value>,
    ) {
        let mut ring = self.ring.lock();
        let sequence = ring.next;
        ring.next += 1;
        if self.latest.is_closed() {
            ring.events = VecDeque::new();
            return;
        }
        if ring.events.len() == CAPACITY {
            ring.events.pop_front();
        }
        let data = serde_json::Value::Object(data).to_string().into();
        ring.events.push_back(Happening { sequence, at, kind, project: Arc::clone(project), data });
        let next = ring.next;
        drop(ring);
        self.latest.send_replace(next);
    }

    /// From now on.
    pub fn follow(&self) -> FeedFollower {
        // Heard of while the ring is held, so that the next event is kept for it.
        let ring = self.ring.lock();
        FeedFollower { ring: Arc::clone(&self.ring), latest: self.latest.subscribe(), next: ring.next }
    }
}

impl FeedFollower {
    /// Waits for the next event. `None` when the feed is gone.
    pub async fn next(&mut self) -> Option<News> {
        loop {
            if let Some(news) = self.ready() {
                return Some(news);
            }
            let next = self.next;
            self.latest.wait_for(|latest| *latest > next).await.ok()?;
        }
    }

    /// The next event, if it has happened.
    pub fn ready(&mut self) -> Option<News> {
        let ring = self.ring.lock();
        let first = ring.events.front()?.sequence;
        if self.next < first {
            let missed = first - self.next;
            self.next = first;
            return Some(News::Missed(missed));
        }
        let event = ring.events.get((self.next - first) as usize)?.clone();
        self.next += 1;
        Some(News::Happened(event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tell(feed: &Feed, count: usize) {
        let project: Arc<str> = "p".into();
        for _ in 0..count {
            feed.tell(Timestamp::default(), &project, "signal", serde_json::Map::new());
        }
    }

    #[test]
    fn a_follower_hears_everything_from_when_it_came() {
        let feed = Feed::default();
        tell(&feed, 3);
        let mut follower = feed.follow();
        assert!(follower.ready().is_none());
        tell(&feed, 2);
        assert!(matches!(follower.ready(), Some(News::Happened(event)) if event.sequence == 3));
        assert!(matches!(follower.ready(), Some(News::Happened(event)) if event.sequence == 4));
        assert!(follower.ready().is_none());
    }

    #[test]
    fn while_nobody_listens_nothing_is_kept_and_whoever_comes_misses_nothing() {
        let feed = Feed::default();
        tell(&feed, 3);
        assert!(feed.ring.lock().events.is_empty());
        let mut follower = feed.follow();
        tell(&feed, 1);
        assert!(matches!(follower.ready(), Some(News::Happened(event)) if event.sequence == 3 && &*event.data == "{}"));
        drop(follower);
        tell(&feed, 1);
        assert!(feed.ring.lock().events.is_empty());
    }

    #[test]
    fn a_follower_that_slept_too_long_is_told_what_it_missed() {
        let feed = Feed::default();
        let mut follower = feed.follow();
        tell(&feed, CAPACITY + 5);
        assert!(matches!(follower.ready(), Some(News::Missed(5))));
        assert!(matches!(follower.ready(), Some(News::Happened(event)) if event.sequence == 5));
    }
}
