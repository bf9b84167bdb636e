//! One piece of work out of a session, from the words that began it to the last thing done for it; it ends as the
//! draft of an episode. What it keeps is bounded, however long the work.

use std::collections::VecDeque;

use super::command::{covers, error_in, is_generic};
use super::person::Said;
use super::telling;
use crate::excerpt::one_line;
use lokid_model::{
    Action, Body, Draft, Episode, EpisodeError, Kind, MemoryId, Outcome, Source, Tier, Timestamp, noise, time::SECOND,
};

/// How work begins and how it ends is what one wants to know of it.
const FIRST_ACTIONS: usize = 40;
const LAST_ACTIONS: usize = 80;
const MOST_FILES: usize = 200;
const MOST_ERRORS: usize = 40;
const MOST_CONSTRAINTS: usize = 10;
/// What came last before a command passed is what made it pass.
const MOST_STEPS: usize = 2;
const MOST_CHANGES: usize = 4;
const MOST_CONSTRAINT: usize = 300;
/// How files are called that are made to try something.
const TRIES: [&str; 9] = ["test_", "repro", "debug", "verify", "check_", "demo", "tmp", "scratch", "try_"];
/// Fewer words than these, and nothing done, is a greeting.
const GREETING_WORDS: usize = 3;

#[derive(Clone)]
pub(super) struct Piece {
    pub(super) name: String,
    goal: String,
    constraints: Vec<String>,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    first: Vec<Action>,
    last: VecDeque<Action>,
    left_out: usize,
    failures: Vec<Failure>,
    read: Vec<String>,
    modified: Vec<String>,
    created: Vec<String>,
    /// Made in this piece and thrown away again.
    removed: Vec<String>,
    /// The last change to each file, in the order they were made.
    changes: Vec<(String, String)>,
    /// The agent's last words.
    said: String,
    pub(super) commit: Option<String>,
    pub(super) tokens: u64,
    evidence: Evidence,
}

/// A command that failed, and what was done about it until it passed.
#[derive(Clone)]
struct Failure {
    command: String,
    is_check: bool,
    kind: String,
    message: String,
    edits: Vec<(String, String)>,
    runs: Vec<String>,
    passed: bool,
    /// So many files had been changed before.
    changed: usize,
}

/// What speaks for success and what against it, and in which order: a check says nothing of what was changed after it.
#[derive(Clone, Default)]
struct Evidence {
    checked: Option<bool>,
    some_check_passed: bool,
    changed_since: bool,
    answered: bool,
    interrupted: bool,
    broke_off: bool,
    thanked: bool,
    complained: bool,
}

impl Piece {
    pub(super) fn new(name: String, goal: &str, at: Option<Timestamp>) -> Piece {
        Piece {
            name,
            goal: telling::goal(goal),
            constraints: Vec::new(),
            start: at,
            end: at,
            first: Vec::new(),
            last: VecDeque::new(),
            left_out: 0,
            failures: Vec::new(),
            read: Vec::new(),
            modified: Vec::new(),
            created: Vec::new(),
            removed: Vec::new(),
            changes: Vec::new(),
            said: String::new(),
            commit: None,
            tokens: 0,
            evidence: Evidence::default(),
        }
    }

    /// The agent has answered and nothing is under way.
    pub(super) fn is_complete(&self) -> bool {
        self.evidence.answered && !self.evidence.interrupted
    }

    pub(super) fn touch(&mut self, at: Option<Timestamp>) {
        self.start = self.start.or(at);
        self.end = self.end.max(at);
    }

    /// Seconds into the piece.
    pub(super) fn since_start(&self, at: Option<Timestamp>) -> Option<f64> {
        let micros = at?.as_micros() - self.start?.as_micros();
        Some((micros.max(0) / 1_000) as f64 / 1_000.0)
    }

