//! The editor on its own: what it makes of one text, and that putting in and taking out is nothing, on any text.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

#[track_caller]
fn check_insert(text: &str, path: &[Step<'_>], expected: &str) {
    let key = matches!(parse(text, Allowed::ALL).unwrap().find(path).unwrap().kind, Kind::Object(_)).then_some("k");
    let after = insert(text, path, key, &json!({"a": [1]})).unwrap();
    assert_eq!(after, expected);
    let last = parse(&after, Allowed::ALL).unwrap().find(path).unwrap().entries().len() - 1;
    let mut at = path.to_vec();
    at.push(key.map_or(Step::At(last), Step::Key));
    assert_eq!(remove(&after, &at).unwrap(), text, "taken out again");
}

#[test]
fn a_member_is_laid_out_like_its_neighbours() {
    check_insert("{\n  \"x\": 1\n}\n", &[], "{\n  \"x\": 1,\n  \"k\": {\n    \"a\": [\n      1\n    ]\n  }\n}\n");
    check_insert("{\"x\":1}", &[], "{\"x\":1,\"k\":{\"a\":[1]}}");
    check_insert("{\"x\": 1}", &[], "{\"x\": 1, \"k\": {\"a\": [1]}}");
    check_insert(
        "{\r\n\t\"x\": 1\r\n}",
        &[],
        "{\r\n\t\"x\": 1,\r\n\t\"k\": {\r\n\t\t\"a\": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}",
    );
    check_insert("{}", &[], "{\n  \"k\": {\n    \"a\": [\n      1\n    ]\n  }\n}");
}

#[test]
fn a_comma_goes_behind_the_value_and_not_behind_its_comment() {
    check_insert(
        "{\n  \"x\": 1 // one\n}",
        &[],
        "{\n  \"x\": 1, // one\n  \"k\": {\n    \"a\": [\n      1\n    ]\n  }\n}",
    );
    check_insert(
        "{\n  \"x\": 1, /* one */\n  // end\n}",
        &[],
        "{\n  \"x\": 1, /* one */\n  // end\n  \"k\": {\n    \"a\": [\n      1\n    ]\n  },\n}",
    );
    check_insert("{\"x\": 1 // one\n}", &[], "{\"x\": 1, // one\n  \"k\": {\"a\": [1]}\n}");
}

#[test]
fn an_element_goes_where_the_list_is() {
    let list = [Step::Key("l")];
    check_insert("{\n  \"l\": [1]\n}", &list, "{\n  \"l\": [1, {\"a\": [1]}]\n}");
    check_insert("{\n  \"l\": []\n}", &list, "{\n  \"l\": [\n    {\n      \"a\": [\n        1\n      ]\n    }\n  ]\n}");
    check_insert(
        "{\n  \"l\": [\n    1,\n  ]\n}",
        &list,
        "{\n  \"l\": [\n    1,\n    {\n      \"a\": [\n        1\n      ]\n    },\n  ]\n}",
    );
}

#[test]
fn what_is_taken_out_of_the_middle_leaves_its_neighbours_and_their_comments() {
    for (text, key, expected) in [
        ("{\"a\":1,\"b\":2,\"c\":3}", "b", "{\"a\":1,\"c\":3}"),
        ("{\"a\":1,\"b\":2,\"c\":3}", "a", "{\"b\":2,\"c\":3}"),
        ("{\"a\":1,\"b\":2,\"c\":3}", "c", "{\"a\":1,\"b\":2}"),
        ("{\n  // first\n  \"a\": 1,\n  // second\n  \"b\": 2\n}", "a", "{\n  // first\n  // second\n  \"b\": 2\n}"),
        ("{\n  \"a\": 1, // of a\n  \"b\": 2 // of b\n}", "b", "{\n  \"a\": 1 // of a\n // of b\n}"),
        // The closing brace must not slide into the comment.
        ("{ // note\n\"a\":1}", "a", "{ // note\n}"),
        ("{\"a\": 1 /* why */, \"b\": 2}", "a", "{ /* why */ \"b\": 2}"),
        ("{\"a\": 1, \"a\": 2}", "a", "{\"a\": 1}"),
        ("{ \"a\": 1 }", "a", "{}"),
    ] {
        let after = remove(text, &[Step::Key(key)]).unwrap();
        assert_eq!(after, expected);
        parse(&after, Allowed::ALL).unwrap();
    }
}

#[test]
fn a_text_is_replaced_where_it_stands() {
    let at = [Step::Key("a"), Step::At(1)];
    assert_eq!(put_text("{\"a\": [1, \"x\" /* c */]}", &at, "q\"").unwrap(), "{\"a\": [1, \"q\\\"\" /* c */]}");
    assert_eq!(put_text("{}", &at, "x"), None);
    for nothing_to_fill in ["1", "\"text\"", "null"] {
        assert_eq!(insert(nothing_to_fill, &[], None, &json!(1)), None);
        assert_eq!(remove(nothing_to_fill, &[Step::At(0)]), None);
    }
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_column() {
    for (text, line, column, what) in [
        ("", 1, 1, "the file ends"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3, "a comma or `}`"),
        ("{\n  \"a\": 1,\n}", 2, 9, "a comma behind the last entry"),
        ("{\n  // c\n}", 2, 3, "a comment is not allowed"),
        ("{\"ä\": tru}", 1, 7, "a value is needed here, not `t`"),
        ("{\"a\" 1}", 1, 6, "a colon"),
        ("{a: 1}", 1, 2, "a key in double quotes"),
        ("{\"a\": \"x\ny\"}", 1, 9, "a line break"),
        ("{\"a\": \"\\x\"}", 1, 7, "a backslash"),
        ("{\"a\": 01}", 1, 7, "a value is needed"),
        ("{} {}", 1, 4, "nothing may follow"),
        ("{\"a\": \"", 1, 7, "this text never ends"),
        ("{\"a\": [1", 1, 9, "a comma or `]`"),
        ("\u{feff}{,}", 1, 2, "a key"),
    ] {
        let problem = parse(text, Allowed::NOTHING).unwrap_err();
        assert_eq!((problem.line, problem.column), (line, column), "{text}: {problem}");
        assert!(problem.what.contains(what), "{text}: {problem}");
    }
    let unclosed = parse("{ /* c", Allowed::ALL).unwrap_err();
    assert_eq!((unclosed.line, unclosed.column), (1, 3));
}

#[test]
fn depth_ends_in_a_message_and_not_in_a_crash() {
    let deep = "[".repeat(100_000);
    assert!(parse(&deep, Allowed::ALL).unwrap_err().what.contains("too deeply"));
}

#[test]
fn odd_but_valid_texts_are_read() {
    for text in ["\u{feff} {}", "[1e5, -0.1, true, null]", "{\"\\ud800\": 1}", "\"\\u00e9\"", "{\"a\":{\"\":[]}}"] {
        parse(text, Allowed::NOTHING).unwrap_or_else(|problem| panic!("{text}: {problem}"));
    }
}

/// A value as somebody might have laid it out.
fn layout() -> impl Strategy<Value = String> {
    let blank = prop_oneof![
        5 => Just(String::new()),
        3 => Just(" ".to_owned()),
        2 => Just("\n  ".to_owned()),
        1 => Just("\r\n\t".to_owned()),
        1 => Just(" // it's \"{,]\n".to_owned()),
        1 => Just("/* , } */".to_owned()),
    ];
    let scalar = prop_oneof![
        Just("1".to_owned()),
        Just("-2.5e3".to_owned()),
        Just("true".to_owned()),
        Just("null".to_owned()),
        "[a-zé\\{\\}\\[\\],:/* ]{0,6}".prop_map(|text| Value::from(text).to_string()),
    ];
    scalar.prop_recursive(4, 40, 5, move |inner| {
        let entry = (blank.clone(), inner, blank.clone(), "[a-d]");
        (proptest::collection::vec(entry, 1..5), any::<bool>(), any::<bool>(), blank.clone()).prop_map(
            |(entries, object, trailing, end)| {
                let count = entries.len();
                let mut text = String::from(if object { "{" } else { "[" });
                for (place, (before, value, after, key)) in entries.into_iter().enumerate() {
                    let key = if object { format!("\"{key}{place}\": ") } else { String::new() };
                    let comma = if place + 1 < count || trailing { "," } else { "" };
                    text.push_str(&format!("{before}{key}{value}{after}{comma}"));
                }
                text.push_str(&end);
                text.push(if object { '}' } else { ']' });
                text
            },
        )
    })
}

/// Every way down to something with entries in it.
fn containers<'a>(node: &'a Node, path: Vec<Step<'a>>, found: &mut Vec<(Vec<Step<'a>>, bool, usize)>) {
    if let Kind::Object(entries) | Kind::Array(entries) = &node.kind {
        let object = matches!(node.kind, Kind::Object(_));
        found.push((path.clone(), object, entries.len()));
        for (place, entry) in entries.iter().enumerate() {
            let mut below = path.clone();
            below.push(if object { Step::Key(&entry.key) } else { Step::At(place) });
            containers(&entry.value, below, found);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn putting_in_and_taking_out_gives_the_same_bytes(text in layout()) {
        let root = parse(&text, Allowed::ALL).unwrap();
        let mut all = Vec::new();
        containers(&root, Vec::new(), &mut all);
        for (path, object, count) in all {
            let key = object.then_some("new");
            let with = insert(&text, &path, key, &json!({"x": [1, "y"]})).unwrap();
            let tree = parse(&with, Allowed::ALL).map_err(|problem| TestCaseError::fail(format!("{problem}: {with}")))?;
            prop_assert_eq!(tree.find(&path).unwrap().entries().len(), count + 1);
            let mut at = path.clone();
            at.push(key.map_or(Step::At(count), Step::Key));
            prop_assert_eq!(remove(&with, &at).unwrap(), text.clone());
        }
    }

    #[test]
    fn taking_anything_out_takes_nothing_else(text in layout()) {
        let root = parse(&text, Allowed::ALL).unwrap();
        let mut all = Vec::new();
        containers(&root, Vec::new(), &mut all);
        for (path, object, count) in all {
            for place in 0..count {
                let entries = root.find(&path).unwrap().entries();
                let mut at = path.clone();
                at.push(if object { Step::Key(&entries[place].key) } else { Step::At(place) });
                let without = remove(&text, &at).unwrap();
                let tree = parse(&without, Allowed::ALL)
                    .map_err(|problem| TestCaseError::fail(format!("{problem}: {text} became {without}")))?;
                let left = tree.find(&path).unwrap().entries();
                let expected: Vec<_> = entries.iter().enumerate().filter(|(at, _)| *at != place).collect();
                prop_assert_eq!(left.len(), expected.len());
                for (ours, (_, theirs)) in left.iter().zip(expected) {
                    prop_assert!(ours.key == theirs.key && ours.value.same(&theirs.value));
                }
                prop_assert_eq!(comments(&without), comments(&text) - comments(&text[entries[place].start..entries[place].value.end]));
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused_without_a_panic(text in "\\PC{0,40}|[\\[\\]{},:\"\\\\/* \n\r1tnu]{0,40}") {
        for allowed in [Allowed::NOTHING, Allowed::COMMENTS, Allowed::ALL] {
            if let Ok(root) = parse(&text, allowed) {
                prop_assert!(root.end <= text.len());
                let _ = insert(&text, &[], None, &json!(1));
                let _ = remove(&text, &[Step::At(0)]);
            }
        }
    }

    #[test]
    fn what_is_strictly_read_is_what_the_standard_reads(text in layout()) {
        let strict = parse(&text, Allowed::NOTHING).is_ok();
        prop_assert_eq!(strict, serde_json::from_str::<Value>(&text).is_ok());
    }
}

/// How many comments a text of [`layout`] has.
fn comments(text: &str) -> usize {
    text.matches("// it's").count() + text.matches("/* , } */").count()
}
