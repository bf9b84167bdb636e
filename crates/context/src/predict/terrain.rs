//! What the working tree can tell a prediction. Who looks at the tree is not decided here.

/// What the working tree itself tells of its files. All of it may be unknown: then the answers are empty.
pub trait Terrain {
    /// Does the file exist now? An unknown tree says yes.
    fn is_there(&self, path: &str) -> bool;
    /// Files of the same directory, in order.
    fn siblings<'a>(&'a self, path: &str) -> Vec<&'a str>;
    /// Files this one imports.
    fn imports<'a>(&'a self, path: &str) -> Vec<&'a str>;
    /// Files that import this one.
    fn importers<'a>(&'a self, path: &str) -> Vec<&'a str>;
    /// Most alike in the words they use, from 0 to 1, best first.
    fn alike<'a>(&'a self, path: &str, k: usize) -> Vec<(&'a str, f64)>;
    /// Files that use these terms (`index::analyze::hash`), with how much of them they say, from 0 to 1, best
    /// first.
    fn saying<'a>(&'a self, _terms: &[u64]) -> Vec<(&'a str, f64)> {
        Vec::new()
    }
}

/// Nothing is known of the tree.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unknown;

impl Terrain for Unknown {
    fn is_there(&self, _path: &str) -> bool {
        true
    }

    fn siblings<'a>(&'a self, _path: &str) -> Vec<&'a str> {
        Vec::new()
    }

    fn imports<'a>(&'a self, _path: &str) -> Vec<&'a str> {
        Vec::new()
    }

    fn importers<'a>(&'a self, _path: &str) -> Vec<&'a str> {
        Vec::new()
    }

    fn alike<'a>(&'a self, _path: &str, _k: usize) -> Vec<(&'a str, f64)> {
        Vec::new()
    }
}
