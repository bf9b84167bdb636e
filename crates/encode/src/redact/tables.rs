//! Tables: what stands below a column's name, in the pipes of Markdown. Must not read a table twice.

use std::ops::Range;

use super::chars::{floor_boundary, is_word, run, skip_blank, window};
use super::value::{self, Style};
use super::{Rank, Span, keys};

/// How much of a table is read.
const LONGEST: usize = 16 << 10;
const LONGEST_LINE: usize = 512;

/// The values of the column whose head is the word at `start..end`. `read` is the body that was read last: what stands
/// there is no head.
pub(super) fn column(text: &str, start: usize, end: usize, read: &mut Range<usize>, found: &mut Vec<Span<'static>>) {
    let bytes = text.as_bytes();
    let end = end + run(bytes, end, 64, is_word);
    let after = skip_blank(bytes, end + run(bytes, end, 2, |byte| byte == b'*'));
    if bytes.get(after) != Some(&b'|') || read.contains(&start) {
        return;
    }
    let from = floor_boundary(text, start.saturating_sub(LONGEST_LINE));
    let before = window(text, from, start - from);
    let before = before.rsplit('\n').next().unwrap_or_default();
    let cell = before.rsplit('|').next().unwrap_or_default().trim_start_matches([' ', '*', '`']);
    let name = &text[start - cell.len()..end];
    let Some(promise) = keys::promise(name).filter(|_| before.trim_start().starts_with('|')) else { return };
    let Some(head) = window(text, after, LONGEST_LINE).find('\n') else { return };
    let body = after + head + 1;
    let rule = window(text, body, LONGEST_LINE).split_inclusive('\n').next().unwrap_or_default();
    if !rule.contains("--") || !rule.trim().bytes().all(|byte| b"|-: ".contains(&byte)) {
        return;
    }
    let lines = window(text, body + rule.len(), LONGEST).split_inclusive('\n');
    let mut at = body + rule.len();
    for line in lines.take_while(|line| line.trim_start().starts_with('|')) {
        let value = line.trim_end().split('|').nth(before.matches('|').count()).unwrap_or_default().trim();
        let bare = value.trim_matches(['`', '*', '"']);
        let style = if bare.len() < value.len() { Style::Quoted } else { Style::Bare };
        if value::is_secret(bare, promise.grade, style) {
            let from = bare.as_ptr() as usize - text.as_ptr() as usize;
            found.push(Span::new(from, from + bare.len(), promise.rule, Rank::Assigned));
        }
        at += line.len();
    }
    *read = body..at;
}
