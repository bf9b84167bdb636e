//! How far the estimate of tokens is from what a public tokenizer (o200k) counts, beside a quarter of the bytes in the
//! same run: over single texts, and over contexts put together from many of them as the daemon does.
//!
//! `cargo bench --bench tokens` reads this checkout. `LOKID_BENCH_REPOS` names more, separated by `:`: checkouts, bare
//! repositories or folders of either; they are read through git and never written to.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use lokid_model::token::estimate;

/// As much is taken from one repository, and from one text.
const REPO_BYTES: usize = 6_000_000;
const TEXT_BYTES: usize = 20_000;
const COMMITS: usize = 1_000;
const CONTEXTS: usize = 1_000;
/// What is promised for contexts: this share of them fits, at this much above in the median.
const WITHIN: f64 = 0.995;
const ABOVE: f64 = 0.06;

fn main() {
    let mut repos = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR"))];
    if let Some(more) = std::env::var_os("LOKID_BENCH_REPOS") {
        repos.extend(std::env::split_paths(&more).filter(|path| !path.as_os_str().is_empty()).flat_map(found_in));
    }
    let mut texts = Vec::new();
    for repo in &repos {
        let (before, bytes) = (texts.len(), read(repo, &mut texts));
        println!("{}: {} texts, {:.1} MB", repo.display(), texts.len() - before, bytes as f64 / 1e6);
    }
    assert!(!texts.is_empty(), "there are texts to measure");
    let mut dice = Dice(0x5eed);
    single_texts(&texts, &mut dice);
    contexts(&texts, repos.len(), &mut dice);
    speed(&texts);
}

struct Text {
    repo: usize,
    kind: String,
    text: String,
}

/// Checkouts and bare repositories stand in a folder, or one level further down.
fn found_in(folder: PathBuf) -> Vec<PathBuf> {
    if is_repo(&folder) {
        return vec![folder];
    }
    let below = |path: &Path| -> Vec<PathBuf> {
        let mut paths: Vec<_> = std::fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path()).collect();
        paths.sort();
        paths
    };
    let mut repos = Vec::new();
    for path in below(&folder) {
        if is_repo(&path) {
            repos.push(path);
        } else {
            repos.extend(below(&path).into_iter().filter(|path| is_repo(path)));
        }
    }
    repos
}

fn is_repo(path: &Path) -> bool {
    path.join(".git").exists() || path.join("HEAD").is_file() && path.join("objects").is_dir()
}

/// The files of the newest commit, what was said of the last commits, and the paths; in an order that depends on the
/// repository alone.
fn read(repo: &Path, texts: &mut Vec<Text>) -> usize {
    let place = texts.iter().map(|text| text.repo + 1).max().unwrap_or(0);
    let mut bytes = 0;
    let mut keep = |kind: &str, text: &str| {
        let text = clip(text, TEXT_BYTES);
        if text.trim().is_empty() || text.contains('\0') {
            return;
        }
        bytes += text.len();
        texts.push(Text { repo: place, kind: kind.to_owned(), text: text.to_owned() });
    };
    let messages = git(repo, &["log", "--no-merges", &format!("-{COMMITS}"), "--format=%B%x00"]);
    messages.split('\0').for_each(|message| keep("commit", message.trim()));
    let hashes = git(repo, &["log", "-200", "--format=%H %cI %an"]);
    lines_by(&hashes, 20).for_each(|lines| keep("ids", &lines));
    let tree = git(repo, &["ls-tree", "-r", "HEAD"]);
    let files: Vec<(&str, &str)> = tree
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(entry, path)| Some((entry.split(' ').nth(2)?, path)))
        .collect();
    let paths: Vec<&str> = files.iter().map(|(_, path)| *path).take(2_000).collect();
    lines_by(&paths.join("\n"), 20).for_each(|lines| keep("paths", &lines));
    // Evenly over the whole tree when not all of it is read.
    let mut wanted: Vec<(&str, &str)> = files.iter().filter_map(|(id, path)| Some((*id, kind_of(path)?))).collect();
    wanted.sort();
    let mut left = REPO_BYTES;
    for (kind, text) in contents(repo, &wanted, &mut left) {
        keep(kind, &text);
    }
    bytes
}

