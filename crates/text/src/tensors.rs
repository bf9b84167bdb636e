//! Reading safetensors: a length, a JSON header that names the tensors, and their bytes. Nothing is copied until asked.

use std::ops::Range;

use ndarray::Array2;
use serde_json::{Map, Value};

use super::EmbedError;

const LENGTH_BYTES: usize = 8;

pub(super) struct Tensors<'a> {
    file: &'a str,
    bytes: &'a [u8],
    header: Map<String, Value>,
    data_start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    I8,
    F16,
    Bf16,
    F32,
}

/// What the numbers of a tensor are, and where in the file they stand.
pub(super) struct Tensor {
    number: Number,
    pub(super) span: Range<usize>,
}

impl<'a> Tensors<'a> {
    pub(super) fn parse(file: &'a str, bytes: &'a [u8]) -> Result<Tensors<'a>, EmbedError> {
        let (length, rest) =
            bytes.split_first_chunk::<LENGTH_BYTES>().ok_or_else(|| EmbedError::damaged(file, "it is cut off"))?;
        let header = usize::try_from(u64::from_le_bytes(*length)).ok().and_then(|length| rest.get(..length));
        let header = header.ok_or_else(|| EmbedError::damaged(file, "it is cut off"))?;
        let names = serde_json::from_slice(header).map_err(|error| EmbedError::damaged(file, error))?;
        Ok(Tensors { file, bytes, header: names, data_start: LENGTH_BYTES + header.len() })
    }

    pub(super) fn bytes(&self, tensor: &Tensor) -> &'a [u8] {
        &self.bytes[tensor.span.clone()]
    }

    pub(super) fn holds(&self, name: &str) -> bool {
        self.header.contains_key(name)
    }

    /// A tensor by its name, refused unless it is of this shape and of these numbers, and its bytes are all there.
    pub(super) fn get(&self, name: &str, shape: &[usize], allowed: &[Number]) -> Result<Tensor, EmbedError> {
        let entry = self.header.get(name).ok_or_else(|| self.refuse(name, "absent", "a tensor"))?;
        let number = allowed.iter().copied().find(|number| entry["dtype"] == number.name()).ok_or_else(|| {
            let names: Vec<&str> = allowed.iter().map(|number| number.name()).collect();
            self.refuse(name, &entry["dtype"].to_string(), &names.join(", "))
        })?;
        let written = sizes(&entry["shape"]).unwrap_or_default();
        if written != shape {
            return Err(self.refuse(name, &format!("of shape {written:?}"), &format!("the shape {shape:?}")));
        }
        let span = sizes(&entry["data_offsets"]).and_then(|offsets| self.span(number, shape, &offsets));
        let span = span.ok_or_else(|| EmbedError::damaged(self.file, format!("`{name}` does not fit its bytes")))?;
        Ok(Tensor { number, span })
    }

    /// The numbers of a tensor, in the order they are written.
    pub(super) fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, EmbedError> {
        let tensor = self.get(name, shape, &[Number::F32, Number::F16, Number::Bf16])?;
        let bytes = &self.bytes[tensor.span];
        Ok(match tensor.number {
            Number::I8 => bytes.iter().map(|byte| f32::from(*byte as i8)).collect(),
            Number::F16 => pairs(bytes).map(f32_from_f16).collect(),
            Number::Bf16 => pairs(bytes).map(|bits| f32::from_bits(u32::from(bits) << 16)).collect(),
            Number::F32 => bytes.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect(),
        })
    }

    /// The same as a matrix.
    pub(super) fn matrix(&self, name: &str, shape: [usize; 2]) -> Result<Array2<f32>, EmbedError> {
        let numbers = self.floats(name, &shape)?;
        Ok(Array2::from_shape_vec(shape, numbers).expect("a tensor has as many numbers as its shape"))
    }

    /// The bytes of a matrix where they are, and what a one in each of its rows is worth.
    pub(super) fn whole(&self, name: &str, shape: [usize; 2]) -> Result<(&'a [u8], Vec<f32>), EmbedError> {
        let bytes = self.bytes(&self.get(name, &shape, &[Number::I8])?);
        Ok((bytes, self.floats(&format!("{name}.scale"), &shape[..1])?))
    }

    fn span(&self, number: Number, shape: &[usize], offsets: &[usize]) -> Option<Range<usize>> {
        let [from, to] = *offsets else { return None };
        let span = self.data_start.checked_add(from)?..self.data_start.checked_add(to)?;
        let length = shape.iter().try_fold(number.width(), |length, side| length.checked_mul(*side))?;
        (self.bytes.get(span.clone())?.len() == length).then_some(span)
    }

    fn refuse(&self, name: &str, found: &str, allowed: &str) -> EmbedError {
        EmbedError::unsupported(self.file, name, found, allowed)
    }
}

