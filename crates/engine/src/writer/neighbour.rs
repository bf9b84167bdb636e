//! What Loki Mode's own words mean here: a link that says one memory replaced another ends the other, and the decisions
//! of its timeline are found like any other. Nothing of it is written: the words stand in its files, and hold for as
//! long as they stand there.

use std::sync::Arc;

use super::Writer;
use crate::lesson::{Chapter, Lesson};
use lokid_model::layer::decision_words;
use lokid_model::{Change, Key, Kind, Link, Memory, MemoryId, Namespace, Neighbour, Relation, Timestamp};

impl Writer {
    /// What follows from links that came or went in another program's records: `seen` is applied already.
    pub(crate) fn successions(&self, seen: &[Change]) -> Vec<Change> {
        let mut changes = Vec::new();
        for change in seen {
            match change {
                Change::Link(link) => changes.extend(self.ended(link)),
                Change::Unlink(link) => changes.extend(self.revived(link)),
                // A record that was read again does not say itself that it is over.
                Change::Put { after, .. } => {
                    let links = self.state.links_of(&after.key());
                    changes.extend(links.iter().filter_map(|link| self.ended(link)));
                }
                _ => {}
            }
        }
        changes
    }

    fn ended(&self, link: &Link) -> Option<Change> {
        let (new, old) = self.parties(link)?;
        let times = &old.times;
        if times.invalid_at.is_some() || times.expired_at.is_some() {
            return None;
        }
        let mut ended = old.as_ref().clone();
        (ended.times.invalid_at, ended.times.expired_at) = over_since(&new, &old);
        Some(Change::Put { before: Some(old), after: Arc::new(ended) })
    }

    fn revived(&self, link: &Link) -> Option<Change> {
        let (new, old) = self.parties(link)?;
        if (old.times.invalid_at, old.times.expired_at) != over_since(&new, &old) {
            return None;
        }
        let mut revived = old.as_ref().clone();
        (revived.times.invalid_at, revived.times.expired_at) = (None, None);
        Some(Change::Put { before: Some(old), after: Arc::new(revived) })
    }

    /// The heir and what it replaced, where a link of another program tells of such.
    fn parties(&self, link: &Link) -> Option<(Arc<Memory>, Arc<Memory>)> {
        let (new, old) = match link.relation {
            Relation::Supersedes => (&link.from, &link.to),
            Relation::SupersededBy => (&link.to, &link.from),
            _ => return None,
        };
        let get = |id: &MemoryId| self.state.get(&Key::new(&link.namespace, id)).cloned();
        get(new).zip(get(old)).filter(|_| link.inline && new != old)
    }

    /// The key decisions of every timeline.
    pub(crate) fn learn_decisions(&mut self, neighbours: &[(Namespace, Neighbour)], now: Timestamp) {
        let told = |(namespace, neighbour): &(Namespace, Neighbour)| {
            let decisions = neighbour.decisions.iter();
            decisions.filter_map(|entry| decision(namespace, entry, now)).collect::<Vec<_>>()
        };
        let memories = neighbours.iter().flat_map(told).collect();
        self.take_lesson(now, Chapter::Timeline, Lesson { memories, links: Vec::new() });
    }
}

/// Since the heir began.
fn over_since(new: &Memory, old: &Memory) -> (Option<Timestamp>, Option<Timestamp>) {
    let end = Some(new.times.valid_at.max(old.times.valid_at));
    (end, end)
}

fn decision(namespace: &Namespace, entry: &serde_json::Value, now: Timestamp) -> Option<Arc<Memory>> {
    let field = |name: &str| entry.get(name).and_then(serde_json::Value::as_str).map_or("", str::trim);
    let words = decision_words(entry)?;
    let date = field("date");
    let date = if date.is_empty() { field("timestamp") } else { date };
    let hash = blake3::hash(format!("{words}\n{date}").as_bytes()).to_hex();
    let id = MemoryId::new(&format!("{}-{}", Kind::Decision.id_prefix(), &hash[..12]))?;
    let text = match field("rationale") {
        "" => words.to_owned(),
        rationale => format!("{words}\n{rationale}"),
    };
    let mut memory = Memory::new(id, Kind::Decision, text, Timestamp::parse(date).unwrap_or(now));
    memory.namespace = namespace.clone();
    memory.title = words.to_owned();
    let topic = field("topic_id");
    memory.tags = (!topic.is_empty()).then(|| topic.to_owned()).into_iter().collect();
    memory.sources = vec![".loki/memory/timeline.json".to_owned()];
    Some(Arc::new(memory))
}
