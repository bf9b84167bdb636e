//! Other pages in the same browser, which a cookie would follow: a name that was made to lead here, a server at another
//! port of this very address, a site elsewhere. They know the port and the folder, which is more than they would.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use serde_json::json;

use super::browser::Tab;
use super::lab::{Lab, note};

/// Both names lead to this machine.
const REBOUND: &str = "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP other.example 127.0.0.1";

/// A server of somebody else: the same page for whatever is asked, and what it was asked with.
struct Evil {
    port: u16,
    heard: Receiver<String>,
}

impl Evil {
    fn serve(page: String) -> Evil {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, heard) = channel();
        let page = Arc::new(page);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (sender, page) = (sender.clone(), Arc::clone(&page));
                // Browsers open connections they do not use.
                std::thread::spawn(move || {
                    let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
                    let _over = sender.send(head.join("\n"));
                    let length = page.len();
                    let _gone = write!(
                        stream,
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\
                         Set-Cookie: lokid=tossed; Path=/\r\nConnection: close\r\n\r\n{page}"
                    );
                });
            }
        });
        Evil { port, heard }
    }
}

/// Tries whatever a page may try, and notes how each ended.
const TRIES: &str = r#"<!doctype html><title>evil</title><body><iframe name="hole"></iframe><script>
const came = {};
const folder = ORIGIN + FOLDER, project = ORIGIN + PROJECT;
const deed = new URLSearchParams({ do: "forget", id: MEMORY });
function load(name, tag, give) {
  const one = document.createElement(tag);
  one.onload = () => { came[name] = "loaded"; };
  one.onerror = () => { came[name] = "refused"; };
  give(one);
  document.body.append(one);
}
function ask(name, address, options) {
  fetch(address, options).then((answer) => answer.text()).then((text) => { came[name] = `read ${text}`; }, () => { came[name] = "refused"; });
}
load("script", "script", (one) => { one.src = `${folder}/page.js`; });
load("style", "link", (one) => { one.rel = "stylesheet"; one.href = `${folder}/page.css`; });
load("image", "img", (one) => { one.src = `${folder}/mark.svg`; });
ask("fetch", `${project}/memories`, { credentials: "include" });
ask("opaque", `${project}/memories`, { credentials: "include", mode: "no-cors" });
ask("preflight", `${project}/act`, { method: "POST", credentials: "include", headers: { "x-own": "1" }, body: deed });
ask("post", `${project}/act`, { method: "POST", credentials: "include", mode: "no-cors", body: deed });
navigator.sendBeacon(`${project}/act`, deed);
const stream = new EventSource(`${folder}/live`, { withCredentials: true });
stream.onopen = () => { came.stream = "open"; };
stream.onerror = () => { came.stream = stream.readyState === 2 ? "refused" : "again"; };
const socket = new WebSocket(`${folder.replace("http", "ws")}/live`);
socket.onopen = () => { came.socket = "open"; };
socket.onerror = () => { came.socket = "refused"; };
function form(target) {
  const one = document.createElement("form");
  one.method = "post"; one.action = `${project}/act`; one.target = target;
  for (const [name, value] of deed) { const field = document.createElement("input"); field.name = name; field.value = value; one.append(field); }
  document.body.append(one);
  one.submit();
}
document.querySelector("iframe").onload = () => { came.form = "answered"; };
form("hole");
</script><iframe name="framed" src="FRAMED"></iframe><a id="way" href="FRAMED">way</a></body>"#;

fn tries(lab: &Lab, id: &str) -> String {
    let filled = [("ORIGIN", lab.ui.origin()), ("FOLDER", lab.ui.folder.clone()), ("PROJECT", lab.project())];
    let page = TRIES.replace("FRAMED", &lab.at("memories")).replace("MEMORY", &json!(id).to_string());
    filled.iter().fold(page, |page, (name, value)| page.replace(name, &json!(value).to_string()))
}

