//! The layers of small, middling and large memories: bounded, stable, and worth reading.

use std::sync::Arc;

use super::*;
use lokid_config::Config;
use lokid_index::topics::OTHER;
use lokid_model::{Change, MemoryId, Outcome, Status, Tier, token};

const MODULES: &[&str] = &[
    "src/engine/run.rs",
    "src/engine/recall.rs",
    "src/store/journal.rs",
    "src/auth/session.rs",
    "src/auth/token.rs",
    "src/ui/button.tsx",
    "src/ui/table.tsx",
    "src/api/routes.rs",
    "src/api/errors.rs",
    "src/parser/lexer.rs",
    "src/config.rs",
    "crates/search/src/index.rs",
    "crates/search/src/rank.rs",
    "packages/cli/src/args.ts",
    "tests/test_auth.py",
    "docs/guide.md",
    "Cargo.toml",
    "src/metrics/mod.rs",
    "src/mail/send.rs",
];
const SUBJECTS: &[&str] = &[
    "Retry the request with a growing pause",
    "Keep the session for one hour only",
    "Do not lock the table while reading",
    "Prefer one writer over many",
    "Escape the query before it is sent",
    "The lexer drops the last line without newline",
    "Rotate the signing key every month",
    "Cache the ranking by its query",
    "Sort the rows before they are shown",
    "Flush the journal before the answer is sent",
];
const WITHOUT_FILES: &[&str] = &[
    "Deploy with the staging profile first",
    "Kafka keeps messages for seven days",
    "The password policy asks for twelve letters",
    "Ask Dana about the billing contract",
    "Migrations run before the deployment",
    "Standup is at nine",
];

pub(crate) fn at(day: i64) -> Timestamp {
    Timestamp::parse("2026-01-01T12:00:00Z").unwrap().plus_micros(day * DAY)
}

pub(crate) fn limits() -> LayersConfig {
    Config::parse("").unwrap().layers
}

pub(crate) fn memory(number: usize, kind: Kind, text: String, day: i64) -> Memory {
    let id = MemoryId::new(&format!("{}-2026-01-{number:06}", kind.id_prefix())).unwrap();
    Memory::new(id, kind, text, at(day))
}

pub(crate) fn snapshot(memories: impl IntoIterator<Item = Memory>) -> Snapshot {
    let mut snapshot = Snapshot::default();
    let puts = memories.into_iter().map(|memory| Change::Put { before: None, after: Arc::new(memory) });
    snapshot.apply_all(&puts.collect::<Vec<_>>());
    snapshot
}

/// As a project of that age would have it: some modules are worked on far more than others, every file of a large one
/// has its own memories, and one in four memories knows no file.
pub(crate) fn store(count: usize) -> Snapshot {
    let kinds = [Kind::Learning, Kind::Decision, Kind::Note, Kind::Episode, Kind::Fact, Kind::AntiPattern];
    snapshot((0..count).map(|number| {
        // Spread, and the same every time.
        let dice = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let pick = |of: usize, salt: u64| ((dice ^ (dice >> 17)).wrapping_mul(salt | 1) >> 11) as usize % of;
        let kind = kinds[pick(kinds.len(), 77)];
        let subject = SUBJECTS[pick(SUBJECTS.len(), 5)];
        let day = (number * 300 / count.max(1)) as i64;
        if pick(4, 9) == 0 {
            let text = WITHOUT_FILES[pick(WITHOUT_FILES.len(), 3)];
            return memory(number, kind, format!("{text} ({number})"), day);
        }
        let place = MODULES[pick(MODULES.len(), 21).min(pick(MODULES.len(), 33))];
        let file = if count > 5_000 {
            format!("{}/part{}.rs", place.trim_end_matches(".rs"), number % 97)
        } else {
            place.to_owned()
        };
        let mut made = memory(number, kind, format!("{subject} ({number})\nwhy: it was measured"), day);
        made.anchors.files = vec![file];
        made.outcome = (kind == Kind::Episode).then_some(Outcome::Success);
        made
    }))
}

fn index_words(snapshot: &Snapshot) -> String {
    index_text(snapshot, &Namespace::default(), &limits(), &Arrangement::default())
}

