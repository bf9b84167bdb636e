//! The memory tool: a directory of files that are notes.

use serde_json::{Value, json};

use super::agent::{Agent, Era};
use crate::home::{Home, eventually_some};

fn said(agent: &mut Agent, arguments: Value) -> String {
    agent.call("memory", arguments)["result"].as_str().unwrap().to_owned()
}

#[test]
fn the_six_commands_answer_in_the_words_models_know() {
    let home = Home::new();
    let _daemon = home.daemon();
    let mut agent = Agent::start(&home, Era::Modern, &[]);
    let head =
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:";
    assert_eq!(said(&mut agent, json!({"command": "view", "path": "/memories"})), format!("{head}\n0\t/memories"));

    let create = |path: &str, text: &str| json!({"command": "create", "path": path, "file_text": text});
    let told = said(&mut agent, create("/memories/notes.md", "# Notes\nred\nblue\n"));
    assert_eq!(told, "File created successfully at: /memories/notes.md");
    let told = agent.refused("memory", create("/memories/notes.md", "other"));
    assert_eq!(told, "Error: File /memories/notes.md already exists");
    let view = json!({"command": "view", "path": "/memories/notes.md"});
    let shown =
        "Here's the content of /memories/notes.md with line numbers:\n     1\t# Notes\n     2\tred\n     3\tblue";
    assert_eq!(said(&mut agent, view.clone()), shown);
    let part = json!({"command": "view", "path": "/memories/notes.md", "view_range": [2, 2]});
    assert!(said(&mut agent, part).ends_with("numbers:\n     2\tred"));

    let replace = |old: &str, new: &str| json!({"command": "str_replace", "path": "/memories/notes.md", "old_str": old, "new_str": new});
    let told = said(&mut agent, replace("red", "green"));
    assert_eq!(told, "The memory file has been edited.\n     1\t# Notes\n     2\tgreen\n     3\tblue");
    let told = agent.refused("memory", replace("purple", "x"));
    assert_eq!(told, "No replacement was performed, old_str `purple` did not appear verbatim in /memories/notes.md.");
    let told = agent.refused("memory", replace("e", "x"));
    assert!(
        told.starts_with("No replacement was performed. Multiple occurrences of old_str `e` in lines: 1, 2, 2, 3."),
        "{told}"
    );

    let insert = |line: i64| json!({"command": "insert", "path": "/memories/notes.md", "insert_line": line, "insert_text": "- new\n"});
    assert_eq!(said(&mut agent, insert(1)), "The file /memories/notes.md has been edited.");
    let told = agent.refused("memory", insert(99));
    assert_eq!(
        told,
        "Error: Invalid `insert_line` parameter: 99. It should be within the range of lines of the file: [0, 4]"
    );
    assert!(said(&mut agent, view.clone()).ends_with("     1\t# Notes\n     2\t- new\n     3\tgreen\n     4\tblue"));

    said(&mut agent, create("/memories/a/b/c.md", "deep"));
    let rename = |old: &str, new: &str| json!({"command": "rename", "old_path": old, "new_path": new});
    let told = agent.refused("memory", rename("/memories/a/b/c.md", "/memories/notes.md"));
    assert_eq!(told, "Error: The destination /memories/notes.md already exists");
    let told = agent.refused("memory", rename("/memories/none", "/memories/x"));
    assert_eq!(told, "Error: The path /memories/none does not exist");
    let told = said(&mut agent, rename("/memories/a", "/memories/z"));
    assert_eq!(told, "Successfully renamed /memories/a to /memories/z");
    assert!(agent.refused("memory", rename("/memories/z", "/memories/z/inside")).contains("lies within"));
    let listed = said(&mut agent, json!({"command": "view", "path": "/memories"}));
    assert!(listed.contains("\n4\t/memories/z\n4\t/memories/z/b") && !listed.contains("c.md"), "{listed}");
    assert!(said(&mut agent, json!({"command": "view", "path": "/memories/z/b"})).contains("4\t/memories/z/b/c.md"));

    let delete = |path: &str| json!({"command": "delete", "path": path});
    assert_eq!(said(&mut agent, delete("/memories/z")), "Successfully deleted /memories/z");
    assert_eq!(agent.refused("memory", delete("/memories/z")), "Error: The path /memories/z does not exist");
    assert!(agent.refused("memory", delete("/memories")).contains("cannot be deleted"));
    assert!(agent.refused("memory", delete("/memories/")).contains("cannot be deleted"));
    let told = agent.refused("memory", json!({"command": "view", "path": "/memories/z/b/c.md"}));
    assert_eq!(told, "The path /memories/z/b/c.md does not exist. Please provide a valid path.");
    // What was deleted can be made again.
    said(&mut agent, create("/memories/z/b/c.md", "deep"));
}

