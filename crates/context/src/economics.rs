//! The token ledger: what memory cost each session, what it saved, and what is done when it does not pay. Nothing is
//! guessed: every number was counted or handed in, and a loss is shown as a loss.

mod counts;
mod document;
mod ledger;
mod meaning;
mod measures;
#[cfg(test)]
mod tests;
mod thresholds;

pub use counts::Counts;
pub use ledger::{Entry, Ledger, LedgerView, NOBODY};
pub use meaning::MEANINGS;
pub use measures::{Composite, Correction, Measures};
pub use thresholds::{Action, ActionKind, Checkpoint, Operator, THRESHOLDS, Threshold};
