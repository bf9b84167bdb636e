//! What a repository teaches by itself: the right memories, kept beside the repository and never in it.

mod repository;

use lokid::serve::Request;
use serde_json::json;

use super::lab::{Lab, has};
use repository::{AGENTS, lab};

fn cache(lab: &Lab) -> std::path::PathBuf {
    lab.home.path("cache/lokid")
}

/// When each part of what was learnt was kept.
fn written(lab: &Lab) -> Vec<(String, std::time::SystemTime)> {
    let projects = std::fs::read_dir(cache(lab)).unwrap().map(Result::unwrap);
    let parts = projects.flat_map(|project| std::fs::read_dir(project.path().join("past")).into_iter().flatten());
    let times = parts
        .map(Result::unwrap)
        .map(|part| (part.file_name().into_string().unwrap(), part.metadata().unwrap().modified().unwrap()));
    let mut times: Vec<_> = times.collect();
    times.sort();
    times
}

#[test]
fn a_repository_teaches_the_right_things_and_is_not_written_to() {
    let mut lab = lab();
    lab.start();
    let check = |title: &str, kind: &str, tier: &str, source: &str| {
        let memory = lab.titled(title);
        let told = (memory["kind"].as_str(), memory["tier"].as_str(), memory["source"].as_str());
        assert_eq!(told, (Some(kind), Some(tier), Some(source)), "{memory:#}");
        memory
    };
    let fix = check("crash when the list of samples is empty", "learning", "reference", "git");
    assert_eq!((&fix["files"], fix["commits"].as_array().unwrap().len()), (&json!(["src/stats.py"]), 1));
    let reverted = check("Reverted: Cache the results", "anti_pattern", "reference", "git");
    assert!(has(&reverted["text"], "grew without bounds"), "{reverted:#}");
    check("Store samples in SQLite", "decision", "reference", "git");
    let record = check("Keep the samples in one file", "decision", "reference", "import");
    assert!(has(&record["valid_at"], "2026-01-05"), "{record:#}");
    check("Every fix must come with a test", "note", "reference", "import");
    check("Keep each commit below 200 lines", "note", "reference", "import");
    check("Use four spaces", "note", "guardrail", "import");
    check("Prefer small functions", "note", "guardrail", "import");
    check("NEVER push directly", "note", "guardrail", "import");
    let tests = check("Run all tests: `make test`", "fact", "reference", "import");
    assert_eq!(tests["files"], json!(["Makefile"]), "{tests:#}");
    let (reports, storage) = (lab.titled("Reports on samples"), lab.titled("Storage of samples"));
    let links = lab.home.run(&["--json", "links", reports["id"].as_str().unwrap()]).succeeded().json();
    let tied =
        links["edges"].as_array().unwrap().iter().any(|edge| {
            edge["relation"] == "derived_from" && edge["from"] == reports["id"] && edge["to"] == storage["id"]
        });
    assert!(tied, "{links:#}");
    let past = lab.project()["past"].clone();
    assert_eq!((&past["code_files"], &past["imports"]), (&json!(5), &json!(2)), "{past:#}");
    assert!(past["symbols"].as_u64().unwrap() >= 3, "{past:#}");
    assert!(past["memories"].as_u64().unwrap() >= 13, "{past:#}");

    let mandates = lab.memories().iter().filter(|memory| memory["tier"] == "mandate").count();
    assert_eq!(mandates, 0, "no document gives one");
    assert_eq!(lab.home.run(&["export"]).succeeded().out, "", "what is derived is not exported");
    assert!(!lab.path(".loki").exists(), "nothing is written into the repository");
    lab.home.run(&["recall", "why was the cache of results reverted"]).succeeded().says("grew without bounds");

    lab.home.remember("a memory of our own");
    assert!(lab.path(".loki/memory").is_dir());
    let exported = lab.home.run(&["export"]).succeeded().out;
    assert!(exported.lines().count() == 1 && exported.contains("of our own"), "{exported}");
    let stored = std::process::Command::new("grep").args(["-r", "four spaces"]).arg(lab.path(".loki")).output();
    assert_eq!(String::from_utf8_lossy(&stored.unwrap().stdout), "", "a derived memory in the repository");
}

#[test]
fn a_restart_reads_nothing_anew_and_a_lost_cache_brings_the_same() {
    let mut lab = lab();
    lab.start();
    let before = lab.memories();
    assert!(before.len() > 10);
    lab.stop();
    let kept = written(&lab);
    assert!(kept.len() > 5, "{kept:?}");
    lab.start_at_once();
    assert_eq!(lab.memories(), before, "known from the first question on");
    lab.past_is_read();
    // Before the sentinel: it is a file that comes, and is kept as one when it has stood for a while.
    assert_eq!(written(&lab), kept, "something was kept again");
    lab.sentinel();
    assert_eq!(lab.memories(), before);
    assert_eq!(lab.count("learnt"), 0, "{:#?}", lab.told());
    assert_eq!(lab.project()["past"]["commits"], json!(8));

    lab.stop();
    std::fs::remove_dir_all(cache(&lab)).unwrap();
    lab.start();
    assert_eq!(lab.memories(), before, "the same, from the repository itself");
    assert_eq!(lab.project()["past"]["commits"], json!(8));
}

#[test]
fn a_history_that_teaches_nothing_is_not_read_again_either() {
    let mut lab = Lab::new();
    lab.start();
    assert!(lab.memories().is_empty());
    lab.stop();
    let kept = written(&lab);
    lab.start_at_once();
    lab.past_is_read();
    assert_eq!(written(&lab), kept, "the history was read again");
}

