//! Names of topics, and that counting them never goes astray.

use super::*;
use lokid_model::MemoryId;

fn memory(number: usize, kind: Kind, text: &str) -> Memory {
    let id = MemoryId::new(&format!("m-{number}")).unwrap();
    Memory::new(id, kind, text, Timestamp::from_micros(1_000))
}

fn at_home(files: &[&str]) -> Memory {
    let mut memory = memory(0, Kind::Note, "x");
    memory.anchors.files = files.iter().map(|file| (*file).to_owned()).collect();
    memory
}

#[test]
fn a_module_is_named_as_a_person_would_and_folders_that_say_nothing_are_looked_through() {
    let check = |path: &str, expect: &str| assert_eq!(name_of(&at_home(&[path])), expect, "{path}");
    check("src/auth/session.rs", "auth/session");
    check("src/auth/mod.rs", "auth");
    check("src/parser.rs", "parser");
    check("./src/main.rs", "main");
    check("crates/store-core/src/journal/replay/mod.rs", "store-core/journal/replay");
    check("crates/store-core/src/lib.rs", "store-core");
    check("packages/ui/src/Button/index.tsx", "ui/button");
    check("app/models/user.rb", "models/user");
    check("app/main.py", "app");
    check("lib/router/index.js", "router");
    check("src/bin/shop/main.rs", "shop");
    check("internal/json/json.go", "json");
    check("django/db/models/query.py", "django/db/models");
    check("gson/src/main/java/com/google/gson/internal/bind/X.java", "gson/internal/bind");
    check("src/main/java/org/springframework/samples/petclinic/owner/Owner.java", "samples/petclinic/owner");
    check("crates/store-core/Cargo.toml", "store-core");
    check("gin.go", "gin");
    check("Makefile", "build");
    check("Cargo.toml", "build");
    check("vite.config.ts", "build");
    check("README.md", "docs");
    check("LICENSE", "docs");
    check("docs/guide/start.md", "docs");
    check(".github/workflows/ci.yml", "ci");
    check("C:\\work\\shop\\src\\cart\\price.ts", "cart/price");
    check("/home/ann/shop/src/cart/price.ts", "cart/price");
}

#[test]
fn tests_stand_with_their_module_or_under_tests() {
    let check = |path: &str, expect: &str| assert_eq!(name_of(&at_home(&[path])), expect, "{path}");
    check("src/auth/tests/session.rs", "auth/session");
    check("src/auth/__tests__/session.test.ts", "auth/session");
    check("context_test.go", "context");
    check("tests/test_auth.py", "tests/auth");
    check("tests/auth/test_session.py", "tests/auth/session");
    check("tests/testsuite/build.rs", "tests/build");
    check("tests/unit/auth/session.py", "tests/auth/session");
    check("tests/mod.rs", "tests");
}

#[test]
fn of_several_files_the_first_that_is_code_counts_then_a_test_then_anything() {
    let check = |files: &[&str], expect: &str| assert_eq!(name_of(&at_home(files)), expect, "{files:?}");
    check(&["README.md", "tests/test_auth.py", "src/auth/session.py", "src/ui/button.py"], "auth/session");
    check(&["Cargo.toml", "tests/test_auth.py"], "tests/auth");
    check(&["README.md", "Cargo.toml"], "docs");
    check(&["", "/", "src/ui/x.rs"], "ui/x");
    check(&["c/x.c"], "c/x");
    check(&["x.c"], "notes");
}

#[test]
fn without_files_tags_speak_then_the_headline_then_the_kind() {
    let check = |tags: &[&str], kind: Kind, text: &str, expect: &str| {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        assert_eq!(name_of(&Memory { tags, ..memory(0, kind, text) }), expect, "{text}");
    };
    check(&["git", "Auth"], Kind::Learning, "x", "auth");
    check(&["#area:billing"], Kind::Note, "x", "area/billing");
    check(&["rule", "contributing"], Kind::Note, "x", "conventions");
    check(&["agent-rules", "tests"], Kind::Note, "x", "conventions");
    check(&["changelog", "release"], Kind::Note, "x", "releases");
    check(&["x", "todo", "7"], Kind::Note, "Rotate the passwords", "auth");
    check(&["decision", "2026-01-06", "branch:main", "anti-pattern"], Kind::Note, "x", "notes");
    check(&[], Kind::Decision, "Rotate the passwords every month", "auth");
    check(&[], Kind::Fact, "The Postgres migrations run before the deployment", "database");
    check(&[], Kind::Note, "We talk to Kafka over one connection", "notes/kafka");
    check(&[], Kind::Learning, "the reindexer stalls on large folders", "learnings/reindexer");
    check(&[], Kind::AntiPattern, "do it so", "anti-patterns");
    check(&[], Kind::Note, "", "notes");
}

