//! Lines in two files, the newer and the older: when the newer is full it takes the place of the older, which goes as a
//! whole. What cannot be read costs itself.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::redaction::Redaction;
use lokid_sys::plain;

const NEWER: &str = "said.ndjson";
const OLDER: &str = "said-before.ndjson";
/// In bytes: the newer one is full from here on.
const FULL: u64 = 2 << 20;
/// A larger file is not ours.
const LARGEST: u64 = 16 << 20;

pub(super) struct Pieces {
    newer: PathBuf,
    older: PathBuf,
    redaction: Redaction,
    /// Of the newer one, once it is known.
    length: Option<u64>,
    /// That something cannot be read was said.
    told: AtomicBool,
}

impl Pieces {
    pub(super) fn new(folder: &Path, redaction: Redaction) -> Pieces {
        Pieces {
            newer: folder.join(NEWER),
            older: folder.join(OLDER),
            redaction,
            length: None,
            told: AtomicBool::new(false),
        }
    }

    /// Whole lines, behind those that stand there.
    pub(super) fn add(&mut self, lines: &str) -> io::Result<()> {
        let length = match self.length.take() {
            Some(length) => length,
            None => self.begin()?,
        };
        self.redaction.append(&self.newer, lines)?;
        let length = length + lines.len() as u64;
        if length < FULL {
            self.length = Some(length);
            return Ok(());
        }
        self.redaction.keep(&self.older, &self.read(&self.newer))?;
        plain::remove_if_there(&self.newer)
    }

    /// What was torn by a crash ends where it was torn.
    fn begin(&self) -> io::Result<u64> {
        let text = self.read(&self.newer);
        if !text.is_empty() && !text.ends_with('\n') {
            self.redaction.append(&self.newer, "\n")?;
        }
        Ok(text.len() as u64)
    }

    /// The older ones first. After a crash some may stand there twice.
    pub(super) fn text(&self) -> String {
        let (mut text, newer) = (self.read(&self.older), self.read(&self.newer));
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text + &newer
    }

    /// `change` is given the text of each file and answers with another, where it has to be another. A file that cannot be
    /// written is removed: what was to go is gone.
    pub(super) fn rewrite(&mut self, change: &dyn Fn(&str) -> Option<String>) -> io::Result<()> {
        self.length = None;
        let mut done = Ok(());
        for path in [&self.older, &self.newer] {
            // What cannot be read may hold what has to go.
            let text = match plain::read(path, LARGEST) {
                Ok(bytes) => change(&String::from_utf8_lossy(&bytes.unwrap_or_default())),
                Err(_) => Some(String::new()),
            };
            let Some(text) = text else { continue };
            if let Err(error) = self.redaction.keep(path, &text) {
                done = plain::remove_if_there(path).and(Err(error));
            }
        }
        done
    }

    fn read(&self, path: &Path) -> String {
        let bytes = plain::read(path, LARGEST).unwrap_or_else(|error| {
            self.cannot_read(&error);
            None
        });
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    }

    /// Said once.
    pub(super) fn cannot_read(&self, reason: &dyn std::fmt::Display) {
        if !self.told.swap(true, Ordering::Relaxed) {
            tracing::warn!(path = %self.newer.display(), %reason, "some of what was said before cannot be read");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_config::RedactConfig;

    fn pieces(folder: &Path) -> Pieces {
        Pieces::new(folder, Redaction::new(&RedactConfig::default()))
    }

    #[test]
    fn a_full_file_becomes_the_older_one_and_the_oldest_go() {
        let lab = tempfile::tempdir().unwrap();
        let mut kept = pieces(lab.path());
        let line = |number: u32| format!("{{\"n\":{number},\"x\":\"{}\"}}\n", "y ".repeat(FULL as usize / 3));
        for number in 0..6 {
            kept.add(&line(number)).unwrap();
        }
        let text = kept.text();
        assert!(!text.contains("\"n\":0") && !text.contains("\"n\":1") && text.contains("\"n\":5"));
        assert!(text.len() as u64 <= 3 * FULL, "{}", text.len());
        kept.add("{\"n\":7}\n").unwrap();
        assert!(pieces(lab.path()).text().ends_with("{\"n\":7}\n"));
    }

    #[test]
    fn a_torn_line_costs_itself_and_what_comes_next_stands_on_its_own() {
        let lab = tempfile::tempdir().unwrap();
        plain::replace(&lab.path().join(NEWER), b"{\"n\":1}\n{\"n\":2,\"te\xff").unwrap();
        pieces(lab.path()).add("{\"n\":3}\n").unwrap();
        let text = pieces(lab.path()).text();
        assert_eq!(text.lines().collect::<Vec<_>>()[2], "{\"n\":3}");
    }

    #[test]
    fn what_is_rewritten_is_gone_from_both() {
        let lab = tempfile::tempdir().unwrap();
        for name in [NEWER, OLDER] {
            plain::replace(&lab.path().join(name), b"{\"n\":\"heron\"}\n{\"n\":\"otter\"}\n").unwrap();
        }
        let mut kept = pieces(lab.path());
        let change = |text: &str| text.contains("heron").then(|| "{\"n\":\"otter\"}\n".to_owned());
        kept.rewrite(&change).unwrap();
        assert_eq!(kept.text(), "{\"n\":\"otter\"}\n{\"n\":\"otter\"}\n");
    }
}
