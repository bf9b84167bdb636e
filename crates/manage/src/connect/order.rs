//! What followed what: the episodes of one piece of work in their order. Each is tied to the one before it that shares
//! its task, session or branch and its files or goal.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::words::LinkWords;
use super::{Cast, NEXT, Reason, Slot, Wanted, Wish, evidence};
use lokid_model::time::{DAY, SECOND};
use lokid_model::{Body, Episode, Relation, Scope};

/// So far back the one before it is looked for.
const LOOK_BACK: usize = 16;
/// So many sessions and branches of an episode are looked at.
const MOST_WORKS: usize = 8;
/// Goals that share this much are one.
const SAME_GOAL: f64 = 0.6;

struct Piece<'a> {
    files: BTreeSet<&'a str>,
    goal: LinkWords,
}

pub(super) fn of_episodes(cast: &Cast<'_>, wanted: &mut Wanted) {
    let mut works: BTreeMap<(Scope, &str, &str), Vec<usize>> = BTreeMap::new();
    let mut pieces: HashMap<usize, Piece<'_>> = HashMap::new();
    for at in cast.all() {
        let memory = cast.memory(at);
        let Body::Episode(episode) = &memory.body else { continue };
        let task = Some(episode.task_id.as_str()).filter(|task| !task.trim().is_empty()).map(|task| ("task", task));
        let sessions = memory.sources.iter().map(|source| ("session", source.as_str()));
        let branches = memory.tags.iter().filter(|tag| tag.starts_with("branch:")).map(|tag| ("branch", tag.as_str()));
        for (sort, name) in task.into_iter().chain(sessions).chain(branches).take(MOST_WORKS) {
            let work = works.entry((memory.scope, sort, name)).or_default();
            if work.last() != Some(&at) {
                work.push(at);
            }
        }
        pieces.insert(at, piece(cast, at, episode));
    }
    let when = |at: &usize| (cast.memory(*at).times.created_at, *at);
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    for episodes in works.values_mut() {
        episodes.sort_by_key(when);
        for (place, later) in episodes.iter().enumerate() {
            if place % 1024 == 0 && cast.scene.around.is_over() {
                wanted.cut_short = true;
                return;
            }
            let earlier = episodes[place.saturating_sub(LOOK_BACK)..place].iter().rev();
            let mut near = earlier.take_while(|earlier| apart(cast, **earlier, *later) <= DAY);
            if let Some(found) = near.find(|earlier| belong(&pieces[*earlier], &pieces[later])) {
                let known = before.entry(*later).or_insert(*found);
                if when(found) > when(known) {
                    *known = *found;
                }
            }
        }
    }
    for (later, earlier) in before {
        let reason = Reason::Followed(apart(cast, earlier, later) / SECOND);
        let relation = Relation::Elaborates;
        wanted.add(Slot::Order, Wish { from: later, to: earlier, relation, strength: NEXT, weak: false, reason });
    }
}

fn piece<'a>(cast: &Cast<'a>, at: usize, episode: &'a Episode) -> Piece<'a> {
    let files = evidence::files(cast.memory(at)).collect();
    Piece { files, goal: LinkWords::of([episode.goal.as_str()]) }
}

fn belong(earlier: &Piece<'_>, later: &Piece<'_>) -> bool {
    earlier.files.iter().any(|file| later.files.contains(file)) || earlier.goal.likeness(&later.goal) >= SAME_GOAL
}

/// Microseconds between the two, however absurd their times.
fn apart(cast: &Cast<'_>, earlier: usize, later: usize) -> i64 {
    let at = |memory: usize| cast.memory(memory).times.created_at.as_micros();
    at(later).saturating_sub(at(earlier))
}
