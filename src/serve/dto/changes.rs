//! What is asked about changes of the memory, the life of one memory, and what is answered.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bodies::Object;
use super::values::{KnownId, NamespaceName, Time, Words};
use lokid_model::{By, ChangeOp};

/// Which changes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct ChangesQuery {
    pub(in crate::serve) project: Option<PathBuf>,
    /// Of this namespace; all of them unless told, with `memory` the default one.
    pub(in crate::serve) namespace: Option<NamespaceName>,
    /// From then on.
    pub(in crate::serve) since: Option<Time>,
    /// Before then.
    pub(in crate::serve) until: Option<Time>,
    /// This one, and what was done together with it.
    pub(in crate::serve) change: Option<String>,
    /// That name this memory.
    pub(in crate::serve) memory: Option<KnownId>,
    pub(in crate::serve) op: Words<ChangeOp>,
    pub(in crate::serve) by: Words<By>,
    /// Only what nobody has accepted, undone or made by hand; `false`: only the others.
    pub(in crate::serve) open: Option<bool>,
    /// Of the night that began then.
    pub(in crate::serve) night: Option<Time>,
    /// 1 to 500; 50 unless told.
    #[schemars(range(min = 1, max = 500))]
    pub(in crate::serve) limit: Option<usize>,
    /// The `next_cursor` of the answer before.
    pub(in crate::serve) cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct ChangesAnswer {
    pub(in crate::serve) items: Vec<ChangeItem>,
    /// `null` behind the last item.
    pub(in crate::serve) next_cursor: Option<String>,
    /// How far back the log goes; `null` while it is empty.
    pub(in crate::serve) since: Option<String>,
}

/// One change of one memory, of its links, or of a matter it is part of.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct ChangeItem {
    pub(in crate::serve) id: String,
    pub(in crate::serve) at: String,
    /// What was done together has the same, and is undone together.
    pub(in crate::serve) group: String,
    pub(in crate::serve) op: &'static str,
    pub(in crate::serve) by: &'static str,
    /// Empty where there is nothing to say.
    pub(in crate::serve) why: String,
    pub(in crate::serve) memory_id: String,
    pub(in crate::serve) namespace: String,
    /// `null`, like `tier`, of a memory that is nowhere any more.
    pub(in crate::serve) kind: Option<&'static str>,
    pub(in crate::serve) tier: Option<&'static str>,
    pub(in crate::serve) title: String,
    /// Who is behind it, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) author: Option<String>,
    /// Those of the record that differ.
    pub(in crate::serve) fields: Vec<String>,
    /// The records; `null` where there was none, where it is about something else, or where it was too long to be kept.
    pub(in crate::serve) before: Option<Object>,
    pub(in crate::serve) after: Option<Object>,
    /// With `linked` and `unlinked`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::serve) links: Vec<serde_json::Value>,
    /// With `conflict` and `settled`, as it is since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) contradiction: Option<Object>,
    /// When the night began that did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) night: Option<String>,
    pub(in crate::serve) accepted: bool,
    pub(in crate::serve) undone: bool,
    pub(in crate::serve) can_undo: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) hindrance: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct UndoneAnswer {
    pub(in crate::serve) undone: Vec<String>,
    pub(in crate::serve) skipped: Vec<SkippedUndo>,
}

/// What stays as it is.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct SkippedUndo {
    pub(in crate::serve) id: String,
    pub(in crate::serve) why: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct AcceptedChanges {
    pub(in crate::serve) accepted: Vec<String>,
}

/// Take back what is left of a night.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct NightUndoRequest {
    #[serde(default)]
    pub(in crate::serve) project: Option<PathBuf>,
    /// Which night.
    pub(in crate::serve) started_at: Time,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct NightUndoAnswer {
    /// Deeds that were taken back.
    pub(in crate::serve) undone: usize,
    pub(in crate::serve) skipped: Vec<SkippedUndo>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct HistoryAnswer {
    /// The newest first.
    pub(in crate::serve) versions: Vec<VersionItem>,
    /// How far back the log of changes goes; what is older comes from the memory's file.
    pub(in crate::serve) since: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct VersionItem {
    pub(in crate::serve) at: String,
    /// `null` while it is so.
    pub(in crate::serve) until: Option<String>,
    pub(in crate::serve) by: &'static str,
    pub(in crate::serve) op: &'static str,
    pub(in crate::serve) why: String,
    pub(in crate::serve) record: Object,
}
