//! Nobody is shut out: by a small screen, by the colours, or by reading with other means than the eyes. What axe-core
//! finds counts; `$LOKID_AXE` names its script (`tests/clients/page.sh` brings it).

use serde_json::Value;

use super::browser::{self, Tab};
use super::lab::Lab;

const WIDTHS: [u32; 2] = [1200, 320];
const SCHEMES: [&str; 2] = ["light", "dark"];

#[test]
fn axe_finds_nothing_serious_on_any_screen() {
    if !browser::is_wanted() {
        return;
    }
    let Some(path) = std::env::var_os("LOKID_AXE") else {
        println!("skipped: $LOKID_AXE does not say where axe-core is; see tests/clients/page.sh");
        return;
    };
    let axe = std::fs::read_to_string(path).unwrap();
    let lab = Lab::furnished();
    let tab = lab.tab();
    let (mut found, mut looks) = (Vec::new(), 0);
    for page in lab.pages() {
        for (width, scheme) in WIDTHS.into_iter().flat_map(|width| SCHEMES.map(|scheme| (width, scheme))) {
            tab.width(width);
            tab.scheme(scheme);
            tab.go(&lab.at(&page));
            found.extend(complaints(&tab, &axe).into_iter().map(|what| format!("{page} {width} {scheme}: {what}")));
            looks += 1;
        }
    }
    println!("axe looked {looks} times");
    assert!(found.is_empty(), "{} complaints: {found:#?}", found.len());
}

/// Of what is open, with everything that can be unfolded unfolded.
fn complaints(tab: &Tab, axe: &str) -> Vec<String> {
    tab.until("document.readyState === 'complete'");
    tab.value("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    tab.value(&format!("(() => {{ {axe}\n return true; }})()"));
    let told = tab.promised("axe.run(document, {resultTypes: ['violations']}).then((told) => told.violations)");
    let violations = told.as_array().unwrap_or_else(|| panic!("{told}"));
    let is_grave = |one: &&Value| ["serious", "critical"].iter().any(|impact| one["impact"] == *impact);
    let in_words = |one: &Value| format!("{} at {}", one["id"], one["nodes"][0]["html"]);
    violations.iter().filter(is_grave).map(in_words).collect()
}

#[test]
fn nothing_is_wider_than_a_small_screen() {
    if !browser::is_wanted() {
        return;
    }
    let lab = Lab::furnished();
    let tab = lab.tab();
    tab.width(320);
    for page in lab.pages() {
        tab.go(&lab.at(&page));
        tab.until("document.readyState === 'complete'");
        tab.value("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        let wide = tab.value(
            "document.documentElement.scrollWidth > 320 && [...document.querySelectorAll('body *')]\
             .filter((one) => one.getBoundingClientRect().right > 320).map((one) => one.outerHTML.slice(0, 200)).slice(0, 5)",
        );
        assert_eq!(wide, false, "{page}: {wide:#}");
    }
}
