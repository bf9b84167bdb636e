//! Many clients at once, reading and writing: nobody gets an error, nothing acknowledged is lost, and a hostile client is
//! the hostile client's trouble.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lokid::serve::Request;
use serde_json::json;

use crate::house::{House, at};
use crate::lots::Lots;
use crate::writer::{Promised, Writer};

const CLIENTS: usize = 64;
/// Those beside the hostile one.
const NEIGHBOURS: usize = 8;
const KNOWN: usize = 2_000;
/// Memories of each client; what it tells after that replaces what it told.
const EACH: usize = 40;
/// Connections that the hostile client keeps half open.
const HELD: usize = 400;

pub(crate) fn run(seconds: u64) {
    let house = House::new();
    let daemon = house.start();
    let mut lots = Lots::new(7);
    let record = |at: usize, lots: &mut Lots| json!({"id": format!("known-{at}"), "kind": "note", "text": lots.statement("old")});
    let lines: String = (0..KNOWN).map(|at| format!("{}\n", record(at, &mut lots))).collect();
    let answer = house.client().upload(&Request::new("POST", "/v1/memories/import"), lines.as_bytes(), |_| {});
    assert_eq!(answer.unwrap().status, 200);

    let (promised, quarter) = (Promised::default(), Duration::from_secs(seconds / 4 + 1));
    println!("\nload: reads and writes 4 to 1, {KNOWN} memories and {EACH} of each client");
    let one = many(&house, &promised, "one", 1, quarter);
    let all = many(&house, &promised, "all", CLIENTS, Duration::from_secs(seconds));
    one.told("1 client");
    all.told(&format!("{CLIENTS} clients"));
    println!(
        "  {CLIENTS} clients beside 1: p50 {:.1} x, p99 {:.1} x, {:.1} x the answers a second",
        all.at(0.5) / one.at(0.5),
        all.at(0.99) / one.at(0.99),
        all.rate() / one.rate()
    );

    let calm = many(&house, &promised, "calm", NEIGHBOURS, quarter);
    let mut hostile = Raging::new(&house);
    let beside = many(&house, &promised, "beside", NEIGHBOURS, quarter);
    assert!(hostile.0.try_wait().unwrap().is_none(), "the hostile client gave up");
    drop(hostile);
    calm.told(&format!("{NEIGHBOURS} clients alone"));
    beside.told(&format!("{NEIGHBOURS} beside a hostile one"));
    let ratio = beside.at(0.99) / calm.at(0.99);
    println!("  beside the hostile one: p50 {:.2} x, p99 {ratio:.2} x (at most 2)", beside.at(0.5) / calm.at(0.5));

    alike(&house, &promised, Duration::from_secs(seconds));

    let acknowledged = promised.acknowledged();
    daemon.stop(&house);
    promised.check(&house, "after the load");
    println!("  {acknowledged} memories acknowledged, all there; no errors");
}

/// How long each answer took, in milliseconds, in order; and how long it all took.
struct Measured {
    sorted: Vec<f64>,
    took: Duration,
}

impl Measured {
    fn at(&self, share: f64) -> f64 {
        at(&self.sorted, share)
    }

    fn rate(&self) -> f64 {
        self.sorted.len() as f64 / self.took.as_secs_f64()
    }

    fn told(&self, who: &str) {
        let (p50, p99, most) = (self.at(0.5), self.at(0.99), self.at(1.0));
        println!("  {who:<24} {:>7.0} answers/s  p50 {p50:>7.2}  p99 {p99:>7.2}  max {most:>7.2} ms", self.rate());
    }
}

fn many(house: &House, promised: &Promised, name: &str, clients: usize, lasts: Duration) -> Measured {
    crowd(clients, lasts, |number| {
        let mut writer = Writer::new(house, promised, format!("{name}{number}"), number as u64 + 1, EACH);
        move |turn| {
            let since = Instant::now();
            let done = if turn % 5 == 0 { writer.write() } else { writer.ask() };
            if let Err(error) = done {
                panic!("{name}{number}: {error}");
            }
            Some(since.elapsed())
        }
    })
}

/// Clients side by side, each with turns of its own until the time is over; a turn tells how long it took, if that counts.
fn crowd<T: FnMut(usize) -> Option<Duration>>(
    clients: usize,
    lasts: Duration,
    client: impl Fn(usize) -> T + Sync,
) -> Measured {
    let begun = Instant::now();
    let work = |number: usize| {
        let mut turn = client(number);
        let turns = (0..).take_while(|_| begun.elapsed() < lasts);
        turns.filter_map(&mut turn).map(|took| took.as_secs_f64() * 1e3).collect::<Vec<f64>>()
    };
    let work = &work;
    let mut sorted: Vec<f64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..clients).map(|number| scope.spawn(move || work(number))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    sorted.sort_by(f64::total_cmp);
    Measured { sorted, took: begun.elapsed() }
}

