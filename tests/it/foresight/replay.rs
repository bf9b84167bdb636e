//! How well files would have been foretold: over real commits, without a daemon, and without a trace in the repository.

use serde_json::Value;

use crate::eyes::lab::Lab;

const METHODS: [&str; 5] = ["lokid", "rose", "decayed", "same_dir", "recent"];

/// Eighty commits, most of which change a module and its test.
fn prepare(lab: &Lab) {
    let modules = ["auth", "pay", "mail", "stock", "report"];
    for at in 0..80 {
        let module = modules[at * 7 % modules.len()];
        lab.write(&format!("src/{module}.py"), format!("import util\nx = {at}\n"));
        lab.write(&format!("tests/test_{module}.py"), format!("import {module}\ny = {at}\n"));
        if at % 6 == 0 {
            lab.write("src/util.py", format!("z = {at}\n"));
        }
        lab.commit(&format!("Change how {module} is done, part {at}"));
    }
}

fn figures(report: &Value, method: &str) -> [f64; 3] {
    ["hit@3", "hit@10", "recall@10"].map(|name| {
        let figure = report["methods"][method][name].as_f64();
        let figure = figure.unwrap_or_else(|| panic!("{name} of {method} in {report:#}"));
        assert!((0.0..=1.0).contains(&figure), "{name} of {method}: {figure}");
        figure
    })
}

#[test]
fn a_replay_compares_five_methods_and_leaves_the_repository_alone() {
    let lab = Lab::new();
    prepare(&lab);
    let (status, head) = (lab.git(&["status", "--porcelain", "--ignored"]), lab.git(&["rev-parse", "HEAD"]));
    let told = lab.home.run(&["replay", "--json"]).succeeded();
    let report = told.json();
    assert_eq!((report["protocol"].as_str(), told.err.as_str()), (Some("each"), ""));
    assert!(report["commits"].as_u64() >= Some(10), "{report:#}");
    for method in METHODS {
        figures(&report, method);
    }
    assert!(figures(&report, "lokid")[1] > figures(&report, "same_dir")[1], "{report:#}");
    let table = lab.home.run(&["replay"]).succeeded();
    assert!(table.out.contains("hit@3") && table.out.contains("lokid"), "{table:?}");

    assert_eq!(lab.git(&["status", "--porcelain", "--ignored"]), status);
    assert_eq!(lab.git(&["rev-parse", "HEAD"]), head);
    assert!(!lab.path(".loki").exists());
    assert!(!lab.home.socket().exists(), "no daemon was needed");
}

#[test]
fn fitted_weights_are_kept_and_used_from_then_on() {
    let lab = Lab::new();
    prepare(&lab);
    let plain = lab.home.run(&["replay", "--json"]).succeeded().json();
    assert!(plain["fitted"].is_null());
    let fitted = lab.home.run(&["replay", "--json", "--fit"]).succeeded().json();
    let recall = |which: &str| fitted["fitted"][which]["recall@10"].as_f64().unwrap();
    assert!(recall("after") >= recall("before"), "{fitted:#}");
    let again = lab.home.run(&["replay", "--json"]).succeeded().json();
    assert!(again["fitted"].is_null());
    assert_eq!(again["methods"], fitted["methods"], "the second run uses what the first has kept");
    let projects = std::fs::read_dir(lab.home.path("state/lokid/projects")).unwrap();
    let weights =
        projects.flatten().filter_map(|project| std::fs::read_to_string(project.path().join("weights.txt")).ok());
    assert_eq!(weights.count(), 1);
    assert!(!lab.path(".loki").exists());
}

#[test]
fn a_repository_without_history_is_told_so() {
    let lab = Lab::new();
    let empty = lab.home.path("empty");
    crate::repo::empty(&empty);
    let told = lab.home.run(&["--project", &empty.display().to_string(), "replay", "--json"]).exited(1);
    assert!(told.err.contains("no commit") && told.err.contains("hint: ") && told.out.is_empty(), "{told:?}");
}
