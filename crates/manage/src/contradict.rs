//! Memories that cannot both hold: found when one is told and again every night, settled where the matter is clear, and
//! otherwise left open for somebody to settle. Pure.
//!
//! Likeness only brings candidates; those that speak of the same thing are read together, the most alike first.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::plan::{Act, Phase, Proposal, Scene, holds, revise, tie};
use super::statement::{Judgement, TOLD};
use lokid_model::{
    Change, Contradiction, ContradictionStatus, Kind, Memory, MemoryId, Relation, Source, Status, Timestamp, Verdict,
};

/// So many of the most alike are compared.
pub const CANDIDATES: usize = 10;
/// What is less alike than this, and shares no telling word, is about something else.
const ALIKE: f32 = 0.15;
/// Whoever has so many matters to settle needs no longer list.
pub const MOST_OPEN: usize = 100;
/// A statement is short; a longer text says many things …
const LONGEST: usize = 600;
/// … and a shorter one says nothing that could be denied.
const FEWEST_WORDS: usize = 3;

/// Holds what each two memories say against each other, the earlier first; nothing for two that could not be read.
pub type Compare<'a> = dyn Fn(&[Pair<'_>]) -> Vec<Option<Judgement>> + 'a;
pub type Pair<'a> = (&'a Arc<Memory>, &'a Arc<Memory>);

/// What a later statement does to an earlier one it contradicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// The later one holds from its time on.
    Replaces,
    /// The earlier one was told late: it held until the other began.
    WasBefore,
    Open(&'static str),
}

/// The later value of the same thing wins by itself, unless one of the two is unverified or mere hearsay speaks against
/// better knowledge.
pub fn rule(old: &Memory, new: &Memory) -> Ruling {
    if old.status != Status::Asserted || new.status != Status::Asserted {
        Ruling::Open("one of the two is unverified")
    } else if new.source.is_hearsay() && !old.source.is_hearsay() {
        Ruling::Open("the later one is hearsay")
    } else if is_word_of_another(old) {
        Ruling::Open("another member of the team said the earlier one themselves")
    } else if new.times.valid_at >= old.times.valid_at {
        Ruling::Replaces
    } else {
        Ruling::WasBefore
    }
}

/// What somebody else of the team said as a person: it is theirs to take back.
fn is_word_of_another(memory: &Memory) -> bool {
    memory.author().is_some() && memory.claim.is_some_and(|claim| claim.source == Source::User)
}

/// What says how things are.
pub const STATING: [Kind; 4] = [Kind::Fact, Kind::Decision, Kind::Note, Kind::Pattern];

/// May this be compared with others as a statement about how things are?
pub fn speaks(memory: &Memory, now: Timestamp) -> bool {
    let states = STATING.contains(&memory.kind);
    let usual = memory.status == Status::Asserted && !memory.restricted;
    let says = memory.text.len() <= LONGEST && memory.text.split_whitespace().nth(FEWEST_WORDS - 1).is_some();
    states && usual && says && holds(memory, now)
}

/// May these two be held against each other?
pub fn comparable(one: &Memory, other: &Memory, likeness: f32) -> bool {
    let apart = one.times.valid_at == other.times.invalid_at.unwrap_or_default();
    // Of two facts, their keys tell whether they are about the same thing.
    let slots = one.fact().is_some() && other.fact().is_some();
    one.id != other.id && one.scope == other.scope && likeness >= ALIKE && !apart && !slots
}

/// The one that was true first, and the other.
pub fn in_order<'a>(one: &'a Arc<Memory>, other: &'a Arc<Memory>) -> (&'a Arc<Memory>, &'a Arc<Memory>) {
    let when = |memory: &Memory| (memory.times.valid_at, memory.times.created_at, memory.id.clone());
    if when(one) <= when(other) { (one, other) } else { (other, one) }
}

/// Two that contradict each other, as a record of it.
pub fn found(a: &Memory, b: &Memory, status: ContradictionStatus, why: &str, now: Timestamp) -> Contradiction {
    Contradiction {
        id: Contradiction::id_of(&a.key(), &b.key()),
        namespace: b.namespace.clone(),
        a: a.id.clone(),
        b: b.id.clone(),
        verdict: Verdict::Contradicts,
        status,
        why: why.to_owned(),
        found_at: now,
        settled: None,
    }
}

/// Sure enough to be told of unasked?
pub fn is_sure(judgement: &Judgement) -> bool {
    judgement.verdict == Verdict::Contradicts && judgement.score >= TOLD
}

