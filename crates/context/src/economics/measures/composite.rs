//! Topics that are read together, offered as one.

use std::collections::BTreeMap;

const MOST_COMPOSITES: usize = 4;
const MOST_TOPICS: usize = 4;

/// Several topics under one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composite {
    /// `src/auth + src/session`
    pub name: String,
    /// In order of name.
    pub topics: Vec<String>,
    /// Sessions that read at least two of them.
    pub uses: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Composites(Vec<Composite>);

impl Composite {
    pub(super) fn new(mut topics: Vec<String>, uses: u64) -> Composite {
        topics.sort();
        topics.dedup();
        topics.truncate(MOST_TOPICS);
        Composite { name: topics.join(" + "), topics, uses }
    }

    fn shared(&self, topics: &[String]) -> usize {
        topics.iter().filter(|topic| self.topics.contains(topic)).count()
    }
}

impl Composites {
    pub(super) fn list(&self) -> &[Composite] {
        &self.0
    }

    /// From the topics one session read, the most read first. Returns the name if there is something new to offer.
    pub(super) fn build(&mut self, loads: &BTreeMap<String, u64>) -> Option<String> {
        let mut most: Vec<(&String, &u64)> = loads.iter().collect();
        most.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let topics: Vec<String> = most.into_iter().take(MOST_TOPICS).map(|(topic, _)| topic.clone()).collect();
        if topics.len() < 2 || self.0.iter().any(|known| known.shared(&topics) == topics.len()) {
            return None;
        }
        // One that shares half of its topics grows, as long as it can be named.
        let grown = self.0.iter().position(|known| {
            let shared = known.shared(&topics);
            shared * 2 >= known.topics.len() && known.topics.len() + topics.len() - shared <= MOST_TOPICS
        });
        let composite = match grown {
            Some(at) => {
                let old = self.0.remove(at);
                Composite::new(old.topics.into_iter().chain(topics).collect(), old.uses)
            }
            None => Composite::new(topics, 0),
        };
        let name = composite.name.clone();
        self.insert(composite);
        Some(name)
    }

    /// The newest stands last; the least used makes room, the oldest of them first.
    pub(super) fn insert(&mut self, composite: Composite) {
        if composite.topics.len() < 2 || self.0.iter().any(|known| known.topics == composite.topics) {
            return;
        }
        if self.0.len() >= MOST_COMPOSITES {
            let least = (0..self.0.len()).min_by_key(|at| (self.0[*at].uses, *at));
            least.map(|at| self.0.remove(at));
        }
        self.0.push(composite);
    }

    /// A session has ended that read these topics.
    pub(super) fn note(&mut self, loads: &BTreeMap<String, u64>) {
        for composite in &mut self.0 {
            let read = composite.topics.iter().filter(|topic| loads.contains_key(*topic)).count();
            composite.uses = composite.uses.saturating_add(u64::from(read >= 2));
        }
    }
}
