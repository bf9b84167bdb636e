//! Who spent what: an account a session and one for all of them together. It counts and does not judge.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::counts::Counts;
use crate::session::session_name;
use lokid_model::Timestamp;

/// The account of requests that name no session.
pub const NOBODY: &str = "(no session)";

const MOST_SESSIONS: usize = 512;
const MOST_DAYS: usize = 400;
const MOST_TOPICS: usize = 64;
/// In characters, for agents and topics alike.
const LONGEST_NAME: usize = 200;

/// Something that cost or saved tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Entry<'a> {
    /// Layer one was read.
    Index {
        tokens: u64,
    },
    /// Layer two was read: what was handed out, of how much there is.
    Timeline {
        scanned: u64,
        available: u64,
    },
    /// A search answered with a list.
    Search {
        tokens: u64,
    },
    /// A memory was read in full, as layer three.
    Full {
        tokens: u64,
        topic: &'a str,
    },
    /// Handed out unasked: in all, and the part that was whole memories.
    Injected {
        tokens: u64,
        full: u64,
    },
    /// Something asked for had been fetched before …
    CacheHit,
    /// … or had not.
    CacheMiss,
    TaskDone,
    /// So many memories were said to be applied.
    Cited {
        memories: u64,
    },
    /// So many were handed out unasked.
    Given {
        memories: u64,
    },
    /// So many were handed out in a session and not applied until its end.
    Ignored {
        memories: u64,
    },
    /// Failures of which something was known …
    ErrorsMet {
        errors: u64,
    },
    /// … and where it was said.
    ErrorsAnswered {
        errors: u64,
    },
    /// Files that did not have to be read again. Only what somebody measured.
    AvoidedReading {
        tokens: u64,
    },
    /// How much loading the whole store would cost now.
    FullLoad {
        tokens: u64,
    },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Of all sessions ever, also those that are no longer listed.
    total: Counts,
    since: Option<Timestamp>,
    accounts: BTreeMap<String, Account>,
    /// What of all that was counted on which day, in UTC.
    days: BTreeMap<String, DayCounts>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DayCounts {
    /// That were heard of on this day.
    pub(super) sessions: u64,
    pub(super) counts: Counts,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Account {
    agent: String,
    started: Timestamp,
    seen: Timestamp,
    counts: Counts,
    /// How often memories of a topic were read in full.
    topics: BTreeMap<String, u64>,
}

/// One account as it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LedgerView {
    /// Absent for all sessions together.
    pub session: Option<String>,
    pub agent: String,
    pub started: Timestamp,
    pub counts: Counts,
    pub topics: BTreeMap<String, u64>,
}

impl LedgerView {
    /// Is there no account of this session?
    pub fn is_unknown(&self) -> bool {
        self.started == Timestamp::default()
    }
}

impl Ledger {
    /// Opens an account. One that is open already only learns its agent.
    pub fn begin(&mut self, session: &str, agent: &str, now: Timestamp) {
        let account = self.account(session, now);
        if account.agent.is_empty() {
            account.agent = name(agent);
        }
    }

    pub fn record(&mut self, session: &str, entry: Entry<'_>, now: Timestamp) {
        let account = self.account(session, now);
        let mut more = Counts::default();
        match entry {
            Entry::Index { tokens } => (more.layer1_loads, more.layer1_tokens) = (1, tokens),
            Entry::Timeline { scanned, available } => {
                more.layer2_loads = 1;
                more.layer2_tokens_scanned = scanned;
                more.layer2_tokens_available = available.max(scanned);
            }
            Entry::Search { tokens } => (more.searches, more.search_tokens) = (1, tokens),
            Entry::Full { tokens, topic } => {
                (more.layer3_loads, more.layer3_tokens) = (1, tokens);
                account.load_topic(topic);
            }
            Entry::Injected { tokens, full } => {
                (more.injected_tokens, more.injected_full_tokens) = (tokens, full.min(tokens));
            }
            Entry::CacheHit => more.cache_hits = 1,
            Entry::CacheMiss => more.cache_misses = 1,
            Entry::TaskDone => more.tasks = 1,
            Entry::Cited { memories } => more.cited = memories,
            Entry::Given { memories } => more.given = memories,
            Entry::Ignored { memories } => more.ignored = memories,
            Entry::ErrorsMet { errors } => more.errors_met = errors,
            Entry::ErrorsAnswered { errors } => more.errors_answered = errors,
            Entry::AvoidedReading { tokens } => more.avoided_tokens = tokens,
            // A session could load the store once; a store that grows meanwhile only raises that price.
            Entry::FullLoad { tokens } => {
                more.full_load_tokens = tokens.saturating_sub(account.counts.full_load_tokens);
            }
        }
        account.counts.add(&more);
        self.total.add(&more);
        self.day(now).counts.add(&more);
    }

    /// The days from this one on, the last first.
    pub(super) fn since(&self, day: &str) -> impl Iterator<Item = (&String, &DayCounts)> {
        self.days.range(day.to_owned()..).rev()
    }

