//! Which part a memory ends up in, and what never gets into any.

use super::*;
use crate::lab::{Lab, days_ago, memory, now};
use crate::predict::PredictedFile;
use crate::predict::memories::ErrorClue;
use crate::situation::Situation;
use lokid_model::{Body, Change, Contradiction, ContradictionStatus, Learning, Scope, Verdict};

fn filter() -> GatherFilter<'static> {
    GatherFilter {
        namespace: Namespace::default(),
        now: now(),
        as_of: None,
        min_score: 0.35,
        window_days: 90,
        longest: Level::Full,
        only_binding: false,
        beginning: false,
        exclude: &|_| false,
    }
}

fn gathered(lab: &Lab, clues: &Clues, filter: &GatherFilter<'_>) -> Vec<Candidate> {
    lab.ask(|sources| gather(sources, clues, filter)).candidates
}

/// `part id`, one a line, in order.
fn told(lab: &Lab, clues: &Clues, filter: &GatherFilter<'_>) -> Vec<String> {
    let found = gathered(lab, clues, filter);
    found.iter().map(|found| format!("{:?} {}", found.part, found.memory.id).to_lowercase()).collect()
}

fn at_file(path: &str) -> Clues {
    Clues { file: Some(path.into()), ..Clues::default() }
}

fn old(memory: Memory) -> Memory {
    let mut memory = memory;
    memory.times.created_at = days_ago(200);
    memory.times.updated_at = days_ago(200);
    memory.times.valid_at = days_ago(200);
    memory
}

#[test]
fn what_binds_is_always_there_and_alone_when_asked_for() {
    let mut lab = Lab::default();
    lab.put(old(Memory { tier: Tier::Mandate, ..memory("m-1", Kind::Note, "never push to main", &[]) }))
        .put(old(Memory { tier: Tier::Guardrail, ..memory("g-1", Kind::Note, "mind the cache", &[]) }))
        .put(Memory { tier: Tier::Mandate, restricted: true, ..memory("m-2", Kind::Note, "secret", &[]) })
        .note("dec-1", Kind::Decision, "streams", &["src/a.rs"]);
    let found = gathered(&lab, &at_file("src/a.rs"), &filter());
    let told_all: Vec<(&str, bool)> = found.iter().map(|found| (found.memory.id.as_str(), found.binding)).collect();
    assert_eq!(told_all, [("m-1", true), ("g-1", true), ("dec-1", false)]);
    let only = GatherFilter { only_binding: true, ..filter() };
    assert_eq!(told(&lab, &at_file("src/a.rs"), &only), ["critical m-1", "critical g-1"]);
    let without = GatherFilter { exclude: &|key| key.id.as_str() == "m-1", ..filter() };
    assert_eq!(told(&lab, &at_file("src/a.rs"), &without), ["critical g-1", "critical dec-1"]);
}

#[test]
fn decisions_about_the_file_or_the_task_press_and_the_rest_is_relevant() {
    let mut lab = Lab::default();
    lab.put(old(memory("dec-1", Kind::Decision, "streams", &["src/a.rs"])))
        .note("dec-2", Kind::Decision, "the session cache is evicted hourly", &[])
        .note("note-1", Kind::Note, "buffers leak", &["src/a.rs"])
        .put(old(memory("note-2", Kind::Note, "evict the session cache", &[])));
    let clues = Clues { goal: Some("evict the session cache".into()), ..at_file("src/a.rs") };
    assert_eq!(told(&lab, &clues, &filter()), ["critical dec-1", "critical dec-2", "relevant note-1"]);
    let wide = GatherFilter { window_days: 365, ..filter() };
    assert!(told(&lab, &clues, &wide).contains(&"relevant note-2".to_owned()));
    let strict = GatherFilter { min_score: 0.99, ..filter() };
    assert_eq!(told(&lab, &clues, &strict), ["critical dec-1", "relevant note-1"], "the file's own stay");
}

#[test]
fn an_open_contradiction_names_both_sides() {
    let mut lab = Lab::default();
    lab.note("dec-1", Kind::Decision, "use tabs", &["src/a.rs"]).note("note-1", Kind::Note, "use spaces", &[]);
    let mut found = Contradiction {
        id: "con-1".into(),
        namespace: Namespace::default(),
        a: lab.get("dec-1").id.clone(),
        b: lab.get("note-1").id.clone(),
        verdict: Verdict::Contradicts,
        status: ContradictionStatus::Open,
        why: "opposite values".into(),
        found_at: days_ago(1),
        settled: None,
    };
    lab.snapshot.apply(&Change::Contradict(found.clone()));
    assert_eq!(told(&lab, &at_file("src/a.rs"), &filter()), ["critical dec-1", "critical note-1"]);
    let candidates = gathered(&lab, &at_file("src/a.rs"), &filter());
    assert!(candidates.iter().all(|found| found.why == "open contradiction: “use tabs” against “use spaces”"));
    assert_eq!(told(&lab, &at_file("src/b.md"), &filter()), [""; 0], "it does not touch what is at hand");
    found.status = ContradictionStatus::Resolved;
    lab.snapshot.apply(&Change::Contradict(found));
    assert_eq!(told(&lab, &at_file("src/a.rs"), &filter()), ["critical dec-1"]);
}