fn shelves(snapshot: &Snapshot) -> TopicGroups {
    TopicGroups::of(snapshot, &Namespace::default(), 12, &Arrangement::default())
}

#[test]
fn both_layers_keep_their_bound_and_say_something_at_every_size() {
    for count in [0, 1, 10, 1_000, 100_000] {
        let snapshot = store(count);
        let first = index_words(&snapshot);
        let second = timeline_text(&snapshot, &Namespace::default(), &limits(), &Arrangement::default(), at(400));
        assert!(token::estimate(&first) <= 100, "{count}: {}\n{first}", token::estimate(&first));
        assert!(token::estimate(&second) <= 500, "{count}: {}\n{second}", token::estimate(&second));
        if count < 10 {
            continue;
        }
        let shown = shelves(&snapshot);
        assert!(first.contains(&format!("{count} memories")) && first.contains("lokid index TOPIC"), "{first}");
        assert!(shown.shown().len() <= 12);
        for shelf in shown.shown().iter().take(6) {
            assert!(first.contains(&shelf.name), "{count}: {} is missing\n{first}", shelf.name);
        }
        let total: u64 = shown.shown().iter().map(|shelf| shelf.topic.count).sum();
        assert_eq!(total, count as u64, "every memory stands on one shelf");
        let named = shown.shown().iter().filter(|shelf| shelf.name != OTHER).map(|shelf| shelf.topic.count);
        assert!(named.sum::<u64>() * 10 >= total * 7, "{:?}", shown.shown());
        assert!(second.contains("Decisions\n- ") && second.contains("Learnt\n- "), "{second}");
        assert!(second.contains("lokid show ID"), "{second}");
    }
}

#[test]
fn a_crowd_of_long_names_in_any_script_does_not_break_the_bound() {
    for letter in ["名", "é", "Ω", "x_", "9a-"] {
        let crowd = (0..3_000).map(|number| Memory {
            tags: vec![format!("{}{}", letter.repeat(30), char::from_u32(0x4e00 + number as u32 % 400).unwrap())],
            ..memory(number, Kind::Decision, format!("{} {number}", "名".repeat(200)), 0)
        });
        let snapshot = snapshot(crowd);
        let first = index_words(&snapshot);
        let second = timeline_text(&snapshot, &Namespace::default(), &limits(), &Arrangement::default(), at(1));
        assert!(token::estimate(&first) <= 100 && token::estimate(&second) <= 500, "{first}\n{second}");
        assert!(first.contains("3000 memories"), "{first}");
    }
}

#[test]
fn the_first_layer_is_the_same_whatever_the_order_the_memories_came_in() {
    let mut memories: Vec<Memory> = store(500).memories().map(|memory| memory.as_ref().clone()).collect();
    let forward = index_words(&snapshot(memories.clone()));
    memories.reverse();
    assert_eq!(index_words(&snapshot(memories)), forward);
}

#[test]
fn one_more_memory_does_not_rename_the_topics() {
    let names = |snapshot: &Snapshot| -> Vec<String> {
        let mut names: Vec<String> = shelves(snapshot).shown().iter().map(|shelf| shelf.name.clone()).collect();
        names.sort();
        names
    };
    let snapshot = store(2_000);
    let before = names(&snapshot);
    let mut next = snapshot.clone();
    for number in 0..20 {
        let mut made = memory(900_000 + number, Kind::Note, format!("new {number}"), 301);
        made.anchors.files = vec![format!("src/fresh{number}/new.rs")];
        next.apply(&Change::Put { before: None, after: Arc::new(made) });
    }
    assert_eq!(names(&next), before);
}

#[test]
fn a_module_that_would_hold_nearly_everything_is_taken_apart() {
    let files = ["flask/app.py", "flask/cli.py", "flask/json/provider.py"];
    let snapshot = snapshot((0..30).map(|number| {
        let mut made = memory(number, Kind::Note, format!("x {number}"), 0);
        made.anchors.files = vec![format!("src/{}", files[number % 3])];
        made
    }));
    let names: Vec<String> = shelves(&snapshot).shown().iter().map(|shelf| shelf.name.clone()).collect();
    assert_eq!(names, ["flask/app", "flask/cli", "flask/json"]);
}

