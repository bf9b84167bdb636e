//! What can stand behind the question mark.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{Include, NamespaceName, Time, Word, Words};
use lokid_model::{Kind, Level, Namespace, Relation, Source, Tier};

/// The project a request is about.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct Which {
    /// Any absolute path inside the repository; may be left out when one project is watched.
    pub(in crate::serve) project: Option<PathBuf>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct ManagedEvents {
    pub(in crate::serve) project: Option<PathBuf>,
    /// The newest so many; 100 unless told, 10000 at the most.
    pub(in crate::serve) limit: Option<usize>,
    /// Those at this time and later.
    pub(in crate::serve) since: Option<Time>,
    /// Those of this type, such as `managed_agents_fallback`.
    #[serde(rename = "type")]
    pub(in crate::serve) kind: Option<String>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct TeamList {
    pub(in crate::serve) project: Option<PathBuf>,
    /// The newest so many; 100 unless told, 10000 at the most.
    pub(in crate::serve) limit: Option<usize>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct Status {
    pub(in crate::serve) project: Option<PathBuf>,
    /// Look at all files first, and wait for it.
    pub(in crate::serve) fresh: bool,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct Within {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct Export {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    /// Also what the repository taught by itself, and teaches again wherever it goes.
    pub(in crate::serve) derived: bool,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct ProjectPath {
    pub(in crate::serve) path: Option<PathBuf>,
    pub(in crate::serve) project: Option<PathBuf>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct Show {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    /// How much of its text; the whole record unless told.
    pub(in crate::serve) level: Option<Word<Level>>,
    /// As it was known then.
    pub(in crate::serve) as_of: Option<Time>,
    pub(in crate::serve) session_id: Option<String>,
    /// Does it go to an agent, and count in the ledger? Yes unless told.
    pub(in crate::serve) counted: Option<bool>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct List {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    pub(in crate::serve) kind: Words<Kind>,
    pub(in crate::serve) tier: Words<Tier>,
    /// Tagged so, in capitals or not.
    pub(in crate::serve) tag: Option<String>,
    /// At home in this file, or in a file below this folder; as the repository names it.
    pub(in crate::serve) file: Option<String>,
    pub(in crate::serve) source: Words<Source>,
    /// Who is behind it, in capitals or not: a member of the team, else the person, agent or tool its source names.
    pub(in crate::serve) author: Option<String>,
    /// Only what is anchored to a file that is not in the working tree, under none of its names.
    pub(in crate::serve) stale_anchor: bool,
    /// Only what the repository taught by itself, or only what was told; both unless told.
    pub(in crate::serve) derived: Option<bool>,
    /// From then on, by when it was learnt.
    pub(in crate::serve) since: Option<Time>,
    /// Before then.
    pub(in crate::serve) until: Option<Time>,
    pub(in crate::serve) as_of: Option<Time>,
    /// What is left out otherwise.
    pub(in crate::serve) include: Words<Include>,
    /// 1 to 500; 50 unless told.
    #[schemars(range(min = 1, max = 500))]
    pub(in crate::serve) limit: Option<usize>,
    /// The `next_cursor` of the answer before.
    pub(in crate::serve) cursor: Option<String>,
    /// Also count everything that passes, by kind, tier, tag, folder, author, source and month.
    pub(in crate::serve) facets: bool,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct Path {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    /// As the repository names it, or absolute; empty is the top.
    pub(in crate::serve) path: String,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct Forget {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    pub(in crate::serve) reason: Option<String>,
    /// Erase it from every file instead of archiving it.
    pub(in crate::serve) purge: bool,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct Import {
    pub(in crate::serve) project: Option<PathBuf>,
    /// Keep sources and mandates as the records give them.
    pub(in crate::serve) trust: bool,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct Layer {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    pub(in crate::serve) format: Format,
    /// Open this topic of the index instead: its best memories, in full.
    pub(in crate::serve) topic: Option<String>,
    /// Of an opened topic; 2,000 tokens unless told.
    pub(in crate::serve) budget: Option<usize>,
    pub(in crate::serve) session_id: Option<String>,
    /// Does it go to an agent, and count in the ledger? Yes unless told.
    pub(in crate::serve) counted: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::serve) enum Format {
    #[default]
    Json,
    Text,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct Neighbourhood {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    /// 1 to 3 steps; 1 unless told.
    #[schemars(range(min = 1, max = 3))]
    pub(in crate::serve) depth: Option<usize>,
    pub(in crate::serve) relation: Words<Relation>,
    pub(in crate::serve) include: Words<Include>,
}

/// The namespace meant when none is named.
pub(in crate::serve) fn namespace(named: Option<NamespaceName>) -> Namespace {
    named.map(|name| name.0).unwrap_or_default()
}
