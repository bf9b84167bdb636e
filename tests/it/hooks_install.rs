//! `lokid hooks` in a home of its own: real settings files go there and back, and nothing else is touched.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::home::Home;
use crate::lab::tree;

/// Where each agent's own settings are in the home of a test.
const FILES: &[(&str, &str)] = &[
    ("claude", "home/.claude/settings.json"),
    ("codex", "home/.codex/hooks.json"),
    ("gemini", "home/.gemini/settings.json"),
    ("cursor", "home/.cursor/hooks.json"),
    ("copilot", "home/.copilot/hooks/lokid.json"),
    ("opencode", "config/opencode/plugins/lokid.js"),
];

fn corpus(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/settings").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn every_real_file_is_restored_byte_for_byte() {
    let home = Home::new();
    let mut seen = 0;
    for (agent, place) in FILES.iter().filter(|(agent, _)| *agent != "opencode") {
        let path = home.path(place);
        for sample in corpus(agent) {
            let before = std::fs::read(&sample).unwrap();
            write(&path, &before);
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
            home.run(&["hooks", "install", agent, "--yes"])
                .succeeded()
                .says("installed")
                .says("what stood there before");
            let with = std::fs::read(&path).unwrap();
            assert_ne!(with, before, "{}", sample.display());
            home.run(&["hooks", "install", agent]).succeeded().says("already installed");
            assert_eq!(std::fs::read(&path).unwrap(), with, "{}", sample.display());
            home.run(&["hooks", "uninstall", agent, "--yes"]).succeeded().says("taken out");
            assert_eq!(std::fs::read(&path).unwrap(), before, "{}", sample.display());
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
            seen += 1;
        }
    }
    assert!(seen >= 25, "{seen} files");
}

#[test]
fn a_file_that_was_not_there_comes_and_goes_with_its_folders() {
    let home = Home::new();
    let before = (tree(&home.path("home")), tree(&home.path("config")));
    for (agent, place) in FILES {
        let path = home.path(place);
        home.run(&["hooks", "install", agent, "--yes"]).succeeded();
        assert!(path.is_file(), "{agent}");
        home.run(&["hooks", "status", agent]).succeeded().says("installed").says(path.to_str().unwrap());
        home.run(&["hooks", "uninstall", agent, "-y"]).succeeded().says("taken out");
        assert!(!path.exists(), "{agent}");
        home.run(&["hooks", "uninstall", agent, "-y"]).succeeded().says("not installed");
    }
    assert_eq!(before, (tree(&home.path("home")), tree(&home.path("config"))));
    assert_eq!(std::fs::read_dir(home.path("home")).unwrap().count(), 0, "no folder is left");
    assert!(!home.path("config/opencode").exists());
}

