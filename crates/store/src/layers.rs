//! The index and timeline documents, which Loki Mode writes too: its entries are taken from the file in the moment of
//! writing, under the lock, so that none of them is ever lost.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::Store;
use super::door::CleanDisk;
use super::layout::{self, Area, FileId, Role};
use super::raw::RawObject;
use super::scan::Limits;
use super::schema::Object;
use lokid_model::{LayerDocuments, Namespace, Neighbour, Problem, Timestamp};
use lokid_sys::LockKind;

/// Which namespaces to bring up to date, and how a document is made from what the neighbour wrote.
pub struct LayerFiles<'a> {
    pub namespaces: Vec<Namespace>,
    /// Something was erased for good: then no copy that was set aside may stay.
    pub purges: bool,
    pub compose: &'a dyn Fn(&Namespace, &Neighbour) -> LayerDocuments,
}

impl LayerFiles<'_> {
    fn is_empty(&self) -> bool {
        self.namespaces.is_empty()
    }
}

/// What Loki Mode wrote, and what of it could not be read.
#[derive(Debug, Default)]
pub struct Neighbourhood {
    pub neighbours: Vec<(Namespace, Neighbour)>,
    pub problems: Vec<Problem>,
    /// Where a document holds what is none: it is to be made again.
    pub garbled: BTreeSet<Namespace>,
}

impl Store {
    /// Brings the progressive layers of a namespace up to date, keeping what Loki Mode wrote into them.
    pub fn write_layers(&mut self, now: Timestamp, files: &LayerFiles<'_>) -> io::Result<()> {
        let closed = self.is_shut() || self.catalog.newer().is_some();
        if closed || (self.shared.look()?.is_none() && files.is_empty()) {
            return Ok(());
        }
        let disk = self.shared.make()?.clone();
        // Nobody waits for the layers, and a stop must not: a lock that is held longer is tried another time.
        write(&disk, now, files, self.options.lock_timeout.min(Duration::from_secs(1)), self.limits())
    }

    /// Writes the token ledger beside the memory it is about, keeping every field that is not ours. Where there is no
    /// memory yet, no folder is made for it.
    pub fn write_economics(&mut self, document: &Object) -> io::Result<()> {
        if self.is_shut() || self.catalog.newer().is_some() {
            return Ok(());
        }
        let Some(disk) = self.shared.look()?.cloned() else { return Ok(()) };
        write_economics(&disk, document, self.options.lock_timeout.min(Duration::from_secs(1)), self.limits())
    }

    /// What Loki Mode itself wrote into the layers.
    pub fn neighbourhood(&mut self) -> Neighbourhood {
        let limits = self.limits();
        let namespaces = self.catalog.files.keys().map(|file| file.namespace.clone()).collect();
        match self.shared.look() {
            Ok(Some(disk)) => read(disk, namespaces, limits),
            _ => Neighbourhood::default(),
        }
    }
}

fn read(disk: &CleanDisk, namespaces: BTreeSet<Namespace>, limits: Limits) -> Neighbourhood {
    let mut found = Neighbourhood::default();
    for namespace in namespaces.into_iter().chain([Namespace::default()]) {
        let mut document = |name: &str| {
            let path = path_of(&namespace, name);
            read_document(disk, &path, limits).unwrap_or_else(|reason| {
                if disk.read(&path, limits.max_document).is_ok() {
                    found.garbled.insert(namespace.clone());
                }
                found.problems.push(Problem::new(path.display().to_string(), reason));
                None
            })
        };
        let (index, timeline) = (document("index.json"), document("timeline.json"));
        if index.is_some() || timeline.is_some() {
            let parsed = |document: Option<(String, Object)>| document.map(|(_, object)| object).unwrap_or_default();
            let neighbour = Neighbour::of(&parsed(index), &parsed(timeline));
            found.neighbours.push((namespace, neighbour));
        }
    }
    found.problems.sort();
    found.problems.dedup();
    found
}

fn write(
    disk: &CleanDisk,
    now: Timestamp,
    files: &LayerFiles<'_>,
    lock_timeout: Duration,
    limits: Limits,
) -> io::Result<()> {
    // One namespace that cannot be written does not keep the others from it.
    let mut trouble = Ok(());
    for namespace in &files.namespaces {
        if let Err(error) = write_namespace(disk, now, namespace, files, lock_timeout, limits) {
            trouble = Err(error);
        }
    }
    trouble
}

fn write_namespace(
    disk: &CleanDisk,
    now: Timestamp,
    namespace: &Namespace,
    files: &LayerFiles<'_>,
    lock_timeout: Duration,
    limits: Limits,
) -> io::Result<()> {
    let (index, timeline) = (path_of(namespace, "index.json"), path_of(namespace, "timeline.json"));
    if let Some(folder) = index.parent() {
        disk.create_dirs(folder)?;
    }
    let _index = disk.lock(layout::lock_path(&index), LockKind::Exclusive, lock_timeout)?;
    let _timeline = disk.lock(layout::lock_path(&timeline), LockKind::Exclusive, lock_timeout)?;
    if files.purges {
        remove_set_aside(disk, &[&index, &timeline])?;
    }
    // A document that cannot be read stays as it is, and the other is still brought up to date.
    let old_index = read_or_set_aside(disk, &index, limits);
    let old_timeline = read_or_set_aside(disk, &timeline, limits);
    let object = |old: &Result<Option<(String, Object)>, String>| match old {
        Ok(Some((_, object))) => object.clone(),
        _ => Object::new(),
    };
    let documents = (files.compose)(namespace, &Neighbour::of(&object(&old_index), &object(&old_timeline)));
    if let Ok(old) = old_index {
        write_document(disk, &index, old, &documents.index)?;
    }
    if let Ok(old) = old_timeline {
        write_document(disk, &timeline, old, &documents.timeline)?;
    }
    if let Some(days) = &documents.days {
        let path = path_of(namespace, "episodic/index.json");
        disk.create_dirs(path.parent().unwrap_or(Path::new("")))?;
        if let Ok(old) = read_document(disk, &path, limits) {
            write_document(disk, &path, old, days)?;
        }
    }
    tracing::trace!(%namespace, at = %now, "layers written");
    Ok(())
}

