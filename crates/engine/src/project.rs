//! One project with all its actors: put together, set going, and stopped in the right order. Whoever wants something of
//! it names the part that does it; no part knows the whole.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock, Weak};
use std::thread::JoinHandle;

use parking_lot::Mutex;

use super::authority::Authority;
use super::borrowing::Borrowing;
use super::changes::ChangeLog;
use super::commons::Commons;
use super::contexts::Contexts;
use super::ears::Ears;
use super::env::Env;
use super::eyes::Eyes;
use super::follow::Follower;
use super::inbox::WriterHandle;
use super::judge::Judge;
use super::memory_care::{MemoryCare, Shed};
use super::mirror::Mirror;
use super::mutes::Mutes;
use super::night::{Night, Tools};
use super::past;
use super::prefetch::Prefetch;
use super::recall::Recall;
use super::repository::Repository;
use super::review::Review;
use super::search::Search;
use super::sessions::Sessions;
use super::signals::Signals;
use super::strategy::{self, Strategy};
use super::team::Team;
use super::usage::UsageBook;
use super::writer::Writer;
use lokid_mirror::Events;
use lokid_store::Store;
use lokid_sys::{InstanceLock, thread};

pub struct Project {
    pub env: Arc<Env>,
    pub writer: WriterHandle,
    pub search: Arc<Search>,
    pub repository: Arc<Repository>,
    pub sessions: Arc<Sessions>,
    pub recall: Arc<Recall>,
    pub contexts: Arc<Contexts>,
    pub mutes: Arc<Mutes>,
    pub prefetch: Arc<Prefetch>,
    pub night: Arc<Night>,
    pub changes: Arc<ChangeLog>,
    pub signals: Arc<Signals>,
    pub ears: Ears,
    /// What the mirror tells; nothing is written while it is off.
    pub events: Arc<Events>,
    /// There while it is on.
    pub mirror: Option<Arc<Mirror>>,
    pub team: Arc<Team>,
    review: Arc<Review>,
    eyes: Arc<OnceLock<Eyes>>,
    judge: Arc<Judge>,
    memory: Arc<MemoryCare>,
    borrowing: Option<Arc<Borrowing>>,
    commons: Commons,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What all projects of a process share.
pub(super) struct Shared {
    pub(super) judge: Arc<Judge>,
    pub(super) memory: Arc<MemoryCare>,
    pub(super) commons: Commons,
}

impl Project {
    /// Everything in its place and the writer at work. The other threads are started by whoever wants them.
    pub(super) fn open(
        env: Env,
        kept: (Store, Authority),
        lock: Option<InstanceLock>,
        shared: &Shared,
    ) -> io::Result<Project> {
        let env = Arc::new(env);
        let config = env.config.load();
        let (sender, inbox) = crossbeam_channel::bounded(config.server.inbox);
        let writer = WriterHandle::new(sender, env.redaction.clone());
        let usage = Arc::new(UsageBook::open(env.state_file("usage.json"), env.clock.clone()));
        let search = Arc::new(Search::new(Arc::clone(&env), Arc::clone(writer.published()), Arc::clone(&usage)));
        let repository = Arc::new(Repository::new(Arc::clone(&env)));
        let strategy = open_strategy(&env);
        let sessions =
            Sessions::open(Arc::clone(&env), writer.clone(), Arc::clone(&search), Arc::clone(&usage), strategy);
        let sessions = Arc::new(sessions);
        let events = Arc::new(Events::new(&env.root));
        let mirror = Mirror::new(&env, &writer, &events);
        let team = Team::new(&env, &writer);
        let borrowing = Borrowing::new(&env, &writer, &events);
        let recall = Arc::new(Recall {
            borrowing: borrowing.clone(),
            env: Arc::clone(&env),
            writer: writer.clone(),
            search: Arc::clone(&search),
            repository: Arc::clone(&repository),
            sessions: Arc::clone(&sessions),
        });
        let mutes = Arc::new(Mutes::open(&env));
        let contexts = Arc::new(Contexts::new(Arc::clone(&recall), Arc::clone(&mutes)));
        let memory = Arc::clone(&shared.memory);
        let prefetch = Arc::new(Prefetch::new(Arc::clone(&contexts), Arc::clone(&env), Arc::clone(&memory)));
        let night = Arc::new(Night::open(env.state_file("night.json")));
        let signals = Signals::new(Arc::clone(&env), Arc::clone(&night), Arc::clone(&prefetch), Arc::clone(&sessions));
        let review = Arc::new(Review::new(Arc::clone(&env), writer.clone(), Arc::clone(&search)));
        let eyes = Arc::new(OnceLock::new());
        let changes = Arc::new(ChangeLog::new(Arc::clone(&env)));
        // In this order: what was purged must be gone everywhere before the feed tells of it.
        let mut followers: Vec<Arc<dyn Follower>> = vec![
            sessions.clone(),
            mutes.clone(),
            search.clone(),
            night.clone(),
            changes.clone(),
            prefetch.clone(),
            Arc::new(Arc::clone(&review)),
            eyes.clone(),
            team.clone(),
        ];
        followers.extend(mirror.clone().map(|mirror| mirror as Arc<dyn Follower>));
        followers.extend(borrowing.clone().map(|borrowing| borrowing as Arc<dyn Follower>));
        let ends = (inbox, writer.clone());
        let around = (memory.clone(), shared.commons.clone());
        let sidecars = followers.clone();
        let work = Writer::new(Arc::clone(&env), kept, ends, followers, Arc::clone(&search), usage, around);
        changes.start()?;
        let thread = start_writer(work, lock, &env).inspect_err(|_| changes.stop())?;
        changes.sweep(writer.snapshot(), sidecars);
        shared.commons.join(&env.id, &writer);
        let holder: Weak<Contexts> = Arc::downgrade(&contexts);
        memory.look_after(holder as Weak<dyn Shed>);
        Ok(Project {
            ears: Ears::new(Arc::clone(&env), writer.clone()),
            thread: Mutex::new(Some(thread)),
            judge: Arc::clone(&shared.judge),
            commons: shared.commons.clone(),
            signals: Arc::new(signals),
            env,
            writer,
            search,
            repository,
            sessions,
            recall,
            contexts,
            mutes,
            prefetch,
            night,
            changes,
            review,
            eyes,
            memory,
            events,
            mirror,
            team,
            borrowing,
        })
    }

