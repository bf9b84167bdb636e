//! Paths as agents write them, seen from the root of the project; and the files a patch touches.

use crate::code::parts;

const MOST_FILES: usize = 100;

/// The path from the root of the project, or `None` for what lies outside. `cwd` is where a relative path starts.
pub(super) fn relative(path: &str, root: &str, cwd: &str) -> Option<String> {
    let path = path.trim().trim_start_matches("file://").replace('\\', "/");
    let (root, cwd) = (root.replace('\\', "/"), cwd.replace('\\', "/"));
    let is_absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    if path.is_empty() || path.starts_with('~') || path.chars().any(char::is_control) {
        return None;
    }
    let root = parts(&root)?;
    // Some agents write the project's own place as a relative path, before files as well.
    let named =
        if is_absolute { None } else { parts(&path).filter(|parts| !root.is_empty() && parts.starts_with(&root)) };
    let full = if is_absolute { path.clone() } else { format!("{cwd}/{path}") };
    let parts = named.or_else(|| parts(&full))?;
    let inside = parts.strip_prefix(root.as_slice())?;
    (!inside.is_empty()).then(|| inside.join("/"))
}

/// The files of a patch in the form Codex writes, with whether each is new.
pub(super) fn patched(patch: &str) -> Vec<(String, bool)> {
    let mut files = Vec::new();
    for line in patch.lines() {
        let named = [
            ("*** Add File: ", true),
            ("*** Update File: ", false),
            ("*** Delete File: ", false),
            ("*** Move to: ", true),
        ];
        let found = named.iter().find_map(|(mark, new)| Some((line.trim_end().strip_prefix(mark)?.to_owned(), *new)));
        files.extend(found);
        if files.len() == MOST_FILES {
            break;
        }
    }
    files
}

/// The first line taken out and the first put in, as a reader of a diff would quote them.
pub(super) fn quoted(patch: &str) -> (String, String) {
    let first = |mark: char| {
        let changed = patch.lines().filter_map(|line| line.strip_prefix(mark));
        // The two lines that name the files of a diff begin with three marks.
        let line = changed.filter(|line| !line.starts_with(mark)).find(|line| line.chars().any(char::is_alphanumeric));
        line.unwrap_or_default().to_owned()
    };
    (first('-'), first('+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_the_root_and_outside_is_nothing() {
        let check = |path: &str, expect: Option<&str>| {
            assert_eq!(relative(path, "/home/ada/app", "/home/ada/app/src").as_deref(), expect, "{path}");
        };
        check("/home/ada/app/src/a.rs", Some("src/a.rs"));
        check("a.rs", Some("src/a.rs"));
        check("./b/../a.rs", Some("src/a.rs"));
        check("../../other/a.rs", None);
        check("/home/ada/apple/a.rs", None);
        check("~/x", None);
        check("/home/ada/app", None);
        assert_eq!(relative("C:\\app\\src\\a.rs", "C:\\app", "C:\\app").as_deref(), Some("src/a.rs"));
        assert_eq!(relative("a.rs", "", "").as_deref(), Some("a.rs"));
        assert_eq!(relative("./app/src/a.rs", "./app", "./app").as_deref(), Some("src/a.rs"));
        assert_eq!(relative("src/a.rs", "./app", "./app").as_deref(), Some("src/a.rs"));
    }

    #[test]
    fn a_patch_names_its_files() {
        let patch = "*** Begin Patch\n*** Update File: add.sh\n@@\n-expr $1 - $2\n+expr $1 + $2\n*** Add File: notes.txt\n+x\n*** End Patch";
        assert_eq!(patched(patch), [("add.sh".to_owned(), false), ("notes.txt".to_owned(), true)]);
        assert_eq!(quoted(patch), ("expr $1 - $2".to_owned(), "expr $1 + $2".to_owned()));
    }
}
