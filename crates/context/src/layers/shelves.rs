//! Which topics are shown: the many names of the memories, put on few shelves that a person can take in.
//!
//! Names are paths. A shelf begins as a whole top folder; one that would hold a third of everything is taken apart, and
//! what is too small for a shelf of its own stands under "other". Decided by the counts alone, so that the shelves of
//! yesterday are those of today unless the memory itself has shifted.

use std::collections::{BTreeMap, BTreeSet};

use crate::parts::Pointer;
use lokid_index::Snapshot;
use lokid_index::topics::{OTHER, Topic};
use lokid_model::Namespace;
use lokid_model::layer::TOPIC_PREFIX;

/// How the layers are told where habits of those who read them say more than the memories alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrangement {
    /// Topics that are wanted together, each as a name and what it is made of: shown as one.
    pub composites: Vec<(String, Vec<String>)>,
    /// How much each topic is used; the most used come first.
    pub by_use: Option<BTreeMap<String, f64>>,
    /// What happened longer ago is not told in the timeline.
    pub timeline_days: Option<u32>,
}

/// One topic as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicGroup {
    pub name: String,
    pub topic: Topic,
}

impl TopicGroup {
    /// What it holds, and how to open it.
    pub fn pointer(&self) -> Pointer {
        let text = format!("{}: {}", self.name, super::kinds_text(&self.topic, KINDS_TOLD));
        Pointer { text, command: format!("lokid index {}", quoted(&self.name)) }
    }
}

/// As a shell takes it for one word.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '-' | '_' | '.');
    if name.chars().all(plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', "")) }
}

/// Kinds a pointer names.
const KINDS_TOLD: usize = 2;

/// The topics of a namespace as they are shown.
#[derive(Clone, Debug)]
pub struct TopicGroups {
    namespace: Namespace,
    shown: Vec<TopicGroup>,
    total: Topic,
    /// Names that are not tests: a test of one of them stands with it.
    modules: BTreeSet<String>,
    composites: Vec<(String, Vec<String>)>,
}

/// A shelf with more than one part in so many of everything is taken apart, unless it holds few anyway.
const GIANT: u64 = 3;
const FEW: u64 = 8;
/// At most so many parts, and none with less than one part in so many of everything.
const MOST_PARTS: usize = 6;
const SMALLEST: u64 = 40;

const TESTS: &str = "tests/";

impl TopicGroups {
    pub fn of(snapshot: &Snapshot, namespace: &Namespace, most: usize, arrangement: &Arrangement) -> TopicGroups {
        let names = || snapshot.topics().of(namespace);
        let root = |name: &str| name.split('/').next().unwrap_or(name).to_owned();
        let mut shelves = TopicGroups {
            namespace: namespace.clone(),
            shown: Vec::new(),
            total: Topic::default(),
            modules: names().filter(|(name, _)| !name.starts_with(TESTS)).map(|(name, _)| root(name)).collect(),
            composites: arrangement.composites.iter().map(as_one).collect(),
        };
        let mut tree = Tree::default();
        for (name, topic) in names() {
            shelves.total.merge(topic);
            tree.add(&shelves.home(name), topic);
        }
        let mut groups = tree.cut(shelves.total.count);
        let used = |name: &str| arrangement.by_use.as_ref().map_or(0.0, |uses| use_of(uses, name));
        groups.sort_by(|a, b| {
            let by_use = used(&b.name).total_cmp(&used(&a.name));
            by_use.then(b.topic.count.cmp(&a.topic.count)).then(a.name.cmp(&b.name))
        });
        shelves.shown = with_rest_last(groups, most);
        shelves
    }

    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// In the order they are shown, "other" last.
    pub fn shown(&self) -> &[TopicGroup] {
        &self.shown
    }

    /// All memories together, shown or not.
    pub fn total(&self) -> &Topic {
        &self.total
    }

    /// The shelf where memories of this name stand.
    pub fn shelf_of(&self, name: &str) -> &str {
        let home = self.home(name);
        let found = ancestors(&home).rev().find_map(|part| self.shown.iter().find(|shelf| shelf.name == part));
        found.map_or(OTHER, |shelf| &shelf.name)
    }

    /// Do memories of this name belong to a topic that is asked for? It may be a shelf, a part of one, or a whole of
    /// which only parts are shown.
    pub fn holds(&self, topic: &str, name: &str) -> bool {
        let topic = topic.strip_prefix(TOPIC_PREFIX).unwrap_or(topic);
        if topic == OTHER {
            return self.shelf_of(name) == OTHER;
        }
        let is_part = |whole: &str, name: &str| ancestors(name).any(|part| part.eq_ignore_ascii_case(whole));
        is_part(topic, &self.home(name)) || is_part(topic, name)
    }

