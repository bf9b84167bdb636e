//! What nights learn, judged as a person would: lines of work apart and together, the same after thirty nights as after
//! one, evidence that turns, patterns of others, and data nobody should write.

mod corpus;
mod evidence;
mod held_out;
mod lab;
mod nights;
mod oddities;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::corpus::{START, corpus, corpus_of, memory, theme_of};
use self::held_out::HELD_OUT;
use self::lab::Lab;
use super::known::body_of;
use lokid_model::{Action, Episode, EpisodeError, Memory, Outcome};

const LATER: i64 = START + 400 * corpus::DAY;

fn action(action: &str, target: &str, error: &str) -> Action {
    Action { action: action.into(), target: target.into(), error: error.into(), ..Action::default() }
}

/// An episode about login timeouts in which `deed` was done.
fn login(number: usize, well: bool, deed: &str) -> Arc<Memory> {
    let error = if well { "" } else { "pool timed out after 30s" };
    let body = Episode {
        goal: ["Fix login timeout under load", "Login timeout when traffic is high", "Debug the login timeout"]
            [number % 3]
            .into(),
        files_modified: vec!["src/auth/session.rs".into()],
        action_log: vec![action("Edit", "src/auth/session.rs", ""), action(deed, "", error)],
        ..Episode::default()
    };
    let outcome = if well { Outcome::Success } else { Outcome::Failure };
    Arc::new(memory(&format!("ep-{number:04}"), START + number as i64 * corpus::DAY, Some(outcome), body))
}

/// The words of all patterns with how sure they are, without their names.
fn told(lab: &Lab) -> Vec<(String, f64, Vec<String>)> {
    let patterns = lab.patterns();
    let one = |pattern: &&Arc<Memory>| {
        let sources = body_of(pattern).map(|body| body.source_episodes.clone()).unwrap_or_default();
        (pattern.text.clone(), pattern.confidence, sources)
    };
    let mut told: Vec<(String, f64, Vec<String>)> = patterns.iter().map(one).collect();
    told.sort_by(|a, b| a.0.cmp(&b.0).then(a.2.cmp(&b.2)));
    told
}

/// How pure the patterns are, and what share of each line of work its largest pattern holds.
fn judged(lab: &Lab, count: usize) -> (f64, f64) {
    let (mut pure, mut named) = (0, 0);
    let mut best: BTreeMap<String, usize> = BTreeMap::new();
    for pattern in lab.patterns() {
        let sources = &body_of(pattern).unwrap().source_episodes;
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        sources.iter().for_each(|id| *counts.entry(theme_of(id)).or_default() += 1);
        pure += counts.values().max().unwrap();
        named += sources.len();
        for (theme, times) in counts {
            let best = best.entry(theme.to_owned()).or_default();
            *best = times.max(*best);
        }
    }
    (pure as f64 / named as f64, best.values().sum::<usize>() as f64 / count as f64)
}

#[test]
fn lines_of_work_are_kept_apart_and_together() {
    let mut lab = Lab::new(corpus(600, 7, 15));
    lab.limits.sources = 10_000;
    lab.night(LATER);
    let (purity, whole) = judged(&lab, 600);
    println!("{} patterns, purity {purity:.3}, completeness {whole:.3}", lab.patterns().len());
    assert!(purity >= 0.95 && whole >= 0.9, "purity {purity:.3}, completeness {whole:.3}");
    assert!(lab.patterns().len() <= corpus::THEMES.len() + 2);
}

#[test]
fn lines_of_work_nobody_tuned_for_are_kept_apart() {
    let mut lab = Lab::new(corpus_of(HELD_OUT, 400, 7, 15));
    lab.limits.sources = 10_000;
    lab.night(LATER);
    let (purity, whole) = judged(&lab, 400);
    println!("{} patterns of {}, purity {purity:.3}, completeness {whole:.3}", lab.patterns().len(), HELD_OUT.len());
    assert!(purity >= 0.9, "purity {purity:.3}, completeness {whole:.3}");
}

#[test]
fn a_pattern_reads_as_one_sentence_with_what_helped_and_what_did_not() {
    let mut lab = Lab::new([
        login(0, true, "cargo test -p auth"),
        login(1, true, "cargo test -p auth"),
        login(2, false, "Raise the pool size"),
        login(3, false, "Raise the pool size"),
    ]);
    lab.night(LATER);
    let [pattern] = lab.patterns()[..] else { panic!("{:#?}", told(&lab)) };
    assert_eq!(
        pattern.title,
        "When working on login timeout in `src/auth`: run `cargo test -p auth` (2 of 2 ended well); \
         do not raise the pool size (failed 2 of 2)"
    );
    let body = body_of(pattern).unwrap();
    assert_eq!(body.category, "debugging");
    assert_eq!(pattern.anchors.files, ["src/auth/session.rs"]);
    assert_eq!(body.source_episodes, ["ep-0000", "ep-0001", "ep-0002", "ep-0003"]);
    assert_eq!(lab.links.len(), 4);
    assert!(pattern.confidence >= 0.8);
}

