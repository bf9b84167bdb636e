//! The file at hand: what is at home in it, in its symbols, in the files that go with it and in its folder, and what
//! went wrong in it lately.

use super::evidence::Evidence;
use super::home;
use super::pool::Pool;
use lokid_index::places::{folder_of, plain_path};
use lokid_model::{Body, Memory, Timestamp, time};

const MOST_RELATED: usize = 12;
const MOST_RECENT: usize = 5;
const MOST_SYMBOLS: usize = 64;
const MOST_OF_A_SYMBOL: usize = 8;
/// Folders above the file that may be anchors themselves.
const MOST_ABOVE: usize = 4;

pub(super) fn look(pool: &mut Pool<'_>) {
    let clues = pool.clues;
    if let Some(file) = clues.file.as_deref().map(plain_path).filter(|file| !file.is_empty()) {
        anchored(pool, file);
        // What was learnt before a move is found by today's name, too.
        if let Some(today) = pool.sources.cochange.stats(file).map(|stats| stats.path).filter(|today| *today != file) {
            anchored(pool, today);
        }
        symbols(pool, file);
        folders(pool, file);
    }
    let (snapshot, namespace) = (pool.sources.snapshot, &pool.filter.namespace);
    for related in clues.related.iter().take(MOST_RELATED) {
        for (memory, says) in home::residents_elsewhere(snapshot, &related.path, namespace) {
            pool.add(memory, Evidence::Related, says * related.score, || home::why(memory, &related.path));
        }
    }
    for (rank, path) in clues.recent.iter().take(MOST_RECENT).enumerate() {
        for (memory, says) in home::residents_elsewhere(snapshot, path, namespace) {
            let strength = says / (1.0 + 0.4 * rank as f64);
            pool.add(memory, Evidence::Recent, strength, || home::why(memory, path));
        }
    }
}

fn anchored(pool: &mut Pool<'_>, file: &str) {
    let at = pool.at;
    for (memory, says) in home::residents(pool.sources.snapshot, file, &pool.filter.namespace) {
        pool.add(memory, Evidence::Anchored, says, || home::why(memory, file));
        if tells_of_error(memory) {
            pool.add(memory, Evidence::ErrorPlace, freshness(memory, at), || format!("an error seen in {file}"));
        }
    }
}

/// A name alone may belong to many things: it counts in full where the memory is at home nearby, or nowhere.
fn symbols(pool: &mut Pool<'_>, file: &str) {
    let (snapshot, namespace) = (pool.sources.snapshot, &pool.filter.namespace);
    for symbol in pool.clues.symbols.iter().take(MOST_SYMBOLS) {
        let own = snapshot.anchored_to_symbol(symbol).filter(|memory| memory.namespace == *namespace);
        for memory in own.take(MOST_OF_A_SYMBOL) {
            let is_here = |other: &String| folder_of(plain_path(other)) == folder_of(file);
            let is_near = memory.anchors.files.is_empty() || memory.anchors.files.iter().any(is_here);
            let strength = if is_near { 1.0 } else { 0.4 };
            pool.add(memory, Evidence::Symbol, strength, || format!("anchored to {symbol}"));
        }
    }
}

/// The nearer the folder, the more it says. A folder may also be an anchor itself.
fn folders(pool: &mut Pool<'_>, file: &str) {
    let (snapshot, namespace) = (pool.sources.snapshot, &pool.filter.namespace);
    let above = std::iter::successors(folder_of(file), |folder| folder_of(folder));
    for (depth, folder) in above.take(MOST_ABOVE).enumerate() {
        let nearness = 1.0 / (1.0 + depth as f64);
        for (memory, says) in home::residents_elsewhere(snapshot, folder, namespace) {
            pool.add(memory, Evidence::Related, says * nearness, || format!("about {folder}/"));
        }
    }
    if let Some(folder) = folder_of(file) {
        for (memory, says) in home::neighbours(snapshot, folder, namespace) {
            pool.add(memory, Evidence::Folder, says, || format!("from {folder}/"));
        }
    }
}

pub(crate) fn tells_of_error(memory: &Memory) -> bool {
    let by_body = matches!(&memory.body, Body::Learning(learning) if !learning.fingerprint.is_empty());
    by_body || memory.tags.iter().any(|tag| tag == "error")
}

/// 1 within a day, then less and less: half of it after a week.
pub(super) fn freshness(memory: &Memory, now: Timestamp) -> f64 {
    let age = now.as_micros().saturating_sub(memory.times.updated_at.as_micros()).max(0);
    let days = (age as f64 / time::DAY as f64 - 1.0).max(0.0);
    1.0 / (1.0 + days / 6.0)
}
