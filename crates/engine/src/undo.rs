//! Taking a change back: decided on a snapshot like every other change, for all that was done together or not at all, and
//! only where the memory is still as that change left it. What a night did stays undone: the memory says so, and two that
//! were made one keep the link that tells them apart.

use std::sync::Arc;

use super::decide;
use super::logged::{LeftAsItIs, LoggedChange, LoggedWhat, are_one_version, differences};
use lokid_index::Snapshot;
use lokid_manage::plan::Phase;
use lokid_manage::undone;
use lokid_model::{
    Archived, Change, Contradiction, ContradictionStatus, Key, Link, Memory, Relation, Resolution, Settled, Timestamp,
};

const UNDONE: &str = "undone";

/// The changes that take a group back, or what keeps it from being taken back.
pub fn plan(snapshot: &Snapshot, now: Timestamp, group: &[LoggedChange]) -> Result<(Vec<Change>, LeftAsItIs), String> {
    if group.first().is_some_and(|first| first.of > group.len()) {
        return Err("a part of what was done with it is told no more".to_owned());
    }
    let mut undoing = Undoing { state: snapshot.clone(), now, changes: Vec::new() };
    let mut left = Vec::new();
    // Whether a matter is open again depends on what stands then.
    let (matters, others): (Vec<_>, Vec<_>) =
        group.iter().rev().partition(|change| matches!(change.what, LoggedWhat::Contradiction { .. }));
    for change in others.into_iter().chain(matters) {
        if let Some(why) = undoing.take_back(change)? {
            left.push((change.id.clone(), why));
        }
    }
    if let Some((_, why)) = left.first().filter(|_| undoing.changes.is_empty()) {
        return Err((*why).to_owned());
    }
    Ok((undoing.changes, left))
}

struct Undoing {
    state: Snapshot,
    now: Timestamp,
    changes: Vec<Change>,
}

