//! Derived data as bytes, and back: a mark and a version, a checksum, then the content. Whatever is not exactly what was
//! written reads as nothing.
//!
//! What the content means is for those who write it.

use serde::Serialize;
use serde::de::DeserializeOwned;

const CHECKSUM: usize = 16;

/// The content behind its head.
pub(super) fn seal(head: &[u8], content: &impl Serialize) -> Vec<u8> {
    let content = postcard::to_allocvec(content).expect("numbers, texts and lists of them can be written");
    [head, &blake3::hash(&content).as_bytes()[..CHECKSUM], &content].concat()
}

/// The content, if it has this head and is undamaged.
pub(super) fn open<T: DeserializeOwned>(head: &[u8], bytes: &[u8]) -> Option<T> {
    let (checksum, content) = bytes.strip_prefix(head)?.split_at_checked(CHECKSUM)?;
    if blake3::hash(content).as_bytes()[..CHECKSUM] != *checksum {
        return None;
    }
    postcard::take_from_bytes(content).ok().filter(|(_, rest)| rest.is_empty()).map(|(content, _)| content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_is_opened_under_its_own_head_and_undamaged_only() {
        let content = ([0, 127, 128, u64::MAX], -7_i64, "größer".to_owned());
        let sealed = seal(b"HEAD1", &content);
        let open = |head: &[u8], bytes: &[u8]| open::<([u64; 4], i64, String)>(head, bytes);
        assert_eq!(open(b"HEAD1", &sealed), Some(content));
        assert_eq!(open(b"HEAD2", &sealed), None);
        assert_eq!(open(b"HEAD1", &seal(b"HEAD1", &[0xff_u8; 20])), None, "a number without end");
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert_eq!(open(b"HEAD1", &damaged), None, "byte {at}");
            assert_eq!(open(b"HEAD1", &sealed[..at]), None, "{at} bytes");
        }
    }
}
