//! A service manager as the daemon sees one: it listens, hands its socket over, and hears what it is told. Everything
//! else, the daemon above all, is real.

use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::process::Command;
use std::time::Duration;

use lokid::serve::{Client, Request, Response};
use serde_json::{Value, json};

use crate::home::{Daemon, Home};

/// Nothing here takes so long.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Manager {
    pub(crate) home: Home,
    listener: UnixListener,
    notify: UnixDatagram,
    pub(crate) watchdog: Option<Duration>,
}

impl Manager {
    /// Listens where the daemon would.
    pub(crate) fn new(home: Home) -> Manager {
        let socket = home.socket();
        std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
        // As systemd does with what stands in its place.
        let _ = std::fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket).unwrap();
        let notify = UnixDatagram::bind(home.path("run/notify")).unwrap();
        notify.set_read_timeout(Some(PATIENCE)).unwrap();
        Manager { home, listener, notify, watchdog: None }
    }

    pub(crate) fn start(&self) -> Daemon {
        let plain = self.home.command(&["run", "--no-project"]);
        let mut command = Command::new("/bin/sh");
        // The socket is number 3, and the number of the process stays when the daemon takes the place of the shell.
        command.args(["-c", r#"export LISTEN_PID=$$; exec "$0" "$@" 3<&0 </dev/null"#]);
        command.arg(plain.get_program()).args(plain.get_args()).env_clear();
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir(plain.get_current_dir().unwrap());
        command.env("LISTEN_FDS", "1").env("LISTEN_FDNAMES", "lokid");
        command.env("NOTIFY_SOCKET", self.home.path("run/notify"));
        if let Some(granted) = self.watchdog {
            command.env("WATCHDOG_USEC", granted.as_micros().to_string());
        }
        command.stdin(OwnedFd::from(self.listener.try_clone().unwrap()));
        Daemon::start(command)
    }

    /// The next message, if one comes in time.
    pub(crate) fn hear_within(&self, time: Duration) -> Option<String> {
        self.notify.set_read_timeout(Some(time)).unwrap();
        let mut bytes = [0; 1024];
        let length = self.notify.recv(&mut bytes).ok()?;
        Some(String::from_utf8(bytes[..length].to_vec()).unwrap())
    }

    /// Everything up to a message that says this.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) -> Vec<String> {
        let mut heard = Vec::new();
        loop {
            match self.hear_within(PATIENCE) {
                Some(message) => heard.push(message),
                None => panic!("{text:?} never came; heard: {heard:#?}"),
            }
            if heard.last().is_some_and(|message| message.contains(text)) {
                return heard;
            }
        }
    }

    pub(crate) fn ask(&self, request: &Request) -> Response {
        Client::new(self.home.socket()).patience(PATIENCE).send(request).unwrap()
    }

    pub(crate) fn post(&self, path: &str, mut body: Value) -> Response {
        body["project"] = json!(self.home.path("app"));
        self.ask(&Request::post(path, &body))
    }
}
