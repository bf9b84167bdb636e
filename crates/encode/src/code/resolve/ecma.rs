//! JavaScript and TypeScript: relative paths with every extension they may mean, the usual aliases of a source folder,
//! and packages of the same workspace.

use super::super::Import;
use super::{FileSet, folder, join, normal, only, upwards};

const EXTENSIONS: &[&str] = &["ts", "tsx", "d.ts", "js", "jsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "json"];
/// What is written for a file that is compiled from another.
const COMPILED: &[(&str, &[&str])] =
    &[(".js", &["ts", "tsx", "d.ts"]), (".jsx", &["tsx"]), (".mjs", &["mts"]), (".cjs", &["cts"])];
const SOURCE_ALIASES: &[&str] = &["@/", "~/", "#/", "@@/", "$lib/", "$/"];
const SOURCE_FOLDERS: &[&str] = &["src", "", "app", "lib", "src/lib"];

pub(super) fn resolve(import: &Import, from: &str, files: &dyn FileSet) -> Vec<String> {
    let what = import.what.split(['?', '!']).next().unwrap_or(&import.what);
    if what.is_empty() || what.contains("://") || what.starts_with("node:") {
        return Vec::new();
    }
    let here = folder(from);
    let meant = if import.relative {
        normal(here, what).and_then(|path| file(&path, files))
    } else if let Some(rest) = SOURCE_ALIASES.iter().find_map(|alias| what.strip_prefix(alias)) {
        below_source(rest, here, files)
    } else if let Some(scoped) = what.strip_prefix('@') {
        scoped
            .split_once('/')
            .and_then(|(_, package)| workspace(package, files))
            .or_else(|| below_source(what, here, files))
    } else if let Some(rest) = what.strip_prefix('/') {
        file(rest, files)
    } else if what.contains('/') {
        // A base folder set in the configuration, `src/…` above all; or a package's inside, which is not here.
        below_source(what, here, files)
    } else {
        workspace(what, files)
    };
    meant.into_iter().collect()
}

/// The file a path means, extension or none, or the index of the folder it is.
fn file(path: &str, files: &dyn FileSet) -> Option<String> {
    if files.contains(path) {
        return Some(path.to_owned());
    }
    for (written, instead) in COMPILED {
        if let Some(stem) = path.strip_suffix(written) {
            let found = instead.iter().map(|extension| format!("{stem}.{extension}")).find(|path| files.contains(path));
            if found.is_some() {
                return found;
            }
        }
    }
    let with =
        |path: &str| EXTENSIONS.iter().map(|extension| format!("{path}.{extension}")).find(|path| files.contains(path));
    let direct = if path.is_empty() { None } else { with(path) };
    direct.or_else(|| with(&join(path, "index")))
}

fn below_source(path: &str, here: &str, files: &dyn FileSet) -> Option<String> {
    for root in upwards(here) {
        for source in SOURCE_FOLDERS {
            let base = if source.is_empty() { root.to_owned() } else { join(root, source) };
            if let Some(found) = file(&join(&base, path), files) {
                return Some(found);
            }
        }
    }
    None
}

/// `@scope/ui` or `ui/button`, where `packages/ui` (or so) is a folder with a manifest.
fn workspace(package: &str, files: &dyn FileSet) -> Option<String> {
    let (name, inside) = package.split_once('/').unwrap_or((package, ""));
    let manifest = only(files, &format!("{name}/package.json"))?;
    let root = folder(&manifest);
    if inside.is_empty() {
        let entries = ["src/index", "index", "src/main", "lib/index", "main"];
        return entries.iter().find_map(|entry| file(&join(root, entry), files));
    }
    file(&join(root, inside), files).or_else(|| file(&join(&join(root, "src"), inside), files))
}
