//! Comparing what stands on disk with what was last seen there, and saying the difference as changes.
//!
//! The first look and every later one are the same look: at the start nothing has been seen yet.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;

use super::documents::{self, SeenDocument};
use super::door::CleanDisk;
use super::layout::{self, Area, FileId, Role};
use super::read::{self, Contents};
use super::rivals::{self, BuiltOn, FoundRival};
use super::schema::lists::ArchiveLine;
use super::schema::{Object, Shape};
use super::tree::Tree;
use super::version::{self, NewerFormat};
use lokid_model::link::LinkKey;
use lokid_model::{Archived, Change, Key, Link, Memory, MemoryId, Namespace, Problem, Rare, Timestamp};
use lokid_sys::{Disk, Stamp, thread};

/// What was last seen of one file.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) stamp: Option<Stamp>,
    /// Of a skill's Markdown, which stands beside its JSON.
    pub(super) markdown: Option<Stamp>,
    pub(super) entries: HashMap<MemoryId, u64>,
    /// Lines that a later one has replaced, about.
    pub(super) replaced: usize,
    /// It holds a line that is never read, so it is not written anew either.
    pub(super) too_long: bool,
    pub(super) links: HashMap<LinkKey, Link>,
    /// The entries of a list that is of no memories.
    pub(super) listed: HashSet<String>,
    pub(super) problem: Option<Problem>,
    /// The kinds of secrets that stand in it.
    pub(super) secrets: BTreeSet<String>,
    /// The version of its format, when it is one that is not known here.
    pub(super) newer: Option<String>,
}

/// Where a memory lives, and which version of it.
#[derive(Clone, Debug)]
pub(super) struct Home {
    pub(super) file: Arc<FileId>,
    pub(super) updated_at: Timestamp,
    pub(super) built_on: Rare<BuiltOn>,
}

#[derive(Debug, Default)]
pub(super) struct Catalog {
    pub(super) files: BTreeMap<Arc<FileId>, Seen>,
    pub(super) homes: HashMap<Key, Home>,
    /// Records of `notes/` taken back, and when: a line of another machine may still hold them.
    pub(super) deletions: HashMap<Key, Timestamp>,
    /// What lokid added to Loki Mode's patterns, by namespace and id.
    pub(super) sidecars: HashMap<Namespace, Object>,
    /// Ledgers and handoffs.
    pub(super) documents: BTreeMap<PathBuf, SeenDocument>,
    /// Another look is due: a file holds what was thought to be gone.
    pub(super) copies_left: bool,
    /// Damaged files that nothing tells how to mend, as they were then.
    pub(super) not_mended: HashMap<PathBuf, Stamp>,
    /// Notes that two machines changed at once.
    pub(super) rivals: Vec<FoundRival>,
    /// Whole trees that cannot be looked into.
    pub(super) closed: BTreeMap<Area, Problem>,
}

impl Catalog {
    pub(super) fn problems(&self) -> Vec<Problem> {
        let secrets = self.files.iter().filter(|(_, seen)| !seen.secrets.is_empty());
        let secrets = secrets.map(|(file, seen)| (file.label(), &seen.secrets));
        let documents = self.documents.iter().filter(|(_, (_, secrets))| !secrets.is_empty());
        let documents = documents.map(|(path, (_, secrets))| (path.display().to_string(), secrets));
        let secrets = secrets.chain(documents).map(|(path, kinds)| Problem::new(path, secrets_told(kinds)));
        let troubles = self.files.values().filter_map(|seen| seen.problem.clone());
        self.closed.values().cloned().chain(troubles).chain(secrets).collect()
    }

    /// Is something here of a later format? Then nothing is written, for what is written could harm what is not understood.
    pub(super) fn newer(&self) -> Option<NewerFormat> {
        let told = |(file, seen): (&Arc<FileId>, &Seen)| {
            seen.newer.as_ref().map(|version| NewerFormat { file: file.label(), version: version.clone() })
        };
        self.files.iter().find_map(told)
    }

    /// The same of one file that another hand has changed since the last look, before anything is promised about it.
    pub(super) fn become_newer(&mut self, disk: &CleanDisk, file: &Arc<FileId>, limits: Limits) -> Option<NewerFormat> {
        let field = layout::list_field(file.role);
        let stamp = disk.stamp(&file.path).ok().flatten()?;
        if field.is_empty() || self.files.get(file).is_some_and(|seen| seen.stamp == Some(stamp)) {
            return None;
        }
        let bytes = disk.read(&file.path, limits.max_document).ok()?;
        let document = read::ListDocument::parse(&bytes, field).ok()?;
        let version = version::newer(file.role, &document.envelope)?;
        self.files.entry(Arc::clone(file)).or_default().newer = Some(version.clone());
        Some(NewerFormat { file: file.label(), version })
    }