/// May what `b` says end `a` without asking? Only when `b` says itself that it replaces something, nobody has to guess,
/// and no person is overruled by a machine.
pub fn ends(a: &Memory, b: &Memory, judgement: &Judgement) -> bool {
    let overrules = a.source == Source::User && b.source != Source::User;
    judgement.clear && judgement.replaces && !overrules && rule(a, b) == Ruling::Replaces
}

pub fn plan(scene: &Scene<'_>, compare: &Compare<'_>) -> Vec<Proposal> {
    let mut proposals = closed(scene, compare);
    // Whatever was once found stays as it was settled; the order of the two does not matter.
    let pair = |a: &MemoryId, b: &MemoryId| if a <= b { (a.clone(), b.clone()) } else { (b.clone(), a.clone()) };
    let mut met: HashSet<(MemoryId, MemoryId)> =
        scene.contradictions.iter().map(|known| pair(&known.a, &known.b)).collect();
    let mut ended: BTreeSet<MemoryId> = BTreeSet::new();
    let mut matters = Matters::default();
    for known in scene.contradictions.iter().filter(|known| known.status == ContradictionStatus::Open) {
        matters.join(&known.a, &known.b);
        matters.open(&known.a);
    }
    proposals.extend(same_slot(scene, &mut met, &mut ended, &mut matters));
    // The most alike first: where not all can be read, these matter most.
    let mut pairs: Vec<(Arc<Memory>, Arc<Memory>, f32)> = Vec::new();
    for memory in scene.memories {
        if scene.around.is_over() {
            break;
        }
        if !speaks(memory, scene.now) || !scene.around.is_fresh(memory) || ended.contains(&memory.id) {
            continue;
        }
        for (other, likeness) in scene.around.about(memory, &STATING, CANDIDATES) {
            let fits = speaks(&other, scene.now) && comparable(memory, &other, likeness) && !ended.contains(&other.id);
            if fits && met.insert(pair(&memory.id, &other.id)) {
                let (a, b) = in_order(memory, &other);
                pairs.push((Arc::clone(a), Arc::clone(b), likeness));
            }
        }
    }
    pairs.sort_by(|(a, b, alike), (c, d, other)| {
        other.total_cmp(alike).then_with(|| (&a.id, &b.id).cmp(&(&c.id, &d.id)))
    });
    let read = compare(&pairs.iter().map(|(a, b, _)| (a, b)).collect::<Vec<_>>());
    let mut found = Vec::new();
    for ((a, b, _), judgement) in pairs.iter().zip(read) {
        let Some(judgement) = judgement.filter(is_sure) else { continue };
        if ended.contains(&a.id) || ended.contains(&b.id) {
            continue;
        }
        if ends(a, b, &judgement) {
            ended.insert(a.id.clone());
            proposals.push(propose(a, b, true, &judgement.why, scene.now));
        } else {
            matters.join(&a.id, &b.id);
            found.push((a, b, judgement.why));
        }
    }
    found.retain(|(a, ..)| matters.open(&a.id));
    proposals.extend(found.into_iter().map(|(a, b, why)| propose(a, b, false, &why, scene.now)));
    proposals
}

/// What is open, by memories that hang together by it. Ten notes that all say something else about one thing are one
/// matter: whoever settles it is told of what is left then.
#[derive(Default)]
struct Matters {
    /// The memory each one leads to; the last of them stands for the whole matter.
    leads: BTreeMap<MemoryId, MemoryId>,
    open: BTreeSet<MemoryId>,
}

impl Matters {
    fn whole(&mut self, id: &MemoryId) -> MemoryId {
        let mut last = id.clone();
        while let Some(next) = self.leads.get(&last) {
            last = next.clone();
        }
        if last != *id {
            self.leads.insert(id.clone(), last.clone());
        }
        last
    }

    /// Two that contradict each other are part of one.
    fn join(&mut self, a: &MemoryId, b: &MemoryId) {
        let (one, other) = (self.whole(a), self.whole(b));
        if one == other {
            return;
        }
        if self.open.remove(&one) {
            self.open.insert(other.clone());
        }
        self.leads.insert(one, other);
    }

    /// Was the matter of this memory not open before, and is there room for it?
    fn open(&mut self, id: &MemoryId) -> bool {
        let whole = self.whole(id);
        self.open.len() < MOST_OPEN && self.open.insert(whole)
    }
}

