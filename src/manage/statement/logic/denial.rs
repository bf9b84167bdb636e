//! Which words of a statement are denied: how far `not`, `without`, `instead of`, `was removed` and the like reach.

use std::ops::Range;

use super::grammar as g;
use super::reading::Span;
use super::words::{Pause, Word};

/// For every word, whether an odd number of denials reaches it.
pub(super) struct Denied {
    /// By a word that denies the whole clause.
    pub(super) clause: Vec<bool>,
    /// By a word that denies only what stands next to it.
    pub(super) here: Vec<bool>,
}

pub(super) fn denies(word: &Word) -> bool {
    let lemma = word.lemma.as_str();
    let listed = || word.entry.is_some_and(|entry| entry.denies || (entry.removes && word.participle));
    g::NEGATORS.contains(&lemma) || g::LOCAL_NEGATORS.contains(&lemma) || (!word.code && listed())
}

pub(super) fn denied(words: &[Word], spans: &[Span]) -> Denied {
    let mut denied = Denied { clause: vec![false; words.len()], here: vec![false; words.len()] };
    for span in spans {
        let lifted = is_lifted(&words[span.from..span.to]);
        for at in span.from..span.to {
            let lemma = words[at].lemma.as_str();
            if lifted && (g::NEGATORS.contains(&lemma) || matches!(lemma, "without" | "except")) {
                continue;
            }
            if let Some(reach) = beside(words, span, at) {
                reach.filter(|reached| *reached != at).for_each(|reached| denied.here[reached] ^= true);
            } else if let Some(reach) = throughout(words, span, at) {
                reach.filter(|reached| *reached != at).for_each(|reached| denied.clause[reached] ^= true);
            }
        }
    }
    denied
}

/// `no release without a tag` demands the tag: the two denials lift each other.
fn is_lifted(words: &[Word]) -> bool {
    let negates = |word: &Word| g::NEGATORS.contains(&word.lemma.as_str());
    words.iter().any(negates) && words.iter().any(|word| matches!(word.lemma.as_str(), "without" | "except"))
}

/// The reach of a denial that does not touch the whole clause.
fn beside(words: &[Word], span: &Span, at: usize) -> Option<Range<usize>> {
    let lemma = words[at].lemma.as_str();
    let found = |lemmas: &[&str]| {
        (at + 1..span.to).find(|next| lemmas.contains(&words[*next].lemma.as_str())).unwrap_or(span.to)
    };
    let said = |lemmas: &[&str]| words[span.from..at].iter().any(|word| lemmas.contains(&word.lemma.as_str()));
    let previous = (at > span.from).then(|| words[at - 1].lemma.as_str());
    if g::LOCAL_NEGATORS.contains(&lemma) {
        return Some(near(words, span, at));
    }
    match lemma {
        // Denied is what was replaced: the object, or the subject of a passive.
        "replace" | "supersede" if span.passive && words[at].participle => return Some(span.from..at),
        "replace" | "supersede" => return Some(at + 1..found(&["with", "by", "as", "in", "on"])),
        "over" if said(&["prefer", "choose", "pick", "favor"]) => return Some(near(words, span, at)),
        "to" if said(&["prefer"]) => return Some(near(words, span, at)),
        "movefrom" | "moveoff" => return Some(at + 1..found(&["to", "in", "for", "moveto"])),
        "replacedby" => return Some(span.from..at),
        "infavourof" if !words[span.from..at].iter().any(denies) => return Some(span.from..at),
        _ => {}
    }
    if !g::NEGATORS.contains(&lemma) {
        return None;
    }
    // `and not in Redis`, `, not Y` deny only what follows.
    let verb_follows = span.verb.is_some_and(|verb| verb + 1 >= at);
    let relative = at > span.from + 1
        && words[span.from..at]
            .iter()
            .rev()
            .take(3)
            .any(|word| matches!(word.lemma.as_str(), "that" | "which" | "who"));
    if previous.is_some_and(|previous| matches!(previous, "and" | "but" | "or")) {
        Some(at + 1..span.to)
    } else if relative {
        Some(at + 1..span.to.min(at + 4))
    } else if lemma == "not" && !verb_follows {
        Some(near(words, span, at))
    } else {
        None
    }
}

/// The reach of a denial of the clause it stands in.
fn throughout(words: &[Word], span: &Span, at: usize) -> Option<Range<usize>> {
    let (word, lemma) = (&words[at], words[at].lemma.as_str());
    if g::NEGATORS.contains(&lemma) {
        return Some(span.from..span.to);
    }
    let entry = word.entry.filter(|_| !word.code)?;
    if entry.denies {
        return Some(span.from..span.to);
    }
    (entry.removes && word.participle && is_done(words, span, at)).then(|| {
        let instead = |next: &usize| matches!(words[*next].lemma.as_str(), "infavourof" | "replacedby");
        span.from..(at..span.to).find(instead).unwrap_or(span.to)
    })
}

/// `are dropped after an hour` tells what happens to late events, `was dropped` that there is none.
fn is_done(words: &[Word], span: &Span, at: usize) -> bool {
    const PROCESSES: &[&str] =
        &["remove", "drop", "delete", "purge", "strip", "cancel", "kill", "revoke", "stop", "kick", "lift"];
    if !PROCESSES.contains(&words[at].lemma.as_str()) {
        return true;
    }
    let before = &words[span.from.max(at.saturating_sub(4))..at];
    let past =
        before.iter().any(|word| matches!(word.lower.as_str(), "was" | "were" | "been" | "have" | "has" | "had"));
    past || !before
        .iter()
        .any(|word| g::AUXILIARY.contains(&word.lemma.as_str()) || matches!(word.lemma.as_str(), "get" | "with" | "to"))
}

/// Up to the next pause, place or verb.
fn near(words: &[Word], span: &Span, at: usize) -> Range<usize> {
    let stops = |next: &usize| {
        let lemma = words[*next].lemma.as_str();
        *next > at + 1
            && (g::AUXILIARY.contains(&lemma)
                || words[*next].pause != Pause::None
                || g::SCOPE_PREPOSITION.contains(&lemma))
    };
    at + 1..(at + 1..span.to).find(stops).unwrap_or(span.to)
}
