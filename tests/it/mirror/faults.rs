//! What a broken server does to the mirror, and what it never does: lose something, write it twice, show the key, or make
//! anybody wait.

use std::time::{Duration, Instant};

use lokid_testing::stores::{Fault, StoreServer};
use rustix::process::Signal;

use super::desk::{Desk, episode, with};
use crate::home::Told;

#[test]
fn what_passes_is_tried_again_by_itself_and_nothing_stands_there_twice() {
    let wait = vec![("retry-after", "1".to_owned())];
    let faults = [
        ("busy", Fault::Status(429, wait)),
        ("busy", Fault::Status(529, Vec::new())),
        ("server_error", Fault::Status(500, Vec::new())),
        ("", Fault::HangUp),
        ("", Fault::LostAnswer),
        ("bad_answer", Fault::HalfBody),
        ("bad_answer", Fault::Nonsense("{\"id\": 7".to_owned())),
    ];
    let desk = Desk::new();
    let _daemon = desk.daemon();
    for (at, (reason, fault)) in faults.into_iter().enumerate() {
        let told = desk.events().len();
        desk.server.fail(1, "POST", "/memories", fault.clone());
        desk.import(&[episode(&format!("ep-{at}"), &format!("T-{at}"))]);
        desk.wait_for(|desk| desk.kinds("created") + desk.kinds("unchanged") == at + 1);
        assert_eq!(desk.server.all(&desk.store).len(), at + 1, "{fault:?}");
        let events = desk.events();
        let fallback = events[told..].iter().find(|it| it["type"] == "managed_agents_fallback").unwrap();
        assert!(reason.is_empty() || fallback["reason"] == reason, "{fault:?}: {fallback}");
        assert_eq!(fallback["op"], "shadow_write");
        if matches!(fault, Fault::Status(429, _)) {
            assert!(fallback["retry_in_seconds"].as_f64().unwrap() >= 1.0, "{fallback}");
        }
    }
}

#[test]
fn a_refused_key_and_a_missing_store_wait_for_a_person() {
    let desk = Desk::new();
    desk.server.fail(1, "POST", "", Fault::Status(401, Vec::new()));
    let daemon = desk.daemon();
    desk.import(&[episode("ep-1", "T-1")]);
    assert!(desk.wait_for_fallback("unauthorized")["retry_in_seconds"].as_f64().unwrap() >= 900.0);
    assert_eq!(desk.server.requests().len(), 1, "a key that is refused is not tried again and again");
    drop(daemon);
    let right = desk.store.clone();
    let desk = Desk { store: "memstore_gone".to_owned(), ..desk };
    desk.configure(&desk.server.url(), "");
    let daemon = desk.daemon();
    desk.wait_for_fallback("not_found");
    drop(daemon);
    let desk = Desk { store: right, ..desk };
    desk.configure(&desk.server.url(), "");
    let _daemon = desk.daemon();
    desk.wait_for_mirrored(1);
}

#[test]
fn a_memory_that_is_refused_for_good_waits_for_other_words_and_hinders_no_other() {
    let desk = Desk::new();
    desk.server.fail(1, "POST", "/memories", Fault::Status(413, Vec::new()));
    let daemon = desk.daemon();
    desk.import(&[episode("ep-1", "T-1")]);
    assert_eq!(desk.wait_for_fallback("refused")["id"], "ep-1");
    desk.import(&[episode("ep-2", "T-2")]);
    desk.wait_for_mirrored(1);
    drop(daemon);
    let asked = desk.server.count("POST", "/memories");
    let _daemon = desk.daemon();
    desk.import(&[episode("ep-3", "T-3")]);
    desk.wait_for_mirrored(2);
    assert_eq!(desk.server.count("POST", "/memories"), asked + 1, "not tried again, not even by another daemon");
    desk.import(&[with(episode("ep-1", "T-1"), "text", "shorter".into())]);
    desk.wait_for_mirrored(3);
}