    /// A memory whose file is gone may stand in another one too, in an older version: those are read again.
    fn look_for_copies(&mut self, gone: &HashSet<Key>) {
        if gone.is_empty() {
            return;
        }
        let deletions = &self.deletions;
        for (file, seen) in &mut self.files {
            let before = seen.entries.len();
            seen.entries.retain(|id, _| {
                let key = Key::new(&file.namespace, id);
                // A line that was taken back is no copy.
                let taken_back = file.role == Role::Memories(Shape::Notes) && deletions.contains_key(&key);
                taken_back || !gone.contains(&key)
            });
            if seen.entries.len() != before {
                seen.stamp = None;
                self.copies_left = true;
            }
        }
    }

    /// A file that could not be read is not written either.
    pub(super) fn is_corrupt(&self, file: &FileId) -> bool {
        let unreadable = |problem: &Problem| !problem.reason.starts_with(PARTLY);
        self.files.get(file).is_some_and(|seen| seen.problem.as_ref().is_some_and(unreadable))
    }
}

/// What a person is told of a file with secrets: their kinds, never themselves.
pub(super) fn secrets_told(kinds: &BTreeSet<String>) -> String {
    let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
    format!("{SECRETS}{}; lokid shows nothing of them, the file still does", kinds.join(", "))
}

/// How the problem of a file with secrets begins.
pub const SECRETS: &str = "holds secrets: ";
/// How the problem of a file begins when most of it was read.
const PARTLY: &str = "partly read: ";

/// The largest file that is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) max_document: u64,
}

/// Looks at everything that changed since the last look.
pub(super) fn scan(catalog: &mut Catalog, trees: &mut [(Area, &mut Tree)], limits: Limits) -> Vec<Change> {
    let mut changes = scan_once(catalog, trees, limits);
    if std::mem::take(&mut catalog.copies_left) {
        changes.extend(scan_once(catalog, trees, limits));
        catalog.copies_left = false;
    }
    changes
}

fn scan_once(catalog: &mut Catalog, trees: &mut [(Area, &mut Tree)], limits: Limits) -> Vec<Change> {
    let mut found = Difference::default();
    let mut present: HashSet<Arc<FileId>> = HashSet::new();
    for (area, tree) in trees.iter_mut() {
        tree.refresh();
        let listed = tree.look().and_then(|disk| disk.map(|disk| read::enumerate(disk, *area)).transpose());
        match listed {
            Ok(files) => {
                catalog.closed.remove(area);
                let files = files.unwrap_or_default();
                let disk = tree.look().ok().flatten().cloned();
                if let Some(disk) = disk {
                    read_sidecars(catalog, &disk, *area, &files, limits);
                    let files: Vec<Arc<FileId>> = files.into_iter().map(Arc::new).collect();
                    look_at(catalog, &disk, &files, limits, &mut found);
                    present.extend(files);
                    if *area == Area::Shared
                        && let Err(error) = documents::look_for_secrets(&disk, &mut catalog.documents)
                    {
                        tracing::debug!(reason = %error, "ledgers and handoffs cannot be looked at");
                    }
                }
            }
            Err(error) => {
                let known = catalog.files.keys().filter(|file| file.area == *area).cloned();
                present.extend(known.collect::<Vec<_>>());
                catalog.closed.insert(*area, Problem::new(tree.path().display().to_string(), error.to_string()));
            }
        }
    }
    let gone: Vec<Arc<FileId>> = catalog.files.keys().filter(|file| !present.contains(*file)).cloned().collect();
    for file in gone {
        found.absorb(catalog, &file, Contents::default());
        catalog.files.remove(&file);
    }
    found.into_changes(catalog)
}

fn read_sidecars(catalog: &mut Catalog, disk: &CleanDisk, area: Area, files: &[FileId], limits: Limits) {
    let patterns = |file: &&FileId| area == Area::Shared && file.role == Role::Memories(Shape::Patterns);
    for file in files.iter().filter(patterns) {
        catalog.sidecars.insert(file.namespace.clone(), read_sidecar(disk, &file.namespace, limits));
    }
}

