//! How long contexts take: made ready after a signal, handed over when they stand ready, put together when they do not.

use std::cell::Cell;

use super::*;
use store::post;

const SIGNALS: usize = 300;
const READY: usize = 2_000;
/// Asked for so often before the focus moves on.
const A_FOCUS: usize = 20;
const COLD: usize = 500;
const SESSIONS: usize = 300;
/// After that long a signal has led to nothing.
const LOST: Duration = Duration::from_secs(5);
/// Milliseconds.
const AHEAD_P95: f64 = 30.0;
const READY_P99: f64 = 2.0;
const COLD_P99: f64 = 15.0;
/// The first of these is promised up to this size.
const AHEAD_SIZE: usize = 10_000;

pub(crate) fn run(store: &Store, pace: Pace, verdicts: &mut Verdicts) {
    let size = store.size;
    let before = store.rss_mb();
    let measured = Measured { store, stream: Stream::open(&store.home.socket), turn: Cell::new(0) };
    let daemon = &store.daemon;

    progress(format_args!("signals, until what they call for stands ready"));
    let ahead = pace.measure(daemon, || measured.signals(pace.times(SIGNALS)));
    println!("\n  file_opened → its context stands ready{}", told(ahead.lost, "led to nothing"));
    line("until the event", &ahead.ready);
    line("  of it, putting together", &ahead.inside);
    line("  the signal's own answer", &ahead.answered);
    let p95 = ahead.ready.at(0.95) / 1e3;
    let beside = format!("its own answer {:.2} ms", ahead.answered.at(0.95) / 1e3);
    if size <= AHEAD_SIZE {
        verdicts.at_most(&format!("{size}: signal to context, p95"), p95, AHEAD_P95, "ms", &beside);
    }

    progress(format_args!("contexts that stand ready"));
    let ready = pace.measure(daemon, || measured.ready(pace.times(READY)));
    println!("\n  assemble, made ready by a signal{}", told(ready.odd, "did not stand ready"));
    ready.print("GET /v1/health");
    let name = format!("{size}: assemble when ready, p99");
    verdicts.at_most(&name, ready.took.at(0.99) / 1e3, READY_P99, "ms", &ready.beside("health"));
    let share = 1.0 - ready.odd as f64 / ready.took.0.len() as f64;
    verdicts.at_least(&format!("{size}: share that stood ready"), share, 1.0, "", "");

    progress(format_args!("contexts nobody foresaw"));
    let cold = pace.measure(daemon, || measured.cold(pace.times(COLD)));
    println!("\n  assemble, another file and goal each time{}", told(cold.odd, "stood ready"));
    cold.print("POST /v1/recall, k = 5");
    let name = format!("{size}: assemble cold, p99");
    verdicts.at_most(&name, cold.took.at(0.99) / 1e3, COLD_P99, "ms", &cold.beside("recall"));

    progress(format_args!("sessions and prompts"));
    let (session, prompt) = pace.measure(daemon, || measured.sessions(pace.times(SESSIONS)));
    println!("\n  what hooks ask for");
    line("context/session, first call", &session);
    line("context/prompt", &prompt);
    println!("\n  resident {before:.1} MB before, {:.1} MB after", store.rss_mb());
    println!("  prefetch {}", daemon.status()["projects"][0]["prefetch"]);
}

fn line(what: &str, latency: &Latency) {
    println!("  {what:<30} {latency}");
}

fn told(odd: usize, what: &str) -> String {
    if odd == 0 { String::new() } else { format!(" ({odd} {what})") }
}

struct Measured<'a> {
    store: &'a Store,
    stream: Stream,
    /// Nothing is asked twice, also when a measurement is made again.
    turn: Cell<usize>,
}

struct Ahead {
    ready: Latency,
    inside: Latency,
    answered: Latency,
    lost: usize,
}

/// Times of one thing, and of a plain one in turn with it.
struct Beside {
    took: Latency,
    inside: Latency,
    plain: Latency,
    /// Answers that were not as they should be.
    odd: usize,
}

impl Beside {
    fn print(&self, plain: &str) {
        line("lokid", &self.took);
        line("  inside the daemon", &self.inside);
        line(plain, &self.plain);
    }

    fn beside(&self, plain: &str) -> String {
        format!("{plain} {:.2} ms", self.plain.at(0.99) / 1e3)
    }
}

