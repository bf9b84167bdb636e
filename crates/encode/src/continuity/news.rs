//! What a version of the file says that the one before did not. Items are the same when their words are, wherever and
//! however they stand; what vanished is not un-learnt.

use super::item::Key;
use super::{Continuity, Learning, Reference, Statement};

/// What is new, and where things stand now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    pub decisions: Vec<Statement>,
    pub blockers_raised: Vec<String>,
    pub blockers_resolved: Vec<String>,
    pub learnings: Vec<Learning>,
    pub completed: Vec<String>,
    /// Subjects of commits, which git tells as well.
    pub commits: Vec<String>,
    pub references: Vec<Reference>,
    /// As it stands now, new or not: this and the three below are the active context.
    pub focus: Option<String>,
    /// Another than before.
    pub focus_is_new: bool,
    pub next_up: Vec<String>,
    pub blocked_by: Vec<String>,
    pub phase: Option<String>,
    /// The phase before, if it was another one.
    pub phase_was: Option<String>,
}

impl News {
    /// Is there anything to remember or to signal?
    pub fn is_empty(&self) -> bool {
        self.decisions.is_empty()
            && self.blockers_raised.is_empty()
            && self.blockers_resolved.is_empty()
            && self.learnings.is_empty()
            && self.completed.is_empty()
            && self.commits.is_empty()
            && self.references.is_empty()
            && self.phase_was.is_none()
            && !self.focus_is_new
    }
}

/// Compares two versions. For the first one ever seen, `old` is the default.
pub fn what_is_new(old: &Continuity, new: &Continuity) -> News {
    let gone = |blocker: &&String| !has(&new.blockers, blocker);
    let said_so = new.resolved.iter().filter(|blocker| !has(&old.resolved, blocker) && has(&old.blockers, blocker));
    let mut blockers_resolved: Vec<String> = said_so.cloned().collect();
    if new.names_blockers {
        let quietly: Vec<String> = old.blockers.iter().filter(gone).cloned().collect();
        blockers_resolved.extend(quietly.into_iter().filter(|blocker| !has(&new.resolved, blocker)));
    }
    News {
        decisions: revisions(
            &old.decisions,
            &new.decisions,
            |item| &item.text,
            |new, old| Statement { revised: old.map(Box::new), ..new },
        ),
        blockers_raised: new.blockers.iter().filter(|blocker| !has(&old.blockers, blocker)).cloned().collect(),
        blockers_resolved,
        learnings: revisions(
            &old.learnings,
            &new.learnings,
            |item| &item.text,
            |new, old| Learning { revised: old.map(Box::new), ..new },
        ),
        completed: new.completed.iter().filter(|task| !has(&old.completed, task)).cloned().collect(),
        commits: new.commits.iter().filter(|commit| !has(&old.commits, commit)).cloned().collect(),
        references: new.references.iter().filter(|reference| !old.references.contains(reference)).cloned().collect(),
        focus: new.focus.clone(),
        focus_is_new: new.focus.is_some() && new.focus != old.focus,
        next_up: new.next_up.clone(),
        blocked_by: new.blockers.clone(),
        phase: new.phase.clone(),
        phase_was: old.phase.clone().filter(|phase| new.phase.as_ref().is_some_and(|now| now != phase)),
    }
}

/// The same item is there, as it was or respelt.
fn has(list: &[String], text: &str) -> bool {
    let key = Key::of(text);
    list.iter().map(|other| Key::of(other)).any(|other| key.is_same(&other) || key.is_respelt(&other))
}

/// New items, each with the old one it was made from, if that one is gone and its words are mostly those of the new.
fn revisions<T: Clone>(old: &[T], new: &[T], text: fn(&T) -> &String, with: fn(T, Option<T>) -> T) -> Vec<T> {
    let keys = |items: &[T]| -> Vec<Key> { items.iter().map(|item| Key::of(text(item))).collect() };
    let (old_keys, new_keys) = (keys(old), keys(new));
    let known = |key: &Key, among: &[Key]| among.iter().any(|other| other.is_same(key));
    let mut gone: Vec<usize> = (0..old.len()).filter(|at| !known(&old_keys[*at], &new_keys)).collect();
    let mut fresh: Vec<T> = Vec::new();
    let mut seen: Vec<&Key> = Vec::new();
    for (item, key) in new.iter().zip(&new_keys) {
        if known(key, &old_keys) || seen.iter().any(|other| other.is_same(key)) {
            continue;
        }
        seen.push(key);
        let best = gone
            .iter()
            .enumerate()
            .map(|(place, at)| (place, key.is_edited(&old_keys[*at])))
            .filter(|(_, likeness)| *likeness > 0.0)
            .max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)));
        let before = best.map(|(place, _)| old[gone.swap_remove(place)].clone());
        gone.sort_unstable();
        fresh.push(with(item.clone(), before));
    }
    fresh
}
