//! A week of work: what is cited again and again rises, what is given and never cited sinks.

use serde_json::{Value, json};

use super::{ask, begin, cite, end, note, remember, said, section, settled, signal};
use crate::eyes::lab::Lab;

const GOAL: &str = "count login attempts";
const QUESTION: &str = "login attempts per address";

/// Who signs in, how that is paid for, and files that change together.
fn prepare(lab: &Lab) {
    for at in 0..6 {
        lab.write("src/auth.rs", format!("use crate::pay;\npub fn login() -> u32 {{ {at} }}\n"));
        lab.write("tests/auth.rs", format!("// {at}\n"));
        lab.commit(&format!("Count logins, part {at}"));
        lab.write("src/pay.rs", format!("pub fn pay() -> u32 {{ {at} }}\n"));
        lab.commit(&format!("Round payments, part {at}"));
    }
}

fn recalled(lab: &Lab) -> Vec<Value> {
    let body = json!({"query": QUESTION, "kinds": ["note"], "explain": true, "counted": false, "fresh": true});
    ask(lab, "/v1/recall", body)["results"].as_array().unwrap().clone()
}

fn place(found: &[Value], id: &str) -> usize {
    found.iter().position(|found| found["id"] == id).unwrap_or_else(|| panic!("{id} is not in {found:#?}"))
}

/// One session from beginning to end, in which one memory is applied or none. Answers with the block it began with.
fn session(lab: &Lab, name: &str, applied: Option<&str>) -> Value {
    signal(lab, json!({"type": "session_start", "session_id": name, "agent": "claude", "goal": GOAL}));
    let block = ask(lab, "/v1/context/session", json!({"session_id": name, "agent": "claude", "goal": GOAL}));
    for path in ["src/auth.rs", "src/pay.rs"] {
        signal(lab, json!({"type": "file_opened", "session_id": name, "path": path}));
    }
    ask(lab, "/v1/context/prompt", json!({"session_id": name, "prompt": "where are login attempts counted?"}));
    let applied = applied.map(|id| format!(" Applied: [{}]", cite(&block, id))).unwrap_or_default();
    let answer = format!("They are counted where they are checked.{applied}");
    ask(lab, "/v1/usage", json!({"session_id": name, "text": answer}));
    signal(lab, json!({"type": "task_complete", "session_id": name}));
    end(lab, name);
    block
}

/// The lines of its file that tell of a memory, oldest first.
fn on_disk(lab: &Lab, id: &str) -> Vec<Value> {
    let folder = std::fs::read_dir(lab.path(".loki/memory/notes")).unwrap();
    let mut files: Vec<_> = folder.flatten().map(|file| file.path()).collect();
    files.retain(|path| path.extension().is_some_and(|kind| kind == "ndjson"));
    files.sort();
    let texts = files.iter().map(|path| std::fs::read_to_string(path).unwrap());
    let lines: Vec<Value> = texts
        .flat_map(|text| text.lines().map(|line| line.to_owned()).collect::<Vec<_>>())
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect();
    lines.into_iter().filter(|record| record["id"] == id).collect()
}

