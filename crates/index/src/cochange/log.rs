//! The log of commits, and the ways through it: by file, by author, by folder, newest first.

use super::{Author, Cochange, HALF_LIFE_HEAT, MOST_COMMITS_OF_AN_AUTHOR, Weight, age, folder_of, limit, stem_of};

/// Where a file stands. It holds until the next commit is taken in.
pub type PathId = u32;

/// A commit, as small as can be.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Entry {
    /// Seconds since 1970.
    pub time: i64,
    pub author: Option<u32>,
    /// In rising order, each once.
    pub files: Box<[PathId]>,
}

impl Cochange {
    /// At the end whose neighbour is nearer in time, so that reading in either direction, and over clocks that were a
    /// little wrong, gives the order of history.
    pub(super) fn enter(&mut self, entry: Entry) {
        let is_newer = match (self.log.front(), self.log.back()) {
            (Some(first), Some(last)) => {
                let (from_first, from_last) = (entry.time.abs_diff(first.time), entry.time.abs_diff(last.time));
                entry.time >= last.time || (entry.time > first.time && from_last <= from_first)
            }
            _ => true,
        };
        let full = self.touches >= limit::MOST_TOUCHES;
        if full && !is_newer {
            return;
        }
        let number = if is_newer { self.first + self.log.len() as i64 } else { self.first - 1 };
        let moment = Weight(age(entry.time, number) as f32);
        let heat = Weight((number as f64 / HALF_LIFE_HEAT) as f32);
        for place in &entry.files {
            let file = &mut self.files[*place as usize];
            file.weight = file.weight.plus(moment);
            file.heat = file.heat.plus(heat);
            if is_newer { file.commits.push_back(number) } else { file.commits.push_front(number) }
        }
        if let Some(author) = entry.author {
            self.authors[author as usize].take_in(number, is_newer);
        }
        self.touches += entry.files.len();
        if is_newer {
            self.log.push_back(entry);
        } else {
            self.first = number;
            self.log.push_front(entry);
        }
    }

    /// The oldest commits leave until this many touches are left.
    pub(super) fn drop_oldest(&mut self, touches: usize) {
        while self.touches > touches {
            let Some(entry) = self.log.pop_front() else { return };
            for place in &entry.files {
                self.files[*place as usize].commits.pop_front();
            }
            if let Some(author) = entry.author.and_then(|author| self.authors.get_mut(author as usize))
                && author.commits.front() == Some(&self.first)
            {
                author.commits.pop_front();
            }
            self.touches -= entry.files.len();
            self.first += 1;
        }
    }

    pub(super) fn newest(&self) -> i64 {
        self.first + self.log.len() as i64 - 1
    }

    fn entry(&self, number: i64) -> &Entry {
        &self.log[(number - self.first) as usize]
    }

    /// With the number of commits that came after it.
    fn aged<'a>(&'a self, numbers: impl Iterator<Item = &'a i64> + 'a) -> impl Iterator<Item = (u64, &'a Entry)> + 'a {
        numbers.map(|number| ((self.newest() - number) as u64, self.entry(*number)))
    }

    pub fn find(&self, path: &str) -> Option<PathId> {
        self.places.get(path).copied()
    }

    /// As it is called today.
    pub fn path(&self, place: PathId) -> &str {
        &self.files[place as usize].path
    }

    pub fn is_gone(&self, place: PathId) -> bool {
        self.files[place as usize].gone || self.followed.contains_key(&place)
    }

    /// Commits of the file, those of late counted in full and those of 200 commits ago half.
    pub fn heat(&self, place: PathId) -> f64 {
        self.files[place as usize].heat.at(self.newest() as f64 / HALF_LIFE_HEAT)
    }

    /// Logged commits since the file changed.
    pub fn age(&self, place: PathId) -> Option<u64> {
        self.files[place as usize].commits.back().map(|number| (self.newest() - number) as u64)
    }

    /// The commits of a file, newest first, each with the number of commits since.
    pub fn commits_of(&self, place: PathId) -> impl Iterator<Item = (u64, &Entry)> {
        let mut last = i64::MAX;
        let numbers = self.names_of(place).flat_map(|place| self.files[place as usize].commits.iter().rev());
        // The commit of a move is one of both names.
        self.aged(numbers.filter(move |number| std::mem::replace(&mut last, **number) > **number))
    }

    /// How many commits of the file are in the log.
    pub fn count_of(&self, place: PathId) -> usize {
        if self.following.contains_key(&place) {
            return self.commits_of(place).count();
        }
        self.files[place as usize].commits.len()
    }

    /// All commits, newest first.
    pub fn latest(&self) -> impl Iterator<Item = &Entry> {
        self.log.iter().rev()
    }

    pub fn find_author(&self, name: &str) -> Option<u32> {
        self.author_places.get(name).copied()
    }

    /// An author's latest commits, newest first.
    pub fn commits_by(&self, author: u32) -> impl Iterator<Item = (u64, &Entry)> {
        let known = self.authors.get(author as usize);
        self.aged(known.into_iter().flat_map(|author| author.commits.iter().rev()))
    }

    /// Files of the same folder, gone or not.
    pub fn in_folder(&self, path: &str) -> impl Iterator<Item = PathId> {
        self.folders.get(folder_of(path)).into_iter().flatten().copied()
    }

    /// Files whose names say that they are about the same, gone or not.
    pub fn namesakes(&self, path: &str) -> impl Iterator<Item = PathId> {
        self.stems.get(&stem_of(path)).into_iter().flatten().copied()
    }

    /// The latest commits in the folder of a file, newest first.
    pub fn commits_around(&self, path: &str, most: usize) -> Vec<(u64, &Entry)> {
        let mut numbers: Vec<i64> = Vec::new();
        for place in self.in_folder(path) {
            numbers.extend(self.files[place as usize].commits.iter().rev().take(most));
            if numbers.len() > 8 * most + 64 {
                keep_newest(&mut numbers, most);
            }
        }
        keep_newest(&mut numbers, most);
        numbers.into_iter().map(|number| ((self.newest() - number) as u64, self.entry(number))).collect()
    }
}

fn keep_newest(numbers: &mut Vec<i64>, most: usize) {
    numbers.sort_unstable_by(|one, other| other.cmp(one));
    numbers.dedup();
    numbers.truncate(most);
}

impl Author {
    pub(super) fn take_in(&mut self, number: i64, is_newer: bool) {
        if is_newer {
            self.commits.push_back(number);
            if self.commits.len() > MOST_COMMITS_OF_AN_AUTHOR {
                self.commits.pop_front();
            }
        } else if self.commits.len() < MOST_COMMITS_OF_AN_AUTHOR {
            self.commits.push_front(number);
        }
    }
}
