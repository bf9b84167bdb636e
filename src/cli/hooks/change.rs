//! The two changes, each from looking to writing: work out the new text, show it, ask, keep the old bytes, write.

use std::path::Path;

use serde_json::{Value, json};

use super::super::failure::{Done, Failure};
use super::super::keep::{self, agreed, ledger::Record, missing_folders};
use super::super::screen::Screen;
use super::super::settings::Settings;
use super::super::words;
use super::agent::{Agent, Scope, Shape};
use super::json::{Allowed, Problem, parse};
use super::target::{self, MOST, Target};
use super::{merge, module};
use lokid_sys::plain;

/// What would be written, for those who paste it themselves.
pub(super) fn print(agent: Agent, scope: Scope, program: &str, settings: &Settings, screen: &mut Screen) -> Done {
    let text = match agent.shape() {
        Shape::Module => module::fresh(program),
        Shape::Grouped | Shape::Flat => merge::fresh(agent, program),
    };
    screen.text(&text)?;
    let path = target::place(agent, scope, settings)?;
    screen.note(format!("this goes into {}; nothing was written", path.display()));
    Ok(())
}

pub(super) fn install(
    agent: Agent,
    scope: Scope,
    program: &str,
    yes: bool,
    settings: &Settings,
    screen: &mut Screen,
) -> Done {
    let target = Target::look(agent, scope, settings)?;
    let old = target.text.as_deref().unwrap_or("");
    let new = match agent.shape() {
        Shape::Module => module::install(old, program),
        Shape::Grouped | Shape::Flat => merge::install(old, agent, program),
    };
    let new = new.map_err(|problem| refused(&target, &problem))?;
    let answer = HooksAnswer { target: &target, events: &agent.events(), program: Some(program) };
    if target.text.as_deref() == Some(&*new) {
        return answer.give("already installed", false, true, settings, screen);
    }
    show(&target, &new, screen, settings)?;
    if !agreed(&format!("install lokid's hooks for {}?", agent.name()), yes, screen)? {
        return answer.give("nothing was written", false, false, settings, screen);
    }
    let ledger = target.ledger(settings);
    let folders = missing_folders(&target.path);
    match ledger.read(MOST) {
        // Written by us before, and untouched since: what stood there before that is what shall come back.
        Some(record) if target.text.as_deref().is_some_and(|text| record.wrote(text.as_bytes())) => {
            ledger.keep(scope.word(), &target.path, record.before.as_deref(), new.as_bytes(), &record.folders)?;
        }
        record => {
            let before = before(&target, record.as_ref());
            ledger.keep(scope.word(), &target.path, before.as_deref().map(str::as_bytes), new.as_bytes(), &folders)?;
        }
    }
    target.write(Some(&new))?;
    answer.give("installed", true, true, settings, screen)?;
    if scope == Scope::Project && program.starts_with('/') {
        let others =
            "whoever shares this file needs lokid at the same path; `--command lokid` looks for it on the PATH";
        screen.note(others);
    }
    screen.note(agent.remark());
    Ok(())
}

/// What a file with our hooks in it would be without them; most often it has none.
fn before(target: &Target, record: Option<&Record>) -> Option<String> {
    let text = target.text.as_deref()?;
    let known = record.and_then(|record| record.before.as_deref()).and_then(|bytes| std::str::from_utf8(bytes).ok());
    match target.agent.shape() {
        Shape::Module => (!module::is_ours(text)).then(|| text.to_owned()),
        _ => Some(merge::uninstall(text, target.agent, known).unwrap_or_else(|_| text.to_owned())),
    }
}

