//! What another copy of a record said where two changed the same field.

use super::memory::CONFLICTS;
use super::{Memory, Timestamp};

/// Where they stand in a file that Loki Mode writes too.
const OURS: &str = "lokid";

/// A value that a field of a record might have had.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// As its file spells it, deeper ones with dots.
    pub field: String,
    pub value: serde_json::Value,
    /// When the record was last changed that said it.
    pub updated_at: Option<Timestamp>,
}

impl Conflict {
    fn read(said: &serde_json::Value) -> Option<Conflict> {
        let field = said.get("field")?.as_str()?.to_owned();
        let updated_at = said.get("updated_at").and_then(|at| Timestamp::parse(at.as_str()?));
        Some(Conflict { field, value: said.get("value")?.clone(), updated_at })
    }
}

impl Memory {
    /// What other copies of this record said where two changed the same.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let Some(extra) = &self.extra else { return Vec::new() };
        let lists = [extra.get(CONFLICTS), extra.get(OURS).and_then(|ours| ours.get(CONFLICTS))];
        lists.into_iter().flatten().filter_map(|list| list.as_array()).flatten().filter_map(Conflict::read).collect()
    }

    /// They are told elsewhere now.
    pub fn drop_conflicts(&mut self) {
        if self.extra.is_none() {
            return;
        }
        let ours = self.extra.as_mut().and_then(|extra| extra.get_mut(OURS)?.as_object_mut());
        if ours.is_some_and(|ours| ours.shift_remove(CONFLICTS).is_some() && ours.is_empty()) {
            self.note(OURS, None);
        }
        if self.extra.is_some() {
            self.note(CONFLICTS, None);
        }
    }
}
