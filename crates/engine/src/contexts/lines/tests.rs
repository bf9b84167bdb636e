//! What is told of files, and what is not.

use std::sync::Arc;

use super::tested::is_called_after;
use super::*;
use lokid_context::parts::Part;
use lokid_index::cochange::Cochange;
use lokid_model::{Commit, FileChange, FileStatus, Kind, Level, MemoryId, Timestamp};

const ONE_TEST: &str = "`pytest tests/test_a.py::NAME`";

/// The lines where each of these commits was made five times.
fn told(commits: &[&[&str]], files: &[(&str, f64, &str)], at_hand: Option<&str>, has_goal: bool) -> Vec<String> {
    asked(commits, files, has_goal, &|telling, files| telling.lines(files, at_hand))
}

fn asked(
    commits: &[&[&str]],
    files: &[(&str, f64, &str)],
    has_goal: bool,
    ask: &dyn Fn(&Telling<'_>, &[PredictedFile]) -> Vec<FileLine>,
) -> Vec<String> {
    let mut cochange = Cochange::default();
    for (time, files) in commits.iter().cycle().take(5 * commits.len()).enumerate() {
        let change = |path: &&str| FileChange { path: (*path).to_owned(), status: FileStatus::Modified };
        let files = files.iter().map(change).collect();
        cochange.add(&Commit { id: "x".into(), parents: 1, time: time as i64, files, ..Commit::default() });
    }
    let past = PastKnown { cochange: Arc::new(cochange), ..PastKnown::default() };
    let file = |(path, score, why): &(&str, f64, &str)| PredictedFile {
        path: (*path).to_owned(),
        score: *score,
        why: (*why).to_owned(),
    };
    let files: Vec<PredictedFile> = files.iter().map(file).collect();
    let telling = Telling {
        spoken: &[],
        spoken_there: &|_| String::new(),
        tests_called: &|_| None,
        name_of: &|_| String::new(),
        past: &past,
        one_test: Some(ONE_TEST),
        has_goal,
        is_work: has_goal,
        sorts: Sorts::default(),
        has_tests: &|path| path == "src/own.rs",
        text_of: &|_| None,
        like: &|path| (path != "src/often.py").then(|| "\"like it\"".to_owned()),
        tests_saying: &|_| None,
        spoken_of: &["send".to_owned()],
        functions: &["load".to_owned()],
        closest: &|tests| (tests == "tests/test_near.py").then(|| "closest: `test_a` (line 3)".to_owned()),
        importers: &|path| if path == "src/imported.py" { vec!["tests/test_x.py".to_owned()] } else { Vec::new() },
        folder: None,
    };
    let text = |line: FileLine| match line {
        FileLine::Likely { path, why } => format!("{path}: {why}"),
        FileLine::Others(text) => text,
    };
    ask(&telling, &files).into_iter().filter(|line| !meant::is_bare(line)).map(text).collect()
}

#[test]
fn the_tests_of_the_file_at_hand_are_told_with_how_to_run_them() {
    let history: [&[&str]; 4] =
        [&["src/b.py", "tests/test_b.py"], &["src/c.py"], &["tests/b.py"], &["tests/test_c.py"]];
    let expected = "tests/test_b.py: the tests of src/b.py; run: pytest tests/test_b.py";
    assert_eq!(told(&history, &[], Some("src/b.py"), false), [expected]);
    assert_eq!(told(&history, &[], Some("tests/test_b.py"), false), ["tests/test_b.py: run: pytest tests/test_b.py"]);
    assert!(told(&history, &[], Some("src/c.py"), false).is_empty(), "called so, and never changed with it");
    let new: [&[&str]; 1] = [&["a/tests/test_b.py", "a/tests/sub/test_c.py", "c/tests/test_c.py"]];
    let of_new = |path| told(&new, &[], Some(path), false);
    assert_eq!(of_new("a/src/b.py"), ["a/tests/test_b.py: the tests of a/src/b.py; run: pytest a/tests/test_b.py"]);
    assert_eq!(of_new("a/src/pack/b.py").len(), 1, "the package stands below src");
    assert!(of_new("a/src/c.py").is_empty() && of_new("b/src/b.py").is_empty(), "another folder, another part");
    assert!(told(&[], &[], Some("src/own.rs"), false).is_empty(), "whoever has it open sees its tests");
    let split: [&[&str]; 1] = [&["src/router/map.py", "tests/test_router.py", "tests/test_wrap.py"]];
    let expected = "tests/test_router.py: the tests of src/router/; run: pytest tests/test_router.py";
    assert_eq!(told(&split, &[], Some("src/router/map.py"), true), [expected]);
    assert!(told(&split, &[], Some("src/router/map.py"), false).is_empty(), "nobody said what it is about");
    let mirrored: [&[&str]; 3] = [
        &["src/presets/cloud/util.ts", "src/presets/cloud/run/cloud-module.ts"],
        &["test/presets/cloud.test.ts"],
        &["test/presets/cloud-module.test.ts"],
    ];
    let of_mirrored = |path| told(&mirrored, &[], Some(path), false);
    assert_eq!(
        of_mirrored("src/presets/cloud/util.ts"),
        ["test/presets/cloud.test.ts: the tests of src/presets/cloud/"]
    );
    let expected = "test/presets/cloud-module.test.ts: the tests of src/presets/cloud/run/cloud-module.ts";
    assert_eq!(of_mirrored("src/presets/cloud/run/cloud-module.ts"), [expected]);
    let own = asked(&[], &[], false, &|telling, files| {
        Telling { closest: &|_| Some("closest: `it_is` (line 9)".to_owned()), ..*telling }
            .lines(files, Some("src/own.rs"))
    });
    assert_eq!(own, ["src/own.rs: closest: `it_is` (line 9); run: cargo test own::"]);
}

#[test]
fn what_everybody_knows_who_has_the_file_is_not_told() {
    let is = |tests, why, file| tested::is_obvious(tests, why, file);
    assert!(is("a/b_test.go", "the tests of a/b.go; run: go test ./a", "a/b.go"));
    assert!(!is("a/b_test.go", "the tests of a/b.go; closest: `TestB` (line 3); run: go test ./a", "a/b.go"));
    assert!(!is("a/b_test.go", "the tests of a/b.go; run: go -C a test ./", "a/b.go"), "a module of its own");
    assert!(!is("tests/test_b.py", "the tests of src/b.py; run: pytest tests/test_b.py", "src/b.py"));
    assert!(is("src/b.rs", "run: cargo test b::", "src/b.rs"));
    assert!(!is("src/b.rs", "run: cargo test --features full --lib b::", "src/b.rs"));
}

#[test]
fn of_many_tests_those_called_after_what_is_worked_on_are_told() {
    let tests = ["test/res.send.js", "test/test_send.js", "test/send/all.js", "test/resend.js"];
    assert_eq!(tests.map(|path| is_called_after(path, "lib/response.js", "send")), [true, true, false, false]);
    assert!(is_called_after("test/useSend.test.tsx", "src/hooks.ts", "usesend"));
    let history: [&[&str]; 2] = [&["lib/response.js", "test/res.json.js"], &["lib/response.js", "test/res.send.js"]];
    let expected = "test/res.send.js: tests of lib/response.js that are called so";
    assert_eq!(told(&history, &[], Some("lib/response.js"), false), [expected]);
}

#[test]
fn tests_called_after_the_function_of_an_error_come_before_those_that_change_most_often() {
    let history: [&[&str]; 3] =
        [&["src/b.py", "tests/test_all.py"], &["src/b.py", "tests/test_load.py"], &["src/b.py", "tests/test_all.py"]];
    let expected = "tests/test_load.py: tests of src/b.py that are called so; run: pytest tests/test_load.py";
    assert_eq!(told(&history, &[], Some("src/b.py"), false), [expected]);
}

#[test]
fn tests_are_told_with_those_of_them_that_speak_of_the_work_and_by_what_they_import() {
    let near: [&[&str]; 1] = [&["src/near.py", "tests/test_near.py"]];
    let expected =
        "tests/test_near.py: the tests of src/near.py; closest: `test_a` (line 3); run: pytest tests/test_near.py";
    assert_eq!(told(&near, &[], Some("src/near.py"), false), [expected]);
    let known: [&[&str]; 2] = [&["src/imported.py"], &["tests/test_x.py"]];
    let expected = "tests/test_x.py: imports src/imported.py; run: pytest tests/test_x.py";
    assert_eq!(told(&known, &[], Some("src/imported.py"), true), [expected]);
    assert!(told(&known, &[], Some("src/imported.py"), false).is_empty());
}

#[test]
fn tests_of_another_name_are_told_where_they_change_with_a_file_and_speak_of_the_work() {
    let together = [
        "tests/test_near.py: the tests that change most often with src/b.py; closest: `test_a` (line 3); run: pytest tests/test_near.py",
    ];
    assert_eq!(told(&[&["src/b.py", "tests/test_near.py"]], &[], Some("src/b.py"), false), together);
    assert!(
        told(&[&["src/b.py", "tests/test_all.py"]], &[], Some("src/b.py"), false).is_empty(),
        "none of them speaks of it"
    );
    let many: [&[&str]; 2] = [&["src/b.py", "tests/test_x.py"], &["src/b.py", "tests/test_y.py"]];
    assert!(told(&many, &[], Some("src/b.py"), false).is_empty());
    assert!(told(&[&["src/b.py", "tests/helpers/all.py"]], &[], Some("src/b.py"), false).is_empty());
    let aside: [&[&str]; 2] = [&["src/b.py", "tests/b/test_x.py"], &["src/b.py", "tests/b/test_y.py"]];
    assert_eq!(told(&aside, &[], Some("src/b.py"), false), ["tests/b/: the tests of src/b.py are there"]);
}

#[test]
fn what_may_change_with_a_file_is_told_behind_its_tests_and_never_by_itself() {
    let files = [("src/b.py", 0.3, ""), ("src/c.py", 0.3, ""), ("src/d.py", 0.2, "")];
    let tested: [&[&str]; 1] = [&["src/a.py", "src/b.py", "src/d.py", "tests/test_a.py"]];
    let expected = "tests/test_a.py: the tests of src/a.py; run: pytest tests/test_a.py";
    let with = |has_goal| told(&tested, &files, Some("src/a.py"), has_goal);
    assert_eq!(with(true), [format!("{expected}; perhaps also src/b.py")]);
    assert_eq!(with(false), [expected], "nobody said what is to be done");
    assert!(told(&[&["a.py", "src/b.py"]], &files, Some("a.py"), true).is_empty());
}

#[test]
fn a_goal_alone_means_what_commits_or_names_speak_for() {
    let files = [("a.py", 0.5, "an earlier commit about \"x\""), ("tests/test_b.py", 0.4, ""), ("c.py", 0.4, "")];
    let history: [&[&str]; 2] = [&["a.py", "tests/test_b.py"], &["c.py"]];
    let expected = "a.py: changed before by \"like it\"; run: pytest tests/test_b.py";
    assert_eq!(told(&history, &files, None, true), [expected]);
    let busy = [("a.py", 0.5, "touched by commits like this"), ("b.py", 0.45, "2 earlier commits about \"x\"")];
    assert_eq!(told(&[], &busy, None, true), ["b.py: changed before by \"like it\""]);
    assert!(told(&[], &busy[..1], None, true).is_empty(), "commits that say a little each lead astray");
    assert!(told(&[], &[("tests/test_a.py", 0.5, ""), ("b.md", 0.5, "")], None, true).is_empty());
    let once = [("a.py", 0.35, "an earlier commit about \"x\"")];
    assert_eq!(told(&[], &once, None, true), ["a.py: changed before by \"like it\""]);
    let often = [("src/often.py", 0.5, "9 earlier commits about \"x\""), ("b.py", 0.04, "")];
    assert!(told(&[&["b.py"]], &often, None, true).is_empty(), "no commit is like it");
    let passage =
        |path: &str, name: &str| Passage { path: path.to_owned(), name: name.to_owned(), ..Passage::default() };
    let spoken = [passage("src/often.py", "load"), passage("b.py", "read")];
    let there =
        |path: &str| if path == "src/often.py" { "likely in `load` (line 3)".to_owned() } else { String::new() };
    let with_text = asked(&[&["b.py"]], &often, true, &|telling, files| {
        let name_of = |passage: &Passage| passage.name.clone();
        Telling { spoken: &spoken, spoken_there: &there, name_of: &name_of, ..*telling }.lines(files, None)
    });
    assert_eq!(with_text, ["src/often.py: likely in `load` (line 3); else read (b.py:0)"]);
    for why in ["it is named", "its path says \"x\""] {
        assert!(told(&[], &[("a.py", 0.9, why)], None, true).is_empty(), "whoever says its name finds it");
    }
    let defining = [("a.py", 0.5, "its path says \"x\""), ("b.py", 0.4, "defines load_all (line 7)")];
    assert_eq!(told(&[], &defining, None, true), ["b.py: defines load_all (line 7)"]);
}

#[test]
fn what_the_line_of_an_error_calls_is_not_told() {
    let of_error =
        [("a.py", 0.8, "named in the error, line 3"), ("b.py", 0.4, "defines load (line 7), which the error names")];
    assert!(told(&[], &of_error, Some("a.py"), false).is_empty(), "what its line calls is nearly always whole");
}

#[test]
fn a_commit_alike_is_told_for_a_program_that_nothing_else_names() {
    let lines =
        [FileLine::Likely { path: "src/a.rs".to_owned(), why: "likely; else src/b.rs (123456789, x".to_owned() }];
    let alike = |id: &str, files: &[&str], why: &str| {
        let mut memory = Memory::new(MemoryId::new(id).unwrap(), Kind::Note, "Like it", Timestamp::default());
        memory.anchors.files = files.iter().map(|file| (*file).to_owned()).collect();
        let (memory, why) = (Arc::new(memory), why.to_owned());
        Candidate { memory, part: Part::Relevant, value: 0.5, why, binding: false, longest: Level::Summary }
    };
    let similar = |files: &[&str]| is_told(&lines, None, &alike("commit-abcdef123456", files, gather::SIMILAR_REASON));
    assert!(similar(&["src/a.rs", "src/b.rs", "README.md", "tests/c.rs"]), "named, or no program");
    assert!(!similar(&["src/a.rs", "src/c.rs"]));
    assert!(!is_told(&lines, None, &alike("commit-abcdef123456", &["src/a.rs"], "changed src/a.rs before")));
    assert!(is_told(&lines, None, &alike("commit-123456789abc", &["src/c.rs"], "changed src/c.rs before")), "quoted");
    let elsewhere = |lines: &[FileLine], at_hand: Option<&str>| {
        let mut learnt = alike("learn-git-abcdef123456", &["src/c.rs"], "about the goal");
        Arc::make_mut(&mut learnt.memory).source = Source::Git;
        is_told(lines, at_hand, &learnt)
    };
    assert!(elsewhere(&lines, None) && elsewhere(&[], Some("src/a.rs")), "its words alone lead elsewhere");
    assert!(!elsewhere(&[], None) && !elsewhere(&[], Some("src/c.rs")));
}
