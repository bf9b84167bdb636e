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

const LIMIT: &str = "/proc/sys/user/max_inotify_instances";

/// A daemon where the kernel grants this user no instance; `None` on systems that let nobody arrange that.
fn deaf_daemon(home: &Home) -> Option<Daemon> {
    let script = format!("echo 0 > {LIMIT} && exec \"$@\"");
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

#[test]
fn without_an_instance_it_says_why_and_listens_as_soon_as_one_is_free() {
    let home = Home::new();
    let Some(daemon) = deaf_daemon(&home) else {
        return println!("skipped: nobody may limit inotify here");
    };
    let watch = || {
        let status = Client::new(home.socket()).send(&Request::get("/v1/status")).unwrap().json().unwrap();
        status["projects"][0]["watch"].clone()
    };
    eventually_some(|| (watch()["state"] == "polling").then_some(()));
    let reason = watch()["reason"].clone();
    assert!(reason.as_str().unwrap().contains("0 of 0 inotify instances in use"), "{reason}");
    let told = home.run(&["doctor"]);
    assert_eq!(told.out.matches("inotify instances in use").count(), 1, "{told:#?}");
    assert_eq!(held(daemon.child.id()).0, 0);

    let mut enter = Command::new("nsenter");
    enter.args(["--user", "--preserve-credentials", "--target", &daemon.child.id().to_string()]);
    let raised = enter.args(["sh", "-c", &format!("echo 64 > {LIMIT}")]).output();
    if !raised.is_ok_and(|raised| raised.status.success()) {
        return println!("skipped: nobody may raise it again here");
    }
    eventually_some(|| (watch()["state"] == "native").then_some(()));
    assert_eq!(held(daemon.child.id()).0, 1);
    assert_eq!((&watch()["warnings"], watch().get("reason")), (&serde_json::json!([]), None));
}
