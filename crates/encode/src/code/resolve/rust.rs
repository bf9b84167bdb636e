//! Rust: module paths from the crate's root, from here or from above, modules in files of their own, and the other
//! crates of a workspace by the name of their folder.

use super::super::Import;
use super::{FileSet, folder, join, normal, only, upwards};

pub(super) fn resolve(import: &Import, from: &str, files: &dyn FileSet) -> Vec<String> {
    let here = Position::of(from, files);
    if let Some(module) = import.what.strip_prefix("mod ") {
        return here.declared(module, from, files).into_iter().collect();
    }
    let path: Vec<&str> = import.what.split("::").map(str::trim).filter(|part| !part.is_empty()).collect();
    let Some((first, rest)) = path.split_first() else { return Vec::new() };
    match *first {
        "crate" => descend(&here.crate_root(), rest, &import.names, files),
        "self" => descend(&here.module, rest, &import.names, files),
        "super" => {
            let mut module = here.module.above();
            let mut rest = rest;
            while let Some(("super", more)) = rest.split_first().map(|(first, more)| (*first, more)) {
                module = module.and_then(|module| module.above());
                rest = more;
            }
            module.map(|module| descend(&module, rest, &import.names, files)).unwrap_or_default()
        }
        name => {
            if here.module.child(name, files).is_some() {
                return descend(&here.module, &path, &import.names, files);
            }
            neighbour(name, &here, rest, &import.names, files)
        }
    }
}

/// A module: the crate's `src` (or the folder of a lone test or example) and the names below it.
#[derive(Clone)]
struct Module {
    source: String,
    names: Vec<String>,
}

impl Module {
    fn above(&self) -> Option<Module> {
        let mut above = self.clone();
        above.names.pop().map(|_| above)
    }

    /// The file this module is written in.
    fn file(&self, files: &dyn FileSet) -> Option<String> {
        let path = self.names.iter().fold(self.source.clone(), |path, name| join(&path, name));
        let candidates = if self.names.is_empty() {
            vec![join(&path, "lib.rs"), join(&path, "main.rs"), join(&path, "mod.rs")]
        } else {
            vec![format!("{path}.rs"), join(&path, "mod.rs")]
        };
        candidates.into_iter().find(|path| files.contains(path))
    }

    fn child(&self, name: &str, files: &dyn FileSet) -> Option<(Module, String)> {
        let name = name.strip_prefix("r#").unwrap_or(name);
        let mut child = self.clone();
        child.names.push(name.to_owned());
        let file = child.file(files)?;
        Some((child, file))
    }
}

/// Where a file stands in its crate.
struct Position {
    module: Module,
    /// The package's folder, if one can be told.
    package: Option<String>,
    /// Tests, examples, benches and binaries are crates of their own and use the library by its name.
    is_outside: bool,
}

impl Position {
    fn of(from: &str, files: &dyn FileSet) -> Position {
        let stem = from.strip_suffix(".rs").unwrap_or(from);
        let above = folder(from);
        for source in upwards(above) {
            let is_source = source == "src" || source.ends_with("/src");
            let has_root = ["lib.rs", "main.rs"].iter().any(|root| files.contains(&join(source, root)));
            if is_source && has_root {
                let below = stem.strip_prefix(source).unwrap_or(stem).trim_start_matches('/');
                let mut names: Vec<String> = below.split('/').map(str::to_owned).collect();
                if matches!(names.last().map(String::as_str), Some("mod")) || matches!(below, "lib" | "main") {
                    names.pop();
                }
                let is_outside = below == "main" || below.starts_with("bin/");
                let package = Some(folder(source).to_owned());
                if below.starts_with("bin/") && names.len() <= 3 {
                    let source = join(source, "bin");
                    let module = Module { source, names: Vec::new() };
                    return Position { module, package, is_outside };
                }
                let module = Module { source: source.to_owned(), names };
                return Position { module, package, is_outside };
            }
            let name = source.rsplit('/').next().unwrap_or(source);
            if matches!(name, "tests" | "benches" | "examples") {
                return Position::lone(source, stem, files);
            }
        }
        Position {
            module: Module { source: above.to_owned(), names: names_of(stem, above) },
            package: None,
            is_outside: false,
        }
    }

