//! Carrying out edits, file by file, under Loki Mode's locks. Doing the same edits twice changes nothing.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::documents;
use super::door::CleanDisk;
use super::layout::{self, Area, FileId, Role};
use super::list::{ListEditor, entry_hash, fresh, patched};
use super::plan::{Edit, deletion_line};
use super::raw::{self, RawObject};
use super::read::{self, hash};
use super::rivals::line_is_built_on;
use super::scan::{Catalog, Difference, Home, Limits, look_at};
use super::schema::fields::{Fields, Line};
use super::schema::{self, Detail, Object, Setting, Shape, record, skill_text};
use super::skills::{SkillFiles, skill_of};
use lokid_model::{Change, Document, Key, Memory, MemoryId, Timestamp};
use lokid_sys::{FileLock, LinePart, LockKind, Stamp};

/// What every write needs to know.
pub(super) struct Writing<'a> {
    pub(super) disk: &'a CleanDisk,
    pub(super) now: Timestamp,
    pub(super) lock_timeout: std::time::Duration,
    pub(super) limits: Limits,
}

impl Writing<'_> {
    /// Carries out all edits of one file, and says what another program had changed in it since the last look.
    pub(super) fn file(&self, catalog: &mut Catalog, file: &Arc<FileId>, edits: &[Edit]) -> io::Result<Vec<Change>> {
        if let Some(parent) = file.path.parent() {
            self.disk.create_dirs(parent)?;
        }
        match file.role {
            Role::Memories(Shape::Notes) => self.lines(catalog, file, edits),
            Role::Archive => self.lines(catalog, file, edits),
            Role::Memories(Shape::Episode) => self.episode(catalog, file, edits),
            Role::Memories(Shape::Skill) => self.skill(catalog, file, edits),
            Role::Sidecar => self.sidecar(catalog, file, edits),
            Role::Memories(_) | Role::Links | Role::Contradictions | Role::Tombstones => {
                self.list(catalog, file, edits)
            }
        }
    }

    pub(super) fn lock(&self, file: &FileId) -> io::Result<FileLock> {
        self.disk.lock(layout::lock_path(&file.path), LockKind::Exclusive, self.lock_timeout)
    }

    pub(super) fn read(&self, path: &std::path::Path) -> io::Result<Option<Vec<u8>>> {
        match self.disk.stamp(path)? {
            Some(_) => self.disk.read(path, u64::MAX).map(Some),
            None => Ok(None),
        }
    }

    fn setting(&self, file: &FileId) -> Setting {
        Setting { namespace: file.namespace.clone(), at: self.now }
    }

    fn list(&self, catalog: &mut Catalog, file: &Arc<FileId>, edits: &[Edit]) -> io::Result<Vec<Change>> {
        let _lock = self.lock(file)?;
        let found = self.disk.stamp(&file.path)?;
        let as_seen = catalog.files.get(file).and_then(|seen| seen.stamp) == found;
        let bytes = self.read(&file.path)?;
        let corrupt =
            |reason: String| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {reason}", file.label()));
        let mut editor = ListEditor::open(file, bytes.as_deref()).map_err(corrupt)?;
        let sidecar = catalog.sidecars.get(&file.namespace).cloned().unwrap_or_default();
        for edit in edits {
            editor.apply(edit, &self.setting(file), &sidecar);
        }
        let hashes: Vec<Option<u64>> = edits.iter().map(|edit| entry_hash(&editor, touched(edit)?.as_str())).collect();
        let text = editor.finish(self.now);
        if bytes.as_deref() != Some(text.as_bytes()) {
            self.disk.replace(&file.path, text.as_bytes())?;
        }
        let stamp = self.disk.stamp(&file.path)?;
        let mut seen_elsewhere = Difference::default();
        if !as_seen && !matches!(file.role, Role::Tombstones) {
            let contents = read::parse(file, text.as_bytes(), self.now, &sidecar).map_err(corrupt)?;
            seen_elsewhere.absorb(catalog, file, contents);
        }
        let seen = catalog.files.entry(Arc::clone(file)).or_default();
        seen.stamp = stamp;
        for (edit, hash) in edits.iter().zip(hashes) {
            note_entry(catalog, file, edit, hash);
        }
        Ok(seen_elsewhere.into_changes(catalog))
    }

    fn episode(&self, catalog: &mut Catalog, file: &Arc<FileId>, edits: &[Edit]) -> io::Result<Vec<Change>> {
        let known = self.disk.stamp(&file.path)?.is_some();
        // A file nobody else can know yet needs no lock, and leaves none behind.
        let _lock = if known { Some(self.lock(file)?) } else { None };
        let as_seen = self.as_seen(catalog, file)?;
        for edit in edits {
            match edit {
                Edit::Put { before, after, raw } => {
                    let old = self.read(&file.path)?.and_then(|bytes| String::from_utf8(bytes).ok());
                    let text = match (&old, raw) {
                        (Some(old), _) => patched(
                            Shape::Episode,
                            old,
                            before.as_deref(),
                            after,
                            &self.setting(file),
                            &Object::new(),
                            0,
                        ),
                        (None, Some(raw)) => raw.clone(),
                        (None, None) => fresh(Shape::Episode, after, 0),
                    };
                    if old.as_deref() != Some(text.as_str()) {
                        self.disk.replace(&file.path, text.as_bytes())?;
                    }
                    note_entry(catalog, file, edit, Some(hash(&text)));
                    self.note_stamp(catalog, file, edits, as_seen)?;
                }
                _ => self.remove_whole(catalog, file, edit)?,
            }
        }
        Ok(Vec::new())
    }

    fn stamps(&self, file: &FileId) -> io::Result<(Option<Stamp>, Option<Stamp>)> {
        let markdown = match file.role {
            Role::Memories(Shape::Skill) => self.disk.stamp(layout::skill_markdown(self.disk, &file.path))?,
            _ => None,
        };
        Ok((self.disk.stamp(&file.path)?, markdown))
    }

    /// Has nobody else touched the file since the last look?
    fn as_seen(&self, catalog: &Catalog, file: &FileId) -> io::Result<bool> {
        let known = catalog.files.get(file).map_or((None, None), |seen| (seen.stamp, seen.markdown));
        Ok(self.stamps(file)? == known)
    }

    /// Remembers how the file stands after our own write; one that another program had changed is read again at the
    /// next look.
    fn note_stamp(&self, catalog: &mut Catalog, file: &Arc<FileId>, edits: &[Edit], as_seen: bool) -> io::Result<()> {
        let (stamp, markdown) = if as_seen { self.stamps(file)? } else { (None, None) };
        let seen = catalog.files.entry(Arc::clone(file)).or_default();
        (seen.stamp, seen.markdown) = (stamp, markdown);
        if !as_seen {
            // What we wrote may have another's change in it: it counts as not read yet.
            for id in edits.iter().filter_map(touched) {
                seen.entries.entry(id).and_modify(|hash| *hash = !*hash);
            }
        }
        Ok(())
    }

    /// A file that holds one memory goes with it.
    fn remove_whole(&self, catalog: &mut Catalog, file: &Arc<FileId>, edit: &Edit) -> io::Result<()> {
        let id = touched(edit);
        if id.is_some_and(|id| is_anothers(self.disk, file, &id, self.limits)) {
            // Another program put something else there since: that is not ours to remove.
            note_entry(catalog, file, edit, None);
            catalog.files.entry(Arc::clone(file)).or_default().stamp = None;
            return Ok(());
        }
        if file.role == Role::Memories(Shape::Skill) {
            self.disk.remove(layout::skill_markdown(self.disk, &file.path))?;
        }
        self.disk.remove(&file.path)?;
        // Its name tells of it, too.
        self.disk.remove(layout::lock_path(&file.path))?;
        note_entry(catalog, file, edit, None);
        catalog.files.remove(file);
        Ok(())
    }

    /// Many new episodes at once: one flush for all of them.
    pub(super) fn new_episodes(&self, catalog: &mut Catalog, new: &[(Arc<FileId>, &Edit)]) -> io::Result<()> {
        let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::with_capacity(new.len());
        let mut folders = HashSet::new();
        for (file, edit) in new {
            if let Edit::Put { after, .. } = edit {
                files.push((file.path.clone(), fresh(Shape::Episode, after, 0).into_bytes()));
                folders.extend(file.path.parent().map(PathBuf::from));
            }
        }
        for folder in folders {
            self.disk.create_dirs(folder)?;
        }
        self.disk.write_many(&files)?;
        for ((file, edit), (_, bytes)) in new.iter().zip(&files) {
            note_entry(catalog, file, edit, std::str::from_utf8(bytes).ok().map(hash));
            self.note_stamp(catalog, file, &[], true)?;
        }
        Ok(())
    }

    fn skill(&self, catalog: &mut Catalog, file: &Arc<FileId>, edits: &[Edit]) -> io::Result<Vec<Change>> {
        let _lock = self.lock(file)?;
        let as_seen = self.as_seen(catalog, file)?;
        let alone = read::has_extension(&file.path, "md");
        for edit in edits {
            let Edit::Put { before, after, raw } = edit else {
                self.remove_whole(catalog, file, edit)?;
                continue;
            };
            let restored = raw.as_deref().and_then(SkillFiles::parse);
            let json = if alone { None } else { Some(self.skill_json(file, before.as_deref(), after, &restored)?) };
            if let Some(text) = &json {
                self.disk.replace(&file.path, text.as_bytes())?;
            }
            let path = layout::skill_markdown(self.disk, &file.path);
            let old = self.read(&path)?.and_then(|bytes| String::from_utf8(bytes).ok());
            let text = match (&old, restored.and_then(|files| files.markdown)) {
                (None, Some(text)) => text,
                (None, None) => skill_text::write(&skill_of(after)),
                (Some(old), _) => match before {
                    Some(before) => skill_text::patch(old, &skill_of(before), &skill_of(after)),
                    None => old.clone(),
                },
            };
            if old.as_deref() != Some(text.as_str()) {
                self.disk.replace(&path, text.as_bytes())?;
            }
            note_entry(catalog, file, edit, Some(hash(json.as_ref().unwrap_or(&text))));
            self.note_stamp(catalog, file, edits, as_seen)?;
        }
        Ok(Vec::new())
    }

    fn skill_json(
        &self,
        file: &FileId,
        before: Option<&Memory>,
        after: &Memory,
        restored: &Option<SkillFiles>,
    ) -> io::Result<String> {
        let old = self.read(&file.path)?.and_then(|bytes| String::from_utf8(bytes).ok());
        let kept = restored.as_ref().and_then(|files| files.json.clone());
        Ok(match (old, kept) {
            (Some(old), _) => patched(Shape::Skill, &old, before, after, &self.setting(file), &Object::new(), 0),
            (None, Some(kept)) => kept,
            (None, None) => fresh(Shape::Skill, after, 0),
        })
    }

    fn sidecar(&self, catalog: &mut Catalog, file: &Arc<FileId>, edits: &[Edit]) -> io::Result<Vec<Change>> {
        let mut patterns = super::scan::read_sidecar(self.disk, &file.namespace, self.limits);
        let before = patterns.clone();
        for edit in edits {
            match edit {
                Edit::Set { id, value } if value.is_null() => {
                    patterns.shift_remove(id);
                }
                Edit::Set { id, value } => {
                    patterns.insert(id.clone(), value.clone());
                }
                _ => {}
            }
        }
        if patterns != before {
            patterns.sort_keys();
            let text = raw::pretty(&json!({"version": "1.0", "patterns": patterns}), 0);
            self.disk.replace(&file.path, text.as_bytes())?;
        }
        catalog.sidecars.insert(file.namespace.clone(), patterns);
        Ok(Vec::new())
    }

    fn lines(&self, catalog: &mut Catalog, file: &Arc<FileId>, edits: &[Edit]) -> io::Result<Vec<Change>> {
        // Elsewhere nobody else writes a file that bears this writer's name.
        let _lock = if file.area == Area::System { Some(self.lock(file)?) } else { None };
        let as_seen = self.as_seen(catalog, file)?;
        let purged: HashSet<&str> = edits.iter().filter_map(purged_id).collect();
        if !purged.is_empty() {
            self.strip(file, &purged)?;
        }
        let mut text = String::new();
        for edit in edits {
            let line = match edit {
                Edit::Put { after, .. } => {
                    let mut line = Value::Object(record::write(after, Detail::Lean));
                    let built_on = line_is_built_on(catalog, file, &mut line, after);
                    catalog.homes.entry(after.key()).and_modify(|home| home.built_on = built_on.into());
                    line
                }
                Edit::Take { memory, at } => deletion_line(memory, *at),
                Edit::Line(line) => Value::Object(line.clone()),
                _ => continue,
            };
            let line = line.to_string();
            text.push_str(&line);
            text.push('\n');
        }
        let is_mended = !text.is_empty() && self.disk.append(&file.path, text.as_bytes())?;
        let mut lines = text.lines();
        for edit in edits {
            let line = match edit {
                Edit::Put { .. } | Edit::Take { .. } | Edit::Line(_) => lines.next(),
                _ => None,
            };
            if let Edit::Take { memory, at } = edit {
                catalog.deletions.insert(memory.key(), *at);
            }
            note_entry(catalog, file, edit, line.filter(|_| matches!(edit, Edit::Put { .. })).map(hash));
        }
        if is_mended && as_seen {
            // What was complained of is gone.
            let mut seen = Difference::default();
            look_at(catalog, self.disk, &[Arc::clone(file)], self.limits, &mut seen);
            return Ok(seen.into_changes(catalog));
        }
        self.note_stamp(catalog, file, edits, as_seen)?;
        Ok(Vec::new())
    }

    /// Purged text may not linger in an older line: the file is written again without it.
    fn strip(&self, file: &FileId, ids: &HashSet<&str>) -> io::Result<()> {
        let Some(bytes) = self.read(&file.path)? else { return Ok(()) };
        let mut kept = Vec::with_capacity(bytes.len());
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !line_holds(line, |id| ids.contains(id)) {
                kept.extend_from_slice(line);
            }
        }
        if kept.len() == bytes.len() { Ok(()) } else { self.disk.replace(&file.path, &kept) }
    }

    /// Ledgers and handoffs: kept whole, changed field by field.
    pub(super) fn document(&self, document: &Document) -> io::Result<()> {
        let folder = documents::folder(document.kind);
        self.disk.create_dirs(folder)?;
        let path = PathBuf::from(folder).join(format!("{}.json", document.name));
        if document.is_erased() {
            let all = [path.with_extension("md"), layout::lock_path(&path), path];
            return all.iter().try_for_each(|path| self.disk.remove(path));
        }
        let _lock = self.disk.lock(layout::lock_path(&path), LockKind::Exclusive, self.lock_timeout)?;
        let old = self.read(&path)?.and_then(|bytes| String::from_utf8(bytes).ok());
        let known = old.as_deref().and_then(|text| RawObject::parse(text).ok());
        let text = match known {
            Some(mut raw) => {
                let before: Object = serde_json::from_str(old.as_deref().unwrap_or("{}")).unwrap_or_default();
                let before = before.into_iter().filter(|(name, _)| document.body.contains_key(name)).collect();
                raw.patch(&before, &document.body, 0);
                raw.pretty(0)
            }
            None => raw::pretty(&Value::Object(schema::signed(document.body.clone())), 0),
        };
        if old.as_deref() == Some(text.as_str()) { Ok(()) } else { self.disk.replace(&path, text.as_bytes()) }
    }
}

