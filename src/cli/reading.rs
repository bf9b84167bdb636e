//! What is shown while a repository is read: one line that moves on a terminal, a plain line a chapter elsewhere, and in
//! the end what was learnt. Whoever reads it asks the engine in this process or the daemon.

use std::time::Duration;

use serde_json::Value;

use super::failure::Failure;
use super::screen::Ticker;
use super::words;
use lokid_engine::Chapter;
use lokid_engine::Project;
use lokid_engine::eyes::Eyes;
use lokid_model::Kind;
use lokid_sys::{terminal, thread};

/// How often the engine in this process is asked how far it is, and how often a daemon.
pub(super) const HERE: Duration = Duration::from_millis(50);
pub(super) const THERE: Duration = Duration::from_millis(100);

/// How far the reading is, and what it was made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Past {
    /// A chapter, `starting`, `ready` or `off`.
    state: String,
    done: u64,
    total: u64,
    commits: u64,
    documents: u64,
    code_files: u64,
    /// Memories of each kind that are learnt so far.
    by_kind: Vec<(String, u64)>,
}

impl Past {
    pub(super) fn of(project: &Project) -> Past {
        let snapshot = project.writer.snapshot();
        let mut by_kind: Vec<(String, u64)> = Kind::ALL.iter().map(|kind| (kind.as_str().to_owned(), 0)).collect();
        for memory in snapshot.derived() {
            by_kind[memory.kind as usize].1 += 1;
        }
        let Some(past) = project.eyes().map(Eyes::past) else {
            return Past { state: "off".to_owned(), by_kind, ..Past::default() };
        };
        let progress = past.progress();
        let (done, total) = progress.done();
        let state = match progress.reading() {
            Some(chapter) => chapter.as_str(),
            None if progress.is_complete() => "ready",
            None => "starting",
        };
        Past {
            state: state.to_owned(),
            done: done as u64,
            total: total as u64,
            commits: progress.commits(),
            documents: progress.documents() as u64,
            code_files: past.code().len() as u64,
            by_kind,
        }
    }

    /// From the status of a project.
    pub(super) fn told(status: &Value) -> Past {
        let number = |name: &str| status.pointer(&format!("/past/{name}")).and_then(Value::as_u64).unwrap_or(0);
        let counts = status.pointer("/past/counts").and_then(Value::as_object);
        let counted = |(kind, many): (&String, &Value)| Some((kind.clone(), many.as_u64()?));
        Past {
            state: status.pointer("/past/state").map(words::plain).unwrap_or_default(),
            done: number("done"),
            total: number("total"),
            commits: number("commits"),
            documents: number("documents"),
            code_files: number("code_files"),
            by_kind: counts.into_iter().flatten().filter_map(counted).collect(),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.state.as_str(), "ready" | "off" | "")
    }

    pub(super) fn memories(&self) -> u64 {
        self.by_kind.iter().map(|(_, many)| many).sum()
    }

    /// `reading code: 120 of 312, 41 memories so far`
    fn line(&self) -> String {
        let far = match (self.state.as_str(), self.total) {
            // How long a history is shows when it ends.
            (history, _) if history == Chapter::History.as_str() => words::count(self.done, "commit", "commits"),
            (_, 0) => String::new(),
            (_, total) => format!("{} of {}", words::number(self.done.min(total)), words::number(total)),
        };
        let far = if far.is_empty() { far } else { format!(": {far}") };
        format!("reading {}{far}, {} so far", self.state, words::count(self.memories(), "memory", "memories"))
    }

