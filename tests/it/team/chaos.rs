//! Three machines that write, edit, forget, link and settle at random, while lines break, daemons and the server are killed,
//! and clocks are a day off. In the end all hold the same, and nothing that was acknowledged is lost.

use std::collections::BTreeMap;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::time::{Duration, Instant};

use lokid::serve::Request;
use lokid_testing::postgres::Server;
use serde_json::{Value, json};

use super::machines::{Machine, garden};

const FAKETIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

/// A line to the server that can be cut.
struct Wire {
    port: u16,
    cut: Arc<AtomicBool>,
}

impl Wire {
    fn to(server: Arc<AtomicU16>) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, cut) = (listener.local_addr().unwrap().port(), Arc::new(AtomicBool::new(false)));
        let is_cut = Arc::clone(&cut);
        std::thread::spawn(move || {
            for near in listener.incoming().flatten() {
                if is_cut.load(Ordering::SeqCst) {
                    continue;
                }
                let Ok(far) = TcpStream::connect(("127.0.0.1", server.load(Ordering::SeqCst))) else { continue };
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let is_cut = Arc::clone(&is_cut);
                    std::thread::spawn(move || {
                        let _ = carry(&mut from, &mut to, &is_cut);
                        let _ = (from.shutdown(std::net::Shutdown::Both), to.shutdown(std::net::Shutdown::Both));
                    });
                }
            }
        });
        Wire { port, cut }
    }
}

fn carry(from: &mut TcpStream, to: &mut TcpStream, is_cut: &AtomicBool) -> io::Result<()> {
    use std::io::{Read, Write};
    let mut bytes = [0; 4096];
    loop {
        let many = from.read(&mut bytes)?;
        if many == 0 || is_cut.load(Ordering::SeqCst) {
            return Ok(());
        }
        to.write_all(&bytes[..many])?;
    }
}

struct Chance(u64);

impl Chance {
    fn next(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as usize
    }
}

#[derive(Default)]
struct Ledger {
    /// What only its machine edits, as it was last acknowledged.
    own: BTreeMap<String, String>,
    /// What everybody edits.
    shared: Vec<String>,
    gone: Vec<String>,
    acknowledged: usize,
}

/// Nothing where it was not acknowledged: the daemon may have been killed.
fn said(machine: &Machine, request: &Request) -> Option<Value> {
    let answer = machine.client().send(request).ok()?;
    answer.is_success().then(|| answer.json().unwrap_or_default())
}

fn act(machine: &Machine, at: usize, turn: usize, chance: &mut Chance, ledger: &mut Ledger) {
    let own: Vec<String> = ledger.own.keys().filter(|id| id.starts_with(&format!("own-{at}-"))).cloned().collect();
    let pick = |list: &[String], chance: &mut Chance| list.get(chance.next(list.len().max(1))).cloned();
    let text = format!("in turn {turn} machine {at} found that valve {} leaks", chance.next(1_000_000));
    let done = match chance.next(20) {
        0..6 => {
            let id = format!("own-{at}-{turn}");
            let told = said(machine, &Request::post("/v1/memories", &json!({"id": id, "kind": "note", "text": text})));
            told.map(|_| drop(ledger.own.insert(id, text)))
        }
        6..8 => {
            let id = format!("shared-{}", chance.next(12));
            let record = json!({"id": id, "kind": "note", "text": format!("the word about {id}")});
            let told = said(machine, &Request::post("/v1/memories", &record));
            told.map(|_| ledger.shared.push(id))
        }
        8..12 => pick(&own, chance).and_then(|id| {
            said(machine, &Request::patch(format!("/v1/memories/{id}"), &json!({"text": text})))
                .map(|_| drop(ledger.own.insert(id, text)))
        }),
        12..16 => pick(&ledger.shared, chance).and_then(|id| {
            let body =
                if turn.is_multiple_of(2) { json!({"text": text}) } else { json!({"tags": [format!("t{turn}")]}) };
            said(machine, &Request::patch(format!("/v1/memories/{id}"), &body)).map(drop)
        }),
        16 => pick(&own, chance).and_then(|id| {
            let purge = chance.next(3) == 0;
            let body = json!({"ids": [id], "dry_run": false, "purge": purge, "reason": "tried"});
            said(machine, &Request::post("/v1/memories/forget", &body)).map(|_| {
                ledger.own.remove(&id);
                ledger.gone.push(id);
            })
        }),
        17 => pick(&own, chance).zip(pick(&own, chance)).filter(|(a, b)| a != b).and_then(|(from, to)| {
            let link = json!({"from": from, "to": to, "relation": "related_to"});
            said(machine, &Request::post("/v1/links", &link)).map(drop)
        }),
        18 => said(machine, &Request::get("/v1/contradictions?status=open")).and_then(|open| {
            let id = open["items"][0]["id"].as_str()?.to_owned();
            let body = json!({"resolution": "a_wins", "note": "tried"});
            said(machine, &Request::post(format!("/v1/contradictions/{id}/resolve"), &body)).map(drop)
        }),
        _ => None,
    };
    ledger.acknowledged += usize::from(done.is_some());
}

