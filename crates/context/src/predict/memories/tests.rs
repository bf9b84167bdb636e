//! One signal at a time, over a handful of memories; then all of them together.

use super::*;
use crate::lab::{Lab, days_ago, memory, now};
use crate::predict::PredictedFile;
use lokid_model::{
    Body, Commit, Episode, EpisodeError, FileChange, FileStatus, Kind, Learning, Relation, Status, TaskType, Usage,
};

fn foresee(lab: &Lab, clues: &Clues) -> Vec<PredictedMemory> {
    lab.ask(|sources| predict(sources, clues, &Namespace::default(), now(), 20))
}

fn told(lab: &Lab, clues: &Clues) -> Vec<(String, String)> {
    foresee(lab, clues).into_iter().map(|found| (found.memory.id.to_string(), found.why)).collect()
}

fn check(lab: &Lab, clues: &Clues, expect: &[(&str, &str)]) {
    let found = told(lab, clues);
    let found: Vec<(&str, &str)> = found.iter().map(|(id, why)| (id.as_str(), why.as_str())).collect();
    assert_eq!(found, expect);
}

fn at_file(path: &str) -> Clues {
    Clues { file: Some(path.into()), ..Clues::default() }
}

fn error_memory(id: &str, error: &str, fix: &str, fingerprint: &str) -> Memory {
    let learning =
        Learning { error: error.into(), fix: fix.into(), fingerprint: fingerprint.into(), ..Default::default() };
    Memory { body: Body::Learning(Box::new(learning)), ..memory(id, Kind::Learning, error, &[]) }
}

#[test]
fn a_file_brings_what_is_at_home_in_it_then_in_its_company_then_in_its_folder() {
    let mut lab = Lab::default();
    lab.note("dec-1", Kind::Decision, "tokens expire after an hour", &["./src/auth.rs"])
        .note("anti-1", Kind::AntiPattern, "caching tokens", &["src/session.rs"])
        .note("learn-1", Kind::Learning, "clocks drift", &["src/clock.rs"])
        .note("dec-2", Kind::Decision, "colours", &["web/theme.css"]);
    let related = vec![PredictedFile { path: "src/session.rs".into(), score: 0.9, why: "changes with it".into() }];
    let clues = Clues { related, ..at_file("src/auth.rs") };
    check(
        &lab,
        &clues,
        &[
            ("dec-1", "a decision about src/auth.rs"),
            ("anti-1", "went wrong in src/session.rs"),
            ("learn-1", "from src/"),
        ],
    );
    let anchored: Vec<bool> = foresee(&lab, &clues).iter().map(|found| found.anchored).collect();
    assert_eq!(anchored, [true, false, false]);
}

#[test]
fn a_symbol_counts_in_full_only_where_the_memory_is_at_home_nearby() {
    let mut lab = Lab::default();
    let with_symbol = |id: &str, files: &[&str]| {
        let mut memory = memory(id, Kind::Note, "careful", files);
        memory.anchors.symbols = vec!["parse".into()];
        memory
    };
    lab.put(with_symbol("note-far", &["web/parse.ts"])).put(with_symbol("note-open", &[]));
    let clues = Clues { symbols: vec!["parse".into(), "open".into()], ..at_file("src/main.rs") };
    check(&lab, &clues, &[("note-open", "anchored to parse"), ("note-far", "anchored to parse")]);
}

#[test]
fn a_moved_file_finds_what_is_told_under_its_name_of_today() {
    let mut lab = Lab::default();
    let change = |path: &str, status| FileChange { path: path.into(), status };
    let commit = |time, files| Commit { parents: 1, author_name: "Ana".into(), time, files, ..Commit::default() };
    lab.cochange.add(&commit(1, vec![change("src/old/scan.rs", FileStatus::Added)]));
    let moved = vec![change("src/new/scan.rs", FileStatus::Added), change("src/old/scan.rs", FileStatus::Deleted)];
    lab.cochange.add(&commit(2, moved));
    lab.note("dec-1", Kind::Decision, "streams, no buffers", &["src/new/scan.rs"]);
    check(&lab, &at_file("src/old/scan.rs"), &[("dec-1", "a decision about src/new/scan.rs")]);
}

