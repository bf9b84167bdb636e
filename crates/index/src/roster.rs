//! Who is in the derived indexes: each version of a memory that was ever taken in has a number, and the roster tells
//! by number which memory it is, what filters ask about it, and who belongs to the same occasion. A clone is cheap;
//! the one who writes pays for the block it touches.

use std::sync::Arc;

use lokid_model::{Key, Kind, Memory, Namespace, Scope, Staged, Status, Tier, Timestamp};

/// The number of a memory in the indexes. Never given twice while the indexes live.
pub type Number = u32;

const BLOCK: usize = 1024;

/// What a filter may ask, without touching the memory itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facet {
    pub namespace: u16,
    pub kind: Kind,
    pub tier: Tier,
    pub scope: Scope,
    pub alive: bool,
    pub unverified: bool,
    pub restricted: bool,
    /// [`Staged::mark`] of the branch it waits for, or 0.
    staged: u32,
    /// Weighted number of words.
    pub length: f32,
    /// Settles ties the same way after every rebuild.
    pub lot: u64,
    created: i64,
    expired: i64,
    valid: i64,
    invalid: i64,
}

impl Facet {
    pub fn of(memory: &Memory, namespace: u16) -> Facet {
        let end = |at: Option<Timestamp>| at.map_or(i64::MAX, Timestamp::as_micros);
        Facet {
            namespace,
            kind: memory.kind,
            tier: memory.tier,
            scope: memory.scope,
            alive: true,
            unverified: memory.status == Status::Unverified,
            restricted: memory.restricted,
            staged: memory.staged().map_or(0, |staged| Staged::mark(&staged.branch)),
            length: 0.0,
            lot: 0,
            created: memory.times.created_at.as_micros(),
            expired: end(memory.times.expired_at),
            valid: memory.times.valid_at.as_micros(),
            invalid: end(memory.times.invalid_at),
        }
    }

    /// As [`Memory::holds_now`].
    fn holds(&self, now: i64) -> bool {
        self.expired == i64::MAX && (self.valid <= now || self.valid <= self.created) && now < self.invalid
    }

    /// Known and true at a moment of the past: both axes of time.
    fn held(&self, at: i64) -> bool {
        self.created <= at && at < self.expired && self.valid <= at && at < self.invalid
    }
}

/// Which memories an answer may be made of.
#[derive(Clone, Debug)]
pub struct Filter {
    pub namespace: Namespace,
    /// Empty: all of them.
    pub kinds: Vec<Kind>,
    pub tiers: Vec<Tier>,
    pub unverified: bool,
    pub restricted: bool,
    /// Also what waits for the branch with this mark.
    pub staged: Option<u32>,
    /// Also what no longer holds.
    pub invalid: bool,
    pub now: Timestamp,
    /// What was known and held then, instead of now.
    pub as_of: Option<Timestamp>,
    /// Only what was created from the first moment on and before the second.
    pub between: Option<(i64, i64)>,
}

impl Filter {
    pub fn new(namespace: Namespace, now: Timestamp) -> Filter {
        Filter {
            namespace,
            kinds: Vec::new(),
            tiers: Vec::new(),
            unverified: false,
            restricted: false,
            staged: None,
            invalid: false,
            now,
            as_of: None,
            between: None,
        }
    }

    /// May this memory be part of the answer, whatever the indexes say?
    pub fn admits(&self, memory: &Memory) -> bool {
        memory.namespace == self.namespace && self.admits_facet(&Facet::of(memory, 0))
    }

    /// Nothing but a namespace and the present time are asked for.
    pub(super) fn is_wide(&self) -> bool {
        self.kinds.is_empty() && self.tiers.is_empty() && self.as_of.is_none() && self.between.is_none()
    }

