//! What is a secret: by the rules inside, and by rules of one's own.

use super::lab::Lab;
use crate::home::Home;

#[test]
fn rules_and_exceptions_of_the_configuration_hold() {
    let mut lab = Lab::new();
    let token = format!("{}{}", ["gh", "p_"].concat(), "A1b2C3d4E5f6G7h8J9k0L1m2N3p4Q5r6S7t8");
    lab.home.configure(&format!(
        "[redact]\nrules = [{{ name = \"badge\", pattern = \"BADGE-([0-9]{{6}})\" }}]\nallow = [\"{token}\"]\n"
    ));
    lab.write("AGENTS.md", "# Agents\n\n- Never show BADGE-123456 at the gate\n");
    lab.commit("Rules");
    lab.start();
    let id = lab.home.remember(&format!("my BADGE-654321 and the example {token} of the manual"));
    lab.home.run(&["show", &id]).succeeded().says("BADGE-[redacted:badge]").says(&token);
    let rule = lab.titled("at the gate");
    assert_eq!(rule["title"], "Never show BADGE-[redacted:badge] at the gate");
}

#[test]
fn a_bad_rule_does_not_stop_the_daemon_and_is_said() {
    let home = Home::new();
    home.configure(
        "[redact]\nrules = [{ name = \"badge\", pattern = \"BADGE-(\" }, \
         { name = \"ticket\", pattern = \"TICKET-([0-9]{6})\" }]\n",
    );
    let mut daemon = home.daemon();
    let line = daemon.err.wait_for("badge");
    assert!(line.contains("redact"), "{line}");
    let token = format!("{}{}", ["gh", "p_"].concat(), "A1b2C3d4E5f6G7h8J9k0L1m2N3p4Q5r6S7t8");
    let id = home.remember(&format!("the rules inside hold: {token}"));
    let shown = home.run(&["show", &id]).succeeded().out;
    assert!(!shown.contains(&token) && shown.contains("the rules inside hold"), "{shown}");
    let id = home.remember("and so do the good rules of the file: TICKET-123456 is nobody's business");
    home.run(&["show", &id]).succeeded().says("TICKET-[redacted:ticket] is nobody's business");
}

/// Some of what attackers got through: none of it is kept, shown or found.
#[test]
fn secrets_in_every_dress_are_taken_out_before_anything_is_kept() {
    const PLANTED: &str = include_str!("../../data/redact/planted_slips.txt");
    let home = Home::new();
    let _daemon = home.daemon();
    let lines: Vec<String> = PLANTED.lines().map(|line| line.replace("{{}}", "").replace('⏎', "\n")).collect();
    let note = |(at, line): (usize, &String)| {
        let text = format!("Note {at}\n\n{}", line.replace(['«', '»'], ""));
        let time = "2026-01-01T00:00:00Z";
        format!("{}\n", serde_json::json!({"id": format!("s-{at}"), "kind": "note", "text": text, "timestamp": time}))
    };
    home.run_with(&["import", "-"], &lines.iter().enumerate().map(note).collect::<String>()).succeeded();
    let kept = home.run(&["export"]).succeeded().out;
    for line in &lines {
        let secret = line.split(['«', '»']).nth(1).unwrap_or_default();
        let written = serde_json::json!(secret).to_string();
        assert!(!kept.contains(written.trim_matches('"')), "{line}");
    }
    assert!(kept.matches("[redacted:").count() >= lines.len(), "{kept}");
}
