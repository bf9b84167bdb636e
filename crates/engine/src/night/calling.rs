//! What a project hears of the hour: it asks the schedule, with the machine's clock, zone, power and load, and
//! remembers what happened since.

use std::time::{Duration, Instant};

use super::{NightReport, Tools, Wish};
use crate::env::Env;
use crate::memory_care::Pressure;
use lokid_manage::plan::Phase;
use lokid_manage::schedule::{Cause, Decision, Policy, SeenNow, decide};
use lokid_model::{SignalKind, Timestamp};
use lokid_sys::power;

/// A sleeping machine stops the clock that waits; so nobody waits for longer than this in one go.
const LONGEST: Duration = Duration::from_secs(15 * 60);
const SHORTEST: Duration = Duration::from_millis(200);
/// The wall clock ran ahead of the other by this much: the machine slept, or somebody set the clock.
const SLEPT: i64 = 60_000_000;
/// What a finished task calls for: what it taught, and whether it agrees with the rest.
const NAP: [Phase; 3] = [Phase::Learn, Phase::Errors, Phase::Contradict];

pub(super) struct Scheduler {
    lot: u64,
    awake: Timestamp,
    /// Both clocks at the last look.
    looked: (Timestamp, Instant),
    heard: Option<Timestamp>,
    ended: Option<(Cause, Timestamp)>,
    tried: Option<Timestamp>,
    rested: Option<Timestamp>,
    /// What the memory was when it was last gone through.
    version: Option<u64>,
}

impl Scheduler {
    pub(super) fn new(env: &Env) -> Scheduler {
        let now = env.clock.now();
        let hash = blake3::hash(env.id.as_bytes());
        let lot = hash.as_bytes().iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        let looked = (now, env.clock.monotonic());
        Scheduler { lot, awake: now, looked, heard: None, ended: None, tried: None, rested: None, version: None }
    }

    pub(super) fn heard(&mut self, kind: SignalKind, now: Timestamp) {
        self.heard = Some(now);
        match kind {
            SignalKind::TaskComplete => self.ended = Some((Cause::Task, now)),
            SignalKind::PhaseChange => self.ended = Some((Cause::Phase, now)),
            _ => {}
        }
    }

    pub(super) fn ran(&mut self, report: &NightReport, now: Timestamp) {
        if !report.dry_run {
            (self.ended, self.rested) = (None, Some(now));
        }
    }

    /// How long to wait, or what is due.
    pub(super) fn look(&mut self, tools: &Tools) -> (Duration, Option<Wish>) {
        let now = tools.env.clock.now();
        self.notice_sleep(now, tools.env.clock.monotonic());
        let (finished, paused) = tools.night.met(now);
        let policy = policy(&tools.env);
        let version = tools.writer.snapshot().version();
        let clock = &tools.env.clock;
        let seen = SeenNow {
            now,
            offset: &|at| clock.utc_offset_at(at),
            finished,
            awake: self.awake,
            lot: self.lot,
            heard: self.heard,
            ended: self.ended,
            tried: self.tried,
            rested: self.rested,
            has_news: self.version != Some(version),
            paused,
            on_battery: power::on_battery(),
            load: power::load_a_core(),
            memory_scarce: tools.memory.look() == Pressure::Scarce,
        };
        let due = match decide(&policy, &seen) {
            Decision::Night(cause) => {
                self.tried = Some(now);
                Wish::of(cause)
            }
            Decision::Nap(cause) => Wish { phases: NAP.to_vec(), ..Wish::of(cause) },
            Decision::Later { look, night, waits } => {
                tools.night.expect(night, waits);
                let micros = look.as_micros().saturating_sub(now.as_micros()).max(0) as u64;
                return (Duration::from_micros(micros).clamp(SHORTEST, LONGEST), None);
            }
        };
        self.version = Some(version);
        (Duration::ZERO, Some(due))
    }

    fn notice_sleep(&mut self, now: Timestamp, monotonic: Instant) {
        let (then, instant) = self.looked;
        let lived = monotonic.saturating_duration_since(instant).as_micros() as i64;
        if now.as_micros() - then.as_micros() - lived > SLEPT {
            self.awake = now;
        }
        self.looked = (now, monotonic);
    }
}

fn policy(env: &Env) -> Policy {
    let config = env.config.load();
    let night = &config.night;
    Policy {
        enabled: night.enabled && env.captures,
        minute: night.at,
        jitter: night.jitter,
        idle: night.idle,
        after_tasks: night.after_tasks,
        on_battery: night.on_battery,
        most_load: night.max_load,
    }
}
