//! The error logs of a project, each with the place up to which it was read.
//!
//! Files stay open between turns, so that reading on is no opening, and a rotated log is read to its end before the
//! new one begins. What the lines mean is not known here.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::tail::{Lines, Source, TailPlace, TailPolicy};
use lokid_model::Timestamp;
use lokid_sys::kept::{self, KeptFile, Standing};

#[derive(Debug)]
pub struct Logs {
    policy: TailPolicy,
    since: Timestamp,
    logs: BTreeMap<String, Log>,
    turn: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLines {
    pub path: String,
    pub lines: Lines,
}

#[derive(Debug, Default)]
struct Log {
    place: TailPlace,
    kept: Option<KeptFile>,
    last_turn: u64,
}

/// Files that are kept open at a time.
const MOST_KEPT: usize = 64;

impl Logs {
    /// `places` from an earlier run. A log that came into being after `since` is read from its start.
    pub fn new(policy: TailPolicy, since: Timestamp, places: BTreeMap<String, TailPlace>) -> Logs {
        let logs = places.into_iter().map(|(path, place)| (path, Log { place, ..Log::default() })).collect();
        Logs { policy, since, logs, turn: 0 }
    }

    /// To be given to [`Logs::new`] in the next run.
    pub fn places(&self) -> BTreeMap<String, TailPlace> {
        self.logs.iter().map(|(path, log)| (path.clone(), log.place.clone())).collect()
    }

    /// The finished lines since the last turn of the log called `path`, which stands at `full`.
    pub fn read(&mut self, path: &str, full: &Path, now: Timestamp) -> io::Result<LogLines> {
        self.turn += 1;
        let standing = kept::standing(full);
        let mut lines = self.finish_rotated(path, standing)?;
        let Some(standing) = standing else {
            self.logs.remove(path);
            return Ok(LogLines { path: path.to_owned(), lines });
        };
        let (policy, since) = (self.policy, self.since);
        let log = self.logs.entry(path.to_owned()).or_insert_with(|| {
            let from_start = begins_at_start(policy, since, now, &standing);
            Log { place: TailPlace::first(from_start, standing.size), ..Log::default() }
        });
        log.last_turn = self.turn;
        if log.kept.is_none() {
            log.kept = KeptFile::open(full)?;
        }
        if let Some(kept) = &log.kept {
            let next = read_on(&mut log.place, kept)?;
            lines.lines.extend(next.lines);
            lines.more = next.more;
            lines.started_over |= next.started_over;
        }
        self.close_longest_unread();
        Ok(LogLines { path: path.to_owned(), lines })
    }

    /// The rest of a log whose name now belongs to another file, or to none.
    fn finish_rotated(&mut self, path: &str, standing: Option<Standing>) -> io::Result<Lines> {
        let Some(log) = self.logs.get_mut(path) else { return Ok(Lines::default()) };
        let Some(kept) = &log.kept else { return Ok(Lines::default()) };
        let old = kept.standing()?;
        if standing.is_some_and(|new| (new.device, new.inode) == (old.device, old.inode)) {
            return Ok(Lines::default());
        }
        let mut rest = Lines::default();
        // A few turns at most; whoever rotates more than that at once has lost us.
        for _ in 0..4 {
            let next = read_on(&mut log.place, kept)?;
            rest.lines.extend(next.lines);
            if !next.more {
                break;
            }
        }
        log.kept = None;
        Ok(rest)
    }

    fn close_longest_unread(&mut self) {
        let kept = self.logs.values().filter(|log| log.kept.is_some()).count();
        if kept > MOST_KEPT
            && let Some(oldest) =
                self.logs.values_mut().filter(|log| log.kept.is_some()).min_by_key(|log| log.last_turn)
        {
            oldest.kept = None;
        }
    }
}

fn read_on(place: &mut TailPlace, kept: &KeptFile) -> io::Result<Lines> {
    let Standing { device, inode, size, .. } = kept.standing()?;
    let read_at = |offset: u64, buffer: &mut [u8]| kept.read_at(offset, buffer);
    place.read(Source { device, inode, size, read_at: &read_at })
}

fn begins_at_start(policy: TailPolicy, since: Timestamp, now: Timestamp, standing: &Standing) -> bool {
    let nanos = |time: Timestamp| time.as_micros().saturating_mul(1_000);
    let is_new = standing.born.is_some_and(|born| born >= nanos(since));
    let is_recent = nanos(now).saturating_sub(standing.modified) <= policy.recent;
    is_new || (is_recent && standing.size <= policy.small)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "real files are the subject")]
mod tests {
    use super::*;
    use lokid_sys::Clock;
    use std::fs;
    use std::io::Write;

    struct Lab {
        folder: tempfile::TempDir,
        logs: Logs,
    }

    impl Lab {
        fn new(since: Timestamp) -> Lab {
            let logs = Logs::new(TailPolicy::default(), since, BTreeMap::new());
            Lab { folder: tempfile::tempdir().unwrap(), logs }
        }

        fn append(&self, text: &str) {
            let path = self.folder.path().join("a.log");
            fs::OpenOptions::new().create(true).append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
        }

        fn check(&mut self, expect: &[&str]) {
            let full = self.folder.path().join("a.log");
            let read = self.logs.read("a.log", &full, Clock::system().now()).unwrap();
            assert_eq!(read.lines.lines, expect);
        }
    }

    #[test]
    fn an_old_log_begins_at_its_end_and_a_new_one_at_its_start() {
        let long_ago = Timestamp::default();
        let future = Timestamp::from_micros(i64::MAX);
        let mut lab = Lab::new(long_ago);
        lab.append(&"old\n".repeat(40_000));
        let mut old = Lab::new(future);
        old.append(&"old\n".repeat(40_000));
        old.check(&[]);
        old.append("new\n");
        old.check(&["new"]);
        let mut small = Lab::new(future);
        small.append("small and recent\n");
        small.check(&["small and recent"]);
        let full = lab.folder.path().join("a.log");
        let read = lab.logs.read("a.log", &full, Clock::system().now()).unwrap();
        assert_eq!(read.lines.lines.len(), 40_000, "it came into being while we watched");
    }

    #[test]
    fn a_rotated_log_is_finished_before_the_new_one_begins() {
        let mut lab = Lab::new(Timestamp::default());
        lab.append("one\n");
        lab.check(&["one"]);
        lab.append("two\n");
        fs::rename(lab.folder.path().join("a.log"), lab.folder.path().join("a.log.1")).unwrap();
        lab.append("three\n");
        lab.check(&["two", "three"]);
        lab.append("four\n");
        fs::remove_file(lab.folder.path().join("a.log")).unwrap();
        lab.check(&["four"]);
        lab.check(&[]);
        assert!(lab.logs.places().is_empty());
    }

    #[test]
    fn places_carry_over_to_the_next_run() {
        let mut lab = Lab::new(Timestamp::default());
        lab.append("one\n");
        lab.check(&["one"]);
        lab.logs = Logs::new(TailPolicy::default(), Timestamp::default(), lab.logs.places());
        lab.append("two\n");
        lab.check(&["two"]);
        fs::write(lab.folder.path().join("a.log"), "cut\n").unwrap();
        lab.check(&["cut"]);
    }
}
