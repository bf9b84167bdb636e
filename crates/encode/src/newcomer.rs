//! What somebody new to a repository asks first: how to build and test it, what its parts are, which files break again
//! and again, what was removed, what the code warns of, which test guards which bug, and who knows a part.
//!
//! Paths, texts and commits in, drafts out, each with its source. An id is made from what a draft is about, not from
//! what it says, so that a fact read again replaces the one before. It opens nothing, and everything is bounded.

mod cargo;
mod checks;
mod commands;
mod hotspots;
mod issues;
mod modules;
mod node;
mod others;
mod owners;
mod paths;
mod python;
mod removed;
mod run;
mod rust;
#[cfg(test)]
mod tests;
mod warnings;

use std::collections::BTreeMap;

pub use cargo::{FULL, TestTarget, features_declared, features_of_module, features_of_tests, test_target};
pub use commands::commands;
pub use hotspots::hotspots;
pub use issues::issues;
pub use modules::{Unit, modules};
pub use owners::{Changed, owners, recent_authors};
pub use paths::is_for_browsers;
pub use removed::{Removed, removed};
pub use run::{are_tests_of, cargo_of, features_of, run_of};
pub use warnings::{Warning, shortened, warnings};

use lokid_model::time::SECOND;
use lokid_model::{Body, Commit, Draft, Fact, Kind, MemoryId, Source, Timestamp};

/// Newest commits that are looked at.
pub const MOST_COMMITS: usize = 5_000;

/// The repository as far as this room needs it.
#[derive(Clone, Copy, Debug)]
pub struct Project<'a> {
    /// All tracked files, in order.
    pub paths: &'a [String],
    /// Those that [`reads`] wants, by path.
    pub texts: &'a BTreeMap<String, String>,
}

impl<'a> Project<'a> {
    fn text(&self, path: &str) -> Option<&'a str> {
        self.texts.get(path).map(String::as_str)
    }

    fn has(&self, path: &str) -> bool {
        self.paths.binary_search_by(|known| known.as_str().cmp(path)).is_ok()
    }

    /// Texts of this file name, nearest to the top first.
    fn named(&self, name: &str) -> Vec<(&'a str, &'a str)> {
        let is_it = |path: &str| path.rsplit('/').next() == Some(name);
        let mut found: Vec<(&str, &str)> = self
            .texts
            .iter()
            .filter(|(path, _)| is_it(path))
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        found.sort_by_key(|(path, _)| (path.matches('/').count(), *path));
        found
    }
}

/// Whether the text of a file matters here.
pub fn reads(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let at_top = folder.is_empty();
    let manifest = ["Cargo.toml", "package.json", "pyproject.toml", "go.mod"].contains(&name);
    #[rustfmt::skip]
    const SETTINGS: &[&str] = &[
        "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "pytest.ini", ".pre-commit-config.yaml", "mypy.ini",
        "rust-toolchain", "rust-toolchain.toml", "Taskfile.yml", "pom.xml", "build.gradle", "build.gradle.kts",
        "CMakeLists.txt", ".nvmrc",
    ];
    let built = at_top && crate::workflows::which(path).is_some();
    let service = crate::workflows::which(path).is_some() && folder.starts_with('.');
    let readme = name.eq_ignore_ascii_case("README.md") && !at_top && folder.matches('/').count() < 3;
    let owned = name == "CODEOWNERS" && ["", ".github", "docs"].contains(&folder);
    !paths::is_foreign(path) && (manifest || at_top && SETTINGS.contains(&name) || built || service || readme || owned)
}

/// One answer, before it is known beside which others it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) key: &'static str,
    pub(super) value: String,
    /// The file that says so.
    pub(super) source: String,
}

impl Answer {
    pub(super) fn new(key: &'static str, value: impl Into<String>, source: impl Into<String>) -> Answer {
        Answer { key, value: value.into(), source: source.into() }
    }
}

/// One fact, at home in the files it was read from.
fn fact(key: &str, scope: &str, value: String, text: String, source: &str) -> Draft {
    let body = Fact { key: key.to_owned(), value, scope: scope.to_owned() };
    Draft {
        title: text.clone(),
        importance: Some(0.6),
        confidence: Some(0.9),
        body: Body::Fact(Box::new(body)),
        ..draft(Kind::Fact, &format!("{key}\0{scope}"), text, source)
    }
}

/// `about` tells one draft from another.
fn draft(kind: Kind, about: &str, text: String, source: &str) -> Draft {
    let hash = blake3::hash(about.as_bytes()).to_hex();
    let sort = about.split('\0').next().filter(|_| kind != Kind::Fact).map(str::to_owned);
    Draft {
        id: MemoryId::new(&format!("{}-new-{}", kind.id_prefix(), &hash.as_str()[..16])),
        files: vec![source.to_owned()],
        sources: vec![source.to_owned()],
        source: Some(Source::Import),
        tags: std::iter::once("newcomer".to_owned()).chain(sort).collect(),
        ..Draft::new(kind, text)
    }
}

/// A draft that the history tells, as old as the commit.
fn from_commit(kind: Kind, about: &str, text: String, commit: &Commit) -> Draft {
    let at = Timestamp::from_micros(commit.time.saturating_mul(SECOND));
    Draft {
        files: Vec::new(),
        commits: vec![commit.id.clone()],
        timestamp: Some(at),
        updated_at: Some(at),
        source: Some(Source::Git),
        confidence: Some(0.8),
        ..draft(kind, about, text, &commit.id)
    }
}

/// `abc1234 2024-05-01`
fn named(commit: &Commit) -> String {
    let day = Timestamp::from_micros(commit.time.saturating_mul(SECOND)).day();
    format!("{} {day}", commit.id.get(..8).unwrap_or(&commit.id))
}

/// The subject in one line of a bearable length, without the number of its pull request.
fn subject(commit: &Commit) -> String {
    let line = commit.subject.trim();
    let line = line.rsplit_once(" (#").filter(|(_, rest)| rest.ends_with(')')).map_or(line, |(line, _)| line);
    super::prose::cut(line, 100)
}
