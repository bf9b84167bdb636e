//! Finding the files of a store and taking out what stands in them. A bad entry costs itself, a bad file costs
//! itself; the rest is read.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::layout::{self, Area, FileId, Role};
use super::raw::RawObject;
use super::schema::fields::{Fields, Line, Pairs};
use super::schema::lists::{self, ArchiveLine};
use super::schema::{self, Found, Object, Setting, Shape};
use super::version;
use lokid_model::{Contradiction, Link, Memory, MemoryId, Namespace, Scope, Timestamp, Tombstone};
use lokid_sys::{Disk, EntryKind, LinePart, thread};

/// What a file turned out to hold.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) memories: Vec<(Found, u64)>,
    /// Lines of `notes/` that take a record back.
    pub(super) deletions: Vec<(MemoryId, Timestamp)>,
    pub(super) links: Vec<Link>,
    pub(super) contradictions: Vec<Contradiction>,
    pub(super) tombstones: Vec<Tombstone>,
    pub(super) archive: Vec<ArchiveLine>,
    pub(super) complaints: Complaints,
    /// A line was passed over unread.
    pub(super) too_long: bool,
    /// The version of the format, when it is one that is not known here.
    pub(super) newer: Option<String>,
}

/// Why single entries were passed over. A file may hold nothing else: only the first reason is kept.
#[derive(Debug, Default)]
pub(super) struct Complaints {
    pub(super) first: Option<String>,
    pub(super) count: usize,
}

impl Complaints {
    fn push(&mut self, reason: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(reason);
    }
}

impl Contents {
    /// What stands in the repository is shared, whatever it says of itself: only the user's own directory is private,
    /// and nothing that was cloned or pulled comes into other projects.
    pub(super) fn share(&mut self) {
        let archived = self.archive.iter_mut().filter_map(|line| match line {
            ArchiveLine::Archived { archived, .. } => Some(&mut archived.memory),
            ArchiveLine::Restored { .. } => None,
        });
        for memory in self.memories.iter_mut().map(|(found, _)| &mut found.memory).chain(archived) {
            if !memory.scope.is_shared() {
                Arc::make_mut(memory).scope = Scope::ProjectShared;
            }
        }
    }
}

/// Every file of an area that holds something of ours, in a stable order.
pub(super) fn enumerate(disk: &Disk, area: Area) -> io::Result<Vec<FileId>> {
    let mut files = Vec::new();
    for namespace in namespaces(disk)? {
        for folder in ["episodic", "semantic", "skills", "learnings", "notes", "archive"] {
            let base = FileId::new(area, &namespace, Role::Links, folder).path;
            enumerate_folder(disk, area, &namespace, folder, &base, &mut files)?;
        }
    }
    files.sort();
    Ok(files)
}

fn namespaces(disk: &Disk) -> io::Result<Vec<Namespace>> {
    let mut found = vec![Namespace::default()];
    for entry in disk.list("")? {
        let Some(namespace) = entry.name.to_str().and_then(Namespace::new) else { continue };
        if entry.kind == EntryKind::Dir && !namespace.is_default() && holds_memory(disk, &namespace)? {
            found.push(namespace);
        }
    }
    Ok(found)
}

/// A folder is a namespace when it has the folders of one; Loki Mode tells them by the first three.
fn holds_memory(disk: &Disk, namespace: &Namespace) -> io::Result<bool> {
    let known = ["episodic", "semantic", "skills", "notes", "learnings", "archive"];
    let entries = disk.list(namespace.as_str())?;
    Ok(entries.iter().any(|entry| entry.kind == EntryKind::Dir && known.iter().any(|name| entry.name == *name)))
}

fn enumerate_folder(
    disk: &Disk,
    area: Area,
    namespace: &Namespace,
    folder: &str,
    path: &Path,
    files: &mut Vec<FileId>,
) -> io::Result<()> {
    for entry in disk.list(path)? {
        // A name that is not UTF-8 is none that lokid or Loki Mode gives.
        let Some(name) = entry.name.to_str() else { continue };
        match entry.kind {
            EntryKind::Dir if folder == "episodic" && !name.starts_with('.') => {
                for file in disk.list(path.join(name))? {
                    let Some(file_name) = file.name.to_str() else { continue };
                    if layout::role_in(folder, file_name).is_some() {
                        files.push(file_id(
                            area,
                            namespace,
                            Role::Memories(Shape::Episode),
                            path.join(name).join(file_name),
                        ));
                    }
                }
            }
            // What has the name of a document and is none is found out when it is read, and told.
            _ if folder != "episodic" => {
                if let Some(role) = layout::role_in(folder, name) {
                    files.push(file_id(area, namespace, role, path.join(name)));
                }
            }
            _ => {}
        }
    }
    if folder == "skills" {
        one_of_each_skill(files);
    }
    Ok(())
}