    pub(super) fn hear(&mut self, said: Said, text: &str) {
        match said {
            Said::Thanks => self.evidence.thanked = true,
            Said::Complaint => {
                self.evidence.complained = true;
                self.evidence.thanked = false;
            }
            Said::Nod | Said::Goal | Said::Addition => {}
        }
        let adds = matches!(said, Said::Complaint | Said::Goal | Said::Addition);
        if adds && self.constraints.len() < MOST_CONSTRAINTS {
            self.constraints.push(one_line(text, MOST_CONSTRAINT));
        }
        if said != Said::Thanks {
            self.evidence.answered = false;
        }
        self.evidence.interrupted = false;
    }

    /// The agent has answered; an answer without words is one, too.
    pub(super) fn answer(&mut self, words: &str) {
        self.evidence.answered = true;
        self.evidence.broke_off = false;
        if !words.trim().is_empty() {
            words.clone_into(&mut self.said);
        }
    }

    pub(super) fn interrupt(&mut self) {
        self.evidence.interrupted = true;
    }

    /// The model could not be reached, or gave up.
    pub(super) fn break_off(&mut self) {
        self.evidence.broke_off = true;
    }

    pub(super) fn log(&mut self, action: Action) {
        self.evidence.interrupted = false;
        self.evidence.answered = false;
        if self.first.len() < FIRST_ACTIONS {
            return self.first.push(action);
        }
        if self.last.len() == LAST_ACTIONS {
            self.last.pop_front();
            self.left_out += 1;
        }
        self.last.push_back(action);
    }

    pub(super) fn read_file(&mut self, path: String) {
        keep(&mut self.read, path);
    }

    /// A file was changed; `change` says how in a few words.
    pub(super) fn edit_file(&mut self, path: String, created: bool, change: &str) {
        let step = (path.clone(), change.to_owned());
        for failure in self.failures.iter_mut().filter(|failure| !failure.passed) {
            keep_last(&mut failure.edits, step.clone());
        }
        self.changes.retain(|(known, change)| *known != path || (!change.is_empty() && step.1.is_empty()));
        if !self.changes.iter().any(|(known, _)| *known == path) && self.changes.len() < MOST_FILES {
            self.changes.push(step);
        }
        self.removed.retain(|removed| *removed != path);
        self.evidence.complained = false;
        self.evidence.changed_since = true;
        let is_new = created && !self.read.contains(&path) && !self.modified.contains(&path);
        if is_new {
            keep(&mut self.created, path.clone());
        }
        keep(&mut self.modified, path);
    }

    /// The shell wrote a file; only what is made to try something is of interest.
    pub(super) fn write_by_hand(&mut self, path: String) {
        if is_try(&path) {
            keep(&mut self.created, path);
        }
    }

    /// `rm` took a file away again.
    pub(super) fn remove_file(&mut self, path: &str) {
        if self.created.iter().any(|created| created == path) {
            keep(&mut self.removed, path.to_owned());
        }
    }

    /// Made only to try something: taken away again, or alone in its folder. A try is known by its name, wherever it was
    /// moved to.
    fn is_scratch(&self, path: &str) -> bool {
        let is_old = |other: &&String| !self.created.contains(other);
        let has_company =
            || self.read.iter().chain(&self.modified).filter(is_old).any(|other| folder(other) == folder(path));
        let is_made = || self.created.iter().any(|created| created == path);
        self.removed.iter().any(|removed| removed == path)
            || (is_try(path) && self.created.iter().any(|created| name(created) == name(path)))
            || (!is_try(path) && is_made() && !has_company())
    }

    pub(super) fn command_failed(&mut self, command: &str, is_check: bool, output: &str, root: &str) {
        let (kind, message) = error_in(output);
        // A tool that is missing says nothing about the work.
        let is_environment = noise::is_of_the_room(&message);
        if is_check && !is_environment {
            self.evidence.checked = Some(false);
            self.evidence.changed_since = false;
        }
        if is_environment || is_generic(command) {
            return;
        }
        let message = if message.is_empty() { format!("{} failed", one_line(command, 120)) } else { message };
        let message = telling::masked(&message, root);
        // The same failure again is not another one; a different message is.
        let is_known = |failure: &Failure| !failure.passed && failure.command == command && failure.message == message;
        if self.failures.iter().any(is_known) || self.failures.len() == MOST_ERRORS {
            return;
        }
        let command = command.to_owned();
        self.failures.push(Failure {
            command,
            is_check,
            kind,
            message,
            edits: Vec::new(),
            runs: Vec::new(),
            passed: false,
            changed: self.modified.len(),
        });
    }

