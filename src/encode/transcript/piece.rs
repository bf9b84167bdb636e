//! One piece of work out of a session, from the words that began it to the last thing done for it; it ends as the
//! draft of an episode. What it keeps is bounded, however long the work.

use std::collections::VecDeque;

use super::command::{covers, error_in};
use super::person::Said;
use crate::encode::excerpt::{cut, one_line};
use crate::model::{
    Action, Body, Draft, Episode, EpisodeError, Kind, MemoryId, Outcome, Source, Tier, Timestamp, time::SECOND,
};

/// How work begins and how it ends is what one wants to know of it.
const FIRST_ACTIONS: usize = 40;
const LAST_ACTIONS: usize = 80;
const MOST_FILES: usize = 200;
const MOST_ERRORS: usize = 40;
const MOST_CONSTRAINTS: usize = 10;
const MOST_STEPS: usize = 6;
const MOST_GOAL: usize = 600;
const MOST_CONSTRAINT: usize = 300;
const MOST_TITLE: usize = 120;
/// Fewer words than these, and nothing done, is a greeting.
const GREETING_WORDS: usize = 3;

pub(super) struct Piece {
    pub(super) name: String,
    goal: String,
    constraints: Vec<String>,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    first: Vec<Action>,
    last: VecDeque<Action>,
    left_out: usize,
    errors: Vec<EpisodeError>,
    open: Vec<Open>,
    read: Vec<String>,
    modified: Vec<String>,
    created: Vec<String>,
    pub(super) commit: Option<String>,
    pub(super) tokens: u64,
    evidence: Evidence,
}

/// A command that failed and has not passed since.
struct Open {
    command: String,
    /// Where its error stands, if there was room.
    error: Option<usize>,
    edits: Vec<String>,
    runs: Vec<String>,
}

/// What speaks for success and what against it.
#[derive(Default)]
struct Evidence {
    last_check: Option<bool>,
    some_check_passed: bool,
    last_run_failed: bool,
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
            goal: cut(goal, MOST_GOAL),
            constraints: Vec::new(),
            start: at,
            end: at,
            first: Vec::new(),
            last: VecDeque::new(),
            left_out: 0,
            errors: Vec::new(),
            open: Vec::new(),
            read: Vec::new(),
            modified: Vec::new(),
            created: Vec::new(),
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

    pub(super) fn answer(&mut self) {
        self.evidence.answered = true;
        self.evidence.broke_off = false;
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
        let step = if change.is_empty() { path.clone() } else { format!("{path} ({change})") };
        for open in &mut self.open {
            keep_few(&mut open.edits, &step);
        }
        self.evidence.complained = false;
        if created {
            keep(&mut self.created, path.clone());
        }
        keep(&mut self.modified, path);
    }

    pub(super) fn command_failed(&mut self, command: &str, is_check: bool, output: &str) {
        self.evidence.last_run_failed = true;
        if is_check {
            self.evidence.last_check = Some(false);
        }
        let (kind, message) = error_in(output);
        let message = if message.is_empty() { format!("{} failed", one_line(command, 120)) } else { message };
        let open = self.open.iter().position(|open| open.command == command);
        let known = open.and_then(|at| self.open[at].error).is_some_and(|at| self.errors[at].message == message);
        // The same failure again is not another one; a different message is.
        if known {
            return;
        }
        let error = (self.errors.len() < MOST_ERRORS).then(|| {
            self.errors.push(EpisodeError { kind, message, resolution: String::new() });
            self.errors.len() - 1
        });
        if self.open.len() < MOST_ERRORS {
            self.open.push(Open { command: command.to_owned(), error, edits: Vec::new(), runs: Vec::new() });
        }
    }

    pub(super) fn command_passed(&mut self, command: &str, is_check: bool, is_step: bool) {
        self.evidence.last_run_failed = false;
        if is_check {
            self.evidence.last_check = Some(true);
            self.evidence.some_check_passed = true;
            self.evidence.complained = false;
        }
        let (resolved, rest): (Vec<Open>, Vec<Open>) =
            std::mem::take(&mut self.open).into_iter().partition(|open| covers(command, &open.command));
        self.open = rest;
        for open in resolved {
            let Some(error) = open.error.and_then(|at| self.errors.get_mut(at)) else { continue };
            error.resolution = match (open.edits.is_empty(), open.runs.is_empty()) {
                (false, _) => format!("edited {}", open.edits.join(", ")),
                (true, false) => format!("ran {}", open.runs.join(", ")),
                (true, true) => "passed when run again".to_owned(),
            };
        }
        if is_step {
            for open in &mut self.open {
                keep_few(&mut open.runs, &one_line(command, 120));
            }
        }
    }

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
        match evidence.last_check {
            Some(true) => Outcome::Success,
            Some(false) if evidence.some_check_passed => Outcome::Partial,
            Some(false) => Outcome::Failure,
            None if evidence.last_run_failed || !evidence.answered => Outcome::Partial,
            None => Outcome::Success,
        }
    }

    /// The episode, unless nothing happened in it.
    pub(super) fn into_draft(self, agent: &str, session: &str, branch: Option<&str>) -> Option<Draft> {
        let idle = self.first.is_empty() && self.modified.is_empty();
        if idle && (self.goal.split_whitespace().count() < GREETING_WORDS || !self.evidence.answered) {
            return None;
        }
        let outcome = self.outcome();
        let mut actions = self.first;
        if self.left_out > 0 {
            let target = format!("{} actions", self.left_out);
            actions.push(Action { action: "omitted".to_owned(), target, ..Action::default() });
        }
        actions.extend(self.last);
        let seconds = |start: Timestamp, end: Timestamp| (end.as_micros() - start.as_micros()).max(0) / SECOND;
        let day = self.start.map(|at| at.day()).unwrap_or_else(|| "undated".to_owned());
        let mut files = self.modified.clone();
        self.read.iter().for_each(|file| keep(&mut files, file.clone()));
        let mut tags = vec!["transcript".to_owned(), agent.to_owned()];
        tags.extend(branch.map(|branch| format!("branch:{branch}")));
        let title = one_line(self.goal.lines().find(|line| !line.trim().is_empty()).unwrap_or_default(), MOST_TITLE);
        let episode = Episode {
            task_id: format!("{agent}-{}", self.name),
            duration_seconds: self.start.zip(self.end).map(|(start, end)| seconds(start, end) as f64),
            agent: agent.to_owned(),
            phase: String::new(),
            goal: self.goal,
            constraints: self.constraints,
            action_log: actions,
            errors: self.errors,
            artifacts: self.created,
            git_commit: self.commit.clone(),
            tokens_used: (self.tokens > 0).then_some(self.tokens),
            files_read: self.read,
            files_modified: self.modified,
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

fn keep_few(list: &mut Vec<String>, item: &str) {
    if list.len() < MOST_STEPS && !list.iter().any(|known| known == item) {
        list.push(item.to_owned());
    }
}
