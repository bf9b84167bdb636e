//! The counters of one session, or of all, and the figures that follow from them. A figure that cannot be told is
//! absent, never zero or full marks.

use serde_json::{Map, Value};

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// What was counted. Every counter stops at its end instead of starting over.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Counts { $($(#[$doc])* pub $name: u64),+ }

        impl Counts {
            pub(super) fn add(&mut self, more: &Counts) {
                $(self.$name = self.$name.saturating_add(more.$name);)+
            }

            pub(super) fn to_value(&self) -> Value {
                let mut map = Map::new();
                $(if self.$name > 0 { map.insert(stringify!($name).to_owned(), self.$name.into()); })+
                Value::Object(map)
            }

            pub(super) fn from_value(value: &Value) -> Counts {
                let count = |name: &str| value.get(name).and_then(Value::as_u64).unwrap_or_default();
                Counts { $($name: count(stringify!($name))),+ }
            }
        }
    };
}

counters! {
    /// Reads of the index of topics.
    layer1_loads,
    layer1_tokens,
    /// Reads of the timeline.
    layer2_loads,
    /// What of the timeline was handed out …
    layer2_tokens_scanned,
    /// … and how long it was in all, summed over the reads.
    layer2_tokens_available,
    /// Memories read in full.
    layer3_loads,
    layer3_tokens,
    searches,
    /// The lists that searches answered with.
    search_tokens,
    /// All that was handed out unasked …
    injected_tokens,
    /// … and the part of it that was whole memories.
    injected_full_tokens,
    cache_hits,
    cache_misses,
    tasks,
    /// Memories handed out unasked, those an answer said it applied, and those that a session ended without.
    given,
    cited,
    ignored,
    /// Failures of which something was known, and those where it was said.
    errors_met,
    errors_answered,
    /// What did not have to be read again, as whoever saw it reported.
    avoided_tokens,
    /// What loading the whole store would have cost; for all sessions, once each.
    full_load_tokens,
}

impl Counts {
    /// Spent on finding out what there is.
    pub fn discovery_tokens(&self) -> u64 {
        self.layer1_tokens.saturating_add(self.layer2_tokens_scanned).saturating_add(self.search_tokens)
    }

    /// Spent on memories themselves, at full length.
    pub fn read_tokens(&self) -> u64 {
        self.layer3_tokens.saturating_add(self.injected_full_tokens)
    }

    /// Everything memory put into the context.
    pub fn spent_tokens(&self) -> u64 {
        self.discovery_tokens().saturating_add(self.layer3_tokens).saturating_add(self.injected_tokens)
    }

    /// Discovery for each token read.
    pub fn ratio(&self) -> Option<f64> {
        let read = self.read_tokens();
        (read > 0).then(|| self.discovery_tokens() as f64 / read as f64)
    }

    /// In percent of loading everything; below zero when that had been cheaper.
    pub fn savings_vs_full_load(&self) -> Option<f64> {
        percent_saved(self.full_load_tokens, self.spent_tokens())
    }

    /// In percent of what would have been read again; below zero when that had been cheaper.
    pub fn savings_vs_rereading(&self) -> Option<f64> {
        percent_saved(self.avoided_tokens, self.spent_tokens())
    }

    /// What loading everything had cost more.
    pub fn tokens_saved(&self) -> i64 {
        difference(self.full_load_tokens, self.spent_tokens())
    }

    /// What memory gave back beyond its own cost.
    pub fn net_tokens_saved(&self) -> i64 {
        difference(self.avoided_tokens, self.spent_tokens())
    }

    /// The share of the timeline that was handed out, where it is long enough for that to matter.
    pub fn timeline_share(&self) -> Option<f64> {
        let a_read = self.layer2_tokens_scanned.checked_div(self.layer2_loads)?;
        (a_read > SHORT_TIMELINE && self.layer2_tokens_available > 0)
            .then(|| self.layer2_tokens_scanned as f64 / self.layer2_tokens_available as f64)
    }

    /// Something was applied, or at least as much reading was saved as memory cost.
    pub fn pays(&self) -> bool {
        self.cited > 0 || self.net_tokens_saved() >= 0
    }
}

/// A read of up to so many tokens is cheap, and so it may well be the whole timeline.
const SHORT_TIMELINE: u64 = 100;

fn percent_saved(instead_of: u64, spent: u64) -> Option<f64> {
    (instead_of > 0).then(|| (instead_of as f64 - spent as f64) / instead_of as f64 * 100.0)
}

fn difference(one: u64, other: u64) -> i64 {
    let exact = i128::from(one) - i128::from(other);
    exact.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}
