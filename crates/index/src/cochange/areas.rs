//! Where a person works: the folders whose files they changed most. It goes through every file once.

use std::collections::BTreeMap;

use super::Cochange;

impl Cochange {
    /// Folders with how often this author changed files that stand in them, most first. Files at the top are in none.
    pub fn areas_of(&self, author: &str, k: usize) -> Vec<(&str, u32)> {
        let is_it = |name: &&String| name.to_lowercase() == author.to_lowercase();
        let names = self.authors.iter().map(|author| &author.name);
        let spellings: Vec<u32> =
            names.filter(is_it).filter_map(|name| self.author_places.get(name).copied()).collect();
        if spellings.is_empty() {
            return Vec::new();
        }
        let mut areas: BTreeMap<&str, u32> = BTreeMap::new();
        for file in self.files.iter().filter(|file| !file.gone) {
            let own = file.authors.iter().filter(|(author, _)| spellings.contains(author));
            let changes: u32 = own.map(|(_, times)| *times).fold(0, u32::saturating_add);
            if let Some((folder, _)) = file.path.rsplit_once('/').filter(|_| changes > 0) {
                let known = areas.entry(folder).or_insert(0);
                *known = known.saturating_add(changes);
            }
        }
        let mut areas: Vec<(&str, u32)> = areas.into_iter().collect();
        areas.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(other.0)));
        areas.truncate(k);
        areas
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Commit, FileChange, FileStatus};

    fn commit(time: i64, author: &str, files: &[&str]) -> Commit {
        let change = |path: &&str| FileChange { path: (*path).to_owned(), status: FileStatus::Modified };
        Commit { time, author_name: author.to_owned(), files: files.iter().map(change).collect(), ..Default::default() }
    }

    #[test]
    fn a_person_works_where_they_changed_most() {
        let mut known = Cochange::default();
        known.add(&commit(1, "Ana", &["src/auth/login.rs", "README.md"]));
        known.add(&commit(2, "ana", &["src/auth/token.rs", "web/app.ts"]));
        known.add(&commit(3, "Ben", &["src/store/disk.rs"]));
        assert_eq!(known.areas_of("ANA", 5), [("src/auth", 2), ("web", 1)]);
        assert_eq!(known.areas_of("Ana", 1), [("src/auth", 2)]);
        assert!(known.areas_of("Eve", 5).is_empty());
    }
}
