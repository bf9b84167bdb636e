//! Phase `connect`: connections nobody wrote down, found in what two memories share: files, symbols, errors, commits,
//! what they were made from, and meaning. Owns the links the night made, and only those.
//!
//! Conventions:
//! - A link the night found is never stronger than [`STRONGEST`]; people's and other phases' are 1. So the night knows
//!   its own, strengthens, weakens and takes them back, and leaves the others alone. What tells of an origin or a
//!   replacement (`derived_from`, `supersedes`) is never taken back.
//! - The order of episodes in one piece of work: the later `elaborates` the one before it, with a strength of
//!   [`NEXT`]. Between two episodes `elaborates` means nothing else, so that the way back is a walk along it.
//! - `related_to` goes from the later to the earlier; two memories carry at most one of `example_of`, `elaborates` and
//!   `related_to`, the most telling.
//!
//! Nothing is connected across scopes, nor with what is restricted, unverified or over.

mod choose;
mod evidence;
mod order;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use self::choose::{KnownLinks, Settled};
use self::evidence::Things;
use super::plan::{Act, Phase, Proposal, Scene, holds};
use lokid_model::{Change, ContradictionStatus, Link, Memory, MemoryId, Relation, Status, Verdict};

pub const STRONGEST: f64 = 0.9;
/// How strongly an episode is tied to the one before it.
pub const NEXT: f64 = 0.6;

#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// So many links the night finds may touch a memory.
    pub most: usize,
    /// And so many of them may tell what it was made from.
    pub origins: usize,
    /// What more memories than these share connects nobody.
    pub hub: usize,
    /// How many neighbours in meaning are looked at.
    pub near: usize,
    /// Evidence for `related_to`: this much makes a link,
    pub enough: f64,
    /// a single kind of evidence must be this strong,
    pub alone: f64,
    /// and a link that was made stays down to here.
    pub little: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { most: 8, origins: 4, hub: 30, near: 20, enough: 0.5, alone: 0.75, little: 0.35 }
    }
}

pub fn plan(scene: &Scene<'_>) -> Vec<Proposal> {
    plan_within(scene, &Limits::default())
}

pub fn plan_within(scene: &Scene<'_>, limits: &Limits) -> Vec<Proposal> {
    let cast = Cast::of(scene);
    let mut wanted = Wanted::default();
    disputes(&cast, &mut wanted);
    order::of_episodes(&cast, &mut wanted);
    origins(&cast, &mut wanted);
    let known = KnownLinks::of(&cast);
    evidence::gather(&cast, &known.pairs(), limits, &mut wanted);
    let settled = choose::settle(&cast, &known, wanted, limits);
    let successions = successions(&cast, limits);
    proposals(&cast, settled, successions)
}

/// The memories of a scene and who of them may be connected. Memories are named by their place in the scene.
struct Cast<'a> {
    scene: &'a Scene<'a>,
    takes_part: Vec<bool>,
    fresh: Vec<bool>,
    at: HashMap<&'a str, usize>,
}

impl<'a> Cast<'a> {
    fn of(scene: &'a Scene<'a>) -> Cast<'a> {
        let may = |memory: &Memory| !memory.restricted && memory.status == Status::Asserted && holds(memory, scene.now);
        let takes_part: Vec<bool> = scene.memories.iter().map(|memory| may(memory)).collect();
        let fresh = scene.memories.iter().zip(&takes_part).map(|(memory, part)| *part && scene.around.is_fresh(memory));
        let at = scene.memories.iter().enumerate().map(|(at, memory)| (memory.id.as_str(), at));
        Cast { scene, fresh: fresh.collect(), at: at.collect(), takes_part }
    }

    fn memory(&self, at: usize) -> &'a Arc<Memory> {
        &self.scene.memories[at]
    }

    fn find(&self, id: &str) -> Option<usize> {
        self.at.get(id).copied()
    }

    fn may_meet(&self, one: usize, other: usize) -> bool {
        one != other
            && self.takes_part[one]
            && self.takes_part[other]
            && self.memory(one).scope == self.memory(other).scope
    }

    /// Those that may be connected.
    fn all(&self) -> impl Iterator<Item = usize> {
        (0..self.takes_part.len()).filter(|at| self.takes_part[*at])
    }
}

/// Why two memories belong together.
#[derive(Clone, Debug, PartialEq)]
enum Reason {
    Disputed,
    /// Seconds from the one to the other.
    Followed(i64),
    MadeFrom,
    Shared(Things),
}

#[derive(Clone, Debug, PartialEq)]
struct Wish {
    from: usize,
    to: usize,
    relation: Relation,
    strength: f64,
    /// Enough to keep a link, not enough to make one.
    weak: bool,
    reason: Reason,
}

/// What should be linked, by the pair and what is said of it.
#[derive(Default)]
struct Wanted {
    wishes: BTreeMap<(usize, usize, Slot), Wish>,
    /// The night ended before everything was looked at: what is not wished for may yet be.
    cut_short: bool,
}

/// What a pair can be told of at most once each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Slot {
    Dispute,
    Order,
    Origin,
    Likeness,
}

