//! What real neighbours are taken for, and whether a statement meets the one it denies or repeats among ten thousand.

use lokid_config::Config;
use lokid_engine::Registry;
use lokid_manage::statement;
use lokid_model::{Draft, Kind, Memory, MemoryId, Verdict};
use lokid_sys::{Clock, Dirs};

use super::*;
use pairs::{Likeness, Set};

/// The sentences among which the earlier statement has to be found.
const CROWD: usize = 10_000;

pub(crate) fn run(sets: &[Set], verdicts: &mut Verdicts) {
    let neighbours = pairs::neighbours();
    if neighbours.is_empty() {
        return;
    }
    let likeness = Likeness::new();
    println!(
        "\n=== neighbours: {} pairs of sentences that stand near each other in real repositories",
        neighbours.len()
    );
    let started = Instant::now();
    let all: Vec<_> = neighbours.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let shares = likeness.weigh(&all);
    let apiece = started.elapsed().as_secs_f64() * 1e3 / all.len() as f64;
    let found: Vec<_> = all.iter().zip(shares).map(|((a, b), shares)| statement::judge(a, b, shares)).collect();
    let mut count = |name: &str, most: f64, fits: &dyn Fn(&statement::Judgement) -> bool| {
        let many = found.iter().filter(|found| fits(found)).count();
        println!("  {name:<44} {many:>4}, {:.2} %", 100.0 * many as f64 / all.len() as f64);
        verdicts.at_most(&format!("neighbours {name}"), 100.0 * many as f64 / all.len() as f64, most, "%", "");
    };
    count("called contradictions, told unasked", 0.5, &|found| found.verdict == Verdict::Contradicts);
    let ends = |found: &statement::Judgement| found.verdict == Verdict::Contradicts && found.clear && found.replaces;
    count("that would end another by themselves", 0.0, &ends);
    count("that would become one", 0.1, &|found| found.verdict == Verdict::Duplicate && found.clear);
    println!("  {apiece:.1} ms a pair");
    candidates(sets, &neighbours, verdicts);
}

/// The first of each two, thrown in among sentences of real repositories: does the second meet it?
fn candidates(sets: &[Set], neighbours: &[(String, String)], verdicts: &mut Verdicts) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("repo");
    std::fs::create_dir_all(&root).unwrap();
    let mut config = Config::default();
    (config.watch.enabled, config.bootstrap.enabled) = (false, false);
    let registry = Registry::open(Dirs::under(&folder.path().join("xdg")), config, Clock::system());
    let project = registry.add(&root).unwrap();
    let wanted: Vec<(&str, &str)> = sets
        .iter()
        .flat_map(|set| &set.pairs)
        .filter(|pair| matches!(pair.label, Verdict::Contradicts | Verdict::Duplicate))
        .map(|pair| (pair.a.as_str(), pair.b.as_str()))
        .collect();
    let crowd: BTreeSet<&str> = neighbours.iter().flat_map(|(a, b)| [a.as_str(), b.as_str()]).collect();
    let texts = wanted.iter().map(|(a, _)| *a).chain(crowd.into_iter().take(CROWD - wanted.len()));
    let drafts: Vec<(u64, Draft)> =
        texts.enumerate().map(|(at, text)| (at as u64, Draft::new(Kind::Note, text))).collect();
    let known = drafts.len();
    for part in drafts.chunks(1_000) {
        project.writer.import(part.to_vec(), true).unwrap().wait().unwrap();
    }
    assert!(project.search.handle().wait(PATIENCE));
    let id = MemoryId::new("asked").unwrap();
    let met = wanted.iter().filter(|(a, b)| {
        let asked = Memory::new(id.clone(), Kind::Note, *b, project.env.now());
        project.recall.hold_against(&asked).iter().any(|(known, _)| known.text == *a)
    });
    let share = met.count() as f64 / wanted.len() as f64;
    println!(
        "  {} statements among {known}: the other of the pair is one of ten candidates for {share:.3}",
        wanted.len()
    );
    verdicts.at_least("any@10 of the earlier statement", share, 0.9, "", "");
    registry.stop();
}
