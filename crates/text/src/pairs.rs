//! Two statements read together: how likely is it that one denies the other, says the same, stands beside it, or is about
//! something else? Owns the small transformer that ships in the binary for this one question.
//!
//! It costs milliseconds where an embedder costs microseconds, so nobody waits for it: it is asked behind a write, at
//! night, and when somebody asks about two statements.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::{NormalizedString, Normalizer, OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer};

use super::EmbedError;
use super::architecture::{Activation, Architecture, Pooling};
use super::encoder::{Encoder, Ids, Linear, Scratch, Weight};
use super::files::Json;
use super::lanes;
use super::lexicon::Lexicon;
use super::rows::Rows;
use super::tensors::Tensors;

const CONFIG: &[u8] = include_bytes!("../../../assets/pairs/config.json");
const TENSORS: &[u8] = include_bytes!("../../../assets/pairs/model.safetensors");
const VOCABULARY: &str = include_str!("../../../assets/pairs/vocab.txt");

const START: &str = "[CLS]";
const END: &str = "[SEP]";
const UNKNOWN: &str = "[UNK]";

/// What a statement says, it says in so many tokens.
const LONGEST: usize = 96;
/// Less likely than this to deny or to repeat, by one reading, it hardly ever does by two: nobody acts on less than .6.
const WORTH_ANOTHER_LOOK: f32 = 0.3;
/// So many tokens are read at once: weights are fetched once for all of them, and room is needed for each.
const AT_ONCE: usize = 256;

/// How likely it is that one denies the other, says the same, stands beside it, is about something else. Together one.
pub type Shares = [f32; 4];

/// A statement cut into tokens, to be held against as many others as one likes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Statement(Vec<u32>);

impl Statement {
    /// In tokens: reading takes as long as there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

pub struct Pairs {
    lexicon: Lexicon,
    encoder: Encoder,
    answer: Linear,
    start: u32,
    end: u32,
    unknown: u32,
    /// One at a time: whoever reads uses the whole of it.
    scratch: Mutex<Scratch>,
}

impl Pairs {
    /// The model in the binary, made ready when it is asked for and let go of when nobody holds it any more.
    pub fn built_in() -> Arc<Pairs> {
        static BUILT_IN: Mutex<Weak<Pairs>> = Mutex::new(Weak::new());
        let mut known = BUILT_IN.lock();
        known.upgrade().unwrap_or_else(|| {
            let pairs = Arc::new(shipped().expect("the model that ships is whole"));
            *known = Arc::downgrade(&pairs);
            pairs
        })
    }

    pub fn read(&self, text: &str) -> Statement {
        Statement(self.tokens(text))
    }

    /// How each two stand to each other, whichever comes first. Where one may deny or repeat the other, both are read the
    /// other way round as well, and the mean of that counts.
    pub fn weigh(&self, pairs: &[(&Statement, &Statement)]) -> Vec<Shares> {
        let in_order = |(one, other): &(&'_ Statement, &'_ Statement)| one.0 <= other.0;
        let first: Vec<Ids> = pairs
            .iter()
            .map(|pair| if in_order(pair) { self.beside(pair.0, pair.1) } else { self.beside(pair.1, pair.0) })
            .collect();
        let mut found = self.one_way(&first);
        let matters = |[contradicts, duplicate, ..]: Shares| contradicts.max(duplicate) >= WORTH_ANOTHER_LOOK;
        let again: Vec<usize> = (0..pairs.len()).filter(|at| matters(found[*at])).collect();
        let second: Vec<Ids> = again
            .iter()
            .map(|at| &pairs[*at])
            .map(|pair| if in_order(pair) { self.beside(pair.1, pair.0) } else { self.beside(pair.0, pair.1) })
            .collect();
        for (at, other) in again.into_iter().zip(self.one_way(&second)) {
            found[at] = std::array::from_fn(|answer| f32::midpoint(found[at][answer], other[answer]));
        }
        found
    }

    fn one_way(&self, texts: &[Ids]) -> Vec<Shares> {
        let mut found = Vec::with_capacity(texts.len());
        let mut rest = texts;
        while !rest.is_empty() {
            let mut tokens = 0;
            let fit = rest.iter().take_while(|text| {
                tokens += text.ids.len();
                tokens <= AT_ONCE
            });
            let (now, later) = rest.split_at(fit.count().max(1));
            rest = later;
            let mut scratch = self.scratch.lock();
            let states = self.encoder.encode(now, true, &mut scratch);
            for state in states.chunks_exact(states.len() / now.len()) {
                let scores = self.answer.of(state);
                let scores: Shares = std::array::from_fn(|at| scores[at]);
                found.push(lanes::shares(scores));
            }
        }
        found
    }

    fn beside(&self, one: &Statement, other: &Statement) -> Ids {
        let mut ids = vec![self.start];
        ids.extend(&one.0);
        ids.push(self.end);
        let second = ids.len();
        ids.extend(&other.0);
        ids.push(self.end);
        Ids { ids, second }
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
    let encoder = Encoder::load(&architecture, &tensors, Rows::bytes, Weight::bytes)?;
    let answer = Linear::behind(&tensors, "answer", [4, architecture.hidden])?;
    Ok(Pairs { lexicon, encoder, answer, start, end, unknown, scratch: Mutex::default() })
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
