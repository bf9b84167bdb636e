//! A hash table of rows that keeps no keys: whoever asks knows the text a row stands for. It is filled in a millisecond
//! for tens of thousands of entries, and a hash that grows byte by byte makes trying every prefix of a word cheap.

pub(super) struct Slots {
    /// A power of two, at most half of them taken.
    slots: Vec<Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    row: u32,
    /// The part of the hash that did not choose the slot: it tells apart nearly all entries that are not meant.
    tag: u32,
}

const FREE: Slot = Slot { row: u32::MAX, tag: 0 };

impl Slots {
    pub(super) fn for_entries(count: usize) -> Slots {
        Slots { slots: vec![FREE; (count * 2).next_power_of_two()] }
    }

    pub(super) fn find(&self, hash: Hash, is_meant: impl Fn(u32) -> bool) -> Option<u32> {
        self.probe(hash, is_meant).ok()
    }

    /// False when it was there before.
    pub(super) fn enter(&mut self, hash: Hash, row: u32, is_same: impl Fn(u32) -> bool) -> bool {
        let free = self.probe(hash, is_same).err();
        if let Some(slot) = free {
            self.slots[slot] = Slot { row, tag: hash.tag() };
        }
        free.is_some()
    }

    /// The row that is meant, or the slot where it would be.
    fn probe(&self, hash: Hash, is_meant: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash.0 as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.row == FREE.row {
                return Err(at);
            }
            if slot.tag == hash.tag() && is_meant(slot.row) {
                return Ok(slot.row);
            }
            at = (at + 1) & mask;
        }
    }
}

/// FNV-1a: the hash of a prefix is a step on the way to the hash of the word.
#[derive(Clone, Copy)]
pub(super) struct Hash(u64);

impl Hash {
    pub(super) fn of(text: &str) -> Hash {
        text.bytes().fold(Hash(0xcbf2_9ce4_8422_2325), Hash::and)
    }

    pub(super) fn and(self, byte: u8) -> Hash {
        Hash((self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    fn tag(self) -> u32 {
        (self.0 >> 32) as u32
    }
}
