//! Every screen shows what it is for, every link on it leads somewhere, and all of it can be read without JavaScript.

use std::collections::BTreeSet;

use serde_json::json;

use super::browser::{self, Tab};
use super::lab::{Lab, SCREENS, note};
use crate::home::{eventually_some, get};

#[track_caller]
fn shows(tab: &Tab, lab: &Lab, page: &str, words: &[&str]) {
    tab.go(&lab.at(page));
    words.iter().for_each(|words| tab.until_text(words));
}

#[test]
fn each_screen_shows_what_it_is_for() {
    if !browser::is_wanted() {
        return;
    }
    let lab = Lab::furnished();
    eventually_some(|| (get(&lab.home, "/v1/status")["projects"][0]["past"]["state"] == "ready").then_some(()));
    let tab = lab.tab();
    let looks: [(&str, &[&str]); 6] = [
        ("said", &["A prompt, claude", "which colour is the gate painted", "open the gate only after the lamp is lit"]),
        ("inbox", &["new", "the gate is painted green", "Accept"]),
        ("memories", &["Kind", "decision", "mend the gate", "newest first"]),
        ("files", &["src/", "Heat"]),
        ("nights", &["asked for", "known", "Run a night now"]),
        ("worth", &["tokens spent in all"]),
    ];
    let with_scripts = |tab: &Tab| looks.iter().for_each(|(page, words)| shows(tab, &lab, page, words));
    with_scripts(&tab);
    let bytes = get(&lab.home, "/v1/said?spoken=true")["items"].as_array().unwrap().clone();
    tab.go(&lab.at("said"));
    for said in &bytes {
        let (id, text) = (said["id"].as_str().unwrap(), said["text"].as_str().unwrap());
        let shown = tab.value(&format!("document.querySelector('#bytes-{id} .exact').textContent"));
        assert_eq!(shown, text, "the very bytes");
    }
    let gate = memory_about(&lab, "open the gate only after");
    shows(
        &tab,
        &lab,
        &format!("memories/{gate}"),
        &["guardrail", "src/gate.rs", "Versions", "the lamp burns oil", "handed out"],
    );
    assert_eq!(tab.value("!!document.querySelector('svg a[href]')"), true, "what stands around it is drawn");
    shows(
        &tab,
        &lab,
        "files?path=src/gate.rs",
        &["open the gate only after", "the gate no longer sticks", "src/lamp.rs"],
    );
    shows(&tab, &lab, "memories?q=which+gate+sticks", &["ms, asked as for", "open the gate only after", "matched"]);
    // What git tells takes a moment, and comes by itself; so does the doctor.
    tab.go(&lab.at("files?path=src/gate.rs"));
    tab.until("/a gate and a lamp/.test(document.getElementById('why').textContent)");
    assert_eq!(tab.value("/\\d memor/.test(document.querySelector('p.hint').textContent)"), true);
    tab.go(&lab.at("nights"));
    tab.until("/found well|Fix:/.test(document.getElementById('doctor').textContent)");
    // All of it stands in what the server sends.
    tab.without_scripts();
    with_scripts(&tab);
    tab.go(&lab.at("nights"));
    tab.click("#doctor a");
    tab.until_text("found well");
    tab.go(&lab.at("files?path=src/gate.rs"));
    tab.click("#why a");
    tab.until_text("feat: a gate and a lamp");
    tab.go(&lab.at("memories"));
    tab.type_into("#q", "which gate sticks");
    tab.act(".search", "Ask", "ms, asked as for");
    tab.go(&lab.at("worth"));
    tab.click("a.button");
    tab.until("document.readyState === 'complete' && location.pathname.endsWith('/worth/replay')");
}

#[test]
fn a_memory_is_shown_as_it_was_known_at_any_moment() {
    let Some(lab) = Lab::in_a_browser() else { return };
    let id = lab.remember(&note("the bridge is made of wood"));
    for words in ["the bridge is made of stone", "the bridge is made of iron"] {
        lab.reword(&id, words);
    }
    let shown = "document.querySelector('.whole > .prose').innerText";
    let tab = lab.tab();
    tab.go(&lab.at(&format!("memories/{id}")));
    tab.until(&format!("{shown} === 'the bridge is made of iron'"));
    assert_eq!(tab.value("document.querySelectorAll('[id^=version-]').length"), 3);
    tab.value("document.getElementById('known').focus()");
    let left = "\u{e012}";
    for words in ["iron", "stone", "wood"] {
        tab.press(left);
        tab.until(&format!("{shown} === 'the bridge is made of {words}' && document.activeElement.id === 'known'"));
    }
    // The same without JavaScript, by a button that is there only then.
    tab.without_scripts();
    tab.go(&lab.at(&format!("memories/{id}?known=1")));
    tab.until(&format!("{shown} === 'the bridge is made of stone'"));
    tab.button(".whole", "Show");
    tab.until(&format!("location.search.includes('known=1') && {shown} === 'the bridge is made of stone'"));
}

fn memory_about(lab: &Lab, words: &str) -> String {
    let listed = get(&lab.home, "/v1/memories?limit=100");
    let items = listed["items"].as_array().unwrap();
    let found = items.iter().find(|item| item["summary"].as_str().is_some_and(|text| text.contains(words)));
    found.unwrap_or_else(|| panic!("{listed:#}"))["id"].as_str().unwrap().to_owned()
}

#[test]
fn no_link_leads_nowhere_and_none_leads_away() {
    if !browser::is_wanted() {
        return;
    }
    let lab = Lab::furnished();
    let tab = lab.tab();
    let mut open: Vec<String> = SCREENS.iter().map(|screen| lab.at(screen)).collect();
    let mut seen: BTreeSet<String> = open.iter().cloned().collect();
    let cookie = tab.tools("Network.getAllCookies", json!({}))["cookies"][0]["value"].as_str().unwrap().to_owned();
    while let Some(address) = open.pop() {
        let path = address.strip_prefix(&lab.ui.origin()).unwrap_or_else(|| panic!("{address} leads away"));
        let answer = lab.ui.get(path, &[("Cookie", &format!("lokid={cookie}"))]);
        assert!([200, 303].contains(&answer.status), "{address}: {answer:?}");
        if seen.len() > 400 {
            continue;
        }
        tab.go(&address);
        let links = tab.value("[...document.querySelectorAll('a[href]')].map((one) => one.href.baseVal !== undefined ? new URL(one.href.baseVal, location).href : one.href)");
        for link in links.as_array().unwrap().iter().map(|link| link.as_str().unwrap()) {
            let link = link.split('#').next().unwrap().to_owned();
            // A replay takes seconds, and has a test of its own.
            if !link.ends_with("/worth/replay") && seen.insert(link.clone()) {
                open.push(link);
            }
        }
    }
    println!("{} addresses", seen.len());
    // A browser asks for a picture of the site at the way in, which has none.
    let said: Vec<String> = tab.console().into_iter().filter(|line| !line.contains("/favicon.ico")).collect();
    assert!(said.is_empty(), "{said:#?}");
}
