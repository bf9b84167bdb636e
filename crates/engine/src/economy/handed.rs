//! Handing out: session blocks, what later prompts call for, task contexts, layers. All of it is noted in the book.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{NOBODY, State, session_of};
use crate::context::{Asked, Given, RELATED, length};
use crate::foresight::focus::Owner;
use crate::foresight::shelf::Need;
use crate::project::Project;
use lokid_context::assemble::Item;
use lokid_context::disclose::{self, Disclosed};
use lokid_context::economics::{Checkpoint, Entry};
use lokid_context::gate;
use lokid_context::gather::{self, GatherFilter, Gathered};
use lokid_context::parts::FileLine;
use lokid_context::predict::PredictedFile;
use lokid_context::predict::memories::Evidence;
use lokid_context::session::{self, Beginning, Opening, SessionBlock, SessionCandidate, SessionItem};
use lokid_context::task::{self, TaskContext};
use lokid_index::roster::Filter;
use lokid_index::topics;
use lokid_model::{Key, Kind, Level, Memory, Namespace, TaskType, Tier, citation, token};
use lokid_retrieve::query;
use lokid_retrieve::recall::Request;
use lokid_retrieve::task::Weights;

/// Memories a prompt may call for.
const CALLED_FOR: usize = 5;
/// A prompt of fewer words that tell something says nothing about the topic.
const TELLING_WORDS: usize = 4;
/// A session that has moved to another topic is given so many times as much, once.
const SUPPLEMENT: usize = 3;

/// Memories of a session whose evidence is remembered.
const MOST_EVIDENCE: usize = 1_024;

/// What stands behind a later prompt of a session.
pub struct PromptGiven {
    pub block: SessionBlock,
    pub topic_moved: bool,
}

pub struct TaskFound {
    pub task: TaskType,
    pub weights: Weights,
    pub context: TaskContext,
}

impl State {
    fn note_evidence(&mut self, session: &str, items: &[SessionItem], evidence: &BTreeMap<Key, Evidence>) {
        let known = &mut self.under_way(session).evidence;
        for item in items {
            if let Some(spoke) = evidence.get(&item.key).filter(|_| known.len() < MOST_EVIDENCE) {
                known.insert(item.key.clone(), *spoke);
            }
        }
    }
}

/// What a session could be told, why, and the files that go with it.
type ForASession = (Vec<SessionCandidate>, BTreeMap<Key, Evidence>, Vec<FileLine>);

impl Project {
    pub(super) fn begin_session(&self, session: &str, agent: Option<String>, goal: Option<String>, topic: Vec<f32>) {
        let now = self.clock.now();
        let beginning = Beginning { goal: goal.unwrap_or_default(), agent: agent.unwrap_or_default(), topic };
        let mut state = self.economy.state.lock();
        state.sessions.begin(session, &beginning, now);
        state.ledger.begin(session, &beginning.agent, now);
        drop(state);
        self.economy_changed();
    }

    /// The block at the start of a session: the same bytes on every call of it.
    pub fn session_block(
        &self,
        namespace: &Namespace,
        session: &str,
        agent: Option<String>,
        goal: Option<String>,
        budget: usize,
    ) -> Option<SessionBlock> {
        let topic = goal.as_deref().map(|goal| self.vector_of(goal)).unwrap_or_default();
        self.begin_session(session, agent, goal.clone(), topic);
        let known = self.given_block(session);
        let is_foreign = |block: &SessionBlock| block.items.iter().any(|item| item.key.namespace != *namespace);
        let stranger = known.as_ref().is_some_and(is_foreign);
        if !stranger && known.is_some() {
            return known;
        }
        let notes = self.notes(namespace);
        // Who says nothing takes up what is in work.
        let goal = goal.filter(|goal| !goal.trim().is_empty()).or_else(|| notes.focus.clone());
        let opening = self.opening(namespace, session, notes.lines());
        let (candidates, evidence, files) = self.session_candidates(namespace, session, goal)?;
        let topics = if opening.in_work.is_empty() { Arc::default() } else { self.pointers(namespace) };
        let made = session::opened(&opening, budget, |room| {
            let block = session::with_files(session::block(&candidates, room, &length), &files, room);
            session::with_index(block, &topics, room)
        });
        let now = self.clock.now();
        // Namespaces never see each other, not even in a session of the same name: the kept block is the first one's.
        if stranger {
            self.economy.state.lock().sessions.note_injected(session, &made, now);
            self.note_given(session, &made);
            return Some(made);
        }
        let mut state = self.economy.state.lock();
        state.note_evidence(session, &made.items, &evidence);
        // Somebody else may have asked at the same time: the first answer stands.
        let mut is_first = false;
        let text = state.sessions.give_block(session, now, || {
            is_first = true;
            made.clone()
        });
        let text = text.to_owned();
        drop(state);
        if is_first {
            self.note_given(session, &made);
            // What an agent holds as its beginning must not change, though the daemon be killed this moment.
            self.save_economy();
            return Some(made);
        }
        self.given_block(session).or_else(|| Some(SessionBlock { text, ..SessionBlock::default() }))
    }

