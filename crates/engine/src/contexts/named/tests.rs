//! Tests of what an error names.

use super::*;
use crate::ground::FileView;

const FILES: [&str; 10] = [
    "src/requests/adapters.py",
    "src/requests/sessions.py",
    "tests/test_adapters.py",
    "src/x.rs",
    "pkg/server/file.go",
    "web/app/index.ts",
    "a/util.py",
    "b/util.py",
    "core/src/main/kotlin/org/apache/shop/Cart.kt",
    "core/src/test/kotlin/org/apache/shop/CartTest.kt",
];

fn named(text: &str) -> Vec<(String, String)> {
    let mut ground = CodeGround::default();
    FILES.iter().for_each(|path| ground.put(path, FileView { stamp: (1, 1), ..FileView::default() }));
    let definitions = |path: &str, tell: &mut dyn FnMut(&str, u32)| match path {
        "src/requests/sessions.py" => {
            tell("Session", 30);
            tell("send", 90);
            tell("open_all", 40);
        }
        "src/requests/adapters.py" => tell("send", 12),
        _ => {}
    };
    named_in(text, "/code/requests", &ground, &definitions).into_iter().map(|file| (file.path, file.why)).collect()
}

#[track_caller]
fn check(text: &str, path: &str, why: &str) {
    let found = named(text);
    assert_eq!(found.first(), Some(&(path.to_owned(), why.to_owned())), "{text}: {found:?}");
}

#[test]
fn a_path_is_found_however_it_is_printed() {
    for (text, line) in [
        ("File \"src/requests/adapters.py\", line 31, in send", "31"),
        ("File \"/code/requests/src/requests/adapters.py\", line 31", "31"),
        ("File \"/app/src/requests/adapters.py\", line 31, in send", "31"),
        ("src/requests/adapters.py:31: AssertionError", "31"),
        ("see src\\requests\\adapters.py:7", "7"),
    ] {
        check(text, "src/requests/adapters.py", &format!("named in the error, line {line}"));
    }
    check("  --> src/x.rs:3:4", "src/x.rs", "named in the error, line 3");
    check("file.go:12: undefined: total", "pkg/server/file.go", "named in the error, line 12");
    check("pkg/server/file.go:12 +0x1d", "pkg/server/file.go", "named in the error, line 12");
    check("web/app/index.ts(5,7): error TS2322", "web/app/index.ts", "named in the error, line 5");
}

#[test]
fn a_class_is_found_by_its_package_even_where_that_is_a_library_elsewhere() {
    let text = "Exception in thread \"main\" java.lang.NullPointerException\n\tat java.util.List.get(List.java:3)\n\t\
        at org.apache.shop.Cart$Item.total(Cart.kt:55)\n\tat org.apache.shop.CartTest.sums(CartTest.kt:5)\n";
    check(text, "core/src/main/kotlin/org/apache/shop/Cart.kt", "named in the error, line 55");
}

#[test]
fn the_place_of_the_failure_comes_before_who_called_it() {
    let text = "Traceback (most recent call last):\n  File \"tests/test_adapters.py\", line 4, in test\n    go()\n  \
        File \"src/requests/adapters.py\", line 31, in go\n    x\nKeyError: 'x'\n";
    let found = named(text);
    let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["src/requests/adapters.py", "tests/test_adapters.py"]);
}

#[test]
fn a_module_and_a_definition_lead_to_their_file() {
    check("ImportError: requests.adapters", "src/requests/adapters.py", "the error names requests.adapters");
    check("TypeError in Session.send", "src/requests/sessions.py", "defines Session (line 30), which the error names");
    check("undefined method `send'", "src/requests/adapters.py", "defines send (line 12), which the error names");
    let quoted = |code: &str| format!("  File \"elsewhere.py\", line 3, in go\n    {code}\nKeyError: 'x'\n");
    let expected = "defines open_all (line 40), which the error names";
    check(&quoted("if open_all(known):"), "src/requests/sessions.py", expected);
    assert!(named(&quoted("if open_all in known:")).is_empty(), "a variable");
    assert!(named("reply = self.send(request)").is_empty(), "everybody sends");
}

