//! Ten thousand memories: every screen opens, and none weighs more for it.

use serde_json::json;

use super::browser;
use super::lab::Lab;
use crate::home::{Home, get};

const MEMORIES: usize = 10_000;
/// What a screen may bring with it, its look and its script included.
const MOST_BYTES: u64 = 200_000;
/// Of the page itself and all it has loaded, headers included.
const TRANSFERRED: &str = "['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))\
    .reduce((sum, entry) => sum + entry.transferSize, 0)";

#[test]
fn every_screen_opens_over_ten_thousand_memories_and_stays_small() {
    if !browser::is_wanted() {
        return;
    }
    let lab = Lab::of(Home::new());
    let lines: String = (0..MEMORIES)
        .map(|n| {
            let kind = ["note", "decision", "fact"][n % 3];
            let text = format!("handler {n} waits for queue {} before it answers, see ticket {}", n % 13, n * 7);
            let (tag, file) = (format!("topic-{}", n % 700), format!("src/part{}/file{}.rs", n % 90, n % 400));
            json!({"kind": kind, "text": text, "tags": [tag], "files": [file], "actor": format!("agent-{}", n % 60)})
                .to_string()
                + "\n"
        })
        .collect();
    lab.home.run_with(&["import", "--trust", "-"], &lines).succeeded();
    let known = get(&lab.home, "/v1/status")["projects"][0]["memories"].as_u64().unwrap();
    assert!(known >= MEMORIES as u64, "{known}");
    let tab = lab.tab();
    tab.tools("Network.enable", json!({}));
    tab.tools("Network.setCacheDisabled", json!({"cacheDisabled": true}));
    let pages = lab.pages();
    let few = pages.iter().filter(|page| !page.starts_with("memories/"));
    for page in few.chain(pages.iter().find(|page| page.starts_with("memories/"))) {
        tab.go(&lab.at(page));
        tab.until("document.readyState === 'complete'");
        let bytes = tab.value(TRANSFERRED).as_u64().unwrap();
        println!("{page}: {bytes} bytes");
        assert!(bytes > 1000 && bytes <= MOST_BYTES, "{page}: {bytes} bytes");
    }
    // And so does what is further down the list.
    tab.go(&lab.at("memories"));
    for _ in 0..3 {
        let before = tab.address();
        tab.click("a[rel=next]");
        tab.until(&format!("location.href !== {} && document.readyState === 'complete'", json!(before)));
        assert!(tab.value("document.querySelectorAll('[data-item]').length").as_u64().unwrap() > 10);
    }
}
