//! How good recall is on public data, through the real engine, beside BM25 from the same run.
//!
//! `LOKID_BENCH_DATA=… cargo bench --bench quality` reads LongMemEval and LoCoMo as `docs/BENCHMARKS.md` describes them;
//! without the variable it says so and measures nothing. A model directory in `LOKID_BENCH_MODEL` replaces the one inside.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use frostem::{Algorithm, Stemmer};
use lokid::config::Config;
use lokid::engine::{Project, Registry};
use lokid::index::roster::Filter;
use lokid::model::{Draft, Kind, MemoryId, Namespace, Timestamp};
use lokid::retrieve::recall::Request;
use lokid::sys::{Clock, Dirs};
use serde_json::Value;

fn main() {
    let Some(data) = std::env::var_os("LOKID_BENCH_DATA").map(PathBuf::from) else {
        println!("LOKID_BENCH_DATA is not set: nothing to measure");
        return;
    };
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    if wants("longmemeval") {
        longmemeval(&data.join("longmemeval"));
    }
    if wants("locomo") {
        locomo(&data.join("locomo"));
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
    bm25.print_few("BM25, what the user said");
    lokid.print_few("lokid");
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
}

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
        let mut config = Config::default();
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
                draft.timestamp = Timestamp::parse(text(record, "timestamp"));
                (line as u64, draft)
            })
            .collect();
        let report = self.project.import(drafts, true).unwrap().wait().unwrap();
        assert_eq!(report.imported, records.len() as u64, "{report:?}");
        assert!(self.project.search().wait(Duration::from_secs(600)));
    }

    fn ask(&self, space: &str, query: &str, k: usize) -> Vec<String> {
        let request = Request {
            query: query.to_owned(),
            k,
            task_type: None,
            phase: None,
            action: None,
            files: Vec::new(),
            filter: Filter::new(Namespace::new(space).unwrap(), self.registry.clock().now()),
            min_score: None,
        };
        let found = self.project.recall(&request, None).unwrap();
        found.answer.hits.iter().map(|hit| hit.memory.id.to_string()).collect()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.registry.stop();
    }
}

/// The baseline: Lucene's form, k1 = 1.2, b = 0.75, Snowball stemming, stop words.
struct Bm25 {
    ids: Vec<String>,
    lengths: Vec<f64>,
    average: f64,
    postings: HashMap<String, Vec<(usize, f64)>>,
}

const STOPS: &str = "a an and are as at be but by for if in into is it no not of on or such that the their then there \
    these they this to was will with i me my you your we our he she his her its what which who whom when where why how \
    do does did have has had been being am were would could should can may might";

fn stems(text: &str) -> Vec<String> {
    let (english, stops) = (Stemmer::new(Algorithm::English), STOPS.split(' ').collect::<HashSet<_>>());
    text.split(|letter: char| !letter.is_ascii_alphanumeric())
        .map(str::to_ascii_lowercase)
        .filter(|word| !word.is_empty() && !stops.contains(word.as_str()))
        .map(|word| english.stem(&word).to_string())
        .collect()
}

impl Bm25 {
    fn of(records: &[Value], words: impl Fn(&Value) -> String) -> Bm25 {
        let mut postings: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut lengths = Vec::new();
        for (at, record) in records.iter().enumerate() {
            let mut counts: HashMap<String, f64> = HashMap::new();
            let found = stems(&words(record));
            lengths.push(found.len() as f64);
            for word in found {
                *counts.entry(word).or_default() += 1.0;
            }
            for (word, count) in counts {
                postings.entry(word).or_default().push((at, count));
            }
        }
        let average = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Bm25 { ids: records.iter().map(|record| text(record, "id").to_owned()).collect(), lengths, average, postings }
    }

    fn best(&self, query: &str, most: usize) -> Vec<String> {
        let mut scores = vec![0.0; self.ids.len()];
        for word in stems(query).into_iter().collect::<HashSet<_>>() {
            let Some(found) = self.postings.get(&word) else { continue };
            let (all, holding) = (self.ids.len() as f64, found.len() as f64);
            let rarity = (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln();
            for (at, count) in found {
                let damp = 1.2 * (0.25 + 0.75 * self.lengths[*at] / self.average);
                scores[*at] += rarity * 2.2 * count / (count + damp);
            }
        }
        let mut order: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(self.ids[*a].cmp(&self.ids[*b])));
        order.into_iter().take(most).map(|at| self.ids[at].clone()).collect()
    }
}

#[derive(Default)]
struct Tally {
    figures: BTreeMap<&'static str, Vec<f64>>,
}

impl Tally {
    fn add(&mut self, ranked: &[String], gold: &HashSet<String>) {
        let within = |k: usize| ranked.iter().take(k).filter(|id| gold.contains(*id)).count() as f64;
        let all = gold.len() as f64;
        let first = ranked.iter().position(|id| gold.contains(id));
        for (name, value) in [
            ("any@5", f64::from(within(5) > 0.0)),
            ("all@5", f64::from(within(5) == all)),
            ("frac@5", within(5) / all),
            ("any@10", f64::from(within(10) > 0.0)),
            ("frac@10", within(10) / all),
            ("mrr", first.map_or(0.0, |place| 1.0 / (place + 1) as f64)),
        ] {
            self.figures.entry(name).or_default().push(value);
        }
    }

    fn mean(&self, name: &str) -> f64 {
        let values = &self.figures[name];
        values.iter().sum::<f64>() / values.len() as f64
    }

    fn print_pool(&self, name: &str) {
        let mean = |figure| self.mean(figure);
        println!(
            "{name:34} {:>7.3} {:>7.3} {:>7.3} {:>7.3} {:>7.3}",
            mean("any@5"),
            mean("frac@5"),
            mean("frac@10"),
            mean("all@5"),
            mean("mrr")
        );
    }

    fn print_few(&self, name: &str) {
        let mean = |figure| self.mean(figure);
        println!(
            "{name:34} {:>7.3} {:>7.3} {:>7.3} {:>7.3}",
            mean("any@5"),
            mean("all@5"),
            mean("frac@10"),
            mean("mrr")
        );
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