impl Wanted {
    fn add(&mut self, slot: Slot, wish: Wish) {
        let key = (wish.from.min(wish.to), wish.from.max(wish.to), slot);
        self.wishes.entry(key).or_insert(wish);
    }
}

/// An open contradiction is a connection; a settled one is none any more.
fn disputes(cast: &Cast<'_>, wanted: &mut Wanted) {
    let open = |status| status == ContradictionStatus::Open;
    let known = cast.scene.contradictions.iter();
    for found in known.filter(|found| open(found.status) && found.verdict == Verdict::Contradicts) {
        let (Some(a), Some(b)) = (cast.find(found.a.as_str()), cast.find(found.b.as_str())) else { continue };
        if cast.may_meet(a, b) {
            let (relation, reason) = (Relation::Contradicts, Reason::Disputed);
            wanted.add(Slot::Dispute, Wish { from: b, to: a, relation, strength: STRONGEST, weak: false, reason });
        }
    }
}

/// What a memory names as its source, if that is a memory.
fn origins(cast: &Cast<'_>, wanted: &mut Wanted) {
    for from in cast.all() {
        for to in evidence::sources(cast.memory(from)).filter_map(|source| cast.find(source)) {
            if cast.may_meet(from, to) {
                let (relation, reason) = (Relation::DerivedFrom, Reason::MadeFrom);
                wanted.add(Slot::Origin, Wish { from, to, relation, strength: STRONGEST, weak: false, reason });
            }
        }
    }
}

/// A contradiction that was settled in favour of one, where nobody wrote down what replaced the other.
fn successions(cast: &Cast<'_>, limits: &Limits) -> Vec<Link> {
    let replaces = |relation| matches!(relation, Relation::Supersedes | Relation::SupersededBy);
    let mut told: HashMap<&MemoryId, usize> = HashMap::new();
    for link in cast.scene.links.iter().filter(|link| replaces(link.relation)) {
        *told.entry(&link.from).or_default() += 1;
        *told.entry(&link.to).or_default() += 1;
    }
    let mut found = Vec::new();
    for settled in cast.scene.contradictions.iter().filter(|one| one.status == ContradictionStatus::Superseded) {
        let (Some(a), Some(b)) = (cast.find(settled.a.as_str()), cast.find(settled.b.as_str())) else { continue };
        let (winner, old) = if cast.takes_part[a] { (a, b) } else { (b, a) };
        let (winner, old) = (cast.memory(winner), cast.memory(old));
        let over = !holds(old, cast.scene.now) && !old.restricted && old.status == Status::Asserted;
        let heir = cast.takes_part[a] != cast.takes_part[b] && winner.scope == old.scope;
        let room = told.get(&winner.id).is_none_or(|count| *count < limits.most);
        if over && heir && room && !told.contains_key(&old.id) {
            *told.entry(&winner.id).or_default() += 1;
            *told.entry(&old.id).or_default() += 1;
            found.push(Link {
                namespace: winner.namespace.clone(),
                from: winner.id.clone(),
                to: old.id.clone(),
                relation: Relation::Supersedes,
                strength: STRONGEST,
                created_at: cast.scene.now,
                inline: false,
            });
        }
    }
    found
}

/// One proposal for all that is new about a memory, one for all that is over.
fn proposals(cast: &Cast<'_>, settled: Settled, successions: Vec<Link>) -> Vec<Proposal> {
    let mut made: BTreeMap<MemoryId, Vec<(Link, String)>> = BTreeMap::new();
    for (link, why) in settled.made {
        made.entry(link.from.clone()).or_default().push((link, why));
    }
    for link in successions {
        let why = format!("took the place of {}", link.to);
        made.entry(link.from.clone()).or_default().push((link, why));
    }
    let mut gone: BTreeMap<MemoryId, Vec<Link>> = BTreeMap::new();
    for link in settled.gone {
        gone.entry(link.from.clone()).or_default().push(link);
    }
    let linked = made.into_iter().map(|(from, links)| {
        let told = links.iter().take(3).map(|(_, why)| why.as_str()).collect::<Vec<_>>().join("; ");
        let more = links.len().saturating_sub(3);
        let why = format!("{from} {told}{}", if more > 0 { format!("; and {more} more") } else { String::new() });
        (from, Act::Linked, why, links.into_iter().map(|(link, _)| link).collect::<Vec<_>>())
    });
    let unlinked = gone.into_iter().map(|(from, links)| {
        let (links_have, count) = (if links.len() == 1 { "link has" } else { "links have" }, links.len());
        let why = format!("{count} older {links_have} too little to stand on now, from {from}");
        (from, Act::Unlinked, why, links)
    });
    let all: Vec<_> = linked.chain(unlinked).collect();
    all.into_iter()
        .filter_map(|(from, act, why, links)| {
            let about = cast.find(from.as_str()).map(|at| cast.memory(at))?;
            let others: Vec<MemoryId> = links.iter().map(|link| link.to.clone()).collect();
            let change = |link| if act == Act::Linked { Change::Link(link) } else { Change::Unlink(link) };
            let changes = links.into_iter().map(change).collect();
            Some(Proposal::new(Phase::Connect, act, about, why, changes).with(others))
        })
        .collect()
}
