//! Failures that sessions met and of which something was known: counted once a session, and whether it was said.

use std::collections::BTreeSet;
use std::collections::btree_map::Entry as Place;

use super::{Sessions, SessionsState};
use lokid_context::economics::Entry;
use lokid_encode::errors::{ErrorReader, Failure};
use lokid_model::{Key, Signal};

/// Failures of one text that are looked up.
const MOST_FAILURES: usize = 8;
/// Of a session.
const MOST_MET: usize = 256;

/// A failure of which something is known.
#[derive(Default)]
pub(super) struct Met {
    known: BTreeSet<Key>,
    answered: bool,
}

/// The failures a text tells of, each once.
pub(crate) fn failures(text: &str) -> Vec<Failure> {
    let mut reader = ErrorReader::new();
    let mut found: Vec<Failure> = text.lines().flat_map(|line| reader.line(line)).collect();
    found.extend(reader.flush());
    let mut seen = BTreeSet::new();
    found.retain(|failure| seen.insert(failure.fingerprint.clone()));
    found.truncate(MOST_FAILURES);
    found
}

impl Sessions {
    /// Something failed in a session: was anything known of it before?
    pub(super) fn heed_failure(&self, session: &str, signal: &Signal) {
        let failures = failures(signal.text.as_deref().unwrap_or_default());
        let Some(first) = failures.first() else { return };
        let snapshot = self.writer.snapshot();
        let learnt = failures.iter().flat_map(|failure| snapshot.about_failure(&failure.fingerprint));
        let known = learnt.filter(|memory| memory.namespace.is_default() && memory.times.created_at < signal.at);
        self.meet_failure(session, &first.fingerprint, known.map(|memory| memory.key()).collect());
    }

    /// These memories tell of a failure that a session met; `failure` is what it is known again by.
    pub(crate) fn meet_failure(&self, session: &str, failure: &str, known: BTreeSet<Key>) {
        if known.is_empty() {
            return;
        }
        let mut state = self.state.lock();
        let is_told = known.iter().any(|key| state.book.has(session, key));
        let met = &mut state.under_way(session).met;
        let is_full = met.len() >= MOST_MET;
        let (errors_met, errors_answered) = match met.entry(failure.to_owned()) {
            Place::Occupied(mut place) => {
                let met = place.get_mut();
                met.known.extend(known);
                let is_news = is_told && !met.answered;
                met.answered |= is_told;
                (0, u64::from(is_news))
            }
            Place::Vacant(_) if is_full => return,
            Place::Vacant(place) => {
                place.insert(Met { known, answered: is_told });
                (1, u64::from(is_told))
            }
        };
        drop(state);
        if errors_met + errors_answered > 0 {
            let answered = Entry::ErrorsAnswered { errors: errors_answered };
            self.record(session, &[Entry::ErrorsMet { errors: errors_met }, answered]);
        }
    }
}

impl SessionsState {
    /// These memories are said to a session: how many of the failures it met are answered by that?
    pub(super) fn answer_failures<'a>(&mut self, session: &str, said: impl Iterator<Item = &'a Key>) -> u64 {
        let Some(under_way) = self.under_way.get_mut(session) else { return 0 };
        let open: Vec<&mut Met> = under_way.met.values_mut().filter(|met| !met.answered).collect();
        if open.is_empty() {
            return 0;
        }
        let said: BTreeSet<&Key> = said.collect();
        let answered = open.into_iter().filter(|met| met.known.iter().any(|key| said.contains(key)));
        answered.map(|met| met.answered = true).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_failure_twice_is_looked_up_once() {
        let text = "TypeError: x is not a function\n    at f (a.js:1:2)\n\nTypeError: x is not a function\n    at f (a.js:9:2)\n";
        assert!(failures(text).len() <= 1);
    }
}
