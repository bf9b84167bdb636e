//! The connections of those that go, handed over to the one that stays. Kept up to date from one merge of a night to
//! the next, since two that go may be tied to each other.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::plan::Scene;
use lokid_model::link::LinkKey;
use lokid_model::{Change, Link, Memory, MemoryId};

pub(super) struct Ties {
    links: BTreeMap<LinkKey, Link>,
    of: HashMap<MemoryId, BTreeSet<LinkKey>>,
}

impl Ties {
    pub(super) fn of(scene: &Scene<'_>, unneeded: bool) -> Ties {
        let mut ties = Ties { links: BTreeMap::new(), of: HashMap::new() };
        if !unneeded {
            scene.links.iter().for_each(|link| ties.put(link.as_ref().clone()));
        }
        ties
    }

    /// Ties everything that was tied to the losers to the one that is kept, in both directions, without ties to itself.
    pub(super) fn hand_over(&mut self, kept: &Memory, losers: &[&Arc<Memory>]) -> Vec<Change> {
        let mut removed: BTreeMap<LinkKey, Link> = BTreeMap::new();
        let mut added: BTreeMap<LinkKey, Link> = BTreeMap::new();
        let gone: BTreeSet<&MemoryId> = losers.iter().map(|gone| &gone.id).collect();
        for loser in losers {
            for key in self.of.remove(&loser.id).unwrap_or_default() {
                let Some(old) = self.links.remove(&key) else { continue };
                for end in [&old.from, &old.to] {
                    self.of.get_mut(end).map(|keys| keys.remove(&key));
                }
                let heir = |id: &MemoryId| if gone.contains(id) { kept.id.clone() } else { id.clone() };
                let new = Link { from: heir(&old.from), to: heir(&old.to), inline: false, ..old.clone() };
                removed.insert(key, old);
                let known = self.links.get(&new.key()).map_or(f64::NEG_INFINITY, |known| known.strength);
                if new.from != new.to && new.strength > known {
                    added.insert(new.key(), new.clone());
                    self.put(new);
                }
            }
        }
        let unlinked =
            removed.into_iter().filter(|(key, _)| !added.contains_key(key)).map(|(_, link)| Change::Unlink(link));
        let unlinked: Vec<Change> = unlinked.collect();
        unlinked.into_iter().chain(added.into_values().map(Change::Link)).collect()
    }

    /// Is it new?
    pub(super) fn add(&mut self, change: &Change) -> bool {
        let Change::Link(link) = change else { return true };
        let new = !self.links.contains_key(&link.key());
        self.put(link.clone());
        new
    }

    fn put(&mut self, link: Link) {
        let key = link.key();
        for end in [&link.from, &link.to] {
            self.of.entry(end.clone()).or_default().insert(key.clone());
        }
        self.links.insert(key, link);
    }
}
