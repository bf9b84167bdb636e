//! Takes secrets out of a text before it is kept or shown: the value goes, `[redacted:<rule>]` stays in its place.
//!
//! A keyword search reads the text once; only around its hits the rules look closer, each over a bounded stretch, so
//! the time grows with the text and no faster. What looks like a secret but is none (digests, ids, types, labels)
//! stays: a memory full of holes is read by nobody. Must not know where the text comes from or goes.

mod addresses;
mod assign;
mod blocks;
mod chars;
mod fold;
mod headers;
mod keys;
mod keywords;
mod literal;
mod personal;
mod private;
mod said;
mod scan;
mod shapes;
mod tables;
#[cfg(test)]
mod tests;
mod tokens;
mod value;

use std::borrow::Cow;
use std::collections::BTreeMap;

use regex::{Regex, RegexBuilder};

/// Redacting may bring text together that was apart; a few rounds settle it.
const MOST_ROUNDS: usize = 6;
/// A user's pattern may become this large once compiled.
const PATTERN_BYTES: usize = 1 << 20;

const LONGEST_RULE_NAME: usize = 64;

/// A rule somebody adds: what the pattern matches is taken out, or its first group if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub name: String,
    pub pattern: String,
}

#[derive(Debug, thiserror::Error)]
pub enum RedactError {
    #[error("redaction rule `{rule}`: {why}")]
    Pattern { rule: String, why: String },
    #[error("redaction rule `{rule}`: a name is 1 to 64 of a-z A-Z 0-9 . _ -")]
    Name { rule: String },
    #[error("redaction allows `{pattern}`: {why}")]
    Allow { pattern: String, why: String },
    #[error("the keyword search cannot be built: {0}")]
    Keywords(#[from] aho_corasick::BuildError),
}

/// A text without its secrets. Borrows the text if there were none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<'a> {
    pub text: Cow<'a, str>,
    /// By rule, in the order of their names; private blocks count as `private`.
    pub found: Vec<Found<'a>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<'a> {
    pub rule: &'a str,
    pub count: usize,
}

/// Built once, used from anywhere.
#[derive(Clone)]
pub struct Redactor {
    scanner: scan::Scanner,
    extra: Vec<(String, Regex)>,
    allow: Vec<(String, Regex)>,
}

/// The surer rule names what several have found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Private,
    Block,
    Extra,
    Token,
    Shape,
    Header,
    Assigned,
    Personal,
}

#[derive(Clone, Copy)]
struct Span<'a> {
    start: usize,
    end: usize,
    rule: &'a str,
    rank: Rank,
}

impl<'a> Span<'a> {
    fn new(start: usize, end: usize, rule: &'a str, rank: Rank) -> Span<'a> {
        Span { start, end, rule, rank }
    }
}

impl Redactor {
    /// The rules that need no configuration.
    pub fn built_in() -> Redactor {
        Redactor::new(&[], &[]).expect("the built-in keywords are plain text and few")
    }

    /// The built-in rules and some more. What equals or wholly matches one of `allow` is never taken out.
    pub fn new(extra: &[Rule], allow: &[String]) -> Result<Redactor, RedactError> {
        Redactor::made(extra, allow, false)
    }

    /// The same rules for a process that reads a few short texts and ends.
    pub fn brief(extra: &[Rule], allow: &[String]) -> Result<Redactor, RedactError> {
        Redactor::made(extra, allow, true)
    }

    fn made(extra: &[Rule], allow: &[String], brief: bool) -> Result<Redactor, RedactError> {
        let scanner = scan::Scanner::new(brief)?;
        let extra = extra.iter().map(compile).collect::<Result<_, _>>()?;
        let allow = allow.iter().map(|pattern| compile_allowed(pattern)).collect::<Result<_, _>>()?;
        Ok(Redactor { scanner, extra, allow })
    }

