//! `lokid purge`: every trace of one project, or of everything, gone for good. It shows what goes and what stays, asks, has
//! the daemon let go, and removes. What Loki Mode wrote stays, and so does what was committed to git.

mod plan;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};

use super::args::Purge;
use super::ask::{self, Ask};
use super::failure::{Done, Failure};
use super::hooks;
use super::reach::{self, Reach};
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::{stop, words};
use crate::serve::hook;
use lokid_engine::{Pending, Registry, strip_at};
use lokid_sys::{Clock, InstanceLock, plain, process, thread};
use plan::{Doomed, PurgePlan};

/// A daemon that is asked to stop writes first what it accepted.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);

pub(super) fn run(purge: &Purge, settings: &Settings, screen: &mut Screen) -> Done {
    if purge.everything && settings.project_named {
        return Err(Failure::usage("either one project or everything, not both"));
    }
    let registry = Reach::empty(settings);
    let plan = if purge.everything {
        PurgePlan::of_everything(&registry, settings)?
    } else {
        PurgePlan::of_project(&registry, &settings.project)?
    };
    let stays = stays(&plan, purge.everything, settings);
    if !settings.json {
        show(&plan, &stays, screen)?;
    }
    if plan.is_empty() || purge.dry_run {
        return if settings.json { report(&plan, &stays, false, screen) } else { Ok(()) };
    }
    if !purge.yes {
        if !io::stdin().is_terminal() {
            return Err(Failure::usage("a purge cannot be undone, and nobody is here to be asked").hint("add `--yes`"));
        }
        if !screen.confirm("remove all of this for good?") {
            screen.note("nothing was removed");
            return Ok(());
        }
    }
    let_go(&plan, purge.everything, settings)?;
    for doomed in &plan.projects {
        remove_project(doomed, &registry, settings)?;
    }
    for folder in &plan.folders {
        remove(&folder.path)?;
    }
    if settings.json {
        return report(&plan, &stays, true, screen);
    }
    screen.line("removed")
}

/// What is not ours to remove, and how it goes.
fn stays(plan: &PurgePlan, everything: bool, settings: &Settings) -> Vec<String> {
    let mut stays = Vec::new();
    for doomed in plan.projects.iter().filter(|doomed| doomed.stays > 0) {
        let records = words::count(doomed.stays as u64, "record", "records");
        stays.push(format!("{records} of Loki Mode's in {}", doomed.memory_dir.display()));
    }
    if plan.projects.iter().any(|doomed| doomed.memory_dir.exists()) {
        stays.push("what was committed to git, in its history".to_owned());
    }
    let common = settings.dirs.data.join("system");
    if !everything && common.exists() {
        stays.push(format!("what all of your projects know, in {}", common.display()));
    }
    for (agent, path) in hooks::installed(settings) {
        if everything || plan.projects.iter().any(|doomed| Path::new(&path).starts_with(&doomed.root)) {
            stays.push(format!("the hooks in {path}: `lokid hooks uninstall {agent}` takes them out"));
        }
    }
    if everything {
        stays.push("the service, if you installed one: `lokid service uninstall` takes it out".to_owned());
        stays.push("the program itself".to_owned());
    }
    stays
}

fn show(plan: &PurgePlan, stays: &[String], screen: &mut Screen) -> Done {
    if plan.is_empty() {
        screen.note("nothing is kept about this; there is nothing to remove");
        return Ok(());
    }
    for doomed in &plan.projects {
        let held = match doomed.memories {
            Some((memories, archived)) => {
                let held = words::count(memories as u64, "memory", "memories");
                if archived > 0 { format!("{held}, {} archived", words::number(archived as u64)) } else { held }
            }
            None => String::new(),
        };
        screen.line(format!("{}  {held}", screen.paint(Style::Bold, &doomed.root.display().to_string())).trim_end())?;
    }
    let rows: Vec<Vec<String>> = plan.paths().map(|path| path.row()).collect();
    screen.table(&rows)?;
    if !stays.is_empty() {
        screen.line(screen.paint(Style::Dim, "stays:"))?;
        for line in stays {
            screen.line(format!("  {line}"))?;
        }
    }
    Ok(())
}

