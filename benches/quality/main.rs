//! How good recall is on public data, through the real engine, beside BM25 from the same run.
//!
//! `LOKID_BENCH_DATA=… cargo bench --bench quality` reads LongMemEval and LoCoMo as `docs/BENCHMARKS.md` describes them;
//! without the variable it says so and measures nothing. `LOKID_BENCH_BEAM` is the folder of BEAM's chats of one length.
//! A model directory in `LOKID_BENCH_MODEL` replaces the one inside, a file of settings in `LOKID_BENCH_CONFIG` the
//! usual ones. Rows named "live" are asked on the day of the newest record, or of the question where it has one: years
//! later, nothing is recent. `LOKID_BENCH_PROBES` is the folder of AutoMemoryBench's shards.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod baseline;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use baseline::{Bm25, Tally};
use lokid_config::Config;
use lokid_engine::night::Wish;
use lokid_engine::{Project, Registry};
use lokid_index::roster::Filter;
use lokid_manage::schedule::Cause;
use lokid_model::{Draft, Key, Kind, MemoryId, Namespace, Timestamp};
use lokid_retrieve::recall::Request;
use lokid_sys::{Clock, Dirs};
use serde_json::Value;

fn main() {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (data, chats) = (folder("LOKID_BENCH_DATA"), folder("LOKID_BENCH_BEAM"));
    if data.is_none() && chats.is_none() {
        println!("neither LOKID_BENCH_DATA nor LOKID_BENCH_BEAM is set: nothing to measure");
    }
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    if let Some(data) = data.as_ref().filter(|_| wants("longmemeval")) {
        longmemeval(&data.join("longmemeval"));
    }
    if let Some(data) = data.as_ref().filter(|_| wants("locomo")) {
        locomo(&data.join("locomo"));
    }
    if let Some(chats) = chats.as_ref().filter(|_| wants("beam")) {
        beam(chats);
    }
    if let Some(data) = data.as_ref().filter(|_| wants("strange")) {
        strange(data);
    }
    if let Some(shards) = folder("LOKID_BENCH_PROBES").filter(|_| wants("probes")) {
        probes(&shards);
    }
}

fn longmemeval(folder: &Path) {
    let pool = read(&folder.join("pool.ndjson"));
    let questions = read(&folder.join("questions.jsonl"));
    let texts: HashMap<&str, &Value> = pool.iter().map(|record| (text(record, "id"), record)).collect();

    println!("LongMemEval, session level, {} questions, {} sessions", questions.len(), pool.len());
    println!("{:34} {:>7} {:>7} {:>7} {:>7} {:>7}", "pool940", "any@5", "frac@5", "frac@10", "all@5", "MRR");
    let lab = Lab::new();
    lab.fill("pool", &pool);
    let ours = |query: &str| lab.ask("pool", query, 10);
    let baseline = Bm25::of(&pool, |record| user_text(text(record, "text")));
    let baseline_all = Bm25::of(&pool, |record| text(record, "text").to_owned());
    let rank = |found: &dyn Fn(&str) -> Vec<String>| {
        let mut tally = Tally::default();
        for question in &questions {
            tally.add(&found(text(question, "query")), &gold(question));
        }
        tally
    };
    rank(&|query| baseline.best(query, 10)).print_pool("BM25, what the user said");
    rank(&|query| baseline_all.best(query, 10)).print_pool("BM25, everything");
    let tally = rank(&ours);
    tally.print_pool("lokid");
    let asked: HashMap<&str, Timestamp> = questions.iter().map(|one| (text(one, "query"), asked_on(one))).collect();
    rank(&|query| lab.ask_on(asked[query], "pool", query, 10)).print_pool("lokid, live");
    by_type(&questions, &ours);

    println!("\n{:34} {:>7} {:>7} {:>7} {:>7}", "S48 (a store of 48 each)", "any@5", "all@5", "frac@10", "MRR");
    let (mut bm25, mut lokid) = (Tally::default(), Tally::default());
    for (turn, question) in questions.iter().enumerate() {
        let few: Vec<Value> = strings(question, "s48").iter().map(|id| texts[id.as_str()].clone()).collect();
        let space = format!("s{turn}");
        lab.fill(&space, &few);
        let query = text(question, "query");
        lokid.add(&lab.ask(&space, query, 10), &gold(question));
        bm25.add(&Bm25::of(&few, |record| user_text(text(record, "text"))).best(query, 10), &gold(question));
    }
    bm25.print_few("BM25, what the user said", ["any@5", "all@5", "frac@10", "mrr"]);
    lokid.print_few("lokid", ["any@5", "all@5", "frac@10", "mrr"]);
}

