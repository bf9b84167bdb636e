//! Everything that the other side decides and may change: the headers, sizes and times of the memory stores. Nothing of
//! it is written anywhere else.

use std::time::Duration;

/// The beta this client speaks. A server that has moved on answers 400 and names the header.
pub const BETA: &str = "agent-memory-2026-07-22";
pub const API_VERSION: &str = "2026-10-21";

/// Of the content of one memory, in bytes.
pub const MOST_CONTENT: usize = 102_400;
/// Of a path, in bytes.
pub const MOST_PATH: usize = 1_024;

/// The most items of a page that comes without contents,
pub const PAGE: usize = 100;
/// and with them.
pub const FULL_PAGE: usize = 20;

/// A whole page with contents, and room to spare.
pub const MOST_ANSWER: u64 = 8 << 20;

/// How long any call may take.
pub const CALL: Duration = Duration::from_secs(15);
/// How long a question for the sake of a recall may take.
pub const ASK: Duration = Duration::from_secs(5);
/// How long the reading at the start of a session may take.
pub const HYDRATE: Duration = Duration::from_secs(10);
/// What was read from the stores is asked for again after this long.
pub const FRESH: Duration = Duration::from_mins(1);

/// What is less important stays here.
pub const LEAST_IMPORTANCE: f64 = 0.6;

/// A server that is busy or away is asked again after this long, then after twice as long, and so on,
pub const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// up to this.
pub const LONGEST_PAUSE: Duration = Duration::from_mins(15);

/// What left the memory here leaves the store as well, so many at a time,
pub fn most_removals(standing: usize) -> usize {
    (standing / 4).clamp(8, 50)
}
/// and then not before this: should something have gone wrong here, somebody may notice.
pub const BETWEEN_REMOVALS: Duration = Duration::from_secs(15);

/// A file of events that long is put aside, and a new one begun.
pub const MOST_EVENTS: u64 = 10 << 20;

/// A clock that is off by more makes every time in the store doubtful.
pub const CLOCK_MAY_DIFFER: Duration = Duration::from_mins(5);
