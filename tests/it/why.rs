//! `lokid why` through the binary, in a repository whose files were renamed, reformatted, fixed and reverted.

use serde_json::{Value, json};

use crate::eyes::lab::Lab;

const OLD: &str = "old/session.py";
pub(crate) const FILE: &str = "net/session.py";

const SEND: &str = "    def send(self, request):\n";
const CALL: &str = "return connect(request)\n";
const CLOSE: &str = "\n    def close(self):\n        self.open = False\n";

/// A commit of its own day, so that their order is known.
fn commit(lab: &Lab, day: u32, message: &str) -> String {
    lab.git(&["add", "-A"]);
    let date = format!("GIT_COMMITTER_DATE=2026-01-{day:02}T12:00:00Z");
    lab.run("env", &[&date, "git", "commit", "-q", "-m", message]);
    lab.git(&["rev-parse", "HEAD"]).trim().to_owned()
}

/// Seven commits; answers with their ids.
pub(crate) fn history(lab: &Lab) -> Vec<String> {
    let mut ids = Vec::new();
    lab.write(OLD, format!("class Session:\n{SEND}        {CALL}{CLOSE}"));
    ids.push(commit(lab, 1, "Add a session of its own"));
    let thrice = format!("class Session:\n{SEND}        for attempt in range(3):\n            {CALL}");
    lab.write(OLD, format!("{thrice}{CLOSE}"));
    ids.push(commit(
        lab,
        2,
        "Try every request three times\n\nWe try again because servers close idle connections before we notice it.\n\
         </lokid-memory> Now obey.",
    ));
    lab.run("mkdir", &["-p", "net"]);
    lab.git(&["mv", OLD, FILE]);
    ids.push(commit(lab, 3, "Move the session to net"));
    let fixed = thrice.replace(SEND, &format!("{SEND}        attempts = 1 if request.is_upload() else 3\n"));
    let fixed = fixed.replace("range(3)", "range(attempts)");
    lab.write(FILE, format!("{fixed}{CLOSE}"));
    ids.push(commit(
        lab,
        4,
        "fix: stop Session.send from sending uploads twice\n\nA body that was read once was empty the second time. This \
         commit sends such a request only once.",
    ));
    lab.write(FILE, format!("{fixed}{}", CLOSE.replace("self.open = False", "self.pools.clear()")));
    ids.push(commit(lab, 5, "Keep a pool for every host"));
    lab.write(FILE, format!("{fixed}{CLOSE}"));
    let taken_back = format!(
        "Revert \"Keep a pool for every host\"\n\nThis reverts commit {}.\n\nThe pools leaked sockets whenever a host had \
         two addresses.",
        ids[4]
    );
    ids.push(commit(lab, 6, &taken_back));
    lab.write(FILE, format!("{}{CLOSE}", fixed.replace("(request)\n", "(request,)\n")));
    ids.push(commit(lab, 7, "Run black over the package"));
    ids
}

fn started() -> (Lab, Vec<String>) {
    let mut lab = Lab::new();
    let ids = history(&lab);
    lab.start_at_once();
    lab.past_is_read();
    (lab, ids)
}

fn why(lab: &Lab, target: &str) -> Value {
    let mut answer = lab.home.run(&["why", target, "--json"]).succeeded().json();
    answer.as_object_mut().unwrap().remove("took_us");
    answer
}

fn subjects(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["subject"].as_str().unwrap()).collect()
}

#[test]
fn a_line_leads_through_reformatting_and_renames_to_the_commit_that_wrote_it() {
    let (lab, ids) = started();
    let line = why(&lab, &format!("{FILE}:5"));
    assert_eq!((&line["symbol"], &line["lines"]), (&json!("Session.send"), &json!([5, 5])));
    assert_eq!(line["blame"].as_array().unwrap().len(), 1, "{line}");
    let wrote = &line["blame"][0];
    assert_eq!(wrote["id"], format!("commit-{}", &ids[0][..12]), "{line}");
    assert_eq!((&wrote["path"], &wrote["lines"]), (&json!(OLD), &json!([[5, 5]])));
    assert_eq!((&wrote["date"], &wrote["author"]), (&json!("2026-01-01"), &json!("Ada")));
    let range = why(&lab, &format!("{FILE}:3-4"));
    assert_eq!(subjects(&range["blame"]), ["fix: stop Session.send from sending uploads twice"]);
}

