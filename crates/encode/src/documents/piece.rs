//! The making of drafts from pieces of documents: ids that last, anchors found in the words, lengths kept. It must not
//! decide what deserves remembering.

use std::collections::BTreeSet;

use super::{outline::Section, place};
use crate::prose;
use lokid_model::{Draft, Kind, MemoryId, Source};

const MOST_FILES: usize = 8;
const TITLE: usize = 100;

/// Where a draft comes from: enough to name it again after the document was edited.
pub(super) fn key(kind: Kind, path: &str, parts: &[&str]) -> MemoryId {
    let mut hasher = blake3::Hasher::new();
    hasher.update(path.as_bytes());
    for part in parts {
        hasher.update(&[0]);
        hasher.update(prose::fold(part).as_bytes());
    }
    let hash = hasher.finalize().to_hex();
    MemoryId::new(&format!("{}-doc-{}", kind.id_prefix(), &hash.as_str()[..16]))
        .expect("hex and a prefix are path-safe")
}

/// A draft that knows its document, with the files its words name as anchors.
pub(super) fn draft(kind: Kind, path: &str, id: MemoryId, title: &str, text: String) -> Draft {
    let mut draft = Draft::new(kind, text);
    draft.id = Some(id);
    draft.title = prose::cut(title, TITLE);
    draft.source = Some(Source::Import);
    draft.sources = vec![path.to_owned()];
    let scope = place::scope(path);
    if !scope.is_empty() {
        draft.tags.push(scope.clone());
        draft.files.push(scope);
    }
    draft
}

pub(super) fn tag(draft: &mut Draft, tag: &str) {
    if !draft.tags.iter().any(|known| known == tag) {
        draft.tags.push(tag.to_owned());
    }
}

/// Adds the files that raw text names: relative links, and paths in backticks.
pub(super) fn anchor(draft: &mut Draft, document: &str, raw: &str) {
    let mut seen: BTreeSet<String> = draft.files.iter().cloned().collect();
    for file in linked_files(document, raw).into_iter().chain(quoted_files(raw)) {
        if draft.files.len() >= MOST_FILES {
            return;
        }
        if seen.insert(file.clone()) {
            draft.files.push(file);
        }
    }
}

/// Documents that the text links to, as paths of the repository.
pub(super) fn linked_files(document: &str, raw: &str) -> Vec<String> {
    let links = raw.match_indices("](").filter_map(|(at, _)| {
        let address = prose::head(&raw[at + 2..], 400);
        let address = &address[..address.find(')')?];
        let image = [".png", ".jpg", ".jpeg", ".svg", ".gif", ".webp"].iter().any(|end| address.ends_with(end));
        let named = address.rsplit('/').next()?.contains('.') && !address.starts_with('#') && !image;
        named.then(|| place::resolve(document, address)).flatten()
    });
    links.take(4 * MOST_FILES).collect()
}

fn quoted_files(raw: &str) -> Vec<String> {
    let spans = raw.split('`').skip(1).step_by(2).take(200);
    spans
        .map(str::trim)
        .filter(|span| looks_like_path(span))
        .map(|span| span.trim_start_matches("./").to_owned())
        .collect()
}

/// `src/main.rs`, `Cargo.toml`, `tests/`: no blanks, no patterns, and a folder or a known sort of name.
fn looks_like_path(span: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    let well_formed = (3..=160).contains(&span.len()) && span.chars().all(plain) && !span.starts_with(['/', '-']);
    let file = span.rsplit('/').next().unwrap_or("");
    let extension = file.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, extension)| extension);
    let known = [
        "rs", "py", "ts", "tsx", "js", "jsx", "go", "java", "rb", "c", "h", "cpp", "toml", "json", "md", "yml", "yaml",
        "sh", "sql", "html", "css", "cs", "kt", "swift", "proto", "lock", "txt", "ini", "cfg", "bazel", "vue",
    ];
    let domain = span.split('/').next().is_some_and(|first| {
        span.contains('/') && [".com", ".org", ".io", ".dev", ".net"].iter().any(|end| first.ends_with(end))
    });
    well_formed
        && !domain
        && !span.contains("..")
        && (known.contains(&extension) || (span.ends_with('/') && span.len() > 3))
}

/// `Setup › Tests`: the way to a section, without the title of the document.
pub(super) fn way(section: &Section) -> String {
    let mut names: Vec<&str> = section.above.iter().map(String::as_str).collect();
    names.push(&section.heading);
    if names.len() > 1 && !section.above.is_empty() && section.level > 1 {
        names.remove(0);
    }
    names.retain(|name| !name.is_empty());
    prose::cut(&names.join(" › "), TITLE)
}

/// Headings under which nothing stands that helps with the work.
pub(super) fn is_ceremony(heading: &str) -> bool {
    const WORDS: &str = "license|licence|licensing|contributors|acknowledgements|acknowledgments|acknowledgement|credits|\
        sponsors|backers|sponsor|sponsorship|code of conduct|table of contents|contents|thanks|donate|donating|funding|\
        authors|author|maintainers|star history|citation|citing|badges|community|support|links|see also|people|stargazers|\
        toc|role|persona";
    let heading = format!("{} ", prose::fold(heading));
    WORDS.split('|').any(|word| heading.starts_with(&format!("{word} ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_lasts_through_layout_and_changes_with_words() {
        let of = |text: &str| key(Kind::Note, "a.md", &[text]);
        assert_eq!(of("Use  `tabs`."), of("use tabs"));
        assert_ne!(of("use tabs"), of("use spaces"));
        assert_ne!(key(Kind::Note, "b.md", &["use tabs"]), of("use tabs"));
    }

    #[test]
    fn files_are_found_in_links_and_backticks() {
        let mut draft = Draft::new(Kind::Note, "");
        anchor(
            &mut draft,
            "docs/a.md",
            "See [b](./b.md), [web](https://x.y/z.md), `src/lib.rs`, `a..b`, `foo.bar()`, `tests/`",
        );
        assert_eq!(draft.files, ["docs/b.md", "src/lib.rs", "tests/"]);
    }
}
