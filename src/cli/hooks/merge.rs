//! Hooks in a settings text: put in, taken out, and found. Text in, text out; no files.
//!
//! Ours is every hook whose command is `lokid hook …`, whoever wrote it there; all else is somebody else's and stays.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::agent::{Agent, Shape};
use super::command;
use super::json::{Allowed, JsonStyle, Kind, Node, Problem, Step, insert, parse, put_text, remove, render};

/// One hook of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) event: String,
    pub(super) command: String,
    group: usize,
    /// Its place in the group; `None` where there are no groups.
    place: Option<usize>,
    /// Nobody else's hook is in the group.
    alone: bool,
}

/// A text of nothing but our hooks: what a new file holds, and what `--print` shows.
pub(super) fn fresh(agent: Agent, program: &str) -> String {
    let hooks = agent.events().into_iter().map(|event| {
        let entry = agent.entry(event, &command::line(program, agent, event));
        (event.to_owned(), Value::Array(vec![entry]))
    });
    let mut root = Map::new();
    if let Some(version) = agent.version() {
        root.insert("version".to_owned(), json!(version));
    }
    root.insert("hooks".to_owned(), Value::Object(hooks.collect()));
    format!("{}\n", render(&Value::Object(root), &JsonStyle::default(), ""))
}

/// With our hooks at every event of the agent, once, and nothing else changed.
pub(super) fn install(text: &str, agent: Agent, program: &str) -> Result<String, Problem> {
    if is_blank(text) {
        return Ok(fresh(agent, program));
    }
    let root = checked(text, agent, agent.allowed())?;
    let mut text = text.to_owned();
    if let Some(version) = agent.version()
        && root.get("version").is_none()
    {
        text = edited(&text, insert(&text, &[], Some("version"), &json!(version)))?;
    }
    if root.get("hooks").is_none() {
        text = edited(&text, insert(&text, &[], Some("hooks"), &json!({})))?;
    }
    for event in agent.events() {
        let line = command::line(program, agent, event);
        text = install_event(text, agent, event, &line)?;
    }
    let outdated = |found: &Found| !agent.events().contains(&found.event.as_str());
    let text = take_out(text, agent, None, outdated)?;
    let after = parse(&text, Allowed::ALL)?;
    if others(&root, agent).same(&others(&after, agent)) { Ok(text) } else { edited(&text, None) }
}

fn install_event(text: String, agent: Agent, event: &str, line: &str) -> Result<String, Problem> {
    let root = parse(&text, Allowed::ALL)?;
    let ours: Vec<Found> = found(&root, agent).into_iter().filter(|found| found.event == event).collect();
    let Some(first) = ours.first() else {
        let entry = agent.entry(event, line);
        return match root.find(&[Step::Key("hooks"), Step::Key(event)]) {
            Some(_) => edited(&text, insert(&text, &[Step::Key("hooks"), Step::Key(event)], None, &entry)),
            None => edited(&text, insert(&text, &[Step::Key("hooks")], Some(event), &json!([entry]))),
        };
    };
    let mut text = text;
    // From the last one on, so that the places of those before it stay.
    for again in ours.iter().skip(1).rev() {
        let last_of_group = again.place.is_none_or(|place| place == 0) && again.group != first.group;
        let at = if last_of_group { path(again) } else { hook_path(again) };
        text = edited(&text, remove(&text, &at))?;
    }
    if first.command != line {
        let mut at = hook_path(first);
        at.push(Step::Key(agent.command_key()));
        text = edited(&text, put_text(&text, &at, line))?;
    }
    Ok(text)
}

/// Without our hooks. What stood empty in the text `before` they came stays, as far as that is known.
pub(super) fn uninstall(text: &str, agent: Agent, before: Option<&str>) -> Result<String, Problem> {
    if is_blank(text) {
        return Ok(text.to_owned());
    }
    let root = checked(text, agent, Allowed::ALL)?;
    let before = before.and_then(|before| parse(before, Allowed::ALL).ok());
    let mut new = take_out(text.to_owned(), agent, before.as_ref(), |_| true)?;
    let put_by_us = before.is_some_and(|before| before.get("version").is_none());
    if put_by_us && agent.version().is_some() && root.get("version").is_some_and(|node| is_plain(node, "1")) {
        new = edited(&new, remove(&new, &[Step::Key("version")]))?;
    }
    Ok(new)
}

fn take_out(
    text: String,
    agent: Agent,
    before: Option<&Node>,
    which: impl Fn(&Found) -> bool,
) -> Result<String, Problem> {
    let root = parse(&text, Allowed::ALL)?;
    let ours: Vec<Found> = found(&root, agent).into_iter().filter(which).collect();
    let mut text = text;
    for one in ours.iter().rev() {
        // Of a group that goes as a whole, its first hook takes the rest along.
        if one.alone && one.place.is_some_and(|place| place > 0) {
            continue;
        }
        text = edited(&text, remove(&text, &path(one)))?;
    }
    if ours.is_empty() {
        return Ok(text);
    }
    let stood = |path: &[Step<'_>]| before.is_some_and(|before| before.find(path).is_some());
    let touched: BTreeSet<&str> = ours.iter().map(|one| one.event.as_str()).collect();
    for event in touched {
        text = without_empty(text, &[Step::Key("hooks"), Step::Key(event)], stood)?;
    }
    without_empty(text, &[Step::Key("hooks")], stood)
}

fn without_empty(text: String, path: &[Step<'_>], stood: impl Fn(&[Step<'_>]) -> bool) -> Result<String, Problem> {
    let root = parse(&text, Allowed::ALL)?;
    let empty = root.find(path).filter(|node| node.entries().is_empty());
    // A comment in it is somebody's.
    let empty = empty.filter(|node| text[node.start + 1..node.end - 1].trim().is_empty());
    if empty.is_none() || stood(path) { Ok(text) } else { edited(&text, remove(&text, path)) }
}

