//! What was remembered in a linked working tree and waits there until its branch is merged.

use serde_json::{Value, json};

use super::{Draft, Memory};

/// Where among the further fields it stands.
pub const FIELD: &str = "staged";

/// Where a memory comes from that is not handed out yet. Meanwhile it is restricted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged {
    pub branch: String,
    /// Where the branch stood when it was told.
    pub commit: String,
    /// The branch had nothing of its own then: that it is part of the main branch means nothing yet.
    pub fresh: bool,
    /// It is restricted anyway.
    pub restricted: bool,
}

impl Staged {
    fn value(&self) -> Value {
        json!({"branch": self.branch, "commit": self.commit, "fresh": self.fresh, "restricted": self.restricted})
    }

    fn read(value: &Value) -> Option<Staged> {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let flag = |name: &str| value.get(name).and_then(Value::as_bool).unwrap_or_default();
        Some(Staged {
            branch: text("branch")?,
            commit: text("commit").unwrap_or_default(),
            fresh: flag("fresh"),
            restricted: flag("restricted"),
        })
    }

    /// Tells branches apart wherever there is no room for a name; never 0.
    pub fn mark(branch: &str) -> u32 {
        let hash = blake3::hash(branch.as_bytes());
        let bytes = hash.as_bytes();
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).max(1)
    }
}

impl Draft {
    pub fn stage(&mut self, staged: &Staged) {
        let staged = Staged { restricted: self.restricted, ..staged.clone() };
        self.extra.get_or_insert_default().insert(FIELD.to_owned(), staged.value());
        self.restricted = true;
    }
}

impl Memory {
    pub fn staged(&self) -> Option<Staged> {
        self.extra.as_ref()?.get(FIELD).filter(|_| self.restricted).and_then(Staged::read)
    }

    /// It is for everybody from now on.
    pub fn unstage(&mut self) {
        if let Some(staged) = self.staged() {
            self.restricted = staged.restricted;
            self.note(FIELD, None);
        }
    }
}
