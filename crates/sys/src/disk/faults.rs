//! Planned failures, so that a test can let the n-th step of a write fail, or the process die there.
//!
//! Always compiled and inert unless a test plans something: one counter is all that it costs. It decides whether a step
//! happens and never touches the disk itself.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counts the changing steps of a [`super::Disk`]: each file created, written, flushed, renamed, removed or cut, each
/// directory made or flushed.
pub struct Faults {
    plan: Option<(u64, FaultMode)>,
    steps: AtomicU64,
    dead: AtomicBool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultMode {
    /// That one step fails; the process lives on and cleans up.
    Error(io::ErrorKind),
    /// The process dies before the step: no later step happens either.
    Crash,
    /// The same, but when the step is a write, the first half of its bytes still arrives.
    TornCrash,
}

impl Faults {
    /// Nothing fails; for learning how many steps there are.
    pub fn counting() -> Arc<Faults> {
        Arc::new(Faults { plan: None, steps: AtomicU64::new(0), dead: AtomicBool::new(false) })
    }

    /// Step number `n` fails; the first is number 1.
    pub fn fail_at(n: u64, mode: FaultMode) -> Arc<Faults> {
        Arc::new(Faults { plan: Some((n, mode)), steps: AtomicU64::new(0), dead: AtomicBool::new(false) })
    }

    /// How many changing steps were tried so far.
    pub fn ops(&self) -> u64 {
        self.steps.load(Ordering::SeqCst)
    }

    /// Passes, or fails as planned.
    pub(super) fn step(&self) -> io::Result<()> {
        self.write_step().map_err(|cut| cut.error)
    }

    /// Like [`Faults::step`] for a step that writes bytes: the failure tells whether half of them arrive.
    pub(super) fn write_step(&self) -> Result<(), Cut> {
        let number = self.steps.fetch_add(1, Ordering::SeqCst) + 1;
        if self.dead.load(Ordering::SeqCst) {
            return Err(Cut { error: injected(), torn: false });
        }
        match self.plan {
            Some((n, mode)) if n == number => Err(self.fail(mode)),
            _ => Ok(()),
        }
    }

    fn fail(&self, mode: FaultMode) -> Cut {
        match mode {
            FaultMode::Error(kind) => Cut { error: io::Error::new(kind, "injected fault"), torn: false },
            FaultMode::Crash | FaultMode::TornCrash => {
                self.dead.store(true, Ordering::SeqCst);
                Cut { error: injected(), torn: mode == FaultMode::TornCrash }
            }
        }
    }
}

pub(super) struct Cut {
    pub(super) error: io::Error,
    pub(super) torn: bool,
}

fn injected() -> io::Error {
    io::Error::other("injected fault")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Disk;

    /// A disk with `old` in `file` and the given plan; what it leaves is looked at with the plain file system.
    fn lab(plan: Arc<Faults>) -> (tempfile::TempDir, Disk) {
        let lab = tempfile::tempdir().unwrap();
        std::fs::write(lab.path().join("file"), "old\n").unwrap();
        let disk = Disk::open(lab.path()).unwrap().with_faults(plan);
        (lab, disk)
    }

    fn content(root: &Path) -> String {
        std::fs::read_to_string(root.join("file")).unwrap()
    }

    fn names(root: &Path) -> usize {
        std::fs::read_dir(root).unwrap().count()
    }

    #[test]
    fn a_replacement_that_fails_at_any_step_leaves_old_or_new_and_no_rubbish() {
        let plan = Faults::counting();
        lab(plan.clone()).1.replace("file", b"new").unwrap();
        assert_eq!(plan.ops(), 5, "create, write, flush, rename, flush the directory");
        for n in 1..=5 {
            let (root, disk) = lab(Faults::fail_at(n, FaultMode::Error(io::ErrorKind::StorageFull)));
            assert_eq!(disk.replace("file", b"new").unwrap_err().kind(), io::ErrorKind::StorageFull);
            assert_eq!(content(root.path()), if n == 5 { "new" } else { "old\n" }, "step {n}");
            assert_eq!(names(root.path()), 1, "step {n}");
            disk.replace("file", b"later").unwrap();
        }
    }

    #[test]
    fn a_crash_cleans_nothing_up_and_lets_nothing_happen_afterwards() {
        for (mode, left) in [(FaultMode::Crash, ""), (FaultMode::TornCrash, "ne")] {
            let (root, disk) = lab(Faults::fail_at(2, mode));
            let error = disk.replace("file", b"new!").unwrap_err();
            assert_eq!((error.kind(), error.to_string().as_str()), (io::ErrorKind::Other, "injected fault"));
            let temp = std::fs::read_dir(root.path()).unwrap().map(|entry| entry.unwrap().path());
            let temp = temp.filter(|path| path.to_string_lossy().contains(".tmp_")).collect::<Vec<_>>();
            assert_eq!(std::fs::read_to_string(&temp[0]).unwrap(), left, "{mode:?}");
            assert!(disk.remove("file").is_err() && disk.append("file", b"x").is_err());
            assert!(disk.create_dirs("dir").is_err() && disk.truncate("file", 0).is_err());
            assert!(disk.rename("file", "other").is_err());
            assert_eq!(content(root.path()), "old\n");
        }
    }

    #[test]
    fn an_append_that_fails_is_taken_back_and_one_that_crashes_is_torn() {
        let plan = Faults::counting();
        lab(plan.clone()).1.append("file", b"more\n").unwrap();
        assert_eq!(plan.ops(), 2, "write, flush");
        for n in 1..=2 {
            let (root, disk) = lab(Faults::fail_at(n, FaultMode::Error(io::ErrorKind::StorageFull)));
            assert!(disk.append("file", b"more\n").is_err());
            assert_eq!(content(root.path()), "old\n", "step {n}");
        }
        let (root, disk) = lab(Faults::fail_at(1, FaultMode::TornCrash));
        assert!(disk.append("file", b"more\n").is_err());
        assert_eq!(content(root.path()), "old\nmo");
    }

    #[test]
    fn many_files_fail_without_rubbish_and_crash_without_half_files() {
        let files: Vec<_> = (0..12).map(|n| (format!("f{n}").into(), b"body".to_vec())).collect();
        let plan = Faults::counting();
        lab(plan.clone()).1.write_many(&files).unwrap();
        for n in 1..=plan.ops() {
            let (root, disk) = lab(Faults::fail_at(n, FaultMode::Error(io::ErrorKind::StorageFull)));
            assert!(disk.write_many(&files).is_err(), "step {n}");
            assert!(disk.list("").unwrap().iter().all(|entry| !entry.name.to_string_lossy().contains("tmp")));
            let (crashed, disk) = lab(Faults::fail_at(n, FaultMode::TornCrash));
            assert!(disk.write_many(&files).is_err(), "step {n}");
            for (path, body) in &files {
                for root in [root.path(), crashed.path()] {
                    let found = std::fs::read(root.join(path));
                    assert!(found.is_err() || found.is_ok_and(|found| found == *body), "step {n}");
                }
            }
        }
    }
}
