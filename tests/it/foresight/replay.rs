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
fn weights_are_kept_only_where_they_foretell_better() {
    let lab = Lab::new();
    prepare(&lab);
    let plain = lab.home.run(&["replay", "--json"]).succeeded().json();
    assert!(plain["fitted"].is_null());
    let fitted = lab.home.run(&["replay", "--json", "--fit"]).succeeded().json();
    let recall = |which: &str| fitted["fitted"][which]["recall@10"].as_f64().unwrap();
    let kept = fitted["fitted"]["kept"].as_bool().unwrap();
    assert_eq!(kept, recall("after") >= recall("before") + 0.005, "{fitted:#}");
    assert_eq!(state_of(&lab).join("weights.txt").exists(), kept);
    let again = lab.home.run(&["replay", "--json"]).succeeded().json();
    assert_eq!(again["methods"], fitted["methods"], "the second run uses what the first has kept, if anything");
    assert!(!lab.path(".loki").exists());
}

#[test]
fn weights_that_stand_in_the_state_are_used() {
    let lab = Lab::new();
    prepare(&lab);
    let plain = lab.home.run(&["replay", "--json"]).succeeded().json();
    let text = lokid_context::predict::files::Weights::default().to_text();
    let turned = text.lines().map(|line| match line.rsplit_once(' ') {
        Some((name, number)) if number.parse::<f64>().is_ok() => {
            format!("{name} {}\n", number.strip_prefix('-').unwrap_or("0"))
        }
        _ => format!("{line}\n"),
    });
    let state = state_of(&lab);
    std::fs::create_dir_all(&state).unwrap();
    std::fs::write(state.join("weights.txt"), turned.collect::<String>()).unwrap();
    let other = lab.home.run(&["replay", "--json"]).succeeded().json();
    assert_ne!(other, plain, "other reasons, or another order: {text}");
    assert_eq!(other["methods"]["rose"], plain["methods"]["rose"]);
}

/// Where the only project keeps its state.
fn state_of(lab: &Lab) -> std::path::PathBuf {
    let book = std::fs::read_to_string(lab.home.path("state/lokid/projects.json")).unwrap();
    let book: serde_json::Value = serde_json::from_str(&book).unwrap();
    let ids: Vec<&str> = find_ids(&book);
    assert_eq!(ids.len(), 1, "{book:#}");
    lab.home.path("state/lokid/projects").join(ids[0])
}

fn find_ids(value: &serde_json::Value) -> Vec<&str> {
    match value {
        serde_json::Value::Object(fields) => {
            let own = fields.get("id").and_then(serde_json::Value::as_str);
            own.into_iter().chain(fields.values().flat_map(find_ids)).collect()
        }
        serde_json::Value::Array(list) => list.iter().flat_map(find_ids).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_repository_without_history_is_told_so() {
    let lab = Lab::new();
    let empty = lab.home.path("empty");
    crate::repo::empty(&empty);
    let told = lab.home.run(&["--project", &empty.display().to_string(), "replay", "--json"]).exited(1);
    assert!(told.err.contains("no commit") && told.err.contains("hint: ") && told.out.is_empty(), "{told:?}");
}
