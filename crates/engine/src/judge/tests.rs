//! The judge with real programs and a real server.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

use super::*;

const DAY: i64 = 86_400_000_000;
const NEVER: &dyn Fn() -> bool = &|| false;

fn on(day: i64) -> Timestamp {
    Timestamp::from_micros(day * DAY)
}

fn command(script: &str, max_per_day: usize) -> JudgeConfig {
    let command = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
    JudgeConfig { command, url: None, model: String::new(), max_per_day }
}

/// Answers as told and leaves a letter for every question.
fn counting(tally: &Path, answer: &str, max_per_day: usize) -> JudgeConfig {
    command(&format!("cat > /dev/null; printf x >> {}; echo {answer}", tally.display()), max_per_day)
}

fn asked(tally: &Path) -> usize {
    std::fs::read(tally).map_or(0, |letters| letters.len())
}

#[test]
fn nobody_is_asked_unless_somebody_is_named() {
    let judge = Judge::open(None);
    assert_eq!(judge.ask(&JudgeConfig { command: Vec::new(), ..command("", 9) }, "a", "b", on(1), NEVER), None);
    let lab = tempfile::tempdir().unwrap();
    let tally = lab.path().join("tally");
    assert_eq!(judge.ask(&counting(&tally, "duplicate", 0), "a", "b", on(1), NEVER), None);
    assert_eq!(asked(&tally), 0);
}

#[test]
fn a_pair_is_asked_about_once_and_its_answer_survives() {
    let lab = tempfile::tempdir().unwrap();
    let (tally, kept) = (lab.path().join("tally"), lab.path().join("judge.json"));
    let config = counting(&tally, "contradicts", 9);
    let judge = Judge::open(Some(kept.clone()));
    assert_eq!(judge.ask(&config, "tabs", "spaces", on(1), NEVER), Some(Verdict::Contradicts));
    assert_eq!(judge.ask(&config, "spaces", "tabs", on(1), NEVER), Some(Verdict::Contradicts));
    assert_eq!(Judge::open(Some(kept)).ask(&config, "tabs", "spaces", on(2), NEVER), Some(Verdict::Contradicts));
    assert_eq!(asked(&tally), 1);
    // Who babbles is not asked the same again either.
    let config = counting(&tally, "perhaps", 9);
    assert_eq!([(); 2].map(|()| judge.ask(&config, "one", "two", on(1), NEVER)), [None, None]);
    assert_eq!(asked(&tally), 2);
}

#[test]
fn a_day_has_so_many_questions_also_over_a_restart() {
    let lab = tempfile::tempdir().unwrap();
    let (tally, kept) = (lab.path().join("tally"), lab.path().join("judge.json"));
    let config = counting(&tally, "unrelated", 2);
    for number in 0..4 {
        Judge::open(Some(kept.clone())).ask(&config, "a", &format!("b{number}"), on(7), NEVER);
    }
    assert_eq!(asked(&tally), 2);
    let judge = Judge::open(Some(kept));
    assert_eq!(judge.ask(&config, "a", "b3", on(8), NEVER), Some(Verdict::Unrelated));
}

#[test]
fn what_it_is_given_says_what_is_wanted() {
    let lab = tempfile::tempdir().unwrap();
    let note = lab.path().join("input");
    let config = command(&format!("cat > {}; echo compatible", note.display()), 9);
    assert_eq!(Judge::open(None).ask(&config, "a $(id)", "b", on(1), NEVER), Some(Verdict::Compatible));
    let input = std::fs::read_to_string(note).unwrap();
    assert!(input.contains("\"a\":\"a $(id)\"") && input.contains("contradicts"), "{input}");
}

#[test]
fn who_fails_again_and_again_is_left_alone_for_a_while() {
    let lab = tempfile::tempdir().unwrap();
    let tally = lab.path().join("tally");
    let config = command(&format!("printf x >> {}; exit 1", tally.display()), 100);
    let judge = Judge::open(None);
    for number in 0..10 {
        assert_eq!(judge.ask(&config, "a", &format!("b{number}"), on(1), NEVER), None);
    }
    assert_eq!(asked(&tally), 3);
    judge.ask(&config, "a", "b", on(1).plus_micros(REST + 1), NEVER);
    assert_eq!(asked(&tally), 4);
}

#[test]
fn one_thing_is_asked_at_a_time() {
    let lab = tempfile::tempdir().unwrap();
    let door = lab.path().join("door");
    // Two at once would find the door shut.
    let script = format!("mkdir {0} || exit 1; cat > /dev/null; rmdir {0}; echo duplicate", door.display());
    let (config, judge) = (command(&script, 100), Judge::open(None));
    std::thread::scope(|scope| {
        let ask = |number: usize| judge.ask(&config, "a", &format!("b{}", number % 6), on(1), NEVER);
        let askers: Vec<_> = (0..12).map(|number| scope.spawn(move || ask(number))).collect();
        for asker in askers {
            assert_eq!(asker.join().unwrap(), Some(Verdict::Duplicate));
        }
    });
    assert_eq!(judge.state.lock().memo.budget.used, 6);
}

#[test]
fn stopping_ends_what_is_under_way_and_whoever_waits() {
    let lab = tempfile::tempdir().unwrap();
    let note = lab.path().join("began");
    let config = &command(&format!("echo > {}; exec sleep 600", note.display()), 100);
    let judge = &Judge::open(None);
    // Whoever looks sees that it has begun, and stops everything.
    let look = || {
        if note.exists() {
            judge.stop();
        }
        false
    };
    std::thread::scope(|scope| {
        for other in ["b", "c"] {
            scope.spawn(move || assert_eq!(judge.ask(config, "a", other, on(1), &look), None));
        }
    });
    assert_eq!(judge.ask(config, "a", "d", on(1), NEVER), None);
    assert_eq!(judge.state.lock().failures, 0, "nobody failed");
}

#[test]
fn a_server_is_asked_in_its_language() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = Some(format!("http://{}/v1", listener.local_addr().unwrap()));
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut heard = Vec::new();
        let mut piece = [0; 4_096];
        while !String::from_utf8_lossy(&heard).contains("\"stream\":false}") {
            let count = stream.read(&mut piece).unwrap();
            heard.extend_from_slice(&piece[..count]);
        }
        let body = r#"{"choices":[{"message":{"role":"assistant","content":"Contradicts."}}]}"#;
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        String::from_utf8(heard).unwrap()
    });
    let config = JudgeConfig { command: Vec::new(), url, model: "qwen3".to_owned(), max_per_day: 9 };
    assert_eq!(Judge::open(None).ask(&config, "tabs", "spaces", on(1), NEVER), Some(Verdict::Contradicts));
    let heard = server.join().unwrap();
    assert!(heard.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{heard}");
    assert!(heard.contains("\"model\":\"qwen3\"") && heard.contains("spaces"), "{heard}");
}
