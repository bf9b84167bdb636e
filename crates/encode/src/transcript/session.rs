//! A session as both agents tell it: people speak, tools are called and answer, the model answers. Cuts the session
//! into pieces of work and hands each deed to the piece it belongs to. It knows neither agent's format.

use std::collections::{BTreeMap, VecDeque};

use super::Strip;
use super::command::{
    commit_made, error_in, essence, files_edited, files_removed, files_written, is_check, is_search, tells_failure,
    upshot, without_preamble,
};
use super::insight;
use super::paths::relative;
use super::person::{Said, after_thanks, is_interruption, own_words, said};
use super::piece::Piece;
use super::telling::masked;
use crate::excerpt::{both_ends, one_line};
use lokid_model::{Action, Body, Draft, Timestamp};

const MOST_OUTPUT: usize = 2 << 10;
const MOST_TARGET: usize = 200;
const MOST_RESULT: usize = 160;
const MOST_CHANGE: usize = 100;
const MOST_CALLS: usize = 512;
const MOST_HEARD: usize = 128;
const MOST_PIECES: usize = 1_000;
const MOST_LEARNT: usize = 200;
const MOST_SAID: usize = 120;

/// What a call of a tool does to the project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Deed {
    Run(String),
    Edit {
        files: Vec<(String, bool)>,
        change: String,
    },
    Read(Vec<String>),
    /// Plans and lists of the agent itself: no part of what was done.
    Housekeeping,
    #[default]
    Other,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) verb: String,
    pub(super) target: String,
    pub(super) deed: Deed,
    /// Made by an agent that this one sent out: its edits count, its steps do not.
    pub(super) is_side: bool,
}

/// What a tool answered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answer<'t> {
    pub(super) output: &'t str,
    pub(super) failed: bool,
    /// The person refused the call or stopped it.
    pub(super) refused: bool,
}

#[derive(Clone)]
pub(super) struct Session<'a> {
    agent: String,
    strip: &'a Strip<'a>,
    pub(super) id: String,
    root: String,
    cwd: String,
    pub(super) branch: Option<String>,
    piece: Option<Piece>,
    index: u64,
    /// Messages heard of late: some are written twice.
    heard: VecDeque<String>,
    calls: BTreeMap<String, (Call, Option<Timestamp>)>,
    drafts: Vec<Draft>,
    /// What it taught beside.
    learnt: Vec<Draft>,
}

