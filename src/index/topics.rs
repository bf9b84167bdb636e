//! What a memory is about, counted as memories come and go: the raw material of the first layer.

use imbl::OrdMap;

use crate::model::{Kind, Memory, Namespace, Scope, Status, Timestamp};

#[derive(Clone, Debug, Default)]
pub struct Topics(OrdMap<(Namespace, String), Topic>);

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topic {
    pub count: u64,
    pub tokens: u64,
    pub kinds: [u32; Kind::ALL.len()],
    pub last: Timestamp,
}

impl Topics {
    pub fn of<'a>(&'a self, namespace: &'a Namespace) -> impl Iterator<Item = (&'a str, &'a Topic)> {
        let first = (namespace.clone(), String::new());
        let own = self.0.range(first..).take_while(move |((found, _), _)| found == namespace);
        own.map(|((_, name), topic)| (name.as_str(), topic))
    }

    pub(super) fn add(&mut self, memory: &Memory, tokens: u64) {
        if !may_be_told(memory) {
            return;
        }
        let key = (memory.namespace.clone(), name_of(memory));
        let mut topic = self.0.get(&key).cloned().unwrap_or_default();
        topic.count += 1;
        topic.tokens += tokens;
        topic.kinds[memory.kind as usize] += 1;
        topic.last = topic.last.max(memory.times.updated_at);
        self.0.insert(key, topic);
    }

    pub(super) fn remove(&mut self, memory: &Memory, tokens: u64) {
        if !may_be_told(memory) {
            return;
        }
        let key = (memory.namespace.clone(), name_of(memory));
        let Some(mut topic) = self.0.get(&key).cloned() else { return };
        topic.count = topic.count.saturating_sub(1);
        topic.tokens = topic.tokens.saturating_sub(tokens);
        let kind = &mut topic.kinds[memory.kind as usize];
        *kind = kind.saturating_sub(1);
        if topic.count == 0 {
            self.0.remove(&key);
        } else {
            self.0.insert(key, topic);
        }
    }
}

/// The first layer stands in the repository: what is private or restricted is not even counted there, nor what is
/// only hearsay or no longer held.
fn may_be_told(memory: &Memory) -> bool {
    let held = memory.status == Status::Asserted && memory.times.expired_at.is_none();
    memory.scope != Scope::UserPrivate && !memory.restricted && held
}

/// The module a memory is anchored in, else its first tag, else its kind.
pub fn name_of(memory: &Memory) -> String {
    if let Some(file) = memory.anchors.files.first() {
        let mut parts = file.trim_start_matches("./").split('/').filter(|part| !part.is_empty());
        let (first, second, third) = (parts.next(), parts.next(), parts.next());
        return match (first, second, third) {
            (Some(first), Some(second), Some(_)) => format!("{first}/{second}"),
            (Some(first), Some(_), None) => first.to_owned(),
            (Some(first), None, _) => first.to_owned(),
            _ => file.clone(),
        };
    }
    match memory.tags.first() {
        Some(tag) if !tag.is_empty() => tag.clone(),
        _ => memory.kind.as_str().replace('_', "-"),
    }
}