    /// What stands before everything that is remembered; nothing for who is given only what binds.
    fn opening(&self, namespace: &Namespace, session: &str, in_work: Vec<String>) -> Opening {
        let owner = Owner::Session(session.to_owned());
        if !namespace.is_default() || self.measures(&owner).only_binding {
            return Opening::default();
        }
        Opening { handed_over: self.handed_over(session), in_work }
    }

    fn given_block(&self, session: &str) -> Option<SessionBlock> {
        let state = self.economy.state.lock();
        let known = state.sessions.get(session)?;
        let text = known.block.clone()?;
        // In the order of the text, and under the mark they have there: a tier may have changed since.
        let place = |key: &Key| text.find(&format!(":{}]", citation::handle(key)));
        let tier = |at: usize| match text.as_bytes().get(at.saturating_sub(1)) {
            Some(b'M') => Tier::Mandate,
            Some(b'G') => Tier::Guardrail,
            _ => Tier::Reference,
        };
        let mut placed: Vec<(usize, &Key)> = known.injected().filter_map(|key| Some((place(key)?, key))).collect();
        placed.sort_unstable();
        let item = |(at, key): (usize, &Key)| {
            let (key, tier, level) = (key.clone(), tier(at), Level::Summary);
            SessionItem { key, tier, tokens: 0, level }
        };
        let items = placed.into_iter().map(item).collect();
        Some(SessionBlock { tokens: token::estimate(&text), text, items })
    }

    fn session_candidates(&self, namespace: &Namespace, session: &str, goal: Option<String>) -> Option<ForASession> {
        let owner = Owner::Session(session.to_owned());
        let asked = Asked { namespace: namespace.clone(), goal, ..Asked::default() };
        let need = self.need(&owner, &asked);
        let related = self.related_files(&need, RELATED);
        let Gathered { candidates, evidence, episodes, .. } = self.candidates(&need, &related)?;
        // Files are told where there is a goal that tells.
        let files = match need.only_binding || need.goal.is_none() {
            true => Vec::new(),
            false => self.file_lines(&self.with_experience(related, &episodes, &need), &need),
        };
        // A few hundred tokens are too dear for how code looks here: that is told beside the file it matters for.
        let agent = self.agent_of(&owner);
        let telling = candidates.into_iter().filter(|candidate| {
            candidate.memory.kind != Kind::CodePattern && !gate::is_loaded_by(&agent, &candidate.memory)
        });
        let worth = |candidate: &lokid_context::parts::Candidate| {
            // What binds comes first in its section anyway; parts that press more come first in the others.
            candidate.value + (3 - candidate.part as usize) as f64
        };
        let telling = telling.map(|candidate| SessionCandidate { value: worth(&candidate), memory: candidate.memory });
        Some((telling.collect(), evidence, files))
    }

    /// The agent of a session, as it called itself; nothing for anybody else.
    pub(crate) fn agent_of(&self, owner: &Owner) -> String {
        let Some(session) = session_of(owner) else { return String::new() };
        self.economy.state.lock().sessions.get(session).map(|known| known.agent.clone()).unwrap_or_default()
    }

    /// What a later prompt calls for and the session has not been given: once each. Mostly nothing.
    pub fn prompt_tail(
        &self,
        namespace: &Namespace,
        session: &str,
        prompt: &str,
        files: &[String],
        context_use: Option<f64>,
        budget: usize,
    ) -> Option<PromptGiven> {
        self.begin_session(session, None, None, Vec::new());
        if let Some(share) = context_use {
            self.note_context_use(session, share);
        }
        let topic_moved = self.has_moved(session, prompt);
        if topic_moved {
            self.say("topic", serde_json::json!({"op": "moved", "session_id": session}));
        }
        let owner = Owner::Session(session.to_owned());
        let measures = self.measures(&owner);
        let k = if topic_moved { CALLED_FOR * SUPPLEMENT } else { CALLED_FOR };
        let budget = measures.allowance(if topic_moved { budget * SUPPLEMENT } else { budget });
        let mut called_for = self.binding_candidates(namespace);
        if !measures.only_binding {
            let config = self.config.load();
            let mut filter = Filter::new(namespace.clone(), self.clock.now());
            filter.as_of = None;
            let request = Request {
                query: prompt.to_owned(),
                k,
                task_type: None,
                phase: None,
                action: None,
                files: files.iter().map(|path| self.inside(path)).collect(),
                filter,
                min_score: Some(config.context.min_score + measures.stricter),
            };
            let recalled = self.recall_for(Some(session), &request, None)?;
            let hits = recalled.answer.hits.into_iter();
            called_for.extend(hits.map(|hit| SessionCandidate { memory: hit.memory, value: hit.score }));
        }
        let state = self.economy.state.lock();
        let already = |key: &Key| state.sessions.has(session, key);
        let block = session::tail(&called_for, &already, budget, &length);
        drop(state);
        let now = self.clock.now();
        self.economy.state.lock().sessions.note_injected(session, &block, now);
        self.note_given(session, &block);
        Some(PromptGiven { block, topic_moved })
    }

