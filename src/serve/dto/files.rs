//! What is answered to whoever looks around: folders, files, and what sorts of memories there are.

use schemars::JsonSchema;
use serde::Serialize;

use super::why::KnownMemory;

/// Counted over everything that passes the filters of a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct CountedFacets {
    pub(in crate::serve) total: usize,
    pub(in crate::serve) facets: Facets,
}

/// The most frequent first, of months the latest. Asking for one of them gives as many as are counted.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Facets {
    pub(in crate::serve) kind: Vec<FacetCount>,
    pub(in crate::serve) tier: Vec<FacetCount>,
    /// The 20 most frequent, and so are folders and authors.
    pub(in crate::serve) tag: Vec<FacetCount>,
    /// With what stands below them.
    pub(in crate::serve) folder: Vec<FacetCount>,
    pub(in crate::serve) author: Vec<FacetCount>,
    pub(in crate::serve) source: Vec<FacetCount>,
    pub(in crate::serve) month: Vec<FacetCount>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct FacetCount {
    pub(in crate::serve) value: String,
    pub(in crate::serve) count: usize,
}

/// What stands directly in a folder.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct FolderAnswer {
    pub(in crate::serve) path: String,
    /// Folders first, each in the order of names.
    pub(in crate::serve) entries: Vec<FolderItem>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct FolderItem {
    pub(in crate::serve) path: String,
    pub(in crate::serve) name: String,
    pub(in crate::serve) dir: bool,
    /// Anchored to it, or to anything below it.
    pub(in crate::serve) memories: usize,
    /// Of all files below it.
    pub(in crate::serve) fixes: u64,
    pub(in crate::serve) commits: u64,
    /// How much goes on there these days, from 0 to 1, the hottest file of the project. A folder is as hot as the hottest
    /// file in it.
    pub(in crate::serve) heat: f64,
}

/// What is known of one file.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct FileAnswer {
    pub(in crate::serve) path: String,
    /// Is it in the working tree?
    pub(in crate::serve) there: bool,
    /// What it is called by now, where that is another name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) today: Option<String>,
    /// What was told first, the newest of it first; 200 at the most.
    pub(in crate::serve) memories: Vec<KnownMemory>,
    pub(in crate::serve) memories_count: usize,
    /// Files that change with it, surest first.
    pub(in crate::serve) partners: Vec<PartnerFile>,
    /// The latest commits that mended it.
    pub(in crate::serve) fixes: Vec<MendedBy>,
    /// Errors whose fix is remembered.
    pub(in crate::serve) errors: Vec<KnownError>,
    pub(in crate::serve) commits: u32,
    pub(in crate::serve) fixes_count: u32,
    pub(in crate::serve) heat: f64,
    /// Files of the repository; 40 at the most, and so are the next two.
    pub(in crate::serve) imports: Vec<String>,
    pub(in crate::serve) imported_by: Vec<String>,
    pub(in crate::serve) defines: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct PartnerFile {
    pub(in crate::serve) path: String,
    /// How often they changed together.
    pub(in crate::serve) together: u32,
    /// How surely a change of the one comes with a change of the other these days, 0 to 1.
    pub(in crate::serve) score: f64,
    /// The subject of the newest commit that changed both.
    pub(in crate::serve) why: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct MendedBy {
    /// `commit-…`, which can be shown like a memory.
    pub(in crate::serve) commit: String,
    pub(in crate::serve) subject: String,
    /// What went wrong, where the message tells.
    pub(in crate::serve) reason: String,
    pub(in crate::serve) author: String,
    pub(in crate::serve) at: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct KnownError {
    pub(in crate::serve) id: String,
    pub(in crate::serve) title: String,
    pub(in crate::serve) fix: String,
}