fn file_id(area: Area, namespace: &Namespace, role: Role, path: PathBuf) -> FileId {
    FileId { area, namespace: namespace.clone(), role, path }
}

/// A skill with both files is the JSON's, however either is spelled; the Markdown counts alone only where it is alone.
fn one_of_each_skill(files: &mut Vec<FileId>) {
    let skills = |file: &&FileId| file.role == Role::Memories(Shape::Skill);
    let known = |file: &FileId| {
        let name = layout::skill_name(&file.path).unwrap_or_else(|| file.path.with_extension("").display().to_string());
        (file.namespace.clone(), name)
    };
    let of_json = files.iter().filter(skills).filter(|file| has_extension(&file.path, "json"));
    let with_json: std::collections::BTreeSet<_> = of_json.map(known).collect();
    files.retain(|file| !(skills(&file) && has_extension(&file.path, "md") && with_json.contains(&known(file))));
}

pub(super) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

/// Takes a file apart. The error is a reason for a person.
pub(super) fn parse(file: &FileId, bytes: &[u8], at: Timestamp, sidecar: &Object) -> Result<Contents, String> {
    let setting = Setting { namespace: file.namespace.clone(), at: day_of(&file.path).unwrap_or(at) };
    match file.role {
        Role::Memories(Shape::Notes) | Role::Archive => {
            let mut lines = LineReader::new(file, at);
            lines.take(LinePart::Lines(bytes));
            Ok(lines.contents)
        }
        Role::Memories(Shape::Skill) if has_extension(&file.path, "md") => parse_skill_markdown(file, bytes, &setting),
        Role::Memories(shape @ (Shape::Episode | Shape::Skill)) => parse_single(shape, bytes, &setting),
        Role::Memories(shape) => parse_list(file, shape, bytes, &setting, sidecar),
        Role::Links | Role::Contradictions | Role::Tombstones => parse_entries(file, bytes, at),
        Role::Sidecar => Ok(Contents::default()),
    }
}

fn day_of(path: &Path) -> Option<Timestamp> {
    Timestamp::parse(path.parent()?.file_name()?.to_str()?)
}

pub(super) fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8 at byte {}", error.valid_up_to()))
}

pub(super) fn hash(raw: &str) -> u64 {
    hash_of(raw.as_bytes())
}

pub(super) fn hash_of(bytes: &[u8]) -> u64 {
    let bytes = blake3::hash(bytes);
    u64::from_le_bytes(bytes.as_bytes()[..8].try_into().expect("a hash has more than eight bytes"))
}

fn parse_single(shape: Shape, bytes: &[u8], setting: &Setting) -> Result<Contents, String> {
    let raw = text(bytes)?;
    let object: Object = serde_json::from_str(raw).map_err(|error| error.to_string())?;
    let found = schema::read(shape, object, setting)?;
    Ok(Contents { memories: vec![(found, hash(raw))], ..Contents::default() })
}

fn parse_skill_markdown(file: &FileId, bytes: &[u8], setting: &Setting) -> Result<Contents, String> {
    let raw = text(bytes)?;
    let skill = schema::skill_text::parse(raw).ok_or("no heading that names a skill")?;
    let stem = file.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("skill");
    let mut object = Map::new();
    object.insert("id".to_owned(), format!("skill-{}", schema::skill_text::slug(stem)).into());
    let mut found = schema::read(Shape::Skill, object, setting)?;
    let memory = Arc::make_mut(&mut found.memory);
    memory.body = lokid_model::Body::Skill(Box::new(skill));
    memory.text = lokid_model::render::text_of(&memory.body);
    memory.title = lokid_model::render::title_of(&memory.body);
    Ok(Contents { memories: vec![(found, hash(raw))], ..Contents::default() })
}

