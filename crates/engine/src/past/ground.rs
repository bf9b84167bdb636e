//! The ground under the code: the words of all files that are text, beside what the map of the code knows. Kept and
//! published like the map; read where it changed.

use std::collections::BTreeSet;

use super::PastWorker;
use crate::ground::{CodeGround, FileView, LARGEST_TEXT, is_text};
use lokid_encode::code::Language;
use lokid_sys::kept;

/// Files whose words are all held before the most telling are chosen.
const TOGETHER: usize = 2_048;

pub(super) type Views = Vec<(String, FileView)>;

impl PastWorker {
    /// The files that are no code and have words.
    pub(super) fn texts(files: &[String], most: usize) -> BTreeSet<&String> {
        files.iter().filter(|path| is_text(path)).take(most).collect()
    }

    /// Size and time of change of a file that stands.
    pub(super) fn stamp_of(&self, path: &str) -> Option<(u64, i64)> {
        kept::standing(&self.env.root.join(path)).map(|now| (now.size, now.modified))
    }

    pub(super) fn gather(&mut self, views: &mut Views, path: &str, view: FileView) {
        views.push((path.to_owned(), view));
        if views.len() >= TOGETHER {
            self.ground.put_all(std::mem::take(views));
        }
    }

    /// What is no code, after the code: `views` are what the code has brought.
    pub(super) fn read_texts(&mut self, files: &[String], texts: &BTreeSet<&String>, mut views: Views) {
        let mut has_changed = !views.is_empty() | self.forget_the_gone();
        let most = self.env.config.load().bootstrap.max_files;
        for path in texts {
            if self.is_stopping() {
                break;
            }
            self.step();
            let stamp = self.stamp_of(path);
            if stamp.is_some() && self.ground.stamp(path) == stamp {
                continue;
            }
            has_changed = true;
            match self.view_of(path) {
                Some(view) => self.gather(&mut views, path, view),
                None => self.ground.remove(path),
            }
        }
        self.ground.put_all(views);
        // Of all others it is enough to know that they are there.
        for path in files.iter().take(most).filter(|path| Language::of(path).is_none() && !texts.contains(path)) {
            if self.ground.len() < most && self.ground.stamp(path).is_none() && self.stamp_of(path).is_some() {
                self.ground.put(path, FileView::default());
                has_changed = true;
            }
        }
        self.ground.set_part(files.len() > most);
        self.publish_ground(has_changed);
    }

    /// A file without a view is there nevertheless, if it stands.
    pub(super) fn put_or_remove(&mut self, path: &str, view: Option<FileView>, most: usize) {
        let bare = || Some(FileView { stamp: self.stamp_of(path)?, ..FileView::default() });
        match view.or_else(bare) {
            Some(view) if self.ground.len() < most || self.ground.stamp(path).is_some() => self.ground.put(path, view),
            _ => self.ground.remove(path),
        }
    }

    /// Of a file that stands; it need not have words.
    pub(super) fn view_of(&self, path: &str) -> Option<FileView> {
        let stamp = self.stamp_of(path)?;
        let text = if is_text(path) && stamp.0 <= LARGEST_TEXT { self.text_of(path, LARGEST_TEXT) } else { None };
        Some(FileView { stamp, ..text.map(|text| FileView::of_text(path, &text)).unwrap_or_default() })
    }

    /// What git does not keep may have been met while it was written: it stays as long as it stands.
    fn forget_the_gone(&mut self) -> bool {
        let here = self.ground.paths().map(str::to_owned);
        let gone: Vec<String> = here.filter(|path| self.stamp_of(path).is_none()).collect();
        for path in &gone {
            self.ground.remove(path);
        }
        !gone.is_empty()
    }

    /// One that grew far beyond what is allowed now is begun anew.
    pub(super) fn shrink_ground(&mut self, most: usize) {
        if self.ground.len() > most + most / 8 + 64 {
            self.ground = CodeGround::default();
        }
    }

    pub(super) fn publish_ground(&self, has_changed: bool) {
        self.published.publish(&self.published.ground, self.ground.clone());
        if !has_changed {
            return;
        }
        if let Err(error) = self.folder.keep_ground(&self.ground) {
            tracing::warn!(project = %self.env.name, reason = %error, "the ground could not be kept");
        }
    }
}
