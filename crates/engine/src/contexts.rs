//! What a project hands out to whoever is about to work: contexts, predictions, task contexts, session blocks.
//!
//! Here the rooms are put together: the snapshot, the indexes, the past of the repository, the counts, and what
//! `context` makes of them. The same need gives the same bytes, whether it was foreseen or not.

mod beside;
mod blocks;
pub mod cache;
mod callers;
mod cases;
mod commits;
mod folders;
mod habits;
mod lines;
mod named;
mod notes;
mod passages;
mod place;
mod related;
mod since;
mod sites;
mod standing;
mod written;

pub use blocks::{PromptGiven, TaskFound};

pub(super) use notes::REFERENCES;

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use super::env::Env;
use super::focus::{Branch, Focus, Focuses, Guest, Owner, SeenError};
use super::inbox::WriterHandle;
use super::memory_care::Shed;
use super::mutes::Mutes;
use super::past::PastHandle;
use super::recall::Recall;
use super::repository::Repository;
use super::search::{Ready, Search, SearchHandle};
use super::sessions::Sessions;
use cache::{ContextCache, Need, Prepared, Stamp};
use lokid_context::assemble::{self, Order};
use lokid_context::gate;
use lokid_context::gather::{self, GatherFilter, Gathered};
use lokid_context::layers::{Arrangement, TopicGroup, TopicGroups};
use lokid_context::parts::{Candidate, Pointer, Shares};
use lokid_context::predict::PredictedFile;
use lokid_context::predict::episodes;
use lokid_context::predict::memories::{self, AuthorClue, BranchClue, Clues, ErrorClue, PredictedMemory};
use lokid_context::sources::Sources;
use lokid_encode::compress::in_context;
use lokid_encode::errors::ErrorReader;
use lokid_model::{Key, Level, Memory, Namespace, TaskType, Timestamp};
use lokid_retrieve::query;

/// Files that are foretold for a context.
pub(super) const RELATED: usize = 16;
/// Memories that are looked at for a prediction, however few are wanted.
const MOST_PREDICTED: usize = 40;
/// Files an error names that memories are looked up by.
const MOST_FILES_OF_AN_ERROR: usize = 4;
/// Topics that are pointed to.
const POINTERS: usize = 8;
/// Symbols of the file at hand that memories are looked up by.
const MOST_SYMBOLS: usize = 64;
const HOUR: i64 = 3_600_000_000;

/// What a request for a context says; what it leaves out is taken from the focus.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub namespace: Namespace,
    pub budget: Option<usize>,
    pub file: Option<String>,
    pub errors: Vec<String>,
    pub activity: Option<TaskType>,
    pub goal: Option<String>,
    pub branch: Option<String>,
    pub author: Option<String>,
    pub as_of: Option<Timestamp>,
}

/// A context, and whether it stood ready.
pub struct Given {
    pub prepared: Arc<Prepared>,
    pub ahead: bool,
}

pub struct Foreseen {
    pub memories: Vec<PredictedMemory>,
    pub files: Vec<PredictedFile>,
    pub confidence: f64,
    pub ahead: bool,
}

/// What topics were named from, and what that gave.
struct Pointed {
    version: u64,
    namespace: Namespace,
    arrangement: Arrangement,
    pointers: Arc<[Pointer]>,
}

pub struct Contexts {
    env: Arc<Env>,
    writer: WriterHandle,
    search: Arc<Search>,
    repository: Arc<Repository>,
    sessions: Arc<Sessions>,
    recall: Arc<Recall>,
    mutes: Arc<Mutes>,
    pub(super) focuses: Mutex<Focuses>,
    cache: Mutex<ContextCache>,
    /// Topics that can be asked for, as they were last named: naming them takes as long as all the rest.
    pointers: Mutex<Option<Pointed>>,
}

impl Shed for Contexts {
    fn shed(&self) {
        self.cache.lock().clear();
        *self.pointers.lock() = None;
        if let Some(search) = self.search.if_started() {
            search.rest();
        }
    }
}