fn locomo(folder: &Path) {
    let questions = read(&folder.join("questions.jsonl"));
    let lab = Lab::new();
    let mut corpora: BTreeMap<String, (Vec<Value>, Bm25)> = BTreeMap::new();
    for question in &questions {
        let name = text(question, "corpus").to_owned();
        corpora.entry(name.clone()).or_insert_with(|| {
            let records = read(&folder.join(format!("{name}.ndjson")));
            lab.fill(&name, &records);
            let baseline = Bm25::of(&records, |record| text(record, "text").to_owned());
            (records, baseline)
        });
    }
    println!("\nLoCoMo, {} questions, {} conversations", questions.len(), corpora.len());
    println!(
        "{:34} {:>7} {:>7} {:>7} {:>7} {:>9} {:>9}",
        "", "frac@5", "frac@10", "any@10", "MRR", "session@5", "session@10"
    );
    let measure = |found: &dyn Fn(&str, &str) -> Vec<String>| {
        let (mut turns, mut sessions) = (Tally::default(), Tally::default());
        for question in &questions {
            let corpus = text(question, "corpus");
            let session: HashMap<&str, String> =
                corpora[corpus].0.iter().map(|record| (text(record, "id"), strings(record, "tags").concat())).collect();
            let ranked = found(corpus, text(question, "query"));
            let gold = gold(question);
            let mut seen = HashSet::new();
            let ranked_sessions: Vec<String> =
                ranked.iter().map(|id| session[id.as_str()].clone()).filter(|name| seen.insert(name.clone())).collect();
            let gold_sessions: HashSet<String> =
                gold.iter().filter_map(|id| session.get(id.as_str()).cloned()).collect();
            turns.add(&ranked, &gold);
            sessions.add(&ranked_sessions, &gold_sessions);
        }
        (turns, sessions)
    };
    let print = |name: &str, (turns, sessions): (Tally, Tally)| {
        println!(
            "{name:34} {:>7.3} {:>7.3} {:>7.3} {:>7.3} {:>9.3} {:>9.3}",
            turns.mean("frac@5"),
            turns.mean("frac@10"),
            turns.mean("any@10"),
            turns.mean("mrr"),
            sessions.mean("frac@5"),
            sessions.mean("frac@10")
        );
    };
    print("BM25", measure(&|corpus, query| corpora[corpus].1.best(query, 100)));
    print("lokid", measure(&|corpus, query| lab.ask(corpus, query, 100)));
    print("lokid, asked for 10", measure(&|corpus, query| lab.ask(corpus, query, 10)));
    let last: HashMap<&str, Timestamp> =
        corpora.iter().map(|(name, (records, _))| (name.as_str(), newest(records))).collect();
    print("lokid, asked for 10, live", measure(&|corpus, query| lab.ask_on(last[corpus], corpus, query, 10)));
}

