//! What agents were told unasked, and when they were told nothing: each occasion with what called for it, the exact words,
//! what they cost, and why each memory was among them. It stands in lines in the project's state directory; whoever deletes
//! them loses this and nothing else.
//!
//! Whoever answers an agent only leaves a note here. What is kept is put into words behind the answer.

mod because;
mod echo;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::env::Env;
use super::pattern::Pattern;
use super::pieces::Pieces;
use super::redaction::Redaction;
use lokid_context::session::{self, SessionItem};
use lokid_model::words::{head, vocabulary};
use lokid_model::{Key, Memory, MemoryId, Namespace, Timestamp, citation, token};

pub use because::{Because, Handed, Reasoned};

pub(super) use echo::Echo;

const FOLDER: &str = "said";
const LETTER: char = 's';
const MOST_PIECES: usize = 4;
/// In characters.
const LONGEST_ASKED: usize = 300;
/// In bytes: what is looked through for secrets before it is cut.
const LONGEST_NOTED: usize = 64 << 10;
const MOST_FILES: usize = 20;
/// Nobody keeps what is noted when more waits than this.
const MOST_WAITING: usize = 1_024;

vocabulary!(
    /// When something may be said.
    #[derive(Default)]
    SaidAt {
        SessionStart = "session_start",
        #[default]
        Prompt = "prompt",
        BeforeTool = "before_tool",
        AfterTool = "after_tool",
        Failed = "failed",
    }
);

/// One occasion, as it was answered.
#[derive(Clone, Debug, Default)]
pub struct Utterance {
    pub session: String,
    /// As the book has it unless told.
    pub agent: String,
    pub event: SaidAt,
    /// The prompt, the command or the file.
    pub asked: String,
    pub files: Vec<String>,
    /// To the byte.
    pub text: String,
    pub handed: Vec<Handed>,
    pub took_us: u64,
    pub topic_moved: bool,
}

/// The same as it is kept and shown.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Saying {
    /// A later one has a greater id.
    pub id: String,
    pub at: String,
    pub session_id: String,
    pub agent: String,
    pub event: String,
    pub asked: String,
    pub files: Vec<String>,
    pub text: String,
    pub tokens: usize,
    pub took_us: u64,
    pub topic_moved: bool,
    pub items: Vec<SaidMemory>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SaidMemory {
    pub id: String,
    pub namespace: String,
    pub cite: String,
    pub kind: String,
    pub tier: String,
    pub title: String,
    pub line: String,
    pub tokens: usize,
    pub score: f64,
    pub why: String,
    pub parts: BTreeMap<String, f64>,
    /// As the book of sessions has it.
    #[serde(skip)]
    pub cited: Option<bool>,
}

/// How much of a memory goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goes {
    /// It was archived: that it was said stays.
    Words,
    /// It was purged.
    All,
}

#[derive(Clone, Debug, Default)]
pub struct SaidQuery {
    pub session: Option<String>,
    pub memory: Option<Key>,
    /// Only where something was said, or only where nothing was.
    pub spoken: Option<bool>,
    /// Before this one.
    pub before: Option<String>,
    pub limit: usize,
}

pub(super) struct SaidLog {
    redaction: Redaction,
    read_only: bool,
    waiting: Mutex<Vec<(Timestamp, Utterance)>>,
    /// Held while notes become lines: what is purged is in neither.
    pieces: Mutex<Pieces>,
}

impl SaidLog {
    pub(super) fn new(env: &Env) -> SaidLog {
        let pieces = Pieces::new(env.state.join(FOLDER), LETTER, MOST_PIECES, &env.redaction);
        let (redaction, pieces) = (env.redaction.clone(), Mutex::new(pieces));
        SaidLog { redaction, read_only: env.read_only, waiting: Mutex::default(), pieces }
    }

    pub(super) fn note(&self, utterance: Utterance, now: Timestamp) {
        let mut waiting = self.waiting.lock();
        if waiting.len() < MOST_WAITING {
            waiting.push((now, utterance));
        }
    }

