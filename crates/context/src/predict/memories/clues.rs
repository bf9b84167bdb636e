//! What is known of the moment a prediction is made for: the file at hand, the branch, what went wrong, who joined.
//! Plain data; all of it may be missing.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::words::branch_topic;
use crate::predict::PredictedFile;
use crate::situation::Situation;
use lokid_model::{Memory, TaskType};

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
    /// Memories that the working notes name.
    pub cited: Vec<Arc<Memory>>,
}

impl Clues {
    /// What it is about, in a line: the goal, else the error, else what the branch is called after.
    pub fn subject(&self) -> Option<String> {
        let error = || self.errors.first().and_then(|error| telling_line(&error.text)).map(str::to_owned);
        let branch = || self.branch.as_ref().and_then(|branch| branch_topic(&branch.name));
        let line = self.goal.clone().or_else(error).or_else(branch)?;
        let line = line.trim_start().lines().next()?.trim_end();
        Some(line[..line.floor_char_boundary(LONGEST_SUBJECT)].to_owned()).filter(|line| !line.is_empty())
    }

    /// What is called so in the code, as the goal and the errors name it: `snake_case`, `camelCase`, `call()`.
    pub(crate) fn names(&self) -> BTreeSet<&str> {
        let errors = self.errors.iter().map(|error| error.text.as_str());
        let texts = self.goal.as_deref().into_iter().chain(errors);
        texts.flat_map(|text| names_in(&text[..text.floor_char_boundary(LONGEST_READ)])).collect()
    }

    /// The file at hand; without one, where the errors are.
    pub fn places(&self) -> impl Iterator<Item = &str> {
        let of_errors = self.errors.iter().filter(|_| self.file.is_none()).flat_map(|error| error.files.first());
        self.file.iter().chain(of_errors).map(String::as_str)
    }
}

/// The line of an error that says what went wrong: not the place where, nor the heading of a trace.
fn telling_line(text: &str) -> Option<&str> {
    let is_place = |line: &str| {
        let opening = ["at ", "File \"", "Traceback", "thread '", "--> ", "|", "goroutine ", "stack backtrace"];
        opening.iter().any(|opening| line.starts_with(opening))
    };
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(40);
    let first = lines.clone().next();
    lines.find(|line| !is_place(line)).or(first)
}

const LONGEST_SUBJECT: usize = 400;
const LONGEST_READ: usize = 4_000;
const SHORTEST_NAME: usize = 4;
/// What every error says.
const OF_ERRORS: [&str; 4] = ["Error", "Exception", "NoneType", "unwrap"];

fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|sign: char| !sign.is_alphanumeric() && sign != '_');
    words.filter(move |word| {
        let end = word.as_ptr().addr() - text.as_ptr().addr() + word.len();
        let is_camel = word.as_bytes().windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
        let is_code = is_camel || word.trim_matches('_').contains('_') || text[end..].starts_with('(');
        let is_prefix = text[end..].starts_with("(") && text[end..].contains("): ");
        word.len() >= SHORTEST_NAME && is_code && !is_prefix && !OF_ERRORS.iter().any(|error| word.ends_with(error))
    })
}

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
