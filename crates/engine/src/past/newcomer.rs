//! What somebody new to the repository would ask: commands, modules, owners and warnings from the files as they stand,
//! and what breaks, went or is guarded by a test from the newest commits. Taught as one chapter, so that whatever a
//! file no longer says is gone with it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use aho_corasick::AhoCorasick;

use super::{Chapter, Lesson, PastWorker};
use crate::ground::LARGEST_CODE;
use lokid_encode::code::Language;
use lokid_encode::newcomer::{self, Changed, MOST_COMMITS, Project, Removed};
use lokid_model::{Draft, Memory, Timestamp};
use lokid_sys::git::head;

/// Build files, owners and READMEs of folders; those nearest to the top go before.
const MOST_FILES: usize = 400;
const LARGEST: u64 = 512 << 10;
const MOST_WARNINGS: usize = 200;

#[derive(Default)]
pub(super) struct Newcomer {
    /// Without secrets, by path.
    texts: BTreeMap<String, String>,
    from_history: Vec<Arc<Memory>>,
    /// The commit up to which the history was looked at.
    head: Option<String>,
}

impl PastWorker {
    pub(super) fn read_newcomer(&mut self, files: &[String]) {
        let mut wanted: Vec<&String> = files.iter().filter(|path| newcomer::reads(path)).collect();
        wanted.sort_by_key(|path| (path.matches('/').count(), *path));
        wanted.truncate(MOST_FILES);
        self.begin(Chapter::Newcomer, wanted.len());
        self.newcomer.texts.clear();
        for path in wanted {
            if self.is_stopping() {
                return;
            }
            self.step();
            self.read_build_file(path);
        }
        self.look_back(files);
        self.teach_newcomer(files);
    }

    /// After the code and the history, which it is made from.
    pub(super) fn read_changed_newcomer(&mut self, paths: &BTreeSet<String>, head_moved: bool) {
        let is_told = |path: &String| newcomer::reads(path) || Language::of(path).is_some();
        if self.is_stopping() || !head_moved && !paths.iter().any(is_told) {
            return;
        }
        let files = self.all_files();
        for path in paths.iter().filter(|path| newcomer::reads(path)) {
            self.newcomer.texts.remove(path);
            if self.newcomer.texts.len() < MOST_FILES && files.contains(path) {
                self.read_build_file(path);
            }
        }
        if head_moved {
            self.look_back(&files);
        }
        self.teach_newcomer(&files);
    }

    fn read_build_file(&mut self, path: &str) {
        if let Some(text) = self.text_of(path, LARGEST) {
            self.newcomer.texts.insert(path.to_owned(), self.env.redaction.text(&text));
        }
    }

    fn teach_newcomer(&mut self, files: &[String]) {
        let project = Project { paths: files, texts: &self.newcomer.texts };
        let stats = || files.iter().filter_map(|path| self.cochange.stats(path)).filter(|stats| !stats.gone);
        let changed: Vec<Changed<'_>> =
            stats().map(|stats| Changed { path: stats.path, authors: stats.authors }).collect();
        let mut drafts = newcomer::commands(&project);
        drafts.extend(newcomer::modules(&project, &self.code.units()));
        drafts.extend(newcomer::owners(&project));
        drafts.extend(newcomer::recent_authors(&project, &changed));
        let mut warnings: Vec<(&str, &newcomer::Warning)> = self.code.warnings().collect();
        // What a compiler asks to be written down is less telling than what somebody had on their mind.
        warnings.sort_by_key(|(path, warning)| (warning.text.starts_with("SAFETY"), *path));
        drafts.extend(warnings.into_iter().take(MOST_WARNINGS).map(|(path, warning)| warning.draft(path)));
        let mut memories: Vec<Arc<Memory>> = drafts.into_iter().filter_map(|draft| self.dated(draft)).collect();
        memories.extend(self.newcomer.from_history.iter().cloned());
        self.teach(Chapter::Newcomer, Lesson { memories, links: Vec::new() });
    }

    /// As old as the last commit of its source, or as the file itself.
    fn dated(&self, draft: Draft) -> Option<Arc<Memory>> {
        let source = draft.sources.first().map_or("", String::as_str);
        let committed = self.cochange.stats(source).map(|stats| stats.last_change.saturating_mul(1_000_000));
        let at = committed.map_or_else(|| self.modified(source), Timestamp::from_micros);
        self.memory(draft, at)
    }

    /// What the newest commits tell, anew whenever there is another one.
    fn look_back(&mut self, files: &[String]) {
        let root = self.env.root.clone();
        let most = self.env.config.load().bootstrap.max_commits.min(MOST_COMMITS);
        let now = head::state(&root).filter(|state| state.in_progress.is_none()).and_then(|state| state.commit);
        if now.is_none() || now == self.newcomer.head || most == 0 {
            return;
        }
        let Some(index) = self.published.commits.load_full() else { return };
        let commits = index.newest(most);
        let standing: HashSet<&str> = files.iter().map(String::as_str).collect();
        let today = |path: &str| {
            let path = self.cochange.stats(path).map_or(path, |stats| stats.path);
            standing.contains(path).then(|| path.to_owned())
        };
        let symbols: HashSet<&str> = self.code.names().collect();
        let occurs = |word: &str, files: &[String]| {
            symbols.contains(word) || files.iter().any(|path| self.stands_in(path, word))
        };
        let mut drafts = newcomer::hotspots(&commits, &today);
        drafts.extend(newcomer::issues(&commits, &today));
        drafts.extend(self.really_gone(newcomer::removed(&commits, &today, &occurs)));
        self.newcomer.from_history =
            drafts.into_iter().filter_map(|draft| self.memory(draft, Timestamp::default())).collect();
        self.newcomer.head = now;
    }

    fn stands_in(&self, path: &str, word: &str) -> bool {
        let part = |c: char| !c.is_alphanumeric() && c != '_' && c != '-';
        self.text_of(path, LARGEST_CODE).is_some_and(|text| {
            text.split(part)
                .any(|known| known.trim_start_matches('-') == word || known.split('-').any(|part| part == word))
        })
    }

    /// Those whose words no source file holds any more.
    fn really_gone(&self, removed: Vec<Removed>) -> Vec<Draft> {
        let words: Vec<String> = removed.iter().map(|one| one.word.clone()).collect();
        let Some(search) = AhoCorasick::new(&words).ok().filter(|_| !words.is_empty()) else { return Vec::new() };
        let mut found = BTreeSet::new();
        for path in self.code.paths() {
            let Some(text) = self.text_of(path, LARGEST_CODE) else { continue };
            found.extend(search.find_overlapping_iter(&text).map(|hit| hit.pattern().as_usize()));
            if found.len() == words.len() || self.is_stopping() {
                break;
            }
        }
        let gone = removed.into_iter().enumerate().filter(|(at, _)| !found.contains(at));
        gone.map(|(_, one)| one.draft).collect()
    }
}