/// A sidecar that cannot be read is one that holds nothing: it only ever repeats what a pattern's file says.
pub(super) fn read_sidecar(disk: &CleanDisk, namespace: &Namespace, limits: Limits) -> Object {
    let bytes = disk.read(&layout::sidecar(namespace).path, limits.max_document).unwrap_or_default();
    let document: Object = serde_json::from_slice(&bytes).unwrap_or_default();
    document.get("patterns").and_then(|list| list.as_object()).cloned().unwrap_or_default()
}

/// A file that is not as it was last seen.
struct Changed {
    file: Arc<FileId>,
    stamp: Stamp,
    markdown: Option<Stamp>,
}

/// Files read by one core before another is asked to help.
const FILES_APIECE: usize = 64;

/// Reads the files that are not as they were last seen, on all cores, and takes them in one after the other.
pub(super) fn look_at(
    catalog: &mut Catalog,
    disk: &CleanDisk,
    files: &[Arc<FileId>],
    limits: Limits,
    found: &mut Difference,
) {
    let changed: Vec<Changed> = files.iter().filter_map(|file| changed(catalog, disk, file)).collect();
    let (none, sidecars) = (Object::new(), &catalog.sidecars);
    let read = |part: &[Changed]| -> Vec<(Result<Contents, String>, BTreeSet<String>)> {
        let sidecar = |file: &FileId| match file.role {
            Role::Memories(Shape::Patterns) => sidecars.get(&file.namespace).unwrap_or(&none),
            _ => &none,
        };
        part.iter().map(|one| read_contents(disk, one, limits, sidecar(&one.file))).collect()
    };
    let contents: Vec<_> = thread::in_parts(&changed, FILES_APIECE, |_| true, read).into_iter().flatten().collect();
    for (Changed { file, stamp, markdown }, (contents, secrets)) in changed.into_iter().zip(contents) {
        let seen = catalog.files.entry(Arc::clone(&file)).or_default();
        (seen.stamp, seen.markdown, seen.secrets) = (Some(stamp), markdown, secrets);
        match contents {
            Ok(contents) => {
                let problem = complaint(&file, &contents);
                if let Some(version) = contents.newer.as_ref().filter(|_| seen.newer != contents.newer) {
                    let told = NewerFormat { file: file.label(), version: version.clone() };
                    tracing::warn!(%told, "this memory is not written");
                }
                seen.newer.clone_from(&contents.newer);
                found.absorb(catalog, &file, contents);
                report(catalog, &file, problem);
            }
            // What was last read of it stays: a half-written file is no reason to forget.
            Err(reason) => report(catalog, &file, Some(Problem::new(file.label(), reason))),
        }
    }
}

fn changed(catalog: &Catalog, disk: &Disk, file: &Arc<FileId>) -> Option<Changed> {
    let stamp = disk.stamp(&file.path).ok().flatten();
    let markdown = match file.role {
        Role::Memories(Shape::Skill) => disk.stamp(layout::skill_markdown(disk, &file.path)).ok().flatten(),
        _ => None,
    };
    let known = catalog.files.get(file).is_some_and(|seen| seen.stamp == stamp && seen.markdown == markdown);
    stamp.filter(|_| !known).map(|stamp| Changed { file: Arc::clone(file), stamp, markdown })
}

/// With the kinds of secrets that stand in the file, understood or not.
fn read_contents(
    disk: &CleanDisk,
    Changed { file, stamp, markdown }: &Changed,
    limits: Limits,
    sidecar: &Object,
) -> (Result<Contents, String>, BTreeSet<String>) {
    let at = Timestamp::from_micros((stamp.mtime_ns / 1000) as i64);
    // Files of lines grow; everything else has a size beyond which it is no document.
    if read::has_extension(&file.path, "ndjson") {
        let mut lines = read::LineReader::new(file, at);
        return match disk.read_lines(&file.path, read::LONGEST_LINE, |part| lines.take(part)) {
            Ok(secrets) => (Ok(lines.contents), secrets),
            Err(error) => (Err(error.to_string()), BTreeSet::new()),
        };
    }
    let is_markdown = read::has_extension(&file.path, "md");
    let (bytes, mut secrets) = match disk.read_telling(&file.path, limits.max_document) {
        Ok(read) => read,
        Err(error) => return (Err(error.to_string()), BTreeSet::new()),
    };
    if markdown.is_some() && !is_markdown {
        let beside = disk.read_telling(layout::skill_markdown(disk, &file.path), limits.max_document);
        secrets.extend(beside.map(|(_, secrets)| secrets).unwrap_or_default());
    }
    // The id of a skill that is only told in Markdown is the name of its file.
    if is_markdown && !disk.is_clean(&file.label()) {
        return (Err("its name holds a secret; give it another".to_owned()), secrets);
    }
    (read::parse(file, &bytes, at, sidecar), secrets)
}

