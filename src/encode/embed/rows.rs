//! The vectors of a vocabulary, a row for each word: as numbers, or a byte each straight from the file. Of so many rows
//! only few are ever asked for, so those of a model in the binary are left where they are.

use ndarray::{Array2, Axis};

use super::EmbedError;
use super::tensors::{Number, Tensors};

pub(super) enum Rows {
    Numbers(Array2<f32>),
    Bytes(Bytes),
}

/// Row after row, and what a one in each row is worth.
pub(super) struct Bytes {
    bytes: &'static [u8],
    scales: Vec<f32>,
    columns: usize,
}

/// How the rows of a file are read.
pub(super) type Load<'a> = fn(&Tensors<'a>, &str, [usize; 2]) -> Result<Rows, EmbedError>;

impl Rows {
    pub(super) fn numbers(tensors: &Tensors<'_>, name: &str, shape: [usize; 2]) -> Result<Rows, EmbedError> {
        tensors.matrix(name, shape).map(Rows::Numbers)
    }

    pub(super) fn bytes(tensors: &Tensors<'static>, name: &str, shape: [usize; 2]) -> Result<Rows, EmbedError> {
        let bytes = tensors.bytes(&tensors.get(name, &shape, &[Number::I8])?);
        Ok(Rows::Bytes(Bytes { bytes, scales: tensors.scales(name, shape[0])?, columns: shape[1] }))
    }

    /// These rows, in this order.
    pub(super) fn select(&self, rows: &[u32]) -> Array2<f32> {
        match self {
            Rows::Numbers(numbers) => {
                let rows: Vec<usize> = rows.iter().map(|row| *row as usize).collect();
                numbers.select(Axis(0), &rows)
            }
            Rows::Bytes(Bytes { bytes, scales, columns }) => {
                let mut numbers = Vec::with_capacity(rows.len() * columns);
                for row in rows.iter().map(|row| *row as usize) {
                    let bytes = &bytes[row * columns..][..*columns];
                    numbers.extend(bytes.iter().map(|byte| f32::from(*byte as i8) * scales[row]));
                }
                Array2::from_shape_vec((rows.len(), *columns), numbers).expect("as many numbers as rows and columns")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_worth_what_their_row_says() {
        let bytes = Bytes { bytes: &[1, 255, 2, 0, 127, 128], scales: vec![0.5, 2.0, 1.0], columns: 2 };
        let rows = Rows::Bytes(bytes).select(&[2, 0]);
        assert_eq!(rows, ndarray::arr2(&[[127.0, -128.0], [0.5, -0.5]]));
    }
}
