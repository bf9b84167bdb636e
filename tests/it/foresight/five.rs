//! The five things that tell what will be needed: a file, a branch, an error, a person, a goal.

use serde_json::{Value, json};

use super::{ask, begin, note, refused, remember, settled, signal};
use crate::eyes::lab::Lab;

const TRACEBACK: &str = "Traceback (most recent call last):\n  File \"src/stats.py\", line 2, in mean\n    \
    return sum(xs) / len(xs)\nZeroDivisionError: division by zero\n";

/// Two files that change together, two that import each other and never do, and some that have nothing to do with it.
fn prepare(lab: &Lab) {
    let mut hours = 30;
    // An hour apart: what was done within the same second would be taken for one piece of work, or not.
    let mut commit = |message: &str| {
        hours -= 1;
        let time = lokid_sys::Clock::system().now().as_micros() / 1_000_000 - hours * 3_600;
        let dates = [format!("GIT_AUTHOR_DATE={time} +0000"), format!("GIT_COMMITTER_DATE={time} +0000")];
        lab.git(&["add", "-A"]);
        lab.run("env", &[&dates[0], &dates[1], "git", "commit", "-q", "-m", message]);
    };
    lab.write("src/money.py", "def rounded(x):\n    return round(x, 2)\n");
    commit("Round money");
    lab.write("src/invoice.py", "from money import rounded\n\ndef total(lines):\n    return rounded(sum(lines))\n");
    commit("Add invoices");
    lab.write("src/stats.py", "def mean(xs):\n    return sum(xs) / len(xs)\n");
    commit("Add the mean");
    for at in 0..6 {
        lab.write("src/login.py", format!("def login():\n    return {at}\n"));
        lab.write("web/form.html", format!("<p>{at}</p>\n"));
        commit(&format!("Let people sign in, part {at}"));
        lab.write("notes.txt", format!("{at}\n"));
        commit(&format!("Take notes, part {at}"));
    }
}

fn predict(lab: &Lab, body: Value) -> Value {
    let answer = ask(lab, "/v1/context/predict", body);
    for list in ["predicted_memories", "predicted_files"] {
        for found in answer[list].as_array().unwrap() {
            assert!(!found["why"].as_str().unwrap().trim().is_empty(), "{found}");
            assert!((0.0..=1.0).contains(&found["score"].as_f64().unwrap()), "{found}");
        }
    }
    let best =
        answer["predicted_memories"].as_array().unwrap().iter().chain(answer["predicted_files"].as_array().unwrap());
    let best = best.map(|found| found["score"].as_f64().unwrap()).fold(0.0, f64::max);
    assert_eq!(answer["confidence"].as_f64(), Some(best), "{answer:#}");
    answer
}

fn files(answer: &Value) -> Vec<&str> {
    answer["predicted_files"].as_array().unwrap().iter().map(|found| found["path"].as_str().unwrap()).collect()
}

#[track_caller]
fn why<'a>(answer: &'a Value, id: &str) -> &'a str {
    let found = answer["predicted_memories"].as_array().unwrap().iter().find(|found| found["id"] == id);
    found.and_then(|found| found["why"].as_str()).unwrap_or_else(|| panic!("{id} is not in {answer:#}"))
}

#[test]
fn a_file_brings_its_partners_its_imports_and_what_is_at_home_in_it() {
    let mut lab = Lab::new();
    prepare(&lab);
    begin(&mut lab);
    note(&lab, "n-form", "The form keeps the name somebody typed in.", &["src/login.py"]);
    note(&lab, "n-other", "Stamps are glued by hand.", &["post/stamp.py"]);
    settled(&lab);
    let answer = predict(&lab, json!({"file_opened": "src/login.py"}));
    assert_eq!(files(&answer)[0], "web/form.html", "{answer:#}");
    assert!(why(&answer, "n-form").contains("src/login.py"), "{answer:#}");
    assert!(!answer["predicted_memories"].to_string().contains("n-other"), "{answer:#}");

    for (opened, tied) in [("src/invoice.py", "src/money.py"), ("src/money.py", "src/invoice.py")] {
        let answer = predict(&lab, json!({"file_opened": lab.path(opened)}));
        let place = |path: &str| files(&answer).iter().position(|file| *file == path);
        assert!(place(tied).is_some_and(|at| at < 5), "{answer:#}");
        let is_behind = place("src/stats.py").is_none_or(|other| place(tied) < Some(other));
        assert!(is_behind, "an import outweighs mere nearness: {answer:#}");
    }
    assert_eq!(files(&predict(&lab, json!({"file_opened": "src/login.py", "k": 2}))).len(), 2);

    let new = predict(&lab, json!({"file_opened": "src/login_page.py"}));
    assert!(!files(&new).is_empty(), "a file nobody has seen is foretold by where it is: {new:#}");
    assert!(files(&new)[..3].contains(&"src/login.py"), "and by its name: {new:#}");
}

