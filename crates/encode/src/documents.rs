//! What the documents of a repository teach: decisions, rules and plans.
//!
//! Path and text in, drafts and links by name out. A draft's id is made from its path and its heading or words, so
//! that a document read again updates what stayed, adds what is new and, the caller comparing ids, removes what is
//! gone. It must not open files, and it trusts no text: sizes, counts and lengths are bounded.

mod adr;
mod audience;
mod date;
mod outline;
mod piece;
mod place;
mod planning;
mod rule;
mod rules;
mod statement;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use lokid_model::{Draft, MemoryId, Relation};

pub use place::{DocumentKind, which};

/// How many memories one name may lead to.
const MOST_NAMESAKES: usize = 8;

/// All that one document teaches. The ids of `drafts` are set and differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learnt {
    pub drafts: Vec<Draft>,
    pub links: Vec<DocumentLink>,
    /// What other documents may call a draft of this one.
    pub names: Vec<DocumentName>,
}

/// `from_key` (the id of a draft) stands in `relation` to whatever answers to `to_name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentLink {
    pub from_key: MemoryId,
    pub to_name: String,
    pub relation: Relation,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentName {
    pub name: String,
    pub key: MemoryId,
}

/// What a document of this kind teaches; nothing, where its text does not bear out what its path promises.
pub fn learn(kind: DocumentKind, path: &str, text: &str) -> Learnt {
    let outline = outline::read(path, text);
    let mut learnt = match kind {
        DocumentKind::Decision => adr::learn(path, &outline),
        DocumentKind::DecisionLog => adr::learn_log(path, outline),
        DocumentKind::Contributing | DocumentKind::AgentRules | DocumentKind::Readme => {
            rules::learn(kind, path, &outline)
        }
        DocumentKind::Planning => planning::learn(path, &outline),
    };
    let mut seen = BTreeSet::new();
    learnt.drafts.retain(|draft| draft.id.as_ref().is_some_and(|id| seen.insert(id.clone())));
    learnt
}

/// What a draft of a document says, without where it says so.
pub fn without_source(text: &str) -> &str {
    text.rsplit_once('(').map_or(text, |(said, _)| said.trim_end())
}

/// Joins the links of many documents with the names of all: from, to and how. A name nobody answers to leads nowhere.
pub fn connect<'a>(documents: impl IntoIterator<Item = &'a Learnt> + Clone) -> Vec<(MemoryId, MemoryId, Relation)> {
    let mut called: BTreeMap<&str, BTreeSet<&MemoryId>> = BTreeMap::new();
    for name in documents.clone().into_iter().flat_map(|learnt| &learnt.names) {
        called.entry(&name.name).or_default().insert(&name.key);
    }
    let mut found = BTreeSet::new();
    for link in documents.into_iter().flat_map(|learnt| &learnt.links) {
        let ends = called.get(link.to_name.as_str()).into_iter().flatten().take(MOST_NAMESAKES);
        found.extend(ends.filter(|end| ***end != link.from_key).map(|end| {
            let (from, to) = (link.from_key.clone(), (*end).clone());
            match link.relation {
                // One way of saying it, whichever of the two documents says so.
                Relation::SupersededBy => (to, from, Relation::Supersedes),
                relation => (from, to, relation),
            }
        }));
    }
    found.into_iter().collect()
}
