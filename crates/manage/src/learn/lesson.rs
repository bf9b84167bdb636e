//! What a group of episodes teaches, in words a person reads. The sentence is made of the conditions and the approaches
//! alone, so that it can be told later whether somebody has changed the words.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::approach::{Approach, Tally, approach};
use super::case::{Case, CaseReader, End};
use super::deed::{Deed, Sort};
use super::words::{snippet, theme, uncapitalised};
use crate::plan::lower_bound;
use lokid_model::Pattern;

const MOST_FILES: usize = 10;
const LONGEST_ERROR: usize = 90;
const LONGEST_FIX: usize = 140;
const LONGEST_QUOTE: usize = 120;
/// A lesson without any deed, error or file needs more episodes.
const LEAST_QUOTED: usize = 3;
/// Groups less alike than this are not quite trusted.
const COHERENT: f32 = 0.6;
/// Phases every episode goes through.
const EVERYDAY: &[&str] =
    &["act", "reason", "reflect", "verify", "iteration", "unknown", "development", "rarv", "none", "null"];

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lesson {
    /// Without its sources.
    pub(super) pattern: Pattern,
    pub(super) files: Vec<String>,
    pub(super) confidence: f64,
    /// For a person: what was counted.
    pub(super) why: String,
}

/// Nothing where no episode ended well or none says how.
pub(super) fn lesson(cases: &[&Case], cohesion: f32, reader: &CaseReader<'_>) -> Option<Lesson> {
    if !cases.iter().any(|case| case.end == End::Well) {
        return None;
    }
    let found = approach(cases);
    let files = shared_files(cases, reader);
    let trouble = shared_trouble(cases, reader);
    let correct = correct(&found, &files, trouble.as_ref(), cases)?;
    let incorrect = incorrect(&found, cases);
    let goals: Vec<&str> = cases.iter().map(|case| case.goal.as_str()).collect();
    let about = theme(&goals, &reader.words);
    let conditions = conditions(about.as_deref(), folder(cases, reader).as_deref(), trouble.as_ref(), cases, &files);
    let pattern = Pattern {
        pattern: sentence(&conditions, &correct, &incorrect),
        category: category(cases).to_owned(),
        conditions,
        correct_approach: correct,
        incorrect_approach: incorrect,
        source_episodes: Vec::new(),
    };
    let loose = f64::from((COHERENT - cohesion).max(0.0));
    let confidence = ((lower_bound(found.consistent, found.all) * (1.0 - loose)) * 1000.0).round() / 1000.0;
    let what = about.unwrap_or_else(|| "the same work".to_owned());
    let why = format!(
        "{} of {} episodes about `{what}` ended well{}",
        found.well,
        found.tried,
        found.right.iter().map(|tally| format!(" after `{}`", tally.shown())).next_back().unwrap_or_default()
    );
    Some(Lesson { pattern, files, confidence, why })
}

/// The lesson as one sentence.
pub(super) fn sentence(conditions: &[String], correct: &str, incorrect: &str) -> String {
    let mut said = String::from("When ");
    for (at, condition) in conditions.iter().enumerate() {
        let joins = condition.starts_with("in `") || condition.starts_with("during ");
        said.push_str(if at == 0 {
            ""
        } else if joins {
            " "
        } else {
            " and "
        });
        said.push_str(condition);
    }
    said.push_str(": ");
    said.push_str(correct);
    if !incorrect.is_empty() {
        said.push_str("; do not ");
        said.push_str(incorrect);
    }
    said
}

/// An error that at least half of the episodes met, or that several solved.
struct Shared {
    message: String,
    resolution: String,
    /// Did at least half of the episodes meet it?
    is_common: bool,
}

