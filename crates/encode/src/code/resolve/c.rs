//! C and C++: an include is searched beside the file, then where headers usually stand, then by the end of its path.

use super::super::Import;
use super::{FileSet, folder, join, normal, only, upwards};

const HEADER_FOLDERS: &[&str] = &["include", "src", "inc"];

pub(super) fn resolve(import: &Import, from: &str, files: &dyn FileSet) -> Vec<String> {
    let quoted = import.what.starts_with('"');
    let path = import.what.trim_matches(['"', '<', '>']);
    if path.is_empty() {
        return Vec::new();
    }
    let here = folder(from);
    if quoted && let Some(beside) = normal(here, path).filter(|path| files.contains(path)) {
        return vec![beside];
    }
    // `<stdio.h>` is the system's, even if a file here has that name; `<project/x.h>` may be ours.
    if !quoted && !path.contains('/') {
        return Vec::new();
    }
    for above in upwards(here) {
        let roots = std::iter::once(above.to_owned()).chain(HEADER_FOLDERS.iter().map(|name| join(above, name)));
        for root in roots {
            if let Some(found) = normal(&root, path).filter(|path| files.contains(path)) {
                return vec![found];
            }
        }
    }
    let plain = path.trim_start_matches("../").trim_start_matches("./");
    only(files, plain).into_iter().collect()
}
