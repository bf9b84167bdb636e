//! The one thread that drives a watcher: it waits for events, lets them rest, and hands observations on.
//!
//! Without anything pending it waits without a deadline: an idle project costs no wake-up. What an event means is found
//! out in `settle`.

use std::collections::{BTreeSet, HashSet};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, never, select_biased};

use super::burst::{Burst, Verdict};
use super::debounce::{Debounce, Hint};
use super::ears::Ears;
use super::filter::{Filter, TreePlace};
use super::flood::Flood;
use super::names::is_manifest;
use super::outbox::{Outbox, Sink};
use super::pace::Pace;
use super::raw::{Losses, Raw};
use super::scan::Listing;
use super::shared::Shared;
use super::survey::{Manner, Survey};
use super::{GitArea, Seen, WatchMode, WatchPlan};
use lokid_sys::tree::{self, Sort};

pub(super) enum Command {
    Rescan,
    Stop,
}

pub(super) struct Driver {
    pub(super) plan: WatchPlan,
    pub(super) shared: Arc<Shared>,
    commands: Receiver<Command>,
    outbox: Outbox,
    pub(super) queue: (Sender<Raw>, Receiver<Raw>),
    pub(super) losses: Arc<Losses>,

    pub(super) filter: Filter,
    pub(super) listing: Listing,
    pub(super) debounce: Debounce,
    pub(super) burst: Burst,
    pub(super) flood: Flood,
    pub(super) survey: Survey,
    /// Areas of git that changed in the turn that goes on.
    pub(super) areas: BTreeSet<GitArea>,
    /// Rules that changed in the turn that goes on.
    pub(super) rules_changed: bool,

    pub(super) ears: Option<Ears>,
    pub(super) watched: HashSet<PathBuf>,
    /// Folders that no event comes from.
    pub(super) polled: BTreeSet<PathBuf>,
    pub(super) pace: Pace,
    /// Device and inode of the working tree; `None` while it is not there.
    pub(super) root: Option<(u64, u64)>,
    pub(super) scan_due: Option<Instant>,
    pub(super) last_scan: Option<(Instant, Duration)>,
    /// Why something is looked at instead of listened to.
    reason: Option<String>,
    /// The first listing was told of.
    is_ready: bool,
}

/// A scan that was asked for waits until the events that caused it have ebbed.
const SCAN_REST: Duration = Duration::from_millis(100);
/// Events are heard for so long before something is made of them.
const HEARING: Duration = Duration::from_millis(20);
/// Whatever made us stumble may still be there.
const AFTER_A_FALL: Duration = Duration::from_secs(30);

impl Driver {
    pub(super) fn new(plan: WatchPlan, shared: Arc<Shared>, commands: Receiver<Command>, sink: Sink) -> Driver {
        let plan = super::settle::resolved(plan);
        Driver {
            filter: Filter::new(&plan),
            queue: bounded(plan.limits.queue.max(1)),
            pace: Pace::new(plan.limits.poll_least, plan.limits.poll_most),
            flood: Flood::new(plan.limits.told_singly),
            plan,
            shared,
            commands,
            outbox: Outbox::new(sink),
            losses: Arc::default(),
            listing: Listing::default(),
            debounce: Debounce::default(),
            burst: Burst::default(),
            survey: Survey::default(),
            areas: BTreeSet::new(),
            rules_changed: false,
            ears: None,
            watched: HashSet::new(),
            polled: BTreeSet::new(),
            root: None,
            scan_due: None,
            last_scan: None,
            reason: None,
            is_ready: false,
        }
    }

