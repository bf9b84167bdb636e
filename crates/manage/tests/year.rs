//! What the nights forget in four years of a project, and what was needed after all.

use lokid_testing::years::{NIGHTS, SORTS, Years};

/// Which share of needs may meet something forgotten.
const MOST: f64 = 0.01;
const MEMORIES: usize = 1_600;

#[test]
fn few_needs_meet_something_forgotten() {
    std::thread::scope(|scope| {
        for (project, seed) in SORTS.iter().flat_map(|project| [101, 102].map(|seed| (project, seed))) {
            scope.spawn(move || {
                let count = Years::of(*project, MEMORIES, seed).live(&NIGHTS, seed);
                println!("{}, seed {seed}: {count:?}", project.name);
                assert!(count.forgotten * 5 > MEMORIES, "what forgets nothing proves nothing");
                assert!(count.share() < MOST, "{}, seed {seed}: {}", project.name, count.share());
            });
        }
    });
}
