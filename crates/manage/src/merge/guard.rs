//! The second look: may two memories that are near be one? Everything besides the words must agree, and the words must
//! not differ in a number, a name or a denial. In doubt, no.

use std::collections::{BTreeSet, HashMap};

use super::Compare;
use crate::plan::{Scene, holds};
use crate::words::{self, even, even_key};
use lokid_model::{AntiPattern, Body, Fact, Learning, Memory, Pattern, Relation, Skill, Source, Verdict, render};

/// What is longer says many things, and only ever the same when it is the very same.
const LONGEST: usize = 600;

/// Everything that is plain to see, whoever of the two would stay: then it is worth reading them together.
pub(super) fn may_meet(one: &Memory, other: &Memory) -> bool {
    one.kind == other.kind
        && one.scope == other.scope
        && one.namespace == other.namespace
        && one.status == other.status
        && one.restricted == other.restricted
        && one.outcome == other.outcome
        && one.times.invalid_at == other.times.invalid_at
        && one.times.stale_after == other.times.stale_after
        && speaks_of_the_same_place(one, other)
}

/// Everything but the text. A person's words only give way to words of the same person.
pub(super) fn may_be_one(kept: &Memory, gone: &Memory, compare: &Compare<'_>) -> bool {
    (gone.source != Source::User || kept.source == Source::User && kept.actor == gone.actor)
        && may_meet(kept, gone)
        && loses_no_title(kept, gone, compare)
        && loses_no_structure(&kept.body, &gone.body, compare)
}

/// Is the text made from the structure? Then it says the same when the structure does.
pub(super) fn is_made(memory: &Memory) -> bool {
    memory.body != Body::None && memory.text == render::text_of(&memory.body)
}

/// Short enough to be read together with another?
pub(super) fn is_short(memory: &Memory) -> bool {
    memory.text.len() <= LONGEST
}

pub(super) fn says_the_same(a: &str, b: &str, compare: &Compare<'_>) -> bool {
    if even(a) == even(b) {
        return true;
    }
    let empty = |text: &str| !text.contains(char::is_alphanumeric);
    !empty(a) && !empty(b) && a.len() <= LONGEST && b.len() <= LONGEST && compare(&[(a, b)]).contains(&true)
}

/// "This is slow" says something else about every file.
fn speaks_of_the_same_place(kept: &Memory, gone: &Memory) -> bool {
    let (ours, theirs) = (&kept.anchors, &gone.anchors);
    let meet = |ours: &[String], theirs: &[String]| ours.is_empty() && theirs.is_empty() || share(ours, theirs);
    let points = words::points(&kept.text) || words::points(&gone.text);
    !points || (meet(&ours.files, &theirs.files) && meet(&ours.symbols, &theirs.symbols))
}

fn share(ours: &[String], theirs: &[String]) -> bool {
    let ours: BTreeSet<&String> = ours.iter().collect();
    theirs.iter().any(|one| ours.contains(one))
}

fn loses_no_title(kept: &Memory, gone: &Memory, compare: &Compare<'_>) -> bool {
    gone.title.trim().is_empty()
        || kept.title == gone.title
        || (kept.title.trim().is_empty() && words::is_within(&gone.title, &kept.text))
        || (!kept.title.trim().is_empty() && says_the_same(&kept.title, &gone.title, compare))
}

/// The one that is kept says everything the structure of the other says.
fn loses_no_structure(kept: &Body, gone: &Body, compare: &Compare<'_>) -> bool {
    let same = |kept: &str, gone: &str| says_the_same(kept, gone, compare);
    let kept_too = |kept: &str, gone: &str| gone.trim().is_empty() || same(kept, gone);
    // The same failure told twice: what one calls the cause, the other may count to the error.
    let as_a_whole = || same(&render::text_of(kept), &render::text_of(gone));
    match (kept, gone) {
        (Body::None, Body::None) => true,
        (Body::Fact(kept), Body::Fact(gone)) => slot(kept) == slot(gone) && value(kept) == value(gone),
        (Body::Pattern(kept), Body::Pattern(gone)) => {
            same(&kept.pattern, &gone.pattern)
                && even(&kept.category) == even(&gone.category)
                && same_lines(&kept.conditions, &gone.conditions)
                && approaches(kept, gone).iter().all(|(kept, gone)| kept_too(kept, gone))
        }
        (Body::AntiPattern(one), Body::AntiPattern(other)) => {
            let piece_by_piece = same(&one.what_fails, &other.what_fails)
                && lessons(one, other).iter().all(|(kept, gone)| kept_too(kept, gone));
            piece_by_piece || as_a_whole()
        }
        (Body::Learning(kept), Body::Learning(gone)) => {
            let one_error =
                kept.fingerprint.is_empty() || gone.fingerprint.is_empty() || kept.fingerprint == gone.fingerprint;
            one_error && (findings(kept, gone).iter().all(|(kept, gone)| kept_too(kept, gone)) || as_a_whole())
        }
        (Body::Skill(kept), Body::Skill(gone)) => same_skill(kept, gone),
        _ => false,
    }
}

