//! Forgetting by what is said: first told, then done.

use std::collections::HashSet;
use std::sync::Arc;

use super::view;
use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::answers::Forgotten;
use crate::serve::dto::queries::namespace;
use crate::serve::dto::requests::ForgetRequest;
use crate::serve::problem::Problem;
use lokid_model::{Key, Memory, Namespace};

/// How many memories one turn of the writer forgets.
const PORTION: usize = 2048;

pub(in crate::serve) async fn forget(app: App, call: Call) -> Answer {
    let (most, by) = (app.config().server.max_body, call.by());
    let request: ForgetRequest = call.json(&app, most).await?;
    let (dry_run, purge) = (request.dry_run.unwrap_or(true), request.purge);
    let wanted = Wanted::new(&request)?;
    let project = app.project(request.project.as_deref()).await?;
    let place = namespace(request.namespace);
    let snapshot = project.writer.snapshot();
    let found: Vec<Arc<Memory>> = aside(move || {
        // What is archived can still be purged.
        let archived = snapshot.all_archived().filter(|_| purge).map(|entry| &entry.memory);
        let all = snapshot.memories().chain(archived);
        all.filter(|memory| wanted.is(memory, &place)).cloned().collect()
    })
    .await?;
    let mut forgotten: Vec<&Arc<Memory>> = found.iter().collect();
    if !dry_run && !found.is_empty() {
        let keys: Vec<Key> = found.iter().map(|memory| memory.key()).collect();
        let reason = request.reason.unwrap_or_else(|| "asked to".to_owned());
        let (mut gone, writer) = (HashSet::new(), project.writer.by(by));
        // In portions, so that nobody else's write waits for all of it.
        for portion in keys.chunks(PORTION) {
            gone.extend(app.settle(writer.forget(portion.to_vec(), reason.clone(), purge)).await?);
        }
        forgotten.retain(|memory| gone.contains(&memory.key()));
    }
    let forgotten: Vec<_> = forgotten.into_iter().map(|memory| view::mention(memory)).collect();
    ok(&Forgotten { dry_run, purge, count: forgotten.len(), forgotten })
}

/// Every word somewhere in a memory, and the key of its fact, where they are given.
struct Wanted {
    words: Vec<String>,
    key: Option<String>,
}

impl Wanted {
    fn new(request: &ForgetRequest) -> Result<Wanted, Problem> {
        let words: Vec<String> =
            request.query.iter().flat_map(|query| query.split_whitespace()).map(str::to_lowercase).collect();
        let key = request.key.clone().filter(|key| !key.is_empty());
        if words.is_empty() && key.is_none() {
            return Err(Problem::field("query", "give words to look for, or a `key`"));
        }
        Ok(Wanted { words, key })
    }

    fn is(&self, memory: &Memory, namespace: &Namespace) -> bool {
        let right_key = |key: &String| memory.fact().is_some_and(|fact| fact.key == *key);
        memory.namespace == *namespace && self.key.as_ref().is_none_or(right_key) && self.says_all(memory)
    }

    fn says_all(&self, memory: &Memory) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let mut said = [memory.id.as_str(), &memory.title, &memory.text].join("\n").to_lowercase();
        for tag in &memory.tags {
            said.push('\n');
            said.push_str(&tag.to_lowercase());
        }
        self.words.iter().all(|word| said.contains(word.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Kind, MemoryId, Timestamp};

    fn check(query: &str, expect: bool) {
        let id = MemoryId::new("note-42").unwrap();
        let mut memory = Memory::new(id, Kind::Note, "The Proxy needs ÄRGER", Timestamp::from_micros(1));
        memory.tags = vec!["network".to_owned()];
        let wanted = Wanted::new(&ForgetRequest { query: Some(query.to_owned()), ..ForgetRequest::default() }).unwrap();
        assert_eq!(wanted.is(&memory, &Namespace::default()), expect, "{query}");
    }

    #[test]
    fn every_word_has_to_stand_somewhere_in_whatever_case() {
        check("proxy NETWORK ärger", true);
        check("note-42", true);
        check("proxy database", false);
    }

    #[test]
    fn nothing_to_look_for_forgets_nothing() {
        assert!(Wanted::new(&ForgetRequest { query: Some("  ".into()), ..ForgetRequest::default() }).is_err());
    }
}