/// A document with a list of entries, as raw text: what is not an object stays and counts for nothing.
pub(super) struct ListDocument {
    pub(super) envelope: RawObject,
    pub(super) items: Vec<Box<RawValue>>,
}

impl ListDocument {
    pub(super) fn parse(bytes: &[u8], field: &str) -> Result<ListDocument, String> {
        let envelope = RawObject::parse(text(bytes)?).map_err(|error| error.to_string())?;
        let items = match envelope.get(field) {
            None => Vec::new(),
            Some(list) => items_of(list).ok_or_else(|| format!("`{field}` is neither a list nor an object"))?,
        };
        Ok(ListDocument { envelope, items })
    }
}

/// Loki Mode's own hydration writes its patterns as an object by id: the values are what the list would hold.
fn items_of(list: &str) -> Option<Vec<Box<RawValue>>> {
    if let Ok(items) = serde_json::from_str(list) {
        return Some(items);
    }
    let Pairs(object): Pairs<String, Box<RawValue>> = serde_json::from_str(list).ok()?;
    Some(object.into_iter().map(|(_, value)| value).collect())
}

fn parse_list(
    file: &FileId,
    shape: Shape,
    bytes: &[u8],
    setting: &Setting,
    sidecar: &Object,
) -> Result<Contents, String> {
    let document = ListDocument::parse(bytes, layout::list_field(file.role))?;
    let read = |part: &[Box<RawValue>]| -> Vec<Result<(Found, u64), String>> {
        let entry = |raw: &str| Ok((read_item(shape, raw, setting, sidecar)?, hash(raw)));
        part.iter().map(|item| entry(item.get())).collect()
    };
    let mut contents = Contents { newer: version::newer(file.role, &document.envelope), ..Contents::default() };
    for (at, entry) in
        thread::in_parts(&document.items, ENTRIES_APIECE, |_| true, read).into_iter().flatten().enumerate()
    {
        match entry {
            Ok(found) => contents.memories.push(found),
            Err(reason) => contents.complaints.push(|| format!("entry {at}: {reason}")),
        }
    }
    Ok(contents)
}

/// One entry of a list; a pattern gets back what Loki Mode dropped from it.
pub(super) fn read_item(shape: Shape, raw: &str, setting: &Setting, sidecar: &Object) -> Result<Found, String> {
    let mut object: Object = serde_json::from_str(raw).map_err(|_| "not an object".to_owned())?;
    if shape == Shape::Patterns {
        let kept = object.get("id").and_then(Value::as_str).and_then(|id| sidecar.get(id)?.as_object());
        if let Some(kept) = kept {
            schema::restore_from_sidecar(&mut object, kept);
        }
    }
    schema::read(shape, object, setting)
}

fn parse_entries(file: &FileId, bytes: &[u8], at: Timestamp) -> Result<Contents, String> {
    let document = ListDocument::parse(bytes, layout::list_field(file.role))?;
    let mut contents = Contents { newer: version::newer(file.role, &document.envelope), ..Contents::default() };
    for (position, item) in document.items.iter().enumerate() {
        let object: Object = serde_json::from_str(item.get()).unwrap_or_default();
        let understood = match file.role {
            Role::Links => lists::read_link(object, &file.namespace, at).map(|link| contents.links.push(link)),
            Role::Contradictions => lists::read_contradiction(object, &file.namespace)
                .map(|contradiction| contents.contradictions.push(contradiction)),
            _ => lists::read_tombstone(object, &file.namespace, file.area.scope())
                .map(|tombstone| contents.tombstones.push(tombstone)),
        };
        if understood.is_none() {
            contents.complaints.push(|| format!("entry {position}: not understood"));
        }
    }
    Ok(contents)
}

/// The lines of a file with their numbers, blank ones left out.
fn numbered_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    lines.map(|(at, line)| (at + 1, line.trim_ascii())).filter(|(_, line)| !line.is_empty())
}

/// No record that is accepted makes a longer line (`max_record` is 64 MiB at most), and no file may take more memory.
pub(super) const LONGEST_LINE: usize = 96 << 20;

