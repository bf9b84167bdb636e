//! How well files are foretold: public histories, and real checkouts with what stands in their files.

use super::*;
use skeleton::{Step, git, grow};

const METHODS: [&str; 5] = ["lokid", "rose", "decayed", "same_dir", "recent"];
const FIGURES: [&str; 3] = ["hit@3", "hit@10", "recall@10"];
/// More than decayed co-change, on each history; and on the average of them.
const BETTER_BY: f64 = 0.03;
const RECALL: f64 = 0.65;
const HIT: f64 = 0.66;
/// From the subject alone.
const BY_TEXT: [(&str, f64); 2] = [("flask", 0.60), ("ripgrep", 0.70)];

pub(crate) fn run(verdicts: &mut Verdicts) {
    match std::env::var_os("LOKID_BENCH_DATA").filter(|path| !path.is_empty()) {
        Some(data) => histories(&PathBuf::from(data).join("history"), verdicts),
        None => println!("\n=== replay of public histories: skipped, LOKID_BENCH_DATA is not set"),
    }
    match repositories() {
        named if named.is_empty() => println!("\n=== replay of real checkouts: skipped, LOKID_BENCH_REPOS names none"),
        named => named.iter().for_each(|repo| with_content(repo)),
    }
}

/// Those that `LOKID_BENCH_REPOS` names.
pub(crate) fn repositories() -> Vec<PathBuf> {
    let paths = std::env::var_os("LOKID_BENCH_REPOS").unwrap_or_default();
    std::env::split_paths(&paths).filter(|path| !path.as_os_str().is_empty()).flat_map(repos_in).collect()
}

fn histories(folder: &Path, verdicts: &mut Verdicts) {
    let files = sorted(folder);
    let files: Vec<PathBuf> =
        files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    if files.is_empty() {
        println!("\n=== replay of public histories: skipped, {} holds no *.jsonl", folder.display());
        return;
    }
    let replayed: Vec<(String, Value, Value)> = files.iter().map(|file| one_history(file)).collect();
    println!("\n=== the average of {} histories {:>12} {:>7} {:>9}", replayed.len(), "hit@3", "hit@10", "recall@10");
    let mean = |figure: &dyn Fn(&(String, Value, Value)) -> f64| {
        replayed.iter().map(figure).sum::<f64>() / replayed.len() as f64
    };
    for method in METHODS {
        row(method, FIGURES.map(|name| mean(&|(_, found, _)| number(&found["methods"][method][name]))));
    }
    row("lokid, fitted", FIGURES.map(|name| mean(&|(_, _, fitted)| number(&fitted["methods"]["lokid"][name]))));

    println!("\n=== targets of the replay");
    for (name, found, _) in &replayed {
        let [lokid, decayed] = ["lokid", "decayed"].map(|method| number(&found["methods"][method]["recall@10"]));
        let beside = format!("decayed {decayed:.3} + {BETTER_BY}");
        verdicts.at_least(&format!("{name}: recall@10"), lokid, decayed + BETTER_BY, "", &beside);
    }
    let average = |method: &str, name: &str| mean(&|(_, found, _)| number(&found["methods"][method][name]));
    for (name, target) in [("recall@10", RECALL), ("hit@3", HIT)] {
        let beside = format!("decayed {:.3}, rose {:.3}", average("decayed", name), average("rose", name));
        verdicts.at_least(&format!("average {name}"), average("lokid", name), target, "", &beside);
    }
    for (name, target) in BY_TEXT {
        let Some((_, found, _)) = replayed.iter().find(|(known, ..)| known == name) else { continue };
        let methods = &found["text_to_files"]["files_1_to_30"]["methods"];
        let beside = format!("BM25 {:.3}", number(&methods["bm25"]["recall@10"]));
        let found = number(&methods["lokid"]["recall@10"]);
        verdicts.at_least(&format!("{name}: recall@10 from the subject"), found, target, "", &beside);
    }
}

/// Its name, and what the program says of it: with the usual weights, and with fitted ones.
fn one_history(file: &Path) -> (String, Value, Value) {
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    progress(format_args!("{name}: making the repository"));
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let text = std::fs::read_to_string(file).unwrap();
    let mut places = Places::default();
    grow(&home.folder.join("repo"), text.lines().enumerate().map(|(turn, line)| step(turn, line, &mut places)));
    let found = asked(&home, &name, &["--no-content"]);
    let fitted = asked(&home, &name, &["--no-content", "--fit"]);
    heading(&name, &found);
    for method in METHODS {
        row(method, scores(&found["methods"][method]));
        if method == "lokid" {
            row("lokid, fitted", scores(&fitted["methods"]["lokid"]));
        }
    }
    rest(&found);
    (name, found, fitted)
}