#[test]
fn files_outlast_the_server_and_are_found_by_a_search() {
    let home = Home::new();
    let _daemon = home.daemon();
    let mut agent = Agent::start(&home, Era::Legacy, &[]);
    for name in ["one", "two"] {
        // The same words in two files stay two files.
        said(
            &mut agent,
            json!({"command": "create", "path": format!("/memories/{name}.md"), "file_text": "the gate code is on the kraken board"}),
        );
    }
    said(&mut agent, json!({"command": "create", "path": "/memories/empty", "file_text": ""}));
    agent.ends();
    let mut agent = Agent::start(&home, Era::Modern, &[]);
    let listed = said(&mut agent, json!({"command": "view", "path": "/memories"}));
    assert_eq!(listed.matches("36\t/memories/").count(), 2, "{listed}");
    assert!(listed.contains("\n0\t/memories/empty"), "{listed}");
    said(
        &mut agent,
        json!({"command": "insert", "path": "/memories/empty", "insert_line": 0, "insert_text": "no more"}),
    );
    assert!(said(&mut agent, json!({"command": "view", "path": "/memories/empty"})).ends_with(":\n     1\tno more"));
    eventually_some(|| {
        let answer = agent.call("mem_search", json!({"query": "kraken board"}));
        answer["results"].as_array().unwrap().iter().any(|one| one["kind"] == "note").then_some(())
    });
    // A file is no folder, and a folder is no file.
    let below = json!({"command": "create", "path": "/memories/one.md/x", "file_text": "x"});
    assert!(agent.refused("memory", below).contains("is a file"));
    said(&mut agent, json!({"command": "create", "path": "/memories/dir/x", "file_text": "x"}));
    let over = json!({"command": "create", "path": "/memories/dir", "file_text": "x"});
    assert!(agent.refused("memory", over).contains("already exists"));
    let edit = json!({"command": "str_replace", "path": "/memories/dir", "old_str": "x", "new_str": "y"});
    assert!(agent.refused("memory", edit).starts_with("Error: The path /memories/dir does not exist"));
}

#[test]
fn no_path_leads_out_and_nothing_is_written_for_one_that_tries() {
    let home = Home::new();
    let _daemon = home.daemon();
    let mut agent = Agent::start(&home, Era::Modern, &[]);
    let long = format!("/memories/{}", "a/".repeat(600));
    let paths = [
        "/memories/../../etc/passwd",
        "/memories/%2e%2e/%2e%2e/etc",
        "/memories/..%2f..%2fetc",
        "/memories/%252e%252e/x",
        "/memories/a\u{0}b",
        "/memories/..\\x",
        "/etc/passwd",
        "../memories/x",
        "/memories/\u{ff0e}\u{ff0e}/x",
        "/memoriesX/a",
        "",
        "/",
        "/memories/a\nb",
        long.as_str(),
    ];
    for path in paths {
        for command in [
            json!({"command": "view", "path": path}),
            json!({"command": "create", "path": path, "file_text": "x"}),
            json!({"command": "str_replace", "path": path, "old_str": "a", "new_str": "b"}),
            json!({"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"}),
            json!({"command": "delete", "path": path}),
        ] {
            let told = agent.refused("memory", command);
            assert!(told.starts_with("path: "), "{path:?}: {told}");
        }
        let told = agent.refused("memory", json!({"command": "rename", "old_path": path, "new_path": "/memories/x"}));
        assert!(told.starts_with("old_path: "), "{path:?}: {told}");
        let told = agent.refused("memory", json!({"command": "rename", "old_path": "/memories/x", "new_path": path}));
        assert!(told.starts_with("new_path: "), "{path:?}: {told}");
    }
    assert_eq!(home.run(&["export"]).succeeded().out, "");
    assert!(!home.path("app/memories").exists() && !home.path("memories").exists());
}