/// Every hook of ours, in the order of the text.
pub(super) fn found(root: &Node, agent: Agent) -> Vec<Found> {
    let Some(Kind::Object(events)) = root.get("hooks").map(|hooks| &hooks.kind) else { return Vec::new() };
    let ours = |hook: &Node| {
        let line = hook.get(agent.command_key()).and_then(Node::text)?;
        command::program(line).map(|_| line.to_owned())
    };
    let mut all = Vec::new();
    for (at, event) in events.iter().enumerate() {
        // Of members with the same name only the last counts, for the agent as well.
        if events[at + 1..].iter().any(|later| later.key == event.key) {
            continue;
        }
        for (group, element) in event.value.entries().iter().enumerate() {
            let found = |command, place, alone| Found { event: event.key.clone(), command, group, place, alone };
            if agent.shape() == Shape::Flat {
                all.extend(ours(&element.value).map(|command| found(command, None, true)));
                continue;
            }
            let hooks = element.value.get("hooks").map(Node::entries).unwrap_or_default();
            let lines: Vec<Option<String>> = hooks.iter().map(|hook| ours(&hook.value)).collect();
            let alone = lines.iter().all(Option::is_some);
            let hooks = lines.into_iter().enumerate().filter_map(|(place, line)| Some((place, line?)));
            all.extend(hooks.map(|(place, line)| found(line, Some(place), alone)));
        }
    }
    all
}

/// Where the hook itself stands.
fn hook_path(found: &Found) -> Vec<Step<'_>> {
    let mut path = vec![Step::Key("hooks"), Step::Key(&found.event), Step::At(found.group)];
    if let Some(place) = found.place {
        path.extend([Step::Key("hooks"), Step::At(place)]);
    }
    path
}

/// What goes when it goes: the whole group when nobody else is in it.
fn path(found: &Found) -> Vec<Step<'_>> {
    if found.alone {
        return vec![Step::Key("hooks"), Step::Key(&found.event), Step::At(found.group)];
    }
    hook_path(found)
}

/// The tree, if it has the shape that hooks can be put into.
fn checked(text: &str, agent: Agent, allowed: Allowed) -> Result<Node, Problem> {
    let root = parse(text, allowed)?;
    let wrong = |node: &Node, what: &str, needed: &str| {
        let says = format!("{what} is {}, where {} reads {needed}", node.what(), agent.name());
        Err(Problem::at(text, node.start, says))
    };
    if !matches!(root.kind, Kind::Object(_)) {
        return wrong(&root, "the whole file", "an object");
    }
    let Some(hooks) = root.get("hooks") else { return Ok(root) };
    let Kind::Object(events) = &hooks.kind else { return wrong(hooks, "`hooks`", "an object") };
    for event in events.iter().filter(|event| agent.events().contains(&event.key.as_str())) {
        if !matches!(event.value.kind, Kind::Array(_)) {
            return wrong(&event.value, &format!("`{}`", event.key), "a list");
        }
    }
    Ok(root)
}

/// Everything that is not ours, without what is empty where ours would stand: the same before and after.
fn others(root: &Node, agent: Agent) -> Node {
    let ours = found(root, agent);
    let mut root = root.clone();
    let Kind::Object(members) = &mut root.kind else { return root };
    members.retain(|member| member.key != "version" || agent.version().is_none());
    let Some(hooks) = members.iter_mut().rev().find(|member| member.key == "hooks") else { return root };
    let Kind::Object(events) = &mut hooks.value.kind else { return root };
    for one in ours.iter().rev() {
        let Some(event) = events.iter_mut().rev().find(|event| event.key == one.event) else { continue };
        let Kind::Array(groups) = &mut event.value.kind else { continue };
        match one.place {
            None | Some(0) if one.alone => drop(groups.remove(one.group)),
            Some(place) if !one.alone => {
                let hooks = groups.get_mut(one.group).and_then(|group| match &mut group.value.kind {
                    Kind::Object(members) => members.iter_mut().rev().find(|member| member.key == "hooks"),
                    _ => None,
                });
                if let Some(Kind::Array(hooks)) = hooks.map(|hooks| &mut hooks.value.kind) {
                    hooks.remove(place);
                }
            }
            _ => {}
        }
    }
    let wanted = |event: &str| agent.events().contains(&event) || ours.iter().any(|one| one.event == event);
    events.retain(|event| !(event.value.entries().is_empty() && wanted(&event.key)));
    if events.is_empty() {
        members.retain(|member| member.key != "hooks");
    }
    root
}

/// A comment alone is no value, either: who wrote it shall see it complained about.
fn is_blank(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().is_empty()
}

fn is_plain(node: &Node, word: &str) -> bool {
    matches!(&node.kind, Kind::Plain(plain) if plain == word)
}

/// Every edit is held against the text it made: better none than one that breaks somebody's settings.
fn edited(before: &str, after: Option<String>) -> Result<String, Problem> {
    let cannot = || Problem::at(before, before.len(), "this layout cannot be edited; paste what `--print` shows");
    let after = after.ok_or_else(cannot)?;
    parse(&after, Allowed::ALL).map_err(|_| cannot())?;
    Ok(after)
}

#[cfg(test)]
mod tests;