/// Long talks with an assistant, a note a message, and questions that name the messages their answers come from.
fn beam(chats: &Path) {
    let lab = Lab::new();
    let mut rows: BTreeMap<&str, (Tally, BTreeMap<String, Tally>)> = BTreeMap::new();
    let mut last = Timestamp::default();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(chats).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for (place, folder) in folders.iter().enumerate() {
        let messages = messages(&json(&folder.join("chat.json")));
        let space = format!("beam{place}");
        lab.fill(&space, &messages);
        let today = newest(&messages);
        last = last.max(today);
        let baseline = Bm25::of(&messages, |record| text(record, "text").to_owned());
        let questions = json(&folder.join("probing_questions/probing_questions.json"));
        for (sort, question) in questions
            .as_object()
            .unwrap()
            .iter()
            .flat_map(|(sort, list)| list.as_array().into_iter().flatten().map(move |question| (sort, question)))
        {
            let mut gold = HashSet::new();
            message_ids(&question["source_chat_ids"], &mut gold);
            if gold.is_empty() {
                continue;
            }
            let query = text(question, "question");
            for (name, found) in [
                ("BM25", baseline.best(query, 10)),
                ("lokid", lab.ask(&space, query, 10)),
                ("lokid, live", lab.ask_on(today, &space, query, 10)),
            ] {
                let (all, sorts) = rows.entry(name).or_default();
                all.add(&found, &gold);
                sorts.entry(sort.clone()).or_default().add(&found, &gold);
            }
        }
    }
    println!("\n{:34} {:>7} {:>7} {:>7} {:>7}", "BEAM, a note a message", "any@5", "any@10", "frac@10", "MRR");
    for (name, (all, sorts)) in rows {
        all.print_few(name, ["any@5", "any@10", "frac@10", "mrr"]);
        for (sort, tally) in sorts {
            tally.print_few(&format!("    {sort}"), ["any@5", "any@10", "frac@10", "mrr"]);
        }
    }
    let wish = Wish { now: Some(last), ..Wish::of(Cause::Nightly) };
    lab.project.night.consolidate(wish).unwrap().wait().unwrap();
    let snapshot = lab.project.writer.snapshot();
    println!("{:34} {:>7}", "contradictions open after a night", snapshot.open_contradictions());
    if std::env::var_os("LOKID_BENCH_SHOW").is_some() {
        for found in snapshot.contradictions() {
            let said = |id| snapshot.get(&Key::new(&found.namespace, id)).map_or("", |memory| &memory.text);
            println!("    {}\n      {}\n      {}", found.why, said(&found.a), said(&found.b));
        }
    }
}

/// The messages of a chat as records. Those of one batch follow each other by a minute.
fn messages(chat: &Value) -> Vec<Value> {
    let mut records = Vec::new();
    for batch in chat.as_array().unwrap() {
        let day = jiff::civil::Date::strptime("%B-%d-%Y", text(batch, "time_anchor"));
        let start = day.unwrap_or(jiff::civil::date(2024, 1, 1)).at(9, 0, 0, 0);
        for (place, message) in
            batch["turns"].as_array().unwrap().iter().flat_map(|turn| turn.as_array().unwrap()).enumerate()
        {
            let at = start + jiff::Span::new().minutes(place as i64);
            records.push(serde_json::json!({
                "id": message["id"].to_string(), "text": message["content"], "actor": message["role"],
                "timestamp": format!("{at}Z"),
            }));
        }
    }
    records
}

/// The numbers in a value, however they are nested.
fn message_ids(value: &Value, found: &mut HashSet<String>) {
    match value {
        Value::Number(number) => drop(found.insert(number.to_string())),
        Value::Array(list) => list.iter().for_each(|part| message_ids(part, found)),
        Value::Object(fields) => fields.values().for_each(|part| message_ids(part, found)),
        _ => {}
    }
}

