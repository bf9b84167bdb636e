//! What is known of words. Text to vectors: near in meaning is near in direction. And two statements read together: do they
//! deny one another, or say the same? Owns the models that ship in the binary and reads an embedder that a person chose
//! instead; it never opens a file, it is handed their bytes.

mod architecture;
mod encoder;
mod files;
mod lanes;
mod lexicon;
pub mod pairs;
mod rows;
mod slots;
mod table;
mod tensors;
mod transformer;
mod vector;
mod whole;
mod words;

#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock};

use self::files::{Files, Json};
use self::lexicon::Lexicon;
use self::table::Table;
use self::transformer::Transformer;

const CONFIG: &str = "config.json";

/// Turns text into a unit vector. The same text gives the same vector as long as [`Embedder::id`] is the same.
pub struct Embedder {
    id: String,
    model: Model,
}

enum Model {
    Static(Table),
    Transformer(Box<Transformer>),
}

/// Why the files of a model cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    #[error("{file} is missing")]
    Missing { file: String },
    #[error("{file} cannot be read: {reason}")]
    Damaged { file: String, reason: String },
    #[error("{file}: `{field}` cannot be {found}: allowed is {allowed}")]
    Unsupported { file: String, field: String, found: String, allowed: String },
}

impl Embedder {
    /// The model in the binary, made ready when it is first asked for.
    pub fn built_in() -> Arc<Embedder> {
        static BUILT_IN: LazyLock<Arc<Embedder>> = LazyLock::new(|| {
            const TENSORS: &[u8] = include_bytes!("../../../assets/model/model.safetensors");
            shipped(include_bytes!("../../../assets/model/config.json"), TENSORS)
        });
        Arc::clone(&BUILT_IN)
    }

    /// What a statement is about: near for two that say the same or deny each other, though they may share hardly a word. The
    /// same vocabulary with smaller rows of its own, learnt from such statements (`tools/pairs`).
    pub fn of_subjects() -> Arc<Embedder> {
        static OF_SUBJECTS: LazyLock<Arc<Embedder>> = LazyLock::new(|| {
            const TENSORS: &[u8] = include_bytes!("../../../assets/subjects/model.safetensors");
            shipped(include_bytes!("../../../assets/subjects/config.json"), TENSORS)
        });
        Arc::clone(&OF_SUBJECTS)
    }

    /// A model from its directory: a static table in our format, or a sentence transformer of the BERT or RoBERTa family.
    /// `read` gives the bytes of a file by its name relative to the directory.
    pub fn from_files(read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Result<Embedder, EmbedError> {
        let mut files = Files::new(read);
        let config = files.json(CONFIG)?;
        let model = if config.text("model_type") == Ok(table::MODEL_TYPE) {
            Model::Static(Table::from_files(&config, &mut files)?)
        } else {
            Model::Transformer(Box::new(Transformer::from_files(&config, &mut files)?))
        };
        Ok(Embedder { id: files.identity(), model })
    }

    /// The first pieces of the words of a text, by their number in the vocabulary; none of a model that is no table.
    pub fn pieces(&self, text: &str, most: usize) -> Vec<u16> {
        let Model::Static(table) = &self.model else { return Vec::new() };
        table.tokens(text).into_iter().take(most).filter_map(|row| u16::try_from(row).ok()).collect()
    }

    /// A vector of length one of such pieces.
    pub fn embed_pieces(&self, pieces: &[u16]) -> Vec<f32> {
        match &self.model {
            Model::Static(table) => table.sum(pieces.iter().map(|piece| u32::from(*piece))),
            Model::Transformer(transformer) => vec![0.0; transformer.dim()],
        }
    }

    /// Names the model by its content: vectors of different ids do not compare.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn dim(&self) -> usize {
        match &self.model {
            Model::Static(table) => table.dim(),
            Model::Transformer(transformer) => transformer.dim(),
        }
    }

    /// Whether a text takes microseconds, and may be embedded while somebody waits, or milliseconds.
    pub fn is_instant(&self) -> bool {
        matches!(self.model, Model::Static(_))
    }

    /// A vector of length one; all zeros when nothing in the text is known.
    pub fn embed(&self, text: &str) -> Vec<f32> {
        match &self.model {
            Model::Static(table) => table.embed(text),
            Model::Transformer(transformer) => transformer.embed(text),
        }
    }
}

/// The words of all tables that ship.
static LEXICON: LazyLock<Result<Arc<Lexicon>, EmbedError>> =
    LazyLock::new(|| table::lexicon(include_str!("../../../assets/model/vocab.txt").into()));

/// Is this a word that people and programs use everywhere, or an inflection of one? Told in small letters.
pub fn is_everyday(word: &str) -> bool {
    let Ok(lexicon) = &*LEXICON else { return true };
    let is_known = |word: &str| lexicon.find(word).is_some();
    let inflected = |end: &str| {
        let stem = word.strip_suffix(end).filter(|stem| stem.len() > 2);
        stem.is_some_and(|stem| is_known(stem) || is_known(&format!("{stem}e")))
    };
    is_known(word) || ["s", "es", "d", "ed", "ing", "er", "ly"].into_iter().any(inflected)
}

/// A table that ships.
fn shipped(config: &[u8], tensors: &'static [u8]) -> Arc<Embedder> {
    let whole = || {
        let config = Json::parse(CONFIG, config)?;
        let model = Model::Static(Table::new(&config, LEXICON.clone()?, tensors.into())?);
        Ok::<_, EmbedError>(Embedder { id: config.text("id")?.to_owned(), model })
    };
    Arc::new(whole().expect("what ships is whole"))
}

impl EmbedError {
    fn damaged(file: &str, reason: impl ToString) -> EmbedError {
        EmbedError::Damaged { file: file.to_owned(), reason: reason.to_string() }
    }

    fn unsupported(file: &str, field: &str, found: &str, allowed: &str) -> EmbedError {
        let [file, field, found, allowed] = [file, field, found, allowed].map(str::to_owned);
        EmbedError::Unsupported { file, field, found, allowed }
    }
}
