//! What is good to know: conventions of the code, how work is done here, what happened lately. Short at most.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{BACKGROUND, Table};
use crate::context::parts::Part;
use crate::context::predict::memories::{Clues, Evidence, PredictedMemory};
use crate::model::{Key, Kind, Memory};

/// Of how code looks here, so many are compared and so many told.
const CODE: usize = 64;
const CODE_TOLD: usize = 4;
/// How many of each, at most.
const CONVENTIONS: usize = 12;
const WORKFLOWS: usize = 8;
const HISTORY: usize = 8;
/// Releases are noted where they are listed.
const CHANGELOGS: &[&str] = &["CHANGELOG.md", "CHANGES.md", "CHANGELOG", "HISTORY.md", "CHANGES.rst"];
const RELEASES: usize = 2;

pub(super) fn add(table: &mut Table<'_>, clues: &Clues, predicted: &[PredictedMemory]) {
    for found in predicted.iter().filter(|found| super::is_background(found)) {
        if table.is_wanted(found) {
            table.put(&found.memory, Part::Background, BACKGROUND * found.score, found.why.clone());
        }
    }
    let scores: BTreeMap<Key, f64> = predicted.iter().map(|found| (found.memory.key(), found.score)).collect();
    let habits = predicted.iter().any(|found| found.evidence.contains(&Evidence::Habit));
    let snapshot = table.sources.snapshot;
    let latest = |kind: Kind, most: usize| -> Vec<Arc<Memory>> {
        let admitted = snapshot.latest(kind, &table.filter.namespace).filter(|memory| table.admits(memory));
        admitted.take(most).cloned().collect()
    };
    let conventions =
        [nearby_code(latest(Kind::CodePattern, CODE), clues), latest(Kind::Pattern, CONVENTIONS)].concat();
    // Where the hour already says which workflow is due, the others can wait.
    let workflows = latest(Kind::Workflow, if habits { WORKFLOWS / 2 } else { WORKFLOWS });
    let episodes = latest(Kind::Episode, HISTORY);
    let changelogs = CHANGELOGS.iter().flat_map(|path| snapshot.anchored_to(path));
    let releases = changelogs.filter(|memory| memory.tags.iter().any(|tag| tag == "release") && table.admits(memory));
    let releases: Vec<Arc<Memory>> = releases.take(RELEASES).cloned().collect();
    for (memories, worth, why) in [
        (conventions, 0.5, "a convention here"),
        (workflows, 0.45, "how work is done here"),
        (episodes, 0.45, "done lately"),
        (releases, 0.4, "released lately"),
    ] {
        for memory in memories {
            let usage = (table.sources.usage)(&memory);
            let merit = crate::context::predict::memories::merit(&memory, &usage, None, table.at());
            let foreseen = scores.get(&memory.key()).copied().unwrap_or(0.0);
            let score = (worth * merit).max(foreseen).min(1.0);
            if score >= table.filter.min_score && table.is_timely(&memory, &usage) {
                table.put(&memory, Part::Background, BACKGROUND * score, why.to_owned());
            }
        }
    }
}

/// How code looks near the file at hand: the same kind of file, the nearer the better.
fn nearby_code(patterns: Vec<Arc<Memory>>, clues: &Clues) -> Vec<Arc<Memory>> {
    let Some(file) = clues.file.as_deref() else { return patterns.into_iter().take(CODE_TOLD).collect() };
    let ending = |path: &str| path.rsplit_once('.').map(|(_, ending)| ending.to_owned());
    let near = |path: &String| {
        let shared = path.split('/').zip(file.split('/')).take_while(|(one, other)| one == other).count();
        if ending(path) == ending(file) { shared + 1 } else { 0 }
    };
    let nearness = |memory: &Arc<Memory>| memory.anchors.files.iter().map(near).max().unwrap_or(0);
    let mut ranked: Vec<(usize, Arc<Memory>)> =
        patterns.into_iter().map(|memory| (nearness(&memory), memory)).collect();
    ranked.retain(|(near, _)| *near > 0);
    ranked.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.id.cmp(&other.1.id)));
    ranked.into_iter().take(CODE_TOLD).map(|(_, memory)| memory).collect()
}
