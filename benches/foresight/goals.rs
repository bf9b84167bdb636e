//! Which files a goal in words means: real repositories set back by fifty commits. The subjects of the commits that came
//! later are the goals, the files they changed and that were there before are what is to be found; plain ways stand
//! beside ours. With a file: the first of them is opened, and the rest is to be found.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;

use lokid_context::predict::PredictedFile;
use lokid_context::predict::{files, goal, join};
use lokid_engine::ground::{CodeGround, HistoryGround};
use lokid_index::analyze;
use lokid_index::cochange::{Cochange, is_bot, is_trivial};
use lokid_index::subjects::Subjects;
use lokid_model::Commit;
use lokid_sys::git::history;

use super::*;

const BACK: usize = 50;
const MOST_FILES: usize = 12;
const MOST_GOALS: usize = 60;
const LIST: usize = 10;
/// More than path words and frequency.
const BETTER_BY: f64 = 0.10;
/// With a file.
const WITH_FILE: f64 = 0.55;
const COLUMNS: [&str; 5] = ["path words", "BM25", "lokid", "file", "file+goal"];
/// Votes of the commits that match best.
const VOTERS: usize = 10;

pub(crate) fn run(repositories: &[PathBuf], verdicts: &mut Verdicts) {
    println!("\n=== recall@{LIST} of the files of later commits, by their subject {:>5}", "goals");
    println!("  {:<16} {}", "", COLUMNS.map(|name| format!("{name:>11}")).concat());
    let mut all = Vec::new();
    let mut shares = Shares::default();
    for repository in repositories {
        let name = repository.display().to_string();
        let name = name.trim_end_matches("/repo").rsplit(['/', '+']).next().unwrap_or_default().to_owned();
        progress(format_args!("{name}: reading"));
        match one(repository, &mut shares) {
            Some((goals, figures)) => {
                println!("  {name:<16} {}  {goals}", figures.map(|figure| format!("{figure:>11.3}")).concat());
                all.push(figures);
            }
            None => println!("  {name:<16} is no repository of more than {BACK} commits"),
        }
    }
    if all.is_empty() {
        return;
    }
    let mean = |at: usize| all.iter().map(|figures| figures[at]).sum::<f64>() / all.len() as f64;
    println!("  {:<16} {}", "mean", [0, 1, 2, 3, 4].map(|at| format!("{:>11.3}", mean(at))).concat());
    shares.print();
    verdicts.at_least("recall@10 by the goal", mean(2), mean(0) + BETTER_BY, "", &format!("path words {:.3}", mean(0)));
    verdicts.at_least("recall@10 by file and goal", mean(4), WITH_FILE, "", &format!("file {:.3}", mean(3)));
}