    /// `tests/it/main.rs` is the root of `tests/it`, `tests/api.rs` of itself with its modules beside it.
    fn lone(source: &str, stem: &str, files: &dyn FileSet) -> Position {
        let below = stem.strip_prefix(source).unwrap_or(stem).trim_start_matches('/');
        let package = Some(folder(source).to_owned());
        let root = match below.split_once('/') {
            Some((first, _)) if files.contains(&join(&join(source, first), "main.rs")) => join(source, first),
            _ => source.to_owned(),
        };
        let mut names = names_of(stem, &root);
        // A file directly in `tests` is the root of a crate.
        if root == source && names.len() == 1 {
            names.clear();
        }
        Position { module: Module { source: root, names }, package, is_outside: true }
    }

    fn crate_root(&self) -> Module {
        Module { source: self.module.source.clone(), names: Vec::new() }
    }

    /// `mod x;`, `mod a::b` for one within an inline module, `mod "other/place.rs"`.
    fn declared(&self, module: &str, from: &str, files: &dyn FileSet) -> Option<String> {
        if module.starts_with('"') {
            let path = normal(folder(from), module.trim_matches('"'))?;
            return files.contains(&path).then_some(path);
        }
        let inside = module.replace("::", "/");
        let inside = inside.strip_prefix("r#").unwrap_or(&inside);
        let name = from.rsplit('/').next().unwrap_or(from);
        let beside = folder(from);
        let own = join(beside, name.strip_suffix(".rs").unwrap_or(name));
        // A root and `mod.rs` have their modules beside them, any other file in a folder of its name.
        let folders = if matches!(name, "mod.rs" | "lib.rs" | "main.rs") || self.module.names.is_empty() {
            [beside.to_owned(), own]
        } else {
            [own, beside.to_owned()]
        };
        let candidates = folders.iter().flat_map(|at| {
            let path = join(at, inside);
            [format!("{path}.rs"), join(&path, "mod.rs")]
        });
        candidates.into_iter().find(|path| files.contains(path))
    }
}

fn names_of(stem: &str, root: &str) -> Vec<String> {
    let below = stem.strip_prefix(root).unwrap_or(stem).trim_start_matches('/');
    let mut names: Vec<String> = below.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    if matches!(names.last().map(String::as_str), Some("mod" | "main" | "lib")) {
        names.pop();
    }
    names
}

/// Follows a path as far as it has files, then each name one step further.
fn descend(start: &Module, path: &[&str], names: &[String], files: &dyn FileSet) -> Vec<String> {
    let mut module = start.clone();
    let mut file = module.file(files);
    for (at, part) in path.iter().enumerate() {
        match module.child(part, files) {
            Some((child, its_file)) => (module, file) = (child, Some(its_file)),
            // Past the last file: an inline module, a type, something that is re-exported.
            None if at > 0 || file.is_some() => return file.into_iter().collect(),
            None => return Vec::new(),
        }
    }
    let mut meant = Vec::new();
    for name in names {
        match module.child(name, files) {
            Some((_, its_file)) => meant.push(its_file),
            None => meant.extend(file.clone()),
        }
    }
    if names.is_empty() {
        meant.extend(file);
    }
    meant
}

/// Another crate of the workspace, or the library beside a test or a binary.
fn neighbour(name: &str, here: &Position, rest: &[&str], names: &[String], files: &dyn FileSet) -> Vec<String> {
    let dashed = name.replace('_', "-");
    let root = [dashed.as_str(), name].iter().find_map(|folder_name| only(files, &format!("{folder_name}/src/lib.rs")));
    if let Some(root) = root {
        return descend(&Module { source: folder(&root).to_owned(), names: Vec::new() }, rest, names, files);
    }
    let known = ["std", "core", "alloc", "test", "proc_macro"];
    let Some(package) = here.package.as_ref().filter(|_| here.is_outside && !known.contains(&name)) else {
        return Vec::new();
    };
    // The package's folder need not carry its name. That the next part is one of the library's modules is proof.
    let library = Module { source: join(package, "src"), names: Vec::new() };
    if !files.contains(&join(&library.source, "lib.rs")) {
        return Vec::new();
    }
    let next = rest.first().copied().or_else(|| names.first().map(String::as_str));
    match next.and_then(|next| library.child(next, files)) {
        Some(_) => descend(&library, rest, names, files),
        None => Vec::new(),
    }
}
