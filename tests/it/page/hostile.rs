//! Texts that would be obeyed if they were not text, addresses that lead elsewhere, and requests nobody should send.

use std::io::Write;

use serde_json::json;

use super::browser;
use super::lab::{Lab, SCREENS, note};
use crate::home::{Home, post};
use crate::repo;

/// Breaks out of text, of an attribute in either quotes, of a comment, a title and a script.
const SCRIPT: &str =
    "--></title></textarea></script>\"'><script>window.pwned = 1</script><img src=x onerror=\"window.pwned = 2\">";
/// What of it has to be read as it was written.
const AS_WRITTEN: &str = "<script>window.pwned = 1</script>";
/// The same as a name of a file, which has no slash.
const FILE: &str = "<img src=x onerror='window.pwned = 3'>.rs";

#[test]
fn nothing_that_stands_in_a_text_is_run() {
    if !browser::is_wanted() {
        return;
    }
    let home = Home::new();
    let app = home.path("app");
    std::fs::write(app.join(FILE), "pub fn gate() {}\n").unwrap();
    repo::commit_all(&app);
    std::fs::write(app.join(FILE), "pub fn gate() -> u8 { 1 }\n").unwrap();
    repo::commit_all_as(&app, &format!("fix: {SCRIPT}"), SCRIPT.replace(['<', '>'], "|").as_str());
    let lab = Lab::of(home);
    let body = json!({"kind": "note", "title": SCRIPT, "text": format!("gate {SCRIPT}"), "tags": [SCRIPT, "javascript:window.pwned=4"],
        "files": [FILE, "javascript:window.pwned=5"], "actor": SCRIPT});
    let id = lab.remember(&body);
    let other = lab.remember(&note(&format!("another gate {SCRIPT}")));
    post(&lab.home, "/v1/links", &json!({"from": id, "to": other, "relation": "related_to"}));
    let session = json!({"session_id": SCRIPT, "cwd": lab.home.path("app"), "hook_event_name": "UserPromptSubmit",
        "prompt": format!("what about the gate in {FILE}? {SCRIPT}")});
    lab.home.hook(&["UserPromptSubmit"], &session.to_string()).succeeded();
    lab.home.run(&["forget", "--yes", &other, &format!("--reason={SCRIPT}")]).succeeded();

    let tab = lab.tab();
    let asked = url::form_urlencoded::byte_serialize(SCRIPT.as_bytes()).collect::<String>();
    let file = url::form_urlencoded::byte_serialize(FILE.as_bytes()).collect::<String>();
    let queries = [
        format!("memories?q={asked}"),
        format!("memories?tag={asked}&kind={asked}"),
        format!("files?path={file}"),
        format!("memories/{id}"),
        format!("memories/{other}"),
        format!("memories/{asked}"),
        format!("said?session_id={asked}"),
        format!("{asked}?{asked}={asked}"),
    ];
    for page in SCREENS.iter().map(|screen| (*screen).to_owned()).chain(queries) {
        tab.go(&lab.at(&page));
        tab.until(
            "document.readyState === 'complete' && document.getElementById('main') || document.querySelector('h1')",
        );
        assert_eq!(tab.value("typeof window.pwned"), "undefined", "{page}");
        let odd = tab.value("[...document.querySelectorAll('*')].filter((one) => [...one.attributes].some((it) => \
            it.name.startsWith('on') || /^javascript:/i.test(it.value) && ['href', 'src', 'action'].includes(it.name))).length");
        assert_eq!(odd, 0, "{page}");
        assert_eq!(tab.value("document.scripts.length <= 1 && !document.querySelector('img[src=x]')"), true, "{page}");
        let said = tab.console();
        let broken = said.iter().find(|line| line.contains("Security Policy") || line.contains("SyntaxError"));
        assert_eq!(broken, None, "{page}: {said:#?}");
    }
    tab.go(&lab.at(&format!("memories/{id}")));
    tab.until_text(AS_WRITTEN);
    // What arrives while the page is open goes another way, and is text as well.
    tab.go(&lab.at("memories"));
    lab.remember(&note(&format!("late {SCRIPT}")));
    tab.until_text("late --></title>");
    assert_eq!(tab.value("typeof window.pwned"), "undefined");
}

/// Ways out of wherever they are put.
const WAYS_OUT: &[&str] = &[
    "../../../../../../etc/passwd",
    "..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "..%252f..%252fetc%252fpasswd",
    "..%5c..%5cetc%5cpasswd",
    "%2fetc%2fpasswd",
    "/etc/passwd",
    "file:%2f%2f%2fetc%2fpasswd",
    "src%2f..%2f..%2f..%2fetc%2fpasswd",
    ".git%2fconfig",
    "passwd%00.rs",
    "%00",
    "%ff%fe",
    "..%2fstatus%3fx=",
    "x%2f..%2f..%2fstatus",
    "x%3fproject=elsewhere",
    "%0d%0aSet-Cookie:%20a=b",
];

