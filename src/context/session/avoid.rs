//! Turns what a guardrail says into words that can follow "avoid": "Never commit secrets" becomes "committing
//! secrets". English only, and only where it is sure; what it does not recognise is handed back.

const FORBIDDING: [&str; 8] =
    ["you must not ", "never ever ", "do not ", "don't ", "don’t ", "must not ", "should not ", "never "];
const DOUBLING: [&str; 10] =
    ["commit", "submit", "omit", "permit", "refer", "defer", "begin", "forget", "rerun", "reset"];

const DEMANDING: [&str; 9] = ["must", "should", "shall", "is", "are", "has", "needs", "goes", "belongs"];

/// The words behind "avoid", or the text itself when it does not forbid anything in words we know.
pub(super) fn avoidable(text: &str) -> Result<String, String> {
    if let Some(thing) = behind(text, "avoid ").or_else(|| behind(text, "no ")) {
        return Ok(lower_first(thing));
    }
    let Some(deed) = FORBIDDING.iter().find_map(|word| behind(text, word)) else {
        return if names_a_deed(text) { Ok(lower_first(text)) } else { Err(text.to_owned()) };
    };
    doing(deed).ok_or_else(|| text.to_owned())
}

/// A rule that does not forbid but demands is itself what must not be broken.
pub(super) fn not_this(rule: &str) -> String {
    if rule.is_empty() { String::new() } else { format!("breaking this: {rule}") }
}

fn behind<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let begin = text.get(..word.len())?;
    begin.eq_ignore_ascii_case(word).then(|| text[word.len()..].trim_start()).filter(|rest| !rest.is_empty())
}

fn doing(deed: &str) -> Option<String> {
    let (verb, rest) = deed.split_once(' ').map_or((deed, ""), |(verb, rest)| (verb, rest));
    if verb.ends_with("ly") && !rest.is_empty() {
        return doing(rest).map(|rest| format!("{verb} {rest}"));
    }
    let stop = verb.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    let ending = &verb[stop.len()..];
    let plain = stop.len() > 1 && stop.bytes().all(|byte| byte.is_ascii_lowercase());
    let gap = if rest.is_empty() { "" } else { " " };
    plain.then(|| format!("{}{ending}{gap}{rest}", gerund(stop)))
}

fn gerund(verb: &str) -> String {
    if let Some(stem) = verb.strip_suffix("ie") {
        return format!("{stem}ying");
    }
    let keeps_e = ["ee", "oe", "ye"].iter().any(|end| verb.ends_with(end)) || verb.len() < 3;
    match verb.strip_suffix('e') {
        Some(stem) if !keeps_e => format!("{stem}ing"),
        _ if verb.ends_with("ic") => format!("{verb}king"),
        _ if doubles(verb) => format!("{verb}{}ing", &verb[verb.len() - 1..]),
        _ => format!("{verb}ing"),
    }
}

/// One vowel between consonants at the end of a short word doubles the last: run, drop, split.
fn doubles(verb: &str) -> bool {
    let is_vowel = |byte: &u8| b"aeiou".contains(byte);
    let bytes = verb.as_bytes();
    let short = match bytes {
        [.., before, vowel, last] => !is_vowel(before) && is_vowel(vowel) && !is_vowel(last) && !b"wxy".contains(last),
        _ => false,
    };
    DOUBLING.contains(&verb) || (short && bytes.iter().filter(|byte| is_vowel(byte)).count() == 1)
}

/// "Using" becomes "using"; a name in capitals stays.
pub(super) fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
            first.to_lowercase().chain(text.chars().skip(1)).collect()
        }
        _ => text.to_owned(),
    }
}

/// "Using raw SQL" names a deed; "Logging must be structured" makes a demand.
fn names_a_deed(text: &str) -> bool {
    let mut words = text.split(' ');
    let first = words.next().unwrap_or_default();
    first.ends_with("ing") && !first.to_lowercase().ends_with("thing") && !words.any(|word| DEMANDING.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(avoidable(text).as_deref(), Ok(expect), "{text:?}");
    }

    #[test]
    fn what_is_forbidden_follows_avoid() {
        check("Never commit secrets", "committing secrets");
        check("Do not run migrations by hand.", "running migrations by hand.");
        check("don't write to the cache", "writing to the cache");
        check("Never directly call the driver", "directly calling the driver");
        check("Avoid Global state", "global state");
        check("No SQL in handlers", "SQL in handlers");
        check("never open two handles", "opening two handles");
        check("Using raw SQL", "using raw SQL");
        check("Never panic!", "panicking!");
    }

    #[test]
    fn what_demands_is_handed_back() {
        for text in [
            "Requests go through the limiter",
            "",
            "Never",
            "Never 3x",
            "Notes",
            "Nobody knows",
            "né",
            "Logging must be structured",
        ] {
            assert_eq!(avoidable(text), Err(text.to_owned()));
        }
    }
}
