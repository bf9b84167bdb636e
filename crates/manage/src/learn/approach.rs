//! What worked and what did not in the episodes of one group: deeds that those which ended well share, above all what
//! passed after something had failed, and deeds that ended in failure. Counts only; the words are made elsewhere.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::case::{Case, End};
use super::deed::{Deed, Sort};
use crate::plan::lower_bound;

const MOST_DEEDS: usize = 3;
const MOST_OF_A_SORT: usize = 2;
/// A deed that is nearly as sure as the surest is told with it.
const NEARLY: f64 = 0.05;
/// A deed failed when it did so in at least this share of the episodes that tried it.
const MOSTLY: f64 = 0.75;
const LEAST_FAILURES: usize = 2;

/// How often one deed was seen, by episodes.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) sort: Option<Sort>,
    shown: BTreeMap<String, usize>,
    pub(super) used: usize,
    /// It was done, its last time without failing, and the episode ended well.
    pub(super) well: usize,
    /// The same, and it stood between a failure and the time the same thing passed.
    remedy: usize,
    bad: usize,
    /// Its last time failed, or the episode did.
    pub(super) failed: usize,
    place: f64,
    is_check: bool,
    is_routine: bool,
}

impl Tally {
    /// As it was done most often.
    pub(super) fn shown(&self) -> &str {
        let most = self.shown.values().max();
        let best = self.shown.iter().filter(|(_, times)| Some(*times) == most).min_by_key(|(text, _)| text.len());
        best.map_or("", |(text, _)| text)
    }
}

/// What the episodes of a group that ended well did, and what the others did.
pub(super) struct Approach {
    /// In the order they were done.
    pub(super) right: Vec<Tally>,
    pub(super) wrong: Option<Tally>,
    /// Episodes that speak for it, and all that were heard.
    pub(super) consistent: usize,
    pub(super) all: usize,
    /// Of those that did it, how many ended well.
    pub(super) well: usize,
    pub(super) tried: usize,
}

pub(super) fn approach(cases: &[&Case]) -> Approach {
    let count =
        |end: End, traced: bool| cases.iter().filter(|case| case.end == end && case.deeds.is_empty() != traced).count();
    let (good, bad) = (count(End::Well, true), count(End::Badly, true));
    let (good_untold, bad_untold) = (count(End::Well, false), count(End::Badly, false));
    let tallies = tally(cases);
    let least = 2.max(good.div_ceil(2));
    // An episode that failed without it speaks for it, but never louder than those that did it.
    let evidence = |tally: &Tally| {
        let consistent = tally.well + good_untold + (bad - tally.bad).min(tally.well);
        (consistent, consistent + tally.bad + bad_untold)
    };
    let sure = |tally: &Tally| {
        let (consistent, all) = evidence(tally);
        lower_bound(consistent, all)
    };
    let mut shared: Vec<(&String, &Tally)> =
        tallies.iter().filter(|(_, tally)| tally.well >= least && !tally.is_routine).collect();
    shared.sort_by(|(name, a), (other, b)| {
        let steps = |sure: f64| (sure * 1000.0).round() as i64;
        (steps(sure(b)).cmp(&steps(sure(a))))
            .then(b.remedy.cmp(&a.remedy))
            .then(b.well.cmp(&a.well))
            .then(name.cmp(other))
    });
    let wrong = worst(&tallies, &shared);
    let Some(first) = shared.first().map(|(_, tally)| *tally) else {
        let (good, bad) = (good + good_untold, bad + bad_untold);
        return Approach { right: Vec::new(), wrong, consistent: good, all: good + bad, well: good, tried: good + bad };
    };
    let (consistent, all) = evidence(first);
    let (well, tried) = (first.well, first.well + first.bad);
    let floor = sure(first) - NEARLY;
    let mut chosen: Vec<&String> = Vec::new();
    let mut sorts: HashMap<Sort, usize> = HashMap::new();
    for (name, tally) in &shared {
        let sort = tally.sort.unwrap_or(Sort::Told);
        let room = chosen.len() < MOST_DEEDS && sorts.get(&sort).copied().unwrap_or(0) < MOST_OF_A_SORT;
        if room && sure(tally) >= floor {
            *sorts.entry(sort).or_default() += 1;
            chosen.push(name);
        }
    }
    let chosen: HashSet<String> = chosen.into_iter().cloned().collect();
    let mut right: Vec<(String, Tally)> = tallies.into_iter().filter(|(name, _)| chosen.contains(name)).collect();
    right.sort_by(|(name, a), (other, b)| {
        let place = |tally: &Tally| tally.place / tally.well.max(1) as f64;
        place(a).total_cmp(&place(b)).then(name.cmp(other))
    });
    Approach { right: right.into_iter().map(|(_, tally)| tally).collect(), wrong, consistent, all, well, tried }
}

