//! A small memory for the tests of the night: proposals are applied as the engine would, and nights can be repeated.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::plan::{Around, Proposal, Scene};
use lokid_model::link::LinkKey;
use lokid_model::{Action, Body, Change, Episode, EpisodeError, Kind, Link, Memory, MemoryId, Outcome, Timestamp};

pub(crate) const DAY: i64 = 86_400_000_000;

#[derive(Clone, Default, PartialEq, Debug)]
pub(crate) struct Lab {
    pub(crate) now: Timestamp,
    pub(crate) memories: BTreeMap<MemoryId, Arc<Memory>>,
    pub(crate) links: BTreeMap<LinkKey, Arc<Link>>,
    pub(crate) purged: BTreeSet<MemoryId>,
}

impl Around for Lab {
    /// Without numbers.
    fn fingerprint(&self, error: &str) -> String {
        let plain: String = error.to_lowercase().chars().filter(|c| !c.is_ascii_digit()).take(400).collect();
        blake3::hash(plain.as_bytes()).to_hex()[..16].to_owned()
    }
    /// A program and its subcommand.
    fn step(&self, action: &str) -> Option<String> {
        let mut words = action.split_whitespace();
        let program = words.next()?.to_lowercase();
        if ["cd", "ls", "cat", "echo", "read"].contains(&program.as_str()) {
            return None;
        }
        let sub = words.next().filter(|_| ["cargo", "git", "npm", "docker"].contains(&program.as_str()));
        Some(sub.map_or(program.clone(), |sub| format!("{program} {sub}")))
    }
    fn is_free(&self, id: &MemoryId) -> bool {
        !self.memories.contains_key(id) && !self.purged.contains(id)
    }
}

impl Lab {
    pub(crate) fn new(memories: impl IntoIterator<Item = Memory>) -> Lab {
        let mut lab = Lab { now: Timestamp::from_micros(20_000 * DAY), ..Lab::default() };
        memories.into_iter().for_each(|memory| lab.put(memory));
        lab
    }

    pub(crate) fn put(&mut self, memory: Memory) {
        self.memories.insert(memory.id.clone(), Arc::new(memory));
    }

    pub(crate) fn look<T>(&self, see: impl FnOnce(&Scene<'_>) -> T) -> T {
        let memories: Vec<Arc<Memory>> = self.memories.values().cloned().collect();
        let links: Vec<Arc<Link>> = self.links.values().cloned().collect();
        let (now, around) = (self.now, self);
        see(&Scene { now, memories: &memories, links: &links, contradictions: &[], archived: &[], around })
    }

    /// As the engine commits: what was made from something else than what stands is dropped.
    pub(crate) fn apply(&mut self, proposals: &[Proposal]) {
        for proposal in proposals {
            let fits = |change: &Change| match change {
                Change::Put { before: Some(before), after } => self.memories.get(&after.id) == Some(before),
                Change::Put { before: None, after } => self.is_free(&after.id),
                _ => true,
            };
            assert!(proposal.changes.iter().all(fits), "{proposal:?}");
            assert!(!proposal.changes.is_empty() && !proposal.why.is_empty());
            for change in &proposal.changes {
                match change {
                    Change::Put { after, .. } => drop(self.memories.insert(after.id.clone(), Arc::clone(after))),
                    Change::Link(link) => {
                        assert!(self.memories.contains_key(&link.from) && self.memories.contains_key(&link.to));
                        self.links.insert(link.key(), Arc::new(link.clone()));
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    /// One night, which ends where nothing more is to be done; answers with what it did.
    pub(crate) fn night(&mut self, plan: impl Fn(&Scene<'_>) -> Vec<Proposal>) -> Vec<Proposal> {
        let proposals = self.look(&plan);
        assert_eq!(self.look(&plan), proposals, "the same night is the same");
        self.apply(&proposals);
        assert_eq!(self.look(&plan), Vec::new(), "one night is enough");
        proposals
    }

    pub(crate) fn of(&self, kind: Kind) -> Vec<&Memory> {
        self.memories.values().map(Arc::as_ref).filter(|memory| memory.kind == kind).collect()
    }
}

/// Many nights, and a crash after any proposal, end where one night ends.
pub(crate) fn is_steady(lab: &Lab, nights: usize, plan: impl Fn(&Scene<'_>) -> Vec<Proposal>) {
    let mut once = lab.clone();
    let proposals = once.night(&plan);
    for done in 0..proposals.len().min(6) {
        let mut crashed = lab.clone();
        crashed.apply(&proposals[..done]);
        crashed.night(&plan);
        assert_eq!(crashed, once, "after a crash behind proposal {done}");
    }
    let now = once.now;
    let mut many = once.clone();
    for _ in 0..nights {
        many.now = many.now.plus_micros(DAY);
        many.night(&plan);
    }
    many.now = now;
    assert_eq!(many, once);
}

pub(crate) fn id(text: &str) -> MemoryId {
    MemoryId::new(text).unwrap()
}

/// An episode on a day of its own.
pub(crate) fn episode(name: &str, day: i64, outcome: Outcome) -> Memory {
    let body = Episode { goal: format!("work on {name}"), ..Episode::default() };
    let at = Timestamp::from_micros((10_000 + day) * DAY);
    let mut memory = Memory::new(id(name), Kind::Episode, format!("episode {name}"), at);
    memory.outcome = Some(outcome);
    memory.body = Body::Episode(Box::new(body));
    memory
}

pub(crate) fn edit(mut memory: Memory, change: impl FnOnce(&mut Episode)) -> Memory {
    let Body::Episode(body) = &mut memory.body else { panic!("an episode") };
    change(body);
    memory
}

pub(crate) fn met(memory: Memory, kind: &str, message: &str, resolution: &str) -> Memory {
    let error = EpisodeError { kind: kind.into(), message: message.into(), resolution: resolution.into() };
    edit(memory, |episode| episode.errors.push(error))
}

/// A command in a shell, with its error.
pub(crate) fn ran(memory: Memory, command: &str, error: &str) -> Memory {
    let action = Action { action: "bash".into(), target: command.into(), error: error.into(), ..Action::default() };
    edit(memory, |episode| episode.action_log.push(action))
}
