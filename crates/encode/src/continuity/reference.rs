//! Memories that a text names by id: `[sem-001]`, `[ep-…]`, `[skill: …]`, `[M:1a2b3c4d]`.

use crate::excerpt::head;
use lokid_model::Kind;

const MOST: usize = 500;
const LONGEST: usize = 140;

/// A memory as a text names it. Whether it exists is for others to find out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// As written, without the brackets and the word before the colon.
    pub id: String,
    pub kind: ReferenceKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceKind {
    /// A whole id, of the kind its beginning tells.
    Id(Kind),
    /// The name of a skill.
    SkillName,
    /// The first eight digits that stand for a memory in injected text.
    Short,
}

/// Every memory a text names, once each, in the order of the text.
pub(super) fn references(text: &str) -> Vec<Reference> {
    let mut found: Vec<Reference> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('[') {
        rest = &rest[start + 1..];
        let Some(end) = head(rest, LONGEST).find([']', '[', '\n']) else { continue };
        if rest.as_bytes()[end] == b']'
            && let Some(reference) = one(rest[..end].trim())
            && !found.contains(&reference)
        {
            found.push(reference);
            if found.len() == MOST {
                break;
            }
        }
    }
    found
}

fn one(inner: &str) -> Option<Reference> {
    if let Some((word, name)) = inner.split_once(':') {
        let name = name.trim();
        let named = match word.trim() {
            "M" | "m" => {
                (name.len() == 8 && name.bytes().all(|b| b.is_ascii_hexdigit())).then_some(ReferenceKind::Short)
            }
            word if word.eq_ignore_ascii_case("skill") => (!name.is_empty()).then_some(ReferenceKind::SkillName),
            _ => None,
        };
        return named.map(|kind| Reference { id: name.to_owned(), kind });
    }
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let (prefix, tail) = inner.split_once('-')?;
    let kind = match prefix {
        "episode" => Kind::Episode,
        prefix => *Kind::ALL.iter().find(|kind| kind.id_prefix() == prefix)?,
    };
    // A word in brackets is no id: ids of ours and of Loki Mode carry a number or a hash, skills a name.
    let numbered = kind == Kind::Skill || tail.bytes().any(|byte| byte.is_ascii_digit());
    (!tail.is_empty() && inner.bytes().all(safe) && numbered)
        .then(|| Reference { id: inner.to_owned(), kind: ReferenceKind::Id(kind) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_and_words_in_brackets_are_not() {
        let text = "- [sem-001] a [ep-2026-01-05-012](x) [skill: api-implementation] [M:1a2b3c4d] [sem-001] \
            [x] [ ] [note-taking] [todo: this] [code-review] [skill-api] [M:zz] [episode-20260105101112-0a1b2c3d] [[";
        let found: Vec<String> = references(text).into_iter().map(|reference| reference.id).collect();
        let expect = [
            "sem-001",
            "ep-2026-01-05-012",
            "api-implementation",
            "1a2b3c4d",
            "skill-api",
            "episode-20260105101112-0a1b2c3d",
        ];
        assert_eq!(found, expect);
        assert_eq!(references("[skill: x]")[0].kind, ReferenceKind::SkillName);
        assert_eq!(references("[sem-001]")[0].kind, ReferenceKind::Id(Kind::Pattern));
    }
}