    /// Writes down what was noted, and answers with it. `gone` says of a memory what must not be kept of it any more.
    pub(super) fn keep(&self, gone: &dyn Fn(&Memory) -> Option<Goes>) -> std::io::Result<Vec<Saying>> {
        let mut pieces = self.pieces.lock();
        let waiting = std::mem::take(&mut *self.waiting.lock());
        let saying = |(at, said)| Saying { id: pieces.name(at), ..self.saying(at, said, gone) };
        let kept: Vec<Saying> = waiting.into_iter().map(saying).collect();
        if !self.read_only {
            let line = |saying: &Saying| Some((saying.id.clone(), vec![line(saying)?]));
            pieces.append(&kept.iter().filter_map(line).collect::<Vec<_>>())?;
        }
        Ok(kept)
    }

    fn saying(&self, at: Timestamp, said: Utterance, gone: &dyn Fn(&Memory) -> Option<Goes>) -> Saying {
        // Cut only when it is clean: half of a secret looks like none.
        let asked = self.redaction.text(head(&said.asked, LONGEST_NOTED));
        let items = said.handed.iter().flat_map(|handed| handed.block.items.iter().map(move |item| (handed, item)));
        let reason = |handed: &Handed, key: &Key| handed.reasons.iter().find(|one| one.memory.key() == *key).cloned();
        let items = items.map(|(handed, item)| (item, reason(handed, &item.key)));
        let (items, reasons): (Vec<&SessionItem>, Vec<Option<Reasoned>>) = items.unzip();
        let shown = items.iter().zip(&reasons).map(|(item, reason)| shown(item, reason.as_ref(), &said.text));
        let mut saying = Saying {
            id: String::new(),
            at: at.record_style(),
            session_id: said.session.clone(),
            agent: said.agent.clone(),
            event: said.event.as_str().to_owned(),
            asked: asked.chars().take(LONGEST_ASKED).collect(),
            files: said.files.iter().take(MOST_FILES).cloned().collect(),
            tokens: token::estimate(&said.text),
            took_us: said.took_us,
            topic_moved: said.topic_moved,
            items: shown.collect(),
            text: said.text.clone(),
        };
        // It may have gone while it was said.
        for memory in reasons.iter().flatten().map(|reason| &reason.memory) {
            if let Some(goes) = gone(memory) {
                saying.strike(&memory.key(), goes);
            }
        }
        saying
    }

    /// Hands on what was said, newest first, for as long as more is wanted.
    fn newest(&self, mut wants_more: impl FnMut(Saying) -> bool) {
        let mut pieces = self.pieces.lock();
        for path in pieces.paths().iter().rev() {
            for line in pieces.text(path).lines().rev().filter(|line| !line.is_empty()) {
                match serde_json::from_str(line) {
                    Ok(saying) => {
                        if !wants_more(saying) {
                            return;
                        }
                    }
                    Err(error) => pieces.complain(&error),
                }
            }
        }
    }

    pub(super) fn page(&self, query: &SaidQuery) -> Vec<Saying> {
        let mut page = Vec::new();
        self.newest(|saying| {
            if query.before.as_ref().is_none_or(|before| saying.id < *before) && query.admits(&saying) {
                page.push(saying);
            }
            page.len() < query.limit
        });
        page
    }

    /// Every memory that something was said of.
    pub(super) fn named(&self) -> Vec<Key> {
        let mut named = BTreeSet::new();
        self.newest(|saying| {
            named.extend(saying.items.iter().filter_map(SaidMemory::key));
            true
        });
        named.into_iter().collect()
    }

    /// How many lines hold what must not be kept; with `strike` they go.
    pub(super) fn history(&self, pattern: &Pattern, strike: bool) -> std::io::Result<usize> {
        self.pieces.lock().history(pattern, strike)
    }

