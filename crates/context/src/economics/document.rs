//! `token_economics.json`: an account in the form Loki Mode and its readers know.

use serde_json::{Map, Value, json};

use super::ledger::{DayCounts, Ledger, LedgerView};
use super::thresholds::{Action, Checkpoint, rounded};

/// The name of the account of all sessions.
const ALL: &str = "all";

impl Ledger {
    /// The account of a session, or of all, as a document.
    pub fn document(&self, session: Option<&str>) -> Map<String, Value> {
        self.view(session).document()
    }

    /// The account of all, day by day, from this day on; the last one first, and none on which nothing happened.
    pub fn days(&self, since: &str) -> Vec<Value> {
        let told = |(day, known): (&String, &DayCounts)| {
            let counts = &known.counts;
            json!({
                "day": day,
                "sessions": known.sessions,
                "spent_tokens": counts.spent_tokens(),
                "saved_vs_full_load": counts.tokens_saved(),
                "saved_vs_rereading": counts.net_tokens_saved(),
                "given": counts.given,
                "cited": counts.cited,
                "ignored": counts.ignored,
                "prefetch_hits": counts.cache_hits,
                "prefetch_misses": counts.cache_misses,
                "errors_met": counts.errors_met,
                "errors_answered": counts.errors_answered,
            })
        };
        self.since(since).map(told).collect()
    }
}

impl LedgerView {
    /// Figures that cannot be told yet are written as 0, which every reader can compare.
    pub fn document(&self) -> Map<String, Value> {
        let counts = &self.counts;
        let ratio = rounded(counts.ratio().unwrap_or_default());
        let saved = counts.savings_vs_full_load();
        let triggered: Vec<Value> = self.check(Checkpoint::SessionEnd).iter().map(Action::to_value).collect();
        let document = json!({
            "session_id": self.session.as_deref().unwrap_or(ALL),
            "started_at": self.started.envelope_style(),
            "metrics": {
                "discovery_tokens": counts.discovery_tokens(),
                "read_tokens": counts.read_tokens(),
                "ratio": ratio,
                "savings_vs_full_load": percent(saved),
                "layer1_loads": counts.layer1_loads,
                "layer2_loads": counts.layer2_loads,
                "layer3_loads": counts.layer3_loads,
                "cache_hits": counts.cache_hits,
                "cache_misses": counts.cache_misses,
                "injected_tokens": counts.injected_tokens,
                "memories_cited": counts.cited,
                "tasks": counts.tasks,
            },
            "breakdown": {
                "layer1_loads": counts.layer1_loads,
                "layer1_tokens": counts.layer1_tokens,
                "layer2_loads": counts.layer2_loads,
                "layer2_tokens_scanned": counts.layer2_tokens_scanned,
                "layer2_tokens_available": counts.layer2_tokens_available,
                "layer3_loads": counts.layer3_loads,
                "layer3_tokens": counts.layer3_tokens,
                "searches": counts.searches,
                "search_tokens": counts.search_tokens,
            },
            "baseline_comparison": {
                "traditional_approach_tokens": counts.full_load_tokens,
                "progressive_approach_tokens": counts.spent_tokens(),
                "tokens_saved": counts.tokens_saved(),
                "avoided_reading_tokens": counts.avoided_tokens,
                "net_tokens_saved": counts.net_tokens_saved(),
                "savings_vs_rereading": percent(counts.savings_vs_rereading()),
            },
            "ratio": ratio,
            "savings_percent": rounded(saved.unwrap_or_default()),
            "thresholds_triggered": triggered,
        });
        match document {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }
}

/// `78%`, as the format has it; below zero for a loss.
fn percent(value: Option<f64>) -> String {
    let value = (value.unwrap_or_default() * 10.0).round() / 10.0;
    // No minus before a zero.
    format!("{}%", if value == 0.0 { 0.0 } else { value })
}
