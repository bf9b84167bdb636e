//! What all teams of the organisation share: read as a whole when something of it changed, kept in the cache, and handed to
//! the writer as a chapter of its own. Nobody writes it from here but its promoters.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Team;
use crate::lesson::{Chapter, Lesson};
use lokid_model::Memory;
use lokid_sys::plain;
use lokid_team::book::Book;
use lokid_team::relay::{Relay, RelayError, Space};
use lokid_team::{Head, HeadState, ItemKey, ItemKind, limits, projection};

const FILE: &str = "organisation.json";
/// Where a memory comes from that all teams share.
const ORGANISATION: &str = "organisation";
const LARGEST: u64 = 256 << 20;

impl Team {
    /// What was last read, while nothing newer can be.
    pub(super) fn recall_organisation(&self) {
        let Some(cache) = self.env.own_cache() else { return };
        let text = plain::read_text(&cache.join(FILE), LARGEST).ok().flatten();
        let kept: Vec<Value> = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        if !kept.is_empty() {
            self.teach_organisation(&kept);
        }
    }

    pub(super) fn read_organisation(&self, relay: &mut Relay, book: &mut Book) -> Result<(), RelayError> {
        if relay.changes(Space::Org, book.org_cursor, 1)?.is_empty() {
            return Ok(());
        }
        let (mut records, mut cursor) = (Vec::new(), 0);
        loop {
            let (known, before) = (records.len(), cursor);
            relay.copy(Space::Org, (cursor, limits::MANY), &mut |head: Head| {
                cursor = head.seq;
                if let (HeadState::Live(record), ItemKind::Memory) = (head.state, head.item.kind) {
                    records.push(json!({"namespace": head.item.namespace, "id": head.item.name, "record": record}));
                }
            })?;
            if cursor == before || records.len() == known {
                break;
            }
        }
        if let Some(cache) = self.env.own_cache() {
            let kept = self.env.redaction.keep(&cache.join(FILE), &Value::from(records.clone()).to_string());
            if let Err(error) = kept {
                tracing::warn!(project = %self.env.name, reason = %error, "what the organisation shares cannot be kept");
            }
        }
        self.teach_organisation(&records);
        book.org_cursor = cursor.max(book.org_cursor);
        Ok(())
    }

    /// Another team may have left it, too.
    pub(super) fn forget_organisation(&self) {
        if let Some(cache) = self.env.own_cache() {
            let _ = plain::remove_if_there(&cache.join(FILE));
        }
        self.writer.teach(Chapter::Organisation, Lesson::default());
    }

    fn teach_organisation(&self, records: &[Value]) {
        let read = |kept: &Value| -> Option<Arc<Memory>> {
            let text = |name: &str| kept.get(name)?.as_str();
            let item = ItemKey::new(ItemKind::Memory, text("namespace")?, text("id")?);
            let record = kept.get("record")?;
            let mut memory = projection::memory_from(&item, record, "", None, &self.env.redaction).ok()?;
            memory.sources.insert(0, ORGANISATION.to_owned());
            Some(Arc::new(memory))
        };
        let memories = records.iter().filter_map(read).collect();
        self.writer.teach(Chapter::Organisation, Lesson { memories, links: Vec::new() });
    }
}
