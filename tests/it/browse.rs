//! Looking around over the socket: folders with what is known below them, a file with everything about it, and the sorts
//! of memories that a list has.

use lokid::serve::{Request, Response};
use serde_json::{Value, json};

use crate::eyes::lab::Lab;
use crate::home::{Home, client, get, post};
use crate::why::{FILE, history};

fn ask(home: &Home, route: &str, path: &str) -> Response {
    client(home).send(&Request::get(route).query("path", path)).unwrap()
}

#[track_caller]
fn told(home: &Home, route: &str, path: &str) -> Value {
    let answer = ask(home, route, path);
    assert!(answer.is_success(), "{route} {path}: {}", answer.text());
    answer.json().unwrap()
}

fn entry(answer: &Value, path: &str) -> Value {
    let found = answer["entries"].as_array().unwrap().iter().find(|entry| entry["path"] == path);
    found.unwrap_or_else(|| panic!("no {path} in {answer:#}")).clone()
}

fn remember(home: &Home, body: &Value) -> String {
    post(home, "/v1/memories", body)["id"].as_str().unwrap().to_owned()
}

fn started() -> (Lab, Vec<String>) {
    let mut lab = Lab::new();
    let commits = history(&lab);
    lab.write("net/pool.py", "from net.session import Session\n\n\nclass Pool:\n    pass\n");
    lab.append(FILE, "\n\ndef later():\n    pass\n");
    lab.commit("Pool what sessions leave open");
    lab.write("README.md", "# Net\n");
    lab.commit("Say what it is");
    lab.write("made/by/hand.txt", "x\n");
    lab.write("Aarhus.md", "x\n");
    lab.start_at_once();
    lab.past_is_read();
    (lab, commits)
}

