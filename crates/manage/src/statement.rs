//! Two statements of developers: do they contradict one another, say the same, go together, or have nothing in common?
//!
//! A small model reads both and tells how likely each is (`weigh`, whoever asks brings it); what is decided from that, and
//! how sure one has to be for what, stands here. Beside the model only what it cannot be trusted with: the same words are
//! the same, another quantity or another name in code is never the same, and a statement may say itself that it takes the
//! place of another.
//!
//! It must not be asked what is true, only whether both can be.

mod literal;
mod replacing;

use super::words::{self, words};
use lokid_model::Verdict;

/// How likely each answer is: contradicts, duplicate, compatible, unrelated. Together they are one.
pub type Shares = [f32; 4];

/// What each answer costs when it is wrong, chosen on sets nothing was learnt from (`cargo bench --bench night --
/// statements neighbours`; the table stands in `docs/BENCHMARKS.md`). A neighbour is one of some 4,000 pairs of sentences that
/// stand near each other in real repositories, where practically nothing contradicts.
///
/// Told unasked: 6 of 1,000 neighbours are called a contradiction, 1 of these rightly.
pub const TOLD: f64 = 0.68;
/// Acted on without asking: of the neighbours one is ended that says so itself, and rightly, …
pub const ENDED: f64 = 0.90;
/// … no contradiction of any set is merged, and 1 of 1,000 neighbours at most.
pub const MERGED: f64 = 0.92;
/// As likely at least must a contradiction be where the model wavers between it and a repetition.
const DOUBTED: f64 = 0.3;
/// Sure that two go together, or have nothing in common.
const CLEAR: f64 = 0.8;

#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    pub verdict: Verdict,
    /// How sure, 0 to 1: how likely the verdict is right.
    pub score: f64,
    /// One line for a person.
    pub why: String,
    /// Sure enough to act on without a person or a judge.
    pub clear: bool,
    /// The later statement says itself that it replaces something.
    pub replaces: bool,
}

/// Nothing needs to be weighed where the words are the same.
pub fn at_once(earlier: &str, later: &str) -> Option<Judgement> {
    words::are_the_same(earlier, later).then(|| Judgement {
        verdict: Verdict::Duplicate,
        score: 1.0,
        why: "the same words".to_owned(),
        clear: true,
        replaces: replacing::replaces(later),
    })
}

/// What is made of an earlier and a later statement that were weighed. The verdict does not depend on which is the earlier;
/// only `replaces` does.
pub fn judge(earlier: &str, later: &str, shares: Shares) -> Judgement {
    if let Some(same) = at_once(earlier, later) {
        return same;
    }
    let [contradicts, duplicate, compatible, unrelated] = shares.map(f64::from);
    let difference = literal::difference(earlier, later);
    // The same but for another value is no repetition: what speaks for that speaks for a contradiction.
    let but_for = difference.is_some() && contradicts >= DOUBTED && contradicts + duplicate >= ENDED;
    let (verdict, score) = if contradicts >= TOLD {
        (Verdict::Contradicts, contradicts)
    } else if but_for {
        (Verdict::Contradicts, TOLD)
    } else if duplicate >= MERGED && difference.is_none() {
        (Verdict::Duplicate, duplicate)
    } else if unrelated > compatible + duplicate {
        (Verdict::Unrelated, unrelated)
    } else {
        // What is neither surely denied nor surely the same stands beside the other: that costs a line and loses nothing.
        (Verdict::Compatible, compatible + duplicate)
    };
    let clear = score
        >= match verdict {
            Verdict::Contradicts => ENDED,
            Verdict::Duplicate => MERGED,
            Verdict::Compatible | Verdict::Unrelated => CLEAR,
        };
    let why = why(verdict, difference, earlier, later);
    Judgement { verdict, score, why, clear, replaces: replacing::replaces(later) }
}

