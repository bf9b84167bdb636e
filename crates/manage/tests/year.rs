//! What the nights forget in four years of a project, and what was needed after all.

use lokid_testing::years::{NIGHTS, SORTS, Sort, Years};

/// Which share of needs may meet something forgotten.
const MOST: f64 = 0.01;
const MEMORIES: usize = 1_600;

fn few_needs_meet_something_forgotten(project: &Sort) {
    for seed in [101, 102] {
        let count = Years::of(*project, MEMORIES, seed).live(&NIGHTS, seed);
        assert!(count.forgotten * 5 > MEMORIES, "what forgets nothing proves nothing");
        assert!(count.share() < MOST, "{}, seed {seed}: {count:?}", project.name);
    }
}

#[test]
fn in_a_slow_project_few_needs_meet_something_forgotten() {
    few_needs_meet_something_forgotten(&SORTS[0]);
}

#[test]
fn where_kinds_tell_few_needs_meet_something_forgotten() {
    few_needs_meet_something_forgotten(&SORTS[1]);
}

#[test]
fn in_a_busy_project_few_needs_meet_something_forgotten() {
    few_needs_meet_something_forgotten(&SORTS[2]);
}