#[test]
fn a_fact_of_the_build_gives_way_to_what_its_file_says_now() {
    let mut lab = Lab::new();
    let manifest = |version: &str| format!("[package]\nname = \"x\"\nrust-version = \"{version}\"\n");
    lab.write("Cargo.toml", manifest("1.80"));
    lab.write("package.json", "{\"scripts\": {\"test\": \"jest\"}}");
    lab.write(
        "src/lib.rs",
        "//! Sums.\n\n// HACK: the order matters, because readers do not sort what they get.\npub fn total() {}\n",
    );
    lab.write("index.js", "module.exports = 1;\n");
    lab.commit("Begin");
    lab.start();
    let before = lab.titled("Needs: Rust 1.80 or newer");
    assert_eq!((&before["kind"], &before["sources"]), (&json!("fact"), &json!(["Cargo.toml"])), "{before:#}");
    lab.titled("`npx jest FILE");
    let warning = lab.titled("HACK: the order matters");
    assert_eq!((&warning["files"], &warning["symbols"]), (&json!(["src/lib.rs"]), &json!(["total"])), "{warning:#}");

    lab.write("Cargo.toml", manifest("1.85"));
    lab.write("package.json", "{\"scripts\": {\"test\": \"vitest run\"}}");
    lab.until(|all| all.iter().any(|memory| has(&memory["title"], "`npx vitest run FILE")));
    let after = lab.titled("Needs: Rust 1.85 or newer");
    assert_eq!(after["id"], before["id"], "the same fact");
    let titles = lab.titles();
    assert!(!titles.iter().any(|title| title.contains("1.80") || title.contains("jest")), "{titles:#?}");

    std::fs::remove_file(lab.path("package.json")).unwrap();
    lab.until(|all| !all.iter().any(|memory| has(&memory["title"], "vitest")));
}

#[test]
fn rules_come_and_go_with_their_document_and_what_was_forgotten_or_changed_stays_so() {
    let mut lab = lab();
    lab.start();
    let forgotten = lab.titled("Prefer small functions")["id"].as_str().unwrap().to_owned();
    lab.home.run(&["forget", &forgotten]).succeeded();
    let purged = lab.titled("Keep each commit below")["id"].as_str().unwrap().to_owned();
    lab.home.run(&["forget", &purged, "--purge", "--yes"]).succeeded();
    let adopted = lab.titled("Keep the samples in one file")["id"].as_str().unwrap().to_owned();
    lab.send(&Request::patch(format!("/v1/memories/{adopted}"), &json!({"tags": ["ours"]})));

    lab.write(
        "AGENTS.md",
        AGENTS.replace("- Use four spaces for indentation in Python files\n", "- Use tabs in Makefiles\n"),
    );
    lab.until(|all| all.iter().any(|memory| has(&memory["title"], "Use tabs in Makefiles")));
    let titles = lab.titles();
    assert!(!titles.iter().any(|title| title.contains("four spaces")), "{titles:#?}");
    assert!(titles.iter().any(|title| title.contains("NEVER push")), "{titles:#?}");
    assert!(!titles.iter().any(|title| title.contains("small functions")), "forgotten is forgotten: {titles:#?}");

    let exported = lab.home.run(&["export"]).succeeded().out;
    assert!(exported.lines().count() == 1 && exported.contains(&adopted), "{exported}");
    lab.write(
        "docs/adr/0001-one-file.md",
        "# 1. Keep the samples in two files\n\n## Decision\n\nTwo files are kept.\n",
    );
    lab.write("docs/adr/0002-names.md", "# 2. Name the samples\n\n## Decision\n\nEvery sample has a name.\n");
    lab.until(|all| all.iter().any(|memory| has(&memory["title"], "Name the samples")));
    assert_eq!(lab.record(&adopted)["tags"], json!(["ours"]), "a record of somebody's own");

    lab.stop();
    std::fs::remove_dir_all(cache(&lab)).unwrap();
    lab.start();
    let titles = lab.titles();
    assert!(!titles.iter().any(|title| title.contains("small functions")), "after reading anew: {titles:#?}");
    assert!(!titles.iter().any(|title| title.contains("Keep each commit below")), "after reading anew: {titles:#?}");
    assert_eq!(lab.record(&adopted)["tags"], json!(["ours"]));
}

#[test]
fn a_document_that_nobody_committed_yet_is_known_after_a_restart_too() {
    let mut lab = lab();
    lab.start();
    lab.write("CLAUDE.md", "# Claude\n\n## Style\n\n- Write every date in full\n");
    lab.until(|all| all.iter().any(|memory| has(&memory["title"], "Write every date")));
    let before = lab.memories();
    lab.restart();
    assert_eq!(lab.memories(), before);
}

#[test]
fn without_bootstrap_nothing_is_learnt_from_the_past() {
    let mut lab = lab();
    lab.home.configure("[bootstrap]\nenabled = false\n");
    lab.start();
    assert_eq!(lab.titles(), Vec::<String>::new());
    lab.append("AGENTS.md", "- Always write the date in full\n");
    lab.sentinel();
    lab.look_until_seen();
    assert_eq!(lab.titles(), Vec::<String>::new());
    lab.stop();

    lab.home.configure("");
    lab.start();
    assert!(lab.titles().len() > 10);
    lab.stop();
    lab.home.configure("[bootstrap]\nenabled = false\n");
    lab.start();
    assert_eq!(lab.titles(), Vec::<String>::new(), "switched off later, what was read before is not shown");
}