#[test]
fn nothing_is_written_unasked_and_the_change_is_shown_first() {
    let home = Home::new();
    let path = home.path("home/.claude/settings.json");
    write(&path, b"{\n  \"model\": \"opus\"\n}\n");
    let told = home.run(&["hooks", "install", "claude"]).exited(2).says("nothing was written").says("--yes");
    assert!(told.out.contains("-   \"model\": \"opus\"\n+   \"model\": \"opus\",\n"), "{}", told.out);
    assert!(told.out.contains("/lokid-hook SessionStart\""), "{}", told.out);
    assert_eq!(std::fs::read(&path).unwrap(), b"{\n  \"model\": \"opus\"\n}\n");
    let told = home.run(&["hooks", "install", "claude", "--print"]).succeeded().says("nothing was written");
    let printed: Value = told.json();
    assert_eq!(printed["hooks"].as_object().unwrap().len(), 10);
    assert!(printed["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap().ends_with("/lokid-hook Stop"));
    assert_eq!(std::fs::read(&path).unwrap(), b"{\n  \"model\": \"opus\"\n}\n");
    assert!(!home.path("state/lokid/hooks").exists());
    home.run(&["hooks", "install", "vim"]).exited(2).says("opencode");
}

#[test]
fn what_was_edited_in_between_stays_and_only_our_hooks_go() {
    let home = Home::new();
    let path = home.path("home/.claude/settings.json");
    write(&path, b"{\n  \"model\": \"opus\"\n}\n");
    home.run(&["hooks", "install", "claude", "-y"]).succeeded();
    let edited = std::fs::read_to_string(&path).unwrap().replace("opus", "haiku");
    write(&path, edited.as_bytes());
    home.run(&["hooks", "install", "claude", "-y", "--command", "lokid"]).succeeded().says("installed");
    home.run(&["hooks", "uninstall", "claude", "-y"]).succeeded();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\n  \"model\": \"haiku\"\n}\n");

    // A file that came with the hooks stays when something else has come into it.
    std::fs::remove_file(&path).unwrap();
    home.run(&["hooks", "install", "claude", "-y"]).succeeded();
    let edited = std::fs::read_to_string(&path).unwrap().replacen('{', "{\n  \"model\": \"opus\",", 1);
    write(&path, edited.as_bytes());
    home.run(&["hooks", "uninstall", "claude", "-y"]).succeeded();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn without_its_record_the_hooks_are_still_found_and_taken_out() {
    let home = Home::new();
    let path = home.path("home/.gemini/settings.json");
    let before = b"{\n  // mine\n  \"ui\": { \"theme\": \"Ayu\" }\n}\n";
    write(&path, before);
    home.run(&["hooks", "install", "gemini", "-y"]).succeeded();
    std::fs::remove_dir_all(home.path("state/lokid/hooks")).unwrap();
    home.run(&["hooks", "uninstall", "gemini", "-y"]).succeeded();
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_broken_file_is_refused_with_its_line_and_left_alone() {
    let home = Home::new();
    for sample in corpus("invalid") {
        let name = sample.file_name().unwrap().to_str().unwrap();
        let parts: Vec<&str> = name.split('.').collect();
        let path = home.path(FILES.iter().find(|(agent, _)| *agent == parts[0]).unwrap().1);
        let before = std::fs::read(&sample).unwrap();
        write(&path, &before);
        let at = format!("line {}, column {}", parts[1], parts[2]);
        let told = home.run(&["hooks", "install", parts[0], "-y"]).exited(1).says(&at);
        assert!(told.err.contains("nothing was changed") && told.err.contains("--print"), "{told:#?}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "{name}");
    }
    write(&home.path("home/.claude/settings.json"), b"\xff{}");
    home.run(&["hooks", "install", "claude", "-y"]).exited(1).says("is not UTF-8");
}

#[test]
fn a_link_stays_a_link_and_what_it_leads_to_is_changed() {
    let home = Home::new();
    let (real, link) = (home.path("dotfiles/claude.json"), home.path("home/.claude/settings.json"));
    write(&real, b"{}\n");
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(&real, &link).unwrap();
    home.run(&["hooks", "install", "claude", "-y"]).succeeded().says("a link to").says("dotfiles/claude.json");
    assert!(link.is_symlink() && std::fs::read_to_string(&real).unwrap().contains("lokid"));
    home.run(&["hooks", "uninstall", "claude", "-y"]).succeeded();
    assert!(link.is_symlink());
    assert_eq!(std::fs::read(&real).unwrap(), b"{}\n");
    std::fs::remove_file(&real).unwrap();
    home.run(&["hooks", "install", "claude", "-y"]).exited(1).says("leads nowhere");
    assert!(link.is_symlink() && !real.exists());
}

#[test]
fn a_repository_cannot_make_us_write_outside_it() {
    let home = Home::new();
    let victim = home.path("home/other.json");
    write(&victim, b"{}");
    std::fs::create_dir_all(home.path("app/.claude")).unwrap();
    symlink(&victim, home.path("app/.claude/settings.json")).unwrap();
    symlink(home.path("home"), home.path("app/.cursor")).unwrap();
    for agent in ["claude", "cursor"] {
        let told = home.run(&["hooks", "install", agent, "--scope", "project", "-y"]);
        told.exited(1).says("leads out of the repository");
    }
    assert_eq!(std::fs::read(&victim).unwrap(), b"{}");
    assert!(!home.path("home/hooks.json").exists());
}

#[test]
fn a_project_has_its_own_files_and_the_backup_is_not_among_them() {
    let home = Home::new();
    let before = tree(&home.path("app"));
    for (agent, place) in [
        ("claude", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("cursor", ".cursor/hooks.json"),
        ("copilot", ".github/hooks/lokid.json"),
        ("opencode", ".opencode/plugins/lokid.js"),
    ] {
        home.run(&["hooks", "install", agent, "--scope", "project", "-y"]).succeeded().says("--command lokid");
        let path = home.path("app").join(place);
        assert!(path.is_file(), "{agent}");
        assert_eq!(tree(&home.path("app")).len(), before.len() + 1, "{agent}: only that file");
        home.run(&["hooks", "uninstall", agent, "--scope", "user", "-y"]).succeeded().says("not installed");
        home.run(&["hooks", "uninstall", agent, "--scope", "project", "-y"]).succeeded();
        assert_eq!(tree(&home.path("app")), before, "{agent}");
    }
    let outside = home.path("home");
    let told = home.run(&["hooks", "install", "claude", "--scope", "project", "--project", outside.to_str().unwrap()]);
    told.exited(2).says("in no git repository");
}

#[test]
fn status_tells_what_is_where_and_what_is_wrong_with_it() {
    let home = Home::new();
    home.run(&["hooks", "status"]).succeeded().says("not installed").says(".copilot/hooks/lokid.json");
    let told = home.run(&["hooks", "install", "claude", "-y", "--json"]).succeeded().json();
    assert_eq!((told["changed"].as_bool(), told["installed"].as_bool()), (Some(true), Some(true)));
    assert_eq!(told["events"].as_array().unwrap().len(), 10);
    let claude =
        |home: &Home| home.run(&["hooks", "status", "claude", "--json"]).succeeded().json()["agents"][0].clone();
    let found = claude(&home);
    assert_eq!((found["agent"].as_str(), &found["last_event_at"]), (Some("claude"), &Value::Null));
    let user = &found["places"][0];
    assert_eq!((user["scope"].as_str(), user["installed"].as_bool()), (Some("user"), Some(true)));
    assert_eq!((user["command_exists"].as_bool(), &user["problem"]), (Some(true), &Value::Null));
    assert_eq!(found["places"][1]["installed"].as_bool(), Some(false));

    home.run(&["hooks", "install", "claude", "-y", "--command", "/nowhere/lokid"]).succeeded();
    home.run(&["hooks", "status", "claude"]).succeeded().says("/nowhere/lokid is gone");
    assert_eq!(claude(&home)["places"][0]["command_exists"].as_bool(), Some(false));
    home.run(&["hooks", "install", "claude", "-y", "--command", "/usr/bin/env"]).exited(2).says("no lokid");

    let path = home.path("home/.claude/settings.json");
    let text = std::fs::read_to_string(&path).unwrap();
    write(&path, text.replace("hook Stop", "stop").as_bytes());
    home.run(&["hooks", "status", "claude"]).succeeded().says("9 of 10 events");
    write(&path, text.replacen('{', "{ \"disableAllHooks\": true,", 1).as_bytes());
    home.run(&["hooks", "status", "claude"]).succeeded().says("disableAllHooks");
    write(&path, format!("// note\n{text}").as_bytes());
    home.run(&["hooks", "status", "claude"]).succeeded().says("cannot read it: line 1, column 1");
    write(&path, b"{");
    home.run(&["hooks", "status"]).succeeded().says("line 1, column 2");
}

#[test]
fn somebody_elses_plugin_of_our_name_is_not_overwritten() {
    let home = Home::new();
    let path = home.path("config/opencode/plugins/lokid.js");
    write(&path, b"export const Mine = async () => ({})\n");
    home.run(&["hooks", "install", "opencode", "-y"]).exited(1).says("was not written by lokid");
    home.run(&["hooks", "uninstall", "opencode", "-y"]).succeeded().says("not installed");
    assert_eq!(std::fs::read(&path).unwrap(), b"export const Mine = async () => ({})\n");
}
