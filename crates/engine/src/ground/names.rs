//! Which names a file says: `load_all`, `loadAll`, `--load-all`, however they are written; words that are nobody's everyday
//! ones (`pyyaml`, `brotli`); and versions. Kept as a filter of a byte a name, which may say yes where the file does not say
//! it: whoever wants to be sure looks.

use std::collections::HashSet;

use lokid_index::analyze;
use regex::{Regex, RegexBuilder};

/// Shorter ones say something else elsewhere.
const SHORTEST: usize = 6;
const SHORTEST_WORD: usize = 4;
const LONGEST_WORD: usize = 24;
const SHORTEST_STEM: usize = 3;
const LONGEST_VERSION: usize = 9;
const LONGEST_NAME: usize = 128;
/// Of files that others name.
const ENDINGS: [&str; 16] =
    ["md", "rst", "txt", "toml", "yaml", "yml", "json", "cfg", "ini", "sh", "html", "css", "cjs", "mjs", "cts", "mts"];
/// More are data.
const MOST: usize = 4_096;
const BITS_A_NAME: usize = 8;
const LOOKS: u64 = 3;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NameFilter(Box<[u64]>);

impl NameFilter {
    pub(super) fn of(text: &str) -> NameFilter {
        let mut names = HashSet::new();
        for line in text.lines() {
            each(line, |folded, _| {
                if names.len() < MOST {
                    names.insert(analyze::hash(folded));
                }
            });
        }
        let mut filter = vec![0; (names.len() * BITS_A_NAME).div_ceil(64)];
        for name in names {
            let all = 64 * filter.len() as u64;
            places(name, all).for_each(|place| filter[place / 64] |= 1 << (place % 64));
        }
        NameFilter(filter.into_boxed_slice())
    }

    /// `name` is folded.
    pub(super) fn may_say(&self, name: &str) -> bool {
        let all = 64 * self.0.len() as u64;
        all > 0 && places(analyze::hash(name), all).all(|place| self.0[place / 64] >> (place % 64) & 1 == 1)
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.0
    }

    pub(super) fn from_words(words: Vec<u64>) -> NameFilter {
        NameFilter(words.into_boxed_slice())
    }
}

fn places(hash: u64, all: u64) -> impl Iterator<Item = usize> {
    (0..LOOKS).map(move |look| (hash.wrapping_add(look.wrapping_mul(hash >> 32 | 1)) % all) as usize)
}

/// The names in a line: folded, which is small letters without joints, and as they are written.
pub fn each<'a>(line: &'a str, mut tell: impl FnMut(&str, &'a str)) {
    let mut folded = String::new();
    line.split(is_apart).filter_map(option_in).for_each(|option| tell(option, option));
    let mut tell_one = |name: &'a str| {
        if let Some(version) = version_in(name) {
            return tell(version, version);
        }
        let is_own = is_own(name);
        let name = name.trim_matches(['_', '-']);
        let is_of_code = is_own || is_of_code(name);
        if is_of_code || is_word(name) || is_file(name) {
            fold(name, &mut folded);
            if is_capitals(name) && lokid_text::is_everyday(&folded) {
                return tell(name, name);
            }
            if is_file(name) || (is_of_code && folded.len() >= SHORTEST) || is_rare(name, &folded) {
                tell(&folded, name);
            }
        }
    };
    for chunk in line.split(is_apart) {
        if is_file(chunk) || version_in(chunk).is_some() {
            tell_one(chunk);
        }
        for part in chunk.split('.') {
            tell_one(part);
            if part.trim_matches('-').contains('-') {
                part.split('-').for_each(&mut tell_one);
            }
        }
    }
}

/// Finds whatever may be a name that is told folded: to look for it is quicker than to tell all names of a line. Nothing of one
/// that is too long to be a name.
pub fn spelling(folded: &str) -> Option<Regex> {
    if folded.len() > LONGEST_NAME {
        return None;
    }
    let signs: Vec<String> = folded.chars().map(|sign| regex::escape(&sign.to_string())).collect();
    let mut pattern = RegexBuilder::new(&signs.join("[_.-]*"));
    pattern.case_insensitive(true).unicode(false).build().ok()
}

fn is_apart(sign: char) -> bool {
    !sign.is_ascii_alphanumeric() && !matches!(sign, '_' | '-' | '.')
}

fn fold(name: &str, folded: &mut String) {
    folded.clear();
    folded.extend(name.chars().filter(char::is_ascii_alphanumeric).map(|sign| sign.to_ascii_lowercase()));
}

/// `_serialize` is one word, and a name of code.
fn is_own(name: &str) -> bool {
    name.strip_prefix('_').is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_lowercase()))
}

