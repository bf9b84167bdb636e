//! The files of a repository as far as imports need to know them.

use std::collections::BTreeMap;

/// What resolution asks. Paths are relative to the repository, with `/` between their parts.
pub trait FileSet {
    fn contains(&self, path: &str) -> bool;

    /// Files whose path is `suffix` or ends with `/` and `suffix`, sorted.
    fn with_suffix(&self, suffix: &str) -> Vec<String>;

    /// Files directly in a folder, sorted; the top is the empty folder.
    fn in_folder(&self, folder: &str) -> Vec<String>;

    /// What the `go.mod` files of the repository say.
    fn go_modules(&self) -> &[GoModule] {
        &[]
    }
}

/// A `go.mod`: the folder it stands in and the path on its `module` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoModule {
    pub folder: String,
    pub path: String,
}

impl GoModule {
    /// Reads a `go.mod` that stands at `path`.
    pub fn read(path: &str, text: &str) -> Option<GoModule> {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let module = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
        let module = module.split("//").next().unwrap_or(module).trim().trim_matches('"').to_owned();
        (!module.is_empty()).then_some(GoModule { folder, path: module })
    }
}

/// A list of files in memory.
#[derive(Debug, Clone, Default)]
pub struct Files {
    sorted: Vec<String>,
    /// By the last part of the path: positions in `sorted`.
    by_name: BTreeMap<String, Vec<u32>>,
    go_modules: Vec<GoModule>,
}

impl Files {
    pub fn new(mut paths: Vec<String>) -> Files {
        paths.sort_unstable();
        paths.dedup();
        let mut by_name: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (at, path) in (0u32..).zip(&paths) {
            by_name.entry(last(path).to_owned()).or_default().push(at);
        }
        Files { sorted: paths, by_name, go_modules: Vec::new() }
    }

    #[must_use]
    pub fn with_go_modules(mut self, modules: Vec<GoModule>) -> Files {
        self.go_modules = modules;
        self
    }
}

impl FileSet for Files {
    fn contains(&self, path: &str) -> bool {
        self.sorted.binary_search_by(|known| known.as_str().cmp(path)).is_ok()
    }

    fn with_suffix(&self, suffix: &str) -> Vec<String> {
        let suffix = suffix.trim_start_matches('/');
        let candidates = self.by_name.get(last(suffix)).map_or(&[][..], Vec::as_slice);
        let paths = candidates.iter().map(|at| &self.sorted[*at as usize]);
        let ends =
            |path: &&String| path.strip_suffix(suffix).is_some_and(|before| before.is_empty() || before.ends_with('/'));
        paths.filter(ends).cloned().collect()
    }

    fn in_folder(&self, folder: &str) -> Vec<String> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let mut at = self.sorted.partition_point(|path| path.as_str() < prefix.as_str());
        let mut inside = Vec::new();
        while let Some(path) = self.sorted.get(at)
            && let Some(rest) = path.strip_prefix(&prefix)
        {
            match rest.find('/') {
                None => {
                    inside.push(path.clone());
                    at += 1;
                }
                Some(slash) => {
                    // Over all that stands in that folder: the next sign after the slash.
                    let beyond = format!("{prefix}{}0", &rest[..slash]);
                    at += self.sorted[at..].partition_point(|path| path.as_str() < beyond.as_str());
                }
            }
        }
        inside
    }

    fn go_modules(&self) -> &[GoModule] {
        &self.go_modules
    }
}

fn last(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, last)| last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Files {
        let paths = ["b/x.h", "a/x.h", "a/b/x.h", "x.h", "a.c", "a/y.h", "a/b/c/z.h", "a-b/q.h"];
        Files::new(paths.map(str::to_owned).to_vec())
    }

    #[test]
    fn a_suffix_is_whole_parts_of_a_path() {
        let check = |suffix: &str, expect: &[&str]| assert_eq!(files().with_suffix(suffix), expect, "{suffix}");
        check("x.h", &["a/b/x.h", "a/x.h", "b/x.h", "x.h"]);
        check("b/x.h", &["a/b/x.h", "b/x.h"]);
        check(".h", &[]);
        check("", &[]);
    }

    #[test]
    fn a_folder_lists_its_own_files_only() {
        let check = |folder: &str, expect: &[&str]| assert_eq!(files().in_folder(folder), expect, "{folder}");
        check("", &["a.c", "x.h"]);
        check("a", &["a/x.h", "a/y.h"]);
        check("a/b", &["a/b/x.h"]);
        check("nowhere", &[]);
    }

    #[test]
    fn a_go_module_is_read_from_its_file() {
        let module = GoModule::read("tools/go.mod", "// x\nmodule example.com/shop/tools // moved\n\ngo 1.22\n");
        assert_eq!(module, Some(GoModule { folder: "tools".into(), path: "example.com/shop/tools".into() }));
        assert_eq!(GoModule::read("go.mod", "go 1.22\n"), None);
    }
}
