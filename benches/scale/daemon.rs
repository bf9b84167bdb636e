//! The real binary in a home of its own, and questions over its socket.

use super::*;

/// A home directory for one daemon, with one project in it.
pub(crate) struct Home {
    pub(crate) folder: PathBuf,
    pub(crate) socket: PathBuf,
    pub(crate) cache: PathBuf,
}

impl Home {
    pub(crate) fn new(folder: &Path) -> Home {
        let repo = folder.join("repo");
        std::fs::create_dir_all(&repo).unwrap();
        git2::Repository::init(&repo).unwrap();
        Home { folder: folder.to_owned(), socket: folder.join("lokid.sock"), cache: folder.join("cache") }
    }

    pub(crate) fn start(&self) -> Daemon {
        let mut command = self.command();
        command.arg("run").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Daemon { child: command.spawn().unwrap(), socket: self.socket.clone() }
    }

    /// The program at home here: the one that was built with this, or the one `LOKID_BENCH_BINARY` names.
    pub(crate) fn command(&self) -> Command {
        let named = std::env::var_os("LOKID_BENCH_BINARY").filter(|path| !path.is_empty());
        let mut command = Command::new(named.unwrap_or_else(|| env!("CARGO_BIN_EXE_lokid").into()));
        command.current_dir(self.folder.join("repo"));
        command.env("HOME", &self.folder).env("LOKID_SOCKET", &self.socket);
        for name in ["CONFIG", "STATE", "CACHE", "DATA"] {
            command.env(format!("XDG_{name}_HOME"), self.folder.join(name.to_lowercase()));
        }
        command.env("XDG_RUNTIME_DIR", self.folder.join("run"));
        command
    }

    pub(crate) fn import(&self, lines: &str) -> Value {
        let mut connection = Connection::open(&self.socket).unwrap();
        let (status, body) = connection.post("/v1/memories/import", "application/x-ndjson", lines).unwrap();
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    pub(crate) fn cache_bytes(&self) -> usize {
        bytes_below(&self.cache)
    }

    pub(crate) fn store_bytes(&self) -> usize {
        bytes_below(&self.folder.join("repo/.loki"))
    }
}

pub(crate) fn bytes_below(folder: &Path) -> usize {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        // A file may be merged away while it is counted.
        match entry.metadata() {
            Ok(found) if found.is_dir() => bytes += bytes_below(&entry.path()),
            Ok(found) => bytes += found.len() as usize,
            Err(_) => {}
        }
    }
    bytes
}

pub(crate) struct Daemon {
    pub(crate) child: Child,
    pub(crate) socket: PathBuf,
}

