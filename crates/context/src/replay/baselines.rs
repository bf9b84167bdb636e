//! Simpler ways to foretell, to measure against.

use std::collections::{BTreeMap, HashMap};

use super::measure::LIST;
use super::telling;
use lokid_index::cochange::folder_of;
use lokid_model::Commit;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    Ours,
    /// Counts of common changes.
    Rose,
    /// Common changes that fade, then the same folder, then what changed last.
    Decayed,
    SameFolder,
    Recent,
}

impl Method {
    pub const ALL: [Method; 5] = [Method::Ours, Method::Rose, Method::Decayed, Method::SameFolder, Method::Recent];

    pub fn as_str(self) -> &'static str {
        match self {
            Method::Ours => "lokid",
            Method::Rose => "rose",
            Method::Decayed => "decayed",
            Method::SameFolder => "same_dir",
            Method::Recent => "recent",
        }
    }

    /// As a person would call it.
    pub fn in_words(self) -> &'static str {
        match self {
            Method::Ours => "lokid",
            Method::Rose => "ROSE (co-change counts)",
            Method::Decayed => "decayed co-change",
            Method::SameFolder => "same directory",
            Method::Recent => "changed last",
        }
    }
}

/// A common change counts half after this many commits.
const HALF_LIFE: f64 = 200.0;
const MOST_FILES: usize = 30;

#[derive(Default)]
pub(super) struct Baselines<'a> {
    pairs: HashMap<&'a str, BTreeMap<&'a str, Pair>>,
    folders: HashMap<&'a str, BTreeMap<&'a str, usize>>,
    /// By when they changed, and in the order of their paths within a commit.
    order: BTreeMap<(usize, usize), &'a str>,
    last: HashMap<&'a str, (usize, usize)>,
    learnt: usize,
}

#[derive(Clone, Copy, Default)]
struct Pair {
    times: u32,
    faded: f64,
    at: usize,
}

impl Pair {
    fn now(&self, learnt: usize) -> f64 {
        self.faded * (-((learnt - self.at) as f64) / HALF_LIFE).exp2()
    }
}

impl<'a> Baselines<'a> {
    pub(super) fn learn(&mut self, commit: &'a Commit) {
        let files = telling(commit);
        if commit.is_merge() || files.is_empty() {
            return;
        }
        self.learnt += 1;
        let learnt = self.learnt;
        for (at, file) in files.iter().enumerate() {
            self.folders.entry(folder_of(file)).or_default().insert(file, learnt);
            if let Some(before) = self.last.insert(file, (learnt, usize::MAX - at)) {
                self.order.remove(&before);
            }
            self.order.insert((learnt, usize::MAX - at), file);
            if files.len() > MOST_FILES {
                continue;
            }
            let pairs = self.pairs.entry(file).or_default();
            for other in files.iter().filter(|other| *other != file) {
                let pair = pairs.entry(other).or_default();
                *pair = Pair { times: pair.times + 1, faded: pair.now(learnt) + 1.0, at: learnt };
            }
        }
    }

    pub(super) fn suggest(&self, method: Method, opened: &str) -> Vec<&'a str> {
        let mut found = match method {
            Method::Ours => Vec::new(),
            Method::Rose => self.partners(opened, |pair| f64::from(pair.times)),
            Method::Decayed => {
                let mut found = self.partners(opened, |pair| pair.now(self.learnt));
                for more in [self.same_folder(opened), self.recent(opened)] {
                    if found.len() < LIST {
                        found.extend(more.into_iter().filter(|path| !found.contains(path)).collect::<Vec<_>>());
                    }
                }
                found
            }
            Method::SameFolder => self.same_folder(opened),
            Method::Recent => self.recent(opened),
        };
        found.truncate(LIST);
        found
    }

    fn partners(&self, opened: &str, weigh: impl Fn(&Pair) -> f64) -> Vec<&'a str> {
        let mut pairs: Vec<(f64, &str)> =
            self.pairs.get(opened).into_iter().flatten().map(|(path, pair)| (weigh(pair), *path)).collect();
        pairs.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
        pairs.into_iter().map(|(_, path)| path).collect()
    }

    fn same_folder(&self, opened: &str) -> Vec<&'a str> {
        let mut files: Vec<(usize, &str)> =
            self.folders.get(folder_of(opened)).into_iter().flatten().map(|(path, at)| (*at, *path)).collect();
        files.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(other.1)));
        files.into_iter().map(|(_, path)| path).filter(|path| *path != opened).collect()
    }

    fn recent(&self, opened: &str) -> Vec<&'a str> {
        self.order.values().rev().copied().filter(|path| *path != opened).take(2 * LIST).collect()
    }
}
