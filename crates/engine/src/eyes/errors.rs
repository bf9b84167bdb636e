//! Errors that were seen: each kind of failure once, with how often and when, and what made it go away.
//!
//! A failure is open until a commit or an episode touches one of its files and the log it came from goes on without
//! it. It becomes a memory when it is first seen, and the same memory says later how it was resolved.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use lokid_encode::errors::{Failure, is_application, repo_file};
use lokid_model::{Body, Draft, Kind, Learning, MemoryId, Source, Status, Timestamp};

/// Failures that are remembered here; the longest unseen leave first.
const MOST: usize = 2_000;
const MOST_FILES: usize = 8;
/// A candidate that did not come back for so long has worked, even if its log says nothing more.
const QUIET: i64 = 10 * 60 * 1_000_000;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ErrorBook {
    known: BTreeMap<String, KnownError>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct KnownError {
    headline: String,
    excerpt: String,
    /// The failure's own file first.
    files: Vec<String>,
    log: String,
    count: u64,
    first: i64,
    last: i64,
    /// What touched its files since it was last seen.
    candidate: Option<Remedy>,
    resolved: bool,
}

/// What may have made a failure go away.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Remedy {
    pub(super) commit: Option<String>,
    pub(super) told: String,
    pub(super) at: i64,
}

/// What a failure means for the memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Noted {
    pub(super) headline: String,
    pub(super) file: Option<String>,
    /// New, seen often enough to say so again, or resolved.
    pub(super) draft: Option<Draft>,
}

impl ErrorBook {
    /// A failure was read from `log`. `exists` knows the files of the repository.
    pub(super) fn seen(
        &mut self,
        failure: &Failure,
        log: &str,
        root: &str,
        exists: &dyn Fn(&str) -> bool,
        now: Timestamp,
    ) -> Noted {
        let mut files: Vec<String> = Vec::new();
        let frames = failure.frames.iter().filter(|frame| is_application(frame)).map(|frame| frame.file.as_str());
        for printed in failure.place.iter().map(|place| place.file.as_str()).chain(frames) {
            match repo_file(printed, root, exists) {
                Some(file) if !files.contains(&file) && files.len() < MOST_FILES => files.push(file),
                _ => {}
            }
        }
        let known = self.known.entry(failure.fingerprint.clone()).or_default();
        let is_new = known.count == 0;
        // It came back: whatever was done about it has not helped.
        let was_resolved = std::mem::take(&mut known.resolved);
        known.candidate = None;
        known.count += 1;
        known.last = now.as_micros();
        known.headline = headline(failure);
        known.excerpt.clone_from(&failure.excerpt);
        log.clone_into(&mut known.log);
        if is_new {
            known.first = now.as_micros();
        }
        for file in &files {
            if !known.files.contains(file) && known.files.len() < MOST_FILES {
                known.files.push(file.clone());
            }
        }
        // Told again at 2, 4, 8, … times: a failure in a loop must not rewrite its memory with every line.
        let tells = is_new || was_resolved || known.count.is_power_of_two();
        let draft = tells.then(|| draft(&failure.fingerprint, known, None));
        let noted = Noted { headline: known.headline.clone(), file: files.into_iter().next(), draft };
        self.forget_oldest();
        noted
    }

    /// A commit or an episode touched these files.
    pub(super) fn touched(&mut self, files: &[String], remedy: &Remedy) {
        for known in self.known.values_mut().filter(|known| !known.resolved && known.last <= remedy.at) {
            if known.files.iter().any(|file| files.contains(file)) {
                known.candidate = Some(remedy.clone());
            }
        }
    }

    /// `log` went on without the failures in `but`; or, without a log, it is time to look. Answers with what is thereby
    /// resolved.
    pub(super) fn quiet(&mut self, log: Option<&str>, but: &[String], now: Timestamp) -> Vec<Draft> {
        let mut drafts = Vec::new();
        for (fingerprint, known) in &mut self.known {
            let Some(remedy) = &known.candidate else { continue };
            let went_on = log == Some(known.log.as_str()) && !but.contains(fingerprint);
            if went_on || now.as_micros() - remedy.at > QUIET {
                drafts.push(draft(fingerprint, known, Some(remedy)));
                known.resolved = true;
                known.candidate = None;
            }
        }
        drafts
    }

