//! How long things last: the page ends when it is told, open streams or not; a daemon that goes away is told on the page,
//! and the page comes back with it; what changes elsewhere is shown without asking.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use rustix::process::Signal;

use super::browser::Tab;
use super::lab::{Lab, Ui, note};

#[test]
fn ctrl_c_ends_the_page_though_somebody_listens() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut lab = Lab::new();
        let cookie = lab.enter();
        let mut stream = lab.ui.connect();
        let host = format!("Host: 127.0.0.1:{}", lab.ui.port);
        write!(stream, "GET {}/live HTTP/1.1\r\n{host}\r\nCookie: {cookie}\r\n\r\n", lab.ui.folder).unwrap();
        let mut lines = BufReader::new(stream).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "HTTP/1.1 200 OK");
        // Somebody else has not even said what they want.
        let _idle = lab.ui.connect();
        lab.ui.process.signal(signal);
        let (code, took) = lab.ui.process.ended();
        assert_eq!(code, Some(0));
        println!("ended {} ms after {signal:?}", took.as_millis());
        let refused = TcpStream::connect(("127.0.0.1", lab.ui.port)).unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
        lines.for_each(drop);
    }
}

#[test]
fn a_page_that_ended_lets_nobody_in_when_another_takes_its_port() {
    let mut lab = Lab::new();
    let (cookie, path) = (lab.enter(), format!("{}/memories", lab.project()));
    lab.ui.process.signal(Signal::INT);
    lab.ui.process.ended();
    let port = lab.ui.port.to_string();
    let before = std::mem::replace(&mut lab.ui, Ui::start_at(&lab.home, Some(&port)));
    assert_eq!(lab.ui.port, before.port);
    assert_ne!(lab.ui.folder, before.folder);
    lab.ui.get(&path, &[("Cookie", &cookie)]).is_refused();
    lab.ui.get(&format!("{}/memories", lab.project()), &[("Cookie", &cookie)]).is_refused();
    lab.ui.get(before.entrance(), &[]).is_refused();
}

#[test]
fn what_is_told_elsewhere_is_shown_without_asking() {
    let Some(lab) = Lab::in_a_browser() else { return };
    let tab = lab.tab();
    tab.go(&lab.at("memories"));
    tab.value("window.kept = 1");
    lab.home.remember("the lamp in the hall is green");
    tab.until_text("the lamp in the hall is green");
    let id = lab.home.remember("the door in the cellar is locked");
    tab.until_text("the door in the cellar is locked");
    lab.home.run(&["forget", "--yes", &id]).succeeded();
    tab.until("!document.body.innerText.includes('cellar')");
    assert_eq!(tab.value("window.kept"), 1, "the page was never loaded anew");
    // Whoever is in the middle of a word is not disturbed, and what they typed stays.
    tab.type_into("#q", "lamp");
    tab.until("location.search.includes('lamp') && document.querySelectorAll('[data-item]').length");
    lab.home.remember("another lamp, in the kitchen");
    tab.until_text("another lamp, in the kitchen");
    assert_eq!(tab.value("document.activeElement.id + document.activeElement.value"), "qlamp");
    assert_eq!(tab.value("window.kept"), 1);
}

#[test]
fn a_daemon_that_dies_is_told_and_the_page_comes_back_with_it() {
    let Some(mut lab) = Lab::in_a_browser() else { return };
    let id = lab.remember(&note("the lamp in the hall is green"));
    let tab = lab.tab();
    let screens = ["memories".to_owned(), format!("memories/{id}")];
    for screen in screens {
        tab.go(&lab.at(&screen));
        tab.until_text("the lamp in the hall is green");
        lab.daemon.child.kill().unwrap();
        lab.daemon.child.wait().unwrap();
        tab.until_text("The daemon does not answer");
        tab.until_text("lokid run");
        lab.daemon = lab.home.daemon();
        tab.until_text("the lamp in the hall is green");
        assert!(tab.address().ends_with(&screen), "{}", tab.address());
    }
}

#[test]
fn words_that_are_being_written_and_what_came_of_an_act_outlive_the_news() {
    let Some(lab) = Lab::in_a_browser() else { return };
    let id = lab.remember(&note("the lamp in the hall is green"));
    let tab = lab.tab();
    tab.go(&lab.at("inbox"));
    tab.act("main", "Make private", "Private from now on.");
    lab.remember(&note("the door in the cellar is locked"));
    tab.until_text("the door in the cellar is locked");
    assert!(tab.text().contains("Private from now on."));
    // The focus has left the field, and nothing was sent yet.
    tab.go(&lab.at(&format!("memories/{id}")));
    tab.click("#edit summary");
    tab.retype("#edit-text", "the lamp is blue");
    tab.press("\u{e004}");
    let other = Ui::start(&lab.home);
    let beside = Tab::new();
    beside.go(&other.address);
    beside.until("location.pathname.endsWith('/said') && document.readyState === 'complete'");
    beside.go(&lab.at("memories").replace(&lab.ui.origin(), &other.origin()).replace(&lab.ui.folder, &other.folder));
    lab.remember(&note("the well in the yard is dry"));
    beside.until_text("the well in the yard is dry");
    assert_eq!(tab.value("document.getElementById('edit-text').value"), "the lamp is blue");
    tab.act("#edit", "Keep", "Kept in the new words.");
    assert_eq!(lab.memory(&id).unwrap()["text"], "the lamp is blue");
}
