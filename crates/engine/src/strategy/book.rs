//! The log of recalls on its way to its files: lines wait in memory, are written in batches below the repository's
//! `.loki`, and the oldest files go.
//!
//! No link is followed on the way there, and where there is no `.loki` none is made: a question leaves nothing behind in
//! a repository that remembers nothing. The folder tells git itself to leave it alone.

use std::io;
use std::path::PathBuf;

use parking_lot::Mutex;

use lokid_model::Timestamp;
use lokid_retrieve::strategy::log;
use lokid_sys::{Disk, EntryKind, plain};

/// Below `.loki`.
const FOLDER: &str = "metrics/memory-strategy";
/// Everything in the folder, this file too.
const IGNORED_BY_GIT: &[u8] = b"*\n";
/// So many lines are worth writing at once; more than the second are not kept waiting.
const BATCH: usize = 64;
const MOST_WAITING: usize = 2_048;
/// What goes into a file at once.
const PIECE: usize = 256 << 10;

/// Where the log of a project stands.
#[derive(Clone, Debug)]
pub struct StrategyPlace {
    /// The repository, and the way from there to its `.loki`, which is walked without following links.
    pub root: PathBuf,
    pub loki: PathBuf,
    /// Letters and digits that are this machine's own.
    pub writer: String,
}

pub(super) struct StrategyBook {
    place: Option<StrategyPlace>,
    waiting: Mutex<Waiting>,
    /// Held while lines are written, so that they come in order.
    writing: Mutex<()>,
}

#[derive(Default)]
struct Waiting {
    lines: Vec<String>,
    lost: u64,
}

impl StrategyBook {
    /// Without a place nothing is written down.
    pub(super) fn new(place: Option<StrategyPlace>) -> StrategyBook {
        StrategyBook { place, waiting: Mutex::default(), writing: Mutex::new(()) }
    }

    /// Tells whether enough wait to be written.
    pub(super) fn push(&self, line: String) -> bool {
        if self.place.is_none() {
            return false;
        }
        let mut waiting = self.waiting.lock();
        if waiting.lines.len() >= MOST_WAITING {
            waiting.lost += 1;
        } else {
            waiting.lines.push(line);
        }
        waiting.lines.len() >= BATCH
    }

    pub(super) fn flush(&self, now: Timestamp) -> io::Result<()> {
        let Some(place) = &self.place else { return Ok(()) };
        let _held = self.writing.lock();
        let Waiting { mut lines, lost } = std::mem::take(&mut *self.waiting.lock());
        if lines.is_empty() {
            return Ok(());
        }
        let count = lines.len();
        if lost > 0 {
            lines.push(log::lost_line(lost, now));
        }
        let mut written = 0;
        let result = write(place, &lines, &mut written, now);
        if result.is_err() {
            let mut waiting = self.waiting.lock();
            // They came first; what came meanwhile stands behind them as far as there is room.
            lines.truncate(count);
            lines.drain(..written);
            lines.append(&mut waiting.lines);
            waiting.lost += lost + lines.len().saturating_sub(MOST_WAITING) as u64;
            lines.truncate(MOST_WAITING);
            waiting.lines = lines;
        }
        result
    }
}

fn write(place: &StrategyPlace, lines: &[String], written: &mut usize, now: Timestamp) -> io::Result<()> {
    match Disk::open_nofollow_chain(&place.root, &place.loki, false) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => drop(opened?),
    }
    // What questions fared like is no memory: in a repository that cannot be written it is not kept.
    if plain::refuses_writing(&place.root.join(&place.loki).join(FOLDER)) {
        return Ok(());
    }
    let disk = Disk::open_nofollow_chain(&place.root, &place.loki.join(FOLDER), true)?;
    if disk.stamp(".gitignore")?.is_none() {
        disk.replace(".gitignore", IGNORED_BY_GIT)?;
    }
    while let Some(piece) = next_piece(&lines[*written..]) {
        let text = piece.concat();
        let standing = standing(&disk)?;
        let name = log::file_for(&now.day(), &place.writer, &standing, text.len() as u64);
        for old in log::surplus(&standing, &name) {
            disk.remove(old)?;
        }
        disk.append(&name, text.as_bytes())?;
        *written += piece.len();
    }
    Ok(())
}

/// As many of the lines as go into a file at once; one at least.
fn next_piece(lines: &[String]) -> Option<&[String]> {
    let mut length = 0;
    let fits = |line: &&String| {
        length += line.len();
        length <= PIECE
    };
    let count = lines.iter().take_while(fits).count().max(1);
    (!lines.is_empty()).then(|| &lines[..count])
}

