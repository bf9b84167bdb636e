//! What of a repository's memory is lokid's own, and what Loki Mode wrote: for whoever wants every trace of lokid removed
//! and nothing else.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::door::{CleanDisk, Door};
use super::layout::Role;
use super::scan::Limits;
use super::schema::made_here;
use super::tree::IGNORED_BY_GIT;
use super::{layers, layout};
use lokid_model::{Key, MemoryId, Namespace, clean};
use lokid_sys::{Disk, EntryKind, plain};

/// Folders and files of a memory that lokid knows; a name beside them is somebody else's.
const KNOWN: [&str; 13] = [
    "episodic",
    "semantic",
    "skills",
    "learnings",
    "notes",
    "archive",
    "ledgers",
    "handoffs",
    "index.json",
    "timeline.json",
    "token_economics.json",
    ".lokid",
    ".gitignore",
];
/// Those that only lokid writes.
const OWN: [&str; 6] = ["learnings", "notes", "archive", ".lokid", "semantic/facts.json", "episodic/index.json"];
const LARGEST: u64 = 256 << 20;
/// How long another program may hold one of the documents.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub struct Traces {
    /// Below the memory's folder: files and folders that only lokid writes.
    pub own: Vec<PathBuf>,
    /// lokid's records in files that Loki Mode writes too.
    pub records: Vec<Key>,
    /// Records in those files that are not lokid's.
    pub theirs: usize,
    /// Something here is not lokid's, so the folder as a whole has to stay.
    pub shared: bool,
}

/// `None` when there is no memory. `root` and the way to its memory as for a [`super::StorePlace`].
pub fn look(root: &Path, shared: &Path) -> io::Result<Option<Traces>> {
    let Some(disk) = open(root, shared)? else { return Ok(None) };
    let mut traces = Traces { shared: has_neighbours(root, shared)?, ..Traces::default() };
    let (namespaces, has_strangers) = namespaces(&disk)?;
    traces.shared |= has_strangers;
    for namespace in namespaces {
        look_into(&disk, &namespace, &mut traces)?;
    }
    traces.shared |= traces.theirs > 0;
    if disk.read(".gitignore", LARGEST).is_ok_and(|text| text == IGNORED_BY_GIT) {
        traces.own.push(".gitignore".into());
    }
    Ok(Some(traces))
}

/// Takes lokid's part out of the documents in which both tell of memories, when those memories are gone.
pub fn strip(root: &Path, shared: &Path) -> io::Result<()> {
    let Some(disk) = open(root, shared)? else { return Ok(()) };
    let limits = Limits { max_document: LARGEST };
    for namespace in namespaces(&disk)?.0 {
        layers::strip(&disk, &namespace, PATIENCE, limits)?;
        let base = base_of(&namespace);
        let mut folders = ["skills", "semantic", "ledgers", "handoffs"].map(|name| base.join(name)).to_vec();
        folders.extend(days(&disk, &base)?);
        folders.extend([base.join("episodic"), base]);
        for folder in folders {
            clear_locks(&disk, &folder)?;
            if !folder.as_os_str().is_empty() {
                plain::remove_empty_folder(&disk.root().join(folder));
            }
        }
    }
    Ok(())
}

/// Lock files of documents that are gone. Whoever holds one still holds a document that is gone.
fn clear_locks(disk: &Disk, folder: &Path) -> io::Result<()> {
    let entries = disk.list(folder)?;
    let names: BTreeSet<String> = entries.iter().map(|entry| entry.name.to_string_lossy().into_owned()).collect();
    let orphans =
        names.iter().filter(|name| name.strip_suffix(".lock").is_some_and(|document| !names.contains(document)));
    orphans.into_iter().try_for_each(|name| disk.remove(folder.join(name)))
}

fn base_of(namespace: &Namespace) -> PathBuf {
    if namespace.is_default() { PathBuf::new() } else { PathBuf::from(namespace.as_str()) }
}

fn days(disk: &Disk, base: &Path) -> io::Result<Vec<PathBuf>> {
    let episodic = base.join("episodic");
    let entries = disk.list(&episodic)?;
    let folders = entries.iter().filter(|entry| entry.kind == EntryKind::Dir);
    Ok(folders.map(|entry| episodic.join(&entry.name)).collect())
}