#[test]
fn what_names_nothing_here_leads_nowhere() {
    for text in [
        "",
        "connection refused",
        "util.py:3: oops",
        "/usr/lib/python3.12/json/decoder.py:3",
        "node_modules/web/app/index.ts:3",
        "1.2.3.4:80",
        "he said: send help",
        "\u{0}\u{fffd}::..//",
    ] {
        assert_eq!(named(text), [], "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_can_be_an_error(text in "\\PC{0,80}") {
        let _ = named(&text);
    }
}

#[test]
fn a_goal_names_what_it_writes_as_code() {
    let mut ground = CodeGround::default();
    let paths = ["src/load.py", "tests/test_load.py", "examples/load.py"];
    paths.iter().for_each(|path| ground.put(path, FileView { stamp: (1, 1), ..FileView::default() }));
    let definitions = |path: &str, tell: &mut dyn FnMut(&str, u32)| {
        ["load_all", "strict", "unwrap", "Loader"]
            .iter()
            .for_each(|name| tell(name, if path == "src/load.py" { 7 } else { 9 }));
    };
    let found = |goal: &str| -> Vec<(String, String)> {
        defining(goal, false, &ground, &definitions).into_iter().map(|file| (file.path, file.why)).collect()
    };
    let load = [("src/load.py".to_owned(), "defines load_all (line 7)".to_owned())];
    for goal in ["make load_all faster", "fix(loader): speed up `load_all`", "why does it hang in load_all()"] {
        assert_eq!(found(goal), load, "{goal}");
    }
    assert_eq!(found("strict() fails")[0].1, "defines strict (line 7)");
    let alone = |goal: &str| defining(goal, true, &ground, &definitions).len();
    assert_eq!([alone("let the Loader wait"), alone("Loader waits"), found("let the Loader wait").len()], [1, 0, 0]);
    for goal in ["be strict", "strict(load): be quick", "do not unwrap()", ""] {
        assert!(found(goal).is_empty(), "{goal}");
    }
}

#[test]
fn a_goal_means_a_member_by_who_holds_it() {
    let mut ground = CodeGround::default();
    let paths = ["src/worker/consumer.py", "src/worker/bootsteps.py", "lib/request.js", "test/request.js"];
    paths.iter().for_each(|path| ground.put(path, FileView { stamp: (1, 1), ..FileView::default() }));
    let definitions = |path: &str, tell: &mut dyn FnMut(&str, u32)| match path {
        "src/worker/consumer.py" => {
            tell("on_close", 3);
            tell("Consumer", 8);
            tell("on_close", 12);
        }
        "src/worker/bootsteps.py" => tell("on_close", 5),
        "lib/request.js" | "test/request.js" => tell("url", 7),
        _ => {}
    };
    let found = |goal: &str| -> Vec<(String, String)> {
        let files = defining(goal, true, &ground, &definitions).into_iter();
        files.filter(|file| !file.why.starts_with("defines on_close")).map(|file| (file.path, file.why)).collect()
    };
    let consumer = [("src/worker/consumer.py".to_owned(), "defines Consumer.on_close (line 12)".to_owned())];
    for goal in ["await Consumer.on_close twice", "await consumer::Consumer#on_close"] {
        assert_eq!(found(goal), consumer, "{goal}");
    }
    let request = [("lib/request.js".to_owned(), "defines request.url (line 7)".to_owned())];
    assert_eq!(found("request.url fails for IPv6"), request);
    for goal in
        ["request.headers fails", "request.js fails", "see https://request.url/a", "window.url fails", "a.url", ""]
    {
        assert_eq!(found(goal), [], "{goal}");
    }
}

#[test]
fn the_package_of_a_class_is_not_the_class_of_its_name() {
    let mut ground = CodeGround::default();
    let paths = ["core/com/google/Inject.java", "core/com/google/internal.py", "core/com/google/google.xsd"];
    paths.iter().for_each(|path| ground.put(path, FileView { stamp: (1, 1), ..FileView::default() }));
    let first = |text: &str| named_in(text, "/code", &ground, &|_, _| {}).into_iter().next().map(|file| file.path);
    assert_eq!(first("no implementation for com.google.inject.spi"), None, "and data is no module");
    assert_eq!(first("no implementation for com.google.Inject").as_deref(), Some(paths[0]));
    assert_eq!(first("ImportError: google.internal").as_deref(), Some(paths[1]));
}
