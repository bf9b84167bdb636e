//! The tool that tells why code is as it is.

use serde_json::json;

use super::agent::{Agent, Era};
use crate::eyes::lab::Lab;
use crate::why::{FILE, history};

#[test]
fn an_agent_is_told_why_and_what_a_commit_says_cannot_leave_its_quotation() {
    let mut lab = Lab::new();
    let ids = history(&lab);
    lab.start_at_once();
    lab.past_is_read();
    let mut agent = Agent::start(&lab.home, Era::Modern, &[]);
    let told = agent.call("mem_why", json!({"file": FILE, "symbol": "send"}));
    assert_eq!((&told["symbol"], &told["lines"]), (&json!("Session.send"), &json!([2, 5])));
    let explained = &told["explained_by"][0];
    assert_eq!(explained["id"], format!("commit-{}", &ids[1][..12]));
    assert!(explained["reason"].as_str().unwrap().contains("close idle connections"), "{told}");
    assert_eq!(told.to_string().matches("</lokid-memory>").count(), 1, "{told}");
    let whole = agent.call("mem_get", json!({"ids": [explained["id"]]}));
    assert!(whole["memories"][0]["text"].as_str().unwrap().contains("before we notice it"), "{whole}");
    assert!(agent.call("why", json!({"path": FILE, "line": 5}))["blame"][0]["path"].is_string());
    for (given, words) in [
        (json!({"file": "none.py"}), "file: there is no file none.py here"),
        (json!({"file": FILE, "line": 99}), "line: net/session.py has 8 lines"),
        (json!({"file": FILE, "symbol": "send", "line": 2}), "symbol: lines and a symbol cannot both be asked for"),
        (json!({"file": FILE, "end_line": 2}), "line: is required with `end_line`"),
        (json!({}), "file: is required"),
    ] {
        let refused = agent.refused("mem_why", given.clone());
        assert!(refused.contains(words), "{given}: {refused}");
    }
    agent.ends();
}