fn standing(disk: &Disk) -> io::Result<Vec<(String, u64)>> {
    let mut files = Vec::new();
    for entry in disk.list("")?.into_iter().filter(|entry| entry.kind == EntryKind::File) {
        let Ok(name) = entry.name.into_string() else { continue };
        if let Some(stamp) = disk.stamp(&name)? {
            files.push((name, stamp.size));
        }
    }
    Ok(files)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "real files are the subject")]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    struct Lab {
        root: tempfile::TempDir,
        book: StrategyBook,
    }

    impl Lab {
        fn new() -> Lab {
            let root = tempfile::tempdir().unwrap();
            std::fs::create_dir(root.path().join(".loki")).unwrap();
            let place = StrategyPlace { root: root.path().to_owned(), loki: ".loki".into(), writer: "0a1b".to_owned() };
            Lab { root, book: StrategyBook::new(Some(place)) }
        }

        fn folder(&self) -> PathBuf {
            self.root.path().join(".loki").join(FOLDER)
        }

        fn names(&self) -> Vec<String> {
            let Ok(entries) = std::fs::read_dir(self.folder()) else { return Vec::new() };
            let mut names: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }

        fn read(&self, name: &str) -> String {
            std::fs::read_to_string(self.folder().join(name)).unwrap()
        }
    }

    fn day(number: i64) -> Timestamp {
        Timestamp::parse("2026-11-01T12:00:00Z").unwrap().plus_micros(number * lokid_model::time::DAY)
    }

    #[test]
    fn lines_wait_until_they_are_written_together() {
        let lab = Lab::new();
        assert!((1..BATCH).all(|number| !lab.book.push(format!("{number}\n"))));
        assert!(lab.book.push("last\n".to_owned()));
        assert_eq!(lab.names(), Vec::<String>::new());
        lab.book.flush(day(0)).unwrap();
        lab.book.push("more\n".to_owned());
        lab.book.flush(day(0)).unwrap();
        assert_eq!(lab.names(), [".gitignore", "2026-11-01.0a1b.jsonl"]);
        assert!(lab.read("2026-11-01.0a1b.jsonl").starts_with("1\n2\n"));
        assert!(lab.read("2026-11-01.0a1b.jsonl").ends_with("\nlast\nmore\n"));
        assert_eq!(lab.read(".gitignore"), "*\n");
        lab.book.flush(day(1)).unwrap();
        assert_eq!(lab.names().len(), 2, "nothing new makes no file");
    }

    #[test]
    fn neither_a_file_nor_their_number_grows_without_end() {
        let lab = Lab::new();
        let line = format!("{}\n", "x".repeat(1_023));
        for number in 0..40 {
            for _ in 0..MOST_WAITING / 4 {
                lab.book.push(line.clone());
            }
            lab.book.flush(day(number / 4)).unwrap();
        }
        let names: Vec<String> = lab.names().into_iter().filter(|name| name.ends_with(".jsonl")).collect();
        assert_eq!(names.len(), log::MOST_FILES);
        assert_eq!(names.last().unwrap(), "2026-11-10.0a1b.jsonl");
        assert!(names.contains(&"2026-11-10.0a1b.2.jsonl".to_owned()), "{names:?}");
        for name in &names {
            assert!(lab.read(name).len() as u64 <= log::LARGEST_FILE, "{name}");
        }
    }

    #[test]
    fn where_nothing_is_remembered_nothing_is_left_behind() {
        let lab = Lab::new();
        std::fs::remove_dir(lab.root.path().join(".loki")).unwrap();
        lab.book.push("x\n".to_owned());
        lab.book.flush(day(0)).unwrap();
        assert!(!lab.root.path().join(".loki").exists());
        StrategyBook::new(None).flush(day(0)).unwrap();
    }

    #[test]
    fn no_link_leads_the_log_elsewhere() {
        for link in [".loki", ".loki/metrics", ".loki/metrics/memory-strategy"] {
            let (lab, elsewhere) = (Lab::new(), tempfile::tempdir().unwrap());
            std::fs::remove_dir(lab.root.path().join(".loki")).unwrap();
            let link = lab.root.path().join(link);
            std::fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(elsewhere.path(), &link).unwrap();
            lab.book.push("x\n".to_owned());
            assert!(lab.book.flush(day(0)).is_err(), "{}", link.display());
            assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        }
        let (lab, target) = (Lab::new(), tempfile::NamedTempFile::new().unwrap());
        std::fs::create_dir_all(lab.folder()).unwrap();
        symlink(target.path(), lab.folder().join("2026-11-01.0a1b.jsonl")).unwrap();
        lab.book.push("x\n".to_owned());
        assert!(lab.book.flush(day(0)).is_err());
        assert_eq!(std::fs::read(target.path()).unwrap(), b"");
    }

    #[test]
    fn what_cannot_be_written_waits_and_what_is_too_much_is_counted() {
        let lab = Lab::new();
        std::fs::write(lab.root.path().join(".loki/metrics"), "in the way").unwrap();
        for number in 0..MOST_WAITING + 5 {
            lab.book.push(format!("{number}\n"));
        }
        assert!(lab.book.flush(day(0)).is_err());
        std::fs::remove_file(lab.root.path().join(".loki/metrics")).unwrap();
        lab.book.push("late\n".to_owned());
        lab.book.flush(day(0)).unwrap();
        let text = lab.read("2026-11-01.0a1b.jsonl");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines[0], lines[MOST_WAITING - 1]), ("0", "2047"));
        assert!(lines.last().unwrap().ends_with("\"lost\":6}"), "{:?}", lines.last());
    }
}
