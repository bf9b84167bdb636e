//! Which project a folder is, today and after it was moved, renamed or cloned again.
//!
//! A project is its first commit and an id drawn once. The list of all projects ever seen is one small file in lokid's
//! state directory; several processes may touch it, so it is changed under a lock. Every folder of a project says the
//! same of itself, so that a list that is damaged costs nothing.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use lokid_model::Timestamp;
use lokid_sys::{Dirs, Disk, LockKind, git, plain, process};

const FILE: &str = "projects.json";
/// What became of a list that could not be read.
const DAMAGED: &str = "projects.corrupt.json";
/// In each folder of a project: whose it is.
const PROOF: &str = lokid_store::PROOF;
const MAX_BYTES: u64 = 16 << 20;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct KnownIdentity {
    pub(super) id: String,
    pub(super) path: PathBuf,
    pub(super) root_commit: Option<String>,
    /// Started with the daemon.
    pub(super) watched: bool,
    pub(super) added_at: Timestamp,
    /// It was known before confirmations were kept, and what it holds has not been confirmed yet.
    pub(super) adopts: bool,
}

impl KnownIdentity {
    /// What a folder of the project says, to know it by.
    pub(super) fn proof(&self) -> String {
        format!("{:#}\n", view_known(self))
    }

    /// Did it begin with this commit, as far as is known?
    fn has_start(&self, root_commit: Option<&str>) -> bool {
        self.root_commit.as_deref().zip(root_commit).is_none_or(|(own, other)| own == other)
    }
}

pub(super) struct ProjectBook {
    disk: Disk,
    data: PathBuf,
}

impl ProjectBook {
    pub(super) fn open(dirs: &Dirs) -> io::Result<ProjectBook> {
        Ok(ProjectBook { disk: Disk::create(&dirs.state)?, data: dirs.data.clone() })
    }

    /// Every project that was ever seen. The list is only the sum of what each project's own folders say of themselves:
    /// where the two differ the folders are right, and what the list has lost they bring back.
    pub(super) fn read(&self) -> io::Result<Vec<KnownIdentity>> {
        Ok(self.gathered(self.listed()?))
    }

    /// An unreadable list is one with nothing in it, and is kept aside.
    fn listed(&self) -> io::Result<Vec<KnownIdentity>> {
        if self.disk.stamp(FILE)?.is_none() {
            return Ok(Vec::new());
        }
        let bytes = self.disk.read(FILE, MAX_BYTES)?;
        let document: Value = match serde_json::from_slice(&bytes) {
            Ok(document) => document,
            Err(error) => {
                tracing::warn!(path = FILE, reason = %error, "the list of projects is corrupt and is made anew");
                self.disk.replace(DAMAGED, &bytes)?;
                return Ok(Vec::new());
            }
        };
        let keeps_confirmations = document.get("confirmations").is_some();
        let list = document.get("projects").and_then(Value::as_array).cloned().unwrap_or_default();
        let known = list.iter().filter_map(read_known);
        Ok(known.map(|known| KnownIdentity { adopts: known.adopts || !keeps_confirmations, ..known }).collect())
    }

    fn gathered(&self, listed: Vec<KnownIdentity>) -> Vec<KnownIdentity> {
        let mut proven: BTreeMap<String, KnownIdentity> =
            self.folders().into_iter().filter_map(|(id, folder)| Some((id, proof_in(&folder)?))).collect();
        let (mut known, mut unproven) = (Vec::new(), Vec::new());
        for entry in listed {
            match proven.remove(&entry.id) {
                Some(proof) => known.push(proof),
                None => unproven.push(entry),
            }
        }
        known.extend(proven.into_values());
        // One without a folder where another has one is a slip of the pen.
        unproven.retain(|entry| {
            let same =
                |other: &KnownIdentity| other.path == entry.path && other.has_start(entry.root_commit.as_deref());
            !known.iter().any(same)
        });
        known.extend(unproven);
        known
    }

    /// Every folder that looks like a project's, those of its state last: they are written more often.
    fn folders(&self) -> Vec<(String, PathBuf)> {
        let of = |folder: PathBuf| plain::files_in(&folder).unwrap_or_default();
        let id = |path: PathBuf| Some((path.file_name()?.to_str().filter(|name| is_id(name))?.to_owned(), path));
        let all = of(self.data.clone()).into_iter().chain(of(self.disk.root().join("projects")));
        all.filter_map(id).collect()
    }

    /// Folders of projects that nobody knows any more, and a list that was found damaged.
    pub(super) fn orphans(&self) -> io::Result<Vec<PathBuf>> {
        let known = self.read()?;
        let lost = self.folders().into_iter().filter(|(id, _)| !known.iter().any(|entry| entry.id == *id));
        let damaged = self.disk.stamp(DAMAGED)?.map(|_| self.disk.root().join(DAMAGED));
        Ok(lost.map(|(_, folder)| folder).chain(damaged).collect())
    }

    fn change<T>(&self, edit: impl FnOnce(&mut Vec<KnownIdentity>) -> T) -> io::Result<T> {
        let _lock = self.disk.lock("projects.json.lock", LockKind::Exclusive, Duration::from_secs(5))?;
        let listed = self.listed()?;
        let mut known = self.gathered(listed.clone());
        let answer = edit(&mut known);
        known.iter().for_each(|entry| self.prove(entry));
        if known != listed {
            let list: Vec<Value> = known.iter().map(view_known).collect();
            let text = serde_json::to_string_pretty(&json!({"version": 1, "confirmations": true, "projects": list}))?;
            self.disk.replace(FILE, text.as_bytes())?;
        }
        Ok(answer)
    }