impl Measured<'_> {
    fn next(&self) -> usize {
        self.turn.replace(self.turn.get() + 1)
    }

    /// Opens another file; answers when it did so, how long the answer took, and the line that says what stands ready.
    fn open(&self, connection: &mut Connection) -> (String, Instant, f64, Option<(Instant, Value)>) {
        let path = self.store.file(self.next()).to_owned();
        let began = Instant::now();
        let (_, answered) = post(connection, "/v1/signals", &json!({"type": "file_opened", "path": path}));
        let is_it = |line: &Value| line["kind"] == "prefetch" && line["data"]["path"] == path.as_str();
        let event = self.stream.within(LOST, is_it);
        (path, began, answered, event)
    }

    fn signals(&self, count: usize) -> Ahead {
        let mut connection = self.store.connect();
        let (mut ready, mut inside, mut answered, mut lost) = (Vec::new(), Vec::new(), Vec::new(), 0);
        self.stream.drain();
        for _ in 0..count {
            let (_, began, took, event) = self.open(&mut connection);
            answered.push(took);
            match event {
                Some((at, line)) => {
                    ready.push(at.saturating_duration_since(began).as_secs_f64() * 1e6);
                    inside.push(line["data"]["took_us"].as_f64().unwrap_or(f64::NAN));
                }
                None => lost += 1,
            }
        }
        Ahead { ready: Latency::of(ready), inside: Latency::of(inside), answered: Latency::of(answered), lost }
    }

    /// As an agent asks that says what it has open, and as one that leaves it to the focus.
    fn ready(&self, count: usize) -> Beside {
        let mut connection = self.store.connect();
        let (mut took, mut inside, mut plain, mut odd) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for turn in 0..count {
            let opened = (turn % A_FOCUS == 0).then(|| self.open(&mut connection).0);
            let body = opened.map_or(json!({}), |path| json!({"signals": {"current_file": path}}));
            let (answer, micros) = post(&mut connection, "/v1/context/assemble", &body);
            odd += usize::from(answer["prefetched"] != true);
            took.push(micros);
            inside.push(answer["took_us"].as_f64().unwrap_or(f64::NAN));
            let (health, micros) = timed(|| connection.get("/v1/health").unwrap());
            assert_eq!(health.0, 200, "{}", health.1);
            plain.push(micros);
        }
        Beside { took: Latency::of(took), inside: Latency::of(inside), plain: Latency::of(plain), odd }
    }

    fn cold(&self, count: usize) -> Beside {
        let mut connection = self.store.connect();
        let (mut took, mut inside, mut plain, mut odd) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for _ in 0..count {
            let turn = self.next();
            let (file, goal) = (self.store.file(turn), self.store.goal(turn));
            // Not counted: what is loaded so often and never cited would be handed out in shorter form before long.
            let body = json!({"signals": {"current_file": file, "goal": goal}, "counted": false});
            let (answer, micros) = post(&mut connection, "/v1/context/assemble", &body);
            odd += usize::from(answer["prefetched"] != false);
            took.push(micros);
            inside.push(answer["took_us"].as_f64().unwrap_or(f64::NAN));
            // Other words than those just asked, which are still at hand.
            let question =
                json!({"query": self.store.goal(turn + self.store.goals.len() / 2), "k": WANTED, "counted": false});
            plain.push(post(&mut connection, "/v1/recall", &question).1);
        }
        Beside { took: Latency::of(took), inside: Latency::of(inside), plain: Latency::of(plain), odd }
    }

    /// Each session is new, and prompts once.
    fn sessions(&self, count: usize) -> (Latency, Latency) {
        let mut connection = self.store.connect();
        let (mut sessions, mut prompts) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let turn = self.next();
            let id = format!("session-{turn}");
            let session = json!({"session_id": id, "agent": "bench", "goal": self.store.goal(turn)});
            sessions.push(post(&mut connection, "/v1/context/session", &session).1);
            let prompt =
                json!({"session_id": id, "prompt": self.store.goal(turn + 1), "files": [self.store.file(turn)]});
            prompts.push(post(&mut connection, "/v1/context/prompt", &prompt).1);
        }
        (Latency::of(sessions), Latency::of(prompts))
    }
}
