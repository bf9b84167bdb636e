//! The arithmetic of a BERT-like encoder, for one text or two held against each other: embeddings, then layers of
//! attention and a wide and narrow pass, each added to what came in and normed. Knows nothing of text.
//!
//! Several texts may be read at once, so that weights are fetched once for all of them. Whatever is needed on the way
//! stands in a [`Scratch`] that is used again.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::EmbedError;
use super::architecture::{Activation, Architecture};
use super::lanes;
use super::rows::{Load, Rows};
use super::tensors::Tensors;
use super::whole::{self, Factors};

pub(super) struct Encoder {
    words: Rows,
    /// Position and the type of a first text in one …
    places: Array2<f32>,
    /// … and what is different in a second.
    second: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
    hidden: usize,
    activation: Activation,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attention_norm: Norm,
    wide: Linear,
    narrow: Linear,
    norm: Norm,
}

pub(super) struct Linear {
    weight: Weight,
    bias: Vec<f32>,
}

/// Outputs by inputs, as in the file.
pub(super) enum Weight {
    Numbers(Array2<f32>),
    /// Left where they are, with what a one in each row is worth.
    Bytes {
        bytes: &'static [u8],
        scales: Vec<f32>,
    },
}

struct Norm {
    gain: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

/// The numbers of one text, and from where on they are those of another that it is held against.
pub(super) struct Ids {
    pub(super) ids: Vec<u32>,
    pub(super) second: usize,
}

/// Room for what is computed on the way.
#[derive(Default)]
pub(super) struct Scratch {
    states: Vec<f32>,
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    mixed: Vec<f32>,
    wide: Vec<f32>,
    head: lanes::Head,
    whole: Whole,
}

#[derive(Default)]
struct Whole {
    inputs: Vec<i16>,
    /// What a one is worth in each row of the inputs.
    scales: Vec<f32>,
}

impl Encoder {
    pub(super) fn load<'a>(
        shape: &Architecture,
        tensors: &Tensors<'a>,
        words: Load<'a>,
        weight: LoadWeight<'a>,
    ) -> Result<Encoder, EmbedError> {
        // Encoders saved with a head on top carry the name of the encoder in front.
        let prefixes = ["", "bert.", "roberta."];
        let known = |prefix: &&str| tensors.holds(&format!("{prefix}embeddings.word_embeddings.weight"));
        let prefix = prefixes.into_iter().find(known).unwrap_or_default();
        let weights = Weights { tensors, prefix: prefix.to_owned(), epsilon: shape.epsilon, weight };
        let embeddings = weights.under("embeddings.");
        let words = words(tensors, &embeddings.name("word_embeddings.weight"), [shape.words, shape.hidden])?;
        let positions = embeddings.matrix("position_embeddings.weight", shape.positions, shape.hidden)?;
        let types = embeddings.matrix("token_type_embeddings.weight", shape.types, shape.hidden)?;
        let layer = |at| Layer::load(shape, &weights.under(&format!("encoder.layer.{at}.")));
        let behind = positions.slice_axis(ndarray::Axis(0), ndarray::Slice::from(shape.first_position..));
        Ok(Encoder {
            words,
            places: &behind + &types.row(0),
            second: (&types.row(shape.types.min(2) - 1) - &types.row(0)).to_vec(),
            norm: embeddings.norm("LayerNorm", shape.hidden)?,
            layers: (0..shape.layers).map(layer).collect::<Result<_, _>>()?,
            heads: shape.heads,
            hidden: shape.hidden,
            activation: shape.activation,
        })
    }

