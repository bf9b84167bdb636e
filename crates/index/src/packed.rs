//! Derived data as bytes, and back: a mark and a version, a checksum, then the content, with numbers in as few bytes as
//! they need and text behind its length. Whatever is not exactly what was written reads as nothing.
//!
//! What the content means is for those who write it.

const CHECKSUM: usize = 16;

/// The content behind its head.
pub(super) fn seal(head: &[u8], content: &Writer) -> Vec<u8> {
    let checksum = blake3::hash(&content.0);
    [head, &checksum.as_bytes()[..CHECKSUM], &content.0].concat()
}

/// The content, if it has this head and is undamaged.
pub(super) fn open<'a>(head: &[u8], bytes: &'a [u8]) -> Option<Reader<'a>> {
    let (checksum, content) = bytes.strip_prefix(head)?.split_at_checked(CHECKSUM)?;
    (blake3::hash(content).as_bytes()[..CHECKSUM] == *checksum).then_some(Reader(content))
}

#[derive(Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub(super) fn signed(&mut self, number: i64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }
}

/// What is still to be read.
pub(super) struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    pub(super) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn take(&mut self, length: usize) -> Option<&[u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A number that may not be larger than this.
    pub(super) fn count(&mut self, most: usize) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|count| *count <= most)
    }

    pub(super) fn signed(&mut self) -> Option<i64> {
        self.take(8)?.try_into().ok().map(i64::from_le_bytes)
    }

    /// A text of at most so many bytes.
    pub(super) fn text(&mut self, longest: usize) -> Option<String> {
        let length = self.count(longest)?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_is_opened_under_its_own_head_and_undamaged_only() {
        let mut content = Writer::default();
        for number in [0, 127, 128, u64::MAX] {
            content.number(number);
        }
        content.signed(-7);
        content.text("größer");
        let sealed = seal(b"HEAD1", &content);
        let mut reader = open(b"HEAD1", &sealed).unwrap();
        assert_eq!([0; 4].map(|_| reader.number().unwrap()), [0, 127, 128, u64::MAX]);
        assert_eq!((reader.signed(), reader.text(8).as_deref()), (Some(-7), Some("größer")));
        assert!(reader.is_at_end() && reader.number().is_none());
        assert!(open(b"HEAD2", &sealed).is_none());
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert!(open(b"HEAD1", &damaged).is_none(), "byte {at}");
            assert!(open(b"HEAD1", &sealed[..at]).is_none(), "{at} bytes");
        }
    }

    #[test]
    fn a_number_without_end_and_a_text_too_long_are_refused() {
        assert!(Reader(&[0xff; 20]).number().is_none());
        let mut content = Writer::default();
        content.text("four");
        assert!(Reader(&content.0).text(3).is_none());
    }
}
