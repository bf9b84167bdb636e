//! Bringing the layer up to date with the stores, within a time: lists without contents, fetches what has another hash
//! than the one that is known, and stops where the time is over. What was read until then is kept.
//!
//! The API has no search: everything below a few folders is read once, and questions are answered from the layer.

use std::collections::BTreeSet;
use std::time::Duration;

use super::api::{ApiError, Listed, Listing, RemoteMemory, Stores};
use super::layer::{Layer, Owner};
use super::limits;

/// Episodes of other projects are of interest for so many days on which there were any.
const RECENT_DAYS: usize = 14;
const EPISODES: &str = "/episodic/";
/// What is left of a time that is over.
const MOMENT: Duration = Duration::from_millis(100);

/// A store and the folders of it that are read.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub owner: Owner,
    pub store: &'a str,
    pub folders: &'a [&'a str],
}

/// What a session begins with.
pub const HYDRATED: &[&str] = &["/patterns/", "/skills/"];
/// What a question is answered from besides local memory.
pub const SHARED: &[&str] = &["/patterns/", "/skills/", "/anti_patterns/"];
pub const OWN: &[&str] = &["/verdicts/", EPISODES];

/// How a reading ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    Whole,
    /// The time was over; the rest comes another time.
    Late,
    Failed(ApiError),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Contents that came.
    pub fetched: usize,
    pub ended: Ended,
}

/// Reads `sources` into the layer for as long as `left` says there is time. Paths for which `is_local` holds are known
/// here and not fetched.
pub fn read(
    stores: &mut Stores,
    layer: &mut Layer,
    sources: &[Source<'_>],
    is_local: &dyn Fn(&str) -> bool,
    left: &dyn Fn() -> Option<Duration>,
) -> Reading {
    let mut reader = Reader { stores, layer, is_local, left, fetched: 0 };
    let ended = match sources.iter().try_for_each(|source| reader.source(source)) {
        Ok(()) => Ended::Whole,
        Err(None) => Ended::Late,
        // The last call had what was left of the time, and took it.
        Err(Some(ApiError::Unreachable(_))) if left().is_none_or(|left| left < MOMENT) => Ended::Late,
        Err(Some(error)) => Ended::Failed(error),
    };
    Reading { fetched: reader.fetched, ended }
}

/// Nothing: the time is over.
type Stop = Option<ApiError>;

struct Reader<'a> {
    stores: &'a mut Stores,
    layer: &'a mut Layer,
    is_local: &'a dyn Fn(&str) -> bool,
    left: &'a dyn Fn() -> Option<Duration>,
    fetched: usize,
}

impl Reader<'_> {
    fn source(&mut self, source: &Source<'_>) -> Result<(), Stop> {
        for folder in source.folders {
            if *folder != EPISODES {
                self.folder(source, folder)?;
                continue;
            }
            let days = self.recent_days(source)?;
            self.layer.keep_only(source.owner, EPISODES, |path| days.iter().any(|day| path.starts_with(day)));
            for day in &days {
                self.folder(source, day)?;
            }
        }
        Ok(())
    }

    fn recent_days(&mut self, source: &Source<'_>) -> Result<Vec<String>, Stop> {
        let mut days = BTreeSet::new();
        let of = Listing { prefix: EPISODES, full: false, shallow: true };
        self.each_page(source, of, |_, listed| {
            if let Listed::Prefix { path } = listed {
                days.insert(path);
            }
            Ok(())
        })?;
        Ok(days.into_iter().rev().take(RECENT_DAYS).collect())
    }

    /// A folder that is new here comes with its contents; of one that is known only what is another now.
    fn folder(&mut self, source: &Source<'_>, prefix: &str) -> Result<(), Stop> {
        let is_new = !self.layer.holds_any(source.owner, prefix);
        let mut there = BTreeSet::new();
        self.each_page(source, Listing { prefix, full: is_new, shallow: false }, |reader, listed| {
            let Listed::Memory(memory) = listed else { return Ok(()) };
            // A server that lists more than it was asked for is not believed.
            if memory.path.starts_with(prefix) {
                there.insert(memory.path.clone());
                reader.take(source, memory)?;
            }
            Ok(())
        })?;
        self.layer.keep_only(source.owner, prefix, |path| there.contains(path));
        Ok(())
    }

    fn take(&mut self, source: &Source<'_>, listed: RemoteMemory) -> Result<(), Stop> {
        if self.layer.sha(source.owner, &listed.path) == Some(&listed.content_sha256) {
            return Ok(());
        }
        let memory = match (self.is_local)(&listed.path) || listed.content.is_some() {
            true => listed,
            false => {
                self.hurry()?;
                match self.stores.retrieve(source.store, &listed.id) {
                    // Gone since it was listed.
                    Err(ApiError::NotFound) => return Ok(()),
                    answer => answer.map_err(Some)?,
                }
            }
        };
        self.fetched += usize::from(memory.content.is_some());
        let content = memory.content.as_deref();
        self.layer.put(source.owner, &memory.path, &memory.content_sha256, content, &memory.updated_at);
        Ok(())
    }

    fn each_page(
        &mut self,
        source: &Source<'_>,
        of: Listing<'_>,
        mut each: impl FnMut(&mut Self, Listed) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut page: Option<String> = None;
        loop {
            self.hurry()?;
            let answer = self.stores.list(source.store, of, page.as_deref()).map_err(Some)?;
            answer.data.into_iter().try_for_each(|listed| each(self, listed))?;
            match answer.next_page {
                // A server that never ends would be followed until the time is over.
                Some(next) if page.as_ref() != Some(&next) => page = Some(next),
                _ => return Ok(()),
            }
        }
    }

    /// The next call may take what is left of the time.
    fn hurry(&mut self) -> Result<(), Stop> {
        let left = (self.left)().filter(|left| !left.is_zero()).ok_or(None)?;
        self.stores.patience(left.min(limits::CALL));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
