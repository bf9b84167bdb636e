//! Which definitions a goal in words means: real repositories set back by fifty commits (`LOKID_BENCH_BACK` for another number),
//! the subjects of the commits that came later, and the definitions they changed. Beside ours, the definitions that say most of the
//! words. `cargo bench -p lokid-engine --bench definitions`. `LOKID_BENCH_SIGNS` names a folder: what `tools/goals/learn.py` learns from is written there, and nothing is measured.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

use std::collections::HashSet;
use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use lokid_context::predict::goal;
use lokid_context::predict::goal::definitions::{DefinitionCandidate, Terms, candidates, definitions};
use lokid_engine::ground::HistoryGround;
use lokid_engine::ground::passages::{Changes, pieces_of_goal};
use lokid_index::cochange::{Cochange, is_bot};
use lokid_index::subjects::{Subjects, definition};
use lokid_model::Commit;
use lokid_sys::git::history;
use lokid_text::Embedder;

const BACK: usize = 50;
const MOST_CHANGED: usize = 12;
const MOST_GOALS: usize = 250;
const FILES: usize = 60;
const TOLD: usize = 3;
const MOST_LOOKED_INTO: usize = 1_000;
/// More than the words alone, of the first three.
const BETTER_BY: f64 = 0.15;
const COLUMNS: [&str; 6] = ["words@1", "words@3", "lokid@1", "lokid@3", "words file", "lokid file"];

/// Of all repositories: the likelihood that one of the first three is right, and whether it was.
type Likelihoods = Vec<(f64, bool)>;

fn main() {
    let named = std::env::var("LOKID_BENCH_REPOS").unwrap_or_default();
    let repositories: Vec<PathBuf> = std::env::split_paths(&named).collect();
    if repositories.is_empty() {
        println!("skipped: LOKID_BENCH_REPOS names no repository");
        return;
    }
    println!("\n=== definitions that later commits changed, by their subject {:>5}", "goals");
    println!("  {:<16} {}", "", COLUMNS.map(|name| format!("{name:>11}")).concat());
    let back = std::env::var("LOKID_BENCH_BACK").ok().and_then(|back| back.parse().ok()).unwrap_or(BACK);
    let signs = std::env::var_os("LOKID_BENCH_SIGNS").map(PathBuf::from);
    let (mut all, mut likelihoods) = (Vec::new(), Likelihoods::new());
    for repository in &repositories {
        let name = repository.display().to_string();
        let name = name.trim_end_matches("/repo").rsplit(['/', '+']).next().unwrap_or_default().to_owned();
        let signs = signs.as_ref().map(|folder| folder.join(format!("{name}.signs")));
        match one(repository, back, signs.as_deref(), &mut likelihoods) {
            Some((goals, figures)) if goals > 0 => {
                println!("  {name:<16} {}  {goals}", figures.map(|figure| format!("{figure:>11.3}")).concat());
                all.push(figures);
            }
            _ => println!("  {name:<16} has no such commits"),
        }
    }
    if all.is_empty() {
        return;
    }
    let mean = |at: usize| all.iter().map(|figures| figures[at]).sum::<f64>() / all.len() as f64;
    println!("  {:<16} {}", "mean", [0, 1, 2, 3, 4, 5].map(|at| format!("{:>11.3}", mean(at))).concat());
    likelihoods.sort_by(|one, other| other.0.total_cmp(&one.0));
    println!(
        "  the surest share of goals: the least likelihood of the first {TOLD} there, and in how many one is right"
    );
    for tenth in 1..=10 {
        let part = &likelihoods[..(likelihoods.len() * tenth / 10).max(1)];
        let right = part.iter().filter(|(_, is_right)| *is_right).count() as f64 / part.len() as f64;
        println!("    {:>3} %  {:.2}  {right:.3}", tenth * 10, part[part.len() - 1].0);
    }
    let verdict = if mean(3) >= mean(1) + BETTER_BY { "met" } else { "MISSED" };
    println!(
        "  one of three is right: {:.3}, aim {:.3} (the words alone and {BETTER_BY}): {verdict}",
        mean(3),
        mean(1) + BETTER_BY
    );
}

