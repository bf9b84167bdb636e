//! A sentence transformer somebody put on this machine: its tokenizer, its encoder, and the pooling of what comes out.

use std::borrow::Cow;

use parking_lot::Mutex;
use tokenizers::{Tokenizer, TruncationParams};

use super::EmbedError;
use super::architecture::{Architecture, Pooling};
use super::encoder::{Encoder, Ids, Scratch, Weight};
use super::files::{Files, Json};
use super::rows::Rows;
use super::tensors::Tensors;
use super::vector::normalise;

const TENSORS: &str = "model.safetensors";
const TOKENIZER: &str = "tokenizer.json";

pub(super) struct Transformer {
    tokenizer: Tokenizer,
    encoder: Encoder,
    scratch: Mutex<Scratch>,
    pooling: Pooling,
    lower_case: bool,
    dim: usize,
}

impl Transformer {
    pub(super) fn from_files(config: &Json, files: &mut Files<'_>) -> Result<Transformer, EmbedError> {
        let architecture = Architecture::read(config, files)?;
        let tokenizer = tokenizer(&files.required(TOKENIZER)?, &architecture)?;
        let weights = files.required(TENSORS)?;
        let encoder =
            Encoder::load(&architecture, &Tensors::parse(TENSORS, &weights)?, Rows::numbers, Weight::numbers)?;
        let Architecture { pooling, lower_case, hidden, .. } = architecture;
        Ok(Transformer { tokenizer, encoder, scratch: Mutex::default(), pooling, lower_case, dim: hidden })
    }

    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    pub(super) fn embed(&self, text: &str) -> Vec<f32> {
        let text = if self.lower_case { Cow::Owned(text.to_lowercase()) } else { Cow::Borrowed(text) };
        // A text the tokenizer cannot take, or makes nothing of, is one of which nothing is known.
        let ids = self.tokenizer.encode_fast(text, true).map_or_else(|_| Vec::new(), |found| found.get_ids().to_vec());
        if ids.is_empty() {
            return vec![0.0; self.dim];
        }
        let text = Ids { second: ids.len(), ids };
        let mut scratch = self.scratch.lock();
        let only_first = self.pooling == Pooling::First;
        let mut vector = self.pooling.apply(self.encoder.encode(&[text], only_first, &mut scratch), self.dim);
        normalise(&mut vector);
        vector
    }
}

impl Pooling {
    fn apply(self, tokens: &[f32], dim: usize) -> Vec<f32> {
        let mut tokens = tokens.chunks_exact(dim);
        let mut vector = tokens.next().map_or_else(|| vec![0.0; dim], <[f32]>::to_vec);
        for token in tokens {
            for (whole, x) in vector.iter_mut().zip(token) {
                match self {
                    // The sum points where the mean does, and only the direction is left in the end.
                    Pooling::Mean => *whole += x,
                    Pooling::First => {}
                    Pooling::Max => *whole = whole.max(*x),
                }
            }
        }
        vector
    }
}

/// The file often says how to cut and fill for a batch of its day; here a text is cut where the model ends, never filled.
fn tokenizer(file: &[u8], architecture: &Architecture) -> Result<Tokenizer, EmbedError> {
    let damaged = |error: tokenizers::Error| EmbedError::damaged(TOKENIZER, error);
    let mut tokenizer = Tokenizer::from_bytes(file).map_err(damaged)?;
    tokenizer.with_padding(None).with_truncation(None).map_err(damaged)?;
    // What stands around every text: it must leave room for one, and its ids need not be in the vocabulary.
    let frame = tokenizer.encode_fast("", true).map_err(damaged)?.get_ids().to_vec();
    let Architecture { most_tokens, words, .. } = *architecture;
    if frame.len() >= most_tokens {
        let (found, allowed) =
            (format!("{} tokens", frame.len()), format!("fewer than the {most_tokens} of the model"));
        return Err(EmbedError::unsupported(TOKENIZER, "post_processor", &found, &allowed));
    }
    let last = tokenizer.get_vocab(true).into_values().chain(frame).max().unwrap_or(0);
    if last as usize >= words {
        let allowed = format!("less than {words}, the `vocab_size` of config.json");
        return Err(EmbedError::unsupported(TOKENIZER, "id", &last.to_string(), &allowed));
    }
    let cut = TruncationParams { max_length: most_tokens, ..TruncationParams::default() };
    tokenizer.with_truncation(Some(cut)).map_err(damaged)?;
    Ok(tokenizer)
}