proptest::proptest! {
    #[test]
    fn any_memory_has_a_short_name(
        file in "(?s).{0,80}", tag in "(?s).{0,80}", text in "(?s).{0,80}", which in 0..4_usize,
    ) {
        let mut memory = memory(0, Kind::Note, &text);
        if which & 1 > 0 { memory.anchors.files = vec![file] }
        if which & 2 > 0 { memory.tags = vec![tag] }
        let name = name_of(&memory);
        proptest::prop_assert!((1..=MOST_CHARS).contains(&name.chars().count()), "{name:?}");
        proptest::prop_assert!(!name.contains(char::is_whitespace) && name.split('/').count() <= MOST_PARTS);
    }

    #[test]
    fn what_is_added_and_taken_away_again_leaves_nothing(order in proptest::collection::vec(0..40_usize, 0..80)) {
        let mut topics = Topics::default();
        let named = |number: usize| Memory {
            tags: vec![format!("tag-{}", (b'a' + (number % 7) as u8) as char)],
            ..memory(number, Kind::ALL[number % 10], "x")
        };
        order.iter().for_each(|number| topics.add(&named(*number), 3));
        let sum: u64 = topics.of(&Namespace::default()).map(|(_, topic)| topic.count).sum();
        proptest::prop_assert_eq!(sum, order.len() as u64);
        order.iter().rev().for_each(|number| topics.remove(&named(*number), 3));
        proptest::prop_assert_eq!(topics.of(&Namespace::default()).count(), 0);
    }
}

#[test]
fn what_may_not_be_told_is_not_counted() {
    let mut topics = Topics::default();
    topics.add(&Memory { scope: lokid_model::Scope::UserPrivate, ..memory(0, Kind::Note, "mine") }, 1);
    topics.add(&Memory { restricted: true, ..memory(1, Kind::Note, "secret") }, 1);
    topics.add(&Memory { status: Status::Unverified, ..memory(2, Kind::Note, "hearsay") }, 1);
    assert_eq!(topics.of(&Namespace::default()).count(), 0);
}

#[test]
fn more_names_than_there_is_room_for_are_counted_together_and_exactly() {
    let mut topics = Topics::default();
    let named =
        |number: usize| Memory { tags: vec![format!("name{}", word(number))], ..memory(number, Kind::Note, "x") };
    for number in 0..MOST_NAMES + 50 {
        topics.add(&named(number), 2);
    }
    let of = |topics: &Topics, name: &str| {
        let found = topics.of(&Namespace::default()).find(|(known, _)| *known == name);
        found.map_or(0, |(_, topic)| topic.count)
    };
    assert_eq!(topics.of(&Namespace::default()).count(), MOST_NAMES + 1);
    assert_eq!(of(&topics, OTHER), 50);
    // Room that becomes free is not taken while there is a rest: the name would be in two places.
    topics.remove(&named(0), 2);
    topics.add(&named(MOST_NAMES + 1), 2);
    assert_eq!((of(&topics, OTHER), of(&topics, "nameaaaa")), (51, 0));
    for number in (1..MOST_NAMES + 50).chain([MOST_NAMES + 1]) {
        topics.remove(&named(number), 2);
    }
    assert_eq!(topics.of(&Namespace::default()).count(), 0);
}

fn word(mut number: usize) -> String {
    let mut word = String::new();
    for _ in 0..4 {
        word.push((b'a' + (number % 26) as u8) as char);
        number /= 26;
    }
    word
}
