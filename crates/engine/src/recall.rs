//! A question to one project: the snapshot, the last view and the counts of this moment, and what follows from them.

mod statements;

use std::sync::Arc;
use std::time::Duration;

use super::borrowing::Borrowing;
use super::env::Env;
use super::inbox::WriterHandle;
use super::repository::Repository;
use super::search::Search;
use super::sessions::Sessions;
use super::strategy::{Chosen, GivenAnswer};
use lokid_config::RecallConfig;
use lokid_retrieve::recall::{self, Answer, Hit, Request, Sources};
use lokid_retrieve::strategy::log::Arms;
use lokid_retrieve::{query, task};

/// How long the very first question waits for the indexes to be opened.
const OPENING: Duration = Duration::from_secs(10);
/// From this likeness on the meaning had a part in finding a memory.
const LIKE: f64 = 0.1;

pub struct Recalled {
    pub answer: Answer,
    /// Memories that are known but could not be found yet.
    pub waiting: usize,
    /// What the parts of a score weighed.
    pub weights: RecallConfig,
}

/// Answers questions from memories and commits.
pub struct Recall {
    pub(super) env: Arc<Env>,
    pub(super) writer: WriterHandle,
    pub(super) search: Arc<Search>,
    pub(super) repository: Arc<Repository>,
    pub(super) sessions: Arc<Sessions>,
    /// Where something may be borrowed.
    pub(super) borrowing: Option<Arc<Borrowing>>,
}

impl Recall {
    /// Nothing while the indexes are still being opened. With `wait`, everything that is known can be found first.
    pub fn recall(&self, request: &Request, wait: Option<Duration>) -> Option<Recalled> {
        self.recall_with(request, wait, self.env.config.load().recall)
    }

    /// The same for somebody who may use what is found: with the weights that are tried for such questions, and noted so
    /// that it can be told later whether it helped.
    pub fn recall_for(&self, session: Option<&str>, request: &Request, wait: Option<Duration>) -> Option<Recalled> {
        let (started, now) = (self.env.clock.monotonic(), self.env.clock.now());
        let config = self.env.config.load();
        let task = request.task_type.unwrap_or_else(|| {
            let words = query::beginning(&request.query);
            task::detect(words, request.action.as_deref(), request.phase.as_deref()).task_type
        });
        let chosen =
            self.sessions.strategy.choose(task, &config.recall, config.learn.enabled, session, &request.query, now);
        let recalled = self.recall_with(request, wait, chosen.weights)?;
        let took = self.env.clock.monotonic().saturating_duration_since(started);
        self.note_recall(session, request, &chosen, &recalled.answer, took);
        Some(recalled)
    }

    fn recall_with(&self, request: &Request, wait: Option<Duration>, weights: RecallConfig) -> Option<Recalled> {
        if let Some(borrowing) = &self.borrowing {
            borrowing.asked();
        }
        let search = self.search.handle();
        search.opened(OPENING);
        if let Some(most) = wait {
            search.wait(most);
        }
        let waiting = search.waiting();
        let ready = search.ready();
        let ready = ready.as_ref().as_ref()?;
        let vector = Some(ready.embedder.embed(query::beginning(&request.query)));
        let sources = Sources {
            snapshot: &self.writer.snapshot(),
            view: &ready.view,
            vector,
            usage: &|memory| self.sessions.usage.of(memory),
            weights: &weights,
        };
        let mut answer = recall::recall(&sources, request);
        self.with_commits(request, &weights, &mut answer);
        answer.hits.sort_by_key(|hit| hit.memory.is_borrowed());
        Some(Recalled { answer, waiting, weights })
    }

    fn note_recall(&self, session: Option<&str>, request: &Request, chosen: &Chosen, answer: &Answer, took: Duration) {
        let hits: Vec<&Hit> = remembered(answer).collect();
        let arms = Arms {
            text: hits.iter().filter(|hit| hit.parts.keyword > 0.0).count(),
            meaning: hits.iter().filter(|hit| hit.parts.semantic >= LIKE).count(),
            links: hits.iter().filter(|hit| hit.arrival.is_some()).count(),
        };
        let given = GivenAnswer {
            session,
            namespace: &request.filter.namespace,
            task: answer.task,
            query: &request.query,
            k: request.k,
            arms,
            returned: hits.iter().map(|hit| (hit.memory.key(), hit.memory.scope)).collect(),
            took_us: took.as_micros() as u64,
        };
        // Written down with the other counts; a full batch does not wait for them.
        self.sessions.strategy.record(chosen, given, self.env.clock.now());
        self.sessions.note_changed();
    }

    /// These memories left for an agent.
    pub fn count_loaded(&self, answer: &Answer) {
        let mut hits = remembered(answer).peekable();
        if hits.peek().is_some() {
            self.sessions.usage.loaded(hits.map(|hit| hit.memory.key()));
            self.search.handle().used();
        }
    }
}

/// Without the commits: those are not counted.
fn remembered(answer: &Answer) -> impl Iterator<Item = &Hit> {
    answer.hits.iter().filter(|hit| !hit.memory.is_commit())
}
