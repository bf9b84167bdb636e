//! A skill stands in two files, and Loki Mode writes only one of them: what it saved anew is carried over to the
//! Markdown, and a copy of lokid's under another spelling goes.

use std::io;
use std::sync::Arc;

use super::layout::{self, FileId, Role};
use super::read::has_extension;
use super::scan::Catalog;
use super::schema::{self, Shape, skill_text};
use super::write::{Writing, skill_of};
use lokid_model::Memory;

impl Writing<'_> {
    /// Another program has just written this skill.
    pub(super) fn follow_skill(&self, catalog: &mut Catalog, memory: &Memory) -> io::Result<()> {
        let Some(file) = catalog.homes.get(&memory.key()).map(|home| Arc::clone(&home.file)) else { return Ok(()) };
        if file.role != Role::Memories(Shape::Skill) || !has_extension(&file.path, "json") {
            return Ok(());
        }
        self.renew_markdown(catalog, &file, memory)?;
        let same = |other: &&Arc<FileId>| {
            other.role == file.role && other.namespace == file.namespace && has_extension(&other.path, "json")
        };
        let name = layout::skill_name(&file.path);
        let copies = catalog.files.keys().filter(same).filter(|other| **other != file);
        let copies: Vec<_> = copies.filter(|other| name.is_some() && layout::skill_name(&other.path) == name).collect();
        let copies: Vec<Arc<FileId>> = copies.into_iter().cloned().collect();
        for copy in copies {
            let old = self.read(&copy.path)?.and_then(|bytes| serde_json::from_slice(&bytes).ok());
            let is_ours = |old: &serde_json::Value| schema::made_here(old) && old["id"] == memory.id.as_str();
            if old.as_ref().is_some_and(is_ours) {
                self.disk.remove(&copy.path)?;
                catalog.files.remove(&copy);
            }
        }
        Ok(())
    }

    /// What the Markdown says is what the skill was; it is changed section by section, and prose of its own stays.
    fn renew_markdown(&self, catalog: &mut Catalog, file: &Arc<FileId>, memory: &Memory) -> io::Result<()> {
        let path = layout::skill_markdown(self.disk, &file.path);
        let (Some(json), Some(markdown)) = (self.disk.stamp(&file.path)?, self.disk.stamp(&path)?) else {
            return Ok(());
        };
        let text = self.read(&path)?.and_then(|bytes| String::from_utf8(bytes).ok());
        let Some((text, before)) = text.and_then(|text| skill_text::parse(&text).map(|skill| (text, skill))) else {
            return Ok(());
        };
        let after = skill_of(memory);
        if before == after || json.mtime_ns <= markdown.mtime_ns {
            return Ok(());
        }
        let _lock = self.lock(file)?;
        self.disk.replace(&path, skill_text::patch(&text, &before, &after).as_bytes())?;
        let stamp = self.disk.stamp(&path)?;
        catalog.files.entry(Arc::clone(file)).or_default().markdown = stamp;
        Ok(())
    }
}
