//! What goes on under another name although nothing tells so. Some histories name the files of a commit without saying
//! what became of them, and never tell of a deletion: there, a file that changed for the last time when another one of
//! its name appeared has most likely moved. It is a guess that is taken back when the file changes again.

use super::{Cochange, PathId, moves};
use lokid_model::{Commit, FileStatus};

/// Names in a chain of moves.
const LONGEST: usize = 16;

impl Cochange {
    /// Before the commit is taken in.
    pub(super) fn look_for_followed(&mut self, commit: &Commit) {
        if self.tells_deletions {
            return;
        }
        if commit.files.iter().any(|change| change.status == FileStatus::Deleted) {
            self.tells_deletions = true;
            self.followed.clear();
            self.following.clear();
            return;
        }
        if !self.followed.is_empty() {
            for change in &commit.files {
                let Some(place) = self.find(&change.path) else { continue };
                if commit.time > self.files[place as usize].last_time {
                    self.unfollow(place);
                }
            }
        }
        if !commit.files.iter().any(|change| change.status == FileStatus::Added) {
            return;
        }
        for (old, new) in moves::perhaps_of(commit) {
            let (old, new) = (self.place(old), self.place(new));
            if commit.time >= self.files[old as usize].last_time && self.today(new) != old {
                self.unfollow(old);
                self.follow(old, new);
            }
        }
    }

    pub(super) fn follow(&mut self, old: PathId, new: PathId) {
        if self.following.contains_key(&new) {
            return;
        }
        self.followed.insert(old, new);
        self.following.insert(new, old);
    }

    fn unfollow(&mut self, old: PathId) {
        if let Some(new) = self.followed.remove(&old) {
            self.following.remove(&new);
        }
    }

    /// The file that this one has become.
    pub fn today(&self, place: PathId) -> PathId {
        if self.followed.is_empty() {
            return place;
        }
        let mut today = place;
        for _ in 0..LONGEST {
            match self.followed.get(&today) {
                Some(next) => today = *next,
                None => break,
            }
        }
        today
    }

    /// What a file is called today that had this name once.
    pub fn name_today(&self, path: &str) -> Option<&str> {
        self.find(path).map(|place| self.path(self.today(place)))
    }

    /// Every name a file ever had, today's first.
    pub fn all_names(&self, path: &str) -> Vec<&str> {
        let Some(place) = self.places.get(path).map(|place| self.today(*place)) else { return Vec::new() };
        let places: Vec<PathId> = self.names_of(place).collect();
        let today = self.files[place as usize].path.as_str();
        let known = self.places.iter().filter(|(name, place)| *name != today && places.contains(place));
        let mut names: Vec<&str> = known.map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.insert(0, today);
        names
    }

    /// Where the commits of a file are kept: under its own name, then under those it had before.
    pub fn names_of(&self, place: PathId) -> impl Iterator<Item = PathId> {
        std::iter::successors(Some(place), |place| self.following.get(place).copied()).take(LONGEST)
    }
}
