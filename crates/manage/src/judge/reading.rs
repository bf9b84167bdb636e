//! What an answer comes to: one of the four words, or nothing. People's programs and models say it in many ways; what
//! could be read in two ways is not read at all.

use std::collections::BTreeSet;

use serde_json::Value;

use lokid_model::Verdict;

/// Who says more than this did not answer the question.
const LONGEST: usize = 64 << 10;
/// Places where an object may begin that are tried.
const OBJECTS: usize = 8;
/// What turns a verdict into its opposite.
const NEGATIONS: [&str; 12] =
    ["not", "no", "never", "neither", "nor", "cannot", "isn't", "aren't", "doesn't", "don't", "without", "hardly"];

/// What a program wrote: a word, a sentence with one such word, or JSON with a `verdict`.
pub fn verdict_of(answer: &str) -> Option<Verdict> {
    if answer.len() > LONGEST {
        return None;
    }
    let answer = behind_thoughts(answer);
    match object_with_verdict(answer) {
        Some(object) => object.get("verdict").and_then(Value::as_str).and_then(word),
        None => labelled(answer).or_else(|| mentioned(answer)),
    }
}

/// What a server answered: the body of a chat completion.
pub fn verdict_of_chat(body: &str) -> Option<Verdict> {
    let body: Value = serde_json::from_str(body).ok()?;
    verdict_of(body.pointer("/choices/0/message/content")?.as_str()?)
}

/// Models that think aloud mark where that ends.
fn behind_thoughts(answer: &str) -> &str {
    let marks = ["</think>", "...done thinking."];
    let ends = marks.iter().filter_map(|mark| answer.rfind(mark).map(|at| at + mark.len()));
    answer[ends.max().unwrap_or(0)..].trim()
}

/// The first object in the text that has a verdict.
fn object_with_verdict(answer: &str) -> Option<Value> {
    let begins = answer.match_indices('{').map(|(at, _)| at).take(OBJECTS);
    let mut objects = begins.filter_map(|at| {
        serde_json::Deserializer::from_str(&answer[at..]).into_iter::<Value>().next().and_then(Result::ok)
    });
    objects.find(|object| object.get("verdict").is_some())
}

/// A line that is nothing but the word, as the first or the last one; both must agree where both are.
fn labelled(answer: &str) -> Option<Verdict> {
    let mut lines = answer.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().and_then(label);
    let last = lines.next_back().and_then(label);
    match (first, last) {
        (Some(first), Some(last)) => (first == last).then_some(first),
        (one, other) => one.or(other),
    }
}

/// `Contradicts.`, `**duplicate**`, `Verdict: compatible`.
fn label(line: &str) -> Option<Verdict> {
    let bare = line.trim_matches(|character: char| !character.is_alphanumeric());
    let value = bare.split_once(':').filter(|(name, _)| is_name(name)).map_or(bare, |(_, value)| value);
    word(value.trim_matches(|character: char| !character.is_alphanumeric()))
}

fn is_name(name: &str) -> bool {
    let name = name.trim_matches(|character: char| !character.is_alphanumeric());
    ["verdict", "answer", "final answer", "result"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// One of the words anywhere, if it is the only one and nothing speaks against it.
fn mentioned(answer: &str) -> Option<Verdict> {
    let answer = answer.to_lowercase().replace('’', "'");
    let words = || answer.split(|character: char| !(character.is_alphanumeric() || character == '\''));
    if words().any(|word| NEGATIONS.contains(&word)) {
        return None;
    }
    let verdicts: BTreeSet<Verdict> = words().filter_map(word).collect();
    verdicts.first().copied().filter(|_| verdicts.len() == 1)
}

/// The word itself and how it is bent.
fn word(text: &str) -> Option<Verdict> {
    let text = text.trim();
    let bent = match text.to_ascii_lowercase().as_str() {
        "contradict" | "contradiction" | "contradictory" | "contradicting" => Verdict::Contradicts,
        "duplicates" | "duplicated" => Verdict::Duplicate,
        _ => return Verdict::parse(text),
    };
    Some(bent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answer: &str, expected: Option<Verdict>) {
        assert_eq!(verdict_of(answer), expected, "{answer:?}");
    }

    #[test]
    fn a_word_is_read_however_it_is_dressed() {
        for answer in [
            "contradicts",
            "Contradicts.\n",
            "  **CONTRADICTS**  ",
            "\"contradicts\"",
            "Verdict: contradicts",
            "Final answer: **Contradicts**",
            "contradiction",
            "{\"verdict\": \"contradicts\"}",
            "```json\n{\"verdict\": \"Contradicts\", \"why\": \"not a duplicate\"}\n```",
            "The two are contradictory.",
            "contradicts\n\nBecause tabs are not spaces, this is no duplicate.",
            "Both name an indent.\nThey are not compatible.\nAnswer: contradicts",
            "<think>maybe duplicate? or unrelated</think>\ncontradicts",
            "Thinking...\nduplicate?\n...done thinking.\n\ncontradicts\n",
        ] {
            check(answer, Some(Verdict::Contradicts));
        }
        check("duplicate", Some(Verdict::Duplicate));
        check("I'd say: compatible, since both can hold", Some(Verdict::Compatible));
        check("unrelated", Some(Verdict::Unrelated));
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_no_verdict() {
        for answer in [
            "",
            "yes",
            "contradicts|duplicate|compatible|unrelated",
            "They do not contradict each other.",
            "This isn’t a duplicate.",
            "Either duplicate or compatible.",
            "contradicts\nduplicate",
            "incompatible",
            "{\"verdict\": \"maybe\"} contradicts",
            "{\"verdict\": 7}",
            "{\"verdict\": null}",
            "uncontradicts",
            "{\"answer\": \"contradicts or duplicate\"}",
            "\u{0}\u{fffd}",
        ] {
            check(answer, None);
        }
        check(&"contradicts ".repeat(10_000), None);
    }

    #[test]
    fn a_server_answers_in_its_first_choice() {
        let body = |content: &str| serde_json::json!({"choices": [{"message": {"content": content}}]}).to_string();
        assert_eq!(verdict_of_chat(&body("duplicate")), Some(Verdict::Duplicate));
        assert_eq!(verdict_of_chat(&body("who knows")), None);
        for odd in ["", "contradicts", "{}", "{\"choices\":[]}", "{\"choices\":[{\"message\":{\"content\":7}}]}"] {
            assert_eq!(verdict_of_chat(odd), None, "{odd}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_answer_breaks_the_reading(answer in "(\\PC|[{}\":\n]|verdict|not ){0,200}") {
            let _ = verdict_of(&answer);
            let _ = verdict_of_chat(&answer);
        }
    }
}