impl Number {
    fn name(self) -> &'static str {
        match self {
            Number::I8 => "I8",
            Number::F16 => "F16",
            Number::Bf16 => "BF16",
            Number::F32 => "F32",
        }
    }

    fn width(self) -> usize {
        match self {
            Number::I8 => 1,
            Number::F16 | Number::Bf16 => 2,
            Number::F32 => 4,
        }
    }
}

fn sizes(value: &Value) -> Option<Vec<usize>> {
    value.as_array()?.iter().map(|size| usize::try_from(size.as_u64()?).ok()).collect()
}

fn pairs(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair))
}

/// Half precision has 5 bits of exponent and 10 of fraction; single has 8 and 23.
fn f32_from_f16(bits: u16) -> f32 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction as f32 * 2.0_f32.powi(-24),
        0x1f => f32::from_bits(0xff << 23 | fraction << 13),
        _ => f32::from_bits((exponent + 127 - 15) << 23 | fraction << 13),
    };
    sign * magnitude
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
    }

    fn entry(dtype: &str, shape: &str, end: usize) -> String {
        format!(r#"{{"t":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[0,{end}]}}}}"#)
    }

    fn read(dtype: &str, data: &[u8]) -> Vec<f32> {
        let file = file(&entry(dtype, "[2]", data.len()), data);
        Tensors::parse("m", &file).unwrap().floats("t", &[2]).unwrap()
    }

    #[test]
    fn numbers_of_every_accepted_kind_are_read() {
        assert_eq!(read("F32", &[0, 0, 0x20, 0xc1, 0, 0, 0, 0x3f]), [-10.0, 0.5]);
        assert_eq!(read("BF16", &[0x20, 0xc1, 0, 0x3f]), [-10.0, 0.5]);
        assert_eq!(read("F16", &[0, 0xc9, 0, 0x38]), [-10.0, 0.5]);
    }

    #[test]
    fn bytes_with_a_scale_are_a_matrix() {
        let header = r#"{"t":{"dtype":"I8","shape":[2,2],"data_offsets":[0,4]},
            "t.scale":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}"#;
        let file = file(header, &[1, 255, 2, 128, 0, 0, 0, 0x3f, 0, 0, 0, 0x40]);
        let tensors = Tensors::parse("m", &file).unwrap();
        assert_eq!(tensors.whole("t", [2, 2]).unwrap(), (&[1, 255, 2, 128][..], vec![0.5, 2.0]));
    }

    #[test]
    fn small_and_endless_halves_are_read_too() {
        assert_eq!(read("F16", &[1, 0, 0xff, 0x83]), [2.0_f32.powi(-24), -1023.0 * 2.0_f32.powi(-24)]);
        assert_eq!(read("F16", &[0, 0x7c, 0, 0xfc]), [f32::INFINITY, f32::NEG_INFINITY]);
        assert!(read("F16", &[1, 0x7c, 0, 0])[0].is_nan());
    }

    #[test]
    fn a_file_that_does_not_hold_what_it_says_is_refused() {
        let check = |bytes: &[u8], expect: &str| {
            let refused = Tensors::parse("m", bytes).and_then(|tensors| tensors.floats("t", &[2])).unwrap_err();
            assert_eq!(refused.to_string(), expect);
        };
        check(b"short", "m cannot be read: it is cut off");
        check(&u64::MAX.to_le_bytes(), "m cannot be read: it is cut off");
        check(&file("{}", &[]), "m: `t` cannot be absent: allowed is a tensor");
        let check = |dtype: &str, shape: &str, end: usize, expect: &str| {
            check(&file(&entry(dtype, shape, end), &[0; 8]), expect);
        };
        check("F32", "[2]", 12, "m cannot be read: `t` does not fit its bytes");
        check("F32", "[2]", 4, "m cannot be read: `t` does not fit its bytes");
        check("F16", "[4]", 8, "m: `t` cannot be of shape [4]: allowed is the shape [2]");
        check("F64", "[1]", 8, "m: `t` cannot be \"F64\": allowed is F32, F16, BF16");
    }
}
