//! Which definitions a goal means: those that say it, that commits which said the like have changed, or that are often worked on,
//! in files that are foreseen. How much each counts was learnt from the histories of public projects (`tools/goals`) and stands in
//! `trees.txt`.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use super::super::PredictedFile;
use super::evidence::GoalEvidence;
use super::question::Question;
use super::trees::Trees;
use lokid_index::analyze;
use lokid_index::cochange::Cochange;
use lokid_index::passages::{FilePassages, Passage, PassageCounts, Saying, Wanted};
use lokid_index::subjects::{Subjects, definition_in};

/// Commits that tell what is often worked on, and how soon that fades.
const MOST_COMMITS: usize = 1_000;
const HALF_LIFE: f32 = 100.0;
/// A commit of many definitions means each of them less.
const SPREAD: f32 = 0.3;
/// So many are looked at closely: of those that say most, that were changed by such commits, and that all signs together speak for.
const MOST_SAYING: usize = 80;
const MOST_ALIKE: usize = 30;
const MOST_OF_ALL: usize = 60;
const LONGEST_AGO: f32 = 20.0;
const MOST_RANKS: usize = 200;
/// How much the path of a definition counts beside its name and its words, in meaning.
const MEANING_OF_PATH: f32 = 0.6;

/// What can be meant: the definitions of a working tree.
pub struct Terms<'a> {
    pub files: Vec<(&'a str, &'a FilePassages)>,
    pub counts: &'a PassageCounts,
    /// The pieces of the goal.
    pub goal: Vec<u16>,
    /// Those of them that tell what it is about.
    pub telling: Vec<u16>,
    /// A vector of length one of pieces.
    pub meaning: &'a dyn Fn(&[u16]) -> Vec<f32>,
}

pub const SIGNS: usize = 24;
/// Where that of commits which said the like stands.
const ALIKE: usize = 12;

/// A definition that something speaks for.
pub struct DefinitionCandidate<'a> {
    pub path: &'a str,
    pub passage: &'a Passage,
    pub signs: [f32; SIGNS],
}

/// A definition that is likely to be changed on the way to a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedDefinition {
    pub path: String,
    pub name: String,
    pub line: usize,
    pub lines: usize,
    /// Between 0 and 1.
    pub chance: f64,
}

/// The likeliest definitions, best first; `files` are what the goal means by all else.
pub fn definitions(
    subjects: &Subjects,
    cochange: &Cochange,
    terms: &Terms<'_>,
    files: &[PredictedFile],
    text: &str,
    k: usize,
) -> Vec<PredictedDefinition> {
    let trees = Trees::shipped();
    let found = candidates(subjects, cochange, terms, files, text);
    // What neither says anything of it nor was ever changed for the like is only where work is done.
    let says = |pieces: &[u16]| pieces.iter().any(|piece| terms.telling.contains(piece));
    let is_about =
        |one: &&DefinitionCandidate<'_>| says(&one.passage.named) || says(&one.passage.said) || one.signs[ALIKE] > 0.0;
    let mut weighed: Vec<(f64, &DefinitionCandidate<'_>)> =
        found.iter().filter(is_about).map(|one| (trees.chance(&one.signs), one)).collect();
    let by_place = |one: &DefinitionCandidate<'_>, other: &DefinitionCandidate<'_>| {
        (one.path, one.passage.line).cmp(&(other.path, other.passage.line))
    };
    weighed.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| by_place(one.1, other.1)));
    let told = weighed.into_iter().take(k).map(|(chance, one)| PredictedDefinition {
        path: one.path.to_owned(),
        name: one.passage.name.as_ref().to_owned(),
        line: one.passage.line as usize,
        lines: one.passage.lines as usize,
        chance,
    });
    told.collect()
}

/// How a definition fared in the newest commits.
#[derive(Clone, Copy, Default)]
struct Worked {
    heat: f32,
    times: f32,
    last: f32,
}

struct Seen<'a> {
    path: &'a str,
    passage: &'a Passage,
    file: usize,
    said: Saying,
    alike: f32,
    worked: Worked,
}