    /// The vector of each token, one text behind the other; or of the first of each text alone, which spares the last layer
    /// most of its work. Every id must be one of the vocabulary, and no text longer than there are places.
    pub(super) fn encode<'s>(&self, texts: &[Ids], only_first: bool, scratch: &'s mut Scratch) -> &'s [f32] {
        let hidden = self.hidden;
        let Scratch { states, query, key, value, mixed, wide, head, whole } = scratch;
        states.clear();
        for text in texts {
            self.words.push(&text.ids, states);
            let from = states.len() - text.ids.len() * hidden;
            for ((at, state), place) in states[from..].chunks_exact_mut(hidden).enumerate().zip(self.places.rows()) {
                lanes::add(state, place.as_slice().expect("rows of a matrix lie in one piece"));
                if at >= text.second {
                    lanes::add(state, &self.second);
                }
            }
        }
        self.norm.apply(states);
        for (at, layer) in self.layers.iter().enumerate() {
            whole.take(states, hidden);
            layer.key.apply(states, whole, key);
            layer.value.apply(states, whole, value);
            let is_last = only_first && at + 1 == self.layers.len();
            // Whom nobody looks at any more needs to look at nobody.
            if is_last {
                keep_first(states, texts, hidden);
                whole.take(states, hidden);
            }
            layer.query.apply(states, whole, query);
            mixed.resize(states.len(), 0.0);
            let (mut from, mut asking, mut room) = (0, query.as_slice(), mixed.as_mut_slice());
            for text in texts {
                let to = from + text.ids.len() * hidden;
                let (asks, others) = asking.split_at(if is_last { hidden } else { to - from });
                let (into, rest) = room.split_at_mut(asks.len());
                lanes::attend([asks, &key[from..to], &value[from..to]], hidden, self.heads, head, into);
                (from, asking, room) = (to, others, rest);
            }
            whole.take(mixed, hidden);
            layer.attended.apply(mixed, whole, wide);
            lanes::add(states, wide);
            layer.attention_norm.apply(states);
            whole.take(states, hidden);
            layer.wide.apply(states, whole, wide);
            self.activation.apply(wide);
            whole.take(wide, layer.wide.bias.len());
            layer.narrow.apply(wide, whole, mixed);
            lanes::add(states, mixed);
            layer.norm.apply(states);
        }
        states
    }
}

/// Of the rows of each text, the first.
fn keep_first(states: &mut Vec<f32>, texts: &[Ids], hidden: usize) {
    let (mut from, mut to) = (0, 0);
    for text in texts {
        states.copy_within(from..from + hidden, to);
        from += text.ids.len() * hidden;
        to += hidden;
    }
    states.truncate(to);
}

impl Layer {
    fn load(shape: &Architecture, weights: &Weights<'_, '_>) -> Result<Layer, EmbedError> {
        let (hidden, intermediate) = (shape.hidden, shape.intermediate);
        let part = |name: &str| weights.linear(&format!("attention.self.{name}"), hidden, hidden);
        Ok(Layer {
            query: part("query")?,
            key: part("key")?,
            value: part("value")?,
            attended: weights.linear("attention.output.dense", hidden, hidden)?,
            attention_norm: weights.norm("attention.output.LayerNorm", hidden)?,
            wide: weights.linear("intermediate.dense", hidden, intermediate)?,
            narrow: weights.linear("output.dense", intermediate, hidden)?,
            norm: weights.norm("output.LayerNorm", hidden)?,
        })
    }
}

/// How the matrices of a file are read.
pub(super) type LoadWeight<'a> = fn(&Tensors<'a>, &str, [usize; 2]) -> Result<Weight, EmbedError>;

impl Weight {
    pub(super) fn numbers(tensors: &Tensors<'_>, name: &str, shape: [usize; 2]) -> Result<Weight, EmbedError> {
        tensors.matrix(name, shape).map(Weight::Numbers)
    }

    pub(super) fn bytes(tensors: &Tensors<'static>, name: &str, shape: [usize; 2]) -> Result<Weight, EmbedError> {
        let (bytes, scales) = tensors.whole(name, shape)?;
        Ok(Weight::Bytes { bytes, scales })
    }
}

impl Linear {
    /// One that stands behind an encoder.
    pub(super) fn behind(tensors: &Tensors<'_>, name: &str, shape: [usize; 2]) -> Result<Linear, EmbedError> {
        let weight = Weight::numbers(tensors, &format!("{name}.weight"), shape)?;
        Ok(Linear { weight, bias: tensors.floats(&format!("{name}.bias"), &shape[..1])? })
    }