#[test]
fn the_errors_of_the_last_day_press_whatever_is_at_hand() {
    let mut lab = Lab::default();
    let error = |id: &str, print: &str, updated| {
        let learning = Learning { fingerprint: print.into(), fix: "retry".into(), ..Learning::default() };
        let mut memory = memory(id, Kind::Learning, "the socket was closed early", &[]);
        memory.body = Body::Learning(Box::new(learning));
        memory.times.updated_at = updated;
        memory
    };
    lab.put(error("learn-new", "aa", now())).put(error("learn-old", "bb", days_ago(10)));
    assert_eq!(told(&lab, &Clues::default(), &filter()), ["critical learn-new"]);
    let same = ErrorClue { text: "unrelated words".into(), fingerprint: Some("bb".into()), files: Vec::new() };
    let clues = Clues { errors: vec![same], ..Clues::default() };
    assert_eq!(told(&lab, &clues, &filter()), ["critical learn-old", "critical learn-new"]);
}

#[test]
fn conventions_habits_and_history_are_told_where_they_matter_and_short() {
    let mut lab = Lab::default();
    lab.note("code-1", Kind::CodePattern, "errors are wrapped", &["src/b.rs"])
        .note("sem-1", Kind::Pattern, "tests beside the code", &[])
        .note("wf-1", Kind::Workflow, "release: test→tag", &[])
        .note("ep-1", Kind::Episode, "moved the parser", &[]);
    assert_eq!(told(&lab, &Clues::default(), &filter()), [""; 0], "nobody is doing anything they are about");
    let at_home = gathered(&lab, &at_file("src/b.rs"), &filter());
    let ids: Vec<&str> = at_home.iter().map(|found| found.memory.id.as_str()).collect();
    assert_eq!(ids, ["code-1"]);
    assert!(at_home[0].part == Part::Background && at_home[0].longest == Level::Compressed);
}

fn about(goal: &str) -> Clues {
    Clues { goal: Some(goal.into()), situation: Situation::new([goal], &|_| 9.0), ..Clues::default() }
}

#[test]
fn what_the_repository_taught_is_told_only_where_it_speaks_of_the_situation() {
    let mut lab = Lab::default();
    lab.note("learn-1", Kind::Learning, "redirects dropped the authorization header of the proxy", &["src/a.rs"]).put(
        Memory { tier: Tier::Guardrail, ..memory("note-doc-1", Kind::Note, "Sort imports before a commit.", &[]) },
    );
    for id in ["learn-1", "note-doc-1"] {
        let key = lab.get(id).key();
        lab.snapshot.set_derived(&key, true);
    }
    let strange = about("rotate the certificates of the mail relay");
    assert_eq!(told(&lab, &strange, &filter()), [""; 0]);
    assert_eq!(told(&lab, &Clues { file: Some("src/a.rs".into()), ..strange }, &filter()), [""; 0]);
    let near = about("keep the authorization header when a proxy redirects");
    assert_eq!(told(&lab, &near, &filter()), ["relevant learn-1"]);
    let rule = about("sort the imports of every commit");
    assert_eq!(told(&lab, &rule, &filter()), ["critical note-doc-1"]);
}

#[test]
fn of_many_rules_that_match_three_are_told_and_a_commit_only_once() {
    let mut lab = Lab::default();
    for at in 0..6 {
        let id = format!("note-doc-{at}");
        let text = format!("Sort the imports of module {at} by name.");
        lab.put(Memory { tier: Tier::Guardrail, ..memory(&id, Kind::Note, &text, &[]) });
        let key = lab.get(&id).key();
        lab.snapshot.set_derived(&key, true);
    }
    let mut commit = memory(
        "commit-0123456789ab",
        Kind::Note,
        "Sort the imports with sort_imports, by name: groups of equal length moved with every rename",
        &["src/a.rs"],
    );
    commit.source = lokid_model::Source::Git;
    commit.anchors.commits = vec!["0123456789ab".into()];
    let alone = Clues { commits: vec![Arc::new(commit)], ..about("sort_imports sorts imports by name, then length") };
    let found = told(&lab, &alone, &filter());
    assert!(
        !found.contains(&"relevant commit-0123456789ab".to_owned()),
        "it touched nothing that is foreseen: {found:?}"
    );
    let related = PredictedFile { path: "src/a.rs".into(), score: 0.3, why: String::new() };
    let clues = Clues { related: vec![related], ..alone };
    let found = told(&lab, &clues, &filter());
    assert_eq!(found.iter().filter(|found| found.starts_with("critical note-doc")).count(), 3, "{found:?}");
    assert!(found.contains(&"relevant commit-0123456789ab".to_owned()), "{found:?}");
    let mut told_already = memory("dec-1", Kind::Decision, "imports are sorted by name, then length", &["src/a.rs"]);
    told_already.anchors.commits = vec!["0123456789ab".into()];
    told_already.importance = 0.95;
    lab.put(told_already);
    let found = told(&lab, &clues, &filter());
    assert!(!found.contains(&"relevant commit-0123456789ab".to_owned()), "{found:?}");
}