impl Daemon {
    /// Waits until it listens and has read its project.
    pub(crate) fn wait_for_project(&self) {
        let end = Instant::now() + PATIENCE;
        let listing = || Connection::open(&self.socket)?.get("/v1/memories?limit=1");
        while !listing().is_ok_and(|(status, _)| status == 200) {
            assert!(Instant::now() < end, "the daemon does not answer");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn try_status(&self) -> Option<Value> {
        let (status, body) = Connection::open(&self.socket).ok()?.get("/v1/status").ok()?;
        if status == 200 { serde_json::from_str(&body).ok() } else { None }
    }

    pub(crate) fn status(&self) -> Value {
        self.try_status().expect("the daemon tells its status")
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.try_status().is_some_and(|status| is_ready(&status))
    }

    /// Waits until everything known can be found; answers with the status of that moment.
    pub(crate) fn wait_until_ready(&self) -> Value {
        let started = Instant::now();
        let mut told = Instant::now();
        while started.elapsed() < PATIENCE {
            let status = self.status();
            if is_ready(&status) {
                return status;
            }
            if told.elapsed() > Duration::from_secs(5) {
                told = Instant::now();
                progress(format_args!("{} memories wait to be indexed", status["projects"][0]["index"]["waiting"]));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the index is still not ready");
    }

    /// Waits until it has merged what there was to merge and does nothing any more.
    pub(crate) fn wait_until_quiet(&self) {
        progress(format_args!("waiting for the daemon to rest"));
        std::thread::sleep(RESTED);
        let end = Instant::now() + Duration::from_secs(180);
        while Instant::now() < end {
            let before = self.cpu_ticks();
            std::thread::sleep(Duration::from_millis(500));
            if self.cpu_ticks() - before <= 1 {
                return;
            }
        }
        progress(format_args!("the daemon does not come to rest"));
    }

    pub(crate) fn cpu_ticks(&self) -> u64 {
        ticks_of(&self.child.id().to_string())
    }

    pub(crate) fn stop(mut self) {
        self.end();
    }

    /// As a service manager would; by force when it takes too long.
    pub(crate) fn end(&mut self) {
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let end = Instant::now() + Duration::from_secs(120);
        while Instant::now() < end {
            if matches!(self.child.try_wait(), Ok(Some(_)) | Err(_)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn is_ready(status: &Value) -> bool {
    let index = &status["projects"][0]["index"];
    index["state"] == "ready" && index["waiting"] == 0
}

pub(crate) fn rss_mb(status: &Value) -> f64 {
    status["rss_bytes"].as_f64().unwrap_or(f64::NAN) / 1e6
}

/// One kept connection.
pub(crate) struct Connection {
    pub(crate) stream: UnixStream,
    pub(crate) bytes: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(socket: &Path) -> io::Result<Connection> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Connection { stream, bytes: Vec::with_capacity(1 << 16) })
    }

    pub(crate) fn get(&mut self, path: &str) -> io::Result<(u16, String)> {
        write!(self.stream, "GET {path} HTTP/1.1\r\nHost: l\r\n\r\n")?;
        self.answer()
    }

    pub(crate) fn post(&mut self, path: &str, kind: &str, body: &str) -> io::Result<(u16, String)> {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: l\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let sent = if body.len() < 1 << 16 {
            self.stream.write_all((head + body).as_bytes())
        } else {
            self.stream.write_all(head.as_bytes()).and_then(|()| self.stream.write_all(body.as_bytes()))
        };
        // Who closes in the middle of a request may have said why.
        if let Err(error) = sent {
            return self.answer().map_err(|_| error);
        }
        self.answer()
    }

    pub(crate) fn ask(&mut self, question: &Question) -> io::Result<(u16, String)> {
        self.post("/v1/recall", "application/json", &question.body)
    }

    /// Status and body of an answer, read to its end.
    pub(crate) fn answer(&mut self) -> io::Result<(u16, String)> {
        let odd = || io::Error::from(io::ErrorKind::InvalidData);
        self.bytes.clear();
        let mut chunk = [0; 16_384];
        loop {
            let read = self.stream.read(&mut chunk)?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.bytes.extend_from_slice(&chunk[..read]);
            let Some(end) = self.bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
            let head = std::str::from_utf8(&self.bytes[..end]).map_err(|_| odd())?;
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            });
            let length = length.ok_or_else(odd)?;
            if self.bytes.len() >= end + 4 + length {
                let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(odd)?;
                let body = String::from_utf8_lossy(&self.bytes[end + 4..end + 4 + length]).into_owned();
                return Ok((status, body));
            }
        }
    }
}

pub(crate) struct Asked {
    pub(crate) latency: Latency,
    /// As the daemon itself reckons it.
    pub(crate) inside: Latency,
    pub(crate) filtered: Latency,
}

/// Each question once, on one connection.
pub(crate) fn asked_one_by_one(socket: &Path, questions: &[Question]) -> Asked {
    let mut connection = Connection::open(socket).unwrap();
    let (mut took, mut inside, mut filtered) = (Vec::new(), Vec::new(), Vec::new());
    for question in questions {
        let (answer, micros) = timed(|| connection.ask(question).unwrap());
        assert_eq!(answer.0, 200, "{}", answer.1);
        let body: Value = serde_json::from_str(&answer.1).unwrap();
        took.push(micros);
        inside.push(body["took_us"].as_f64().unwrap());
        if question.filtered {
            filtered.push(micros);
        }
    }
    Asked { latency: Latency::of(took), inside: Latency::of(inside), filtered: Latency::of(filtered) }
}

/// Questions under load, in the order they were asked.
pub(crate) struct Meanwhile(pub(crate) Vec<f64>);

impl Meanwhile {
    pub(crate) fn print(&self, idle: &Latency, others: f64) {
        let last = Latency::of(self.0[self.0.len() - self.0.len() / 4..].to_vec());
        let all = Latency::of(self.0.clone());
        println!("  {:<28} {all}", "meanwhile");
        println!("  {:<28} {last}", "  the last quarter of them");
        println!(
            "  p99 against idle         {:>6.2} x, the last quarter {:.2} x (others took {:.0} % of the processor)",
            all.at(0.99) / idle.at(0.99),
            last.at(0.99) / idle.at(0.99),
            others * 100.0
        );
    }
}

/// One question after the other until `done`, which is asked every 20 ms, or the time is up.
pub(crate) fn ask_until(socket: &Path, questions: &[Question], done: impl Fn() -> bool, end: Instant) -> Meanwhile {
    let mut connection = Connection::open(socket).unwrap();
    let mut took = Vec::new();
    let (mut looked, mut told) = (Instant::now(), Instant::now());
    for question in questions.iter().cycle() {
        let (answer, micros) = timed(|| connection.ask(question).unwrap());
        assert_eq!(answer.0, 200, "{}", answer.1);
        took.push(micros);
        if looked.elapsed() >= Duration::from_millis(20) {
            if done() || Instant::now() > end {
                break;
            }
            looked = Instant::now();
        }
        if told.elapsed() > Duration::from_secs(5) {
            told = Instant::now();
            progress(format_args!("{} questions so far", took.len()));
        }
    }
    Meanwhile(took)
}

/// How long after `started` the first question was answered, and the first with a memory in the answer.
pub(crate) fn first_answers(socket: &Path, questions: &[Question], started: Instant) -> (Duration, Duration) {
    let mut first = None;
    let mut connection = None;
    for question in questions.iter().cycle() {
        assert!(started.elapsed() < PATIENCE, "the daemon does not answer");
        if connection.is_none() {
            connection = Connection::open(socket).ok();
        }
        match connection.as_mut().map(|connection| connection.ask(question)) {
            Some(Ok((200, body))) => {
                let first = *first.get_or_insert(started.elapsed());
                let body: Value = serde_json::from_str(&body).unwrap();
                if body["results"].as_array().is_some_and(|found| !found.is_empty()) {
                    return (first, started.elapsed());
                }
            }
            Some(Ok(_)) => std::thread::sleep(Duration::from_millis(1)),
            Some(Err(_)) | None => {
                connection = None;
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
    unreachable!("questions never end");
}

/// Whole answers, without the time they took.
pub(crate) fn answers(socket: &Path, questions: &[Question]) -> Vec<Value> {
    let mut connection = Connection::open(socket).unwrap();
    let ask = |question: &Question| {
        let (status, body) = connection.ask(question).unwrap();
        assert_eq!(status, 200, "{body}");
        let mut body: Value = serde_json::from_str(&body).unwrap();
        body.as_object_mut().unwrap().remove("took_us");
        body
    };
    questions.iter().map(ask).collect()
}

pub(crate) fn ids_of(answer: &Value) -> Value {
    answer["results"].as_array().into_iter().flatten().map(|found| found["id"].clone()).collect()
}