    pub(super) fn command_passed(&mut self, command: &str, is_check: bool, is_step: bool) {
        if is_check {
            self.evidence.checked = Some(true);
            self.evidence.some_check_passed = true;
            self.evidence.changed_since = false;
            self.evidence.complained = false;
        }
        for failure in self.failures.iter_mut().filter(|failure| !failure.passed) {
            if covers(command, &failure.command) {
                failure.passed = true;
            } else if is_step && !is_generic(command) {
                keep_last(&mut failure.runs, one_line(command, 120));
            }
        }
    }

    /// Errors that tell somebody something: those that a change to the project ended, those a command of use ended, and
    /// checks that fail to this day.
    fn errors(&self) -> Vec<EpisodeError> {
        let told = |(path, change): &(String, String)| match change.is_empty() {
            true => path.clone(),
            false => format!("{path} ({change})"),
        };
        let mut errors: Vec<EpisodeError> = Vec::new();
        // What failed before something else passed was left behind, and a try that was made up proves nothing.
        let is_open = self.evidence.checked == Some(false);
        let is_made_up =
            |command: &str| self.created.iter().any(|path| self.is_scratch(path) && command.contains(name(path)));
        for failure in &self.failures {
            let lasting = || failure.edits.iter().filter(|(path, _)| !self.is_scratch(path));
            let edits: Vec<String> = lasting().map(told).collect();
            // What a try printed is what its writer thought.
            if failure.kind.is_empty() && is_made_up(&failure.command) {
                continue;
            }
            // What came of one's own change, and went when that was done right, was never there.
            let own = &self.modified[..failure.changed];
            if failure.passed && !edits.is_empty() && lasting().all(|(path, _)| own.contains(path)) {
                continue;
            }
            let resolution = match (failure.passed, edits.is_empty(), failure.runs.is_empty()) {
                (true, false, _) => format!("edited {}", edits.join(", ")),
                (true, true, false) => format!("ran {}", failure.runs.join(", ")),
                (true, true, true) => continue,
                (false, ..) if failure.is_check && is_open && !is_made_up(&failure.command) => String::new(),
                (false, ..) => continue,
            };
            if !errors.iter().any(|known| known.message == failure.message) {
                let (kind, message) = (failure.kind.clone(), failure.message.clone());
                errors.push(EpisodeError { kind, message, resolution });
            }
        }
        errors
    }

    /// By what happened: the person's words, checks that ran after the last change, a commit. What nobody checked is
    /// done in part for all we know.
    fn outcome(&self) -> Outcome {
        let evidence = &self.evidence;
        if evidence.thanked {
            return Outcome::Success;
        }
        if evidence.complained {
            return Outcome::Failure;
        }
        if evidence.interrupted {
            return Outcome::Partial;
        }
        if evidence.broke_off {
            return if self.modified.is_empty() { Outcome::Failure } else { Outcome::Partial };
        }
        let changed = self.modified.iter().any(|path| !self.is_scratch(path));
        match evidence.checked {
            Some(true) if !evidence.changed_since || self.commit.is_some() || !changed => Outcome::Success,
            Some(false) if !evidence.some_check_passed && !evidence.changed_since => Outcome::Failure,
            Some(_) => Outcome::Partial,
            None if self.commit.is_some() => Outcome::Success,
            None if changed || !evidence.answered => Outcome::Partial,
            None => Outcome::Success,
        }
    }

