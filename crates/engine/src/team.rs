//! Keeps the memory of this machine and the database of its team in agreement. It is there for every project and does
//! nothing until the project has joined a team: no thread, no file, no connection.
//!
//! The writer hands over the names of what it made durable and goes on. One thread takes them, reads what is new in the
//! database and appends what is new here. While nothing happens it sleeps on the connection. A database that is away costs
//! nobody anything: what has to be sent is the difference between the memory and the book, however long that takes.

mod line;
mod organisation;
mod pass;
mod promotion;
mod told;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use serde_json::{Value, json};

use super::env::Env;
use super::follow::Follower;
use super::inbox::WriterHandle;
use lokid_model::{Change, Timestamp};
use lokid_sys::postgres::{Parameters, Wake};
use lokid_sys::{plain, thread};
use lokid_team::{ItemKey, projection};

pub use told::{Membership, TeamError};

const FILE: &str = "team.json";
/// More names than this are not kept: everything is compared instead.
const MOST_NAMES: usize = 20_000;
/// An answer that is on its way when the daemon stops is waited for this long.
const LAST_ANSWER: Duration = Duration::from_secs(2);

/// Where the team's database is, and what the project is called there. It holds no password: that is in `~/.pgpass`, in a
/// service file or in the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    pub database: String,
    pub project: String,
    /// As who, once the database said so.
    pub member: Option<String>,
}

pub struct Team {
    env: Arc<Env>,
    writer: WriterHandle,
    work: Mutex<Work>,
    woken: Condvar,
    /// Ends the thread that was started last; one that is left behind keeps its own.
    stopping: Mutex<Arc<AtomicBool>>,
    told: Mutex<told::Told>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Work {
    joined: Option<Joined>,
    names: BTreeSet<ItemKey>,
    /// Links that somebody here took away: nothing else remembers them.
    unlinked: BTreeSet<ItemKey>,
    /// Everything is to be compared.
    all: bool,
    /// Somebody waits for a pass that begins after this number of them: which were tried, and which came to their end.
    asked: u64,
    tried: u64,
    done: u64,
    /// Nothing is tried before this.
    not_before: Option<Instant>,
    /// Rouses the thread while it listens to the database.
    wake: Option<Wake>,
    ended: bool,
}

impl Follower for Team {
    /// Called on the writer's thread: names are noted, and nothing else happens here.
    fn changed(&self, changes: &[Change]) {
        self.want(changes, true);
    }

    /// A link that is gone by another hand, with a branch that was checked out, was taken away by nobody.
    fn seen(&self, changes: &[Change]) {
        self.want(changes, false);
    }
}

impl Team {
    fn want(&self, changes: &[Change], is_ours: bool) {
        let mut work = self.work.lock();
        if work.joined.is_none() {
            return;
        }
        for change in changes {
            match change {
                Change::Link(link) => {
                    let item = projection::key_of_link(link);
                    work.unlinked.remove(&item);
                    work.names.insert(item);
                }
                Change::Unlink(_) if !is_ours => {}
                Change::Unlink(link) => {
                    let item = projection::key_of_link(link);
                    work.unlinked.insert(item.clone());
                    work.names.insert(item);
                }
                Change::Contradict(found) => {
                    work.names.insert(projection::key_of_contradiction(found));
                }
                // A file that is gone by another hand takes nothing with it.
                Change::Vanished(_) | Change::Write(_) => {}
                change => work.names.extend(change.keys().iter().map(projection::key_of)),
            }
        }
        if work.names.len() > MOST_NAMES {
            work.names.clear();
            work.all = true;
        }
        self.rouse(&mut work);
    }

    pub(super) fn new(env: &Arc<Env>, writer: &WriterHandle) -> Arc<Team> {
        let joined = (!env.read_only).then(|| read(env)).flatten();
        Arc::new(Team {
            env: Arc::clone(env),
            writer: writer.clone(),
            work: Mutex::new(Work { joined, all: true, ..Work::default() }),
            woken: Condvar::new(),
            stopping: Mutex::default(),
            told: Mutex::default(),
            thread: Mutex::default(),
        })
    }

    /// Nothing happens in a project that is in no team.
    pub(super) fn start(self: &Arc<Team>) -> std::io::Result<()> {
        let mut running = self.thread.lock();
        if running.is_some() || self.joined().is_none() {
            return Ok(());
        }
        let (team, stopping) = (Arc::clone(self), Arc::new(AtomicBool::new(false)));
        *self.stopping.lock() = Arc::clone(&stopping);
        self.work.lock().ended = false;
        *running = Some(thread::spawn("team", move || team.run(&stopping))?);
        Ok(())
    }

