//! The branch at hand: what is at home in the files it touches, and earlier work on it.

use super::evidence::Evidence;
use super::home;
use super::pool::Pool;
use super::words;
use lokid_model::{Kind, Memory};

const MOST_FILES: usize = 12;
/// The newest episodes that are asked whether they were work on the branch.
const MOST_EPISODES: usize = 400;
const MOST_WORK: usize = 12;
/// Of a text.
const READ: usize = 1024;
/// A shorter name is met by chance.
const SHORTEST_NAME: usize = 5;

pub(super) fn look(pool: &mut Pool<'_>) {
    let Some(branch) = &pool.clues.branch else { return };
    let (snapshot, namespace) = (pool.sources.snapshot, &pool.filter.namespace);
    let files = branch.files.iter().take(MOST_FILES);
    // The more files a branch touches, the less each of them tells.
    let share = 1.0 / (1.0 + 0.05 * branch.files.len().min(MOST_FILES) as f64);
    for file in files {
        for (memory, says) in home::residents_elsewhere(snapshot, file, namespace) {
            let why = || format!("{}, which the branch touches", home::why(memory, file));
            pool.add(memory, Evidence::BranchFile, says * share, why);
        }
    }
    let name = branch.name.as_str();
    if words::is_common_branch(name) {
        return;
    }
    let tag = format!("branch:{name}");
    let episodes = snapshot.latest(Kind::Episode, namespace).take(MOST_EPISODES);
    let work = episodes.filter(|memory| pool.admits(memory) && is_work_on(memory, name, &tag));
    for (rank, memory) in work.take(MOST_WORK).collect::<Vec<_>>().into_iter().enumerate() {
        let strength = 1.0 / (1.0 + 0.15 * rank as f64);
        pool.add(memory, Evidence::BranchWork, strength, || format!("earlier work on {}", words::quote(name, 40)));
    }
}

fn is_work_on(memory: &Memory, name: &str, tag: &str) -> bool {
    let tagged = memory.tags.iter().any(|known| known == tag || known == name);
    let says_so = |text: &str| text.contains(name) && words::is_said(text, name);
    tagged || (name.len() >= SHORTEST_NAME && (says_so(&memory.title) || says_so(words::head(&memory.text, READ))))
}
