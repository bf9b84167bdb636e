//! The night of a project: when it comes, what it does and what it tells. It owns the thread that plans over a snapshot
//! and hands proposals to the writer in small batches, so that questions and writes go on meanwhile.
//!
//! It may be cut off between any two batches: every batch leaves a whole memory, and the next night goes on from there.

mod around;
mod calling;
mod familiar;
mod ground;
mod phases;
mod report;
mod tools;

use std::collections::{BTreeSet, VecDeque};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::error::EngineError;
use super::follow::Follower;
use super::inbox::Pending;
use familiar::Passed;
use lokid_index::Snapshot;
use lokid_manage::plan::{Phase, Proposal};
use lokid_manage::schedule::Cause;
use lokid_model::{Change, Key, Memory, Namespace, SignalKind, Timestamp};
use lokid_sys::{heap, thread};
use phases::Planner;

pub use report::{MOST_NIGHTS, NightReport, ToldDeed};
pub(super) use tools::Tools;

/// Requests that may wait for their turn.
const INBOX: usize = 256;
/// A night repeats its phases until nothing is left to do, and not more often than this.
const ROUNDS: usize = 3;
/// One batch of the writer: so many changes and no proposal more.
const BATCH: usize = 128;
/// Links and contradictions stand in one document each, which is written anew for every batch: of these, so many.
const LISTED: usize = 4096;

/// What somebody wants done.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Only tell what would be done.
    pub dry_run: bool,
    /// None: all of them.
    pub phases: Vec<Phase>,
    /// As if it were this time.
    pub now: Option<Timestamp>,
    pub cause: Cause,
}

impl Wish {
    pub fn of(cause: Cause) -> Wish {
        Wish { dry_run: false, phases: Vec::new(), now: None, cause }
    }
}

pub(super) enum NightTask {
    Wish(Wish, Option<oneshot::Sender<Result<NightReport, EngineError>>>),
    /// Somebody works: what follows from it is decided by the schedule.
    Happened(SignalKind),
    /// The configuration, or whether nights are paused, is another.
    Reconsider,
    Stop,
}

/// What is known of the nights so far.
#[derive(Clone, Debug, Default)]
pub struct NightState {
    /// Those that are kept, the last one first.
    pub nights: Vec<Arc<NightReport>>,
    /// When the last full night began that came to its end.
    pub finished: Option<Timestamp>,
    /// When the project was first met.
    pub met: Option<Timestamp>,
    pub next: Option<Timestamp>,
    /// Why the next one waits, where it does.
    pub waits: Option<&'static str>,
    pub paused: bool,
    pub running: Option<Running>,
}

impl NightState {
    pub fn last(&self) -> Option<&NightReport> {
        self.nights.first().map(Arc::as_ref)
    }
}

/// How far a night is.
#[derive(Clone, Debug)]
pub struct Running {
    pub cause: Cause,
    pub since: Timestamp,
    pub phase: Phase,
    pub done: usize,
}

