//! The sorts of evidence that a memory will be needed, and how much each of them counts. Use teaches the weights, in
//! slow steps and within bounds, so that no run of bad luck silences a signal.

use serde_json::{Map, Value};

use lokid_model::words::vocabulary;

vocabulary!(
    /// Why a memory may be needed.
    Evidence {
        /// At home in the file at hand.
        Anchored = "anchored",
        /// At home in a symbol of it.
        Symbol = "symbol",
        /// At home in a file that goes with it.
        Related = "related",
        /// At home in its folder.
        Folder = "folder",
        /// At home in a file that was at hand just before.
        Recent = "recent",
        /// Tells of the very error.
        SameError = "same_error",
        /// Tied to what tells of the very error.
        ErrorTie = "error_tie",
        /// Tells of an error like it.
        LikeError = "like_error",
        /// Tells of trouble in the file at hand or in those of the error.
        ErrorPlace = "error_place",
        /// At home in a file of the branch.
        BranchFile = "branch_file",
        /// About what the branch is about.
        BranchTopic = "branch_topic",
        /// Earlier work on the branch.
        BranchWork = "branch_work",
        /// Done at this time of the day or week.
        Habit = "habit",
        /// Said by the collaborator.
        AuthorVoice = "author_voice",
        /// What the collaborator likes.
        AuthorTaste = "author_taste",
        /// Decided where the collaborator works.
        AuthorArea = "author_area",
        /// About the goal.
        Goal = "goal",
    }
);

/// How surely each sort of evidence, at its strongest, means that the memory is needed: between 0 and 1.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryWeights([f64; Evidence::ALL.len()]);

/// What a single use and a single disuse move, of the way to the bound. Most of what is foreseen is not used, and
/// rightly so: silence weighs less.
const STEP_UP: f64 = 0.02;
const STEP_DOWN: f64 = 0.004;
/// A weight stays between these shares of where it started.
const LEAST: f64 = 0.5;
const MOST: f64 = 1.5;
const SUREST: f64 = 0.98;

impl Default for MemoryWeights {
    fn default() -> MemoryWeights {
        let mut weights = [0.0; Evidence::ALL.len()];
        for evidence in Evidence::ALL {
            weights[*evidence as usize] = initial(*evidence);
        }
        MemoryWeights(weights)
    }
}

impl MemoryWeights {
    pub fn of(&self, evidence: Evidence) -> f64 {
        self.0[evidence as usize]
    }

    /// A memory was handed out for this reason, and was used or not.
    pub fn learn(&mut self, evidence: Evidence, used: bool) {
        let (low, high) = bounds(evidence);
        let weight = &mut self.0[evidence as usize];
        let moved = if used { *weight + STEP_UP * (high - *weight) } else { *weight - STEP_DOWN * (*weight - low) };
        *weight = moved.clamp(low, high);
    }

    pub fn to_value(&self) -> Value {
        let rows = Evidence::ALL.iter().map(|evidence| (evidence.as_str().to_owned(), self.of(*evidence).into()));
        Value::Object(rows.collect::<Map<_, _>>())
    }

    /// What is missing or makes no sense is as it was at first.
    pub fn from_value(value: &Value) -> MemoryWeights {
        let mut weights = MemoryWeights::default();
        for evidence in Evidence::ALL {
            let (low, high) = bounds(*evidence);
            let told = value.get(evidence.as_str()).and_then(Value::as_f64);
            if let Some(weight) = told.filter(|weight| (low..=high).contains(weight)) {
                weights.0[*evidence as usize] = weight;
            }
        }
        weights
    }
}

fn bounds(evidence: Evidence) -> (f64, f64) {
    let initial = initial(evidence);
    (LEAST * initial, (MOST * initial).min(SUREST))
}

fn initial(evidence: Evidence) -> f64 {
    match evidence {
        Evidence::SameError => 0.95,
        Evidence::Anchored => 0.85,
        Evidence::Goal | Evidence::ErrorTie => 0.8,
        Evidence::LikeError | Evidence::AuthorTaste => 0.75,
        Evidence::Symbol | Evidence::ErrorPlace => 0.7,
        Evidence::BranchWork | Evidence::BranchTopic | Evidence::Habit => 0.65,
        Evidence::Related => 0.6,
        Evidence::BranchFile | Evidence::AuthorArea => 0.5,
        Evidence::Recent | Evidence::AuthorVoice => 0.4,
        // Alone it is not enough, unless the memory has merits of its own.
        Evidence::Folder => 0.3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_raises_a_weight_slowly_and_never_beyond_its_bounds() {
        let mut weights = MemoryWeights::default();
        let before = weights.of(Evidence::Folder);
        weights.learn(Evidence::Folder, true);
        let after = weights.of(Evidence::Folder);
        assert!(after > before && after - before < 0.01, "{before} {after}");
        (0..10_000).for_each(|_| weights.learn(Evidence::Folder, true));
        assert!(weights.of(Evidence::Folder) <= MOST * before);
        (0..10_000).for_each(|_| weights.learn(Evidence::Anchored, false));
        assert!(weights.of(Evidence::Anchored) >= LEAST * 0.85 - 1e-9);
        assert_eq!(weights.of(Evidence::Goal), 0.8, "the others stay as they are");
    }

    #[test]
    fn weights_come_back_and_nonsense_is_passed_over() {
        let mut weights = MemoryWeights::default();
        weights.learn(Evidence::Goal, true);
        assert_eq!(MemoryWeights::from_value(&weights.to_value()), weights);
        let odd = serde_json::json!({"goal": 7.0, "habit": "often", "unheard_of": 0.1});
        assert_eq!(MemoryWeights::from_value(&odd), MemoryWeights::default());
        assert_eq!(MemoryWeights::from_value(&Value::Null), MemoryWeights::default());
    }
}
