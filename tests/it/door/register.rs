//! Which project is which survives a damaged list.

use super::stopped;
use crate::home::{Home, eventually_some};

/// Two projects, each with something private.
fn lab() -> (Home, String, String) {
    let home = Home::new();
    let other = home.repository("other").display().to_string();
    let daemon = home.daemon();
    home.run(&["project", "add", &other]).succeeded();
    let private = |project: &str, text: &str| {
        let told = home.run(&["--project", project, "remember", "--private", text]).succeeded();
        told.out.trim().strip_prefix("remembered ").unwrap().to_owned()
    };
    let app = home.path("app").display().to_string();
    let ids = (private(&app, "my desk is by the window"), private(&other, "my chair is red"));
    stopped(daemon);
    (home, ids.0, ids.1)
}

#[test]
fn a_byte_lost_anywhere_in_the_list_of_projects_hides_nothing() {
    let (home, desk, chair) = lab();
    let (app, other) = (home.path("app").display().to_string(), home.path("other").display().to_string());
    let list = home.path("state/lokid/projects.json");
    let whole = std::fs::read_to_string(&list).unwrap();
    let id = whole.split("\"id\": \"").nth(1).unwrap()[..16].to_owned();
    let wrong = format!("{}{}", if id.starts_with('0') { '1' } else { '0' }, &id[1..]);
    let damages = [
        String::new(),
        whole[1..].to_owned(),
        whole[..whole.len() - 2].to_owned(),
        whole.replacen("\"projects\"", "\"project\"", 1),
        whole.replacen("\"id\"", "\"i\"", 1),
        whole.replacen(&id, &wrong, 1),
        whole.replacen(&id, &id[1..], 1),
        whole.replacen("/app\"", "/ap\"", 1),
        whole.replacen("\"path\"", "\"pat\"", 2),
        whole.replacen("\"root_commit\": \"", "\"root_commit\": \"0", 1),
    ];
    for damage in damages {
        std::fs::write(&list, &damage).unwrap();
        home.run(&["--project", &app, "show", &desk]).succeeded().says("my desk");
        home.run(&["--project", &other, "show", &chair]).succeeded().says("my chair");
    }
    std::fs::remove_file(&list).unwrap();
    let daemon = home.daemon();
    // The other comes behind the one that the daemon was started in.
    let list = || home.run(&["project", "list", "--json"]).succeeded().out;
    eventually_some(|| Some(list()).filter(|watched| watched.contains(&app) && watched.contains(&other)));
    home.run(&["--project", &other, "show", &chair]).succeeded().says("my chair");
    home.run(&["doctor"]).says("the list of projects was damaged");
    stopped(daemon);
}

#[test]
fn what_the_state_directory_lost_the_private_memories_say_themselves() {
    let (home, desk, chair) = lab();
    std::fs::remove_dir_all(home.path("state/lokid")).unwrap();
    home.run(&["show", &desk]).succeeded().says("my desk");
    home.run(&["--project", home.path("other").to_str().unwrap(), "show", &chair]).succeeded().says("my chair");
}

#[test]
fn what_belongs_to_nobody_is_named_by_the_doctor() {
    let (home, _, _) = lab();
    home.run(&["doctor", "--json"]).succeeded();
    let mut folders = Vec::new();
    for place in ["state/lokid/projects", "data/lokid"] {
        for folder in std::fs::read_dir(home.path(place)).unwrap().flatten() {
            std::fs::remove_file(folder.path().join("project.json")).unwrap();
            folders.push(folder.path().display().to_string());
        }
    }
    std::fs::remove_file(home.path("state/lokid/projects.json")).unwrap();
    let told = home.run(&["doctor"]);
    for folder in folders {
        assert!(told.out.contains(&format!("{folder} belongs to no project")), "{folder}: {told:#?}");
    }
}