fn open(root: &Path, shared: &Path) -> io::Result<Option<CleanDisk>> {
    match Disk::open_nofollow_chain(root, shared, false) {
        // Nothing is kept of it, and what is somebody else's stays as they said it.
        Ok(disk) => Ok(Some(CleanDisk::new(disk, &(Arc::new(clean::AsItIs) as Door)))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Those that memories stand in, and whether something stands beside them that lokid does not know.
fn namespaces(disk: &Disk) -> io::Result<(Vec<Namespace>, bool)> {
    let (mut namespaces, mut has_strangers) = (vec![Namespace::default()], false);
    for entry in disk.list("")? {
        let name = entry.name.to_string_lossy();
        if KNOWN.contains(&name.as_ref()) || is_by_the_way(&name) {
            continue;
        }
        match Namespace::new(&name).filter(|_| entry.kind == EntryKind::Dir) {
            Some(namespace) if is_memory(disk, &name)? => namespaces.push(namespace),
            _ => has_strangers = true,
        }
    }
    Ok((namespaces, has_strangers))
}

/// Loki Mode keeps more than memory in `.loki`.
fn has_neighbours(root: &Path, shared: &Path) -> io::Result<bool> {
    if shared != Path::new(".loki/memory") {
        return Ok(false);
    }
    let loki = Disk::open_nofollow_chain(root, Path::new(".loki"), false)?;
    let foreign = |folder: &str, own: &[&str]| -> io::Result<bool> {
        Ok(loki.list(folder)?.iter().any(|entry| !own.contains(&entry.name.to_string_lossy().as_ref())))
    };
    let mirror = [".gitignore", "events.ndjson", "events.1.ndjson", "hydrate.lock"];
    Ok(foreign("", &["memory", "metrics", "managed"])?
        || foreign("metrics", &["memory-strategy"])?
        || foreign("managed", &mirror)?)
}

/// Lock files and half-written files: whose they are nobody knows, and nobody misses them.
fn is_by_the_way(name: &str) -> bool {
    name.ends_with(".lock") || name.starts_with(".tmp_")
}

fn is_memory(disk: &Disk, folder: &str) -> io::Result<bool> {
    let entries = disk.list(folder)?;
    Ok(entries.iter().all(|entry| {
        let name = entry.name.to_string_lossy();
        KNOWN.contains(&name.as_ref()) || is_by_the_way(&name)
    }))
}

fn look_into(disk: &CleanDisk, namespace: &Namespace, traces: &mut Traces) -> io::Result<()> {
    let base = base_of(namespace);
    let (mut records, mut theirs) = (Vec::new(), 0);
    let mut count = |object: &Value| match id_of(object).filter(|_| made_here(object)) {
        Some(id) => records.push(Key::new(namespace, &id)),
        None => theirs += 1,
    };
    let is_json = |name: &std::ffi::OsStr| name.to_string_lossy().ends_with(".json");
    let mut folders = vec![base.join("skills")];
    folders.extend(days(disk, &base)?);
    for folder in folders {
        for file in disk.list(&folder)?.iter().filter(|entry| is_json(&entry.name)) {
            count(&read(disk, &folder.join(&file.name)));
        }
    }
    for (file, list) in [("semantic/patterns.json", "patterns"), ("semantic/anti-patterns.json", "anti_patterns")] {
        let document = read(disk, &base.join(file));
        document.get(list).and_then(Value::as_array).into_iter().flatten().for_each(&mut count);
    }
    let (own, others) = own_documents(disk, &base)?;
    theirs += others;
    traces.theirs += theirs;
    if theirs == 0 && !namespace.is_default() {
        traces.own.push(base);
        return Ok(());
    }
    traces.records.append(&mut records);
    traces.own.extend(own);
    let lists = disk.list(base.join("semantic"))?.into_iter().filter_map(|entry| entry.name.into_string().ok());
    let is_list = |name: &String| matches!(layout::role_in("semantic", name), Some(Role::Links | Role::Contradictions));
    let lists: Vec<String> = lists.filter(is_list).map(|name| format!("semantic/{name}")).collect();
    for own in OWN.into_iter().chain(lists.iter().map(String::as_str)) {
        let path = base.join(own);
        for path in [layout::lock_path(&path), path] {
            if disk.stamp(&path)?.is_some() {
                traces.own.push(path);
            }
        }
    }
    Ok(())
}

/// Ledgers and handoffs that lokid made, and how many it did not.
fn own_documents(disk: &CleanDisk, base: &Path) -> io::Result<(Vec<PathBuf>, usize)> {
    let (mut own, mut theirs) = (Vec::new(), 0);
    for folder in ["ledgers", "handoffs"].map(|folder| base.join(folder)) {
        for entry in disk.list(&folder)?.iter().filter(|entry| !is_by_the_way(&entry.name.to_string_lossy())) {
            let path = folder.join(&entry.name);
            if made_here(&read(disk, &path)) { own.push(path) } else { theirs += 1 }
        }
    }
    Ok((own, theirs))
}

fn id_of(object: &Value) -> Option<MemoryId> {
    MemoryId::foreign(object.get("id")?.as_str()?)
}

/// What cannot be read is nobody's of ours.
fn read(disk: &CleanDisk, path: &Path) -> Value {
    let bytes = disk.read(path, LARGEST).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or(Value::Null)
}
