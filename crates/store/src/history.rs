//! What files of lines still say though nobody reads it any more: earlier wordings, and records that came back from the
//! archive. A rule about words that was made later reaches them here.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use serde_json::Value;

use super::Store;
use super::door::CleanDisk;
use super::layout::{self, Area, FileId, Role};
use super::read::{self, Version};
use super::scan::Catalog;
use super::schema::Shape;
use lokid_model::clean::{self, Cleaner};
use lokid_model::{Key, MemoryId};
use lokid_sys::LockKind;

/// When each archived memory left for the last time.
type Left = HashMap<Key, String>;

impl Store {
    /// How many of these lines hold what must not be kept; with `strike` they are taken out.
    pub fn history(&mut self, rule: &dyn Cleaner, strike: bool) -> io::Result<usize> {
        let strike = strike && !self.options.read_only && self.catalog.newer().is_none();
        let of_lines = |file: &FileId| matches!(file.role, Role::Memories(Shape::Notes) | Role::Archive);
        let files: Vec<Arc<FileId>> = self.catalog.files.keys().filter(|file| of_lines(file)).cloned().collect();
        let mut left = Left::new();
        for file in files.iter().filter(|file| file.role == Role::Archive) {
            let Some(disk) = self.fresh(file.area)? else { continue };
            let bytes = disk.read(&file.path, u64::MAX)?;
            for (key, at) in bytes.split(|byte| *byte == b'\n').filter_map(|line| left_at(file, line)) {
                let last = left.entry(key).or_default();
                *last = at.max(std::mem::take(last));
            }
        }
        let mut found = 0;
        for file in files {
            let Some(disk) = self.fresh(file.area)? else { continue };
            // Only there does somebody else write under the same name.
            let shared = strike && file.area == Area::System;
            let lock = || disk.lock(layout::lock_path(&file.path), LockKind::Exclusive, self.options.lock_timeout);
            let _lock = if shared { Some(lock()?) } else { None };
            found += old_lines(&mut self.catalog, &disk, &file, &left, rule, strike)?;
        }
        Ok(found)
    }

    fn fresh(&mut self, area: Area) -> io::Result<Option<CleanDisk>> {
        let tree = self.tree(area);
        tree.refresh();
        Ok(tree.look()?.cloned())
    }
}

fn old_lines(
    catalog: &mut Catalog,
    disk: &CleanDisk,
    file: &Arc<FileId>,
    left: &Left,
    rule: &dyn Cleaner,
    strike: bool,
) -> io::Result<usize> {
    let Some(stamp) = disk.stamp(&file.path)? else { return Ok(0) };
    let bytes = disk.read(&file.path, u64::MAX)?;
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let is_old = match file.role {
        Role::Archive => old_in_archive(catalog, file, left, &lines),
        _ => old_in_notes(catalog, file, &lines),
    };
    let says = |line: &[u8]| clean::json(&String::from_utf8_lossy(line), rule).is_some();
    let kept: Vec<&[u8]> =
        lines.iter().zip(is_old).filter(|(line, is_old)| !(*is_old && says(line))).map(|(line, _)| *line).collect();
    let found = lines.len() - kept.len();
    if !strike || found == 0 {
        return Ok(found);
    }
    if disk.stamp(&file.path)? != Some(stamp) {
        return Err(io::Error::new(io::ErrorKind::ResourceBusy, format!("{} is being written", file.label())));
    }
    disk.replace(&file.path, &kept.concat())?;
    if let Some(seen) = catalog.files.get_mut(file).filter(|seen| seen.stamp == Some(stamp)) {
        seen.stamp = disk.stamp(&file.path)?;
        seen.replaced = seen.replaced.saturating_sub(found);
    }
    Ok(found)
}

/// All but the line that a memory stands in now.
fn old_in_notes(catalog: &Catalog, file: &Arc<FileId>, lines: &[&[u8]]) -> Vec<bool> {
    let entries = catalog.files.get(file).map(|seen| &seen.entries);
    let stands = |version: &Version| {
        let at_home = catalog.homes.get(&Key::new(&file.namespace, &version.id)).is_some_and(|home| home.file == *file);
        at_home
            && version.hash.is_some()
            && entries.and_then(|entries| entries.get(&version.id)) == version.hash.as_ref()
    };
    let versions = read::versions(lines);
    versions.iter().map(|version| version.as_ref().is_some_and(|version| !stands(version))).collect()
}

/// All that live again, and all but the last line of those that do not.
fn old_in_archive(catalog: &Catalog, file: &FileId, left: &Left, lines: &[&[u8]]) -> Vec<bool> {
    let is_old = |(key, at): (Key, String)| catalog.homes.contains_key(&key) || left.get(&key) != Some(&at);
    lines.iter().map(|line| left_at(file, line).is_some_and(is_old)).collect()
}

/// Which memory a line of the archive holds, and when it left. Times of ours sort as they are written.
fn left_at(file: &FileId, line: &[u8]) -> Option<(Key, String)> {
    let line: Value = serde_json::from_slice(line).ok()?;
    let id = MemoryId::foreign(line["record"]["id"].as_str()?)?;
    Some((Key::new(&file.namespace, &id), line["archived_at"].as_str()?.to_owned()))
}