#[test]
fn another_page_in_the_same_browser_reads_nothing_and_changes_nothing() {
    let Some(lab) = Lab::in_a_browser() else { return };
    let id = lab.remember(&note("the vault is behind the picture"));
    let evil = Evil::serve(tries(&lab, &id));
    let tab = lab.tab_with(&[REBOUND]);
    // At another port of the very same address, which browsers count as the same site, and somewhere else.
    for from in [format!("http://127.0.0.1:{}/", evil.port), format!("http://evil.example:{}/", evil.port)] {
        tab.go(&from);
        tab.until("Object.keys(came).length === 10");
        let came = tab.value("came");
        for tried in ["script", "style", "image", "fetch", "opaque", "preflight", "post", "stream", "socket"] {
            assert_eq!(came[tried], "refused", "{tried} from {from}: {came}");
        }
        for frame in 0..2 {
            let shown = tab.in_frame(frame, "[location.href, document.body.innerText]").to_string();
            assert!(!shown.contains("vault"), "{shown}");
        }
        // Neither a link nor a form that takes the whole window with it.
        tab.click("#way");
        tab.until_text("another page asked for this");
        tab.go(&from);
        tab.value("form('_top')");
        tab.until_text("another page asked for this");
        assert!(lab.memory(&id).is_some(), "forgotten from {from}");
    }
    while let Ok(head) = evil.heard.try_recv() {
        let lines: Vec<&str> = head.lines().filter(|line| line.to_lowercase().starts_with("cookie:")).collect();
        let told = lines.iter().any(|line| line.replace("lokid=tossed", "").contains("lokid="));
        assert!(!told, "another server was sent the cookie: {head}");
        assert!(!head.contains(&lab.ui.folder), "or told the folder: {head}");
    }
    // A cookie of the same name that somebody else has set keeps nobody out.
    tab.go(&lab.at(&format!("memories/{id}")));
    tab.until_text("the vault is behind the picture");
}

#[test]
fn a_name_that_was_made_to_lead_here_leads_nowhere() {
    let Some(lab) = Lab::in_a_browser() else { return };
    let tab = Tab::with(&[REBOUND]);
    let rebound = |path: &str| format!("http://evil.example:{}{path}", lab.ui.port);
    for path in [lab.ui.entrance(), &format!("{}/home", lab.ui.folder), "/", &format!("{}/memories", lab.project())] {
        tab.go(&rebound(path));
        tab.until_text("this page has another address");
        assert_eq!(tab.value("document.cookie + document.links.length + document.scripts.length"), "00");
    }
    // The token was not spent on it.
    tab.go(&lab.ui.address);
    tab.until("location.pathname.endsWith('/said')");
    tab.go(&rebound(&format!("{}/memories", lab.project())));
    tab.until_text("this page has another address");
    let read = tab.promised("fetch(location.href).then((answer) => answer.text())");
    assert!(read.as_str().unwrap().contains("another address"), "{read}");
}

#[test]
fn the_token_is_nowhere_once_it_was_used_and_no_script_sees_the_cookie() {
    let Some(lab) = Lab::in_a_browser() else { return };
    let tab = lab.tab();
    let token = lab.ui.address.rsplit_once('=').unwrap().1;
    assert!(!tab.address().contains(token));
    let history = tab.tools("Page.getNavigationHistory", json!({})).to_string();
    assert!(history.contains("/said") && !history.contains(token), "{history}");
    assert_eq!(tab.value("document.cookie"), "");
    assert_eq!(tab.value("document.referrer"), "");
    assert_eq!(tab.value("localStorage.length + sessionStorage.length"), 0);
    let cookies = tab.tools("Network.getAllCookies", json!({}));
    let [cookie] = cookies["cookies"].as_array().unwrap().as_slice() else { panic!("{cookies}") };
    assert_eq!(
        (&cookie["httpOnly"], &cookie["sameSite"], &cookie["session"]),
        (&json!(true), &json!("Strict"), &json!(true))
    );
    assert_eq!(cookie["path"], format!("{}/", lab.ui.folder));
    // Another browser with the same address comes too late, this one is let through.
    let late = Tab::new();
    late.go(&lab.ui.address);
    late.until_text("this address was used before");
    tab.go(&lab.ui.address);
    tab.until("location.pathname.endsWith('/said')");
}