    fn phase(&self) -> &'static str {
        match (self.modified.is_empty(), self.failures.iter().any(|failure| failure.is_check)) {
            (true, _) if self.evidence.checked.is_some() => "review",
            (true, _) => "exploration",
            (false, true) => "debugging",
            (false, false) => "implementation",
        }
    }

    /// Files that matter first: those that were there before, then new ones, then what was made only to try something.
    fn in_order(&self, files: &[String]) -> Vec<String> {
        let mut files = files.to_vec();
        files.sort_by_key(|path| match (self.is_scratch(path), self.created.contains(path)) {
            (true, _) => 2,
            (false, true) => 1,
            (false, false) => 0,
        });
        files
    }

    /// The episode, unless nothing happened in it.
    pub(super) fn into_draft(self, agent: &str, session: &str, branch: Option<&str>, root: &str) -> Option<Draft> {
        let idle = self.first.is_empty() && self.modified.is_empty();
        if idle && (self.goal.split_whitespace().count() < GREETING_WORDS || !self.evidence.answered) {
            return None;
        }
        let (outcome, phase, errors) = (self.outcome(), self.phase(), self.errors());
        let (modified, artifacts) = (self.in_order(&self.modified), self.in_order(&self.created));
        let mut changes = self.changes.clone();
        changes.retain(|(path, change)| !change.is_empty() && !self.is_scratch(path));
        changes.reverse();
        changes.sort_by_key(|(path, _)| is_beside(path));
        changes.truncate(MOST_CHANGES);
        let mut files: Vec<String> = modified.iter().filter(|path| !self.is_scratch(path)).cloned().collect();
        let mut actions = self.first;
        if self.left_out > 0 {
            let target = format!("{} actions", self.left_out);
            actions.push(Action { action: "omitted".to_owned(), target, ..Action::default() });
        }
        actions.extend(self.last);
        let seconds = |start: Timestamp, end: Timestamp| (end.as_micros() - start.as_micros()).max(0) / SECOND;
        let day = self.start.map(|at| at.day()).unwrap_or_else(|| "undated".to_owned());
        self.read.iter().for_each(|file| keep(&mut files, file.clone()));
        let mut tags = vec!["transcript".to_owned(), agent.to_owned()];
        tags.extend(branch.map(|branch| format!("branch:{branch}")));
        let title = telling::title(&self.goal);
        let episode = Episode {
            task_id: format!("{agent}-{}", self.name),
            duration_seconds: self.start.zip(self.end).map(|(start, end)| seconds(start, end) as f64),
            agent: agent.to_owned(),
            phase: phase.to_owned(),
            goal: self.goal,
            constraints: self.constraints,
            action_log: actions,
            errors,
            artifacts,
            git_commit: self.commit.clone(),
            tokens_used: (self.tokens > 0).then_some(self.tokens),
            files_read: self.read,
            files_modified: modified,
            conclusion: telling::masked(&telling::conclusion(&self.said), root),
            changes: changes.into_iter().map(|(path, change)| format!("{path}: {change}")).collect(),
        };
        Some(Draft {
            id: MemoryId::new(&format!("ep-{day}-{}", self.name)),
            title,
            tier: Some(Tier::Reference),
            tags,
            files,
            commits: self.commit.into_iter().collect(),
            importance: idle.then_some(0.3),
            timestamp: self.start,
            source: Some(Source::Import),
            actor: Some(agent.to_owned()),
            sources: if session.is_empty() { Vec::new() } else { vec![format!("{agent}:{session}")] },
            outcome: Some(outcome),
            body: Body::Episode(Box::new(episode)),
            ..Draft::new(Kind::Episode, String::new())
        })
    }
}

fn keep(list: &mut Vec<String>, item: String) {
    if list.len() < MOST_FILES && !list.contains(&item) {
        list.push(item);
    }
}

fn keep_last<T: PartialEq>(list: &mut Vec<T>, item: T) {
    list.retain(|known| *known != item);
    if list.len() == MOST_STEPS {
        list.remove(0);
    }
    list.push(item);
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Is it called like a file that is made to try something, and not among the tests?
fn is_try(path: &str) -> bool {
    !is_beside(folder(path)) && TRIES.iter().any(|word| name(path).starts_with(word))
}

/// Tests and words about a change come behind the change.
fn is_beside(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let is_prose = [".md", ".rst", ".txt"].iter().any(|ending| path.ends_with(ending));
    is_prose || path.split(['/', '_', '.', '-']).any(|part| ["test", "tests", "spec", "specs"].contains(&part))
}