/// `3.12` or `1.77.2`, without what stands before it.
pub fn version_in(chunk: &str) -> Option<&str> {
    // Every word of a file comes here.
    if !chunk.as_bytes().contains(&b'.') {
        return None;
    }
    let version = chunk.trim_matches(|sign: char| !sign.is_ascii_digit());
    let parts = version.split('.');
    let is_version = parts.clone().all(|part| !part.is_empty() && part.bytes().all(|sign| sign.is_ascii_digit()));
    ((2..=3).contains(&parts.count()) && is_version && version.len() <= LONGEST_VERSION).then_some(version)
}

/// `--verbose`, which may be an everyday word without its hyphens; of several words it is a name like others.
pub fn option_in(chunk: &str) -> Option<&str> {
    let name = chunk.strip_prefix("--")?.trim_end_matches('.');
    let is_option = name.len() >= SHORTEST_STEM && name.bytes().all(|sign| sign.is_ascii_lowercase());
    is_option.then(|| &chunk[..name.len() + 2])
}

/// `PAGER`, which is a name where `pager` is a word.
pub fn is_capitals(name: &str) -> bool {
    (SHORTEST_WORD..=LONGEST_WORD).contains(&name.len()) && name.bytes().all(|sign| sign.is_ascii_uppercase())
}

/// `SECURITY.md`
pub fn is_file(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, ending)| stem.len() >= SHORTEST_STEM && ENDINGS.contains(&ending))
}

fn is_rare(name: &str, folded: &str) -> bool {
    is_word(name) && !lokid_text::is_everyday(folded)
}

fn is_word(name: &str) -> bool {
    (SHORTEST_WORD..=LONGEST_WORD).contains(&name.len()) && name.bytes().all(|sign| sign.is_ascii_alphabetic())
}

/// Several words in one: with joints, or with a capital behind a small letter.
pub fn is_of_code(name: &str) -> bool {
    let bytes = name.as_bytes();
    let has_joint = name.trim_matches(['_', '-']).contains(['_', '-']);
    (has_joint || bytes.windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase()))
        && bytes.iter().any(u8::is_ascii_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(line: &str) -> Vec<String> {
        let mut found = Vec::new();
        each(line, |folded, _| found.push(folded.to_owned()));
        found
    }

    #[test]
    fn a_name_is_the_same_however_it_is_written() {
        for line in ["load_all()", "x.loadAll(y)", "`--load-all`", "LOAD_ALL=1", "(LoadAll)", "__load_all__"] {
            assert_eq!(names(line), ["loadall"], "{line}");
            assert!(spelling("loadall").unwrap().is_match(line), "{line}");
        }
        assert_eq!(names("max_size-min_size"), ["maxsizeminsize", "maxsize", "minsize"]);
        assert_eq!(names("needs pyyaml and Brotli"), ["pyyaml", "brotli"]);
        assert_eq!(names("see SECURITY.md and a.b.c"), ["securitymd", "SECURITY"]);
        assert_eq!(names("os.environ['PAGER'], a pager, GIT"), ["PAGER"]);
        assert_eq!(names("pass --quiet=1, or -q/--quiet. Not --Quiet, --q"), ["--quiet", "--quiet"]);
        assert_eq!(names("def _serialize(self): # >=3.12, v1.77.2"), ["serialize", "3.12", "1.77.2"]);
        for name in names("see SECURITY.md, --quiet, >=3.12 and PAGER") {
            assert!(spelling(&name).unwrap().is_match("see SECURITY.md, --quiet, >=3.12 and PAGER"), "{name}");
        }
        assert!(spelling(&"load_all".repeat(200_000)).is_none());
        for line in ["load all", "loaded", "Loaded", "a_b", "--", "1-2-3-4-5-6-7", "größe", "zzq", ""] {
            assert!(names(line).is_empty(), "{line}");
        }
    }

    #[test]
    fn what_a_file_says_is_always_found_and_what_it_does_not_say_seldom() {
        let text: String = (0..500).map(|at| format!("let name_of_{at} = {at};\n")).collect();
        let filter = NameFilter::of(&text);
        assert!((0..500).all(|at| filter.may_say(&format!("nameof{at}"))));
        let wrongly = (1_000..11_000).filter(|at| filter.may_say(&format!("nameof{at}"))).count();
        assert!(wrongly < 800, "{wrongly} of 10,000");
        assert!(!NameFilter::of("nothing here").may_say("nothinghere"));
        assert_eq!(NameFilter::from_words(filter.words().to_vec()), filter);
    }
}
