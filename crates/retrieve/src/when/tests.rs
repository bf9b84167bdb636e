//! Tests of the date words, all asked on Friday, 13 November 2026.

use super::*;

fn clues(query: &str) -> Vec<String> {
    let now = Timestamp::parse("2026-11-13T10:20:30Z").unwrap();
    let day = |time: Option<Timestamp>| time.map_or(String::new(), |time| time.day());
    let show = |clue: Clue| match clue {
        Clue::Span(when) => format!("{}..{} {}", day(when.from), day(when.until), when.words),
        Clue::Event { side, words } => format!("{side:?} {words}"),
    };
    dates(query, now).into_iter().map(show).collect()
}

fn check(query: &str, expected: &str) {
    assert_eq!(clues(query), [expected], "{query}");
}

fn silent(query: &str) {
    assert!(clues(query).is_empty(), "{query}: {:?}", clues(query));
}

#[test]
fn days_by_name() {
    check("What did we do today?", "2026-11-13..2026-11-14 today");
    check("yesterday's deploy", "2026-11-12..2026-11-13 yesterday");
    check("yesterday evening", "2026-11-12..2026-11-13 yesterday");
    check("the day before yesterday", "2026-11-11..2026-11-12 the day before yesterday");
    check("what broke last night", "2026-11-12..2026-11-13 last night");
    check("what changed recently?", "2026-10-30..2026-11-14 recently");
    check("lately", "2026-10-30..2026-11-14 lately");
}

#[test]
fn so_long_ago() {
    check("3 days ago", "2026-11-10..2026-11-11 3 days ago");
    check("Three days ago we", "2026-11-10..2026-11-11 Three days ago");
    check("a week ago", "2026-11-03..2026-11-10 a week ago");
    check("two months ago", "2026-08-29..2026-09-29 two months ago");
    check("about a year ago", "2025-05-15..2026-05-15 a year ago");
    check("a couple of days ago", "2026-11-10..2026-11-12 a couple of days ago");
    check("a few weeks ago", "2026-09-29..2026-11-03 a few weeks ago");
    silent("99999 days ago and 0 days ago");
    silent("3 tests ago, days ago");
}

#[test]
fn calendar_units_and_rolling_ones() {
    check("last week", "2026-11-02..2026-11-09 last week");
    check("previous month", "2026-10-01..2026-11-01 previous month");
    check("last year's migration", "2025-01-01..2026-01-01 last year");
    check("this week", "2026-11-09..2026-11-16 this week");
    check("this month", "2026-11-01..2026-12-01 this month");
    check("last quarter", "2026-07-01..2026-10-01 last quarter");
    check("the past week", "2026-11-06..2026-11-14 the past week");
    check("in the last month", "2026-10-13..2026-11-14 in the last month");
    check("in the last 30 days", "2026-10-14..2026-11-14 in the last 30 days");
    check("last two weeks", "2026-10-30..2026-11-14 last two weeks");
    check("over the last few months", "2026-05-13..2026-11-14 over the last few months");
    check("the last couple of years", "2023-11-13..2026-11-14 the last couple of years");
    for query in ["last week of the sprint", "the last 3 commits", "this may fail", "past tense", "last day", "this"] {
        silent(query);
    }
}

#[test]
fn weekdays_and_weekends() {
    check("last Monday", "2026-11-09..2026-11-10 last Monday");
    check("last friday", "2026-11-06..2026-11-07 last friday");
    check("on Friday", "2026-11-13..2026-11-14 on Friday");
    check("What did Ana say on Tuesday about it", "2026-11-10..2026-11-11 on Tuesday");
    check("this Sunday", "2026-11-15..2026-11-16 this Sunday");
    check("last weekend", "2026-11-07..2026-11-09 last weekend");
    check("over the weekend", "2026-11-07..2026-11-09 over the weekend");
    silent("no deploys on Fridays, every Monday, Friday deploys");
}

#[test]
fn months_quarters_and_years() {
    check("in May", "2026-05-01..2026-06-01 in May");
    check("in may?", "2026-05-01..2026-06-01 in may");
    check("in December we", "2025-12-01..2026-01-01 in December");
    check("in late November", "2026-11-01..2026-12-01 in late November");
    check("in May 2023", "2023-05-01..2023-06-01 in May 2023");
    check("may 2023", "2023-05-01..2023-06-01 may 2023");
    check("Oct 2025", "2025-10-01..2025-11-01 Oct 2025");
    check("last May", "2026-05-01..2026-06-01 last May");
    check("last November", "2025-11-01..2025-12-01 last November");
    check("this March the", "2026-03-01..2026-04-01 this March");
    check("Q3 2025", "2025-07-01..2025-10-01 Q3 2025");
    check("in Q4", "2026-10-01..2027-01-01 in Q4");
    check("in 2024", "2024-01-01..2025-01-01 in 2024");
    check("what in 2024 was decided", "2024-01-01..2025-01-01 in 2024");
    check("the end of 2024,", "2024-01-01..2025-01-01 end of 2024");
}

