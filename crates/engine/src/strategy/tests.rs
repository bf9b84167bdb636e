//! Questions, sessions and nights of a project, down to the files.

use serde_json::Value;

use super::*;
use lokid_model::MemoryId;
use lokid_model::time::DAY;

const CONFIGURED: RecallConfig = RecallConfig::DESIGN;

struct Lab {
    root: tempfile::TempDir,
    strategy: Strategy,
}

impl Lab {
    fn new() -> Lab {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join(".loki")).unwrap();
        let strategy = Lab::open(root.path());
        Lab { root, strategy }
    }

    fn open(root: &std::path::Path) -> Strategy {
        let place = StrategyPlace { root: root.to_owned(), loki: ".loki".into(), writer: "0a1b".to_owned() };
        Strategy::open(Some(place), Some(root.join("state/strategy.json")))
    }

    fn ask(&self, session: &str, query: &str, returned: &[(&str, Scope)], now: Timestamp) -> Chosen {
        let task = TaskType::Debugging;
        let chosen = self.strategy.choose(task, &CONFIGURED, true, Some(session), query, now);
        let returned = returned.iter().map(|(id, scope)| (key(id), *scope)).collect();
        let given = GivenAnswer {
            session: Some(session),
            namespace: &Namespace::default(),
            task,
            query,
            k: 5,
            arms: Arms::default(),
            returned,
            took_us: 7,
        };
        self.strategy.record(&chosen, given, now);
        chosen
    }

    fn log(&self, now: Timestamp) -> Vec<Value> {
        self.strategy.flush(now).unwrap();
        let path = self.root.path().join(format!(".loki/metrics/memory-strategy/{}.0a1b.jsonl", now.day()));
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn key(id: &str) -> Key {
    Key::new(&Namespace::default(), &MemoryId::new(id).unwrap())
}

fn on(day: i64) -> Timestamp {
    Timestamp::from_micros((20_000 + day) * DAY)
}

#[test]
fn without_learning_the_weights_are_as_configured_and_the_log_is_kept() {
    let lab = Lab::new();
    for number in 0..100 {
        let query = number.to_string();
        let chosen = lab.strategy.choose(TaskType::Review, &CONFIGURED, false, None, &query, on(0));
        assert_eq!((chosen.profile, chosen.weights), (Profile::Default, CONFIGURED));
    }
    assert_eq!(lab.strategy.night(false, on(1)), []);
    lab.ask("s", "why", &[], on(0));
    assert_eq!(lab.log(on(0)).len(), 1);
}

#[test]
fn the_same_question_is_asked_the_same_way_all_day() {
    let lab = Lab::new();
    let choose = |session: &str, query: &str| {
        lab.strategy.choose(TaskType::Review, &CONFIGURED, true, Some(session), query, on(0))
    };
    let mut met = BTreeSet::new();
    for number in 0..200 {
        let query = number.to_string();
        let (one, two) = (choose("s", &query), choose("s", &query));
        assert_eq!(one.profile, two.profile);
        assert_ne!(one.id, two.id);
        assert_eq!(one.weights, one.profile.weights(&CONFIGURED));
        met.insert(one.profile);
    }
    assert_eq!(met.len(), Profile::ALL.len(), "others are tried");
}

#[test]
fn a_recall_has_helped_if_anything_it_returned_was_cited() {
    let (lab, now) = (Lab::new(), on(0));
    let shared = Scope::ProjectShared;
    let first = lab.ask("s", "one secret word", &[("n-1", shared), ("p-1", Scope::UserPrivate)], now);
    let second = lab.ask("s", "two", &[("n-2", shared)], now);
    let third = lab.ask("s", "three", &[], now);
    lab.ask("other", "four", &[("n-1", shared)], now);
    let cited = [key("n-1"), key("p-1"), key("n-9")];
    lab.strategy.judge("s", Some(&cited), Some(Outcome::Success), now);
    let log = lab.log(now);
    assert_eq!(log.len(), 7);
    assert_eq!(log[0]["returned"], serde_json::json!(["n-1"]));
    assert_eq!(log[0]["unnamed"], 1);
    let outcome = |at: usize| (log[at]["recall"].as_str(), log[at]["helped"].as_bool(), log[at]["cited"].to_string());
    assert_eq!(outcome(4), (Some(first.id.as_str()), Some(true), "[\"n-1\"]".to_owned()));
    assert_eq!(outcome(5), (Some(second.id.as_str()), Some(false), "[]".to_owned()));
    assert_eq!(outcome(6), (Some(third.id.as_str()), None, "[]".to_owned()));
    assert_eq!(log[4]["outcome"], "success");
    let text = log.iter().map(Value::to_string).collect::<String>();
    assert!(!text.contains("p-1") && !text.contains("secret"), "{text}");
    // A session is judged once.
    lab.strategy.judge("s", Some(&cited), None, now);
    assert_eq!(lab.log(now).len(), 7);
}

#[test]
fn who_never_says_what_it_applied_is_no_evidence() {
    let lab = Lab::new();
    for number in 0..50 {
        lab.ask("s", &number.to_string(), &[("n-1", Scope::ProjectShared)], on(0));
    }
    let before = lab.strategy.learner.read().clone();
    lab.strategy.judge("s", None, Some(Outcome::Failure), on(0));
    assert_eq!(*lab.strategy.learner.read(), before);
    assert_eq!(lab.log(on(0)).len(), 100);
}

#[test]
fn what_helps_is_used_more_and_survives_a_restart() {
    let mut lab = Lab::new();
    let helpful = [key("good")];
    for day in 0..12 {
        for number in 0..60 {
            let session = format!("{day} {number}");
            let chosen = lab.strategy.choose(TaskType::Debugging, &CONFIGURED, true, Some(&session), "q", on(day));
            let found = if chosen.profile == Profile::Keyword { "good" } else { "bad" };
            lab.ask(&session, "q", &[(found, Scope::ProjectShared)], on(day));
            lab.strategy.judge(&session, Some(&helpful), None, on(day));
        }
        lab.strategy.night(true, on(day));
        lab.strategy.flush(on(day)).unwrap();
        lab.strategy = Lab::open(lab.root.path());
    }
    let share = |profile: Profile| lab.strategy.shares(TaskType::Debugging)[profile as usize].1;
    assert!(share(Profile::Keyword) > 0.4, "{:?}", lab.strategy.shares(TaskType::Debugging));
    assert!(lab.log(on(11)).iter().any(|line| line["step"] == "shifted" && line["task_type"] == "debugging"));
}
