//! What is known of the moment a prediction is made for: the file at hand, the branch, what went wrong, who joined.
//! Plain data; all of it may be missing.

use std::sync::Arc;

use crate::context::gate::Situation;
use crate::context::predict::PredictedFile;
use crate::model::{Memory, TaskType};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clues {
    /// The file at hand.
    pub file: Option<String>,
    /// Files that go with it, best first.
    pub related: Vec<PredictedFile>,
    /// Of the file at hand.
    pub symbols: Vec<String>,
    pub branch: Option<BranchClue>,
    /// Newest first.
    pub errors: Vec<ErrorClue>,
    pub author: Option<AuthorClue>,
    pub goal: Option<String>,
    pub activity: Option<TaskType>,
    /// Files at hand just before, newest first.
    pub recent: Vec<String>,
    /// What all of it says, in words.
    pub situation: Situation,
    /// Commits that may matter.
    pub commits: Vec<Arc<Memory>>,
}

impl Clues {
    /// What it is about, in a line: the goal, else the error.
    pub fn subject(&self) -> Option<&str> {
        let error = || self.errors.first().map(|error| error.text.as_str());
        let line = self.goal.as_deref().or_else(error)?.trim_start().lines().next()?.trim_end();
        Some(&line[..line.floor_char_boundary(LONGEST_SUBJECT)]).filter(|line| !line.is_empty())
    }
}

const LONGEST_SUBJECT: usize = 400;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BranchClue {
    pub name: String,
    /// Of its own commits.
    pub subjects: Vec<String>,
    /// That its own commits touch.
    pub files: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorClue {
    pub text: String,
    pub fingerprint: Option<String>,
    pub files: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuthorClue {
    pub name: String,
    /// Folders they work in; where there are none, the history is asked.
    pub areas: Vec<String>,
}