impl Contexts {
    pub(super) fn new(recall: Arc<Recall>, mutes: Arc<Mutes>) -> Contexts {
        Contexts {
            env: Arc::clone(&recall.env),
            writer: recall.writer.clone(),
            search: Arc::clone(&recall.search),
            repository: Arc::clone(&recall.repository),
            sessions: Arc::clone(&recall.sessions),
            recall,
            mutes,
            focuses: Mutex::default(),
            cache: Mutex::default(),
            pointers: Mutex::default(),
        }
    }

    /// Whose focus a request is about: its session's, or that of the working tree it comes from.
    pub fn owner(&self, session: Option<&str>, from: Option<&Path>) -> Owner {
        if let Some(session) = session.filter(|session| !session.is_empty()) {
            return Owner::Session(session.to_owned());
        }
        self.repository.linked_tree(from).map_or(Owner::Main, Owner::Tree)
    }

    /// A context left for an agent.
    pub fn count_given(&self, owner: &Owner, given: &Given) {
        let Prepared { assembled, evidence, .. } = &*given.prepared;
        self.sessions.count_context(owner, assembled, evidence, given.ahead);
    }

    /// The context for this, if it stands ready.
    pub fn ready_context(&self, owner: &Owner, asked: &Asked) -> Option<Given> {
        let (need, stamp) = (self.need(owner, asked), self.stamp());
        let now = self.env.clock.now();
        let mut cache = self.cache.lock();
        let found = if cache.has(&need, &stamp, now) { cache.take(&need, &stamp, now) } else { None };
        found.map(|(prepared, ahead)| Given { prepared, ahead })
    }

    /// Nothing while the indexes are still being opened.
    pub fn assemble(&self, owner: &Owner, asked: &Asked) -> Option<Given> {
        let need = self.need(owner, asked);
        let ready = self.search.handle().ready();
        let ready = ready.as_ref().as_ref()?;
        let stamp = self.stamp();
        let known = self.cache.lock().take(&need, &stamp, self.env.clock.now());
        let given = match known {
            Some((prepared, ahead)) => Given { prepared, ahead },
            None => {
                let prepared = Arc::new(self.prepare(need, stamp, ready));
                self.cache.lock().put(Arc::clone(&prepared), false);
                Given { prepared, ahead: false }
            }
        };
        Some(given)
    }

    /// What the focus will need, kept ready; nothing when it stands there already.
    pub(super) fn prepare_ahead(&self, owner: &Owner, asked: &Asked) -> Option<Arc<Prepared>> {
        let need = self.need(owner, asked);
        let stamp = self.stamp();
        if self.cache.lock().has(&need, &stamp, self.env.clock.now()) {
            return None;
        }
        let search = self.search.if_started()?.ready();
        let prepared = Arc::new(self.prepare(need, stamp, search.as_ref().as_ref()?));
        self.cache.lock().put(Arc::clone(&prepared), true);
        Some(prepared)
    }