    pub(super) fn run(mut self) {
        self.guard(|driver| {
            for warning in driver.filter.warnings.clone() {
                driver.warn(warning);
            }
            driver.arrive();
            driver.publish();
        });
        let events = self.queue.1.clone();
        let commands = self.commands.clone();
        loop {
            let wait = self.deadline().map(|at| at.saturating_duration_since(self.now()));
            let timer = wait.map_or_else(never, crossbeam_channel::after);
            let mut first = None;
            // Orders come first, however much there is to hear.
            select_biased! {
                recv(commands) -> command => match command {
                    Ok(Command::Rescan) => self.scan_due = Some(self.now()),
                    Ok(Command::Stop) | Err(_) => return,
                },
                recv(events) -> event => first = event.ok(),
                recv(timer) -> _ => {}
            }
            self.guard(|driver| {
                let until = driver.now() + HEARING;
                while let Some(raw) = first.take() {
                    let now = driver.now();
                    driver.hear(now, raw);
                    first = if now < until { events.try_recv().ok() } else { None };
                }
                driver.turn();
            });
        }
    }

    /// A panic costs what was at hand and not the watch: it is told once, and everything is looked at again.
    fn guard(&mut self, work: impl FnOnce(&mut Driver)) {
        if std::panic::catch_unwind(AssertUnwindSafe(|| work(self))).is_err() {
            self.warn("what happened in the tree could not be understood; it is looked at again in a while".to_owned());
            self.survey.end();
            self.debounce.clear();
            self.scan_due = Some(self.now() + AFTER_A_FALL);
        }
    }

    pub(super) fn now(&self) -> Instant {
        self.shared.clock.monotonic()
    }

    fn deadline(&self) -> Option<Instant> {
        if !self.survey.is_over() {
            return Some(self.now());
        }
        let pending = [
            self.debounce.deadline(),
            self.burst.deadline(),
            self.flood.deadline(),
            self.pace.deadline(),
            self.scan_due,
            self.outbox.retry_at(),
        ];
        pending.into_iter().flatten().min()
    }

    /// One event: a hint where to look, a sign about openings, or a new folder that cannot wait.
    fn hear(&mut self, now: Instant, raw: Raw) {
        match raw {
            Raw::Opened(path) => self.hear_opening(now, &path),
            Raw::Created(path) => self.hear_change(now, &path, Hint::Created),
            Raw::Changed(path) => self.hear_change(now, &path, Hint::Edited),
            Raw::Arrived(path) => {
                let is_folder = tree::look(&path).is_some_and(|(sort, _)| sort == Sort::Folder);
                if is_folder && self.filter.enters(&path) {
                    self.survey.soon(&path, Manner::Rest);
                } else {
                    self.hear_change(now, &path, Hint::Edited);
                }
            }
            // Whether the whole tree is gone, only a look at it tells.
            Raw::Left(path) if path == self.plan.worktree => self.scan_due = Some(now),
            Raw::Left(path) => self.hear_change(now, &path, Hint::Removed),
            Raw::Overflow => self.ask_for_scan(now),
            Raw::Wake => {}
        }
    }

    fn hear_change(&mut self, now: Instant, path: &Path, hint: Hint) {
        if let Some(located) = self.filter.locate(path) {
            match located.place {
                TreePlace::IndexLock if hint == Hint::Removed => return self.burst.unlocked(),
                TreePlace::IndexLock => return self.burst.locked(now),
                TreePlace::EditorsFile if hint == Hint::Removed => return,
                TreePlace::EditorsFile => return self.hear_editor(now, path, &located.path),
                TreePlace::Work => self.burst.wrote(now, &located.path),
                _ => {}
            }
        } else if self.listing.folder(path).is_none() {
            return;
        }
        if !self.debounce.hint(now, path, hint) {
            self.ask_for_scan(now);
        }
    }

    fn hear_editor(&mut self, now: Instant, helper: &Path, owner: &str) {
        let known = self.listing.has_file(&self.plan.worktree.join(owner));
        // A helper file that is only touched says nothing new.
        if known && tree::look(helper).is_some() && self.burst.proved(now, owner) {
            self.emit_opened(owner.to_owned());
        }
    }

