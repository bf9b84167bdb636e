//! What was heard lately, so that an event that is delivered twice counts once: some agents also run the hooks of
//! others, and what was sent in vain may have arrived after all.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;

use lokid_model::Timestamp;

/// Events that are remembered.
const MOST: usize = 8_192;
/// An agent that does not number its events may do the same again, but not so soon.
const SAME_MICROS: i64 = 2_000_000;

/// What tells an event from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::serve) struct Mark {
    digest: String,
    /// The agent numbers its events: the same number is the same event, whenever it comes.
    numbered: bool,
}

impl Mark {
    pub(super) fn of(parts: &[&str], numbered: bool) -> Mark {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        Mark { digest: hasher.finalize().to_hex()[..32].to_owned(), numbered }
    }

    pub(super) fn name(&self) -> String {
        format!("{}{}", if self.numbered { 'n' } else { 'u' }, self.digest)
    }

    pub(super) fn parse(name: &str) -> Option<Mark> {
        let numbered = match name.get(..1)? {
            "n" => true,
            "u" => false,
            _ => return None,
        };
        let digest = name.get(1..).filter(|digest| digest.len() == 32)?.to_owned();
        Some(Mark { digest, numbered })
    }
}

#[derive(Default)]
pub(in crate::serve) struct Heard {
    lately: Mutex<Lately>,
    /// Held while the spool is read.
    pub(super) replaying: Mutex<()>,
}

#[derive(Default)]
struct Lately {
    at: HashMap<String, Timestamp>,
    order: VecDeque<String>,
}

impl Heard {
    /// Was this not heard before? From now on it was.
    pub(super) fn is_new(&self, mark: &Mark, at: Timestamp) -> bool {
        let mut lately = self.lately.lock();
        if let Some(before) = lately.at.get(&mark.digest) {
            let soon = (at.as_micros() - before.as_micros()).abs() < SAME_MICROS;
            if mark.numbered || soon {
                return false;
            }
        } else {
            lately.order.push_back(mark.digest.clone());
        }
        lately.at.insert(mark.digest.clone(), at);
        if lately.order.len() > MOST
            && let Some(oldest) = lately.order.pop_front()
        {
            lately.at.remove(&oldest);
        }
        true
    }

    /// It could not be taken in after all.
    pub(super) fn forget(&self, mark: &Mark) {
        let mut lately = self.lately.lock();
        lately.at.remove(&mark.digest);
        lately.order.retain(|digest| *digest != mark.digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    #[test]
    fn a_numbered_event_counts_once_and_another_once_in_a_while() {
        let heard = Heard::default();
        let (numbered, plain) = (Mark::of(&["s", "1"], true), Mark::of(&["s", "2"], false));
        assert!(heard.is_new(&numbered, at(0)) && !heard.is_new(&numbered, at(9_999)));
        assert!(heard.is_new(&plain, at(10)) && !heard.is_new(&plain, at(11)));
        assert!(heard.is_new(&plain, at(13)));
        assert!(!heard.is_new(&plain, at(13)), "the same moment, from the spool");
        heard.forget(&numbered);
        assert!(heard.is_new(&numbered, at(1)));
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_ne!(Mark::of(&["ab", "c"], true), Mark::of(&["a", "bc"], true));
        let mark = Mark::of(&["x"], true);
        assert_eq!(Mark::parse(&mark.name()), Some(mark));
        assert_eq!(Mark::parse("é"), None);
        assert_eq!(Mark::parse(""), None);
    }

    #[test]
    fn only_so_many_are_remembered() {
        let heard = Heard::default();
        for number in 0..MOST + 100 {
            heard.is_new(&Mark::of(&[&number.to_string()], true), at(0));
        }
        let lately = heard.lately.lock();
        assert_eq!((lately.at.len(), lately.order.len()), (MOST, MOST));
    }
}
