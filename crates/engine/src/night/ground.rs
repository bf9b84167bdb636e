//! The code that memories are anchored to, as it stands now: which files are there, which changed since, which names
//! are gone. What is not known for sure counts as standing.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::past::CodeMap;
use crate::repository::Repository;
use lokid_index::cochange::Cochange;
use lokid_manage::plan::Anchored;
use lokid_manage::promote;
use lokid_model::{Memory, Timestamp};
use lokid_sys::kept;

/// Of one memory; the rest is not looked at.
const MOST_FILES: usize = 64;
const SECOND: i64 = 1_000_000;

pub(super) struct AnchorCheck {
    root: PathBuf,
    /// Nothing while the past is still being read.
    past: Option<Past>,
    on_disk: Mutex<HashMap<String, bool>>,
}

struct Past {
    history: Arc<Cochange>,
    code: Arc<CodeMap>,
    /// What any file defines, without what it belongs to.
    names: BTreeSet<String>,
}

impl AnchorCheck {
    pub(super) fn of(root: &Path, repository: &Repository) -> AnchorCheck {
        let past = repository.past().filter(|past| past.progress().is_complete());
        let past = past.map(|past| {
            let (history, code) = (past.cochange(), past.code());
            let names = code.names().map(|name| bare(name).to_owned()).collect();
            Past { history, code, names }
        });
        AnchorCheck { root: root.to_owned(), past, on_disk: Mutex::default() }
    }

    pub(super) fn under(&self, memory: &Memory) -> Anchored {
        let mut ground = Anchored::default();
        let since = promote::right_since(memory);
        for file in memory.anchors.files.iter().take(MOST_FILES) {
            match self.look(file, since) {
                Look::Standing => ground.standing.push(file.clone()),
                Look::Changed => ground.changed.push(file.clone()),
                Look::Gone => ground.gone.push(file.clone()),
                Look::Unknown => {}
            }
        }
        ground.lost_symbols = self.lost(memory, &ground);
        ground
    }

    fn look(&self, file: &str, since: Timestamp) -> Look {
        let known = self.past.as_ref().and_then(|past| past.history.stats(file));
        let today = known.as_ref().map_or(file, |known| known.path);
        match (self.stands(today), known) {
            (true, Some(known)) if known.last_change.saturating_mul(SECOND) > since.as_micros() => Look::Changed,
            (true, _) => Look::Standing,
            // A file that git never knew may have been a plan.
            (false, Some(_)) => Look::Gone,
            (false, None) => Look::Unknown,
        }
    }

    fn stands(&self, file: &str) -> bool {
        if let Some(known) = self.on_disk.lock().get(file) {
            return *known;
        }
        let stands = kept::is_inside(&self.root, file) && kept::standing(&self.root.join(file)).is_some();
        self.on_disk.lock().insert(file.to_owned(), stands);
        stands
    }

    /// Names that were anchored in files we can read, and that no file defines any more.
    fn lost(&self, memory: &Memory, ground: &Anchored) -> Vec<String> {
        let Some(past) = &self.past else { return Vec::new() };
        let readable = ground.standing.iter().chain(&ground.changed).any(|file| past.code.get(file).is_some());
        if !readable {
            return Vec::new();
        }
        let lost = |symbol: &&String| !past.names.contains(bare(symbol));
        memory.anchors.symbols.iter().take(MOST_FILES).filter(lost).cloned().collect()
    }
}

enum Look {
    Standing,
    Changed,
    Gone,
    Unknown,
}

/// `Session::refresh()` is `refresh`.
fn bare(symbol: &str) -> &str {
    let name = symbol.trim().trim_end_matches("()");
    name.rsplit(['.', ':', '#', '/']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_by_its_last_part() {
        for (symbol, expect) in [("Session::refresh()", "refresh"), ("app.run", "run"), ("main", "main"), ("", "")] {
            assert_eq!(bare(symbol), expect);
        }
    }
}
