//! What changes together, told from made-up histories.

use super::*;
use lokid_model::{FileChange, Timestamp};

const DAY: i64 = 86_400;
const START: i64 = 1_700_000_000;

fn commit(time: i64, author: &str, files: &[&str]) -> Commit {
    let change = |path: &&str| {
        let (status, path) = match path.strip_prefix(['+', '-']) {
            Some(bare) if path.starts_with('+') => (FileStatus::Added, bare),
            Some(bare) => (FileStatus::Deleted, bare),
            None => (FileStatus::Modified, *path),
        };
        FileChange { path: path.to_owned(), status }
    };
    let files = files.iter().map(change).collect();
    Commit { id: "x".into(), parents: 1, author_name: author.into(), time, files, ..Commit::default() }
}

fn counted(commits: &[Commit]) -> Cochange {
    let mut counts = Cochange::default();
    commits.iter().for_each(|commit| counts.add(commit));
    counts
}

fn at(time: i64) -> Timestamp {
    Timestamp::from_micros(time * lokid_model::time::SECOND)
}

fn told<'a>(counts: &'a Cochange, path: &str, now: i64) -> Vec<(&'a str, u32)> {
    counts.partners(path, at(now), 9).iter().map(|partner| (partner.path, partner.times)).collect()
}

#[test]
fn files_that_change_together_are_partners_and_the_surest_comes_first() {
    let mut history = vec![commit(START, "Ada", &["a", "c"])];
    history.extend((1..5).map(|day| commit(START + day * DAY, "Ada", &["a", "b"])));
    history.push(commit(START + 6 * DAY, "Ada", &["lonely"]));
    let counts = counted(&history);
    let now = START + 7 * DAY;
    assert_eq!(told(&counts, "a", now), [("b", 4), ("c", 1)]);
    assert_eq!(told(&counts, "b", now), [("a", 4)]);
    assert_eq!(told(&counts, "lonely", now), []);
    assert_eq!(told(&counts, "unknown", now), []);
    assert_eq!(counts.partners("a", at(now), 1).len(), 1);
    assert!(counts.partners("a", at(now), 9).iter().all(|partner| partner.score > 0.0 && partner.score <= 1.0));
}

#[test]
fn a_file_that_changes_with_everything_is_a_weak_partner() {
    let names: Vec<String> = (0..30).map(|number| format!("f{number}")).collect();
    let mut history: Vec<Commit> = names.iter().map(|name| commit(START, "Ada", &[name, "CHANGELOG"])).collect();
    history.extend([commit(START + 1, "Ada", &["a", "b"]), commit(START + 2, "Ada", &["a", "CHANGELOG"])]);
    assert_eq!(told(&counted(&history), "a", START + 3)[0].0, "b");
}

#[test]
fn scores_fade_with_time_and_with_commits() {
    let counts = counted(&[commit(START, "Ada", &["a", "b"])]);
    let score = |counts: &Cochange, now| counts.partners("a", at(now), 1)[0].score;
    let young = score(&counts, START);
    assert!(score(&counts, START + 365 * DAY) < young * 0.8);
    assert!(score(&counts, START + 20 * 365 * DAY) < young * 0.001);
    let mut busy = counts.clone();
    (0..4_000).for_each(|_| busy.add(&commit(START, "Ada", &["z"])));
    assert!(score(&busy, START) < young * 0.8);
    let recent = counted(&[commit(START, "Ada", &["a", "old"]), commit(START + 900 * DAY, "Ada", &["a", "new"])]);
    assert_eq!(told(&recent, "a", START + 901 * DAY), [("new", 1), ("old", 1)]);
}

#[test]
fn the_order_of_reading_does_not_matter() {
    let history: Vec<Commit> = (0..200)
        .map(|number| {
            let files = [format!("f{}", number % 7), format!("f{}", number % 5), format!("f{}", number % 3)];
            commit(START + number * DAY, "Ada", &files.each_ref().map(String::as_str))
        })
        .collect();
    let forward = counted(&history);
    let backward = counted(&history.iter().rev().cloned().collect::<Vec<_>>());
    for file in ["f0", "f3", "f6"] {
        let now = START + 201 * DAY;
        assert_eq!(told(&forward, file, now), told(&backward, file, now), "{file}");
        for (one, other) in forward.partners(file, at(now), 9).iter().zip(backward.partners(file, at(now), 9)) {
            assert!((one.score - other.score).abs() < 1e-3, "{one:?} {other:?}");
        }
    }
}

