//! What a context is made from: the memory of this moment, the indexes over it, and what use has taught.

use crate::predict::memories::evidence::MemoryWeights;
use lokid_config::RecallConfig;
use lokid_index::Snapshot;
use lokid_index::cochange::Cochange;
use lokid_index::search::View;
use lokid_model::{Memory, Usage};

#[derive(Clone, Copy)]
pub struct Sources<'a> {
    pub snapshot: &'a Snapshot,
    pub view: &'a View,
    /// A text as a vector of the view's model; nothing where there is no model.
    pub vector_of: &'a dyn Fn(&str) -> Vec<f32>,
    /// What is counted of a memory, on top of what its file says.
    pub usage: &'a dyn Fn(&Memory) -> Usage,
    pub weights: &'a RecallConfig,
    pub memory_weights: &'a MemoryWeights,
    pub cochange: &'a Cochange,
    /// From UTC to the clock on the wall.
    pub utc_offset_seconds: i32,
}
