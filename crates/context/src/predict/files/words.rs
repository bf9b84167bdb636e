//! The words of a path, and how much two paths share.

/// A word stands as a number: equal words are equal numbers, and comparing costs little.
type Word = u64;

/// Each once, in order, without regard to case; cut at signs and at capitals. The kind of a file is no word of it.
pub(super) fn of(path: &str) -> Vec<Word> {
    let path = path.strip_suffix(kind(path)).unwrap_or(path);
    let mut words = Vec::with_capacity(16);
    let (mut word, mut length, mut was_small) = (SEED, 0, false);
    for character in path.chars().take(400) {
        if !character.is_alphanumeric() || (was_small && character.is_uppercase()) {
            keep(&mut words, &mut word, &mut length);
        }
        if character.is_alphanumeric() {
            length += 1;
            // Nearly all paths are plain, and looking up other alphabets costs.
            let small = if character.is_ascii() {
                character.to_ascii_lowercase()
            } else {
                character.to_lowercase().next().unwrap_or(character)
            };
            word = (word ^ u64::from(small)).wrapping_mul(PRIME);
        }
        was_small = character.is_lowercase();
    }
    keep(&mut words, &mut word, &mut length);
    words.sort_unstable();
    words.dedup();
    words
}

// The numbers of FNV-1a.
const SEED: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// Single letters say nothing.
fn keep(words: &mut Vec<Word>, word: &mut Word, length: &mut usize) {
    if *length > 1 {
        words.push(*word);
    }
    (*word, *length) = (SEED, 0);
}

/// The share of words that two ordered lists have in common.
pub(super) fn shared(one: &[Word], other: &[Word]) -> f64 {
    let common = one.iter().filter(|word| other.binary_search(word).is_ok()).count();
    let all = one.len() + other.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

/// The share of folders two paths have in common, from the root.
pub(super) fn near(one: &str, other: &str) -> f64 {
    let count = |path: &str| path.bytes().filter(|byte| *byte == b'/').count();
    let deepest = count(one).max(count(other));
    let (one, other) = (one.split('/'), other.split('/'));
    let common = one.zip(other).take_while(|(one, other)| one == other).count().min(deepest);
    if deepest == 0 { 1.0 } else { common as f64 / deepest as f64 }
}

pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `rs` of `src/main.rs`.
pub(super) fn kind(path: &str) -> &str {
    name(path).rsplit_once('.').map_or("", |(_, kind)| kind)
}

/// Does its name, or a folder's, say that it tests something?
pub fn is_test(path: &str) -> bool {
    let is_testing = |name: &str| {
        let name = name.to_lowercase();
        ["test", "tests", "spec", "specs", "__tests__"].contains(&name.as_str())
            || ["test_", "test-", "tests_"].iter().any(|start| name.starts_with(start))
            || ["_test", "-test", ".test", ".test-d", ".spec", "_spec", "_tests", "-tests"]
                .iter()
                .any(|end| name.ends_with(end))
    };
    let bare = name(path).rsplit_once('.').map_or(path, |(bare, _)| bare);
    is_testing(bare) || bare.ends_with("Test") || bare.ends_with("Tests") || path.split('/').any(is_testing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_at_signs_and_capitals() {
        assert_eq!(of("src/HttpServer_v2.rs").len(), 4);
        assert_eq!(
            of("httpServer"),
            of("HTTP-server/Http").into_iter().filter(|w| of("httpServer").contains(w)).collect::<Vec<_>>()
        );
        assert_eq!(shared(&of("a/parser.rs"), &of("b/parser.rs")), 1.0);
        assert_eq!(shared(&of(""), &of("")), 0.0);
    }

    #[test]
    fn files_are_near_by_the_folders_they_share() {
        for (one, other, expect) in
            [("a", "b", 1.0), ("x/a", "x/b", 1.0), ("x/y/a", "x/b", 0.5), ("x/a", "b", 0.0), ("x/a", "y/a", 0.0)]
        {
            assert_eq!(near(one, other), expect, "{one} {other}");
        }
    }

    #[test]
    fn tests_are_known_by_their_names() {
        for path in ["tests/a.rs", "a_test.go", "test_a.py", "src/a.spec.ts", "ParserTest.java", "__tests__/a.js"] {
            assert!(is_test(path), "{path}");
        }
        for path in ["src/a.rs", "latest.rs", "contest/a.rs", ""] {
            assert!(!is_test(path), "{path}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_path_has_words(one in ".{0,60}", other in ".{0,60}") {
            let share = shared(&of(&one), &of(&other));
            proptest::prop_assert!((0.0..=1.0).contains(&share) && (0.0..=1.0).contains(&near(&one, &other)));
            let _ = (is_test(&one), name(&one), kind(&one));
        }
    }
}
