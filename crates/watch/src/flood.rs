//! A generator, an unpacked archive or a removal changes thousands of files in one go. The first few are told one by one,
//! the others as one number.
//!
//! Whoever works by hand is still told of meanwhile: counted is what changes side by side in one folder, by what happens
//! to it, so that an edit here is not lost in files that are made there. Pure: the time is an argument, and
//! [`Flood::deadline`] says when to look next.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use super::scan::Difference;

/// What changes this much later does not change side by side.
const QUIET: Duration = Duration::from_secs(1);
/// A flood is over after so much quiet: looks at the tree tell of it in waves.
const EBB: Duration = Duration::from_secs(5);
/// One that goes on for long is told of this often.
const AT_LATEST: Duration = Duration::from_secs(60);
/// Whoever works steadily through one file after the other, an agent say, changes fewer a second than this.
const BY_HAND: usize = 20;
/// The whole tree may tell this many times as much as one folder.
const WHOLE: usize = 4;
/// New files that are recognised when they are written to after they were made.
const MOST_MADE: usize = 1 << 16;

pub(super) struct Flood {
    most: usize,
    /// By folder and by what happens there; the whole tree stands under no name.
    tallies: HashMap<(Option<String>, Difference), Tally>,
    made: HashSet<u64>,
    withheld: Option<Withheld>,
    hasher: RandomState,
}

/// What changed side by side: files of a folder, and folders in it where something changed.
struct Tally {
    names: HashSet<u64>,
    /// When the first of them was heard.
    since: Instant,
    /// When a new name was last heard.
    last: Instant,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Withheld {
    /// All of it lies below this folder; empty for the whole tree.
    pub(super) folder: String,
    pub(super) files: usize,
    pub(super) since: Instant,
    last: Instant,
}

impl Flood {
    /// `most`: so many changes side by side are told one by one.
    pub(super) fn new(most: usize) -> Flood {
        Flood { most, tallies: HashMap::new(), made: HashSet::new(), withheld: None, hasher: RandomState::new() }
    }

    /// Whether this change is told by itself. Those that are not are counted.
    pub(super) fn passes(&mut self, now: Instant, path: &str, what: Difference) -> bool {
        let id = self.hasher.hash_one(path);
        // A file that was just made is still being made when it is written to.
        let what = if what == Difference::Edited && self.made.contains(&id) { Difference::Created } else { what };
        if what == Difference::Created && self.made.len() < MOST_MADE {
            self.made.insert(id);
        }
        match self.full_at(now, path, id, what) {
            None => true,
            Some(folder) => {
                self.withhold(now, folder);
                false
            }
        }
    }

    /// The topmost folder in which more changes than are told.
    fn full_at<'a>(&mut self, now: Instant, path: &'a str, id: u64, what: Difference) -> Option<&'a str> {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let mut folder = "";
        for end in ends {
            let name = self.hasher.hash_one(&path[..end]);
            if !self.count(now, Some(folder), what, name, self.most) {
                return Some(folder);
            }
            folder = &path[..end];
        }
        (!self.count(now, None, what, id, self.most.saturating_mul(WHOLE))).then_some("")
    }

    /// Whether there is room for it.
    fn count(&mut self, now: Instant, folder: Option<&str>, what: Difference, name: u64, most: usize) -> bool {
        let fresh = || Tally { names: HashSet::new(), since: now, last: now };
        let tally = self.tallies.entry((folder.map(str::to_owned), what)).or_insert_with(fresh);
        let took = |tally: &Tally| now.saturating_duration_since(tally.since).as_millis() as usize;
        let most = most.saturating_add(took(tally) * BY_HAND / 1_000);
        let over = if tally.names.len() < most { QUIET } else { EBB };
        if now.saturating_duration_since(tally.last) >= over {
            tally.names.clear();
            tally.since = now;
        }
        if tally.names.contains(&name) {
            return true;
        }
        tally.last = now;
        tally.names.len() < most && tally.names.insert(name)
    }

    fn withhold(&mut self, now: Instant, folder: &str) {
        let fresh = || Withheld { folder: folder.to_owned(), files: 0, since: now, last: now };
        let withheld = self.withheld.get_or_insert_with(fresh);
        while !is_in(folder, &withheld.folder) {
            let above = withheld.folder.rfind('/').unwrap_or(0);
            withheld.folder.truncate(above);
        }
        withheld.files += 1;
        withheld.last = now;
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.withheld.as_ref().map(|withheld| (withheld.last + EBB).min(withheld.since + AT_LATEST))
    }

    /// What was withheld, when it is time to tell of it.
    pub(super) fn due(&mut self, now: Instant) -> Option<Withheld> {
        if self.deadline().is_some_and(|due| due > now) {
            return None;
        }
        let withheld = self.withheld.take();
        // Nothing is kept of what is long over.
        if self.tallies.values().all(|tally| now.saturating_duration_since(tally.last) >= EBB) {
            self.tallies.clear();
            self.made.clear();
        }
        withheld
    }
}

