//! Who does not want to be watched is not.

use super::lab::Lab;

/// `sentinel` is a repository that the same daemon does watch, if it watches any.
fn quiet(lab: &mut Lab, sentinel: Option<&str>) {
    lab.start_at_once();
    lab.write("src/main.py", "print(1)\n");
    lab.write(".loki/CONTINUITY.md", "# Now\n\n## Key Decisions\n- Use SQLite because it needs no server\n");
    lab.append("AGENTS.md", "- Always write the date in full\n");
    lab.git(&["checkout", "-q", "-b", "topic"]);
    // Whoever asks is still served, and that is all that is told.
    lab.home.remember("told by hand");
    lab.hear_memory("created", "note");
    if let Some(sentinel) = sentinel {
        lab.home.run(&["project", "add", sentinel]).succeeded();
        crate::home::eventually_some(|| {
            let status = lab.get("/v1/status");
            let others = status["projects"].as_array().unwrap().iter();
            others.clone().any(|one| one["path"] == sentinel && one["watch"]["files"] != 0).then_some(())
        });
        std::fs::write(format!("{sentinel}/later.txt"), "x").unwrap();
        lab.hear_signal("file_edited", "later.txt");
        lab.home.run(&["project", "remove", sentinel]).succeeded();
    }
    let before: Vec<String> = lab.signals().into_iter().filter(|told| !told.ends_with("later.txt")).collect();
    assert_eq!(before, Vec::<String>::new());
    assert_eq!(lab.titles(), ["told by hand"]);
    let project = lab.project();
    assert_eq!((&project["watch"]["state"], &project["past"]["state"]), (&"on-demand".into(), &"off".into()));
}

#[test]
fn loki_modes_opt_out_ends_watching() {
    let mut lab = Lab::new();
    lab.write("AGENTS.md", "# Agents\n\n- Use four spaces for indentation\n");
    lab.commit("Rules");
    lab.write(".loki/config.json", r#"{"memory": {"disabled": true}}"#);
    let other = lab.home.repository("other");
    quiet(&mut lab, other.to_str());
    lab.home.run(&["status"]).succeeded().says("switched off by an opt-out");
    assert_eq!(lab.project()["capture"], false);
}

#[test]
fn the_configuration_ends_watching() {
    let mut lab = Lab::new();
    lab.home.configure("[watch]\nenabled = false\n");
    quiet(&mut lab, None);
}
