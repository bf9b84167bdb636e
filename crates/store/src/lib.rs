//! Memory as plain files, written so that nothing acknowledged is ever lost and nothing foreign is ever harmed.
//!
//! Promises. A commit that returns is durable: its files are synced, or its intent is, and the next start carries it
//! out. A commit that fails leaves the old state. Readers of the files see each of them old or new, never half. A file
//! that cannot be understood is left where it is. What another program changed is noticed at the next look and before
//! every write to the same file.

pub mod documents;
mod door;
mod earlier;
mod history;
mod journal;
mod layers;
mod layout;
mod list;
mod mend;
pub mod merge;
mod outside;
mod plan;
mod raw;
mod read;
mod rivals;
mod scan;
pub mod schema;
mod shorten;
mod skills;
pub mod three_way;
pub mod traces;
mod tree;
mod version;
mod write;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lokid_model::{Change, Key, Kind, Memory, Problem, Timestamp};
use lokid_sys::{Disk, Faults};

pub use door::Door;
use door::KnownClean;
pub use earlier::versions;
use journal::Journal;
pub use layers::{LayerFiles, Neighbourhood};
use layout::{Area, FileId, Role};
use plan::{Edit, Plan, Planner};
pub use rivals::forget_lineage;
pub use scan::SECRETS;
use scan::{Catalog, Limits};
use schema::Shape;
pub use tree::PROOF;
use tree::Tree;
pub use version::NewerFormat;
use write::Writing;

/// Where a project's memory stands.
#[derive(Clone, Debug)]
pub struct StorePlace {
    /// The repository, and the way from there to its memory (`.loki/memory`), which is walked without following links.
    pub root: PathBuf,
    pub shared: PathBuf,
    /// The user's own records of this project.
    pub private: PathBuf,
    /// Their own records of all projects.
    pub system: PathBuf,
    /// Written beside the private ones, so that they are known again whatever else is lost.
    pub proof: String,
    /// The journal.
    pub state: PathBuf,
    /// Eight hex digits that are this machine's own.
    pub writer: String,
}

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub lock_timeout: Duration,
    pub max_document: u64,
    /// Another process owns the project: look, and touch nothing.
    pub read_only: bool,
}

/// How long a change that cannot be written is left alone, in microseconds.
const SETTLE_AGAIN: i64 = 5_000_000;

/// Many new files are cheaper to flush together than one by one.
const MANY: usize = 8;

pub struct Store {
    shared: Tree,
    private: Tree,
    system: Tree,
    journal: Journal,
    door: Door,
    known: Arc<KnownClean>,
    is_known_kept: bool,
    writer: String,
    options: Options,
    catalog: Catalog,
    /// Changes that are in the journal and whose files could not all be written, oldest first.
    waiting: Vec<Waiting>,
    /// Why they wait.
    trouble: Option<(Problem, io::ErrorKind)>,
    /// The repository could not be written when it was last tried, and this was said.
    shut: bool,
    /// What waited for it and is in its files now.
    let_in: Vec<Change>,
    /// When the waiting changes were last tried.
    settled_at: Option<Timestamp>,
    /// The journal of an earlier life has been read, and this is what it held, until it is told.
    journal_read: bool,
    recalled: Vec<Change>,
    /// Seen in files while writing them, and not told yet.
    unreported: Vec<Change>,
}

/// A change that is promised and not all done.
#[derive(Clone)]
struct Waiting {
    changes: Vec<Change>,
    /// What is left of it; unknown for one of an earlier life, which is carried out from the start.
    left: Option<Plan>,
}

impl Store {
    /// Opens without reading; [`Store::look`] brings what is there.
    pub fn open(place: &StorePlace, options: Options, door: &Door, faults: Option<Arc<Faults>>) -> io::Result<Store> {
        let state = Disk::create(&place.state)?;
        let state = match &faults {
            Some(faults) => state.with_faults(Arc::clone(faults)),
            None => state,
        };
        let ((private_base, private_name), (system_base, system_name)) =
            (split_last(&place.private), split_last(&place.system));
        let known = Arc::new(KnownClean::open(&state, door));
        Ok(Store {
            shared: Tree::new(place.root.clone(), place.shared.clone(), true, door)
                .with_faults(faults.clone())
                .knowing(&known),
            private: Tree::new(private_base, private_name, false, door)
                .with_faults(faults.clone())
                .with_proof(&place.proof)
                .knowing(&known),
            system: Tree::new(system_base, system_name, false, door).with_faults(faults).knowing(&known),
            journal: Journal::new(state, door),
            door: Arc::clone(door),
            known,
            is_known_kept: false,
            writer: place.writer.clone(),
            options,
            catalog: Catalog::default(),
            waiting: Vec::new(),
            trouble: None,
            shut: false,
            let_in: Vec::new(),
            settled_at: None,
            journal_read: false,
            recalled: Vec::new(),
            unreported: Vec::new(),
        })
    }