    /// When [`ErrorBook::quiet`] is worth asking without a log.
    pub(super) fn next_look(&self) -> Option<Timestamp> {
        let earliest = self.known.values().filter_map(|known| Some(known.candidate.as_ref()?.at)).min()?;
        Some(Timestamp::from_micros(earliest + QUIET + 1_000_000))
    }

    pub(super) fn named(&self) -> impl Iterator<Item = MemoryId> {
        self.known.keys().filter_map(|fingerprint| MemoryId::new(&id_of(fingerprint)))
    }

    /// Purged errors, and what episodes that may be purged said of their fixes.
    pub(super) fn forget(&mut self, ids: &[MemoryId]) {
        self.known.retain(|fingerprint, _| !ids.iter().any(|id| id.as_str() == id_of(fingerprint)));
        self.known.values_mut().for_each(|known| drop(known.candidate.take_if(|remedy| remedy.commit.is_none())));
    }

    fn forget_oldest(&mut self) {
        while self.known.len() > MOST {
            let oldest = self.known.iter().min_by_key(|(_, known)| known.last).map(|(name, _)| name.clone());
            let Some(oldest) = oldest else { return };
            self.known.remove(&oldest);
        }
    }

    pub(super) fn to_value(&self) -> Value {
        let row = |known: &KnownError| {
            let remedy = known.candidate.as_ref().map(|remedy| json!([remedy.commit, remedy.told, remedy.at]));
            json!({
                "headline": known.headline, "excerpt": known.excerpt, "files": known.files, "log": known.log,
                "count": known.count, "first": known.first, "last": known.last, "resolved": known.resolved,
                "candidate": remedy,
            })
        };
        Value::Object(self.known.iter().map(|(name, known)| (name.clone(), row(known))).collect::<Map<_, _>>())
    }

    pub(super) fn of_value(value: &Value) -> ErrorBook {
        let text = |row: &Value, name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |row: &Value, name: &str| row.get(name).and_then(Value::as_i64).unwrap_or(0);
        let remedy = |row: &Value| {
            let row = row.get("candidate")?;
            let told = row.get(1)?.as_str()?.to_owned();
            Some(Remedy { commit: row.get(0)?.as_str().map(str::to_owned), told, at: row.get(2)?.as_i64()? })
        };
        let files = |row: &Value| {
            let list = row.get("files").and_then(Value::as_array);
            list.into_iter().flatten().filter_map(|file| file.as_str().map(str::to_owned)).collect()
        };
        let known = |row: &Value| KnownError {
            headline: text(row, "headline"),
            excerpt: text(row, "excerpt"),
            files: files(row),
            log: text(row, "log"),
            count: number(row, "count").max(1) as u64,
            first: number(row, "first"),
            last: number(row, "last"),
            candidate: remedy(row),
            resolved: row.get("resolved") == Some(&Value::Bool(true)),
        };
        let rows = value.as_object().into_iter().flatten();
        ErrorBook { known: rows.take(MOST).map(|(name, row)| (name.clone(), known(row))).collect() }
    }
}

fn id_of(fingerprint: &str) -> String {
    format!("learn-err-{fingerprint}")
}

fn headline(failure: &Failure) -> String {
    let named = failure.message.starts_with(failure.kind.as_str()) || failure.kind.is_empty();
    let what = if named { failure.message.clone() } else { format!("{}: {}", failure.kind, failure.message) };
    match &failure.test {
        Some(test) => format!("{test}: {what}"),
        None => what,
    }
}