fn purged_id(edit: &Edit) -> Option<&str> {
    match edit {
        Edit::Purge(id) => Some(id.as_str()),
        _ => None,
    }
}

/// Is a line about one of these: a record, or an archived one?
fn line_holds(line: &[u8], wanted: impl Fn(&str) -> bool) -> bool {
    let Ok(object) = serde_json::from_slice::<Line<'_>>(line) else { return false };
    let inner = object.peek("record").and_then(|record| record.get("id"));
    [object.peek("id"), inner].into_iter().flatten().any(|id| id.as_str().is_some_and(&wanted))
}

/// The memory an edit is about, by id.
fn touched(edit: &Edit) -> Option<MemoryId> {
    match edit {
        Edit::Put { after, .. } => Some(after.id.clone()),
        Edit::Take { memory, .. } => Some(memory.id.clone()),
        Edit::Purge(id) => Some(id.clone()),
        _ => None,
    }
}

/// Remembers what we ourselves just wrote, so that the next look finds nothing new in it.
fn note_entry(catalog: &mut Catalog, file: &Arc<FileId>, edit: &Edit, hash: Option<u64>) {
    let seen = catalog.files.entry(Arc::clone(file)).or_default();
    match edit {
        Edit::SetLink(link) => {
            seen.links.insert(link.key(), link.clone());
        }
        Edit::DropLink(key) => {
            seen.links.remove(key);
        }
        Edit::Set { id, .. } if file.role == Role::Contradictions => {
            seen.listed.insert(id.clone());
        }
        Edit::Purge(id) => {
            seen.links.retain(|_, link| !link.touches(id));
        }
        _ => {}
    }
    if let Some(id) = touched(edit) {
        let before = match (hash, file.role) {
            (Some(hash), Role::Memories(_)) => seen.entries.insert(id.clone(), hash),
            _ => seen.entries.remove(&id),
        };
        seen.replaced += usize::from(before.is_some());
        note_home(catalog, file, edit, Key::new(&file.namespace, &id));
    }
}

