//! One sentence put into one order, where two orders are known to say the same.

use super::reading::{Form, Gap, Sort, Token};
use super::words;

/// Every step leaves the sentence as it is when there is any doubt.
pub(super) fn settle(sentence: Vec<Token>) -> Vec<Token> {
    let mut sentence = active(denial(front_to_back(sentence)));
    forms(&mut sentence);
    sentence
}

/// "In CI, use X" → "use X in CI"
fn front_to_back(mut sentence: Vec<Token>) -> Vec<Token> {
    let is_lead = sentence.first().is_some_and(|first| words::LEADS.contains(&first.text.as_str()));
    let mut pauses = sentence.iter().enumerate().filter(|(_, token)| token.sort == Sort::Pause);
    let (Some((at, pause)), None) = (pauses.next(), pauses.next()) else { return sentence };
    let clear = |token: &Token| !words::CLAUSES.contains(&token.text.as_str());
    if is_lead && pause.exact == "," && sentence[at + 1..].iter().all(clear) {
        sentence.rotate_left(at + 1);
        sentence.pop();
    }
    sentence
}

/// "Do not push" is "never push"; elsewhere "do" only helps "not".
fn denial(sentence: Vec<Token>) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::with_capacity(sentence.len());
    for mut token in sentence {
        let helped = kept.last().is_some_and(|last| ["do", "does"].contains(&last.text.as_str()));
        if helped && token.text == "not" {
            kept.pop();
            if kept.is_empty() {
                (token.text, token.exact) = ("never".to_owned(), "never".to_owned());
            }
        }
        kept.push(token);
    }
    kept
}

/// "X is ignored by Y" → "Y ignores X". Only a whole sentence with nothing besides: no pause, no denial, no phrase
/// behind Y.
fn active(mut sentence: Vec<Token>) -> Vec<Token> {
    let plain = |token: &Token| matches!(token.sort, Sort::Word | Sort::Name | Sort::Value);
    let passive = |at: &usize| {
        let (verb, before) = (&sentence[*at], &sentence[at - 1]);
        let adverb = before.text.ends_with("ly") && !words::FOCUS.contains(&before.text.as_str());
        let turned = verb.gap == Gap::Copula || (*at > 1 && before.gap == Gap::Copula && adverb);
        turned && verb.sort == Sort::Word && verb.text.ends_with("ed") && sentence[at + 1].text == "by"
    };
    let Some(verb) = (1..sentence.len().saturating_sub(2)).find(passive) else { return sentence };
    let phrase = |token: &Token| words::PHRASES.iter().any(|list| list.contains(&token.text.as_str()));
    if !sentence.iter().all(plain) || sentence[verb + 2..].iter().any(phrase) {
        return sentence;
    }
    let doer = sentence.split_off(verb + 2);
    sentence.pop();
    let with_adverb = usize::from(sentence[verb].gap != Gap::Copula);
    let mut deed = sentence.split_off(verb - with_adverb);
    deed[0].gap = Gap::Nothing;
    deed[with_adverb].form = Form::Passive;
    doer.into_iter().chain(deed).chain(sentence).collect()
}

/// What a word's neighbours tell about it.
fn forms(sentence: &mut [Token]) {
    for at in 1..sentence.len() {
        let [before, after] = &mut sentence[at - 1..=at] else { continue };
        let is = |list: &[&str], token: &Token| list.contains(&token.text.as_str());
        if is(words::GERUND_AFTER, before) && after.form == Form::Plain && after.text.ends_with("ing") {
            after.form = Form::Gerund;
        }
        let called = is(words::CALLED, after) || words::CALLED.contains(&after.text.trim_end_matches('s'));
        if called && after.gap == Gap::Nothing && before.form == Form::Plain {
            before.form = Form::Fixed;
        }
        if is(words::CALLS, before) {
            after.form = Form::Fixed;
        }
        if is(words::AT, before) && is(words::PLACES, after) {
            before.text = "at".to_owned();
        }
    }
}
