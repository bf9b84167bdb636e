//! The arithmetic of a BERT-like encoder, for one text or two held against each other: embeddings, then layers of
//! attention and a wide and narrow pass, each added to what came in and normed. Knows nothing of text.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, Axis, Slice};

use super::EmbedError;
use super::architecture::{Activation, Architecture};
use super::rows::{Load, Rows};
use super::tensors::Tensors;

const ROWS: Axis = Axis(0);
const COLUMNS: Axis = Axis(1);

pub(super) struct Encoder {
    words: Rows,
    /// Position and the type of a first text in one …
    places: Array2<f32>,
    /// … and what is different in a second.
    second: Array1<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
    activation: Activation,
}

struct Layer {
    /// Query, key and value side by side, so that they are one product.
    query_key_value: Linear,
    attended: Linear,
    attention_norm: Norm,
    wide: Linear,
    narrow: Linear,
    norm: Norm,
}

pub(super) struct Linear {
    /// Outputs by inputs, as in the file.
    weight: Array2<f32>,
    bias: Array1<f32>,
}

struct Norm {
    gain: Array1<f32>,
    bias: Array1<f32>,
    epsilon: f32,
}

impl Encoder {
    pub(super) fn load<'a>(
        shape: &Architecture,
        tensors: &Tensors<'a>,
        words: Load<'a>,
    ) -> Result<Encoder, EmbedError> {
        // Encoders saved with a head on top carry the name of the encoder in front.
        let prefixes = ["", "bert.", "roberta."];
        let known = |prefix: &&str| tensors.holds(&format!("{prefix}embeddings.word_embeddings.weight"));
        let prefix = prefixes.into_iter().find(known).unwrap_or_default();
        let weights = Weights { tensors, prefix: prefix.to_owned(), epsilon: shape.epsilon };
        let embeddings = weights.under("embeddings.");
        let words = words(tensors, &embeddings.name("word_embeddings.weight"), [shape.words, shape.hidden])?;
        let positions = embeddings.matrix("position_embeddings.weight", shape.positions, shape.hidden)?;
        let types = embeddings.matrix("token_type_embeddings.weight", shape.types, shape.hidden)?;
        let layer = |at| Layer::load(shape, &weights.under(&format!("encoder.layer.{at}.")));
        Ok(Encoder {
            words,
            places: &positions.slice_axis(ROWS, Slice::from(shape.first_position..)) + &types.row(0),
            second: &types.row(shape.types.min(2) - 1) - &types.row(0),
            norm: embeddings.norm("LayerNorm", shape.hidden)?,
            layers: (0..shape.layers).map(layer).collect::<Result<_, _>>()?,
            heads: shape.heads,
            activation: shape.activation,
        })
    }

    /// The vector of each token, a row each. Every id must be one of the vocabulary, and no more than there are places.
    /// The tokens from `second` on are those of another text.
    pub(super) fn encode(&self, ids: &[u32], second: usize) -> Array2<f32> {
        let mut states = self.words.select(ids);
        states += &self.places.slice_axis(ROWS, Slice::from(..ids.len()));
        let mut others = states.slice_axis_mut(ROWS, Slice::from(second.min(ids.len())..));
        others += &self.second;
        self.norm.apply(&mut states);
        for layer in &self.layers {
            let attended = layer.attended.apply(&self.attention(&layer.query_key_value.apply(&states)));
            states += &attended;
            layer.attention_norm.apply(&mut states);
            let mut wide = layer.wide.apply(&states);
            wide.mapv_inplace(|x| self.activation.apply(x));
            states += &layer.narrow.apply(&wide);
            layer.norm.apply(&mut states);
        }
        states
    }

    /// Every head lets every token look at every other, and hands on the values of those it looks at.
    fn attention(&self, query_key_value: &Array2<f32>) -> Array2<f32> {
        let (tokens, hidden) = (query_key_value.nrows(), query_key_value.ncols() / 3);
        let size = hidden / self.heads;
        let scale = (size as f32).sqrt().recip();
        let mut scores = Array2::zeros((tokens, tokens));
        let mut context = Array2::zeros((tokens, hidden));
        for head in 0..self.heads {
            let columns = |part: usize| Slice::from(part * hidden + head * size..part * hidden + (head + 1) * size);
            let [query, key, value] = [0, 1, 2].map(|part| query_key_value.slice_axis(COLUMNS, columns(part)));
            general_mat_mul(scale, &query, &key.t(), 0.0, &mut scores);
            softmax(&mut scores);
            general_mat_mul(1.0, &scores, &value, 0.0, &mut context.slice_axis_mut(COLUMNS, columns(0)));
        }
        context
    }
}

