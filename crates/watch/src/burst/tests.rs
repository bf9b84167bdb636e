//! Openings as programs cause them: how many files and folders, how fast, and what passes.

use super::*;
use lokid_model::Timestamp;
use lokid_sys::Clock;

#[derive(Clone, Copy)]
enum Act<'a> {
    Open(&'a str),
    List(&'a str),
    Lock,
    Unlock,
    Write(&'a str),
    Editor(&'a str),
}
use Act::{Editor, List, Lock, Open, Unlock, Write};

/// Plays what happens at which millisecond; tells what passed when.
fn play(acts: impl IntoIterator<Item = (u64, Act<'static>)>) -> Vec<(u64, String)> {
    let start = Clock::manual(Timestamp::default()).monotonic();
    let mut burst = Burst::default();
    let mut passed = Vec::new();
    let take = |burst: &mut Burst, until: Option<Instant>, passed: &mut Vec<(u64, String)>| {
        while let Some(due) = burst.deadline().filter(|due| until.is_none_or(|until| *due <= until)) {
            let at = u64::try_from((due - start).as_millis()).unwrap();
            passed.extend(burst.due(due).into_iter().map(|path| (at, path)));
        }
    };
    for (at, act) in acts {
        let now = start + Duration::from_millis(at);
        take(&mut burst, Some(now), &mut passed);
        match act {
            Open(path) => {
                if burst.opened(now, path) == Verdict::Passed {
                    passed.push((at, path.to_owned()));
                }
            }
            List(folder) => burst.listed(now, folder),
            Lock => burst.locked(now),
            Unlock => burst.unlocked(),
            Write(path) => burst.wrote(now, path),
            Editor(path) => {
                if burst.proved(now, path) {
                    passed.push((at, path.to_owned()));
                }
            }
        }
    }
    take(&mut burst, None, &mut passed);
    assert_eq!(burst.deadline(), None, "nothing held, no wake-up");
    passed
}

fn check(acts: &[(u64, Act<'static>)], expect: &[(u64, &str)]) {
    let passed = play(acts.iter().copied());
    let passed: Vec<(u64, &str)> = passed.iter().map(|(at, path)| (*at, path.as_str())).collect();
    assert_eq!(passed, expect);
}

/// `files` files and `folders` folders over `length` milliseconds, folder by folder as a walk goes.
fn walk(files: usize, folders: usize, length: u64) -> Vec<(u64, Act<'static>)> {
    let steps = files + folders;
    (0..steps)
        .map(|n| {
            let at = length * n as u64 / steps as u64;
            let listing = n * folders / steps != (n + 1) * folders / steps;
            let name: &'static str = if listing { format!("d{n}").leak() } else { format!("d{n}/f{n}").leak() };
            (at, if listing { List(name) } else { Open(name) })
        })
        .collect()
}

#[test]
fn a_single_reader_passes_after_the_hold() {
    check(&[(0, Open("a"))], &[(1500, "a")]);
    check(&[(0, Open("a")), (400, Open("b")), (900, Open("a"))], &[(1500, "a"), (1900, "b")]);
}

#[test]
fn an_editor_passes_at_once() {
    let mut acts = vec![(0, Open("src/a.rs")), (1, Editor("src/a.rs")), (2, Open("src/b.vim")), (3, Open("c"))];
    acts.extend((0..17).map(|n| (4 + n, List("src"))));
    acts.extend([(900, Open("src/a.rs")), (901, Write("src/a.rs"))]);
    check(&acts, &[(1, "src/a.rs"), (1502, "src/b.vim"), (1503, "c")]);
    check(&[(0, Editor("a")), (5, Open("a"))], &[(0, "a")]);
}

#[test]
fn searches_builds_and_checkouts_give_nothing() {
    for (name, acts) in [
        ("rg", walk(2794, 3227, 400)),
        ("grep -r src", walk(261, 72, 90)),
        ("git checkout", walk(1000, 140, 300)),
        ("git commit", walk(122, 0, 60)),
        ("cargo build", walk(123, 0, 100)),
        ("find", walk(0, 3300, 300)),
        ("a slow search", walk(600, 60, 30_000)),
    ] {
        assert_eq!(play(acts), [], "{name}");
    }
}

#[test]
fn git_status_is_known_by_its_folders_and_its_lock() {
    assert_eq!(play(walk(8, 3275, 300)), []);
    check(&[(0, Open("a")), (10, Open("b")), (1200, Lock), (2000, Open("c"))], &[]);
    check(&[(0, Lock), (2001, Open("c"))], &[(3501, "c")]);
}

#[test]
fn who_opens_a_file_right_after_a_checkout_is_not_git() {
    let mut acts = vec![(0, Lock)];
    acts.extend(
        ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
            .into_iter()
            .flat_map(|path| [(1, Open(path)), (1, Write(path))]),
    );
    acts.extend([(2, Unlock), (3, Open("a")), (700, Open("k"))]);
    check(&acts, &[(1503, "a"), (2200, "k")]);
}

#[test]
fn a_small_walk_is_known_by_the_listing_before_it() {
    check(&[(0, List("s")), (1, Open("s/a")), (2, Open("s/b")), (3, Open("s/c"))], &[]);
    check(&[(0, List("s")), (1, Open("s/a")), (2, Open("s/b"))], &[(1501, "s/a"), (1502, "s/b")]);
    let apart = [(0, List("s")), (1100, Open("s/a")), (1200, Open("s/b")), (1300, Open("s/c"))];
    check(&apart, &[(2600, "s/a"), (2700, "s/b"), (2800, "s/c")]);
}

#[test]
fn a_storm_takes_what_was_held_and_ends_with_quiet() {
    let mut acts = vec![(0, Open("mine"))];
    acts.extend(walk(20, 0, 20).into_iter().map(|(at, act)| (at + 100, act)));
    acts.extend([(1000, Open("still")), (1999, Open("still")), (3000, Open("after"))]);
    check(&acts, &[(4500, "after")]);
}

#[test]
fn what_a_build_writes_was_not_looked_at() {
    check(&[(0, Open("out.js")), (5, Write("out.js"))], &[]);
    check(&[(0, Write("out.js")), (5, Open("out.js"))], &[]);
}

#[test]
fn a_file_counts_once_in_half_a_minute() {
    let acts = [(0, Open("a")), (5000, Open("a")), (31_400, Open("a")), (31_600, Open("a"))];
    check(&acts, &[(1500, "a"), (33_100, "a")]);
}

#[test]
fn memory_is_bounded() {
    let start = Clock::manual(Timestamp::default()).monotonic();
    let mut burst = Burst::default();
    for n in 0..5 * ROOM {
        let path = n.to_string();
        burst.proved(start, &path);
        burst.wrote(start, &path);
        burst.opened(start + Duration::from_secs(n as u64), &path);
    }
    assert!(burst.proven.len() <= ROOM && burst.written.len() <= ROOM && burst.counted.len() <= ROOM);
    assert!(burst.files.len() <= MOST_FILES + 1);
}

proptest::proptest! {
    #[test]
    fn what_passes_was_opened_and_never_early(times in proptest::collection::vec((0u64..4000, 0usize..12), 0..60)) {
        const NAMES: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        let mut times = times;
        times.sort_unstable();
        for (at, path) in play(times.iter().map(|(at, name)| (*at, Open(NAMES[*name])))) {
            let opened = times.iter().any(|(opened, name)| NAMES[*name] == path && opened + 1500 == at);
            proptest::prop_assert!(opened, "{path} passed at {at}");
        }
    }
}