    /// Is this about something else than the session began with? A few words, or words it began with, do not tell.
    fn has_moved(&self, session: &str, prompt: &str) -> bool {
        let words = |text: &str| query::wanted(text).into_iter().map(|wanted| wanted.word).collect::<BTreeSet<_>>();
        let said = words(prompt);
        let mut state = self.economy.state.lock();
        let goal = state.sessions.get(session).map(|known| words(&known.goal)).unwrap_or_default();
        if said.len() < TELLING_WORDS || said.intersection(&goal).next().is_some() {
            return false;
        }
        let vector = self.vector_of(prompt);
        !vector.is_empty() && state.sessions.moved(session, &vector)
    }

    fn binding_candidates(&self, namespace: &Namespace) -> Vec<SessionCandidate> {
        let snapshot = self.snapshot.load();
        let now = self.clock.now();
        let value = |memory: &Memory| 10.0 + memory.importance;
        snapshot
            .binding(namespace)
            .filter(|memory| memory.holds_now(now) && !memory.restricted)
            .filter(|memory| memory.status == lokid_model::Status::Asserted)
            .map(|memory| SessionCandidate { value: value(memory), memory: Arc::clone(memory) })
            .collect()
    }

    pub(super) fn note_context_use(&self, session: &str, share: f64) {
        let pressure = self.economy.state.lock().sessions.use_of_context(session, share);
        if let Some(pressure) = pressure {
            let data = serde_json::json!({"op": "half_full", "session_id": session, "share": pressure.share});
            self.say("context", data);
        }
    }

    /// A block left for an agent.
    pub(super) fn note_given(&self, session: &str, block: &SessionBlock) {
        let full: usize = block.items.iter().filter(|item| item.level == Level::Full).map(|item| item.tokens).sum();
        if block.tokens > 0 {
            self.usage.loaded(block.items.iter().map(|item| item.key.clone()));
            self.record(session, &[Entry::Injected { tokens: block.tokens as u64, full: full as u64 }]);
        }
    }

    /// A context left for an agent.
    pub fn count_given(&self, owner: &Owner, given: &Given) {
        let assembled = &given.prepared.assembled;
        let keys = || assembled.items.iter().map(|item| item.key.clone());
        let full = |item: &&Item| item.level == Level::Full;
        let full: usize = assembled.items.iter().filter(full).map(|item| item.tokens).sum();
        let cache = if given.ahead { Entry::CacheHit } else { Entry::CacheMiss };
        let session = session_of(owner);
        self.usage.loaded(keys());
        self.search().used();
        if let Some(session) = session {
            let items = assembled.items.iter().map(|item| SessionItem {
                key: item.key.clone(),
                tier: Tier::Reference,
                tokens: item.tokens,
                level: item.level,
            });
            let block = SessionBlock { text: String::new(), tokens: assembled.tokens, items: items.collect() };
            let mut state = self.economy.state.lock();
            state.sessions.note_injected(session, &block, self.clock.now());
            state.note_evidence(session, &block.items, &given.prepared.evidence);
        }
        let injected = Entry::Injected { tokens: assembled.tokens as u64, full: full as u64 };
        self.record(session.unwrap_or(NOBODY), &[cache, injected]);
    }

    /// A memory was read in full.
    pub fn count_shown(&self, session: Option<&str>, memory: &Memory, tokens: usize) {
        let session = session.unwrap_or(NOBODY);
        let topic = topics::name_of(memory);
        self.usage.loaded(std::iter::once(memory.key()));
        self.search().used();
        self.economy.state.lock().sessions.note_loaded(session, [&memory.key()], self.clock.now());
        self.record(session, &[Entry::Full { tokens: tokens as u64, topic: &topic }]);
        self.check(session, Checkpoint::Layer3Load);
    }

