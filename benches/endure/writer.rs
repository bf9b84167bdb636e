//! Somebody who tells the daemon things and knows exactly what was acknowledged.

use std::collections::BTreeMap;
use std::sync::Mutex;

use lokid::serve::{Client, Request};
use serde_json::{Value, json};

use crate::house::House;
use crate::lots::Lots;

/// What each memory must say, by its id: the last text that was acknowledged, and those that were sent since and may have
/// been taken without our hearing of it.
#[derive(Default)]
pub(crate) struct Promised(Mutex<BTreeMap<String, Vec<String>>>);

impl Promised {
    /// About to be said: from now on it may be there.
    fn sent(&self, id: &str, text: &str) {
        self.0.lock().unwrap().entry(id.to_owned()).or_default().push(text.to_owned());
    }

    /// Acknowledged: from now on nothing older may be there.
    fn kept(&self, id: &str, text: &str) {
        let mut promised = self.0.lock().unwrap();
        let texts = promised.get_mut(id).unwrap();
        let at = texts.iter().rposition(|known| known == text).unwrap();
        texts.drain(..at);
        texts[0] = format!("={text}");
    }

    /// Promises that are broken by what stands there.
    pub(crate) fn broken(&self, there: &[Value]) -> Vec<String> {
        let mut broken = Vec::new();
        let mut found: BTreeMap<&str, &str> = BTreeMap::new();
        for record in there {
            let (id, text) = (record["id"].as_str().unwrap_or(""), record["text"].as_str().unwrap_or(""));
            if found.insert(id, text).is_some() {
                broken.push(format!("{id} is there twice"));
            }
        }
        for (id, texts) in self.0.lock().unwrap().iter() {
            let kept = texts.first().is_some_and(|text| text.starts_with('='));
            match found.get(id.as_str()) {
                None if kept => broken.push(format!("{id} is gone")),
                Some(text) if !texts.iter().any(|known| known.trim_start_matches('=') == *text) => {
                    broken.push(format!("{id} says {text:?} and not {texts:?}"));
                }
                _ => {}
            }
        }
        broken
    }

    pub(crate) fn acknowledged(&self) -> usize {
        self.0.lock().unwrap().values().filter(|texts| texts[0].starts_with('=')).count()
    }

    pub(crate) fn check(&self, house: &House, when: &str) {
        let broken = self.broken(&house.exported());
        assert!(broken.is_empty(), "{when}: {} promises broken: {:#?}", broken.len(), &broken[..broken.len().min(5)]);
    }
}

/// Why something was not done.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Nobody answered.
    Unheard(String),
    Refused(String),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Trouble::Unheard(why) => write!(out, "no answer: {why}"),
            Trouble::Refused(why) => write!(out, "refused: {why}"),
        }
    }
}

pub(crate) struct Writer<'a> {
    client: Client,
    promised: &'a Promised,
    name: String,
    lots: Lots,
    told: usize,
    /// Having told so many, it only corrects what it told.
    most: usize,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(house: &House, promised: &'a Promised, name: String, seed: u64, most: usize) -> Writer<'a> {
        Writer { client: house.client(), promised, name, lots: Lots::new(seed), told: 0, most }
    }

    /// One more statement, or another text for an old one. Whether it was acknowledged.
    pub(crate) fn write(&mut self) -> Result<(), Trouble> {
        let text = self.lots.statement(&self.name);
        let is_new = self.told < self.most;
        let number = if is_new { self.told as u64 } else { self.lots.draw(self.most as u64) };
        let id = format!("{}-{number}", self.name);
        let request = if is_new {
            self.told += 1;
            Request::post("/v1/memories", &json!({"id": id, "kind": "note", "text": text}))
        } else {
            Request::patch(format!("/v1/memories/{id}"), &json!({"text": text}))
        };
        self.promised.sent(&id, &text);
        let answer = self.client.send(&request).map_err(|error| Trouble::Unheard(error.to_string()))?;
        if answer.status >= 300 {
            return Err(Trouble::Refused(format!("{} {}: {}", request.method, answer.status, answer.text())));
        }
        self.promised.kept(&id, &text);
        Ok(())
    }

    /// One question of the usual ones.
    pub(crate) fn ask(&mut self) -> Result<(), Trouble> {
        let words = self.lots.statement(&self.name);
        let request = match self.lots.draw(10) {
            0 => Request::get("/v1/status"),
            1 | 2 => Request::get(format!("/v1/memories/{}-0", self.name)),
            3 => Request::post("/v1/context/assemble", &json!({"goal": words, "budget": 800})),
            4 => Request::get("/v1/memories?limit=20"),
            _ => Request::post("/v1/recall", &json!({"query": words, "k": 8})),
        };
        let answer = self.client.send(&request).map_err(|error| Trouble::Unheard(error.to_string()))?;
        let fine = answer.status == 200 || (answer.status == 404 && request.path.ends_with("-0"));
        let refused = || Trouble::Refused(format!("{} {}: {}", request.path, answer.status, answer.text()));
        if fine { Ok(()) } else { Err(refused()) }
    }
}
