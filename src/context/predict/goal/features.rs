//! What speaks for a file that a goal may mean, as plain numbers, and how much each counts.

macro_rules! features {
    ($($(#[$about:meta])* $name:ident $weight:literal,)*) => {
        /// One kind of evidence, between 0 and about 1.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Feature { $($(#[$about])* $name,)* }

        pub const NAMES: [&str; FEATURES] = [$(stringify!($name),)*];
        pub const WEIGHTS: [f64; FEATURES] = [$($weight,)*];
        pub const FEATURES: usize = [$(Feature::$name,)*].len();
    };
}

/// The logarithm of the odds where nothing speaks for a file.
pub const BIAS: f64 = -4.0;

features! {
    /// Commits that said the like touched it; and against the file for which that holds most.
    Alike 5.0,
    AlikeBest 2.0,
    /// Each word for itself often comes with it.
    WordBest 0.4,
    /// Its path has the words.
    Path 0.2,
    PathBest 1.0,
    /// Its name is one of the words.
    Name 0.3,
    /// A folder or its name is the scope, as in `fix(scope): …`.
    Scope 0.2,
    /// It is named outright.
    Named 0.8,
    /// Its text has the words.
    Says 0.5,
    SaysBest 2.2,
    /// It is often worked on these days.
    Heat 2.5,
    /// It is a document, or a file of the build; where the goal speaks of such and where it does not.
    TextAsked 0.2,
    TextUnasked -0.3,
    BuildAsked 0.8,
    BuildUnasked 0.0,
    /// It changes with what is meant, or is its test or what it tests.
    Pulled 1.5,
    Beside 1.3,
    /// Of the goal, not of the file: how much of it one commit said, and one file. What is strange here says little.
    Heard 0.5,
    Covered 0.5,
}

pub type Features = [f32; FEATURES];

pub fn weigh(features: &Features) -> f64 {
    BIAS + WEIGHTS.iter().zip(features).map(|(weight, value)| weight * f64::from(*value)).sum::<f64>()
}

pub fn chance(weight: f64) -> f64 {
    1.0 / (1.0 + (-weight).exp())
}
