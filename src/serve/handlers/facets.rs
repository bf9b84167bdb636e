//! What sorts of memories a list has: counted over all of it, in one pass.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::serve::dto::files::{CountedFacets, FacetCount, Facets};
use lokid_index::places::{folder_of, plain_path};
use lokid_model::{Memory, Timestamp, time};

/// Of tags, folders and authors.
const MOST: usize = 20;
/// Nobody nests folders deeper; a path that does is made to take long.
const DEEPEST: usize = 64;

pub(super) fn count<'m>(memories: impl Iterator<Item = &'m Memory>) -> CountedFacets {
    let mut total = 0;
    let (mut kind, mut tier, mut source) = (Counts::default(), Counts::default(), Counts::default());
    let (mut tag, mut folder, mut author) = (Counts::default(), Counts::default(), Counts::default());
    let mut days: BTreeMap<i64, usize> = BTreeMap::new();
    for memory in memories {
        total += 1;
        kind.add(memory.kind.as_str().into(), memory.kind.as_str(), total);
        tier.add(memory.tier.as_str().into(), memory.tier.as_str(), total);
        source.add(memory.source.as_str().into(), memory.source.as_str(), total);
        for name in &memory.tags {
            tag.add(folded(name), name, total);
        }
        if let Some(name) = author_of(memory) {
            author.add(folded(name), name, total);
        }
        for file in memory.anchors.files.iter().filter(|file| file.matches('/').count() <= DEEPEST) {
            let around = std::iter::successors(folder_of(plain_path(file)), |inner| folder_of(inner));
            // Where a folder was counted, those around it were.
            let _ = around.filter(|path| !path.is_empty()).all(|path| folder.add(path.into(), path, total));
        }
        *days.entry(memory.times.created_at.as_micros().div_euclid(time::DAY)).or_default() += 1;
    }
    let facets = Facets {
        kind: kind.most(usize::MAX),
        tier: tier.most(usize::MAX),
        tag: tag.most(MOST),
        folder: folder.most(MOST),
        author: author.most(MOST),
        source: source.most(usize::MAX),
        month: months(&days),
    };
    CountedFacets { total, facets }
}

/// Who is behind it: by the word of the team, else by its own.
pub(super) fn author_of(memory: &Memory) -> Option<&str> {
    memory.author().or(memory.actor.as_deref()).filter(|name| !name.is_empty())
}

/// As it is compared: in capitals or not.
pub(super) fn folded(name: &str) -> Cow<'_, str> {
    if name.chars().any(char::is_uppercase) { name.to_lowercase().into() } else { name.into() }
}

/// Each name as it was first met, how often, and by which memory last: one counts once.
#[derive(Default)]
struct Counts<'m>(HashMap<Cow<'m, str>, (&'m str, usize, usize)>);

impl<'m> Counts<'m> {
    /// Answers whether it was counted.
    fn add(&mut self, key: Cow<'m, str>, name: &'m str, memory: usize) -> bool {
        let (_, count, last) = self.0.entry(key).or_insert((name, 0, 0));
        let is_new = *last != memory;
        (*count, *last) = (*count + usize::from(is_new), memory);
        is_new
    }

    fn most(self, most: usize) -> Vec<FacetCount> {
        let mut counts: Vec<(&str, usize)> = self.0.into_values().map(|(name, count, _)| (name, count)).collect();
        counts.sort_unstable_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(other.0)));
        counts.truncate(most);
        counts.into_iter().map(|(value, count)| FacetCount { value: value.to_owned(), count }).collect()
    }
}

/// The latest first.
fn months(days: &BTreeMap<i64, usize>) -> Vec<FacetCount> {
    let mut months: Vec<FacetCount> = Vec::new();
    for (day, count) in days.iter().rev() {
        let value = Timestamp::from_micros(day.saturating_mul(time::DAY)).month();
        match months.last_mut().filter(|last| last.value == value) {
            Some(last) => last.count += count,
            None => months.push(FacetCount { value, count: *count }),
        }
    }
    months
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Kind, MemoryId};

    fn memory(day: &str, actor: &str, tags: &[&str], files: &[&str]) -> Memory {
        let at = Timestamp::parse(day).unwrap();
        let mut memory = Memory::new(MemoryId::new("n-1").unwrap(), Kind::Note, "x", at);
        memory.actor = Some(actor.to_owned()).filter(|name| !name.is_empty());
        memory.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        memory.anchors.files = files.iter().map(|file| (*file).to_owned()).collect();
        memory
    }

    fn told(counts: &[FacetCount]) -> String {
        counts.iter().map(|one| format!("{} {}", one.value, one.count)).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_memory_counts_once_for_each_sort_it_is_of() {
        let memories = [
            memory("2026-11-03", "Ada", &["Style", "style"], &["src/serve/app.rs", "./src/serve/call.rs"]),
            memory("2026-11-01", "ada", &["STYLE"], &["src/lib.rs", "/etc/passwd"]),
            memory("2026-10-31", "", &["build"], &["README.md", &"a/".repeat(1 << 20)]),
        ];
        let CountedFacets { total, facets } = count(memories.iter());
        assert_eq!(total, 3);
        assert_eq!(told(&facets.tag), "Style 2, build 1");
        assert_eq!(told(&facets.folder), "src 2, /etc 1, src/serve 1");
        assert_eq!(told(&facets.author), "Ada 2");
        assert_eq!(told(&facets.month), "2026-11 2, 2026-10 1");
        assert_eq!(told(&facets.kind), "note 3");
    }
}
