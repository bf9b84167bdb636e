//! What the nights forget in four years of a project, and what was needed after all.

use std::sync::Arc;

use lokid_model::Change;
use lokid_testing::years::{SORTS, Stand, Years};

use super::*;
use crate::plan::{Anchored, Around};
use crate::{promote, stale};

/// Which share of needs may meet something forgotten.
const MOST: f64 = 0.01;
const MEMORIES: usize = 1_600;

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

#[test]
fn few_needs_meet_something_forgotten() {
    let planners: [fn(&Years) -> Vec<Change>; 3] = [
        |years| changes(years, promote::plan),
        |years| changes(years, |scene| stale::plan(scene, &stale::StaleLimits::default(), &|_, _| None)),
        |years| changes(years, |scene| plan(scene, &ForgetLimits::default())),
    ];
    for project in SORTS {
        for seed in [101, 102] {
            let count = Years::of(project, MEMORIES, seed).live(&planners, seed);
            println!("{}, seed {seed}: {count:?}", project.name);
            assert!(count.forgotten * 5 > MEMORIES, "what forgets nothing proves nothing");
            assert!(count.share() < MOST, "{}, seed {seed}: {}", project.name, count.share());
        }
    }
}