#[test]
fn dates_in_full() {
    check("May 7th", "2026-05-07..2026-05-08 May 7th");
    check("on May 7, 2023 we", "2023-05-07..2023-05-08 on May 7 2023");
    check("7 May 2023", "2023-05-07..2023-05-08 7 May 2023");
    check("the 7th of may", "2026-05-07..2026-05-08 the 7th of may");
    check("December 3", "2025-12-03..2025-12-04 December 3");
    check("Feb 29", "2024-02-29..2024-03-01 Feb 29");
    check("(2026-11-03)", "2026-11-03..2026-11-04 2026-11-03");
    check("at 2026-11-03T12:00:00Z", "2026-11-03..2026-11-04 2026-11-03T12:00:00Z");
    for query in ["logs/2026-11-03.txt", "backup-2026-11-03", "2026-13-03", "February 30", "version 2026.11.3"] {
        silent(query);
    }
}

#[test]
fn bounds_and_two_ends() {
    check("before 2026-11-03", "..2026-11-03 before 2026-11-03");
    check("after last week", "2026-11-09.. after last week");
    check("since May", "2026-05-01.. since May");
    check("since last Monday", "2026-11-09.. since last Monday");
    check("since yesterday,", "2026-11-12.. since yesterday");
    check("until May 7", "..2026-05-08 until May 7");
    check("since 3 weeks ago", "2026-10-20.. since 3 weeks ago");
    check("between May and July 2023", "2023-05-01..2023-08-01 between May and July 2023");
    check("between December and February", "2025-12-01..2026-03-01 between December and February");
    check("from Monday to Wednesday", "2026-11-09..2026-11-12 from Monday to Wednesday");
    check("between 2023 and 2024", "2023-01-01..2025-01-01 between 2023 and 2024");
    check("between 2026-05-01 and 2026-04-01", "2026-04-01..2026-05-02 between 2026-05-01 and 2026-04-01");
    check("from May to July", "2026-05-01..2026-08-01 from May to July");
    check("from last week", "2026-11-02..2026-11-09 from last week");
}

#[test]
fn an_event_is_named_up_to_where_the_clause_ends() {
    check("How was it before the migration?", "Before migration");
    check("after our move to Postgres did latency drop", "After move to Postgres");
    check("since the last release", "After last release");
    check("before the commit hook runs", "Before commit hook runs");
    check("after the one two three four five six seven", "After one two three four five six");
    assert_eq!(clues("after the outage last week"), ["After outage", "2026-11-02..2026-11-09 last week"]);
    assert_eq!(clues("after the outage in May"), ["After outage", "2026-05-01..2026-06-01 in May"]);
    silent("before we migrated, after all, until the end, the before picture");
}

#[test]
fn what_only_looks_like_a_date_is_left_alone() {
    for query in [
        "may I push?",
        "it may fail in march order",
        "of the 3 may fail",
        "the change that went in may be broken",
        "what happens after may vary",
        "THIS MAY FAIL",
        "march on",
        "in a second, wait 2 seconds",
        "port 2024",
        "E2024",
        "in 2024 bytes",
        "after 2048 rows",
        "in v2024",
        "in 2024.1",
        "in #2024",
        "since 1.2.3",
        "between 3 and 5 retries",
        "dec 10 rows",
        "q3",
        "in q5",
        "at the weekend rate",
        "a limit of 2024",
        "latency over 2024",
        "raise it from 2010 to 3000",
        "wait until 2000",
        "in /2024/",
        "in 2024+",
        "last week-end",
    ] {
        silent(query);
    }
}

#[test]
fn several_clues_come_in_the_order_they_are_said() {
    assert_eq!(
        clues("Was it yesterday or on Monday, or before the release?"),
        ["2026-11-12..2026-11-13 yesterday", "2026-11-09..2026-11-10 on Monday", "Before release"]
    );
}

#[test]
fn a_huge_question_is_read_from_its_beginning() {
    check(&format!("yesterday {}", "word ".repeat(2 << 20)), "2026-11-12..2026-11-13 yesterday");
    assert!(clues(&"before the ".repeat(1 << 20)).len() <= FIRST_WORDS);
    silent(&"x".repeat(10 << 20));
    silent(&format!("{} yesterday", "word ".repeat(FIRST_WORDS)));
}

proptest::proptest! {
    #[test]
    fn no_question_and_no_time_make_it_panic(
        words in proptest::collection::vec("the|last|past|this|few|a|couple|of|999|31|7th|may|May|Feb|2024|q1|days\
            |years|week|weekend|ago|in|on|before|after|since|until|between|and|from|to|monday|2026-11-03|,|\\PC{0,6}", 0..12),
        micros in proptest::num::i64::ANY,
    ) {
        for clue in dates(&words.join(" "), Timestamp::from_micros(micros)) {
            if let Clue::Span(When { from: Some(from), until: Some(until), .. }) = clue {
                proptest::prop_assert!(from <= until);
            }
        }
    }
}
