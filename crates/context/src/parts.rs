//! The words in which a context is ordered: its four parts, what may stand in them, and how much each may take.

use std::sync::Arc;

use lokid_model::{Level, Memory};

/// The four parts of an assembled context, most pressing first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    Critical,
    Relevant,
    Background,
    Index,
}

impl Part {
    pub const ALL: [Part; 4] = [Part::Critical, Part::Relevant, Part::Background, Part::Index];
}

/// A memory that may become part of a context.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub memory: Arc<Memory>,
    pub part: Part,
    /// How much it is worth to have; comparable within one context. The lowest goes first.
    pub value: f64,
    /// Why it is there, one short clause for a person: "a decision about src/auth.rs".
    pub why: String,
    /// Mandates and gotchas: they stay when anything else has to go.
    pub binding: bool,
    /// The longest form it may take.
    pub longest: Level,
}

/// Files that will be needed.
#[derive(Clone, Debug, PartialEq)]
pub enum FileLine {
    /// With the reason, one short clause for a person.
    Likely { path: String, why: String },
    /// Several, told in one line.
    Others(String),
}

impl FileLine {
    /// The reason, or all of it.
    pub fn text(&self) -> &str {
        match self {
            FileLine::Likely { why: text, .. } | FileLine::Others(text) => text,
        }
    }

    pub fn tells_how_to_run(&self) -> bool {
        self.text().starts_with("run: ") || self.text().contains("; run: ")
    }
}

/// A topic that can be asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer {
    /// `src/auth: 12 decisions, 3 learnings`
    pub text: String,
    /// The command that expands it.
    pub command: String,
}

/// What each part may take, as shares of the budget; they add up to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares(pub [f64; 4]);

impl Default for Shares {
    fn default() -> Shares {
        Shares([0.25, 0.375, 0.25, 0.125])
    }
}

impl Shares {
    /// What each part may take of so many tokens. Shares that make no sense count as none, and shares that do not add
    /// up to one are taken in proportion.
    pub(crate) fn of(&self, tokens: usize) -> [usize; 4] {
        let sane = |shares: [f64; 4]| shares.map(|share| if share.is_finite() { share.clamp(0.0, 1e6) } else { 0.0 });
        let mut shares = sane(self.0);
        if shares.iter().sum::<f64>() <= 0.0 {
            shares = Shares::default().0;
        }
        let whole: f64 = shares.iter().sum();
        shares.map(|share| (share / whole * tokens as f64) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shares: [f64; 4], expected: [usize; 4]) {
        assert_eq!(Shares(shares).of(800), expected, "{shares:?}");
    }

    #[test]
    fn shares_are_taken_in_proportion_and_nonsense_as_none() {
        assert_eq!(Shares::default().of(800), [200, 300, 200, 100]);
        check([2.0, 3.0, 2.0, 1.0], [200, 300, 200, 100]);
        check([1.0, 0.0, 0.0, 0.0], [800, 0, 0, 0]);
        check([f64::NAN, 1.0, -4.0, f64::INFINITY], [0, 800, 0, 0]);
        check([0.0; 4], [200, 300, 200, 100]);
    }
}