#[test]
fn a_folder_tells_what_is_known_below_it() {
    let (lab, _) = started();
    let home = &lab.home;
    let both =
        json!({"kind": "note", "text": "sessions are pooled by host", "files": ["net/pool.py", "./net/session.py"]});
    remember(home, &both);
    remember(home, &json!({"kind": "note", "text": "written by hand, keep it", "files": ["made/by/hand.txt"]}));
    remember(home, &json!({"kind": "note", "text": "gone and never there", "files": ["nowhere/x.py", "../out.py"]}));
    let top = told(home, "/v1/files", "");
    let names: Vec<&str> = top["entries"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    let at =
        |name: &str| names.iter().position(|known| *known == name).unwrap_or_else(|| panic!("{name} in {names:?}"));
    assert!(at("made") < at("net") && at("net") < at("README.md"), "folders first, by name: {names:?}");
    assert!(!names.contains(&"Aarhus.md"), "git does not keep it, and nobody spoke of it");
    assert!(!names.contains(&"nowhere") && !names.contains(&"..") && !names.contains(&".loki"), "{names:?}");
    let (net, inner) = (entry(&top, "net"), told(home, "/v1/files", "net/"));
    assert_eq!((&net["dir"], &inner["path"]), (&json!(true), &json!("net")));
    let (session, pool) = (entry(&inner, FILE), entry(&inner, "net/pool.py"));
    assert_eq!(
        (&session["name"], &session["dir"], &session["fixes"]),
        (&json!("session.py"), &json!(false), &json!(2))
    );
    let sum = |field: &str| session[field].as_u64().unwrap() + pool[field].as_u64().unwrap();
    assert_eq!((net["commits"].as_u64().unwrap(), net["fixes"].as_u64().unwrap()), (sum("commits"), sum("fixes")));
    assert!(session["memories"].as_u64().unwrap() >= 1 && pool["memories"] == 1, "{inner:#}");
    assert!(net["memories"].as_u64().unwrap() < sum("memories"), "one that is about both files counts once: {net}");
    assert_eq!((&session["heat"], &net["heat"]), (&json!(1.0), &json!(1.0)), "the hottest of all");
    assert!(pool["heat"].as_f64().unwrap() < 1.0 && pool["heat"].as_f64().unwrap() > 0.0, "{pool}");
    assert_eq!(entry(&told(home, "/v1/files", "made/by"), "made/by/hand.txt")["memories"], 1);
    assert_eq!(told(home, "/v1/files", lab.path("net").to_str().unwrap())["entries"], inner["entries"]);
}

#[test]
fn a_file_tells_everything_about_it() {
    let (lab, commits) = started();
    let home = &lab.home;
    let learning =
        json!({"error": "uploads arrive empty", "cause": "the body was read twice", "fix": "send them once"});
    let learnt = remember(home, &json!({"kind": "learning", "learning": learning, "files": [FILE]}));
    let private =
        remember(home, &json!({"kind": "note", "text": "not for lists", "files": [FILE], "restricted": true}));
    let about = told(home, "/v1/file", FILE);
    assert_eq!((&about["path"], &about["there"], &about["fixes_count"]), (&json!(FILE), &json!(true), &json!(2)));
    let subjects: Vec<&str> =
        about["fixes"].as_array().unwrap().iter().map(|fix| fix["subject"].as_str().unwrap()).collect();
    assert!(
        subjects.len() == 2 && subjects[0].starts_with("Revert") && subjects[1].contains("uploads twice"),
        "{about:#}"
    );
    let fix = &about["fixes"][1];
    assert_eq!(fix["commit"], format!("commit-{}", &commits[3][..12]));
    assert_eq!(
        (&fix["author"], &fix["reason"]),
        (&json!("Ada"), &json!("A body that was read once was empty the second time."))
    );
    assert!(get(home, &format!("/v1/memories/{}", fix["commit"].as_str().unwrap()))["text"].is_string());
    let partner = &about["partners"][0];
    assert_eq!((&partner["path"], &partner["together"]), (&json!("net/pool.py"), &json!(1)));
    assert_eq!(partner["why"], "Pool what sessions leave open");
    assert_eq!(
        about["errors"][0],
        json!({"id": learnt, "title": about["errors"][0]["title"], "fix": "send them once"})
    );
    assert_eq!(about["memories"][0]["id"], learnt, "what was told comes first");
    assert!(!about.to_string().contains(&private), "{about:#}");
    assert_eq!(about["imported_by"], json!(["net/pool.py"]));
    assert!(about["defines"].as_array().unwrap().contains(&json!("later")), "{about:#}");
    let moved = told(home, "/v1/file", "old/session.py");
    assert_eq!((&moved["there"], &moved["today"]), (&json!(false), &json!(FILE)));

    home.run(&["forget", "--purge", "--yes", &learnt]).succeeded();
    assert!(!told(home, "/v1/file", FILE).to_string().contains("send them once"), "purged is purged");
}

#[test]
fn paths_that_lead_nowhere_are_refused_by_name() {
    let (lab, _) = started();
    std::os::unix::fs::symlink("/etc", lab.path("outside")).unwrap();
    for route in ["/v1/files", "/v1/file"] {
        for path in ["../app", "net/../..", "/etc/passwd", "net//session.py", "net/./x", "a\0b", ".."] {
            let answer = ask(&lab.home, route, path);
            assert_eq!(answer.status, 400, "{route} {path:?}: {}", answer.text());
            assert!(answer.detail().starts_with("path: "), "{}", answer.detail());
        }
        for path in ["nowhere", "nowhere/a.py", "outside/passwd", "net/session.py/x"] {
            let answer = ask(&lab.home, route, path);
            assert_eq!(answer.status, 404, "{route} {path:?}: {}", answer.text());
        }
    }
    assert!(ask(&lab.home, "/v1/files", FILE).detail().ends_with("is a file"));
    assert!(ask(&lab.home, "/v1/file", "net").detail().ends_with("is no file"));
    assert!(ask(&lab.home, "/v1/file", "").detail().ends_with("is required"));
}

/// How many a list has in all.
#[track_caller]
fn total(home: &Home, query: &[(&str, &str)]) -> u64 {
    let request = Request::get("/v1/memories?facets=true&limit=1");
    let request = query.iter().fold(request, |request, (name, value)| request.query(name, value));
    client(home).send(&request).unwrap().json().unwrap()["total"].as_u64().unwrap()
}

#[test]
fn a_facet_counts_as_many_as_asking_for_it_gives() {
    let (lab, _) = started();
    let home = &lab.home;
    for number in 0..30 {
        let (kind, tag) = (["note", "decision"][number % 2], ["Style", "build", "style"][number % 3]);
        let body = json!({"kind": kind, "text": format!("the {number}th thing that we know of the pool"), "tags": [tag],
            "tier": (["reference", "guardrail"][number / 20]), "actor": (["Ada", "ada", "Ben"][number % 3]),
            "files": [format!("src/part{}/{number}.py", number % 4), FILE], "timestamp": format!("2026-{:02}-07", 1 + number % 5)});
        remember(home, &body);
    }
    remember(home, &json!({"kind": "note", "text": "nobody may list this", "tags": ["style"], "restricted": true}));
    let listed = get(home, "/v1/memories?facets=true&limit=3&derived=false");
    assert_eq!((&listed["total"], listed["items"].as_array().unwrap().len()), (&json!(30), 3));
    let next =
        format!("/v1/memories?facets=true&limit=3&derived=false&cursor={}", listed["next_cursor"].as_str().unwrap());
    assert_eq!(get(home, &next)["facets"], listed["facets"], "whatever the page");
    let facets = &listed["facets"];
    assert_eq!(facets["tag"], json!([{"value": "style", "count": 20}, {"value": "build", "count": 10}]));
    assert_eq!(facets["author"].as_array().unwrap().len(), 2, "however they are spelt: {facets}");
    assert_eq!(facets["month"][0], json!({"value": "2026-05", "count": 6}), "the latest first");
    let mut looked_at = 0;
    for (facet, counts) in facets.as_object().unwrap() {
        for count in counts.as_array().unwrap() {
            let (value, expected) = (count["value"].as_str().unwrap(), count["count"].as_u64().unwrap());
            // All memories are of the seventh.
            let (first, next) = (format!("{value}-07"), format!("{value}-08"));
            let query = match facet.as_str() {
                "month" => vec![("since", first.as_str()), ("until", next.as_str())],
                "folder" => vec![("file", value)],
                facet => vec![(facet, value)],
            };
            let query = [&query[..], &[("derived", "false")]].concat();
            assert_eq!(total(home, &query), expected, "{facet} {value}");
            looked_at += 1;
        }
    }
    assert!(looked_at > 15, "{facets:#}");
    assert!(get(home, "/v1/memories").get("facets").is_none(), "only where it is asked for");
    assert_eq!(total(home, &[("derived", "false"), ("stale_anchor", "true")]), 30, "src was never there");
    lab.write("src/part1/1.py", "x\n");
    assert_eq!(total(home, &[("derived", "false"), ("stale_anchor", "true")]), 29);
    assert_eq!(total(home, &[("derived", "false"), ("file", FILE), ("author", "BEN"), ("kind", "note")]), 5);
    let old = remember(home, &json!({"kind": "note", "text": "named as it was before", "files": ["old/session.py"]}));
    let stale = get(home, "/v1/memories?stale_anchor=true&limit=500").to_string();
    assert!(!stale.contains(&old), "it is there under another name");
}