fn kind_of(path: &str) -> Option<&'static str> {
    Some(match path.rsplit_once('.')?.1 {
        "rs" => "rust",
        "py" => "python",
        "js" | "jsx" | "mjs" => "javascript",
        "ts" | "tsx" => "typescript",
        "go" => "go",
        "java" | "kt" | "cs" => "java",
        "c" | "h" | "cc" | "cpp" => "c",
        "md" | "mdx" | "rst" => "markdown",
        "json" | "jsonl" => "json",
        "toml" | "yml" | "yaml" => "settings",
        "txt" | "log" | "out" | "snap" => "text",
        "po" => "translations",
        "html" | "css" | "scss" => "html",
        "sh" => "shell",
        _ => return None,
    })
}

fn contents<'a>(repo: &Path, wanted: &[(&str, &'a str)], left: &mut usize) -> Vec<(&'a str, String)> {
    let mut git = Command::new("git");
    git.arg("-C").arg(repo).args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = git.spawn().unwrap();
    let (mut ask, mut answers) = (child.stdin.take().unwrap(), std::io::BufReader::new(child.stdout.take().unwrap()));
    let mut found = Vec::new();
    for (id, kind) in wanted {
        writeln!(ask, "{id}").unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\n") {
            let mut byte = [0];
            answers.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let Some(size) = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<usize>().ok()) else {
            continue;
        };
        let mut content = vec![0; size + 1];
        answers.read_exact(&mut content).unwrap();
        content.pop();
        if let Ok(text) = String::from_utf8(content) {
            *left = left.saturating_sub(text.len().min(TEXT_BYTES));
            found.push((*kind, text));
        }
        if *left == 0 {
            break;
        }
    }
    drop(ask);
    child.wait().unwrap();
    found
}

fn git(repo: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(repo).args(arguments).stderr(Stdio::null()).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn lines_by(text: &str, count: usize) -> impl Iterator<Item = String> {
    let lines: Vec<&str> = text.lines().collect();
    lines.chunks(count).map(|lines| lines.join("\n")).collect::<Vec<_>>().into_iter()
}

fn clip(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }
}

/// Whole lines from somewhere in the text, about so many bytes.
fn excerpt<'a>(text: &'a str, bytes: usize, dice: &mut Dice) -> &'a str {
    if text.len() <= bytes {
        return text.trim_end();
    }
    let from = text.floor_char_boundary(dice.below(text.len() - bytes / 2));
    let from = text[..from].rfind('\n').map_or(0, |at| at + 1);
    let rest = clip(&text[from..], bytes);
    rest.rfind('\n').filter(|at| *at > bytes / 3).map_or(rest, |at| &rest[..at])
}

/// Ratios to the real count: of the estimate, and of a quarter of the bytes.
#[derive(Default)]
struct Ratios {
    estimate: Vec<f64>,
    quarter: Vec<f64>,
}

impl Ratios {
    fn add(&mut self, text: &str, real: usize) {
        self.estimate.push(estimate(text) as f64 / real as f64);
        self.quarter.push(text.len().div_ceil(4) as f64 / real as f64);
    }

    fn sort(&mut self) {
        self.estimate.sort_by(f64::total_cmp);
        self.quarter.sort_by(f64::total_cmp);
    }
}