impl<'a> Session<'a> {
    pub(super) fn new(agent: &str, strip: &'a Strip<'a>) -> Session<'a> {
        Session {
            agent: agent.to_owned(),
            strip,
            id: String::new(),
            root: String::new(),
            cwd: String::new(),
            branch: None,
            piece: None,
            index: 0,
            heard: VecDeque::new(),
            calls: BTreeMap::new(),
            drafts: Vec::new(),
            learnt: Vec::new(),
        }
    }

    /// Where the agent is. The first place is the root of the project.
    pub(super) fn stand_in(&mut self, cwd: &str) {
        if self.root.is_empty() {
            cwd.clone_into(&mut self.root);
        }
        cwd.clone_into(&mut self.cwd);
    }

    /// A message in the person's place; `message` is its own id, which outlives copies of the session.
    pub(super) fn person(&mut self, text: &str, message: Option<&str>, at: Option<Timestamp>) {
        if let Some(message) = message {
            if self.heard.iter().any(|heard| heard == message) {
                return;
            }
            if self.heard.len() == MOST_HEARD {
                self.heard.pop_front();
            }
            self.heard.push_back(message.to_owned());
        }
        let stripped = (self.strip)(text);
        if is_interruption(&stripped) {
            return self.interrupted();
        }
        let words = own_words(&stripped);
        if words.is_empty() {
            return;
        }
        // Who says more has pasted a report, whose words are somebody else's.
        let is_said = words.split_whitespace().nth(MOST_SAID).is_none();
        for (kind, text) in insight::said(&words, self.piece.is_some()) {
            if is_said && self.learnt.len() < MOST_LEARNT {
                self.learnt.push(insight::of_person(kind, text, &self.agent, &self.id, at));
            }
        }
        let meaning = said(&words);
        if let Some(piece) = &mut self.piece {
            if meaning != Said::Goal || !piece.is_complete() {
                piece.touch(at);
                return piece.hear(meaning, &words);
            }
            if after_thanks(&words).is_some() {
                piece.hear(Said::Thanks, &words);
            }
        }
        let goal = after_thanks(&words).filter(|rest| !rest.is_empty()).unwrap_or(&words);
        self.close();
        let seed = match message {
            Some(message) => format!("{}\nmessage\n{message}", self.agent),
            None => format!("{}\nsession\n{}\n{}", self.agent, self.id, self.index),
        };
        let name = blake3::hash(seed.as_bytes()).to_hex()[..8].to_owned();
        self.index += 1;
        self.piece = Some(Piece::new(name, goal, at));
    }

    pub(super) fn call(&mut self, id: &str, call: Call, at: Option<Timestamp>) {
        if self.calls.len() >= MOST_CALLS {
            self.calls.pop_first();
        }
        self.calls.insert(id.to_owned(), (call, at));
    }

    /// A call that waits for its answer.
    pub(super) fn waiting(&mut self, id: &str) -> Option<&mut Call> {
        self.calls.get_mut(id).map(|(call, _)| call)
    }

    pub(super) fn answered(&mut self, id: &str, answer: Answer<'_>, at: Option<Timestamp>) {
        let Some((call, called)) = self.calls.remove(id) else { return };
        let Some(piece) = &mut self.piece else { return };
        piece.touch(at);
        let output = (self.strip)(answer.output);
        let output = without_preamble(&output);
        let Call { verb, target, deed, is_side } = call;
        let mut failed = answer.failed;
        match &deed {
            Deed::Run(command) if !answer.refused && !is_side => {
                let core = essence(command);
                for path in files_written(command).filter_map(|path| relative(path, &self.root, &self.cwd)) {
                    piece.write_by_hand(path);
                }
                let checks = is_check(&core);
                // Behind a pipe the exit code is that of another program.
                failed |= checks && command.contains('|') && tells_failure(&output);
                if failed && !is_search(&core) {
                    piece.command_failed(&core, checks, &both_ends(&output, MOST_OUTPUT), &self.root);
                } else if !failed {
                    piece.command_passed(&core, checks, !checks && !is_search(&core));
                    piece.commit = commit_made(command, &output).or(piece.commit.take());
                    for path in files_edited(command).filter_map(|path| relative(path, &self.root, &self.cwd)) {
                        piece.edit_file(path, false, &one_line(&core, MOST_CHANGE));
                    }
                    for path in files_removed(command).filter_map(|path| relative(path, &self.root, &self.cwd)) {
                        piece.remove_file(&path);
                    }
                }
            }
            Deed::Edit { files, change } if !failed && !answer.refused => {
                for (path, created) in files {
                    if let Some(path) = relative(path, &self.root, &self.cwd) {
                        piece.edit_file(path, *created && !output.contains("has been updated"), change);
                    }
                }
            }
            Deed::Read(files) if !failed => {
                files
                    .iter()
                    .filter_map(|path| relative(path, &self.root, &self.cwd))
                    .for_each(|path| piece.read_file(path));
            }
            _ => {}
        }
        if is_side || deed == Deed::Housekeeping {
            return;
        }
        let shown = both_ends(&output, MOST_OUTPUT);
        let (result, error) = match (answer.refused, failed) {
            (true, _) => ("refused by the person".to_owned(), String::new()),
            (false, true) => (String::new(), one_line(&masked(&error_in(&shown).1, &self.root), MOST_RESULT)),
            (false, false) if matches!(deed, Deed::Run(_) | Deed::Other) => {
                (masked(&upshot(&shown, MOST_RESULT), &self.root), String::new())
            }
            (false, false) => ("ok".to_owned(), String::new()),
        };
        let is_path = matches!(deed, Deed::Edit { .. } | Deed::Read(_));
        let inside = if is_path { relative(&target, &self.root, &self.cwd) } else { None };
        let target = inside.unwrap_or_else(|| one_line(&masked(&(self.strip)(&target), &self.root), MOST_TARGET));
        piece.log(Action { t: piece.since_start(called.or(at)), action: verb, target, result, error });
        if answer.refused {
            piece.interrupt();
        }
    }

    /// The model spoke. `done` when it has finished its turn.
    pub(super) fn spoke(&mut self, words: &str, done: bool, at: Option<Timestamp>) {
        if let Some(piece) = &mut self.piece {
            piece.touch(at);
            if done {
                piece.answer(&(self.strip)(words));
            }
        }
    }

    pub(super) fn tokens(&mut self, count: u64) {
        if let Some(piece) = &mut self.piece {
            piece.tokens = piece.tokens.saturating_add(count);
        }
    }

    pub(super) fn interrupted(&mut self) {
        if let Some(piece) = &mut self.piece {
            piece.interrupt();
        }
    }

    pub(super) fn broke_off(&mut self) {
        if let Some(piece) = &mut self.piece {
            piece.break_off();
        }
    }

    fn close(&mut self) {
        let Some(piece) = self.piece.take() else { return };
        if self.drafts.len() >= MOST_PIECES {
            return;
        }
        let Some(draft) = piece.into_draft(&self.agent, &self.id, self.branch.as_deref(), &self.root) else { return };
        if let Body::Episode(episode) = &draft.body
            && self.learnt.len() < MOST_LEARNT
        {
            self.learnt.extend(insight::of_errors(&draft, episode));
        }
        self.drafts.push(draft);
    }

    pub(super) fn finish(mut self) -> Vec<Draft> {
        // What was called and never answered was done for all we know; how it went nobody says.
        let unanswered: Vec<String> = self.calls.keys().cloned().collect();
        for id in unanswered {
            if let Some((call, at)) = self.calls.remove(&id)
                && let Some(piece) = &mut self.piece
                && !call.is_side
                && call.deed != Deed::Housekeeping
            {
                let target = one_line(&call.target, MOST_TARGET);
                piece.log(Action { t: piece.since_start(at), action: call.verb, target, ..Action::default() });
            }
        }
        self.close();
        self.drafts.append(&mut self.learnt);
        self.drafts
    }
}
