//! A disk without room, for real: reads go on, writes are refused with the place and the fix, nothing is half-written, and
//! as soon as there is room all goes on.

use std::io::Write;
use std::path::Path;

use lokid::serve::{Client, Request};
use serde_json::{Value, json};

use super::mounts::Mount;
use crate::home::Home;

/// Takes all the room there is.
fn fill(place: &Path) -> std::path::PathBuf {
    let path = place.join("filler");
    let mut file = std::fs::File::create(&path).unwrap();
    for size in [64 << 10, 4 << 10, 1] {
        let piece = vec![b'x'; size];
        while file.write_all(&piece).is_ok() {}
    }
    path
}

fn send(home: &Home, record: &Value) -> (u16, Value) {
    let answer = Client::new(home.socket()).send(&Request::post("/v1/memories", record)).unwrap();
    (answer.status, answer.json().unwrap())
}

fn long(word: &str) -> String {
    format!("{word} ").repeat(2_000)
}

#[test]
fn a_repository_without_room_answers_reads_and_refuses_writes_until_there_is_room() {
    let home = Home::new();
    let place = home.path("small");
    let Some(_mount) = Mount::tmpfs(&place, "2m") else { return };
    crate::repo::new(&place, "small");
    let mut command = home.command(&["run"]);
    let mut daemon = crate::home::Daemon::start({
        command.current_dir(&place);
        command
    });
    daemon.out.wait_for(" memor");
    let (created, first) = send(&home, &json!({"kind": "note", "text": "the lamp is green"}));
    assert_eq!(created, 201, "{first}");

    let filler = fill(&place);
    for number in 0..3 {
        let record = json!({"kind": "note", "text": long("lamp")+ &number.to_string()});
        let (refused, problem) = send(&home, &record);
        assert_eq!((refused, &problem["code"]), (507, &json!("disk_full")), "{problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(".loki/memory") && detail.contains("make room"), "{detail}");
    }
    let told = home.run(&["--project", place.to_str().unwrap(), "remember", &long("lamp")]).exited(1);
    assert!(told.err.contains("make room"), "{told:#?}");
    let recall =
        Client::new(home.socket()).send(&Request::post("/v1/recall", &json!({"query": "green lamp"}))).unwrap();
    assert_eq!(recall.json().unwrap()["results"][0]["id"], first["id"]);
    assert_eq!(super::project(&home)["memories"], 1);

    std::fs::remove_file(filler).unwrap();
    let (created, second) = send(&home, &json!({"kind": "note", "text": long("lamp")}));
    assert_eq!(created, 201, "{second}");
    daemon.signal(rustix::process::Signal::TERM);
    daemon.ended();
    let mut said = Vec::new();
    while let Some(line) = daemon.err.next() {
        said.push(line);
    }
    let complaints = said.iter().filter(|line| line.contains("a change could not be written")).count();
    assert_eq!(complaints, 1, "{said:#?}");
    assert!(said.iter().any(|line| line.contains("changes can be written again")), "{said:#?}");
    let exported = home.run(&["-q", "--project", place.to_str().unwrap(), "export"]).succeeded().out;
    assert_eq!(exported.lines().count(), 2, "what was acknowledged, and nothing else");
    let rubbish = walk(&place.join(".loki")).into_iter().filter(|path| path.contains(".tmp_")).collect::<Vec<_>>();
    assert!(rubbish.is_empty(), "{rubbish:?}");
}

#[test]
fn a_state_directory_without_room_refuses_what_needs_the_journal_and_harms_nothing() {
    let home = Home::new();
    let Some(_mount) = Mount::tmpfs(&home.path("state"), "2m") else { return };
    let _daemon = home.daemon();
    let fact = |value: &str| json!({"kind": "fact", "fact": {"key": "lamp.colour", "value": value, "scope": ""}});
    assert_eq!(send(&home, &fact("green")).0, 201);
    let filler = fill(&home.path("state"));
    let (refused, problem) = send(&home, &fact(&long("purple")));
    assert_eq!((refused, &problem["code"]), (507, &json!("disk_full")), "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("/state/"), "{problem}");
    let facts = home.run(&["-q", "export"]).succeeded().out;
    assert!(facts.contains("green") && !facts.contains("purple"), "{facts}");
    std::fs::remove_file(filler).unwrap();
    assert_eq!(send(&home, &fact(&long("purple"))).0, 201);
}

fn walk(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            }
            found.push(entry.path().display().to_string());
        }
    }
    found
}