    /// What will be needed when this happens. Nothing while the indexes are still being opened.
    pub fn predict(&self, owner: &Owner, asked: &Asked, k: usize) -> Option<Foreseen> {
        let mut need = self.need(owner, asked);
        // Only what was asked counts, not what else is going on.
        (need.errors, need.guest) = (asked.errors.iter().map(|text| seen(text)).collect(), None);
        need.branch = need.branch.filter(|_| asked.branch.is_some()).map(|branch| self.looked_up(branch));
        need.file = need.file.filter(|_| asked.file.is_some());
        need.goal = need.goal.filter(|_| asked.goal.as_deref().is_some_and(|goal| !goal.trim().is_empty()));
        let ahead = self.cache.lock().has(&self.need(owner, asked), &self.stamp(), self.env.clock.now());
        let ready = self.search.handle().ready();
        let ready = ready.as_ref().as_ref()?;
        let related = self.files_ahead(&need, asked.author.as_deref(), k.max(RELATED));
        let mut clues = self.clues(&need, &related);
        clues.author = asked.author.clone().map(|name| AuthorClue { name, areas: Vec::new() });
        let looked_at = k.max(MOST_PREDICTED);
        let mut memories = self.with_sources(ready, |sources| {
            memories::predict(sources, &clues, &need.namespace, self.env.clock.now(), looked_at)
        });
        memories.retain(|found| !self.is_muted(&found.memory.key(), need.file.as_slice()));
        let related = self.with_experience(related, &episodes::matching(&memories), &need);
        memories.truncate(k);
        let best = memories.first().map(|one| one.score).into_iter().chain(related.first().map(|one| one.score));
        let confidence = best.fold(0.0, f64::max);
        let mut files = related;
        files.truncate(k);
        Some(Foreseen { memories, files, confidence, ahead })
    }

