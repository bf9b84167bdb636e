//! Linked working trees, and paths as editors and agents send them.

use serde_json::{Value, json};

use super::{ask, begin, ids, note, ready_context, said, settled, signal};
use crate::eyes::lab::Lab;
use crate::home::eventually_some;

fn prepare(lab: &mut Lab) -> String {
    lab.write("src/auth.rs", "pub fn login() {}\n");
    lab.write("src/pay.rs", "pub fn pay() {}\n");
    lab.commit("Begin");
    let tree = lab.home.path("side").display().to_string();
    lab.git(&["worktree", "add", "-q", &tree, "-b", "side"]);
    begin(lab);
    note(lab, "n-auth", "The login form posts to the gateway.", &["src/auth.rs"]);
    note(lab, "n-pay", "Payments are rounded half to even.", &["src/pay.rs"]);
    settled(lab);
    eventually_some(|| {
        let trees = lab.project()["watch"]["trees"].clone();
        trees.as_array().unwrap().iter().any(|watched| *watched == json!(tree)).then_some(())
    });
    tree
}

fn is_for(lab: &Lab, project: &str, file: &str) -> bool {
    said(&ask(lab, "/v1/context/assemble", json!({"project": project}))).contains(&format!("For: {file}\n"))
}

#[track_caller]
fn until_for(lab: &Lab, project: &str, file: &str) {
    eventually_some(|| is_for(lab, project, file).then_some(()));
}

#[test]
fn a_linked_working_tree_stays_apart_from_the_main_one() {
    let mut lab = Lab::new();
    let side = prepare(&mut lab);
    let main = lab.path("").display().to_string();
    lab.run("cat", &["src/auth.rs"]);
    until_for(&lab, &main, "src/auth.rs");
    let folder = lab.home.path("side");
    lab.run_in(&folder, "cat", &["src/pay.rs"]);
    let ready = lab.hear("a context for the linked tree", |event| {
        event["kind"] == "prefetch" && event["data"]["for"] == json!(side) && event["data"]["path"] == "src/pay.rs"
    });
    assert!(ready["data"]["items"].as_u64() >= Some(1), "{ready}");
    until_for(&lab, &side, "src/pay.rs");
    assert!(is_for(&lab, &main, "src/auth.rs"), "what happens beside it moves nothing here");
}

#[test]
fn a_signal_from_a_linked_working_tree_moves_the_focus_there() {
    let mut lab = Lab::new();
    let side = prepare(&mut lab);
    let main = lab.path("").display().to_string();
    signal(&lab, json!({"type": "file_opened", "path": "src/auth.rs"}));
    until_for(&lab, &main, "src/auth.rs");
    signal(&lab, json!({"type": "file_opened", "path": "src/pay.rs", "project": side}));
    until_for(&lab, &side, "src/pay.rs");
    assert!(is_for(&lab, &main, "src/auth.rs"));
}

#[test]
fn an_absolute_path_is_the_file_it_names() {
    let mut lab = Lab::new();
    let side = prepare(&mut lab);
    let main = lab.path("").display().to_string();
    let opened = |event: &Value| event["kind"] == "prefetch" && event["data"]["path"] == "src/auth.rs";
    signal(&lab, json!({"type": "file_opened", "path": lab.path("src/auth.rs"), "session_id": "one"}));
    lab.hear("the context", opened);
    let answer = ready_context(&lab, Some("one"), lab.path("src/auth.rs").to_str().unwrap(), "n-pay");
    assert_eq!(ids(&answer)[0], "n-auth", "{answer:#}");
    let relative = json!({"session_id": "one", "signals": {"current_file": "src/auth.rs"}});
    assert_eq!(said(&ask(&lab, "/v1/context/assemble", relative)), said(&answer));

    signal(&lab, json!({"type": "file_opened", "path": format!("{side}/src/pay.rs")}));
    until_for(&lab, &side, "src/pay.rs");
    assert!(is_for(&lab, &main, "src/auth.rs"), "the path says in which tree it is");
}
