//! Something on disk that could not be read or written, told once and kept for `status` and `doctor`.

/// A corrupt or foreign file stays where it is; this is what is said of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Relative to the store.
    pub path: String,
    pub reason: String,
}

impl Problem {
    pub fn new(path: impl Into<String>, reason: impl Into<String>) -> Problem {
        Problem { path: path.into(), reason: reason.into() }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.reason)
    }
}
