//! A project that is moved while it is watched is the same project where it stands now.

use rustix::process::Signal;

use super::lab::Lab;

#[test]
fn a_project_that_was_moved_while_it_was_open_is_taken_up_where_it_stands() {
    let mut lab = Lab::new();
    lab.start();
    let before = lab.home.remember("told before the move");
    let (old, new) = (lab.home.path("app"), lab.home.path("elsewhere/deeper/app"));
    std::fs::create_dir_all(new.parent().unwrap()).unwrap();
    std::fs::rename(&old, &new).unwrap();
    let there = new.to_str().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = lab.home.command(arguments);
        let output = command.current_dir(&new).output().unwrap();
        crate::home::Told::new(arguments, output).succeeded()
    };
    run(&["project", "add", there]);
    let after = run(&["remember", "told after the move"]).out;
    run(&["show", &before]).says("told before the move");
    run(&["show", after.trim().strip_prefix("remembered ").unwrap()]).says("told after the move");
    assert!(!old.exists(), "nothing is left behind or made anew");
    let projects = lab.get("/v1/status")["projects"].clone();
    assert_eq!(projects.as_array().unwrap().len(), 1, "{projects:#}");
    assert_eq!(projects[0]["watch"]["state"], "native", "{projects:#}");
    lab.signal(Signal::TERM);
    lab.ended();
}

#[test]
fn a_folder_that_is_moved_within_the_project_is_watched_under_its_new_name() {
    let mut lab = Lab::new();
    lab.write("lib/deep/one.py", "x = 1\n");
    lab.commit("Begin");
    lab.start();
    for (from, to) in [("lib", "library"), ("library/deep", "library/shallow")] {
        std::fs::rename(lab.path(from), lab.path(to)).unwrap();
    }
    lab.sentinel();
    lab.write("library/shallow/one.py", "x = 1_000\n");
    lab.hear_signal("file_edited", "library/shallow/one.py");
    lab.sentinel();
    let stale: Vec<String> = lab.signals().into_iter().filter(|told| told.contains(" lib/")).collect();
    assert!(stale.is_empty(), "{stale:?}");
}
