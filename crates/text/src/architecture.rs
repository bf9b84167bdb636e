//! What a sentence transformer is, read from the small files beside its weights. Whatever would change a vector and is
//! not understood is refused.

use serde_json::Value;

use super::EmbedError;
use super::files::{Files, Json};
use super::table;

/// Attention costs the square of the length; passages of memory stay far below.
const MOST_TOKENS: usize = 512;

pub(super) struct Architecture {
    pub(super) hidden: usize,
    pub(super) intermediate: usize,
    pub(super) heads: usize,
    pub(super) layers: usize,
    pub(super) words: usize,
    pub(super) positions: usize,
    pub(super) types: usize,
    /// RoBERTa counts positions from behind that of its padding.
    pub(super) first_position: usize,
    pub(super) epsilon: f32,
    pub(super) activation: Activation,
    pub(super) pooling: Pooling,
    pub(super) lower_case: bool,
    pub(super) most_tokens: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activation {
    Gelu,
    GeluTanh,
    Relu,
}

/// How the vectors of the tokens become the vector of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pooling {
    Mean,
    First,
    Max,
}

impl Architecture {
    pub(super) fn read(config: &Json, files: &mut Files<'_>) -> Result<Architecture, EmbedError> {
        let first_position = match config.text("model_type") {
            Ok("bert") => 0,
            Ok("roberta" | "xlm-roberta") => {
                (config.optional_number("pad_token_id")?.unwrap_or(1.0) as usize).saturating_add(1)
            }
            _ => {
                let allowed = format!("bert, roberta, xlm-roberta or {}", table::MODEL_TYPE);
                return Err(config.refuse("model_type", &allowed));
            }
        };
        if config.get("position_embedding_type").is_some_and(|kind| kind != "absolute") {
            return Err(config.refuse("position_embedding_type", "absolute"));
        }
        let (hidden, heads) = (config.count("hidden_size")?, config.count("num_attention_heads")?);
        if hidden % heads != 0 {
            return Err(config.refuse("num_attention_heads", &format!("a divisor of {hidden}, the `hidden_size`")));
        }
        let positions = config.count("max_position_embeddings")?;
        if positions <= first_position {
            return Err(config.refuse("max_position_embeddings", &format!("a number above {first_position}")));
        }
        let sentence = files.optional_json("sentence_bert_config.json")?;
        let most_tokens = most_tokens(sentence.as_ref(), files)?.min(MOST_TOKENS).min(positions - first_position);
        Ok(Architecture {
            hidden,
            intermediate: config.count("intermediate_size")?,
            heads,
            layers: config.count("num_hidden_layers")?,
            words: config.count("vocab_size")?,
            positions,
            types: config.optional_count("type_vocab_size")?.unwrap_or(2),
            first_position,
            epsilon: config.optional_number("layer_norm_eps")?.unwrap_or(1e-12) as f32,
            activation: activation(config)?,
            pooling: pooling(files)?,
            lower_case: sentence.is_some_and(|sentence| sentence.flag("do_lower_case")),
            most_tokens,
        })
    }
}

/// Newer models say it with their tokenizer. Either may say a number beyond all measure, which means no limit.
fn most_tokens(sentence: Option<&Json>, files: &mut Files<'_>) -> Result<usize, EmbedError> {
    let tokenizer = files.optional_json("tokenizer_config.json")?;
    for (file, field) in [(sentence, "max_seq_length"), (tokenizer.as_ref(), "model_max_length")] {
        if let Some(most) = file.map(|file| file.optional_number(field)).transpose()?.flatten() {
            return Ok(most as usize);
        }
    }
    Ok(usize::MAX)
}

fn activation(config: &Json) -> Result<Activation, EmbedError> {
    match config.text("hidden_act") {
        Ok("gelu") => Ok(Activation::Gelu),
        Ok("gelu_new" | "gelu_fast" | "gelu_pytorch_tanh") => Ok(Activation::GeluTanh),
        Ok("relu") => Ok(Activation::Relu),
        _ => Err(config.refuse("hidden_act", "gelu, gelu_new, gelu_fast, gelu_pytorch_tanh or relu")),
    }
}

fn pooling(files: &mut Files<'_>) -> Result<Pooling, EmbedError> {
    let folder = pooling_folder(files)?;
    let Some(config) = files.optional_json(&format!("{folder}/config.json"))? else { return Ok(Pooling::Mean) };
    let modes = match config.get("pooling_mode") {
        Some(Value::Array(modes)) => modes.iter().filter_map(Value::as_str).collect(),
        Some(mode) => vec![mode.as_str().unwrap_or_default()],
        None => POOLING_FLAGS.iter().filter(|(flag, _)| config.flag(flag)).map(|(_, mode)| *mode).collect(),
    };
    match modes.as_slice() {
        [] | ["mean"] => Ok(Pooling::Mean),
        ["cls"] => Ok(Pooling::First),
        ["max"] => Ok(Pooling::Max),
        others => {
            let found = others.join(" with ");
            Err(EmbedError::unsupported(&format!("{folder}/config.json"), "pooling_mode", &found, "mean, cls or max"))
        }
    }
}

/// Older files say by a flag for each mode what newer ones say by its name.
const POOLING_FLAGS: &[(&str, &str)] = &[
    ("pooling_mode_mean_tokens", "mean"),
    ("pooling_mode_cls_token", "cls"),
    ("pooling_mode_max_tokens", "max"),
    ("pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens"),
    ("pooling_mode_weightedmean_tokens", "weightedmean"),
    ("pooling_mode_lasttoken", "lasttoken"),
];

/// `modules.json` lists what a text passes through: the transformer, a pooling, and perhaps a normalisation, which
/// happens here anyway.
fn pooling_folder(files: &mut Files<'_>) -> Result<String, EmbedError> {
    const FILE: &str = "modules.json";
    let mut folder = "1_Pooling".to_owned();
    let Some(modules) = files.optional_json(FILE)? else { return Ok(folder) };
    for module in modules.value.as_array().map_or(&[][..], Vec::as_slice) {
        let (kind, path) = (module["type"].as_str().unwrap_or_default(), module["path"].as_str().unwrap_or_default());
        match kind.rsplit('.').next().unwrap_or_default() {
            "Transformer" if path.is_empty() => {}
            "Transformer" => return Err(EmbedError::unsupported(FILE, "path", path, "\"\" for the transformer")),
            "Pooling" if path.contains(['/', '\\']) || path.starts_with('.') => {
                return Err(EmbedError::unsupported(FILE, "path", path, "the name of a folder"));
            }
            "Pooling" => path.clone_into(&mut folder),
            "Normalize" => {}
            _ => return Err(EmbedError::unsupported(FILE, "type", kind, "Transformer, Pooling or Normalize")),
        }
    }
    Ok(folder)
}