impl Layer {
    fn load(shape: &Architecture, weights: &Weights<'_, '_>) -> Result<Layer, EmbedError> {
        let (hidden, intermediate) = (shape.hidden, shape.intermediate);
        let part = |name: &str| weights.linear(&format!("attention.self.{name}"), hidden, hidden);
        Ok(Layer {
            query_key_value: Linear::side_by_side(&[part("query")?, part("key")?, part("value")?]),
            attended: weights.linear("attention.output.dense", hidden, hidden)?,
            attention_norm: weights.norm("attention.output.LayerNorm", hidden)?,
            wide: weights.linear("intermediate.dense", hidden, intermediate)?,
            narrow: weights.linear("output.dense", intermediate, hidden)?,
            norm: weights.norm("output.LayerNorm", hidden)?,
        })
    }
}

impl Linear {
    /// One that stands behind an encoder.
    pub(super) fn load(tensors: &Tensors<'_>, name: &str, inputs: usize, outputs: usize) -> Result<Linear, EmbedError> {
        Weights { tensors, prefix: String::new(), epsilon: 0.0 }.linear(name, inputs, outputs)
    }

    pub(super) fn apply(&self, input: &Array2<f32>) -> Array2<f32> {
        let mut output = input.dot(&self.weight.t());
        output += &self.bias;
        output
    }

    fn side_by_side(parts: &[Linear]) -> Linear {
        let weights: Vec<_> = parts.iter().map(|part| part.weight.view()).collect();
        let biases: Vec<_> = parts.iter().map(|part| part.bias.view()).collect();
        let same = "parts of one layer have the same inputs";
        Linear {
            weight: ndarray::concatenate(ROWS, &weights).expect(same),
            bias: ndarray::concatenate(ROWS, &biases).expect(same),
        }
    }
}

impl Norm {
    fn apply(&self, states: &mut Array2<f32>) {
        for mut row in states.rows_mut() {
            let count = row.len() as f32;
            let mean = row.sum() / count;
            let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / count;
            let scale = (variance + self.epsilon).sqrt().recip();
            row.zip_mut_with(&self.gain, |x, gain| *x = (*x - mean) * scale * gain);
            row += &self.bias;
        }
    }
}

impl Activation {
    fn apply(self, x: f32) -> f32 {
        match self {
            Activation::Gelu => 0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2)),
            Activation::GeluTanh => {
                let inner = (2.0 / std::f32::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
                0.5 * x * (1.0 + inner.tanh())
            }
            Activation::Relu => x.max(0.0),
        }
    }
}

/// Abramowitz and Stegun 7.1.26: off by 1.5e-7 at the most, which is what an `f32` holds.
fn erf(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let series = ((((1.061_405_4 * t - 1.453_152) * t + 1.421_413_8) * t - 0.284_496_72) * t + 0.254_829_6) * t;
    (1.0 - series * (-x * x).exp()).copysign(x)
}

fn softmax(scores: &mut Array2<f32>) {
    for mut row in scores.rows_mut() {
        let largest = row.fold(f32::NEG_INFINITY, |largest, x| largest.max(*x));
        row.mapv_inplace(|x| (x - largest).exp());
        row /= row.sum();
    }
}

/// Weights by the names they have in the file.
struct Weights<'a, 'b> {
    tensors: &'b Tensors<'a>,
    prefix: String,
    epsilon: f32,
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

    fn row(&self, name: &str, length: usize) -> Result<Array1<f32>, EmbedError> {
        Ok(self.tensors.floats(&self.name(name), &[length])?.into())
    }

    fn linear(&self, name: &str, inputs: usize, outputs: usize) -> Result<Linear, EmbedError> {
        let weight = self.matrix(&format!("{name}.weight"), outputs, inputs)?;
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
    fn the_error_function_is_right_to_the_last_digits_of_a_float() {
        for (x, expect) in
            [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (2.0, 0.995_322_3), (-3.0, -0.999_977_9)]
        {
            assert!((erf(x) - expect).abs() < 4e-7, "erf({x}) is {expect}, not {}", erf(x));
        }
    }

    #[test]
    fn activations_bend_as_their_names_say() {
        let check = |activation: Activation, x, expect: f32| assert!((activation.apply(x) - expect).abs() < 1e-6);
        check(Activation::Gelu, 1.0, 0.841_344_7);
        check(Activation::GeluTanh, 1.0, 0.841_192);
        check(Activation::Relu, -1.0, 0.0);
    }
}
