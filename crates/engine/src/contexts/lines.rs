//! The files that will be needed, as they are told: the likely ones with their reasons, a test with the command that runs
//! it, the others in one line.

use super::Contexts;
use super::cache::Need;
use super::named;
use lokid_context::parts::FileLine;
use lokid_context::predict::PredictedFile;
use lokid_encode::newcomer;
use lokid_model::{Memory, Scope};

/// Files are named with their reason from this likelihood on, and so many; from the next one on in one line.
const LIKELY: f64 = 0.25;
const MOST_LIKELY: usize = 4;
const THINKABLE: f64 = 0.04;
const THINKABLE_ALONE: f64 = 0.12;
const MOST_OTHERS: usize = 8;
const MOST_ALONE: usize = 3;
const WEAK_REASONS: [&str; 2] = ["worked on lately", "touched by commits like this"];

impl Contexts {
    /// The files that will be needed, as they are told.
    pub(super) fn file_lines(&self, files: &[PredictedFile], need: &Need) -> Vec<FileLine> {
        lines_of(files, need.file.as_deref(), self.known_fact(need, "test.one").as_deref())
    }

    /// The value of a fact about how work is done here.
    fn known_fact(&self, need: &Need, key: &str) -> Option<String> {
        let snapshot = self.writer.snapshot();
        let slot = (need.namespace.clone(), Scope::default(), key.to_owned(), String::new());
        let now = self.env.clock.now();
        let may_tell = |fact: &Memory| fact.holds_now(now) && !self.is_muted(&fact.key(), need.file.as_slice());
        let known = snapshot.facts_of(&slot).filter(|fact| may_tell(fact)).last()?;
        known.fact().map(|fact| fact.value.clone())
    }
}

/// The likely files with their reasons, a test with the command that runs it; the others behind the last of them.
fn lines_of(files: &[PredictedFile], at_hand: Option<&str>, one_test: Option<&str>) -> Vec<FileLine> {
    let (mut lines, mut others): (Vec<FileLine>, Vec<&PredictedFile>) = Default::default();
    for file in files {
        let run = one_test.and_then(|value| newcomer::run_of(value, &file.path));
        // Whoever has the error has the path; that it was busy lately is no reason for this.
        let says_little = file.why.starts_with(named::BY_ERROR) && run.is_none();
        let is_reason = !WEAK_REASONS.contains(&file.why.as_str());
        if says_little {
            continue;
        }
        let tested = at_hand.filter(|at_hand| newcomer::are_tests_of(&file.path, at_hand));
        let is_likely = (file.score >= LIKELY && is_reason) || (tested.is_some() && file.score >= THINKABLE);
        if is_likely && lines.len() < MOST_LIKELY {
            let why = tested.map_or_else(|| file.why.clone(), |tested| format!("the tests of {tested}"));
            let why = run.map_or_else(|| why.clone(), |run| format!("{why}; run: {run}"));
            lines.push(FileLine::Likely { path: file.path.clone(), why });
        } else {
            others.push(file);
        }
    }
    let least = if lines.is_empty() { THINKABLE_ALONE } else { THINKABLE };
    let others = others.into_iter().filter(|file| file.score >= least).take(MOST_OTHERS);
    let others: Vec<String> = others.map(|file| file.path.clone()).collect();
    match lines.last_mut() {
        _ if others.is_empty() => {}
        Some(FileLine::Likely { why, .. }) => why.push_str(&format!("; perhaps also {}", others.join(", "))),
        _ => lines.push(FileLine::Others(others.into_iter().take(MOST_ALONE).collect())),
    }
    lines
}
