//! What comes first: "X before Y", "first X, then Y", "Y once X", "X, Y follows".

use super::reading::{Break, Token};

/// The tokens of what comes earlier and of what comes later, as ranges.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) earlier: (usize, usize),
    pub(super) later: (usize, usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// What stands before it comes first.
    Before,
    After,
    /// "X first": the part it stands in comes first.
    First,
    /// "then Y": the part it stands in comes later.
    Later,
}

fn mark(tokens: &[Token], at: usize) -> Option<Mark> {
    let next = tokens.get(at + 1).map(|token| token.lower.as_str());
    match tokens[at].lower.as_str() {
        "before" | "precede" | "precedes" | "preceding" | "until" => Some(Mark::Before),
        "prior" if next == Some("to") => Some(Mark::Before),
        "ahead" if next == Some("of") => Some(Mark::Before),
        "after" | "once" | "following" | "follows" | "upon" => Some(Mark::After),
        "soon" if next == Some("as") => Some(Mark::After),
        "only" if next == Some("when") => Some(Mark::After),
        "first" | "beforehand" | "start" | "starts" | "initially" => Some(Mark::First),
        "then" | "afterwards" | "later" | "follow" | "last" | "subsequently" | "finally" | "next" => Some(Mark::Later),
        _ => None,
    }
}

pub(super) fn orders(tokens: &[Token]) -> Vec<Order> {
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let Some(mark) = mark(tokens, at) else { continue };
        let (start, end) = sentence(tokens, at);
        let order = match mark {
            Mark::Before | Mark::After => {
                // "Before X, Y": what belongs to the word ends at the comma.
                let comma = (at + 1..end).find(|at| tokens[*at].gap >= Break::Comma);
                let leads = at == start || tokens[start..at].iter().all(|token| !token.has_content());
                let (near, far) = match (leads, comma) {
                    (true, Some(comma)) => ((at + 1, comma), (comma, end)),
                    (true, None) => continue,
                    (false, comma) => ((at + 1, comma.unwrap_or(end)), (start, at)),
                };
                if mark == Mark::Before {
                    Order { earlier: far, later: near }
                } else {
                    Order { earlier: near, later: far }
                }
            }
            Mark::First | Mark::Later => {
                // The part it stands in, against the rest of the sentence.
                let from =
                    (start + 1..=at).rev().find(|at| tokens[*at].gap >= Break::Comma || tokens[*at].lower == "and");
                let to = (at + 1..end).find(|at| tokens[*at].gap >= Break::Comma || tokens[*at].lower == "and");
                let (from, to) = (from.unwrap_or(start), to.unwrap_or(end));
                let other = if to < end { (to, end) } else { (start, from) };
                if other.0 >= other.1 {
                    continue;
                }
                if mark == Mark::First {
                    Order { earlier: (from, to), later: other }
                } else {
                    Order { earlier: (start, from.max(start)), later: (from, to) }
                }
            }
        };
        if order.earlier.0 < order.earlier.1 && order.later.0 < order.later.1 {
            found.push(order);
        }
    }
    found.truncate(8);
    found
}

/// The sentence a token stands in.
fn sentence(tokens: &[Token], at: usize) -> (usize, usize) {
    let start = (0..=at).rev().find(|at| tokens[*at].gap == Break::Strong).unwrap_or(0);
    let end = (at + 1..tokens.len()).find(|at| tokens[*at].gap == Break::Strong).unwrap_or(tokens.len());
    (start, end)
}
