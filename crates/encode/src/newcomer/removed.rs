//! What went and what stands in its place: said by a commit, and borne out by the files of today. Only names that are
//! clearly names count; a sentence that needs interpretation gives nothing.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::hotspots::is_by_program;
use super::{from_commit, named, paths, subject};
use crate::prose;
use lokid_model::{Commit, Draft, Kind};

const MOST: usize = 40;
const MOST_FILES: usize = 40;
const MOST_ANCHORS: usize = 6;
const LATE_DAYS: i64 = 3 * 365;

/// A name: in backticks, or with a sign that prose does not have.
const NAME: &str = r"(`[^`\s]+`|[A-Za-z0-9_.:\-]*[A-Za-z0-9_](?:_|::|\.)[A-Za-z0-9_][A-Za-z0-9_.:]*(?:\(\))?|[A-Z][a-z0-9]+[A-Z][A-Za-z0-9_]*|[a-z]+[A-Z][A-Za-z0-9_]*|--[A-Za-z0-9_\-]+|[A-Za-z0-9_]+\(\))";

static SAYINGS: LazyLock<Vec<(Regex, bool)>> = LazyLock::new(|| {
    let make = |pattern: &str| Regex::new(&pattern.replace("NAME", NAME)).expect("the patterns are fixed");
    let kind = r"(?:(?:method|function|class|struct|trait|type|option|flag|field|property|attribute|setting|module|crate|package|argument|parameter|macro|hook|helper|event|command) )?";
    [
        (r"(?i:remove[sd]?|drop(?:s|ped)?|delete[sd]?) (?:the )?(?:deprecated |legacy |old |unused )?KIND(?-i:NAME)(?: KIND)?(?:,? in favou?r of|[,;.] use|, replaced (?:by|with)) (?:the )?(?:new )?KIND(?-i:NAME)", false),
        (r"(?i:replace[sd]?) (?:the )?(?:deprecated |legacy |old |all )?(?:usages? of |uses? of |calls? to )?KIND(?-i:NAME)(?: KIND)? (?i:with|by) (?:the )?(?:new )?KIND(?-i:NAME)", false),
        (r"(?i:rename[sd]?) (?:the )?KIND(?-i:NAME) (?i:to|into|as|->|→|=>) (?:the )?KIND(?-i:NAME)", false),
        (r"(?i:use[sd]?) (?:the )?(?:new )?KIND(?-i:NAME) (?i:instead of|in place of) (?:the )?(?:deprecated )?KIND(?-i:NAME)", true),
        (r"(?i:switch(?:ed)?|migrate[sd]?|move[sd]?) from KIND(?-i:NAME) to KIND(?-i:NAME)", false),
    ]
    .iter()
    .map(|(pattern, swapped)| (make(&format!("^{}", pattern.replace("KIND", kind))), *swapped))
    .collect()
});

/// One that the files of the commit bear out.
#[derive(Clone, Debug, PartialEq)]
pub struct Removed {
    /// The word that must not stand in any file of today.
    pub word: String,
    pub draft: Draft,
}

/// `occurs` says whether a word is defined anywhere or stands in the files given; `today` is how a path is called now,
/// if it stands.
pub fn removed(
    commits: &[Commit],
    today: &dyn Fn(&str) -> Option<String>,
    occurs: &dyn Fn(&str, &[String]) -> bool,
) -> Vec<Removed> {
    let newest = commits.first().map_or(0, |commit| commit.time);
    let mut told = Vec::new();
    let mut seen = BTreeSet::new();
    for commit in commits.iter().take(super::MOST_COMMITS) {
        let is_late = newest.saturating_sub(commit.time) <= LATE_DAYS * 86_400;
        if told.len() == MOST || !is_late {
            break;
        }
        if commit.is_merge() || is_by_program(commit) || commit.files.len() > MOST_FILES {
            continue;
        }
        let Some((gone, instead)) = exchanged(commit) else { continue };
        let sources = commit.files.iter().map(|file| file.path.as_str()).filter(|path| paths::is_source(path));
        let files: Vec<String> = sources.filter_map(today).collect();
        let (old, new) = (last_name(&gone), last_name(&instead));
        let is_exchange = old != new && old.len() > 2 && new.len() > 2 && !files.is_empty();
        if !is_exchange || occurs(old, &files) || !occurs(new, &files) || !seen.insert(gone.clone()) {
            continue;
        }
        let text = format!("`{gone}` went in {}; use `{instead}`. ({})", named(commit), subject(commit));
        let draft = Draft {
            title: format!("{gone} went; use {instead}"),
            files: files.into_iter().take(MOST_ANCHORS).collect(),
            importance: Some(0.45),
            ..from_commit(Kind::Note, &format!("removed\0{gone}"), text, commit)
        };
        told.push(Removed { word: old.to_owned(), draft });
    }
    told
}

/// What a commit puts in place of what.
fn exchanged(commit: &Commit) -> Option<(String, String)> {
    // A list in a long message is about the work, not about what came of it.
    let declared = |line: &&str| line.contains("deprecated") || line.contains("in favor of");
    let lines = std::iter::once(commit.subject.as_str()).chain(commit.body.lines().take(20).filter(declared));
    for line in lines {
        let line = prose::head(line.trim().trim_start_matches(['-', '*', ' ']), 300);
        // `fix(scope): `, `area: `
        let plain = line
            .split_once(": ")
            .filter(|(area, _)| area.len() < 30 && !area.contains('`'))
            .map_or(line, |(_, rest)| rest);
        // Few lines begin with one of the verbs, and looking closely at all would take its time.
        let verb = prose::head(plain, 4).to_lowercase();
        if !["remo", "drop", "dele", "repl", "rena", "use ", "used", "uses", "swit", "migr", "move"]
            .contains(&verb.as_str())
        {
            continue;
        }
        for (saying, swapped) in SAYINGS.iter() {
            if let Some(found) = saying.captures(plain) {
                let name =
                    |at: usize| found.get(at).map(|name| name.as_str().trim_matches(['`', '.', ',', ':']).to_owned());
                let (first, second) = (name(1)?, name(2)?);
                let pair = if *swapped { (second, first) } else { (first, second) };
                return Some(pair).filter(|(gone, instead)| is_name(gone) && is_name(instead));
            }
        }
    }
    None
}

fn is_name(text: &str) -> bool {
    text.chars().any(char::is_alphabetic) && text.len() <= 60 && !text.contains("..") && !text.starts_with("http")
}

/// `a::b::C<T>` is called C, `x.y()` is called y, `--flag` flag.
fn last_name(name: &str) -> &str {
    let bare = name.split(['(', '<', '[', '=', '{']).next().unwrap_or(name);
    let last = bare.rsplit([':', '.', '/', '#', '@', '!']).find(|part| !part.is_empty()).unwrap_or(bare);
    last.trim_start_matches('-')
}
