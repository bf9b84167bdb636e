//! Smaller lists of tasks: cargo's aliases, Taskfiles, and the tasks Python projects keep in `pyproject.toml`. It must
//! not read what belongs to the build itself.

use toml::{Table, Value};

use super::target::{MOST_COMMANDS, MOST_TARGETS, Target};
use crate::yaml::{self, Yaml};

pub(super) fn cargo_aliases(text: &str) -> Vec<Target> {
    let Ok(document) = text.parse::<Table>() else { return Vec::new() };
    let Some(aliases) = document.get("alias").and_then(Value::as_table) else { return Vec::new() };
    let target = |(name, value): (&String, &Value)| {
        let line = match value {
            Value::String(line) => line.clone(),
            Value::Array(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
            _ => return None,
        };
        Some(Target { name: name.clone(), commands: vec![format!("cargo {line}")], ..Target::default() })
    };
    aliases.iter().filter_map(target).take(MOST_TARGETS).collect()
}

/// The tables of poe, pdm, taskipy, pixi and hatch: `name = "command"`, a list, or a table with `cmd`.
pub(super) fn pyproject(text: &str) -> Vec<Target> {
    let Ok(document) = text.parse::<Table>() else { return Vec::new() };
    let Some(tool) = document.get("tool").and_then(Value::as_table) else { return Vec::new() };
    let at = |way: &[&str]| {
        let first = tool.get(*way.first()?)?;
        way[1..].iter().try_fold(first, |value, name| value.get(*name))?.as_table()
    };
    let mut targets = Vec::new();
    let tables: [(&str, &[&str]); 4] = [
        ("poe", &["poe", "tasks"]),
        ("pdm run", &["pdm", "scripts"]),
        ("task", &["taskipy", "tasks"]),
        ("pixi run", &["pixi", "tasks"]),
    ];
    for (runner, way) in tables {
        targets.extend(at(way).into_iter().flatten().map(|(name, value)| python_task(runner, name, value)));
    }
    for (environment, table) in at(&["hatch", "envs"]).into_iter().flatten() {
        let runner =
            if environment == "default" { "hatch run".to_owned() } else { format!("hatch run {environment}:") };
        let scripts = table.get("scripts").and_then(Value::as_table).into_iter().flatten();
        targets.extend(scripts.map(|(name, value)| python_task(&runner, name, value)));
    }
    targets.retain(|target| !target.commands.is_empty() || !target.before.is_empty());
    targets.truncate(MOST_TARGETS);
    targets
}

fn python_task(runner: &str, name: &str, value: &Value) -> Target {
    let space = if runner.ends_with(':') { "" } else { " " };
    let mut target = Target { name: format!("{runner}{space}{name}"), ..Target::default() };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let texts = |value: &Value| {
        value.as_array().map(|list| list.iter().filter_map(text).collect::<Vec<_>>()).unwrap_or_default()
    };
    match value {
        Value::String(line) => target.commands.push(line.clone()),
        Value::Array(_) => target.commands = texts(value),
        Value::Table(table) => {
            target.commands.extend(["cmd", "shell", "script"].iter().find_map(|key| table.get(*key).and_then(text)));
            for key in ["sequence", "composite"] {
                target.commands.extend(table.get(key).map(texts).unwrap_or_default());
            }
            let needs = ["deps", "depends-on", "depends_on"].iter().find_map(|key| table.get(*key));
            target.before =
                needs.map(texts).unwrap_or_default().iter().map(|need| format!("{runner}{space}{need}")).collect();
            target.about =
                ["help", "description"].iter().find_map(|key| table.get(*key).and_then(text)).unwrap_or_default();
        }
        _ => {}
    }
    target.commands.truncate(MOST_COMMANDS);
    target
}

pub(super) fn taskfile(text: &str) -> Vec<Target> {
    let Some(document) = yaml::read(text) else { return Vec::new() };
    let mut targets = Vec::new();
    for (name, task) in document.get("tasks").map(Yaml::entries).unwrap_or_default().iter().take(MOST_TARGETS) {
        let mut target = Target { name: name.clone(), ..Target::default() };
        let commands = task.any(&["cmds", "cmd"]).unwrap_or(task);
        for step in commands.items().iter().take(MOST_COMMANDS) {
            match (step.text(), step.get("task").and_then(Yaml::text), step.get("cmd").and_then(Yaml::text)) {
                (Some(line), ..) | (None, None, Some(line)) => target.commands.extend(line.lines().map(str::to_owned)),
                (None, Some(called), _) => target.commands.push(format!("task {called}")),
                _ => {}
            }
        }
        let deps = task.get("deps").map(Yaml::items).unwrap_or_default();
        target.before =
            deps.iter().filter_map(|dep| dep.text().or_else(|| dep.get("task")?.text())).map(str::to_owned).collect();
        target.about = task.any(&["desc", "summary"]).and_then(Yaml::text).unwrap_or_default().to_owned();
        target.commands.truncate(MOST_COMMANDS);
        if !name.starts_with('_') && task.get("internal").and_then(Yaml::text) != Some("true") {
            targets.push(target);
        }
    }
    targets
}
