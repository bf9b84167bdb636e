//! What two memories share, and what that says: the rarer a thing, the more. What many share connects nobody.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::words::LinkWords;
use super::{Cast, Limits, Reason, STRONGEST, Slot, Wanted, Wish};
use crate::merge::nearby;
use crate::words;
use lokid_model::{Body, Kind, Memory, Relation, Scope};

/// So many files, symbols, errors … of a memory are looked at.
const MOST_THINGS: usize = 40;
const MOST_ERRORS: usize = 10;
const MOST_ERROR_BYTES: usize = 2_000;
/// So many times what is linked is thought of.
const AMPLE: usize = 3;
/// The least cosine that says anything.
const LEAST_COSINE: f32 = 0.6;
/// A kind of evidence below this is none.
const PRESENT: f64 = 0.2;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum EvidenceSort {
    File,
    Symbol,
    Error,
    Commit,
    Source,
}

impl EvidenceSort {
    const ALL: [(EvidenceSort, &'static str); 5] = [
        (EvidenceSort::File, "file"),
        (EvidenceSort::Symbol, "symbol"),
        (EvidenceSort::Error, "error"),
        (EvidenceSort::Commit, "commit"),
        (EvidenceSort::Source, "source"),
    ];

    /// What one thing that only two memories share says.
    fn weight(self) -> f64 {
        match self {
            EvidenceSort::File | EvidenceSort::Source => 0.5,
            EvidenceSort::Symbol | EvidenceSort::Commit => 0.6,
            EvidenceSort::Error => 0.8,
        }
    }
}

/// What a pair shares, to be told.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Things {
    counts: [u16; 5],
    cosine: f32,
}

/// What a pair shares, to be weighed.
#[derive(Clone, Debug, PartialEq)]
struct SharedEvidence {
    counts: [u32; 5],
    /// What is left of doubt after each sort of things.
    doubt: [f64; 5],
    cosine: f32,
}

impl Default for SharedEvidence {
    fn default() -> SharedEvidence {
        SharedEvidence { counts: [0; 5], doubt: [1.0; 5], cosine: 0.0 }
    }
}

impl SharedEvidence {
    fn of(&self, sort: EvidenceSort) -> f64 {
        1.0 - self.doubt[sort as usize]
    }

    fn place(&self) -> f64 {
        1.0 - self.doubt[EvidenceSort::File as usize] * self.doubt[EvidenceSort::Symbol as usize]
    }

    fn event(&self) -> f64 {
        1.0 - self.doubt[EvidenceSort::Commit as usize] * self.doubt[EvidenceSort::Source as usize]
    }

    fn meaning(&self) -> f64 {
        ((f64::from(self.cosine) - 0.55) / 0.4).clamp(0.0, 1.0)
    }

    fn things(&self) -> Things {
        Things { counts: self.counts.map(|count| u16::try_from(count).unwrap_or(u16::MAX)), cosine: self.cosine }
    }
}

impl Things {
    /// For a person: `2 files, 1 error, meaning (0.81)`.
    pub(super) fn list(&self) -> String {
        let held = EvidenceSort::ALL.iter().filter(|(sort, _)| self.counts[*sort as usize] > 0).map(|(sort, name)| {
            let count = self.counts[*sort as usize];
            format!("{count} {name}{}", if count == 1 { "" } else { "s" })
        });
        let mut parts: Vec<String> = held.collect();
        if self.cosine >= LEAST_COSINE {
            parts.push(format!("meaning ({:.2})", self.cosine));
        }
        parts.join(", ")
    }
}