fn at(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

fn spread(sorted: &[f64]) -> String {
    [0.01, 0.05, 0.5, 0.95, 0.99].map(|share| format!("{:5.2}", at(sorted, share))).join(" ")
}

fn real(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

fn single_texts(texts: &[Text], dice: &mut Dice) {
    let mut rows: BTreeMap<(&str, &str), Ratios> = BTreeMap::new();
    for text in texts {
        for bytes in [60 + dice.below(120), 400 + dice.below(2_400), TEXT_BYTES] {
            let excerpt = excerpt(&text.text, bytes, dice);
            let real = real(excerpt);
            let size = match real {
                0..10 => continue,
                10..=50 => "10-50",
                51..=800 => "51-800",
                _ => "801-",
            };
            rows.entry((&text.kind, size)).or_default().add(excerpt, real);
        }
    }
    println!("\nestimate / real        tokens  texts    p1    p5   p50   p95   p99     bytes / 4, the same");
    for ((kind, size), ratios) in &mut rows {
        ratios.sort();
        let (count, ours, theirs) = (ratios.estimate.len(), spread(&ratios.estimate), spread(&ratios.quarter));
        println!("{kind:<20} {size:>8} {count:>6} {ours}     {theirs}");
    }
    let short = rows.iter().filter(|((_, size), _)| *size == "10-50").flat_map(|(_, ratios)| &ratios.estimate);
    let (near, all) =
        short.fold((0, 0), |(near, all), ratio| (near + usize::from((ratio - 1.0).abs() <= 0.2), all + 1));
    println!("short texts within 20 %: {:.1} %", near as f64 / f64::from(all.max(1)) * 100.0);
}

/// Contexts of 200 to 8,000 tokens out of one repository each, and out of all of them.
fn contexts(texts: &[Text], repos: usize, dice: &mut Dice) {
    let mut rows: BTreeMap<&str, Ratios> = BTreeMap::new();
    for n in 0..CONTEXTS {
        let mut kinds: BTreeMap<&str, Vec<&Text>> = BTreeMap::new();
        for text in texts.iter().filter(|text| n % 2 == 0 || text.repo == n / 2 % repos) {
            kinds.entry(&text.kind).or_default().push(text);
        }
        let kinds: Vec<_> = kinds.into_values().collect();
        if kinds.is_empty() {
            continue;
        }
        let context = context(&kinds, dice);
        let real = real(&context);
        let size = match real {
            200..500 => "200-499",
            500..2_000 => "500-1999",
            2_000..=8_000 => "2000-8000",
            _ => continue,
        };
        rows.entry(size).or_default().add(&context, real);
        rows.entry("all").or_default().add(&context, real);
    }
    println!("\ncontexts, tokens   number  within   p0.5     p1    p50    p99     bytes / 4, the same");
    for (size, ratios) in &mut rows {
        ratios.sort();
        let tell = |sorted: &[f64]| {
            let [lowest, low, middle, high] = [0.005, 0.01, 0.5, 0.99].map(|share| at(sorted, share));
            format!("{:6.2} % {lowest:6.3} {low:6.3} {middle:6.3} {high:6.3}", within(sorted) * 100.0)
        };
        println!("{size:<17} {:>7} {}   {}", ratios.estimate.len(), tell(&ratios.estimate), tell(&ratios.quarter));
    }
    if let Some(all) = rows.get("all") {
        let (share, above) = (within(&all.estimate), at(&all.estimate, 0.5) - 1.0);
        let verdict = |kept: bool| if kept { "kept" } else { "MISSED" };
        println!("promise: {:.1} % within the estimate   {}", WITHIN * 100.0, verdict(share >= WITHIN));
        println!("promise: {:.0} % above in the median   {}", ABOVE * 100.0, verdict(above <= ABOVE));
    }
}

fn within(ratios: &[f64]) -> f64 {
    ratios.iter().filter(|ratio| **ratio >= 1.0).count() as f64 / ratios.len() as f64
}

fn context(kinds: &[Vec<&Text>], dice: &mut Dice) -> String {
    let tokens = 200.0 * 40f64.powf(dice.below(1_000) as f64 / 1_000.0);
    let mut context = "# What is known\n".to_owned();
    while (context.len() as f64) < tokens * 3.5 {
        let kind = &kinds[dice.below(kinds.len())];
        let text = kind[dice.below(kind.len())];
        let excerpt = excerpt(&text.text, [80, 200, 400, 900][dice.below(4)], dice);
        let (month, day, handle) = (dice.below(12) + 1, dice.below(28) + 1, dice.below(u32::MAX as usize));
        context += &match dice.below(3) {
            0 => format!("- {excerpt} [M:{handle:08x}]\n"),
            1 => format!("## {}\n{excerpt}\n\n", text.kind),
            _ => format!("- 2026-{month:02}-{day:02} {excerpt}\n"),
        };
    }
    context
}

fn speed(texts: &[Text]) {
    let bytes: usize = texts.iter().map(|text| text.text.len()).sum();
    let rate = |count: &dyn Fn(&str) -> usize| {
        let started = Instant::now();
        let tokens: usize = texts.iter().map(|text| count(&text.text)).sum();
        (bytes as f64 / 1e6 / started.elapsed().as_secs_f64(), tokens)
    };
    rate(&estimate);
    let ((ours, estimated), (theirs, counted)) = (rate(&estimate), rate(&real));
    println!(
        "\nspeed: the estimate {ours:.0} MB/s, o200k {theirs:.1} MB/s; together {estimated} against {counted} tokens"
    );
}
