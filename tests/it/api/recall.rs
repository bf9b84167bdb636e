//! Questions over the socket: what is found, in which order, why, and that no question can do harm.

use lokid::serve::Request;
use serde_json::{Value, json};

use super::server::Server;

fn ask(server: &Server, body: Value) -> Value {
    server.json(&Request::post("/v1/recall", &body), 200)
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|found| found["id"].as_str().unwrap()).collect()
}

fn found(server: &Server, body: Value) -> Vec<String> {
    ids(&ask(server, body)).into_iter().map(str::to_owned).collect()
}

#[test]
fn what_was_just_remembered_is_found_by_its_words_its_names_and_its_meaning() {
    let server = Server::start();
    let notes = [
        ("n-tests", "Integration tests need a running redis on port 6380.", json!(["tests/db.rs"])),
        ("n-parse", "`parseConfig` refuses unknown keys and names the line.", json!(["src/config/raw.rs"])),
        ("n-error", "Borrow checker error E0502 in the scheduler went away by cloning the queue.", json!([])),
        ("n-deploy", "Deployments to staging go through the release branch.", json!([])),
    ];
    for (id, text, files) in notes {
        server.remember(json!({"id": id, "kind": "note", "text": text, "files": files}));
    }
    for (query, first) in [
        ("redis", "n-tests"),
        ("which database server must be up for the tests", "n-tests"),
        ("parse_config", "n-parse"),
        ("config", "n-parse"),
        ("src/config/raw.rs", "n-parse"),
        ("E0502", "n-error"),
        ("how do we ship to the staging environment", "n-deploy"),
    ] {
        assert_eq!(found(&server, json!({"query": query, "k": 2}))[0], first, "{query}");
    }
    server.send(&Request::delete("/v1/memories/n-error"));
    assert!(!found(&server, json!({"query": "E0502"})).contains(&"n-error".to_owned()));
    server.send(&Request::patch("/v1/memories/n-parse", &json!({"text": "The tokenizer is written by hand."})));
    assert_eq!(found(&server, json!({"query": "tokenizer"}))[0], "n-parse");
    assert!(ask(&server, json!({"query": "parseConfig", "explain": true}))["results"][0]["parts"]["keyword"] != 1.0);
}

#[test]
fn an_explanation_names_every_factor_and_the_words_that_matched() {
    let server = Server::start();
    server
        .remember(json!({"id": "n-1", "kind": "note", "text": "The parser keeps unknown fields.", "importance": 0.9}));
    let answer = ask(&server, json!({"query": "fix the failing parser", "explain": true}));
    assert_eq!(answer["task_type"], "debugging");
    assert_eq!(answer["weights"], json!({"episodic": 0.4, "semantic": 0.2, "skills": 0.0, "anti_patterns": 0.4}));
    let parts = &answer["results"][0]["parts"];
    assert_eq!(parts["words"], json!(["parser"]));
    let number = |name: &str| parts[name].as_f64().unwrap();
    let sum = number("relevance") + number("fit") * (0.02 * number("recency") + 0.2 * number("usage"));
    let tier = 1.0 + number("fit") * (number("tier") - 1.0);
    let score = sum * tier * (0.5 + number("importance")) * number("task") * number("outcome") * number("speaker");
    assert!((score - answer["results"][0]["score"].as_f64().unwrap()).abs() < 1e-3, "{answer}");
    assert!(ask(&server, json!({"query": "parser"}))["results"][0].get("parts").is_none());
}

#[test]
fn the_task_decides_which_kinds_come_first_and_the_request_wins_over_the_words() {
    let server = Server::start();
    let text = "connection pool exhausted under load";
    server.remember(json!({"id": "a-1", "kind": "anti_pattern", "text": format!("{text}: never share it")}));
    server.remember(json!({"id": "n-1", "kind": "note", "text": format!("{text}: it has ten slots")}));
    let debugging = found(&server, json!({"query": "debug connection pool exhausted under load"}));
    assert_eq!(debugging[0], "a-1");
    let told =
        ask(&server, json!({"query": "debug connection pool exhausted under load", "task_type": "implementation"}));
    assert_eq!((told["task_type"].as_str(), ids(&told)[0]), (Some("implementation"), "n-1"));

    server.remember(json!({"id": "e-bad", "kind": "episode", "text": "rewrote the cache layer", "outcome": "failure"}));
    server
        .remember(json!({"id": "e-good", "kind": "episode", "text": "rewrote the cache layers", "outcome": "success"}));
    assert_eq!(found(&server, json!({"query": "explore the cache layer", "kinds": ["episode"]}))[0], "e-good");
}

