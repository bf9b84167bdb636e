//! When nights come, that they can be held off, that they tell of themselves, and that they end when the daemon does.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use super::{client, get, logins, night, post, remember};
use crate::home::{Home, eventually_some};
use lokid::serve::Request;

#[test]
fn a_night_tells_what_it_did_and_when_the_next_one_is() {
    let home = Home::new();
    let _daemon = home.daemon();
    let before = eventually_some(|| Some(get(&home, "/v1/consolidate")).filter(|known| known["next"].is_string()));
    assert!(before["last"].is_null(), "{before:#}");
    logins(&home);
    home.run(&["consolidate"]).succeeded().says("pattern learnt").says("ended well");
    home.run(&["consolidate", "--last"]).succeeded().says("(asked)").says("pattern learnt").says("the next one is at");
    home.run(&["consolidate", "--dry-run"]).succeeded().says("nothing to do");
    home.run(&["status"]).succeeded().says("night").says("next");
    let status = get(&home, "/v1/status")["projects"][0]["consolidation"].clone();
    assert!(status["last"].is_string() && status["did"]["patterns_created"] == 1, "{status:#}");
    // It is still known after a restart.
    drop(_daemon);
    let _daemon = home.daemon();
    home.run(&["consolidate", "--last", "--json"]).succeeded().says("patterns_created");
}

#[test]
fn a_signal_brings_a_night_and_so_does_a_finished_task() {
    let home = Home::new();
    let daemon = home.daemon();
    logins(&home);
    daemon.signal(Signal::USR2);
    let last = eventually_some(|| Some(get(&home, "/v1/consolidate")["last"].clone()).filter(|last| !last.is_null()));
    assert_eq!((&last["cause"], &last["patterns_created"]), (&json!("signal"), &json!(1)), "{last:#}");
}

#[test]
fn nights_can_be_held_off_and_still_be_asked_for() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.run(&["consolidate", "--pause"]).succeeded();
    let known = eventually_some(|| Some(get(&home, "/v1/consolidate")).filter(|known| known["waits"] == "paused"));
    assert_eq!((&known["paused"], &known["next"]), (&json!(true), &json!(null)));
    drop(_daemon);
    let _daemon = home.daemon();
    assert_eq!(get(&home, "/v1/consolidate")["paused"], true, "also after a restart");
    night(&home);
    home.run(&["consolidate", "--resume"]).succeeded();
    eventually_some(|| get(&home, "/v1/consolidate")["next"].is_string().then_some(()));
}

#[test]
fn progress_is_heard_while_it_goes_on() {
    let home = Home::new();
    let _daemon = home.daemon();
    logins(&home);
    let mut events = home.command(&["events", "--json"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut heard = crate::home::Lines::of(events.stdout.take().unwrap());
    // The stream is open once something is heard on it.
    eventually_some(|| {
        post(&home, "/v1/signals", &json!({"type": "phase_change", "agent": "listening"}));
        heard.next()
    });
    night(&home);
    heard.wait_for(r#""op":"started""#);
    heard.wait_for(r#""phase":"connect""#);
    heard.wait_for(r#""op":"done""#);
    let _ = events.kill();
    let _ = events.wait();
}

#[test]
fn a_wrong_request_names_what_is_wrong() {
    let home = Home::new();
    let _daemon = home.daemon();
    for (body, said) in [
        (json!({"phases": ["sleep"]}), "learn, errors, skills"),
        (json!({"now": "tomorrow"}), "now"),
        (json!({"dry_run": "yes"}), "dry_run"),
    ] {
        let answer = client(&home).send(&Request::post("/v1/consolidate", &body)).unwrap();
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.text().contains(said), "{body}: {}", answer.text());
    }
    home.run(&["consolidate", "--phase", "sleep"]).exited(2).says("learn");
}

/// So much to compare that a night takes a while.
fn rows(home: &Home) {
    let mut lines = String::new();
    for at in 0..3000 {
        let (topic, module) = (at % 97, at % 13);
        let text = format!("Service s{topic} keeps {at} rows of module m{module} in region r{}.", at % 7);
        lines.push_str(&format!("{}\n", json!({"id": format!("n-{at:04}"), "kind": "note", "text": text})));
    }
    home.run_with(&["import", "-"], &lines).succeeded();
}

/// As if the project had been met the day before, and the hour of the night had come a few minutes ago.
fn let_the_hour_come(home: &Home) {
    let clock = lokid_sys::Clock::system();
    let now = clock.now();
    let minute = now.plus_micros(-3 * 60_000_000 + i64::from(clock.utc_offset_at(now)) * 1_000_000).as_micros();
    let minute = (minute / 60_000_000).rem_euclid(24 * 60);
    let (hour, minute) = (minute / 60, minute % 60);
    home.configure(&format!(
        "[night]\nat = \"{hour:02}:{minute:02}\"\njitter = \"0s\"\non_battery = true\nmax_load = 1000\n"
    ));
    let projects = home.path("state/lokid/projects");
    let project = std::fs::read_dir(projects).unwrap().next().unwrap().unwrap().path();
    let met = json!({"met": now.plus_micros(-86_400_000_000).to_string()});
    std::fs::write(project.join("night.json"), met.to_string()).unwrap();
}

#[test]
fn a_night_comes_by_itself_and_a_stop_in_the_middle_of_it_is_the_end() {
    let home = Home::new();
    let mut daemon = home.daemon();
    rows(&home);
    daemon.signal(Signal::TERM);
    daemon.ended();
    let_the_hour_come(&home);
    let mut daemon = home.daemon();
    let running =
        eventually_some(|| Some(get(&home, "/v1/consolidate")["running"].clone()).filter(|now| !now.is_null()));
    assert_eq!(running["cause"], "nightly");
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.ended().0, Some(0));
    let _daemon = home.daemon();
    let known = eventually_some(|| Some(get(&home, "/v1/consolidate")).filter(|known| known["last"].is_object()));
    assert_eq!((&known["last"]["interrupted"], &known["finished"]), (&json!(true), &json!(null)), "{known:#}");
}

#[test]
fn a_stop_in_the_middle_of_a_night_is_quick_and_leaves_everything_whole() {
    let home = Home::new();
    let mut daemon = home.daemon();
    rows(&home);
    let asking = {
        let client = client(&home);
        std::thread::spawn(move || client.send(&Request::post("/v1/consolidate", &json!({}))))
    };
    eventually_some(|| get(&home, "/v1/consolidate")["running"].is_object().then_some(()));
    daemon.signal(Signal::TERM);
    let (code, _) = daemon.ended();
    assert_eq!(code, Some(0));
    let _ = asking.join().unwrap();
    let _daemon = home.daemon();
    assert_eq!(get(&home, "/v1/status")["projects"][0]["memories"], 3000);
    let id = remember(&home, json!({"kind": "note", "text": "It goes on."}));
    assert!(client(&home).patience(Duration::from_secs(5)).send(&Request::get(format!("/v1/memories/{id}"))).is_ok());
}