fn chaos(time: Duration, seed: u64) {
    let mut server = Server::start_with(false);
    let database = garden(&server);
    let port = Arc::new(AtomicU16::new(server.port()));
    let skewed = Path::new(FAKETIME).exists();
    if !skewed {
        println!("skipped: clocks that are a day off, there is no libfaketime here");
    }
    let wires: Vec<Wire> = (0..3).map(|_| Wire::to(Arc::clone(&port))).collect();
    let mut machines: Vec<Machine> = Vec::new();
    for ((name, wire), skew) in ["ada", "ben", "eve"].iter().zip(&wires).zip(["+0", "+1d", "-1d"]) {
        let clock = skewed.then(|| {
            vec![
                ("LD_PRELOAD", FAKETIME.to_owned()),
                ("FAKETIME", skew.to_owned()),
                ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
            ]
        });
        machines.push(Machine::through(wire.port, &database, name, clock.unwrap_or_default()));
    }
    let (mut chance, mut ledger) = (Chance(seed), Ledger::default());
    let (until, mut kills) = (Instant::now() + time, 0);
    let mut turn = 0;
    while Instant::now() < until {
        turn += 1;
        let at = chance.next(3);
        match chance.next(200) {
            0 => {
                machines[at].kill();
                machines[at].start();
                kills += 1;
            }
            1 => {
                server.kill();
                server.start_again();
                kills += 1;
            }
            2..8 => wires[at].cut.store(true, Ordering::SeqCst),
            8..20 => wires[at].cut.store(false, Ordering::SeqCst),
            20..23 => drop(said(&machines[at], &Request::post("/v1/team/pass", &json!({"seconds": 1})))),
            _ => act(&machines[at], at, turn, &mut chance, &mut ledger),
        }
    }
    wires.iter().for_each(|wire| wire.cut.store(false, Ordering::SeqCst));
    println!("{turn} turns, {} acknowledged, {kills} kills", ledger.acknowledged);

    let same = |machines: &[Machine]| {
        for machine in machines {
            said(machine, &Request::post("/v1/team/pass", &json!({"seconds": 20})));
        }
        let exports: Vec<String> = machines.iter().map(Machine::export).collect();
        (exports[0] == exports[1] && exports[1] == exports[2]).then(|| exports[0].clone())
    };
    // What was forgotten last leaves a little later, a few at a time.
    let patience = Instant::now() + Duration::from_secs(120) + time / 4;
    let whole = loop {
        let idle = |machine: &Machine| {
            let told = machine.get("/v1/team/status");
            told["connected"] == true && told["removals_waiting"] == 0 && told["waiting"] == 0
        };
        if let Some(whole) = same(&machines).filter(|_| machines.iter().all(idle)) {
            break whole;
        }
        if Instant::now() > patience {
            for machine in &machines {
                println!("{:#}", machine.get("/v1/team/status"));
            }
            let exports: Vec<String> = machines.iter().map(Machine::export).collect();
            for (at, export) in exports.iter().enumerate() {
                let everywhere = |line: &&str| exports.iter().all(|other| other.contains(*line));
                export.lines().filter(|line| !everywhere(line)).for_each(|line| println!("machine {at} alone: {line}"));
            }
            panic!("the machines do not come to agree");
        }
    };
    for (id, text) in &ledger.own {
        assert!(whole.contains(text.as_str()), "{id} is lost or old: {text}");
    }
    for id in &ledger.gone {
        assert!(!whole.contains(&format!("\"id\":\"{id}\"")), "{id} came back");
    }
    let heads = server.must(
        &database,
        "SELECT count(*) FROM lokid.heads WHERE kind = 'memory' AND state = 'live' AND project = 'garden'",
    );
    assert_eq!(heads.trim(), whole.lines().count().to_string(), "the database holds what the machines hold");
}

#[test]
fn machines_agree_after_half_a_minute_of_trouble() {
    chaos(Duration::from_secs(25), 7);
}

/// `cargo test --test it -- --ignored ten_minutes`
#[test]
#[ignore = "takes more than ten minutes"]
fn machines_agree_after_ten_minutes_of_trouble() {
    chaos(Duration::from_secs(600), 11);
}
