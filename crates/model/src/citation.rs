//! How a memory is marked where it is handed out, and how an answer names what it applied. Says nothing of whether
//! the memory named exists.

use std::collections::BTreeSet;

use super::{Key, Kind, MemoryId, Tier};

/// Stands before memories that were handed out; attributes may follow the name.
pub const OPEN: &str = "<lokid-memory>";
/// Stands behind them.
pub const CLOSE: &str = "</lokid-memory>";

/// No answer applies more than this; a longer list is not an answer.
const MOST: usize = 256;
/// In bytes. What stands between brackets further apart is prose.
const LONGEST: usize = 512;
const HANDLE_DIGITS: usize = 8;

/// A memory as an answer names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cited {
    /// Eight hexadecimal digits in lower case: see [`handle`].
    Handle(String),
    /// An id as written; `[skill: Name]` becomes the id such a skill has.
    Id(String),
}

impl Cited {
    /// A name that leads back to the memory: an id, or a mark such as `M:1a2b3c4d`.
    pub fn into_name(self) -> String {
        match self {
            Cited::Handle(digits) => format!("M:{digits}"),
            Cited::Id(id) => id,
        }
    }
}

/// What stands for a memory in handed-out text: short, the same on every machine, and free of the id's own words.
pub fn handle(key: &Key) -> String {
    let name = format!("{}/{}", key.namespace, key.id);
    blake3::hash(name.as_bytes()).to_hex()[..HANDLE_DIGITS].to_owned()
}

/// `M:1a2b3c4d` for a mandate, `G:…` for a guardrail, `R:…` for everything else; without the brackets.
pub fn mark(tier: Tier, key: &Key) -> String {
    let letter = match tier {
        Tier::Mandate => 'M',
        Tier::Guardrail => 'G',
        Tier::Reference | Tier::Archive => 'R',
    };
    format!("{letter}:{}", handle(key))
}

/// The memories a text says were applied, in order and once each. What stands in a block of ours was handed out, not
/// said: a quoted block cites nothing.
pub fn cited(text: &str) -> Vec<Cited> {
    let mut found = Found::default();
    let mut rest = text;
    // Looked for once only: text full of openings that nothing closes stays linear.
    let mut may_close = true;
    while let Some(at) = opening(rest) {
        found.read(&rest[..at]);
        let block = &rest[at..];
        let closed = if may_close { block.find(CLOSE).map(|end| end + CLOSE.len()) } else { None };
        may_close = closed.is_some();
        // Our blocks hold no empty line, so one that lost its end stops there.
        let end = closed.or_else(|| block.find("\n\n")).unwrap_or(block.len());
        rest = &block[end..];
    }
    found.read(rest);
    found.in_order
}

/// Where the next block of ours begins.
fn opening(text: &str) -> Option<usize> {
    let name = &OPEN[..OPEN.len() - 1];
    let begins = |at: usize| {
        let next = text.as_bytes().get(at + name.len());
        next.is_some_and(|byte| *byte == b'>' || byte.is_ascii_whitespace())
    };
    text.match_indices(name).map(|(at, _)| at).find(|at| begins(*at))
}

#[derive(Default)]
struct Found {
    in_order: Vec<Cited>,
    known: BTreeSet<Cited>,
}

impl Found {
    fn read(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut rest = 0;
        while let Some(open) = text[rest..].find('[').map(|at| rest + at) {
            rest = open + 1;
            // Brackets and line ends are ASCII: no cut falls into a character.
            let window = &bytes[rest..bytes.len().min(rest + LONGEST)];
            let Some(length) = window.iter().position(|byte| matches!(byte, b']' | b'[' | b'\n')) else { continue };
            if window[length] != b']' {
                continue;
            }
            for piece in text[rest..rest + length].split([',', ';']) {
                if self.in_order.len() == MOST {
                    return;
                }
                self.keep(one(piece));
            }
            rest += length + 1;
        }
    }

    fn keep(&mut self, cited: Option<Cited>) {
        if let Some(cited) = cited
            && self.known.insert(cited.clone())
        {
            self.in_order.push(cited);
        }
    }
}

