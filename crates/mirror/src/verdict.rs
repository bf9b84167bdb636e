//! Verdicts of Loki Mode's reviews: an approved one becomes a document in the user's store, and is found as a prior verdict
//! by whoever reads from there. Loki Mode writes them, one folder a review; here they are only read.

use std::path::Path;

use lokid_model::{Kind, Memory, MemoryId, Source, Timestamp};
use lokid_sys::{Disk, EntryKind};
use serde_json::{Map, Value, json};

const REVIEWS: &str = ".loki/quality/reviews";
/// A file of a review that is longer tells of something else.
const MOST_BYTES: u64 = 1 << 20;

/// Longer findings are cut off.
const MOST_FINDINGS: usize = 2_000;
const MOST_REVIEWERS: usize = 20;
const MOST_FILES: usize = 50;

/// The files of one review, as far as they tell of the verdict.
#[derive(Clone, Debug, Default)]
struct Review<'a> {
    /// The name of its folder.
    id: &'a str,
    /// `aggregate.json`
    aggregate: &'a str,
    /// `files.txt`: a changed file a line.
    files: &'a str,
    /// Name and text of each `<reviewer>.txt`.
    reviewers: &'a [(String, String)],
}

/// Where a verdict stands in the store.
pub fn path_of(document: &Map<String, Value>) -> Option<String> {
    let id = document.get("review_id")?.as_str()?;
    is_plain(id).then(|| format!("/verdicts/{id}.json"))
}

/// Can this be part of a path?
fn is_plain(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !id.is_empty() && id.len() <= 200 && id.bytes().all(plain) && !id.starts_with('.')
}

/// The document of an approved verdict: somebody passed it, nobody failed it and nothing blocks.
fn approved(review: &Review<'_>) -> Option<Map<String, Value>> {
    let aggregate: Value = serde_json::from_str(review.aggregate).ok()?;
    let count = |name: &str| aggregate[name].as_u64();
    let (passed, failed) = (count("pass_count")?, count("fail_count")?);
    if passed == 0 || failed > 0 || aggregate["has_blocking"] != Value::Bool(false) {
        return None;
    }
    let reviewers = review.reviewers.iter().filter_map(|(name, text)| {
        let (verdict, findings) = verdict_of(text)?;
        Some(json!({"name": name, "verdict": verdict, "findings": head(findings)}))
    });
    let files = review.files.lines().map(str::trim).filter(|line| !line.is_empty()).take(MOST_FILES);
    let document = json!({
        "id": format!("verdict-{}", review.id),
        "type": "verdict",
        "approved": true,
        "review_id": review.id,
        "timestamp": time_of(review.id).map(Timestamp::record_style),
        "iteration": aggregate["iteration"],
        "pass_count": passed,
        "fail_count": failed,
        "quality_score": aggregate["quality_score"],
        "reviewers": reviewers.take(MOST_REVIEWERS).collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
    });
    document.as_object().cloned()
}

/// The approved verdicts below a repository, the newest first by the names of their folders. No link is followed.
pub fn approved_in(root: &Path, most: usize) -> Vec<Map<String, Value>> {
    let Ok(disk) = Disk::open_nofollow_chain(root, Path::new(REVIEWS), false) else { return Vec::new() };
    let folders = disk.list(".").unwrap_or_default().into_iter().filter(|entry| entry.kind == EntryKind::Dir);
    let mut names: Vec<String> = folders.filter_map(|entry| entry.name.into_string().ok()).collect();
    names.retain(|name| is_plain(name));
    names.sort_unstable_by(|one, other| other.cmp(one));
    names.iter().take(most).filter_map(|name| approved_at(&disk, name)).collect()
}