    /// Everything on disk that was not known yet, as changes. The first look brings all of it, and first finishes
    /// what an earlier life began.
    pub fn look(&mut self, now: Timestamp) -> Vec<Change> {
        // What stands there from the start is not touched; what changes under our eyes is followed.
        let is_first = self.catalog.files.is_empty();
        if is_first && !self.options.read_only {
            self.sweep();
        }
        let mut changes = self.scan();
        if self.mend(is_first) {
            changes.extend(self.scan());
        }
        if !is_first && !self.options.read_only && self.catalog.newer().is_none() {
            self.follow_skills(now, &changes);
        }
        if self.recall().is_ok() {
            changes.append(&mut self.recalled);
        }
        if self.may_settle(now) && !self.options.read_only && self.catalog.newer().is_none() {
            self.settle(now);
            changes.extend(self.scan());
        }
        changes.append(&mut self.unreported);
        changes
    }

    /// What a killed writer left half-written may hold what was purged since.
    fn sweep(&mut self) {
        if let Err(error) = self.shared.look().and_then(|disk| disk.map_or(Ok(()), |disk| disk.sweep())) {
            tracing::debug!(reason = %error, "half-written files may be left");
        }
    }

    /// Reads the journal of an earlier life, once. Until that has worked nothing may be written over it.
    fn recall(&mut self) -> io::Result<()> {
        if self.journal_read {
            return Ok(());
        }
        match self.journal.pending() {
            Ok(pending) => {
                self.journal_read = true;
                self.recalled = pending.iter().flatten().cloned().collect();
                self.waiting = pending.into_iter().map(|changes| Waiting { changes, left: None }).collect();
                Ok(())
            }
            Err(error) => {
                let problem = Problem::new("journal", format!("cannot be read, so nothing is written: {error}"));
                self.trouble = Some((problem, error.kind()));
                Err(error)
            }
        }
    }

    fn may_settle(&self, now: Timestamp) -> bool {
        let rested = |at: Timestamp| (now.as_micros() - at.as_micros()).abs() > SETTLE_AGAIN;
        !self.waiting.is_empty() && self.settled_at.is_none_or(rested)
    }

    fn scan(&mut self) -> Vec<Change> {
        let limits = self.limits();
        let mut trees =
            [(Area::Shared, &mut self.shared), (Area::Private, &mut self.private), (Area::System, &mut self.system)];
        let changes = scan::scan(&mut self.catalog, &mut trees, limits);
        // Only the first look reads so much that it is worth a file.
        if !self.options.read_only && !self.is_known_kept {
            self.is_known_kept = true;
            self.journal.keep_known(&self.known);
        }
        changes
    }

    /// In which file of the store a memory stands.
    pub fn file_of(&self, key: &Key) -> Option<String> {
        self.catalog.homes.get(key).map(|home| home.file.label())
    }

    pub fn problems(&self) -> Vec<Problem> {
        let newer = self.catalog.newer().map(|newer| Problem::new(newer.file.clone(), newer.to_string()));
        let trouble = self.trouble.iter().map(|(problem, _)| problem.clone());
        let problems = newer.into_iter().chain(trouble).chain(self.catalog.problems());
        // A file's name is somebody's words, too.
        let said = |text: String| self.door.clean(&text).map_or(text, |cleaned| cleaned.text);
        problems.map(|problem| Problem::new(said(problem.path), said(problem.reason))).collect()
    }