#[test]
fn no_address_leads_out_of_the_project() {
    let lab = Lab::new();
    let cookie = lab.enter();
    let project = lab.project();
    let places = [
        "memories/X",
        "X",
        "files?path=X",
        "memories?file=X",
        "memories?tag=X&cursor=X",
        "memories?month=X&kind=X",
        "said?session_id=X",
        "inbox?cursor=X",
        "nights?night=X",
        "worth?days=X",
        "memories/x?depth=X&known=X&holds=X",
        "../X/said",
    ];
    for (way, place) in WAYS_OUT.iter().flat_map(|way| places.iter().map(move |place| (way, place))) {
        let path = format!("{project}/{}", place.replace('X', way));
        let answer = lab.ui.get(&path, &[("Cookie", &cookie)]);
        assert!((200..500).contains(&answer.status), "{path}: {answer:?}");
        let led_out = ["root:", "[core]", "repositoryformatversion", "uptime", "rss_bytes"]
            .iter()
            .any(|word| answer.body.contains(word));
        assert!(!led_out && answer.header("set-cookie").is_none(), "{path}: {answer:?}");
    }
    let fields = ["do", "id", "file", "back", "night", "namespace", "resolution", "text"];
    for (way, field) in WAYS_OUT.iter().flat_map(|way| fields.iter().map(move |field| (way, field))) {
        for deed in [
            "forget",
            "restore",
            "private",
            "edit",
            "settle",
            "mute",
            "unmute",
            "undo",
            "accept",
            "undo-night",
            "trust",
        ] {
            let way = url::form_urlencoded::parse(format!("w={way}").as_bytes()).next().unwrap().1.into_owned();
            let answer =
                lab.ui.act(&format!("{project}/act"), &cookie, &[(field, &way), ("do", deed), ("id", "mem-none")]);
            assert_eq!(answer.status, 303, "{field}={way}: {answer:?}");
            assert!(answer.header("location").is_some_and(|to| to.starts_with(&project)), "{field}={way}: {answer:?}");
        }
    }
}

#[test]
fn a_form_leads_back_into_the_page_and_nowhere_else() {
    let lab = Lab::new();
    let (cookie, project) = (lab.enter(), lab.project());
    let id = lab.remember(&note("the vault is behind the picture"));
    let own = format!("{project}/memories/{id}?depth=2");
    let elsewhere = [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "\\\\evil.example",
        "javascript:alert(1)",
        "data:text/html,x",
        "/",
        "",
        &format!("{}@evil.example", lab.ui.origin()),
        &format!("{project}.evil.example"),
        &format!("{project}/x\r\nSet-Cookie: lokid=1"),
        &format!("{project}/\\evil.example"),
        &format!("{project}/x\ty"),
        &format!("{project}/\u{fc}\u{202e}"),
        &format!(" {project}/memories"),
        &format!("http://evil.example{project}/"),
    ];
    for deed in ["private", "nonsense"] {
        for back in elsewhere {
            let answer = lab.ui.act(&format!("{project}/act"), &cookie, &[("do", deed), ("id", &id), ("back", back)]);
            let to = answer.header("location").unwrap_or_default();
            assert_eq!((answer.status, to), (303, format!("{project}/said").as_str()), "{back}: {answer:?}");
            assert!(answer.header("set-cookie").is_none(), "{back}: {answer:?}");
        }
        let answer = lab.ui.act(&format!("{project}/act"), &cookie, &[("do", deed), ("id", &id), ("back", &own)]);
        assert_eq!(answer.header("location"), Some(own.as_str()));
    }
    // Whatever it says, a browser that follows it stays at this address.
    let back = format!("{project}/../../../..//evil.example/");
    let answer = lab.ui.act(&format!("{project}/act"), &cookie, &[("do", "private"), ("id", &id), ("back", &back)]);
    let here = url::Url::parse(&lab.at("said")).unwrap();
    let there = here.join(answer.header("location").unwrap()).unwrap();
    assert_eq!(there.origin(), here.origin(), "{there}");
}

#[test]
fn what_is_too_large_too_much_or_too_slow_harms_nobody() {
    let lab = Lab::new();
    let (cookie, act) = (lab.enter(), format!("{}/act", lab.project()));
    let id = lab.remember(&note("the vault is behind the picture"));
    let huge = "x".repeat(10 << 20);
    let answer = lab.ui.act(&act, &cookie, &[("do", "forget"), ("id", &id), ("text", &huge)]);
    assert!([413, 0].contains(&answer.status), "{:?}", answer.status);
    let pairs = "a=b&".repeat(200_000);
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    let many = lab.ui.ask("POST", &act, &[("Cookie", &cookie), ("Origin", &lab.ui.origin()), form], &pairs);
    assert!([303, 413].contains(&many.status), "{many:?}");
    let headers: String = (0..10_000).map(|n| format!("X-{n}: y\r\n")).collect();
    let answer = lab.ui.send(format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{headers}\r\n", lab.ui.port).as_bytes());
    assert!([431, 400, 0].contains(&answer.status), "{answer:?}");
    let long = format!("{}/memories?q={}", lab.project(), "y".repeat(1 << 20));
    let answer = lab.ui.get(&long, &[("Cookie", &cookie)]);
    assert!([414, 431, 400, 0].contains(&answer.status), "{answer:?}");
    let nonsense: [&[u8]; 5] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01",
        b"GET\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ];
    for bytes in nonsense {
        let answer = lab.ui.send(&[bytes, b"\r\n\r\n"].concat());
        assert!(answer.status == 0 || answer.status >= 400, "{answer:?}");
    }
    // Two hundred that begin and never go on, in their headers and in the body of a form.
    let begin = format!("POST {act} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", lab.ui.port);
    let rest = format!(
        "Origin: {}\r\nCookie: {cookie}\r\nContent-Type: {}\r\nContent-Length: 99\r\n\r\ndo=",
        lab.ui.origin(),
        form.1
    );
    let slow: Vec<_> = (0..200)
        .map(|n| {
            let mut stream = lab.ui.connect();
            stream.write_all(begin.as_bytes()).unwrap();
            if n % 2 == 0 {
                stream.write_all(rest.as_bytes()).unwrap();
            }
            stream
        })
        .collect();
    let answer = lab.ui.get(&format!("{}/memories/{id}", lab.project()), &[("Cookie", &cookie)]);
    assert!(answer.status == 200 && answer.body.contains("vault"), "{answer:?}");
    drop(slow);
    assert!(lab.memory(&id).is_some());
}
