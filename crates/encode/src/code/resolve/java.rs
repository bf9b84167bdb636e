//! Java: a package is the end of a folder's path, a class a file in it; a class within a class is in the outer's file.

use super::super::Import;
use super::{FileSet, folder};

pub(super) fn resolve(import: &Import, files: &dyn FileSet) -> Vec<String> {
    let path = import.what.replace('.', "/");
    let class = |path: &str| {
        let mut found = files.with_suffix(&format!("{path}.java"));
        // The same class under several roots (variants of a build, tests that shadow): the shallowest is the usual one.
        found.sort_by_key(|path| (path.matches('/').count(), path.clone()));
        found.into_iter().next()
    };
    let mut outer = path.as_str();
    while outer.contains('/') {
        if let Some(found) = class(outer) {
            return vec![found];
        }
        outer = folder(outer);
    }
    if import.names.iter().any(|name| name == "*") { whole_package(&path, files) } else { Vec::new() }
}

/// Every class of a package, from the roots sources usually have.
fn whole_package(path: &str, files: &dyn FileSet) -> Vec<String> {
    let roots = ["", "src", "src/main/java", "src/test/java", "app/src/main/java", "java"];
    let inside = roots.iter().flat_map(|root| {
        let at = if root.is_empty() { path.to_owned() } else { format!("{root}/{path}") };
        files.in_folder(&at)
    });
    inside.filter(|file| file.ends_with(".java")).collect()
}