fn is_in(folder: &str, above: &str) -> bool {
    above.is_empty() || folder.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Difference::{Created, Edited, Removed};
    use lokid_model::Timestamp;
    use lokid_sys::Clock;

    const MOST: usize = 4;

    struct Case {
        flood: Flood,
        now: Instant,
    }

    impl Case {
        fn new() -> Case {
            Case { flood: Flood::new(MOST), now: Clock::manual(Timestamp::default()).monotonic() }
        }

        /// How many of these pass.
        fn passing(&mut self, paths: impl Iterator<Item = String>, what: Difference) -> usize {
            paths.filter(|path| self.flood.passes(self.now, path, what)).count()
        }

        fn told(&mut self) -> Option<(String, usize)> {
            self.now += EBB;
            self.flood.due(self.now).map(|withheld| (withheld.folder, withheld.files))
        }
    }

    #[test]
    fn the_first_few_of_many_in_a_folder_are_told_and_the_rest_as_one_number() {
        let mut case = Case::new();
        assert_eq!(case.passing((0..100).map(|n| format!("src/gen/{n}")), Created), MOST);
        assert_eq!(case.flood.due(case.now), None, "not before it is over");
        assert!(case.flood.passes(case.now, "src/main.rs", Edited), "somebody works beside it");
        assert!(case.flood.passes(case.now, "src/gen/known.rs", Edited), "even in the same folder");
        assert!(!case.flood.passes(case.now, "src/gen/99", Edited), "a new file that is written to is still new");
        assert_eq!(case.told(), Some(("src/gen".to_owned(), 97)));
        assert_eq!((case.told(), case.flood.deadline()), (None, None), "nothing pending, no wake-up");
        assert!(case.flood.passes(case.now, "src/gen/later", Created), "and then it is over");
    }

    #[test]
    fn many_folders_with_few_files_are_many_files() {
        let mut case = Case::new();
        let paths = (0..100).flat_map(|n| ["a", "b"].map(|name| format!("vendor/lib{n}/{name}")));
        assert_eq!(case.passing(paths, Created), MOST * 2);
        assert_eq!(case.told(), Some(("vendor".to_owned(), 200 - MOST * 2)));
    }

    #[test]
    fn a_tree_that_branches_little_and_often_is_bounded_too() {
        let mut case = Case::new();
        let digits = |n: usize| [n / 64 % 4, n / 16 % 4, n / 4 % 4, n % 4].map(|digit| digit.to_string()).join("/");
        assert_eq!(case.passing((0..256).map(digits), Edited), MOST * WHOLE);
        assert_eq!(case.told(), Some((String::new(), 256 - MOST * WHOLE)));
    }

    #[test]
    fn two_floods_at_once_are_told_by_the_folder_above_both() {
        let mut case = Case::new();
        case.passing((0..10).map(|n| format!("a/x/{n}")), Removed);
        case.passing((0..10).map(|n| format!("a/xy/{n}")), Removed);
        assert_eq!(case.told(), Some(("a".to_owned(), 2 * (10 - MOST))));
    }

    #[test]
    fn work_by_hand_is_never_withheld() {
        let mut case = Case::new();
        for n in 0..100 {
            case.now += QUIET;
            assert!(case.flood.passes(case.now, &format!("src/{n}"), Edited));
        }
        for _ in 0..100 {
            assert!(case.flood.passes(case.now, "src/noisy.log", Edited), "one file, however often");
        }
        assert_eq!(case.flood.deadline(), None);
    }

    #[test]
    fn a_flood_without_end_is_told_of_all_the_same() {
        let mut case = Case::new();
        let mut told = 0;
        for n in 0..1_000 {
            case.now += QUIET / 2;
            case.passing((0..100).map(|name| format!("gen/{n}-{name}")), Created);
            told += usize::from(case.flood.due(case.now).is_some());
        }
        assert_eq!(told, 8);
    }
}
