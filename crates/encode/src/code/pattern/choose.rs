//! From shapes to the few patterns worth remembering: groups of one role are mined, what the whole repository does is
//! discounted, and a pattern is taken only for definitions that no weightier one already explains.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Language;
use super::mine::{self, Mined};
use super::render;
use super::role_words::LIBRARY_INTERFACES;
use super::trivial::{is_bare_assertion, is_trivial_attribute};
use super::{CodePattern, FileShapes, Shape};

const MOST_PATTERNS: usize = 40;
const MOST_A_GROUP: usize = 4;
/// Tests are many and functions of the same verb are rarely a structure: neither may fill the list.
const MOST_TESTS: usize = 12;
const MOST_PLAIN: usize = 10;
const MOST_FILES: usize = 8;
const LEAST_SUPPORT: usize = 3;
const LEAST_FILES: usize = 2;
/// In a large group what one in this many does is still an accident.
const GROUP_SHARE: usize = 40;
/// A step that this share of all other definitions has too says nothing about these.
const EVERYWHERE: f64 = 0.2;
const ENOUGH_OTHERS: usize = 40;
/// What an assertion counts beside another step.
const ASSERTION: f64 = 0.3;
/// Steps that mining may look at, in a group and in all.
const GROUP_BUDGET: usize = 300_000;
const WHOLE_BUDGET: usize = 3_000_000;
const MOST_MINED: usize = 600;

struct One<'a> {
    file: u32,
    language: Language,
    shape: &'a Shape,
    items: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct GroupKey<'a> {
    ecosystem: Language,
    role: &'a str,
    family: &'a str,
}

struct Candidate<'a> {
    group: GroupKey<'a>,
    items: Vec<u32>,
    within: Vec<usize>,
    score: f64,
}

pub(super) fn patterns(files: &[FileShapes<'_>]) -> Vec<CodePattern> {
    let mut order: Vec<&FileShapes<'_>> = files.iter().collect();
    order.sort_by_key(|file| file.path);
    let (ones, words) = interned(&order);
    let mut groups: BTreeMap<GroupKey<'_>, Vec<usize>> = BTreeMap::new();
    for (at, one) in ones.iter().enumerate() {
        let key = GroupKey { ecosystem: ecosystem(one.language), role: &one.shape.role, family: &one.shape.family };
        groups.entry(key).or_default().push(at);
    }
    let mut counts: BTreeMap<Language, Counts> = BTreeMap::new();
    for one in &ones {
        counts.entry(ecosystem(one.language)).or_default().add(&one.items);
    }
    let mut budget = WHOLE_BUDGET;
    let mut candidates = Vec::new();
    for (key, members) in &groups {
        if members.len() >= LEAST_SUPPORT
            && let Some(counts) = counts.get(&key.ecosystem)
        {
            group(*key, members, &ones, counts, &words, &mut budget, &mut candidates);
        }
    }
    candidates.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| a.group.cmp(&b.group)).then_with(|| a.items.cmp(&b.items))
    });
    chosen(&candidates).into_iter().map(|candidate| finished(candidate, &ones, &order, &words)).collect()
}

/// TypeScript with and without JSX, and JavaScript, are written by the same people in the same way.
fn ecosystem(language: Language) -> Language {
    if language.is_ecma() { Language::JavaScript } else { language }
}

fn interned<'a>(files: &[&FileShapes<'a>]) -> (Vec<One<'a>>, Vec<&'a str>) {
    let distinct: BTreeSet<&'a str> =
        files.iter().flat_map(|file| file.shapes).flat_map(|shape| &shape.steps).map(String::as_str).collect();
    // Numbered in the order of the words, so that ties are broken by them.
    let words: Vec<&'a str> = distinct.into_iter().collect();
    let mut ones = Vec::new();
    for (file, of_file) in (0u32..).zip(files) {
        for shape in of_file.shapes {
            let number = |step: &String| words.binary_search(&step.as_str()).ok().map(|at| at as u32);
            let items = shape.steps.iter().filter_map(number).collect();
            ones.push(One { file, language: of_file.language, shape, items });
        }
    }
    (ones, words)
}

