//! Two statements read together: how much speaks for one denying the other, saying the same, standing beside it, or
//! being about something else. Owns the small transformer that ships in the binary for this one question.
//!
//! It costs milliseconds where an embedder costs microseconds, so it is asked where nobody waits: at night, and when
//! somebody asks about two statements.

use std::sync::{Arc, Weak};

use ndarray::Axis;
use parking_lot::Mutex;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::{NormalizedString, Normalizer, OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer};

use super::EmbedError;
use super::architecture::{Activation, Architecture, Pooling};
use super::encoder::{Encoder, Linear};
use super::files::Json;
use super::lexicon::Lexicon;
use super::rows::Rows;
use super::tensors::Tensors;

const CONFIG: &[u8] = include_bytes!("../../../assets/pairs/config.json");
const TENSORS: &[u8] = include_bytes!("../../../assets/pairs/model.safetensors");
const VOCABULARY: &str = include_str!("../../../assets/pairs/vocab.txt");

const START: &str = "[CLS]";
const END: &str = "[SEP]";
const UNKNOWN: &str = "[UNK]";

/// How two statements may stand to each other.
pub const ANSWERS: usize = 4;
/// What a statement says, it says in so many tokens.
const LONGEST: usize = 96;

pub struct Pairs {
    lexicon: Lexicon,
    encoder: Encoder,
    answer: Linear,
    start: u32,
    end: u32,
    unknown: u32,
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

    /// Words and marks as the model was taught them; of a text that cannot be cut, nothing.
    fn tokens(&self, text: &str) -> Vec<u32> {
        let mut normal = NormalizedString::from(text);
        let is_normal = BertNormalizer::default().normalize(&mut normal).is_ok();
        let mut words = PreTokenizedString::from(normal);
        if !is_normal || BertPreTokenizer.pre_tokenize(&mut words).is_err() {
            return Vec::new();
        }
        let mut ids = Vec::new();
        for (word, ..) in words.get_splits(OffsetReferential::Normalized, OffsetType::None) {
            self.lexicon.push_whole(word, self.unknown, &mut ids);
            if ids.len() >= LONGEST {
                break;
            }
        }
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
    let lexicon = Lexicon::parse("vocab.txt", VOCABULARY.into())?;
    let id = |token: &str| {
        lexicon.find(token).ok_or_else(|| EmbedError::damaged("vocab.txt", format!("{token} is missing")))
    };
    let (start, end, unknown) = (id(START)?, id(END)?, id(UNKNOWN)?);
    let encoder = Encoder::load(&architecture, &tensors, Rows::bytes)?;
    let answer = Linear::load(&tensors, "answer", architecture.hidden, ANSWERS)?;
    Ok(Pairs { lexicon, encoder, answer, start, end, unknown })
}

#[cfg(test)]
mod tests {
    use tokenizers::Tokenizer;
    use tokenizers::models::wordpiece::WordPiece;

    use super::*;

    #[test]
    fn texts_are_cut_as_the_library_cuts_them_for_training() {
        let vocabulary = WordPiece::read_bytes(VOCABULARY.as_bytes()).unwrap();
        let pieces = WordPiece::builder().vocab(vocabulary).unk_token(UNKNOWN.to_owned()).build().unwrap();
        let mut library = Tokenizer::new(pieces);
        library.with_normalizer(Some(BertNormalizer::default())).unwrap();
        library.with_pre_tokenizer(Some(BertPreTokenizer));
        let statements = include_str!("../../../tests/data/statements/natural.jsonl").lines();
        let odd = ["", " \t\n", "Café—ÅNGSTRÖM ΟΔΟΣ", "漢字かな\u{0}\u{200d}👩‍💻\u{fffd}", "x_y::Z<'a>(…) ½ №5 „so“"];
        let endless = ["z".repeat(101), "word ".repeat(300), "…".repeat(200)];
        let ours = Pairs::built_in();
        for text in statements.chain(odd).chain(endless.iter().map(String::as_str)) {
            let expect = library.encode_fast(text, false).unwrap();
            assert_eq!(ours.tokens(text), expect.get_ids()[..expect.len().min(LONGEST)], "{text}");
        }
    }
}
