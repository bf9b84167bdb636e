//! The project's side: the repository, its store, what is wrong in it, and what keeps it from being filled.

use std::path::Path;

use serde_json::Value;

use super::super::ask::{self, Ask};
use super::super::reach::Reach;
use super::super::settings::Settings;
use super::super::words;
use super::{Check, clock, health, merging, places};
use lokid_sys::{Disk, InstanceError, InstanceLock, env, git, plain, process};

/// Written and removed again; watchers pass over the name.
const PROBE: &str = ".tmp_lokid_doctor";
const SHOWN_PROBLEMS: usize = 10;

/// Answers with the status, where one could be had.
pub(super) fn look(settings: &Settings, daemon: Option<&Reach>, checks: &mut Vec<Check>) -> Option<Value> {
    let checkout = git::discover(&settings.project);
    let root = match &checkout {
        Some(checkout) => checkout.main_worktree.clone().unwrap_or_else(|| checkout.worktree.clone()),
        None => settings.project.clone(),
    };
    checks.push(match &checkout {
        Some(checkout) => Check::good("repository", checkout.worktree.display().to_string()),
        None => {
            let found = format!("{} is in no git repository", root.display());
            Check::doubtful("repository", found, "go to one, or watch this directory with `lokid run --here`")
        }
    });
    let memory =
        env::var_path("LOKI_MEMORY_BASE_PATH").map_or_else(|| root.join(".loki/memory"), |base| root.join(base));
    checks.extend(store(&memory));
    checks.push(places::space(settings, &memory));
    checks.push(opt_outs(&root));
    if checkout.is_some() {
        checks.push(merging::look(&root));
        checks.extend(merging::mended(&memory));
    }
    checks.extend(clock::files(&root, &memory));
    match daemon {
        Some(daemon) => contents(daemon, settings, true, checks),
        None if memory.is_dir() => match Reach::direct(settings) {
            Ok(direct) => contents(&direct, settings, false, checks),
            Err(failure) => {
                let why = failure.error.map(|error| format!("{error:#}")).unwrap_or_default();
                checks.push(Check::broken("store", why, "end the process that holds it, or wait for it"));
                None
            }
        },
        None => None,
    }
}

fn store(memory: &Path) -> Option<Check> {
    let shown = memory.display();
    if !memory.exists() {
        return Some(Check::good("store", format!("{shown} comes with the first memory")));
    }
    let disk = match Disk::open(memory) {
        Ok(disk) => disk,
        Err(error) => {
            return Some(Check::broken("store", error.to_string(), format!("make {shown} a plain directory")));
        }
    };
    if let Err(error) = disk.list("") {
        return Some(Check::broken("store", format!("cannot be read: {error}"), format!("chmod u+rwx {shown}")));
    }
    Some(match disk.replace(PROBE, b"").and_then(|()| disk.remove(PROBE)) {
        Ok(()) => Check::good("store", format!("{shown} can be read and written")),
        Err(error) if plain::refuses_writing(memory) => {
            let found = format!("cannot be written: {error}; what is remembered waits in lokid's state directory");
            Check::doubtful("store", found, format!("make {shown} writable: what waits is written then"))
        }
        Err(error) => Check::broken("store", format!("cannot be written: {error}"), format!("chmod u+rwx {shown}")),
    })
}

/// What Loki Mode's users set to keep things from being remembered by themselves.
fn opt_outs(root: &Path) -> Check {
    let mut found: Vec<String> = ["LOKI_MEMORY_CAPTURE_DISABLED", "LOKI_SKIP_MEMORY"]
        .iter()
        .filter(|name| env::var(name).is_some_and(|value| is_yes(&value)))
        .map(|name| format!("${name}"))
        .collect();
    let path = root.join(".loki/config.json");
    match plain::read_text(&path, 1 << 20) {
        Ok(None) => {}
        Ok(Some(text)) => match serde_json::from_str::<Value>(&text) {
            Ok(config) if config.pointer("/memory/disabled") != Some(&Value::Bool(true)) => {}
            Ok(_) => found.push(format!("{} (memory.disabled)", path.display())),
            Err(_) => found.push(format!("{} (not JSON, which counts as disabled)", path.display())),
        },
        Err(_) => found.push(format!("{} (cannot be read)", path.display())),
    }
    if found.is_empty() {
        return Check::good("capture", "no opt-out is in force");
    }
    let told = format!("switched off by {}: nothing is remembered by itself", found.join(", "));
    Check::doubtful("capture", told, "remove the opt-out if that is not what you want")
}

fn is_yes(value: &str) -> bool {
    ["1", "true", "yes"].contains(&value.to_ascii_lowercase().as_str())
}

/// What only a loaded store can tell.
fn contents(reach: &Reach, settings: &Settings, watched: bool, checks: &mut Vec<Check>) -> Option<Value> {
    let status = match reach.learn(&Ask::get("/status").query("fresh", "true").project(settings)) {
        Ok(status) => status,
        Err(failure) => {
            let why = failure.error.map(|error| format!("{error:#}")).unwrap_or_default();
            let fix = failure.hint.unwrap_or_else(|| "`lokid status` tells more".to_owned());
            checks.push(Check::doubtful("project", why, fix));
            return None;
        }
    };
    let project = status.pointer("/projects/0").cloned().unwrap_or(Value::Null);
    if watched {
        checks.push(Check::good("project", format!("{} is watched", words::field(&project, "path"))));
    }
    checks.extend(lock(&status, &project, settings));
    let problems = ask::list(&project, "problems");
    if problems.is_empty() {
        checks.push(Check::good("files", "every file of the store was understood"));
    }
    for problem in problems.iter().take(SHOWN_PROBLEMS) {
        let found = format!("{}: {}", words::field(problem, "path"), words::field(problem, "reason"));
        let fix = match words::field(problem, "reason").starts_with(lokid_store::SECRETS) {
            true => "take them out of the file, and make those who gave them take them back",
            false => "mend or move the file; all others are served",
        };
        checks.push(Check::doubtful("files", found, fix));
    }
    if problems.len() > SHOWN_PROBLEMS {
        let more = format!("{} more", problems.len() - SHOWN_PROBLEMS);
        checks.push(Check::doubtful("files", more, "`lokid status --json` lists them all"));
    }
    let asking = super::super::status::unconfirmed(&project);
    checks.extend(asking.map(|found| Check::good("trust", format!("{found}; `lokid trust` shows them"))));
    checks.extend(clock::newest(reach, settings));
    if watched {
        health::watches(&project, &settings.config, checks);
        checks.extend(health::past(&project));
        checks.push(health::index(&project, &settings.config));
    }
    checks.extend(health::night(reach, settings, &project));
    Some(status)
}

/// One writer a project: whoever answered holds the lock, or somebody else does.
fn lock(status: &Value, project: &Value, settings: &Settings) -> Option<Check> {
    let id = project.get("id").and_then(Value::as_str)?;
    let answering = status.get("pid").and_then(Value::as_u64);
    let path = settings.dirs.state.join("projects").join(id).join("engine.lock");
    Some(match InstanceLock::acquire(&path) {
        Err(InstanceError::Held { pid, .. }) if pid.map(u64::from) != answering => {
            let holder = pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
            let found = format!("held by {holder}, which listens elsewhere");
            Check::doubtful("lock", found, "name its socket with `--socket`, or stop it")
        }
        Err(InstanceError::Held { pid: Some(pid), .. }) if pid != process::pid() => {
            Check::good("lock", format!("held by the daemon, process {pid}"))
        }
        Err(InstanceError::Io { .. }) => return None,
        _ => Check::good("lock", "free"),
    })
}
