//! Numbers that look random and are the same in every run.

pub(crate) struct Lots(u64);

impl Lots {
    pub(crate) fn new(seed: u64) -> Lots {
        Lots(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn draw(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % below
    }

    pub(crate) fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.draw(of.len() as u64) as usize]
    }

    /// A statement that no other is like.
    pub(crate) fn statement(&mut self, name: &str) -> String {
        const SUBJECTS: [&str; 8] = ["parser", "cache", "socket", "index", "ledger", "queue", "schema", "scheduler"];
        const VERBS: [&str; 8] = ["drops", "retries", "sorts", "locks", "rotates", "flushes", "compares", "renames"];
        const OBJECTS: [&str; 8] = ["tokens", "rows", "frames", "leases", "pages", "handles", "spans", "cursors"];
        let (subject, verb, object) = (self.one_of(&SUBJECTS), self.one_of(&VERBS), self.one_of(&OBJECTS));
        let (word, other) = (self.draw(1 << 40), self.draw(1 << 40));
        format!("The {subject} of {name} {verb} {object} after q{word:010x} unless z{other:010x} is set.")
    }
}
