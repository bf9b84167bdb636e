//! Date words of a question: which span of time it prefers, or which event it stands before or after.
//!
//! The calendar is UTC. A word is read as a date only where it cannot well be anything else: "it may fail" is no
//! month and "port 2024" no year, for a wrong date hides the right memory while a missed one only does not help.

mod calendar;
mod reader;
#[cfg(test)]
mod tests;

use jiff::civil::Date;

use self::calendar::{midnight, plus};
use self::reader::{Lead, Reader};
use lokid_model::Timestamp;

/// A question says early when; what follows may be a pasted log.
const FIRST_BYTES: usize = 16 << 10;
const FIRST_WORDS: usize = 64;
const EVENT_WORDS: usize = 6;

#[derive(Clone, Debug, PartialEq)]
pub enum Clue {
    Span(When),
    /// "before the migration": when that was, the memories have to tell.
    Event {
        side: Side,
        words: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Before,
    After,
}

#[derive(Clone, Debug, PartialEq)]
pub struct When {
    /// The first instant that is meant.
    pub from: Option<Timestamp>,
    /// The first instant that is meant no more.
    pub until: Option<Timestamp>,
    /// The words that said so.
    pub words: String,
}

/// Everything a question says about time, in the order it is said.
pub fn dates(query: &str, now: Timestamp) -> Vec<Clue> {
    let Some(today) = calendar::day_of(now) else { return Vec::new() };
    let words = reader::words(super::beginning(query, FIRST_BYTES), FIRST_WORDS);
    let mut clues = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let here = Reader { words: &words, start: at, at, today, lead: Lead::Nothing };
        at = match span(here).or_else(|| event(here)) {
            Some((clue, next)) => {
                clues.push(clue);
                next
            }
            None => at + 1,
        };
    }
    clues
}

fn span(mut reader: Reader<'_>) -> Option<(Clue, usize)> {
    let (from, until) = reader.attempt(bounded).or_else(|| {
        let days = reader.attempt(Reader::led).or_else(|| reader.attempt(Reader::period))?;
        Some((Some(days.from), Some(days.until)))
    })?;
    let when = When { from: from.map(midnight), until: until.map(midnight), words: reader.said() };
    Some((Clue::Span(when), reader.at))
}

/// "since Monday", "between May and July 2023"
fn bounded(reader: &mut Reader<'_>) -> Option<(Option<Date>, Option<Date>)> {
    reader.lead = Lead::Bound;
    let bound = reader.eat(&["between", "from", "before", "after", "since", "until", "till"])?;
    let mut first = *reader;
    let days = reader.period()?;
    Some(match bound {
        "before" => (None, Some(days.from)),
        "after" => (Some(days.until), None),
        "since" => (Some(days.from), None),
        "until" | "till" => (None, Some(days.until)),
        _ => {
            reader.eat(if bound == "between" { &["and"] } else { &["to", "until", "till", "through"] })?;
            let last = reader.period()?;
            // "between May and July 2023": the May before that July, not the latest of all.
            first.today = plus(last.until, -1)?;
            let days = if days.from < last.until { days } else { first.period()? };
            (Some(days.from.min(last.from)), Some(days.until.max(last.until)))
        }
    })
}

/// "before the migration", up to where the clause ends or a date begins.
fn event(mut reader: Reader<'_>) -> Option<(Clue, usize)> {
    let side = match reader.eat(&["before", "after", "since"])? {
        "before" => Side::Before,
        _ => Side::After,
    };
    reader.eat(&["the", "our"])?;
    reader.start = reader.at;
    while reader.at - reader.start < EVENT_WORDS {
        let goes_on = reader.peek().is_some_and(|word| !ENDS_AN_EVENT.contains(&word.lower.as_str()));
        if !goes_on || span(Reader { start: reader.at, ..reader }).is_some() {
            break;
        }
        reader.at += 1;
    }
    let words = reader.said();
    (!words.is_empty()).then_some((Clue::Event { side, words }, reader.at))
}

#[rustfmt::skip]
const ENDS_AN_EVENT: &[&str] = &[
    "and", "or", "but", "did", "do", "does", "was", "were", "is", "are", "when", "what", "which", "who", "whose",
    "where", "why", "how", "we", "i", "you", "they", "it", "he", "she", "there", "that", "because", "so", "then",
    "has", "have", "had", "can", "could", "should", "would", "will", "shall", "must", "may", "might", "not", "if",
    "while", "before", "after", "since", "until", "till",
];
