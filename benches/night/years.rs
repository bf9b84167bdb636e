//! What the nights forget in four years of a project, and what was needed after all. Beside lokid's nights stands the
//! rule that everything unused for ninety days leaves.

use lokid_manage::forget::{self, ForgetLimits};
use lokid_manage::plan::{Anchored, Around, Proposal, Scene, archive};
use lokid_manage::{promote, stale};
use lokid_model::time::DAY;
use lokid_model::{Change, Memory, MemoryId};
use lokid_testing::years::{DAYS, SORTS, Sort, Stand, Years};

use super::*;

const SEEDS: [u64; 4] = [101, 102, 103, 104];
const MEMORIES: usize = 1_600;
/// Which share of needs may meet something forgotten.
const MISSED: f64 = 0.01;
const QUIET: i64 = 90 * DAY;

type Planner = fn(&Years) -> Vec<Change>;

/// Nothing is known around a memory but its files.
struct Seen<'a>(&'a Years);

impl Around for Seen<'_> {
    fn ground(&self, memory: &Memory) -> Anchored {
        let mut ground = Anchored::default();
        for file in &memory.anchors.files {
            let list = match self.0.stand(memory, file) {
                Stand::Gone => &mut ground.gone,
                Stand::Changed => &mut ground.changed,
                Stand::Same => &mut ground.standing,
            };
            list.push(file.clone());
        }
        ground
    }

    fn is_free(&self, _: &MemoryId) -> bool {
        true
    }
}

/// What a planner changes tonight.
fn changes(years: &Years, planner: impl Fn(&Scene<'_>) -> Vec<Proposal>) -> Vec<Change> {
    let memories: Vec<Arc<Memory>> = years.memories.values().cloned().collect();
    let (now, archived, around) = (years.night(), &years.archived, &Seen(years));
    let scene = Scene { now, memories: &memories, links: &[], contradictions: &[], archived, around };
    planner(&scene).into_iter().flat_map(|proposal| proposal.changes).collect()
}

/// As a night of lokid's does it.
const AS_SET: [Planner; 3] = [
    |years| changes(years, promote::plan),
    |years| changes(years, |scene| stale::plan(scene, &stale::StaleLimits::default(), &|_, _| None)),
    |years| changes(years, |scene| forget::plan(scene, &ForgetLimits::default())),
];

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
            worst = worst.max(missed("lokid's nights", &AS_SET, project, seed));
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
