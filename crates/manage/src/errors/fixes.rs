//! Which of several fixes for one error is told, and how sure it is. It must not invent any.

use std::collections::BTreeMap;

use super::seen::Met;
use lokid_model::{Outcome, Timestamp};

const MOST_OTHERS: usize = 2;

/// What helped, in the words it was told in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fix {
    pub(crate) told: String,
    /// Episodes with this fix that ended well, and all whose end is known.
    pub(crate) worked: usize,
    pub(crate) known: usize,
}

#[derive(Default)]
struct FixTally {
    text: String,
    worked: usize,
    known: usize,
    met: usize,
    last_worked: Option<Timestamp>,
    last: Timestamp,
}

/// The fix that led to a good end most often, then most recently; the others are mentioned behind it.
pub(crate) fn told(met: &[Met<'_>]) -> Option<Fix> {
    best(met, |one| one.resolutions.iter().map(String::as_str).collect())
}

/// What was done before the same command passed, where nobody said what helped.
pub(crate) fn watched(met: &[Met<'_>]) -> Option<Fix> {
    best(met, |one| one.between.iter().map(String::as_str).collect())
}

fn best<'m>(met: &'m [Met<'_>], fixes: impl Fn(&'m Met<'_>) -> Vec<&'m str>) -> Option<Fix> {
    let mut tallies: BTreeMap<String, FixTally> = BTreeMap::new();
    for one in met {
        for fix in fixes(one) {
            let tally = tallies.entry(same_words(fix)).or_default();
            // One spelling stands for all, whatever order they come in.
            if tally.text.is_empty() || fix < tally.text.as_str() {
                fix.clone_into(&mut tally.text);
            }
            tally.met += 1;
            tally.last = tally.last.max(one.at());
            tally.known += usize::from(one.memory.outcome.is_some_and(|outcome| outcome != Outcome::Partial));
            if one.succeeded() {
                tally.worked += 1;
                tally.last_worked = tally.last_worked.max(Some(one.at()));
            }
        }
    }
    let mut ranked: Vec<FixTally> = tallies.into_values().collect();
    ranked.sort_by(|one, other| {
        let merit = |tally: &FixTally| (tally.worked, tally.last_worked, tally.met, tally.last);
        merit(other).cmp(&merit(one)).then_with(|| one.text.cmp(&other.text))
    });
    let (first, others) = ranked.split_first()?;
    let list = |helped: bool| {
        let named = others.iter().filter(|tally| (tally.worked > 0) == helped).take(MOST_OTHERS);
        named.map(|tally| tally.text.trim_end_matches('.')).collect::<Vec<_>>().join("; ")
    };
    let mut told = first.text.clone();
    for (label, others) in [("also helped", list(true)), ("also tried", list(false))] {
        if !others.is_empty() {
            told.push_str(&format!(" ({label}: {others})"));
        }
    }
    Some(Fix { told, worked: first.worked, known: first.known })
}

fn same_words(text: &str) -> String {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '=' | '.')));
    let words = words.map(|word| word.trim_matches('.').to_lowercase()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
