//! What the wording itself tells: the longest common run, parts that changed places, the likeness of topic and comment.

use super::features::Features;
use super::reading::{Clause, Reading, Token};

/// The words as they stand, function words and all: the longest common run in order, and the bag of them.
pub(super) fn wording(all: &mut Features, a: &Reading, b: &Reading) {
    let (ours, theirs) = (&a.lemmas[..a.lemmas.len().min(60)], &b.lemmas[..b.lemmas.len().min(60)]);
    let mut row = vec![0usize; theirs.len() + 1];
    for word in ours {
        let mut diagonal = 0;
        for (at, other) in theirs.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if word == other { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    let common = row.last().copied().unwrap_or(0) as f64;
    let longest = ours.len().max(theirs.len()).max(1) as f64;
    let bag = ours
        .iter()
        .filter(|word| theirs.contains(word))
        .count()
        .min(theirs.iter().filter(|word| ours.contains(word)).count()) as f64;
    all.put("run_share", common / longest);
    all.put("bag_share", bag / longest);
    all.flag("exchanged", is_exchanged(ours, theirs));
    all.put("bag_over_run", (bag - common) / longest);
}

/// Equal but for two parts that changed places around something that orders them: `flags override the file` and `the
/// file overrides flags`. Around a mere `and` it means nothing.
fn is_exchanged(a: &[String], b: &[String]) -> bool {
    let telling = |word: &&String| !matches!(word.as_str(), "the" | "a" | "it" | "they");
    let (mut ours, mut theirs): (Vec<&String>, Vec<&String>) =
        (a.iter().filter(telling).collect(), b.iter().filter(telling).collect());
    if ours.len() != theirs.len() || ours == theirs {
        return false;
    }
    while ours.first() == theirs.first() {
        ours.remove(0);
        theirs.remove(0);
    }
    while ours.last() == theirs.last() {
        ours.pop();
        theirs.pop();
    }
    let length = ours.len();
    let orders =
        |middle: &[&String]| middle.iter().any(|word| !matches!(word.as_str(), "and" | "or" | "nor" | "plus" | "both"));
    (1..length).any(|first| {
        (1..length.saturating_sub(first)).any(|last| {
            let middle = first..length - last;
            orders(&ours[middle.clone()])
                && ours[..first] == theirs[length - first..]
                && ours[length - last..] == theirs[..last]
                && ours[middle] == theirs[last..length - first]
        })
    })
}

/// How alike what they speak of is, and how alike what they say of it.
pub(super) fn parts(all: &mut Features, a: &Reading, b: &Reading, alike: &dyn Fn(&str, &str) -> f32) {
    let text = |reading: &Reading, counts: &dyn Fn(&Token) -> bool| {
        let mut text = String::new();
        for token in reading.tokens.iter().filter(|token| token.kind != Clause::Aside && counts(token)).take(30) {
            text.push_str(&token.text);
            text.push(' ');
        }
        text
    };
    let topic = |token: &Token| token.topic;
    let comment = |token: &Token| !token.topic;
    all.put("topic_cosine", f64::from(alike(&text(a, &topic), &text(b, &topic))));
    all.put("comment_cosine", f64::from(alike(&text(a, &comment), &text(b, &comment))));
}
