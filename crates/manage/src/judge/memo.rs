//! Which pairs were asked about and what came of it, and how many questions a day has left. Kept as a text that holds
//! hashes and words, none of what was asked.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use lokid_model::time::DAY;
use lokid_model::{Timestamp, Verdict};

/// Pairs that are remembered.
const MOST: usize = 5_000;
/// Who had no answer may be asked again after so many days.
const AGAIN: i64 = 30;
const VERSION: u64 = 1;

/// How many questions were asked on a day, of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    pub day: i64,
    pub used: usize,
    pub most: usize,
}

impl Budget {
    /// Takes one question from what the day has left, if anything is left.
    pub fn take(&mut self, now: Timestamp) -> bool {
        let today = day_of(now);
        if self.day != today {
            (self.day, self.used) = (today, 0);
        }
        let is_left = self.used < self.most;
        self.used += usize::from(is_left);
        is_left
    }
}

/// What was answered, by the key of the pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memo {
    pub budget: Budget,
    answers: BTreeMap<String, Answer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Answer {
    /// None: there was an answer that said nothing.
    verdict: Option<Verdict>,
    day: i64,
}

impl Memo {
    pub fn new(most: usize) -> Memo {
        Memo { budget: Budget { most, ..Budget::default() }, answers: BTreeMap::new() }
    }

    /// What is known: nothing, so that asking is worth while; or what was said, which may have been no verdict.
    pub fn known(&self, key: &str, now: Timestamp) -> Option<Option<Verdict>> {
        let answer = self.answers.get(key)?;
        let is_stale = answer.verdict.is_none() && (day_of(now) - answer.day).abs() >= AGAIN;
        (!is_stale).then_some(answer.verdict)
    }

    /// Room is made by the oldest, and of those that are equally old by the ones without a verdict.
    pub fn note(&mut self, key: &str, verdict: Option<Verdict>, now: Timestamp) {
        self.answers.insert(key.to_owned(), Answer { verdict, day: day_of(now) });
        while self.answers.len() > MOST {
            let age = |(key, answer): &(&String, &Answer)| (answer.day, answer.verdict.is_some(), (*key).clone());
            let Some(oldest) = self.answers.iter().min_by_key(age).map(|(key, _)| key.clone()) else { break };
            self.answers.remove(&oldest);
        }
    }

    pub fn to_text(&self) -> String {
        let row =
            |(key, answer): (&String, &Answer)| (key.clone(), json!([answer.day, answer.verdict.map(Verdict::as_str)]));
        let answers: Map<String, Value> = self.answers.iter().map(row).collect();
        let Budget { day, used, .. } = self.budget;
        json!({"version": VERSION, "day": day, "used": used, "answers": answers}).to_string()
    }

    /// What cannot be understood is asked again; `most` is for the day.
    pub fn from_text(text: &str, most: usize) -> Memo {
        let saved: Value = serde_json::from_str(text).unwrap_or_default();
        let mut memo = Memo::new(most);
        if saved["version"].as_u64() != Some(VERSION) {
            return memo;
        }
        memo.budget.day = day(&saved["day"]).unwrap_or_default();
        memo.budget.used = saved["used"].as_u64().and_then(|used| usize::try_from(used).ok()).unwrap_or_default();
        let rows = saved["answers"].as_object().into_iter().flatten().take(MOST);
        for (key, row) in rows.filter(|(key, _)| key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit())) {
            let verdict = row[1].as_str().map(Verdict::parse);
            // A word that is no verdict is no answer either.
            if let (Some(day), None | Some(Some(_))) = (day(&row[0]), verdict) {
                memo.answers.insert(key.clone(), Answer { verdict: verdict.flatten(), day });
            }
        }
        memo
    }
}

fn day_of(time: Timestamp) -> i64 {
    time.as_micros().div_euclid(DAY)
}

/// A day that a calendar has: sums with others do not overflow.
fn day(saved: &Value) -> Option<i64> {
    saved.as_i64().filter(|day| day.abs() < 10_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(day: i64) -> Timestamp {
        Timestamp::from_micros(day * DAY + 7)
    }

    fn key(number: usize) -> String {
        format!("{number:032x}")
    }

    #[test]
    fn a_day_has_so_many_questions_and_the_next_as_many_again() {
        let mut budget = Budget { most: 2, ..Budget::default() };
        assert_eq!([(); 3].map(|()| budget.take(on(5))), [true, true, false]);
        assert_eq!([(); 3].map(|()| budget.take(on(6))), [true, true, false]);
        assert!(!Budget::default().take(on(7)), "nobody is asked unless it is allowed");
    }

    #[test]
    fn what_was_answered_is_not_asked_again_and_what_was_not_after_a_month() {
        let mut memo = Memo::new(9);
        assert_eq!(memo.known(&key(1), on(5)), None);
        memo.note(&key(1), Some(Verdict::Duplicate), on(5));
        memo.note(&key(2), None, on(5));
        assert_eq!(memo.known(&key(1), on(500)), Some(Some(Verdict::Duplicate)));
        assert_eq!(memo.known(&key(2), on(34)), Some(None));
        assert_eq!(memo.known(&key(2), on(35)), None);
    }

    #[test]
    fn the_oldest_make_room() {
        let mut memo = Memo::new(9);
        for number in 0..MOST {
            memo.note(&key(number), Some(Verdict::Compatible), on(100 + number as i64 / 2_500));
        }
        memo.note(&key(MOST), None, on(100));
        assert_eq!(memo.answers.len(), MOST);
        assert_eq!(memo.known(&key(MOST), on(100)), None, "without a verdict it goes before others of the day");
        memo.note(&key(MOST + 1), Some(Verdict::Unrelated), on(200));
        assert_eq!((memo.known(&key(0), on(200)), memo.answers.len()), (None, MOST));
    }

    #[test]
    fn it_comes_back_from_its_text_and_garbage_costs_only_itself() {
        let mut memo = Memo::new(3);
        memo.budget.take(on(5));
        memo.note(&key(1), Some(Verdict::Contradicts), on(5));
        memo.note(&key(2), None, on(5));
        assert_eq!(Memo::from_text(&memo.to_text(), 3), memo);
        for text in ["", "{", "7", "{\"version\":9}", "{\"version\":1,\"answers\":[]}", "{\"version\":1,\"day\":\"x\"}"]
        {
            assert_eq!(Memo::from_text(text, 3), Memo::new(3), "{text}");
        }
        let odd = memo.to_text().replace("contradicts", "agrees");
        let read = Memo::from_text(&odd, 3);
        assert_eq!((read.known(&key(1), on(5)), read.known(&key(2), on(5))), (None, Some(None)));
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_it(text in "\\PC{0,200}") {
            let _ = Memo::from_text(&text, 1).known("x", on(1));
        }
    }
}