/// Finds what fresh memories share with any other. `known` are pairs that were linked for what they shared.
pub(super) fn gather(cast: &Cast<'_>, known: &HashSet<(usize, usize)>, limits: &Limits, wanted: &mut Wanted) {
    if !cast.fresh.contains(&true) {
        return;
    }
    let (things, holders) = index(cast);
    let Some(meanings) = meanings(cast, limits) else {
        wanted.cut_short = true;
        return;
    };
    let mut looks = Looks { cast, words: HashMap::new(), denials: HashMap::new() };
    for one in cast.all().filter(|at| cast.fresh[*at]) {
        if cast.scene.around.is_over() {
            wanted.cut_short = true;
            return;
        }
        let mut shared: HashMap<usize, SharedEvidence> = HashMap::new();
        // Both ends being fresh, the pair is looked at once.
        let is_due = |other: usize| cast.may_meet(one, other) && !(cast.fresh[other] && other < one);
        for (sort, thing) in &things[one] {
            let holders = &holders[*thing];
            if holders.len() > limits.hub {
                continue;
            }
            let weight = sort.weight() * rarity(holders.len());
            for other in holders.iter().copied().filter(|other| is_due(*other)) {
                let pair = shared.entry(other).or_default();
                pair.counts[*sort as usize] += 1;
                pair.doubt[*sort as usize] *= 1.0 - weight;
            }
        }
        for (other, cosine) in meanings[one].iter().filter(|(other, _)| is_due(*other)) {
            let pair = shared.entry(*other).or_default();
            pair.cosine = pair.cosine.max(*cosine);
        }
        let mut pairs: Vec<(usize, SharedEvidence)> = shared.into_iter().collect();
        pairs.sort_by_key(|(other, _)| *other);
        let is_known = |other: usize| known.contains(&(one.min(other), one.max(other)));
        let wishes = pairs.into_iter().filter_map(|(other, pair)| Some((other, looks.at(one, other, &pair, limits)?)));
        let mut wishes: Vec<(usize, Wish)> = wishes.filter(|(other, wish)| !wish.weak || is_known(*other)).collect();
        wishes.sort_by_key(|(other, wish)| (Reverse((wish.strength * 100.0).round() as i64), *other));
        for (at, (other, wish)) in wishes.into_iter().enumerate() {
            // No more than could ever be made are kept.
            if at < AMPLE * limits.most || is_known(other) {
                wanted.add(Slot::Likeness, wish);
            }
        }
    }
}

/// One for what two share, less and less for what more do.
fn rarity(holders: usize) -> f64 {
    1.0 / (1.0 + (holders.max(2) as f64 / 2.0).ln())
}

/// The things each memory holds, by number, and who holds each.
type Index = (Vec<Vec<(EvidenceSort, usize)>>, Vec<Vec<usize>>);

fn index(cast: &Cast<'_>) -> Index {
    let mut numbers: HashMap<(Scope, EvidenceSort, String), usize> = HashMap::new();
    let mut holders: Vec<Vec<usize>> = Vec::new();
    let mut things = vec![Vec::new(); cast.takes_part.len()];
    for at in cast.all() {
        let memory = cast.memory(at);
        for (sort, name) in things_of(cast, memory) {
            let number = *numbers.entry((memory.scope, sort, name)).or_insert_with(|| {
                holders.push(Vec::new());
                holders.len() - 1
            });
            holders[number].push(at);
            things[at].push((sort, number));
        }
        // In an order both ends of a pair agree on, so that they reckon alike.
        things[at].sort_unstable();
    }
    (things, holders)
}

fn things_of(cast: &Cast<'_>, memory: &Memory) -> BTreeSet<(EvidenceSort, String)> {
    let mut found = BTreeSet::new();
    let mut add = |sort, name: &str| {
        if !name.trim().is_empty() {
            found.insert((sort, name.to_owned()));
        }
    };
    files(memory).for_each(|file| add(EvidenceSort::File, file));
    memory.anchors.symbols.iter().take(MOST_THINGS).for_each(|symbol| add(EvidenceSort::Symbol, symbol));
    let own = match &memory.body {
        Body::Episode(episode) => episode.git_commit.as_deref(),
        _ => None,
    };
    for commit in memory.anchors.commits.iter().map(String::as_str).chain(own).take(MOST_THINGS) {
        // Seven digits are what people write of a commit.
        let short: String = commit.trim().chars().take(7).flat_map(char::to_lowercase).collect();
        if short.len() == 7 {
            add(EvidenceSort::Commit, &short);
        }
    }
    sources(memory).take(MOST_THINGS).for_each(|source| add(EvidenceSort::Source, source));
    match &memory.body {
        Body::Learning(learning) if !learning.fingerprint.is_empty() => add(EvidenceSort::Error, &learning.fingerprint),
        Body::Learning(learning) => add(EvidenceSort::Error, &fingerprint(cast, &learning.error)),
        Body::Episode(episode) => {
            let errors = episode.errors.iter().take(MOST_ERRORS);
            errors.for_each(|error| add(EvidenceSort::Error, &fingerprint(cast, &error.message)));
        }
        _ => {}
    }
    found
}

