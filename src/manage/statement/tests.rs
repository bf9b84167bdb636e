//! What the comparison promises, on statements of everyday.

use proptest::prelude::*;

use super::*;

fn none(_: &str, _: &str) -> f32 {
    0.0
}

fn check(a: &str, b: &str, expect: Verdict) {
    let found = compare(a, b, &none);
    assert_eq!(found.verdict, expect, "{a:?} / {b:?}: {found:?}");
}

fn values(text: &str) -> Vec<f64> {
    Statement::read(text).0.quantities.iter().map(|quantity| quantity.value).collect()
}

fn feature(a: &str, b: &str, name: &str) -> f64 {
    let found = explain(a, b, &none);
    found.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).unwrap()
}

#[test]
fn another_number_contradicts() {
    check("The request timeout is 30 s.", "The request timeout is 60 seconds.", Verdict::Contradicts);
}

#[test]
fn another_tool_for_one_purpose_contradicts() {
    check("We use Jest for unit tests in the shop.", "We use Mocha for unit tests in the shop.", Verdict::Contradicts);
}

#[test]
fn a_denial_contradicts() {
    check("Warnings break the build.", "Warnings do not break the build.", Verdict::Contradicts);
}

#[test]
fn the_other_order_contradicts() {
    let (a, b) = ("Run the linter before the tests.", "Run the tests before the linter.");
    assert_eq!(feature(a, b, "order_swapped"), 1.0);
    check(a, b, Verdict::Contradicts);
}

#[test]
fn the_same_sentence_is_a_duplicate() {
    check("The API returns dates in UTC.", "The API returns dates in UTC.", Verdict::Duplicate);
}

#[test]
fn another_environment_is_compatible() {
    check("On staging the log level is debug.", "On production the log level is warn.", Verdict::Compatible);
}

#[test]
fn two_of_many_that_are_numbered_go_together() {
    check("Ticket 12 is about the login page.", "Ticket 13 is about the login page.", Verdict::Compatible);
    check("The service listens on port 8080.", "The service listens on port 9090.", Verdict::Contradicts);
}

#[test]
fn nothing_in_common_is_unrelated() {
    check("The mascot is a purple owl.", "Backups are copied to a second region.", Verdict::Unrelated);
}

#[test]
fn a_duplicate_differs_in_no_number_and_no_choice() {
    for (a, b) in [
        ("Tokens live 15 minutes.", "Tokens live 45 minutes."),
        ("The cache is Redis.", "The cache is Memcached."),
        ("The writer runs before the reader.", "The reader runs before the writer."),
        ("Sorting is ascending.", "Sorting is descending."),
    ] {
        assert_ne!(compare(a, b, &none).verdict, Verdict::Duplicate, "{a} / {b}");
    }
}

#[test]
fn units_come_to_one_base() {
    assert_eq!(values("within 48 hours"), values("in two days"));
    assert_eq!(values("every 500 ms"), values("twice a second"));
    assert_eq!(values("at 16:30"), vec![990.0]);
    assert_eq!(values("1,500 rows"), vec![1500.0]);
    assert_eq!(values("half an hour"), values("30 minutes"));
}

#[test]
fn never_without_is_a_duty() {
    let statement = Statement::read("Never merge without a review.").0;
    assert_eq!(statement.stance_at(1), clause::Stance::Must);
}

#[test]
fn what_explains_is_no_part_of_the_claim() {
    let statement = Statement::read("Pin the compiler, because nightly broke the build twice.").0;
    let told = statement.tokens.iter().position(|token| token.stem == "broke" || token.stem == "break").unwrap();
    assert_eq!(statement.roles[told], clause::Role::Reason);
}

#[test]
fn two_that_changed_places_are_noticed() {
    let (a, b) = (
        "Plans are written by the buyer and checked by the seller.",
        "Plans are written by the seller and checked by the buyer.",
    );
    assert_eq!(feature(a, b, "exchanged"), 1.0);
}

#[test]
fn a_replacement_says_so() {
    assert!(compare("We use npm.", "We no longer use npm.", &none).replaces);
    assert!(!compare("We no longer use npm.", "We use npm.", &none).replaces);
    for text in [
        "We moved from Jenkins to Actions.",
        "Use pnpm instead of npm.",
        "The old client is deprecated in favour of the new one.",
        "As of March 2025 the API listens on 8443.",
        "Jenkins was replaced by Actions.",
        "The team switched to Postgres.",
    ] {
        assert!(replacing::replaces(&read(text).slots), "{text}");
    }
    for text in [
        "Old records are moved to the archive.",
        "The timeout is now 30 seconds.",
        "The password must be changed every 90 days.",
        "Deleted files are kept for a week.",
        "Restart the worker if the lock is no longer held.",
        "The cache key changed because the old one is no longer unique.",
    ] {
        assert!(!replacing::replaces(&read(text).slots), "{text}");
    }
}

#[test]
fn what_was_read_once_is_judged_as_what_is_read_anew() {
    let texts = ["Deleted rows are removed after 30 days.", "Rows are never removed.", "We use npm.", ""];
    let all = texts.map(read);
    for (a, text) in all.iter().zip(texts) {
        for (b, other) in all.iter().zip(texts) {
            assert_eq!(compare_read(a, b, &none, &|_, _| None), compare(text, other, &none));
        }
    }
}

#[test]
fn the_reason_names_both_values() {
    let found = compare("The request timeout is 30 s.", "The request timeout is 60 s.", &none);
    assert!(found.why.contains("30 s") && found.why.contains("60 s"), "{}", found.why);
}

#[test]
fn a_very_long_text_is_cut() {
    let long = "lint before tests, never 30 s without `x`; ".repeat(3000);
    compare(&long, &long, &none);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_text_makes_it_fail(a in "\\PC{0,120}", b in "\\PC{0,120}") {
        let found = compare(&a, &b, &none);
        prop_assert!((0.0..=1.0).contains(&found.score));
    }

    #[test]
    fn words_in_any_order_make_it_neither_fail_nor_lean(
        a in prop::collection::vec(prop::sample::select(WORDS), 0..20),
        b in prop::collection::vec(prop::sample::select(WORDS), 0..20),
    ) {
        let (a, b) = (a.join(" "), b.join(" "));
        let (one, other) = (compare(&a, &b, &|_, _| 0.4), compare(&b, &a, &|_, _| 0.4));
        prop_assert_eq!(one.verdict, other.verdict);
        prop_assert_eq!(one.score, other.score);
    }
}

const WORDS: &[&str] = &[
    "the", "cache", "is", "not", "never", "without", "until", "before", "replaced", "by", "from", "to", "30", "s",
    "1.2.3", "twice", "a", "day", "every", "half", "an", "hour", "that", "nobody", "except", ",", ";", ".", ":", "`a",
    "b`", "(", ")", "and", "but", "keep", "out", "of", "moved", "no", "longer", "only", "because", "don't", "é", "—",
    "first", "then", "once", "instead", "rather", "than", "in", "favour", "Go", "x=1", "'", "\"", "100%", "v2", "port",
    "8080",
];