fn report(plan: &PurgePlan, stays: &[String], purged: bool, screen: &mut Screen) -> Done {
    let projects: Vec<Value> = plan
        .projects
        .iter()
        .map(|doomed| {
            let (memories, archived) = doomed.memories.unzip();
            json!({"path": doomed.root, "memories": memories, "archived": archived})
        })
        .collect();
    let paths: Vec<Value> =
        plan.paths().map(|path| json!({"path": path.path, "files": path.files, "bytes": path.bytes})).collect();
    screen.line(json!({"purged": purged, "projects": projects, "paths": paths, "stays": stays}).to_string())
}

/// No daemon holds any of it afterwards.
fn let_go(plan: &PurgePlan, everything: bool, settings: &Settings) -> Done {
    let Ok(daemon) = Reach::daemon(settings) else { return Ok(()) };
    if !everything {
        for doomed in &plan.projects {
            let path = doomed.root.display().to_string();
            let answer = daemon.send(&Ask::delete("/projects").query("path", &path).request())?;
            if !answer.is_success() && answer.status != 404 {
                ask::or_problem(answer, &doomed.root)?;
            }
        }
        return Ok(());
    }
    let pid = stop::terminate(&daemon)?;
    let clock = Clock::system();
    let deadline = clock.monotonic() + PATIENCE;
    while reach::is_up(&settings.socket) || process::is_running(pid) {
        if clock.monotonic() > deadline {
            return Err(Failure::new(format!("process {pid} was told to stop and still runs; nothing was removed")));
        }
        thread::pause(PAUSE);
    }
    Ok(())
}

/// The repository's part first: it is found through the rest.
fn remove_project(doomed: &Doomed, registry: &Registry, settings: &Settings) -> Done {
    if let Some(known) = doomed.known.as_ref().filter(|known| known.state.exists()) {
        // Whoever else works on it has to end first.
        let lock = InstanceLock::acquire(&known.state.join("engine.lock"));
        drop(lock.map_err(|error| Failure::new(error).hint("stop what holds it, then try again"))?);
    }
    if !doomed.records.is_empty() {
        forget(doomed, registry)?;
    }
    for path in &doomed.paths {
        remove(&path.path)?;
    }
    strip_at(&doomed.root).with_context(|| format!("cannot clear {}", doomed.memory_dir.display()))?;
    for folder in &doomed.empty {
        plain::remove_empty_folder(folder);
    }
    // Also what forgetting itself needed.
    for known in registry.known_at(&doomed.root).map_err(anyhow::Error::new)?.1 {
        for folder in [&known.state, &known.cache, &known.data] {
            remove(folder)?;
        }
        hook::strike(&settings.dirs.state, &doomed.root).context("cannot clear what hooks left")?;
        registry.strike(&known.id).map_err(anyhow::Error::new)?;
    }
    Ok(())
}

/// As `lokid forget --purge` does it: for records in files that somebody else writes, too.
fn forget(doomed: &Doomed, registry: &Registry) -> Done {
    let project = registry.add_alone(&doomed.root).map_err(anyhow::Error::new)?;
    let forgotten = project.writer.forget(doomed.records.clone(), String::new(), true).and_then(Pending::wait);
    registry.stop();
    forgotten.map_err(anyhow::Error::new)?;
    Ok(())
}

/// A file, a folder with everything in it, or what a link of the user's leads to.
fn remove(path: &Path) -> Done {
    let real = plain::leads_to(path).ok().flatten().unwrap_or_else(|| path.to_owned());
    let removed = if real.is_dir() { plain::remove_folder(&real) } else { plain::remove_if_there(&real) };
    removed.with_context(|| format!("cannot remove {}", path.display()))?;
    if plain::is_link(path) {
        plain::remove_if_there(path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    Ok(())
}
