//! Phase `dedupe`: memories that say the same become one. Meaning finds the pairs, a second look at the words and at
//! everything around them decides, and the decision is to keep apart whenever there is doubt.
//!
//! Owns who is kept, what the kept one takes over and what becomes of the others' connections. How two statements are
//! compared is the caller's; nothing here writes. Every memory that goes was held against the very one that stays,
//! so that a row of near misses never becomes one memory.

#[cfg(test)]
pub(crate) mod fake;
mod guard;
pub(crate) mod nearby;
#[cfg(test)]
mod tests;
mod ties;
mod unite;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use self::guard::Apart;
use self::ties::Ties;
use super::plan::{Act, Phase, Proposal, Scene, holds, revise, tie};
use lokid_model::{
    Change, Contradiction, ContradictionStatus, Kind, Memory, MemoryId, Relation, Source, Tier, Timestamp,
};

/// Which of these say the same, so surely that whoever knows the one learns nothing from the other.
pub type Compare<'a> = dyn Fn(&[(&str, &str)]) -> Vec<bool> + 'a;

#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// The least cosine of two facts that are compared,
    pub fact: f32,
    /// of two patterns, anti-patterns or learnings,
    pub learnt: f32,
    /// and of anything else.
    pub other: f32,
    /// How many neighbours a memory is compared with.
    pub near: usize,
    /// How many at most become one in a single step; the rest follows in the next.
    pub at_once: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { fact: 0.5, learnt: 0.6, other: 0.2, near: 5, at_once: 5_000 }
    }
}

impl Limits {
    fn least(&self, kind: Kind) -> f32 {
        match kind {
            Kind::Fact => self.fact,
            Kind::Pattern | Kind::AntiPattern | Kind::Learning => self.learnt,
            _ => self.other,
        }
    }
}

pub fn plan(scene: &Scene<'_>, compare: &Compare<'_>) -> Vec<Proposal> {
    plan_within(scene, compare, &Limits::default())
}

pub fn plan_within(scene: &Scene<'_>, compare: &Compare<'_>, limits: &Limits) -> Vec<Proposal> {
    let crowd = Crowd::of(scene);
    let pairs = crowd.pairs(scene, limits);
    let mut matching = Matching {
        scene,
        compare,
        crowd: &crowd,
        apart: Apart::of(scene),
        texts: HashMap::new(),
        taken: HashSet::new(),
    };
    matching.read(&pairs);
    let clusters = matching.clusters(&pairs, limits);
    let mut ties = Ties::of(scene, clusters.is_empty());
    let mut disputes: HashMap<&MemoryId, Vec<&Contradiction>> = HashMap::new();
    for open in scene.contradictions.iter().filter(|known| known.status == ContradictionStatus::Open) {
        disputes.entry(&open.a).or_default().push(open);
        disputes.entry(&open.b).or_default().push(open);
    }
    clusters.into_iter().map(|(winner, cluster)| proposal(scene, winner, &cluster, &mut ties, &disputes)).collect()
}

/// Those that become one with a winner, in the order in which they do, and the least cosine among them.
struct Cluster {
    losers: Vec<usize>,
    least: f32,
}

/// Memories that may be merged at all, by their words: those with the very same words are one group, and groups, not
/// memories, are held against each other. So a thousand copies cost a thousand steps.
struct Crowd {
    groups: Vec<Vec<usize>>,
    /// The group of each memory of the scene that takes part.
    group_of: HashMap<usize, usize>,
    /// From the one everybody would keep to the one nobody would.
    rank: HashMap<usize, usize>,
}

impl Crowd {
    fn of(scene: &Scene<'_>) -> Crowd {
        let mut by_words: HashMap<[u8; 16], usize> = HashMap::new();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut group_of = HashMap::new();
        let mut ranked = Vec::new();
        for (at, memory) in scene.memories.iter().enumerate().filter(|(_, memory)| takes_part(memory, scene)) {
            let group = *by_words.entry(words_of(memory)).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[group].push(at);
            group_of.insert(at, group);
            ranked.push((standing(memory, scene), at));
        }
        ranked.sort();
        let rank: HashMap<usize, usize> = ranked.into_iter().enumerate().map(|(rank, (_, at))| (at, rank)).collect();
        groups.iter_mut().for_each(|members| members.sort_by_key(|at| rank[at]));
        Crowd { groups, group_of, rank }
    }

