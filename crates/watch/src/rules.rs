//! Which paths of the working tree are ignored: nested `.gitignore` files, `info/exclude`, the user's own excludes and
//! the configured globs.
//!
//! Texts in, answers out; whoever walks the tree brings the texts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

#[derive(Clone)]
pub(super) struct Rules {
    root: PathBuf,
    /// By the folder that the file stands in.
    nested: HashMap<PathBuf, Gitignore>,
    exclude: Gitignore,
    global: Gitignore,
    configured: Gitignore,
}

impl Rules {
    pub(super) fn new(root: &Path, configured: &[String]) -> Rules {
        let configured = build(root, &configured.join("\n"));
        let (exclude, global) = (Gitignore::empty(), Gitignore::empty());
        Rules { root: root.to_owned(), nested: HashMap::new(), exclude, global, configured }
    }

    pub(super) fn set_exclude(&mut self, text: &str) {
        self.exclude = build(&self.root, text);
    }

    pub(super) fn set_global(&mut self, text: &str) {
        self.global = build(&self.root, text);
    }

    /// The text of `folder/.gitignore`.
    pub(super) fn set_nested(&mut self, folder: &Path, text: &str) {
        let rules = build(folder, text);
        if rules.is_empty() {
            self.nested.remove(folder);
        } else {
            self.nested.insert(folder.to_owned(), rules);
        }
    }

    /// `path` lies below the root. What lies in an ignored folder is ignored, whatever it is called.
    pub(super) fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        let Ok(relative) = path.strip_prefix(&self.root) else { return true };
        let mut above = self.root.clone();
        // The rules of each folder are looked up once on the way down.
        let mut rules: Vec<&Gitignore> = self.nested.get(&above).into_iter().collect();
        let mut names = relative.components().peekable();
        while let Some(name) = names.next() {
            above.push(name);
            if self.decides(&above, is_folder || names.peek().is_some(), rules.iter().rev().copied()) {
                return true;
            }
            rules.extend(self.nested.get(&above));
        }
        false
    }

    /// Without asking about the folders above it.
    pub(super) fn ignores_itself(&self, path: &Path, is_folder: bool) -> bool {
        // The path lies below the root, so a shorter one lies above it.
        let least = self.root.as_os_str().len();
        let above = path.ancestors().skip(1).take_while(|above| above.as_os_str().len() >= least);
        self.decides(path, is_folder, above.filter_map(|above| self.nested.get(above)))
    }

    /// `nested`: the rules of the folders above, the nearest first.
    fn decides<'a>(&'a self, path: &Path, is_folder: bool, nested: impl Iterator<Item = &'a Gitignore>) -> bool {
        let all = std::iter::once(&self.configured).chain(nested).chain([&self.exclude, &self.global]);
        let mut decided = all.map(|rules| rules.matched(path, is_folder));
        decided.find(|decided| !decided.is_none()).is_some_and(|decided| decided.is_ignore())
    }
}

/// Lines that are no valid glob are passed over, as git does.
fn build(folder: &Path, text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Rules {
        let mut rules = Rules::new(Path::new("/w"), &["*.gen".to_owned(), "vendor/".to_owned()]);
        rules.set_nested(Path::new("/w"), "target/\n*.log\n!keep.log\n/only-here\n[bad\n");
        rules.set_nested(Path::new("/w/sub"), "!important.log\nlocal\n");
        rules.set_exclude("private.txt\n");
        rules.set_global(".DS_Store\n");
        rules
    }

    fn check(path: &str, is_folder: bool, expect: bool) {
        assert_eq!(rules().ignores(Path::new(path), is_folder), expect, "{path}");
    }

    #[test]
    fn nearer_rules_win_and_ignored_folders_take_their_content_along() {
        check("/w/src/main.rs", false, false);
        check("/w/target", true, true);
        check("/w/target", false, false);
        check("/w/target/debug/a", false, true);
        check("/w/sub/target/a", false, true);
        check("/w/a.log", false, true);
        check("/w/keep.log", false, false);
        check("/w/sub/important.log", false, false);
        check("/w/sub/other.log", false, true);
        check("/w/sub/local", false, true);
        check("/w/local", false, false);
        check("/w/only-here", false, true);
        check("/w/sub/only-here", false, false);
        check("/w/private.txt", false, true);
        check("/w/sub/.DS_Store", false, true);
        check("/w/a/b.gen", false, true);
        check("/w/vendor/x/y", false, true);
        check("/elsewhere", false, true);
    }

    #[test]
    fn rules_that_are_gone_no_longer_hold() {
        let mut rules = rules();
        rules.set_nested(Path::new("/w"), "");
        assert!(!rules.ignores(Path::new("/w/target"), true));
    }
}
