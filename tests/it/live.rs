//! What is followed as it happens: `status --watch` on a pipe and on a terminal, and `events` over a restart.

mod pty;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::home::{Daemon, Home, eventually_some, post};
use pty::Terminal;

#[test]
fn watching_into_a_pipe_gives_a_line_a_look_and_ends_when_it_is_told() {
    let home = Home::new();
    home.run(&["status", "--watch"]).exited(3).says("no daemon at");
    let _daemon = home.daemon();
    home.remember("the lamp is green");
    // What the daemon has still to do may stand in the first lines.
    let told = eventually_some(|| {
        let told = home.run(&["status", "--watch=0.1", "--times", "3"]).succeeded();
        let lines: Vec<&str> = told.out.lines().collect();
        assert_eq!(lines.len(), 3, "{told:#?}");
        assert!(lines.iter().all(|line| line.contains("1 project  1 memory")), "{lines:#?}");
        lines.iter().all(|line| line.contains("queue 0")).then_some(told)
    });
    assert!(!told.out.contains('\u{1b}'), "a pipe is no terminal: {told:?}");
    let told = home.run(&["status", "--watch=0.1", "--times", "2", "--json"]).succeeded();
    let looks: Vec<Value> = told.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(looks.len(), 2);
    assert!(looks[1]["rss_bytes"].is_u64() && looks[1]["memory"]["state"] == "calm", "{looks:#?}");
    home.run(&["status", "--watch=0"]).exited(2).says("from 0.1");
    home.run(&["status", "--times", "2"]).exited(2);
}

#[test]
fn watching_on_a_terminal_draws_in_place_and_leaves_it_as_it_was() {
    let home = Home::new();
    let mut daemon = home.daemon();
    let web = home.repository("web");
    home.run(&["project", "add", web.to_str().unwrap()]).succeeded();
    let Some(mut terminal) = Terminal::start(&home, &["status", "--watch=0.2"], &[]) else { return };
    assert!(terminal.until("[1 app]").iter().any(|row| row.contains("health")));
    // The follower may not listen yet; what happens once it does is drawn.
    let goal = json!({"type": "task_start", "goal": "mend the lamp", "project": home.path("app")});
    eventually_some(|| {
        post(&home, "/v1/signals", &goal);
        terminal.shows("task start").then_some(())
    });
    terminal.until("mend the lamp");
    terminal.types("\t");
    let page = terminal.until("[2 web]");
    assert!(!page.iter().any(|row| row.contains("mend the lamp")), "{page:#?}");
    terminal.types("1");
    terminal.until("[1 app]");
    terminal.types("?");
    terminal.until("another project");
    terminal.types("\u{1b}");
    terminal.until("mend the lamp");
    terminal.types("p");
    terminal.until("paused");
    home.run(&["remember", "--project", home.path("app").to_str().unwrap(), "the lamp is green"]).succeeded();
    terminal.until("paused, ");
    // A key that begins like Escape is no Escape.
    terminal.types("\u{1b}[A");
    terminal.types("p");
    terminal.until("remembered");
    for (columns, rows) in [(40, 10), (200, 60), (20, 4), (80, 24)] {
        terminal.resize(columns, rows);
        // One of the old size may still have been on its way.
        let page = eventually_some(|| Some(terminal.until("lokid")).filter(|page| page.len() == rows));
        assert!(page.iter().all(|row| row.chars().count() <= columns), "{columns}×{rows}: {page:#?}");
    }
    terminal.types("\u{1a}");
    let stopped = terminal.stopped();
    assert!(stopped["left"] == true && stopped["same"] == true, "suspended, it gives the terminal back: {stopped}");
    terminal.until("mend the lamp");
    daemon.signal(Signal::KILL);
    daemon.ended();
    terminal.until("waiting for the daemon");
    let _again = home.daemon();
    terminal.until("up ");
    terminal.types("q");
    let ended = terminal.ended();
    let expected = json!({"left": true, "same": true, "status": 0, "colour": true});
    assert_eq!(ended, expected);
}

#[test]
fn an_interrupt_ends_the_page_and_without_colour_there_is_none() {
    let home = Home::new();
    let _daemon = home.daemon();
    let Some(mut terminal) = Terminal::start(&home, &["status", "--watch=0.2"], &[("NO_COLOR", "1")]) else { return };
    terminal.until("health");
    terminal.types("\u{3}");
    assert_eq!(terminal.ended(), json!({"left": true, "same": true, "status": 0, "colour": false}));
    let mut terminal = Terminal::start(&home, &["status", "--watch=0.2", "--times", "2"], &[]).unwrap();
    assert_eq!(terminal.ended()["status"], 0, "it ends by itself");
}

#[test]
fn events_are_followed_over_a_restart() {
    let home = Home::new();
    let mut daemon = home.daemon();
    let mut follower = Daemon::start(home.command(&["events", "--json"]));
    let mut at = 0;
    for turn in 0..2 {
        // What is told before the follower listens it does not hear, and what is known already is told to nobody.
        let line = eventually_some(|| {
            at += 1;
            home.remember(&format!("told in life {turn}, number {at}"));
            follower.out.next()
        });
        let event: Value = serde_json::from_str(&line).unwrap();
        assert!(event["kind"].is_string() && event["at"].is_string(), "{event}");
        if turn == 0 {
            daemon.signal(Signal::TERM);
            assert_eq!(daemon.ended().0, Some(0));
            follower.err.wait_for("waiting for it to come back");
            daemon = home.daemon();
            follower.err.wait_for("the daemon is back");
            while follower.out.next().is_some() {}
        }
    }
    follower.signal(Signal::TERM);
    follower.ended();
}
