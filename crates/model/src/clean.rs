//! The door every kept text passes on its way from and to a disk: what must not be kept is taken out of it. JSON is
//! cleaned string by string, so that it stays JSON. What must not be kept, somebody else knows.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Knows what must not be kept.
pub trait Cleaner: Send + Sync {
    /// The text without it; `None` where there is nothing of the kind.
    fn clean(&self, text: &str) -> Option<Cleaned>;

    /// Another number, other rules: what was clean before may not be now.
    fn rules(&self) -> u64 {
        0
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    pub text: String,
    /// What was taken out, by the names of the rules and never by what it said.
    pub found: BTreeSet<String>,
}

/// Takes nothing out: for tests, and for whoever only counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsItIs;

impl Cleaner for AsItIs {
    fn clean(&self, _: &str) -> Option<Cleaned> {
        None
    }
}

/// JSON is kept in strings of JSON (the archive does it), and theirs in strings again.
const DEEPEST: usize = 4;
/// Does `name=PROBE` look like a secret? Then a field of that name holds one.
const PROBE: &str = "Xq9vT2mL8rKz4WpN7c";

/// Longer ones seldom stand there twice.
const SHORT: usize = 40;

/// Cleans every string of a JSON text, names of fields included; everything between them stays as it is. A string is read
/// beside the name of its field too, as `name=value`. A string that is torn ends with its line, as no other can.
pub fn json(text: &str, cleaner: &dyn Cleaner) -> Option<Cleaned> {
    json_at(text, cleaner, 0)
}

fn json_at(text: &str, cleaner: &dyn Cleaner, depth: usize) -> Option<Cleaned> {
    let mut cleaned = Cleaned::default();
    let (mut done, mut at) = (0, 0);
    let mut names: HashMap<&str, FieldName> = HashMap::new();
    // The field a value belongs to, and what an entry of names and values says its name is.
    let (mut field, mut entry): (Option<&str>, Option<Cow<'_, str>>) = (None, None);
    // Dates, kinds and sources stand in every entry: each is searched once.
    let mut harmless: HashSet<&str> = HashSet::new();
    while let Some(open) = text[at..].find('"').map(|found| at + found) {
        if text[at..open].contains(['{', '}']) {
            (field, entry) = (None, None);
        }
        let (close, is_closed) = end_of_string(text, open + 1);
        let raw = &text[open + 1..close];
        at = close + usize::from(is_closed);
        let instead = if text[at..].trim_ascii_start().starts_with(':') {
            field = Some(raw);
            names.entry(raw).or_insert_with(|| FieldName::of(raw, cleaner)).cleaned.clone()
        } else {
            let said = decoded(raw);
            let beside = match field {
                Some("value") => entry.as_deref().filter(|name| tells_of_secrets(name, cleaner)),
                Some(name) => names.get(name).filter(|known| known.is_secret).map(|_| name),
                None => None,
            };
            let instead =
                if beside.is_none() && harmless.contains(raw) { None } else { value(&said, beside, cleaner, depth) };
            if instead.is_none() && beside.is_none() && raw.len() <= SHORT {
                harmless.insert(raw);
            }
            if matches!(field, Some("key" | "name")) {
                entry = Some(said);
            }
            instead
        };
        if let Some(instead) = instead {
            cleaned.text.push_str(&text[done..open]);
            cleaned.text.push_str(&serde_json::Value::from(instead.text).to_string());
            cleaned.found.extend(instead.found);
            done = at;
        }
    }
    cleaned.text.push_str(&text[done..]);
    (done > 0).then_some(cleaned)
}

struct FieldName {
    cleaned: Option<Cleaned>,
    /// What stands in such a field is a secret if it looks like one.
    is_secret: bool,
}

impl FieldName {
    fn of(raw: &str, cleaner: &dyn Cleaner) -> FieldName {
        let name = decoded(raw);
        FieldName { cleaned: cleaner.clean(&name), is_secret: tells_of_secrets(&name, cleaner) }
    }
}

fn tells_of_secrets(name: &str, cleaner: &dyn Cleaner) -> bool {
    cleaner.clean(name).is_none() && cleaner.clean(&format!("{name}={PROBE}")).is_some()
}

fn value(said: &str, beside: Option<&str>, cleaner: &dyn Cleaner, depth: usize) -> Option<Cleaned> {
    let is_json = || serde_json::from_str::<&serde_json::value::RawValue>(said).is_ok();
    let own = match said.starts_with(['{', '[']) && depth < DEEPEST && is_json() {
        true => json_at(said, cleaner, depth + 1),
        false => cleaner.clean(said),
    };
    own.or_else(|| {
        let begin = format!("{}=", beside?);
        let Cleaned { text, found } = cleaner.clean(&format!("{begin}{said}"))?;
        Some(Cleaned { text: text.strip_prefix(&begin)?.to_owned(), found })
    })
}

/// Where a string that begins here ends: at its closing quote, or torn, at the end of its line.
fn end_of_string(text: &str, begin: usize) -> (usize, bool) {
    let bytes = text.as_bytes();
    let mut at = begin;
    loop {
        match bytes.get(at) {
            None | Some(b'\n') => return (at, false),
            Some(b'"') => return (at, true),
            Some(b'\\') if !matches!(bytes.get(at + 1), None | Some(b'\n')) => at += 2,
            Some(_) => at += 1,
        }
    }
}

/// What a string says; one that cannot be understood says what stands there.
fn decoded(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    serde_json::from_str::<String>(&format!("\"{raw}\"")).map_or(Cow::Borrowed(raw), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Knows `hunter` wherever it stands, and whatever is assigned to `password`.
    struct Hunter;

    impl Cleaner for Hunter {
        fn clean(&self, text: &str) -> Option<Cleaned> {
            let mut clean = text.replace("hunter", "[gone]");
            if let Some(value) = text.strip_prefix("password=").filter(|value| !value.is_empty() && *value != "[gone]")
            {
                clean = text.replace(value, "[gone]");
            }
            (clean != text).then(|| Cleaned { text: clean, found: BTreeSet::from(["hunter".to_owned()]) })
        }
    }

    #[track_caller]
    fn check(text: &str, clean: &str) {
        let cleaned = json(text, &Hunter).map_or_else(|| text.to_owned(), |cleaned| cleaned.text);
        assert_eq!(cleaned, clean);
        assert_eq!(json(&cleaned, &Hunter), None, "twice is once");
    }

    #[test]
    fn strings_and_names_are_cleaned_and_all_else_stays() {
        check(r#"{ "a" : 1.50, "b": ["x", "a hunter"] }"#, r#"{ "a" : 1.50, "b": ["x", "a [gone]"] }"#);
        check(r#"{"hunter": {"hunter": null}}"#, r#"{"[gone]": {"[gone]": null}}"#);
        check(r#"{"a": "hu\u006eter\n\"x\""}"#, r#"{"a": "[gone]\n\"x\""}"#);
        check(r#"{"a": "line\n", "b": "\\"}"#, r#"{"a": "line\n", "b": "\\"}"#);
        check("hunter", "hunter");
    }

    #[test]
    fn a_value_is_read_beside_the_name_of_its_field() {
        check(r#"{"password": "abc", "x": "abc"}"#, r#"{"password": "[gone]", "x": "abc"}"#);
        check(r#"{"password": ["abc"], "x": 1}"#, r#"{"password": ["[gone]"], "x": 1}"#);
        check(r#"[{"password": 1}, "abc"]"#, r#"[{"password": 1}, "abc"]"#);
        check(r#"{"key": "password", "value": "abc"}"#, r#"{"key": "password", "value": "[gone]"}"#);
        check(r#"{"key": "lamp", "value": "abc"}"#, r#"{"key": "lamp", "value": "abc"}"#);
    }

    #[test]
    fn json_in_a_string_stays_json_and_what_is_torn_is_cleaned_too() {
        check(r#"{"raw": "{\"password\": \"abc\"}"}"#, r#"{"raw": "{\"password\": \"[gone]\"}"}"#);
        assert_eq!(json(r#"{"a": "a hunter"#, &Hunter).unwrap().text, r#"{"a": "a [gone]""#);
        assert_eq!(json("\"\\", &Hunter), None);
        let lines = "{\"a\": \"tor\\\n{\"a\": \"hunter\"}";
        assert_eq!(json(lines, &Hunter).unwrap().text, "{\"a\": \"tor\\\n{\"a\": \"[gone]\"}");
    }

    proptest! {
        #[test]
        fn nothing_that_is_said_makes_it_panic_or_harms_json(text in "[\\[\\]{}:,\"a-z \\\\hunter]{0,80}", said in ".{0,40}") {
            let _ = json(&text, &Hunter);
            let whole = serde_json::json!({"a": [&said, format!("{said}hunter{text}")], "n": 1}).to_string();
            let cleaned = json(&whole, &Hunter).unwrap().text;
            let read: serde_json::Value = serde_json::from_str(&cleaned).unwrap();
            prop_assert!(!read["a"][1].as_str().unwrap().contains("hunter"));
        }
    }
}