/// In how many definitions a step occurs.
#[derive(Default)]
struct Counts {
    all: usize,
    with: BTreeMap<u32, usize>,
}

impl Counts {
    fn add(&mut self, items: &[u32]) {
        self.all += 1;
        let distinct: BTreeSet<u32> = items.iter().copied().collect();
        for item in distinct {
            *self.with.entry(item).or_default() += 1;
        }
    }

    fn of(&self, item: u32) -> usize {
        self.with.get(&item).copied().unwrap_or(0)
    }

    /// How much a step says: the rarer the more.
    fn weight(&self, item: u32) -> f64 {
        ((self.all as f64 + 1.0) / (self.of(item) as f64 + 0.5)).ln().max(0.1)
    }
}

fn group<'a>(
    key: GroupKey<'a>,
    members: &[usize],
    ones: &[One<'_>],
    counts: &Counts,
    words: &[&str],
    budget: &mut usize,
    candidates: &mut Vec<Candidate<'a>>,
) {
    let mut own = Counts::default();
    for at in members {
        own.add(&ones[*at].items);
    }
    let others = counts.all - own.all;
    let is_everywhere = |item: u32| {
        let elsewhere = counts.of(item) - own.of(item);
        others >= ENOUGH_OTHERS && elsewhere as f64 > EVERYWHERE * others as f64
    };
    let is_own = |item: u32| own.of(item) * 3 >= counts.of(item) * 2;
    let least = LEAST_SUPPORT.max(members.len() / GROUP_SHARE);
    // The items of a group are few: numbered anew, they can be counted in a list.
    let frequent: Vec<u32> =
        own.with.keys().copied().filter(|item| own.of(*item) >= least && !is_everywhere(*item)).collect();
    let sequences: Vec<Vec<u32>> = members
        .iter()
        .map(|at| {
            let number = |item: &u32| frequent.binary_search(item).ok().map(|at| at as u32);
            let mut items: Vec<u32> = ones[*at].items.iter().filter_map(number).collect();
            // Each step where it comes first: one that is repeated would stand in any order to the others.
            let mut seen = BTreeSet::new();
            items.retain(|item| seen.insert(*item));
            items
        })
        .collect();
    let allowed = GROUP_BUDGET.min(*budget);
    let mined = mine::closed(&sequences, least, allowed, MOST_MINED);
    let looked_at: usize = sequences.iter().map(Vec::len).sum::<usize>() * (1 + mined.len() / 16);
    *budget = budget.saturating_sub(looked_at.min(allowed));
    for Mined { items, within } in mined {
        let items: Vec<u32> = items.into_iter().map(|item| frequent[item as usize]).collect();
        let within: Vec<usize> = within.into_iter().map(|at| members[at as usize]).collect();
        let files: BTreeSet<u32> = within.iter().map(|at| ones[*at].file).collect();
        let is_test = matches!(key.role, "test" | "benchmark" | "fixture");
        if files.len() < LEAST_FILES && !is_test || !is_structure(&items, words, key, is_own) {
            continue;
        }
        let tells: f64 = items
            .iter()
            .map(|item| {
                let is_assertion = words.get(*item as usize).is_some_and(|step| is_bare_assertion(step));
                counts.weight(*item) * if is_assertion { ASSERTION } else { 1.0 }
            })
            .sum();
        let score = (within.len() as f64).powf(0.75) * tells * worth(key.role);
        candidates.push(Candidate { group: key, items, within, score });
    }
}

/// Plain functions and methods are alike by their name only; a named role is a structure people talk about.
fn worth(role: &str) -> f64 {
    match role {
        "function" | "method" | "constructor" | "type" => 0.4,
        "definition" | "registration" => 0.6,
        "test" | "benchmark" => 0.8,
        _ => 1.0,
    }
}