fn both_notes(one: &FileId, other: &FileId) -> bool {
    [one, other].iter().all(|file| file.role == Role::Memories(Shape::Notes))
}

fn note_home(catalog: &mut Catalog, file: &Arc<FileId>, edit: &Edit, key: Key) {
    match edit {
        Edit::Put { after, .. } => {
            let built_on = catalog.homes.get(&key).map(|home| home.built_on.clone()).unwrap_or_default();
            let updated_at = after.times.updated_at;
            catalog.homes.insert(key, Home { file: Arc::clone(file), updated_at, built_on });
        }
        // Taken back in our own notes, wherever the line itself stands.
        Edit::Take { .. } if catalog.homes.get(&key).is_some_and(|home| both_notes(&home.file, file)) => {
            catalog.homes.remove(&key);
        }
        _ if catalog.homes.get(&key).is_some_and(|home| home.file == *file) => {
            catalog.homes.remove(&key);
        }
        _ => {}
    }
}

/// The text a memory has in its file, for an archive that can give it back exactly.
pub(super) fn living_text(disk: &CleanDisk, file: &FileId, id: &MemoryId, limits: Limits) -> Option<String> {
    let read = |path: &std::path::Path| String::from_utf8(disk.read(path, limits.max_document).ok()?).ok();
    match file.role {
        Role::Memories(Shape::Episode) => read(&file.path),
        Role::Memories(Shape::Skill) => {
            let json = if read::has_extension(&file.path, "md") { None } else { read(&file.path) };
            Some(SkillFiles { json, markdown: read(&layout::skill_markdown(disk, &file.path)) }.to_text())
        }
        Role::Memories(Shape::Notes) => None,
        Role::Memories(_) => {
            let text = read(&file.path)?;
            ListEditor::open(file, Some(text.as_bytes())).ok()?.get(id.as_str()).map(str::to_owned)
        }
        _ => None,
    }
}