#[test]
fn filters_hold_and_what_is_hidden_is_found_only_when_asked_for() {
    let server = Server::start();
    for (id, more) in [
        ("plain", json!({})),
        ("rumour", json!({"status": "unverified"})),
        ("secret", json!({"restricted": true})),
        ("law", json!({"tier": "mandate", "source": "user"})),
        ("other", json!({"namespace": "elsewhere"})),
    ] {
        let mut record = json!({"id": id, "kind": "note", "text": format!("the cache of {id} is cleared at midnight")});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.remember(record);
    }
    let sorted = |body: Value| {
        let mut found = found(&server, body);
        found.sort();
        found
    };
    assert_eq!(sorted(json!({"query": "cache"})), ["law", "plain"]);
    let all = json!({"query": "cache", "include": ["unverified", "restricted"]});
    assert_eq!(sorted(all), ["law", "plain", "rumour", "secret"]);
    assert_eq!(sorted(json!({"query": "cache", "tiers": ["mandate"]})), ["law"]);
    assert_eq!(sorted(json!({"query": "cache", "namespace": "elsewhere"})), ["other"]);
    assert_eq!(sorted(json!({"query": "cache", "namespace": "nowhere"})), [""; 0]);
    assert_eq!(sorted(json!({"query": "cache", "kinds": ["decision"]})), [""; 0]);
    assert_eq!(sorted(json!({"query": "cache", "min_score": 99.0})), [""; 0]);
    assert_eq!(found(&server, json!({"query": "cache"}))[0], "law", "a mandate counts double");
}

#[test]
fn what_was_replaced_yields_to_its_successor_and_the_past_stays_askable() {
    let server = Server::start();
    let fact = |id: &str, value: &str, at: &str| {
        json!({"id": id, "kind": "fact", "fact": {"key": "staging.port", "value": value}, "timestamp": at,
               "text": format!("staging listens on {value}")})
    };
    server.remember(fact("old", "8080", "2026-01-01T00:00:00Z"));
    server.remember(fact("new", "9090", "2026-03-01T00:00:00Z"));
    assert_eq!(found(&server, json!({"query": "staging listens on 8080"})), ["new"]);
    let explained = ask(&server, json!({"query": "staging listens on 8080", "explain": true}));
    assert_eq!(explained["results"][0]["parts"]["instead_of"], "old");
    let then = json!({"query": "where does staging listen", "as_of": "2026-02-01T00:00:00Z"});
    assert_eq!(found(&server, then), ["old"]);
    let before = json!({"query": "where does staging listen", "as_of": "2025-02-01T00:00:00Z"});
    assert_eq!(found(&server, before), [""; 0]);
    let both = found(&server, json!({"query": "staging listens", "include": ["invalid"]}));
    assert_eq!(both.len(), 2);
}

#[test]
fn words_of_time_steer_towards_their_time() {
    let server = Server::start();
    for (id, at) in [("may", "2026-05-10T09:00:00Z"), ("june", "2026-06-10T09:00:00Z")] {
        server.remember(json!({"id": id, "kind": "note", "text": "the login page broke again", "timestamp": at,
                               "tags": [id]}));
    }
    assert_eq!(found(&server, json!({"query": "what broke the login page in May 2026"}))[0], "may");
    assert_eq!(found(&server, json!({"query": "what broke the login page in June 2026"}))[0], "june");
    server.remember(json!({"id": "move", "kind": "decision", "text": "the database migration is done",
                           "timestamp": "2026-05-20T09:00:00Z"}));
    assert_eq!(found(&server, json!({"query": "login page broke before the database migration"}))[0], "may");
    assert_eq!(found(&server, json!({"query": "login page broke after the database migration"}))[0], "june");
}

