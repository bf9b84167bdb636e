//! What speaks for a file that a goal may mean, as plain numbers, and how much each counts.
//!
//! Fitted (logistic) on the histories of nineteen public projects, set back by a hundred and by a hundred and fifty
//! commits: what the fifty commits that came then touched, by their subject; and some goals of other projects, which
//! mean little here. On the last fifty commits of the same projects, which were not fitted on, recall@10 was .80, with
//! path words and frequency .50, and of the files with a score of
//!
//! | .07 | .14 | .25 | .35 | .44 | .55 | .64 | .75 | .85 | .95 |
//! |-----|-----|-----|-----|-----|-----|-----|-----|-----|-----|
//! | .14 | .23 | .31 | .39 | .55 | .60 | .66 | .68 | .76 | .92 |
//!
//! were right. `cargo bench --bench foresight -- goals` measures it on other repositories.

macro_rules! features {
    ($($(#[$about:meta])* $name:ident $weight:literal,)*) => {
        /// One kind of evidence, between 0 and about 1.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Feature { $($(#[$about])* $name,)* }

        pub(super) const WEIGHTS: [f64; FEATURES] = [$($weight,)*];
        const FEATURES: usize = [$(Feature::$name,)*].len();
    };
}

/// The logarithm of the odds where nothing speaks for a file.
const BIAS: f64 = -6.12;

features! {
    /// Commits that said the like touched it; and against the file for which that holds most.
    Alike 5.35,
    AlikeBest 1.89,
    /// Each word for itself often comes with it.
    WordBest 0.57,
    /// Its path has the words.
    Path 0.34,
    PathBest 0.77,
    /// Its name is one of the words.
    Name 0.45,
    /// A folder or its name is the scope, as in `fix(scope): …`.
    Scope 0.29,
    /// It is named outright.
    Named 0.76,
    /// Its text has the words.
    Says 1.52,
    SaysBest 1.69,
    /// It is often worked on these days.
    Heat 1.44,
    /// It is a document and the goal speaks of none; it is a file of the build and the goal speaks of that.
    TextUnasked -0.46,
    BuildAsked 0.71,
    /// It changes with what is meant, or is its test or what it tests.
    Pulled 1.63,
    Beside 0.92,
    /// Of the goal, not of the file: how much of it one commit said, and one file. What is strange here says little.
    Heard -0.40,
    Covered -0.86,
}

pub(super) type Features = [f32; FEATURES];

pub(super) fn weigh(features: &Features) -> f64 {
    BIAS + WEIGHTS.iter().zip(features).map(|(weight, value)| weight * f64::from(*value)).sum::<f64>()
}

pub(super) fn chance(weight: f64) -> f64 {
    1.0 / (1.0 + (-weight).exp())
}
