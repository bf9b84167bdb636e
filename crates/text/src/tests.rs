//! Embedders against what numpy and transformers compute with the same files. `tools/model` makes the expectations.

use std::sync::Arc;

use serde_json::{Value, json};
use sha2::Digest;

use super::*;

const MODEL: &[u8] = include_bytes!("../../../assets/model/model.safetensors");
const VOCABULARY: &[u8] = include_bytes!("../../../assets/model/vocab.txt");
const SHIPPED_CONFIG: &[u8] = include_bytes!("../../../assets/model/config.json");

/// The files of a folder of `tests/data/embed`, by name.
macro_rules! folder {
    ($folder:literal: $($name:literal)+) => {
        |name: &str| match name {
            $($name => Some(include_bytes!(concat!("../../../tests/data/embed/", $folder, "/", $name)).to_vec()),)+
            _ => None,
        }
    };
}

fn bert(name: &str) -> Option<Vec<u8>> {
    folder!("bert": "config.json" "tokenizer.json" "model.safetensors" "sentence_bert_config.json" "expected.json")(
        name,
    )
}

fn roberta(name: &str) -> Option<Vec<u8>> {
    folder!("roberta": "config.json" "tokenizer.json" "model.safetensors" "expected.json")(name)
}

fn shipped_files(name: &str) -> Option<Vec<u8>> {
    match name {
        "config.json" => Some(SHIPPED_CONFIG.to_vec()),
        "vocab.txt" => Some(VOCABULARY.to_vec()),
        "model.safetensors" => Some(MODEL.to_vec()),
        _ => None,
    }
}

/// The same folder with one file more, or another one in its place.
fn with(folder: fn(&str) -> Option<Vec<u8>>, file: &str, content: Value) -> impl Fn(&str) -> Option<Vec<u8>> {
    move |name| if name == file { Some(content.to_string().into_bytes()) } else { folder(name) }
}

/// The same folder with one field of its `config.json` changed.
fn with_field(folder: fn(&str) -> Option<Vec<u8>>, field: &str, value: Value) -> impl Fn(&str) -> Option<Vec<u8>> {
    let mut config: Value = serde_json::from_slice(&folder("config.json").unwrap()).unwrap();
    config[field] = value;
    with(folder, "config.json", config)
}

fn floats(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap() as f32).collect()
}

fn largest_difference(one: &[f32], other: &[f32]) -> f32 {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max)
}

#[test]
fn the_shipped_model_gives_the_rows_and_vectors_numpy_gives() {
    let embedder = Embedder::built_in();
    let Model::Static(table) = &embedder.model else { panic!("the shipped model is a table") };
    let cases: Value = serde_json::from_str(include_str!("../../../tests/data/embed/static.json")).unwrap();
    for case in cases.as_array().unwrap() {
        let text = case["text"].as_str().unwrap().repeat(case["times"].as_u64().unwrap() as usize);
        assert_eq!(json!(table.tokens(&text)), case["rows"], "{text:.200}");
        let difference = largest_difference(&embedder.embed(&text), &floats(&case["vector"]));
        assert!(difference < 1e-5, "{text:.200} is off by {difference}");
    }
}

#[test]
fn the_shipped_model_is_the_one_its_identity_names() {
    let hash = sha2::Sha256::new().chain_update(MODEL).chain_update(VOCABULARY).finalize();
    let hex: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(Embedder::built_in().id(), format!("sha256:{hex}"));
}

#[test]
fn a_text_of_which_nothing_is_known_has_no_direction() {
    let embedder = Embedder::built_in();
    for text in ["", "   ", "!?", "🚀"] {
        assert_eq!(embedder.embed(text), vec![0.0; embedder.dim()]);
    }
}

fn nearness(by: Arc<Embedder>) -> impl Fn(&str, &str) -> f32 {
    move |one, other| by.embed(one).iter().zip(by.embed(other)).map(|(x, y)| x * y).sum()
}

#[test]
fn what_is_near_in_meaning_is_near_in_direction() {
    let nearness = nearness(Embedder::built_in());
    let query = "how are credentials renewed";
    assert!(nearness(query, "rotate the refresh token") > nearness(query, "the parser skips blank lines") + 0.1);
}

