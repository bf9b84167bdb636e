//! Every length of every sort of memory.

use proptest::prelude::*;

use super::*;
use lokid_model::{AntiPattern, Episode, EpisodeError, Kind, Learning, MemoryId, Outcome, Pattern, Skill, Timestamp};

fn memory(text: &str) -> Memory {
    Memory::new(MemoryId::new("n").unwrap(), Kind::Note, text, Timestamp::from_micros(0))
}

fn with(body: Body) -> Memory {
    let mut memory = memory(&render::text_of(&body));
    memory.body = body;
    memory
}

#[test]
fn a_short_memory_is_the_same_at_every_length() {
    let memory = memory("Tabs, not spaces.");
    for level in Level::ALL {
        assert_eq!(at_level(&memory, *level), "Tabs, not spaces.");
    }
}

#[test]
fn a_long_memory_is_cut_where_a_sentence_ends() {
    let long = memory(&format!("{} Second sentence. {}", "First one here.", "word ".repeat(200)));
    let compressed = at_level(&long, Level::Compressed);
    assert!(compressed.chars().count() <= COMPRESSED_CHARS + 1, "{compressed}");
    let sentences = memory(&"This is a sentence of some length, no more. ".repeat(20));
    assert!(at_level(&sentences, Level::Summary).ends_with("no more."));
}

#[test]
fn what_somebody_wrote_for_a_length_is_used() {
    let mut memory = memory("long text");
    memory.shorter.index = Some("short".into());
    assert_eq!(at_level(&memory, Level::Index), "short");
}

#[test]
fn what_was_made_from_another_text_is_not() {
    let mut memory = memory(&"The old text says this at some length. ".repeat(20));
    let made = at_level(&memory, Level::Summary).into_owned();
    lengths::put_made(&mut memory, vec![(Level::Summary, made.clone())]);
    assert!(matches!(at_level(&memory, Level::Summary), Cow::Borrowed(text) if text == made));
    memory.text = "New.".into();
    assert_eq!(at_level(&memory, Level::Summary), "New.");
}

const STORY: &str = "Last week we had a meeting about the login. Many people came and there was cake. \
    The weather was fine and the room was full. We switched the auth layer from JWT to server-side sessions because the \
    tokens were too large for cookies. Somebody asked about lunch. Sessions live in Redis with a TTL of 3600 seconds. \
    The old middleware in `src/auth/jwt.rs` must never be used again. It was a long day for everybody in the room. \
    The root cause of the outage was a missing index on `sessions.user_id`. Afterwards we went home and rested a while.";

#[test]
fn a_summary_keeps_what_decides_explains_and_names() {
    let memory = memory(STORY);
    let summary = told(&memory, Level::Summary);
    for kept in ["JWT to server-side sessions", "3600", "`src/auth/jwt.rs`", "root cause"] {
        assert!(summary.contains(kept), "{kept}: {summary}");
    }
    for left in ["cake", "lunch", "weather", "home"] {
        assert!(!summary.contains(left), "{left}: {summary}");
    }
}

#[test]
fn a_change_is_told_in_one_line() {
    let memory = memory(STORY);
    assert_eq!(told(&memory, Level::Compressed), "auth layer: JWT→server-side sessions (tokens too large for cookies)");
    assert_eq!(told(&memory, Level::Index), "auth layer: JWT→server-side sessions");
}

#[test]
fn what_has_parts_has_forms_of_its_own() {
    let check = |body: Body, outcome, expected: &str| {
        let mut memory = with(body);
        memory.outcome = outcome;
        assert_eq!(told(&memory, Level::Compressed), expected);
    };
    let error = EpisodeError {
        kind: "timeout".into(),
        message: "the login test timed out after thirty seconds of waiting for the mail server".into(),
        resolution: "mocked the mail server in the fixture".into(),
    };
    let goal = "Make the login tests of the web client pass on the build server again".to_owned();
    let episode = Episode { goal, errors: vec![error], ..Episode::default() };
    check(
        Body::Episode(Box::new(episode)),
        Some(Outcome::Success),
        "Make login tests of web client pass on build server again → success; ✗ login test timed out after… → mocked mail \
         server in fixture",
    );
    check(
        Body::Learning(Box::new(Learning {
            error: "error[E0382]: borrow of moved value: `config`".into(),
            cause: "the config is moved into the closure of the thread".into(),
            fix: "clone the Arc before the closure and move the clone".into(),
            ..Learning::default()
        })),
        None,
        "error[E0382]: borrow of moved value: `config` ← config moved into closure of thread → clone Arc before closure and \
         move clone",
    );
    check(
        Body::AntiPattern(Box::new(AntiPattern {
            what_fails: "Sleeping in tests until the server is up".into(),
            why: "the build server is slower than any laptop".into(),
            prevention: "wait for the line that says it listens".into(),
            ..AntiPattern::default()
        })),
        None,
        "✗ Sleeping in tests until server up (build server slower than any laptop) → wait for line says listens",
    );
    check(
        Body::Pattern(Box::new(Pattern {
            pattern: "Errors of handlers are mapped in one place".into(),
            conditions: vec!["axum handlers".into()],
            correct_approach: "implement IntoResponse for the error of the crate".into(),
            incorrect_approach: "match on the error in every handler".into(),
            ..Pattern::default()
        })),
        None,
        "Errors of handlers mapped in one place [axum handlers]: implement IntoResponse for error of crate, not match on \
         error in every handler",
    );
    check(
        Body::Skill(Box::new(Skill {
            name: "release".into(),
            description: "How a release of the command line tool is made and published".into(),
            steps: ["bump the version", "run the whole test suite", "tag the commit", "push the tag"]
                .map(String::from)
                .into(),
            ..Skill::default()
        })),
        None,
        "release: bump version → run whole test suite → tag commit → push tag",
    );
}

