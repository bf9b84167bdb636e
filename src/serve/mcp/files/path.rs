//! What may be the path of a file: absolute, below `/memories`, and the same for everybody who reads it. Nothing on
//! disk is ever named by it, and still nothing passes that another program could take for a way out.

use std::fmt;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use lokid_model::unseen;

const ROOT: &str = "/memories";
/// In bytes, as the memory stores of the API have it.
const LONGEST: usize = 1024;
const DEEPEST: usize = 20;
const LONGEST_NAME: usize = 255;
/// How often an encoding may be wrapped into another before that alone is suspicious.
const MOST_DECODINGS: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FilePath(String);

impl FilePath {
    /// A trailing slash is dropped; everything else has to be as it is meant.
    pub(super) fn new(given: &str) -> Result<FilePath, String> {
        if given.len() > LONGEST {
            return Err(format!("has {} bytes; {LONGEST} are the most", given.len()));
        }
        if unseen::seen(given).any(|(_, character, is_seen)| !is_seen || character.is_control()) {
            return Err("holds a control character or one nobody sees".to_owned());
        }
        if given.contains('\\') {
            return Err("holds a backslash; directories are parted by `/`".to_owned());
        }
        if climbs(given) {
            return Err("may not leave /memories: `..` and its encodings are refused".to_owned());
        }
        let path = given.strip_suffix('/').filter(|path| !path.ends_with('/')).unwrap_or(given);
        if path == ROOT {
            return Ok(FilePath(ROOT.to_owned()));
        }
        let Some(inside) = path.strip_prefix(ROOT).and_then(|rest| rest.strip_prefix('/')) else {
            return Err("must begin with /memories".to_owned());
        };
        let names: Vec<&str> = inside.split('/').collect();
        if names.len() > DEEPEST {
            return Err(format!("is {} levels deep; {DEEPEST} are the most", names.len()));
        }
        for name in &names {
            if name.is_empty() || *name == "." {
                return Err("has an empty name between two slashes, or a `.`".to_owned());
            }
            if name.len() > LONGEST_NAME {
                return Err(format!("has a name of {} bytes; {LONGEST_NAME} are the most", name.len()));
            }
            if name.trim() != *name {
                return Err("has a name that begins or ends with a blank".to_owned());
            }
        }
        // Two spellings of one letter would be two files that look the same.
        let path = if is_nfc(path) { path.to_owned() } else { path.nfc().collect() };
        Ok(FilePath(path))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is_root(&self) -> bool {
        self.0 == ROOT
    }

    pub(super) fn is_below(&self, folder: &FilePath) -> bool {
        self.0.strip_prefix(&folder.0).is_some_and(|rest| rest.starts_with('/'))
    }

    /// The folders it lies in, the nearest first, without the root.
    pub(super) fn folders(&self) -> impl Iterator<Item = FilePath> {
        let ends = self.0.match_indices('/').map(|(at, _)| at).filter(|at| *at > ROOT.len());
        let folders: Vec<FilePath> = ends.map(|end| FilePath(self.0[..end].to_owned())).collect();
        folders.into_iter().rev()
    }

    /// Where it stands when `old`, itself or a folder around it, becomes `new`.
    pub(super) fn moved(&self, old: &FilePath, new: &FilePath) -> Result<FilePath, String> {
        let rest = self.0.strip_prefix(&old.0).unwrap_or_default();
        FilePath::new(&format!("{new}{rest}"))
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Is there a `..` in it, as it stands or once an encoding or a lookalike is resolved?
fn climbs(given: &str) -> bool {
    let mut text: String = given
        .nfkc()
        .map(|c| {
            if is_slash(c) {
                '/'
            } else if is_dot(c) {
                '.'
            } else {
                c
            }
        })
        .collect();
    for _ in 0..MOST_DECODINGS {
        if text.split(['/', '\\']).any(|name| name.trim().starts_with("..") && name.trim().trim_matches('.').is_empty())
        {
            return true;
        }
        let decoded = decoded(&text);
        if decoded == text {
            return false;
        }
        // An encoded separator or an encoded nothing is never meant.
        if decoded.matches(['/', '\\', '\0']).count() > text.matches(['/', '\\', '\0']).count() {
            return true;
        }
        text = decoded;
    }
    true
}

/// `%2e` becomes a dot; what is no encoding stays. `%c0%ae` is an overlong dot, which careless decoders take for one.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    let text = String::from_utf8_lossy(&out);
    // Overlong forms of `.`, `/` and `\` are no UTF-8 and have become replacement characters.
    if out.windows(2).any(|pair| matches!(pair, [0xc0 | 0xc1, _])) {
        text.replace('\u{fffd}', "/")
    } else {
        text.into_owned()
    }
}

fn is_slash(character: char) -> bool {
    matches!(character, '\u{2044}' | '\u{2215}' | '\u{29f8}' | '\u{ff0f}' | '\u{ff3c}' | '\u{2216}' | '\u{29f5}')
}

fn is_dot(character: char) -> bool {
    matches!(character, '\u{2024}' | '\u{ff0e}' | '\u{fe52}' | '\u{3002}' | '\u{ff61}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_below_the_root_are_taken() {
        for path in [
            "/memories",
            "/memories/a.md",
            "/memories/a/b c/d.txt",
            "/memories/.hidden",
            "/memories/100%.md",
            "/memories/a..b",
            "/memories/v1...x",
        ] {
            assert_eq!(FilePath::new(path).unwrap().as_str(), path);
        }
        assert_eq!(FilePath::new("/memories/").unwrap().as_str(), "/memories");
        assert_eq!(FilePath::new("/memories/notes/").unwrap().as_str(), "/memories/notes");
        assert_eq!(FilePath::new("/memories/cafe\u{301}.md").unwrap().as_str(), "/memories/caf\u{e9}.md");
    }

    #[test]
    fn ways_out_are_refused_however_they_are_written() {
        for path in [
            "/memories/../etc/passwd",
            "/memories/a/../../x",
            "/memories/..",
            "/memories/.. /x",
            "..",
            "/memories/./x",
            "/memories/%2e%2e/x",
            "/memories/%2E%2e%2Fx",
            "/memories/..%2fx",
            "/memories/%252e%252e%252fx",
            "/memories/%25252e%25252e/x",
            "/memories/..\\x",
            "/memories\\..\\x",
            "/memories/..%5cx",
            "/memories/%c0%ae%c0%ae/x",
            "/memories/%c0%af..",
            "/memories/\u{ff0e}\u{ff0e}/x",
            "/memories/\u{2024}\u{2024}/x",
            "/memories/..\u{2215}x",
            "/memories/.../x",
            "/memories/a%2fb",
            "/memories/a%00.md",
        ] {
            assert!(FilePath::new(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn what_is_no_path_of_ours_is_refused() {
        for path in [
            "",
            "/",
            "memories/a",
            "/memoriesx/a",
            "/memory/a",
            "/etc/passwd",
            "//memories/a",
            "/memories//a",
            "/memories/a//",
            "/memories/a\0b",
            "/memories/a\nb",
            "/memories/a\u{202e}b",
            "/memories/a\u{200b}",
            "/memories/ a",
            "C:\\memories",
            "~/memories",
        ] {
            assert!(FilePath::new(path).is_err(), "{path:?}");
        }
        assert!(FilePath::new(&format!("/memories/{}", "a".repeat(256))).is_err());
        assert!(FilePath::new(&format!("/memories{}", "/a".repeat(21))).is_err());
        assert!(FilePath::new(&format!("/memories/{}", "a/".repeat(600))).is_err());
    }

    #[test]
    fn folders_stand_around_a_file() {
        let path = FilePath::new("/memories/a/b/c.md").unwrap();
        let folders: Vec<String> = path.folders().map(|folder| folder.to_string()).collect();
        assert_eq!(folders, ["/memories/a/b", "/memories/a"]);
        let (a, b) = (FilePath::new("/memories/a").unwrap(), FilePath::new("/memories/ab").unwrap());
        assert!(path.is_below(&a) && !path.is_below(&b) && !a.is_below(&a));
        assert_eq!(path.moved(&a, &b).unwrap().as_str(), "/memories/ab/b/c.md");
    }

    proptest::proptest! {
        #[test]
        fn what_is_taken_stays_below_the_root(text in "(?s)/memories[/.%2eE\\\\a-c\u{ff0e}]{0,24}") {
            if let Ok(path) = FilePath::new(&text) {
                let names: Vec<&str> = path.as_str().split('/').collect();
                proptest::prop_assert!(names.len() >= 2 && names[1] == "memories");
                proptest::prop_assert!(names[2..].iter().all(|name| !name.is_empty() && *name != "." && *name != ".."));
                proptest::prop_assert_eq!(FilePath::new(path.as_str()).unwrap(), path);
            }
        }

        #[test]
        fn any_text_is_survived(text in "(?s).{0,80}") {
            let _ = FilePath::new(&text);
        }
    }
}
