//! One inotify instance for all projects, let go of piece by piece, and asked for again where there was none.

use std::path::Path;
use std::process::{Command, Stdio};

use lokid::serve::{Client, Request};
use serde_json::Value;

use super::lab::Lab;
use crate::home::{Daemon, Home, eventually_some};

/// How many instances a process holds, and how many watches in all of them.
fn held(pid: u32) -> (usize, usize) {
    let mut found = (0, 0);
    for file in std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten() {
        if std::fs::read_link(file.path()).is_ok_and(|to| to.ends_with("anon_inode:inotify")) {
            found.0 += 1;
            let info = Path::new(&format!("/proc/{pid}/fdinfo")).join(file.file_name());
            let info = std::fs::read_to_string(info).unwrap();
            found.1 += info.lines().filter(|line| line.starts_with("inotify wd:")).count();
        }
    }
    found
}

fn watched(status: &Value) -> usize {
    let projects = status["projects"].as_array().unwrap();
    projects.iter().map(|project| project["watch"]["folders_watched"].as_u64().unwrap() as usize).sum()
}

#[test]
fn ten_projects_take_one_instance_and_leave_no_watch_behind() {
    let mut lab = Lab::new();
    lab.start();
    let others: Vec<String> = (0..9).map(|at| format!("other{at}")).collect();
    for name in &others {
        let root = lab.home.repository(name);
        std::fs::create_dir_all(root.join("src/deep")).unwrap();
        lab.home.run(&["project", "add", root.to_str().unwrap()]).succeeded();
    }
    // Every folder is listened to once, and all by one instance.
    let all_are_native = |status: &Value| {
        let projects = status["projects"].as_array().unwrap();
        projects.iter().all(|project| project["watch"]["state"] == "native")
    };
    let settled = |lab: &Lab| {
        eventually_some(|| {
            let status = lab.get("/v1/status");
            let held = held(lab.pid());
            (all_are_native(&status) && held == (1, watched(&status)) && held.1 > 0).then_some(held.1)
        })
    };
    let with_ten = settled(&lab);
    for name in &others {
        std::fs::write(lab.home.path(name).join("src/deep/new.py"), "x = 1\n").unwrap();
        let root = lab.home.path(name).display().to_string();
        lab.hear(name, |event| event["project"] == *root && event["data"]["path"] == "src/deep/new.py");
    }
    for name in &others {
        lab.home.run(&["project", "remove", lab.home.path(name).to_str().unwrap()]).succeeded();
    }
    let with_one = settled(&lab);
    assert!(with_one < with_ten, "{with_one} of {with_ten}");
    lab.sentinel();
}

const INSTANCES: &str = "/proc/sys/user/max_inotify_instances";
const WATCHES: &str = "/proc/sys/user/max_inotify_watches";

/// A daemon where the kernel grants this user few of these; `None` on systems that let nobody arrange that.
fn limited_daemon(home: &Home, limit: &str, most: u32) -> Option<Daemon> {
    let script = format!("echo {most} > {limit} && exec \"$@\"");
    let unshare = |command: &Command| {
        let mut apart = Command::new("unshare");
        apart.args(["-Ur", "sh", "-c", &script, "sh"]).arg(command.get_program()).args(command.get_args());
        apart.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        apart.current_dir(home.path("app")).stdin(Stdio::null());
        apart
    };
    let tried = unshare(&Command::new("true")).env("PATH", std::env::var_os("PATH")?).output();
    if !tried.is_ok_and(|tried| tried.status.success()) {
        return None;
    }
    let mut daemon = Daemon::start(unshare(&home.command(&["run"])));
    daemon.out.wait_for("watching ");
    Some(daemon)
}

/// Whether it could be raised; systems that let nobody do so are passed over.
fn raised(daemon: &Daemon, limit: &str) -> bool {
    let mut enter = Command::new("nsenter");
    enter.args(["--user", "--preserve-credentials", "--target", &daemon.child.id().to_string()]);
    let raised = enter.args(["sh", "-c", &format!("echo 4096 > {limit}")]).output();
    let raised = raised.is_ok_and(|raised| raised.status.success());
    if !raised {
        println!("skipped: nobody may raise {limit} again here");
    }
    raised
}

fn watch(home: &Home) -> Value {
    let status = Client::new(home.socket()).send(&Request::get("/v1/status")).unwrap().json().unwrap();
    status["projects"][0]["watch"].clone()
}

fn becomes(home: &Home, state: &str) {
    eventually_some(|| (watch(home)["state"] == state).then_some(()));
}

#[test]
fn without_an_instance_it_says_why_and_listens_as_soon_as_one_is_free() {
    let home = Home::new();
    let Some(daemon) = limited_daemon(&home, INSTANCES, 0) else {
        return println!("skipped: nobody may limit inotify here");
    };
    becomes(&home, "polling");
    let reason = watch(&home)["reason"].clone();
    assert!(reason.as_str().unwrap().contains("0 of 0 inotify instances in use"), "{reason}");
    let told = home.run(&["doctor"]);
    assert_eq!(told.out.matches("inotify instances in use").count(), 1, "{told:#?}");
    assert_eq!(held(daemon.child.id()).0, 0);
    if raised(&daemon, INSTANCES) {
        becomes(&home, "native");
        assert_eq!(held(daemon.child.id()).0, 1);
        assert_eq!((&watch(&home)["warnings"], watch(&home).get("reason")), (&serde_json::json!([]), None));
    }
}

#[test]
fn with_too_few_watches_it_says_why_and_listens_everywhere_as_soon_as_there_are_more() {
    let home = Home::new();
    let Some(daemon) = limited_daemon(&home, WATCHES, 3) else {
        return println!("skipped: nobody may limit inotify here");
    };
    becomes(&home, "partial");
    assert_eq!(held(daemon.child.id()), (1, 3));
    assert!(watch(&home)["reason"].as_str().unwrap().contains("too many folders"), "{}", watch(&home));
    if raised(&daemon, WATCHES) {
        becomes(&home, "native");
        eventually_some(|| {
            (held(daemon.child.id()) == (1, watch(&home)["folders_watched"].as_u64()? as usize)).then_some(())
        });
        assert_eq!(watch(&home)["warnings"], serde_json::json!([]));
    }
}