    /// What `work` makes of the memory, the indexes and the past of this moment.
    pub(super) fn with_sources<T>(&self, ready: &Ready, work: impl FnOnce(&Sources<'_>) -> T) -> T {
        let past = self.repository.known();
        let config = self.env.config.load();
        let sources = Sources {
            snapshot: &self.writer.snapshot(),
            view: &ready.view,
            vector_of: &|text| ready.embedder.embed(query::beginning(text)),
            usage: &|memory| self.sessions.usage.of(memory),
            weights: &config.recall,
            memory_weights: &self.sessions.memory_weights(),
            cochange: &past.cochange,
            utc_offset_seconds: self.env.clock.utc_offset_seconds(),
        };
        work(&sources)
    }

    /// What a source file defines.
    fn symbols(&self, path: &str) -> Vec<String> {
        let code = self.repository.code();
        let symbols = code.get(path).map(|file| file.symbols.as_slice()).unwrap_or_default();
        symbols.iter().filter(|symbol| symbol.is_public).take(MOST_SYMBOLS).map(|symbol| symbol.name.clone()).collect()
    }

    pub(super) fn need(&self, owner: &Owner, asked: &Asked) -> Need {
        let now = self.env.clock.now();
        let focus = self.focuses.lock().of(owner);
        let config = self.env.config.load();
        let file = asked.file.as_deref().map(|path| self.repository.inside(path));
        // Another goal or branch than the focus has is another matter, and so is another file or an error: what was open
        // before still tells where one comes from, but no longer what is at hand.
        let told_goal = asked.goal.clone().filter(|goal| !goal.trim().is_empty());
        let is_other_goal = told_goal.is_some() && told_goal != focus.goal;
        let known_branch = focus.branch.as_ref().map(|branch| branch.name.as_str());
        let is_other_branch = asked.branch.is_some() && asked.branch.as_deref() != known_branch;
        let is_other = is_other_goal || is_other_branch || !asked.errors.is_empty();
        let file = file.or_else(|| focus.file.clone().filter(|_| !is_other));
        let before = focus.file.iter().chain(&focus.recent).filter(|path| Some(*path) != file.as_ref());
        let recent = before.cloned().collect();
        let goal = told_goal.or_else(|| focus.goal.clone().filter(|_| !is_other_branch));
        let mut errors: Vec<SeenError> = asked.errors.iter().map(|text| seen(text)).collect();
        errors.extend(focus.errors(now).into_iter().filter(|known| !asked.errors.contains(&known.text)));
        let measures = self.sessions.measures(owner);
        Need {
            namespace: asked.namespace.clone(),
            agent: self.sessions.agent_of(owner),
            file,
            recent,
            branch: branch(asked, &focus),
            activity: asked.activity.or_else(|| self.activity(goal.as_deref(), &errors)),
            goal,
            errors,
            guest: focus.guest(now).cloned(),
            budget: measures.allowance(asked.budget.unwrap_or(config.context.budget)),
            as_of: asked.as_of,
            hour: Timestamp::from_micros(now.as_micros().div_euclid(HOUR) * HOUR),
            least_score: (config.context.min_score + measures.stricter).min(1.0),
            longest: measures.longest,
            only_binding: measures.only_binding,
        }
    }

    fn activity(&self, goal: Option<&str>, errors: &[SeenError]) -> Option<TaskType> {
        let told = goal.map(|goal| lokid_retrieve::task::detect(goal, None, None));
        let told = told.filter(|told| !told.signals.is_empty()).map(|told| told.task_type);
        told.or_else(|| (!errors.is_empty()).then_some(TaskType::Debugging))
    }

    fn stamp(&self) -> Stamp {
        Stamp {
            snapshot: self.writer.snapshot().version(),
            indexes: self.search.if_started().map_or(0, SearchHandle::generation),
            past: self.repository.past().map_or(0, PastHandle::generation),
            config: self.env.config.load_full(),
            mutes: self.mutes.list(),
        }
    }

    /// Did a person say that this is not to be told, where these files are at hand?
    fn is_muted(&self, key: &Key, files: &[String]) -> bool {
        self.mutes.list().silences(key, files.iter().map(String::as_str))
    }

    fn prepare(&self, need: Need, stamp: Stamp, ready: &Ready) -> Prepared {
        let files = self.related_files(&need, RELATED);
        let clues = self.clues(&need, &files);
        let config = self.env.config.load();
        let now = self.env.clock.now();
        let filter = GatherFilter {
            namespace: need.namespace.clone(),
            now,
            as_of: need.as_of,
            min_score: need.least_score,
            window_days: (config.context.window.as_secs() / 86_400) as u32,
            longest: need.longest,
            only_binding: need.only_binding,
            beginning: false,
            exclude: &|key| stamp.mutes.silences(key, need.file.as_deref()),
        };
        let Gathered { mut candidates, evidence, weighed, episodes } =
            self.with_sources(ready, |sources| gather::gather(sources, &clues, &filter));
        let mut files = self.with_experience(files, &episodes, &need);
        files.truncate(RELATED);
        candidates.retain(|candidate| !gate::is_loaded_by(&need.agent, &candidate.memory));
        let until = self.next_turn(&need, &candidates, now);
        // Topics are for whoever looks around; somebody who is doing something can ask.
        let looks_around = need.file.is_none() && clues.situation.is_empty() && !need.only_binding;
        let pointers = if looks_around { self.pointers(&need.namespace) } else { Arc::default() };
        let lines = self.file_lines(&files, &need);
        let is_of_tool = lines::is_of_tool(&need);
        candidates.retain(|candidate| {
            !(lines::is_told(&lines, need.file.as_deref(), candidate) || is_of_tool && candidate.memory.is_commit())
        });
        let order = Order {
            budget: need.budget,
            shares: Shares(config.profiles.of(need.activity)),
            candidates,
            work: &self.work(&need),
            files: if need.only_binding { &[] } else { &lines },
            pointers: &pointers,
            about: &about(&need),
            lengths: &length,
        };
        Prepared { assembled: assemble::assemble(&order), need, stamp, until, files, evidence, weighed }
    }

    /// When something that a context tells ceases to hold, or something that it should tell begins to.
    fn next_turn(&self, need: &Need, candidates: &[Candidate], now: Timestamp) -> Option<Timestamp> {
        let snapshot = self.writer.snapshot();
        let ends = candidates.iter().filter_map(|candidate| candidate.memory.times.invalid_at);
        let at_home = need.file.as_deref().into_iter().flat_map(|path| snapshot.anchored_to(path));
        let begins = at_home.chain(snapshot.binding(&need.namespace)).map(|memory| memory.times.valid_at);
        ends.chain(begins).filter(|turn| *turn > now).min()
    }

    pub(super) fn clues(&self, need: &Need, related: &[PredictedFile]) -> Clues {
        let symbols = need.file.as_deref().map(|path| self.symbols(path)).unwrap_or_default();
        let branch = need.branch.clone();
        let guest = need.guest.clone();
        Clues {
            file: need.file.clone(),
            related: related.to_vec(),
            symbols,
            branch: branch.map(|Branch { name, subjects, files }| BranchClue { name, subjects, files }),
            errors: need.errors.iter().map(|error| self.error_clue(error)).collect(),
            author: guest.map(|Guest { name, areas }| AuthorClue { name, areas }),
            goal: need.goal.clone(),
            activity: need.activity,
            recent: need.recent.clone(),
            situation: self.situation(need),
            commits: self.commits_about(need, related),
            cited: if self.is_about_the_notes(need) { self.notes(&need.namespace).cited } else { Vec::new() },
        }
    }

    /// A branch that nobody told of yet is looked up.
    fn looked_up(&self, branch: Branch) -> Branch {
        if branch.subjects.is_empty() && branch.files.is_empty() && !memories::is_common_branch(&branch.name) {
            return Branch::on_disk(&self.env.root, &branch.name).unwrap_or(branch);
        }
        branch
    }

    fn error_clue(&self, error: &SeenError) -> ErrorClue {
        let mut reader = ErrorReader::new();
        let mut failures: Vec<_> = error.text.lines().flat_map(|line| reader.line(line)).collect();
        failures.extend(reader.flush());
        let named = self.named_by(error, &self.repository.known());
        ErrorClue {
            text: error.text.clone(),
            fingerprint: failures.first().map(|failure| failure.fingerprint.clone()),
            files: named.into_iter().map(|file| file.path).take(MOST_FILES_OF_AN_ERROR).collect(),
        }
    }

    /// Is it the work of the notes that is at hand, or something else?
    fn is_about_the_notes(&self, need: &Need) -> bool {
        let is_now = need.as_of.is_none() && !need.only_binding;
        is_now && need.goal.as_ref().is_none_or(|goal| self.notes(&need.namespace).focus.as_ref() == Some(goal))
    }

    /// What the working notes say is in work, unless somebody asks about something else.
    fn work(&self, need: &Need) -> Vec<String> {
        if self.is_about_the_notes(need) { self.notes(&need.namespace).lines() } else { Vec::new() }
    }

    /// Topics that can be asked for.
    pub(super) fn pointers(&self, namespace: &Namespace) -> Arc<[Pointer]> {
        let snapshot = self.writer.snapshot();
        let arrangement = self.sessions.arrangement();
        let version = snapshot.version();
        let mut known = self.pointers.lock();
        if let Some(known) = known.as_ref().filter(|known| {
            known.version == version && known.namespace == *namespace && known.arrangement == arrangement
        }) {
            return Arc::clone(&known.pointers);
        }
        let shelves = TopicGroups::of(&snapshot, namespace, POINTERS, &arrangement);
        let pointers: Arc<[Pointer]> = shelves.shown().iter().map(TopicGroup::pointer).collect();
        let namespace = namespace.clone();
        *known = Some(Pointed { version, namespace, arrangement, pointers: Arc::clone(&pointers) });
        pointers
    }
}

/// What a context is for, in a few words.
fn about(need: &Need) -> String {
    let parts = [need.file.as_deref(), need.goal.as_deref().map(lokid_model::render::first_line)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
}

fn branch(asked: &Asked, focus: &Focus) -> Option<Branch> {
    match &asked.branch {
        Some(name) => Some(
            focus
                .branch
                .clone()
                .filter(|known| known.name == *name)
                .unwrap_or_else(|| Branch { name: name.clone(), ..Branch::default() }),
        ),
        None => focus.branch.clone(),
    }
}

fn seen(text: &str) -> SeenError {
    SeenError { text: text.to_owned(), file: None }
}

pub(super) fn length(memory: &Memory, level: Level) -> String {
    in_context(memory, level).into_owned()
}