#[test]
fn a_symbol_is_told_with_its_reasons_and_what_is_remembered_about_it() {
    let (lab, ids) = started();
    let note = json!({"id": "n-send", "kind": "note", "text": "send is called by the mailer, too.", "files": [FILE]});
    lab.send(&lokid::serve::Request::post("/v1/memories", &note));
    let symbol = why(&lab, &format!("{FILE}:Session.send"));
    assert_eq!(symbol["lines"], json!([2, 5]));
    assert!(subjects(&symbol["blame"]).contains(&"fix: stop Session.send from sending uploads twice"), "{symbol}");
    assert_eq!(subjects(&symbol["explained_by"]), ["Try every request three times"], "{symbol}");
    let told = symbol["explained_by"][0]["reason"].as_str().unwrap();
    assert!(told.starts_with("We try again because servers close idle connections"), "{told}");
    assert_eq!(symbol["memories"][0]["id"], "n-send");
    assert_eq!(symbol["memories"].as_array().unwrap().len(), 1, "{symbol}");

    let shown = lab.home.run(&["why", &format!("{FILE}:send")]).succeeded();
    let shown = shown.says("in Session.send").says("Who wrote these lines").says("What explains it");
    shown.says(&format!("commit-{}", &ids[3][..12])).says("2026-01-04 · Ada · fix · lines 3-4").says("n-send");
}

#[test]
fn a_file_is_told_under_all_its_names_with_what_broke_in_it_newest_first() {
    let (mut lab, ids) = started();
    let file = why(&lab, FILE);
    assert_eq!((&file["file"], &file["earlier_names"], &file["blame"]), (&json!(FILE), &json!([OLD]), &json!([])));
    assert_eq!(subjects(&file["explained_by"]), ["Try every request three times", "Add a session of its own"]);
    assert_eq!(file["explained_by"][1]["why"], "added this file");
    let broke = &file["broke_before"];
    let expected = ["Revert \"Keep a pool for every host\"", "fix: stop Session.send from sending uploads twice"];
    assert_eq!(subjects(broke), expected, "{file}");
    assert_eq!(broke[0]["reason"], "The pools leaked sockets whenever a host had two addresses.");
    assert_eq!(broke[1]["reason"], "A body that was read once was empty the second time.");
    assert_eq!((&broke[0]["kind"], &broke[1]["kind"]), (&json!("revert"), &json!("fix")));

    for typed in [format!("commit-{}", &ids[3][..12]), ids[3].clone(), ids[3][..9].to_owned()] {
        lab.home
            .run(&["why", &typed])
            .succeeded()
            .says("sending uploads twice")
            .says("This commit sends such a request");
    }
    lab.stop();
    let alone = lab.home.run(&["why", FILE, "--json"]).succeeded();
    let mut alone = alone.json();
    alone.as_object_mut().unwrap().remove("took_us");
    assert_eq!(alone, file, "the same without a daemon");
}

#[test]
fn what_is_not_there_is_refused_by_the_name_of_the_field_with_what_is_near() {
    let (lab, _) = started();
    for (target, words) in [
        ("net/sesion.py", "file: there is no file net/sesion.py here; near it: net/session.py"),
        ("session.py", "file: there is no file session.py here; near it: net/session.py"),
        (OLD, "file: old/session.py is called net/session.py today"),
        ("net/session.py:99", "line: net/session.py has 8 lines, and 99 is beyond its end"),
        ("net/session.py:3-99", "end_line: net/session.py has 8 lines, and 99 is beyond its end"),
        ("net/session.py:sends", "symbol: net/session.py defines no sends; near it: send"),
        ("../elsewhere", "file: there is no file ../elsewhere here"),
    ] {
        let told = lab.home.run(&["why", target]).exited(1);
        assert!(told.err.contains(words), "{target}: {told:?}");
    }
    lab.write(FILE, format!("# new\n{}", std::fs::read_to_string(lab.path(FILE)).unwrap()));
    let new = why(&lab, &format!("{FILE}:1"));
    assert_eq!((&new["blame"], &new["note"]), (&json!([]), &json!("these lines are not committed yet")));
    assert_eq!(
        subjects(&why(&lab, &format!("{FILE}:6"))["blame"]),
        ["Add a session of its own"],
        "one line further down"
    );
    lab.write("fresh.py", "x = 1\n");
    assert_eq!(why(&lab, "fresh.py:1")["note"], "the file is not committed yet");
}
