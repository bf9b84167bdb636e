//! Questions to the daemon, as agents put them, and what its answers show.

use super::*;

/// Goals that have nothing to do with any repository.
pub(crate) const STRANGE: [&str; 10] = [
    "rotate the tyres of the delivery van before winter",
    "plan the seating of the jubilee dinner",
    "balance the quarterly ledger of the bakery",
    "tune the second violin for the matinee",
    "translate the lease of the flat into Danish",
    "order seed potatoes and prune the pear trees",
    "book the ferry and the guest house for June",
    "glaze the stoneware bowls and fire the kiln",
    "draw up the roster of the lifeguards",
    "polish the telescope mirror and align its mount",
];
const STILL: Duration = Duration::from_secs(2);

/// Until everything is read and found, and stays so for a moment.
pub(crate) fn wait_until_read(daemon: &Daemon) {
    let end = Instant::now() + PATIENCE;
    let (mut last, mut since) = (Value::Null, Instant::now());
    loop {
        let status = daemon.status();
        let project = &status["projects"][0];
        let now = json!([project["memories"], project["index"]["indexed"], project["past"]]);
        if now != last || project["past"]["state"] != "ready" || !is_ready(&status) {
            (last, since) = (now, Instant::now());
        } else if since.elapsed() > STILL {
            return;
        }
        assert!(Instant::now() < end, "the repository is not read: {project}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

pub(crate) struct Ask {
    socket: PathBuf,
}

impl Ask {
    pub(crate) fn new(socket: &Path) -> Ask {
        Ask { socket: socket.to_owned() }
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let mut connection = Connection::open(&self.socket).unwrap();
        let (status, answer) = connection.post(path, "application/json", &body.to_string()).unwrap();
        assert_eq!(status, 200, "{path} {body}: {answer}");
        serde_json::from_str(&answer).unwrap()
    }

    fn record(&self, id: &str) -> Option<Value> {
        let path = format!("/v1/memories/{}?counted=false", lokid::serve::encode(id));
        let (status, answer) = Connection::open(&self.socket).unwrap().get(&path).unwrap();
        if status == 200 { serde_json::from_str(&answer).ok() } else { None }
    }

    pub(crate) fn context(&self, signals: Value, wanted: &[String]) -> Answer {
        let body = json!({"budget": BUDGET, "counted": false, "signals": signals});
        answer(&self.post("/v1/context/assemble", &body), wanted)
    }

    pub(crate) fn session(&self, number: usize, goal: &str, wanted: &[String]) -> Answer {
        let body = json!({"session_id": format!("bench-{number}"), "goal": goal});
        answer(&self.post("/v1/context/session", &body), wanted)
    }

    pub(crate) fn files(&self, mut about: Value) -> Vec<String> {
        about["k"] = json!(10);
        let answer = self.post("/v1/context/predict", &about);
        strings(&answer["predicted_files"], "path")
    }

    /// Is the commit among the first five answers?
    pub(crate) fn finds(&self, question: &str, sha: &str) -> bool {
        let answer = self.post("/v1/recall", &json!({"query": question, "k": 5}));
        let results = answer["results"].as_array().map(Vec::as_slice).unwrap_or_default();
        results.iter().take(5).any(|result| {
            let own = format!("{} {} {}", result["id"], result["commit"], result["commits"]);
            let commits = || self.record(result["id"].as_str()?).map(|record| record["commits"].to_string());
            own.contains(&sha[..12]) || commits().is_some_and(|commits| commits.contains(&sha[..12]))
        })
    }

    /// What the memories shown say.
    pub(crate) fn lines(&self, answers: &[Answer]) -> Lines {
        let shown: BTreeSet<&String> = answers.iter().flat_map(|answer| &answer.lines).collect();
        let line = |id: &String| {
            let record = self.record(id).unwrap_or_default();
            let text = format!("{} {}", record["title"], record["text"].as_str().unwrap_or_default());
            let files = record["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
            (id.clone(), Line { files: files.map(str::to_owned).collect(), words: words(&text) })
        };
        shown.into_iter().map(line).collect()
    }
}

fn answer(told: &Value, wanted: &[String]) -> Answer {
    let text = told["context"].as_str().unwrap_or_default();
    let named: Vec<String> = wanted.iter().filter(|file| text.contains(file.as_str())).cloned().collect();
    let tokens = told["token_count"].as_f64().unwrap_or(f64::NAN);
    Answer { lines: strings(&told["items"], "id"), tokens, ..Answer::of_files(&named, wanted) }
}

fn strings(list: &Value, name: &str) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(|item| item[name].as_str()).map(str::to_owned).collect()
}