#[test]
fn a_fresh_mandate_that_is_about_something_else_does_not_outrank_the_answer() {
    let server = Server::start();
    server.remember(json!({"id": "answer", "kind": "decision", "timestamp": "2025-01-01T00:00:00Z",
        "text": "SQLite, not Postgres: one file, no server in CI"}));
    for (id, text) in [("m-1", "never call the clock inside decide"), ("m-2", "all commits are signed off")] {
        server.remember(json!({"id": id, "kind": "note", "text": text, "tier": "mandate", "source": "user"}));
    }
    assert_eq!(found(&server, json!({"query": "which database do we use"}))[0], "answer");
    assert_eq!(found(&server, json!({"query": "banana pudding recipe"})), [""; 0], "nothing is about that");
}

#[test]
fn links_bring_what_no_word_would() {
    let server = Server::start();
    server.remember(json!({"id": "cause", "kind": "decision", "text": "We moved sessions into signed cookies."}));
    server.remember(json!({"id": "effect", "kind": "note", "text": "Horizontal scaling needs no sticky balancer."}));
    for filler in 0..30 {
        server.remember(json!({"id": format!("f-{filler}"), "kind": "note",
            "text": format!("Gardening tip {filler}: water tomato plant {filler} early.")}));
    }
    let query = json!({"query": "signed cookies", "k": 2, "explain": true});
    let before = ask(&server, query.clone());
    assert!(!before.to_string().contains("derived_from"), "{before}");
    server.post("/v1/links", json!({"from": "effect", "to": "cause", "relation": "derived_from"}));
    let answer = ask(&server, query);
    assert_eq!(ids(&answer), ["cause", "effect"]);
    assert_eq!(answer["results"][1]["parts"]["link"], "derived_from cause");
}

#[test]
fn near_duplicates_do_not_fill_the_answer() {
    let server = Server::start();
    for id in 0..6 {
        server.remember(json!({"id": format!("same-{id}"), "kind": "note", "importance": 0.6,
            "text": format!("The nightly build number {id} failed on the linker step again today.")}));
    }
    server
        .remember(json!({"id": "else", "kind": "note", "text": "The linker step needs mold installed for the build."}));
    let found = found(&server, json!({"query": "nightly build failed on the linker step", "k": 3}));
    assert!(found.contains(&"else".to_owned()), "{found:?}");
}

#[test]
fn a_file_that_is_asked_about_brings_what_is_at_home_there() {
    let server = Server::start();
    server.remember(
        json!({"id": "here", "kind": "note", "text": "Retries are capped at five.", "files": ["src/net/retry.rs"]}),
    );
    server.remember(
        json!({"id": "there", "kind": "note", "text": "Retries are capped at seven.", "files": ["src/db/pool.rs"]}),
    );
    let both = |file: &str| found(&server, json!({"query": "how many retries", "files": [file]}));
    assert_eq!(both("src/net/retry.rs")[0], "here");
    assert_eq!(both("src/db/pool.rs")[0], "there");
}

#[test]
fn a_near_duplicate_is_merged_and_everything_else_is_kept() {
    let server = Server::start();
    let remember = |text: &str| server.post("/v1/memories", json!({"kind": "note", "text": text})).json().unwrap();
    let first = remember("The integration tests need redis on port 6380.");
    let again = remember("the integration tests need redis on port 6380");
    assert_eq!((&again["created"], &again["merged_into"]), (&json!(false), &first["id"]));
    for other in [
        "The integration tests need redis on port 6381.",
        "The integration tests do not need redis on port 6380.",
        "The unit tests need redis on port 6380.",
    ] {
        assert_eq!(remember(other)["created"], true, "{other}");
    }
    let elsewhere =
        json!({"kind": "note", "namespace": "other", "text": "The integration tests need redis on port 6380"});
    assert_eq!(server.post("/v1/memories", elsewhere).json().unwrap()["created"], true);
    let private =
        json!({"kind": "note", "scope": "user-private", "text": "Integration tests need the redis on port 6380"});
    assert_eq!(server.post("/v1/memories", private).json().unwrap()["created"], true);
}