fn fingerprint(cast: &Cast<'_>, error: &str) -> String {
    let mut end = MOST_ERROR_BYTES.min(error.len());
    while !error.is_char_boundary(end) {
        end -= 1;
    }
    if error.trim().is_empty() { String::new() } else { cast.scene.around.fingerprint(&error[..end]) }
}

/// The files a memory is about: those it is anchored to and those an episode changed.
pub(super) fn files(memory: &Memory) -> impl Iterator<Item = &str> {
    let changed = match &memory.body {
        Body::Episode(episode) => episode.files_modified.as_slice(),
        _ => &[],
    };
    changed.iter().chain(&memory.anchors.files).map(String::as_str).filter(|file| !file.is_empty()).take(MOST_THINGS)
}

/// What a memory names as what it was made from.
pub(super) fn sources(memory: &Memory) -> impl Iterator<Item = &str> {
    let (episodes, learnt): (&[String], Option<&str>) = match &memory.body {
        Body::Pattern(pattern) => (&pattern.source_episodes, None),
        Body::AntiPattern(anti) => (&[], Some(anti.learnt_from.as_str())),
        _ => (&[], None),
    };
    let own = memory.id.as_str();
    let all = episodes.iter().chain(&memory.sources).map(String::as_str).chain(learnt);
    all.filter(move |source| !source.is_empty() && *source != own).take(2 * MOST_THINGS)
}

/// The neighbours in meaning of each memory, as far as fresh ones were asked for theirs; nothing if there was
/// no time for it. Episodes are not asked: what was done is alike day after day, and what they have in common is told by
/// the patterns made from them.
fn meanings(cast: &Cast<'_>, limits: &Limits) -> Option<Vec<Vec<(usize, f32)>>> {
    let mut meanings: Vec<Vec<(usize, f32)>> = vec![Vec::new(); cast.takes_part.len()];
    let asks = |at: &usize| cast.fresh[*at] && cast.memory(*at).kind != Kind::Episode;
    for one in cast.all().filter(asks) {
        if cast.scene.around.is_over() {
            return None;
        }
        let useful = |other: &Memory| cast.find(other.id.as_str()).filter(|other| cast.may_meet(one, *other));
        for (other, cosine) in nearby::near(cast.scene.around, cast.memory(one), limits.near, LEAST_COSINE, &useful) {
            meanings[one].push((other, cosine));
            meanings[other].push((one, cosine));
        }
    }
    Some(meanings)
}

/// What the evidence and the words of two memories make of them.
struct Looks<'a, 'b> {
    cast: &'b Cast<'a>,
    words: HashMap<usize, LinkWords>,
    denials: HashMap<usize, usize>,
}

impl Looks<'_, '_> {
    fn at(&mut self, one: usize, other: usize, pair: &SharedEvidence, limits: &Limits) -> Option<Wish> {
        let special = self.example(one, other, pair).or_else(|| self.detail(one, other, pair));
        if let Some((from, to, relation, strength)) = special {
            let reason = Reason::Shared(pair.things());
            return Some(Wish { from, to, relation, strength: rounded(strength), weak: false, reason });
        }
        let (total, enough) = self.weigh(one, other, pair, limits);
        if total < limits.little {
            return None;
        }
        let when = |at: usize| (self.cast.memory(at).times.created_at, at);
        let (from, to) = if when(one) > when(other) { (one, other) } else { (other, one) };
        let (relation, reason) = (Relation::RelatedTo, Reason::Shared(pair.things()));
        Some(Wish { from, to, relation, strength: rounded(total * STRONGEST), weak: !enough, reason })
    }

