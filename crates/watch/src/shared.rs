//! What the thread of a watch shares with those who hold it.

use parking_lot::Mutex;

use super::WatchState;
use super::ledger::Ledger;
use lokid_sys::Clock;

/// What the thread and the handle both see.
pub(super) struct Shared {
    pub(super) state: Mutex<WatchState>,
    pub(super) ledger: Mutex<Ledger>,
    pub(super) clock: Clock,
}
