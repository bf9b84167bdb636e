//! The agents for which memory did not pay: twice in a row, and they are given only what binds, until something is
//! cited. Now and then they are tried again, or a bad week would last for ever.

use std::collections::BTreeMap;

const STRIKES: u8 = 2;
/// After so many sessions without memory an agent is given one with it.
const TRIAL_AFTER: u8 = 5;
const MOST_AGENTS: usize = 64;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bypass(pub(super) BTreeMap<String, Record>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) strikes: u8,
    /// Sessions ended since it is bypassed.
    pub(super) waited: u8,
}

impl Record {
    fn holds(self) -> bool {
        self.strikes >= STRIKES
    }
}

impl Bypass {
    pub(super) fn holds(&self, agent: &str) -> bool {
        self.0.get(agent).is_some_and(|record| record.holds())
    }

    pub(super) fn agents(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, record)| record.holds()).map(|(agent, _)| agent.as_str())
    }

    /// Memory did not pay. Whether the agent is bypassed from now on.
    pub(super) fn strike(&mut self, agent: &str) -> bool {
        if self.0.len() >= MOST_AGENTS && !self.0.contains_key(agent) {
            // Who was noticed only once can be noticed again.
            let once = self.0.iter().find(|(_, record)| !record.holds()).map(|(agent, _)| agent.clone());
            let Some(once) = once else { return false };
            self.0.remove(&once);
        }
        let record = self.0.entry(agent.to_owned()).or_default();
        let before = record.holds();
        record.strikes = (record.strikes + 1).min(STRIKES);
        record.holds() && !before
    }

    /// A session has ended. Whether the agent is given all of memory again.
    pub(super) fn ended(&mut self, agent: &str, cited: bool, paid: bool) -> bool {
        let Some(record) = self.0.get_mut(agent) else { return false };
        let held = record.holds();
        if cited || (paid && !held) {
            self.0.remove(agent);
            return held;
        }
        if held {
            record.waited += 1;
        }
        let trial = held && record.waited > TRIAL_AFTER;
        if trial {
            *record = Record { strikes: STRIKES - 1, waited: 0 };
        }
        trial
    }
}
