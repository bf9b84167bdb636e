//! One of the directories a store stands in, opened when it is there and made when something is first written:
//! looking at a repository leaves nothing behind in it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::door::{CleanDisk, Door, KnownClean};
use lokid_sys::{Disk, Faults, plain};

/// Lock files and half-written files are nobody's business; everything else may be committed, but for what is derived.
/// The two short layers are made anew from the rest after every change; tracked, they would stand in the way of every
/// checkout and conflict in every merge.
pub(super) const IGNORED_BY_GIT: &[u8] = b"*.lock\n.tmp_*\n/index.json\n/timeline.json\n";

pub(super) struct Tree {
    base: PathBuf,
    relative: PathBuf,
    disk: Option<CleanDisk>,
    faults: Option<Arc<Faults>>,
    door: Door,
    known: Arc<KnownClean>,
    in_repository: bool,
    proof: String,
}

/// Beside the user's own records: whose they are.
pub const PROOF: &str = "project.json";

impl Tree {
    /// `relative` is walked without following symbolic links, so that a repository cannot send its memory elsewhere.
    pub(super) fn new(base: PathBuf, relative: PathBuf, in_repository: bool, door: &Door) -> Tree {
        Tree {
            base,
            relative,
            disk: None,
            faults: None,
            door: Arc::clone(door),
            known: Arc::default(),
            in_repository,
            proof: String::new(),
        }
    }

    /// For tests: failures are planned below it.
    pub(super) fn with_faults(self, faults: Option<Arc<Faults>>) -> Tree {
        Tree { faults, ..self }
    }

    pub(super) fn knowing(self, known: &Arc<KnownClean>) -> Tree {
        Tree { known: Arc::clone(known), ..self }
    }

    pub(super) fn with_proof(self, proof: &str) -> Tree {
        Tree { proof: proof.to_owned(), ..self }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.base.join(&self.relative)
    }

    /// What it stands in, without links, and the way from there.
    pub(super) fn parts(&self) -> (PathBuf, PathBuf) {
        (plain::canonical(&self.base).unwrap_or_else(|_| self.base.clone()), self.relative.clone())
    }

    /// Is there anything it could stand in?
    pub(super) fn has_base(&self) -> bool {
        !self.in_repository || plain::folder_identity(&self.base).is_ok()
    }

    /// The directory, if there is one by now.
    pub(super) fn look(&mut self) -> io::Result<Option<&CleanDisk>> {
        if self.disk.is_none() {
            match self.open(false) {
                Ok(disk) => self.disk = Some(disk),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.disk.as_ref())
    }

    /// The directory, made if need be.
    pub(super) fn make(&mut self) -> io::Result<&CleanDisk> {
        if self.look()?.is_none() {
            let disk = self.open(true)?;
            if self.in_repository && disk.stamp(".gitignore")?.is_none() {
                disk.replace(".gitignore", IGNORED_BY_GIT)?;
            }
            self.disk = Some(disk);
        }
        Ok(self.disk.as_ref().expect("opened just above"))
    }

    /// Forgets the open directory, so that one put in its place (a checkout, a restored backup) is seen.
    pub(super) fn refresh(&mut self) {
        self.disk = None;
    }

    fn open(&self, create: bool) -> io::Result<CleanDisk> {
        if create && !self.in_repository {
            let base = Disk::create(&self.base)?;
            if !self.proof.is_empty() && base.stamp(PROOF)?.is_none() {
                base.replace(PROOF, self.proof.as_bytes())?;
            }
        }
        let disk = Disk::open_nofollow_chain(Path::new(&self.base), &self.relative, create)?;
        let disk = match &self.faults {
            Some(faults) => disk.with_faults(Arc::clone(faults)),
            None => disk,
        };
        Ok(CleanDisk::new(disk, &self.door).knowing(&self.known))
    }
}
