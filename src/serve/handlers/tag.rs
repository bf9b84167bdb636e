//! The ETag of a memory, kept for as long as the memory is the same: hashing a record costs as much as showing it.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use axum::http::HeaderValue;

use lokid_engine::etag;
use lokid_model::Memory;

/// Each thread that answers has its own, so that nobody waits for anybody.
const PLACES: usize = 256;

type KnownTag = Option<(Weak<Memory>, HeaderValue)>;

thread_local! {
    static KNOWN: RefCell<Vec<KnownTag>> = const { RefCell::new(Vec::new()) };
}

/// In quotes, as the header has it. A memory never changes in place, so the same allocation is the same content; the
/// weak pointer keeps the allocation from being used for another, and nothing of the memory alive.
pub(in crate::serve) fn of(memory: &Arc<Memory>) -> HeaderValue {
    KNOWN.with_borrow_mut(|known| {
        known.resize_with(PLACES, || None);
        let address = Arc::as_ptr(memory);
        let place = &mut known[(address.addr() / size_of::<Memory>().next_power_of_two()) % PLACES];
        match place {
            Some((same, tag)) if same.as_ptr() == address => tag.clone(),
            _ => {
                let tag = quoted(&etag(memory));
                *place = Some((Arc::downgrade(memory), tag.clone()));
                tag
            }
        }
    })
}

fn quoted(tag: &str) -> HeaderValue {
    HeaderValue::try_from(format!("\"{tag}\"")).expect("hex digits in quotes are a header")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Kind, MemoryId, Timestamp};

    #[test]
    fn a_tag_belongs_to_the_content_whichever_memory_lay_there_before() {
        for number in 0..2000 {
            let id = MemoryId::new("n").unwrap();
            let text = format!("note {number}");
            let memory = Arc::new(Memory::new(id, Kind::Note, text, Timestamp::from_micros(1)));
            assert_eq!(of(&memory), quoted(&etag(&memory)));
            assert_eq!(of(&memory), quoted(&etag(&memory)));
        }
    }
}
