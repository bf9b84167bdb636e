//! Whoever was not let in: without the token or the cookie, under another name, from another page, as another user. Over
//! plain TCP, where nothing keeps a client from saying what it likes.

use std::process::Command;

use super::lab::{Lab, SCREENS, Ui, note};
use crate::home::Home;

/// Everything that can be opened, and something that cannot.
fn pages(lab: &Lab) -> Vec<String> {
    let (folder, project) = (&lab.ui.folder, lab.project());
    let outside =
        ["/", "/home", "/page.css", "/page.js", "/mark.svg", "/live", "/nowhere"].map(|path| format!("{folder}{path}"));
    let screens = SCREENS.iter().map(|screen| format!("{project}/{screen}"));
    let others = ["/", "/favicon.ico", "/v1/memories", "/v1/status"].map(str::to_owned);
    outside
        .into_iter()
        .chain(screens)
        .chain([format!("{project}/memories/mem-1"), project.clone()])
        .chain(others)
        .collect()
}

#[test]
fn without_the_cookie_nothing_is_shown() {
    let lab = Lab::new();
    let id = lab.remember(&note("the vault is behind the picture"));
    let stranger = Ui::start(&lab.home);
    let foreign = stranger.enter();
    for path in pages(&lab) {
        for cookie in ["", "lokid=", "lokid=0", "other=1; lokid = ", foreign.as_str()] {
            lab.ui.get(&path, &[("Cookie", cookie)]).is_refused();
        }
        lab.ui.get(&path, &[]).is_refused();
    }
    let forget = [("do", "forget"), ("id", &id)];
    lab.ui.act(&format!("{}/act", lab.project()), &foreign, &forget).is_refused();
    lab.ui.act(&format!("{}/act", lab.project()), "", &forget).is_refused();
    assert!(lab.memory(&id).is_some());
    // Neither does one page open the other, nor is one harmed by what was tried at it.
    assert_eq!(stranger.get(&format!("{}/p/x/said", stranger.folder), &[("Cookie", &foreign)]).status, 404);
    let own = lab.enter();
    assert_eq!(lab.ui.get(&format!("{}/memories", lab.project()), &[("Cookie", &own)]).status, 200);
}

#[test]
fn a_token_opens_once_and_a_wrong_one_never() {
    let lab = Lab::new();
    let (folder, entrance) = (lab.ui.folder.clone(), lab.ui.entrance().to_owned());
    let token = entrance.rsplit_once('=').unwrap().1;
    let other = Ui::start(&lab.home);
    let (_, foreign) = other.entrance().rsplit_once('=').unwrap();
    let almost = format!("{}0", &token[..token.len() - 1]);
    let wrong = ["", "0", &token[1..], &token.to_uppercase(), foreign, &format!("{token}0"), &format!("{token}%00")];
    for wrong in wrong.into_iter().chain((almost != token).then_some(almost.as_str())) {
        lab.ui.get(&format!("{folder}/enter?token={wrong}"), &[]).is_refused();
    }
    lab.ui.get(&format!("{folder}/enter"), &[]).is_refused();
    lab.ui.get(&format!("{folder}/enter?tok=1&TOKEN={token}"), &[]).is_refused();
    lab.ui.get(&format!("/{}/enter?token={token}", "0".repeat(16)), &[]).is_refused();
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
        let answer = lab.ui.ask(method, &entrance, &[], "");
        assert!(answer.status >= 400 && answer.header("set-cookie").is_none(), "{method}: {answer:?}");
    }
    lab.ui.get(&entrance, &[("Host", "evil.example")]).is_refused();
    let answer = lab.ui.get(&entrance, &[]);
    assert_eq!(answer.status, 200, "none of that has used it up: {answer:?}");
    let cookie = answer.header("set-cookie").unwrap();
    let (pair, attributes) = cookie.split_once("; ").unwrap();
    assert_eq!(attributes, format!("Path={folder}/; HttpOnly; SameSite=Strict"));
    assert!(!answer.body.contains(token) && !answer.headers.iter().any(|(_, value)| value.contains(token)));
    lab.ui.get(&entrance, &[]).is_refused();
    lab.ui.get(&entrance, &[("Cookie", "lokid=1")]).is_refused();
    // Whoever is in already, and opens the address again, is where they wanted to be.
    let again = lab.ui.get(&entrance, &[("Cookie", pair)]);
    assert_eq!((again.status, again.header("location")), (303, Some(format!("{folder}/home").as_str())));
}

