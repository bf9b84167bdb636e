//! Fewer watches than folders: everything is still noticed, by looking.

use super::lab::Lab;

#[test]
fn with_three_watches_every_change_is_still_noticed_and_it_is_said_once() {
    let mut lab = Lab::new();
    lab.home.configure("[watch]\nmax_watches = 3\n");
    for folder in ["src", "docs/deep/deeper", "lib/a", "lib/b"] {
        lab.write(&format!("{folder}/file.txt"), "one\n");
    }
    lab.write(".gitignore", ".loki/\n");
    lab.write(".loki/CONTINUITY.md", "# Now\n\n## Key Decisions\n- None\n");
    lab.commit("Begin");
    lab.git(&["branch", "topic"]);
    lab.start();
    let changed = ["src/file.txt", "docs/deep/deeper/file.txt", "lib/b/file.txt", "lib/b/new/very/new.txt"];
    for path in changed {
        lab.write(path, "two, and longer\n");
    }
    let mut missing: Vec<String> = changed.iter().map(|path| format!("file_edited {path}")).collect();
    while let Some(next) = missing.first().cloned() {
        let path = next.strip_prefix("file_edited ").unwrap();
        if !lab.signals().contains(&next) {
            lab.hear_signal("file_edited", path);
        }
        missing.remove(0);
    }
    lab.write(".loki/CONTINUITY.md", "# Now\n\n## Key Decisions\n- Look around because nobody calls us\n");
    lab.until(|all| all.iter().any(|memory| memory["title"].as_str().unwrap().contains("Look around")));
    lab.git(&["checkout", "-q", "topic"]);
    lab.hear_signal("branch_checkout", "topic");

    let told = lab.home.run(&["status"]).succeeded().out;
    assert_eq!(told.matches("too many folders").count(), 1, "{told}");
    assert!(told.contains("by looking every few seconds"), "{told}");
    let watch = lab.project()["watch"].clone();
    assert_eq!((&watch["state"], &watch["folders_watched"]), (&"partial".into(), &3.into()), "{watch:#}");
    let mut expect: Vec<String> = changed.iter().map(|path| format!("file_edited {path}")).collect();
    expect.push("branch_checkout topic".to_owned());
    let mut told = lab.signals();
    told.sort();
    expect.sort();
    assert_eq!(told, expect);
}
