//! A program on a terminal of its own: what it has drawn last, what is typed, and how the terminal is left.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::home::Home;

/// Takes orders a line each and answers each with a line of JSON. Python has what it takes: a terminal to be had, and a
/// session that it belongs to.
const DRIVER: &str = r#"
import fcntl, json, os, pty, re, select, signal, struct, subprocess, sys, termios, time
main, side = pty.openpty()
def size(columns, rows):
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
size(100, 30)
before = termios.tcgetattr(side)
child = subprocess.Popen(sys.argv[1:], stdin=side, stdout=side, stderr=side, start_new_session=True,
    preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
drawn, seen = b"", 0
def read(seconds):
    global drawn
    if select.select([main], [], [], seconds)[0]:
        drawn += os.read(main, 65536)
        return True
def page():
    frames = re.findall(rb"\x1b\[\?2026h\x1b\[H(.*?)\x1b\[\?2026l", drawn, re.S)
    text = frames[-1].decode() if frames else ""
    return re.split(r"\r+\n", re.sub(r"\x1b\[(K|[0-9;]*m)", "", text))
def answer(**told):
    print(json.dumps(told), flush=True)
def ended(status):
    while read(0.3):
        pass
    same = termios.tcgetattr(side)[:6] == before[:6]
    answer(left=drawn.endswith(b"\x1b[?7h\x1b[?25h\x1b[?1049l"), same=same, status=status, colour=b"\x1b[32m" in drawn)
for line in sys.stdin:
    order = json.loads(line)
    if "type" in order:
        os.write(main, order["type"].encode())
        answer()
    elif "size" in order:
        size(*order["size"])
        drawn = b""
        os.kill(child.pid, signal.SIGWINCH)
        answer()
    elif "until" in order:
        end = time.time() + order["seconds"]
        # What has been drawn meanwhile is the page.
        while read(0):
            pass
        while time.time() < end and not any(order["until"] in row for row in page()):
            read(0.1)
        answer(page=page(), found=any(order["until"] in row for row in page()))
    elif "stopped" in order:
        os.waitpid(child.pid, os.WUNTRACED)
        ended("stopped")
        drawn = b""
        os.kill(child.pid, signal.SIGCONT)
    elif "ended" in order:
        ended(child.wait(60))
"#;

pub(super) struct Terminal {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Terminal {
    /// 100 columns and 30 rows; nothing where there is no Python.
    pub(super) fn start(home: &Home, arguments: &[&str], environment: &[(&str, &str)]) -> Option<Terminal> {
        let python = Command::new("python3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !python.is_ok_and(|status| status.success()) {
            println!("skipped: there is no python3 here");
            return None;
        }
        let program = home.command(&[]);
        let mut command = Command::new("python3");
        command.args(["-c", DRIVER]).arg(program.get_program()).args(arguments);
        command.current_dir(home.path("app")).env_clear();
        command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("TERM", "xterm");
        command.envs(environment.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (orders, answers) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Some(Terminal { child, orders, answers })
    }

    #[track_caller]
    fn order(&mut self, order: &Value) -> Value {
        writeln!(self.orders, "{order}").unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {order} was answered with {line:?}"))
    }

    pub(super) fn types(&mut self, text: &str) {
        self.order(&json!({"type": text}));
    }

    pub(super) fn resize(&mut self, columns: usize, rows: usize) {
        self.order(&json!({"size": [columns, rows]}));
    }

    /// The rows of the first page that says so.
    #[track_caller]
    pub(super) fn until(&mut self, text: &str) -> Vec<String> {
        let told = self.order(&json!({"until": text, "seconds": 60}));
        let rows: Vec<String> = serde_json::from_value(told["page"].clone()).unwrap();
        assert!(told["found"] == true, "{text:?} never came:\n{}", rows.join("\n"));
        rows
    }

    /// Does it say so within a moment?
    pub(super) fn shows(&mut self, text: &str) -> bool {
        self.order(&json!({"until": text, "seconds": 0.5}))["found"] == true
    }

    /// It gave the terminal back for a while; from here on it goes on.
    pub(super) fn stopped(&mut self) -> Value {
        self.order(&json!({"stopped": true}))
    }

    pub(super) fn ended(&mut self) -> Value {
        self.order(&json!({"ended": true}))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
