//! What is asked about the authority that files of a repository ask for, and what is answered.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::NamespaceName;
use lokid_engine::Claimant;
use lokid_model::MemoryId;

/// A person lets memories be what their files ask to be, or takes that back: one of `ids`, `authors` and `all`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct TrustBody {
    pub(in crate::serve) project: Option<PathBuf>,
    /// Of `ids`.
    pub(in crate::serve) namespace: Option<NamespaceName>,
    #[schemars(with = "Vec<String>")]
    pub(in crate::serve) ids: Vec<MemoryName>,
    /// The records that stand there now under these names; nothing that they write later.
    pub(in crate::serve) authors: Vec<String>,
    pub(in crate::serve) all: bool,
    /// Take back what was confirmed for `ids`.
    pub(in crate::serve) revoke: bool,
}

/// An id as somebody else may have given it.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(in crate::serve) struct MemoryName(pub(in crate::serve) MemoryId);

impl TryFrom<String> for MemoryName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<MemoryName, &'static str> {
        MemoryId::foreign(&text).map(MemoryName).ok_or("cannot be an id")
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct TrustAnswer {
    pub(in crate::serve) items: Vec<TrustItem>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct TrustItem {
    pub(in crate::serve) id: String,
    pub(in crate::serve) namespace: String,
    pub(in crate::serve) kind: &'static str,
    /// Empty when it is restricted.
    pub(in crate::serve) title: String,
    /// What it counts as here.
    pub(in crate::serve) tier: &'static str,
    pub(in crate::serve) source: &'static str,
    /// What its file says it is.
    pub(in crate::serve) claims: TrustClaim,
    /// Who wrote it, as the file says.
    pub(in crate::serve) author: Option<String>,
    pub(in crate::serve) file: Option<String>,
    /// It is what it asks to be.
    pub(in crate::serve) confirmed: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct TrustClaim {
    pub(in crate::serve) tier: &'static str,
    pub(in crate::serve) source: &'static str,
}

impl TrustItem {
    pub(in crate::serve) fn of(claimant: &Claimant) -> TrustItem {
        let memory = &claimant.memory;
        let claim = memory.claimed();
        TrustItem {
            id: memory.id.to_string(),
            namespace: memory.namespace.to_string(),
            kind: memory.kind.as_str(),
            title: if memory.restricted { String::new() } else { memory.headline().to_owned() },
            tier: memory.tier.as_str(),
            source: memory.source.as_str(),
            claims: TrustClaim { tier: claim.tier.as_str(), source: claim.source.as_str() },
            author: memory.actor.clone(),
            file: claimant.file.clone(),
            confirmed: memory.claim.is_none(),
        }
    }
}