impl Undoing {
    /// Answers why nothing was to be done, where that is so.
    fn take_back(&mut self, logged: &LoggedChange) -> Result<Option<&'static str>, String> {
        // Those two keep to what was settled, each in its own way.
        let phase = logged.phase.filter(|phase| !matches!(phase, Phase::Dedupe | Phase::Contradict));
        match &logged.what {
            LoggedWhat::Memory { before: None, after: None, .. } => {
                return Err(format!("what {} was is not kept here", logged.key.id));
            }
            LoggedWhat::Memory { before: None, after: Some(after), left_for } => {
                self.leave(after, left_for.as_deref())?
            }
            LoggedWhat::Memory { before: Some(before), after: None, .. } => self.bring_back(before, phase)?,
            LoggedWhat::Memory { before: Some(before), after: Some(after), .. } => self.reword(before, after, phase)?,
            LoggedWhat::Links(links) => return Ok(self.retie(logged, links, phase)),
            LoggedWhat::Contradiction { before, after } => self.reopen(before.as_deref(), after)?,
        }
        Ok(None)
    }

    fn make(&mut self, change: Change) {
        self.state.apply(&change);
        self.changes.push(change);
    }

    /// The living memory, if it is as the change left it.
    fn standing(&self, after: &Arc<Memory>) -> Result<Arc<Memory>, String> {
        let key = after.key();
        let living = self.state.get(&key).filter(|_| !self.state.is_derived(&key)).ok_or_else(|| self.absent(&key))?;
        if are_one_version(living, after) {
            return Ok(Arc::clone(living));
        }
        Err(format!("{} has changed since: {}", key.id, differences(after, living).join(", ")))
    }

    fn absent(&self, key: &Key) -> String {
        match self.state.archived(key) {
            Some(_) => format!("{} was archived since", key.id),
            None => format!("{} is gone", key.id),
        }
    }

    /// What had been restored leaves for the reason it had left for: others may go by that.
    fn leave(&mut self, after: &Arc<Memory>, left_for: Option<&str>) -> Result<(), String> {
        let memory = self.standing(after)?;
        let (at, reason) = (self.now.max(memory.times.updated_at), left_for.unwrap_or(UNDONE).to_owned());
        self.make(Change::Archive(Arc::new(Archived { memory, at, reason })));
        Ok(())
    }

    fn bring_back(&mut self, before: &Arc<Memory>, phase: Option<Phase>) -> Result<(), String> {
        let key = before.key();
        if self.state.get(&key).is_some() {
            return Err(format!("{} is there again", key.id));
        }
        if self.state.tombstone(&key).is_some() || self.state.is_buried(&before.fingerprint()) {
            return Err(format!("{} was purged", key.id));
        }
        let marked = |memory: &Arc<Memory>| match phase {
            Some(phase) => {
                let mut memory = memory.as_ref().clone();
                undone::note(&mut memory, phase);
                Arc::new(memory)
            }
            None => Arc::clone(memory),
        };
        let Some(entry) = self.state.archived(&key) else {
            let back = Arc::new(self.renewed(before, before));
            self.make(Change::Put { before: None, after: marked(&back) });
            return Ok(());
        };
        if !are_one_version(&entry.memory, before) {
            return Err(format!("{} was archived again since, as something else", key.id));
        }
        let (changes, _) = decide::restore(&self.state, self.now, &key).map_err(|error| error.to_string())?;
        for change in changes {
            self.make(match change {
                Change::Restore(entry) => {
                    let memory = marked(&entry.memory);
                    Change::Restore(Arc::new(Archived { memory, ..entry.as_ref().clone() }))
                }
                change => change,
            });
        }
        Ok(())
    }

    fn reword(&mut self, before: &Arc<Memory>, after: &Arc<Memory>, phase: Option<Phase>) -> Result<(), String> {
        let living = self.standing(after)?;
        if self.state.is_buried(&before.fingerprint()) {
            return Err(format!("what {} said before was purged", living.id));
        }
        let mut memory = self.renewed(before, &living);
        if let Some(phase) = phase {
            undone::note(&mut memory, phase);
        }
        self.make(Change::Put { before: Some(living), after: Arc::new(memory) });
        Ok(())
    }

    /// As it was, but for what does not go back: how often it was used, whose word it is, what was taken back before.
    fn renewed(&self, before: &Memory, living: &Memory) -> Memory {
        let mut memory = before.clone();
        // Authority that was taken from it since does not come back with its words.
        if living.claim.is_some() {
            memory.claim = Some(before.claimed());
            (memory.tier, memory.source) = (living.tier, living.source);
        }
        memory.usage = living.usage.clone();
        memory.times.updated_at = self.now.max(living.times.updated_at.plus_micros(1));
        for name in [lokid_model::memory::AUTHOR, lokid_model::memory::UNDONE] {
            let kept = living.extra.as_ref().and_then(|extra| extra.get(name)).cloned();
            let extra = memory.extra.get_or_insert_default();
            match kept {
                Some(value) => extra.insert(name.to_owned(), value),
                None => extra.shift_remove(name),
            };
        }
        memory.extra = memory.extra.filter(|extra| !extra.is_empty());
        memory
    }

    /// A link that is another by now stays as it is.
    fn retie(
        &mut self,
        logged: &LoggedChange,
        links: &[(Link, Option<Link>)],
        phase: Option<Phase>,
    ) -> Option<&'static str> {
        let lives = |state: &Snapshot, link: &Link, id| state.get(&Key::new(&link.namespace, id)).is_some();
        let is_merge = logged.phase == Some(Phase::Dedupe);
        let tells_apart = |link: &Link| matches!(link.relation, Relation::Supersedes | Relation::SupersededBy);
        let before = self.changes.len();
        for (link, was) in links {
            let known = self.state.link(&link.key()).cloned();
            let change = match (&known, logged.op == lokid_model::ChangeOp::Linked) {
                _ if is_merge && tells_apart(link) => None,
                (Some(known), true) if **known == *link => {
                    Some(was.clone().map_or_else(|| Change::Unlink(link.clone()), Change::Link))
                }
                (None, false) if lives(&self.state, link, &link.from) && lives(&self.state, link, &link.to) => {
                    Some(Change::Link(link.clone()))
                }
                _ => None,
            };
            if let Some(change) = change {
                self.make(change);
            }
        }
        if self.changes.len() == before {
            return Some(if is_merge {
                "it keeps the two from becoming one again"
            } else {
                "the links are others by now"
            });
        }
        if let Some((phase, living)) = phase.zip(self.state.get(&logged.key).cloned()) {
            let mut memory = self.renewed(&living, &living);
            undone::note(&mut memory, phase);
            self.make(Change::Put { before: Some(living), after: Arc::new(memory) });
        }
        None
    }

    /// What was found is dismissed, what was settled is open again.
    fn reopen(&mut self, before: Option<&Contradiction>, after: &Contradiction) -> Result<(), String> {
        let known = self.state.contradiction(&after.namespace, &after.id);
        if known.map(Arc::as_ref) != Some(after) {
            return Err(format!("{} is settled in another way since", after.id));
        }
        let holds = |key: &Key| self.state.get(key).is_some_and(|memory| memory.times.expired_at.is_none());
        let is_open = after.status != ContradictionStatus::Open && after.sides().iter().all(holds);
        let again = match before {
            Some(before) => before.clone(),
            None if is_open => Contradiction { status: ContradictionStatus::Open, settled: None, ..after.clone() },
            None => {
                let (resolution, note) = (Resolution::BothValid, UNDONE.to_owned());
                let settled = Some(Settled { resolution, note, at: self.now });
                Contradiction { status: ContradictionStatus::Resolved, settled, ..after.clone() }
            }
        };
        self.make(Change::Contradict(again));
        Ok(())
    }
}