    /// How the project is watched, if it is.
    pub fn eyes(&self) -> Option<&Eyes> {
        self.eyes.get()
    }

    pub fn memory_care(&self) -> &MemoryCare {
        &self.memory
    }

    /// Opens the project's eyes, unless somebody wants them shut. What cannot be watched can still be asked.
    pub(super) fn watch(&self) {
        if self.env.read_only {
            return;
        }
        self.ears.hear_what_was_left();
        if !self.env.config.load().watch.enabled || !self.env.captures {
            return;
        }
        match Eyes::open(&self.env, &self.writer, &self.signals) {
            Ok(eyes) => {
                self.repository.attach(eyes.trees().clone(), eyes.past().clone());
                let _ = self.eyes.set(eyes);
            }
            Err(error) => {
                tracing::error!(project = %self.env.name, reason = %error, "the project cannot be watched");
            }
        }
    }

    /// Takes in what signals tell, and makes ready what will be needed.
    pub(super) fn look_ahead(&self) {
        for (started, lost) in [
            (self.sessions.start(), "what sessions make of their memories is not counted"),
            (self.prefetch.start(), "nothing can be made ready in advance"),
            (self.mirror.as_ref().map_or(Ok(()), Mirror::start), "nothing is mirrored"),
            (self.team.start(), "nothing goes to the team or comes from it"),
            (self.borrowing.as_ref().map_or(Ok(()), Borrowing::start), "nothing can be read from the memory stores"),
        ] {
            if let Err(error) = started {
                tracing::error!(project = %self.env.name, reason = %error, "{lost}");
            }
        }
    }

    pub(super) fn have_nights(&self) -> io::Result<()> {
        Night::start(Tools {
            night: Arc::clone(&self.night),
            env: Arc::clone(&self.env),
            writer: self.writer.clone(),
            search: Arc::clone(&self.search),
            sessions: Arc::clone(&self.sessions),
            repository: Arc::clone(&self.repository),
            judge: Arc::clone(&self.judge),
            memory: Arc::clone(&self.memory),
        })
    }

    /// Whoever brings something to the writer ends; what was seen and told last is still brought.
    pub(super) fn quiet(&self) {
        self.ears.stop();
        if let Some(borrowing) = &self.borrowing {
            borrowing.stop();
        }
        if let Some(eyes) = self.eyes.get() {
            eyes.stop();
        }
        self.team.stop();
        self.prefetch.stop();
        self.sessions.stop();
        self.night.stop();
        self.review.stop();
        if let Some(mirror) = &self.mirror {
            mirror.stop();
        }
    }

    /// The same, and waits until the last write is done.
    pub(super) fn stop(&self) {
        self.quiet();
        self.commons.leave(&self.env.id);
        if let Some(thread) = self.thread.lock().take() {
            self.writer.stop();
            if thread.join().is_err() {
                tracing::error!(project = %self.env.name, "the writer ended in a panic");
            }
        }
        self.changes.stop();
        if let Some(search) = self.search.if_started() {
            search.stop();
        }
    }
}

/// Reads what is there and begins to write, the lock held for as long.
fn start_writer(mut writer: Writer, lock: Option<InstanceLock>, env: &Env) -> io::Result<JoinHandle<()>> {
    let (now, config) = (env.clock.now(), env.config.load());
    writer.load(now);
    // What the repository taught earlier is known from the first question on.
    if config.bootstrap.enabled && env.captures {
        for (chapter, lesson) in past::kept(&env.cache, &config.redact, now) {
            writer.take_lesson(now, chapter, lesson);
        }
    }
    thread::spawn("engine", move || {
        let _held_while_running = lock;
        writer.run();
    })
}

fn open_strategy(env: &Env) -> Strategy {
    let Some(state) = env.state_file("strategy.json") else { return Strategy::open(None, None) };
    let (root, writer) = (env.root.clone(), env.writer_name.clone());
    let place = strategy::StrategyPlace { root, loki: PathBuf::from(".loki"), writer };
    Strategy::open(env.captures.then_some(place), Some(state))
}
