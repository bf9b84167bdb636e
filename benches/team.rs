//! What a team's database costs, on a real server with `fsync`: a newcomer who reads everything, and fifty machines that
//! write all the time.
//!
//! `cargo bench --bench team`; `-- 20000 10` takes another number of memories, and of seconds.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lokid_sys::postgres::Parameters;
use lokid_team::relay::admin::{Admin, Setup};
use lokid_team::relay::{Relay, RelayError, Space};
use lokid_team::{HeadState, ItemKey, ItemKind, Op, Outcome};
use lokid_testing::postgres::{SUPERUSER, Server};
use serde_json::json;

const REPLICAS: usize = 50;
const PAUSE: Duration = Duration::from_millis(200);
/// What each memory of the newcomer says.
const WORDS: &str = "the writer holds the lock while it renames, so a reader never sees half of a file, and whoever crashed \
    left either the old or the new one; the journal tells which";

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse().ok());
    let (count, seconds) = (numbers.next().unwrap_or(100_000), numbers.next().unwrap_or(60));
    let server = Server::start();
    let database = server.database();
    let parameters = Parameters::read(&server.url(SUPERUSER, &database)).unwrap();
    for project in ["many", "busy"] {
        let setup = Setup { project: project.into(), members: vec![SUPERUSER.into()], ..Setup::default() };
        Admin::open(&parameters).unwrap().apply(&setup).unwrap();
    }
    newcomer(&parameters, count);
    busy(&parameters, Duration::from_secs(seconds as u64));
}

fn op(index: u64, name: String, text: String) -> Op {
    let item = ItemKey { kind: ItemKind::Memory, namespace: "default".into(), name };
    Op { item, index, hlc: 0, base: 0, record: Some(json!({"kind": "learning", "text": text, "importance": 0.5})) }
}

fn newcomer(parameters: &Parameters, count: usize) {
    let mut first = Relay::open(parameters, "many", "first").unwrap();
    let began = Instant::now();
    let ops: Vec<Op> = (0..count).map(|at| op(at as u64, format!("m-{at}"), format!("{at}: {WORDS}"))).collect();
    for batch in ops.chunks(1_000) {
        assert!(first.append(batch).unwrap().iter().all(|outcome| matches!(outcome, Outcome::Taken { .. })));
    }
    let sent = began.elapsed().as_secs_f64();
    println!("{count} memories appended by one machine   {sent:>8.1} s, {:.0} a second", count as f64 / sent);
    let began = Instant::now();
    let mut second = Relay::open(parameters, "many", "second").unwrap();
    let mut seen = 0;
    let cursor = second.copy_all::<RelayError>(Space::Project, &mut |_| {
        seen += 1;
        Ok(())
    });
    assert_eq!((seen, cursor.unwrap()), (count, count as u64));
    println!("copied by a newcomer                       {:>8.2} s", began.elapsed().as_secs_f64());
    let began = Instant::now();
    let (mut cursor, mut seen) = (0, 0);
    loop {
        let heads = second.changes(Space::Project, cursor, 1_000).unwrap();
        let Some(last) = heads.last() else { break };
        (cursor, seen) = (last.seq, seen + heads.len());
    }
    assert_eq!(seen, count);
    println!("read by cursor, a thousand at a time       {:>8.2} s", began.elapsed().as_secs_f64());
}

/// Each write carries when it was made; another machine tells when it saw it.
fn busy(parameters: &Parameters, time: Duration) {
    let (start, done) = (Instant::now(), AtomicBool::new(false));
    let since = || start.elapsed().as_micros() as u64;
    let (mut taken, mut lags) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| watch(parameters, &done, &since));
        let writers: Vec<_> =
            (0..REPLICAS).map(|at| scope.spawn(move || write(parameters, at, time, &since))).collect();
        taken.extend(writers.into_iter().flat_map(|writer| writer.join().unwrap()));
        done.store(true, Ordering::Release);
        lags.extend(reader.join().unwrap());
    });
    assert_eq!(taken.len(), lags.len(), "every write was seen");
    println!("{REPLICAS} machines, 5 writes a second each: {} writes in {} s", taken.len(), time.as_secs());
    shares("an append is answered", taken);
    let (early, late) = lags.split_at(lags.len() / 2);
    shares("seen by another machine, first half", early.to_vec());
    shares("seen by another machine, second half", late.to_vec());
}

fn write(parameters: &Parameters, machine: usize, time: Duration, since: &dyn Fn() -> u64) -> Vec<u64> {
    let mut relay = Relay::open(parameters, "busy", &format!("machine-{machine}")).unwrap();
    let mut took = Vec::new();
    // They do not all begin at once.
    let mut next = Instant::now() + PAUSE * machine as u32 / REPLICAS as u32;
    let end = next + time;
    for index in 1.. {
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
        if next >= end {
            break;
        }
        let began = since();
        let outcome = relay.append(&[op(index, format!("m-{machine}-{index}"), format!("{began}"))]).unwrap();
        assert_eq!(outcome, [Outcome::Taken { version: 1 }]);
        took.push(since() - began);
        next += PAUSE;
    }
    took
}

fn watch(parameters: &Parameters, done: &AtomicBool, since: &dyn Fn() -> u64) -> Vec<u64> {
    let mut relay = Relay::open(parameters, "busy", "watcher").unwrap();
    let (mut cursor, mut lags) = (0, Vec::new());
    loop {
        let last_look = done.load(Ordering::Acquire);
        let heads = relay.changes(Space::Project, cursor, 1_000).unwrap();
        let now = since();
        for head in &heads {
            cursor = head.seq;
            let HeadState::Live(record) = &head.state else { panic!("{head:?}") };
            lags.push(now - record["text"].as_str().unwrap().parse::<u64>().unwrap());
        }
        if heads.is_empty() && last_look {
            return lags;
        }
        if heads.is_empty() {
            relay.wait(Duration::from_millis(500)).unwrap();
        }
    }
}

fn shares(what: &str, mut micros: Vec<u64>) {
    micros.sort_unstable();
    let at = |share: f64| micros[((micros.len() - 1) as f64 * share) as usize] as f64 / 1_000.0;
    println!("  {what:<38} p50 {:>7.1} ms  p95 {:>7.1} ms  p99 {:>7.1} ms", at(0.5), at(0.95), at(0.99));
}
