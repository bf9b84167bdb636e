//! How much each kind of evidence counts: plain numbers by name.

use super::evidence::{FEATURES, Feature};

/// Add up to the logarithm of the odds that a file will be needed.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    by_feature: [f64; FEATURES],
    bias: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the weight of {0} is no number")]
pub struct BadWeights(String);

const BIAS: &str = "bias";
const DEFAULT_BIAS: f64 = -5.88;
/// Nothing counts more than this.
const MOST: f64 = 50.0;

impl Default for Weights {
    fn default() -> Weights {
        Weights { by_feature: Feature::ALL.map(Feature::default_weight), bias: DEFAULT_BIAS }
    }
}

impl Weights {
    pub fn of(&self, feature: Feature) -> f64 {
        self.by_feature[feature as usize]
    }

    pub(crate) fn as_array(&self) -> [f64; FEATURES] {
        self.by_feature
    }

    pub(crate) fn from_array(by_feature: [f64; FEATURES], bias: f64) -> Weights {
        Weights { by_feature, bias }
    }

    pub(crate) fn bias(&self) -> f64 {
        self.bias
    }

    pub(crate) fn weigh(&self, features: &[f32; FEATURES]) -> f64 {
        self.by_feature.iter().zip(features).map(|(weight, value)| weight * f64::from(*value)).sum()
    }

    /// Between 0 and 1: how likely something is that weighs so much.
    pub(super) fn chance(&self, weighed: f64) -> f64 {
        1.0 / (1.0 + (-(weighed + self.bias)).exp())
    }

    /// A line for each: its name and its number.
    pub fn to_text(&self) -> String {
        let mut text = format!("{BIAS} {}\n", self.bias);
        for feature in Feature::ALL {
            text.push_str(&format!("{} {}\n", feature.name(), self.of(feature)));
        }
        text
    }

    /// What is not named keeps its default; names nobody knows are passed over.
    pub fn from_text(text: &str) -> Result<Weights, BadWeights> {
        let mut weights = Weights::default();
        for line in text.lines() {
            let mut parts = line.split_whitespace();
            let Some(name) = parts.next() else { continue };
            let feature = Feature::ALL.into_iter().find(|feature| feature.name() == name);
            if feature.is_none() && name != BIAS {
                continue;
            }
            let number = parts.next().and_then(|number| number.parse::<f64>().ok());
            let number = number.filter(|number| number.abs() <= MOST && parts.next().is_none());
            let number = number.ok_or_else(|| BadWeights(name.to_owned()))?;
            match feature {
                Some(feature) => weights.by_feature[feature as usize] = number,
                None => weights.bias = number,
            }
        }
        Ok(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_survive_as_text() {
        let weights = Weights::from_text("bias -2\nchance 1.25\nnobody 7\n\n").unwrap();
        assert_eq!((weights.of(Feature::Chance), weights.bias()), (1.25, -2.0));
        assert_eq!(weights.of(Feature::Mine), Weights::default().of(Feature::Mine));
        assert_eq!(Weights::from_text(&weights.to_text()), Ok(weights));
        assert_eq!(Weights::from_text(""), Ok(Weights::default()));
    }

    #[test]
    fn what_is_no_number_is_refused_by_name() {
        for text in ["mine x", "mine NaN", "mine inf", "mine 1e9", "mine", "mine 1 2"] {
            assert_eq!(Weights::from_text(text), Err(BadWeights("mine".to_owned())), "{text}");
        }
        assert_eq!(BadWeights("mine".into()).to_string(), "the weight of mine is no number");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(bias|mine|chance|x)? ?.{0,20}") {
            let _ = Weights::from_text(&text);
        }
    }
}
