//! Several events of one file in quick succession are one happening: a save is a write, a rename and a change of mode.
//!
//! Pure: the time is an argument, and [`Debounce::deadline`] says when to look next. Nothing pending, no deadline.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a file must rest.
const REST: Duration = Duration::from_millis(30);
/// A file that never rests is reported this often all the same.
const MOST: Duration = Duration::from_secs(1);
const ROOM: usize = 8_192;

/// What the events of one file amount to. The listing has the last word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hint {
    Created,
    Edited,
    Removed,
}

#[derive(Default)]
pub(super) struct Debounce {
    pending: HashMap<PathBuf, Pending>,
    /// By when they are due, then in the order in which they came.
    order: BTreeMap<(Instant, u64), PathBuf>,
    count: u64,
}

struct Pending {
    first: Instant,
    due: (Instant, u64),
    /// `None` after it came and went.
    hint: Option<Hint>,
}

impl Debounce {
    /// `false` when there is no room: the caller has to look at everything.
    pub(super) fn hint(&mut self, now: Instant, path: &Path, hint: Hint) -> bool {
        if let Some(pending) = self.pending.get_mut(path) {
            pending.hint = fold(pending.hint, hint);
            let due = (now + REST).min(pending.first + MOST);
            if due != pending.due.0
                && let Some(path) = self.order.remove(&pending.due)
            {
                self.count += 1;
                pending.due = (due, self.count);
                self.order.insert(pending.due, path);
            }
            return true;
        }
        if self.pending.len() >= ROOM {
            return false;
        }
        self.count += 1;
        let due = (now + REST, self.count);
        self.pending.insert(path.to_owned(), Pending { first: now, due, hint: Some(hint) });
        self.order.insert(due, path.to_owned());
        true
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.order.keys().next().map(|(due, _)| *due)
    }

    /// The files that rest, in the order in which they came to rest.
    pub(super) fn due(&mut self, now: Instant) -> Vec<(PathBuf, Hint)> {
        let mut rested = Vec::new();
        while self.deadline().is_some_and(|due| due <= now) {
            let Some((_, path)) = self.order.pop_first() else { break };
            if let Some(hint) = self.pending.remove(&path).and_then(|pending| pending.hint) {
                rested.push((path, hint));
            }
        }
        rested
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        self.pending.contains_key(path)
    }

    pub(super) fn room(&self) -> usize {
        ROOM - self.pending.len()
    }

    /// After a scan: what was pending is part of what it found.
    pub(super) fn clear(&mut self) {
        *self = Debounce::default();
    }
}

fn fold(before: Option<Hint>, next: Hint) -> Option<Hint> {
    match (before, next) {
        (Some(Hint::Created), Hint::Removed) | (None, Hint::Removed) => None,
        (Some(Hint::Created), _) | (None, _) => Some(Hint::Created),
        (Some(Hint::Edited | Hint::Removed), Hint::Created | Hint::Edited) => Some(Hint::Edited),
        (Some(Hint::Edited | Hint::Removed), Hint::Removed) => Some(Hint::Removed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Hint::{Created, Edited, Removed};
    use lokid_model::Timestamp;
    use lokid_sys::Clock;

    fn start() -> Instant {
        Clock::manual(Timestamp::default()).monotonic()
    }

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    fn check(events: &[(u64, Hint)], expect: &[(u64, Hint)]) {
        let (start, path) = (start(), Path::new("/a"));
        let mut debounce = Debounce::default();
        let mut found = Vec::new();
        let mut take = |debounce: &mut Debounce, until: Option<Instant>| {
            while let Some(due) = debounce.deadline().filter(|due| until.is_none_or(|until| *due <= until)) {
                let at = u64::try_from((due - start).as_millis()).unwrap();
                found.extend(debounce.due(due).into_iter().map(|(_, hint)| (at, hint)));
            }
        };
        for (at, hint) in events {
            take(&mut debounce, Some(start + ms(*at)));
            assert!(debounce.hint(start + ms(*at), path, *hint));
        }
        take(&mut debounce, None);
        assert_eq!(found, expect, "{events:?}");
        assert_eq!(debounce.deadline(), None, "nothing pending, no wake-up");
    }

    #[test]
    fn one_save_is_one_edit() {
        check(&[(0, Edited), (5, Edited), (20, Edited)], &[(50, Edited)]);
        check(&[(0, Removed), (1, Created), (2, Edited)], &[(32, Edited)]);
        check(&[(0, Edited), (29, Removed)], &[(59, Removed)]);
    }

    #[test]
    fn what_comes_and_goes_is_nothing() {
        check(&[(0, Created), (10, Removed)], &[]);
        check(&[(0, Created), (1, Edited), (10, Removed), (11, Removed)], &[]);
        check(&[(0, Created), (10, Removed), (20, Created)], &[(50, Created)]);
    }

    #[test]
    fn a_new_file_that_is_written_is_new() {
        check(&[(0, Created), (10, Edited)], &[(40, Created)]);
    }

    #[test]
    fn rest_between_two_saves_makes_two_edits() {
        check(&[(0, Edited), (31, Edited)], &[(30, Edited), (61, Edited)]);
    }

    #[test]
    fn a_file_that_never_rests_is_reported_every_second() {
        let events: Vec<(u64, Hint)> = (0..200).map(|n| (n * 10, Edited)).collect();
        check(&events, &[(1000, Edited), (2000, Edited)]);
    }

    #[test]
    fn memory_is_bounded() {
        let (start, mut debounce) = (start(), Debounce::default());
        for n in 0..ROOM {
            assert!(debounce.hint(start, Path::new(&format!("/{n}")), Edited));
        }
        assert_eq!(debounce.room(), 0);
        assert!(!debounce.hint(start, Path::new("/one-more"), Edited));
        assert!(debounce.hint(start, Path::new("/1"), Edited), "a known file needs no room");
        assert_eq!(debounce.due(start + ms(30)).len(), ROOM);
    }
}