/// One name of a list. Markdown leaves backslashes and backticks around it.
fn one(piece: &str) -> Option<Cited> {
    let piece = piece.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\\' | '`' | '*'));
    if let Some((word, name)) = piece.split_once(':') {
        let (word, name) = (word.trim(), name.trim());
        if word.eq_ignore_ascii_case("skill") {
            return skill_id(name).map(Cited::Id);
        }
        let marked = ["M", "G", "R"].iter().any(|letter| word.eq_ignore_ascii_case(letter));
        let digits = name.len() == HANDLE_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if marked {
            return digits.then(|| Cited::Handle(name.to_ascii_lowercase()));
        }
    }
    // In Markdown an underscore may carry a backslash.
    let piece = piece.replace("\\_", "_");
    // Outside the default namespace an id is shown behind the name of its own.
    let id = piece.split_once('/').map_or(piece.as_str(), |(_, id)| id);
    let (prefix, tail) = id.split_once('-')?;
    let ours = prefix == "episode" || Kind::ALL.iter().any(|kind| kind.id_prefix() == prefix);
    (ours && !tail.is_empty() && MemoryId::new(id).is_some()).then(|| Cited::Id(piece.clone()))
}

/// The id a skill of this name has.
fn skill_id(name: &str) -> Option<String> {
    let mut id = "skill".to_owned();
    for word in name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        id.push('-');
        id.push_str(&word.to_ascii_lowercase());
    }
    (id.len() > "skill".len() && id.len() <= MemoryId::MAX_LEN).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Namespace;

    fn check(text: &str, expect: &[&str]) {
        let shown: Vec<String> = cited(text)
            .into_iter()
            .map(|cited| match cited {
                Cited::Handle(digits) => format!("#{digits}"),
                Cited::Id(id) => id,
            })
            .collect();
        assert_eq!(shown, expect, "{text:?}");
    }

    fn key(namespace: &str, id: &str) -> Key {
        Key::new(&Namespace::new(namespace).unwrap(), &MemoryId::new(id).unwrap())
    }

    #[test]
    fn a_handle_depends_on_the_namespace_and_the_id_alone() {
        let handle_of = |namespace, id| handle(&key(namespace, id));
        assert_eq!(handle_of("default", "sem-001"), handle_of("default", "sem-001"));
        assert_ne!(handle_of("default", "sem-001"), handle_of("team", "sem-001"));
        assert_eq!(handle_of("default", "sem-001").len(), 8);
    }

    #[test]
    fn a_mark_is_found_again_in_an_answer() {
        let key = key("default", "sem-001");
        for (tier, letter) in [(Tier::Mandate, "M:"), (Tier::Guardrail, "G:"), (Tier::Reference, "R:")] {
            let mark = mark(tier, &key);
            assert!(mark.starts_with(letter));
            assert_eq!(cited(&format!("Applied: [{mark}]")), [Cited::Handle(handle(&key))]);
        }
    }

    #[test]
    fn marks_are_read_in_any_case_escaped_or_listed() {
        check("Applied: [M:1a2b3c4d], [G:00ff00ff].", &["#1a2b3c4d", "#00ff00ff"]);
        check("[m:1A2B3C4D] and again [M:1a2b3c4d]", &["#1a2b3c4d"]);
        check("Applied: \\[M:1a2b3c4d\\] \\[R: deadbeef \\]", &["#1a2b3c4d", "#deadbeef"]);
        check("[M:aaaa1111, G:bbbb2222; `R:cccc3333`]", &["#aaaa1111", "#bbbb2222", "#cccc3333"]);
    }

    #[test]
    fn what_only_looks_like_a_mark_is_none() {
        check("[M:1a2b3c4] [M:1a2b3c4dd] [X:1a2b3c4d] [M:1a2b3c4g] M:1a2b3c4d [M:1a2b\n3c4d] [M:…]", &[]);
        check("[x] [ ] [1] [link](https://example.org) [todo: this] [sem] [sem-]", &[]);
    }

    #[test]
    fn plain_ids_and_names_of_skills_are_found() {
        check(
            "- [sem-001] a, [ep-2026-01-05-012](x), [skill: API Endpoint]",
            &["sem-001", "ep-2026-01-05-012", "skill-api-endpoint"],
        );
        check("[team/sem-001] [dec-0a1b] [skill:]", &["team/sem-001", "dec-0a1b"]);
        check("[[sem-001]] [code\\-1] [fact-a\\_b]", &["sem-001", "fact-a_b"]);
    }

    #[test]
    fn a_quoted_block_of_ours_cites_nothing() {
        let block = format!("{OPEN}\n## Mandates\n- [M:1a2b3c4d] x\n{CLOSE}");
        check(&block, &[]);
        check(&format!("[M:aaaa1111]{block}[M:bbbb2222]"), &["#aaaa1111", "#bbbb2222"]);
        check("<lokid-memory tokens=\"9\">[M:1a2b3c4d]</lokid-memory> [sem-1]", &["sem-1"]);
        check("<lokid-memory-x>[M:1a2b3c4d]", &["#1a2b3c4d"]);
    }

    #[test]
    fn a_block_that_lost_its_end_stops_at_an_empty_line() {
        check(&format!("{OPEN}\n- [M:1a2b3c4d] x\n\nApplied: [G:bbbb2222]"), &["#bbbb2222"]);
        check(&format!("{OPEN}\n- [M:1a2b3c4d] x"), &[]);
    }

    #[test]
    fn at_most_so_many_are_read() {
        let text: String = (0..1000).map(|number| format!("[M:{number:08x}]")).collect();
        assert_eq!(cited(&text).len(), MOST);
    }

    #[test]
    fn large_texts_complete() {
        for piece in [OPEN, "[", "[M:", "]", "[M:1a2b3c4d,", "<lokid-memory ", "\n\n<lokid-memory>"] {
            let text = piece.repeat((4 << 20) / piece.len());
            assert!(cited(&text).len() <= MOST);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(parts in proptest::collection::vec(proptest::sample::select(vec![
            OPEN, CLOSE, "<lokid-memory a=1>", "[", "]", "\\[", "\\]", "M:1a2b3c4d", "skill: é", "sem-1", ",",
            "\n", "\n\n", "é",
        ]), 0..24)) {
            let found = cited(&parts.concat());
            let once: BTreeSet<_> = found.iter().collect();
            proptest::prop_assert_eq!(once.len(), found.len());
        }

        #[test]
        fn any_characters_are_survived(text in "(?s).{0,200}") {
            proptest::prop_assert!(cited(&text).len() <= MOST);
        }
    }
}
