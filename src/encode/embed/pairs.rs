//! Two statements read together: how much speaks for one denying the other, saying the same, standing beside it, or
//! being about something else. Owns the small transformer that ships in the binary for this one question.
//!
//! It costs milliseconds where an embedder costs microseconds, so it is asked where nobody waits: at night, and when
//! somebody asks about two statements.

use std::sync::{Arc, Weak};

use ndarray::Axis;
use parking_lot::Mutex;
use tokenizers::Tokenizer;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;

use super::EmbedError;
use super::architecture::{Activation, Architecture, Pooling};
use super::encoder::{Encoder, Linear};
use super::files::Json;
use super::rows::Rows;
use super::tensors::Tensors;

const CONFIG: &[u8] = include_bytes!("../../../assets/pairs/config.json");
const TENSORS: &[u8] = include_bytes!("../../../assets/pairs/model.safetensors");
const VOCABULARY: &[u8] = include_bytes!("../../../assets/pairs/vocab.txt");

const START: &str = "[CLS]";
const END: &str = "[SEP]";
const UNKNOWN: &str = "[UNK]";

/// How two statements may stand to each other.
pub const ANSWERS: usize = 4;
/// What a statement says, it says in so many tokens.
const LONGEST: usize = 96;

pub struct Pairs {
    tokenizer: Tokenizer,
    encoder: Encoder,
    answer: Linear,
    start: u32,
    end: u32,
}

impl Pairs {
    /// The model in the binary, made ready when it is asked for and let go of when nobody holds it any more: ready, it
    /// takes some forty megabytes.
    pub fn built_in() -> Arc<Pairs> {
        static BUILT_IN: Mutex<Weak<Pairs>> = Mutex::new(Weak::new());
        let mut known = BUILT_IN.lock();
        known.upgrade().unwrap_or_else(|| {
            let pairs = Arc::new(shipped().expect("the model that ships is whole"));
            *known = Arc::downgrade(&pairs);
            pairs
        })
    }

    /// What speaks for each answer: denied, the same, beside, apart. The larger the likelier.
    pub fn weigh(&self, a: &str, b: &str) -> [f32; ANSWERS] {
        let [a, b] = [a, b].map(|text| self.tokens(text));
        let mut ids = vec![self.start];
        ids.extend(a);
        ids.push(self.end);
        let second = ids.len();
        ids.extend(b);
        ids.push(self.end);
        let states = self.encoder.encode(&ids, second);
        let first = states.row(0).insert_axis(Axis(0)).to_owned();
        let scores = self.answer.apply(&first);
        std::array::from_fn(|at| scores[(0, at)])
    }

    fn tokens(&self, text: &str) -> Vec<u32> {
        let found = self.tokenizer.encode_fast(text, false);
        let mut ids = found.map_or_else(|_| Vec::new(), |found| found.get_ids().to_vec());
        ids.truncate(LONGEST);
        ids
    }
}

fn shipped() -> Result<Pairs, EmbedError> {
    let config = Json::parse("config.json", CONFIG)?;
    let architecture = Architecture {
        hidden: config.count("hidden_size")?,
        intermediate: config.count("intermediate_size")?,
        heads: config.count("num_attention_heads")?,
        layers: config.count("num_hidden_layers")?,
        words: config.count("vocab_size")?,
        positions: config.count("max_position_embeddings")?,
        types: config.count("type_vocab_size")?,
        first_position: 0,
        epsilon: config.optional_number("layer_norm_eps")?.unwrap_or(1e-12) as f32,
        activation: Activation::Gelu,
        pooling: Pooling::First,
        lower_case: true,
        most_tokens: 2 * LONGEST + 3,
    };
    let tensors = Tensors::parse("model.safetensors", TENSORS)?;
    let damaged = |error: tokenizers::Error| EmbedError::damaged("vocab.txt", error);
    let vocabulary = WordPiece::read_bytes(VOCABULARY).map_err(damaged)?;
    let id = |token: &str| {
        vocabulary.get(token).copied().ok_or_else(|| EmbedError::damaged("vocab.txt", format!("{token} is missing")))
    };
    let (start, end) = (id(START)?, id(END)?);
    let pieces = WordPiece::builder().vocab(vocabulary).unk_token(UNKNOWN.to_owned()).build().map_err(damaged)?;
    let mut tokenizer = Tokenizer::new(pieces);
    tokenizer.with_normalizer(Some(BertNormalizer::default())).map_err(damaged)?;
    tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
    let encoder = Encoder::load(&architecture, &tensors, Rows::bytes)?;
    let answer = Linear::load(&tensors, "answer", architecture.hidden, ANSWERS)?;
    Ok(Pairs { tokenizer, encoder, answer, start, end })
}