    /// Two independent kinds of evidence, or one that is very strong.
    fn weigh(&self, one: usize, other: usize, pair: &SharedEvidence, limits: &Limits) -> (f64, bool) {
        let kind = |at: usize| self.cast.memory(at).kind;
        // Of episodes of one session their order tells.
        let event = if kind(one) == Kind::Episode && kind(other) == Kind::Episode { 0.0 } else { pair.event() };
        let kinds = [pair.place(), pair.of(EvidenceSort::Error), pair.meaning(), event];
        let present: Vec<f64> = kinds.into_iter().filter(|kind| *kind >= PRESENT).collect();
        let total = 1.0 - present.iter().map(|kind| 1.0 - kind).product::<f64>();
        let alone = kinds[..3].iter().any(|kind| *kind >= limits.alone);
        (total, alone || (present.len() >= 2 && total >= limits.enough))
    }

    /// An episode or a learning that shows what a pattern says: made from the same, or meeting one of its conditions.
    fn example(&mut self, one: usize, other: usize, pair: &SharedEvidence) -> Option<(usize, usize, Relation, f64)> {
        let kind = |at: usize| self.cast.memory(at).kind;
        let is_case = |at: usize| matches!(kind(at), Kind::Episode | Kind::Learning);
        let is_rule = |at: usize| matches!(kind(at), Kind::Pattern | Kind::AntiPattern);
        let (case, rule) = match (is_case(one) && is_rule(other), is_case(other) && is_rule(one)) {
            (true, _) => (one, other),
            (_, true) => (other, one),
            _ => return None,
        };
        if kind(case) == Kind::Learning && pair.counts[EvidenceSort::Source as usize] > 0 {
            return Some((case, rule, Relation::ExampleOf, 0.7));
        }
        let near = pair.place() >= PRESENT || pair.cosine >= LEAST_COSINE;
        let Body::Pattern(pattern) = &self.cast.memory(rule).body else { return None };
        let met = |condition: &String, words: &LinkWords| {
            let condition = LinkWords::of([condition.as_str()]);
            condition.count() >= 2 && condition.share_in(words) >= 1.0
        };
        let words = near.then(|| self.words(case))?;
        let shown = pattern.conditions.iter().take(MOST_THINGS).any(|condition| met(condition, words));
        shown.then_some((case, rule, Relation::ExampleOf, 0.6))
    }

    /// The longer says all the shorter says, and more. Where one denies more than the other it may say the contrary.
    fn detail(&mut self, one: usize, other: usize, pair: &SharedEvidence) -> Option<(usize, usize, Relation, f64)> {
        const MOSTLY: f64 = 0.85;
        let kind = |at: usize| self.cast.memory(at).kind;
        let near = pair.place() >= PRESENT || pair.cosine >= LEAST_COSINE;
        if !near || kind(one) == Kind::Episode || kind(other) == Kind::Episode {
            return None;
        }
        let (ours, theirs) = (self.words(one).count(), self.words(other).count());
        let (short, long) = if ours <= theirs { (one, other) } else { (other, one) };
        let (few, many) = (ours.min(theirs), ours.max(theirs));
        if few < 4 || (many as f64) < 1.4 * few as f64 {
            return None;
        }
        let share = self.words[&short].share_in(&self.words[&long]);
        if share < MOSTLY || self.denials(short) != self.denials(long) {
            return None;
        }
        Some((long, short, Relation::Elaborates, 0.5 + 0.3 * (share - MOSTLY) / (1.0 - MOSTLY)))
    }

    fn words(&mut self, at: usize) -> &LinkWords {
        let memory = self.cast.memory(at);
        self.words.entry(at).or_insert_with(|| LinkWords::of([memory.title.as_str(), memory.text.as_str()]))
    }

    fn denials(&mut self, at: usize) -> usize {
        let text = &self.cast.memory(at).text;
        *self.denials.entry(at).or_insert_with(|| words::denials(text))
    }
}

/// In twentieths, so that the files do not tremble.
fn rounded(strength: f64) -> f64 {
    ((strength * 20.0).round() / 20.0).clamp(0.3, STRONGEST)
}
