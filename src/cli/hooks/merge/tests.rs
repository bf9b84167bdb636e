//! Hooks in real settings: the corpus in `tests/data/settings`, files edited in between, and layouts nobody would write.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use lokid_sys::plain;

const PROGRAM: &str = "/usr/local/bin/lokid";
const JSON_AGENTS: [Agent; 5] = [Agent::Claude, Agent::Codex, Agent::Gemini, Agent::Cursor, Agent::Copilot];

fn corpus(folder: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/settings").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), plain::read_text(&path, 1 << 20).unwrap().unwrap())).collect()
}

/// What the text says, as a JSON library sees it.
fn value(node: &Node) -> Value {
    match &node.kind {
        Kind::Object(members) => members.iter().map(|one| (one.key.clone(), value(&one.value))).collect(),
        Kind::Array(items) => items.iter().map(|one| value(&one.value)).collect(),
        Kind::Text(text) => text.as_str().into(),
        Kind::Plain(plain) => serde_json::from_str(plain).unwrap_or_else(|_| plain.as_str().into()),
    }
}

fn read(text: &str) -> Value {
    if is_blank(text) { json!({}) } else { value(&parse(text, Allowed::ALL).unwrap()) }
}

#[test]
fn every_file_of_the_corpus_goes_there_and_back_byte_for_byte() {
    let mut seen = 0;
    for agent in JSON_AGENTS {
        for (path, before) in corpus(agent.as_str()) {
            let shown = path.display();
            let with = install(&before, agent, PROGRAM).unwrap_or_else(|problem| panic!("{shown}: {problem}"));
            assert_ne!(with, before, "{shown}");
            assert_eq!(install(&with, agent, PROGRAM).unwrap(), with, "{shown}: twice is once");
            let root = parse(&with, agent.allowed()).unwrap_or_else(|problem| panic!("{shown}: {problem}\n{with}"));
            let found: Vec<String> = found(&root, agent).into_iter().map(|found| found.event).collect();
            assert_eq!(found.len(), agent.events().len(), "{shown}: {found:?}");
            // What another would see: nothing lost, nothing altered.
            assert!(contains(&read(&with), &read(&before)), "{shown}\n{with}");
            let without = uninstall(&with, agent, Some(&before)).unwrap();
            let empties = ["blank", "zero-bytes", "empty", "blank-lines"].iter();
            let was_empty = empties.clone().any(|name| path.file_stem().unwrap().to_str().unwrap().contains(name));
            if was_empty || before.contains("[ ]") {
                // Blanks inside an empty bracket are known from the backup only.
                assert_eq!(read(&without), read(&before), "{shown}");
            } else {
                assert_eq!(without, before, "{shown}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 25, "{seen} files");
}

/// Everything of `part` is in `whole`, lists perhaps longer.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, value)| whole.get(key).is_some_and(|found| contains(found, value)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            part.len() <= whole.len() && part.iter().zip(whole).all(|(one, two)| contains(two, one))
        }
        _ => whole == part,
    }
}

#[test]
fn a_broken_file_is_refused_with_the_line_and_column() {
    for (path, text) in corpus("invalid") {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let parts: Vec<&str> = name.split('.').collect();
        let agent = Agent::parse(parts[0]).unwrap();
        let problem = install(&text, agent, PROGRAM).unwrap_err();
        assert_eq!(
            format!("{}.{}", problem.line, problem.column),
            format!("{}.{}", parts[1], parts[2]),
            "{name}: {problem}"
        );
    }
}

#[test]
fn a_new_file_has_every_event_once_and_nothing_else() {
    for agent in JSON_AGENTS {
        let text = fresh(agent, PROGRAM);
        assert_eq!(install(&text, agent, PROGRAM).unwrap(), text);
        assert_eq!(install("", agent, PROGRAM).unwrap(), text);
        let root = parse(&text, Allowed::NOTHING).unwrap();
        assert_eq!(found(&root, agent).len(), agent.events().len());
        assert_eq!(uninstall(&text, agent, Some("{}")).unwrap(), "{}\n");
        assert!(!text.contains("WorktreeCreate"));
    }
}

#[test]
fn the_plugin_says_what_the_settings_would() {
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/claude-code");
    let read = |path: &str| -> Value {
        serde_json::from_str(&plain::read_text(&plugin.join(path), 1 << 20).unwrap().unwrap()).unwrap()
    };
    let ours: Value = serde_json::from_str(&fresh(Agent::Claude, "lokid")).unwrap();
    assert_eq!(read("hooks/hooks.json")["hooks"], ours["hooks"]);
    assert_eq!(read(".claude-plugin/plugin.json")["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn what_the_user_wrote_in_between_stays_and_only_ours_goes() {
    let before = "{\n  \"model\": \"opus\"\n}\n";
    let with = install(before, Agent::Claude, PROGRAM).unwrap();
    let edited = with.replace("\"opus\"", "\"haiku\"").replace(
        "    \"Stop\": [\n",
        "    \"Notification\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"bell\"}]}],\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]},\n",
    );
    let without = uninstall(&edited, Agent::Claude, Some(before)).unwrap();
    let expected = "{\n  \"model\": \"haiku\",\n  \"hooks\": {\n    \"Notification\": [{\"hooks\": [{\"type\": \"command\", \
                    \"command\": \"bell\"}]}],\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \
                    \"mine\"}]}\n    ]\n  }\n}\n";
    assert_eq!(without, expected);
}

#[test]
fn a_hook_put_into_our_group_outlives_it() {
    let text = "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"/x/lokid hook Stop\"},{\"type\":\"command\",\"command\":\"mine\"}]}]}}";
    let without = uninstall(text, Agent::Claude, None).unwrap();
    assert_eq!(without, "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"mine\"}]}]}}");
}

#[test]
fn a_moved_program_is_renamed_in_place_and_doubles_go() {
    let once = install("{}", Agent::Claude, "/old/lokid").unwrap();
    let moved = install(&once, Agent::Claude, "/new bin/lokid").unwrap();
    assert_eq!(moved, once.replace("/old/lokid hook", "'/new bin/lokid' hook"));
    let ours = "{\"type\":\"command\",\"command\":\"lokid hook Stop\"}";
    let double = format!("{{\"hooks\":{{\"Stop\":[{{\"hooks\":[{ours},{ours}]}},{{\"hooks\":[{ours},{ours}]}}]}}}}");
    let text = install(&double, Agent::Claude, "lokid").unwrap();
    assert_eq!(text.matches("lokid hook Stop").count(), 1, "{text}");
    assert_eq!(uninstall(&double, Agent::Claude, None).unwrap(), "{}");
}

#[test]
fn an_event_that_is_no_longer_wanted_is_cleared() {
    let text = "{\"hooks\":{\"WorktreeCreate\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"lokid hook WorktreeCreate\"}]}]}}";
    let with = install(text, Agent::Claude, "lokid").unwrap();
    assert!(!with.contains("WorktreeCreate"), "{with}");
}

#[test]
fn empty_places_that_stood_before_stay_and_others_go() {
    let before = "{\"hooks\":{\"Stop\":[]}}";
    let with = install(before, Agent::Claude, PROGRAM).unwrap();
    assert_eq!(uninstall(&with, Agent::Claude, Some(before)).unwrap(), before);
    assert_eq!(uninstall(&with, Agent::Claude, None).unwrap(), "{}");
    let unversioned = "{\n  \"hooks\": {}\n}";
    let with = install(unversioned, Agent::Cursor, PROGRAM).unwrap();
    assert!(with.contains("\"version\": 1"));
    assert_eq!(uninstall(&with, Agent::Cursor, Some(unversioned)).unwrap(), unversioned);
}

#[test]
fn other_programs_that_speak_of_lokid_are_not_ours() {
    let text = "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"echo lokid hook Stop\"},{\"type\":\"command\",\"command\":\"lokid stop\"}]}]}}";
    assert_eq!(uninstall(text, Agent::Claude, None).unwrap(), text);
}

#[test]
fn a_huge_file_is_edited_all_the_same() {
    let rules: Vec<String> = (0..40_000).map(|number| format!("Bash(tool-{number}:*)")).collect();
    let before = serde_json::to_string_pretty(&json!({"permissions": {"allow": rules}, "model": "opus"})).unwrap();
    assert!(before.len() > 1_000_000);
    let with = install(&before, Agent::Claude, PROGRAM).unwrap();
    assert_eq!(uninstall(&with, Agent::Claude, None).unwrap(), before);
}

/// Settings as somebody might have them, hooks of others among them, laid out by chance.
fn settings() -> impl Strategy<Value = String> {
    let other = prop_oneof![Just("prettier"), Just("echo \"lokid\" {}"), Just("a && b // c")];
    let hook = (other, any::<bool>()).prop_map(|(line, timed)| {
        let mut hook = json!({"type": "command", "command": line});
        if timed {
            hook["timeout"] = json!(30);
        }
        hook
    });
    let group = (proptest::collection::vec(hook, 0..3), any::<bool>()).prop_map(|(hooks, matched)| {
        if matched { json!({"matcher": "Bash", "hooks": hooks}) } else { json!({"hooks": hooks, "x": null}) }
    });
    let event = prop_oneof![Just("Stop"), Just("PreToolUse"), Just("Notification"), Just("SessionStart")];
    let events = proptest::collection::btree_map(event, proptest::collection::vec(group, 1..3), 1..4);
    let rest = proptest::collection::btree_map("[a-f]{1,3}", "[a-z/*{},]{0,8}", 0..4);
    (proptest::option::of(events), rest, any::<bool>(), 0..5_usize).prop_map(|(events, rest, first, layout)| {
        let rest = rest.into_iter().map(|(key, text)| (key, Value::from(text)));
        let hooks = events.map(|events| ("hooks".to_owned(), json!(events)));
        let root: Map<String, Value> =
            if first { hooks.into_iter().chain(rest).collect() } else { rest.chain(hooks).collect() };
        let root = Value::Object(root);
        match layout {
            0 => root.to_string(),
            1 => format!("{root:#}\n"),
            2 => format!("{root:#}").replace("  ", "\t"),
            3 => format!("\u{feff}{root:#}\n").replace('\n', "\r\n"),
            _ => root.to_string().replace("{\"type\"", "\n {\"type\"").replace(",\"hooks\"", ",\n\n    \"hooks\""),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_settings_go_there_and_back(before in settings()) {
        for agent in [Agent::Claude, Agent::Codex] {
            let with = install(&before, agent, PROGRAM).unwrap();
            prop_assert_eq!(&install(&with, agent, PROGRAM).unwrap(), &with);
            let ours = found(&parse(&with, Allowed::NOTHING).unwrap(), agent);
            prop_assert_eq!(ours.len(), agent.events().len());
            prop_assert_eq!(&uninstall(&with, agent, Some(&before)).unwrap(), &before);
        }
    }

    #[test]
    fn hooks_taken_out_of_anything_leave_the_rest(before in settings(), program in "[a-z '\"$]{0,6}") {
        let program = format!("/{program}/lokid");
        let with = install(&before, Agent::Gemini, &program).unwrap();
        let moved = install(&with, Agent::Gemini, PROGRAM).unwrap();
        prop_assert_eq!(uninstall(&moved, Agent::Gemini, Some(&before)).unwrap(), before);
    }
}
