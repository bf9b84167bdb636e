//! Tests of what past commits said.

use super::*;
use crate::analyze::hash;
use lokid_model::FileChange;

const START: i64 = 1_700_000_000;

/// `+` before a file adds it, `-` deletes it.
fn commit(time: i64, subject: &str, files: &[&str]) -> Commit {
    let change = |file: &&str| match (file.strip_prefix('+'), file.strip_prefix('-')) {
        (Some(path), _) => FileChange { path: path.to_owned(), status: FileStatus::Added },
        (_, Some(path)) => FileChange { path: path.to_owned(), status: FileStatus::Deleted },
        _ => FileChange { path: (*file).to_owned(), status: FileStatus::Modified },
    };
    Commit {
        parents: 1,
        time,
        subject: subject.to_owned(),
        files: files.iter().map(change).collect(),
        ..Commit::default()
    }
}

fn read(commits: &[Commit]) -> Subjects {
    let mut subjects = Subjects::default();
    commits.iter().for_each(|commit| subjects.add(commit));
    subjects
}

/// The files of the commits that said the word, newest first.
fn told(subjects: &Subjects, word: &str) -> Vec<(usize, Vec<String>)> {
    let files = |place| subjects.files_of(place).iter().map(|file| subjects.path(*file).to_owned()).collect();
    subjects.mentions(hash(word)).map(|mention| (mention.age, files(mention.place))).collect()
}

#[test]
fn commits_are_found_by_what_they_said_in_both_directions_of_reading() {
    let mut history: Vec<Commit> = (0..50)
        .map(|number| commit(START + number, &format!("word{} common", number % 7), &[&format!("f{}", number % 5)]))
        .collect();
    let forward = read(&history);
    history.reverse();
    let backward = read(&history);
    assert_eq!(forward.said_by(hash("word3")), 7);
    assert_eq!(told(&forward, "word3")[0], (4, vec!["f0".to_owned()]));
    for word in ["word0", "word3", "common", "absent"] {
        assert_eq!(told(&forward, word), told(&backward, word), "{word}");
    }
}

#[test]
fn a_commit_with_a_wrong_clock_stays_beside_the_one_read_before() {
    let mut history: Vec<Commit> = (0..9).map(|minute| commit(START + minute * 60, "plain", &["b"])).collect();
    history.insert(8, commit(START + 400, "odd", &["a"]));
    assert_eq!(told(&read(&history), "odd")[0].0, 1, "oldest first");
    history.reverse();
    history.insert(8, commit(START + 90, "late", &["a"]));
    assert_eq!(told(&read(&history), "late")[0].0, 8, "newest first");
}

#[test]
fn merges_say_nothing_and_sweeps_only_which_files_there_are() {
    let many: Vec<String> = (0..101).map(|number| format!("f{number}")).collect();
    let mut merge = commit(START, "merge", &["a"]);
    merge.parents = 2;
    let sweep = commit(START, "sweep", &many.iter().map(String::as_str).collect::<Vec<_>>());
    let subjects = read(&[merge, sweep, commit(START, "nothing", &[])]);
    assert_eq!((subjects.commits(), subjects.files()), (1, 101));
    assert_eq!(told(&subjects, "sweep"), [(0, vec![])]);
}

#[test]
fn a_file_is_gone_when_its_newest_commit_deleted_it() {
    let mut history = vec![
        commit(START, "one", &["+a", "+b"]),
        commit(START + 1, "two", &["-a", "-b"]),
        commit(START + 2, "three", &["+b"]),
    ];
    for _ in 0..2 {
        let subjects = read(&history);
        let gone: Vec<&str> = (0..2).filter(|file| subjects.is_gone(*file)).map(|file| subjects.path(file)).collect();
        assert_eq!(gone, ["a"]);
        history.reverse();
    }
    assert!(Subjects::default().is_gone(7), "what is not known is not there");
}

#[test]
fn files_are_found_by_the_words_of_their_paths() {
    let subjects = read(&[commit(START, "one", &["src/sessions/mod.rs", "README"])]);
    let paths: Vec<&str> = subjects.with_path(hash("session")).iter().map(|file| subjects.path(*file)).collect();
    assert_eq!(paths, ["src/sessions/mod.rs"]);
}

#[test]
fn the_oldest_commits_and_files_leave_first() {
    let mut subjects = Subjects::default();
    for number in 0..300_i64 {
        subjects.add(&commit(START + number, &format!("word{number} common"), &[&format!("f{number}")]));
        subjects.keep_bounds_of(100, 50);
        assert!(subjects.commits() <= 100 && subjects.files() <= 50);
        assert_eq!(subjects.said_by(hash("common")), subjects.commits());
    }
    assert_eq!(subjects.said_by(hash("word10")), 0);
    assert_eq!(told(&subjects, "word299"), [(0, vec!["f299".to_owned()])]);
    assert_eq!(subjects.length, subjects.said.iter().map(|said| u64::from(said.length)).sum::<u64>());
    assert_eq!(Subjects::from_bytes(&subjects.to_bytes()), Some(subjects));
}

#[test]
fn the_subjects_survive_as_bytes_and_damage_is_noticed() {
    let subjects = read(&[
        commit(START, "Parse ünïcode", &["+src/parse.rs", "b"]),
        commit(START + 1, "Drop it", &["-b", "c"]),
        commit(START - 5, "parse", &["c"]),
    ]);
    let bytes = subjects.to_bytes();
    let again = Subjects::from_bytes(&bytes).unwrap();
    assert_eq!(again, subjects);
    assert_eq!(again.to_bytes(), bytes);
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert_eq!(Subjects::from_bytes(&damaged), None, "{at}");
        assert_eq!(Subjects::from_bytes(&bytes[..at]), None, "{at}");
    }
    let empty = Subjects::default();
    assert_eq!(Subjects::from_bytes(&empty.to_bytes()), Some(empty));
}

proptest::proptest! {
    #[test]
    fn no_content_makes_the_reader_panic(content in proptest::collection::vec(0_u8..=255, 0..200)) {
        let mut bytes = b"LKSJ\x02".to_vec();
        bytes.push(crate::analyze::VERSION);
        bytes.extend(&blake3::hash(&content).as_bytes()[..16]);
        bytes.extend(content);
        let _ = Subjects::from_bytes(&bytes);
    }

    #[test]
    fn any_history_can_be_read(history in proptest::collection::vec((proptest::num::i64::ANY, "\\PC{0,20}", 0_usize..4), 0..40)) {
        let names = ["a/x", "+b/x", "-a/x", "c"];
        let history: Vec<Commit> =
            history.iter().map(|(time, subject, file)| commit(*time, subject, &[names[*file]])).collect();
        let subjects = read(&history);
        proptest::prop_assert_eq!(subjects.commits(), history.len());
        proptest::prop_assert_eq!(Subjects::from_bytes(&subjects.to_bytes()), Some(subjects));
    }
}