#[test]
fn a_conflict_is_merged_and_the_second_one_is_given_up() {
    let desk = Desk::new();
    let _daemon = desk.daemon();
    desk.import(&[episode("ep-1", "T-1")]);
    desk.wait_for_mirrored(1);
    let there = desk.content("T-1").unwrap();
    desk.server.put(
        &desk.store,
        "/episodic/2026-11-02/T-1.json",
        &there.replace("\"tokens_used\": 0", "\"tokens_used\": 7"),
    );
    desk.import(&[with(episode("ep-1", "T-1"), "text", "ours".into())]);
    desk.wait_for(|desk| desk.kinds("merged") == 1);
    let merged = desk.content("T-1").unwrap();
    assert!(merged.contains("ours") && merged.contains("\"tokens_used\": 7"), "{merged}");
    desk.server.fail(2, "POST", "/memories/mem", Fault::Conflict("memory_precondition_failed_error"));
    desk.import(&[with(episode("ep-1", "T-1"), "text", "ours again".into())]);
    let fallback = desk.wait_for_fallback("precondition_failed");
    assert_eq!((&fallback["op"], &fallback["id"]), (&"shadow_write".into(), &"ep-1".into()));
    let conflicts = desk.events().iter().filter(|it| it["type"] == "managed_memory_shadow_write_409").count();
    assert_eq!(conflicts, 3);
    assert!(desk.content("T-1").unwrap().contains("\"ours\""), "theirs stays there");
    desk.run(&["show", "ep-1"]).succeeded().says("ours again");
}

#[test]
fn a_store_that_was_wiped_takes_nothing_away_here_and_is_written_when_something_changes() {
    let desk = Desk::new();
    let _daemon = desk.daemon();
    desk.import(&[episode("ep-1", "T-1"), episode("ep-2", "T-2")]);
    desk.wait_for_mirrored(2);
    desk.server.wipe(&desk.store);
    desk.import(&[with(episode("ep-1", "T-1"), "text", "new words".into())]);
    desk.wait_for(|desk| desk.content("T-1").is_some_and(|content| content.contains("new words")));
    desk.run(&["show", "ep-2"]).succeeded();
    assert_eq!((desk.server.count("DELETE", ""), desk.content("T-2")), (0, None));
}

#[test]
fn a_server_that_never_answers_holds_up_neither_a_question_nor_the_end() {
    let desk = Desk::new();
    desk.server.fail(100, "", "", Fault::Held);
    let mut daemon = desk.daemon();
    desk.import(&[episode("ep-1", "T-1"), episode("ep-2", "T-2")]);
    desk.wait_for(|desk| desk.server.requests().len() == 1);
    desk.run(&["recall", "what happened in T-1"]).succeeded().says("ep-1");
    daemon.signal(Signal::TERM);
    let (code, took) = daemon.ended();
    assert_eq!(code, Some(0));
    assert!(took < Duration::from_secs(10), "{took:?}");
    desk.server.release();
    let _daemon = desk.daemon();
    desk.wait_for(|desk| desk.kinds("created") + desk.kinds("unchanged") == 2);
    assert_eq!(desk.server.all(&desk.store).len(), 2);
}

#[test]
fn a_dead_server_is_left_alone_and_found_again() {
    let mut desk = Desk::new();
    desk.server.stop();
    let _daemon = desk.daemon();
    let began = Instant::now();
    desk.import(&[episode("ep-1", "T-1")]);
    desk.wait_for_fallback("unreachable");
    desk.server.resume();
    desk.wait_for_mirrored(1);
    println!("found again after {:?}", began.elapsed());
}

/// Every text that anybody could read afterwards.
fn everything(desk: &Desk, told: &[String]) -> String {
    let files = crate::lab::tree(&desk.home.path(""));
    let texts = files.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    texts.chain(told.iter().cloned()).collect()
}

