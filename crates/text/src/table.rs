//! The static model: a row of bytes for every word it knows. A text is the weighted sum of its rows, brought to length
//! one; so it is a matter of microseconds, and order and negation mean nothing to it.

use std::borrow::Cow;
use std::sync::Arc;

use super::EmbedError;
use super::files::{Files, Json};
use super::lexicon::Lexicon;
use super::tensors::{Number, Tensor, Tensors};
use super::vector::normalise;

pub(super) const MODEL_TYPE: &str = "static-int8";

const TENSORS: &str = "model.safetensors";
const VOCABULARY: &str = "vocab.txt";
const MOST_TOKENS: usize = 512;

pub(super) fn lexicon(vocabulary: Cow<'static, str>) -> Result<Arc<Lexicon>, EmbedError> {
    Lexicon::parse(VOCABULARY, vocabulary).map(Arc::new)
}

pub(super) struct Table {
    lexicon: Arc<Lexicon>,
    file: Cow<'static, [u8]>,
    rows: Tensor,
    weights: Tensor,
    dim: usize,
    most_tokens: usize,
}

impl Table {
    pub(super) fn from_files(config: &Json, files: &mut Files<'_>) -> Result<Table, EmbedError> {
        let lexicon = lexicon(files.text(VOCABULARY)?.into())?;
        Table::new(config, lexicon, files.required(TENSORS)?.into())
    }

    pub(super) fn new(config: &Json, lexicon: Arc<Lexicon>, file: Cow<'static, [u8]>) -> Result<Table, EmbedError> {
        let (dim, words) = (config.count("dim")?, config.count("vocab_size")?);
        if words != lexicon.len() {
            return Err(config.refuse("vocab_size", &format!("{}, the lines of {VOCABULARY}", lexicon.len())));
        }
        let tensors = Tensors::parse(TENSORS, &file)?;
        let rows = tensors.get("embeddings", &[words, dim], &[Number::I8])?;
        let weights = tensors.get("weights", &[words], &[Number::F32])?;
        let most_tokens = config.optional_count("max_tokens")?.unwrap_or(MOST_TOKENS);
        Ok(Table { lexicon, file, rows, weights, dim, most_tokens })
    }

    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    pub(super) fn embed(&self, text: &str) -> Vec<f32> {
        self.sum(self.tokens(text).into_iter())
    }

    pub(super) fn sum(&self, rows: impl Iterator<Item = u32>) -> Vec<f32> {
        let mut sum = vec![0.0; self.dim];
        for row in rows {
            let (weight, row) = self.row(row as usize);
            for (sum, byte) in sum.iter_mut().zip(row) {
                *sum += weight * f32::from(*byte as i8);
            }
        }
        normalise(&mut sum);
        sum
    }

    pub(super) fn tokens(&self, text: &str) -> Vec<u32> {
        self.lexicon.rows(text, self.most_tokens)
    }

    /// A weight and a row straight from the file: four times smaller than the numbers would be.
    fn row(&self, row: usize) -> (f32, &[u8]) {
        let weights = self.file[self.weights.span.clone()].as_chunks().0;
        let bytes = &self.file[self.rows.span.clone()];
        (f32::from_le_bytes(weights[row]), &bytes[row * self.dim..][..self.dim])
    }
}