fn complaint(file: &FileId, contents: &Contents) -> Option<Problem> {
    let first = contents.complaints.first.as_ref()?;
    let more = contents.complaints.count - 1;
    let rest = if more > 0 { format!(" (and {more} more)") } else { String::new() };
    Some(Problem::new(file.label(), format!("{PARTLY}{first}{rest}")))
}

/// Says it once: the same trouble with the same file is not told again.
fn report(catalog: &mut Catalog, file: &Arc<FileId>, problem: Option<Problem>) {
    let seen = catalog.files.entry(Arc::clone(file)).or_default();
    if let Some(problem) = problem.as_ref().filter(|problem| seen.problem.as_ref() != Some(problem)) {
        tracing::warn!(path = %problem.path, reason = %problem.reason, "left as it is, everything else goes on");
    }
    seen.problem = problem;
}

/// What a look found, gathered so that the newest version of each memory wins whatever file it stands in.
#[derive(Default)]
pub(super) struct Difference {
    /// In the order they were found, which is the order of the files and of their lines.
    newest: IndexMap<Key, (Arc<Memory>, Arc<FileId>)>,
    vanished: Vec<Key>,
    archive: HashMap<Key, (Timestamp, Option<Arc<Archived>>)>,
    others: Vec<Change>,
    purges: Vec<Change>,
}

impl Difference {
    /// Takes in what a file now holds, against what it held before.
    pub(super) fn absorb(&mut self, catalog: &mut Catalog, file: &Arc<FileId>, mut contents: Contents) {
        if file.area == Area::Shared {
            contents.share();
        }
        let seen = catalog.files.entry(Arc::clone(file)).or_default();
        let old_entries = std::mem::take(&mut seen.entries);
        let old_links = std::mem::take(&mut seen.links);
        let (lines, too_long) = (contents.memories.len(), contents.too_long);
        let mut entries = HashMap::with_capacity(lines);
        let mut links: HashMap<LinkKey, Link> = HashMap::new();
        links.extend(contents.links.into_iter().map(|link| (link.key(), link)));
        self.newest.reserve(contents.memories.len());
        let mut rivals = HashMap::new();
        for (found, hash) in contents.memories {
            links.extend(found.links.into_iter().map(|link| (link.key(), link)));
            let id = found.memory.id.clone();
            let changed = old_entries.get(&id) != Some(&hash) || entries.contains_key(&id);
            entries.insert(id, hash);
            if changed {
                self.note_rival(catalog, file, &found.memory, &mut rivals);
                self.consider(catalog, file, found.memory);
            }
        }
        catalog.rivals.extend(rivals.into_values().flatten());
        for id in old_entries.keys().filter(|id| !entries.contains_key(*id)) {
            let key = Key::new(&file.namespace, id);
            if catalog.homes.get(&key).is_some_and(|home| home.file == *file) {
                self.vanished.push(key);
            }
        }
        for (id, at) in contents.deletions {
            let key = Key::new(&file.namespace, &id);
            let latest = catalog.deletions.entry(key.clone()).or_insert(at);
            *latest = at.max(*latest);
            let in_notes = |home: &Home| home.file.role == Role::Memories(Shape::Notes) && home.updated_at <= at;
            if catalog.homes.get(&key).is_some_and(in_notes) {
                self.vanished.push(key);
            }
        }
        let gone = old_links.iter().filter(|(key, _)| !links.contains_key(*key));
        self.others.extend(gone.map(|(_, link)| Change::Unlink(link.clone())));
        let new = links.iter().filter(|(key, link)| old_links.get(*key) != Some(link));
        self.others.extend(new.map(|(_, link)| Change::Link(link.clone())));
        let listed = contents.contradictions.iter().map(|found| found.id.clone()).collect();
        self.others.extend(contents.contradictions.into_iter().map(Change::Contradict));
        self.purges.extend(contents.tombstones.into_iter().map(Change::Purge));
        for line in contents.archive {
            self.note_archive(file, line);
        }
        let seen = catalog.files.entry(Arc::clone(file)).or_default();
        seen.replaced = lines.saturating_sub(entries.len());
        seen.too_long = too_long;
        seen.entries = entries;
        seen.links = links;
        seen.listed = listed;
    }

