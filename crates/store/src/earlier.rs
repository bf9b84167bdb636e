//! Earlier versions of a memory, where the files still have them: every change of a line of `notes/` is another line.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::door::Door;
use super::layout::{Area, FileId, Role};
use super::read;
use super::schema::Shape;
use lokid_model::{Key, Memory, Scope, Timestamp, clean};
use lokid_sys::{Disk, EntryKind, LinePart};

/// What the lines below a folder say of a memory, the oldest first; each version once, whichever machine wrote it. `root` is
/// the repository the folder stands in, below which no link is followed.
pub fn versions(root: Option<&Path>, folder: &Path, key: &Key, door: &Door) -> io::Result<Vec<Arc<Memory>>> {
    let inside = root.and_then(|root| Some((root, folder.strip_prefix(root).ok()?)));
    let opened = match inside {
        Some((root, relative)) => Disk::open_nofollow_chain(root, relative, false),
        None => Disk::open(folder),
    };
    let disk = match opened {
        Ok(disk) => disk,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let notes = FileId::new(Area::Shared, &key.namespace, Role::Memories(Shape::Notes), "notes").path;
    let mut found: BTreeMap<Timestamp, Arc<Memory>> = BTreeMap::new();
    for entry in disk.list(&notes)?.into_iter().filter(|entry| entry.kind == EntryKind::File) {
        let path = notes.join(&entry.name);
        if !read::has_extension(&path, "ndjson") {
            continue;
        }
        disk.read_lines(&path, read::LONGEST_LINE, |part| {
            let LinePart::Lines(bytes) = part else { return };
            let lines = bytes.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
            for line in lines.filter(|line| line.contains(key.id.as_str())) {
                let cleaned = clean::json(line, &**door);
                let line = cleaned.as_ref().map_or(line, |cleaned| &cleaned.text);
                let memory = read::note(line.trim().as_bytes(), &key.namespace).filter(|memory| memory.id == key.id);
                found.extend(memory.map(|memory| (memory.times.updated_at, memory)));
            }
        })?;
    }
    let mut versions: Vec<Arc<Memory>> = found.into_values().collect();
    // What stands in the repository is shared, whatever it says of itself.
    for memory in versions.iter_mut().filter(|memory| inside.is_some() && !memory.scope.is_shared()) {
        Arc::make_mut(memory).scope = Scope::ProjectShared;
    }
    Ok(versions)
}