/// Does a file that should hold one memory hold another, or something that is none? What a crash left half done of the
/// same memory is no obstacle.
pub(super) fn is_anothers(disk: &CleanDisk, file: &FileId, id: &MemoryId, limits: Limits) -> bool {
    let there = |path: &std::path::Path| !matches!(disk.stamp(path), Ok(None));
    if there(&file.path) && !read::has_extension(&file.path, "md") {
        let bytes = disk.read(&file.path, limits.max_document).unwrap_or_default();
        let holds = serde_json::from_slice::<Line<'_>>(&bytes).ok();
        let own = holds.as_ref().and_then(|object| object.peek("id")).and_then(Value::as_str);
        return own != Some(id.as_str());
    }
    let stem = file.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let alone = file.role == Role::Memories(Shape::Skill) && there(&layout::skill_markdown(disk, &file.path));
    alone && format!("skill-{}", skill_text::slug(stem)) != id.as_str()
}

/// The text an archived memory had, from the newest line of any machine's archive.
pub(super) fn archived_text(disk: &CleanDisk, file: &FileId, id: &MemoryId) -> Option<String> {
    use super::schema::lists::{ArchiveLine, read_archive_line};
    let folder = file.path.parent()?;
    let mut newest: Option<(Timestamp, Option<String>)> = None;
    for entry in disk.list(folder).ok()? {
        let name = entry.name.to_str()?;
        if layout::role_in("archive", name) != Some(Role::Archive) {
            continue;
        }
        let mut consider = |line: &[u8]| {
            let object = serde_json::from_slice::<Object>(line).ok();
            if let Some(Ok(ArchiveLine::Archived { archived, raw })) =
                object.map(|object| read_archive_line(object, &file.namespace))
                && newest
                    .as_ref()
                    .is_none_or(|(at, known)| *at < archived.at || (*at == archived.at && known.is_none()))
            {
                newest = Some((archived.at, raw));
            }
        };
        let read = disk.read_lines(folder.join(name), read::LONGEST_LINE, |part| {
            let LinePart::Lines(bytes) = part else { return };
            let lines = bytes.split(|byte| *byte == b'\n');
            lines.filter(|line| line_holds(line, |found| found == id.as_str())).for_each(&mut consider);
        });
        read.ok()?;
    }
    newest?.1
}