/// The difference a person would point at, in one line.
fn why(verdict: Verdict, difference: Option<(String, String)>, earlier: &str, later: &str) -> String {
    match (verdict, difference) {
        (Verdict::Duplicate, _) => "the same in other words".to_owned(),
        (Verdict::Unrelated, _) => "they are about different things".to_owned(),
        (Verdict::Compatible, _) => "both can hold".to_owned(),
        (Verdict::Contradicts, Some((one, other))) if !one.is_empty() && !other.is_empty() => {
            format!("`{}` against `{}`", short(&one), short(&other))
        }
        (Verdict::Contradicts, _) if words::denials(earlier) % 2 != words::denials(later) % 2 => {
            "one denies what the other says".to_owned()
        }
        (Verdict::Contradicts, _) => match (alone(earlier, later), alone(later, earlier)) {
            (Some(one), Some(other)) => format!("`{}` against `{}`", short(&one), short(&other)),
            _ => "both cannot hold".to_owned(),
        },
    }
}

/// What stands only in the first: its words without those that both begin and end with, if they are few.
fn alone(text: &str, other: &str) -> Option<String> {
    const FEW: usize = 4;
    let (text, other): (Vec<&str>, Vec<&str>) = (words(text).collect(), words(other).collect());
    let same = |(one, other): &(&&str, &&str)| one.eq_ignore_ascii_case(other);
    let begin = text.iter().zip(&other).take_while(same).count();
    let (text, other) = (&text[begin..], &other[begin..]);
    let end = text.iter().rev().zip(other.iter().rev()).take_while(same).count();
    let left = &text[..text.len() - end];
    (1..=FEW).contains(&left.len()).then(|| left.join(" "))
}

fn short(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(a: &str, b: &str, shares: Shares) -> (Verdict, bool) {
        let found = judge(a, b, shares);
        assert_eq!(found.verdict, judge(b, a, shares).verdict, "{a} / {b}");
        (found.verdict, found.clear)
    }

    #[test]
    fn how_sure_one_has_to_be_depends_on_what_it_costs() {
        let (a, b) = ("Deploy on Fridays.", "Fridays are for deploys.");
        let con = |share: f32| verdict(a, b, [share, 0.0, 1.0 - share, 0.0]);
        assert_eq!(con(TOLD as f32 - 0.01), (Verdict::Compatible, false));
        assert_eq!(con(TOLD as f32 + 0.01), (Verdict::Contradicts, false));
        assert_eq!(con(ENDED as f32 + 0.01), (Verdict::Contradicts, true));
        let wavering = [0.5, 0.45, 0.05, 0.0];
        assert_eq!(verdict(a, b, wavering), (Verdict::Compatible, false));
        let (half, whole) = ("Requests time out after 30 seconds.", "The request timeout is one minute.");
        assert_eq!(verdict(half, whole, wavering), (Verdict::Contradicts, false));
        let same = |share: f32| verdict(a, b, [0.0, share, 0.0, 1.0 - share]);
        assert_eq!(same(MERGED as f32 - 0.01), (Verdict::Compatible, true));
        assert_eq!(same(MERGED as f32 + 0.01), (Verdict::Duplicate, true));
    }

    #[test]
    fn another_value_is_never_the_same_and_the_same_words_always_are() {
        let sure = [0.0, 1.0, 0.0, 0.0];
        assert_eq!(verdict("Keep 30 days of logs", "Logs are kept 90 days", sure).0, Verdict::Compatible);
        assert_eq!(
            verdict("Keep a day of logs.", "keep a day of logs", [1.0, 0.0, 0.0, 0.0]),
            (Verdict::Duplicate, true)
        );
    }

    #[test]
    fn a_contradiction_says_why_in_a_line() {
        let why = |a: &str, b: &str| judge(a, b, [1.0, 0.0, 0.0, 0.0]).why;
        assert_eq!(why("timeout is 30 s", "timeout is 60 s"), "`30 s` against `60 s`");
        assert_eq!(why("Indent with tabs here", "Indent with four spaces here"), "`tabs` against `four spaces`");
        assert_eq!(why("We deploy on Fridays", "We never deploy on Fridays"), "one denies what the other says");
        assert_eq!(why("The lint job is first in line of all of them", "Tests come first"), "both cannot hold");
        assert!(judge("use make", "We no longer use make", [1.0, 0.0, 0.0, 0.0]).replaces);
    }
}
