//! What the nights forget in four years of a project, and what was needed after all. Beside lokid's nights stands the
//! rule that everything unused for ninety days leaves.

use lokid_manage::plan::archive;
use lokid_model::Memory;
use lokid_model::time::DAY;
use lokid_testing::years::{DAYS, NIGHTS, Planner, SORTS, Sort, Years};

use super::*;

const SEEDS: [u64; 4] = [101, 102, 103, 104];
const MEMORIES: usize = 1_600;
/// Which share of needs may meet something forgotten.
const MISSED: f64 = 0.01;
const QUIET: i64 = 90 * DAY;

const ALL_UNUSED: [Planner; 1] = [|years| {
    let now = years.night();
    let unused = |memory: &&Arc<Memory>| {
        let last = memory.usage.last_used.unwrap_or(memory.times.created_at).max(memory.times.created_at);
        now.as_micros() - last.as_micros() > QUIET
    };
    years.memories.values().filter(unused).map(|memory| archive(memory, now, "unused")).collect()
}];

pub(crate) fn run(verdicts: &mut Verdicts) {
    println!("\n=== false forgetting, {MEMORIES} memories over {DAYS} days");
    println!(
        "  {:<34} {:<18} {:>5} {:>7} {:>7} {:>8} {:>10} {:>7} {:>7}",
        "rule", "project", "seed", "needs", "missed", "share", "forgotten", "wrong", "living"
    );
    let (mut worst, mut plain) = (0.0f64, 0.0f64);
    for project in SORTS {
        for seed in SEEDS {
            worst = worst.max(missed("lokid's nights", &NIGHTS, project, seed));
            plain = plain.max(missed("everything unused for 90 days", &ALL_UNUSED, project, seed));
        }
    }
    let beside = format!("everything unused for 90 days: {plain:.3}");
    verdicts.at_most("needs that met something forgotten, at worst", worst, MISSED, "", &beside);
}

fn missed(rule: &str, planners: &[Planner], project: Sort, seed: u64) -> f64 {
    let count = Years::of(project, MEMORIES, seed).live(planners, seed);
    let share = count.share();
    let wrong = count.missed as f64 / count.forgotten.max(1) as f64;
    println!(
        "  {rule:<34} {:<18} {seed:>5} {:>7} {:>7} {:>7.2}% {:>10} {:>6.1}% {:>7}",
        project.name,
        count.needs,
        count.missed,
        share * 100.0,
        count.forgotten,
        wrong * 100.0,
        count.living
    );
    share
}