fn shared_trouble(cases: &[&Case], reader: &CaseReader<'_>) -> Option<Shared> {
    #[derive(Default)]
    struct Met<'a> {
        cases: usize,
        /// In how many the work did not fail with it.
        survived: usize,
        messages: BTreeMap<&'a str, usize>,
        fixes: BTreeMap<&'a str, usize>,
        solved: usize,
    }
    let mut all: HashMap<u32, Met<'_>> = HashMap::new();
    for case in cases {
        for trouble in case.troubles.iter().filter(|one| !one.resolution.is_empty() || !reader.is_everywhere(one.print))
        {
            let met = all.entry(trouble.print).or_default();
            met.cases += 1;
            met.survived += usize::from(case.end != End::Badly);
            *met.messages.entry(&trouble.message).or_default() += 1;
            if !trouble.resolution.is_empty() && case.end != End::Badly {
                met.solved += 1;
                *met.fixes.entry(&trouble.resolution).or_default() += 1;
            }
        }
    }
    // Most often said, then shortest, then first in the alphabet.
    let most = |texts: &BTreeMap<&str, usize>| {
        let rank = |(text, times): &(&&str, &usize)| (std::cmp::Reverse(**times), text.len(), text.to_string());
        texts.iter().min_by_key(rank).map(|(text, _)| text.to_string()).unwrap_or_default()
    };
    let met = all.into_values().filter(|met| met.cases >= 2);
    let best = met.map(|met| (met.solved.min(2), met.cases, most(&met.messages), most(&met.fixes), met.survived));
    let (solved, times, message, fix, survived) = best.max_by(|a, b| (a.0, a.1, &b.2).cmp(&(b.0, b.1, &a.2)))?;
    // What only failed attempts met is what they led to, not where the lesson applies.
    let is_common = 2 * times >= cases.len() && survived > 0;
    let resolution = if solved >= 2 || is_common && solved > 0 { snippet(&fix, LONGEST_FIX) } else { String::new() };
    let message = snippet(&message, LONGEST_ERROR);
    (!message.is_empty() && (is_common || !resolution.is_empty())).then_some(Shared { message, resolution, is_common })
}

fn correct(found: &Approach, files: &[String], trouble: Option<&Shared>, cases: &[&Case]) -> Option<String> {
    let ended = format!(" ({} of {} ended well)", found.well, found.tried);
    let fix = trouble.filter(|trouble| !trouble.resolution.is_empty());
    if !found.right.is_empty() {
        let done = told(&found.right) + &ended;
        return Some(match fix {
            Some(fix) if fix.is_common => format!("{done}; what helped: {}", uncapital(&fix.resolution)),
            Some(fix) => format!("{done}; if `{}` appears: {}", fix.message, uncapital(&fix.resolution)),
            None => done,
        });
    }
    if let Some(fix) = fix {
        let done = uncapital(&fix.resolution) + &ended;
        return Some(if fix.is_common { done } else { format!("if `{}` appears: {done}", fix.message) });
    }
    match files {
        [] => {}
        [one] => return Some(format!("make the change in `{one}`{ended}")),
        [one, two] => return Some(format!("change `{one}` and `{two}` together{ended}")),
        [one, two, three, ..] => return Some(format!("change `{one}`, `{two}` and `{three}` together{ended}")),
    }
    let ended_well: Vec<&&Case> = cases.iter().filter(|case| case.end == End::Well && !case.goal.is_empty()).collect();
    let example = ended_well.iter().min_by_key(|case| (case.goal.len(), &case.goal))?;
    (ended_well.len() >= LEAST_QUOTED)
        .then(|| format!("go about it as in “{}”{ended}", snippet(&example.goal, LONGEST_QUOTE)))
}

/// `edit a and b, then run c`
fn told(deeds: &[Tally]) -> String {
    let mut said: Vec<String> = Vec::new();
    let mut edited: Vec<String> = Vec::new();
    for deed in deeds {
        if deed.sort == Some(Sort::Edit) {
            edited.push(format!("`{}`", deed.shown()));
            continue;
        }
        if !edited.is_empty() {
            said.push(format!("edit {}", std::mem::take(&mut edited).join(" and ")));
        }
        said.push(match deed.sort {
            Some(Sort::Run) => format!("run `{}`", deed.shown()),
            _ => uncapital(deed.shown()),
        });
    }
    if !edited.is_empty() {
        said.push(format!("edit {}", edited.join(" and ")));
    }
    said.join(", then ")
}