fn write_economics(disk: &CleanDisk, document: &Object, lock_timeout: Duration, limits: Limits) -> io::Result<()> {
    let path = path_of(&Namespace::default(), "token_economics.json");
    let _held = disk.lock(layout::lock_path(&path), LockKind::Exclusive, lock_timeout)?;
    // One that cannot be read is somebody's: it stays as it is.
    let old = read_document(disk, &path, limits).map_err(io::Error::other)?;
    let merged = old.as_ref().map(|(_, old)| with_theirs(document, old));
    write_document(disk, &path, old, merged.as_ref().unwrap_or(document))
}

/// Ours, and in each part of it the fields that somebody else put there.
fn with_theirs(ours: &Object, old: &Object) -> Object {
    let part = |(name, value): (&String, &Value)| {
        let mut value = value.clone();
        if let (Value::Object(ours), Some(Value::Object(old))) = (&mut value, old.get(name)) {
            let theirs = old.iter().filter(|(name, _)| !ours.contains_key(*name));
            let theirs: Vec<(String, Value)> = theirs.map(|(name, value)| (name.clone(), value.clone())).collect();
            ours.extend(theirs);
        }
        (name.clone(), value)
    };
    ours.iter().map(part).collect()
}

fn path_of(namespace: &Namespace, name: &str) -> PathBuf {
    FileId::new(Area::Shared, namespace, Role::Sidecar, name).path
}

fn read_document(disk: &CleanDisk, path: &Path, limits: Limits) -> Result<Option<(String, Object)>, String> {
    if disk.stamp(path).map_err(|error| error.to_string())?.is_none() {
        return Ok(None);
    }
    let bytes = disk.read(path, limits.max_document).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())?;
    let object = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    Ok(Some((text, object)))
}

/// A file that can be read and holds no document is set aside, and made again: what we have in it can be told anew.
fn read_or_set_aside(disk: &CleanDisk, path: &Path, limits: Limits) -> Result<Option<(String, Object)>, String> {
    read_document(disk, path, limits).or_else(|reason| {
        let kept = disk.read(path, limits.max_document).and_then(|bytes| disk.replace(set_aside(path), &bytes));
        kept.map_err(|_| reason.clone())?;
        tracing::warn!(path = %path.display(), reason, "set aside and made again");
        Ok(None)
    })
}

/// `.tmp_index.corrupt.json`: a name that git and everybody who reads the store pass over.
fn set_aside(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".tmp_{stem}.corrupt.json"))
}

fn remove_set_aside(disk: &CleanDisk, paths: &[&Path]) -> io::Result<()> {
    paths.iter().try_for_each(|path| disk.remove(set_aside(path)))
}

/// Keeps the version and every field that is not ours; a document that would only get a new date is left alone.
fn write_document(disk: &CleanDisk, path: &Path, old: Option<(String, Object)>, new: &Object) -> io::Result<()> {
    let (text, object) = old.unwrap_or_default();
    let same = |name: &&String| name.as_str() == "last_updated" || object.get(name.as_str()) == new.get(name.as_str());
    let kept_version = object.contains_key("version");
    if !object.is_empty() && new.keys().filter(|name| !(kept_version && *name == "version")).all(|name| same(&name)) {
        return Ok(());
    }
    let mut raw = RawObject::parse(&text).unwrap_or_default();
    for (name, value) in new {
        if name == "version" && kept_version {
            continue;
        }
        if object.get(name) != Some(value) || value == &Value::Null {
            raw.set_value(name, value, 0);
        }
    }
    disk.replace(path, raw.pretty(0).as_bytes())
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.values().all(says_nothing),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Takes lokid's part out of the layers of a namespace. A document in which nothing else stands goes.
pub(super) fn strip(disk: &CleanDisk, namespace: &Namespace, lock_timeout: Duration, limits: Limits) -> io::Result<()> {
    let (index, timeline) = (path_of(namespace, "index.json"), path_of(namespace, "timeline.json"));
    remove_set_aside(disk, &[&index, &timeline])?;
    for path in [&index, &timeline] {
        if disk.stamp(path)?.is_none() {
            continue;
        }
        let held = disk.lock(layout::lock_path(path), LockKind::Exclusive, lock_timeout)?;
        // What cannot be read was not written by lokid.
        let Ok(Some((text, object))) = read_document(disk, path, limits) else { continue };
        let theirs = Neighbour::of(&object, &object);
        let lists =
            [("topics", theirs.topics), ("recent_actions", theirs.actions), ("key_decisions", theirs.decisions)];
        let is_empty = lists.iter().all(|(_, list)| list.is_empty());
        if is_empty && theirs.active_context.as_ref().is_none_or(says_nothing) {
            disk.remove(path)?;
            drop(held);
            disk.remove(layout::lock_path(path))?;
            continue;
        }
        let mut new = object.clone();
        for (name, list) in lists {
            if new.contains_key(name) {
                new.insert(name.to_owned(), Value::Array(list));
            }
        }
        write_document(disk, path, Some((text, object)), &new)?;
    }
    Ok(())
}
