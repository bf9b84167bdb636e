//! Handing out: session blocks, what later prompts call for, task contexts, layers. All of it is noted in the book.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cache::Need;
use super::{Asked, Contexts, RELATED, length, lines};
use crate::focus::Owner;
use crate::said::{Because, Handed, Reasoned};
use lokid_context::disclose::{self, Disclosed};
use lokid_context::gate::{self, Weighed};
use lokid_context::gather::{self, GatherFilter, Gathered};
use lokid_context::parts::{Candidate, FileLine};
use lokid_context::predict::PredictedFile;
use lokid_context::predict::memories::Evidence;
use lokid_context::session::{self, Opening, SessionBlock, SessionCandidate, Topic};
use lokid_context::task::{self, TaskContext};
use lokid_index::roster::Filter;
use lokid_model::{Key, Kind, Memory, Namespace, TaskType};
use lokid_retrieve::query;
use lokid_retrieve::recall::{Hit, Request};
use lokid_retrieve::task::Weights;

/// Memories a prompt may call for.
const CALLED_FOR: usize = 5;
/// What was told is looked for among so many times as many, for what the repository taught is found as well.
const BESIDE_LEARNT: usize = 3;
/// A prompt of fewer words that tell something says nothing about the topic.
const TELLING_WORDS: usize = 4;
/// A session that has moved to another topic is given so many times as much, once.
const SUPPLEMENT: usize = 3;

/// What stands behind a later prompt of a session.
pub struct PromptGiven {
    pub handed: Handed,
    pub topic_moved: bool,
}

pub struct TaskFound {
    pub task: TaskType,
    pub weights: Weights,
    pub context: TaskContext,
}

/// What a session could be told, and the files that go with it.
#[derive(Default)]
struct ForASession {
    telling: Vec<Candidate>,
    evidence: BTreeMap<Key, Evidence>,
    weighed: Vec<Weighed>,
    files: Vec<FileLine>,
}

impl ForASession {
    fn candidates(&self) -> Vec<SessionCandidate> {
        // What binds comes first in its section anyway; parts that press more come first in the others.
        let worth = |one: &Candidate| one.value + (3 - one.part as usize) as f64;
        let candidate = |one: &Candidate| SessionCandidate { value: worth(one), memory: Arc::clone(&one.memory) };
        self.telling.iter().map(candidate).collect()
    }

    fn reason(&self, key: &Key) -> Option<Reasoned> {
        let found = self.telling.iter().find(|candidate| candidate.memory.key() == *key)?;
        let why = found.why.clone();
        let because = match self.weighed.iter().find(|weighed| weighed.key == *key) {
            Some(weighed) => Because::Weighed { why, signs: weighed.signs },
            None if gather::is_always_said(found) => Because::Binds,
            None => Because::Foreseen { why, evidence: self.evidence.get(key).copied() },
        };
        Some(Reasoned::new(&found.memory, found.value, because))
    }
}

impl Contexts {
    /// The block at the start of a session: the same bytes on every call of it.
    pub fn session_block(
        &self,
        namespace: &Namespace,
        session: &str,
        agent: Option<String>,
        goal: Option<String>,
        budget: usize,
    ) -> Option<Handed> {
        let topic = goal.as_deref().map(|goal| self.search.vector_of(goal)).unwrap_or_default();
        if let Some(borrowing) = &self.recall.borrowing {
            borrowing.session_begins(session);
        }
        self.sessions.begin_session(session, agent, goal.clone(), topic);
        self.block_about(namespace, session, goal, budget)
    }

    /// The first prompt of a session that nobody announced: its block and its tail. What it is asked first is what it is about,
    /// which is weighed once and, as all prompts, written down nowhere.
    pub fn first_prompt(
        &self,
        namespace: &Namespace,
        session: &str,
        agent: Option<String>,
        prompt: &str,
        [of_block, of_tail]: [usize; 2],
    ) -> (Option<Handed>, Option<PromptGiven>) {
        if let Some(borrowing) = &self.recall.borrowing {
            borrowing.session_begins(session);
        }
        self.sessions.begin_session(session, agent, None, Vec::new());
        let block = self.block_about(namespace, session, Some(prompt.to_owned()), of_block);
        (block, self.tail_of(namespace, session, prompt, &[], of_tail, false))
    }

