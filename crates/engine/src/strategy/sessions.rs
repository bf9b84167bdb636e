//! What sessions under way were told, until they are over. In memory only: a restart costs the credit for those that
//! were under way.

use std::collections::BTreeMap;

use lokid_model::{Key, Scope, TaskType};
use lokid_retrieve::strategy::Profile;

/// TriedSessions that are remembered, and recalls and answers of each.
const MOST_SESSIONS: usize = 64;
const MOST_RECALLS: usize = 256;
const MOST_RETURNED: usize = 50;

/// One recall of a session.
pub(super) struct ToldRecall {
    pub(super) id: String,
    pub(super) task: TaskType,
    pub(super) profile: Profile,
    pub(super) returned: Vec<(Key, Scope)>,
}

#[derive(Default)]
pub(super) struct TriedSessions {
    under_way: BTreeMap<String, TriedSession>,
    turns: u64,
}

#[derive(Default)]
struct TriedSession {
    recalls: Vec<ToldRecall>,
    /// Which turn it was heard of last.
    turn: u64,
}

impl TriedSessions {
    pub(super) fn note(&mut self, session: &str, mut told: ToldRecall) {
        if self.under_way.len() >= MOST_SESSIONS && !self.under_way.contains_key(session) {
            // TriedSessions that never say that they end: the one not heard of for longest makes room.
            let idlest = self.under_way.iter().min_by_key(|(_, known)| known.turn).map(|(name, _)| name.clone());
            idlest.map(|name| self.under_way.remove(&name));
        }
        self.turns += 1;
        let known = self.under_way.entry(session.to_owned()).or_default();
        known.turn = self.turns;
        if known.recalls.len() < MOST_RECALLS {
            told.returned.truncate(MOST_RETURNED);
            known.recalls.push(told);
        }
    }

    /// All it was told, in order; the next of the same name begins anew.
    pub(super) fn end(&mut self, session: &str) -> Vec<ToldRecall> {
        self.under_way.remove(session).map(|known| known.recalls).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(number: usize) -> ToldRecall {
        ToldRecall { id: number.to_string(), task: TaskType::Review, profile: Profile::Default, returned: Vec::new() }
    }

    #[test]
    fn neither_sessions_nor_their_recalls_grow_without_end() {
        let mut sessions = TriedSessions::default();
        sessions.note("first", told(0));
        for number in 0..MOST_SESSIONS {
            sessions.note(&format!("s{number}"), told(number));
            sessions.note("busy", told(number));
        }
        assert_eq!(sessions.under_way.len(), MOST_SESSIONS);
        assert_eq!(sessions.end("first").len(), 0, "it was heard of long ago");
        assert_eq!(sessions.end("busy").len(), MOST_SESSIONS);
        assert_eq!(sessions.end("busy").len(), 0);
        (0..1_000).for_each(|number| sessions.note("long", told(number)));
        let ids: Vec<String> = sessions.end("long").into_iter().map(|told| told.id).collect();
        assert_eq!((ids.len(), ids[0].as_str()), (MOST_RECALLS, "0"));
    }
}
