//! `CONTINUITY.md`, page by page: what it taught stays, what it says is told once, and our own words are not learnt.

use serde_json::{Value, json};

use super::lab::{Lab, has};

const PATH: &str = ".loki/CONTINUITY.md";

fn page(focus: &str, decisions: &str, blockers: &str, learnings: &str) -> String {
    format!(
        "# Loki Mode Working Memory\n\n## Current Task\n- {focus}\n\n## Key Decisions This Session\n{decisions}\n\
         ## Active Blockers\n{blockers}\n## Mistakes & Learnings\n{learnings}\n## Next Up\n- Write the report\n"
    )
}

const DECISION: &str = "- Use SQLite because it needs no server in the tests\n";
const BLOCKER: &str = "- Waiting for the account of the payment provider\n";
const LEARNING: &str = "- Forgot to close the pool -> the tests hung -> close it in the teardown\n";

fn titled<'a>(all: &'a [Value], words: &str) -> Vec<&'a Value> {
    all.iter().filter(|memory| has(&memory["title"], words) || has(&memory["summary"], words)).collect()
}

#[test]
fn decisions_learnings_and_blockers_become_memories_that_outlive_the_page() {
    let mut lab = Lab::new();
    lab.start();
    lab.write(PATH, page("Serve the mean", DECISION, BLOCKER, LEARNING));
    lab.until(|all| all.len() >= 3);
    let all = lab.memories();
    let kinds: Vec<&str> = all.iter().map(|memory| memory["kind"].as_str().unwrap()).collect();
    assert_eq!(all.len(), 3, "{all:#?}");
    assert!(["decision", "learning", "note"].iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    assert!(all.iter().all(|memory| memory["tier"] == "reference"), "hearsay is no rule: {all:#?}");
    assert_eq!(titled(&all, "SQLite").len(), 1);
    assert_eq!(titled(&all, "close the pool").len(), 1);
    assert_eq!(lab.get("/v1/timeline")["active_context"]["current_focus"], json!("Serve the mean"));

    // The blocker is gone, the learning was erased, the focus moved on.
    lab.write(PATH, page("Serve the median", DECISION, "- None\n", ""));
    let blocker = titled(&all, "payment provider")[0]["id"].as_str().unwrap().to_owned();
    lab.until(|_| !lab.record(&blocker)["invalid_at"].is_null());
    let learning = lab.titled("close the pool");
    assert!(learning["invalid_at"].is_null(), "{learning:#}");
    assert_eq!(lab.get("/v1/timeline")["active_context"]["current_focus"], json!("Serve the median"));
    assert_eq!(lab.get("/v1/timeline")["active_context"]["blocked_by"], json!([]));

    let known = lab.home.run(&["export"]).succeeded().out;
    lab.restart();
    lab.sentinel();
    assert_eq!(lab.count("memory"), 0, "told twice: {:#?}", lab.told());
    assert_eq!(lab.signals(), Vec::<String>::new());
    assert_eq!(lab.home.run(&["export"]).succeeded().out, known);
    assert_eq!(lab.get("/v1/timeline")["active_context"]["current_focus"], json!("Serve the median"));
}

#[test]
fn what_memory_itself_put_on_the_page_is_never_learnt() {
    let mut lab = Lab::new();
    lab.start();
    let ours =
        "<lokid-memory>\n## Mistakes & Learnings\n- The harbour master closes the gate at nine\n</lokid-memory>\n";
    let theirs = "## Relevant Memories (Auto-Retrieved)\n- Never anchor beside the eastern mole\n\
                  ### Key Decisions\n- Use the western mole because it is deep\n";
    let own = page("Serve the mean", DECISION, "- None\n", "");
    lab.write(PATH, format!("{own}\n{ours}\n{theirs}"));
    lab.until(|all| titled(all, "SQLite").len() == 1);
    lab.write(PATH, format!("{own}\n{theirs}\n{ours}\n## Notes\n- end\n"));
    lab.sentinel();
    // Whatever is learnt from the page comes in its order.
    lab.write(PATH, format!("{}\n{theirs}\n{ours}", page("Serve the mean", DECISION, "- None\n", LEARNING)));
    lab.until(|all| titled(all, "close the pool").len() == 1);
    let all = lab.memories();
    assert_eq!(all.len(), 2, "{all:#?}");
    for words in ["harbour master", "eastern mole", "western mole"] {
        assert!(!Value::from(all.clone()).to_string().contains(words), "{words}: {all:#?}");
    }
}
