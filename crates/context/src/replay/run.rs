//! The replay itself.

use std::collections::HashMap;

use super::baselines::{Baselines, Method};
use super::measure::{LIST, Lead, Score, Waste};
use super::{Progress, Protocol, ReplayTerrain, telling};
use crate::predict::PredictedFile;
use crate::predict::files::{Opened, Weights, predict};
use lokid_index::cochange::Cochange;
use lokid_model::{Commit, token};

/// A prediction counts as made ahead for so long.
const AHEAD_SECONDS: i64 = 24 * 3600;

/// What a replay found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Commits asked about.
    pub commits: usize,
    /// Files opened in them.
    pub questions: usize,
    pub methods: Vec<(Method, Score)>,
    pub lead: Lead,
    pub waste: Waste,
}

impl Report {
    pub fn score(&self, method: Method) -> Score {
        self.methods.iter().find(|(known, _)| *known == method).map(|(_, score)| *score).unwrap_or_default()
    }
}

/// What an author's previous commit made likely, and when.
struct Ahead {
    time: i64,
    paths: Vec<String>,
}

#[derive(Default)]
struct Tally {
    scores: HashMap<Method, Score>,
    questions: usize,
    needed: usize,
    leads: Vec<i64>,
    wasted: usize,
    suggested: usize,
}

/// `None` when it was stopped. The commits come oldest first.
pub fn run(
    commits: &[Commit],
    protocol: &Protocol,
    terrain: &mut dyn ReplayTerrain,
    weights: &Weights,
    progress: Progress<'_>,
) -> Option<Report> {
    let asked = protocol.asked_of(commits);
    let mut next = asked.iter().copied().peekable();
    let (mut known, mut baselines) = (Cochange::default(), Baselines::default());
    let mut ahead: HashMap<&str, Ahead> = HashMap::new();
    let mut tally = Tally::default();
    for (at, commit) in commits.iter().enumerate() {
        if progress(at, commits.len()).is_break() {
            return None;
        }
        if next.next_if_eq(&at).is_some() {
            let made = tally.ask(commit, &known, terrain, weights, &baselines);
            tally.look_back(commit, ahead.get(commit.author_name.as_str()));
            ahead.insert(&commit.author_name, made);
        }
        known.add(commit);
        baselines.learn(commit);
        terrain.learn(commit);
    }
    Some(tally.report(asked.len()))
}

impl Tally {
    /// Every file of the commit in turn is the one that was opened.
    fn ask(
        &mut self,
        commit: &Commit,
        known: &Cochange,
        terrain: &dyn ReplayTerrain,
        weights: &Weights,
        baselines: &Baselines<'_>,
    ) -> Ahead {
        let files = telling(commit);
        let share = 1.0 / files.len() as f64;
        let mut made = Vec::new();
        for opened in &files {
            let needed: Vec<&str> = files.iter().copied().filter(|file| file != opened).collect();
            let clue = Opened { path: opened, author: Some(&commit.author_name), now: commit.time, recent: &[] };
            let ours = predict(known, terrain.now(), weights, &clue, LIST);
            let paths: Vec<&str> = ours.iter().map(|file| file.path.as_str()).collect();
            self.questions += 1;
            self.scores.entry(Method::Ours).or_default().add(Score::of(&paths, &needed), share);
            for method in Method::ALL.into_iter().filter(|method| *method != Method::Ours) {
                let score = Score::of(&baselines.suggest(method, opened), &needed);
                self.scores.entry(method).or_default().add(score, share);
            }
            self.count_tokens(&ours, &needed);
            made.extend(ours.into_iter().map(|file| (file.score, file.path)));
        }
        made.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        let mut paths: Vec<String> = Vec::new();
        for (_, path) in made {
            if paths.len() < LIST && !paths.contains(&path) {
                paths.push(path);
            }
        }
        Ahead { time: commit.time, paths }
    }

    fn count_tokens(&mut self, suggested: &[PredictedFile], needed: &[&str]) {
        for file in suggested {
            let tokens = token::estimate(&file.path) + token::estimate(&file.why);
            self.suggested += tokens;
            if !needed.contains(&file.path.as_str()) {
                self.wasted += tokens;
            }
        }
    }

    fn look_back(&mut self, commit: &Commit, ahead: Option<&Ahead>) {
        let files = telling(commit);
        self.needed += files.len();
        let Some(ahead) = ahead else { return };
        let seconds = commit.time.saturating_sub(ahead.time);
        if (0..=AHEAD_SECONDS).contains(&seconds) {
            let foreseen = files.iter().filter(|file| ahead.paths.iter().any(|path| path == *file)).count();
            self.leads.extend(std::iter::repeat_n(seconds, foreseen));
        }
    }

    fn report(mut self, commits: usize) -> Report {
        self.leads.sort_unstable();
        let per = |sum: f64, of: usize| if of == 0 { 0.0 } else { sum / of as f64 };
        // Shares that should add up to one may miss it by the last digit.
        let mean = |score: Score| Score {
            hit3: per(score.hit3, commits).min(1.0),
            hit10: per(score.hit10, commits).min(1.0),
            recall10: per(score.recall10, commits).min(1.0),
        };
        let score = |method: Method| mean(self.scores.get(&method).copied().unwrap_or_default());
        Report {
            commits,
            questions: self.questions,
            methods: Method::ALL.map(|method| (method, score(method))).to_vec(),
            lead: Lead {
                foreseen: per(self.leads.len() as f64, self.needed),
                median_seconds: self.leads.get(self.leads.len() / 2).copied().unwrap_or(0),
            },
            waste: Waste {
                tokens_per_prediction: per(self.wasted as f64, self.questions),
                share: per(self.wasted as f64, self.suggested),
            },
        }
    }
}
