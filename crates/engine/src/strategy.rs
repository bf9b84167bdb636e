//! Which weights each question of a project is asked with, and what came of them: it draws the profile, remembers what
//! a session was told, credits it when the session is over, and keeps the log and what was learnt.
//!
//! Nothing here decides what helps; that is `retrieve::strategy`. Nothing on the way of an answer touches a file: lines
//! wait in memory until somebody who has time calls [`Strategy::flush`].

mod book;
mod sessions;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};

use book::StrategyBook;
pub use book::StrategyPlace;
use lokid_config::RecallConfig;
use lokid_model::{Key, Namespace, Outcome, Scope, TaskType, Timestamp};
use lokid_retrieve::strategy::log::{self, Arms, Recalled};
use lokid_retrieve::strategy::{Learner, Profile, Step, lot};
use lokid_sys::plain;
use sessions::{ToldRecall, TriedSessions};

/// A larger file is not ours.
const LARGEST: u64 = 1 << 20;

pub struct Strategy {
    /// Where what was learnt is kept; nowhere for a project that is only read.
    state: Option<PathBuf>,
    learner: RwLock<Learner>,
    changed: AtomicBool,
    /// Held while the file is written: what is older must not land on what is newer.
    saving: Mutex<()>,
    sessions: Mutex<TriedSessions>,
    book: StrategyBook,
    asked: AtomicU64,
}

/// What a question is asked with.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// Names the recall in the log.
    pub id: String,
    pub profile: Profile,
    pub weights: RecallConfig,
}

/// How a question was answered.
pub struct GivenAnswer<'a> {
    pub session: Option<&'a str>,
    pub namespace: &'a Namespace,
    pub task: TaskType,
    pub query: &'a str,
    pub k: usize,
    pub arms: Arms,
    /// Best first. What is private is counted and not named in the log, which lies in the repository.
    pub returned: Vec<(Key, Scope)>,
    pub took_us: u64,
}

impl Strategy {
    /// What cannot be read costs what was learnt, nothing else.
    pub fn open(place: Option<StrategyPlace>, state: Option<PathBuf>) -> Strategy {
        let text = state.as_deref().and_then(|path| plain::read_text(path, LARGEST).ok().flatten());
        Strategy {
            state,
            learner: RwLock::new(text.map_or_else(Learner::default, |text| Learner::from_text(&text))),
            changed: AtomicBool::new(false),
            saving: Mutex::new(()),
            sessions: Mutex::default(),
            book: StrategyBook::new(place),
            asked: AtomicU64::new(0),
        }
    }

    /// As configured, unless learning is switched on. The same question of the same session has the same weights all
    /// day, so that its answer stays the same, too.
    pub fn choose(
        &self,
        task: TaskType,
        configured: &RecallConfig,
        is_learning: bool,
        session: Option<&str>,
        query: &str,
        now: Timestamp,
    ) -> Chosen {
        let session = session.unwrap_or("");
        let profile = if is_learning {
            self.learner.read().choose(task, lot(&[&now.day(), session, query]))
        } else {
            Profile::Default
        };
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        let name = format!("{} {number} {session}", now.as_micros());
        let id = format!("rc-{}", &blake3::hash(name.as_bytes()).to_hex()[..12]);
        Chosen { id, profile, weights: profile.weights(configured) }
    }

    /// A question was answered. Tells whether enough lines wait to be written.
    pub fn record(&self, chosen: &Chosen, given: GivenAnswer<'_>, now: Timestamp) -> bool {
        let named: Vec<&str> =
            given.returned.iter().filter(|(_, scope)| may_be_named(*scope)).map(|(key, _)| key.id.as_str()).collect();
        let line = log::recall_line(
            &Recalled {
                id: &chosen.id,
                session: given.session,
                namespace: given.namespace,
                task: given.task,
                profile: chosen.profile,
                weights: &chosen.weights,
                arms: given.arms,
                k: given.k,
                query: given.query,
                unnamed: given.returned.len() - named.len(),
                returned: &named,
                took_us: given.took_us,
            },
            now,
        );
        if let Some(session) = given.session.filter(|session| !session.is_empty()) {
            let told = ToldRecall {
                id: chosen.id.clone(),
                task: given.task,
                profile: chosen.profile,
                returned: given.returned,
            };
            self.sessions.lock().note(session, told);
        }
        self.book.push(line)
    }

    /// A session is over: a recall has helped if anything it returned was cited. `None` when the session never said
    /// what it applied, which tells nothing of what it was told.
    pub fn judge(&self, session: &str, cited: Option<&[Key]>, outcome: Option<Outcome>, now: Timestamp) {
        let recalls = self.sessions.lock().end(session);
        let cited: Option<BTreeSet<&Key>> = cited.map(|keys| keys.iter().collect());
        for recall in recalls {
            let is_cited = |(key, _): &&(Key, Scope)| cited.as_ref().is_some_and(|cited| cited.contains(key));
            let found: Vec<&(Key, Scope)> = recall.returned.iter().filter(is_cited).collect();
            // What returned nothing says nothing about its weights.
            let helped = cited.as_ref().filter(|_| !recall.returned.is_empty()).map(|_| !found.is_empty());
            if let Some(helped) = helped {
                self.learner.write().note(recall.task, recall.profile, helped, now);
                self.changed.store(true, Ordering::Release);
            }
            let named: Vec<&str> =
                found.iter().filter(|(_, scope)| may_be_named(*scope)).map(|(key, _)| key.id.as_str()).collect();
            self.book.push(log::outcome_line(&recall.id, &named, helped, outcome, now));
        }
    }

    /// Once a day: old evidence fades and, if learning is switched on, what helped more is used more.
    pub fn night(&self, is_learning: bool, now: Timestamp) -> Vec<Step> {
        let steps = self.learner.write().night(is_learning, now);
        self.changed.store(true, Ordering::Release);
        for step in &steps {
            self.book.push(log::step_line(step, now));
        }
        steps
    }

    /// How often each profile is used for a kind of task.
    pub fn shares(&self, task: TaskType) -> Vec<(Profile, f64)> {
        Profile::ALL.iter().copied().zip(self.learner.read().shares(task)).collect()
    }

    /// Writes down what waits. What cannot be written goes on waiting, up to a bound.
    pub fn flush(&self, now: Timestamp) -> std::io::Result<()> {
        let (written, saved) = (self.book.flush(now), self.save());
        written.and(saved)
    }

    fn save(&self) -> std::io::Result<()> {
        let _held = self.saving.lock();
        let Some(path) = self.state.as_deref().filter(|_| self.changed.swap(false, Ordering::AcqRel)) else {
            return Ok(());
        };
        let text = self.learner.read().to_text();
        plain::replace(path, text.as_bytes()).inspect_err(|_| self.changed.store(true, Ordering::Release))
    }
}

fn may_be_named(scope: Scope) -> bool {
    scope.is_shared()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "real files are the subject")]
mod tests;