fn approved_at(disk: &Disk, id: &str) -> Option<Map<String, Value>> {
    let folder = Path::new(id);
    let text = |name: &str| {
        let bytes = disk.read(folder.join(name), MOST_BYTES).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let aggregate = text("aggregate.json")?;
    let mut reviewers = Vec::new();
    for entry in disk.list(folder).unwrap_or_default() {
        let Some(name) = entry.name.to_str().and_then(|name| name.strip_suffix(".txt")) else { continue };
        let is_reviewer = !matches!(name, "diff" | "files") && !name.ends_with("-prompt");
        if let Some(said) = text(&format!("{name}.txt")).filter(|_| is_reviewer) {
            reviewers.push((name.to_owned(), said));
        }
    }
    reviewers.sort();
    let files = text("files.txt").unwrap_or_default();
    approved(&Review { id, aggregate: &aggregate, files: &files, reviewers: &reviewers })
}

/// A verdict as a memory.
pub fn read(document: &Map<String, Value>, at: Timestamp) -> Option<Memory> {
    let text = |name: &str| document.get(name).and_then(Value::as_str);
    if text("type")? != "verdict" || document.get("approved")? != &Value::Bool(true) {
        return None;
    }
    let at = text("timestamp").and_then(Timestamp::parse).unwrap_or(at);
    let review = text("review_id")?;
    let number = |name: &str| document.get(name).and_then(Value::as_u64).unwrap_or_default();
    let title = format!("Council verdict: {review} was approved by {} reviewers", number("pass_count"));
    let mut lines = vec![title.clone()];
    for reviewer in document.get("reviewers").and_then(Value::as_array).into_iter().flatten().take(MOST_REVIEWERS) {
        let field = |name: &str| reviewer[name].as_str().unwrap_or_default();
        lines.push(format!("{}: {} {}", field("name"), field("verdict"), head(field("findings"))));
    }
    let files = document.get("files").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let files: Vec<String> = files.take(MOST_FILES).map(str::to_owned).collect();
    if !files.is_empty() {
        lines.push(format!("Files: {}", files.join(", ")));
    }
    let mut memory = Memory::new(MemoryId::foreign(text("id")?)?, Kind::Decision, lines.join("\n"), at);
    memory.title = title;
    memory.source = Source::Import;
    memory.tags = vec!["verdict".to_owned(), "council".to_owned()];
    memory.anchors.files = files;
    Some(memory)
}

/// `VERDICT: PASS` and what stands behind `FINDINGS:`.
fn verdict_of(text: &str) -> Option<(&str, &str)> {
    let verdict = text.lines().find_map(|line| line.trim().strip_prefix("VERDICT:"))?.trim();
    let findings = text.split_once("FINDINGS:").map_or("", |(_, findings)| findings.trim());
    Some((verdict, findings))
}

fn head(text: &str) -> &str {
    lokid_model::words::head(text, MOST_FINDINGS)
}

/// `review-20261117T064500Z-3` was begun at 06:45.
fn time_of(id: &str) -> Option<Timestamp> {
    let stamp = id.split('-').find(|part| part.len() == 16 && part.ends_with('Z') && part.as_bytes()[8] == b'T')?;
    let part = |from: usize, to: usize| stamp.get(from..to);
    let (year, month, day) = (part(0, 4)?, part(4, 6)?, part(6, 8)?);
    Timestamp::parse(&format!("{year}-{month}-{day}T{}:{}:{}Z", part(9, 11)?, part(11, 13)?, part(13, 15)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Loki Mode 7 writes it.
    const AGGREGATE: &str = r#"{"review_id": "review-20261117T064500Z-3", "iteration": 3, "pass_count": 2, "fail_count": 0,
        "has_blocking": false, "verdicts": "a:PASS b:PASS ", "quality_score": 92, "nonblocking_medium": 1,
        "nonblocking_low": 2}"#;

    fn review<'a>(aggregate: &'a str, reviewers: &'a [(String, String)]) -> Review<'a> {
        Review { id: "review-20261117T064500Z-3", aggregate, files: "src/a.rs\nsrc/b.rs\n", reviewers }
    }

    #[test]
    fn an_approved_review_becomes_a_verdict_and_a_memory() {
        let said = "VERDICT: PASS\nFINDINGS:\n- [Low] a name could be shorter\n".to_owned();
        let reviewers = [("security-sentinel".to_owned(), said)];
        let document = approved(&review(AGGREGATE, &reviewers)).unwrap();
        assert_eq!(document["timestamp"], "2026-11-17T06:45:00Z");
        let memory = read(&document, Timestamp::default()).unwrap();
        assert_eq!(memory.id.as_str(), "verdict-review-20261117T064500Z-3");
        assert!(memory.text.contains("security-sentinel: PASS - [Low] a name could be shorter"), "{}", memory.text);
        assert!(memory.text.ends_with("Files: src/a.rs, src/b.rs"), "{}", memory.text);
    }

    #[test]
    fn what_failed_blocks_or_was_never_judged_is_none() {
        for (from, to) in [
            ("\"fail_count\": 0", "\"fail_count\": 1"),
            ("\"has_blocking\": false", "\"has_blocking\": true"),
            ("\"pass_count\": 2", "\"pass_count\": 0"),
            ("\"pass_count\": 2", "\"pass_count\": null"),
            ("{", "["),
        ] {
            assert!(approved(&review(&AGGREGATE.replacen(from, to, 1), &[])).is_none(), "{to}");
        }
    }

    #[test]
    fn a_folder_with_an_odd_name_is_no_review() {
        assert!(is_plain("review-20261117T064500Z-3"));
        for odd in ["", "..", "a/b", "a b", "ü", ".x"] {
            assert!(!is_plain(odd), "{odd}");
        }
    }
}
