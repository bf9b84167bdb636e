//! Pairs of statements with what is right about them, and how alike the built-in model finds texts.

use lokid_manage::statement::{self, Judgement, Shares};
use lokid_model::Verdict;
use lokid_text::Embedder;
use lokid_text::pairs::Pairs;

use super::*;

/// The natural pairs that come with the repository.
const OURS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/statements");

pub(crate) struct Pair {
    /// The earlier statement, and the later one.
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) label: Verdict,
}

pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) pairs: Vec<Pair>,
}

pub(crate) fn sets() -> Vec<Set> {
    let mut files = below(Path::new(OURS));
    if files.is_empty() {
        println!("\n=== natural pairs: skipped, there is no tests/data/statements");
    }
    match std::env::var_os("LOKID_BENCH_DATA").filter(|path| !path.is_empty()).map(PathBuf::from) {
        Some(data) => {
            files.extend(Some(data.join("contradictions.jsonl")).filter(|file| file.is_file()));
            files.extend(below(&data.join("statements")));
        }
        None => println!("\n=== further pairs: skipped, LOKID_BENCH_DATA is not set"),
    }
    files.iter().map(|file| Set::read(file)).collect()
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    files.sort();
    files
}

impl Set {
    fn read(file: &Path) -> Set {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(file).unwrap();
        let pair = |line: &str| {
            let value: Value = serde_json::from_str(line).unwrap();
            let word = |name: &str| value[name].as_str().unwrap_or_else(|| panic!("{name} in {line}")).to_owned();
            Pair { a: word("a"), b: word("b"), label: Verdict::parse(&word("label")).unwrap() }
        };
        Set { name, pairs: text.lines().filter(|line| !line.trim().is_empty()).map(pair).collect() }
    }

    pub(crate) fn count(&self, label: Verdict) -> usize {
        self.pairs.iter().filter(|pair| pair.label == label).count()
    }
}

/// Neighbours: pairs of sentences that stand near each other in real repositories, and hardly ever contradict.
pub(crate) fn neighbours() -> Vec<(String, String)> {
    let data = std::env::var_os("LOKID_BENCH_DATA").map(PathBuf::from).unwrap_or_default();
    let Ok(text) = std::fs::read_to_string(data.join("neighbours.jsonl")) else {
        println!("\n=== neighbours: skipped, there is no neighbours.jsonl in LOKID_BENCH_DATA");
        return Vec::new();
    };
    let pair = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        (value["a"].as_str().unwrap().to_owned(), value["b"].as_str().unwrap().to_owned())
    };
    text.lines().map(pair).collect()
}

/// Meanings by the model that ships, each text looked at once, and what it makes of two.
pub(crate) struct Likeness {
    embedder: Arc<Embedder>,
    pairs: Arc<Pairs>,
    known: RefCell<HashMap<String, Arc<Vec<f32>>>>,
}

impl Likeness {
    pub(crate) fn new() -> Likeness {
        Likeness { embedder: Embedder::built_in(), pairs: Pairs::built_in(), known: RefCell::default() }
    }

    pub(crate) fn weigh(&self, pairs: &[(&str, &str)]) -> Vec<Shares> {
        let read: Vec<_> = pairs.iter().map(|(a, b)| (self.pairs.read(a), self.pairs.read(b))).collect();
        self.pairs.weigh(&read.iter().map(|(a, b)| (a, b)).collect::<Vec<_>>())
    }

    pub(crate) fn compare(&self, a: &str, b: &str) -> Judgement {
        statement::judge(a, b, self.weigh(&[(a, b)])[0])
    }

    pub(crate) fn alike(&self, one: &str, other: &str) -> f32 {
        let (one, other) = (self.meaning(one), self.meaning(other));
        one.iter().zip(other.iter()).map(|(one, other)| one * other).sum()
    }

    fn meaning(&self, text: &str) -> Arc<Vec<f32>> {
        if let Some(known) = self.known.borrow().get(text) {
            return Arc::clone(known);
        }
        let mut vector = self.embedder.embed(text);
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-9);
        vector.iter_mut().for_each(|value| *value /= length);
        let vector = Arc::new(vector);
        self.known.borrow_mut().insert(text.to_owned(), Arc::clone(&vector));
        vector
    }
}