    /// Patterns, mistakes and skills for a task. Nothing while the indexes are still being opened.
    pub fn task_context(
        &self,
        namespace: &Namespace,
        goal: &str,
        phase: Option<&str>,
        action: Option<&str>,
        files: &[String],
        k: usize,
    ) -> Option<TaskFound> {
        let ask = |kinds: &[Kind]| {
            let mut filter = Filter::new(namespace.clone(), self.clock.now());
            filter.kinds = kinds.to_vec();
            let request = Request {
                query: goal.to_owned(),
                k: 2 * k,
                task_type: None,
                phase: phase.map(str::to_owned),
                action: action.map(str::to_owned),
                files: files.iter().map(|path| self.inside(path)).collect(),
                filter,
                min_score: None,
            };
            self.recall(&request, None).map(|recalled| recalled.answer)
        };
        let pairs = |answer: lokid_retrieve::recall::Answer| -> Vec<(Arc<Memory>, f64)> {
            answer.hits.into_iter().map(|hit| (hit.memory, hit.score)).collect()
        };
        let relevant = ask(&[
            Kind::Pattern,
            Kind::CodePattern,
            Kind::Decision,
            Kind::Fact,
            Kind::Note,
            Kind::Workflow,
            Kind::Episode,
        ])?;
        let (task, weights) = (relevant.task, relevant.weights);
        let avoid = pairs(ask(&[Kind::AntiPattern, Kind::Learning])?);
        let skills = pairs(ask(&[Kind::Skill, Kind::Workflow])?);
        let context = task::task_context(goal, task, weights, &pairs(relevant), &avoid, &skills, k, &length);
        Some(TaskFound { task, weights, context })
    }

    /// A task context left for an agent.
    pub fn count_task(&self, owner: &Owner, context: &TaskContext) {
        let keys: Vec<Key> = context.items().map(|item| item.key.clone()).collect();
        self.usage.loaded(keys.iter().cloned());
        let session = session_of(owner);
        if let Some(session) = session {
            self.economy.state.lock().sessions.note_loaded(session, &keys, self.clock.now());
        }
        let injected = Entry::Injected { tokens: context.token_count as u64, full: 0 };
        self.record(session.unwrap_or(NOBODY), &[injected]);
    }

    /// Index, timeline, and at most two topics, until that is enough.
    pub fn disclose(&self, namespace: &Namespace, query: &str, budget: usize) -> Option<Disclosed> {
        let request = Request {
            query: query.to_owned(),
            k: 20,
            task_type: None,
            phase: None,
            action: None,
            files: Vec::new(),
            filter: Filter::new(namespace.clone(), self.clock.now()),
            min_score: None,
        };
        let hits = self.recall(&request, None)?.answer.hits;
        let hits: Vec<(Key, f64)> = hits.iter().map(|hit| (hit.memory.key(), hit.score)).collect();
        let snapshot = self.snapshot();
        let config = self.config.load();
        let sources = disclose::Sources {
            snapshot: &snapshot,
            namespace,
            limits: &config.layers,
            arrangement: &self.arrangement(),
            lengths: &length,
        };
        Some(disclose::load_relevant_context(&sources, &hits, budget, self.clock.now()))
    }

    /// Layers left for an agent.
    pub fn count_disclosed(&self, owner: &Owner, found: &Disclosed) {
        let session = session_of(owner).unwrap_or(NOBODY);
        let [index, timeline, memories] = found.layers.map(|tokens| tokens as u64);
        let mut entries = vec![Entry::Index { tokens: index }];
        if timeline > 0 {
            entries.push(Entry::Timeline { scanned: timeline, available: timeline });
        }
        if memories > 0 {
            let topic = found.topics.first().map(String::as_str).unwrap_or_default();
            entries.push(Entry::Full { tokens: memories, topic });
        }
        self.usage.loaded(found.items.iter().map(|(key, _, _)| key.clone()));
        self.record(session, &entries);
    }

    fn candidates(&self, need: &Need, related: &[PredictedFile]) -> Option<Gathered> {
        let ready = self.search().ready();
        let ready = ready.as_ref().as_ref()?;
        let clues = self.clues(need, related);
        let config = self.config.load();
        let filter = GatherFilter {
            namespace: need.namespace.clone(),
            now: self.clock.now(),
            as_of: None,
            min_score: need.least_score,
            window_days: (config.context.window.as_secs() / 86_400) as u32,
            longest: need.longest,
            only_binding: need.only_binding,
            beginning: true,
            exclude: &|_| false,
        };
        Some(self.with_sources(ready, |sources| gather::gather(sources, &clues, &filter)))
    }
}