    /// Of one row alone.
    pub(super) fn of(&self, input: &[f32]) -> Vec<f32> {
        let mut output = Vec::new();
        let mut whole = Whole::default();
        whole.take(input, input.len());
        self.apply(input, &whole, &mut output);
        output
    }

    /// `whole` must be the same input in whole numbers.
    fn apply(&self, input: &[f32], whole: &Whole, output: &mut Vec<f32>) {
        let outputs = self.bias.len();
        match &self.weight {
            Weight::Numbers(weight) => {
                let rows = input.len() / weight.ncols();
                output.clear();
                (0..rows).for_each(|_| output.extend_from_slice(&self.bias));
                let input = ArrayView2::from_shape((rows, weight.ncols()), input).expect("whole rows");
                let mut output = ArrayViewMut2::from_shape((rows, outputs), output).expect("a bias for each");
                general_mat_mul(1.0, &input, &weight.t(), 1.0, &mut output);
            }
            Weight::Bytes { bytes, scales } => {
                let width = bytes.len() / outputs;
                output.resize(whole.scales.len() * outputs, 0.0);
                let (inputs, bias) = (&whole.inputs, &self.bias);
                let of = Factors { weights: bytes, inputs, width, scales: &whole.scales, outputs: scales, bias };
                whole::products(&of, output);
            }
        }
    }
}

impl Whole {
    /// Rows of `width` as whole numbers, each as fine as its largest allows.
    fn take(&mut self, input: &[f32], width: usize) {
        self.inputs.resize(input.len(), 0);
        self.scales.clear();
        let most = whole::most(width);
        for (row, whole) in input.chunks_exact(width).zip(self.inputs.chunks_exact_mut(width)) {
            self.scales.push(lanes::round(row, most, whole));
        }
    }
}

impl Norm {
    fn apply(&self, states: &mut [f32]) {
        lanes::norm(states, &self.gain, &self.bias, self.epsilon);
    }
}

impl Activation {
    fn apply(self, values: &mut [f32]) {
        match self {
            Activation::Gelu => lanes::gelu(values),
            Activation::GeluTanh => values.iter_mut().for_each(|x| {
                let inner = (2.0 / std::f32::consts::PI).sqrt() * (*x + 0.044_715 * *x * *x * *x);
                *x *= 0.5 * (1.0 + inner.tanh());
            }),
            Activation::Relu => values.iter_mut().for_each(|x| *x = x.max(0.0)),
        }
    }
}

/// Weights by the names they have in the file.
struct Weights<'a, 'b> {
    tensors: &'b Tensors<'a>,
    prefix: String,
    epsilon: f32,
    weight: LoadWeight<'a>,
}

impl<'a, 'b> Weights<'a, 'b> {
    fn under(&self, name: &str) -> Weights<'a, 'b> {
        Weights { prefix: self.name(name), ..*self }
    }

    fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Array2<f32>, EmbedError> {
        self.tensors.matrix(&self.name(name), [rows, columns])
    }

    fn row(&self, name: &str, length: usize) -> Result<Vec<f32>, EmbedError> {
        self.tensors.floats(&self.name(name), &[length])
    }

    fn linear(&self, name: &str, inputs: usize, outputs: usize) -> Result<Linear, EmbedError> {
        let weight = (self.weight)(self.tensors, &self.name(&format!("{name}.weight")), [outputs, inputs])?;
        Ok(Linear { weight, bias: self.row(&format!("{name}.bias"), outputs)? })
    }

    fn norm(&self, name: &str, length: usize) -> Result<Norm, EmbedError> {
        let gain = self.row(&format!("{name}.weight"), length)?;
        Ok(Norm { gain, bias: self.row(&format!("{name}.bias"), length)?, epsilon: self.epsilon })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_bend_as_their_names_say() {
        let check = |activation: Activation, x: f32, expect: f32| {
            let mut values = [x];
            activation.apply(&mut values);
            assert!((values[0] - expect).abs() < 1e-6, "{activation:?} of {x} is {expect}, not {}", values[0]);
        };
        check(Activation::Gelu, 1.0, 0.841_344_7);
        check(Activation::GeluTanh, 1.0, 0.841_192);
        check(Activation::Relu, -1.0, 0.0);
    }
}