/// The deed that failed most surely. A check that failed has done its duty.
fn worst(tallies: &BTreeMap<String, Tally>, shared: &[(&String, &Tally)]) -> Option<Tally> {
    let failing = tallies.iter().filter(|(name, tally)| {
        let mostly = tally.failed >= LEAST_FAILURES && tally.failed as f64 >= MOSTLY * tally.used as f64;
        mostly && !tally.is_check && !tally.is_routine && !shared.iter().any(|(known, _)| known == name)
    });
    let worst = failing.max_by(|(name, a), (other, b)| {
        let sure = |tally: &Tally| (lower_bound(tally.failed, tally.used) * 1000.0).round() as i64;
        // What somebody said outright reads better than a file that was changed.
        let told = |tally: &Tally| tally.sort != Some(Sort::Edit);
        sure(a).cmp(&sure(b)).then(told(a).cmp(&told(b))).then(other.cmp(name))
    });
    worst.map(|(_, tally)| Tally {
        sort: tally.sort,
        shown: tally.shown.clone(),
        used: tally.used,
        failed: tally.failed,
        ..Tally::default()
    })
}

fn tally(cases: &[&Case]) -> BTreeMap<String, Tally> {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for case in cases {
        let remedies = remedies(&case.deeds);
        let mut last: HashMap<&str, (usize, &Deed)> = HashMap::new();
        for (at, deed) in case.deeds.iter().enumerate() {
            last.insert(&deed.key, (at, deed));
        }
        for (key, (at, deed)) in last {
            let tally = tallies.entry(key.to_owned()).or_default();
            tally.sort = tally.sort.or(Some(deed.sort));
            tally.is_check |= deed.is_check();
            tally.is_routine |= deed.is_routine();
            *tally.shown.entry(deed.shown.clone()).or_default() += 1;
            tally.used += 1;
            tally.failed += usize::from(deed.failed || case.end == End::Badly);
            tally.bad += usize::from(case.end == End::Badly);
            if case.end == End::Well && !deed.failed {
                tally.well += 1;
                tally.remedy += usize::from(remedies.contains(key));
                tally.place += at as f64 / case.deeds.len() as f64;
            }
        }
    }
    tallies
}

/// What stands between a failure and the time the same thing passed.
fn remedies(deeds: &[Deed]) -> HashSet<&str> {
    let mut found = HashSet::new();
    let mut failed: HashMap<&str, usize> = HashMap::new();
    // From the first failure on, everything up to the last pass counts, so every deed is looked at once.
    let mut span: Option<(usize, usize)> = None;
    for (at, deed) in deeds.iter().enumerate() {
        if deed.failed {
            failed.entry(&deed.key).or_insert(at);
        } else if let Some(start) = failed.remove(deed.key.as_str()) {
            span = Some(span.map_or((start, at), |(first, _)| (first.min(start), at)));
        }
    }
    if let Some((start, end)) = span {
        found.extend(deeds[start..=end].iter().filter(|deed| !deed.failed).map(|deed| deed.key.as_str()));
    }
    found
}
