//! When two words are one: equal, or two inflections of one word that cannot be told apart in meaning.

use super::reading::{Form, Gap, Sort, Token};
use super::words;

pub(super) fn same(a: &Token, b: &Token) -> bool {
    let inflected = a.form == Form::Passive || b.form == Form::Passive;
    match (a.sort, b.sort) {
        (Sort::Pause, _) | (_, Sort::Pause) => a.sort == b.sort,
        _ if !inflected && a.exact == b.exact => true,
        (Sort::Value, _) | (_, Sort::Value) => a.sort == b.sort && a.text == b.text,
        _ if !inflected && a.text == b.text => true,
        // "is empty" and "empties" are no inflections of one word.
        (Sort::Word, Sort::Word) if (a.gap == Gap::Copula) == (b.gap == Gap::Copula) => {
            bases(a).iter().any(|base| bases(b).contains(base))
        }
        _ => false,
    }
}

/// Every word this may be a form of. A past tense is none: what was is not what is.
fn bases(token: &Token) -> Vec<String> {
    match token.form {
        Form::Fixed => vec![token.text.clone()],
        Form::Plain => singulars(&token.text),
        Form::Gerund => stems(&token.text, "ing"),
        Form::Passive => stems(&token.text, "ed"),
    }
}

fn singulars(word: &str) -> Vec<String> {
    let mut found = vec![word.to_owned()];
    let is_plural = word.len() >= 4 && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if !is_plural || words::NO_PLURALS.contains(&word) {
        return found;
    }
    found.extend(word.strip_suffix('s').map(str::to_owned));
    found.extend(word.strip_suffix("ies").filter(|stem| stem.len() >= 2).map(|stem| format!("{stem}y")));
    let hissing =
        |stem: &&str| stem.len() >= 3 && ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| stem.ends_with(end));
    found.extend(word.strip_suffix("es").filter(hissing).map(str::to_owned));
    found
}

/// `pushing` of `push`, `writing` of `write`, `running` of `run`.
fn stems(word: &str, ending: &str) -> Vec<String> {
    let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() >= 3) else { return vec![word.to_owned()] };
    let mut found = vec![stem.to_owned(), format!("{stem}e")];
    found.extend(stem.strip_suffix('i').filter(|_| ending == "ed").map(|stem| format!("{stem}y")));
    let mut letters = stem.chars().rev();
    let last = letters.next();
    found.extend(last.filter(|_| last == letters.next()).and_then(|last| stem.strip_suffix(last)).map(str::to_owned));
    found
}