#[test]
fn no_other_name_and_no_other_page_is_answered() {
    let lab = Lab::new();
    let id = lab.remember(&note("the vault is behind the picture"));
    let (cookie, port, act) = (lab.enter(), lab.ui.port, format!("{}/act", lab.project()));
    let hosts = [
        format!("evil.example:{port}"),
        "evil.example".to_owned(),
        format!("127.0.0.1.evil.example:{port}"),
        format!("127.0.0.1:{port}.evil.example"),
        format!("127.0.0.1:{port}@evil.example"),
        format!("127.0.0.2:{port}"),
        format!("[::1]:{port}"),
        format!("0.0.0.0:{port}"),
        format!("2130706433:{port}"),
        format!("127.1:{port}"),
        format!("LOCALHOST.:{port}"),
        "127.0.0.1".to_owned(),
        "127.0.0.1:1".to_owned(),
        String::new(),
    ];
    for path in pages(&lab) {
        for host in &hosts {
            lab.ui.get(&path, &[("Host", host), ("Cookie", &cookie)]).is_refused();
        }
        lab.ui
            .get(&path, &[("Host", &format!("127.0.0.1:{port}")), ("Host", "evil.example"), ("Cookie", &cookie)])
            .is_refused();
    }
    // The whole address in the first line, and a request of the old kind without a name.
    let absolute = format!(
        "GET http://evil.example{act} HTTP/1.1\r\nHost: evil.example\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
    );
    lab.ui.send(absolute.as_bytes()).is_refused();
    lab.ui.send(format!("GET {}/memories HTTP/1.0\r\nCookie: {cookie}\r\n\r\n", lab.project()).as_bytes()).is_refused();
    let own = lab.ui.origin();
    let foreign = [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        "http://127.0.0.1:1".to_owned(),
        format!("https://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
        format!("{own}.evil.example"),
        format!("{own}/"),
        String::new(),
    ];
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    let body = format!("do=forget&id={id}");
    for origin in &foreign {
        lab.ui.get(&format!("{}/live", lab.ui.folder), &[("Cookie", &cookie), ("Origin", origin)]).is_refused();
        lab.ui.ask("POST", &act, &[("Cookie", &cookie), form, ("Origin", origin)], &body).is_refused();
        let two = [("Cookie", cookie.as_str()), form, ("Origin", &own), ("Origin", origin)];
        lab.ui.ask("POST", &act, &two, &body).is_refused();
    }
    lab.ui.ask("POST", &act, &[("Cookie", &cookie), form], &body).is_refused();
    for site in ["cross-site", "same-site", "", "SAME-ORIGIN"] {
        let from = ("Sec-Fetch-Site", site);
        lab.ui.ask("POST", &act, &[("Cookie", &cookie), form, ("Origin", &own), from], &body).is_refused();
        lab.ui.get(&format!("{}/memories", lab.project()), &[("Cookie", &cookie), from]).is_refused();
    }
    assert!(lab.memory(&id).is_some(), "nobody has forgotten it");
    // By asking alone nothing is changed: it leads back. And what is sent as anything but a form is not taken.
    assert_eq!(lab.ui.get(&format!("{act}?{body}"), &[("Cookie", &cookie)]).status, 303);
    assert!(lab.memory(&id).is_some());
    let json = [("Cookie", cookie.as_str()), ("Origin", &own), ("Content-Type", "text/plain")];
    assert_eq!(lab.ui.ask("POST", &act, &json, &body).status, 415);
    assert!(lab.memory(&id).is_some());
    assert_eq!(lab.ui.act(&act, &cookie, &[("do", "forget"), ("id", &id)]).status, 303);
    assert!(lab.memory(&id).is_none(), "the page itself may");
}

#[test]
fn every_answer_forbids_what_the_page_does_not_need() {
    let lab = Lab::new();
    let cookie = lab.enter();
    let paths = pages(&lab);
    let asked = paths.iter().filter(|path| !path.ends_with("/live"));
    let answers = asked.flat_map(|path| [lab.ui.get(path, &[("Cookie", &cookie)]), lab.ui.get(path, &[])]);
    for answer in answers.chain([lab.ui.ask("OPTIONS", &lab.project(), &[("Origin", "http://evil.example")], "")]) {
        let policy = answer.header("content-security-policy").unwrap_or_else(|| panic!("{answer:?}"));
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && policy.contains("form-action 'self'"), "{policy}");
        assert!(!["unsafe", "*", "http:", "data:"].iter().any(|word| policy.contains(word)), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"));
        assert!(
            answer
                .header("cache-control")
                .is_some_and(|value| value.starts_with("no-store") || value.starts_with("private"))
        );
        assert!(!answer.headers.iter().any(|(name, _)| name.starts_with("access-control-")), "{answer:?}");
        assert!(
            !answer.body.contains(" style=") && !answer.body.contains(" onclick=") && !answer.body.contains("<script>")
        );
    }
}

#[test]
fn only_this_machine_reaches_the_page_and_nobody_the_daemon() {
    if !std::path::Path::new("/proc/net/tcp").exists() {
        println!("skipped: the system does not list who listens");
        return;
    }
    let lab = Lab::new();
    let here = format!("0100007F:{:04X}", lab.ui.port);
    assert_eq!(listening(lab.ui.process.child.id()), [here]);
    assert_eq!(listening(lab.daemon.child.id()), Vec::<String>::new());
}

/// Where a process listens over TCP, as the kernel writes it.
fn listening(process: u32) -> Vec<String> {
    let files = std::fs::read_dir(format!("/proc/{process}/fd")).unwrap().flatten();
    let links: Vec<String> =
        files.filter_map(|file| Some(std::fs::read_link(file.path()).ok()?.display().to_string())).collect();
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| std::fs::read_to_string(table).unwrap_or_default());
    let rows = tables.iter().flat_map(|table| table.lines().skip(1));
    let open = rows.map(|row| row.split_whitespace().collect::<Vec<_>>()).filter(|fields| fields[3] == "0A");
    open.filter(|fields| links.contains(&format!("socket:[{}]", fields[9])))
        .map(|fields| fields[1].to_owned())
        .collect()
}