    /// A call that hangs is left behind: what became of it is found out later.
    pub(super) fn stop(&self) {
        let Some(thread) = self.thread.lock().take() else { return };
        self.stopping.lock().store(true, Ordering::SeqCst);
        let mut work = self.work.lock();
        self.rouse(&mut work);
        self.woken.wait_while_for(&mut work, |work| !work.ended, LAST_ANSWER);
        let ended = work.ended;
        drop(work);
        if !ended {
            tracing::info!(project = %self.env.name, "the team's database does not answer; it is not waited for");
        } else if thread.join().is_err() {
            tracing::error!(project = %self.env.name, "the thread of the team ended in a panic");
        }
    }

    pub fn joined(&self) -> Option<Joined> {
        self.work.lock().joined.clone()
    }

    /// Asks the database who we are, and takes part from now on. Waits for the database.
    pub fn join(self: &Arc<Team>, joined: Joined) -> Result<Membership, TeamError> {
        if self.env.read_only {
            return Err(TeamError::ReadOnly);
        }
        let is_same = |known: &Joined| known.database == joined.database && known.project == joined.project;
        if self.joined().is_some_and(|known| !is_same(&known)) {
            return Err(TeamError::Elsewhere);
        }
        let parameters = Parameters::read(&joined.database).map_err(|error| TeamError::Address(error.to_string()))?;
        let membership = line::introduce(&parameters, &joined.project)?;
        let joined = Joined { member: Some(membership.member.clone()), ..joined };
        let text = json!({
            "database": joined.database, "project": joined.project, "member": joined.member,
            "joined_at": self.env.now().record_style(),
        });
        let kept = plain::replace(&self.env.state.join(FILE), format!("{text:#}\n").as_bytes());
        kept.map_err(|error| TeamError::Kept(error.to_string()))?;
        let mut work = self.work.lock();
        (work.joined, work.all, work.not_before) = (Some(joined), true, None);
        drop(work);
        self.start().map_err(|error| TeamError::Kept(error.to_string()))?;
        Ok(membership)
    }

    /// What stands here stays here, and what stands there stays there.
    pub fn leave(&self) -> Result<Option<Joined>, TeamError> {
        let Some(joined) = self.joined() else { return Ok(None) };
        plain::remove_if_there(&self.env.state.join(FILE)).map_err(|error| TeamError::Kept(error.to_string()))?;
        self.stop();
        let mut work = self.work.lock();
        *work = Work { all: true, ..Work::default() };
        drop(work);
        *self.told.lock() = told::Told::default();
        self.forget_organisation();
        plain::remove_if_there(&self.book_file(&joined)).map_err(|error| TeamError::Kept(error.to_string()))?;
        Ok(Some(joined))
    }

    /// Has the next pass begin at once, and waits for its end. Answers whether it came.
    pub fn pass_now(&self, patience: Duration) -> bool {
        let mut work = self.work.lock();
        if work.joined.is_none() {
            return false;
        }
        work.asked += 1;
        let wanted = work.asked;
        work.not_before = None;
        self.rouse(&mut work);
        let until = self.env.clock.monotonic() + patience;
        while work.tried < wanted && !work.ended {
            let left = until.saturating_duration_since(self.env.clock.monotonic());
            if left.is_zero() || self.woken.wait_for(&mut work, left).timed_out() {
                return false;
            }
        }
        work.done >= wanted
    }

    fn rouse(&self, work: &mut Work) {
        self.woken.notify_all();
        if let Some(wake) = &work.wake {
            wake.wake();
        }
    }

    fn run(&self, stopping: &AtomicBool) {
        let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.keep_in_step(stopping)));
        let mut work = self.work.lock();
        // One that was left behind says nothing about the one that runs now.
        if std::ptr::eq(&**self.stopping.lock(), stopping) {
            (work.ended, work.wake) = (true, None);
        }
        self.woken.notify_all();
        drop(work);
        if let Err(panic) = ran {
            std::panic::resume_unwind(panic);
        }
    }

    /// One book a database and project.
    fn book_file(&self, joined: &Joined) -> PathBuf {
        let name = blake3::hash(format!("{} {}", joined.database, joined.project).as_bytes()).to_hex();
        self.env.state.join(format!("team-{}.ndjson", &name[..12]))
    }

    fn tell(&self, what: &str, mut data: Value) {
        data["op"] = what.into();
        self.env.say("team", data);
    }
}

/// What the project joined, if it did.
pub(super) fn read(env: &Env) -> Option<Joined> {
    let text = match plain::read_text(&env.state.join(FILE), 1 << 20) {
        Ok(text) => text?,
        Err(error) => {
            tracing::error!(project = %env.name, path = FILE, reason = %error, "which team this is cannot be read");
            return None;
        }
    };
    let read = serde_json::from_str::<Value>(&text).ok();
    let field = |name: &str| read.as_ref()?.get(name)?.as_str().map(str::to_owned);
    Some(Joined { database: field("database")?, project: field("project")?, member: field("member") })
}

/// For whoever asks when something was.
fn moment(at: Option<Timestamp>) -> Value {
    at.map(Timestamp::record_style).into()
}
