//! What was changed where, kept in lokid's own state directory: the bytes a file had before, and how to know it again.
//!
//! A record is advice, never needed: without one, what is ours is known by what it says.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

use lokid_sys::{Clock, plain};

const MOST_RECORD: u64 = 1 << 16;

pub(in crate::cli) struct Ledger {
    folder: PathBuf,
    name: String,
}

/// How a file stood before it was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Record {
    /// `None` when there was no file.
    pub(in crate::cli) before: Option<Vec<u8>>,
    /// The hash of what was written.
    after: String,
    /// Folders that were made for it, the innermost first.
    pub(in crate::cli) folders: Vec<PathBuf>,
}

impl Record {
    /// Is this just what was written then?
    pub(in crate::cli) fn wrote(&self, bytes: &[u8]) -> bool {
        self.after == hash(bytes)
    }
}

impl Ledger {
    /// In this folder, for what is changed in one file for this purpose.
    pub(in crate::cli) fn of(folder: PathBuf, purpose: &str, file: &Path) -> Ledger {
        let place = blake3::hash(file.as_os_str().as_encoded_bytes()).to_hex();
        Ledger { folder, name: format!("{purpose}-{}", &place[..16]) }
    }

    /// Where the old bytes are.
    pub(in crate::cli) fn backup(&self) -> PathBuf {
        self.folder.join(format!("{}.before", self.name))
    }

    fn record(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.name))
    }

    /// `None` when there is none, or it does not hold together.
    pub(in crate::cli) fn read(&self, most: u64) -> Option<Record> {
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
    pub(in crate::cli) fn keep(
        &self,
        scope: &str,
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
            "scope": scope,
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

    /// What stood in the file when the change was taken back.
    pub(in crate::cli) fn keep_last(&self, bytes: &[u8]) -> anyhow::Result<()> {
        plain::replace(&self.folder.join(format!("{}.last", self.name)), bytes).context("cannot keep a backup")
    }

    pub(in crate::cli) fn close(&self) {
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
        let ledger = Ledger::of(lab.path().join("hooks"), "claude", file);
        assert_eq!(ledger.read(100), None);
        ledger.keep("user", file, Some(b"old"), b"new", &["/home/ada/.claude".into()]).unwrap();
        let record = ledger.read(100).unwrap();
        assert_eq!(record.before.as_deref(), Some(&b"old"[..]));
        assert!(record.wrote(b"new") && !record.wrote(b"old"));
        assert_eq!(record.folders, [Path::new("/home/ada/.claude")]);
        plain::replace(&ledger.backup(), b"older").unwrap();
        assert_eq!(ledger.read(100), None);
        ledger.keep("user", file, None, b"new", &[]).unwrap();
        assert_eq!(ledger.read(100).unwrap().before, None);
        ledger.close();
        assert_eq!(ledger.read(100), None);
    }

    #[test]
    fn each_purpose_and_file_has_its_own() {
        let of = |purpose, file: &str| Ledger::of("/s".into(), purpose, Path::new(file)).record();
        assert_ne!(of("claude", "/a"), of("claude", "/b"));
        assert_ne!(of("claude", "/a"), of("cursor", "/a"));
    }
}
