//! Go: an import is a package, a package is a folder.

use super::super::Import;
use super::{FileSet, folder, join, normal};

/// `host/owner/repository`: what stands before the folder where no `go.mod` was read.
const REPOSITORY_PARTS: usize = 3;

pub(super) fn resolve(import: &Import, from: &str, files: &dyn FileSet) -> Vec<String> {
    if import.relative {
        return normal(folder(from), &import.what).map(|at| package(&at, files)).unwrap_or_default();
    }
    let modules = files.go_modules();
    if !modules.is_empty() {
        let inside = modules.iter().filter_map(|module| {
            let rest = import.what.strip_prefix(&module.path)?;
            let rest = if rest.is_empty() { rest } else { rest.strip_prefix('/')? };
            Some((module.path.len(), if rest.is_empty() { module.folder.clone() } else { join(&module.folder, rest) }))
        });
        // The longest module wins: one may stand within another.
        return inside.max().map(|(_, at)| package(&at, files)).unwrap_or_default();
    }
    let parts: Vec<&str> = import.what.split('/').collect();
    // The standard library has no dot in its first part.
    if parts.len() <= REPOSITORY_PARTS || !parts[0].contains('.') {
        return Vec::new();
    }
    package(&parts[REPOSITORY_PARTS..].join("/"), files)
}

fn package(at: &str, files: &dyn FileSet) -> Vec<String> {
    let is_code = |path: &String| path.ends_with(".go") && !path.ends_with("_test.go");
    files.in_folder(at).into_iter().filter(is_code).collect()
}
