//! The one way tokens are counted.
//!
//! No public tokenizer is the model's own, so this is an estimate, measured against the public one that comes nearest
//! (o200k, `cargo bench --bench tokens`): fast enough to call on every memory, and never dependent on a vocabulary.
//! With the feature `exact-tokens` that tokenizer counts instead. It must not know what the text is for.

#[cfg(any(test, not(feature = "exact-tokens")))]
mod runs;
#[cfg(test)]
mod tests;
#[cfg(any(test, not(feature = "exact-tokens")))]
mod weights;

/// About how many tokens a model sees in this text; rather a few more than too few.
///
/// A longer prefix never costs less, and no text costs more than it has bytes. Two parts together cost at most two
/// tokens less and at most four more than the whole, beside the margins: up to eight tokens more for each part, since
/// short texts carry the larger one, and a little less where a part is so dense that its bytes bound it.
#[cfg(not(feature = "exact-tokens"))]
pub fn estimate(text: &str) -> usize {
    runs::count(text)
}

/// How many tokens o200k sees in this text. The first call reads its vocabulary.
#[cfg(feature = "exact-tokens")]
pub fn estimate(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}
