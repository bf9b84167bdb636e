//! Replays of small made-up histories.

use super::*;
use crate::predict::files::Weights;
use lokid_model::{FileChange, FileStatus};

const START: i64 = 1_700_000_000;

fn commit(at: i64, author: &str, files: &[String]) -> Commit {
    let change = |path: &String| FileChange { path: path.clone(), status: FileStatus::Modified };
    let files = files.iter().map(change).collect();
    Commit { parents: 1, author_name: author.into(), time: START + at * 3600, files, ..Commit::default() }
}

/// Each thing changes with its test, in turns.
fn steady(commits: i64) -> Vec<Commit> {
    (0..commits)
        .map(|at| commit(at, "Ada", &[format!("src/m{}.rs", at % 4), format!("tests/t{}.rs", at % 4)]))
        .collect()
}

fn replay(commits: &[Commit], weights: &Weights) -> Report {
    run(commits, &Protocol::default(), &mut Blind, weights, &mut |_, _| ControlFlow::Continue(())).unwrap()
}

#[test]
fn only_the_commits_of_people_with_a_few_files_are_asked_about() {
    let protocol = Protocol::default();
    let names = |count: usize| (0..count).map(|at| format!("f{at}")).collect::<Vec<_>>();
    for (count, expect) in [(0, false), (1, false), (2, true), (30, true), (31, false)] {
        assert_eq!(protocol.qualifies(&commit(0, "Ada", &names(count))), expect, "{count}");
    }
    assert!(!protocol.qualifies(&commit(0, "dependabot[bot]", &names(2))));
    assert!(!protocol.qualifies(&commit(0, "Ada", &["Cargo.toml".into(), "Cargo.lock".into()])));
    assert!(!protocol.qualifies(&Commit { parents: 2, ..commit(0, "Ada", &names(2)) }));
}

#[test]
fn what_always_comes_together_is_foretold() {
    let report = replay(&steady(100), &Weights::default());
    assert_eq!((report.commits, report.questions), (20, 40));
    for method in [Method::Ours, Method::Rose, Method::Decayed] {
        assert_eq!(report.score(method), Score { hit3: 1.0, hit10: 1.0, recall10: 1.0 }, "{}", method.as_str());
    }
    assert!(report.score(Method::SameFolder).recall10 < 0.1);
    assert!(report.waste.share > 0.5 && report.waste.share < 1.0 && report.waste.tokens_per_prediction > 1.0);
    assert!(report.lead.foreseen > 0.0 && report.lead.median_seconds == 3600, "{:?}", report.lead);
}

#[test]
fn no_suggestion_is_a_miss_and_no_commit_is_no_figure() {
    let strange: Vec<Commit> = (0..10).map(|at| commit(at, "Ada", &[format!("{at}/a"), format!("{at}/b")])).collect();
    let report = replay(&strange, &Weights::default());
    assert_eq!(report.score(Method::Rose), Score::default());
    assert_eq!((report.commits, report.score(Method::Ours)), (2, Score::default()));
    let nothing = replay(&[], &Weights::default());
    assert_eq!((nothing.commits, nothing.waste.share, nothing.lead.foreseen), (0, 0.0, 0.0));
}

#[test]
fn a_replay_can_be_stopped() {
    let mut seen = 0;
    let mut stop = |done: usize, total: usize| {
        seen = done;
        if done * 2 >= total { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    assert_eq!(run(&steady(40), &Protocol::default(), &mut Blind, &Weights::default(), &mut stop), None);
    assert_eq!(seen, 20);
    let stop = &mut |_, _| ControlFlow::Break(());
    assert_eq!(fit(&steady(40), &Protocol::default(), &mut Blind, stop), None);
}

#[test]
fn weights_are_learnt_from_the_earlier_part_alone() {
    // Needed is what changed longest ago: no default expects that.
    let odd: Vec<Commit> =
        (0..150_i64).map(|at| commit(at, "Ada", &[format!("a/f{at}.rs"), format!("b/g{}.rs", at % 25)])).collect();
    let go = &mut |_: usize, _: usize| ControlFlow::Continue(());
    let fitted = fit(&odd, &Protocol::default(), &mut Blind, go).unwrap();
    assert!(fitted.after.recall10 > fitted.before.recall10 + 0.1, "{:?} {:?}", fitted.before, fitted.after);
    assert!(
        replay(&odd, &fitted.weights).score(Method::Ours).recall10
            > replay(&odd, &Weights::default()).score(Method::Ours).recall10
    );
    // The part that is asked about may be anything.
    let mut other = odd.clone();
    other[120..].iter_mut().for_each(|commit| commit.files.iter_mut().for_each(|file| file.path.push('x')));
    assert_eq!(fit(&other, &Protocol::default(), &mut Blind, go).unwrap().weights, fitted.weights);
    assert_eq!(fit(&[], &Protocol::default(), &mut Blind, go), None);
}