    /// The last line of a file on each memory that another file speaks of, too.
    fn note_rival(
        &self,
        catalog: &Catalog,
        file: &Arc<FileId>,
        memory: &Arc<Memory>,
        rivals: &mut HashMap<Key, Option<FoundRival>>,
    ) {
        if file.role != Role::Memories(Shape::Notes) {
            return;
        }
        let key = memory.key();
        let seen = self.newest.get(&key).filter(|(_, home)| home != file).map(|(other, home)| {
            let (updated_at, built_on) = (other.times.updated_at, rivals::built_on(other).into());
            (Home { file: Arc::clone(home), updated_at, built_on }, Some(other))
        });
        let known = || catalog.homes.get(&key).filter(|home| home.file != *file).map(|home| (home.clone(), None));
        if let Some((home, ours)) = seen.or_else(known) {
            rivals.insert(key, rivals::rival(file, memory, &home, ours));
        }
    }

    fn consider(&mut self, catalog: &Catalog, file: &Arc<FileId>, memory: Arc<Memory>) {
        let key = memory.key();
        let at = memory.times.updated_at;
        // Loki Mode writes a skill anew under its own spelling and dates nothing: there the later file is the later word.
        let written = |file: &FileId| catalog.files.get(file).and_then(|seen| seen.stamp).map(|stamp| stamp.mtime_ns);
        let is_skill = |file: &FileId| file.role == Role::Memories(Shape::Skill);
        let is_older = |other: &FileId, updated_at: Timestamp| match is_skill(file) && is_skill(other) {
            true => written(file) < written(other),
            false => updated_at > at,
        };
        let elsewhere = catalog.homes.get(&key).filter(|home| home.file != *file);
        if elsewhere.is_some_and(|home| is_older(&home.file, home.updated_at)) {
            return;
        }
        match self.newest.get(&key) {
            Some((other, home)) if is_older(home, other.times.updated_at) => {}
            _ => {
                self.newest.insert(key, (memory, Arc::clone(file)));
            }
        }
    }

    fn note_archive(&mut self, file: &FileId, line: ArchiveLine) {
        let (id, at, entry) = match line {
            ArchiveLine::Archived { archived, .. } => {
                (archived.memory.id.clone(), archived.at, Some(Arc::from(archived)))
            }
            ArchiveLine::Restored { id, at } => (id, at, None),
        };
        let key = Key::new(&file.namespace, &id);
        if self.archive.get(&key).is_none_or(|(known, _)| *known <= at) {
            self.archive.insert(key, (at, entry));
        }
    }

    /// In the order in which they must be applied: what left, what came, what stands between, what may never return.
    pub(super) fn into_changes(mut self, catalog: &mut Catalog) -> Vec<Change> {
        self.newest.retain(|key, (memory, file)| {
            let taken_back = catalog.deletions.get(key).is_some_and(|at| memory.times.updated_at <= *at);
            !(taken_back && file.role == Role::Memories(Shape::Notes))
        });
        let mut changes = Vec::with_capacity(self.newest.len() + self.others.len());
        let mut archive: Vec<_> = self.archive.into_iter().collect();
        archive.sort_by(|a, b| a.0.cmp(&b.0));
        // One that another hand archived leaves its file in the same look.
        let leaving: HashSet<&Key> = self.vanished.iter().collect();
        let live = |catalog: &Catalog, key: &Key| catalog.homes.contains_key(key) && !leaving.contains(key);
        for (key, (_, entry)) in archive {
            if let Some(entry) = entry.filter(|_| !live(catalog, &key) && !self.newest.contains_key(&key)) {
                changes.push(Change::Archive(entry));
            }
        }
        let mut gone: HashSet<Key> = HashSet::new();
        for key in self.vanished {
            if !self.newest.contains_key(&key) && catalog.homes.remove(&key).is_some() {
                gone.insert(key.clone());
                changes.push(Change::Vanished(key));
            }
        }
        catalog.look_for_copies(&gone);
        catalog.homes.reserve(self.newest.len());
        for (key, (memory, file)) in self.newest {
            let updated_at = memory.times.updated_at;
            catalog.homes.insert(key, Home { file, updated_at, built_on: rivals::built_on(&memory).into() });
            changes.push(Change::Put { before: None, after: memory });
        }
        changes.extend(self.others);
        changes.extend(self.purges);
        changes
    }
}
