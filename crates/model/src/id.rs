//! Names of memories and of the namespaces they live in.

use std::borrow::Borrow;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// The name of a memory. Ids given through the API or minted here are path-safe; ids read from foreign files may
/// hold more, so nothing ever derives a path from an id that is not [`MemoryId::is_path_safe`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId(Arc<str>);

impl MemoryId {
    pub const MAX_LEN: usize = 128;
    pub const RULE: &'static str =
        "1 to 128 of A-Z a-z 0-9 . _ : - , not starting with a dot, and not `forget`, `import` or `export`";

    /// Words that stand where an id stands in the paths of the API.
    const TAKEN: &'static [&'static str] = &["forget", "import", "export"];

    /// An id somebody asks for: path-safe or refused.
    pub fn new(text: &str) -> Option<MemoryId> {
        (Self::safe(text) && !Self::TAKEN.contains(&text)).then(|| MemoryId(text.into()))
    }

    /// An id found in a file: anything a person could mean by it, bounded and printable.
    pub fn foreign(text: &str) -> Option<MemoryId> {
        let sane = !text.is_empty() && text.len() <= 2 * Self::MAX_LEN && !text.chars().any(char::is_control);
        sane.then(|| MemoryId(text.into()))
    }

    /// The name under which a commit is shown; commits are no memories, they are found in an index of their own.
    pub fn of_commit(commit: &str) -> Option<MemoryId> {
        MemoryId::new(&format!("{}{}", Self::COMMIT, commit.get(..12)?))
    }

    /// The beginning of the commit's id that this names.
    pub fn commit(&self) -> Option<&str> {
        self.0.strip_prefix(Self::COMMIT).filter(|id| id.len() >= 12 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
    }

    const COMMIT: &'static str = "commit-";

    pub fn is_path_safe(&self) -> bool {
        Self::safe(&self.0)
    }

    fn safe(text: &str) -> bool {
        (1..=Self::MAX_LEN).contains(&text.len())
            && !text.starts_with('.')
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b':' | b'-'))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

impl Borrow<str> for MemoryId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

const DEFAULT: &str = "default";

/// A separate memory inside a project, a subdirectory as Loki Mode has them. `default` is the root itself.
#[derive(Clone)]
pub struct Namespace(Arc<str>);

/// Nearly all comparisons are of a namespace with a clone of itself.
impl PartialEq for Namespace {
    fn eq(&self, other: &Namespace) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Eq for Namespace {}

impl std::hash::Hash for Namespace {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl Ord for Namespace {
    fn cmp(&self, other: &Namespace) -> std::cmp::Ordering {
        if Arc::ptr_eq(&self.0, &other.0) { std::cmp::Ordering::Equal } else { self.0.cmp(&other.0) }
    }
}

impl PartialOrd for Namespace {
    fn partial_cmp(&self, other: &Namespace) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Namespace {
    pub const RULE: &'static str = "1 to 64 of A-Z a-z 0-9 _ - and not the name of a folder the store itself uses";
    /// Folders of the store's own layout, and Loki Mode's: these cannot be namespaces.
    pub const RESERVED: &'static [&'static str] = &[
        "episodic",
        "semantic",
        "skills",
        "ledgers",
        "handoffs",
        "learnings",
        "notes",
        "archive",
        "vectors",
        "private",
        "procedural",
        "index",
        "managed",
        "cache",
        "logs",
        "tmp",
    ];

    pub fn new(text: &str) -> Option<Namespace> {
        let safe = (1..=64).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
            && !Self::RESERVED.contains(&text);
        match text {
            DEFAULT => Some(Namespace::default()),
            _ => safe.then(|| Namespace(text.into())),
        }
    }

    pub fn is_default(&self) -> bool {
        &*self.0 == DEFAULT
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One for all: nearly every memory names it.
impl Default for Namespace {
    fn default() -> Namespace {
        static SHARED: LazyLock<Namespace> = LazyLock::new(|| Namespace(DEFAULT.into()));
        SHARED.clone()
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

/// What tells two memories of one project apart: namespaces never see each other, so ids may repeat across them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub namespace: Namespace,
    pub id: MemoryId,
}

impl Key {
    pub fn new(namespace: &Namespace, id: &MemoryId) -> Key {
        Key { namespace: namespace.clone(), id: id.clone() }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_default() { self.id.fmt(f) } else { write!(f, "{}/{}", self.namespace, self.id) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_could_leave_the_store_are_refused() {
        for bad in ["", ".", "..", "../x", "a/b", "a\\b", "a\0b", "%2e%2e", ".hidden", "a b", "é", &"x".repeat(129)] {
            assert!(MemoryId::new(bad).is_none(), "{bad:?}");
        }
        for good in ["ep-2026-01-06-0a1b2c3d", "sem-001", "skill-api-endpoint", "a..b", "X:1"] {
            assert!(MemoryId::new(good).is_some(), "{good:?}");
        }
    }

    #[test]
    fn foreign_ids_are_kept_but_not_trusted_with_paths() {
        let id = MemoryId::foreign("épisode / 7").unwrap();
        assert!(!id.is_path_safe());
        assert!(MemoryId::foreign("a\nb").is_none());
    }

    #[test]
    fn a_namespace_cannot_take_the_name_of_a_folder_of_the_store() {
        assert!(Namespace::new("team-a").is_some());
        for bad in ["episodic", "notes", "..", "a/b", "", ".lokid"] {
            assert!(Namespace::new(bad).is_none(), "{bad:?}");
        }
    }
}