    /// Takes out what must not be kept any more: what was said of these memories, and what repeats the words of others.
    pub(super) fn strike(&self, keys: &[(Key, Goes)], echo: &Echo) -> std::io::Result<()> {
        let mut pieces = self.pieces.lock();
        if self.read_only {
            return Ok(());
        }
        // All of them are looked for at once: thousands may go together, and the writer waits.
        let Ok(finder) = AhoCorasick::new(keys.iter().flat_map(|(key, _)| traces(key))) else { return pieces.clear() };
        let told_of = |text: &str| -> BTreeSet<usize> {
            finder.find_overlapping_iter(text).map(|found| found.pattern().as_usize() / TRACES).collect()
        };
        let less = |told: &str| {
            let mut saying: Saying = serde_json::from_str(told).ok()?;
            told_of(told).into_iter().map(|place| &keys[place]).for_each(|(key, goes)| saying.strike(key, *goes));
            saying.strike_echo(echo);
            line(&saying)
        };
        let is_clean = |text: &str| echo.is_empty() && !finder.is_match(text);
        pieces.strike(&|told| if is_clean(told) { Some(Cow::Borrowed(told)) } else { less(told).map(Cow::Owned) })?;
        Ok(())
    }
}

/// What stands in a line that tells of a memory: the mark it was said under, or its id as JSON spells it.
fn traces(key: &Key) -> [String; TRACES] {
    let id = serde_json::Value::String(key.id.to_string()).to_string();
    [format!(":{}", citation::handle(key)), id.trim_matches('"').to_owned()]
}

const TRACES: usize = 2;

fn line(saying: &Saying) -> Option<String> {
    serde_json::to_string(saying).ok()
}

fn shown(item: &SessionItem, reason: Option<&Reasoned>, text: &str) -> SaidMemory {
    let (key, memory) = (&item.key, reason.map(|reason| &reason.memory));
    let line = session::line_in(text, key).unwrap_or_default();
    SaidMemory {
        id: key.id.to_string(),
        namespace: key.namespace.to_string(),
        cite: citation::mark(item.tier, key),
        kind: memory.map(|memory| memory.kind.as_str().to_owned()).unwrap_or_default(),
        tier: item.tier.as_str().to_owned(),
        title: memory.map(|memory| memory.headline().to_owned()).unwrap_or_default(),
        line: line.to_owned(),
        tokens: token::estimate(line),
        score: reason.map(|reason| because::rounded(reason.score)).unwrap_or_default(),
        why: reason.map(|reason| reason.because.why(&reason.memory)).unwrap_or_default(),
        parts: reason.map(|reason| reason.because.parts(reason.score)).unwrap_or_default(),
        cited: None,
    }
}

impl SaidMemory {
    pub(super) fn key(&self) -> Option<Key> {
        Some(Key::new(&Namespace::new(&self.namespace)?, &MemoryId::foreign(&self.id)?))
    }
}

impl Saying {
    pub(super) fn strike(&mut self, key: &Key, goes: Goes) {
        let is = |item: &SaidMemory| item.id == key.id.as_str() && item.namespace == key.namespace.as_str();
        if let Some(less) = session::without(&self.text, key) {
            self.text = less;
        }
        if goes == Goes::All && self.items.iter().any(is) {
            // What called for it may say as much as it did.
            self.asked.clear();
            self.items.retain(|item| !is(item));
        }
        for item in self.items.iter_mut().filter(|item| is(item)) {
            [&mut item.title, &mut item.line, &mut item.why].into_iter().for_each(String::clear);
        }
    }

    /// The lines of other memories are those of other memories.
    fn strike_echo(&mut self, echo: &Echo) {
        if echo.is_in(&self.asked) {
            self.asked.clear();
        }
        let is_echo = |line: &&str| line.starts_with("- ") && !line.starts_with("- [") && echo.is_in(&line[2..]);
        if self.text.lines().any(|line| is_echo(&line)) {
            self.text = self.text.lines().filter(|line| !is_echo(line)).collect::<Vec<_>>().join("\n");
        }
    }
}

impl SaidQuery {
    fn admits(&self, saying: &Saying) -> bool {
        let names = |key: &Key| {
            saying.items.iter().any(|item| item.id == key.id.as_str() && item.namespace == key.namespace.as_str())
        };
        self.session.as_ref().is_none_or(|session| *session == saying.session_id)
            && self.memory.as_ref().is_none_or(names)
            && self.spoken.is_none_or(|spoken| spoken != saying.text.is_empty())
    }
}