    pub fn redact<'a>(&'a self, text: &'a str) -> Redacted<'a> {
        let mut counts = BTreeMap::new();
        let mut clean = Cow::Borrowed(text);
        for _ in 0..MOST_ROUNDS {
            let spans = self.spans(&clean);
            if spans.is_empty() {
                break;
            }
            let mut next = String::with_capacity(clean.len());
            let mut done = 0;
            for span in &spans {
                next.push_str(&clean[done..span.start]);
                match span.rank {
                    Rank::Private => next.push_str(private::REPLACEMENT),
                    _ => next.extend(["[redacted:", span.rule, "]"]),
                }
                done = span.end;
                *counts.entry(span.rule).or_insert(0) += 1;
            }
            next.push_str(&clean[done..]);
            clean = Cow::Owned(next);
        }
        let found = counts.into_iter().map(|(rule, count)| Found { rule, count }).collect();
        Redacted { text: clean, found }
    }

    /// What goes from a text: in order, apart from each other, and never a part of what an earlier round has put there.
    fn spans<'s>(&'s self, text: &str) -> Vec<Span<'s>> {
        let folded = fold::Folded::of(text);
        let scan::Scan { mut spans, mut done } = self.scanner.scan(&folded.text);
        for span in &mut spans {
            (span.start, span.end) = folded.written(span.start, span.end);
        }
        for range in &mut done {
            (range.start, range.end) = folded.written(range.start, range.end);
        }
        for (name, pattern) in &self.extra {
            spans.extend(pattern.captures_iter(text).filter_map(|found| {
                let secret = found.get(1).or_else(|| found.get(0)).filter(|secret| !secret.is_empty())?;
                Some(Span::new(secret.start(), secret.end(), name, Rank::Extra))
            }));
        }
        spans.retain(|span| {
            let next = done.partition_point(|earlier| earlier.end <= span.start);
            let again = done.get(next).is_some_and(|earlier| earlier.start < span.end);
            span.rank == Rank::Private || !again && !self.allows(&text[span.start..span.end])
        });
        // `user:password@host` is no mail address, and an address inside a secret goes with it.
        let (personal, mut sure): (Vec<_>, Vec<_>) = spans.into_iter().partition(|span| span.rank == Rank::Personal);
        sure = merge(sure);
        let apart = personal.into_iter().filter(|span| {
            let next = sure.partition_point(|other| other.end <= span.start);
            sure.get(next).is_none_or(|other| other.start >= span.end)
        });
        let apart: Vec<_> = apart.collect();
        sure.extend(apart);
        merge(sure)
    }

    fn allows(&self, secret: &str) -> bool {
        self.allow.iter().any(|(literal, pattern)| literal == secret || pattern.is_match(secret))
    }
}

/// Overlapping findings become one, as wide as all of them, named by the surest.
fn merge(mut spans: Vec<Span<'_>>) -> Vec<Span<'_>> {
    spans.sort_by(|a, b| (a.start, b.end, a.rank, a.rule).cmp(&(b.start, a.end, b.rank, b.rule)));
    let mut merged: Vec<Span<'_>> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut().filter(|last| span.start < last.end) {
            Some(last) => {
                last.end = last.end.max(span.end);
                if span.rank < last.rank {
                    (last.rule, last.rank) = (span.rule, span.rank);
                }
            }
            None => merged.push(span),
        }
    }
    merged
}

fn compile(rule: &Rule) -> Result<(String, Regex), RedactError> {
    let Rule { name, pattern } = rule;
    if !is_rule_name(name) {
        return Err(RedactError::Name { rule: name.clone() });
    }
    match RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build() {
        Ok(regex) => Ok((name.clone(), regex)),
        Err(error) => Err(RedactError::Pattern { rule: name.clone(), why: reason(&error) }),
    }
}

fn compile_allowed(pattern: &str) -> Result<(String, Regex), RedactError> {
    match RegexBuilder::new(&format!(r"\A(?:{pattern})\z")).size_limit(PATTERN_BYTES).build() {
        Ok(regex) => Ok((pattern.to_owned(), regex)),
        Err(error) => Err(RedactError::Allow { pattern: pattern.to_owned(), why: reason(&error) }),
    }
}

/// The last line of the regex's complaint says why; those before draw the place.
fn reason(error: &regex::Error) -> String {
    let told = error.to_string();
    let last = told.lines().last().unwrap_or_default();
    last.trim().trim_start_matches("error: ").to_owned()
}

fn is_rule_name(name: &str) -> bool {
    (1..=LONGEST_RULE_NAME).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}
