//! Which weights a question is asked with: named profiles made from the configured ones, what was learnt about each, and
//! how a question and what came of it are written down.
//!
//! Pure: evidence, days and lots are told. It opens no file and draws no lot itself; the same lot gets the same profile.

mod best;
mod learner;
pub mod log;
#[cfg(test)]
mod tests;
mod text;

pub use learner::{Learner, Step};

use lokid_config::RecallConfig;
use lokid_model::words::vocabulary;

vocabulary!(
    /// One weighing of the parts of a score.
    Profile {
        /// As configured.
        Default = "default",
        Semantic = "semantic",
        Keyword = "keyword",
        Recent = "recent",
        Trusted = "trusted",
    }
);

/// How often each profile is used, in the order of [`Profile::ALL`]. They add up to 1.
pub type Shares = [f64; Profile::ALL.len()];

impl Profile {
    /// Half of what one part has goes to its counterpart: relevance and merits keep their balance, so that scores, and
    /// the bounds set on them, stay comparable.
    pub fn weights(self, configured: &RecallConfig) -> RecallConfig {
        let mut weights = *configured;
        let RecallConfig { semantic, keyword, recency, usage, .. } = &mut weights;
        match self {
            Profile::Default => {}
            Profile::Semantic => give_half(keyword, semantic),
            Profile::Keyword => give_half(semantic, keyword),
            Profile::Recent => give_half(usage, recency),
            Profile::Trusted => give_half(recency, usage),
        }
        weights
    }
}

fn give_half(from: &mut f64, to: &mut f64) {
    *from /= 2.0;
    *to += *from;
}

/// A number from 0 to below 1 that is always the same for the same parts.
pub fn lot(parts: &[&str]) -> f64 {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let hash = hasher.finalize();
    let first = hash.as_bytes().first_chunk().expect("a hash has 32 bytes");
    // As many bits as a fraction keeps, so that it never rounds up to 1.
    (u64::from_le_bytes(*first) >> 11) as f64 / (1_u64 << 53) as f64
}