    fn hear_opening(&mut self, now: Instant, path: &Path) {
        if self.burst.absorbs(now) {
            return;
        }
        let Some(inside) = path.strip_prefix(&self.plan.worktree).ok().and_then(Path::to_str) else { return };
        let is_folder = self.listing.folder(path).is_some();
        // A file that is new may be looked at before it has come to rest.
        if !is_folder && !self.listing.has_file(path) && !self.debounce.has(path) {
            return;
        }
        if self.shared.ledger.lock().takes_open(now, inside) {
            return;
        }
        if is_folder {
            return self.burst.listed(now, inside);
        }
        if self.filter.locate(path).is_none_or(|located| located.place != TreePlace::Work) {
            return;
        }
        match self.burst.opened(now, inside) {
            Verdict::Discarded => {}
            Verdict::Perhaps => self.emit(Seen::MaybeOpened { path: inside.to_owned() }),
            Verdict::Passed => self.emit_opened(inside.to_owned()),
        }
    }

    /// What is due after the events were heard.
    fn turn(&mut self) {
        let now = self.now();
        if self.losses.openings.swap(false, Ordering::SeqCst) {
            self.burst.flooded(now);
        }
        if self.losses.events.swap(false, Ordering::SeqCst) {
            self.ask_for_scan(now);
        }
        for (path, _) in self.debounce.due(now) {
            self.settle(now, &path);
        }
        for path in self.burst.due(now) {
            self.emit_opened(path);
        }
        let is_due = |at: Option<Instant>| at.is_some_and(|due| due <= now);
        // A look that goes on is finished before another one begins.
        if self.survey.is_over() && is_due(self.scan_due) {
            self.scan_all(now);
        } else if self.survey.is_over() && is_due(self.pace.deadline()) {
            self.poll(now);
        }
        if std::mem::take(&mut self.rules_changed) {
            self.reshape();
        }
        self.go_on();
        if let Some(many) = self.flood.due(now) {
            self.emit(Seen::Many { folder: many.folder, files: many.files, since: many.since });
        }
        for area in std::mem::take(&mut self.areas) {
            self.emit(Seen::Git(area));
        }
        self.outbox.empty(now);
        self.publish();
    }

    /// Not before the events have ebbed, and never so often that scanning is all we do.
    fn ask_for_scan(&mut self, now: Instant) {
        let rested = self.last_scan.map_or(now, |(at, cost)| at + cost * 10);
        let due = (now + SCAN_REST).max(rested);
        self.scan_due = Some(self.scan_due.map_or(due, |earlier| earlier.min(due)));
    }

    fn emit_opened(&mut self, path: String) {
        if !is_manifest(path.rsplit('/').next().unwrap_or(&path)) {
            self.emit(Seen::Opened { path });
        }
    }

    pub(super) fn emit(&mut self, seen: Seen) {
        self.outbox.put(seen);
    }

    /// Once, when everything was listed for the first time, or nothing is there to be listed.
    pub(super) fn say_ready(&mut self) {
        if !std::mem::replace(&mut self.is_ready, true) {
            self.report_known_logs();
            self.publish();
            self.emit(Seen::Ready);
        }
    }

    /// Notes why something is looked at instead of listened to; said again only when it is something else.
    pub(super) fn because(&mut self, reason: &str) {
        if self.reason.as_deref() != Some(reason) {
            tracing::warn!("{reason}");
            self.reason = Some(reason.to_owned());
        }
    }

    pub(super) fn warn(&mut self, warning: String) {
        let mut state = self.shared.state.lock();
        if !state.warnings.contains(&warning) && state.warnings.len() < 32 {
            tracing::warn!("{warning}");
            state.warnings.push(warning);
        }
    }

    fn publish(&mut self) {
        let mut state = self.shared.state.lock();
        state.mode = match (self.root, &self.ears) {
            (None, _) => WatchMode::Absent,
            (_, None) => WatchMode::Polling,
            _ if !self.polled.is_empty() => WatchMode::Partial,
            _ => WatchMode::Native,
        };
        if state.mode == WatchMode::Native {
            self.reason = None;
        }
        state.reason.clone_from(&self.reason);
        state.watched_dirs = self.watched.len();
        state.polled_dirs = self.polled.len();
        state.backlog = self.outbox.len() + self.queue.1.len();
    }
}
