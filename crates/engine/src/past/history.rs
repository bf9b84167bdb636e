//! The history: which files change together, who works here, and what single commits teach.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Chapter, Lesson, PastWorker};
use lokid_encode::commits;
use lokid_index::cochange::Cochange;
use lokid_index::commits::{CommitIndex, CommitWriter};
use lokid_index::subjects::Subjects;
use lokid_model::{Commit, Kind, Memory, MemoryId, Timestamp};
use lokid_sys::git::authors::Tally;
use lokid_sys::git::{added, head, history};

/// Memories of single commits; the oldest leave first.
const MOST_MEMORIES: usize = 2_000;
/// Newer commits that may have landed a reverted change again.
const LANDED_AMONG: usize = 5_000;
/// A larger file is not looked into.
const LARGEST: u64 = 2 << 20;
/// Commits that are known to be counted.
const MOST_COUNTED: usize = 200_000;

/// A reading of commits that goes on: nothing of it holds before it has come to its end.
struct Mining<'a> {
    memories: BTreeMap<MemoryId, Arc<Memory>>,
    cochange: Cochange,
    subjects: Subjects,
    /// What is new is counted in the order it was made; a whole history may be counted backwards, and is at once.
    fresh: Option<Vec<Commit>>,
    tally: Tally,
    counted: BTreeSet<u64>,
    writer: Option<CommitWriter<'a>>,
}

impl Mining<'_> {
    fn count(&mut self, commit: &Commit) {
        self.cochange.add(commit);
        commits::mended(commit).for_each(|path| self.cochange.note_fix(path));
        self.subjects.add(commit);
    }
}

impl PastWorker {
    pub(super) fn read_history(&mut self) {
        let most = self.env.config.load().bootstrap.max_commits;
        let root = self.env.root.clone();
        let Some(commit) =
            head::state(&root).filter(|state| state.in_progress.is_none()).and_then(|state| state.commit)
        else {
            return;
        };
        let commits = self.published.commits.load_full();
        // The counts and the index of commits are of one reading, or both are read anew.
        let indexed = commits.as_ref().map(|commits| commits.head());
        let known = self
            .cochange
            .head()
            .map(str::to_owned)
            .filter(|head| indexed.as_ref().is_none_or(|indexed| indexed.as_deref() == Some(head)));
        if known.is_none() {
            (self.cochange, self.subjects, self.counted) = Default::default();
            self.lessons[Chapter::History as usize] = Lesson::default();
        }
        if known.as_deref() == Some(commit.as_str()) || most == 0 {
            self.announce_people(Tally::default());
            return;
        }
        self.begin(Chapter::History, most);
        let mut mining = self.begin_mining(commits.as_deref(), known.is_none());
        let take = &mut |commit| self.mine(&mut mining, commit);
        let mined = history::mine(&root, known.as_deref(), most, take);
        if self.is_stopping() || mined.is_none_or(|mined| mined.broken) {
            // Half a history would be taken for all of it; the next start, or the next commit, reads it again.
            return;
        }
        let (mut memories, tally) = self.finish_mining(mining, &commit);
        self.drop_what_came_back(&mut memories, commits.as_deref());
        memories.retain_mut(|memory| self.is_at_home(memory));
        self.teach(Chapter::History, Lesson { memories, links: Vec::new() });
        self.announce_people(tally);
    }

