//! What was changed where, kept in lokid's own state directory: the bytes a file had before, and how to know it again.
//!
//! A record is advice, never needed: without one, hooks are taken out by what they say.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

use super::agent::{Agent, Scope};
use crate::sys::{Clock, plain};

const MOST_RECORD: u64 = 1 << 16;

pub(super) struct Ledger {
    folder: PathBuf,
    name: String,
}

/// How a file stood before hooks came into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// `None` when there was no file.
    pub(super) before: Option<Vec<u8>>,
    /// The hash of what was written.
    after: String,
    /// Folders that were made for it, the innermost first.
    pub(super) folders: Vec<PathBuf>,
}

impl Record {
    /// Is this just what was written then?
    pub(super) fn wrote(&self, bytes: &[u8]) -> bool {
        self.after == hash(bytes)
    }
}

impl Ledger {
    /// For one agent's hooks in one file.
    pub(super) fn of(state: &Path, agent: Agent, file: &Path) -> Ledger {
        let place = blake3::hash(file.as_os_str().as_encoded_bytes()).to_hex();
        Ledger { folder: state.join("hooks"), name: format!("{}-{}", agent.word(), &place[..16]) }
    }

    /// Where the old bytes are.
    pub(super) fn backup(&self) -> PathBuf {
        self.folder.join(format!("{}.before", self.name))
    }

    fn record(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.name))
    }

    /// `None` when there is none, or it does not hold together.
    pub(super) fn read(&self, most: u64) -> Option<Record> {
        let record = plain::read_text(&self.record(), MOST_RECORD).ok()??;
        let record: Value = serde_json::from_str(&record).ok()?;
        let folders = record.get("folders")?.as_array()?.iter().filter_map(Value::as_str).map(PathBuf::from).collect();
        let before = match record.get("before")? {
            Value::Null => None,
            expected => {
                let bytes = plain::read(&self.backup(), most).ok()??;
                Some(bytes).filter(|bytes| expected.as_str() == Some(&hash(bytes))).map(Some)?
            }
        };
        Some(Record { before, after: record.get("after")?.as_str()?.to_owned(), folders })
    }

    /// Kept before the file itself is written, so that no crash leaves a changed file without its backup.
    pub(super) fn keep(
        &self,
        scope: Scope,
        file: &Path,
        before: Option<&[u8]>,
        after: &[u8],
        folders: &[PathBuf],
    ) -> anyhow::Result<()> {
        if let Some(before) = before {
            plain::replace(&self.backup(), before).context("cannot keep a backup")?;
        }
        let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        let record = json!({
            "path": file.display().to_string(),
            "scope": scope.word(),
            "at": Clock::system().now().to_string(),
            "before": before.map(hash),
            "after": hash(after),
            "folders": folders,
        });
        plain::replace(&self.record(), format!("{record:#}\n").as_bytes()).context("cannot keep a record")?;
        if before.is_none() {
            // One of an earlier time would say otherwise.
            let _ = plain::remove(&self.backup());
        }
        Ok(())
    }

    /// What stood in the file when the hooks left it.
    pub(super) fn keep_last(&self, bytes: &[u8]) -> anyhow::Result<()> {
        plain::replace(&self.folder.join(format!("{}.last", self.name)), bytes).context("cannot keep a backup")
    }

    pub(super) fn close(&self) {
        let _ = plain::remove(&self.record());
        let _ = plain::remove(&self.backup());
    }
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_read_back_and_a_changed_backup_is_not_trusted() {
        let lab = tempfile::tempdir().unwrap();
        let file = Path::new("/home/ada/.claude/settings.json");
        let ledger = Ledger::of(lab.path(), Agent::Claude, file);
        assert_eq!(ledger.read(100), None);
        ledger.keep(Scope::User, file, Some(b"old"), b"new", &["/home/ada/.claude".into()]).unwrap();
        let record = ledger.read(100).unwrap();
        assert_eq!(record.before.as_deref(), Some(&b"old"[..]));
        assert!(record.wrote(b"new") && !record.wrote(b"old"));
        assert_eq!(record.folders, [Path::new("/home/ada/.claude")]);
        plain::replace(&ledger.backup(), b"older").unwrap();
        assert_eq!(ledger.read(100), None);
        ledger.keep(Scope::User, file, None, b"new", &[]).unwrap();
        assert_eq!(ledger.read(100).unwrap().before, None);
        ledger.close();
        assert_eq!(ledger.read(100), None);
    }

    #[test]
    fn each_agent_and_file_has_its_own() {
        let of = |agent, file: &str| Ledger::of(Path::new("/s"), agent, Path::new(file)).record();
        assert_ne!(of(Agent::Claude, "/a"), of(Agent::Claude, "/b"));
        assert_ne!(of(Agent::Claude, "/a"), of(Agent::Cursor, "/a"));
    }
}