/// How many goals, and the figures of the columns.
fn one(repository: &Path, shares: &mut Shares) -> Option<(usize, [f64; 5])> {
    let ids = |range: &str| -> Vec<String> {
        let output = Command::new("git").arg("-C").arg(repository).args(["rev-list", range]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    };
    let before = ids(&format!("HEAD~{BACK}"));
    let base = before.first()?.clone();
    let before: HashSet<String> = before.into_iter().collect();
    let mut commits = Vec::new();
    history::mine(repository, None, 20_000, &mut |commit| {
        commits.push(commit);
        ControlFlow::Continue(())
    })?;
    commits.reverse();
    let (mut subjects, mut cochange, mut plain) = (Subjects::default(), Cochange::default(), Plain::default());
    for commit in commits.iter().filter(|commit| before.contains(&commit.id)) {
        subjects.add(commit);
        cochange.add(commit);
        plain.add(commit);
    }
    let ground = HistoryGround::at(repository, &base, &mut |_, _| {})?;
    let ground = ground.ground();
    let later = commits.iter().filter(|commit| !before.contains(&commit.id) && is_work(commit));
    let with_files = later.map(|commit| (commit, known_files(commit, ground)));
    let goals: Vec<_> =
        with_files.filter(|(_, right)| (1..=MOST_FILES).contains(&right.len())).take(MOST_GOALS).collect();
    let (mut sums, mut several) = ([0.0; 5], 0);
    for (commit, right) in &goals {
        let text = &commit.subject;
        let by_goal = |k| goal::predict(&subjects, &cochange, ground, text, commit.time, k);
        sums[0] += recall(plain.by_path(text, ground), right);
        sums[1] += recall(plain.by_message(text, ground), right);
        let found = by_goal(LIST);
        shares.add(0, &found, right);
        sums[2] += recall(found.into_iter().map(|file| file.path), right);
        let Some(first) = right.first().filter(|_| right.len() > 1) else { continue };
        several += 1;
        let rest: BTreeSet<String> = right.iter().skip(1).cloned().collect();
        let opened = files::Opened { path: first, author: None, now: commit.time, recent: &[] };
        let by_file = |k| files::predict(&cochange, ground, &files::Weights::default(), &opened, k);
        sums[3] += recall(by_file(LIST).into_iter().map(|file| file.path), &rest);
        let mut found = join::join(by_file(join::LOOKED_AT), by_goal(join::LOOKED_AT), LIST + 1);
        found.retain(|file| file.path != *first);
        found.truncate(LIST);
        shares.add(1, &found, &rest);
        sums[4] += recall(found.into_iter().map(|file| file.path), &rest);
    }
    let (all, several) = (goals.len().max(1) as f64, several.max(1) as f64);
    Some((goals.len(), [sums[0] / all, sums[1] / all, sums[2] / all, sums[3] / several, sums[4] / several]))
}

fn is_work(commit: &Commit) -> bool {
    !commit.is_merge() && !is_bot(&commit.author_name, &commit.author_email)
}

fn known_files(commit: &Commit, ground: &CodeGround) -> BTreeSet<String> {
    let paths = commit.files.iter().map(|change| &change.path);
    paths.filter(|path| ground.stamp(path).is_some() && !is_trivial(path)).cloned().collect()
}

fn recall(found: impl IntoIterator<Item = String>, right: &BTreeSet<String>) -> f64 {
    found.into_iter().take(LIST).filter(|path| right.contains(path)).count() as f64 / right.len() as f64
}

/// How often files of a score were right: by the goal, and by file and goal.
#[derive(Default)]
struct Shares([[(usize, usize, f64); 10]; 2]);

impl Shares {
    fn add(&mut self, by: usize, found: &[PredictedFile], right: &BTreeSet<String>) {
        for file in found {
            let bin = &mut self.0[by][((file.score * 10.0) as usize).min(9)];
            *bin = (bin.0 + 1, bin.1 + usize::from(right.contains(&file.path)), bin.2 + file.score);
        }
    }

    fn print(&self) {
        println!("\n=== is a score the share that was right? (of the first {LIST})");
        for (name, bins) in ["by the goal", "by file and goal"].iter().zip(&self.0) {
            println!("  {name}");
            for (files, right, scores) in bins.iter().filter(|(files, ..)| *files > 0) {
                let files_there = *files as f64;
                println!("    said {:.2}  right {:.2}  of {files}", scores / files_there, *right as f64 / files_there);
            }
        }
    }
}

/// What anybody would try first.
#[derive(Default)]
struct Plain {
    changes: HashMap<String, f64>,
    /// By term, commits and how often they say it.
    postings: HashMap<u64, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    files: Vec<Vec<String>>,
}

impl Plain {
    fn add(&mut self, commit: &Commit) {
        if !is_work(commit) {
            return;
        }
        let mut counts: BTreeMap<u64, f64> = BTreeMap::new();
        let text = format!("{}\n{}", commit.subject, commit.body);
        analyze::terms(&text, |term| *counts.entry(analyze::hash(term)).or_default() += 1.0);
        let length = counts.values().sum();
        for (term, times) in counts {
            self.postings.entry(term).or_default().push((self.lengths.len(), times));
        }
        self.lengths.push(length);
        self.files.push(commit.files.iter().map(|change| change.path.clone()).collect());
        for change in &commit.files {
            *self.changes.entry(change.path.clone()).or_default() += 1.0;
        }
    }

    /// Words of the goal in the path, the rare ones more, and how often the file was changed.
    fn by_path(&self, goal: &str, ground: &CodeGround) -> Vec<String> {
        let asked: HashSet<String> = analyze::distinct(goal, 1_000).into_iter().collect();
        let files: Vec<(&str, Vec<String>)> = ground.paths().map(|path| (path, analyze::distinct(path, 100))).collect();
        let mut with: HashMap<&str, f64> = HashMap::new();
        files.iter().flat_map(|(_, words)| words).for_each(|word| *with.entry(word).or_default() += 1.0);
        let weight = |path: &str, words: &[String]| {
            let said = words.iter().filter(|word| asked.contains(*word));
            let said: f64 = said.map(|word| rarity(files.len() as f64, with[word.as_str()])).sum();
            said + (1.0 + self.changes.get(path).copied().unwrap_or_default()).ln()
        };
        best(files.iter().map(|(path, words)| ((*path).to_owned(), weight(path, words))))
    }

    /// The past messages that match best vote for their files.
    fn by_message(&self, goal: &str, ground: &CodeGround) -> Vec<String> {
        let all = self.lengths.len() as f64;
        let average = self.lengths.iter().sum::<f64>() / all.max(1.0);
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for term in analyze::distinct(goal, 1_000) {
            let Some(postings) = self.postings.get(&analyze::hash(&term)) else { continue };
            for (commit, times) in postings {
                let held_back = 1.2 * (0.25 + 0.75 * self.lengths[*commit] / average);
                *scores.entry(*commit).or_default() +=
                    rarity(all, postings.len() as f64) * times * 2.2 / (times + held_back);
            }
        }
        let mut likest: Vec<(usize, f64)> = scores.into_iter().collect();
        likest.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
        let mut votes: BTreeMap<String, f64> = BTreeMap::new();
        for (commit, score) in likest.into_iter().take(VOTERS) {
            for file in self.files[commit].iter().filter(|path| ground.stamp(path).is_some()) {
                *votes.entry(file.clone()).or_default() += score;
            }
        }
        best(votes.into_iter())
    }
}

fn rarity(all: f64, with: f64) -> f64 {
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

fn best(weighed: impl Iterator<Item = (String, f64)>) -> Vec<String> {
    let mut weighed: Vec<(String, f64)> = weighed.collect();
    weighed.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    weighed.into_iter().take(LIST).map(|(path, _)| path).collect()
}
