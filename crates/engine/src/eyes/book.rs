//! What was seen so far, across restarts: how far logs were read, the last text of each file that is compared with
//! itself, the errors, and who works here. All of it is without secrets; losing it costs a second telling, no memory.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::errors::ErrorBook;
use crate::redaction::Redaction;
use lokid_model::MemoryId;
use lokid_sys::plain;
use lokid_watch::TailPlace;

const FILE: &str = "seen.json";
const LARGEST: u64 = 64 << 20;
/// A longer text is not kept to be compared with.
const LONGEST_TEXT: usize = 512 << 10;
const MOST_TEXTS: usize = 256;

#[derive(Debug, Default)]
pub(super) struct EyesBook {
    pub(super) places: BTreeMap<String, TailPlace>,
    /// By path, without secrets.
    texts: BTreeMap<String, String>,
    pub(super) errors: ErrorBook,
    /// By the hash of their address; `None` until the history was read.
    pub(super) people: Option<BTreeSet<String>>,
}

impl EyesBook {
    pub(super) fn open(folder: &Path) -> EyesBook {
        let text = plain::read_text(&folder.join(FILE), LARGEST).ok().flatten();
        let whole: Value = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let table = |name: &str| whole.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
        let texts = table("texts").into_iter().filter_map(|(path, text)| Some((path, text.as_str()?.to_owned())));
        let people = whole.get("people").and_then(Value::as_array).map(|people| {
            people.iter().filter_map(|person| person.as_str().map(str::to_owned)).collect::<BTreeSet<String>>()
        });
        EyesBook {
            places: table("places").iter().filter_map(|(path, row)| Some((path.clone(), place_of(row)?))).collect(),
            texts: texts.collect(),
            errors: ErrorBook::of_value(whole.get("errors").unwrap_or(&Value::Null)),
            people,
        }
    }

    pub(super) fn save(&self, folder: &Path, redaction: &Redaction) -> io::Result<()> {
        let places: Map<String, Value> =
            self.places.iter().map(|(path, place)| (path.clone(), row_of(place))).collect();
        let whole = json!({
            "version": 1,
            "places": places,
            "texts": self.texts,
            "errors": self.errors.to_value(),
            "people": self.people,
        });
        redaction.keep(&folder.join(FILE), &whole.to_string())
    }

    /// Nothing kept here tells of these any more.
    pub(super) fn forget(&mut self, ids: &[MemoryId]) {
        self.texts.clear();
        self.errors.forget(ids);
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    pub(super) fn set_text(&mut self, path: &str, text: String) {
        if text.len() > LONGEST_TEXT {
            return;
        }
        // Files that come once and go make room for those that stay.
        let passing = |path: &&String| path.contains("/pending/") || path.contains("/crash/");
        if self.texts.len() >= MOST_TEXTS
            && let Some(first) = self.texts.keys().find(passing).cloned()
        {
            self.texts.remove(&first);
        }
        self.texts.insert(path.to_owned(), text);
    }
}

fn row_of(place: &TailPlace) -> Value {
    json!([place.device, place.inode, place.offset, place.head_hash, place.head_length, place.skipping])
}

fn place_of(row: &Value) -> Option<TailPlace> {
    let number = |at: usize| row.get(at).and_then(Value::as_u64);
    Some(TailPlace {
        device: number(0)?,
        inode: number(1)?,
        offset: number(2)?,
        head_hash: number(3)?,
        head_length: number(4)?,
        skipping: row.get(5)?.as_bool()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_comes_back_after_a_restart_and_a_broken_book_is_an_empty_one() {
        let lab = tempfile::tempdir().unwrap();
        let mut book = EyesBook::default();
        let place = TailPlace { device: 1, inode: u64::MAX, offset: 3, head_hash: 4, head_length: 5, skipping: true };
        book.places.insert("a.log".into(), place.clone());
        book.set_text(".loki/CONTINUITY.md", "# Now\n".into());
        book.set_text("large", "x".repeat(LONGEST_TEXT + 1));
        book.people = Some(BTreeSet::from(["ada".to_owned()]));
        book.save(lab.path(), &Redaction::new(&Default::default())).unwrap();
        let again = EyesBook::open(lab.path());
        assert_eq!(again.places["a.log"], place);
        assert_eq!((again.text(".loki/CONTINUITY.md"), again.text("large")), (Some("# Now\n"), None));
        assert_eq!(again.people, book.people);
        plain::replace(&lab.path().join(FILE), b"{\"places\": {\"a.log\": [1,").unwrap();
        assert!(EyesBook::open(lab.path()).places.is_empty());
    }
}
