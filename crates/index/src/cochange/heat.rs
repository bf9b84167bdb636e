//! Where a repository is hot: files that change often these days, and the more so the more of their changes mended
//! something.

use super::{Cochange, PathId};

impl Cochange {
    /// A commit that was taken in mended this file. What that is, whoever reads messages says.
    pub fn note_fix(&mut self, path: &str) {
        if let Some(place) = self.find(path) {
            let file = &mut self.files[place as usize];
            file.fixes = file.fixes.saturating_add(1);
        }
    }

    /// How often a file changed, and how often that mended it.
    pub fn counts(&self, place: PathId) -> (u32, u32) {
        let file = &self.files[place as usize];
        (file.changes, file.fixes)
    }

    /// How much goes on in a file: its heat, up to twice that where every change was a fix.
    pub fn unrest(&self, place: PathId) -> f64 {
        let (changes, fixes) = self.counts(place);
        self.heat(place) * (1.0 + f64::from(fixes) / f64::from(changes.max(1)))
    }

    /// That of the file in which most goes on, of those that are there.
    pub fn most_unrest(&self) -> f64 {
        let there = (0..self.files.len() as PathId).filter(|place| !self.is_gone(*place));
        there.map(|place| self.unrest(place)).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Commit, FileChange, FileStatus};

    fn commit(time: i64, files: &[&str], status: FileStatus) -> Commit {
        let change = |path: &&str| FileChange { path: (*path).to_owned(), status };
        Commit { time, parents: 1, files: files.iter().map(change).collect(), ..Commit::default() }
    }

    #[test]
    fn fixes_make_a_busy_file_hotter_and_what_is_gone_is_cold() {
        let mut known = Cochange::default();
        for time in 1..=4 {
            known.add(&commit(time, &["a.rs", "b.rs"], FileStatus::Modified));
        }
        let place = |known: &Cochange, path: &str| known.find(path).unwrap();
        let even = known.unrest(place(&known, "a.rs"));
        assert!((even - known.unrest(place(&known, "b.rs"))).abs() < 1e-9);
        ["b.rs", "b.rs", "unknown.rs"].iter().for_each(|path| known.note_fix(path));
        assert_eq!(known.stats("b.rs").unwrap().fixes, 2);
        assert!((known.unrest(place(&known, "b.rs")) - 1.5 * even).abs() < 1e-9);
        assert!((known.most_unrest() - 1.5 * even).abs() < 1e-9);
        let kept = Cochange::from_bytes(&known.to_bytes()).unwrap();
        assert_eq!(kept.stats("b.rs").unwrap().fixes, 2, "it is kept");
        known.add(&commit(5, &["b.rs"], FileStatus::Deleted));
        assert!(known.most_unrest() < 1.2 * even, "what is gone is not looked at");
        assert!(Cochange::default().most_unrest().abs() < f64::EPSILON);
    }
}