    /// Makes changes durable. Answers with what another program had changed in the same files meanwhile.
    pub fn commit(&mut self, now: Timestamp, changes: &[Change]) -> io::Result<Vec<Change>> {
        if self.options.read_only {
            return Err(io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "opened for reading: another lokid owns it"));
        }
        if let Some(newer) = self.catalog.newer() {
            return Err(io::Error::other(newer));
        }
        self.recall()?;
        // The folder may have been replaced by a checkout since the last look.
        self.shared.refresh();
        self.private.refresh();
        self.system.refresh();
        if self.may_settle(now) {
            self.settle(now);
        }
        if self.must_stay_outside(changes) {
            self.put_outside(changes)?;
            return Ok(std::mem::take(&mut self.unreported));
        }
        let mut plan = self.plan(changes)?;
        if self.has_to_wait(&plan, changes) {
            self.settle(now);
            plan = self.plan(changes)?;
        }
        self.may_write(&plan, changes)?;
        self.drop_damaged(changes);
        let patience = self.options.lock_timeout;
        if !plan.needs_journal() {
            self.execute(now, &mut plan, patience)?;
            return Ok(std::mem::take(&mut self.unreported));
        }
        self.journal.intend(changes)?;
        // From here on it will happen: what cannot be written now is carried out later.
        match self.execute(now, &mut plan, patience) {
            Ok(()) => self.clear_journal(),
            Err(error) => {
                tracing::warn!(reason = %error, "a change is safe in the journal but not yet in its files");
                self.trouble = Some((waiting_problem(&error), error.kind()));
                self.waiting.push(Waiting { changes: changes.to_vec(), left: Some(plan) });
                self.settled_at = Some(now);
            }
        }
        Ok(std::mem::take(&mut self.unreported))
    }

    fn clear_journal(&self) {
        let left: Vec<&[Change]> = self.waiting.iter().map(|waiting| waiting.changes.as_slice()).collect();
        if let Err(error) = self.journal.keep(&left) {
            tracing::warn!(reason = %error, "the journal could not be cleared; repeating it does no harm");
        }
    }

    /// Refuses what is known not to work before anything is promised: a file that cannot be understood is not written,
    /// and what waits for a file goes before what comes after it.
    fn may_write(&mut self, plan: &Plan, changes: &[Change]) -> io::Result<()> {
        for file in plan.files.keys() {
            if self.catalog.is_corrupt(file) {
                let why = format!("{} cannot be read, so it is not written either; mend or move it", file.label());
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
            let limits = self.limits();
            let Some(disk) = self.tree(file.area).look()?.cloned() else { continue };
            if disk.is_irregular(&file.path)? {
                let why = format!("{} is no regular file", file.label());
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
            if let Some(newer) = self.catalog.become_newer(&disk, file, limits) {
                return Err(io::Error::other(newer));
            }
        }
        if !self.has_to_wait(plan, changes) {
            return Ok(());
        }
        let (why, kind) = match &self.trouble {
            // Asking again in a moment would not help.
            Some((problem, kind)) if is_full(*kind) => (problem.reason.clone(), io::ErrorKind::StorageFull),
            Some((problem, _)) => (problem.reason.clone(), io::ErrorKind::WouldBlock),
            None => (String::new(), io::ErrorKind::WouldBlock),
        };
        Err(io::Error::new(kind, format!("an earlier change of the same goes first: {why}")))
    }

    /// Does an earlier change still wait for one of these files, or speak of one of these memories? Carried out after
    /// this one, it would undo it.
    fn has_to_wait(&self, plan: &Plan, changes: &[Change]) -> bool {
        if self.waiting.is_empty() {
            return false;
        }
        let keys: HashSet<Key> = changes.iter().flat_map(Change::keys).collect();
        self.waiting.iter().any(|waiting| {
            let left = waiting.left.iter().flat_map(|left| left.files.keys());
            let same_file = left.into_iter().any(|file| plan.files.contains_key(file));
            same_file || waiting.changes.iter().flat_map(Change::keys).any(|key| keys.contains(&key))
        })
    }

    /// Carries out what waits in the journal, as far as it can be done without waiting for anybody.
    fn settle(&mut self, now: Timestamp) {
        let (before, mut at) = (self.waiting.len(), 0);
        let shut = self.is_shut();
        let mut trouble = shut.then(|| self.say_shut());
        // What speaks of the same memory keeps its order.
        let mut stuck: HashSet<Key> = HashSet::new();
        while at < self.waiting.len() {
            let belongs_inside = self.waiting[at].changes.iter().any(outside::is_shared);
            let keys = || self.waiting[at].changes.iter().flat_map(Change::keys);
            if (belongs_inside && shut) || keys().any(|key| stuck.contains(&key)) {
                at += 1;
                continue;
            }
            let waiting = self.waiting[at].clone();
            let left = match waiting.left {
                Some(left) => Ok(left),
                None => self.plan(&waiting.changes),
            };
            let done = left.map_err(|error| (error, None)).and_then(|mut left| {
                let done = self.execute(now, &mut left, Duration::ZERO);
                done.map_err(|error| (error, Some(left)))
            });
            match done {
                Ok(()) => {
                    // A look in between may have found again what is gone now.
                    let gone = |change: &&Change| matches!(change, Change::Archive(_) | Change::Purge(_));
                    self.unreported.extend(waiting.changes.iter().filter(gone).cloned());
                    self.waiting.remove(at);
                    self.let_in.extend(waiting.changes);
                }
                Err((error, left)) => {
                    trouble = Some((waiting_problem(&error), error.kind()));
                    stuck.extend(waiting.changes.iter().flat_map(Change::keys));
                    self.waiting[at].left = left;
                    at += 1;
                }
            }
        }
        if self.waiting.len() != before {
            self.clear_journal();
        }
        self.say_open();
        self.trouble = trouble.filter(|_| !self.waiting.is_empty());
        self.settled_at = Some(now).filter(|_| !self.waiting.is_empty());
    }

    fn plan(&mut self, changes: &[Change]) -> io::Result<Plan> {
        let limits = self.limits();
        let disks = [self.shared.look()?.cloned(), self.private.look()?.cloned(), self.system.look()?.cloned()];
        let disk = |area: Area| disks[area as usize].as_ref();
        let planner = Planner {
            catalog: &self.catalog,
            writer: &self.writer,
            living: &|file, id| write::living_text(disk(file.area)?, file, id, limits),
            archived: &|file, id| write::archived_text(disk(file.area)?, file, id),
            taken: &|file, id| disk(file.area).is_some_and(|disk| write::is_anothers(disk, file, id, limits)),
        };
        Ok(planner.plan(changes))
    }

    /// Carries out a plan file by file; what is done is taken out of it, so that after a failure only the rest is tried
    /// again. What others had changed in these files is kept for the next report.
    fn execute(&mut self, now: Timestamp, plan: &mut Plan, lock_timeout: Duration) -> io::Result<()> {
        for area in Area::ALL {
            let files: Vec<Arc<FileId>> = plan.files.keys().filter(|file| file.area == area).cloned().collect();
            let documents = area == Area::Shared && !plan.documents.is_empty();
            if files.is_empty() && !documents {
                continue;
            }
            let disk = self.tree(area).make()?.clone();
            let limits = Limits { max_document: self.options.max_document };
            let writing = Writing { disk: &disk, now, lock_timeout, limits };
            let new: Vec<Arc<FileId>> = files
                .iter()
                .filter(|file| is_new_episode(&self.catalog, &disk, file, &plan.files[*file]))
                .cloned()
                .collect();
            if new.len() > MANY {
                let edits: Vec<_> = new.iter().map(|file| (Arc::clone(file), &plan.files[file][0])).collect();
                writing.new_episodes(&mut self.catalog, &edits)?;
                for file in &new {
                    plan.files.remove(file);
                }
            }
            for file in &files {
                if let Some(edits) = plan.files.get(file) {
                    let seen = writing.file(&mut self.catalog, file, edits)?;
                    self.unreported.extend(seen);
                    plan.files.remove(file);
                }
            }
            while let Some(document) = plan.documents.last().filter(|_| area == Area::Shared) {
                writing.document(document)?;
                plan.documents.pop();
            }
        }
        Ok(())
    }

    fn tree(&mut self, area: Area) -> &mut Tree {
        match area {
            Area::Shared => &mut self.shared,
            Area::Private => &mut self.private,
            Area::System => &mut self.system,
        }
    }

    fn limits(&self) -> Limits {
        Limits { max_document: self.options.max_document }
    }
}

/// A memory as it comes back from the file it would be put into: some files say the same in a form of their own.
pub fn as_read_back(memory: &Memory) -> Arc<Memory> {
    let Role::Memories(shape) = layout::home(memory, "").role else { return Arc::new(memory.clone()) };
    let setting = schema::Setting { namespace: memory.namespace.clone(), at: memory.times.created_at };
    let read = schema::read(shape, schema::view(shape, memory), &setting);
    read.map_or_else(|_| Arc::new(memory.clone()), |found| found.memory)
}

/// What a file of its own would say of a memory of one of Loki Mode's kinds.
pub fn document_of(memory: &Memory) -> Option<schema::Object> {
    let shape = match memory.kind {
        Kind::Episode => Shape::Episode,
        Kind::Pattern => Shape::Patterns,
        Kind::AntiPattern => Shape::AntiPatterns,
        Kind::Skill => Shape::Skill,
        _ => return None,
    };
    Some(schema::view(shape, memory))
}

fn is_new_episode(catalog: &Catalog, disk: &Disk, file: &FileId, edits: &[Edit]) -> bool {
    file.role == Role::Memories(Shape::Episode)
        && matches!(edits, [Edit::Put { raw: None, .. }])
        && !catalog.files.contains_key(file)
        && matches!(disk.stamp(&file.path), Ok(None))
}

/// No room, or none for this user.
pub fn is_full(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn waiting_problem(error: &io::Error) -> Problem {
    Problem::new("journal", format!("a change is kept safe there, not yet in its files: {error}"))
}

fn split_last(path: &Path) -> (PathBuf, PathBuf) {
    let name = path.file_name().map(PathBuf::from).unwrap_or_default();
    (path.parent().map(Path::to_path_buf).unwrap_or_default(), name)
}
