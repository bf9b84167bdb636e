//! One memory against the test server: who was there first, who came between, and what is tried again.

use std::cell::RefCell;

use lokid_testing::stores::{Fault, StoreServer};

use super::*;

struct Lab {
    server: StoreServer,
    stores: Stores,
    store: String,
    conflicts: RefCell<Vec<String>>,
}

impl Lab {
    fn new() -> Lab {
        let server = StoreServer::new();
        let mut managed = lokid_config::Config::default().managed;
        managed.base_url = server.url();
        let key = lokid_sys::https::Secret::new(StoreServer::KEY).unwrap();
        let stores = Stores::new(&managed, key).unwrap();
        let store = server.new_store("mine");
        Lab { server, stores, store, conflicts: RefCell::default() }
    }

    fn send(&self, content: &str, known: Option<&There>) -> Result<Sent, ApiError> {
        let note = |_: &str, error: &ApiError| self.conflicts.borrow_mut().push(error.reason().to_owned());
        let shadow = Shadow { stores: &self.stores, store: &self.store, on_conflict: &note };
        shadow.send(&projected(content), known, &|_| false)
    }

    #[track_caller]
    fn stands(&self, content: &str, known: Option<&There>) -> (There, &'static str) {
        match self.send(content, known) {
            Ok(Sent::Stands { there, how, .. }) => (there, how),
            other => panic!("{other:?}"),
        }
    }

    fn there(&self) -> Value {
        serde_json::from_str(&self.server.content(&self.store, PATH).unwrap()).unwrap()
    }
}

const PATH: &str = "/episodic/2026-11-17/t.json";
const BESIDE: &str = "/episodic/2026-11-17/t-0a.json";

fn projected(content: &str) -> Projected {
    let sha256 = mapping::sha256(content);
    Projected { paths: [PATH.to_owned(), BESIDE.to_owned()], content: content.to_owned(), sha256 }
}