#[test]
fn a_sweep_over_many_files_pairs_nothing_and_a_wide_commit_pairs_little() {
    let many: Vec<String> = (0..51).map(|number| format!("f{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let counts = counted(&[commit(START, "Ada", &many)]);
    assert_eq!(told(&counts, "f0", START), []);
    assert_eq!(counts.stats("f0").unwrap().changes, 1);
    let counts = counted(&[commit(START, "Ada", &many[..20]), commit(START, "Ada", &["f0", "z"])]);
    assert_eq!(told(&counts, "f0", START)[0].0, "z");
}

#[test]
fn a_release_pairs_nothing_and_still_counts_as_a_change() {
    let release = Commit { subject: "Release 1.2".to_owned(), ..commit(START + DAY, "Ada", &["a", "b"]) };
    let counts = counted(&[commit(START, "Ada", &["a", "c"]), release]);
    assert_eq!(told(&counts, "a", START + 2 * DAY), [("c", 1)]);
    assert_eq!(counts.stats("b").unwrap().changes, 1);
}

#[test]
fn a_file_is_told_with_its_changes_and_its_people() {
    let mut history = vec![commit(START, "Bob", &["a"]), commit(START + 9, "Eve", &["a"])];
    history.extend((1..4).map(|time| commit(START + time, "Ada", &["a"])));
    history.extend([commit(START + 5, "Bob", &["a"]), commit(START + 6, "Dan", &["a"])]);
    let counts = counted(&history);
    let stats = counts.stats("a").unwrap();
    assert_eq!((stats.changes, stats.last_change, stats.gone), (7, START + 9, false));
    assert_eq!(stats.authors, [("Ada", 3), ("Bob", 2), ("Dan", 1)]);
    assert_eq!(counts.stats("b"), None);
    let mut merge = commit(START, "Ada", &[]);
    merge.parents = 2;
    assert_eq!(counted(&[merge]).commits(), 1);
}

#[test]
fn a_moved_file_keeps_its_partners_in_both_directions_of_reading() {
    let mut history = vec![
        commit(START, "Ada", &["+old/a.rs", "+b.rs"]),
        commit(START + 1, "Ada", &["old/a.rs", "b.rs"]),
        commit(START + 2, "Ada", &["-old/a.rs", "+new/a.rs"]),
        commit(START + 3, "Ada", &["new/a.rs", "c.rs"]),
    ];
    for _ in 0..2 {
        let counts = counted(&history);
        assert_eq!(told(&counts, "b.rs", START + 4), [("new/a.rs", 2)]);
        assert_eq!(told(&counts, "new/a.rs", START + 4), told(&counts, "old/a.rs", START + 4));
        assert!(!counts.stats("new/a.rs").unwrap().gone);
        history.reverse();
    }
}

#[test]
fn where_no_deletion_is_ever_told_a_file_goes_on_under_its_name_elsewhere() {
    let history = [
        commit(START, "Ada", &["+src/args.rs", "+src/main.rs"]),
        commit(START + 1, "Ada", &["src/args.rs", "+core/args.rs"]),
        commit(START + 2, "Ada", &["core/args.rs", "+doc.md"]),
    ];
    let backwards: Vec<Commit> = history.iter().rev().cloned().collect();
    for counts in [counted(&history), counted(&backwards)] {
        let (old, new) = (counts.find("src/args.rs").unwrap(), counts.find("core/args.rs").unwrap());
        assert_eq!((counts.today(old), counts.today(new)), (new, new));
        assert!(counts.is_gone(old) && !counts.is_gone(new));
        assert_eq!((counts.commits_of(new).count(), counts.count_of(new)), (3, 3));
        assert_eq!(told(&counts, "src/main.rs", START + 3), [("core/args.rs", 1)]);
        assert_eq!(Cochange::from_bytes(&counts.to_bytes()).as_ref(), Some(&counts));
    }
}

#[test]
fn a_guessed_move_is_taken_back_when_the_file_changes_again_or_deletions_are_told() {
    let mut counts = counted(&[
        commit(START, "Ada", &["+a/index.js", "+b/x.js"]),
        commit(START + 1, "Ada", &["a/index.js", "+b/index.js"]),
    ]);
    let old = counts.find("a/index.js").unwrap();
    assert!(counts.is_gone(old));
    let told = counted(&[commit(START, "Ada", &["-c"]), commit(START + 1, "Ada", &["a/index.js", "+b/index.js"])]);
    assert!(!told.is_gone(told.find("a/index.js").unwrap()));
    let mut later = counts.clone();
    later.add(&commit(START + 2, "Ada", &["-b/x.js"]));
    assert!(!later.is_gone(old));
    counts.add(&commit(START + 2, "Ada", &["a/index.js"]));
    assert!(!counts.is_gone(old) && counts.today(old) == old);
    assert_eq!(counts.commits_of(counts.find("b/index.js").unwrap()).count(), 1);
}

#[test]
fn a_file_that_is_moved_back_bears_its_first_name() {
    let mut history = vec![
        commit(START, "Ada", &["+a/x.rs", "+b.rs"]),
        commit(START + 1, "Ada", &["-a/x.rs", "+c/x.rs"]),
        commit(START + 2, "Ada", &["+a/x.rs", "-c/x.rs"]),
    ];
    for _ in 0..2 {
        let counts = counted(&history);
        assert_eq!(told(&counts, "b.rs", START + 4), [("a/x.rs", 1)]);
        assert!(!counts.stats("a/x.rs").unwrap().gone);
        history.reverse();
    }
}

#[test]
fn a_new_file_under_a_name_that_was_left_is_another_file() {
    let mut history = vec![
        commit(START, "Ada", &["+a/x.rs", "+b.rs"]),
        commit(START + 1, "Ada", &["-a/x.rs", "+c/x.rs"]),
        commit(START + 2, "Ada", &["+a/x.rs", "+d.rs"]),
    ];
    for _ in 0..2 {
        let counts = counted(&history);
        assert_eq!(told(&counts, "d.rs", START + 4), [("a/x.rs", 1)]);
        history.reverse();
    }
    assert_eq!(told(&counted(&history), "b.rs", START + 4), [("c/x.rs", 1)]);
}

#[test]
fn files_that_are_gone_are_no_partners_and_names_met_twice_prove_no_move() {
    let counts = counted(&[
        commit(START, "Ada", &["a", "b", "x/mod.rs", "y/mod.rs"]),
        commit(START + 1, "Ada", &["-b"]),
        commit(START + 2, "Ada", &["-x/mod.rs", "-y/mod.rs", "+z/mod.rs"]),
    ]);
    assert_eq!(told(&counts, "a", START + 3), []);
    assert!(counts.stats("b").unwrap().gone && counts.stats("x/mod.rs").unwrap().gone);
    assert_eq!(counts.stats("z/mod.rs").unwrap().changes, 1);
}

#[test]
fn of_many_partners_the_one_that_stays_comes_first() {
    let mut counts = Cochange::default();
    for number in 0..400 {
        counts.add(&commit(START + number, "Ada", &["hub", &format!("f{number}")]));
        counts.add(&commit(START + number, "Ada", &["hub", "friend"]));
    }
    let hub = counts.partners("hub", at(START + 400), 1_000);
    assert_eq!((hub.len(), hub[0].path, hub[0].times), (401, "friend", 400));
}

#[test]
fn more_files_and_commits_than_there_is_room_for_make_the_oldest_go() {
    let mut counts = Cochange::default();
    for number in 0..300_i64 {
        let names: Vec<String> = (0..30).map(|file| format!("d{}/f{}", number % 40, file)).collect();
        counts.add(&commit(START + number * DAY, "Ada", &names.iter().map(String::as_str).collect::<Vec<_>>()));
        counts.keep_bounds_of(500, 6_000);
        assert!(counts.files() <= 500 && counts.touches <= 6_000, "{} {}", counts.files(), counts.touches);
    }
    assert_eq!(counts.touches, counts.files.iter().map(|file| file.commits.len()).sum::<usize>());
    assert_eq!(counts.touches, counts.log.iter().map(|entry| entry.files.len()).sum::<usize>());
    assert!(counts.stats("d19/f0").is_some(), "the newest stay");
    assert!(counts.latest().flat_map(|entry| &entry.files).all(|place| (*place as usize) < counts.files()));
    assert_eq!(Cochange::from_bytes(&counts.to_bytes()), Some(counts));
}

#[test]
fn commits_are_found_by_file_author_and_folder_newest_first() {
    let counts = counted(&[
        commit(START, "Ada", &["src/a.rs", "src/b.rs"]),
        commit(START + 1, "Bob", &["src/b.rs", "docs/b.md"]),
        commit(START + 2, "Ada", &["c"]),
    ]);
    let place = |path: &str| counts.find(path).unwrap();
    let ages = |commits: &mut dyn Iterator<Item = (u64, &Entry)>| commits.map(|(age, _)| age).collect::<Vec<_>>();
    assert_eq!(ages(&mut counts.commits_of(place("src/b.rs"))), [1, 2]);
    assert_eq!(ages(&mut counts.commits_by(counts.find_author("Ada").unwrap())), [0, 2]);
    assert_eq!(ages(&mut counts.commits_around("src/new.rs", 9).into_iter()), [1, 2]);
    assert_eq!(ages(&mut counts.commits_around("src/new.rs", 1).into_iter()), [1]);
    assert_eq!(counts.in_folder("src/new.rs").collect::<Vec<_>>(), [place("src/a.rs"), place("src/b.rs")]);
    assert_eq!(counts.namesakes("x/b.c").collect::<Vec<_>>(), [place("src/b.rs"), place("docs/b.md")]);
    assert_eq!((counts.age(place("c")), counts.count_of(place("src/b.rs"))), (Some(0), 2));
    assert!(counts.heat(place("src/b.rs")) > counts.heat(place("src/a.rs")));
}

#[test]
fn clocks_that_were_a_little_wrong_do_not_turn_the_order_round() {
    let times = [0, 10, 20, 15, 30, 40, 38, 50];
    let history: Vec<Commit> = times.iter().map(|time| commit(START + time * DAY, "Ada", &["a"])).collect();
    let told = |counts: &Cochange| counts.latest().map(|entry| (entry.time - START) / DAY).collect::<Vec<_>>();
    let forward = told(&counted(&history));
    assert_eq!(forward, [50, 38, 40, 30, 15, 20, 10, 0]);
    assert_eq!(told(&counted(&history.iter().rev().cloned().collect::<Vec<_>>())), forward);
}

#[test]
fn bots_and_lock_files_are_counted_but_not_logged() {
    let counts = counted(&[
        commit(START, "renovate[bot]", &["package.json", "a.js"]),
        commit(START + 1, "Ada", &["Cargo.lock", "Cargo.toml"]),
    ]);
    assert_eq!((counts.commits(), counts.latest().count()), (2, 1));
    assert_eq!(counts.stats("Cargo.lock").unwrap().changes, 1);
    assert_eq!(told(&counts, "Cargo.toml", START + 2), []);
}

#[test]
fn the_counts_survive_as_bytes_and_damage_is_noticed() {
    let mut counts = counted(&[
        commit(START, "Ada", &["+old/a.rs", "+b.rs"]),
        commit(START + 1, "Bob", &["-old/a.rs", "+new/a.rs", "ünï"]),
        commit(START - 5, "Ada", &["b.rs", "c"]),
    ]);
    counts.set_head("0123");
    let bytes = counts.to_bytes();
    let again = Cochange::from_bytes(&bytes).unwrap();
    assert_eq!(again, counts);
    assert_eq!((again.head(), again.to_bytes()), (Some("0123"), bytes.clone()));
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert_eq!(Cochange::from_bytes(&damaged), None, "{at}");
        assert_eq!(Cochange::from_bytes(&bytes[..at]), None, "{at}");
    }
    let empty = Cochange::default();
    assert_eq!(Cochange::from_bytes(&empty.to_bytes()), Some(empty));
}

proptest::proptest! {
    #[test]
    fn no_content_makes_the_reader_panic(content in proptest::collection::vec(0_u8..=255, 0..200)) {
        let mut bytes = b"LKCC\x06\0\0\0".to_vec();
        bytes.extend(&blake3::hash(&content).as_bytes()[..16]);
        bytes.extend(content);
        let _ = Cochange::from_bytes(&bytes);
    }

    #[test]
    fn any_history_can_be_counted(times in proptest::collection::vec((proptest::num::i64::ANY, 0_usize..4, 0_usize..4), 0..60)) {
        let names = ["a/x", "+b/x", "-a/x", "c"];
        let history: Vec<Commit> =
            times.iter().map(|(time, one, other)| commit(*time, "Ada", &[names[*one], names[*other]])).collect();
        let counts = counted(&history);
        let _ = counts.partners("c", at(START), 9);
        proptest::prop_assert_eq!(Cochange::from_bytes(&counts.to_bytes()), Some(counts));
    }
}