#[test]
fn no_question_can_do_harm() {
    let server = Server::start();
    server.remember(json!({"id": "n-1", "kind": "note", "text": "a plain note about parsers"}));
    let long = "parser ".repeat(1_000_000);
    let one_word = "x".repeat(7_000_000);
    for query in [
        "",
        " ",
        "!!! ??? ***",
        "title:parser AND (body:* OR \"",
        "+parser -note ~2 ^5 [a TO z] {}",
        "\u{0}\u{1}\u{7f}",
        "🙂🙃 \u{202e}resrap \u{200f}שלום",
        "' OR 1=1; DROP TABLE memories; --",
        "\\u0000 \\x00 %00 ../../etc/passwd",
        long.as_str(),
        one_word.as_str(),
    ] {
        let answer = ask(&server, json!({"query": query}));
        assert!(answer["results"].as_array().unwrap().len() <= 1, "{}", &query[..query.len().min(40)]);
    }
    assert_eq!(found(&server, json!({"query": "+parsers -nothing"})), ["n-1"], "a minus is a letter like any other");
}

#[test]
fn a_wrong_question_is_told_which_field_is_wrong() {
    let server = Server::start();
    for (body, detail) in [
        (json!({}), "missing field `query`"),
        (json!({"query": 7}), "query: invalid type: integer `7`, expected a string"),
        (json!({"query": "x", "k": 0}), "k: 0 is not between 1 and 1000"),
        (
            json!({"query": "x", "task_type": "cooking"}),
            "task_type: \"cooking\" is not one of exploration, implementation, debugging, review, refactoring",
        ),
        (json!({"query": "x", "as_of": "soon"}), "as_of: \"soon\" is not an RFC 3339 time"),
    ] {
        let problem = server.json(&Request::post("/v1/recall", &body), 400);
        assert_eq!(problem["detail"], detail, "{body}");
    }
}

#[test]
fn what_leaves_for_an_agent_is_counted_and_what_a_person_reads_is_not() {
    let server = Server::start();
    server.remember(json!({"id": "n-1", "kind": "note", "text": "tabs, not spaces"}));
    let project = server.registry.projects().remove(0);
    let loaded = || project.sessions.usage.of(project.writer.snapshot().memories().next().unwrap()).loaded;
    ask(&server, json!({"query": "tabs", "counted": false}));
    assert_eq!(loaded(), 0);
    ask(&server, json!({"query": "tabs"}));
    ask(&server, json!({"query": "tabs"}));
    assert_eq!(loaded(), 2);
}

#[test]
fn the_same_question_has_the_same_answer_after_a_rebuild_and_in_another_order_of_writing() {
    let notes: Vec<(String, String)> = (0..300)
        .map(|at| (format!("n-{at}"), format!("Worker {} of queue {} retries job kind {}.", at % 7, at % 11, at % 13)))
        .collect();
    let answers = |reversed: bool| {
        let server = Server::start();
        let mut order: Vec<&(String, String)> = notes.iter().collect();
        if reversed {
            order.reverse();
        }
        let lines: String = order
            .iter()
            .map(|(id, text)| {
                format!("{}\n", json!({"id": id, "kind": "note", "text": text, "timestamp": "2026-01-01T00:00:00Z"}))
            })
            .collect();
        let import = Request { body: lines.into_bytes(), ..Request::new("POST", "/v1/memories/import") };
        assert_eq!(server.send(&import).status, 200);
        if reversed {
            // What is written twice and removed leaves traces in an index, but not in an answer.
            for at in 0..50 {
                server.remember(
                    json!({"id": format!("gone-{at}"), "kind": "note", "text": format!("queue {at} is gone")}),
                );
                server.send(&Request::delete(format!("/v1/memories/gone-{at}")));
            }
        }
        ["retries of queue 5", "worker 3", "job kind 12 in queue 10", "which job"].map(|query| {
            let mut answer =
                ask(&server, json!({"query": query, "k": 20, "fresh": true, "explain": true, "counted": false}));
            answer.as_object_mut().unwrap().remove("took_us");
            answer.to_string()
        })
    };
    assert_eq!(answers(false), answers(true));
}