/// Clients that ask, and tell things which are all about the same and all say something else. Their writes alone are
/// measured.
fn alike(house: &House, promised: &Promised, lasts: Duration) {
    let measured = crowd(CLIENTS, lasts, |number| {
        let (client, mut asking) = (house.client(), Writer::new(house, promised, "alike".into(), 3, EACH));
        move |turn| {
            if turn % 5 != 0 {
                asking.ask().unwrap();
                return None;
            }
            let text = format!("The upload worker gives up after {} attempts.", turn * CLIENTS + number);
            let since = Instant::now();
            let told = client.send(&Request::post("/v1/memories", &json!({"kind": "note", "text": text}))).unwrap();
            assert!(told.status < 300, "{}", told.text());
            Some(since.elapsed())
        }
    });
    measured.told("writes, all alike");
    let open = house.client().send(&Request::get("/v1/contradictions?status=open&limit=500")).unwrap().json().unwrap();
    let (many, p99) = (open["items"].as_array().map_or(0, Vec::len), measured.at(0.99));
    println!("  {} like notes: {many} contradictions open, write p99 {p99:.0} ms (at most 500)", measured.sorted.len());
}

/// The hostile client in a process of its own, until this is dropped.
struct Raging(Child);

impl Raging {
    fn new(house: &House) -> Raging {
        let mut command = Command::new(std::env::current_exe().unwrap());
        Raging(command.arg("hostile").arg(house.socket()).stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Raging {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Until somebody puts an end to it, or nobody listens any more.
pub(crate) fn rage(socket: PathBuf) {
    Hostile { socket, held: Vec::new(), lots: Lots::new(99) }.rage();
}

/// Somebody with access to the socket who wants to do harm, or whose program is broken.
struct Hostile {
    socket: PathBuf,
    held: Vec<UnixStream>,
    lots: Lots,
}

impl Hostile {
    fn connect(socket: &Path) -> Option<UnixStream> {
        let stream = UnixStream::connect(socket).ok()?;
        stream.set_nonblocking(true).ok()?;
        Some(stream)
    }

    fn rage(mut self) {
        while self.socket.exists() {
            match self.lots.draw(5) {
                0 => self.trickle(),
                1 => self.half(),
                2 => self.flood(),
                3 => self.long(),
                _ => self.rubbish(),
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Heads that never end, a byte at a time.
    fn trickle(&mut self) {
        if self.held.len() < HELD
            && let Some(mut stream) = Hostile::connect(&self.socket)
        {
            let _ = stream.write_all(b"POST /v1/memories HTTP/1.1\r\nhost: x\r\nx-slow: ");
            self.held.push(stream);
        }
        self.held.retain_mut(|stream| stream.write(b"a").is_ok());
    }

    /// A body that is announced and does not come.
    fn half(&mut self) {
        if let Some(mut stream) = Hostile::connect(&self.socket) {
            let _ =
                stream.write_all(b"POST /v1/memories HTTP/1.1\r\nhost: x\r\ncontent-length: 90000\r\n\r\n{\"kind\":");
            if self.held.len() < HELD {
                self.held.push(stream);
            }
        }
    }

    /// Many questions in one go, of which no answer is read.
    fn flood(&mut self) {
        if let Some(mut stream) = Hostile::connect(&self.socket) {
            let one = "GET /v1/memories?limit=500 HTTP/1.1\r\nhost: x\r\n\r\n";
            let _ = stream.write_all(one.repeat(200).as_bytes());
            if self.held.len() < HELD {
                self.held.push(stream);
            }
        }
    }

    /// A note that is hard to go through, as long as one may be.
    fn long(&mut self) {
        let body = format!(r#"{{"kind":"note","text":"{}"}}"#, "Q~".repeat(120_000));
        let head = format!("POST /v1/memories HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", body.len());
        if let Ok(mut stream) = UnixStream::connect(&self.socket) {
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
            let _ = stream.read(&mut [0; 64]);
        }
    }

    fn rubbish(&mut self) {
        if let Some(mut stream) = Hostile::connect(&self.socket) {
            let bytes: Vec<u8> = (0..4096).map(|_| self.lots.draw(256) as u8).collect();
            let _ = stream.write_all(&bytes);
            let _ = stream.read(&mut [0; 64]);
        }
    }
}
