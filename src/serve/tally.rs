//! What the daemon counts about its own answers: one row of counters a route, touched without any lock.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::http::StatusCode;

use super::routes::ROUTES;

/// Answers that belong to no route: unknown paths and wrong methods.
const STRAY: &str = "other";

#[derive(Debug)]
pub(super) struct Tally {
    rows: Vec<Row>,
    pub(super) connections: AtomicU64,
    pub(super) accepted: AtomicU64,
    pub(super) refused: AtomicU64,
}

#[derive(Debug, Default)]
struct Row {
    by_class: [AtomicU64; 5],
    nanoseconds: AtomicU64,
}

/// One row, read.
pub(super) struct Count {
    pub(super) method: &'static str,
    pub(super) route: &'static str,
    /// Answers of 1xx to 5xx.
    pub(super) by_class: [u64; 5],
    pub(super) seconds: f64,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally {
            rows: (0..=ROUTES.len()).map(|_| Row::default()).collect(),
            connections: AtomicU64::new(0),
            accepted: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }
}

impl Tally {
    pub(super) fn answered(&self, route: usize, status: StatusCode, took: Duration) {
        let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        if let Some(row) = self.rows.get(route) {
            row.by_class[class].fetch_add(1, Relaxed);
            row.nanoseconds.fetch_add(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX), Relaxed);
        }
    }

    pub(super) fn stray(&self, status: StatusCode) {
        self.answered(ROUTES.len(), status, Duration::ZERO);
    }

    /// The rows that have counted anything.
    pub(super) fn counts(&self) -> impl Iterator<Item = Count> {
        let names = ROUTES.iter().map(|route| (route.verb.as_str(), route.path)).chain([("*", STRAY)]);
        self.rows.iter().zip(names).filter_map(|(row, (method, route))| {
            let by_class = std::array::from_fn(|class| row.by_class[class].load(Relaxed));
            let seconds = row.nanoseconds.load(Relaxed) as f64 / 1e9;
            by_class.iter().any(|count| *count > 0).then_some(Count { method, route, by_class, seconds })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_counted_by_route_and_class() {
        let tally = Tally::default();
        tally.answered(0, StatusCode::OK, Duration::from_millis(5));
        tally.answered(0, StatusCode::NOT_FOUND, Duration::from_millis(5));
        tally.stray(StatusCode::NOT_FOUND);
        let counts: Vec<Count> = tally.counts().collect();
        assert_eq!(counts.len(), 2);
        assert_eq!((counts[0].route, counts[0].by_class), (ROUTES[0].path, [0, 1, 0, 1, 0]));
        assert!((counts[0].seconds - 0.01).abs() < 1e-9);
        assert_eq!((counts[1].route, counts[1].by_class), (STRAY, [0, 0, 0, 1, 0]));
    }
}