/// A pattern needs something that is done: two steps at least, and not only what goes without saying.
fn is_structure(items: &[u32], words: &[&str], key: GroupKey<'_>, is_own: impl Fn(u32) -> bool) -> bool {
    let steps = || items.iter().filter_map(|item| words.get(*item as usize).copied());
    let implied = |step: &str| {
        matches!(step, "enum" | "struct")
            || step.strip_prefix("extends ") == Some(key.family)
            || is_trivial_attribute(step)
            || is_bare_assertion(step)
    };
    let telling = steps().filter(|step| !implied(step)).count();
    // One helper may make a test, if it is one that only tests call.
    let has_own = || {
        let mut numbered = items.iter().filter_map(|item| Some((*item, words.get(*item as usize)?)));
        numbered.any(|(item, step)| !implied(step) && is_own(item))
    };
    let is_call =
        |step: &str| !step.starts_with(['@', '#']) && !["arg ", "derive("].iter().any(|kind| step.starts_with(kind));
    let calls =
        steps().filter(|step| is_call(step) && !step.starts_with("fn ") && !step.starts_with("extends ")).count();
    match key.role {
        "type" => telling >= 2,
        "implementation" if LIBRARY_INTERFACES.contains(&key.family) => telling >= 2 && calls >= 1,
        "function" | "method" | "constructor" => telling >= 2 && calls >= 2,
        "test" | "fixture" | "benchmark" => calls >= 1 && (telling >= 2 || telling == 1 && has_own()),
        _ => telling >= 1,
    }
}

/// The weightiest first; the next of a group must explain definitions that are not explained yet.
fn chosen<'c, 'a>(candidates: &'c [Candidate<'a>]) -> Vec<&'c Candidate<'a>> {
    let mut explained: BTreeSet<usize> = BTreeSet::new();
    let mut a_group: BTreeMap<GroupKey<'_>, usize> = BTreeMap::new();
    let (mut tests, mut plain) = (0, 0);
    let mut taken: Vec<&Candidate<'_>> = Vec::new();
    for candidate in candidates {
        if taken.len() >= MOST_PATTERNS {
            break;
        }
        let is_test = matches!(candidate.group.role, "test" | "benchmark");
        let is_plain = worth(candidate.group.role) < 0.5;
        let of_group = a_group.get(&candidate.group).copied().unwrap_or(0);
        let most = if is_test { MOST_TESTS } else { MOST_A_GROUP };
        if of_group >= most || is_test && tests >= MOST_TESTS || is_plain && plain >= MOST_PLAIN {
            continue;
        }
        let fresh = candidate.within.iter().filter(|at| !explained.contains(at)).count();
        if fresh < LEAST_SUPPORT || fresh * 2 < candidate.within.len() {
            continue;
        }
        explained.extend(&candidate.within);
        *a_group.entry(candidate.group).or_default() += 1;
        tests += usize::from(is_test);
        plain += usize::from(is_plain);
        taken.push(candidate);
    }
    taken
}

fn finished(candidate: &Candidate<'_>, ones: &[One<'_>], files: &[&FileShapes<'_>], words: &[&str]) -> CodePattern {
    let steps: Vec<&str> = candidate.items.iter().filter_map(|item| words.get(*item as usize).copied()).collect();
    let paths: BTreeSet<&str> =
        candidate.within.iter().filter_map(|at| files.get(ones[*at].file as usize)).map(|file| file.path).collect();
    let mut languages: BTreeMap<Language, usize> = BTreeMap::new();
    for at in &candidate.within {
        *languages.entry(ones[*at].language).or_default() += 1;
    }
    let most = languages.iter().max_by_key(|(language, count)| (**count, std::cmp::Reverse(**language)));
    let language = most.map_or(candidate.group.ecosystem, |(language, _)| *language);
    let GroupKey { ecosystem, role, family } = candidate.group;
    let template = render::skeleton(language, role, family, &steps);
    let identity = format!("{}\n{role}\n{family}\n{}", ecosystem.as_str(), steps.join("\n"));
    CodePattern {
        key: blake3::hash(identity.as_bytes()).to_hex()[..16].to_owned(),
        role: role.to_owned(),
        hint: render::hint(role, family, &steps),
        template,
        support: candidate.within.len(),
        files: paths.into_iter().take(MOST_FILES).map(str::to_owned).collect(),
        language,
        score: candidate.score,
    }
}