    /// Where a name stands in the tree: under the composite it belongs to, a test with what it tests.
    fn home(&self, name: &str) -> String {
        let tested = name.strip_prefix(TESTS).filter(|tested| {
            let module = tested.split('/').next().unwrap_or(tested);
            self.modules.contains(module)
        });
        let name = tested.unwrap_or(name);
        let is_member = |member: &String| ancestors(name).any(|part| part == member);
        let composite = self.composites.iter().find(|(_, members)| members.iter().any(is_member));
        composite.map_or_else(|| name.to_owned(), |(composite, _)| composite.clone())
    }
}

/// `a`, `a/b`, `a/b/c` of `a/b/c`.
fn ancestors(name: &str) -> impl DoubleEndedIterator<Item = &str> {
    name.match_indices('/').map(|(at, _)| &name[..at]).chain([name])
}

/// A composite is no path, whatever it is called.
fn as_one((name, members): &(String, Vec<String>)) -> (String, Vec<String>) {
    (name.replace('/', "+"), members.clone())
}

fn use_of(uses: &BTreeMap<String, f64>, name: &str) -> f64 {
    let own = uses.iter().filter(|(used, _)| ancestors(used).any(|part| part == name));
    own.map(|(_, count)| if count.is_finite() { *count } else { 0.0 }).sum()
}

/// What finds no room, or is a single memory among many, stands with the whole it is part of, else under "other".
fn with_rest_last(groups: Vec<TopicGroup>, most: usize) -> Vec<TopicGroup> {
    let total: u64 = groups.iter().map(|group| group.topic.count).sum();
    let is_rest = |group: &TopicGroup| group.name == OTHER || (group.topic.count == 1 && total > SMALLEST);
    let (mut rest, mut shown): (Vec<TopicGroup>, Vec<TopicGroup>) = groups.into_iter().partition(is_rest);
    // One alone is better called by its name.
    if rest.len() == 1 && rest[0].name != OTHER && shown.len() < most {
        shown.append(&mut rest);
    }
    let room = if rest.is_empty() { most } else { most.saturating_sub(1) };
    if shown.len() > room {
        rest.extend(shown.split_off(most.saturating_sub(1).max(1).min(shown.len())));
    }
    let mut other = Topic::default();
    for group in &rest {
        let whole = ancestors(&group.name).rev().find_map(|part| shown.iter().position(|shelf| shelf.name == part));
        match whole {
            Some(at) => shown[at].topic.merge(&group.topic),
            None => other.merge(&group.topic),
        }
    }
    if other.count > 0 && shown.len() < most {
        shown.push(TopicGroup { name: OTHER.to_owned(), topic: other });
    }
    shown
}

/// Every name and every part of a name that others begin with, with what stands under it.
#[derive(Default)]
struct Tree(BTreeMap<String, Topic>);

impl Tree {
    fn add(&mut self, name: &str, topic: &Topic) {
        for part in ancestors(name) {
            match self.0.get_mut(part) {
                Some(sum) => sum.merge(topic),
                None => {
                    self.0.insert(part.to_owned(), topic.clone());
                }
            }
        }
    }

    /// The tops, and in place of those that are too large their largest parts, each without what stands elsewhere.
    fn cut(&self, total: u64) -> Vec<TopicGroup> {
        let shelf = |name: &String, topic: &Topic| TopicGroup { name: name.clone(), topic: topic.clone() };
        let tops = self.0.iter().filter(|(name, _)| !name.contains('/'));
        let mut waiting: Vec<TopicGroup> = tops.map(|(name, topic)| shelf(name, topic)).collect();
        let mut groups = Vec::new();
        while let Some(mut group) = waiting.pop() {
            if group.topic.count * GIANT > total && group.topic.count >= FEW {
                for part in self.parts(&group.name, total) {
                    group.topic = without(&group.topic, &part.topic);
                    waiting.push(part);
                }
            }
            if group.topic.count > 0 {
                groups.push(group);
            }
        }
        groups
    }

    fn parts(&self, whole: &str, total: u64) -> Vec<TopicGroup> {
        let start = format!("{whole}/");
        let below = self.0.range(start.clone()..).take_while(|(name, _)| name.starts_with(&start));
        let next = below.filter(|(name, _)| !name[start.len()..].contains('/'));
        let large = next.filter(|(_, topic)| topic.count >= 2 && topic.count * SMALLEST >= total);
        let mut parts: Vec<TopicGroup> =
            large.map(|(name, topic)| TopicGroup { name: name.clone(), topic: topic.clone() }).collect();
        parts.sort_by(|a, b| b.topic.count.cmp(&a.topic.count).then(a.name.cmp(&b.name)));
        parts.truncate(MOST_PARTS);
        parts
    }
}

fn without(whole: &Topic, part: &Topic) -> Topic {
    let mut rest = whole.clone();
    rest.count = rest.count.saturating_sub(part.count);
    rest.tokens = rest.tokens.saturating_sub(part.tokens);
    rest.importance = rest.importance.saturating_sub(part.importance);
    rest.kinds.iter_mut().zip(part.kinds).for_each(|(sum, count)| *sum = sum.saturating_sub(count));
    rest
}
