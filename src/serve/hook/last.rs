//! When the hooks of each agent were last heard, also before the daemon started: so that hooks which are installed and
//! silent can be told from those that fire.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::payload::Agent;
use lokid_model::Timestamp;
use lokid_sys::plain;

const FILE: &str = "hooks.heard";
const LARGEST: u64 = 64 << 10;
/// It is written down no more often than this: who asks wants to know the day.
const PAUSE_MICROS: i64 = 60_000_000;

pub(in crate::serve) struct Last {
    path: PathBuf,
    known: Mutex<KnownSession>,
}

#[derive(Default)]
struct KnownSession {
    at: BTreeMap<&'static str, Timestamp>,
    written: BTreeMap<&'static str, Timestamp>,
}

impl Last {
    /// A file that cannot be read tells nothing.
    pub(in crate::serve) fn open(state: &Path) -> Last {
        let path = state.join(FILE);
        let text = plain::read_text(&path, LARGEST).ok().flatten().unwrap_or_default();
        let kept: Value = serde_json::from_str(&text).unwrap_or_default();
        let told = |agent: Agent| {
            let at = Timestamp::parse(kept.get(agent.as_str())?.as_str()?)?;
            Some((agent.as_str(), at))
        };
        let at: BTreeMap<_, _> = Agent::ALL.iter().copied().filter_map(told).collect();
        Last { path, known: Mutex::new(KnownSession { written: at.clone(), at }) }
    }

    /// Answers whether it is time to write it down.
    pub(super) fn heard(&self, agent: Agent, at: Timestamp) -> bool {
        let mut known = self.known.lock();
        let latest = known.at.entry(agent.as_str()).or_insert(at);
        *latest = at.max(*latest);
        let written = known.written.get(agent.as_str());
        let is_due = written.is_none_or(|written| at.as_micros() - written.as_micros() >= PAUSE_MICROS);
        if is_due {
            known.written.insert(agent.as_str(), at);
        }
        is_due
    }

    pub(super) fn write_down(&self) {
        let all: BTreeMap<_, _> = self.all().into_iter().map(|(agent, at)| (agent, at.to_string())).collect();
        if let Err(error) = plain::replace(&self.path, format!("{}\n", json!(all)).as_bytes()) {
            tracing::warn!(reason = %error, "when hooks were heard cannot be written down");
        }
    }

    pub(in crate::serve) fn all(&self) -> BTreeMap<&'static str, Timestamp> {
        self.known.lock().at.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_of_each_agent_outlasts_the_process_and_is_not_written_at_every_event() {
        let folder = tempfile::tempdir().unwrap();
        let at = |seconds: i64| Timestamp::from_micros(1_790_000_000_000_000 + seconds * 1_000_000);
        let last = Last::open(folder.path());
        assert!(last.all().is_empty());
        assert!(last.heard(Agent::Codex, at(0)) && !last.heard(Agent::Codex, at(30)));
        assert!(!last.heard(Agent::Codex, at(10)), "what waited comes later and is no news");
        assert!(last.heard(Agent::Claude, at(5)));
        last.write_down();
        let again = Last::open(folder.path());
        assert_eq!(again.all(), BTreeMap::from([("claude", at(5)), ("codex", at(30))]));
        assert!(again.heard(Agent::Codex, at(100)));
        plain::replace(&folder.path().join(FILE), b"{\"claude\": 7, \"vim\": \"x\"").unwrap();
        assert!(Last::open(folder.path()).all().is_empty());
    }
}
