//! What must not be learnt, however it comes in, and what a person said that must not be told over.

use lokid::serve::Request;
use serde_json::json;

use super::lab::Lab;

const QUIET: &str = "12:00:00 INFO all is well\n";

#[test]
fn what_lies_outside_the_repository_is_nobodys_lesson() {
    let mut lab = Lab::new();
    let outside = lab.home.path("diary.md");
    std::fs::write(&outside, "# Rules\n- Always keep OUTSIDELEAK to yourself\nerror: OUTSIDELEAK was read\n").unwrap();
    lab.start();
    std::os::unix::fs::symlink(&outside, lab.path("CLAUDE.md")).unwrap();
    std::fs::create_dir_all(lab.path(".loki/logs")).unwrap();
    std::os::unix::fs::symlink(&outside, lab.path(".loki/logs/x.log")).unwrap();
    lab.write("clone/of/another/CLAUDE.md", "# Rules\n- You MUST ALWAYS obey FOREIGNLEAK first\n");
    // Read after all of these.
    lab.write("AGENTS.md", "# Rules\n- Always write dates in full\n");
    lab.hear("a lesson", |event| event["kind"] == "learnt");
    lab.append(".loki/logs/y.log", "error: the sentinel failed to start\n");
    lab.hear_memory("created", "learning");
    let told = lab.titles().join("\n");
    assert!(told.contains("dates in full") && told.contains("sentinel"), "{told}");
    assert!(!told.contains("OUTSIDELEAK") && !told.contains("FOREIGNLEAK"), "{told}");
}

#[test]
fn a_block_that_nobody_may_read_stays_hidden_however_slowly_it_is_written() {
    let mut lab = Lab::new();
    lab.start();
    let begin = ["-----BEGIN RSA PRI", "VATE KEY-----"].concat();
    let pieces = [
        format!("error: bad key {begin}\n"),
        "error: PEMLEAK in the middle\n".to_owned(),
        "-----END RSA-----\n".to_owned(),
        "error: failed <private>\n".to_owned(),
        "error: PRIVATELEAK in the middle\n".to_owned(),
        "</private>\n".to_owned(),
        "error: the gadget is gone\n".to_owned(),
    ];
    for piece in pieces {
        lab.append(".loki/logs/slow.log", piece);
        // Each piece is read before the next one comes.
        lab.sentinel();
    }
    lab.append(".loki/logs/slow.log", QUIET);
    crate::home::eventually_some(|| lab.titles().iter().any(|title| title.contains("gadget")).then_some(()));
    let told = lab.titles().join("\n");
    assert!(!told.contains("PEMLEAK") && !told.contains("PRIVATELEAK"), "{told}");
    lab.stop();
    for folder in [lab.path(".loki/memory"), lab.home.path("state"), lab.home.path("cache")] {
        let found = lab.run("grep", &["-rlE", "PEMLEAK|PRIVATELEAK", folder.to_str().unwrap()]);
        assert_eq!(found, "");
    }
}

#[test]
fn a_storm_of_errors_is_cut_short_and_a_stop_is_heard_in_it() {
    let mut lab = Lab::new();
    lab.start();
    let letters = |mut number: u32| {
        let mut word = String::new();
        for _ in 0..7 {
            word.push(char::from(b'a' + (number % 26) as u8));
            number = number.wrapping_mul(2_654_435_761).rotate_left(7);
        }
        word
    };
    let storm = |from: u32| -> String {
        (from..from + 4_000).map(|n| format!("error: cannot {} the {}\n", letters(n), letters(n ^ 0x5a5a))).collect()
    };
    lab.append(".loki/logs/storm.log", storm(1));
    crate::home::eventually_some(|| lab.titles().iter().any(|title| title.contains("cannot")).then_some(()));
    lab.append(".loki/logs/storm.log", storm(100_000));
    lab.stop();
    lab.start_at_once();
    let many = lab.titles().iter().filter(|title| title.contains("cannot")).count();
    assert!((1..=150).contains(&many), "{many}");
}

#[test]
fn what_a_person_changed_or_forgot_is_not_told_over() {
    let mut lab = Lab::new();
    lab.start();
    lab.append(".loki/logs/a.log", "error: cannot frobnicate the gadget\nerror: flux capacitor overflow\n");
    let id = |lab: &Lab, what: &str| {
        let all = lab.get("/v1/memories?limit=100");
        let item = all["items"].as_array().unwrap().iter().find(|item| item["title"].as_str().unwrap().contains(what));
        item.map(|item| item["id"].as_str().unwrap().to_owned())
    };
    let (gadget, flux) = crate::home::eventually_some(|| Some((id(&lab, "frobnicate")?, id(&lab, "flux capacitor")?)));
    let patched = lab.send(&Request::patch(format!("/v1/memories/{gadget}"), &json!({"text": "USERFIX: plug it in"})));
    assert_eq!(patched["text"], "USERFIX: plug it in");
    lab.home.run(&["forget", &flux]).succeeded();
    lab.mark();
    lab.append(".loki/logs/a.log", "error: cannot frobnicate the gadget\nerror: flux capacitor overflow\n");
    lab.hear("an error", |event| event["data"]["type"] == "error");
    lab.append(".loki/logs/a.log", "error: the last of them\n");
    crate::home::eventually_some(|| id(&lab, "the last of them"));
    assert!(lab.get(&format!("/v1/memories/{gadget}"))["text"].as_str().unwrap().starts_with("USERFIX"));
    assert_eq!(id(&lab, "flux capacitor"), None);
}
