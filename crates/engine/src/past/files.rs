//! Documents: read once each, and again when they change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Chapter, Lesson, PastWorker};
use lokid_encode::documents::{self, Learnt};
use lokid_encode::own_words::without_own_words;
use lokid_model::{Memory, Timestamp};
use lokid_sys::kept;

/// A longer document is no document for people.
const LARGEST: u64 = 2 << 20;
/// Documents of a repository that are read; a wiki of ten thousand pages is looked up elsewhere.
const MOST_DOCUMENTS: usize = 2_000;

/// By path.
pub(super) type Documents = BTreeMap<String, (Learnt, Timestamp)>;

impl PastWorker {
    pub(super) fn read_documents(&mut self, files: &[String]) {
        // What was learnt while it was written and is not committed yet is read again as well.
        let known = self.lessons[Chapter::Documents as usize].memories.iter().flat_map(|memory| &memory.sources);
        let wanted: BTreeSet<&String> = files.iter().chain(known).collect();
        let wanted = wanted.into_iter().filter(|path| documents::which(path).is_some());
        let wanted: Vec<String> = wanted.cloned().collect();
        self.begin(Chapter::Documents, wanted.len().min(MOST_DOCUMENTS));
        self.documents.clear();
        for path in wanted.into_iter().take(MOST_DOCUMENTS) {
            if self.is_stopping() {
                return;
            }
            self.step();
            self.read_document(&path);
        }
        self.teach_documents();
    }

    fn read_document(&mut self, path: &str) {
        self.documents.remove(path);
        let Some(kind) = documents::which(path) else { return };
        let Some(text) = self.text_of(path, LARGEST) else { return };
        // Before anything is cut: half a secret no longer looks like one.
        let text = self.env.redaction.text(&without_own_words(&text));
        let learnt = documents::learn(kind, path, &text);
        if !learnt.drafts.is_empty() {
            let at = self.modified(path);
            self.documents.insert(path.to_owned(), (learnt, at));
        }
    }

    fn teach_documents(&mut self) {
        let links = documents::connect(self.documents.values().map(|(learnt, _)| learnt));
        let drafts = self.documents.values().flat_map(|(learnt, at)| learnt.drafts.iter().map(|draft| (draft, *at)));
        // The same guide may lie in several folders; whoever is told twice reads the one that lies highest.
        let mut drafts: Vec<_> = drafts.collect();
        drafts.sort_by_key(|(draft, _)| draft.sources.first().map_or(0, |path| path.matches('/').count()));
        let mut told = BTreeSet::new();
        drafts.retain(|(draft, _)| told.insert(documents::without_source(&draft.text)));
        let memories: Vec<Arc<Memory>> =
            drafts.iter().filter_map(|(draft, at)| self.memory((*draft).clone(), *at)).collect();
        self.teach(Chapter::Documents, Lesson { memories, links });
    }

    /// Files that were made, edited or removed.
    pub(super) fn read_changed(&mut self, paths: &BTreeSet<String>) {
        let mut documents = false;
        let files = self.all_files();
        for path in paths {
            if self.is_stopping() {
                return;
            }
            // What lies in a folder of which git keeps nothing (a clone in the clone, a submodule) is somebody else's.
            let folder = path.rfind('/').map_or("", |end| &path[..=end]);
            if !folder.is_empty() && !files.iter().any(|known| known.starts_with(folder)) {
                continue;
            }
            if documents::which(path).is_some() {
                let before = self.documents.get(path).map(|(learnt, _)| learnt.clone());
                self.read_document(path);
                documents |= before.as_ref() != self.documents.get(path).map(|(learnt, _)| learnt);
            }
        }
        if documents {
            self.teach_documents();
        }
        self.read_changed_code(paths);
    }

    /// When a file last changed, to the second: what is learnt from it was so from then on. A commit knows better than the
    /// disk, where a fresh clone is all of today.
    pub(super) fn modified(&self, path: &str) -> Timestamp {
        let committed = self.cochange.stats(path).map(|stats| stats.last_change);
        let on_disk =
            || kept::standing(&self.env.root.join(path)).map_or(0, |one| one.modified.div_euclid(1_000_000_000));
        Timestamp::from_micros(committed.unwrap_or_else(on_disk).saturating_mul(1_000_000))
    }
}
