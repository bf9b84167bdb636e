//! The scripts of a `package.json`, with their pre and post hooks and the scripts they call in turn. It must not guess
//! what a bundler does.

use serde_json::Value;

use super::{command, target};

pub(super) fn read(text: &str) -> Vec<target::Target> {
    let Ok(document) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let Some(scripts) = document.get("scripts").and_then(Value::as_object) else { return Vec::new() };
    let known = |name: &str| scripts.contains_key(name);
    let mut targets = Vec::new();
    for (name, line) in scripts.iter().take(target::MOST_TARGETS) {
        let Some(line) = line.as_str().filter(|line| !line.trim().is_empty()) else { continue };
        // Hooks run by themselves.
        let hidden = name.strip_prefix("pre").or_else(|| name.strip_prefix("post")).is_some_and(known);
        let mut target = target::Target { name: name.chars().take(60).collect(), hidden, ..target::Target::default() };
        target.before.extend(Some(format!("pre{name}")).filter(|hook| known(hook)));
        let parts = command::parts(line);
        let called: Vec<Vec<String>> = parts.iter().map(|part| calls(part, &known)).collect();
        if called.iter().all(|names| names.iter().any(|called| called != name)) {
            // A script of scripts: its steps are their names.
            target.before.extend(called.into_iter().flatten().filter(|called| called != name));
        } else {
            target.commands = parts;
        }
        target.after.extend(Some(format!("post{name}")).filter(|hook| known(hook)));
        targets.push(target);
    }
    targets
}

/// The scripts a command calls: `npm run a`, `yarn a`, `run-s a b`, `npm-run-all a b`.
fn calls(part: &str, known: &impl Fn(&str) -> bool) -> Vec<String> {
    let words: Vec<&str> = part.split_whitespace().filter(|word| !word.starts_with('-')).take(40).collect();
    let names = match words.as_slice() {
        ["npm" | "pnpm" | "yarn" | "bun", "run" | "run-script", name, ..] => vec![*name],
        ["npm", name @ ("test" | "start"), ..] => vec![*name],
        ["yarn" | "pnpm", name, ..] => vec![*name],
        ["run-s" | "run-p" | "npm-run-all" | "npm-run-all2", names @ ..] => names.to_vec(),
        _ => Vec::new(),
    };
    names.into_iter().map(|name| name.trim_matches(['"', '\''])).filter(|name| known(name)).map(str::to_owned).collect()
}
