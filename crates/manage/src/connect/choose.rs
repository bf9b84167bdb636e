//! Which of the wished links are made, which of the old ones stay, and which go: the strongest few of every memory.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::{Cast, Limits, Reason, STRONGEST, Slot, Wanted, Wish};
use lokid_model::{Kind, Link, Relation};

/// A change of strength below this is not worth a line.
const TREMBLE: f64 = 0.15;
/// What a memory that was not asked for its neighbours must be like to one that was, so that their link stays.
const STILL_NEAR: f32 = 0.7;

pub(super) struct Settled {
    pub(super) made: Vec<(Link, String)>,
    pub(super) gone: Vec<Link>,
}

/// A link that stands or is wished for.
struct LinkEntry<'a> {
    pair: (usize, usize, Slot),
    strength: f64,
    stands: Option<&'a Arc<Link>>,
    wish: Option<Wish>,
}

pub(super) fn settle(cast: &Cast<'_>, known: &KnownLinks<'_>, wanted: Wanted, limits: &Limits) -> Settled {
    let wishes = wanted.wishes;
    let mut standing: HashSet<(usize, usize, Slot)> = HashSet::new();
    let mut gone: BTreeSet<Loose<'_>> = BTreeSet::new();
    let mut entries = Vec::new();
    for (link, (from, to)) in &known.own {
        let slot = slot_of(cast, link.relation, *from, *to);
        let pair = ((*from).min(*to), (*from).max(*to), slot);
        let wish = wishes.get(&pair).filter(|wish| says(wish, link.relation, *from)).cloned();
        match wish {
            _ if !cast.may_meet(*from, *to) || standing.contains(&pair) => drop(gone.insert(Loose(link))),
            // More is said of the pair now than that they are alike.
            _ if slot == Slot::Likeness && known.is_told(&pair, link.relation) => drop(gone.insert(Loose(link))),
            Some(wish) => {
                standing.insert(pair);
                entries.push(LinkEntry { pair, strength: wish.strength, stands: Some(link), wish: Some(wish) });
            }
            None if wanted.cut_short
                || (slot == Slot::Likeness
                    && !wishes.contains_key(&pair)
                    && still_stands(cast, *from, *to, limits)) =>
            {
                standing.insert(pair);
                entries.push(LinkEntry { pair, strength: link.strength, stands: Some(link), wish: None });
            }
            None => drop(gone.insert(Loose(link))),
        }
    }
    let is_open = |pair: &(usize, usize, Slot), wish: &Wish| {
        !wish.weak && !standing.contains(pair) && !known.is_told(pair, wish.relation)
    };
    let open = wishes.into_iter().filter(|(pair, wish)| is_open(pair, wish));
    entries.extend(open.map(|(pair, wish)| LinkEntry {
        pair,
        strength: wish.strength,
        stands: None,
        wish: Some(wish),
    }));
    entries.sort_by_key(|entry| {
        let rank = if entry.pair.2 == Slot::Likeness { Slot::Likeness } else { Slot::Dispute };
        (rank, Reverse((entry.strength * 100.0).round() as i64), entry.stands.is_none(), entry.pair)
    });
    let mut room = Room { used: known.occupied(limits), origins: known.origins.clone() };
    let mut made = Vec::new();
    let mut origins: HashSet<(usize, usize)> = HashSet::new();
    for entry in entries {
        let ends = (entry.pair.0, entry.pair.1);
        let told = entry.pair.2 == Slot::Likeness && origins.contains(&ends);
        let fits = !told && room.take(&entry, limits);
        if fits && entry.pair.2 == Slot::Origin {
            origins.insert(ends);
        }
        match (entry.stands, entry.wish) {
            (Some(link), _) if !fits => drop(gone.insert(Loose(link))),
            (Some(link), Some(wish)) if (wish.strength - link.strength).abs() >= TREMBLE - 1e-9 => {
                let stronger = Link { strength: wish.strength, ..link.as_ref().clone() };
                made.push((stronger, tell(cast, &wish)));
            }
            (None, Some(wish)) if fits => made.push((new(cast, &wish), tell(cast, &wish))),
            _ => {}
        }
    }
    Settled { made, gone: gone.into_iter().map(|link| link.0.as_ref().clone()).collect() }
}

/// In the order of its key.
struct Loose<'a>(&'a Arc<Link>);

impl PartialEq for Loose<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.key() == other.0.key()
    }
}

impl Eq for Loose<'_> {}

impl PartialOrd for Loose<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Loose<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.key().cmp(&other.0.key())
    }
}

/// The links that stand.
pub(super) struct KnownLinks<'a> {
    /// Found by an earlier night, sorted by their pair.
    own: Vec<(&'a Arc<Link>, (usize, usize))>,
    /// What others say of a pair.
    told: HashMap<(usize, usize), Vec<Relation>>,
    /// How many links tell of the origin of, or from, a memory.
    origins: HashMap<usize, usize>,
    /// How many of these the night found.
    found_origins: HashMap<usize, usize>,
}

