//! The log where it is a file: it begins anew before it fills the disk.

use std::fs::OpenOptions;
use std::process::Stdio;

use lokid::serve::{Client, Request};
use rustix::process::Signal;

use crate::home::{Home, eventually_some};

#[test]
fn a_log_file_that_nobody_rotates_begins_anew() {
    let home = Home::new();
    let path = home.path("lokid.log");
    let open = || OpenOptions::new().create(true).append(true).open(&path).unwrap();
    open().set_len(lokid_sys::stderr::LONGEST + 1).unwrap();
    let mut command = home.command(&["run"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::from(open())).spawn().unwrap();
    eventually_some(|| Client::new(home.socket()).send(&Request::get("/v1/health")).ok());
    home.remember("something to log about");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), Signal::TERM).unwrap();
    child.wait().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.len() < 1 << 20 && text.contains("stopped") && !text.contains('\0'), "{}", text.len());
}