pub(super) fn uninstall(agent: Agent, scope: Scope, yes: bool, settings: &Settings, screen: &mut Screen) -> Done {
    let target = Target::look(agent, scope, settings)?;
    let answer = HooksAnswer { target: &target, events: &[], program: None };
    let ledger = target.ledger(settings);
    let record = ledger.read(MOST);
    let Some(old) = target.text.as_deref() else {
        ledger.close();
        return answer.give("not installed", false, false, settings, screen);
    };
    let new = without(&target, old, record.as_ref())?;
    if new.as_deref() == Some(old) {
        ledger.close();
        return answer.give("not installed", false, false, settings, screen);
    }
    show(&target, new.as_deref().unwrap_or(""), screen, settings)?;
    if !agreed(&format!("take lokid's hooks for {} out?", agent.name()), yes, screen)? {
        return answer.give("nothing was written", false, true, settings, screen);
    }
    ledger.keep_last(old.as_bytes())?;
    target.write(new.as_deref())?;
    if new.is_none() {
        for folder in record.iter().flat_map(|record| &record.folders) {
            if !plain::remove_empty_folder(folder) {
                break;
            }
        }
    }
    ledger.close();
    answer.give("taken out", true, false, settings, screen)
}

/// The text without our hooks; `None` when the file came with them and goes with them.
fn without(target: &Target, old: &str, record: Option<&Record>) -> Result<Option<String>, Failure> {
    let before = record.and_then(|record| record.before.clone()).and_then(|bytes| String::from_utf8(bytes).ok());
    // A file that was made into a link meanwhile is kept by somebody.
    let came_with_us = record.is_some_and(|record| record.before.is_none()) && !plain::is_link(&target.path);
    if record.is_some_and(|record| record.wrote(old.as_bytes())) && (before.is_some() || came_with_us) {
        return Ok(before);
    }
    if target.agent.shape() == Shape::Module {
        return Ok(if module::is_ours(old) { before } else { Some(old.to_owned()) });
    }
    let stood = if came_with_us { Some("{}") } else { before.as_deref() };
    let new = merge::uninstall(old, target.agent, stood).map_err(|problem| refused(target, &problem))?;
    let nothing_left = parse(&new, Allowed::ALL).is_ok_and(|root| root.entries().is_empty() && new.trim() == "{}");
    Ok((!(came_with_us && nothing_left)).then_some(new))
}

fn refused(target: &Target, problem: &Problem) -> Failure {
    let shown = target.path.display();
    let hint = match target.agent.shape() {
        Shape::Module => format!("move {shown} away first"),
        _ => format!("mend {shown}, or paste what `lokid hooks install {} --print` shows", target.agent.as_str()),
    };
    Failure::new(format!("{shown}, {problem}; nothing was changed")).hint(hint)
}

fn show(target: &Target, new: &str, screen: &mut Screen, settings: &Settings) -> Done {
    keep::show(&target.path, target.text.as_deref().unwrap_or(""), new, settings, screen)
}

/// What the command says in the end.
struct HooksAnswer<'a> {
    target: &'a Target,
    events: &'a [&'a str],
    program: Option<&'a str>,
}

impl HooksAnswer<'_> {
    fn give(&self, what: &str, changed: bool, installed: bool, settings: &Settings, screen: &mut Screen) -> Done {
        let Target { agent, scope, path, .. } = self.target;
        let backup = Some(self.target.ledger(settings).backup()).filter(|backup| plain::is_file(backup));
        if settings.json {
            let answer = json!({
                "agent": agent.as_str(),
                "scope": scope.word(),
                "path": text(path),
                "changed": changed,
                "installed": installed,
                "events": self.events,
                "command": self.program,
                "backup": backup.as_deref().map(text),
            });
            return screen.line(answer.to_string());
        }
        let many = match self.events.len() {
            0 => String::new(),
            many => format!(", {}", words::count(many as u64, "event", "events")),
        };
        screen.line(format!("{what}: {}, {}{many}", agent.name(), path.display()))?;
        if let (true, Some(backup)) = (changed, backup) {
            screen.note(format!("what stood there before is kept in {}", backup.display()));
        }
        Ok(())
    }
}

fn text(path: &Path) -> Value {
    path.display().to_string().into()
}
