//! What must never differ between two texts that are taken for one: numbers, names, denials and opposites.
//!
//! A coarse net under whatever comparison the caller brings: it says only that two texts differ, never that they agree.

use std::collections::BTreeSet;

const DENIALS: &[&str] = &[
    "not",
    "no",
    "never",
    "none",
    "nor",
    "neither",
    "without",
    "cannot",
    "avoid",
    "avoids",
    "unless",
    "except",
    "nobody",
    "nothing",
    "stop",
    "forbidden",
    "instead",
];

const OPPOSITES: &[(&str, &str)] = &[
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("enables", "disables"),
    ("on", "off"),
    ("allow", "deny"),
    ("allowed", "forbidden"),
    ("allows", "forbids"),
    ("before", "after"),
    ("always", "sometimes"),
    ("must", "may"),
    ("must", "should"),
    ("required", "optional"),
    ("add", "remove"),
    ("adds", "removes"),
    ("start", "stop"),
    ("starts", "stops"),
    ("open", "closed"),
    ("first", "last"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("least", "most"),
    ("lower", "upper"),
    ("increase", "decrease"),
    ("fast", "slow"),
    ("faster", "slower"),
    ("read", "write"),
    ("reads", "writes"),
    ("input", "output"),
    ("public", "private"),
    ("local", "remote"),
    ("client", "server"),
    ("sync", "async"),
    ("synchronous", "asynchronous"),
    ("mutable", "immutable"),
    ("true", "false"),
    ("pass", "fail"),
    ("passes", "fails"),
    ("works", "fails"),
    ("success", "failure"),
    ("production", "staging"),
    ("production", "development"),
    ("up", "down"),
    ("left", "right"),
    ("old", "new"),
    ("above", "below"),
    ("inside", "outside"),
    ("include", "exclude"),
    ("accept", "reject"),
    ("more", "less"),
    ("tabs", "spaces"),
    ("lock", "unlock"),
    ("encode", "decode"),
    ("encrypt", "decrypt"),
    ("safe", "unsafe"),
    ("day", "night"),
    ("daily", "weekly"),
    ("seconds", "minutes"),
    ("seconds", "milliseconds"),
    ("minutes", "hours"),
];

const NUMBERS: &[&str] = &["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Two undisputed spellings of one name.
const SAME_NAMES: &[(&str, &str)] = &[
    ("k8s", "kubernetes"),
    ("postgres", "postgresql"),
    ("js", "javascript"),
    ("ts", "typescript"),
    ("py", "python"),
    ("db", "database"),
    ("repo", "repository"),
    ("env", "environment"),
    ("config", "configuration"),
];

/// White space and the full stop at the end do not count.
pub(super) fn even(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    joined.trim_end_matches('.').to_owned()
}

/// A key is the same in any case and with any of the usual separators.
pub(super) fn even_key(key: &str) -> String {
    let spaced = key.to_lowercase().replace(['_', '-'], " ");
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Does the text point at what it is attached to?
pub(super) fn points(text: &str) -> bool {
    const POINTING: &[&str] = &["this", "here", "these", "those", "it", "its", "above", "below", "todo", "fixme"];
    text.split(|letter: char| !letter.is_alphanumeric())
        .any(|word| POINTING.iter().any(|pointing| word.eq_ignore_ascii_case(pointing)))
}

/// Does every word of the one stand in the other?
pub(super) fn is_within(short: &str, long: &str) -> bool {
    let long: BTreeSet<String> = words(long).map(|word| word.to_lowercase()).collect();
    words(short).all(|word| long.contains(&word.to_lowercase()))
}

/// How often something is denied.
pub(in crate::manage) fn denials(text: &str) -> usize {
    Reading::of(text).denials
}

/// Is there a number, a name, a denial or an opposite in one of them that the other has not?
pub(super) fn differs(a: &str, b: &str) -> bool {
    let (a, b) = (Reading::of(a), Reading::of(b));
    let opposed = |(one, other): &(&str, &str)| {
        let only = |ours: &Reading, theirs: &Reading| {
            ours.words.contains(*one)
                && !theirs.words.contains(*one)
                && theirs.words.contains(*other)
                && !ours.words.contains(*other)
        };
        only(&a, &b) || only(&b, &a)
    };
    a.numbers != b.numbers
        || a.denials != b.denials
        || !a.names.iter().all(|name| b.knows(name))
        || !b.names.iter().all(|name| a.knows(name))
        || OPPOSITES.iter().any(opposed)
}

#[derive(Default)]
struct Reading {
    words: BTreeSet<String>,
    /// In order, each as often as it stands there.
    numbers: Vec<String>,
    denials: usize,
    names: BTreeSet<String>,
}

impl Reading {
    fn of(text: &str) -> Reading {
        let mut reading = Reading::default();
        let mut begins = true;
        for chunk in text.split_whitespace() {
            for word in words(chunk) {
                reading.word(word, begins);
                begins = false;
            }
            begins |= chunk.ends_with(['.', '!', '?', ':']);
        }
        reading.numbers.sort();
        reading
    }

    fn word(&mut self, word: &str, begins: bool) {
        let lower = word.to_lowercase();
        let spelt = NUMBERS.iter().position(|number| *number == lower);
        if let Some(at) = spelt {
            self.numbers.push((at + 2).to_string());
        } else if word.starts_with(|letter: char| letter.is_ascii_digit()) {
            let end = word
                .find(|letter: char| !letter.is_ascii_digit() && letter != '.' && letter != ',')
                .unwrap_or(word.len());
            self.numbers.push(without_thousands(word[..end].trim_end_matches(['.', ','])));
        } else if is_name(word, begins) {
            self.names.insert(lower.clone());
        }
        let contracted = lower.ends_with("n't") || lower.ends_with("n’t");
        self.denials += usize::from(contracted || DENIALS.contains(&lower.as_str()));
        self.words.insert(lower);
    }

    fn knows(&self, name: &str) -> bool {
        let otherwise = |(one, other): &(&str, &str)| {
            (*one == name && self.words.contains(*other)) || (*other == name && self.words.contains(*one))
        };
        self.words.contains(name) || SAME_NAMES.iter().any(otherwise)
    }
}

/// A capital inside a sentence or a word, a digit, or a sign that only code and paths have.
fn is_name(word: &str, begins: bool) -> bool {
    let capital = word.starts_with(char::is_uppercase) && word != "I";
    let inside = word.chars().skip(1).any(|letter| letter.is_uppercase() || letter.is_ascii_digit());
    (capital && !begins) || inside || word.contains(['_', '/', '.', ':', '@', '#', '$', '='])
}

/// Words with what belongs to them inside: `v1.2`, `src/main.rs`, `don't`, `max_width`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|letter: char| letter.is_whitespace() || "()[]{}<>;!?\"`*|".contains(letter));
    parts.map(|part| part.trim_matches(|letter: char| !letter.is_alphanumeric())).filter(|part| !part.is_empty())
}

/// `1,000` is `1000`; `1,5` stays.
fn without_thousands(number: &str) -> String {
    let mut groups = number.split('.').next().unwrap_or(number).split(',').skip(1);
    if groups.all(|group| group.len() == 3) { number.replace(',', "") } else { number.to_owned() }
}
