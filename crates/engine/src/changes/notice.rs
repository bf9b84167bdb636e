//! What stood there before each of the writer's changes, and which of them are worth a line in the log. Pure; the first is
//! asked on the writer's thread and only looks up, the second is for whoever has time.

use std::collections::HashMap;
use std::sync::Arc;

use crate::bundle::Bundle;
use crate::logged::{LoggedWhat, are_one_version};
use lokid_index::Snapshot;
use lokid_model::link::LinkKey;
use lokid_model::{Change, ChangeOp, Contradiction, ContradictionStatus, Key, Link, Memory};

/// Follows the bundles of one turn: what an earlier one left is what stood there before the next.
pub(super) struct Notice<'a> {
    before: &'a Snapshot,
    memories: HashMap<Key, Option<Arc<Memory>>>,
    links: HashMap<LinkKey, Option<Link>>,
    matters: HashMap<String, Arc<Contradiction>>,
}

pub(super) type Noticed = (ChangeOp, Key, LoggedWhat);

impl<'a> Notice<'a> {
    pub(super) fn after(before: &'a Snapshot) -> Notice<'a> {
        Notice { before, memories: HashMap::new(), links: HashMap::new(), matters: HashMap::new() }
    }

    /// Nothing is told of a purge, nor of what had to change with it: the words would stay here.
    pub(super) fn of(&mut self, bundle: &Bundle) -> Vec<Noticed> {
        let mut noticed: Vec<Noticed> = Vec::new();
        for change in &bundle.changes {
            match change {
                Change::Link(link) => self.tied(link, true, &mut noticed),
                Change::Unlink(link) => self.tied(link, false, &mut noticed),
                change => noticed.extend(self.one(change)),
            }
        }
        let purges = bundle.changes.iter().any(|change| matches!(change, Change::Purge(_)));
        if purges { Vec::new() } else { noticed }
    }

    fn one(&mut self, change: &Change) -> Option<Noticed> {
        let (key, after) = match change {
            Change::Put { after, .. } => (after.key(), Some(after)),
            Change::Restore(entry) => (entry.memory.key(), Some(&entry.memory)),
            Change::Archive(entry) => (entry.memory.key(), None),
            Change::Vanished(key) => (key.clone(), None),
            Change::Purge(tombstone) => (tombstone.key.clone(), None),
            Change::Contradict(found) => return self.disputed(found),
            Change::Link(_) | Change::Unlink(_) | Change::Write(_) => return None,
        };
        let before = match self.memories.insert(key.clone(), after.cloned()) {
            Some(known) => known,
            None => self.before.get(&key).cloned(),
        };
        let op = match (&before, after) {
            (None, None) => return None,
            (Some(_), Some(_)) => ChangeOp::Changed,
            (Some(_), None) => ChangeOp::Archived,
            (None, Some(_)) if self.before.archived(&key).is_some() => ChangeOp::Restored,
            (None, Some(_)) => ChangeOp::New,
        };
        let left_for = match change {
            Change::Restore(entry) => Some(entry.reason.clone()),
            _ => None,
        };
        Some((op, key, LoggedWhat::Memory { before, after: after.cloned(), left_for }))
    }

    fn disputed(&mut self, found: &Contradiction) -> Option<Noticed> {
        let after = Arc::new(found.clone());
        let known = self.matters.insert(found.id.clone(), Arc::clone(&after));
        let before = known.or_else(|| self.before.contradiction(&found.namespace, &found.id).cloned());
        if before.as_ref() == Some(&after) {
            return None;
        }
        let op = if found.status == ContradictionStatus::Open { ChangeOp::Conflict } else { ChangeOp::Settled };
        let key = Key::new(&found.namespace, &found.b);
        Some((op, key, LoggedWhat::Contradiction { before, after }))
    }

    /// Links come in bundles: those from one memory are one thing to tell. What stands in another program's record is
    /// theirs.
    fn tied(&mut self, link: &Link, ties: bool, noticed: &mut Vec<Noticed>) {
        let before = match self.links.insert(link.key(), ties.then(|| link.clone())) {
            Some(known) => known,
            None => self.before.link(&link.key()).map(|known| known.as_ref().clone()),
        };
        let is_same = if ties { before.as_ref() == Some(link) } else { before.is_none() };
        if is_same || link.inline || before.as_ref().is_some_and(|before| before.inline) {
            return;
        }
        let (op, key) =
            (if ties { ChangeOp::Linked } else { ChangeOp::Unlinked }, Key::new(&link.namespace, &link.from));
        let told = (link.clone(), before.filter(|_| ties));
        match noticed.last_mut() {
            Some((known, from, LoggedWhat::Links(links))) if (*known, &*from) == (op, &key) => links.push(told),
            _ => noticed.push((op, key, LoggedWhat::Links(vec![told]))),
        }
    }
}

/// Without what is no other version of a memory; what became one is told so.
pub(super) fn worth_telling(mut noticed: Vec<Noticed>) -> Vec<Noticed> {
    noticed.retain(|(.., what)| match what {
        LoggedWhat::Memory { before: Some(before), after: Some(after), .. } => !are_one_version(before, after),
        _ => true,
    });
    if noticed.iter().any(|(.., what)| became_part(what)) {
        let changed = noticed.iter_mut().filter(|(op, ..)| *op == ChangeOp::Changed);
        changed.for_each(|(op, ..)| *op = ChangeOp::Merged);
    }
    noticed
}

fn became_part(what: &LoggedWhat) -> bool {
    match what {
        LoggedWhat::Memory { before: Some(before), after: Some(after), .. } => {
            after.merged_into().is_some() && before.merged_into().is_none()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Archived, By, Kind, MemoryId, Namespace, Relation, Timestamp, Tombstone};

    fn note(id: &str, text: &str) -> Arc<Memory> {
        Arc::new(Memory::new(MemoryId::new(id).unwrap(), Kind::Note, text, Timestamp::from_micros(1_000)))
    }

    fn put(memory: &Arc<Memory>) -> Change {
        Change::Put { before: None, after: Arc::clone(memory) }
    }

    fn ops(before: &Snapshot, bundles: &[Vec<Change>]) -> Vec<Vec<ChangeOp>> {
        let mut notice = Notice::after(before);
        let bundles = bundles.iter().map(|changes| Bundle::by(By::User, "", changes.clone()));
        bundles.map(|bundle| worth_telling(notice.of(&bundle)).into_iter().map(|(op, ..)| op).collect()).collect()
    }

    #[test]
    fn each_change_is_told_against_what_the_one_before_it_left() {
        let (one, two) = (note("a", "one"), note("a", "two"));
        let archived = Change::Archive(Arc::new(Archived {
            memory: Arc::clone(&two),
            at: Timestamp::from_micros(5),
            reason: String::new(),
        }));
        let told = ops(&Snapshot::default(), &[vec![put(&one)], vec![put(&one)], vec![put(&two)], vec![archived]]);
        use ChangeOp::{Archived as Left, Changed, New};
        assert_eq!(told, [vec![New], vec![], vec![Changed], vec![Left]]);
    }

    #[test]
    fn links_of_one_memory_are_one_thing_and_those_of_other_programs_none() {
        let link = |to: &str, inline| {
            let id = |name: &str| MemoryId::new(name).unwrap();
            let (place, at) = (Namespace::default(), Timestamp::from_micros(1));
            Change::Link(Link { inline, ..Link::new(place, id("a"), Relation::RelatedTo, id(to), at) })
        };
        let told = ops(&Snapshot::default(), &[vec![link("b", false), link("c", false)], vec![link("d", true)]]);
        assert_eq!(told, [vec![ChangeOp::Linked], vec![]]);
    }

    #[test]
    fn nothing_is_told_of_what_a_purge_took_with_it() {
        let (gone, heir) = (note("a", "a word"), note("b", "a word\nand more"));
        let mut before = Snapshot::default();
        before.apply_all(&[put(&gone), put(&heir)]);
        let purge = Change::Purge(Tombstone::of(&gone, Timestamp::from_micros(9), ""));
        assert_eq!(ops(&before, &[vec![put(&note("b", "and more")), purge]]), [Vec::<ChangeOp>::new()]);
    }
}
