//! A question to one project: the snapshot, the last view and the counts of this moment, and what follows from them.

use std::time::Duration;

use super::project::Project;
use crate::retrieve::query;
use crate::retrieve::recall::{self, Answer, Request, Sources};

/// How long the very first question waits for the indexes to be opened.
const OPENING: Duration = Duration::from_secs(10);

pub struct Recalled {
    pub answer: Answer,
    /// Memories that are known but could not be found yet.
    pub waiting: usize,
}

impl Project {
    /// Nothing while the indexes are still being opened. With `wait`, everything that is known can be found first.
    pub fn recall(&self, request: &Request, wait: Option<Duration>) -> Option<Recalled> {
        let search = self.search();
        search.opened(OPENING);
        if let Some(most) = wait {
            search.wait(most);
        }
        let waiting = search.waiting();
        let ready = search.ready();
        let ready = ready.as_ref().as_ref()?;
        let config = self.config.load();
        let vector = Some(ready.embedder.embed(query::beginning(&request.query)));
        let sources = Sources {
            snapshot: &self.snapshot(),
            view: &ready.view,
            vector,
            usage: &|memory| self.usage.of(memory),
            weights: &config.recall,
        };
        Some(Recalled { answer: recall::recall(&sources, request), waiting })
    }

    /// These memories left for an agent.
    pub fn count_loaded(&self, answer: &Answer) {
        if !answer.hits.is_empty() {
            self.usage.loaded(answer.hits.iter().map(|hit| hit.memory.key()));
            self.search().used();
        }
    }
}
