//! Sizes and times of what goes between machines: the one place where they stand.

use std::time::Duration;

/// Items that are read at a time,
pub const PAGE: usize = 1_000;
/// by a newcomer,
pub const MANY: usize = 10_000;
/// and operations that are appended at a time.
pub const BATCH: usize = 256;
/// How often a pass merges what others changed while it was appending.
pub const ROUNDS: usize = 5;

/// Without a word from the database, it is asked this often.
pub const POLL: Duration = Duration::from_secs(30);
/// A database that is away is asked again after this long, then after twice as long, and so on,
pub const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// up to this.
pub const LONGEST_PAUSE: Duration = Duration::from_mins(5);
/// How often this machine tells how far it has read.
pub const BETWEEN_BEATS: Duration = Duration::from_secs(30);

/// What was taken away here leaves the database this much later, in microseconds: whoever erred may bring it back before,
pub const REMOVAL_DELAY: i64 = 10_000_000;
/// so many at a time,
pub fn most_removals(standing: usize) -> usize {
    (standing / 10).clamp(10, 500)
}
/// and the rest not before this.
pub const BETWEEN_REMOVALS: i64 = 15_000_000;

/// A longer record does not leave.
pub const MOST_RECORD: usize = 1 << 20;