#[test]
fn what_passed_after_a_failure_is_the_approach() {
    let episode = |number: usize| {
        let body = Episode {
            goal: format!("Publish the docs site for the {} time", ["first", "second", "third"][number]),
            action_log: vec![
                action("Bash", "npm publish", "EACCES: permission denied"),
                action("Bash", "npm login", ""),
                action("Bash", "npm publish", ""),
            ],
            errors: vec![EpisodeError {
                kind: "EACCES".into(),
                message: format!("EACCES: permission denied, attempt {number}"),
                resolution: "Log in before publishing".into(),
            }],
            ..Episode::default()
        };
        Arc::new(memory(&format!("ep-{number}"), START + number as i64, Some(Outcome::Success), body))
    };
    let mut lab = Lab::new((0..3).map(episode));
    lab.night(LATER);
    let told = told(&lab);
    let [(text, ..)] = &told[..] else { panic!("{told:#?}") };
    assert!(text.contains("run `npm login`, then run `npm publish` (3 of 3 ended well)"), "{text}");
    assert!(text.contains("what helped: log in before publishing"), "{text}");
}

#[test]
fn one_word_in_common_does_not_make_the_same_work() {
    let goals = [
        "Fix login timeout",
        "Translate the login page to French",
        "Write documentation for login metrics",
        "Fix typo in footer",
        "Fix memory leak in the parser",
        "Fix the order of menu entries",
    ];
    let one = |(number, goal): (usize, &&str)| {
        let log = vec![action("Bash", "cargo test", "")];
        let body = Episode { goal: (*goal).into(), action_log: log, ..Episode::default() };
        Arc::new(memory(&format!("ep-{number}"), START + number as i64, Some(Outcome::Success), body))
    };
    let mut lab = Lab::new(goals.iter().enumerate().map(one));
    lab.night(LATER);
    assert!(lab.patterns().is_empty(), "{:#?}", told(&lab));
}

#[test]
fn opposite_work_is_not_the_same_work() {
    let one = |number: usize| {
        let verb = if number.is_multiple_of(2) { "Enable" } else { "Disable" };
        let goal = format!("{verb} the response cache{}", ["", " again", " once more"][number / 2]);
        let log = vec![action("Edit", if number.is_multiple_of(2) { "src/on.rs" } else { "src/off.rs" }, "")];
        let files_modified = vec!["src/cache.rs".into()];
        let body = Episode { goal, action_log: log, files_modified, ..Episode::default() };
        Arc::new(memory(&format!("ep-{number}"), START + number as i64, Some(Outcome::Success), body))
    };
    let mut lab = Lab::new((0..6).map(one));
    lab.night(LATER);
    assert_eq!(lab.patterns().len(), 2, "{:#?}", told(&lab));
}

#[test]
fn a_chain_of_small_steps_does_not_make_one_group_of_all() {
    let words = [
        "alpha", "bravo", "carbon", "delta", "ember", "fjord", "gamma", "harbor", "indigo", "jungle", "kernel", "lemon",
    ];
    let one = |number: usize| {
        let goal = [0, 1, 2, 3].map(|step| words[(number + step) % words.len()]).join(" ");
        let log = vec![action("Bash", "cargo test", "")];
        let body = Episode { goal, action_log: log, ..Episode::default() };
        Arc::new(memory(&format!("ep-{number:02}"), START + number as i64, Some(Outcome::Success), body))
    };
    let mut lab = Lab::new((0..9).map(one));
    lab.night(LATER);
    let most = lab.patterns().iter().map(|pattern| body_of(pattern).unwrap().source_episodes.len()).max();
    assert!(most.unwrap_or(0) <= 6, "{:#?}", told(&lab));
}

#[test]
fn plain_lines_teach_too() {
    let line = |number: usize, text: &str| {
        let mut memory = Memory::clone(&login(number, true, "x"));
        memory.body = lokid_model::Body::None;
        (memory.text, memory.outcome) = (text.to_owned(), None);
        memory.anchors.files = vec!["src/billing/tax.rs".into(), "src/billing/vat.rs".into()];
        Arc::new(memory)
    };
    let mut lab = Lab::new([
        line(0, "Fixed rounding of VAT in invoices"),
        line(1, "Rounding of VAT on invoices fixed"),
        line(2, "VAT rounding in invoices is fixed and passes"),
    ]);
    lab.night(LATER);
    let told = told(&lab);
    let [(text, confidence, _)] = &told[..] else { panic!("{told:#?}") };
    assert!(
        text.contains("change `src/billing/tax.rs` and `src/billing/vat.rs` together (3 of 3 ended well)"),
        "{text}"
    );
    assert!(*confidence >= 0.8);
}
