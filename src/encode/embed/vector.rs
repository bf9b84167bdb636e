//! Unit vectors: making one, and keeping one in a quarter of the space.

/// Scales a vector to length one. One without direction becomes all zeros.
pub(super) fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 && length.is_finite() {
        vector.iter_mut().for_each(|x| *x /= length);
    } else {
        vector.fill(0.0);
    }
}

/// A vector as bytes and the scale that gives it back: `x ≈ byte · scale`, off by half a scale at the most. Since each
/// vector brings its scale, `scale · scale · Σ byte · byte` of two vectors compares with that of any other two.
pub fn quantise(vector: &[f32]) -> (Vec<i8>, f32) {
    let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    let scale = largest / f32::from(i8::MAX);
    if scale == 0.0 {
        return (vec![0; vector.len()], 0.0);
    }
    (vector.iter().map(|x| (x / scale).round_ties_even() as i8).collect(), scale)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_vector_without_direction_is_all_zeros() {
        for mut vector in [vec![0.0; 3], vec![f32::NAN, 1.0, 2.0], vec![f32::INFINITY, 0.0, 0.0]] {
            normalise(&mut vector);
            assert_eq!(vector, [0.0; 3]);
        }
        assert_eq!(quantise(&[0.0; 3]), (vec![0; 3], 0.0));
    }

    #[test]
    fn the_largest_component_takes_the_whole_range() {
        let (bytes, scale) = quantise(&[0.6, -0.8, 0.0]);
        assert_eq!(bytes, [95, -127, 0]);
        assert!((scale - 0.8 / 127.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn bytes_give_the_vector_back_to_half_a_scale(mut vector in prop::collection::vec(-1.0_f32..1.0, 1..300)) {
            normalise(&mut vector);
            let (bytes, scale) = quantise(&vector);
            for (x, byte) in vector.iter().zip(bytes) {
                prop_assert!((x - f32::from(byte) * scale).abs() <= scale * 0.5001);
            }
        }
    }
}
