//! Merges of the store's files: does this clone merge them with lokid?

use std::path::{Path, PathBuf};

use super::super::team::git::Merging;
use super::Check;
use lokid_sys::plain;
use lokid_team::git::attributes::Attributes;

const NAME: &str = "merge driver";
const INSTALL: &str = "lokid team git install";
const CONFIGURE: &str = "lokid team git install (or: git config merge.lokid.driver \"lokid merge-driver %O %A %B %P\")";

pub(super) fn look(root: &Path) -> Check {
    let found = Merging::look(root);
    match (found.attributes, found.program) {
        (Attributes::Missing, None) => Check::good(NAME, "not used: merges of the store are git's own"),
        (_, None) => {
            let found = ".gitattributes asks for merge=lokid, and git does not know it: merges fall back to plain text";
            Check::doubtful(NAME, found, CONFIGURE)
        }
        (_, Some((program, false))) => {
            Check::broken(NAME, format!("git would run {program}, which is not there"), CONFIGURE)
        }
        (Attributes::Missing, Some(_)) => {
            Check::doubtful(NAME, "git knows it, and .gitattributes does not ask for it", INSTALL)
        }
        (Attributes::Old, Some(_)) => {
            Check::doubtful(NAME, "git knows it, and .gitattributes has lines of another lokid", INSTALL)
        }
        (Attributes::Ours | Attributes::Others, Some(_)) => Check::good(NAME, "git knows it"),
    }
}

/// Files that a text merge had damaged are kept as they were, for whoever wants to compare.
pub(super) fn mended(memory: &Path) -> Option<Check> {
    let is_kept = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(".tmp_") && name.ends_with(".corrupt")
    };
    let folders = ["semantic", "learnings", "notes", "archive", "skills", "ledgers", "handoffs"];
    let files = folders.iter().flat_map(|folder| plain::files_in(&memory.join(folder)).unwrap_or_default());
    let kept: Vec<String> = files.filter(is_kept).map(|path| path.display().to_string()).collect();
    let first = kept.first()?;
    let found = format!("a text merge damaged {} of the memory's files, mended since; kept as {first}", kept.len());
    Some(Check::doubtful("merges", found, format!("{INSTALL}; then delete what is kept")))
}
