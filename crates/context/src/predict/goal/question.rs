//! What a goal asks for: its terms, the scope it names, and which sorts of files it speaks of.

use lokid_index::subjects::{Subjects, words};

/// Terms of a goal that are looked at: the rarest say most.
const MOST_TERMS: usize = 48;
const MOST_TERMS_READ: usize = 1_000;
/// Mentions of one term that are looked at, and of all; the newest come first, and rare terms.
const MOST_MENTIONS: usize = 1_500;
const MOST_MENTIONS_OF_ALL: usize = 10_000;

/// How much rarer words of paths count for more.
const PATH_RARITY: f64 = 0.75;

/// The terms that are asked for.
pub(super) struct Question<'a> {
    pub(super) terms: Vec<Term<'a>>,
    /// Files it names: words with a dot or a slash in them.
    pub(super) named: Vec<String>,
    /// `ssr` of `fix(ssr): …`, `docs` of `docs: …`.
    pub(super) scope: Vec<String>,
    /// Does it speak of documents, of the build?
    pub(super) sorts: [bool; 2],
}

pub(super) struct Term<'a> {
    pub(super) hash: u64,
    /// As it was written.
    pub(super) word: &'a str,
    /// Among subjects, and among paths.
    pub(super) rarity: f64,
    pub(super) path_rarity: f64,
    /// Mentions that are heard.
    pub(super) mentions: usize,
}

impl<'a> Question<'a> {
    pub(super) fn new(subjects: &Subjects, text: &'a str) -> Question<'a> {
        let mut terms: Vec<Term<'a>> = words(text, MOST_TERMS_READ)
            .into_iter()
            .filter(|(_, word)| !is_number(word))
            .map(|(hash, word)| Term {
                hash,
                word,
                rarity: rarity(subjects.commits(), subjects.said_by(hash)),
                path_rarity: rarity(subjects.files(), subjects.with_path(hash).len()).powf(PATH_RARITY),
                mentions: subjects.said_by(hash).min(MOST_MENTIONS),
            })
            .collect();
        if terms.len() > MOST_TERMS {
            // A long text is about what is known of it.
            terms.retain(|term| term.mentions > 0 || !subjects.with_path(term.hash).is_empty());
        }
        terms.sort_by(|one, other| other.rarity.total_cmp(&one.rarity).then(one.hash.cmp(&other.hash)));
        terms.truncate(MOST_TERMS);
        let mut room = MOST_MENTIONS_OF_ALL;
        for term in &mut terms {
            term.mentions = term.mentions.min(room);
            room -= term.mentions;
        }
        let names = text
            .split_whitespace()
            .take(MOST_TERMS_READ)
            .map(|word| word.trim_matches(|sign: char| !sign.is_alphanumeric()));
        let named = names.filter(|word| word.contains(['.', '/']) && word.len() > 3).map(str::to_lowercase).collect();
        Question { terms, named, scope: scope(text), sorts: sorts(text) }
    }
}

/// `12`, `10.30.3`, `v2`: a ticket or a version is no word.
pub(super) fn is_number(word: &str) -> bool {
    !word.trim_start_matches(['v', 'V']).contains(char::is_alphabetic)
}

/// Of so many, so many have it.
fn rarity(all: usize, with: usize) -> f64 {
    let (all, with) = (all as f64, with as f64);
    (1.0 + (all - with).max(0.0) / (with + 0.5) + 0.5 / (with + 0.5)).ln()
}

const MOST_SCOPE: usize = 60;

/// `ssr` of `fix(ssr): …`.
pub fn scope(text: &str) -> Vec<String> {
    let Some((head, _)) = text.split_once(':').filter(|(head, _)| head.len() <= MOST_SCOPE) else { return Vec::new() };
    let words = head.split(|sign: char| !(sign.is_alphanumeric() || sign == '_' || sign == '-'));
    words.filter(|word| word.len() > 1).map(str::to_lowercase).collect()
}

const OF_TEXTS: &[&str] = &[
    "doc",
    "docs",
    "documentation",
    "document",
    "readme",
    "typo",
    "typos",
    "guide",
    "tutorial",
    "example",
    "examples",
];
const OF_THE_BUILD: &[&str] = &[
    "ci",
    "build",
    "deps",
    "dependency",
    "dependencies",
    "workflow",
    "workflows",
    "action",
    "actions",
    "release",
    "bump",
    "version",
    "upgrade",
    "lint",
    "packaging",
    "docker",
    "makefile",
    "toolchain",
    "msrv",
];

/// Is a goal about documents, about the build?
pub fn sorts(text: &str) -> [bool; 2] {
    let words: Vec<String> =
        text.split(|sign: char| !sign.is_alphanumeric()).take(MOST_TERMS_READ).map(str::to_lowercase).collect();
    [OF_TEXTS, OF_THE_BUILD].map(|sort| words.iter().any(|word| sort.contains(&word.as_str())))
}

/// Is a file a document, or part of the build?
pub(super) fn sorts_of(path: &str) -> [bool; 2] {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    let is_text =
        ends(&[".md", ".rst", ".txt", ".adoc", ".mdx"]) || path.starts_with("docs/") || path.starts_with("doc/");
    let is_build = path.starts_with('.')
        || ends(&[".toml", ".yml", ".yaml", ".cfg", ".ini", ".mod", ".nix", ".lock"])
        || ["package.json", "setup.py", "Makefile", "Dockerfile", "build.rs", "Justfile"].contains(&name);
    [is_text, is_build]
}