#[test]
fn an_error_brings_what_was_learnt_from_the_same_one() {
    let mut lab = Lab::new();
    prepare(&lab);
    lab.start();
    lab.append(".loki/logs/x.log", TRACEBACK);
    let learnt = lab.hear_memory("created", "learning");
    remember(&lab, json!({"id": "l-other", "kind": "learning", "text": "The printer jams when it is damp."}));
    settled(&lab);
    let answer = predict(&lab, json!({"error": TRACEBACK}));
    assert_eq!(answer["predicted_memories"][0]["id"], learnt.as_str(), "{answer:#}");
    assert!(why(&answer, &learnt).contains("same error"), "{answer:#}");
    let named = &answer["predicted_files"][0];
    assert_eq!(
        (&named["path"], &named["why"]),
        (&json!("src/stats.py"), &json!("named in the error, line 2")),
        "{answer:#}"
    );
    let once_more = TRACEBACK.replace("line 2", "line 40").replace("src/stats.py", "./src/stats.py");
    let answer = predict(&lab, json!({"error": once_more}));
    assert_eq!(answer["predicted_memories"][0]["id"], learnt.as_str(), "another line is the same failure: {answer:#}");
}

#[test]
fn a_branch_a_person_and_a_goal_bring_what_is_about_them() {
    let mut lab = Lab::new();
    prepare(&lab);
    begin(&mut lab);
    note(&lab, "n-export", "Invoices are exported as CSV with a header line.", &["src/invoice.py"]);
    remember(
        &lab,
        json!({"id": "d-taste", "kind": "decision", "actor": "Grace Hopper",
        "text": "Grace Hopper prefers small functions with a name that says what they do."}),
    );
    note(&lab, "n-attempts", "Login attempts are counted per address.", &["src/login.py"]);
    note(&lab, "n-birds", "Herons nest at the pond behind the office.", &[]);
    settled(&lab);

    let branch = predict(&lab, json!({"branch": "feature/export-invoices"}));
    assert!(why(&branch, "n-export").contains("export-invoices"), "{branch:#}");
    assert!(files(&branch).contains(&"src/invoice.py"), "{branch:#}");
    let person = predict(&lab, json!({"author": "Grace Hopper"}));
    assert_eq!(person["predicted_memories"][0]["id"], "d-taste", "{person:#}");
    assert!(why(&person, "d-taste").contains("Grace"), "{person:#}");
    let goal = predict(&lab, json!({"goal": "let people sign in after three login attempts"}));
    assert!(why(&goal, "n-attempts").contains("goal"), "{goal:#}");
    assert!(files(&goal).contains(&"src/login.py"), "{goal:#}");
    for answer in [&branch, &person, &goal] {
        assert!(answer["predicted_memories"][0]["id"] != "n-birds", "{answer:#}");
    }
    let elsewhere = predict(&lab, json!({"author": "Grace Hopper", "namespace": "elsewhere"}));
    assert_eq!(elsewhere["predicted_memories"], json!([]));
}

#[test]
fn what_is_asked_is_not_drowned_by_what_the_working_tree_was_busy_with() {
    let mut lab = Lab::new();
    prepare(&lab);
    begin(&mut lab);
    settled(&lab);
    signal(&lab, json!({"type": "file_opened", "path": "web/form.html", "session_id": "s"}));
    let goal = predict(&lab, json!({"goal": "round the money", "session_id": "s"}));
    assert_eq!(goal["predicted_files"][0]["path"], "src/money.py", "{goal:#}");
    assert!(!files(&goal).contains(&"src/login.py"), "it changes with the open file, not with money: {goal:#}");
}

#[test]
fn a_question_about_nothing_is_told_what_can_be_asked() {
    let mut lab = Lab::new();
    begin(&mut lab);
    for body in [json!({}), json!({"k": 3}), json!({"file_opened": "", "goal": "  "})] {
        let detail = refused(&lab, "/v1/context/predict", body).detail();
        for name in ["file_opened", "branch", "error", "author", "goal"] {
            assert!(detail.contains(name), "{name} is not in {detail}");
        }
    }
    for k in [json!(0), json!(101), json!(-1), json!("ten")] {
        let detail = refused(&lab, "/v1/context/predict", json!({"goal": "x", "k": k})).detail();
        assert!(detail.contains('k'), "{detail}");
    }
}
