//! The two changes, each from looking to telling: show what changes, ask, keep the old bytes, write, and have the manager
//! take notice.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::json;

use super::super::failure::{Done, Failure};
use super::super::keep::ledger::{Ledger, Record};
use super::super::keep::{agreed, missing_folders, show};
use super::super::screen::Screen;
use super::super::settings::Settings;
use super::linger;
use super::manager::{Manager, Steps};
use super::plan::ServicePlan;
use super::unit;
use lokid_sys::plain;

/// Units that long are something else.
const MOST: u64 = 1 << 20;

/// A file of the plan, and what stands there now.
pub(super) struct ServiceTarget<'a> {
    pub(super) path: &'a Path,
    pub(super) old: Option<String>,
    pub(super) new: &'a str,
}

impl ServiceTarget<'_> {
    pub(super) fn all(plan: &ServicePlan) -> Result<Vec<ServiceTarget<'_>>, Failure> {
        let look = |file: &'_ super::plan::File| -> Result<Option<String>, Failure> {
            plain::leads_to(&file.path).map_err(|error| Failure::new(error).hint("mend the link, or remove it"))?;
            plain::read_text(&file.path, MOST).map_err(Failure::new)
        };
        plan.files
            .iter()
            .map(|file| Ok(ServiceTarget { path: &file.path, old: look(file)?, new: &file.text }))
            .collect()
    }

    pub(super) fn is_current(&self) -> bool {
        self.old.as_deref() == Some(self.new)
    }

    /// Written by us, as far as anybody can tell by looking.
    pub(super) fn is_ours(&self) -> bool {
        self.old.as_deref().is_some_and(|old| old.contains(unit::MARK.trim_start_matches("# ")))
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.path.file_name().is_some_and(|found| found == name)
    }

    fn ledger(&self, settings: &Settings) -> Ledger {
        Ledger::of(settings.dirs.state.join("service"), "service", self.path)
    }

    fn record(&self, settings: &Settings) -> Option<Record> {
        self.ledger(settings).read(MOST)
    }

    /// `None` removes the file. Only what was shown is replaced.
    fn write(&self, new: Option<&str>) -> Result<(), Failure> {
        let shown = self.path.display();
        if plain::read_text(self.path, MOST).map_err(Failure::new)? != self.old {
            let message = format!("{shown} changed while you were asked; it was not written");
            return Err(Failure::new(message).hint("try again"));
        }
        match new {
            Some(new) => plain::replace(self.path, new.as_bytes()).with_context(|| format!("cannot write {shown}"))?,
            None => plain::remove(self.path).with_context(|| format!("cannot remove {shown}"))?,
        }
        Ok(())
    }

    /// What stood there before us comes back at the end, however often the file was written since.
    fn install(&self, settings: &Settings) -> Result<(), Failure> {
        let ledger = self.ledger(settings);
        let (before, folders) = match ledger.read(MOST) {
            Some(record) => (record.before, record.folders),
            None if self.is_ours() => (None, Vec::new()),
            None => (self.old.clone().map(String::into_bytes), missing_folders(self.path)),
        };
        ledger.keep("user", self.path, before.as_deref(), self.new.as_bytes(), &folders)?;
        self.write(Some(self.new))
    }

    fn restore(&self, settings: &Settings) -> Result<(), Failure> {
        let ledger = self.ledger(settings);
        let record = self.record(settings);
        ledger.keep_last(self.old.as_deref().unwrap_or_default().as_bytes())?;
        let before = record.as_ref().and_then(|record| record.before.clone());
        let before = before.and_then(|bytes| String::from_utf8(bytes).ok());
        self.write(before.as_deref())?;
        if before.is_none() {
            let folders = record.iter().flat_map(|record| &record.folders);
            let _gone: Vec<&PathBuf> = folders.take_while(|folder| plain::remove_empty_folder(folder)).collect();
        }
        ledger.close();
        Ok(())
    }
}

pub(super) fn install(plan: &ServicePlan, yes: bool, linger: bool, settings: &Settings, screen: &mut Screen) -> Done {
    let targets = ServiceTarget::all(plan)?;
    let changed: Vec<&ServiceTarget> = targets.iter().filter(|target| !target.is_current()).collect();
    let answer = ServiceAnswer { plan, settings };
    if !changed.is_empty() {
        for target in &changed {
            show(target.path, target.old.as_deref().unwrap_or(""), target.new, settings, screen)?;
        }
        if !agreed(&format!("install {}?", plan.what()), yes, screen)? {
            return answer.give("nothing was written", &[], false, &Steps::new(true), screen);
        }
        for target in &changed {
            target.install(settings)?;
        }
    }
    let mut steps = Steps::new(plan.manager.is_reachable());
    start(plan, &changed, &mut steps);
    if plan.manager == Manager::Systemd && plan.night.is_none() {
        linger::offer(linger, &mut steps, settings, screen)?;
    }
    let what = if changed.is_empty() { "already installed" } else { "installed" };
    answer.give(what, &changed, true, &steps, screen)
}

