//! Loki Mode's documents that are no memories: ledgers and handoffs, read as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::door::{CleanDisk, Door};
use super::schema::{Object, unsigned};
use lokid_model::{Document, DocumentKind};
use lokid_sys::{Disk, EntryKind, Stamp};

/// Larger than any ledger anybody reads.
const MAX_BYTES: u64 = 8 << 20;

/// All documents of a kind, by name. Markdown ledgers are given as `{"markdown": …}`; what cannot be read is passed
/// over with a line in the log, and so is a name that may not be told.
pub fn list(root: &Path, memory_dir: &Path, kind: DocumentKind, door: &Door) -> io::Result<Vec<Document>> {
    let folder = folder(kind);
    // Below the repository no link is followed; a place the user named elsewhere is taken as it is.
    let opened = match memory_dir.strip_prefix(root) {
        Ok(relative) => Disk::open_nofollow_chain(root, relative, false),
        Err(_) => Disk::open(memory_dir),
    };
    let disk = match opened {
        Ok(disk) => CleanDisk::new(disk, door),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut documents = Vec::new();
    for entry in disk.list(folder)? {
        let Some(name) = entry.name.to_str().filter(|name| !name.starts_with('.')) else { continue };
        if entry.kind != EntryKind::File || !disk.is_clean(name) {
            continue;
        }
        let Some((stem, extension)) = name.rsplit_once('.') else { continue };
        let markdown_alone = extension == "md" && kind == DocumentKind::Ledger;
        if extension != "json" && !markdown_alone {
            continue;
        }
        match read(&disk, &Path::new(folder).join(name), extension) {
            Ok(body) => documents.push(Document { kind, name: stem.to_owned(), body: unsigned(body) }),
            Err(reason) => tracing::warn!(path = %format!("{folder}/{name}"), %reason, "passed over"),
        }
    }
    Ok(documents)
}

/// Looks at those that changed for secrets; the kinds of what is found stand beside their paths.
pub(super) fn look_for_secrets(disk: &CleanDisk, known: &mut BTreeMap<PathBuf, SeenDocument>) -> io::Result<()> {
    let mut present = BTreeMap::new();
    for folder in [DocumentKind::Ledger, DocumentKind::Handoff].map(folder) {
        for entry in disk.list(folder)?.into_iter().filter(|entry| entry.kind == EntryKind::File) {
            let path = Path::new(folder).join(&entry.name);
            let Some(stamp) = disk.stamp(&path)? else { continue };
            let seen = match known.remove(&path).filter(|(before, _)| *before == stamp) {
                Some(seen) => seen,
                None => (stamp, disk.read_telling(&path, MAX_BYTES).map(|(_, secrets)| secrets).unwrap_or_default()),
            };
            present.insert(path, seen);
        }
    }
    *known = present;
    Ok(())
}

/// As it was when it was last looked at, and the kinds of secrets in it.
pub(super) type SeenDocument = (Stamp, BTreeSet<String>);

pub(super) fn folder(kind: DocumentKind) -> &'static str {
    match kind {
        DocumentKind::Ledger => "ledgers",
        DocumentKind::Handoff => "handoffs",
    }
}

fn read(disk: &CleanDisk, path: &Path, extension: &str) -> Result<Object, String> {
    let bytes = disk.read(path, MAX_BYTES).map_err(|error| error.to_string())?;
    if extension == "md" {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        return Ok(Object::from_iter([("markdown".to_owned(), Value::String(text))]));
    }
    serde_json::from_slice(&bytes).map_err(|error| error.to_string())
}