    /// Each folder of a project says whose it is; what is right already is not written.
    fn prove(&self, entry: &KnownIdentity) {
        let [state, data] = self.places_of(&entry.id);
        // There is nothing of it among the data until something private is kept.
        let data = Some(data).filter(|folder| plain::folder_identity(folder).is_ok());
        let unsaid = |folder: &PathBuf| proof_in(folder).as_ref() != Some(entry);
        for folder in [state].into_iter().chain(data).filter(unsaid) {
            if let Err(error) = plain::replace(&folder.join(PROOF), entry.proof().as_bytes()) {
                tracing::warn!(reason = %error, "a folder cannot say whose it is; the list still does");
            }
        }
    }

    fn places_of(&self, id: &str) -> [PathBuf; 2] {
        [self.disk.root().join("projects").join(id), self.data.join(id)]
    }

    /// The id of the project that stands at `root`, drawn now if it has none.
    pub(super) fn identify(&self, root: &Path, git_dir: Option<&Path>, now: Timestamp) -> io::Result<KnownIdentity> {
        let root_commit = git_dir.and_then(git::root_commit);
        self.change(|known| {
            let position = position_of(known, root, root_commit.as_deref());
            let entry = match position {
                Some(at) => &mut known[at],
                None => {
                    known.push(KnownIdentity {
                        id: process::random_hex(8),
                        path: root.to_owned(),
                        root_commit: None,
                        watched: false,
                        added_at: now,
                        adopts: false,
                    });
                    known.last_mut().expect("pushed just above")
                }
            };
            entry.path = root.to_owned();
            if root_commit.is_some() {
                entry.root_commit = root_commit;
            }
            entry.clone()
        })
    }

    pub(super) fn set_watched(&self, id: &str, watched: bool) -> io::Result<()> {
        self.change(|known| {
            if let Some(entry) = known.iter_mut().find(|entry| entry.id == id) {
                entry.watched = watched;
            }
        })
    }

    /// What it held before confirmations were kept is confirmed.
    pub(super) fn set_adopted(&self, id: &str) -> io::Result<()> {
        self.change(|known| known.iter_mut().filter(|entry| entry.id == id).for_each(|entry| entry.adopts = false))
    }

    /// Nobody has heard of it any more.
    pub(super) fn strike(&self, id: &str) -> io::Result<()> {
        for folder in self.places_of(id) {
            plain::remove_if_there(&folder.join(PROOF))?;
        }
        self.change(|known| known.retain(|entry| entry.id != id))
    }

    /// Eight hex digits that are this machine's own, drawn once.
    pub(super) fn writer(&self) -> io::Result<String> {
        let _lock = self.disk.lock("writer.lock", LockKind::Exclusive, Duration::from_secs(5))?;
        if self.disk.stamp("writer")?.is_some() {
            let text = String::from_utf8(self.disk.read("writer", 64)?).unwrap_or_default();
            let text = text.trim();
            if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Ok(text.to_owned());
            }
        }
        let writer = process::random_hex(4);
        self.disk.replace("writer", format!("{writer}\n").as_bytes())?;
        Ok(writer)
    }
}

/// The same place with the same beginnings; else the same beginnings where the old place is gone. A second clone beside
/// the first is another project, and so is whatever has no beginnings yet: private memories must never end up elsewhere.
fn position_of(known: &[KnownIdentity], root: &Path, root_commit: Option<&str>) -> Option<usize> {
    let here = |entry: &KnownIdentity| entry.path == root && entry.has_start(root_commit);
    let moved = |entry: &KnownIdentity| {
        entry.root_commit.is_some()
            && entry.root_commit.as_deref() == root_commit
            && plain::folder_identity(&entry.path).is_err()
    };
    known.iter().position(here).or_else(|| known.iter().position(moved))
}

/// What a project's folder says of itself, if it says so in its own name.
fn proof_in(folder: &Path) -> Option<KnownIdentity> {
    let text = plain::read_text(&folder.join(PROOF), MAX_BYTES).ok().flatten()?;
    let known = read_known(&serde_json::from_str(&text).ok()?)?;
    folder.file_name().is_some_and(|name| name == known.id.as_str()).then_some(known)
}

pub(super) fn is_id(name: &str) -> bool {
    name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn read_known(value: &Value) -> Option<KnownIdentity> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let id = text("id").filter(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric()))?;
    Some(KnownIdentity {
        id: id.to_owned(),
        path: PathBuf::from(text("path")?),
        root_commit: text("root_commit").map(str::to_owned),
        watched: value.get("watched").and_then(Value::as_bool).unwrap_or(false),
        added_at: text("added_at").and_then(Timestamp::parse).unwrap_or_default(),
        adopts: value.get("adopts").and_then(Value::as_bool).unwrap_or(false),
    })
}

fn view_known(known: &KnownIdentity) -> Value {
    let mut entry = json!({
        "id": known.id,
        "path": known.path.to_string_lossy(),
        "root_commit": known.root_commit,
        "watched": known.watched,
        "added_at": known.added_at.record_style(),
    });
    if known.adopts {
        entry["adopts"] = true.into();
    }
    entry
}
