//! Of two that say the same of the same thing, the newer stands first: what was said later holds.

use std::collections::HashSet;

use super::recall::Hit;
use lokid_index::analyze;
use lokid_model::{Body, Kind, Memory};

/// So many of the first are looked at; further back the order tells little.
const LOOKED_AT: usize = 16;
/// Who speaks of more than one thing is no update of one of them.
const LONGEST: usize = 400;
/// Two speak of the same when they share this much of the words of the shorter.
const SHARED: f64 = 0.6;
const FEWEST_WORDS: usize = 3;
/// Who answers the question much worse is no newer answer to it.
const NEARLY_AS_GOOD: f64 = 0.8;

/// Puts each newer one right before the first older one it updates. Whatever else stood before that stays before it.
pub(super) fn first(hits: &mut [Hit]) {
    let seen = hits.len().min(LOOKED_AT);
    let words: Vec<Option<HashSet<String>>> = hits[..seen].iter().map(|hit| statement(&hit.memory)).collect();
    let mut order: Vec<usize> = (0..seen).collect();
    for place in 1..seen {
        let newer = order[place];
        let older = (0..place).find(|at| updates(hits, &words, newer, order[*at]));
        if let Some(older) = older {
            order[older..=place].rotate_right(1);
        }
    }
    // Hits are moved as the order says, one ring after the other.
    for target in 0..seen {
        let mut from = order[target];
        while from < target {
            from = order[from];
        }
        hits.swap(target, from);
    }
}

/// The words of a short statement. What happened, what a tool read and what git knows replaces nothing.
fn statement(memory: &Memory) -> Option<HashSet<String>> {
    let states = !matches!(memory.kind, Kind::Episode | Kind::CodePattern | Kind::Skill | Kind::Workflow)
        && memory.text.len() <= LONGEST
        && !memory.is_commit();
    states.then(|| analyze::distinct(&memory.text, usize::MAX).into_iter().collect())
}

fn updates(hits: &[Hit], words: &[Option<HashSet<String>>], newer: usize, older: usize) -> bool {
    let (later, earlier) = (&hits[newer].memory, &hits[older].memory);
    if later.times.created_at <= earlier.times.created_at || later.tier != earlier.tier {
        return false;
    }
    if let (Body::Fact(one), Body::Fact(other)) = (&later.body, &earlier.body) {
        return one.key == other.key && one.scope == other.scope;
    }
    // Who was asked for by time or place, or was of use, stands where that put it.
    let merits = |hit: &Hit| (hit.parts.time, hit.parts.place, hit.parts.usage);
    if merits(&hits[newer]) != merits(&hits[older]) || hits[newer].score < NEARLY_AS_GOOD * hits[older].score {
        return false;
    }
    let (Some(one), Some(other)) = (&words[newer], &words[older]) else { return false };
    let (shorter, longer) = (one.len().min(other.len()), one.len().max(other.len()));
    let shared = one.intersection(other).count();
    later.kind == earlier.kind
        && shorter >= FEWEST_WORDS
        && longer <= 2 * shorter
        && shared as f64 >= SHARED * shorter as f64
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::score::Parts;
    use lokid_model::{Fact, MemoryId, Timestamp};

    fn hit(id: &str, kind: Kind, day: i64, text: &str) -> Hit {
        let at = Timestamp::from_micros(day * 86_400_000_000);
        let memory = Arc::new(Memory::new(MemoryId::new(id).unwrap(), kind, text, at));
        Hit { memory, score: 1.0, parts: Parts::default(), arrival: None, instead_of: None }
    }

    fn check(mut hits: Vec<Hit>, expected: &[&str]) {
        first(&mut hits);
        let found: Vec<&str> = hits.iter().map(|hit| hit.memory.id.as_str()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_newer_value_stands_before_the_older_one_and_the_rest_stays() {
        check(
            vec![
                hit("other", Kind::Note, 1, "the linter runs on every push"),
                hit("old", Kind::Note, 2, "staging listens on port 8080"),
                hit("between", Kind::Note, 3, "deploys are done by hand"),
                hit("new", Kind::Note, 4, "staging listens on port 9090 now"),
                hit("newest", Kind::Note, 5, "staging listens on port 9091"),
                hit("last", Kind::Note, 1, "nobody reads this"),
            ],
            &["other", "newest", "new", "old", "between", "last"],
        );
    }

    #[test]
    fn facts_go_by_their_key_and_what_happened_is_never_replaced() {
        let fact = |id: &str, day: i64, value: &str, scope: &str| {
            let mut found = hit(id, Kind::Fact, day, &format!("timeout {value}"));
            let memory = Arc::get_mut(&mut found.memory).unwrap();
            memory.body = Body::Fact(Box::new(Fact {
                key: "timeout".to_owned(),
                value: value.to_owned(),
                scope: scope.to_owned(),
            }));
            found
        };
        check(vec![fact("a", 1, "5", ""), fact("b", 2, "9", "")], &["b", "a"]);
        check(vec![fact("a", 1, "5", ""), fact("b", 2, "9", "tests")], &["a", "b"]);
        let episode = |id, day| hit(id, Kind::Episode, day, "fix the login of the page");
        check(vec![episode("a", 1), episode("b", 2)], &["a", "b"]);
        let long = "staging listens on port 8080 ".repeat(20);
        check(vec![hit("a", Kind::Note, 1, &long), hit("b", Kind::Note, 2, &long)], &["a", "b"]);
    }
}
