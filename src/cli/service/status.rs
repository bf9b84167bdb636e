//! How the service stands: its files, what the manager makes of them, and whether it outlives a logout.

use serde_json::{Map, Value, json};

use super::super::failure::Done;
use super::super::screen::{Screen, Style};
use super::super::settings::Settings;
use super::change::ServiceTarget;
use super::linger;
use super::manager::{Manager, ask, systemctl};
use super::plan::ServicePlan;

pub(super) fn run(plan: &ServicePlan, settings: &Settings, screen: &mut Screen) -> Done {
    let reachable = plan.manager.is_reachable();
    let mut rows = Vec::new();
    let mut files = Vec::new();
    for target in ServiceTarget::all(plan)? {
        let (state, style) = match (&target.old, target.is_current()) {
            (None, _) => ("not installed", Style::Dim),
            (Some(_), true) => ("installed", Style::Green),
            (Some(_), false) if target.is_ours() => ("differs: install again, or keep your own", Style::Yellow),
            (Some(_), false) => ("not written by lokid", Style::Yellow),
        };
        let path = target.path.display().to_string();
        rows.push(vec![path.clone(), screen.paint(style, state)]);
        let (exists, current, ours) = (target.old.is_some(), target.is_current(), target.is_ours());
        files.push(json!({"path": path, "exists": exists, "current": current, "ours": ours}));
    }
    let mut units = Map::new();
    for name in &plan.names {
        let state = if reachable { state(plan.manager, name) } else { "the manager cannot be reached".to_owned() };
        let style = if state.starts_with("active") || state == "loaded" { Style::Green } else { Style::Dim };
        rows.push(vec![name.clone(), screen.paint(style, &state)]);
        units.insert(name.clone(), state.into());
    }
    let lingers = if plan.manager == Manager::Systemd { linger::is_on() } else { None };
    if let Some(on) = lingers {
        let how = match (on, linger::is_ours(settings)) {
            (true, true) => "on, by `lokid service install --linger`",
            (true, false) => "on",
            (false, _) => "off: it ends with your last session",
        };
        rows.push(vec!["lingering".to_owned(), how.to_owned()]);
    }
    if settings.json {
        let answer = json!({
            "manager": plan.manager.word(),
            "reachable": reachable,
            "files": files,
            "units": Value::Object(units),
            "lingers": lingers,
            "lingers_by_us": linger::is_ours(settings),
        });
        return screen.line(answer.to_string());
    }
    screen.table(&rows)
}

/// In the manager's own words: `active (running), enabled`.
fn state(manager: Manager, name: &str) -> String {
    if manager == Manager::Launchd {
        return if manager.has(name) { "loaded" } else { "not loaded" }.to_owned();
    }
    let properties = "--property=ActiveState,SubState,UnitFileState";
    let said = ask(&systemctl(&["show", properties], &[name.to_owned()])).unwrap_or_default();
    let of = |wanted: &str| {
        let found = said.lines().filter_map(|line| line.split_once('=')).find(|(name, _)| *name == wanted);
        found.map_or("", |(_, value)| value)
    };
    let enabled = Some(of("UnitFileState")).filter(|state| !state.is_empty());
    let enabled = enabled.map(|state| format!(", {state}")).unwrap_or_default();
    format!("{} ({}){enabled}", of("ActiveState"), of("SubState"))
}
