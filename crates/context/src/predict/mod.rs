//! What is likely to be needed next: files and memories, each with a reason.

pub mod episodes;
pub mod files;
pub mod goal;
pub mod join;
pub mod memories;
pub mod terrain;

/// A file that is likely to be needed, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedFile {
    pub path: String,
    /// Between 0 and 1.
    pub score: f64,
    /// One short clause for a person.
    pub why: String,
}
