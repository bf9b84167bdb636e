//! Times, and a machine that is quiet enough to take them.

use super::*;

/// A measurement is disturbed when others took more of the processor than this.
pub(crate) const DISTURBING: f64 = 0.04;
/// The daemon merges, saves and lets go of its writer when nothing came for a while; it is idle from then on.
pub(crate) const RESTED: Duration = Duration::from_secs(12);

/// Microseconds, sorted.
#[derive(Clone, Default)]
pub(crate) struct Latency(pub(crate) Vec<f64>);

impl Latency {
    pub(crate) fn of(mut took: Vec<f64>) -> Latency {
        took.sort_by(f64::total_cmp);
        Latency(took)
    }

    pub(crate) fn at(&self, share: f64) -> f64 {
        if self.0.is_empty() { f64::NAN } else { self.0[((self.0.len() - 1) as f64 * share).round() as usize] }
    }
}

impl std::fmt::Display for Latency {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (name, share) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1.0)] {
            write!(out, "{name} {:>8.3} ms   ", self.at(share) / 1e3)?;
        }
        write!(out, "({})", self.0.len())
    }
}

pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let started = Instant::now();
    let done = work();
    (done, started.elapsed().as_secs_f64() * 1e6)
}

/// Measures when nobody else needs the processor, again if somebody did, and keeps the least disturbed try. Says how
/// disturbed that was when it matters.
pub(crate) fn undisturbed<T>(daemon: &Daemon, measure: impl Fn() -> T) -> T {
    least_disturbed(|| {
        wait_for_a_quiet_machine();
        with_others(daemon, &measure)
    })
}

/// The same for a try that says itself how disturbed it was.
pub(crate) fn least_disturbed<T>(mut try_once: impl FnMut() -> (T, f64)) -> T {
    let mut best: Option<(f64, T)> = None;
    for _ in 0..TRIES {
        let (found, others) = try_once();
        if best.as_ref().is_none_or(|(least, _)| others < *least) {
            best = Some((others, found));
        }
        if others < DISTURBING {
            break;
        }
        progress(format_args!("others took {:.0} % of the processor: once more", others * 100.0));
    }
    let (others, found) = best.unwrap();
    if others >= DISTURBING {
        println!("  (disturbed: others took {:.0} % of the processor)", others * 100.0);
    }
    found
}

/// The share of the processor that neither this program and those it ran nor the daemon took meanwhile.
pub(crate) fn with_others<T>(daemon: &Daemon, work: impl FnOnce() -> T) -> (T, f64) {
    let own = || ticks_of("self") + daemon.cpu_ticks();
    let (started, busy, ours) = (Instant::now(), busy_ticks(), own());
    let done = work();
    let others = (busy_ticks() - busy).saturating_sub(own() - ours) as f64 / 100.0;
    let cores = std::thread::available_parallelism().unwrap().get() as f64;
    (done, others / started.elapsed().as_secs_f64().max(0.1) / cores)
}

pub(crate) fn wait_for_a_quiet_machine() {
    let cores = std::thread::available_parallelism().unwrap().get() as u64;
    for turn in 0..QUIET_TURNS {
        let before = busy_ticks();
        std::thread::sleep(Duration::from_millis(500));
        if busy_ticks() - before <= 5 * cores {
            return;
        }
        if turn % 20 == 0 {
            progress(format_args!("waiting for others to leave the processor alone"));
        }
    }
}

/// Hundredths of a second that all processors together were at work.
pub(crate) fn busy_ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/stat").unwrap();
    let fields: Vec<u64> =
        stat.lines().next().unwrap().split_whitespace().skip(1).map(|n| n.parse().unwrap()).collect();
    // All but idle and waiting for the disk; guests are counted in user time already.
    fields[..8].iter().sum::<u64>() - fields[3] - fields[4]
}

/// Hundredths of a second that all threads of a process were at work, and the programs it has run.
pub(crate) fn ticks_of(process: &str) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    fields[11..15].iter().map(|ticks| ticks.parse::<u64>().unwrap()).sum()
}

pub(crate) fn progress(words: std::fmt::Arguments<'_>) {
    eprintln!("… {words}");
}

pub(crate) fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}
