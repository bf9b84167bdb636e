//! A server of memory stores on 127.0.0.1, for tests: it keeps the rules of the API as the official SDK states them
//! (`tests/clients/managed.sh` holds it against that SDK), counts what it is asked, and fails when it is told to.
//!
//! It never shares a line with the client of `lokid`: what both got wrong would look right.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use routes::Gate;
pub use routes::{Key, Request};
use shelf::Shelf;
pub use shelf::{Refusal, ShelfLimits};
use wire::NoRequest;

mod routes;
mod shelf;
mod wire;

/// What goes wrong with an answer.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Nothing is done; this status is answered, with these headers.
    Status(u16, Vec<(&'static str, String)>),
    /// Nothing is done; a 409 of this kind is answered.
    Conflict(&'static str),
    /// Nothing is done, and the connection is closed.
    HangUp,
    /// It is done, but the connection is closed before the answer.
    LostAnswer,
    /// It is done, and half of the answer's body is sent.
    HalfBody,
    /// It is done, and answered with this body in place of the right one.
    Nonsense(String),
    /// It is done and answered after this time.
    Late(Duration),
    /// It is done, and never answered: not before [`StoreServer::release`] or the end of the server.
    Held,
}

struct Rule {
    method: &'static str,
    part: String,
    left: usize,
    fault: Fault,
}

/// How many requests in which time are allowed.
type Rate = (usize, Duration);

struct State {
    shelf: Shelf,
    gate: Gate,
    rules: Vec<Rule>,
    requests: Vec<Request>,
    statuses: Vec<u16>,
    rate: Option<Rate>,
    recent: VecDeque<Instant>,
    clock_off: i64,
    releases: usize,
}

struct Shared {
    state: Mutex<State>,
    released: Condvar,
    ending: AtomicBool,
    /// What is open, by a number of its own.
    connections: Mutex<BTreeMap<usize, TcpStream>>,
}

/// The server; it ends with its value.
pub struct StoreServer {
    shared: Arc<Shared>,
    address: SocketAddr,
    accepting: Option<JoinHandle<()>>,
}

impl Default for StoreServer {
    fn default() -> StoreServer {
        StoreServer::new()
    }
}

impl StoreServer {
    /// The key that may do everything.
    pub const KEY: &str = "sk-ant-test-full";

    pub fn new() -> StoreServer {
        let actor = json!({"type": "api_actor", "api_key_id": "apikey_01full"});
        let keys = vec![Key { secret: StoreServer::KEY.into(), actor, may_write: true }];
        let betas = ["agent-memory-2026-07-22", "managed-agents-2026-04-01"].map(str::to_owned).to_vec();
        let state = State {
            shelf: Shelf::default(),
            gate: Gate { keys, betas },
            rules: Vec::new(),
            requests: Vec::new(),
            statuses: Vec::new(),
            rate: None,
            recent: VecDeque::new(),
            clock_off: 0,
            releases: 0,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            released: Condvar::new(),
            ending: AtomicBool::new(false),
            connections: Mutex::default(),
        });
        let mut server = StoreServer { shared, address: ([127, 0, 0, 1], 0).into(), accepting: None };
        server.resume();
        server
    }

    /// Where it is, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Nobody listens any more, and what was open is closed; what the stores hold stays.
    pub fn stop(&mut self) {
        let Some(accepting) = self.accepting.take() else { return };
        let state = self.state();
        self.shared.ending.store(true, Ordering::SeqCst);
        self.shared.released.notify_all();
        drop(state);
        drop(TcpStream::connect(self.address));
        accepting.join().unwrap();
    }

    /// Listens again, at the same address.
    pub fn resume(&mut self) {
        self.stop();
        self.shared.ending.store(false, Ordering::SeqCst);
        let listener = TcpListener::bind(self.address).unwrap();
        self.address = listener.local_addr().unwrap();
        let shared = self.shared.clone();
        self.accepting = Some(std::thread::spawn(move || accept(&listener, &shared)));
    }

    // What the server is like.

    pub fn limits(&self, limits: ShelfLimits) {
        self.state().shelf.limits = limits;
    }

    /// More than so many requests in so much time are answered with 429.
    pub fn rate(&self, requests: usize, time: Duration) {
        self.state().rate = Some((requests, time));
    }

    pub fn add_key(&self, key: Key) {
        self.state().gate.keys.push(key);
    }

    /// The values of the beta header that are taken from now on.
    pub fn betas(&self, betas: &[&str]) {
        self.state().gate.betas = betas.iter().map(|beta| (*beta).to_owned()).collect();
    }

    /// The `Date` of answers is off by so many seconds.
    pub fn clock_off(&self, seconds: i64) {
        self.state().clock_off = seconds;
    }

    // What goes wrong.

    /// The next `times` requests of this method (empty: any) whose path holds `part` meet with `fault`.
    pub fn fail(&self, times: usize, method: &'static str, part: &str, fault: Fault) {
        self.state().rules.push(Rule { method, part: part.to_owned(), left: times, fault });
    }

    /// No more faults; what was held is answered.
    pub fn release(&self) {
        let mut state = self.state();
        state.rules.clear();
        state.releases += 1;
        self.shared.released.notify_all();
    }

    // What was asked.

    pub fn requests(&self) -> Vec<Request> {
        self.state().requests.clone()
    }

    /// How many requests of this method (empty: any) had a path that holds `part`.
    pub fn count(&self, method: &str, part: &str) -> usize {
        self.state().requests.iter().filter(|request| fits(request, method, part)).count()
    }

    /// The status of every answer, in order; 0 where none was sent.
    pub fn statuses(&self) -> Vec<u16> {
        self.state().statuses.clone()
    }

    // What it holds, past the API.

    /// A new store's id.
    pub fn new_store(&self, name: &str) -> String {
        let mut body = Map::new();
        body.insert("name".into(), name.into());
        let store = self.state().shelf.create_store(&body, Timestamp::now()).unwrap();
        store["id"].as_str().unwrap().to_owned()
    }

    /// Somebody else writes there, an agent in a session.
    pub fn put(&self, store: &str, path: &str, content: &str) {
        let by = json!({"type": "session_actor", "session_id": "sesn_01other"});
        let mut state = self.state();
        let there = state.shelf.store(store).unwrap().memories.iter().find(|(_, memory)| memory.path() == path);
        let there = there.map(|(id, _)| id.clone());
        let now = Timestamp::now();
        match there {
            Some(id) => state.shelf.update(store, &id, (None, Some(content), None), by, now),
            None => state.shelf.create(store, path, content, by, now),
        }
        .unwrap();
    }

    pub fn content(&self, store: &str, path: &str) -> Option<String> {
        self.all(store).into_iter().find(|(known, _)| known == path).map(|(_, content)| content)
    }

    /// Paths and contents, in the order of paths.
    pub fn all(&self, store: &str) -> Vec<(String, String)> {
        let mut state = self.state();
        let memories = state.shelf.store(store).unwrap().memories.values();
        let mut all: Vec<(String, String)> =
            memories.map(|memory| (memory.path().to_owned(), memory.content.clone())).collect();
        all.sort();
        all
    }

    /// The versions of a store as the API shows them, the oldest first.
    pub fn versions(&self, store: &str) -> Vec<Value> {
        self.state().shelf.store(store).unwrap().versions.iter().map(|version| version.json(store, true)).collect()
    }

    /// A store is as if nothing had ever been written into it.
    pub fn wipe(&self, store: &str) {
        let mut state = self.state();
        let store = state.shelf.store(store).unwrap();
        store.memories.clear();
        store.versions.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap()
    }
}

impl Drop for StoreServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn fits(request: &Request, method: &str, part: &str) -> bool {
    (method.is_empty() || request.method == method) && request.path.contains(part)
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut serving = Vec::new();
    for (number, stream) in listener.incoming().enumerate() {
        if shared.ending.load(Ordering::SeqCst) {
            break;
        }
        let Ok(stream) = stream else { continue };
        let Ok(other_end) = stream.try_clone() else { continue };
        shared.connections.lock().unwrap().insert(number, other_end);
        let shared = shared.clone();
        serving.push(std::thread::spawn(move || {
            serve(stream, &shared);
            shared.connections.lock().unwrap().remove(&number);
        }));
    }
    for stream in shared.connections.lock().unwrap().values() {
        let _ = stream.shutdown(Shutdown::Both);
    }
    for thread in serving {
        let _ = thread.join();
    }
}

/// A connection, request by request, until either side has enough.
fn serve(mut stream: TcpStream, shared: &Shared) {
    let mut kept = Vec::new();
    loop {
        let request = match wire::read(&mut stream, &mut kept) {
            Ok(request) => request,
            Err(NoRequest::Gone) => break,
            Err(NoRequest::Bad(status, why)) => {
                let body = refusal_body(&Refusal::new(status, "invalid_request_error", why), "req_01unread");
                let head = wire::head(status, &[("connection", "close".into())], body.len());
                let _ = stream.write_all((head + &body).as_bytes());
                break;
            }
        };
        let Sent(bytes, lives) = respond(shared, &request);
        if stream.write_all(bytes.as_bytes()).is_err() || !lives || shared.ending.load(Ordering::SeqCst) {
            break;
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}

/// What is sent, and whether the connection lives on.
struct Sent(String, bool);

fn respond(shared: &Shared, request: &Request) -> Sent {
    let mut state = shared.state.lock().unwrap();
    let number = state.requests.len();
    state.requests.push(request.clone());
    state.statuses.push(0);
    let fault = state.next_fault(request);
    if matches!(fault, Some(Fault::HangUp)) {
        return Sent(String::new(), false);
    }
    let request_id = format!("req_01test{number:018}");
    let (status, mut headers, body) = state.result(request, fault.as_ref(), &request_id);
    headers.push(("request-id", request_id));
    headers.push(("date", http_date(state.clock_off)));
    let head = wire::head(status, &headers, body.len());
    let patience = match fault {
        Some(Fault::LostAnswer) => return Sent(String::new(), false),
        Some(Fault::HalfBody) => return Sent(head + &body[..body.floor_char_boundary(body.len() / 2)], false),
        Some(Fault::Late(time)) => time,
        Some(Fault::Held) => Duration::MAX,
        _ => Duration::ZERO,
    };
    let before = state.releases;
    let waits = |state: &mut State| state.releases == before && !shared.ending.load(Ordering::SeqCst);
    state = shared.released.wait_timeout_while(state, patience, waits).unwrap().0;
    state.statuses[number] = status;
    Sent(head + &body, true)
}

impl State {
    fn next_fault(&mut self, request: &Request) -> Option<Fault> {
        let rule = self.rules.iter_mut().find(|rule| rule.left > 0 && fits(request, rule.method, &rule.part))?;
        rule.left -= 1;
        Some(rule.fault.clone())
    }

    fn result(
        &mut self,
        request: &Request,
        fault: Option<&Fault>,
        id: &str,
    ) -> (u16, Vec<(&'static str, String)>, String) {
        let refused =
            |status, kind, headers| (status, headers, refusal_body(&Refusal::new(status, kind, "as told"), id));
        match fault {
            Some(Fault::Status(status, headers)) => return refused(*status, kind_of(*status), headers.clone()),
            Some(Fault::Conflict(kind)) => return refused(409, kind, Vec::new()),
            _ => {}
        }
        if let Some(wait) = self.too_fast() {
            return refused(429, "rate_limit_error", vec![("retry-after", wait.to_string())]);
        }
        let answer = routes::answer(&self.gate, &mut self.shelf, request, Timestamp::now());
        match (answer, fault) {
            (_, Some(Fault::Nonsense(body))) => (200, Vec::new(), body.clone()),
            (Ok(answer), _) => (200, Vec::new(), answer.to_string()),
            (Err(refusal), _) => (refusal.status, Vec::new(), refusal_body(&refusal, id)),
        }
    }

    /// Whole seconds until the next request is welcome.
    fn too_fast(&mut self) -> Option<u64> {
        let (most, time) = self.rate?;
        let now = Instant::now();
        self.recent.retain(|moment| now - *moment < time);
        if self.recent.len() < most {
            self.recent.push_back(now);
            return None;
        }
        let oldest = self.recent.front().copied().unwrap_or(now);
        Some((oldest + time - now).as_secs() + 1)
    }
}

fn kind_of(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        409 => "conflict_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        400..=499 => "invalid_request_error",
        _ => "api_error",
    }
}

fn refusal_body(refusal: &Refusal, request_id: &str) -> String {
    let mut error = Map::new();
    error.insert("type".into(), refusal.kind.into());
    error.insert("message".into(), refusal.message.as_str().into());
    error.extend(refusal.more.clone());
    json!({"type": "error", "error": error, "request_id": request_id}).to_string()
}

fn http_date(off: i64) -> String {
    let time = Timestamp::now() + jiff::SignedDuration::from_secs(off);
    time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}
