//! What a prompt is answered: with the first that tells, it is known what a session is about.

use super::*;
use crate::repo::commit_all;

#[test]
fn the_first_prompt_that_tells_is_told_the_file_it_means_and_no_rule_of_something_else() {
    let home = Home::new();
    let app = home.path("app");
    for (path, text) in [
        ("AGENTS.md", "# Rules\n\n## Code\n\n- You MUST run `./check.sh` in `docs/` before a commit.\n"),
        ("src/load.py", "def load_all(paths):\n    return [open(path).read() for path in paths]\n"),
        ("src/other.py", "def other():\n    return 1\n"),
    ] {
        let path = app.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    commit_all(&app);
    let _daemon = home.daemon();
    settled(&home);
    let is_rule = |item: &Value| item["title"].as_str().is_some_and(|title| title.contains("check.sh"));
    let listed = || get(&home, "/v1/memories?limit=100")["items"].as_array().unwrap().clone();
    eventually_some(|| listed().iter().any(is_rule).then_some(()));
    let goal = "load_all should say which of its paths cannot be read";
    let foreseen = || post(&home, "/v1/context/predict", &json!({"project": app, "goal": goal}));
    let is_meant = |file: &Value| file["why"] == "defines load_all (line 1)";
    eventually_some(|| foreseen()["predicted_files"].as_array().unwrap().iter().any(is_meant).then_some(()));

    let prompt =
        |text: &str, id: &str| context(&hook(&home, "UserPromptSubmit", "s", json!({"prompt": text, "prompt_id": id})));
    hook(&home, "SessionStart", "s", json!({"source": "startup"}));
    assert_eq!(prompt("go on", "1"), "", "that tells nothing");
    let told = prompt(goal, "2");
    assert!(told.contains("src/load.py: defines load_all (line 1)") && !told.contains("check.sh"), "{told}");
    assert_eq!(prompt("and load_all should close each of its paths", "3"), "", "it was told");
}
