//! The history of a store: words in it that match are made unreadable, version by version.
//!
//! A page at a time, so that whoever asks can tell how far it is and end between two pages. A version that is redacted
//! says nothing any more, so doing it again goes on where it ended. The newest version of a memory cannot be redacted: a
//! clean one takes its place first.

use lokid_model::{Cleaner, clean};

use super::api::{ApiError, RemoteVersion, Stores};

/// What became of a page of versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageRedacted {
    /// Versions that were looked at,
    pub versions: usize,
    /// that matched,
    pub matched: usize,
    /// and that say nothing any more.
    pub redacted: usize,
    /// Current contents that were replaced for that.
    pub replaced: usize,
    /// Memories whose path matches: it stays as long as they do.
    pub named: usize,
    pub next_page: Option<String>,
}

/// Looks at one page; unless it is only a look, what matches `rule` is made unreadable.
pub fn redact_page(
    stores: &Stores,
    store: &str,
    rule: &dyn Cleaner,
    page: Option<&str>,
    only_look: bool,
) -> Result<PageRedacted, ApiError> {
    let listed = stores.versions(store, None, true, page)?;
    let mut done = PageRedacted { versions: listed.data.len(), ..PageRedacted::default() };
    // A server that gives the same page again would be asked for ever.
    done.next_page = listed.next_page.filter(|next| Some(next.as_str()) != page);
    for version in listed.data.iter().filter(|version| version.redacted_at.is_none()) {
        let names = version.path.as_deref().is_some_and(|path| rule.clean(path).is_some());
        if !names && version.content.as_deref().is_none_or(|content| cleaned(content, rule).is_none()) {
            continue;
        }
        done.matched += 1;
        if only_look {
            continue;
        }
        match replace_head(stores, store, version, rule)? {
            Head::IsClean => done.named += 1,
            head => {
                done.replaced += usize::from(head == Head::Replaced);
                stores.redact(store, &version.id)?;
                done.redacted += 1;
            }
        }
    }
    Ok(done)
}

#[derive(PartialEq, Eq)]
enum Head {
    /// Another version is the current one.
    Elsewhere,
    Replaced,
    /// It is the current one, and only its path matches.
    IsClean,
}

/// Puts a clean content in the place of the current one, if that is this version.
fn replace_head(stores: &Stores, store: &str, version: &RemoteVersion, rule: &dyn Cleaner) -> Result<Head, ApiError> {
    let memory = match stores.retrieve(store, &version.memory_id) {
        Err(ApiError::NotFound) => return Ok(Head::Elsewhere),
        memory => memory?,
    };
    if memory.memory_version_id != version.id {
        return Ok(Head::Elsewhere);
    }
    let content = memory.content.unwrap_or_default();
    match cleaned(&content, rule) {
        None => Ok(Head::IsClean),
        Some(clean) => {
            stores.update(store, &memory.id, &clean, &memory.content_sha256)?;
            Ok(Head::Replaced)
        }
    }
}

/// JSON stays JSON.
fn cleaned(content: &str, rule: &dyn Cleaner) -> Option<String> {
    let is_json = content.trim_start().starts_with(['{', '[']);
    let cleaned = if is_json { clean::json(content, rule) } else { rule.clean(content) };
    cleaned.map(|cleaned| cleaned.text)
}
