//! What is promised of the estimate, whatever the text; how near it comes is measured by the benchmark.

use proptest::prelude::*;

use super::runs::count;

fn check(text: &str, tokens: std::ops::RangeInclusive<usize>) {
    assert!(tokens.contains(&count(text)), "{text:?} costs {}", count(text));
}

/// Prose, code, paths, ids and other scripts, cut and joined at random.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z]{1,12}",
        "[0-9a-f]{1,20}",
        "[ \t\r\n]{1,6}",
        "[!-/:-@\\[-`{-~]{1,6}",
        Just("don't they're we'll o'".to_owned()),
        Just(" 日本語のтекст ελληνικά é ".to_owned()),
        Just("\u{1b}[31m⎯⎯⎯\u{1b}[39m \0x".to_owned()),
        Just("👩‍💻 ✅️ ── … “x”".to_owned()),
        "\\PC{0,4}",
        any::<String>(),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

#[test]
fn prose_is_about_a_token_a_word() {
    check("", 0..=0);
    check("word", 1..=2);
    check("The parser keeps every unknown field and writes it back in the order it was read.", 17..=20);
    check("don't", 1..=3);
}

#[test]
fn what_nobody_writes_twice_costs_more_than_words() {
    // 34, 22, 26 and 9 by o200k.
    check("3f2a9c1d-77be-4e0a-9b5c-0d1e2f3a4b5c", 34..=36);
    check("9fceb02d0ae598e95dc970b74767f19372d61af8", 22..=25);
    check("QWxhZGRpbjpvcGVuIHNlc2FtZQ0KQmFzZTY0", 25..=29);
    check("1234567890 1234567890", 9..=10);
}

#[test]
fn long_runs_cost_little() {
    check(&" ".repeat(80), 1..=4);
    check(&"-".repeat(80), 1..=6);
    check(&"\n".repeat(80), 1..=4);
    assert!(count(&"ab".repeat(100_000)) > 20_000);
}

#[test]
fn the_colours_of_a_terminal_are_counted() {
    // 14 and 60 by o200k.
    check("\u{1b}[7m12\u{1b}[0m \u{1b}[31mx", 14..=17);
    check(&"⎯".repeat(20), 60..=60);
}

#[test]
fn other_scripts_are_counted_by_what_they_cost() {
    // 11, 6 and 6 by o200k: the spread is large, so rather too many.
    check("Съешь ещё этих мягких французских булок", 11..=20);
    check("これは日本語の文章です", 6..=12);
    check("🚀🚀🚀", 6..=8);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_longer_prefix_never_costs_less(text in text()) {
        let mut last = 0;
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            let now = count(&text[..end]);
            prop_assert!(now >= last, "{:?}: {now} after {last}", &text[..end]);
            last = now;
        }
    }

    #[test]
    fn no_text_costs_more_than_its_bytes(text in text()) {
        prop_assert!(count(&text) <= text.len());
        prop_assert_eq!(count(&text) == 0, text.is_empty());
    }

    #[test]
    fn parts_cost_about_what_the_whole_does(first in text(), second in text()) {
        let (whole, parts) = (count(&(first.clone() + &second)), count(&first) + count(&second));
        prop_assert!(whole <= parts + 2, "{first:?} {second:?}: {whole} against {parts}");
        prop_assert!(parts <= whole + 4, "{first:?} {second:?}: {whole} against {parts}");
    }
}
