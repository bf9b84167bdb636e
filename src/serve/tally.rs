//! What the daemon counts about its own answers: one row a route.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use axum::http::StatusCode;
use parking_lot::Mutex;

#[derive(Debug, Default)]
pub(super) struct Tally {
    /// By method and path; never held for longer than it takes to count.
    rows: Mutex<BTreeMap<(&'static str, &'static str), Count>>,
    pub(super) connections: AtomicU64,
    pub(super) accepted: AtomicU64,
    pub(super) refused: AtomicU64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Count {
    /// Answers of 1xx to 5xx.
    pub(super) by_class: [u64; 5],
    pub(super) took: Duration,
}

impl Tally {
    pub(super) fn answered(&self, method: &'static str, route: &'static str, status: StatusCode, took: Duration) {
        let mut rows = self.rows.lock();
        let row = rows.entry((method, route)).or_default();
        row.by_class[usize::from(status.as_u16() / 100).clamp(1, 5) - 1] += 1;
        row.took = row.took.saturating_add(took);
    }

    pub(super) fn counts(&self) -> BTreeMap<(&'static str, &'static str), Count> {
        self.rows.lock().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_counted_by_route_and_class() {
        let tally = Tally::default();
        tally.answered("GET", "/health", StatusCode::OK, Duration::from_millis(5));
        tally.answered("GET", "/health", StatusCode::NOT_FOUND, Duration::from_millis(5));
        tally.answered("*", "other", StatusCode::NOT_FOUND, Duration::ZERO);
        let counts: Vec<_> = tally.counts().into_iter().collect();
        let (name, count) = &counts[1];
        assert_eq!((*name, count.by_class), (("GET", "/health"), [0, 1, 0, 1, 0]));
        assert_eq!(count.took, Duration::from_millis(10));
        assert_eq!((counts.len(), counts[0].1.by_class), (2, [0, 0, 0, 1, 0]));
    }
}