#[test]
fn tests_stand_with_the_module_they_test() {
    let place = |number, file: &str| {
        let mut made = memory(number, Kind::Note, format!("x {number}"), 0);
        made.anchors.files = vec![file.to_owned()];
        made
    };
    let snapshot = snapshot([place(0, "src/auth/a.rs"), place(1, "tests/auth/b.rs"), place(2, "tests/smoke.rs")]);
    let shelves = shelves(&snapshot);
    let counts: Vec<(&str, u64)> =
        shelves.shown().iter().map(|shelf| (shelf.name.as_str(), shelf.topic.count)).collect();
    assert_eq!(counts, [("auth", 2), ("tests", 1)]);
    assert_eq!(shelves.shelf_of("tests/auth/b"), "auth");
    assert!(shelves.holds("auth", "tests/auth/b") && shelves.holds("lokid-tests", "tests/auth/b"));
    assert!(!shelves.holds("aut", "auth/a"));
}

#[test]
fn of_many_memories_one_alone_is_no_topic_unless_it_is_the_only_one_left() {
    let place = |number, file: &str| {
        let mut made = memory(number, Kind::Note, format!("x {number}"), 0);
        made.anchors.files = vec![file.to_owned()];
        made
    };
    let crowd = |alone: &[&str]| {
        let many = (0..60).map(|number| place(number, ["src/auth/a.rs", "src/ui/b.rs", "src/mail/c.rs"][number % 3]));
        let alone = alone.iter().enumerate().map(|(number, file)| place(100 + number, file));
        let snapshot = snapshot(many.chain(alone));
        shelves(&snapshot).shown().iter().map(|shelf| shelf.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(crowd(&["src/one.rs", "src/two.rs"]), ["auth", "mail", "ui", OTHER]);
    assert_eq!(crowd(&["src/one.rs"]), ["auth", "mail", "ui", "one"]);
}

#[test]
fn the_timeline_tells_what_happened_once_and_with_its_day() {
    let told = |number, kind, text: &str, day| memory(number, kind, text.to_owned(), day);
    let section = told(3, Kind::Note, "Sections of a guide did not happen", 200);
    let mut earlier = told(4, Kind::Decision, "Trunk only", 200);
    earlier.times.valid_at = at(-300);
    let mut snapshot = snapshot([
        told(1, Kind::Decision, "Improvements from review", 2),
        told(2, Kind::Decision, "Improvements from review", 1),
        section.clone(),
        earlier,
        told(5, Kind::Note, "Dana told us", 100),
        told(6, Kind::Learning, "The mean of nothing is zero", 50),
    ]);
    snapshot.set_derived(&section.key(), true);
    let text = timeline_text(&snapshot, &Namespace::default(), &limits(), &Arrangement::default(), at(400));
    assert!(!text.contains("Sections of a guide"), "{text}");
    assert_eq!(text.matches("Improvements from review").count(), 1, "{text}");
    assert!(text.contains("- 2025-03-07 Trunk only") && text.contains("- 2026-04-11 Dana told us"), "{text}");
    assert!(text.contains("The mean of nothing is zero"), "{text}");
}

#[test]
fn an_arrangement_joins_topics_orders_them_by_use_and_shortens_the_timeline() {
    let snapshot = store(300);
    let arrangement = Arrangement {
        composites: vec![("auth+api".to_owned(), vec!["auth".to_owned(), "api".to_owned()])],
        by_use: Some([("metrics".to_owned(), 9.0), ("ui/table".to_owned(), 2.0)].into()),
        timeline_days: Some(30),
    };
    let plain = shelves(&snapshot);
    let arranged = TopicGroups::of(&snapshot, &Namespace::default(), 12, &arrangement);
    let count = |shelves: &TopicGroups, wanted: &[&str]| -> u64 {
        let own = shelves.shown().iter().filter(|shelf| wanted.iter().any(|name| shelf.name == *name));
        own.map(|shelf| shelf.topic.count).sum()
    };
    assert_eq!(count(&arranged, &["auth+api"]), count(&plain, &["auth", "api"]));
    let names: Vec<&str> = arranged.shown().iter().map(|shelf| shelf.name.as_str()).collect();
    assert_eq!(names[..2], ["metrics", "ui"]);
    let opened = expand(&snapshot, &arranged, "auth+api", 2_000, at(400));
    assert!(opened.iter().all(|memory| ["auth", "api"].iter().any(|name| name_of(memory).contains(name))));
    let timeline = timeline(&snapshot, &Namespace::default(), &limits(), &arrangement, at(299));
    let dates = timeline["key_decisions"].as_array().unwrap().iter().map(|entry| entry["date"].as_str().unwrap());
    let dates: Vec<&str> = dates.collect();
    assert!(!dates.is_empty() && dates.iter().all(|date| *date >= at(269).day().as_str()), "{dates:?}");
}

#[test]
fn what_loki_mode_says_stays_in_the_document_and_is_told_where_there_is_room() {
    let mut small = store(3);
    let act = json!({"id": "act", "summary": "Fix login", "episode_ids": ["ep-1"]});
    let neighbour =
        Neighbour { topics: vec![act.clone(), json!({"id": "empty", "summary": ""})], ..Neighbour::default() };
    small.set_neighbour(Namespace::default(), neighbour.clone());
    let text = index_words(&small);
    assert!(text.ends_with("- Loki Mode, act: Fix login\n</lokid-memory>"), "{text}");
    let mut large = store(5_000);
    large.set_neighbour(Namespace::default(), neighbour);
    assert!(token::estimate(&index_words(&large)) <= 100);
    let document = index(&large, &Namespace::default(), &limits(), &Arrangement::default(), at(0));
    assert_eq!(document["topics"][0], act);
    assert_eq!(document["topics"].as_array().unwrap().len(), 14);
}

#[test]
fn every_entry_of_the_timeline_names_a_topic_of_the_index() {
    let snapshot = store(1_000);
    let documents = compose(
        &snapshot,
        &Namespace::default(),
        &limits(),
        &Arrangement::default(),
        &Neighbour::default(),
        at(400),
        true,
    );
    let ids: Vec<&Value> = documents.index["topics"].as_array().unwrap().iter().map(|topic| &topic["id"]).collect();
    let days = documents.days.unwrap();
    let days = days["days"].as_object().unwrap().values().flat_map(|day| day.as_array().unwrap());
    let actions = documents.timeline["recent_actions"].as_array().unwrap();
    let decisions = documents.timeline["key_decisions"].as_array().unwrap();
    assert!(actions.iter().chain(decisions).chain(days).all(|entry| ids.contains(&&entry["topic_id"])));
}

#[test]
fn an_opened_topic_begins_with_what_binds_then_decisions_patterns_and_learnings() {
    let made = |number, kind, tier, importance| Memory {
        tags: vec!["auth".to_owned()],
        tier,
        importance,
        ..memory(number, kind, format!("text {number}"), 0)
    };
    let reference = Tier::Reference;
    let hidden = Memory { status: Status::Unverified, ..made(8, Kind::Decision, Tier::Mandate, 1.0) };
    let snapshot = snapshot([
        made(1, Kind::Episode, reference, 1.0),
        made(2, Kind::Learning, reference, 0.5),
        made(3, Kind::Decision, reference, 0.3),
        made(4, Kind::Decision, reference, 0.9),
        made(5, Kind::AntiPattern, reference, 0.5),
        made(6, Kind::Note, Tier::Guardrail, 0.1),
        made(7, Kind::Note, Tier::Mandate, 0.1),
        hidden,
    ]);
    let numbers = |budget| -> Vec<usize> {
        let opened = expand(&snapshot, &shelves(&snapshot), "auth", budget, at(1));
        opened.iter().map(|memory| memory.text[5..].parse().unwrap()).collect()
    };
    assert_eq!(numbers(1_000), [7, 6, 4, 3, 5, 2, 1]);
    assert_eq!(numbers(2 * token::estimate("text 7")), [7, 6]);
    assert_eq!(numbers(0), [0_usize; 0]);
    assert!(expand(&snapshot, &shelves(&snapshot), "nowhere", 1_000, at(1)).is_empty());
}