    /// Groups that are near enough to be compared, with their cosine. Begins with what is fresh: the others were
    /// compared when they were.
    fn pairs(&self, scene: &Scene<'_>, limits: &Limits) -> BTreeMap<usize, BTreeMap<usize, f32>> {
        let mut pairs: BTreeMap<usize, BTreeMap<usize, f32>> = BTreeMap::new();
        for (group, members) in self.groups.iter().enumerate() {
            let Some(fresh) = members.iter().find(|at| scene.around.is_fresh(&scene.memories[**at])) else { continue };
            if scene.around.is_over() {
                break;
            }
            pairs.entry(group).or_default().insert(group, 1.0);
            let memory = &scene.memories[*fresh];
            let least = limits.least(memory.kind);
            let useful = |other: &Memory| {
                let at = scene.memories.binary_search_by(|known| known.id.cmp(&other.id)).ok()?;
                let found = *self.group_of.get(&at)?;
                (found != group && other.kind == memory.kind && other.scope == memory.scope).then_some(found)
            };
            let near = scene.around.like_among(memory, &[memory.kind], limits.near).into_iter();
            let close = near.filter(|(_, cosine)| *cosine >= least && cosine.is_finite());
            for (other, cosine) in close.filter_map(|(other, cosine)| Some((useful(&other)?, cosine))) {
                let closer = |known: &mut f32| *known = known.max(cosine);
                pairs.entry(group).or_default().entry(other).and_modify(closer).or_insert(cosine);
                pairs.entry(other).or_default().entry(group).and_modify(closer).or_insert(cosine);
            }
        }
        pairs
    }
}

/// Only the first few of a group that were not taken look for others: those who stay beside them are people's, or
/// stand in a contradiction.
const MOST_HEADS: usize = 8;

struct Matching<'a> {
    scene: &'a Scene<'a>,
    compare: &'a Compare<'a>,
    crowd: &'a Crowd,
    apart: Apart,
    /// Do the words of two groups say the same?
    texts: HashMap<(usize, usize), bool>,
    taken: HashSet<usize>,
}

impl Matching<'_> {
    /// Reads all that may become one, the most alike first: where not all can be read, these matter most.
    fn read(&mut self, pairs: &BTreeMap<usize, BTreeMap<usize, f32>>) {
        let mut wanted: Vec<(f32, usize, usize)> = Vec::new();
        for (group, others) in pairs {
            let first = |group: &usize| &self.scene.memories[self.crowd.groups[*group][0]];
            // What is made from a structure is compared by that.
            let reads = |group: &usize| guard::is_short(first(group)) && !guard::is_made(first(group));
            let may = |other: &usize| reads(group) && reads(other) && guard::may_meet(first(group), first(other));
            let worth = |other: &&usize| *other > group && may(other);
            wanted.extend(others.keys().filter(worth).map(|other| (others[other], *group, *other)));
        }
        wanted.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| (one.1, one.2).cmp(&(other.1, other.2))));
        let text = |group: usize| self.scene.memories[self.crowd.groups[group][0]].text.as_str();
        let texts: Vec<(&str, &str)> = wanted.iter().map(|(_, one, other)| (text(*one), text(*other))).collect();
        let same = (self.compare)(&texts);
        for ((_, one, other), same) in wanted.iter().zip(same) {
            self.texts.insert((*one, *other), same);
            self.texts.insert((*other, *one), same);
        }
    }

    /// The best takes all it may; then the best of those left.
    fn clusters(&mut self, pairs: &BTreeMap<usize, BTreeMap<usize, f32>>, limits: &Limits) -> BTreeMap<usize, Cluster> {
        let mut order: Vec<usize> = pairs.keys().flat_map(|group| self.crowd.groups[*group].iter().copied()).collect();
        order.sort_by_key(|at| self.crowd.rank[at]);
        let mut heads: HashMap<usize, usize> = HashMap::new();
        let mut clusters = BTreeMap::new();
        for winner in order {
            let group = self.crowd.group_of[&winner];
            if self.taken.contains(&winner) || self.scene.around.is_over() {
                continue;
            }
            let head = heads.entry(group).or_default();
            *head += 1;
            if *head > MOST_HEADS {
                continue;
            }
            let mut cluster = Cluster { losers: Vec::new(), least: 1.0 };
            for (other, cosine) in &pairs[&group] {
                self.take(winner, *other, *cosine, limits, &mut cluster);
            }
            if !cluster.losers.is_empty() {
                cluster.losers.sort_by_key(|at| self.crowd.rank[at]);
                clusters.insert(winner, cluster);
            }
        }
        clusters
    }

    /// All of a group that may go, go.
    fn take(&mut self, winner: usize, group: usize, cosine: f32, limits: &Limits, cluster: &mut Cluster) {
        let crowd = self.crowd;
        let own = crowd.group_of[&winner];
        for loser in crowd.groups[group].iter().copied() {
            let lower = crowd.rank[&loser] > crowd.rank[&winner];
            if !lower || self.taken.contains(&loser) || cluster.losers.len() >= limits.at_once {
                continue;
            }
            let (kept, gone) = (&self.scene.memories[winner], &self.scene.memories[loser]);
            if !guard::may_be_one(kept, gone, self.compare) || self.apart.keeps(winner, loser) {
                continue;
            }
            let told = own == group || (guard::is_made(kept) && guard::is_made(gone));
            if !told && !self.says_the_same(winner, loser) {
                continue;
            }
            self.apart.unite(winner, loser);
            self.taken.insert(loser);
            cluster.losers.push(loser);
            cluster.least = cluster.least.min(cosine);
        }
    }

    /// The words are those of the group, whoever of it speaks.
    fn says_the_same(&mut self, winner: usize, loser: usize) -> bool {
        let pair = (self.crowd.group_of[&winner], self.crowd.group_of[&loser]);
        let (a, b) = (&self.scene.memories[winner].text, &self.scene.memories[loser].text);
        *self.texts.entry(pair).or_insert_with(|| guard::says_the_same(a, b, self.compare))
    }
}

