//! The vectors of a vocabulary, a row for each word: as numbers, or a byte each straight from the file. Of so many rows
//! only few are ever asked for, so those of a model in the binary are left where they are.

use ndarray::Array2;

use super::EmbedError;
use super::tensors::Tensors;

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
        let (bytes, scales) = tensors.whole(name, shape)?;
        Ok(Rows::Bytes(Bytes { bytes, scales, columns: shape[1] }))
    }

    /// Appends these rows, in this order.
    pub(super) fn push(&self, rows: &[u32], to: &mut Vec<f32>) {
        for row in rows.iter().map(|row| *row as usize) {
            match self {
                Rows::Numbers(numbers) => to.extend(numbers.row(row)),
                Rows::Bytes(Bytes { bytes, scales, columns }) => {
                    let bytes = &bytes[row * columns..][..*columns];
                    to.extend(bytes.iter().map(|byte| f32::from(*byte as i8) * scales[row]));
                }
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
        let mut rows = Vec::new();
        Rows::Bytes(bytes).push(&[2, 0], &mut rows);
        assert_eq!(rows, [127.0, -128.0, 0.5, -0.5]);
    }
}