#[test]
fn what_denies_another_is_about_the_same_without_a_word_in_common() {
    let nearness = nearness(Embedder::of_subjects());
    let rule = "Nobody is logged out for doing nothing.";
    assert!(
        nearness(rule, "Idle sessions expire after 30 minutes.") > nearness(rule, "Nobody reviews doing it.") + 0.1
    );
}

#[test]
fn a_table_in_a_directory_gives_the_vectors_of_the_same_table_in_the_binary() {
    let (ours, theirs) = (Embedder::built_in(), Embedder::from_files(&shipped_files).unwrap());
    assert_eq!(theirs.embed("parseHTTPResponse naïve"), ours.embed("parseHTTPResponse naïve"));
    assert!(theirs.is_instant());
    assert_eq!(theirs.dim(), 256);
}

fn check_transformer(folder: fn(&str) -> Option<Vec<u8>>) {
    let expected: Value = serde_json::from_slice(&folder("expected.json").unwrap()).unwrap();
    for mode in ["mean", "cls", "max"] {
        let read = with(folder, "1_Pooling/config.json", json!({ "pooling_mode": mode }));
        let embedder = Embedder::from_files(&read).unwrap();
        assert!(!embedder.is_instant());
        for case in expected.as_array().unwrap() {
            let text = case["text"].as_str().unwrap();
            let difference = largest_difference(&embedder.embed(text), &floats(&case[mode]));
            assert!(difference < 1e-4, "{mode} of {text:?} is off by {difference}");
        }
    }
}

#[test]
fn a_bert_gives_the_vectors_transformers_gives() {
    check_transformer(bert);
}

#[test]
fn a_roberta_in_halves_and_under_a_prefix_gives_the_vectors_transformers_gives() {
    check_transformer(roberta);
}