#[test]
fn a_branch_brings_its_files_its_topic_and_earlier_work_on_it() {
    let mut lab = Lab::default();
    let mut work = memory("ep-1", Kind::Episode, "began with the bucket", &[]);
    work.tags = vec!["branch:feature/rate-limit".into()];
    lab.put(work)
        .note("dec-1", Kind::Decision, "one gateway for everything", &["src/gateway.rs"])
        .note("note-1", Kind::Note, "a rate limit of a hundred requests per minute was agreed", &[])
        .note("note-2", Kind::Note, "colours of the theme", &[]);
    let branch = BranchClue {
        name: "feature/rate-limit".into(),
        subjects: vec!["limit requests per minute".into()],
        files: vec!["src/gateway.rs".into()],
    };
    let clues = Clues { branch: Some(branch), ..Clues::default() };
    let found = told(&lab, &clues);
    let why = |id: &str| found.iter().find(|(found, _)| found == id).map(|(_, why)| why.as_str());
    assert_eq!(why("ep-1"), Some("earlier work on feature/rate-limit"));
    assert_eq!(why("dec-1"), Some("a decision about src/gateway.rs, which the branch touches"));
    assert_eq!(why("note-1"), Some("about what feature/rate-limit is about"));
    assert_eq!(why("note-2"), None);
    let main = BranchClue { name: "main".into(), ..BranchClue::default() };
    check(&lab, &Clues { branch: Some(main), ..Clues::default() }, &[]);
}

#[test]
fn the_same_error_comes_first_with_what_fixed_it_and_what_is_tied_to_it() {
    let mut lab = Lab::default();
    lab.put(error_memory("learn-err-00ff", "TypeError: unsupported operand in total", "sum numbers only", "00ff"))
        .put(error_memory("learn-err-00aa", "TypeError: unsupported operand in average", "", "00aa"))
        .note("ep-1", Kind::Episode, "the cart adds up again", &[])
        .note("note-1", Kind::Note, "colours of the theme", &[])
        .tie("learn-err-00ff", Relation::DerivedFrom, "ep-1");
    let error = ErrorClue {
        text: "TypeError: unsupported operand at line 31".into(),
        fingerprint: Some("00ff".into()),
        files: Vec::new(),
    };
    let clues = Clues { errors: vec![error], ..Clues::default() };
    let found = told(&lab, &clues);
    assert_eq!(found[0], ("learn-err-00ff".into(), "the same error was fixed by sum numbers only".into()));
    assert!(found.contains(&("ep-1".into(), "tied to the same error".into())), "{found:?}");
    assert!(found.contains(&("learn-err-00aa".into(), "about a similar error".into())), "{found:?}");
    assert!(found.iter().all(|(id, _)| id != "note-1"), "{found:?}");
}

#[test]
fn an_error_without_a_fingerprint_is_known_by_its_words() {
    let mut lab = Lab::default();
    lab.put(error_memory("learn-1", "connection refused by the broker", "start the broker first", ""));
    let error = ErrorClue { text: "Error: connection refused by the broker (111)\n".into(), ..ErrorClue::default() };
    let clues = Clues { errors: vec![error], ..Clues::default() };
    check(&lab, &clues, &[("learn-1", "the same error was fixed by start the broker first")]);
}

#[test]
fn an_episode_that_resolved_such_an_error_says_how() {
    let mut lab = Lab::default();
    let errors = vec![EpisodeError { resolution: "pinned the version".into(), ..EpisodeError::default() }];
    let body = Body::Episode(Box::new(Episode { errors, ..Episode::default() }));
    let text = "the linker found an undefined symbol in libfoo";
    lab.put(Memory { body, ..memory("ep-1", Kind::Episode, text, &[]) });
    let error = ErrorClue { text: "linker: undefined symbol in libfoo".into(), ..ErrorClue::default() };
    let clues = Clues { errors: vec![error], ..Clues::default() };
    check(&lab, &clues, &[("ep-1", "a similar error was fixed by pinned the version")]);
}

#[test]
fn a_workflow_is_foreseen_at_its_hour_by_the_clock_on_the_wall() {
    let mut lab = Lab::default();
    for (id, days) in [("ep-1", 7), ("ep-2", 14)] {
        let mut episode = memory(id, Kind::Episode, "released", &[]);
        episode.times.created_at = days_ago(days);
        lab.put(episode);
    }
    let mut workflow = memory("wf-1", Kind::Workflow, "release: test→build→tag", &[]);
    workflow.sources = vec!["ep-1".into(), "CONTINUITY.md".into()];
    lab.put(workflow).tie("wf-1", Relation::DerivedFrom, "ep-2");
    check(&lab, &Clues::default(), &[("wf-1", "runs on Mondays around 10")]);
    lab.utc_offset_seconds = -4 * 3600;
    check(&lab, &Clues::default(), &[("wf-1", "runs on Mondays around 6")]);
    lab.utc_offset_seconds = 0;
    let tuesday = lab.ask(|sources| predict(sources, &Clues::default(), &Namespace::default(), days_ago(-1), 5));
    assert!(tuesday.is_empty());
}

