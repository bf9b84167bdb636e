//! A skill stands in two files, and Loki Mode writes only one of them: what it saved anew is carried over to the
//! Markdown, and a copy of lokid's under another spelling goes.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::Store;
use super::layout::{self, FileId, Role};
use super::read::has_extension;
use super::scan::Catalog;
use super::schema::{self, Object, Shape, skill_text};
use super::write::Writing;
use lokid_model::{Body, Change, Kind, Memory, Skill, Timestamp};

/// A skill's two files, as the archive keeps them.
pub(super) struct SkillFiles {
    pub(super) json: Option<String>,
    pub(super) markdown: Option<String>,
}

impl SkillFiles {
    pub(super) fn parse(text: &str) -> Option<SkillFiles> {
        let object: Object = serde_json::from_str(text).ok()?;
        let part = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(SkillFiles { json: part("json"), markdown: part("markdown") })
    }

    pub(super) fn to_text(&self) -> String {
        json!({"json": self.json, "markdown": self.markdown}).to_string()
    }
}

pub(super) fn skill_of(memory: &Memory) -> Skill {
    match &memory.body {
        Body::Skill(skill) => skill.as_ref().clone(),
        _ => Skill { name: memory.headline().to_owned(), description: memory.text.clone(), ..Skill::default() },
    }
}

impl Store {
    /// Those among these changes that another program made.
    pub(super) fn follow_skills(&mut self, now: Timestamp, changes: &[Change]) {
        let skill = |change: &Change| change.memory().filter(|memory| memory.kind == Kind::Skill).cloned();
        let skills: Vec<Arc<Memory>> = changes.iter().filter_map(skill).collect();
        if skills.is_empty() || self.is_shut() {
            return;
        }
        let limits = self.limits();
        let Ok(Some(disk)) = self.shared.look().map(|disk| disk.cloned()) else { return };
        let writing = Writing { disk: &disk, now, lock_timeout: Duration::ZERO, limits };
        for skill in skills {
            if let Err(error) = writing.follow_skill(&mut self.catalog, &skill) {
                tracing::debug!(skill = %skill.id, reason = %error, "its Markdown stays as it was");
            }
        }
    }
}

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