/// Takes a file of lines apart, some of them at a time.
pub(super) struct LineReader {
    role: Role,
    setting: Setting,
    pub(super) contents: Contents,
    lines_before: usize,
}

impl LineReader {
    pub(super) fn new(file: &FileId, at: Timestamp) -> LineReader {
        let setting = Setting { namespace: file.namespace.clone(), at: day_of(&file.path).unwrap_or(at) };
        LineReader { role: file.role, setting, contents: Contents::default(), lines_before: 0 }
    }

    pub(super) fn take(&mut self, part: LinePart<'_>) {
        match part {
            LinePart::Lines(bytes) if self.role == Role::Archive => self.take_archive(bytes),
            LinePart::Lines(bytes) => self.take_notes(bytes),
            LinePart::TooLong => {
                self.lines_before += 1;
                self.contents.too_long = true;
                let (line, most) = (self.lines_before, LONGEST_LINE >> 20);
                self.contents.complaints.push(|| format!("line {line}: longer than {most} MiB, passed over"));
            }
        }
    }

    /// Long files are read by all cores: a start waits for nothing else.
    fn take_notes(&mut self, bytes: &[u8]) {
        let setting = &self.setting;
        let parts = thread::in_parts(bytes, PART_BYTES, |byte| *byte == b'\n', |part| parse_note_lines(part, setting));
        for (part, lines) in parts {
            self.contents.memories.extend(part.memories);
            self.contents.deletions.extend(part.deletions);
            if let Some((at, reason)) = part.trouble {
                self.contents.complaints.push(|| format!("line {}: {reason}", self.lines_before + at));
                self.contents.complaints.count += part.troubles - 1;
            }
            self.lines_before += lines;
        }
    }

    fn take_archive(&mut self, bytes: &[u8]) {
        for (number, line) in numbered_lines(bytes) {
            let entry = text(line)
                .and_then(|raw| serde_json::from_str::<Object>(raw).map_err(|error| error.to_string()))
                .and_then(|object| lists::read_archive_line(object, &self.setting.namespace));
            match entry {
                Ok(entry) => self.contents.archive.push(entry),
                Err(reason) => {
                    self.contents.complaints.push(|| format!("line {}: {reason}", self.lines_before + number));
                }
            }
        }
        self.lines_before += line_ends(bytes);
    }
}

/// Below this a thread costs more than it saves.
const PART_BYTES: usize = 1 << 20;
const ENTRIES_APIECE: usize = 2048;

#[derive(Default)]
struct NoteLines {
    memories: Vec<(Found, u64)>,
    deletions: Vec<(MemoryId, Timestamp)>,
    /// The first, and how many.
    trouble: Option<(usize, String)>,
    troubles: usize,
}

fn parse_note_lines(bytes: &[u8], setting: &Setting) -> (NoteLines, usize) {
    // A guess at their number spares most of the growing.
    let mut lines = NoteLines { memories: Vec::with_capacity(bytes.len() / 256), ..NoteLines::default() };
    for (number, line) in numbered_lines(bytes) {
        match parse_note(line, setting) {
            Ok(Note::Record(found)) => lines.memories.push(found),
            Ok(Note::Deletion(id, at)) => lines.deletions.push((id, at)),
            Err(reason) => {
                lines.troubles += 1;
                lines.trouble.get_or_insert((number, reason));
            }
        }
    }
    (lines, line_ends(bytes))
}

