//! What is followed as it happens: `status --watch` on a pipe and on a terminal, and `events` over a restart.

use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::home::{Daemon, Home, eventually_some};

#[test]
fn watching_into_a_pipe_gives_a_line_a_look_and_ends_when_it_is_told() {
    let home = Home::new();
    home.run(&["status", "--watch"]).exited(3).says("no daemon at");
    let _daemon = home.daemon();
    home.remember("the lamp is green");
    let told = home.run(&["status", "--watch=0.1", "--times", "3"]).succeeded();
    let lines: Vec<&str> = told.out.lines().collect();
    assert_eq!(lines.len(), 3, "{told:#?}");
    assert!(lines.iter().all(|line| line.contains("1 project  1 memory") && line.contains("queue 0")), "{lines:#?}");
    assert!(!told.out.contains('\u{1b}'), "a pipe is no terminal: {told:?}");
    let told = home.run(&["status", "--watch=0.1", "--times", "2", "--json"]).succeeded();
    let looks: Vec<Value> = told.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(looks.len(), 2);
    assert!(looks[1]["rss_bytes"].is_u64() && looks[1]["memory"]["state"] == "calm", "{looks:#?}");
    home.run(&["status", "--watch=0"]).exited(2).says("from 0.1");
    home.run(&["status", "--times", "2"]).exited(2);
}

/// Draws on a terminal of its own until `told` has happened, is then interrupted, and says what it drew and how the
/// terminal was left.
const TERMINAL: &str = r#"
import fcntl, os, pty, select, signal, struct, subprocess, sys, termios, time
main, side = pty.openpty()
fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
before = termios.tcgetattr(side)
child = subprocess.Popen(sys.argv[2:], stdin=side, stdout=side, stderr=side, start_new_session=True,
    preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
drawn = b""
def read(seconds, until):
    global drawn
    end = time.time() + seconds
    while time.time() < end and until not in drawn:
        if select.select([main], [], [], 0.1)[0]:
            drawn += os.read(main, 65536)
    return until in drawn
ok = read(20, b"queue")
open(sys.argv[1], "w").write("ready")
ok = ok and read(20, b"remembered")
fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 40, 0, 0))
os.kill(child.pid, signal.SIGWINCH)
drawn = b""
ok = ok and read(20, b"\x1b[J")
os.write(main, b"\x03")
code = child.wait(20)
while select.select([main], [], [], 0.2)[0]:
    drawn += os.read(main, 65536)
left = drawn.endswith(b"\x1b[?25h\x1b[?1049l")
same = termios.tcgetattr(side)[:6] == before[:6]
print(f"ok={ok} code={code} left={left} same={same}")
"#;

#[test]
fn watching_on_a_terminal_draws_in_place_and_leaves_it_as_it_was() {
    let python = Command::new("python3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !python.is_ok_and(|status| status.success()) {
        println!("skipped: there is no python3 here");
        return;
    }
    let home = Home::new();
    let _daemon = home.daemon();
    let program = home.command(&[]);
    let ready = home.path("ready");
    let mut command = Command::new("python3");
    command.args(["-c", TERMINAL]).arg(&ready).arg(program.get_program()).args(["status", "--watch=0.5"]);
    command.current_dir(home.path("app")).env_clear();
    command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("TERM", "xterm");
    let mut terminal = Daemon::start(command);
    eventually_some(|| ready.exists().then_some(()));
    // The follower may not listen yet; what is remembered once it does is drawn.
    let mut turn = 0;
    let said = eventually_some(|| {
        turn += 1;
        home.remember(&format!("lamp number {turn}"));
        terminal.out.next()
    });
    assert_eq!(said, "ok=True code=0 left=True same=True");
}

#[test]
fn events_are_followed_over_a_restart() {
    let home = Home::new();
    let mut daemon = home.daemon();
    let mut follower = Daemon::start(home.command(&["events", "--json"]));
    for turn in 0..2 {
        let line = eventually_some(|| {
            home.remember(&format!("told in life {turn}"));
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
