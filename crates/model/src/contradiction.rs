//! Two memories that cannot both hold, and what became of the matter.

use super::words::vocabulary;
use super::{Key, MemoryId, Namespace, Timestamp};

vocabulary!(
    /// What a comparison of two statements found.
    Verdict {
        Contradicts = "contradicts",
        Duplicate = "duplicate",
        Compatible = "compatible",
        Unrelated = "unrelated",
    }
);

vocabulary!(
    /// Open until a person, or a newer value of the same slot, settles it.
    ContradictionStatus { Open = "open", Superseded = "superseded", Resolved = "resolved" }
);

vocabulary!(
    /// What somebody made of two memories that cannot both hold.
    Resolution { AWins = "a_wins", BWins = "b_wins", BothValid = "both_valid", Merged = "merged" }
);

/// How a matter was ended by somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    pub resolution: Resolution,
    pub note: String,
    pub at: Timestamp,
}

/// `a` is the earlier record, `b` the later.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradiction {
    pub id: String,
    pub namespace: Namespace,
    pub a: MemoryId,
    pub b: MemoryId,
    pub verdict: Verdict,
    pub status: ContradictionStatus,
    pub why: String,
    pub found_at: Timestamp,
    pub settled: Option<Settled>,
}

impl Contradiction {
    /// The same pair always has the same name, so that finding it again changes nothing.
    pub fn id_of(a: &Key, b: &Key) -> String {
        let pair = format!("{}\0{}\0{}", a.namespace, a.id, b.id);
        format!("con-{}", &blake3::hash(pair.as_bytes()).to_hex()[..12])
    }

    /// The two that cannot both hold.
    pub fn sides(&self) -> [Key; 2] {
        [&self.a, &self.b].map(|id| Key::new(&self.namespace, id))
    }
}