#[test]
fn a_collaborator_brings_their_taste_their_words_and_decisions_where_they_work() {
    let mut lab = Lab::default();
    let commit = Commit {
        parents: 1,
        author_name: "Ana Silva".into(),
        time: 1,
        files: vec![FileChange { path: "src/auth/login.rs".into(), status: FileStatus::Modified }],
        ..Commit::default()
    };
    lab.cochange.add(&commit);
    let mut own = memory("learn-1", Kind::Learning, "retries hide faults", &[]);
    own.actor = Some("Ana Silva".into());
    lab.put(own)
        .note("note-1", Kind::Note, "Ana prefers small commits with a reason", &[])
        .note("note-2", Kind::Note, "banana cake is preferred by many", &[])
        .note("dec-1", Kind::Decision, "passwords are hashed twice", &["src/auth/hash.rs"])
        .note("dec-2", Kind::Decision, "colours", &["web/theme.css"]);
    let author = AuthorClue { name: "Ana Silva".into(), areas: Vec::new() };
    let clues = Clues { author: Some(author), ..Clues::default() };
    check(
        &lab,
        &clues,
        &[
            ("note-1", "Ana Silva prefers it so"),
            ("dec-1", "decided in src/auth/, where Ana Silva works"),
            ("learn-1", "Ana Silva said so"),
        ],
    );
}

#[test]
fn a_goal_brings_what_is_about_it() {
    let mut lab = Lab::default();
    lab.note("dec-1", Kind::Decision, "the session cache is evicted after an hour", &[]).note(
        "note-1",
        Kind::Note,
        "colours of the theme",
        &[],
    );
    let clues = Clues { goal: Some("evict the session cache earlier".into()), ..Clues::default() };
    check(&lab, &clues, &[("dec-1", "about the goal")]);
    check(&lab, &Clues::default(), &[]);
}

#[test]
fn evidence_adds_up_and_what_is_passed_over_sinks() {
    let mut lab = Lab::default();
    lab.note("note-a", Kind::Note, "the parser keeps comments", &["src/parse.rs"])
        .note("note-b", Kind::Note, "strings are shared", &["src/parse.rs"])
        .put(Memory {
            usage: Usage { loaded: 30, ignored: 30, ..Usage::default() }.into(),
            ..memory("note-c", Kind::Note, "numbers are wide", &["src/parse.rs"])
        });
    let clues = Clues { goal: Some("keep comments in the parser".into()), ..at_file("src/parse.rs") };
    let found = foresee(&lab, &clues);
    let ids: Vec<&str> = found.iter().map(|found| found.memory.id.as_str()).collect();
    assert_eq!(ids, ["note-a", "note-b", "note-c"]);
    assert!(found[0].evidence.contains(&Evidence::Goal) && found[0].evidence.contains(&Evidence::Anchored));
    assert!(found.iter().all(|found| (0.0..=1.0).contains(&found.score)));
}

#[test]
fn debugging_prefers_what_went_wrong() {
    let mut lab = Lab::default();
    lab.note("dec-1", Kind::Decision, "one writer", &["src/store.rs"]).note(
        "learn-1",
        Kind::Learning,
        "two writers corrupt the file",
        &["src/store.rs"],
    );
    let doing = |activity| Clues { activity: Some(activity), ..at_file("src/store.rs") };
    let first = |activity| told(&lab, &doing(activity)).remove(0).0;
    assert_eq!(first(TaskType::Debugging), "learn-1");
    assert_eq!(first(TaskType::Implementation), "dec-1");
}

#[test]
fn what_may_not_be_told_is_not_foreseen() {
    let mut lab = Lab::default();
    let of = |id: &str| memory(id, Kind::Decision, id, &["src/a.rs"]);
    let mut ended = of("dec-ended");
    ended.times.invalid_at = Some(days_ago(1));
    lab.put(Memory { restricted: true, ..of("dec-restricted") })
        .put(Memory { status: Status::Unverified, ..of("dec-heard") })
        .put(Memory { namespace: Namespace::new("team").unwrap(), ..of("dec-elsewhere") })
        .put(ended)
        .put(of("dec-told"));
    check(&lab, &at_file("src/a.rs"), &[("dec-told", "a decision about src/a.rs")]);
}

#[test]
fn the_same_moment_gives_the_same_answer_whatever_the_order_of_arrival() {
    let memories: Vec<Memory> = (0..40)
        .map(|at| {
            memory(&format!("note-{at:02}"), Kind::Note, "the same words about parsing", &["src/a.rs", "src/b.rs"])
        })
        .collect();
    let clues = Clues { goal: Some("parsing".into()), recent: vec!["src/b.rs".into()], ..at_file("src/a.rs") };
    let (mut one, mut other) = (Lab::default(), Lab::default());
    for memory in &memories {
        one.put(memory.clone());
    }
    for memory in memories.iter().rev() {
        other.put(memory.clone());
    }
    assert_eq!(foresee(&one, &clues), foresee(&other, &clues));
    assert_eq!(foresee(&one, &clues), foresee(&one, &clues));
}