#[test]
fn the_key_appears_in_no_log_event_error_or_file() {
    let desk = Desk::with("key_file = \"/nowhere\"\n");
    let echo = format!("{{\"type\":\"error\",\"error\":{{\"type\":\"x\",\"message\":\"no {}\"}}}}", StoreServer::KEY);
    desk.server.fail(1, "POST", "", Fault::Nonsense(echo));
    desk.server.fail(1, "POST", "", Fault::Status(500, Vec::new()));
    desk.server.fail(1, "POST", "", Fault::HangUp);
    let mut command = desk.command(&["run", "-vv"]);
    command.env("RUST_LOG", "trace");
    let mut daemon = desk.started(command);
    desk.import(&[episode("ep-1", "T-1")]);
    desk.wait_for(|desk| desk.kinds("created") + desk.kinds("unchanged") == 1);
    let mut told = Vec::new();
    for arguments in
        [&["doctor"][..], &["managed", "status"], &["status"], &["config"], &["service", "install", "--print"]]
    {
        let said: Told = desk.run(arguments);
        told.extend([said.out, said.err]);
    }
    told.push(desk.get("/v1/managed/events").to_string());
    daemon.signal(Signal::TERM);
    daemon.ended();
    while let Some(line) = daemon.err.next() {
        told.push(line);
    }
    assert!(told.iter().any(|text| text.contains("listening")), "the log was read: {}", told.len());
    let everything = everything(&desk, &told);
    assert!(everything.contains("managed_memory_shadow_write") && !everything.contains(StoreServer::KEY));
}

#[test]
fn a_key_is_taken_from_a_file_that_only_its_owner_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    let file = desk.home.path("key");
    std::fs::write(&file, format!("{}\n", StoreServer::KEY)).unwrap();
    let mode = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o644);
    desk.configure(&desk.server.url(), &format!("key_file = \"{}\"\n", file.display()));
    let daemon = desk.started(desk.home.command(&["run"]));
    desk.import(&[episode("ep-1", "T-1")]);
    desk.wait_for_fallback("no_key");
    drop(daemon);
    let told = desk.home.run(&["doctor"]).exited(1).says("can be read by others").says("chmod 600");
    assert!(!told.out.contains(StoreServer::KEY) && desk.server.requests().is_empty());
    mode(0o600);
    let _daemon = desk.started(desk.home.command(&["run"]));
    desk.wait_for_mirrored(1);
}

#[test]
fn the_doctor_names_what_is_wrong_and_the_fix() {
    let desk = Desk::new();
    let _daemon = desk.daemon();
    desk.run(&["doctor"]).succeeded().says("managed memory: ").says("answers");
    desk.home.run(&["doctor"]).exited(1).says("there is no key").says("set $ANTHROPIC_API_KEY");
    desk.server.clock_off(86_400);
    desk.run(&["doctor"]).exited(1).says("differ by 86").says("set the clock");
    desk.server.clock_off(0);
    desk.server.betas(&["agent-memory-2027-01-01"]);
    desk.run(&["doctor"]).exited(1).says("agent-memory-2026-07-22").says("update lokid");
    desk.server.betas(&["agent-memory-2026-07-22"]);
    desk.server.fail(1, "GET", "", Fault::Status(401, Vec::new()));
    desk.run(&["doctor"]).exited(1).says("the key is refused with 401");
    desk.server.fail(1, "GET", "", Fault::Status(404, Vec::new()));
    desk.run(&["doctor"]).exited(1).says("managed.user_store");
    desk.server.fail(1, "GET", "", Fault::HangUp);
    desk.run(&["doctor"]).succeeded().says("$HTTPS_PROXY");
}

#[test]
fn a_beta_that_is_given_up_stops_all_and_refuses_no_memory_for_good() {
    let desk = Desk::new();
    desk.server.betas(&["agent-memory-2027-01-01"]);
    let daemon = desk.daemon();
    desk.import(&[episode("ep-1", "T-1")]);
    desk.wait_for_fallback("beta_header");
    drop(daemon);
    desk.server.betas(&["agent-memory-2026-07-22"]);
    let _daemon = desk.daemon();
    desk.wait_for_mirrored(1);
}
