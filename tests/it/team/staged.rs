//! Memories of linked working trees that wait for their branch.

use std::path::Path;

use crate::home::{Home, Told, eventually_some};
use crate::team::git::{commit, git};

fn lokid(home: &Home, folder: &str, arguments: &[&str]) -> Told {
    Told::new(arguments, home.command(arguments).current_dir(home.path(folder)).output().unwrap())
}

/// A main working tree, and a linked one on the branch `side`.
fn lab() -> Home {
    let home = Home::new();
    home.configure("[project]\nworktrees = \"staged\"\n");
    git(&home, "app", &["branch", "-M", "main"]);
    git(&home, "app", &["worktree", "add", "-q", "-b", "side", home.path("tree").to_str().unwrap()]);
    home
}

fn write(path: &Path) {
    std::fs::write(path, "fn main() {}\n").unwrap();
}

fn knows(home: &Home, folder: &str, text: &str) -> bool {
    lokid(home, folder, &["list"]).succeeded().out.contains(text)
}

const WORDS: &str = "The gearbox test needs a running relay.";

#[test]
fn what_a_linked_tree_tells_is_found_there_and_nowhere_else_until_its_branch_is_merged() {
    let home = lab();
    let _daemon = home.daemon();
    lokid(&home, "tree", &["remember", WORDS]).succeeded();
    home.run(&["remember", "The main tree speaks for everybody."]).succeeded();
    assert!(knows(&home, "tree", WORDS) && !knows(&home, "app", WORDS));
    assert!(knows(&home, "tree", "speaks for everybody") && knows(&home, "app", "speaks for everybody"));
    assert!(lokid(&home, "tree", &["recall", "gearbox relay"]).succeeded().out.contains("gearbox"));
    assert!(!lokid(&home, "app", &["recall", "gearbox relay"]).out.contains("gearbox"));
    write(&home.path("tree/more.rs"));
    commit(&home, "tree", "more");
    assert!(!knows(&home, "app", WORDS), "not merged yet");
    git(&home, "app", &["merge", "-q", "--no-edit", "side"]);
    eventually_some(|| knows(&home, "app", WORDS).then_some(()));
    let notes = std::fs::read_dir(home.path("app/.loki/memory/notes")).unwrap().flatten().next().unwrap();
    let last = std::fs::read_to_string(notes.path()).unwrap().lines().last().unwrap().to_owned();
    assert!(last.contains("gearbox") && !last.contains("staged") && !last.contains("restricted"), "{last}");
}

#[test]
fn a_branch_that_was_merged_while_nobody_looked_is_noticed_at_the_next_start() {
    let home = lab();
    {
        let _daemon = home.daemon();
        lokid(&home, "tree", &["remember", WORDS]).succeeded();
        home.run(&["stop"]).succeeded();
    }
    write(&home.path("tree/more.rs"));
    commit(&home, "tree", "more");
    git(&home, "app", &["merge", "-q", "--no-edit", "side"]);
    let _daemon = home.daemon();
    eventually_some(|| knows(&home, "app", WORDS).then_some(()));
}

#[test]
fn when_the_branch_is_deleted_unmerged_the_night_archives_and_nothing_is_lost() {
    let home = lab();
    let _daemon = home.daemon();
    write(&home.path("tree/more.rs"));
    commit(&home, "tree", "more");
    let id = lokid(&home, "tree", &["remember", WORDS]).succeeded().out.trim().replace("remembered ", "");
    git(&home, "app", &["worktree", "remove", "--force", home.path("tree").to_str().unwrap()]);
    git(&home, "app", &["branch", "-qD", "side"]);
    home.run(&["consolidate"]).succeeded();
    let told = home.run(&["forget", "--undo", &id]).succeeded();
    assert!(told.out.contains(&id), "{told:?}");
}
