//! A memory that a person wants the whole organisation to have: written with the organisation's own key, or the call to
//! make it. Nothing here happens by itself.

use lokid_config::Managed;
use serde_json::{Value, json};

use super::api::{ApiError, Stores};
use super::limits;
use super::mapping::{Projected, is_same_record};

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promoted {
    pub path: String,
    /// The memory over there.
    pub id: String,
    /// It said something else before, or nothing.
    pub changed: bool,
}

/// Writes it. What stands there of the same memory is replaced, unless it is another one meanwhile; somebody else's
/// memory of the same name stays.
pub fn write(stores: &Stores, store: &str, projected: &Projected) -> Result<Promoted, ApiError> {
    let [path, beside] = &projected.paths;
    let promoted = |path: &str, id: String, changed| Promoted { path: path.to_owned(), id, changed };
    let taken = match stores.create(store, path, &projected.content) {
        Ok(new) => return Ok(promoted(path, new.id, true)),
        Err(ApiError::PathConflict { memory: Some(taken), .. }) => taken,
        Err(error) => return Err(error),
    };
    let there = stores.retrieve(store, &taken)?;
    let content = there.content.unwrap_or_default();
    if content == projected.content {
        return Ok(promoted(path, there.id, false));
    }
    let document = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    if is_same_record(&document(&projected.content), &document(&content)) {
        stores.update(store, &there.id, &projected.content, &there.content_sha256)?;
        return Ok(promoted(path, there.id, true));
    }
    let new = stores.create(store, beside, &projected.content)?;
    Ok(promoted(beside, new.id, true))
}

/// The call as a person types it. The key is named and never written.
pub fn by_hand(managed: &Managed, projected: &Projected) -> String {
    let store = managed.org_store.as_deref().unwrap_or("STORE_ID");
    let body = json!({"path": projected.paths[0], "content": projected.content}).to_string();
    let url = format!("{}/v1/memory_stores/{store}/memories", managed.base_url);
    format!(
        "curl -sS -X POST {} \\\n  -H \"Authorization: Bearer $ANTHROPIC_API_KEY\" \\\n  -H {} \\\n  -H {} \\\n  \
         -H 'content-type: application/json' \\\n  --data-raw {}",
        quoted(&url),
        quoted(&format!("anthropic-version: {}", limits::API_VERSION)),
        quoted(&format!("anthropic-beta: {}", limits::BETA)),
        quoted(&body)
    )
}

/// One word of a shell, whatever stands in it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_call_names_the_key_and_bears_any_word() {
        let managed = lokid_config::Config::default().managed;
        let paths = ["/skills/a.json".to_owned(), "/skills/a-1.json".to_owned()];
        let content = "{\"name\": \"don't; $(rm -rf /)\"}\n".to_owned();
        let call = by_hand(&managed, &Projected { paths, sha256: String::new(), content });
        assert!(call.contains("'https://api.anthropic.com/v1/memory_stores/STORE_ID/memories'"), "{call}");
        assert!(call.contains("\"Authorization: Bearer $ANTHROPIC_API_KEY\"") && call.contains(limits::BETA), "{call}");
        assert!(call.contains(r"don'\''t; $(rm -rf /)"), "{call}");
    }
}