fn start(plan: &ServicePlan, changed: &[&ServiceTarget], steps: &mut Steps) {
    let manager = plan.manager;
    let replaced = |name: &str| changed.iter().any(|target| target.is(name) && target.old.is_some());
    // Nothing is lost while the daemon is started anew; only a socket that moves takes what waits in it along.
    let moves = replaced(unit::SOCKET) || (manager == Manager::Launchd && changed.iter().any(|one| one.old.is_some()));
    if moves {
        manager.stop(&plan.names).into_iter().for_each(|argv| steps.try_to(argv));
    }
    if !changed.is_empty() {
        steps.take_all(manager.reload());
    }
    if manager == Manager::Launchd && changed.is_empty() && plan.names.iter().all(|label| manager.has(label)) {
        return;
    }
    let paths: Vec<String> = plan.files.iter().map(|file| file.path.display().to_string()).collect();
    steps.take_all(manager.enable(&plan.names, &paths));
    if replaced(unit::SERVICE) && !moves {
        steps.take_all(manager.restart(unit::SERVICE));
    }
}

pub(super) fn uninstall(plan: &ServicePlan, yes: bool, settings: &Settings, screen: &mut Screen) -> Done {
    let answer = ServiceAnswer { plan, settings };
    let mut targets = ServiceTarget::all(plan)?;
    targets.retain(|target| target.old.is_some() && (target.is_ours() || target.record(settings).is_some()));
    if targets.is_empty() {
        return answer.give("not installed", &[], false, &Steps::new(true), screen);
    }
    // A template serves the nights of other projects, too.
    let shared = plan.night.is_some() && others(plan);
    if !shared {
        for target in &targets {
            let before = target.record(settings).and_then(|record| record.before);
            let before = before.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
            show(target.path, target.old.as_deref().unwrap_or(""), &before, settings, screen)?;
        }
    }
    if !agreed(&format!("take {} out?", plan.what()), yes, screen)? {
        return answer.give("nothing was written", &[], true, &Steps::new(true), screen);
    }
    let mut steps = Steps::new(plan.manager.is_reachable());
    steps.take_all(plan.manager.disable(&plan.names));
    links(plan)
        .iter()
        .filter(|link| plain::is_link(link))
        .try_for_each(|link| plain::remove(link))
        .map_err(Failure::new)?;
    let gone: Vec<&ServiceTarget> = if shared { Vec::new() } else { targets.iter().collect() };
    for target in &gone {
        target.restore(settings)?;
    }
    steps.take_all(plan.manager.reload());
    if plan.night.is_none() {
        linger::undo(&mut steps, settings);
    }
    answer.give("taken out", &gone, false, &steps, screen)
}

/// What enabling leaves beside the units, and a manager that cannot be reached does not take away.
fn links(plan: &ServicePlan) -> Vec<PathBuf> {
    let Some(units) = plan.files.first().and_then(|file| file.path.parent()) else { return Vec::new() };
    let wanted = ["default.target.wants", "sockets.target.wants", "timers.target.wants"];
    plan.names.iter().flat_map(|name| wanted.map(|folder| units.join(folder).join(name))).collect()
}

/// Do other projects have nights from the same template?
fn others(plan: &ServicePlan) -> bool {
    let own = links(plan);
    let folders = own.iter().filter_map(|link| link.parent());
    let found = folders.filter_map(|folder| plain::files_in(folder).ok()).flatten();
    let is_night =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lokid-night@"));
    found.filter(is_night).any(|path| !own.contains(&path))
}

/// What the command says in the end.
struct ServiceAnswer<'a> {
    plan: &'a ServicePlan,
    settings: &'a Settings,
}

impl ServiceAnswer<'_> {
    fn give(
        &self,
        what: &str,
        changed: &[&ServiceTarget],
        installed: bool,
        steps: &Steps,
        screen: &mut Screen,
    ) -> Done {
        let (plan, settings) = (self.plan, self.settings);
        if settings.json {
            let file = |file: &super::plan::File| {
                let changed = changed.iter().any(|target| target.path == file.path);
                json!({"path": file.path.display().to_string(), "changed": changed})
            };
            let answer = json!({
                "manager": plan.manager.word(),
                "project": plan.night,
                "installed": installed,
                "changed": !changed.is_empty(),
                "files": plan.files.iter().map(file).collect::<Vec<_>>(),
                "names": plan.names,
                "commands": steps.json(),
            });
            screen.line(answer.to_string())?;
        } else {
            screen.line(format!("{what}: {}", plan.what()))?;
            for target in changed {
                screen.note(format!("  {}", target.path.display()));
            }
            steps.tell(screen);
        }
        // What is left to a user where nobody can be asked was told, and is no failure.
        if steps.failed() && steps.reachable() { Err(Failure::told()) } else { Ok(()) }
    }
}
