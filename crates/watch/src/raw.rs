//! What the ears hand on, and what they note when there is no room for it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Sender, TrySendError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Raw {
    Created(PathBuf),
    /// A folder, or what was moved here.
    Arrived(PathBuf),
    Changed(PathBuf),
    Left(PathBuf),
    Opened(PathBuf),
    /// The kernel lost events.
    Overflow,
    /// Only to be awake: a flag was set.
    Wake,
}

/// What was lost on the way for want of room.
#[derive(Default)]
pub(super) struct Losses {
    pub(super) events: AtomicBool,
    pub(super) openings: AtomicBool,
}

/// Why some folders could not be watched.
pub(super) struct Unwatched {
    pub(super) folders: Vec<PathBuf>,
    /// The kernel allows no more.
    pub(super) limited: bool,
}

impl Losses {
    /// Without waiting: what finds no room is noted by its sort.
    pub(super) fn hand_on(&self, queue: &Sender<Raw>, raw: Raw) {
        let lost = if matches!(raw, Raw::Opened(_)) { &self.openings } else { &self.events };
        if let Err(TrySendError::Full(_)) = queue.try_send(raw) {
            self.lose(queue, lost);
        }
    }

    /// First the flag, then the wake-up: when even that finds no room, whoever makes room sees the flag.
    pub(super) fn lose(&self, queue: &Sender<Raw>, lost: &AtomicBool) {
        lost.store(true, Ordering::SeqCst);
        let _ = queue.try_send(Raw::Wake);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_room_the_loss_is_noted_by_its_sort() {
        let (queue, events) = crossbeam_channel::bounded(1);
        let losses = Losses::default();
        let noted = || (losses.openings.load(Ordering::SeqCst), losses.events.load(Ordering::SeqCst));
        losses.hand_on(&queue, Raw::Opened("/a".into()));
        losses.hand_on(&queue, Raw::Opened("/a".into()));
        assert_eq!(noted(), (true, false));
        losses.hand_on(&queue, Raw::Created("/a".into()));
        assert_eq!(noted(), (true, true));
        assert_eq!(events.try_iter().count(), 1);
    }
}