    fn block_about(&self, namespace: &Namespace, session: &str, goal: Option<String>, budget: usize) -> Option<Handed> {
        let known = self.sessions.given_block(session);
        let is_foreign = |block: &SessionBlock| block.items.iter().any(|item| item.key.namespace != *namespace);
        let stranger = known.as_ref().is_some_and(is_foreign);
        if let Some(known) = known.filter(|_| !stranger) {
            return Some(self.again(known));
        }
        let notes = self.notes(namespace);
        // Who says nothing takes up what is in work.
        let goal = goal.filter(|goal| !goal.trim().is_empty()).or_else(|| notes.focus.clone());
        let opening = self.opening(namespace, session, notes.lines());
        let found = self.session_candidates(namespace, session, goal)?;
        let candidates = found.candidates();
        let topics = if opening.in_work.is_empty() { Arc::default() } else { self.pointers(namespace) };
        let made = session::opened(&opening, budget, |room| {
            let block = session::with_files(session::block(&candidates, room, &length), &found.files, room);
            session::with_index(block, &topics, room)
        });
        // Namespaces never see each other, not even in a session of the same name: the kept block is the first one's.
        let given = match stranger {
            true => self.sessions.hand(session, |_| made),
            false => self.sessions.give_first(session, made, &found.evidence),
        };
        Some(Handed::new(given, |key| found.reason(key)))
    }

    /// What a session began with, as it was.
    fn again(&self, block: SessionBlock) -> Handed {
        let snapshot = self.writer.snapshot();
        Handed::new(block, |key| Some(Reasoned::new(snapshot.get(key)?, 0.0, Because::Again)))
    }

    /// What stands before everything that is remembered; nothing for who is given only what binds.
    fn opening(&self, namespace: &Namespace, session: &str, in_work: Vec<String>) -> Opening {
        let owner = Owner::Session(session.to_owned());
        if !namespace.is_default() || self.sessions.measures(&owner).only_binding {
            return Opening::default();
        }
        Opening { handed_over: self.sessions.handed_over(session), in_work }
    }

    fn session_candidates(&self, namespace: &Namespace, session: &str, goal: Option<String>) -> Option<ForASession> {
        let owner = Owner::Session(session.to_owned());
        let asked = Asked { namespace: namespace.clone(), goal, ..Asked::default() };
        let need = self.need(&owner, &asked);
        let related = self.related_files(&need, RELATED);
        let Gathered { mut candidates, evidence, weighed, episodes } = self.candidates(&need, &related)?;
        // Files are told where there is a goal that tells.
        let files = match need.only_binding || need.goal.is_none() {
            true => Vec::new(),
            false => self.file_lines(&self.with_experience(related, &episodes, &need), &need),
        };
        // A few hundred tokens are too dear for how code looks here: that is told beside the file it matters for.
        let agent = self.sessions.agent_of(&owner);
        // How to run the very test is better than how to run all.
        let is_told = files.iter().any(FileLine::tells_how_to_run);
        candidates.retain(|candidate| {
            let is_known = gate::is_loaded_by(&agent, &candidate.memory) || lines::is_told(&files, None, candidate);
            let is_how_to = is_told && candidate.why == gather::HOW_TO_REASON;
            candidate.memory.kind != Kind::CodePattern && !is_known && !is_how_to
        });
        Some(ForASession { telling: candidates, evidence, weighed, files })
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
        self.sessions.begin_session(session, None, None, Vec::new());
        if let Some(share) = context_use {
            self.sessions.note_context_use(session, share);
        }
        self.tail_of(namespace, session, prompt, files, budget, true)
    }

    /// With or without what the repository taught.
    fn tail_of(
        &self,
        namespace: &Namespace,
        session: &str,
        prompt: &str,
        files: &[String],
        budget: usize,
        with_learnt: bool,
    ) -> Option<PromptGiven> {
        let topic = self.topic(session, prompt);
        let topic_moved = topic == Topic::Moved;
        if topic_moved {
            self.env.say("topic", serde_json::json!({"op": "moved", "session_id": session}));
        }
        let owner = Owner::Session(session.to_owned());
        let measures = self.sessions.measures(&owner);
        let k = if topic_moved { CALLED_FOR * SUPPLEMENT } else { CALLED_FOR };
        let budget = measures.allowance(if topic_moved { budget * SUPPLEMENT } else { budget });
        let files: Vec<String> = files.iter().map(|path| self.repository.inside(path)).collect();
        let mut called_for = self.binding_candidates(namespace);
        if !measures.only_binding {
            let config = self.env.config.load();
            let mut filter = Filter::new(namespace.clone(), self.env.clock.now());
            filter.as_of = None;
            let request = Request {
                query: prompt.to_owned(),
                k: k * BESIDE_LEARNT,
                task_type: None,
                phase: None,
                action: None,
                files: files.clone(),
                filter,
                min_score: Some(config.context.min_score + measures.stricter),
            };
            let recalled = self.recall.recall_for(Some(session), &request, None)?;
            let told = recalled.answer.hits.into_iter().filter(|hit| !self.is_derived(&hit.memory));
            let found = |hit: Hit| Reasoned::new(&hit.memory, hit.score, Because::Recalled(Box::new(hit.parts)));
            called_for.extend(told.take(k).map(found));
        }
        // What the repository taught is weighed once it is known what the session is about.
        let work = (with_learnt && topic != Topic::Known && !measures.only_binding)
            .then(|| self.session_candidates(namespace, session, Some(prompt.to_owned())));
        let work = work.flatten().unwrap_or_default();
        let learnt = work.telling.iter().filter(|candidate| self.is_derived(&candidate.memory));
        called_for.extend(learnt.filter_map(|candidate| work.reason(&candidate.memory.key())));
        called_for.retain(|found| !self.is_muted(&found.memory.key(), &files));
        let candidates = Reasoned::candidates(&called_for);
        let tail = |already: &dyn Fn(&Key) -> bool| {
            session::with_files(session::tail(&candidates, already, budget, &length), &work.files, budget)
        };
        let block = self.sessions.hand(session, tail);
        Some(PromptGiven { handed: Handed::of(block, &called_for), topic_moved })
    }

