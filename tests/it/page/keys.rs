//! The keyboard alone: moving, opening, searching, every act by its letter, and the ways between the screens.

use serde_json::{Value, json};

use super::browser::Tab;
use super::lab::{Lab, SCREENS, note};
use crate::home::get;

const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const TAB: &str = "\u{e004}";
const CHOSEN: &str =
    "[...document.querySelectorAll('[data-item]')].findIndex((one) => one.classList.contains('chosen'))";

fn chosen(tab: &Tab, place: i64) {
    tab.until(&format!("{CHOSEN} === {place} && document.activeElement.classList.contains('chosen')"));
}

fn open_changes(lab: &Lab) -> Vec<Value> {
    get(&lab.home, "/v1/changes?open=true")["items"].as_array().unwrap().clone()
}

#[test]
fn the_inbox_is_worked_through_by_keys() {
    let Some(lab) = Lab::in_a_browser() else { return };
    // The last told stands first.
    let [accepted, undone, edited, forgotten] =
        ["the well is deep", "the roof leaks in autumn", "the fence is painted", "the mill turns slowly"]
            .map(|words| lab.remember(&note(words)));
    let tab = lab.tab();
    tab.go(&lab.at("inbox"));
    tab.until("document.querySelectorAll('[data-item]').length === 4");
    tab.press("j");
    chosen(&tab, 0);
    tab.press("jjjjj");
    chosen(&tab, 3);
    tab.press("k");
    chosen(&tab, 2);
    tab.press("j");
    chosen(&tab, 3);
    tab.press("a");
    tab.until("document.querySelectorAll('[data-item]').length === 3");
    assert!(open_changes(&lab).iter().all(|change| change["memory_id"] != accepted.as_str()));
    // What is chosen stays so, by its place when it has gone.
    chosen(&tab, 2);
    tab.press("u");
    tab.until_text("Undone: 1 change");
    assert!(lab.memory(&undone).is_none());
    chosen(&tab, 1);
    tab.press("e");
    tab.until("document.activeElement.tagName === 'TEXTAREA'");
    tab.press(" green");
    tab.press(TAB);
    tab.press(ENTER);
    tab.until_text("Kept in the new words.");
    assert!(lab.memory(&edited).unwrap()["text"].as_str().unwrap().contains("green"));
    tab.go(&lab.at("inbox"));
    tab.until(&format!("document.body.innerText.includes('mill') && {CHOSEN} < 0"));
    let at = tab
        .value("[...document.querySelectorAll('[data-item]')].findIndex((one) => one.innerText.includes('mill'))")
        .as_i64()
        .unwrap();
    tab.press(&"j".repeat(usize::try_from(at).unwrap() + 1));
    chosen(&tab, at);
    tab.press("p");
    tab.until_text("Private from now on.");
    assert_eq!(lab.memory(&forgotten).unwrap()["scope"], "user-private");
    tab.press("t");
    tab.until_text("It is a guardrail now.");
    assert_eq!(lab.memory(&forgotten).unwrap()["tier"], "guardrail");
    tab.press("x");
    tab.until_text("Forgotten.");
    assert!(lab.memory(&forgotten).is_none());
}

#[test]
fn who_begins_to_write_while_a_look_anew_is_on_its_way_keeps_the_place() {
    const ITEMS: &str = "document.querySelectorAll('[data-item]').length";
    const HOLD: &str = "(() => { const own = window.fetch; window.fetch = (...asked) => own(...asked).then((answer) => \
        new Promise((done) => { window.fetch = own; window.release = () => done(answer); })); return true; })()";
    let Some(lab) = Lab::in_a_browser() else { return };
    lab.remember(&note("the well is deep"));
    let tab = lab.tab();
    tab.go(&lab.at("inbox"));
    tab.until(&format!("{ITEMS} === 1"));
    tab.press("j");
    chosen(&tab, 0);
    tab.value(HOLD);
    lab.remember(&note("the roof leaks in autumn"));
    tab.until("window.release");
    tab.press("e");
    tab.until("document.activeElement.tagName === 'TEXTAREA'");
    tab.value("window.release()");
    let later = "new Promise((done) => setTimeout(() => done(document.activeElement.tagName), 500))";
    assert_eq!(tab.promised(later), "TEXTAREA");
    tab.press(ESCAPE);
    tab.until(&format!("{ITEMS} === 2"));
}

#[test]
fn searching_opening_and_leaving_take_no_mouse() {
    let Some(lab) = Lab::in_a_browser() else { return };
    let id = lab.remember(&json!({"kind": "note", "tier": "mandate", "text": "the heron stands in the pond"}));
    lab.remember(&note("the mill turns slowly"));
    let tab = lab.tab();
    for (key, screen) in ["s", "i", "m", "f", "n", "w"].into_iter().zip(SCREENS) {
        tab.press("g");
        tab.press(key);
        tab.until(&format!("location.pathname.endsWith('/{screen}') && document.readyState === 'complete'"));
        tab.until("document.activeElement && document.getElementById('main')");
    }
    tab.press("gm");
    tab.until("document.getElementById('q') && document.readyState === 'complete'");
    tab.press("/");
    tab.until("document.activeElement.id === 'q'");
    tab.press("heron");
    tab.until("location.search.includes('heron') && document.querySelectorAll('[data-item]').length === 1");
    // In a field letters are letters.
    assert_eq!(tab.value("document.activeElement.value"), "heron");
    tab.press(ESCAPE);
    tab.until("document.activeElement.id !== 'q'");
    tab.press("j");
    chosen(&tab, 0);
    tab.press(ENTER);
    tab.until(&format!("location.pathname.endsWith('/memories/{id}') && document.readyState === 'complete'"));
    tab.press("n");
    tab.until_text("It is not said unasked any more.");
    assert_eq!(get(&lab.home, "/v1/mutes")["items"][0]["memory_id"], id.as_str());
    tab.press("e");
    tab.until("document.activeElement.id === 'edit-text'");
    tab.press(ESCAPE);
    tab.press("?");
    tab.until("document.getElementById('keys').open");
    for key in ["j, k", "Enter", "u", "a", "e", "p", "t", "x", "n", "/"] {
        assert_eq!(
            tab.value(&format!(
                "[...document.querySelectorAll('#keys kbd')].some((one) => one.innerText === {})",
                json!(key)
            )),
            true,
            "{key}"
        );
    }
    // Behind the list nothing is done.
    tab.press("x");
    tab.press(ESCAPE);
    tab.until("!document.getElementById('keys').open");
    assert!(lab.memory(&id).is_some());
}