fn step(turn: usize, line: &str, places: &mut Places) -> Step {
    let commit: Value = serde_json::from_str(line).unwrap();
    let text = |field: &str| commit[field].as_str().unwrap_or_default().to_owned();
    let robot = if commit["bot"] == true { "[bot]" } else { "" };
    let files = commit["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
    Step {
        author: text("author") + robot,
        time: commit["time"].as_i64().unwrap_or_default(),
        subject: text("subject"),
        files: files.map(|path| (places.of(path), format!("{path}\n{turn}\n"))).collect(),
    }
}

/// What was deleted is not told, so a file may come where a folder still stands, or the other way round. It gets another
/// name: a commit is to change the files it lists and no others.
#[derive(Default)]
struct Places {
    files: HashSet<String>,
    folders: HashSet<String>,
}

impl Places {
    fn of(&mut self, path: &str) -> String {
        let (folders, name) = path.rsplit_once('/').map_or((None, path), |(folders, name)| (Some(folders), name));
        let mut place = String::new();
        for folder in folders.into_iter().flat_map(|folders| folders.split('/')) {
            place.push_str(folder);
            if self.files.contains(&place) {
                place.push('~');
            }
            self.folders.insert(place.clone());
            place.push('/');
        }
        place.push_str(name);
        if self.folders.contains(&place) {
            place.push('~');
        }
        self.files.insert(place.clone());
        place
    }
}

/// What imports and texts add to what history tells.
fn with_content(checkout: &Path) {
    let name = checkout.file_name().unwrap_or_default().to_string_lossy().into_owned();
    progress(format_args!("{name}: cloning"));
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (checkout.to_str().unwrap(), folder.path().join("repo"));
    git(folder.path(), &["clone", "-q", "--shared", "--no-checkout", from, to.to_str().unwrap()]);
    let home = Home::new(folder.path());
    let found = asked(&home, &name, &[]);
    if found.is_null() {
        return;
    }
    heading(&format!("{name}, with its files"), &found);
    let methods = &found["methods"];
    if methods["lokid_history"].is_null() {
        println!("  its files could not be read: history alone");
    }
    row("lokid, files and history", scores(&methods["lokid"]));
    row("lokid, history alone", scores(&methods["lokid_history"]));
    row("decayed", scores(&methods["decayed"]));
    let [whole, history] = ["lokid", "lokid_history"].map(|method| number(&methods[method]["recall@10"]));
    println!("  files add {:+.3} to recall@10", whole - history);
    rest(&found);
}

fn asked(home: &Home, name: &str, more: &[&str]) -> Value {
    progress(format_args!("{name}: lokid replay {}", more.join(" ")));
    let started = Instant::now();
    let output = home.command().args(["replay", "--json"]).args(more).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        println!("  {name}: lokid replay failed: {}", said.trim());
        return Value::Null;
    }
    progress(format_args!("{name}: took {:.1} s", started.elapsed().as_secs_f64()));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn heading(name: &str, found: &Value) {
    println!(
        "\n=== {name}: {} of {} commits foretold, {} questions",
        found["commits"], found["history"], found["questions"]
    );
    println!("  {:<36} {:>7} {:>7} {:>9}", "", FIGURES[0], FIGURES[1], FIGURES[2]);
}

fn rest(found: &Value) {
    for (variant, files) in [("files_1_to_30", "1–30"), ("files_2_to_30", "2–30")] {
        let text = &found["text_to_files"][variant];
        for method in ["lokid", "bm25"] {
            let what = format!("subject, {files} files ({}): {method}", text["commits"]);
            row(&what, scores(&text["methods"][method]));
        }
    }
    let (lead, waste) = (&found["lead"], &found["wasted_tokens"]);
    println!(
        "  lead: {:.1} % foreseen at the author's commit before, {:.0} min ahead in the median; waste: {:.0} tokens a \
         prediction ({:.1} %)",
        100.0 * number(&lead["foreseen"]),
        number(&lead["median_seconds"]) / 60.0,
        number(&waste["per_prediction"]),
        100.0 * number(&waste["share"])
    );
}

fn row(what: &str, [hit3, hit10, recall]: [f64; 3]) {
    println!("  {what:<36} {hit3:>7.3} {hit10:>7.3} {recall:>9.3}");
}

fn scores(method: &Value) -> [f64; 3] {
    FIGURES.map(|name| number(&method[name]))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// A repository, or those that stand in a folder.
fn repos_in(folder: PathBuf) -> Vec<PathBuf> {
    let is_repo =
        |path: &Path| path.join(".git").exists() || (path.join("HEAD").is_file() && path.join("objects").is_dir());
    if is_repo(&folder) { vec![folder] } else { sorted(&folder).into_iter().filter(|path| is_repo(path)).collect() }
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|one| one.path()).collect();
    paths.sort();
    paths
}