/// Facts of one slot with different values, as other programs and merges of branches leave them.
fn same_slot(
    scene: &Scene<'_>,
    met: &mut HashSet<(MemoryId, MemoryId)>,
    ended: &mut BTreeSet<MemoryId>,
    matters: &mut Matters,
) -> Vec<Proposal> {
    let mut slots: BTreeMap<_, Vec<&Arc<Memory>>> = BTreeMap::new();
    for memory in scene.memories.iter().filter(|memory| holds(memory, scene.now) && !memory.restricted) {
        if let Some(fact) = memory.fact().filter(|fact| !fact.key.is_empty()) {
            slots.entry((memory.scope, fact.key.as_str(), fact.scope.as_str())).or_default().push(memory);
        }
    }
    let mut proposals = Vec::new();
    for ((_, key, _), mut facts) in slots.into_iter().filter(|(_, facts)| facts.len() > 1) {
        facts.sort_by_key(|fact| (fact.times.valid_at, fact.times.created_at, fact.id.clone()));
        for two in facts.windows(2) {
            let [old, new] = two else { continue };
            let differ = old.fact().map(|fact| &fact.value) != new.fact().map(|fact| &fact.value);
            let key_of =
                if old.id <= new.id { (old.id.clone(), new.id.clone()) } else { (new.id.clone(), old.id.clone()) };
            if !differ || !met.insert(key_of) {
                continue;
            }
            let replaces = rule(old, new) == Ruling::Replaces;
            let why = match rule(old, new) {
                Ruling::Open(why) => format!("`{key}` has two values, and {why}"),
                _ => format!("a newer value of `{key}`"),
            };
            if replaces {
                ended.insert(old.id.clone());
            }
            matters.join(&old.id, &new.id);
            if replaces || matters.open(&old.id) {
                proposals.push(propose(old, new, replaces, &why, scene.now));
            }
        }
    }
    proposals
}

pub fn propose(a: &Arc<Memory>, b: &Arc<Memory>, ends: bool, why: &str, now: Timestamp) -> Proposal {
    let status = if ends { ContradictionStatus::Superseded } else { ContradictionStatus::Open };
    let mut changes = vec![Change::Contradict(found(a, b, status, why, now))];
    if ends {
        changes.extend(revise(a, now, |old| {
            old.times.invalid_at = Some(b.times.valid_at.max(a.times.valid_at));
            old.times.expired_at = Some(now.max(a.times.created_at));
        }));
        changes.push(tie(b, Relation::Supersedes, &a.id, 1.0, now));
        changes.push(tie(a, Relation::SupersededBy, &b.id, 1.0, now));
    }
    let act = if ends { Act::Superseded } else { Act::ContradictionFound };
    Proposal::new(Phase::Contradict, act, b, why, changes).with([a.id.clone()])
}

/// Open matters that are none any more: one of the two is over or says something else now, or what was noticed in
/// passing when it was told does not hold when both are read with care.
fn closed(scene: &Scene<'_>, compare: &Compare<'_>) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    for open in scene.contradictions.iter().filter(|known| known.status == ContradictionStatus::Open) {
        let (Some(a), Some(b)) = (scene.get(&open.a), scene.get(&open.b)) else { continue };
        let over = !holds(a, scene.now) || !holds(b, scene.now);
        let rewritten = |memory: &Memory| memory.times.updated_at > open.found_at;
        let slots = a.fact().zip(b.fact()).is_some_and(|(a, b)| (&a.key, &a.scope) == (&b.key, &b.scope));
        let changed = rewritten(a) || rewritten(b);
        let again = !slots && !over && (changed || scene.around.is_fresh(a) || scene.around.is_fresh(b));
        let agree = again.then(|| compare(&[(a, b)]).pop().flatten()).flatten().filter(|found| {
            (changed || found.clear) && matches!(found.verdict, Verdict::Compatible | Verdict::Duplicate)
        });
        let why = match agree {
            None if over => "one of the two no longer holds",
            None => continue,
            Some(_) if changed => "one of the two says something else now",
            Some(_) => "read again, the two go together",
        };
        let mut ended = open.as_ref().clone();
        ended.status = ContradictionStatus::Superseded;
        ended.why = format!("{}; {why}", open.why);
        let change = Change::Contradict(ended);
        proposals.push(Proposal::new(Phase::Contradict, Act::Superseded, b, why, vec![change]).with([a.id.clone()]));
    }
    proposals
}
