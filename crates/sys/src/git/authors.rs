//! Who works here: the people behind the commits, and which areas of the tree they touch.
//!
//! An address is never handed on, only a short hash that tells two people of one name apart.

use std::collections::BTreeMap;
use std::path::Path;

use git2::Repository;

use super::walk;
use lokid_model::Commit;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    /// As the newest commit spells it.
    pub name: String,
    /// Of the address, in eight hexadecimal digits.
    pub email_hash: String,
    pub commits: usize,
    /// Seconds since 1970.
    pub last: i64,
    /// The top directories touched and how often, most first. `.` stands for files at the top.
    pub areas: Vec<(String, usize)>,
}

const MOST_AREAS: usize = 5;

/// The authors of commits that were fetched and that `HEAD` has not, newest `most` commits. `None` without a repository.
pub fn newcomers(worktree: &Path, most: usize) -> Option<Vec<Author>> {
    let repository = Repository::open(worktree).ok()?;
    let mut walk = repository.revwalk().ok()?;
    walk.push_glob("refs/remotes/*").ok()?;
    let _ = walk.hide_head();
    let mut tally = Tally::default();
    walk.flatten().take(most).filter_map(|id| walk::commit(&repository, id)).for_each(|commit| tally.add(&commit));
    Some(tally.authors())
}

/// The name the user's own commits bear.
pub fn own_name(worktree: &Path) -> Option<String> {
    let repository = Repository::open(worktree).ok()?;
    let own = repository.signature().ok()?;
    own.name().ok().map(str::to_owned)
}

/// Whoever commits here, as far as git was told, by the hash of the address.
pub fn own_hash(worktree: &Path) -> Option<String> {
    let repository = Repository::open(worktree).ok()?;
    let own = repository.signature().ok()?;
    own.email().ok().map(email_hash)
}

/// Counts people over commits that are read anyway.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    people: BTreeMap<String, Person>,
}

#[derive(Clone, Debug)]
struct Person {
    name: String,
    commits: usize,
    last: i64,
    areas: BTreeMap<String, usize>,
}

impl Tally {
    pub fn add(&mut self, commit: &Commit) {
        if commit.is_merge() || is_program(commit) {
            return;
        }
        let (name, time) = (&commit.author_name, commit.time);
        let person = self.people.entry(email_hash(&commit.author_email)).or_insert_with(|| Person {
            name: name.clone(),
            commits: 0,
            last: time,
            areas: BTreeMap::new(),
        });
        if time > person.last {
            person.name.clone_from(name);
        }
        person.commits += 1;
        person.last = person.last.max(time);
        let mut areas: Vec<&str> = commit.files.iter().map(|file| area_of(&file.path)).collect();
        areas.dedup();
        for area in areas {
            *person.areas.entry(area.to_owned()).or_insert(0) += 1;
        }
    }

    pub fn authors(self) -> Vec<Author> {
        let mut authors: Vec<Author> = self.people.into_iter().map(|(hash, person)| author(hash, person)).collect();
        authors.sort_by(|one, other| {
            let by_work = other.commits.cmp(&one.commits).then(other.last.cmp(&one.last));
            by_work.then_with(|| one.email_hash.cmp(&other.email_hash))
        });
        authors
    }
}

fn author(email_hash: String, person: Person) -> Author {
    let mut areas: Vec<(String, usize)> = person.areas.into_iter().collect();
    areas.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    areas.truncate(MOST_AREAS);
    let Person { name, commits, last, .. } = person;
    Author { name, email_hash, commits, last, areas }
}

fn area_of(path: &str) -> &str {
    path.split_once('/').map_or(".", |(top, _)| top)
}

fn email_hash(email: &str) -> String {
    let hash = blake3::hash(email.trim().to_lowercase().as_bytes());
    hash.to_hex()[..8].to_owned()
}

fn is_program(commit: &Commit) -> bool {
    commit.author_name.ends_with("[bot]") || commit.author_email.contains("[bot]@")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_testing::git::GitLab;

    #[test]
    fn people_are_told_with_their_areas_and_without_their_address() {
        let Some(mut lab) = GitLab::new() else { return };
        lab.commit("one", &[("src/a.rs", "1"), ("src/b.rs", "1"), ("README", "1")]);
        lab.commit("two", &[("src/a.rs", "2")]);
        let bob = ["-c", "user.name=Bob", "-c", "user.email=Bob@Example.org"];
        lab.dated(&[&bob[..], &["commit", "-q", "--allow-empty", "-m", "three"]].concat());
        let bot = ["-c", "user.name=dependabot[bot]", "-c", "user.email=x@example.org"];
        lab.dated(&[&bot[..], &["commit", "-q", "--allow-empty", "-m", "bump"]].concat());
        let mut tally = Tally::default();
        let mut add = |commit: Commit| {
            tally.add(&commit);
            std::ops::ControlFlow::Continue(())
        };
        super::super::history::mine(&lab.main(), None, 100, &mut add).unwrap();
        let authors = tally.authors();
        let told: Vec<_> = authors.iter().map(|author| (author.name.as_str(), author.commits)).collect();
        assert_eq!(told, [("Ada", 2), ("Bob", 1)]);
        assert_eq!(authors[0].areas, [("src".to_owned(), 2), (".".to_owned(), 1)]);
        assert_eq!(authors[0].last, GitLab::START + 120);
        assert_eq!(authors[1].email_hash, email_hash(" bob@example.ORG "));
        assert!(authors.iter().all(|author| author.email_hash.len() == 8));
    }

    #[test]
    fn one_address_is_one_person_under_the_newest_name() {
        let mut tally = Tally::default();
        for (time, name) in [(3, "Ada Lovelace"), (1, "ada")] {
            let email = "ada@example.org".to_owned();
            tally.add(&Commit { time, author_name: name.into(), author_email: email, ..Commit::default() });
        }
        let authors = tally.authors();
        assert_eq!((authors.len(), authors[0].name.as_str()), (1, "Ada Lovelace"));
    }
}