/// What comes after `do not`.
fn incorrect(found: &Approach, cases: &[&Case]) -> String {
    if let Some(wrong) = &found.wrong {
        let what = match wrong.sort {
            Some(Sort::Run) => format!("run `{}`", wrong.shown()),
            Some(Sort::Edit) => format!("rely on changing `{}`", wrong.shown()),
            _ => uncapital(wrong.shown()),
        };
        return format!("{what} (failed {} of {})", wrong.failed, wrong.used);
    }
    // A line that tells of a failure says itself what was tried.
    let untold =
        cases.iter().filter(|case| case.end == End::Badly && case.deeds.is_empty() && case.troubles.is_empty());
    let example = untold.filter(|case| !cases.iter().any(|other| other.end == End::Well && other.goal == case.goal));
    match example.filter(|case| !case.goal.is_empty()).min_by_key(|case| (case.goal.len(), &case.goal)) {
        Some(case) => format!("repeat “{}” (ended badly)", snippet(&case.goal, LONGEST_QUOTE)),
        None => failed_way(cases).unwrap_or_default(),
    }
}

/// What the newest episode that ended badly did and none that ended well, with what it ended in.
fn failed_way(cases: &[&Case]) -> Option<String> {
    let helped: HashSet<&str> = cases
        .iter()
        .filter(|case| case.end == End::Well)
        .flat_map(|case| case.deeds.iter().map(|deed| deed.key.as_str()))
        .collect();
    let mut failed: Vec<&&Case> = cases.iter().filter(|case| case.end == End::Badly).collect();
    failed.sort_by_key(|case| std::cmp::Reverse(case.order()));
    failed.into_iter().find_map(|case| {
        let own = |deed: &&Deed| !deed.is_routine() && !deed.is_check() && !helped.contains(deed.key.as_str());
        let deed = case.deeds.iter().filter(own).max_by_key(|deed| deed.failed)?;
        let what = match deed.sort {
            Sort::Run => format!("run `{}`", deed.shown),
            Sort::Edit => format!("rely on changing `{}`", deed.shown),
            Sort::Told => uncapital(&deed.shown),
        };
        let end = case.troubles.last().map(|trouble| snippet(&trouble.message, LONGEST_ERROR));
        let end =
            end.filter(|end| !end.is_empty()).map_or("ended badly".to_owned(), |end| format!("ended with `{end}`"));
        Some(format!("{what} ({end})"))
    })
}

fn conditions(
    about: Option<&str>,
    folder: Option<&str>,
    trouble: Option<&Shared>,
    cases: &[&Case],
    files: &[String],
) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(about.map(|about| format!("working on {about}")));
    match (folder, files.first()) {
        (Some(folder), _) if found.is_empty() => found.push(format!("working in `{folder}`")),
        (Some(folder), _) => found.push(format!("in `{folder}`")),
        (None, Some(file)) if found.is_empty() => found.push(format!("working in `{file}`")),
        _ => {}
    }
    let phase = most_common(cases.iter().map(|case| case.phase.as_str()).filter(|phase| !phase.is_empty()));
    found.extend(
        phase
            .filter(|(phase, times)| 4 * times >= 3 * cases.len() && !EVERYDAY.contains(phase) && !found.is_empty())
            .map(|(phase, _)| format!("during {}", snippet(phase, 30))),
    );
    found.extend(trouble.filter(|trouble| trouble.is_common).map(|trouble| format!("`{}` appears", trouble.message)));
    if found.is_empty() {
        let goal = cases
            .iter()
            .map(|case| case.goal.as_str())
            .filter(|goal| !goal.is_empty())
            .min_by_key(|goal| (goal.len(), *goal));
        found.push(format!("the work is like “{}”", snippet(goal.unwrap_or("before"), LONGEST_QUOTE)));
    }
    found
}