    fn begin_mining<'a>(&self, commits: Option<&'a CommitIndex>, from_nothing: bool) -> Mining<'a> {
        let known = &self.lessons[Chapter::History as usize].memories;
        Mining {
            memories: known.iter().map(|memory| (memory.id.clone(), Arc::clone(memory))).collect(),
            cochange: self.cochange.clone(),
            subjects: self.subjects.clone(),
            fresh: (!from_nothing).then(Vec::new),
            tally: Tally::default(),
            counted: self.counted.clone(),
            writer: commits.and_then(|commits| match commits.write(from_nothing) {
                Ok(writer) => Some(writer),
                Err(error) => {
                    tracing::warn!(project = %self.env.name, reason = %error, "commits cannot be indexed");
                    None
                }
            }),
        }
    }

    fn mine(&self, mining: &mut Mining<'_>, mut commit: Commit) -> ControlFlow<()> {
        if self.is_stopping() {
            return ControlFlow::Break(());
        }
        self.step();
        // Branches share their past; each commit counts once, on whichever it was met.
        if !mining.counted.insert(short(&commit.id)) {
            return ControlFlow::Continue(());
        }
        mining.tally.add(&commit);
        let at = Timestamp::from_micros(commit.time.saturating_mul(1_000_000));
        // Before anything is cut: half a secret no longer looks like one.
        commit.subject = self.env.redaction.text(&commit.subject);
        commit.body = self.env.redaction.text(&commit.body);
        commit.author_name = self.env.redaction.text(&commit.author_name);
        commit.files.retain(|file| self.env.redaction.is_clean(&file.path));
        if is_worth_finding(&commit)
            && let Some(Err(error)) = mining.writer.as_mut().map(|writer| writer.add(&commit))
        {
            tracing::warn!(project = %self.env.name, reason = %error, "a commit cannot be indexed");
            mining.writer = None;
        }
        let learnt = commits::learn(&commit).into_iter().filter_map(|draft| self.memory(draft, at));
        mining.memories.extend(learnt.map(|memory| (memory.id.clone(), memory)));
        match &mut mining.fresh {
            Some(fresh) => fresh.push(commit),
            None => mining.count(&commit),
        }
        ControlFlow::Continue(())
    }

    /// Publishes and keeps what was counted. Answers with what was learnt, newest first, and who made it.
    fn finish_mining(&mut self, mut mining: Mining<'_>, head: &str) -> (Vec<Arc<Memory>>, Tally) {
        for commit in mining.fresh.take().unwrap_or_default().iter().rev() {
            mining.count(commit);
        }
        while mining.counted.len() > MOST_COUNTED {
            mining.counted.pop_first();
        }
        mining.cochange.set_head(head);
        if let Some(Err(error)) = mining.writer.map(|writer| writer.finish(head)) {
            tracing::warn!(project = %self.env.name, reason = %error, "the index of commits could not be kept");
        }
        (self.cochange, self.subjects, self.counted) = (mining.cochange, mining.subjects, mining.counted);
        self.publish_cochange();
        if let Err(error) = self.folder.keep_history(&self.cochange, &self.subjects, &self.counted) {
            tracing::warn!(project = %self.env.name, reason = %error, "the history could not be kept");
        }
        let mut memories: Vec<Arc<Memory>> = mining.memories.into_values().collect();
        memories.sort_by(|one, other| other.times.created_at.cmp(&one.times.created_at).then(one.id.cmp(&other.id)));
        // A commit that was rebased or picked says the same again.
        let mut told = BTreeSet::new();
        memories.retain(|memory| told.insert(memory.text.clone()));
        memories.truncate(MOST_MEMORIES);
        (memories, mining.tally)
    }

    /// Puts a memory where its files are today; one whose files are all gone is about nothing any more.
    fn is_at_home(&self, memory: &mut Arc<Memory>) -> bool {
        let today = |path: &String| match self.cochange.stats(path) {
            Some(stats) => (!stats.gone).then(|| stats.path.to_owned()),
            None => Some(path.clone()),
        };
        let mut files: Vec<String> = memory.anchors.files.iter().filter_map(today).collect();
        let mut seen = BTreeSet::new();
        files.retain(|path| seen.insert(path.clone()));
        let lives = !files.is_empty() || memory.anchors.files.is_empty();
        if files != memory.anchors.files {
            Arc::make_mut(memory).anchors.files = files;
        }
        lives
    }

    /// A revert whose change was landed again, or whose lines stand today, tells nobody what to leave alone.
    fn drop_what_came_back(&self, memories: &mut Vec<Arc<Memory>>, commits: Option<&CommitIndex>) {
        let is_revert = |memory: &Memory| memory.kind == Kind::AntiPattern;
        if !memories.iter().any(|memory| is_revert(memory)) {
            return;
        }
        let again = commits.map(|commits| commits::landed_again(&commits.newest(LANDED_AMONG))).unwrap_or_default();
        let checked = &self.lessons[Chapter::History as usize].memories;
        let stands = |memory: &Memory| {
            let reverted = memory.anchors.commits.get(1).and_then(|id| added::lines(&self.env.root, id));
            let today = |path: &str| {
                let path = self.cochange.stats(path).map_or(path, |stats| stats.path);
                self.text_of(path, LARGEST)
            };
            reverted.is_some_and(|added| commits::stands_today(&added, today))
        };
        memories.retain(|memory| {
            let is_known = || checked.binary_search_by(|known| known.id.cmp(&memory.id)).is_ok();
            let is_back = memory.anchors.commits.first().is_some_and(|id| again.contains(id));
            !is_revert(memory) || (!is_back && (is_known() || !stands(memory)))
        });
    }

    /// Whoever has worked here before does not join.
    fn announce_people(&self, tally: Tally) {
        let people = tally.authors().into_iter().map(|author| author.email_hash).collect();
        (self.tell_people)(people);
    }
}

/// What a person wrote. A merge counts if it says more than that it is one.
fn is_worth_finding(commit: &Commit) -> bool {
    !commits::is_by_program(commit) && (!commit.is_merge() || !commit.body.trim().is_empty())
}

/// Enough of a commit's id to know it again.
fn short(id: &str) -> u64 {
    u64::from_str_radix(id.get(..16).unwrap_or_default(), 16).unwrap_or(0)
}
