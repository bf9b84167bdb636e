//! What is no place for a project, and a daemon that takes connections and never answers.

use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use lokid::serve::{Client, Request};
use serde_json::json;

use crate::home::Home;

#[test]
fn a_place_that_is_no_project_is_refused_with_the_way_on() {
    let home = Home::new();
    let _daemon = home.daemon();
    let client = Client::new(home.socket());
    let own_home = home.path("home");
    let below = own_home.join("notes");
    std::fs::create_dir(&below).unwrap();
    let mut places = vec!["/".to_owned(), own_home.display().to_string()];
    for place in ["/proc", "/proc/self", "/sys", "/dev", "/dev/shm", "/etc", "/usr/bin", "/var/log", "/run"] {
        places.push(place.to_owned());
    }
    for place in places {
        let answer = client.send(&Request::post("/v1/projects", &json!({"path": place}))).unwrap();
        assert_eq!(answer.status, 400, "{place}: {}", answer.text());
        let problem = answer.json().unwrap();
        let told = problem["detail"].as_str().unwrap();
        assert!(told.contains("`path`") && told.contains("repository"), "{place}: {told}");
    }
    let listed = client.send(&Request::get("/v1/projects")).unwrap().json().unwrap();
    assert_eq!(listed["projects"].as_array().unwrap().len(), 1, "{listed}");
    for kept in ["/etc/.loki", "/usr/bin/.loki"] {
        assert!(!std::path::Path::new(kept).exists());
    }
    // A folder of one's own that is no repository is still one, when it is asked for.
    let answer = client.send(&Request::post("/v1/projects", &json!({"path": below}))).unwrap();
    assert_eq!(answer.status, 201, "{}", answer.text());
    home.run(&["project", "add", "/etc"]).exited(1).says("repository");
}

#[test]
fn a_system_directory_is_not_run_in_either() {
    let home = Home::new();
    home.run(&["run", "--here", "/etc"]).exited(1).says("repository");
    home.run(&["run", "--here", "--oneshot", home.path("home").to_str().unwrap()]).exited(1).says("repository");
}

/// Somebody listens, and that is all.
fn hung(home: &Home) -> UnixListener {
    std::fs::create_dir_all(home.socket().parent().unwrap()).unwrap();
    let listener = UnixListener::bind(home.socket()).unwrap();
    let accepting = listener.try_clone().unwrap();
    std::thread::spawn(move || {
        let mut held = Vec::new();
        while let Ok((stream, _)) = accepting.accept() {
            held.push(stream);
        }
    });
    listener
}

#[test]
fn a_daemon_that_never_answers_is_not_waited_for_by_who_only_reads() {
    let home = Home::new();
    let id = {
        let _daemon = home.daemon();
        let id = home.remember("The parser is slow on long lines");
        home.run(&["stop"]).succeeded();
        id
    };
    let unhindered = |arguments: &[&str]| {
        let begun = Instant::now();
        home.run(arguments).succeeded();
        begun.elapsed()
    };
    let reads: [&[&str]; 8] = [
        &["recall", "parser"],
        &["show", &id],
        &["list"],
        &["context", "--relevant", "parser"],
        &["predict", "src/app.py"],
        &["timeline"],
        &["export"],
        &["status"],
    ];
    let usual: Vec<Duration> = reads.iter().map(|read| unhindered(read)).collect();
    let _listener = hung(&home);
    for (read, usual) in reads.iter().zip(usual) {
        let begun = Instant::now();
        let told = home.run(read).succeeded();
        let more = begun.elapsed().saturating_sub(usual);
        // A second for the daemon; the rest is a busy machine.
        assert!(more < Duration::from_secs(6), "{read:?} took {more:?} longer: {told:#?}");
        assert!(told.err.contains("does not answer"), "{told:#?}");
    }
    home.run(&["recall", "parser"]).succeeded().says("slow on long lines");
}