    /// `learnt from 2,005 commits, 41 documents, 312 source files: 63 learnings, 41 decisions in 3.2 s`, or that it was
    /// nothing which was not known `before`. Nothing at all where nothing was read.
    pub(super) fn summary(&self, before: &Past, took: Duration) -> Option<String> {
        let read = [
            (self.commits, "commit", "commits"),
            (self.documents, "document", "documents"),
            (self.code_files, "source file", "source files"),
        ];
        let read: Vec<String> = read
            .iter()
            .filter(|(many, ..)| *many > 0)
            .map(|(many, one, more)| words::count(*many, one, more))
            .collect();
        if read.is_empty() {
            return None;
        }
        let (read, seconds) = (read.join(", "), took.as_secs_f64());
        let kinds = words::kinds(&self.by_kind);
        Some(match kinds.as_str() {
            "" => format!("read {read} in {seconds:.1} s: nothing to remember in them yet"),
            _ if self.by_kind == before.by_kind => format!("read {read} in {seconds:.1} s: nothing new"),
            kinds => format!("learnt from {read}: {kinds} in {seconds:.1} s"),
        })
    }
}

/// Where it is shown.
pub(super) struct Reading {
    out: Ticker,
    /// Whether a line can be drawn over.
    moves: bool,
    shown: String,
}

impl Reading {
    pub(super) fn new(out: Ticker, moves: bool) -> Reading {
        Reading { out, moves, shown: String::new() }
    }

    fn show(&mut self, past: &Past) {
        let line = if self.moves { past.line() } else { format!("reading {}", past.state) };
        if line == self.shown || past.state == "starting" {
            return;
        }
        if self.moves {
            let width = terminal::size().map_or(80, |(columns, _)| columns);
            self.out.over(&words::brief(&line, width.saturating_sub(1)));
        } else {
            self.out.line(&line);
        }
        self.shown = line;
    }

    /// Shows how far it is until it is over or nobody wants to know any more, and leaves the line as it was.
    pub(super) fn follow(
        &mut self,
        every: Duration,
        mut look: impl FnMut() -> Result<Option<Past>, Failure>,
    ) -> Result<Option<Past>, Failure> {
        let ended = loop {
            match look() {
                Ok(Some(past)) if !past.is_over() => self.show(&past),
                ended => break ended,
            }
            thread::pause(every);
        };
        if self.moves && !self.shown.is_empty() {
            self.out.over("");
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(state: &str, done: u64, total: u64, learnings: u64) -> Past {
        let by_kind = vec![("learning".to_owned(), learnings), ("decision".to_owned(), 1)];
        Past { state: state.to_owned(), done, total, commits: 2_005, documents: 41, code_files: 0, by_kind }
    }

    fn shown(moves: bool) -> String {
        let stages = [
            past("starting", 0, 0, 0),
            past("history", 3, 20_000, 0),
            past("history", 3, 20_000, 0),
            past("documents", 2, 41, 1),
            past("ready", 0, 0, 1),
        ];
        let mut stages = stages.into_iter();
        let mut reading = Reading::new(Ticker::Kept(Vec::new()), moves);
        let ended = reading.follow(Duration::ZERO, || Ok(stages.next())).unwrap();
        assert!(ended.unwrap().is_over());
        let Ticker::Kept(out) = reading.out else { panic!("{:?}", reading.out) };
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn on_a_terminal_one_line_moves_and_is_gone_at_the_end() {
        let line =
            "\r\x1b[Kreading history: 3 commits, 1 memory so far\r\x1b[Kreading documents: 2 of 41, 2 memories so far";
        assert_eq!(shown(true), format!("{line}\r\x1b[K"));
    }

    #[test]
    fn elsewhere_each_chapter_is_a_plain_line() {
        assert_eq!(shown(false), "reading history\nreading documents\n");
    }

    #[test]
    fn what_was_learnt_is_told_with_what_it_was_learnt_from_and_once() {
        let (none, first) = (Past::default(), past("ready", 0, 0, 63));
        let took = Duration::from_millis(3_240);
        let told = "learnt from 2,005 commits, 41 documents: 63 learnings, 1 decision in 3.2 s";
        assert_eq!(first.summary(&none, took).unwrap(), told);
        let again = first.summary(&first, took).unwrap();
        assert_eq!(again, "read 2,005 commits, 41 documents in 3.2 s: nothing new");
        let bare = Past { by_kind: Vec::new(), ..first };
        assert!(bare.summary(&none, took).unwrap().ends_with("nothing to remember in them yet"));
        assert_eq!(none.summary(&none, took), None);
    }
}