/// The memory of a failure; with a remedy, of how it was resolved.
fn draft(fingerprint: &str, known: &KnownError, remedy: Option<&Remedy>) -> Draft {
    let id = MemoryId::new(&id_of(fingerprint)).expect("made of hex digits");
    let mut text = known.headline.clone();
    if let Some(file) = known.files.first() {
        text.push_str(&format!("\nin {file}"));
    }
    if known.count > 1 {
        text.push_str(&format!("\nseen {} times", known.count));
    }
    if let Some(remedy) = remedy {
        text.push_str(&format!("\nresolved by: {}", remedy.told));
    }
    if !known.excerpt.is_empty() {
        text.push_str(&format!("\n\n{}", known.excerpt));
    }
    let learning = Learning {
        error: known.headline.clone(),
        cause: String::new(),
        fix: remedy.map(|remedy| remedy.told.clone()).unwrap_or_default(),
        fingerprint: fingerprint.to_owned(),
    };
    Draft {
        id: Some(id),
        title: known.headline.clone(),
        tags: vec!["error".to_owned(), if remedy.is_some() { "resolved" } else { "open" }.to_owned()],
        files: known.files.clone(),
        commits: remedy.and_then(|remedy| remedy.commit.clone()).into_iter().collect(),
        timestamp: Some(Timestamp::from_micros(known.first)),
        source: Some(Source::Log),
        sources: vec![known.log.clone()],
        status: Status::Asserted,
        importance: Some(if remedy.is_some() { 0.6 } else { 0.4 }),
        body: Body::Learning(Box::new(learning)),
        ..Draft::new(Kind::Learning, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_encode::errors::ErrorReader;

    fn failure(line: u32) -> Failure {
        let mut reader = ErrorReader::new();
        let text = format!(
            "Traceback (most recent call last):\n  File \"src/cart.py\", line {line}, in total\n    return sum(x)\n\
             TypeError: unsupported operand\n"
        );
        let mut found: Vec<Failure> = text.lines().flat_map(|line| reader.line(line)).collect();
        found.extend(reader.flush());
        found.remove(0)
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn see(book: &mut ErrorBook, line: u32, when: i64) -> Noted {
        book.seen(&failure(line), "run.log", "/repo", &|path| path == "src/cart.py", at(when))
    }

    #[test]
    fn the_same_error_again_raises_a_count_and_not_a_memory() {
        let mut book = ErrorBook::default();
        let first = see(&mut book, 3, 1);
        assert_eq!(first.file.as_deref(), Some("src/cart.py"));
        let id = first.draft.unwrap().id;
        assert_eq!(see(&mut book, 30, 2).draft.map(|draft| draft.id), Some(id.clone()), "twice is worth saying");
        assert!(see(&mut book, 31, 3).draft.is_none());
        let fourth = see(&mut book, 32, 4).draft.unwrap();
        assert_eq!(fourth.id, id);
        assert!(fourth.text.contains("seen 4 times"), "{}", fourth.text);
        assert_eq!(ErrorBook::of_value(&book.to_value()), book);
    }

    #[test]
    fn a_commit_that_touches_its_file_resolves_it_once_the_log_goes_on_without_it() {
        let mut book = ErrorBook::default();
        see(&mut book, 3, 1);
        let remedy = Remedy { commit: Some("abc".into()), told: "sum numbers only".into(), at: 5_000_000 };
        book.touched(&["README.md".to_owned()], &remedy);
        assert!(book.quiet(Some("run.log"), &[], at(6)).is_empty(), "another file");
        book.touched(&["src/cart.py".to_owned()], &remedy);
        assert!(book.quiet(Some("other.log"), &[], at(6)).is_empty(), "another log");
        let [draft] = book.quiet(Some("run.log"), &[], at(6)).try_into().unwrap();
        assert_eq!(draft.commits, ["abc"]);
        assert!(matches!(&draft.body, Body::Learning(learning) if learning.fix == "sum numbers only"));
        assert!(book.quiet(Some("run.log"), &[], at(7)).is_empty(), "told once");
        assert!(see(&mut book, 9, 8).draft.unwrap().tags.contains(&"open".to_owned()), "it came back");
    }

    #[test]
    fn an_error_that_comes_back_after_a_change_was_not_resolved_by_it() {
        let mut book = ErrorBook::default();
        see(&mut book, 3, 1);
        book.touched(&["src/cart.py".to_owned()], &Remedy { commit: None, told: "try".into(), at: 2_000_000 });
        see(&mut book, 3, 3);
        assert!(book.quiet(None, &[], at(100_000)).is_empty());
        book.touched(&["src/cart.py".to_owned()], &Remedy { commit: None, told: "again".into(), at: 4_000_000 });
        assert!(book.next_look().is_some());
        assert_eq!(book.quiet(None, &[], at(100_000)).len(), 1, "silence long enough is a sign, too");
    }
}