fn record(rest: &str) -> String {
    format!(r#"{{"id":"ep-1","timestamp":"2026-11-17T00:00:00Z"{rest}}}"#)
}

#[test]
fn created_then_updated_and_the_same_again_is_a_success() {
    let lab = Lab::new();
    let (there, how) = lab.stands(&record(""), None);
    assert_eq!(how, "created");
    let newer = record(r#","goal":"b""#);
    assert_eq!(lab.stands(&newer, Some(&there)).1, "updated");
    // The answer was lost: the hash is stale, and what is sent stands there already.
    assert_eq!(lab.stands(&newer, Some(&there)).1, "updated");
    assert_eq!((lab.server.all(&lab.store).len(), lab.conflicts.borrow().len()), (1, 0));
}

#[test]
fn a_create_whose_answer_was_lost_is_found_and_not_made_twice() {
    let lab = Lab::new();
    lab.server.fail(1, "POST", "/memories", Fault::LostAnswer);
    assert!(matches!(lab.send(&record(""), None), Err(ApiError::Unreachable(_) | ApiError::BadAnswer(_))));
    assert_eq!(lab.stands(&record(""), None).1, "unchanged");
    assert_eq!(lab.server.all(&lab.store).len(), 1);
}

#[test]
fn what_somebody_else_changed_meanwhile_is_put_together() {
    let lab = Lab::new();
    let (there, _) = lab.stands(&record(r#","goal":"a","phase":"x""#), None);
    lab.server.put(&lab.store, PATH, &record(r#","goal":"a","phase":"theirs""#));
    let (_, how) = lab.stands(&record(r#","goal":"ours","phase":"x""#), Some(&there));
    assert_eq!((how, lab.conflicts.borrow().clone()), ("merged", vec!["precondition_failed".to_owned()]));
    assert_eq!((lab.there()["goal"].as_str(), lab.there()["phase"].as_str()), (Some("ours"), Some("theirs")));
}

#[test]
fn after_the_second_conflict_it_is_given_up_and_theirs_stays() {
    let lab = Lab::new();
    let (there, _) = lab.stands(&record(""), None);
    lab.server.fail(2, "POST", &there.memory, Fault::Conflict("memory_precondition_failed_error"));
    let sent = lab.send(&record(r#","goal":"ours""#), Some(&there)).unwrap();
    assert!(matches!(sent, Sent::GivenUp { reason: "precondition_failed", .. }), "{sent:?}");
    assert_eq!(lab.conflicts.borrow().len(), 2);
    assert_eq!(lab.there()["goal"], Value::Null);
}

#[test]
fn a_path_that_is_somebody_elses_is_left_to_them() {
    let lab = Lab::new();
    lab.server.put(&lab.store, PATH, r#"{"id":"ep-1","timestamp":"2020-01-01T00:00:00Z"}"#);
    lab.stands(&record(""), None);
    let paths: Vec<String> = lab.server.all(&lab.store).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, [BESIDE, PATH], "in the order of paths");
    assert!(lab.there()["timestamp"].as_str().unwrap().starts_with("2020"));
}

#[test]
fn a_wiped_store_is_written_again_and_a_missing_one_is_an_error() {
    let lab = Lab::new();
    let (there, _) = lab.stands(&record(""), None);
    lab.server.wipe(&lab.store);
    assert_eq!(lab.stands(&record(r#","goal":"b""#), Some(&there)).1, "created");
    let gone = Lab { store: "memstore_gone".to_owned(), ..lab };
    assert_eq!(gone.send(&record(""), None), Err(ApiError::NotFound));
}

#[test]
fn what_is_refused_for_good_is_an_outcome_and_what_passes_an_error() {
    let lab = Lab::new();
    for (status, passes) in [(400, false), (413, false), (429, true), (500, true), (529, true), (401, true)] {
        lab.server.fail(1, "POST", "/memories", Fault::Status(status, Vec::new()));
        let sent = lab.send(&record(""), None);
        assert_eq!(matches!(&sent, Err(error) if error.passes()), passes, "{status}: {sent:?}");
        assert_eq!(matches!(&sent, Ok(Sent::Refused { .. })), !passes, "{status}: {sent:?}");
    }
    assert!(lab.server.all(&lab.store).is_empty());
}

#[test]
fn what_is_taken_back_is_gone_with_its_history_where_that_is_asked_for() {
    let lab = Lab::new();
    let (first, _) = lab.stands(&record(r#","goal":"a""#), None);
    let (there, _) = lab.stands(&record(r#","goal":"b""#), Some(&first));
    let shadow = Shadow { stores: &lab.stores, store: &lab.store, on_conflict: &|_, _| {} };
    // With a stale hash, too: somebody else wrote into it.
    lab.server.put(&lab.store, PATH, &record(r#","goal":"c""#));
    shadow.remove(&there).unwrap();
    shadow.remove(&there).unwrap();
    assert!(lab.server.versions(&lab.store).iter().any(|version| !version["content"].is_null()));
    shadow.erase_history(&there.memory).unwrap();
    assert!(lab.server.all(&lab.store).is_empty());
    let told = lab.server.versions(&lab.store);
    assert!(told.len() >= 4 && told.iter().all(|version| version["content"].is_null()), "{told:#?}");
}

#[test]
fn a_server_that_never_answers_is_given_up_in_time() {
    let mut lab = Lab::new();
    lab.stores.patience(std::time::Duration::from_millis(200));
    lab.server.fail(1, "POST", "/memories", Fault::Held);
    assert_eq!(lab.send(&record(""), None), Err(ApiError::Unreachable("no answer in time".to_owned())));
    lab.server.release();
    lab.stores.patience(limits::CALL);
    // It was done all the same.
    assert_eq!(lab.stands(&record(""), None).1, "unchanged");
    assert_eq!(lab.server.all(&lab.store).len(), 1);
}
