//! Readings against the server of the tests: what is fetched, what is not fetched again, and what is left where the time is
//! over or the server fails.

use std::cell::Cell;

use lokid_config::Config;
use lokid_model::clean::AsItIs;
use lokid_sys::https::Secret;
use lokid_testing::stores::{Fault, StoreServer};
use serde_json::json;

use super::*;

const PATTERNS: &[&str] = &["/patterns/"];

struct Shelf {
    server: StoreServer,
    store: String,
    stores: Stores,
    layer: Layer,
}

impl Shelf {
    fn new() -> Shelf {
        let server = StoreServer::new();
        let config = format!("[managed]\nbase_url = \"{}\"", server.url());
        let key = Secret::new(StoreServer::KEY).unwrap();
        let stores = Stores::new(&Config::parse(&config).unwrap().managed, key).unwrap();
        Shelf { store: server.new_store("shared"), server, stores, layer: Layer::default() }
    }

    fn put(&self, number: usize, text: &str) {
        let id = format!("pat-{number:03}");
        let record = json!({"id": id, "kind": "pattern", "text": text}).to_string();
        self.server.put(&self.store, &format!("/patterns/{id}.json"), &record);
    }

    fn read(&mut self, folders: &[&str], is_local: &dyn Fn(&str) -> bool) -> Reading {
        let source = Source { owner: Owner::Organisation, store: &self.store, folders };
        read(&mut self.stores, &mut self.layer, &[source], is_local, &|| Some(Duration::from_secs(5)))
    }

    fn texts(&self) -> Vec<String> {
        self.layer.memories(&AsItIs, &|_| false).into_iter().map(|memory| memory.text).collect()
    }
}

#[test]
fn a_new_folder_comes_whole_and_nothing_of_it_twice() {
    let mut shelf = Shelf::new();
    (0..45).for_each(|number| shelf.put(number, "one"));
    let first = shelf.read(PATTERNS, &|_| false);
    assert_eq!(first, Reading { fetched: 45, ended: Ended::Whole });
    assert_eq!(shelf.server.count("GET", "/memories"), 3, "three pages with contents");
    let again = shelf.read(PATTERNS, &|_| false);
    assert_eq!((again.fetched, shelf.server.count("GET", "/memories")), (0, 4), "one page without");
    shelf.put(7, "two");
    let changed = shelf.read(PATTERNS, &|_| false);
    assert_eq!((changed.fetched, shelf.server.count("GET", "/memories/")), (1, 1), "the one that is another now");
    assert!(shelf.texts()[7].ends_with("two"));
}

#[test]
fn what_is_known_here_is_not_fetched_and_what_is_gone_there_goes() {
    let mut shelf = Shelf::new();
    (0..3).for_each(|number| shelf.put(number, "one"));
    shelf.read(PATTERNS, &|_| false);
    shelf.put(3, "one");
    let local = |path: &str| path == "/patterns/pat-003.json";
    assert_eq!(shelf.read(PATTERNS, &local).fetched, 0);
    shelf.server.wipe(&shelf.store);
    assert_eq!(shelf.read(PATTERNS, &|_| false).ended, Ended::Whole);
    assert!(shelf.layer.is_empty());
}

#[test]
fn what_came_before_a_failure_or_the_end_of_the_time_is_kept() {
    let mut shelf = Shelf::new();
    (0..30).for_each(|number| shelf.put(number, "one"));
    shelf.server.fail(1, "GET", "/memories", Fault::Late(Duration::ZERO));
    shelf.server.fail(1, "GET", "/memories", Fault::Status(500, Vec::new()));
    let failed = shelf.read(PATTERNS, &|_| false);
    assert_eq!(failed, Reading { fetched: 20, ended: Ended::Failed(ApiError::Server(500)) });
    let turns = Cell::new(0);
    let source = Source { owner: Owner::Organisation, store: &shelf.store, folders: PATTERNS };
    let left = || (turns.replace(turns.get() + 1) < 5).then_some(Duration::from_secs(5));
    let late = read(&mut shelf.stores, &mut shelf.layer, &[source], &|_| false, &left);
    assert_eq!(late, Reading { fetched: 4, ended: Ended::Late });
    assert_eq!(shelf.read(PATTERNS, &|_| false), Reading { fetched: 6, ended: Ended::Whole });
    assert_eq!(shelf.texts().len(), 30);
}

#[test]
fn a_call_that_takes_the_rest_of_the_time_is_late_and_no_failure() {
    let mut shelf = Shelf::new();
    shelf.server.fail(1, "GET", "/memories", Fault::Held);
    let source = Source { owner: Owner::Organisation, store: &shelf.store, folders: PATTERNS };
    let clock = lokid_sys::Clock::system();
    let began = clock.monotonic();
    let left = || Duration::from_millis(300).checked_sub(clock.monotonic().saturating_duration_since(began));
    let late = read(&mut shelf.stores, &mut shelf.layer, &[source], &|_| false, &left);
    assert_eq!(late, Reading { fetched: 0, ended: Ended::Late });
}

#[test]
fn of_episodes_the_last_days_are_read() {
    let mut shelf = Shelf::new();
    for day in 1..=20 {
        let id = format!("ep-{day:02}");
        let record = json!({"id": id, "kind": "episode", "text": "went well"}).to_string();
        shelf.server.put(&shelf.store, &format!("/episodic/2026-11-{day:02}/{id}.json"), &record);
    }
    assert_eq!(shelf.read(OWN, &|_| false), Reading { fetched: RECENT_DAYS, ended: Ended::Whole });
    let first = shelf.layer.memories(&AsItIs, &|_| false).remove(0);
    assert_eq!(first.id.as_str(), "ep-07");
}

#[test]
fn a_server_that_talks_nonsense_or_is_away_leaves_the_layer_as_it_is() {
    let mut shelf = Shelf::new();
    shelf.put(1, "one");
    shelf.read(PATTERNS, &|_| false);
    let before = shelf.layer.clone();
    for fault in [Fault::HalfBody, Fault::HangUp, Fault::Nonsense("[]".into()), Fault::Status(401, Vec::new())] {
        shelf.server.fail(1, "GET", "/memories", fault);
        assert!(matches!(shelf.read(PATTERNS, &|_| false).ended, Ended::Failed(_)));
    }
    shelf.server.stop();
    assert!(matches!(shelf.read(PATTERNS, &|_| false).ended, Ended::Failed(ApiError::Unreachable(_))));
    assert_eq!(shelf.layer, before);
}
