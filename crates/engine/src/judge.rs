//! The judge: a program or a server that is asked about two statements which the rules cannot tell apart. One for the
//! whole daemon: it is asked one thing at a time, so many times a day, and never the same thing twice.
//!
//! Nobody is asked unless the configuration names somebody. It tells a verdict and decides nothing; while it is asked
//! the caller waits, so only work that nobody waits for may ask.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use lokid_config::JudgeConfig;
use lokid_manage::judge::{Memo, Question, verdict_of, verdict_of_chat};
use lokid_model::{Timestamp, Verdict};
use lokid_sys::{child, http, plain};

/// How long an answer is waited for, and how long it may be.
const PATIENCE: Duration = Duration::from_secs(20);
const LONGEST: usize = 256 << 10;
/// How long somebody else's question is waited for between two looks at whether all is called off.
const GLANCE: Duration = Duration::from_millis(50);
/// Whoever fails so often in a row is left alone for so many microseconds.
const FAILURES: u32 = 3;
const REST: i64 = 3_600_000_000;
/// A larger file is not ours.
const LARGEST: u64 = 4 << 20;

pub struct Judge {
    path: Option<PathBuf>,
    state: Mutex<JudgeState>,
    /// Held while somebody is asked.
    turn: Mutex<()>,
    stopping: AtomicBool,
}

#[derive(Default)]
struct JudgeState {
    memo: Memo,
    failures: u32,
    rests_until: Option<Timestamp>,
}

#[derive(Debug, thiserror::Error)]
enum AskError {
    #[error(transparent)]
    Child(#[from] child::ChildError),
    #[error(transparent)]
    Http(#[from] http::HttpError),
}

impl Judge {
    /// Answers are kept in a file at `path`; one that cannot be read costs them, nothing else.
    pub fn open(path: Option<PathBuf>) -> Judge {
        let text = path.as_deref().and_then(|path| plain::read_text(path, LARGEST).ok().flatten());
        let memo = Memo::from_text(&text.unwrap_or_default(), 0);
        let state = JudgeState { memo, ..JudgeState::default() };
        Judge { path, state: Mutex::new(state), turn: Mutex::new(()), stopping: AtomicBool::new(false) }
    }

    /// What is being asked is called off, its program ended; nothing is asked any more.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    /// What two statements are to each other, if somebody may be asked, is there to answer and knows.
    pub fn ask(
        &self,
        config: &JudgeConfig,
        a: &str,
        b: &str,
        now: Timestamp,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<Verdict> {
        if config.command.is_empty() && config.url.is_none() {
            return None;
        }
        let question = Question::of(a, b)?;
        let cancelled = || self.stopping.load(Ordering::SeqCst) || cancelled();
        if let Some(known) = self.known(&question, now) {
            return known;
        }
        let _turn = loop {
            if cancelled() {
                return None;
            }
            if let Some(turn) = self.turn.try_lock_for(GLANCE) {
                break turn;
            }
        };
        // Whoever had the turn before may have asked the same.
        if let Some(known) = self.known(&question, now) {
            return known;
        }
        if !self.may_ask(config, now) {
            return None;
        }
        let answer = put(config, &question, &cancelled);
        self.heard(&question, answer, now)
    }

    fn known(&self, question: &Question, now: Timestamp) -> Option<Option<Verdict>> {
        self.state.lock().memo.known(question.key(), now)
    }

    fn may_ask(&self, config: &JudgeConfig, now: Timestamp) -> bool {
        let mut state = self.state.lock();
        // Also before, should the clock have been set back.
        if state.rests_until.is_some_and(|until| (0..=REST).contains(&(until.as_micros() - now.as_micros()))) {
            return false;
        }
        state.memo.budget.most = config.max_per_day;
        state.memo.budget.take(now)
    }

    fn heard(&self, question: &Question, answer: Result<Option<Verdict>, AskError>, now: Timestamp) -> Option<Verdict> {
        let mut state = self.state.lock();
        match &answer {
            Ok(verdict) => {
                (state.failures, state.rests_until) = (0, None);
                state.memo.note(question.key(), *verdict, now);
            }
            Err(AskError::Child(child::ChildError::Cancelled) | AskError::Http(http::HttpError::Cancelled)) => {}
            Err(reason) => {
                tracing::warn!(%reason, "the judge of [judge] did not answer");
                state.failures += 1;
                if state.failures >= FAILURES {
                    (state.failures, state.rests_until) = (0, Some(now.plus_micros(REST)));
                }
            }
        }
        let text = state.memo.to_text();
        drop(state);
        if let Some(path) = &self.path
            && let Err(reason) = plain::replace(path, text.as_bytes())
        {
            tracing::warn!(%reason, "what the judge said could not be kept");
        }
        answer.ok().flatten()
    }
}

fn put(config: &JudgeConfig, question: &Question, cancelled: &dyn Fn() -> bool) -> Result<Option<Verdict>, AskError> {
    match &config.url {
        Some(url) if config.command.is_empty() => {
            let address = http::Address::parse(url)?;
            let limits = http::HttpLimits { time: PATIENCE, answer: LONGEST };
            let body = question.for_chat(&config.model);
            let answer = http::post_json(&address, "/chat/completions", &body, limits, cancelled)?;
            Ok(verdict_of_chat(&String::from_utf8_lossy(&answer)))
        }
        _ => {
            let limits = child::ChildLimits { time: PATIENCE, output: LONGEST };
            let answer = child::run(&config.command, question.for_command().as_bytes(), limits, cancelled)?;
            Ok(verdict_of(&String::from_utf8_lossy(&answer)))
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "real programs and servers are the subject")]
mod tests;
