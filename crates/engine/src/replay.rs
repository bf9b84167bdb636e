//! Replaying a repository's history: how often would the files of a commit have been foretold? Reads git, keeps nothing.

use std::ops::ControlFlow;
use std::path::Path;

use super::ground::HistoryGround;
use lokid_context::predict::files::Weights;
use lokid_context::predict::terrain::Terrain;
use lokid_context::replay::text::{self, TextReport};
use lokid_context::replay::{Blind, Fitted, Protocol, ReplayTerrain, Report, fit, run};
use lokid_model::Commit;
use lokid_sys::git::history;

/// Commits that must come before the first that is asked about.
const FEWEST: usize = 8;

/// What is going on, for whoever waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Reading,
    Fitting,
    Replaying,
    ReadingFiles,
    ReplayingWithFiles,
    Goals,
}

/// Told the stage and how far it is; may stop it all.
pub type Progress<'a> = &'a mut dyn FnMut(Stage, usize, usize) -> ControlFlow<()>;

/// What to replay.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The newest commits.
    pub most: usize,
    /// Look at what stood in the files, too.
    pub content: bool,
    pub fit: bool,
}

pub struct Replayed {
    pub commits: usize,
    /// From history alone.
    pub history: Report,
    /// With what stood in the files at that time.
    pub content: Option<Report>,
    pub goals: TextReport,
    pub fitted: Option<Fitted>,
}

#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error("there is no git repository, or it has no commit")]
    NoHistory,
    #[error("{0} commits are too few: the last fifth of those that change 2 to 30 files is foretold from the rest")]
    TooShort(usize),
    #[error("interrupted")]
    Stopped,
}

/// `weights` are used unless they are fitted anew.
pub fn replay(root: &Path, weights: &Weights, plan: Plan, progress: Progress<'_>) -> Result<Replayed, ReplayError> {
    let commits = read(root, plan.most, progress)?;
    let protocol = Protocol::default();
    let first = protocol.first_asked(&commits).filter(|first| *first >= FEWEST);
    let first = first.ok_or(ReplayError::TooShort(commits.len()))?;
    let fitted = match plan.fit {
        true => {
            let mut told = |done, all| progress(Stage::Fitting, done, all);
            Some(fit(&commits, &protocol, &mut Blind, &mut told).ok_or(ReplayError::Stopped)?)
        }
        false => None,
    };
    // Weights that do no better where they were tried are not worth having.
    let fitted_weights = fitted.as_ref().filter(|fitted| fitted.helps()).map(|fitted| &fitted.weights);
    let weights = fitted_weights.unwrap_or(weights);
    let mut told = |done, all| progress(Stage::Replaying, done, all);
    let history = run(&commits, &protocol, &mut Blind, weights, &mut told).ok_or(ReplayError::Stopped)?;
    let content = match plan.content {
        true => with_content(root, &commits, first, &protocol, weights, progress)?,
        false => None,
    };
    let mut stopped = false;
    let goals = text::run(&commits, |done, all| stopped |= progress(Stage::Goals, done, all).is_break());
    if stopped {
        return Err(ReplayError::Stopped);
    }
    Ok(Replayed { commits: commits.len(), history, content, goals, fitted })
}

/// Oldest first.
fn read(root: &Path, most: usize, progress: Progress<'_>) -> Result<Vec<Commit>, ReplayError> {
    let mut commits = Vec::new();
    let mut stopped = false;
    let mined = history::mine(root, None, most, &mut |commit| {
        commits.push(commit);
        let flow = progress(Stage::Reading, commits.len(), most);
        stopped |= flow.is_break();
        flow
    });
    if stopped {
        return Err(ReplayError::Stopped);
    }
    if mined.is_none() || commits.is_empty() {
        return Err(ReplayError::NoHistory);
    }
    commits.reverse();
    Ok(commits)
}

fn with_content(
    root: &Path,
    commits: &[Commit],
    first: usize,
    protocol: &Protocol,
    weights: &Weights,
    progress: Progress<'_>,
) -> Result<Option<Report>, ReplayError> {
    let Some(before) = first.checked_sub(1).map(|at| commits[at].id.clone()) else { return Ok(None) };
    let mut stopped = false;
    let ground = HistoryGround::at(root, &before, &mut |done, all| {
        stopped |= progress(Stage::ReadingFiles, done, all).is_break();
    });
    if stopped {
        return Err(ReplayError::Stopped);
    }
    let Some(ground) = ground else { return Ok(None) };
    let mut terrain = Then { ground, before, has_begun: false };
    let mut told = |done, all| progress(Stage::ReplayingWithFiles, done, all);
    run(commits, protocol, &mut terrain, weights, &mut told).map(Some).ok_or(ReplayError::Stopped)
}

/// The working tree as it was, from the first commit that is asked about on.
struct Then {
    ground: HistoryGround,
    before: String,
    has_begun: bool,
}

impl ReplayTerrain for Then {
    fn now(&self) -> &dyn Terrain {
        self.ground.ground()
    }

    fn learn(&mut self, commit: &Commit) {
        if self.has_begun {
            self.ground.learn(commit);
        }
        self.has_begun |= commit.id == self.before;
    }
}