/// Small stores of one task each, with questions that need no memory beside those that do.
fn probes(shards: &Path) {
    let lab = Lab::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(shards).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut needless, mut needed) = ((0, 0), (0, 0));
    for (place, case) in files.iter().flat_map(|file| json(file)["cases"].as_array().unwrap().clone()).enumerate() {
        let space = format!("case{place}");
        let sessions = case["sessions"].as_array().unwrap();
        let turns = sessions.iter().flat_map(|session| {
            let turns = session["turns"].as_array().unwrap().iter().enumerate();
            turns.map(move |(at, turn)| {
                let id = format!("{}-{at}", text(session, "session_id").replace(':', "-"));
                serde_json::json!({"id": id, "text": turn["content"], "actor": turn["role"], "timestamp": session["timestamp"]})
            })
        });
        lab.fill(&space, &turns.collect::<Vec<_>>());
        for query in case["queries"].as_array().unwrap() {
            let tally = match (text(query, "probe_type"), query["requires_memory"].as_bool()) {
                ("no_memory_probe", _) => &mut needless,
                (_, Some(true)) => &mut needed,
                _ => continue,
            };
            let is_answered = !lab.ask(&space, text(query, "prompt"), 10).is_empty();
            *tally = (tally.0 + 1, tally.1 + usize::from(is_answered));
        }
    }
    println!("\n{:34} {:>7} {:>7}", "AutoMemoryBench, a store a case", "asked", "answered");
    for (name, (asked, answered)) in [("needs no memory", needless), ("needs memory", needed)] {
        println!("{name:34} {asked:>7} {:>7.3}", answered as f64 / asked as f64);
    }
}

/// Questions that nothing here answers, beside those that something does: who gets an answer at all.
fn strange(data: &Path) {
    let lab = Lab::new();
    let folder = data.join("locomo");
    let questions = read(&folder.join("questions.jsonl"));
    let corpora: Vec<String> = questions
        .iter()
        .map(|question| text(question, "corpus").to_owned())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    for name in &corpora {
        lab.fill(name, &read(&folder.join(format!("{name}.ndjson"))));
    }
    let pool = read(&data.join("longmemeval/pool.ndjson"));
    lab.fill("pool", &pool);
    let own: Vec<(String, &Value)> =
        questions.iter().map(|question| (text(question, "corpus").to_owned(), question)).collect();
    let next =
        |name: &str| corpora[(corpora.iter().position(|other| other == name).unwrap() + 1) % corpora.len()].clone();
    let others: Vec<(String, &Value)> = own.iter().map(|(name, question)| (next(name), *question)).collect();
    let long = read(&data.join("longmemeval/questions.jsonl"));
    let long: Vec<(String, &Value)> = long.iter().map(|question| ("pool".to_owned(), question)).collect();
    let goals: Vec<Value> = STRANGE.iter().map(|goal| serde_json::json!({ "query": goal })).collect();
    let goals: Vec<(String, &Value)> =
        corpora.iter().flat_map(|name| goals.iter().map(move |goal| (name.clone(), goal))).collect();
    println!("\n{:34} {:>7} {:>7} {:>7}", "who gets an answer", "asked", "answered", "any@10");
    for (name, asked) in
        [("LoCoMo", own), ("LongMemEval", long), ("LoCoMo, of another talk", others), ("goals from elsewhere", goals)]
    {
        let (mut answered, mut right) = (0, 0);
        for (space, question) in &asked {
            let found = lab.ask(space, text(question, "query"), 10);
            let gold = gold(question);
            answered += usize::from(!found.is_empty());
            right += usize::from(found.iter().any(|id| gold.contains(id)));
        }
        let share = |count: usize| count as f64 / asked.len() as f64;
        println!("{name:34} {:>7} {:>7.3} {:>7.3}", asked.len(), share(answered), share(right));
    }
}

/// What nobody who talks about a holiday or a program has ever asked.
const STRANGE: [&str; 10] = [
    "rotate the TLS certificates of the mail relay",
    "tune the espresso grinder for a lighter roast",
    "migrate the payroll ledger to the new fiscal year",
    "calibrate the telescope mount after the move",
    "translate the wedding invitation into Portuguese",
    "resize the thumbnails of the photo archive",
    "schedule the crew for the night shift at the warehouse",
    "lower the humidity in the greenhouse",
    "negotiate the lease of the second office",
    "prune the apple trees before March",
];

