//! Loki Mode's documents that are no memories: ledgers and handoffs, read as they are.

use std::io;
use std::path::Path;

use serde_json::Value;

use super::schema::Object;
use lokid_model::{Document, DocumentKind};
use lokid_sys::{Disk, EntryKind};

/// Larger than any ledger anybody reads.
const MAX_BYTES: u64 = 8 << 20;

/// All documents of a kind, by name. Markdown ledgers are given as `{"markdown": …}`; what cannot be read is passed
/// over with a line in the log.
pub fn list(root: &Path, memory_dir: &Path, kind: DocumentKind) -> io::Result<Vec<Document>> {
    let folder = match kind {
        DocumentKind::Ledger => "ledgers",
        DocumentKind::Handoff => "handoffs",
    };
    // Below the repository no link is followed; a place the user named elsewhere is taken as it is.
    let opened = match memory_dir.strip_prefix(root) {
        Ok(relative) => Disk::open_nofollow_chain(root, relative, false),
        Err(_) => Disk::open(memory_dir),
    };
    let disk = match opened {
        Ok(disk) => disk,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut documents = Vec::new();
    for entry in disk.list(folder)? {
        let Some(name) = entry.name.to_str().filter(|name| !name.starts_with('.')) else { continue };
        if entry.kind != EntryKind::File {
            continue;
        }
        let Some((stem, extension)) = name.rsplit_once('.') else { continue };
        let markdown_alone = extension == "md" && kind == DocumentKind::Ledger;
        if extension != "json" && !markdown_alone {
            continue;
        }
        match read(&disk, &Path::new(folder).join(name), extension) {
            Ok(body) => documents.push(Document { kind, name: stem.to_owned(), body }),
            Err(reason) => tracing::warn!(path = %format!("{folder}/{name}"), %reason, "passed over"),
        }
    }
    Ok(documents)
}

fn read(disk: &Disk, path: &Path, extension: &str) -> Result<Object, String> {
    let bytes = disk.read(path, MAX_BYTES).map_err(|error| error.to_string())?;
    if extension == "md" {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        return Ok(Object::from_iter([("markdown".to_owned(), Value::String(text))]));
    }
    serde_json::from_slice(&bytes).map_err(|error| error.to_string())
}