/// Files that at least half of the episodes touched, most often touched first.
fn shared_files(cases: &[&Case], reader: &CaseReader<'_>) -> Vec<String> {
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for file in cases.iter().flat_map(|case| &case.files) {
        *counts.entry(*file).or_default() += 1;
    }
    let shared = counts.into_iter().filter(|(_, times)| *times >= 2 && 2 * times >= cases.len());
    let mut shared: Vec<(usize, String)> =
        shared.map(|(file, times)| (times, reader.files.name(file).to_owned())).collect();
    shared.sort_by(|(times, name), (other_times, other)| other_times.cmp(times).then(name.cmp(other)));
    shared.into_iter().take(MOST_FILES).map(|(_, name)| name).collect()
}

/// The deepest folder that holds files of three in four of the episodes that touched any.
fn folder(cases: &[&Case], reader: &CaseReader<'_>) -> Option<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let touching = cases.iter().filter(|case| !case.files.is_empty()).count();
    for case in cases {
        let mut above: Vec<&str> = Vec::new();
        for file in &case.files {
            let mut path = reader.files.name(*file);
            while let Some((folder, _)) = path.rsplit_once('/') {
                if folder.is_empty() || above.contains(&folder) {
                    break;
                }
                above.push(folder);
                path = folder;
            }
        }
        above.into_iter().for_each(|folder| *counts.entry(folder.to_owned()).or_default() += 1);
    }
    let depth = |folder: &str| folder.matches('/').count();
    let common =
        counts.into_iter().filter(|(_, times)| *times >= 2 && 4 * times >= 3 * touching && 2 * times >= cases.len());
    common.max_by(|(a, of_a), (b, of_b)| (depth(a), of_a, b).cmp(&(depth(b), of_b, a))).map(|(folder, _)| folder)
}

fn category(cases: &[&Case]) -> &'static str {
    const WORK: &[(&str, &[&str])] = &[
        ("debugging", &["fix", "debug", "investigate", "resolve", "repair", "crash", "bug"]),
        ("testing", &["test", "tests", "coverage", "flaky"]),
        ("refactoring", &["refactor", "rename", "extract", "simplify", "cleanup", "restructure"]),
        ("deployment", &["deploy", "release", "publish", "ci", "pipeline", "rollout"]),
        ("documentation", &["document", "docs", "readme", "changelog"]),
        ("review", &["review", "audit"]),
        ("implementation", &["add", "implement", "create", "build", "introduce", "support", "write"]),
    ];
    let sorts = cases.iter().filter_map(|case| {
        let told = format!("{} {}", case.goal, case.phase).to_lowercase();
        let words: Vec<&str> = told.split(|letter: char| !letter.is_alphanumeric()).collect();
        WORK.iter().find(|(_, signs)| words.iter().any(|word| signs.contains(word))).map(|(sort, _)| *sort)
    });
    let errors = cases.iter().filter(|case| !case.troubles.is_empty()).count();
    match most_common(sorts) {
        Some((sort, _)) => sort,
        None if 2 * errors >= cases.len() => "debugging",
        None => "workflow",
    }
}

fn most_common<'a>(items: impl Iterator<Item = &'a str>) -> Option<(&'a str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    items.for_each(|item| *counts.entry(item).or_default() += 1);
    counts.into_iter().max_by(|(a, of_a), (b, of_b)| of_a.cmp(of_b).then(b.cmp(a)))
}

/// The first word as it stands inside a sentence.
fn uncapital(text: &str) -> String {
    match text.split_once(' ') {
        Some((first, rest)) => format!("{} {rest}", uncapitalised(first)),
        None => uncapitalised(text),
    }
}