/// As another user of the machine, with everything a request needs.
const STRANGER: &str = "import os,socket,sys\nos.setgroups([])\nos.setgid(65534)\nos.setuid(65534)\n\
    s=socket.socket()\ns.settimeout(20)\ns.connect(('127.0.0.1',int(sys.argv[1])))\nd=b''\ntry:\n  s.sendall(sys.argv[2].encode())\n  \
    while True:\n    p=s.recv(4096)\n    if not p: break\n    d+=p\nexcept ConnectionError: pass\nprint(d.decode())";

#[test]
fn another_user_is_not_answered_even_with_the_cookie() {
    let has_python = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if rustix::process::geteuid().as_raw() != 0 || !has_python || !std::path::Path::new("/proc/net/tcp").exists() {
        println!("skipped: only root can become another user here");
        return;
    }
    let lab = Lab::new();
    let cookie = lab.enter();
    let path = format!("{}/memories", lab.project());
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n",
        lab.ui.port
    );
    let told = Command::new("python3").args(["-c", STRANGER, &lab.ui.port.to_string(), &request]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&told.stdout).trim(), "", "{told:?}");
    assert!(told.status.success(), "{told:?}");
    assert_eq!(lab.ui.send(request.as_bytes()).status, 200, "the same bytes from this user");
}

#[test]
fn a_port_that_is_taken_and_a_daemon_that_is_not_there_are_told() {
    let home = Home::new();
    home.run(&["ui", "--no-browser"]).exited(3).says("no daemon at");
    let lab = Lab::of(home);
    let port = lab.ui.port.to_string();
    lab.home.run(&["ui", "--no-browser", "--port", &port]).exited(1).says("cannot listen at").says("--port");
}
