//! How a statement stands to another, and to what is known.

use std::sync::Arc;
use std::time::Duration;

use super::Recall;
use crate::company::{PairReader, disputable};
use lokid_manage::contradict;
use lokid_manage::statement::{self, Judgement, Shares};
use lokid_model::Memory;

/// A question waits this long for the indexes to open.
const OPENING: Duration = Duration::from_secs(5);

impl Recall {
    /// How two statements stand to each other.
    pub fn compare(&self, a: &str, b: &str) -> Judgement {
        PairReader::default().judge(a, b)
    }

    /// What is known about the same thing, and how it stands to this.
    pub fn hold_against(&self, memory: &Memory) -> Vec<(Arc<Memory>, Judgement)> {
        self.search.handle().opened(OPENING);
        let ready = self.search.handle().ready();
        let Some(ready) = ready.as_ref() else { return Vec::new() };
        let found = disputable(ready, &self.writer.snapshot(), memory, contradict::CANDIDATES, self.env.clock.now());
        let pairs: Vec<(&str, &str)> = found.iter().map(|known| (known.text.as_str(), memory.text.as_str())).collect();
        let shares = PairReader::default().weigh(&pairs, &|| false);
        let judge = |(known, shares): (Arc<Memory>, Option<Shares>)| {
            let judgement = statement::judge(&known.text, &memory.text, shares?);
            Some((known, judgement))
        };
        found.into_iter().zip(shares).filter_map(judge).collect()
    }
}