#[test]
fn in_a_week_what_is_cited_rises_and_what_is_ignored_sinks() {
    let mut lab = Lab::new();
    prepare(&lab);
    begin(&mut lab);
    let mandate = json!({"id": "n-mandate", "kind": "note", "tier": "mandate", "source": "user",
        "text": "Never write a password into a log."});
    remember(&lab, mandate);
    remember(
        &lab,
        json!({"id": "n-guardrail", "kind": "note", "tier": "guardrail", "source": "agent",
        "text": "Do not call the payment provider twice for one order."}),
    );
    note(&lab, "n-one", "Login attempts are counted per address in redis.", &["src/auth.rs"]);
    note(&lab, "n-two", "Login attempts are logged per address in postgres.", &["src/auth.rs"]);
    settled(&lab);

    // The one that is behind now is the one that will be applied.
    let before = recalled(&lab);
    let (ahead, behind) =
        if place(&before, "n-one") < place(&before, "n-two") { ("n-one", "n-two") } else { ("n-two", "n-one") };
    let mut first = Value::Null;
    for day in 0..7 {
        for at in 0..4 {
            // At the end of the week it is taken for granted.
            let applied = (day < 5).then_some(behind);
            let block = session(&lab, &format!("day-{day}-{at}"), applied);
            if first.is_null() {
                first = block;
            }
        }
        // Three days are enough to rise; the others may pass within a minute.
        if day < 2 {
            lab.stop();
            lab.home.next_day();
            begin(&mut lab);
        }
    }
    let told = |op: &'static str, id: &'static str| {
        move |event: &Value| event["kind"] == "tier" && event["data"]["op"] == op && event["data"]["id"] == id
    };
    let promoted = lab.hear("the promotion", told("promoted", behind));
    assert_eq!(promoted["data"]["tier"], "guardrail");
    assert!(promoted["data"]["why"].as_str().unwrap().contains("10"), "{promoted}");
    let demoted = lab.hear("the demotion", told("demoted", "n-guardrail"));
    assert_eq!(demoted["data"]["tier"], "reference");
    let others = lab.told().iter().filter(|event| event["kind"] == "tier").count();
    assert_eq!(others, 2, "{:#?}", lab.told());

    let tier = |id: &str| lab.record(id)["tier"].clone();
    assert_eq!((tier(behind), tier("n-guardrail")), (json!("guardrail"), json!("reference")));
    assert_eq!((tier("n-mandate"), tier(ahead)), (json!("mandate"), json!("reference")));
    assert_eq!(on_disk(&lab, behind).last().unwrap()["tier"], "guardrail");
    let sunk = on_disk(&lab, "n-guardrail").pop().unwrap();
    assert!(sunk["tier"].is_null() || sunk["tier"] == "reference", "{sunk}");

    let new = ask(&lab, "/v1/context/session", json!({"session_id": "later", "agent": "claude", "goal": GOAL}));
    let has = |heading: &str, id: &str| {
        let (_, handle) = cite(&new, id).split_once(':').unwrap();
        section(said(&new), heading).iter().any(|line| line.contains(handle))
    };
    assert!(has("Guardrails", behind) && has("Mandates", "n-mandate"), "{new:#}");
    assert!(!said(&new).contains("payment provider") || has("Reference", "n-guardrail"), "{new:#}");

    let old = ask(&lab, "/v1/context/session", json!({"session_id": "day-0-0", "agent": "claude", "goal": "another"}));
    assert_eq!(said(&old), said(&first), "the block of a session stays as it was");

    let after = recalled(&lab);
    assert!(place(&after, behind) < place(&after, ahead), "{after:#?}");
    let usage = |id: &str| after[place(&after, id)]["parts"]["usage"].as_f64().unwrap();
    assert!(usage(behind) > usage(ahead), "{after:#?}");
}

#[test]
fn citing_alone_changes_the_order_of_two_that_are_otherwise_alike() {
    let mut lab = Lab::new();
    begin(&mut lab);
    note(&lab, "n-one", "Login attempts are counted per address in redis.", &[]);
    note(&lab, "n-two", "Login attempts are logged per address in postgres.", &[]);
    settled(&lab);
    let before = recalled(&lab);
    let behind = before[1]["id"].as_str().unwrap().to_owned();
    let ahead = before[0]["id"].as_str().unwrap().to_owned();
    for _ in 0..6 {
        ask(
            &lab,
            "/v1/usage",
            json!({"loaded": [behind, ahead], "cited": [behind], "ignored": [ahead], "outcome": "success"}),
        );
    }
    let after = recalled(&lab);
    assert_eq!(
        (after[0]["id"].as_str(), &after[0]["tier"]),
        (Some(behind.as_str()), &json!("reference")),
        "{after:#?}"
    );
}