fn one(
    repository: &Path,
    back: usize,
    signs: Option<&Path>,
    likelihoods: &mut Likelihoods,
) -> Option<(usize, [f64; 6])> {
    let ids = |range: &str| -> Vec<String> {
        let output = Command::new("git").arg("-C").arg(repository).args(["rev-list", range]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    };
    let before = ids(&format!("HEAD~{back}"));
    let base = before.first()?.clone();
    let before: HashSet<String> = before.into_iter().collect();
    let mut commits = Vec::new();
    history::mine(repository, None, 20_000, &mut |commit| {
        commits.push(commit);
        ControlFlow::Continue(())
    })?;
    let mut changes = Changes::open(repository)?;
    let known: Vec<&Commit> = commits.iter().filter(|commit| before.contains(&commit.id)).collect();
    let (mut subjects, mut cochange) = (Subjects::default(), Cochange::default());
    for commit in known.iter().rev() {
        subjects.add(commit);
        cochange.add(commit);
    }
    let newest = &known[..known.len().min(MOST_LOOKED_INTO)];
    subjects.note_changed(&mut changes.of_all(newest, &mut || ControlFlow::Continue(())));
    let ground = HistoryGround::at(repository, &base, &mut |_, _| {})?;
    let ground = ground.ground();
    let mut there = HashSet::new();
    for (path, held) in ground.passages() {
        there.extend(held.passages.iter().map(|passage| definition(path, passage.own)));
    }
    let later = commits.iter().rev().filter(|commit| !before.contains(&commit.id) && is_work(commit));
    let goals = later.filter_map(|commit| {
        let mut right: HashSet<u64> = changes.of(commit).into_iter().collect();
        right.retain(|key| there.contains(key));
        (1..=MOST_CHANGED).contains(&right.len()).then_some((commit, right))
    });
    let mut rows: Vec<u8> = Vec::new();
    let (mut sums, mut all) = ([0.0; 6], 0);
    for (at, (commit, right)) in goals.take(MOST_GOALS).enumerate() {
        let text = &commit.subject;
        let files = goal::predict(&subjects, &cochange, ground, text, commit.time, FILES);
        let meaning = |pieces: &[u16]| Embedder::built_in().embed_pieces(pieces);
        let [goal, telling] = pieces_of_goal(text);
        let terms = Terms {
            files: ground.passages().collect(),
            counts: ground.passage_counts(),
            goal,
            telling,
            meaning: &meaning,
        };
        let mut found = candidates(&subjects, &cochange, &terms, &files, text);
        let is_right = |one: &DefinitionCandidate<'_>| right.contains(&definition(one.path, one.passage.own));
        let changed: HashSet<&str> = commit.files.iter().map(|file| file.path.as_str()).collect();
        all += 1;
        if signs.is_some() {
            for one in &found {
                let flags = [is_right(one), changed.contains(one.path)].map(|flag| f32::from(u8::from(flag)));
                let row = one.signs.iter().copied().chain(flags).chain([at as f32]);
                row.for_each(|number| rows.extend(number.to_le_bytes()));
            }
            continue;
        }
        found.sort_by(|one, other| other.signs[0].total_cmp(&one.signs[0]));
        let told = definitions(&subjects, &cochange, &terms, &files, text, TOLD);
        let hit = |place: usize| {
            told.iter().take(place).any(|one| {
                let is_it = |candidate: &&DefinitionCandidate<'_>| {
                    candidate.path == one.path && candidate.passage.line as usize == one.line
                };
                found.iter().find(is_it).is_some_and(is_right)
            })
        };
        let share = |is: bool| f64::from(u8::from(is));
        sums[0] += share(found.first().is_some_and(is_right));
        sums[1] += share(found.iter().take(TOLD).any(is_right));
        sums[2] += share(hit(1));
        sums[3] += share(hit(TOLD));
        sums[4] += share(found.first().is_some_and(|one| changed.contains(one.path)));
        sums[5] += share(told.first().is_some_and(|one| changed.contains(one.path.as_str())));
        let none: f64 = told.iter().map(|one| 1.0 - one.chance).product();
        likelihoods.push((1.0 - none, hit(TOLD)));
    }
    if let Some(place) = signs {
        fs::File::create(place).and_then(|mut file| file.write_all(&rows)).expect("the signs can be written");
    }
    Some((all, sums.map(|sum| sum / (all.max(1)) as f64)))
}

fn is_work(commit: &Commit) -> bool {
    !commit.is_merge() && !is_bot(&commit.author_name, &commit.author_email)
}