    /// Was it learnt from the repository, and told by nobody?
    fn is_derived(&self, memory: &Memory) -> bool {
        memory.is_commit() || self.writer.snapshot().is_derived(&memory.key())
    }

    /// Is this about something else than the session began with? A few words, or words it began with, do not tell.
    fn topic(&self, session: &str, prompt: &str) -> Topic {
        let words = |text: &str| query::wanted(text).into_iter().map(|wanted| wanted.word).collect::<BTreeSet<_>>();
        let said = words(prompt);
        let goal = self.sessions.goal_of(session).map(|goal| words(&goal)).unwrap_or_default();
        if said.len() < TELLING_WORDS || said.intersection(&goal).next().is_some() {
            return Topic::Known;
        }
        let vector = self.search.vector_of(prompt);
        if vector.is_empty() { Topic::Known } else { self.sessions.topic(session, &vector) }
    }

    /// What somebody made binding.
    fn binding_candidates(&self, namespace: &Namespace) -> Vec<Reasoned> {
        let snapshot = self.writer.snapshot();
        let now = self.env.clock.now();
        let found = |memory: &Arc<Memory>| {
            let score = memory.importance;
            Reasoned { value: 10.0 + score, ..Reasoned::new(memory, score, Because::Binds) }
        };
        snapshot
            .binding(namespace)
            .filter(|memory| memory.holds_now(now) && !memory.restricted && !snapshot.is_derived(&memory.key()))
            .filter(|memory| memory.status == lokid_model::Status::Asserted)
            .map(found)
            .collect()
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
        let files: Vec<String> = files.iter().map(|path| self.repository.inside(path)).collect();
        let ask = |kinds: &[Kind]| {
            let mut filter = Filter::new(namespace.clone(), self.env.clock.now());
            filter.kinds = kinds.to_vec();
            let request = Request {
                query: goal.to_owned(),
                k: 2 * k,
                task_type: None,
                phase: phase.map(str::to_owned),
                action: action.map(str::to_owned),
                files: files.clone(),
                filter,
                min_score: None,
            };
            let mut answer = self.recall.recall(&request, None)?.answer;
            answer.hits.retain(|hit| !self.is_muted(&hit.memory.key(), &files));
            Some(answer)
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

    /// Index, timeline, and at most two topics, until that is enough.
    pub fn disclose(&self, namespace: &Namespace, query: &str, budget: usize) -> Option<Disclosed> {
        let request = Request {
            query: query.to_owned(),
            k: 20,
            task_type: None,
            phase: None,
            action: None,
            files: Vec::new(),
            filter: Filter::new(namespace.clone(), self.env.clock.now()),
            min_score: None,
        };
        let hits = self.recall.recall(&request, None)?.answer.hits;
        let hits: Vec<(Key, f64)> = hits.iter().map(|hit| (hit.memory.key(), hit.score)).collect();
        let snapshot = self.writer.snapshot();
        let config = self.env.config.load();
        let sources = disclose::LayerSources {
            snapshot: &snapshot,
            namespace,
            limits: &config.layers,
            arrangement: &self.sessions.arrangement(),
            lengths: &length,
        };
        Some(disclose::load_relevant_context(&sources, &hits, budget, self.env.clock.now()))
    }

    fn candidates(&self, need: &Need, related: &[PredictedFile]) -> Option<Gathered> {
        let ready = self.search.handle().ready();
        let ready = ready.as_ref().as_ref()?;
        let clues = self.clues(need, related);
        let config = self.env.config.load();
        let filter = GatherFilter {
            namespace: need.namespace.clone(),
            now: self.env.clock.now(),
            as_of: None,
            min_score: need.least_score,
            window_days: (config.context.window.as_secs() / 86_400) as u32,
            longest: need.longest,
            only_binding: need.only_binding,
            beginning: true,
            exclude: &|key| self.is_muted(key, need.file.as_slice()),
        };
        Some(self.with_sources(ready, |sources| gather::gather(sources, &clues, &filter)))
    }
}
