//! A small memory for the tests of this room: told in one line each, indexed by words, without a model.

use std::sync::Arc;

use super::predict::memories::MemoryWeights;
use super::sources::Sources;
use lokid_config::RecallConfig;
use lokid_index::Snapshot;
use lokid_index::cochange::Cochange;
use lokid_index::meaning::Model;
use lokid_index::search::Indexer;
use lokid_model::{Change, Key, Kind, Link, Memory, MemoryId, Namespace, Relation, Timestamp, Usage, time};

/// A Monday, 9:30 in UTC.
pub(super) const NOW: &str = "2026-11-16T09:30:00Z";

#[derive(Default)]
pub(super) struct Lab {
    pub(super) snapshot: Snapshot,
    pub(super) cochange: Cochange,
    pub(super) weights: MemoryWeights,
    pub(super) utc_offset_seconds: i32,
}

pub(super) fn now() -> Timestamp {
    Timestamp::parse(NOW).unwrap()
}

pub(super) fn days_ago(days: i64) -> Timestamp {
    now().plus_micros(-days * time::DAY)
}

/// Ten days old.
pub(super) fn memory(id: &str, kind: Kind, text: &str, files: &[&str]) -> Memory {
    let mut memory = Memory::new(MemoryId::new(id).unwrap(), kind, text, days_ago(10));
    memory.anchors.files = files.iter().map(|file| (*file).to_owned()).collect();
    memory
}

impl Lab {
    pub(super) fn put(&mut self, memory: Memory) -> &mut Lab {
        self.snapshot.apply(&Change::Put { before: None, after: Arc::new(memory) });
        self
    }

    pub(super) fn note(&mut self, id: &str, kind: Kind, text: &str, files: &[&str]) -> &mut Lab {
        self.put(memory(id, kind, text, files))
    }

    pub(super) fn tie(&mut self, from: &str, relation: Relation, to: &str) -> &mut Lab {
        let id = |text: &str| MemoryId::new(text).unwrap();
        let namespace = Namespace::default();
        let link = Link {
            namespace,
            from: id(from),
            to: id(to),
            relation,
            strength: 1.0,
            created_at: days_ago(9),
            inline: false,
        };
        self.snapshot.apply(&Change::Link(link));
        self
    }

    /// Asks with everything indexed.
    pub(super) fn ask<T>(&self, question: impl FnOnce(&Sources<'_>) -> T) -> T {
        let model = Model { id: "test".into(), dim: 8 };
        let (mut indexer, _) = Indexer::open(None, &model, Vec::new()).unwrap();
        self.snapshot.memories().for_each(|memory| indexer.put(memory, &[]).unwrap());
        let view = indexer.view();
        let config = RecallConfig::DESIGN;
        question(&Sources {
            snapshot: &self.snapshot,
            view: &view,
            vector_of: &|_| Vec::new(),
            usage: &|memory: &Memory| -> Usage { Usage::clone(&memory.usage) },
            weights: &config,
            memory_weights: &self.weights,
            cochange: &self.cochange,
            utc_offset_seconds: self.utc_offset_seconds,
        })
    }

    pub(super) fn get(&self, id: &str) -> Arc<Memory> {
        let key = Key::new(&Namespace::default(), &MemoryId::new(id).unwrap());
        Arc::clone(self.snapshot.get(&key).unwrap())
    }
}