/// Episodes are events: the same again is another one.
fn takes_part(memory: &Memory, scene: &Scene<'_>) -> bool {
    memory.kind != Kind::Episode
        && !memory.restricted
        && holds(memory, scene.now)
        && memory.times.valid_at <= scene.now
        && memory.text.contains(char::is_alphanumeric)
}

/// Kind, scope and words, whatever their spacing.
fn words_of(memory: &Memory) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for part in [memory.kind.as_str(), memory.scope.as_str(), memory.namespace.as_str()] {
        hasher.update(part.as_bytes()).update(b"\0");
    }
    for word in memory.text.split_ascii_whitespace() {
        hasher.update(word.as_bytes()).update(b" ");
    }
    let mut short = [0; 16];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    short
}

/// Who stays, least first: a person's, then what is no hearsay, the more binding, the more used, the older.
type Standing = (bool, bool, Tier, Reverse<(u64, u64, u64)>, Timestamp, MemoryId);

fn standing(memory: &Memory, scene: &Scene<'_>) -> Standing {
    let usage = scene.around.usage(memory);
    (
        memory.source != Source::User,
        memory.source.is_hearsay(),
        memory.tier,
        Reverse((usage.referenced, usage.success, usage.loaded)),
        memory.times.created_at,
        memory.id.clone(),
    )
}

fn proposal(
    scene: &Scene<'_>,
    winner: usize,
    cluster: &Cluster,
    ties: &mut Ties,
    disputes: &HashMap<&MemoryId, Vec<&Contradiction>>,
) -> Proposal {
    let now = scene.now;
    let kept = &scene.memories[winner];
    let losers: Vec<&Arc<Memory>> = cluster.losers.iter().map(|at| &scene.memories[*at]).collect();
    let united = |memory: &mut Memory| {
        for gone in &losers {
            unite::take_over(memory, gone, &scene.around.usage(gone));
        }
    };
    let mut changes: Vec<Change> = revise(kept, now, united).into_iter().collect();
    for gone in &losers {
        // What it said is as true as before; it is only told elsewhere.
        let ended = |memory: &mut Memory| {
            memory.times.expired_at = Some(now.max(memory.times.created_at));
            memory.set_merged_into(Some(&kept.id));
        };
        changes.extend(revise(gone, now, ended));
    }
    changes.extend(ties.hand_over(kept, &losers));
    for gone in &losers {
        let history = [
            tie(kept, Relation::Supersedes, &gone.id, 1.0, now),
            tie(gone, Relation::SupersededBy, &kept.id, 1.0, now),
        ];
        changes.extend(history.into_iter().filter(|change| ties.add(change)));
    }
    for gone in &losers {
        let closed = |open: &&Contradiction| Contradiction {
            status: ContradictionStatus::Superseded,
            why: format!("{} became one with {}, where the matter goes on", gone.id, kept.id),
            ..(*open).clone()
        };
        changes.extend(disputes.get(&gone.id).into_iter().flatten().map(closed).map(Change::Contradict));
    }
    let about = losers.iter().map(|gone| gone.id.clone());
    Proposal::new(Phase::Dedupe, Act::Deduped, kept, why(kept, losers.len(), cluster.least), changes).with(about)
}

/// Names, no words: what is private stays out of reports.
fn why(kept: &Memory, count: usize, least: f32) -> String {
    let kind = kept.kind.as_str().replace('_', " ");
    let (others, say) =
        if count == 1 { (format!("another {kind}"), "says") } else { (format!("{count} other {kind}s"), "say") };
    if least >= 1.0 {
        format!("{others} {say} the same as {} in the same words", kept.id)
    } else {
        format!("{others} {say} the same as {} in other words", kept.id)
    }
}