/// One daemon's worth of engine in a folder of its own.
struct Lab {
    _folder: tempfile::TempDir,
    registry: Registry,
    project: Arc<Project>,
}

impl Lab {
    fn new() -> Lab {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repo");
        std::fs::create_dir_all(root.join(".loki")).unwrap();
        let settings = std::env::var_os("LOKID_BENCH_CONFIG").map(|path| std::fs::read_to_string(path).unwrap());
        let mut config = settings.map_or_else(Config::default, |settings| Config::parse(&settings).unwrap());
        config.embed.model = std::env::var_os("LOKID_BENCH_MODEL").map(PathBuf::from);
        let registry = Registry::open(Dirs::under(folder.path()), config, Clock::system());
        let project = registry.add(&root).unwrap();
        Lab { _folder: folder, registry, project }
    }

    fn fill(&self, space: &str, records: &[Value]) {
        let namespace = Namespace::new(space).unwrap();
        let drafts: Vec<(u64, Draft)> = records
            .iter()
            .enumerate()
            .map(|(line, record)| {
                let mut draft = Draft::new(Kind::Note, text(record, "text"));
                draft.id = MemoryId::new(text(record, "id"));
                draft.namespace = namespace.clone();
                draft.tags = strings(record, "tags");
                draft.actor = record["actor"].as_str().map(str::to_owned);
                draft.timestamp = Timestamp::parse(text(record, "timestamp"));
                (line as u64, draft)
            })
            .collect();
        let report = self.project.writer.import(drafts, true).unwrap().wait().unwrap();
        assert_eq!(report.imported, records.len() as u64, "{report:?}");
        assert!(self.project.search.handle().wait(Duration::from_secs(600)));
    }

    fn ask(&self, space: &str, query: &str, k: usize) -> Vec<String> {
        self.ask_on(self.registry.clock().now(), space, query, k)
    }

    fn ask_on(&self, day: Timestamp, space: &str, query: &str, k: usize) -> Vec<String> {
        let request = Request {
            query: query.to_owned(),
            k,
            task_type: None,
            phase: None,
            action: None,
            files: Vec::new(),
            filter: Filter::new(Namespace::new(space).unwrap(), day),
            min_score: None,
        };
        let found = self.project.recall.recall(&request, None).unwrap();
        found.answer.hits.iter().map(|hit| hit.memory.id.to_string()).collect()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.registry.stop();
    }
}

fn by_type(questions: &[Value], found: &dyn Fn(&str) -> Vec<String>) {
    let mut types: BTreeMap<&str, Tally> = BTreeMap::new();
    for question in questions {
        types.entry(text(question, "type")).or_default().add(&found(text(question, "query")), &gold(question));
    }
    for (name, tally) in types {
        println!("    {name:30} {:>7.3} {:>7.3}", tally.mean("any@5"), tally.mean("frac@5"));
    }
}

fn user_text(talk: &str) -> String {
    let mut said = String::new();
    let mut speaks = false;
    for line in talk.lines() {
        speaks = if line.starts_with("user: ") { true } else { speaks && !line.starts_with("assistant: ") };
        if speaks {
            said.push_str(line.strip_prefix("user: ").unwrap_or(line));
            said.push('\n');
        }
    }
    said
}

fn newest(records: &[Value]) -> Timestamp {
    let time = |record: &Value| Timestamp::parse(text(record, "timestamp"));
    records.iter().filter_map(time).max().unwrap_or_default()
}

/// `2023/04/10 (Mon) 23:07`
fn asked_on(question: &Value) -> Timestamp {
    let asked = text(question, "asked").replace('/', "-");
    let words: Vec<&str> = asked.split(' ').collect();
    Timestamp::parse(&format!("{}T{}:00Z", words[0], words[2])).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn read(path: &Path) -> Vec<Value> {
    let content = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    content.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or("")
}

fn strings(value: &Value, field: &str) -> Vec<String> {
    value[field].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn gold(question: &Value) -> HashSet<String> {
    strings(question, "gold").into_iter().collect()
}