#[test]
fn pooling_is_found_by_the_list_of_modules_and_by_flags_and_is_else_the_mean() {
    let text = "the memory";
    let mean = Embedder::from_files(&bert).unwrap().embed(text);
    let modules = json!([
        { "path": "", "type": "sentence_transformers.models.Transformer" },
        { "path": "pool", "type": "sentence_transformers.models.Pooling" },
        { "path": "2_Normalize", "type": "sentence_transformers.models.Normalize" },
    ]);
    let pooled = |flags: Value| {
        let read = |name: &str| match name {
            "modules.json" => Some(modules.to_string().into_bytes()),
            "pool/config.json" => Some(flags.to_string().into_bytes()),
            _ => bert(name),
        };
        Embedder::from_files(&read).unwrap().embed(text)
    };
    assert_eq!(pooled(json!({ "pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false })), mean);
    assert_ne!(pooled(json!({ "pooling_mode_mean_tokens": false, "pooling_mode_cls_token": true })), mean);
}

#[test]
fn a_text_is_cut_where_the_model_or_its_tokenizer_says() {
    let bounded = |file: &'static str, content: Value| {
        let read = move |name: &str| match name {
            "sentence_bert_config.json" if file != name => None,
            _ => with(bert, file, content.clone())(name),
        };
        Embedder::from_files(&read).unwrap()
    };
    let (head, text) = ("the memory", "the memory is long");
    for (file, field) in
        [("sentence_bert_config.json", "max_seq_length"), ("tokenizer_config.json", "model_max_length")]
    {
        let cut = bounded(file, json!({ field: 4 }));
        assert_eq!(cut.embed(text), cut.embed(head));
        let endless = bounded(file, json!({ field: 1e30 }));
        assert_ne!(endless.embed(text), endless.embed(head));
        assert_eq!(endless.embed(&text.repeat(40)).len(), 16);
    }
}

#[test]
fn the_identity_changes_with_the_files() {
    let id = |read: &dyn Fn(&str) -> Option<Vec<u8>>| Embedder::from_files(read).unwrap().id().to_owned();
    assert_eq!(id(&bert), id(&bert));
    assert_ne!(id(&bert), id(&roberta));
    assert_ne!(id(&bert), id(&with_field(bert, "layer_norm_eps", json!(1e-5))));
    assert_ne!(id(&bert), id(&with(bert, "1_Pooling/config.json", json!({ "pooling_mode": "mean" }))));
}

#[test]
fn a_model_that_is_not_understood_is_refused_by_file_and_field() {
    let check = |read: &dyn Fn(&str) -> Option<Vec<u8>>, expect: &str| {
        assert_eq!(Embedder::from_files(read).err().unwrap().to_string(), expect);
    };
    check(&|_| None, "config.json is missing");
    check(&|_| Some(b"{".to_vec()), "config.json cannot be read: EOF while parsing an object at line 1 column 1");
    check(
        &with_field(bert, "model_type", json!("t5")),
        "config.json: `model_type` cannot be \"t5\": allowed is bert, roberta, xlm-roberta or static-int8",
    );
    check(
        &with_field(bert, "hidden_act", json!("silu")),
        "config.json: `hidden_act` cannot be \"silu\": allowed is gelu, gelu_new, gelu_fast, gelu_pytorch_tanh or relu",
    );
    check(
        &with_field(bert, "position_embedding_type", json!("relative_key")),
        "config.json: `position_embedding_type` cannot be \"relative_key\": allowed is absolute",
    );
    check(
        &with_field(bert, "num_attention_heads", json!(3)),
        "config.json: `num_attention_heads` cannot be 3: allowed is a divisor of 16, the `hidden_size`",
    );
    check(
        &with_field(bert, "hidden_size", Value::Null),
        "config.json: `hidden_size` cannot be absent: allowed is a whole number above 0",
    );
    check(
        &with_field(bert, "intermediate_size", json!(25)),
        "model.safetensors: `encoder.layer.0.intermediate.dense.weight` cannot be of shape [24, 16]: \
         allowed is the shape [25, 16]",
    );
    check(
        &with_field(bert, "num_hidden_layers", json!(3)),
        "model.safetensors: `encoder.layer.2.attention.self.query.weight` cannot be absent: allowed is a tensor",
    );
    check(
        &with_field(bert, "vocab_size", json!(50)),
        "tokenizer.json: `id` cannot be 102: allowed is less than 50, the `vocab_size` of config.json",
    );
    check(
        &with(bert, "sentence_bert_config.json", json!({ "max_seq_length": 2 })),
        "tokenizer.json: `post_processor` cannot be 2 tokens: allowed is fewer than the 2 of the model",
    );
    check(
        &with(bert, "1_Pooling/config.json", json!({ "pooling_mode_lasttoken": true })),
        "1_Pooling/config.json: `pooling_mode` cannot be lasttoken: allowed is mean, cls or max",
    );
    check(
        &with(bert, "modules.json", json!([{ "path": "2_Dense", "type": "sentence_transformers.models.Dense" }])),
        "modules.json: `type` cannot be sentence_transformers.models.Dense: \
         allowed is Transformer, Pooling or Normalize",
    );
    check(
        &with_field(shipped_files, "vocab_size", json!(7)),
        "config.json: `vocab_size` cannot be 7: allowed is 32144, the lines of vocab.txt",
    );
}

#[test]
fn an_embedder_is_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Embedder>();
}

#[test]
fn two_statements_are_weighed_as_torch_weighs_them() {
    let cases: Value = serde_json::from_str(include_str!("../../../tests/data/embed/pairs.json")).unwrap();
    let model = pairs::Pairs::built_in();
    for case in cases.as_array().unwrap() {
        let (a, b) = (case["a"].as_str().unwrap(), case["b"].as_str().unwrap());
        let [one, other] = [a, b].map(|text| model.read(text));
        let both_ways = model.weigh(&[(&one, &other), (&other, &one)]);
        assert_eq!(both_ways[0], both_ways[1]);
        let (forth, back) = (floats(&case["forth"]), floats(&case["back"]));
        let mean: Vec<f32> = forth.iter().zip(&back).map(|(one, other)| f32::midpoint(*one, *other)).collect();
        // Where the first way shows neither denial nor repetition, it is enough.
        let first = if one <= other { forth } else { back };
        let expect = if first[0].max(first[1]) >= 0.3 { mean } else { first };
        let difference = largest_difference(&both_ways[0], &expect);
        assert!(difference < 1e-3, "{a:.60} / {b:.60} is off by {difference}");
    }
}