    pub(super) fn admits_facet(&self, facet: &Facet) -> bool {
        let timely = match self.as_of.map(Timestamp::as_micros) {
            Some(at) => facet.held(at) || (self.invalid && facet.created <= at),
            None => self.invalid || facet.holds(self.now.as_micros()),
        };
        facet.alive
            && timely
            && self.between.is_none_or(|(from, until)| from <= facet.created && facet.created < until)
            && (self.unverified || !facet.unverified)
            && (self.restricted || !facet.restricted || self.staged == Some(facet.staged))
            && (self.kinds.is_empty() || self.kinds.contains(&facet.kind))
            && (self.tiers.is_empty() || self.tiers.contains(&facet.tier))
    }
}

/// What is asked of every document that holds a word, in eight bytes: the memory it stands in is what costs time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slim {
    /// Weighted number of words.
    pub(super) length: f32,
    pub(super) namespace: u16,
    /// Nothing about it needs a closer look: alive, asserted, open to everybody and without an end.
    plain: bool,
}

impl Slim {
    fn of(facet: &Facet) -> Slim {
        let endless = facet.expired == i64::MAX && facet.invalid == i64::MAX;
        let plain = facet.alive && endless && !facet.unverified && !facet.restricted;
        Slim { length: facet.length, namespace: facet.namespace, plain }
    }
}

#[derive(Clone, Debug, Default)]
struct Block {
    slims: Vec<Slim>,
    /// When the youngest of the block was created, or begins to hold: from then on none of them is of the future.
    youngest: i64,
    facets: Vec<Facet>,
    keys: Vec<Key>,
}

#[derive(Clone, Debug, Default)]
pub struct Roster {
    blocks: Vec<Arc<Block>>,
    len: usize,
    namespaces: Arc<Vec<Namespace>>,
}

impl Roster {
    /// Every number given so far, also of what is gone.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn facet(&self, ord: Number) -> &Facet {
        &self.blocks[ord as usize / BLOCK].facets[ord as usize % BLOCK]
    }

    pub fn key(&self, ord: Number) -> &Key {
        &self.blocks[ord as usize / BLOCK].keys[ord as usize % BLOCK]
    }

    #[inline]
    pub(super) fn slim(&self, number: Number) -> Slim {
        self.blocks[number as usize / BLOCK].slims[number as usize % BLOCK]
    }

    /// May it be part of the answer? Most can be told without looking closer.
    #[inline]
    pub(super) fn admits(&self, namespace: u16, filter: &Filter, is_wide: bool, number: Number) -> bool {
        let block = &self.blocks[number as usize / BLOCK];
        let slim = block.slims[number as usize % BLOCK];
        if slim.namespace != namespace {
            return false;
        }
        if is_wide && slim.plain && block.youngest <= filter.now.as_micros() {
            return true;
        }
        filter.admits_facet(&block.facets[number as usize % BLOCK])
    }

    /// The short name of a namespace, if anything of it was ever taken in.
    pub fn namespace(&self, namespace: &Namespace) -> Option<u16> {
        self.namespaces.iter().position(|known| known == namespace).map(|at| at as u16)
    }

    pub(super) fn name_namespace(&mut self, namespace: &Namespace) -> u16 {
        self.namespace(namespace).unwrap_or_else(|| {
            let names = Arc::make_mut(&mut self.namespaces);
            names.push(namespace.clone());
            (names.len() - 1).min(u16::MAX as usize) as u16
        })
    }

    pub(super) fn push(&mut self, key: Key, facet: Facet) -> Number {
        if self.len.is_multiple_of(BLOCK) {
            self.blocks.push(Arc::default());
        }
        let block = Arc::make_mut(self.blocks.last_mut().expect("a block was just made sure of"));
        block.keys.push(key);
        block.slims.push(Slim::of(&facet));
        block.youngest = block.youngest.max(facet.created).max(facet.valid);
        block.facets.push(facet);
        self.len += 1;
        (self.len - 1) as Number
    }

    pub(super) fn change(&mut self, number: Number, change: impl FnOnce(&mut Facet)) {
        let block = Arc::make_mut(&mut self.blocks[number as usize / BLOCK]);
        let facet = &mut block.facets[number as usize % BLOCK];
        change(facet);
        block.slims[number as usize % BLOCK] = Slim::of(facet);
        block.youngest = block.youngest.max(facet.created).max(facet.valid);
    }
}