impl<'a> KnownLinks<'a> {
    pub(super) fn of(cast: &Cast<'a>) -> KnownLinks<'a> {
        let mut known = KnownLinks {
            own: Vec::new(),
            told: HashMap::new(),
            origins: HashMap::new(),
            found_origins: HashMap::new(),
        };
        for link in cast.scene.links {
            // The other end may be a memory that planners are not shown.
            let (Some(from), Some(to)) = (cast.find(link.from.as_str()), cast.find(link.to.as_str())) else { continue };
            let restricted = cast.memory(from).restricted || cast.memory(to).restricted;
            let ours = matches!(
                link.relation,
                Relation::RelatedTo | Relation::Elaborates | Relation::ExampleOf | Relation::Contradicts
            );
            let found = link.strength <= STRONGEST + 1e-9 && !link.inline;
            if ours && found && !restricted {
                known.own.push((link, (from, to)));
                continue;
            }
            known.told.entry((from.min(to), from.max(to))).or_default().push(link.relation);
            if link.relation == Relation::DerivedFrom {
                for end in [from, to] {
                    *known.origins.entry(end).or_default() += 1;
                    *known.found_origins.entry(end).or_default() += usize::from(found);
                }
            }
        }
        // Of two that say the same, the one from the later to the earlier stays, as it would be made.
        let when = |at: usize| (cast.memory(at).times.created_at, at);
        known.own.sort_by_key(|(link, (from, to))| {
            (*from.min(to), *from.max(to), when(*from) < when(*to), link.relation, link.from.clone())
        });
        known
    }

    /// The pairs an earlier night found something for.
    pub(super) fn pairs(&self) -> HashSet<(usize, usize)> {
        self.own.iter().map(|(_, (from, to))| (*from.min(to), *from.max(to))).collect()
    }

    /// Is there nothing to add to what others say of the pair?
    fn is_told(&self, pair: &(usize, usize, Slot), relation: Relation) -> bool {
        let told = self.told.get(&(pair.0, pair.1)).map_or(&[][..], Vec::as_slice);
        match pair.2 {
            Slot::Likeness => !told.is_empty(),
            Slot::Dispute | Slot::Order => told.contains(&relation),
            Slot::Origin => told
                .iter()
                .any(|told| matches!(told, Relation::DerivedFrom | Relation::Supersedes | Relation::SupersededBy)),
        }
    }

    /// Links of origin are never taken back; they leave room for others.
    fn occupied(&self, limits: &Limits) -> HashMap<usize, usize> {
        self.found_origins.iter().map(|(at, count)| (*at, (*count).min(limits.origins))).collect()
    }
}

struct Room {
    used: HashMap<usize, usize>,
    origins: HashMap<usize, usize>,
}

impl Room {
    fn take(&mut self, entry: &LinkEntry<'_>, limits: &Limits) -> bool {
        let ends = [entry.pair.0, entry.pair.1];
        let count = |of: &HashMap<usize, usize>, end: &usize| of.get(end).copied().unwrap_or(0);
        let is_origin = entry.pair.2 == Slot::Origin;
        let full = ends.iter().any(|end| {
            count(&self.used, end) >= limits.most || (is_origin && count(&self.origins, end) >= limits.origins)
        });
        if full {
            return false;
        }
        for end in ends {
            *self.used.entry(end).or_default() += 1;
            *self.origins.entry(end).or_default() += usize::from(is_origin);
        }
        true
    }
}

fn slot_of(cast: &Cast<'_>, relation: Relation, from: usize, to: usize) -> Slot {
    let episodes = cast.memory(from).kind == Kind::Episode && cast.memory(to).kind == Kind::Episode;
    match relation {
        Relation::Contradicts => Slot::Dispute,
        Relation::Elaborates if episodes => Slot::Order,
        _ => Slot::Likeness,
    }
}

/// Does a wish say what a link says? Being related has no direction.
fn says(wish: &Wish, relation: Relation, from: usize) -> bool {
    wish.relation == relation && (wish.from == from || matches!(relation, Relation::RelatedTo | Relation::Contradicts))
}

/// Between two that did not change, what was found stays found. Of one that did, the other may still know it as near.
fn still_stands(cast: &Cast<'_>, from: usize, to: usize, limits: &Limits) -> bool {
    let knows = |one: usize, other: usize| {
        let id = &cast.memory(other).id;
        let near = cast.scene.around.near(cast.memory(one), limits.near);
        near.iter().any(|(found, cosine)| found.id == *id && *cosine >= STILL_NEAR)
    };
    match (cast.fresh[from], cast.fresh[to]) {
        (false, false) => true,
        (true, true) => false,
        (true, false) => knows(to, from),
        (false, true) => knows(from, to),
    }
}

fn new(cast: &Cast<'_>, wish: &Wish) -> Link {
    let (from, to) = (cast.memory(wish.from), cast.memory(wish.to));
    Link {
        namespace: from.namespace.clone(),
        from: from.id.clone(),
        to: to.id.clone(),
        relation: wish.relation,
        strength: wish.strength,
        created_at: cast.scene.now,
        inline: false,
    }
}

/// Names and numbers, no words.
fn tell(cast: &Cast<'_>, wish: &Wish) -> String {
    let other = &cast.memory(wish.to).id;
    match &wish.reason {
        Reason::Disputed => format!("contradicts {other}, which is not settled"),
        Reason::Followed(seconds) => format!("followed {other} by {} minutes in the same work", seconds / 60),
        Reason::MadeFrom => format!("names {other} as its source"),
        Reason::Shared(shared) => format!("{} {other} ({:.2}): shares {}", wish.relation, wish.strength, shared.list()),
    }
}