#[derive(Default)]
pub struct Night {
    file: Option<PathBuf>,
    known: Mutex<NightState>,
    /// The night that runs ends at its next step.
    cut: AtomicBool,
    stopping: AtomicBool,
    /// How nights ended since the start.
    ended: [AtomicU64; 3],
    tasks: OnceLock<Sender<NightTask>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Night {
    /// With what earlier runs wrote down.
    pub(super) fn open(file: Option<PathBuf>) -> Night {
        let known = file.as_deref().map(report::read).unwrap_or_default();
        Night { file, known: Mutex::new(known), ..Night::default() }
    }

    pub(super) fn start(tools: Tools) -> std::io::Result<()> {
        let (sender, inbox) = crossbeam_channel::bounded(INBOX);
        let night = Arc::clone(&tools.night);
        night.met(tools.env.clock.now());
        let worker = NightWorker { scheduler: calling::Scheduler::new(&tools.env), tools, inbox };
        let thread = thread::spawn("night", move || worker.run())?;
        let _ = night.tasks.set(sender);
        *night.thread.lock() = Some(thread);
        Ok(())
    }

    /// Asks for a night; one at a time, in the order they were asked for.
    pub fn consolidate(&self, wish: Wish) -> Result<Pending<NightReport>, EngineError> {
        let tasks = self.tasks.get().ok_or(EngineError::Stopping)?;
        let (reply, pending) = oneshot::channel();
        tasks.try_send(NightTask::Wish(wish, Some(reply))).map_err(|_| EngineError::Busy)?;
        Ok(Pending::new(pending))
    }

    /// Does not wait for it.
    pub fn consolidate_soon(&self, cause: Cause) {
        self.tell(NightTask::Wish(Wish::of(cause), None));
    }

    pub fn known(&self) -> NightState {
        self.known.lock().clone()
    }

    /// When the night began that runs.
    fn since(&self) -> Option<Timestamp> {
        self.known.lock().running.as_ref().map(|running| running.since)
    }

    /// Hints: one that does not fit is lost.
    pub(super) fn tell(&self, task: NightTask) {
        if let Some(tasks) = self.tasks.get() {
            let _ = tasks.try_send(task);
        }
    }

    /// Whatever runs ends at its next step. Does not wait for it.
    pub(super) fn ask_to_stop(&self) {
        self.stopping.store(true, Ordering::Release);
        self.tell(NightTask::Stop);
    }

    pub(super) fn stop(&self) {
        let Some(thread) = self.thread.lock().take() else { return };
        // Where the inbox is full its reader is not asleep, and sees it by itself.
        self.ask_to_stop();
        if thread.join().is_err() {
            tracing::error!("the night ended in a panic");
        }
    }

    /// Paused: no night comes by itself, and one that runs ends at its next step.
    pub fn pause(&self, paused: bool) {
        {
            let mut known = self.known.lock();
            known.paused = paused;
            self.cut.store(paused && known.running.is_some(), Ordering::Release);
        }
        self.save();
        self.tell(NightTask::Reconsider);
    }

    /// When the last whole night began, or when the project was first met; and whether nights are paused.
    fn met(&self, now: Timestamp) -> (Timestamp, bool) {
        let mut known = self.known.lock();
        let met = known.finished.or(known.met);
        let paused = known.paused;
        if let Some(met) = met {
            return (met, paused);
        }
        known.met = Some(now);
        drop(known);
        self.save();
        (now, paused)
    }

    fn expect(&self, night: Option<Timestamp>, waits: Option<&'static str>) {
        let mut known = self.known.lock();
        known.next = night;
        known.waits = waits;
    }

    /// What was compared with everything else need not be again.
    fn went_through(&self, passed: &Passed) {
        let Some(file) = &self.file else { return };
        if let Err(error) = passed.by_all().write(file) {
            tracing::warn!(reason = %error, "what the night went through could not be written down");
        }
    }

    /// Nights that came to their end, were ended early, failed; since the start.
    pub fn tallied(&self) -> [(&'static str, u64); 3] {
        let [whole, interrupted, failed] = self.ended.each_ref().map(|count| count.load(Ordering::Relaxed));
        [("whole", whole), ("interrupted", interrupted), ("failed", failed)]
    }

    fn tally(&self, report: &NightReport) {
        let at = if report.failed { 2 } else { usize::from(report.interrupted) };
        self.ended[at].fetch_add(u64::from(!report.dry_run), Ordering::Relaxed);
    }

    fn save(&self) {
        let Some(file) = &self.file else { return };
        if let Err(error) = report::write(file, &self.known.lock()) {
            tracing::warn!(reason = %error, "what the night did could not be written down");
        }
    }
}

/// Nothing of what nights told is about what was purged; a purge has answered only when that is written, too.
impl Follower for Night {
    fn named(&self) -> Vec<Key> {
        self.known.lock().nights.iter().flat_map(|night| night.named()).collect()
    }

    fn purged(&self, keys: &BTreeSet<Key>, _: &[Arc<Memory>]) {
        let mut is_struck = false;
        for night in &mut self.known.lock().nights {
            is_struck |= Arc::make_mut(night).strike_out(|key| keys.contains(key));
        }
        if is_struck {
            self.save();
        }
    }
}

/// Sleeps until a night is due or asked for.
struct NightWorker {
    tools: Tools,
    inbox: Receiver<NightTask>,
    scheduler: calling::Scheduler,
}

impl NightWorker {
    fn run(mut self) {
        thread::step_back();
        // Asked before every step: a night that is due again at once must not keep the daemon from ending.
        while !self.tools.night.is_stopping() {
            let (patience, due) = self.scheduler.look(&self.tools);
            let tasks: VecDeque<NightTask> = match due {
                Some(wish) => VecDeque::from([NightTask::Wish(wish, None)]),
                None => match self.inbox.recv_timeout(patience) {
                    Ok(first) => std::iter::once(first).chain(self.inbox.try_iter().take(INBOX)).collect(),
                    Err(RecvTimeoutError::Timeout) => continue,
                    Err(RecvTimeoutError::Disconnected) => return,
                },
            };
            for task in tasks {
                if self.tools.night.is_stopping() {
                    return;
                }
                match task {
                    NightTask::Stop => return,
                    NightTask::Reconsider => {}
                    NightTask::Happened(kind) => self.scheduler.heard(kind, self.tools.env.clock.now()),
                    NightTask::Wish(wish, reply) => {
                        let report = self.guarded(&wish);
                        // What a night compares is far more than what a day asks for.
                        heap::give_back();
                        self.scheduler.ran(&report, self.tools.env.clock.now());
                        if let Some(reply) = reply {
                            let _ = reply.send(Ok(report));
                        }
                    }
                }
            }
        }
    }

    /// A night that panics is over, and the next may do better; everything it committed is whole.
    fn guarded(&self, wish: &Wish) -> NightReport {
        let started = self.tools.env.clock.now();
        let spent = std::panic::catch_unwind(AssertUnwindSafe(|| self.spend(wish)));
        {
            let mut known = self.tools.night.known.lock();
            known.running = None;
            self.tools.night.cut.store(false, Ordering::Release);
        }
        spent.unwrap_or_else(|_| {
            tracing::error!(project = %self.tools.env.name, "a night failed");
            let mut report = NightReport::begin(wish, started);
            (report.interrupted, report.failed) = (true, true);
            self.keep(wish, &mut report);
            self.tools.tell_night("done", &report, None);
            report
        })
    }

    fn spend(&self, wish: &Wish) -> NightReport {
        let tools = &self.tools;
        let (started, since) = (tools.env.clock.now(), tools.env.clock.monotonic());
        let mut report = NightReport::begin(wish, started);
        let phases: Vec<Phase> =
            Phase::ALL.iter().copied().filter(|phase| wish.phases.is_empty() || wish.phases.contains(phase)).collect();
        tools.tell_night("started", &report, None);
        tracing::info!(project = %tools.env.name, cause = %wish.cause, dry_run = wish.dry_run, "consolidating");
        let mut planner = Planner::new(tools, wish.now.unwrap_or(started), wish.cause);
        // What is only tried out is tried on a copy.
        let mut trial = wish.dry_run.then(|| tools.settled().0.as_ref().clone());
        'night: for round in 0..ROUNDS {
            let before = report.total();
            for phase in &phases {
                tools.night.known.lock().running =
                    Some(Running { cause: wish.cause, since: started, phase: *phase, done: report.total() });
                tools.tell_night("phase", &report, Some((*phase, round + 1)));
                self.spend_phase(*phase, &mut planner, &mut trial, &mut report);
                if tools.night.is_over() {
                    report.interrupted = true;
                    break 'night;
                }
            }
            if report.total() == before {
                break;
            }
        }
        let is_whole = !wish.dry_run && !report.interrupted && wish.phases.is_empty();
        if is_whole {
            // By the real clock: an hour that is only imagined must not make what was learnt look old.
            let is_learning = tools.env.config.load().learn.enabled;
            report.steps =
                tools.sessions.strategy.night(is_learning, started).iter().map(|step| step.why.clone()).collect();
            tools.sessions.note_changed();
            crate::staging::settle(&tools.env, &tools.writer, true);
            tools.writer.shorten();
        }
        report.took = tools.env.clock.monotonic().saturating_duration_since(since);
        report.problems = tools.writer.snapshot().problems().to_vec();
        if is_whole {
            tools.night.went_through(&planner.passed);
        }
        self.keep(wish, &mut report);
        let (total, dropped) = (report.total(), report.dropped);
        tracing::info!(project = %tools.env.name, changes = total, dropped, took = ?report.took, "consolidated");
        tools.tell_night("done", &report, None);
        report
    }

    /// Writes a night down. A nap that found nothing to do is not worth the report of the night before it.
    fn keep(&self, wish: &Wish, report: &mut NightReport) {
        let night = &self.tools.night;
        night.tally(report);
        if wish.dry_run {
            return;
        }
        {
            let mut known = night.known.lock();
            if !report.interrupted && wish.phases.is_empty() {
                known.finished = Some(report.started_at);
            }
            let is_empty_nap = matches!(wish.cause, Cause::Task | Cause::Phase) && report.total() == 0;
            // What was purged meanwhile is not told; a purge that comes later strikes it out itself.
            let snapshot = self.tools.writer.snapshot();
            report.strike_out(|key| snapshot.tombstone(key).is_some());
            if !is_empty_nap || report.failed {
                known.nights.insert(0, Arc::new(report.clone()));
                known.nights.truncate(MOST_NIGHTS);
            }
        }
        night.save();
    }

    fn spend_phase(
        &self,
        phase: Phase,
        planner: &mut Planner<'_>,
        trial: &mut Option<Snapshot>,
        report: &mut NightReport,
    ) {
        let spaces: Vec<Namespace> = match trial {
            Some(trial) => trial.namespaces(),
            None => self.tools.writer.snapshot().namespaces(),
        };
        for namespace in spaces {
            let (snapshot, is_found) = match trial {
                Some(trial) => (Arc::new(trial.clone()), true),
                None => self.tools.settled(),
            };
            let (planned, seen) = planner.plan(phase, &snapshot, &namespace);
            drop(snapshot);
            let mut rest = planned.as_slice();
            // What could not be found, written or done is looked at again.
            let mut all_done = is_found;
            while !rest.is_empty() && !self.tools.night.is_over() {
                let (batch, behind) = rest.split_at(batch_of(rest));
                rest = behind;
                let done = match trial {
                    Some(trial) => {
                        let (bundles, tidied) = super::tidy::tidy(trial, batch, None);
                        bundles.iter().flat_map(|bundle| &bundle.changes).for_each(|change| trial.apply(change));
                        tidied.done
                    }
                    None => self.tools.tidy(batch).unwrap_or_else(|| vec![false; batch.len()]),
                };
                all_done &= !done.contains(&false);
                report.note(&namespace, batch, &done);
            }
            if all_done && !self.tools.night.is_over() {
                planner.note(phase, &namespace, &seen);
            }
        }
    }
}

/// How many of these make up one batch.
fn batch_of(proposals: &[Proposal]) -> usize {
    let most = if proposals.first().is_some_and(only_listed) { LISTED } else { BATCH };
    let mut changes = 0;
    let fit = proposals.iter().take_while(|proposal| {
        changes += proposal.changes.len();
        changes <= most && (most == BATCH || only_listed(proposal))
    });
    fit.count().max(1)
}

/// Does it change nothing but a list that is written as a whole?
fn only_listed(proposal: &Proposal) -> bool {
    let listed = |change: &Change| matches!(change, Change::Link(_) | Change::Unlink(_) | Change::Contradict(_));
    proposal.changes.iter().all(listed)
}

impl Night {
    fn is_over(&self) -> bool {
        self.cut.load(Ordering::Acquire) || self.is_stopping()
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }
}
