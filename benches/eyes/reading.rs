//! How quickly texts are searched for secrets and logs for errors, beside the least that anybody would write for it.

use lokid_encode::errors::ErrorReader;
use lokid_encode::redact::Redactor;
use regex::Regex;

use super::*;

/// Each measurement goes on for so long at least, and the quickest round counts.
const LONG_ENOUGH: Duration = Duration::from_secs(2);

pub(crate) fn run(_: &mut Verdicts) {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = texts_below(&package.join("src"));
    let bytes: usize = sources.iter().map(String::len).sum();
    println!("\n=== reading, one thread");
    wait_for_a_quiet_machine();
    let redactor = Redactor::built_in();
    let mut found = 0;
    let took = quickest(|| {
        found = sources.iter().flat_map(|text| redactor.redact(text).found).map(|found| found.count).sum();
    });
    let rate = |took: f64| megabytes(bytes) / took;
    println!("  redacting our own sources    {:>8.0} MB/s   {found} found in {:.1} MB", rate(took), megabytes(bytes));
    let plain = Regex::new(r#"(?i)(password|passwd|secret|token|api[_-]?key)["']?\s*[:=]\s*["']?[^\s"']{8,}"#).unwrap();
    let took = quickest(|| found = sources.iter().map(|text| plain.find_iter(text).count()).sum());
    println!("  one plain regular expression {:>8.0} MB/s   {found} found", rate(took));

    let plain = Regex::new(r"(?i)\b(error|exception|panicked|failed|fatal|traceback)\b").unwrap();
    for (what, texts) in
        [("logs full of errors", texts_below(&package.join("tests/data/errors"))), ("our own sources", sources)]
    {
        let lines: usize = texts.iter().map(|text| text.lines().count()).sum();
        let bytes: usize = texts.iter().map(String::len).sum();
        let mut failures = 0;
        let took = quickest(|| {
            failures = texts.iter().map(|text| read_errors(text)).sum();
        });
        println!(
            "  errors in {what:<19} {:>7.0} thousand lines/s ({:.0} MB/s)   {failures} found in {lines} lines",
            lines as f64 / took / 1e3,
            megabytes(bytes) / took
        );
        let took = quickest(|| {
            failures = texts.iter().flat_map(|text| text.lines()).filter(|line| plain.is_match(line)).count();
        });
        println!(
            "  lines by regular expression  {:>8.0} thousand lines/s ({:.0} MB/s)   {failures} found",
            lines as f64 / took / 1e3,
            megabytes(bytes) / took
        );
    }
}

fn read_errors(text: &str) -> usize {
    let mut reader = ErrorReader::new();
    text.lines().map(|line| reader.line(line).len()).sum::<usize>() + reader.flush().len()
}

/// Seconds of the quickest round.
fn quickest(mut work: impl FnMut()) -> f64 {
    let (started, mut best) = (Instant::now(), f64::MAX);
    while started.elapsed() < LONG_ENOUGH {
        let ((), micros) = timed(&mut work);
        best = best.min(micros / 1e6);
    }
    best
}

/// Whatever is text, in order.
fn texts_below(folder: &Path) -> Vec<String> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let mut texts = Vec::new();
    for path in entries {
        if path.is_dir() {
            texts.extend(texts_below(&path));
        } else {
            texts.extend(std::fs::read_to_string(&path).ok());
        }
    }
    texts
}