#[test]
fn no_length_is_longer_than_the_one_above_whoever_wrote_it() {
    for kind in [Kind::Workflow, Kind::CodePattern, Kind::Decision, Kind::Note] {
        let mut memory = memory(&format!("ci: npm ci→lint→test→build\n{}", "1. npm ci\n2. npm run lint\n".repeat(8)));
        memory.kind = kind;
        memory.shorter.summary = Some("ci: npm ci→lint→test→build".into());
        for level in [Level::Summary, Level::Compressed] {
            assert_eq!(at_level(&memory, level), "ci: npm ci→lint→test→build", "{kind:?}");
            assert_eq!(made(&memory, level), "ci: npm ci→lint→test→build", "{kind:?}");
        }
    }
}

#[test]
fn steps_causes_and_choices_are_one_line() {
    let mut ci =
        memory("How a pull request is checked\n1. `npm ci`\n2. `npm run lint`\n3. `npm run test`\n4. `npm run build`");
    (ci.kind, ci.title) = (Kind::Workflow, "ci".into());
    assert_eq!(made(&ci, Level::Compressed), "ci: npm ci→lint→test→build");
    let check = |text: &str, expect: &str| assert_eq!(made(&memory(text), Level::Compressed), expect);
    check("We use Result types instead of try-catch.", "try-catch→Result types");
    check("The cache is written in the background.", "cache written in background");
    let utc = "The nightly report test failed on the build server. It failed because dates were parsed in local time. \
        We looked at it for a while and compared the machines. Fixed by parsing everything as UTC and adding a test. \
        Afterwards the whole team had lunch and the weather was fine.";
    check(utc, "dates parsed in local time → parsing everything as UTC and adding test");
    assert!(made(&memory(utc), Level::Summary).contains("UTC"), "{}", made(&memory(utc), Level::Summary));
}

#[test]
fn other_scripts_are_shortened_too() {
    let japanese = "認証をJWTからセッションに変更した。理由はトークンが大きすぎるため。".repeat(12);
    let russian = "Сборка падает, потому что не хватает памяти. Мы увеличили лимит до 4 ГБ. ".repeat(12);
    let arabic = "فشل البناء بسبب نقص الذاكرة. رفعنا الحد إلى أربعة جيجابايت. ".repeat(12);
    for text in [japanese, russian, arabic, "字".repeat(5_000), "👩‍👩‍👧".repeat(900)] {
        assert_shrinks(&memory(&text));
        assert!(!told(&memory(&text), Level::Index).is_empty());
    }
}

#[test]
fn a_megabyte_is_soon_read() {
    for part in ["word ", "x", "a. ", "replaced ", "from to ", "`", "because ", "é", "\n", "```\n"] {
        assert_shrinks(&memory(&part.repeat((1 << 20) / part.len())));
    }
}

fn assert_shrinks(memory: &Memory) {
    let chars = |level| told(memory, level).chars().count();
    let [full, summary, compressed, index] = [Level::Full, Level::Summary, Level::Compressed, Level::Index].map(chars);
    assert!(summary <= full.min(SUMMARY_CHARS), "{summary} of {full}");
    assert!(compressed <= summary.min(COMPRESSED_CHARS), "{compressed} of {summary}");
    assert!(index <= compressed.min(INDEX_CHARS), "{index} of {compressed}");
}

fn bodies() -> impl Strategy<Value = Body> {
    let text = || "(?s).{0,120}";
    let some = || prop::collection::vec(text(), 0..5);
    prop_oneof![
        Just(Body::None),
        (text(), text(), text()).prop_map(|(kind, message, resolution)| {
            let errors = vec![EpisodeError { kind: kind.clone(), message, resolution }];
            Body::Episode(Box::new(Episode { goal: kind, errors, ..Episode::default() }))
        }),
        (text(), text(), text(), some()).prop_map(|(pattern, correct_approach, incorrect_approach, conditions)| {
            let body = Pattern { pattern, correct_approach, incorrect_approach, conditions, ..Pattern::default() };
            Body::Pattern(Box::new(body))
        }),
        (text(), text(), some()).prop_map(|(name, description, steps)| {
            Body::Skill(Box::new(Skill { name, description, steps, ..Skill::default() }))
        }),
        (text(), text(), text()).prop_map(|(error, cause, fix)| {
            Body::Learning(Box::new(Learning { error, cause, fix, ..Learning::default() }))
        }),
    ]
}

proptest! {
    #[test]
    fn every_length_is_no_longer_than_the_one_before(text in "(?s).{0,900}", body in bodies()) {
        assert_shrinks(&memory(&text));
        assert_shrinks(&with(body));
    }

    #[test]
    fn sentences_shrink_as_well(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "we", "switched", "from", "JWT", "to", "sessions", "because", "replaced", "with", "instead of", "use", "the",
                "size.", "Redis", "`code span`", "\n- ", "。", "42", "e.g.", "fix", "É", "```\n",
            ]),
            0..120,
        ),
        written in prop::option::of("[a-z ]{0,30}"),
    ) {
        let mut memory = memory(&words.join(" "));
        assert_shrinks(&memory);
        memory.shorter.summary = written;
        let chars = |level| told(&memory, level).chars().count();
        if memory.text.trim().chars().count() > SHORT_CHARS {
            prop_assert!(chars(Level::Compressed) <= chars(Level::Summary));
        }
    }
}