/// What speaks for each definition, as plain numbers.
pub fn candidates<'a>(
    subjects: &Subjects,
    cochange: &Cochange,
    terms: &Terms<'a>,
    files: &[PredictedFile],
    text: &str,
) -> Vec<DefinitionCandidate<'a>> {
    let wanted = Wanted::new(terms.counts, &terms.goal);
    if wanted.is_empty() {
        return Vec::new();
    }
    let evidence = GoalEvidence::gather(subjects, &Question::new(subjects, text));
    let (alike, worked) = (alike(subjects, &evidence), worked(subjects));
    let foreseen: HashMap<&str, f32> = files.iter().map(|file| (file.path.as_str(), file.score as f32)).collect();
    let mut seen: Vec<Seen<'a>> = Vec::new();
    let (mut of_files, mut likely) = (vec![0.0_f32; terms.files.len()], vec![0.0_f32; terms.files.len()]);
    for (file, (path, held)) in terms.files.iter().enumerate() {
        let (path, held): (&'a str, &'a FilePassages) = (path, held);
        let of_path = wanted.of_path(&held.path);
        likely[file] = foreseen.get(path).copied().unwrap_or_default();
        let names = cochange.find(path).into_iter().flat_map(|place| cochange.names_of(place));
        let mut keys: Vec<u64> = names.map(|place| analyze::hash(cochange.path(place))).collect();
        if keys.is_empty() {
            keys.push(analyze::hash(path));
        }
        for passage in &held.passages {
            let said = wanted.of(passage, &of_path, held.path.len());
            let keys = keys.iter().map(|key| definition_in(*key, passage.own));
            let (mut of_alike, mut of_worked) = (0.0_f32, Worked { last: f32::MAX, ..Worked::default() });
            for key in keys {
                of_alike += alike.get(&key).copied().unwrap_or_default();
                if let Some(known) = worked.get(&key) {
                    of_worked.heat += known.heat;
                    of_worked.times += known.times;
                    of_worked.last = of_worked.last.min(known.last);
                }
            }
            of_files[file] = of_files[file].max(said.all);
            seen.push(Seen { path, passage, file, said, alike: of_alike, worked: of_worked });
        }
    }
    let best = seen.iter().map(|one| one.said.all).fold(0.0, f32::max).max(1e-6);
    let best_alike = seen.iter().map(|one| one.alike).fold(0.0, f32::max).max(1e-6);
    let best_file = likely.iter().copied().fold(0.0, f32::max).max(1e-6);
    let together =
        |one: &Seen<'_>| one.said.all / best + 2.0 * likely[one.file] + 0.3 * one.worked.heat.ln_1p() + one.alike;
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    let by_saying = order(&seen, &|one| one.said.all);
    chosen.extend(by_saying.iter().take(MOST_SAYING));
    chosen.extend(order(&seen, &|one| one.alike + 1e-6 * one.said.all).iter().take(MOST_ALIKE));
    chosen.extend(order(&seen, &together).iter().take(MOST_OF_ALL));
    let mut rank = vec![0_usize; seen.len()];
    by_saying.iter().enumerate().for_each(|(at, one)| rank[*one] = at.min(MOST_RANKS));
    let goal = (terms.meaning)(&terms.goal);
    let dot = |vector: &[f32]| vector.iter().zip(&goal).map(|(one, other)| one * other).sum::<f32>();
    let mut paths: HashMap<usize, Vec<f32>> = HashMap::new();
    let meanings: Vec<(f32, f32)> = chosen
        .iter()
        .map(|at| {
            let Seen { passage, file, .. } = &seen[*at];
            let of_path = paths.entry(*file).or_insert_with(|| (terms.meaning)(&terms.files[*file].1.path));
            let (named, said) = ((terms.meaning)(&passage.named), (terms.meaning)(&passage.said));
            let parts = named.iter().zip(of_path.iter()).zip(&said);
            let whole: Vec<f32> = parts.map(|((named, path), said)| named + MEANING_OF_PATH * path + said).collect();
            let length = whole.iter().map(|part| part * part).sum::<f32>().sqrt().max(1e-6);
            (dot(&whole) / length, dot(&named))
        })
        .collect();
    let nearest = meanings.iter().map(|(whole, _)| *whole).fold(-1.0, f32::max);
    let of_goal = [terms.goal.len() as f32, (seen.len() as f32).ln(), evidence.likeness as f32, best];
    let candidate = |(at, (meaning, of_name)): (&usize, &(f32, f32))| {
        let Seen { path, passage, file, said, alike, worked } = &seen[*at];
        let heat = cochange.find(path).map_or(0.0, |place| cochange.heat(place)) as f32;
        let signs = [
            said.all,
            said.all / best,
            said.named,
            said.path,
            said.of_name,
            rank[*at] as f32,
            *meaning,
            meaning - nearest,
            *of_name,
            worked.heat.ln_1p(),
            (worked.last / HALF_LIFE).min(LONGEST_AGO),
            worked.times.ln_1p(),
            *alike,
            alike / best_alike,
            likely[*file],
            likely[*file] / best_file,
            heat.ln_1p(),
            of_files[*file] / best,
            (passage.lines as f32).ln(),
            f32::from(passage.sort),
            of_goal[0],
            of_goal[1],
            of_goal[2],
            of_goal[3],
        ];
        DefinitionCandidate { path, passage, signs }
    };
    chosen.iter().zip(&meanings).map(candidate).collect()
}

/// The places of what is worth anything, best first.
fn order(seen: &[Seen<'_>], worth: &dyn Fn(&Seen<'_>) -> f32) -> Vec<usize> {
    let mut found: Vec<(f32, usize)> = seen.iter().map(worth).zip(0..).filter(|(worth, _)| *worth > 0.0).collect();
    let by_worth = |one: &(f32, usize), other: &(f32, usize)| match other.0.total_cmp(&one.0) {
        Ordering::Equal => one.1.cmp(&other.1),
        order => order,
    };
    found.sort_unstable_by(by_worth);
    found.into_iter().map(|(_, at)| at).collect()
}

/// What the commits most like the goal changed.
fn alike(subjects: &Subjects, evidence: &GoalEvidence) -> HashMap<u64, f32> {
    let all: f64 = evidence.alike.iter().map(|(_, likeness)| likeness).sum::<f64>().max(f64::MIN_POSITIVE);
    let mut votes: HashMap<u64, f32> = HashMap::new();
    for (commit, likeness) in &evidence.alike {
        let changed = subjects.changed_by(*commit);
        let vote = (likeness / all) as f32 / (changed.len().max(1) as f32).powf(SPREAD);
        changed.iter().for_each(|key| *votes.entry(*key).or_default() += vote);
    }
    votes
}

fn worked(subjects: &Subjects) -> HashMap<u64, Worked> {
    let mut all: HashMap<u64, Worked> = HashMap::new();
    for (age, changed) in subjects.changed().take(MOST_COMMITS).enumerate() {
        for key in changed {
            let worked = all.entry(*key).or_insert(Worked { last: age as f32, ..Worked::default() });
            worked.heat += (-(age as f32) / HALF_LIFE).exp2();
            worked.times += 1.0;
        }
    }
    all
}
