//! The same on the command line, with a daemon and without one.

use serde_json::{Value, json};

use super::{ask, begin, note, remember, settled};
use crate::eyes::lab::Lab;

const DIRECTLY: &str = "reading directly";

fn prepare(lab: &mut Lab) {
    for at in 0..5 {
        lab.write("src/auth.py", format!("import token_store\nx = {at}\n"));
        lab.write("tests/test_auth.py", format!("import auth\ny = {at}\n"));
        lab.commit(&format!("Count login attempts, part {at}"));
    }
    begin(lab);
    note(lab, "n-attempts", "Login attempts are counted per address.", &["src/auth.py"]);
    remember(lab, json!({"id": "a-log", "kind": "anti_pattern", "text": "Logging the password of a failed login."}));
    settled(lab);
}

/// What differs from one time to the next is no part of it.
fn without_chance(mut answer: Value) -> Value {
    answer.as_object_mut().unwrap().retain(|name, _| name != "took_us" && name != "prefetched");
    answer
}

/// Each command with words that must be in what it says.
const COMMANDS: &[(&[&str], &[&str])] = &[
    (
        &["context", "--file", "src/auth.py"],
        &["Login attempts are counted per address.", "For: src/auth.py", " tokens ("],
    ),
    (&["context", "--file", "src/auth.py", "--explain"], &["n-attempts", "anchored to src/auth.py"]),
    (&["context", "--task", "fix the login"], &["Task: debugging", "password of a failed login"]),
    (&["context", "--relevant", "login attempts"], &["2 memories by topic", "Login attempts are counted", " tokens; "]),
    (&["predict", "src/auth.py"], &["Files", "tests/test_auth.py", "Memories", "n-attempts"]),
    (&["predict", "--goal", "count login attempts"], &["n-attempts"]),
    (&["economics"], &["finding", "reading", "saved", "against loading everything"]),
];

#[test]
fn the_commands_say_the_same_with_a_daemon_and_without_one() {
    let mut lab = Lab::new();
    prepare(&mut lab);
    let mut said = Vec::new();
    for (command, words) in COMMANDS {
        let told = lab.home.run(command).succeeded();
        assert!(!told.err.contains(DIRECTLY), "{told:?}");
        let told = words.iter().fold(told, |told, word| told.says(word));
        said.push(told.out);
    }
    lab.stop();
    for ((command, words), before) in COMMANDS.iter().zip(said) {
        let told = lab.home.run(command).succeeded();
        assert!(told.err.contains(DIRECTLY), "{told:?}");
        let told = words.iter().fold(told, |told, word| told.says(word));
        if command[0] == "context" {
            assert_eq!(told.out, before, "{command:?}");
        }
    }
}

#[test]
fn json_is_the_answer_of_the_socket() {
    let mut lab = Lab::new();
    prepare(&mut lab);
    let json_of = |arguments: &[&str]| {
        let arguments = [&["--json"], arguments].concat();
        lab.home.run(&arguments).succeeded().json()
    };
    let body = json!({"signals": {"current_file": "src/auth.py"}, "counted": false});
    let context = without_chance(ask(&lab, "/v1/context/assemble", body));
    assert_eq!(without_chance(json_of(&["context", "--file", "src/auth.py"])), context);
    let predicted = without_chance(ask(&lab, "/v1/context/predict", json!({"file_opened": "src/auth.py"})));
    assert_eq!(without_chance(json_of(&["predict", "src/auth.py"])), predicted);
    let task = json_of(&["context", "--task", "fix the login"]);
    assert_eq!(task["detected_task_type"], "debugging");
    let weights =
        ["episodic", "semantic", "skills", "anti_patterns"].map(|name| task["weights"][name].as_f64().unwrap());
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{task:#}");
    assert!(json_of(&["context", "--relevant", "login"])["layers"].as_array().unwrap().len() == 3);
    assert_eq!(json_of(&["economics"]), lab.get("/v1/economics"));
    lab.home.run(&["context", "--json", "--session", "s", "--block"]).succeeded();
    let block = json_of(&["context", "--session", "s", "--block"]);
    assert_eq!(block["context"], ask(&lab, "/v1/context/session", json!({"session_id": "s"}))["context"]);
}

#[test]
fn the_share_that_was_saved_is_the_one_of_the_ledger() {
    let mut lab = Lab::new();
    prepare(&mut lab);
    lab.get("/v1/index?session_id=one");
    let saved = lab.get("/v1/economics?session_id=one")["savings_percent"].as_f64().unwrap();
    assert!(saved.abs() > 1.0, "{saved}");
    lab.home
        .run(&["economics", "--session", "one"])
        .succeeded()
        .says(&format!("{saved:.1} % against loading everything"));
}

#[test]
fn what_people_read_on_the_command_line_is_not_charged() {
    let mut lab = Lab::new();
    prepare(&mut lab);
    let before = lab.get("/v1/economics");
    for (command, _) in COMMANDS {
        lab.home.run(command).succeeded();
    }
    assert_eq!(lab.get("/v1/economics"), before);
}

#[test]
fn a_command_that_is_asked_wrongly_says_so() {
    let mut lab = Lab::new();
    prepare(&mut lab);
    let nothing = lab.home.run(&["predict"]).exited(2);
    for name in ["--branch", "--error", "--author", "--goal"] {
        assert!(nothing.err.contains(name), "{nothing:?}");
    }
    lab.home.run(&["context", "--task", " "]).exited(2).says("empty");
    lab.home.run(&["context", "--activity", "sleeping"]).exited(2).says("debugging");
    lab.home.run(&["economics", "--session", "nobody"]).exited(1).says("nobody");
}
