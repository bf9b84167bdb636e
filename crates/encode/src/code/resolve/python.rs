//! Python: relative imports by their dots, absolute ones from the top, from `src`, from beside the file and above.

use super::super::Import;
use super::{FileSet, folder, join, only, upwards};

pub(super) fn resolve(import: &Import, from: &str, files: &dyn FileSet) -> Vec<String> {
    let dots = import.what.chars().take_while(|c| *c == '.').count();
    let path = import.what[dots..].replace('.', "/");
    if dots > 0 {
        let Some(base) = upwards(folder(from)).nth(dots - 1) else { return Vec::new() };
        let package = if path.is_empty() { base.to_owned() } else { join(base, &path) };
        return taken(&package, &import.names, files);
    }
    if path.is_empty() {
        return Vec::new();
    }
    let roots = ["", "src"].into_iter().chain(upwards(folder(from)));
    for root in roots {
        let meant = taken(&join(root, &path), &import.names, files);
        if !meant.is_empty() {
            return meant;
        }
    }
    // A root nobody could know of; a lone name is too little to go by.
    if path.contains('/') {
        let by_suffix = only(files, &format!("{path}.py")).or_else(|| only(files, &format!("{path}/__init__.py")));
        return by_suffix.into_iter().collect();
    }
    Vec::new()
}

/// The modules among the names, and the package itself if a name is no module.
fn taken(package: &str, names: &[String], files: &dyn FileSet) -> Vec<String> {
    let own = module(package, files);
    let mut meant = Vec::new();
    for name in names {
        let inside = join(package, &name.replace('.', "/"));
        match module(&inside, files) {
            // Both `a.py` and a folder `a` without `__init__.py` would be odd: the file is meant.
            Some(file)
                if own.as_ref().is_none_or(|own| own.ends_with("__init__.py") || own.ends_with("__init__.pyi")) =>
            {
                meant.push(file);
            }
            _ => meant.extend(own.clone()),
        }
    }
    if names.is_empty() {
        meant.extend(own);
    }
    meant
}

fn module(path: &str, files: &dyn FileSet) -> Option<String> {
    if path.is_empty() {
        return files.contains("__init__.py").then(|| "__init__.py".to_owned());
    }
    let candidates =
        [format!("{path}.py"), format!("{path}/__init__.py"), format!("{path}.pyi"), format!("{path}/__init__.pyi")];
    candidates.into_iter().find(|path| files.contains(path))
}
