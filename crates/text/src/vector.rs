//! Unit vectors.

/// Scales a vector to length one. One without direction becomes all zeros.
pub(super) fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 && length.is_finite() {
        vector.iter_mut().for_each(|x| *x /= length);
    } else {
        vector.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_without_direction_is_all_zeros() {
        for mut vector in [vec![0.0; 3], vec![f32::NAN, 1.0, 2.0], vec![f32::INFINITY, 0.0, 0.0]] {
            normalise(&mut vector);
            assert_eq!(vector, [0.0; 3]);
        }
    }
}
