//! From an import to the files of the repository it means. Nothing is guessed between several: a path that could be
//! two files is none. What comes from outside the repository resolves to nothing.

mod c;
mod ecma;
mod files;
mod go;
mod java;
mod python;
mod rust;

pub use files::{FileSet, Files, GoModule};

use super::{Import, Language};

/// More files than this from one import is a whole package taken at once; the rest is left out.
const MOST: usize = 32;

/// The files `import` of the file `from` means, sorted; never `from` itself.
pub fn resolve(language: Language, import: &Import, from: &str, files: &dyn FileSet) -> Vec<String> {
    let mut meant = match language {
        Language::Rust => rust::resolve(import, from, files),
        Language::Python => python::resolve(import, from, files),
        Language::JavaScript | Language::TypeScript | Language::Tsx => ecma::resolve(import, from, files),
        Language::Go => go::resolve(import, from, files),
        Language::Java => java::resolve(import, files),
        Language::C | Language::Cpp => c::resolve(import, from, files),
    };
    meant.retain(|path| path != from);
    meant.sort_unstable();
    meant.dedup();
    meant.truncate(MOST);
    meant
}

/// The folder of a path, without a slash at the end; empty at the top.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

pub(crate) fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}

/// Joins and takes `.` and `..` away; `None` if that leaves the repository.
fn normal(folder: &str, path: &str) -> Option<String> {
    Some(parts(&join(folder, path))?.join("/"))
}

/// The parts of a path without `.` and `..`; `None` if it leads out of where it begins.
pub(crate) fn parts(path: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts)
}

/// The folder and all above it, the nearest first, the top (empty) last.
fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| {
        if folder.is_empty() { None } else { Some(folder.rsplit_once('/').map_or("", |(above, _)| above)) }
    })
}

/// The only file whose path ends so; of several, none.
fn only(files: &dyn FileSet, suffix: &str) -> Option<String> {
    let mut candidates = files.with_suffix(suffix);
    if candidates.len() == 1 { candidates.pop() } else { None }
}
