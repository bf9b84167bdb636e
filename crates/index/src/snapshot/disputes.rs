//! Memories that cannot both hold: every matter by its id, the open ones, and each under both its sides.

use std::sync::Arc;

use super::Snapshot;
use lokid_model::{Contradiction, ContradictionStatus, Key, Namespace};

impl Snapshot {
    pub fn contradictions(&self) -> impl Iterator<Item = &Arc<Contradiction>> {
        self.contradictions.values()
    }

    /// With one side gone there is nothing left to decide.
    pub fn contradiction(&self, namespace: &Namespace, id: &str) -> Option<&Arc<Contradiction>> {
        self.contradictions.get(&(namespace.clone(), id.to_owned()))
    }

    pub fn open_contradictions(&self) -> usize {
        let open = self.open.iter().filter_map(|id| self.contradictions.get(id));
        open.filter(|found| self.is_undecided(found)).count()
    }

    pub fn open_contradictions_of(&self, namespace: &Namespace) -> impl Iterator<Item = &Arc<Contradiction>> {
        let first = (namespace.clone(), String::new());
        let own = self.open.range(first..).take_while(move |(found, _)| found == namespace);
        own.filter_map(|id| self.contradictions.get(id))
    }

    /// Every matter that a memory is one side of, settled or not.
    pub fn disputes_of(&self, key: &Key) -> impl Iterator<Item = &Arc<Contradiction>> {
        let own = self.disputes.range((key.clone(), String::new())..).take_while(move |(side, _)| side == key);
        own.filter_map(|(side, id)| self.contradictions.get(&(side.namespace.clone(), id.clone())))
    }

    /// The matter that somebody has to settle before anything more about this memory is worth telling.
    pub fn open_dispute_of(&self, key: &Key) -> Option<&Arc<Contradiction>> {
        self.disputes_of(key).find(|found| self.is_undecided(found))
    }

    fn is_undecided(&self, found: &Contradiction) -> bool {
        let lives = |id| self.memories.contains_key(&Key::new(&found.namespace, id));
        found.status == ContradictionStatus::Open && lives(&found.a) && lives(&found.b)
    }

    pub(super) fn dispute(&mut self, found: &Contradiction) {
        let id = (found.namespace.clone(), found.id.clone());
        for side in found.sides() {
            self.disputes.insert((side, found.id.clone()));
        }
        match found.status {
            ContradictionStatus::Open => self.open.insert(id.clone()),
            _ => self.open.remove(&id),
        };
        self.contradictions.insert(id, Arc::new(found.clone()));
    }

    pub(super) fn undispute(&mut self, found: &Contradiction) {
        let id = (found.namespace.clone(), found.id.clone());
        for side in found.sides() {
            self.disputes.remove(&(side, found.id.clone()));
        }
        self.open.remove(&id);
        self.contradictions.remove(&id);
    }
}