#[test]
fn a_gotcha_and_what_is_most_important_are_told_whatever_is_going_on() {
    let mut lab = Lab::default();
    let gotcha =
        Memory { tags: vec!["Gotcha".into()], ..memory("note-1", Kind::Note, "the clock is frozen in tests", &[]) };
    lab.put(old(gotcha))
        .put(old(Memory { importance: 0.95, ..memory("note-2", Kind::Note, "ids are never reused", &[]) }));
    assert_eq!(told(&lab, &about("bake bread"), &filter()), ["critical note-2", "critical note-1"]);
}

#[test]
fn the_past_is_asked_as_it_was() {
    let mut lab = Lab::default();
    let mut ended = memory("dec-old", Kind::Decision, "use xml", &["src/a.rs"]);
    ended.times.invalid_at = Some(days_ago(3));
    let mut fresh = memory("dec-new", Kind::Decision, "use json", &["src/a.rs"]);
    (fresh.times.created_at, fresh.times.valid_at) = (days_ago(3), days_ago(3));
    lab.put(ended).put(fresh);
    assert_eq!(told(&lab, &at_file("src/a.rs"), &filter()), ["critical dec-new"]);
    let then = GatherFilter { as_of: Some(days_ago(5)), ..filter() };
    assert_eq!(told(&lab, &at_file("src/a.rs"), &then), ["critical dec-old"]);
}

#[test]
fn what_is_private_is_the_users_own_and_may_be_told() {
    let mut lab = Lab::default();
    lab.put(Memory { scope: Scope::UserPrivate, ..memory("dec-1", Kind::Decision, "streams", &["src/a.rs"]) });
    assert_eq!(told(&lab, &at_file("src/a.rs"), &filter()), ["critical dec-1"]);
}

#[test]
fn there_are_never_too_many_and_always_the_same() {
    let (mut one, mut other) = (Lab::default(), Lab::default());
    let all: Vec<Memory> = (0..500)
        .map(|at| Memory {
            tier: if at % 2 == 0 { Tier::Guardrail } else { Tier::Reference },
            ..memory(&format!("dec-{at:03}"), Kind::Decision, &format!("decided {at}"), &["src/a.rs"])
        })
        .collect();
    for memory in &all {
        one.put(memory.clone());
    }
    for memory in all.iter().rev() {
        other.put(memory.clone());
    }
    let first = gathered(&one, &at_file("src/a.rs"), &filter());
    assert!(first.len() <= MOST_CANDIDATES);
    assert_eq!(first.iter().filter(|found| found.binding).count(), 250);
    let same = told(&other, &at_file("src/a.rs"), &filter());
    assert_eq!(told(&one, &at_file("src/a.rs"), &filter()), same);
}

#[test]
fn the_very_error_and_a_contradiction_at_hand_come_before_what_binds_always() {
    let mut lab = Lab::default();
    let mut error = memory("learn-1", Kind::Learning, "the socket was closed early", &[]);
    error.body = Body::Learning(Box::new(Learning { fingerprint: "aa".into(), ..Learning::default() }));
    lab.put(Memory { tier: Tier::Mandate, importance: 1.0, ..memory("m-1", Kind::Note, "never push to main", &[]) })
        .put(old(error));
    let same = ErrorClue { text: "unrelated words".into(), fingerprint: Some("aa".into()), files: Vec::new() };
    let clues = Clues { errors: vec![same], ..Clues::default() };
    assert_eq!(told(&lab, &clues, &filter()), ["critical learn-1", "critical m-1"]);
    assert!(gathered(&lab, &clues, &filter()).iter().all(|found| found.binding));
}

#[test]
fn what_the_working_notes_name_is_told() {
    let mut lab = Lab::default();
    lab.put(old(memory("sem-1", Kind::Note, "tokens belong to devices", &[])));
    let clues = Clues { cited: vec![lab.get("sem-1")], ..Clues::default() };
    assert_eq!(told(&lab, &clues, &filter()), ["critical sem-1"]);
    assert_eq!(gathered(&lab, &clues, &filter())[0].why, "named in the working notes");
}
