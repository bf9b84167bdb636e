//! Keeping index and timeline up to date beside the writer's own work: which are behind, when they may be written again,
//! and what has to leave them at once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Writer;
use lokid_context::layers;
use lokid_model::{Change, Key, Kind, MemoryId, Namespace, Scope, Timestamp};
use lokid_store::LayerFiles;

/// The layers are for people and for the next session: they may lag a burst of writes by this much.
const LAYERS_PAUSE: Duration = Duration::from_millis(200);
/// Layers that could not be written are not tried again before this.
const AFTER_FAILURE: Duration = Duration::from_secs(60);

/// Which layers are behind, and when they may be written again.
#[derive(Default)]
pub(crate) struct LayersDue {
    pub(crate) namespaces: BTreeSet<Namespace>,
    with_days: BTreeSet<Namespace>,
    pub(crate) not_before: Option<Instant>,
    /// Just purged: what Loki Mode's own entries say of them goes too.
    pub(crate) purged: Vec<Purged>,
}

/// As much of a purged memory as is needed to find what was told of it.
pub(crate) struct Purged {
    key: Key,
    at: Timestamp,
    headline: String,
    kind: Kind,
}

impl Writer {
    pub(crate) fn meet_neighbours(&mut self, now: Timestamp) {
        let found = self.store.neighbourhood();
        if !self.env.read_only {
            self.layers.namespaces.extend(found.garbled);
        }
        self.learn_decisions(&found.neighbours, now);
        for (namespace, neighbour) in found.neighbours {
            // A crash may have come between a purge and its layers.
            let told_of = neighbour.ours.iter().filter_map(|id| MemoryId::foreign(id));
            if told_of.into_iter().any(|id| self.state.get(&Key::new(&namespace, &id)).is_none()) {
                self.layers.namespaces.insert(namespace.clone());
            }
            let mut neighbour = neighbour;
            if namespace.is_default() && self.derived.focus.is_some() {
                neighbour.active_context.clone_from(&self.derived.focus);
            }
            self.state.set_neighbour(namespace, neighbour);
        }
        let mut problems = self.store.problems();
        problems.extend(found.problems);
        self.state.set_problems(problems);
    }

    pub(crate) fn publish(&mut self) {
        self.outside.counters().kept_outside.store(self.store.kept_outside() as u64, Ordering::Relaxed);
        // While the repository could not be written, neither could its layers.
        let let_in = self.store.take_let_in();
        self.mark_layers(&let_in);
        let mut problems = self.store.problems();
        let layers = self.state.problems().iter().filter(|problem| is_layer(&problem.path));
        problems.extend(layers.cloned().collect::<Vec<_>>());
        self.state.set_problems(problems);
        self.outside.published().store(Arc::new(self.state.clone()));
        self.followers.iter().for_each(|follower| follower.published());
    }

    pub(crate) fn note_purged(&mut self, changes: &[Change]) {
        for change in changes {
            let Change::Purge(tombstone) = change else { continue };
            let archived = self.state.archived(&tombstone.key).map(|entry| &entry.memory);
            if let Some(memory) = self.state.get(&tombstone.key).or(archived) {
                let headline = memory.headline().to_owned();
                let (key, at, kind) = (tombstone.key.clone(), memory.times.created_at, memory.kind);
                self.layers.purged.push(Purged { key, at, headline, kind });
            }
        }
    }

    pub(crate) fn mark_layers(&mut self, changes: &[Change]) {
        for change in changes {
            if self.is_elsewhere(change) {
                continue;
            }
            let (namespace, kind) = match change {
                Change::Vanished(key) => (&key.namespace, Kind::Episode),
                Change::Purge(tombstone) => (&tombstone.key.namespace, Kind::Episode),
                change => match change.memory() {
                    Some(memory) => (&memory.namespace, memory.kind),
                    None => continue,
                },
            };
            if !self.layers.namespaces.contains(namespace) {
                self.layers.namespaces.insert(namespace.clone());
            }
            if kind == Kind::Episode && !self.layers.with_days.contains(namespace) {
                self.layers.with_days.insert(namespace.clone());
            }
        }
    }

    /// Of all projects: the layers of this one do not tell of it, and are not made for it.
    fn is_elsewhere(&self, change: &Change) -> bool {
        let is_system = |scope: Scope| scope == Scope::System;
        match change {
            Change::Put { before: Some(before), after } => is_system(before.scope) && is_system(after.scope),
            Change::Purge(tombstone) => is_system(tombstone.scope),
            Change::Vanished(key) => self.state.get(key).is_some_and(|memory| is_system(memory.scope)),
            change => change.memory().is_some_and(|memory| is_system(memory.scope)),
        }
    }

    /// Brings index and timeline up to date. The longer it takes, the longer it may lag next time.
    pub(crate) fn write_layers(&mut self) {
        if self.layers.namespaces.is_empty() {
            return;
        }
        let started = self.env.clock.monotonic();
        let now = self.env.clock.now();
        let due = std::mem::take(&mut self.layers);
        let config = self.env.config.load_full();
        // What the repository teaches by itself differs with the state of a cache; files that are committed must not.
        let own = self.state.without_derived();
        let (state, with_days, purged) = (&own, &due.with_days, &due.purged);
        let focus = &self.derived.focus;
        let arrangement = layers::Arrangement::default();
        let files = LayerFiles {
            namespaces: due.namespaces.iter().cloned().collect(),
            purges: !due.purged.is_empty(),
            compose: &|namespace, neighbour| {
                let mut neighbour = neighbour.clone();
                if namespace.is_default() && focus.is_some() {
                    neighbour.active_context.clone_from(focus);
                }
                for gone in purged.iter().filter(|gone| gone.key.namespace == *namespace) {
                    neighbour.forget(gone.kind, &gone.key.id, gone.at, &gone.headline);
                }
                let with_days = with_days.contains(namespace);
                layers::compose(state, namespace, &config.layers, &arrangement, &neighbour, now, with_days)
            },
        };
        let written = self.store.write_layers(now, &files);
        let took = self.env.clock.monotonic().saturating_duration_since(started);
        let mut pause = LAYERS_PAUSE.max(took * 10);
        if let Err(error) = written {
            tracing::warn!(project = %self.env.name, reason = %error, "index and timeline could not be written");
            pause = pause.max(AFTER_FAILURE);
            self.layers = due;
        } else if self.state.problems().iter().any(|problem| is_layer(&problem.path)) {
            // What was wrong with them may be mended now.
            self.meet_neighbours(now);
            self.publish();
        }
        self.layers.not_before = Some(self.env.clock.monotonic() + pause);
    }
}

fn is_layer(path: &str) -> bool {
    path.ends_with("index.json") || path.ends_with("timeline.json")
}