fn slot(fact: &Fact) -> (String, String) {
    (even_key(&fact.key), even_key(&fact.scope))
}

/// Letters count as they are: a branch `Main` is not `main`.
fn value(fact: &Fact) -> String {
    let bare = fact.value.trim().trim_matches(['`', '"', '\'']).trim_end_matches('.');
    bare.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn approaches<'a>(kept: &'a Pattern, gone: &'a Pattern) -> [(&'a str, &'a str); 2] {
    [(&kept.correct_approach, &gone.correct_approach), (&kept.incorrect_approach, &gone.incorrect_approach)]
}

fn lessons<'a>(kept: &'a AntiPattern, gone: &'a AntiPattern) -> [(&'a str, &'a str); 2] {
    [(&kept.why, &gone.why), (&kept.prevention, &gone.prevention)]
}

fn findings<'a>(kept: &'a Learning, gone: &'a Learning) -> [(&'a str, &'a str); 3] {
    [(&kept.error, &gone.error), (&kept.cause, &gone.cause), (&kept.fix, &gone.fix)]
}

fn same_lines(ours: &[String], theirs: &[String]) -> bool {
    let lines =
        |list: &[String]| list.iter().map(|line| even(line)).filter(|line| !line.is_empty()).collect::<BTreeSet<_>>();
    lines(ours) == lines(theirs)
}

/// Steps have an order.
fn same_skill(kept: &Skill, gone: &Skill) -> bool {
    let lines = |list: &[String]| list.iter().map(|line| even(line)).collect::<Vec<_>>();
    even(&kept.name) == even(&gone.name)
        && lines(&kept.steps) == lines(&gone.steps)
        && same_lines(&kept.prerequisites, &gone.prerequisites)
        && same_lines(&kept.exit_criteria, &gone.exit_criteria)
        && gone.common_errors.iter().all(|error| kept.common_errors.contains(error))
}

/// Pairs that somebody or something already told apart.
pub(super) struct Apart {
    /// Said to contradict or to replace each other, though both hold. One that was replaced and holds again was brought
    /// back by somebody.
    linked: HashMap<usize, BTreeSet<usize>>,
    /// In a contradiction with each other, open or settled.
    disputed: HashMap<usize, BTreeSet<usize>>,
}

impl Apart {
    pub(super) fn of(scene: &Scene<'_>) -> Apart {
        let at = |id| scene.memories.binary_search_by(|memory| memory.id.cmp(id)).ok();
        let standing = |id| at(id).filter(|at| holds(&scene.memories[*at], scene.now));
        let mut linked: HashMap<usize, BTreeSet<usize>> = HashMap::new();
        let telling =
            |relation| matches!(relation, Relation::Contradicts | Relation::Supersedes | Relation::SupersededBy);
        for link in scene.links.iter().filter(|link| telling(link.relation)) {
            let (Some(from), Some(to)) = (standing(&link.from), standing(&link.to)) else { continue };
            linked.entry(from).or_default().insert(to);
            linked.entry(to).or_default().insert(from);
        }
        let mut disputed: HashMap<usize, BTreeSet<usize>> = HashMap::new();
        for found in scene.contradictions.iter().filter(|found| found.verdict != Verdict::Duplicate) {
            let (Some(a), Some(b)) = (standing(&found.a), standing(&found.b)) else { continue };
            disputed.entry(a).or_default().insert(b);
            disputed.entry(b).or_default().insert(a);
        }
        Apart { linked, disputed }
    }

    /// What is disputed of the one that goes must be disputed of the one that stays, or the dispute would be lost.
    pub(super) fn keeps(&self, kept: usize, gone: usize) -> bool {
        let named = |of: &HashMap<usize, BTreeSet<usize>>| of.get(&kept).is_some_and(|others| others.contains(&gone));
        let none = BTreeSet::new();
        let (ours, theirs) = (self.disputed.get(&kept).unwrap_or(&none), self.disputed.get(&gone).unwrap_or(&none));
        named(&self.linked) || named(&self.disputed) || !theirs.is_subset(ours)
    }

    /// Whoever was told apart from the one that goes stays apart from the one that stays.
    pub(super) fn unite(&mut self, kept: usize, gone: usize) {
        for other in self.linked.get(&gone).cloned().unwrap_or_default() {
            self.linked.entry(kept).or_default().insert(other);
            self.linked.entry(other).or_default().insert(kept);
        }
    }
}