    fn day(&mut self, now: Timestamp) -> &mut DayCounts {
        let day = now.day();
        if !self.days.contains_key(&day) && self.days.len() >= MOST_DAYS {
            self.days.pop_first();
        }
        self.days.entry(day).or_default()
    }

    /// The account of a session, or of all of them.
    pub fn view(&self, session: Option<&str>) -> LedgerView {
        let Some(session) = session else {
            let started = self.since.unwrap_or_default();
            return LedgerView { started, counts: self.total.clone(), ..LedgerView::default() };
        };
        let session = session_name(session);
        let account = self.accounts.get(&session).cloned().unwrap_or_default();
        let Account { agent, started, counts, topics, .. } = account;
        LedgerView { session: Some(session), agent, started, counts, topics }
    }

    pub fn sessions(&self) -> impl Iterator<Item = &str> {
        self.accounts.keys().map(String::as_str)
    }

    pub fn to_value(&self) -> Value {
        let sessions: Map<String, Value> =
            self.accounts.iter().map(|(id, account)| (id.clone(), account.to_value())).collect();
        let day = |(day, known): (&String, &DayCounts)| {
            (day.clone(), json!({"sessions": known.sessions, "counts": known.counts.to_value()}))
        };
        let days: Map<String, Value> = self.days.iter().map(day).collect();
        json!({
            "version": 1,
            "since": self.since.map(Timestamp::record_style),
            "total": self.total.to_value(),
            "sessions": sessions,
            "days": days,
        })
    }

    /// A broken account costs only itself.
    pub fn from_value(value: &Value) -> Ledger {
        let mut ledger = Ledger {
            total: value.get("total").map(Counts::from_value).unwrap_or_default(),
            since: value.get("since").and_then(Value::as_str).and_then(Timestamp::parse),
            accounts: BTreeMap::new(),
            days: BTreeMap::new(),
        };
        for (day, known) in value.get("days").and_then(Value::as_object).into_iter().flatten() {
            if Timestamp::parse(day).is_some_and(|at| at.day() == *day) {
                let sessions = known.get("sessions").and_then(Value::as_u64).unwrap_or_default();
                let counts = known.get("counts").map(Counts::from_value).unwrap_or_default();
                ledger.days.insert(day.clone(), DayCounts { sessions, counts });
            }
        }
        while ledger.days.len() > MOST_DAYS {
            ledger.days.pop_first();
        }
        for (id, account) in value.get("sessions").and_then(Value::as_object).into_iter().flatten() {
            if let Some(account) = Account::from_value(account) {
                ledger.accounts.insert(session_name(id), account);
            }
        }
        while ledger.accounts.len() > MOST_SESSIONS {
            ledger.drop_oldest();
        }
        ledger
    }

    fn account(&mut self, session: &str, now: Timestamp) -> &mut Account {
        let session = session_name(session);
        self.since.get_or_insert(now);
        let is_known_today = self.accounts.get(&session).is_some_and(|known| known.seen.day() >= now.day());
        if !is_known_today && session != NOBODY {
            self.day(now).sessions += 1;
        }
        if !self.accounts.contains_key(&session) && self.accounts.len() >= MOST_SESSIONS {
            self.drop_oldest();
        }
        let account =
            self.accounts.entry(session).or_insert_with(|| Account { started: now, seen: now, ..Account::default() });
        account.seen = account.seen.max(now);
        account
    }

    fn drop_oldest(&mut self) {
        let oldest = self.accounts.iter().min_by_key(|(id, account)| (account.seen, *id)).map(|(id, _)| id.clone());
        oldest.map(|id| self.accounts.remove(&id));
    }
}

impl Account {
    fn load_topic(&mut self, topic: &str) {
        let topic = name(topic);
        if !topic.is_empty() && (self.topics.len() < MOST_TOPICS || self.topics.contains_key(&topic)) {
            let loads = self.topics.entry(topic).or_default();
            *loads = loads.saturating_add(1);
        }
    }

    fn to_value(&self) -> Value {
        json!({
            "agent": self.agent,
            "started_at": self.started.record_style(),
            "last_seen": self.seen.record_style(),
            "counts": self.counts.to_value(),
            "topics": self.topics,
        })
    }

    fn from_value(value: &Value) -> Option<Account> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let time = |name: &str| text(name).and_then(Timestamp::parse);
        let topics = value.get("topics").and_then(Value::as_object).into_iter().flatten();
        Some(Account {
            agent: name(text("agent").unwrap_or_default()),
            started: time("started_at")?,
            seen: time("last_seen")?,
            counts: value.get("counts").map(Counts::from_value).unwrap_or_default(),
            topics: topics
                .filter_map(|(topic, loads)| Some((name(topic), loads.as_u64()?)))
                .take(MOST_TOPICS)
                .collect(),
        })
    }
}

fn name(text: &str) -> String {
    text.chars().take(LONGEST_NAME).collect()
}
