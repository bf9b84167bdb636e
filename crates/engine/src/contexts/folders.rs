//! Which folder a goal or a branch means by a word of it.
//!
//! Of 812 later commits of 30 repositories that name one folder of programs, 97 of a hundred touched it where a branch began with
//! its name, four of five where that was the scope of a goal, and three of five where it was any other word.

use std::collections::BTreeMap;

use super::cache::Need;
use super::related::{is_place, is_telling, words_meant};
use crate::past::PastKnown;
use lokid_context::predict::{files, goal};
use lokid_context::situation;
use lokid_index::cochange::{folder_of, stem_of};

/// The file that is called like a folder of so many was touched by one commit in five of those that name it, of a smaller one by
/// seven in ten; one that stands for a folder of some by one in sixteen.
const MANY: usize = 10;
const SOME: usize = 3;
/// Files that stand for their folder.
pub(super) const OF_THE_FOLDER: [&str; 4] = ["index.", "mod.", "lib.", "__init__."];
const SHORT: usize = 2;
const SHOWN: [&str; 9] =
    ["examples", "example", "demo", "docs", "testdata", "fixtures", "snapshots", "vendor", "third_party"];

pub(super) struct Folder {
    pub(super) path: String,
    programs: usize,
}

impl Folder {
    /// Is a file called so because the folder is, and hardly ever what is meant by it?
    pub(super) fn is_name_of(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let most = if OF_THE_FOLDER.iter().any(|start| name.starts_with(start)) { SOME } else { MANY };
        self.programs >= most && stem_of(&self.path) == stem_of(path)
    }
}

/// The one folder of programs that a word is called: the scope of a goal or what a branch begins with, or else a word that is
/// nobody's everyday one.
pub(super) fn folder_meant(past: &PastKnown, need: &Need) -> Option<Folder> {
    if need.file.is_some() || !need.errors.is_empty() {
        return None;
    }
    let words = words_meant(need);
    let scope = need.goal.as_deref().map(goal::scope).unwrap_or_default();
    let first = words.first().filter(|_| need.goal.is_none());
    // The shortest are names where nothing but a name stands.
    let is_short = |name: &str| name.len() == SHORT && !situation::is_doing(name);
    let places = scope.iter().rev().filter(|name| is_telling(name) || is_place(name) || is_short(name)).chain(first);
    let rare = words.iter().filter(|word| is_telling(word) && !lokid_text::is_everyday(word));
    let names: Vec<&str> = places.chain(rare).map(String::as_str).collect();
    folder_called(past, &names)
}

/// The first name that one folder of programs has, and no other; none that most of them are in, and none that a program elsewhere
/// has, too. The tree is walked once, and every folder is looked at once.
fn folder_called(past: &PastKnown, names: &[&str]) -> Option<Folder> {
    let mut folders: Vec<BTreeMap<&str, usize>> = vec![BTreeMap::new(); names.len()];
    let mut called_so: Vec<(usize, &str)> = Vec::new();
    let (mut known, mut called, mut all): (&str, Option<(usize, &str)>, usize) = ("", None, 0);
    for path in past.ground.paths().filter(|path| !names.is_empty() && is_work(path) && !is_shown(path)) {
        all += 1;
        if folder_of(path) != known {
            known = folder_of(path);
            let ends = path.match_indices('/').map(|(at, _)| &path[..at]);
            let at = |folder| names.iter().position(|name| is_called(folder, name));
            called = ends.filter_map(|folder| Some((at(folder)?, folder))).next();
        }
        called.into_iter().for_each(|(at, folder)| *folders[at].entry(folder).or_default() += 1);
        let stem = stem_of(path);
        called_so.extend(names.iter().position(|name| stem == **name).map(|at| (at, path)));
    }
    folders.into_iter().enumerate().find_map(|(at, mut folders)| {
        let (folder, programs) = folders.pop_first().filter(|_| folders.is_empty())?;
        let is_elsewhere = |(other, path): &(usize, &str)| *other == at && !is_inside(path, folder);
        (2 * programs <= all && !called_so.iter().any(is_elsewhere))
            .then(|| Folder { path: folder.to_owned(), programs })
    })
}

/// `reverseproxy` of `modules/reverseproxy`, `config` of `crates/nu-config`.
fn is_called(folder: &str, name: &str) -> bool {
    let last = folder.rsplit('/').next().unwrap_or(folder);
    let Some((before, end)) = last.len().checked_sub(name.len()).and_then(|at| last.split_at_checked(at)) else {
        return false;
    };
    end.eq_ignore_ascii_case(name) && (before.is_empty() || before.ends_with(['-', '_']))
}

pub(super) fn is_inside(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Shows how it is used.
pub(super) fn is_shown(path: &str) -> bool {
    path.split('/').any(|part| SHOWN.contains(&part))
}

pub(super) fn is_work(path: &str) -> bool {
    goal::is_program(path) && !files::is_test(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::{CodeGround, FileView};
    use std::sync::Arc;

    #[test]
    fn a_folder_of_several_programs_is_meant_by_its_name_unless_others_have_it_too() {
        let mut ground = CodeGround::default();
        let paths = [
            "modules/relay/relay.go modules/relay/pool.go modules/relay/wire/wire.go modules/relay/pool_test.go",
            "lib/helpers/document/a.js lib/helpers/document/b.js lib/helpers/document/c.js lib/document.js",
            "crates/nu-parse/a.rs crates/nu-parse/b.rs crates/nu-parse/c.rs",
            "a/util/x.py a/util/y.py a/util/z.py b/util/x.py b/util/y.py b/util/z.py",
            "few/a.py few/b.py few/notes.md docs/guide/a.py docs/guide/b.py docs/guide/c.py",
        ];
        for path in paths.iter().flat_map(|line| line.split(' ')) {
            ground.put(path, FileView { stamp: (1, 1), ..FileView::default() });
        }
        let past = PastKnown { ground: Arc::new(ground), ..PastKnown::default() };
        let called = |names: &[&str]| folder_called(&past, names).map(|folder| folder.path);
        assert_eq!(called(&["relay"]).as_deref(), Some("modules/relay"));
        assert_eq!(called(&["Parse"]).as_deref(), Some("crates/nu-parse"));
        assert_eq!(called(&["util", "nowhere", "relay"]).as_deref(), Some("modules/relay"), "the first that is one");
        for name in ["document", "util", "guide", "pars", ""] {
            assert_eq!(called(&[name]), None, "{name}");
        }
        assert_eq!(called(&[]), None);
        let is_name_of =
            |name: &str, path: &str| folder_called(&past, &[name]).is_some_and(|folder| folder.is_name_of(path));
        assert!(is_name_of("relay", "modules/relay/index.go") && !is_name_of("relay", "modules/relay/relay.go"));
        assert!(!is_name_of("few", "few/__init__.py") && !is_name_of("relay", "modules/relay/pool.go"));
    }
}
