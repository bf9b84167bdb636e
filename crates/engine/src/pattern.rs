//! A regular expression that is narrow enough to erase what it matches.

use regex::{Regex, RegexBuilder};

use lokid_model::clean::{Cleaned, Cleaner};
use lokid_model::texts::Texts;
use lokid_model::{Key, Memory, MemoryId};

/// Stands in the place of what was there.
pub const BLACK: &str = "[redacted]";
const LONGEST: usize = 4096;
/// Of a compiled pattern, in bytes.
const LARGEST: usize = 4 << 20;

/// A regular expression that is narrow enough to erase what it matches. It is linear in the text, whatever it says.
#[derive(Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// Or why it is none.
    pub fn parse(text: &str) -> Result<Pattern, String> {
        if text.len() > LONGEST {
            return Err(format!("is longer than {LONGEST} bytes"));
        }
        let regex = RegexBuilder::new(text).size_limit(LARGEST).build().map_err(|error| {
            // The rest repeats the pattern, which may be the very thing that is to be erased.
            let said = error.to_string();
            format!("is no regular expression: {}", said.lines().last().unwrap_or_default().trim())
        })?;
        if ["", "a"].iter().any(|text| regex.find_iter(text).any(|found| found.is_empty())) {
            return Err("matches the empty text, so it would match everywhere".to_owned());
        }
        if regex.is_match(BLACK) {
            return Err(format!("is too broad: it matches {BLACK}, which is put in the place of what matches"));
        }
        Ok(Pattern(regex))
    }

    /// The text with what matches made unreadable.
    pub fn text(&self, text: &str) -> String {
        self.0.replace_all(text, regex::NoExpand(BLACK)).into_owned()
    }

    /// How often it matches in a record's words.
    pub fn places(&self, record: &(impl Texts + Clone)) -> usize {
        self.blacken(&mut record.clone())
    }

    /// The same, and these are unreadable then.
    pub fn blacken(&self, record: &mut impl Texts) -> usize {
        let mut places = 0;
        record.each_text(&mut |text| {
            let found = self.0.find_iter(text).count();
            if found > 0 {
                places += found;
                *text = self.text(text);
            }
        });
        places
    }

    /// How often it matches in a memory, its id included.
    pub fn places_of(&self, memory: &Memory) -> usize {
        self.places(memory) + self.0.find_iter(memory.id.as_str()).count()
    }
}

impl Cleaner for Pattern {
    fn clean(&self, text: &str) -> Option<Cleaned> {
        self.0.is_match(text).then(|| Cleaned { text: self.text(text), ..Cleaned::default() })
    }
}

/// What became of a memory.
#[derive(Clone, Debug)]
pub struct Redacted {
    pub key: Key,
    /// Nothing for what the repository itself teaches: it is not taken up again.
    pub replaced_by: Option<MemoryId>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::Timestamp;

    #[test]
    fn what_matches_nothing_or_everything_is_no_pattern() {
        let why = |text: &str| Pattern::parse(text).map(|_| ()).unwrap_err();
        for all in ["", ".*", "x?", "^", r"\b", "(?m)$", "a|"] {
            assert!(why(all).starts_with("matches the empty text"), "{all}: {}", why(all));
        }
        for broad in [".", r"\w+", "[a-z]", "(?i)REDACTED"] {
            assert!(why(broad).starts_with("is too broad"), "{broad}");
        }
        for wrong in ["(", "(?=x)y", r"(x)\1", "[z-a]", "x{5}{1000}{1000}"] {
            let why = why(wrong);
            assert!(why.starts_with("is no regular expression: ") && why.lines().count() == 1, "{wrong}: {why}");
        }
        assert!(why(&"x".repeat(LONGEST + 1)).starts_with("is longer"));
    }

    #[test]
    fn every_place_is_blackened_and_names_and_dollars_stay_as_they_are() {
        let pattern = Pattern::parse(r"hunter\d+").unwrap();
        let id = MemoryId::new("note-1").unwrap();
        let mut memory = Memory::new(id, lokid_model::Kind::Note, "pw hunter2, hunter33", Timestamp::default());
        (memory.title, memory.tags) = ("$1 hunter2".into(), vec!["hunter2".into(), "x".into()]);
        assert_eq!(pattern.blacken(&mut memory), 4);
        assert_eq!((memory.text.as_str(), memory.title.as_str()), ("pw [redacted], [redacted]", "$1 [redacted]"));
        assert_eq!((memory.tags[0].as_str(), pattern.places_of(&memory)), (BLACK, 0));
    }
}
