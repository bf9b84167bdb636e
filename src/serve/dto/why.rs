//! The question why something is as it is, and its answer.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::NamespaceName;

/// Why a file, some lines of it or a symbol in it is as it is.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct WhyRequest {
    #[serde(default)]
    pub(in crate::serve) project: Option<PathBuf>,
    #[serde(default)]
    pub(in crate::serve) namespace: Option<NamespaceName>,
    /// Absolute, or relative to the working tree.
    pub(in crate::serve) file: String,
    /// From 1.
    pub(in crate::serve) line: Option<u32>,
    /// The last line; the same one unless told.
    pub(in crate::serve) end_line: Option<u32>,
    /// Instead of lines: a name that the file defines, `send` or `Session.send`.
    pub(in crate::serve) symbol: Option<String>,
    /// The most of each list, 1 to 50; 3 of `blame` and 5 of the others unless told.
    #[schemars(range(min = 1, max = 50))]
    pub(in crate::serve) k: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct WhyAnswer {
    pub(in crate::serve) file: String,
    /// Names that the file had before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::serve) earlier_names: Vec<String>,
    /// What was asked for, or what the lines stand in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) symbol: Option<String>,
    /// First and last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) lines: Option<[u32; 2]>,
    /// Who wrote these lines last, most lines first. Commits that only reformat are looked through.
    pub(in crate::serve) blame: Vec<BlamedCommit>,
    /// The best first; behind them the one that began it.
    pub(in crate::serve) explained_by: Vec<ToldCommit>,
    /// Fixes and reverts, newest first; the reason is what went wrong.
    pub(in crate::serve) broke_before: Vec<ToldCommit>,
    pub(in crate::serve) memories: Vec<KnownMemory>,
    /// Why something is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) note: Option<&'static str>,
    pub(in crate::serve) took_us: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct BlamedCommit {
    /// First and last of each stretch.
    pub(in crate::serve) lines: Vec<[u32; 2]>,
    /// Where the lines stood then, if that was elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) path: Option<String>,
    #[serde(flatten)]
    pub(in crate::serve) commit: ToldCommit,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct ToldCommit {
    /// `commit-` and the first twelve digits of its id.
    pub(in crate::serve) id: String,
    pub(in crate::serve) date: String,
    pub(in crate::serve) author: String,
    /// `fix`, `revert`, `feature`, `refactor`, or `change` for what is none of these.
    pub(in crate::serve) kind: &'static str,
    pub(in crate::serve) subject: String,
    /// What the message says beyond its subject; may be empty.
    pub(in crate::serve) reason: String,
    pub(in crate::serve) files: Vec<String>,
    /// What it has to do with the question.
    pub(in crate::serve) why: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct KnownMemory {
    pub(in crate::serve) id: String,
    pub(in crate::serve) kind: &'static str,
    pub(in crate::serve) tier: &'static str,
    pub(in crate::serve) title: String,
    pub(in crate::serve) summary: String,
    pub(in crate::serve) files: Vec<String>,
    pub(in crate::serve) created_at: String,
}