fn line_ends(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

enum Note {
    Record((Found, u64)),
    Deletion(MemoryId, Timestamp),
}

fn parse_note(line: &[u8], setting: &Setting) -> Result<Note, String> {
    let raw = text(line)?;
    let mut line: Line<'_> = serde_json::from_str(raw).map_err(|error| error.to_string())?;
    if line.peek("deleted").and_then(Value::as_bool) == Some(true) {
        let id = schema::fields::take_text(&mut line, "id").and_then(|id| MemoryId::foreign(&id));
        let at = schema::fields::take_time(&mut line, "updated_at");
        return id.zip(at).map(|(id, at)| Note::Deletion(id, at)).ok_or_else(|| "a deletion of nothing".to_owned());
    }
    Ok(Note::Record((schema::read_note_line(line, setting)?, hash(raw))))
}

/// The memory that a line of `notes/` holds, if it holds one.
pub(super) fn note(line: &[u8], namespace: &Namespace) -> Option<Arc<Memory>> {
    let setting = Setting { namespace: namespace.clone(), at: Timestamp::default() };
    match parse_note(line, &setting) {
        Ok(Note::Record((found, _))) => Some(found.memory),
        _ => None,
    }
}

/// Which memory a line of `notes/` is about, and since when it says so.
pub(super) struct Version {
    pub(super) id: MemoryId,
    pub(super) updated_at: Timestamp,
    /// Of the line, as for every entry; nothing for a line that takes the memory back.
    pub(super) hash: Option<u64>,
}

/// What each of these lines is about; nothing for one that is not understood.
pub(super) fn versions(lines: &[&[u8]]) -> Vec<Option<Version>> {
    const LINES_APIECE: usize = 4096;
    let setting = Setting { namespace: Namespace::default(), at: Timestamp::default() };
    let version = |line: &&[u8]| match parse_note(line.trim_ascii(), &setting) {
        Ok(Note::Record((found, hash))) => {
            let (id, updated_at) = (found.memory.id.clone(), found.memory.times.updated_at);
            Some(Version { id, updated_at, hash: Some(hash) })
        }
        Ok(Note::Deletion(id, updated_at)) => Some(Version { id, updated_at, hash: None }),
        Err(_) => None,
    };
    let read = |part: &[&[u8]]| part.iter().map(version).collect::<Vec<_>>();
    thread::in_parts(lines, LINES_APIECE, |_| true, read).into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::list::ListEditor;
    use super::*;

    const ROLES: &[(Role, &str)] = &[
        (Role::Memories(Shape::Episode), "episodic/2026-01-06/task-x.json"),
        (Role::Memories(Shape::Patterns), "semantic/patterns.json"),
        (Role::Memories(Shape::AntiPatterns), "semantic/anti-patterns.json"),
        (Role::Memories(Shape::Facts), "semantic/facts.json"),
        (Role::Memories(Shape::Skill), "skills/x.json"),
        (Role::Memories(Shape::Skill), "skills/x.md"),
        (Role::Memories(Shape::Learnings), "learnings/2026-01-06.json"),
        (Role::Memories(Shape::Notes), "notes/2026-01.0a1b2c3d.ndjson"),
        (Role::Archive, "archive/2026-01.0a1b2c3d.ndjson"),
        (Role::Links, "semantic/links.json"),
        (Role::Contradictions, "semantic/contradictions.json"),
        (Role::Tombstones, "archive/tombstones.json"),
    ];

    fn read_as_everything(bytes: &[u8]) {
        for (role, path) in ROLES {
            let file = FileId::new(Area::Shared, &Namespace::default(), *role, path);
            let _ = parse(&file, bytes, Timestamp::default(), &Object::new());
            if let Ok(editor) = ListEditor::open(&file, Some(bytes)) {
                let text = editor.finish(Timestamp::default());
                assert!(RawObject::parse(&text).is_ok(), "what is written back is JSON");
            }
        }
    }

    proptest! {
        #[test]
        fn no_bytes_in_any_file_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            read_as_everything(&bytes);
        }

        #[test]
        fn nor_do_bytes_that_look_like_json(text in "[\\[\\]{}:,\"a-z0-9 \\\\\n#.-]{0,120}") {
            read_as_everything(text.as_bytes());
        }

        #[test]
        fn nor_do_documents_cut_off_anywhere(cut in 0usize..400) {
            let whole = r#"{"version":"1.0","patterns":[{"id":"sem-1","pattern":"p","links":[{"to":"x","relation":"supports"}]}],"facts":[{"id":"f","key":"k","value":1.50}],"links":[{"from":"a","to":"b","relation":"related_to"}],"learnings":[{"id":"l","error":"e"}],"tombstones":[{"id":"t","fingerprint":"00"}],"contradictions":[{}]}"#;
            read_as_everything(&whole.as_bytes()[..cut.min(whole.len())]);
        }
    }

    #[test]
    fn nesting_without_end_costs_the_file_and_not_the_process() {
        let deep = format!("{{\"id\":\"x\",\"a\":{}1{}}}", "[".repeat(50_000), "]".repeat(50_000));
        read_as_everything(deep.as_bytes());
    }
}
