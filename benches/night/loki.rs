//! Loki Mode's own consolidation, run by its own code on a copy of the very files lokid keeps, beside a night of ours.
//! Its code is read where it lies and never becomes part of this repository.

use super::*;
use life::Life;
use store::Store;

/// More than a thousand it never looks at in one run.
const EPISODES: usize = 1_000;

/// Consolidates what is below a folder; tells what it did, and how long that took without starting up.
const SCRIPT: &str = "
import json, sys, time
sys.path.insert(0, sys.argv[1])
from memory.storage import MemoryStorage
from memory.consolidation import ConsolidationPipeline
began = time.time()
pipeline = ConsolidationPipeline(MemoryStorage(base_path=sys.argv[2]), base_path=sys.argv[2])
result = pipeline.consolidate(since_hours=24 * 800).to_dict()
result['took'] = time.time() - began
print(json.dumps(result))
";

pub(crate) fn run(pace: Pace, verdicts: &mut Verdicts) {
    let Some(code) = std::env::var_os("LOKID_BENCH_LOKI_MODE").filter(|path| !path.is_empty()).map(PathBuf::from)
    else {
        println!("\n=== beside Loki Mode: skipped, LOKID_BENCH_LOKI_MODE is not set");
        return;
    };
    println!("\n=== beside Loki Mode, {EPISODES} episodes");
    let life = Life::of(EPISODES);
    let store = Store::open(&life, pace);
    let copy = tempfile::tempdir().unwrap();
    let memory = store.home.folder.join("repo/.loki/memory");
    copied(&memory, &copy.path().join("memory"));
    let theirs = |turn: &str| {
        let found = consolidated(&code, copy.path());
        println!(
            "  Loki Mode, {turn:<18} {:>8.2} s   {} episodes, {} patterns created, {} merged, {} anti-patterns, {} links",
            found["took"].as_f64().unwrap(),
            found["episodes_processed"],
            found["patterns_created"],
            found["patterns_merged"],
            found["anti_patterns_created"],
            found["links_created"]
        );
        found["took"].as_f64().unwrap()
    };
    let (first, _) = (theirs("the first time"), theirs("once more"));
    let ours = |turn: &str| {
        let night = store.night(&json!({}));
        println!("  lokid, {turn:<22} {:>8.2} s   {}", night.took, night.told());
        night.took
    };
    let (night, _) = (ours("the first time"), ours("once more"));
    println!("  (lokid's night also merges, looks for contradictions, ages, connects and keeps the index up to date)");
    verdicts.at_most(&format!("{EPISODES}: a night"), night, first, "s", "target: Loki Mode on the same files");
    store.close();
}

fn consolidated(code: &Path, folder: &Path) -> Value {
    let mut python = Command::new("python3");
    python.args(["-c", SCRIPT]).arg(code).arg(folder.join("memory"));
    python.current_dir(folder).env("HOME", folder).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = python.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(told.lines().last().unwrap()).unwrap()
}

fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copied(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
