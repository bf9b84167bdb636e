//! Memories that are at home in a file: how much each kind says, and not too many of one.

use std::sync::Arc;

use lokid_index::Snapshot;
use lokid_model::{Kind, Memory, Namespace};

/// Newest first, of the file at hand; and of any other file or folder. Looking costs time where thousands are at home.
const MOST_LOOKED_AT: usize = 1_000;
const MOST_LOOKED_AT_ELSEWHERE: usize = 120;
/// Of each kind.
const MOST_OF_A_KIND: usize = 16;
const MOST_OF_A_KIND_ELSEWHERE: usize = 8;

/// What is anchored to the file at hand, each with how much that says about it.
pub(super) fn residents<'a>(
    snapshot: &'a Snapshot,
    path: &'a str,
    namespace: &Namespace,
) -> Vec<(&'a Arc<Memory>, f64)> {
    let own = snapshot.anchored_to(path).take(MOST_LOOKED_AT).filter(|memory| memory.namespace == *namespace);
    few_of_each_kind(own, MOST_OF_A_KIND)
}

/// The same for another file.
pub(super) fn residents_elsewhere<'a>(
    snapshot: &'a Snapshot,
    path: &'a str,
    namespace: &Namespace,
) -> Vec<(&'a Arc<Memory>, f64)> {
    let newest = snapshot.anchored_to(path).take(MOST_LOOKED_AT_ELSEWHERE);
    few_of_each_kind(newest.filter(|memory| memory.namespace == *namespace), MOST_OF_A_KIND_ELSEWHERE)
}

/// The same for the files of a folder.
pub(super) fn neighbours<'a>(
    snapshot: &'a Snapshot,
    folder: &'a str,
    namespace: &Namespace,
) -> Vec<(&'a Arc<Memory>, f64)> {
    let newest = snapshot.anchored_in(folder).take(MOST_LOOKED_AT_ELSEWHERE);
    few_of_each_kind(newest.filter(|memory| memory.namespace == *namespace), MOST_OF_A_KIND_ELSEWHERE)
}

fn few_of_each_kind<'a>(memories: impl Iterator<Item = &'a Arc<Memory>>, most: usize) -> Vec<(&'a Arc<Memory>, f64)> {
    let mut counts = [0; Kind::ALL.len()];
    let mut few = Vec::new();
    for memory in memories {
        let count = &mut counts[memory.kind as usize];
        *count += 1;
        if *count <= most {
            few.push((memory, by_kind(memory.kind) * by_spread(memory)));
        }
    }
    few
}

/// What was decided or went wrong in a file matters most to whoever opens it.
fn by_kind(kind: Kind) -> f64 {
    match kind {
        Kind::Decision | Kind::AntiPattern => 1.0,
        Kind::Learning => 0.95,
        Kind::Pattern | Kind::Fact => 0.9,
        Kind::Note | Kind::Skill => 0.8,
        Kind::Workflow | Kind::CodePattern => 0.7,
        Kind::Episode => 0.6,
    }
}

/// What is about many files says less about each.
fn by_spread(memory: &Memory) -> f64 {
    1.0 / (1.0 + 0.06 * memory.anchors.files.len().saturating_sub(1) as f64)
}

/// What a memory is to a file it is at home in.
pub(super) fn why(memory: &Memory, path: &str) -> String {
    match memory.kind {
        Kind::Decision => format!("a decision about {path}"),
        Kind::AntiPattern => format!("went wrong in {path}"),
        _ => format!("anchored to {path}"),
    }
}
