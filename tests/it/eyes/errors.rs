//! Errors in logs: known once, counted afterwards, resolved by what mended them, and nothing read twice.

use serde_json::{Value, json};

use super::lab::{Lab, has};

const LOG: &str = ".loki/logs/run.log";

fn traceback(root: &str, line: u32) -> String {
    format!(
        "Traceback (most recent call last):\n  File \"{root}shop/cart.py\", line {line}, in mean\n    \
         return sum(xs) / len(xs)\nZeroDivisionError: division by zero\n"
    )
}

fn missing_key(name: &str) -> String {
    format!(
        "Traceback (most recent call last):\n  File \"shop/price.py\", line 3, in price\n    return prices[name]\n\
         {name}Error: no such thing here\n"
    )
}

fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("shop/cart.py", "def mean(xs):\n    return sum(xs) / len(xs)\n");
    lab.write("shop/price.py", "def price(name):\n    return prices[name]\n");
    lab.write(".gitignore", ".loki/\nlogs/\n");
    lab.commit("Sell");
    lab
}

fn learnings(lab: &Lab) -> Vec<Value> {
    lab.memories().into_iter().filter(|memory| memory["kind"] == "learning").collect()
}

#[test]
fn the_same_error_is_one_memory_with_a_count_and_the_commit_that_mended_it() {
    let mut lab = lab();
    lab.start();
    lab.append(LOG, traceback("/home/ada/app/", 2));
    lab.hear_signal("error", "shop/cart.py");
    let id = lab.hear_memory("created", "learning");
    lab.append(LOG, traceback("/srv/build/7/app/", 9));
    lab.hear_signal("error", "shop/cart.py");
    assert_eq!(lab.hear_memory("updated", "learning"), id);
    let open = lab.record(&id);
    assert!(has(&open["text"], "seen 2 times"), "{open:#}");
    assert_eq!((&open["source"], &open["tier"]), (&json!("log"), &json!("reference")));
    assert!(open["tags"].as_array().unwrap().contains(&json!("open")), "{open:#}");
    assert_eq!(open["files"], json!(["shop/cart.py"]));

    lab.write("shop/cart.py", "def mean(xs):\n    return sum(xs) / len(xs) if xs else 0\n");
    lab.git(&["commit", "-qam", "An empty cart has the mean zero"]);
    let commit = lab.hear("the commit", |event| event["kind"] == "git")["data"]["commit"].clone();
    assert_eq!(learnings(&lab).len(), 1);
    lab.append(LOG, "all is well, 12 carts served\n");
    assert_eq!(lab.hear_memory("updated", "learning"), id);
    let mended = lab.record(&id);
    assert_eq!(mended["commits"], json!([commit]));
    assert!(has(&mended["text"], "resolved by: An empty cart has the mean zero"), "{mended:#}");
    assert!(mended.to_string().contains("\"fix\":\"An empty cart has the mean zero\""), "{mended:#}");
    assert!(mended["tags"].as_array().unwrap().contains(&json!("resolved")), "{mended:#}");
    assert!(!mended["tags"].as_array().unwrap().contains(&json!("open")), "{mended:#}");
    lab.sentinel();
    assert_eq!(learnings(&lab).len(), 1, "{:#?}", lab.titles());
}

#[test]
fn an_error_is_the_same_by_the_whole_path_and_by_the_path_from_the_root() {
    let mut lab = lab();
    lab.start();
    lab.append(LOG, traceback("", 2));
    lab.hear_signal("error", "shop/cart.py");
    lab.append(LOG, traceback(&format!("{}/", lab.path("").display()).replace("//", "/"), 9));
    lab.hear_signal("error", "shop/cart.py");
    lab.sentinel();
    let told = lab.titles();
    assert_eq!(learnings(&lab).len(), 1, "{told:#?}");
}

#[test]
fn a_log_is_read_on_where_it_was_left_whether_it_was_rotated_cut_or_the_daemon_away() {
    let mut lab = lab();
    lab.start();
    lab.append(LOG, missing_key("First"));
    lab.hear_signal("error", "shop/price.py");
    lab.hear_memory("created", "learning");
    lab.stop();
    lab.append(LOG, missing_key("Second"));
    lab.start_at_once();
    lab.until(|all| all.iter().any(|memory| has(&memory["title"], "SecondError")));
    lab.past_is_read();
    lab.sentinel();
    assert_eq!(learnings(&lab).len(), 2, "{:#?}", lab.titles());
    let first = lab.titled("FirstError");
    assert!(!has(&first["text"], "seen 2 times"), "read twice: {first:#}");

    // Rotated: what still came into the old file is read before the new one.
    lab.append(LOG, missing_key("Third"));
    std::fs::rename(lab.path(LOG), lab.path(".loki/logs/run.log.1")).unwrap();
    lab.write(LOG, missing_key("Fourth"));
    lab.until(|all| {
        ["ThirdError", "FourthError"].iter().all(|name| all.iter().any(|memory| has(&memory["title"], name)))
    });
    // Cut, as `> run.log` does it, and begun anew.
    lab.write(LOG, "");
    lab.sentinel();
    lab.append(LOG, missing_key("Fifth"));
    lab.until(|all| all.iter().any(|memory| has(&memory["title"], "FifthError")));
    lab.sentinel();
    assert_eq!(learnings(&lab).len(), 5, "{:#?}", lab.titles());
}

#[test]
fn a_huge_line_and_binary_junk_in_a_log_do_no_harm() {
    let mut lab = lab();
    lab.home.configure("[watch]\nerror_logs = [\"logs/*.log\"]\n");
    lab.start();
    let mut junk = b"Error: ".repeat(1_500_000);
    junk.push(b'\n');
    lab.write("logs/app.log", &junk);
    let noise: Vec<u8> = (0..400_000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    lab.append("logs/app.log", &noise);
    lab.append("logs/app.log", b"\n\0\0\0\0\0\0\0\0\n\xff\xfe\n");
    lab.append("logs/app.log", traceback("", 2));
    lab.hear_signal("error", "shop/cart.py");
    lab.until(|all| all.iter().any(|memory| has(&memory["title"], "ZeroDivisionError")));
    lab.sentinel();
    assert!(learnings(&lab).len() <= 3, "{:#?}", lab.titles());
    assert!(lab.memories().iter().all(|memory| memory["title"].as_str().unwrap().len() < 5_000));
    let daemon = lab.stop();
    assert!(!daemon.iter().any(|line| line.contains("panic")), "{daemon:#?}");
}

#[test]
fn failures_that_loki_mode_writes_down_beside_its_memory_are_errors_too() {
    let mut lab = lab();
    lab.start();
    lab.append(".loki/state/failure-history.jsonl", "{\"error_class\": \"GateFailed\", \"brief\": \"lint is red\"}\n");
    lab.hear_signal("error", "");
    lab.until(|all| all.iter().any(|memory| has(&memory["title"], "lint is red")));
    lab.append(".loki/memory/failures.jsonl", "{\"error_class\": \"GateFailed\", \"brief\": \"tests are red\"}\n");
    lab.sentinel();
    lab.until(|all| all.iter().any(|memory| has(&memory["title"], "tests are red")));
}
