//! Makefiles: targets a person types, with what comes first and what they run. It must not expand variables or follow
//! includes.

use std::collections::BTreeSet;

use super::target::{MOST_COMMANDS, MOST_TARGETS, Target};
use crate::prose;

pub(super) fn read(text: &str) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    let mut phony: BTreeSet<String> = BTreeSet::new();
    // Places of the targets whose recipe is being read.
    let mut current: Vec<usize> = Vec::new();
    let mut comment = String::new();
    let mut in_define = false;
    for line in joined(text) {
        let line = prose::head(&line, 4_000);
        let trimmed = line.trim();
        if in_define || trimmed.starts_with("define ") {
            in_define = trimmed != "endef";
            continue;
        }
        if let Some(recipe) = line.strip_prefix('\t') {
            let command = prose::collapse(recipe.trim_start_matches(['@', '-', '+', ' ', '\t']));
            for place in &current {
                add_command(&mut targets[*place], &command);
            }
            continue;
        }
        if trimmed.is_empty() {
            comment.clear();
            continue;
        }
        if let Some(words) = trimmed.strip_prefix('#') {
            comment = words.trim_start_matches('#').trim().to_owned();
            continue;
        }
        current.clear();
        if let Some((names, rest)) = rule(trimmed) {
            let (needs, about) = rest.split_once("##").unwrap_or((rest, ""));
            let (needs, inline) = needs.split_once(';').unwrap_or((needs, ""));
            let needs: Vec<String> =
                needs.split('|').next().unwrap_or("").split_whitespace().take(40).map(str::to_owned).collect();
            if names.trim() == ".PHONY" {
                phony.extend(needs);
                continue;
            }
            let about = if about.trim().is_empty() { comment.as_str() } else { about.trim() };
            for name in names.split_whitespace().filter(|name| is_typed(name)).take(8) {
                let place = targets.iter().position(|target| target.name == name).unwrap_or_else(|| {
                    targets.push(Target { name: name.to_owned(), ..Target::default() });
                    targets.len() - 1
                });
                let target = &mut targets[place];
                target.before.extend(needs.iter().filter(|need| is_typed(need)).cloned());
                target.before.truncate(MOST_COMMANDS);
                if target.about.is_empty() {
                    target.about = prose::cut(about, 200);
                }
                add_command(target, inline.trim());
                current.push(place);
            }
        }
        comment.clear();
        if targets.len() >= MOST_TARGETS {
            break;
        }
    }
    // A name like a file's is one unless it is declared not to be.
    targets.retain(|target| phony.contains(&target.name) || !target.name.contains(['.', '/']));
    targets
}

fn add_command(target: &mut Target, command: &str) {
    if !command.is_empty() && !command.starts_with('#') && target.commands.len() < MOST_COMMANDS {
        target.commands.push(command.to_owned());
    }
}

/// Lines with those they continue on. A recipe's continued line stays one command.
fn joined(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines().map(|line| line.trim_end_matches('\r')) {
        let continues = line.ends_with('\\');
        let bare = line.strip_suffix('\\').unwrap_or(line);
        match lines.last_mut().filter(|_| open) {
            Some(last) if last.len() < 8_000 => {
                last.push(' ');
                last.push_str(bare.trim());
            }
            Some(_) => {}
            None => lines.push(bare.to_owned()),
        }
        open = continues;
    }
    lines
}

/// `names: rest`, but no assignment and no pattern rule's second colon.
fn rule(line: &str) -> Option<(&str, &str)> {
    let colon = line.find(':')?;
    let (names, rest) = (&line[..colon], &line[colon + 1..]);
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let assigned = names.contains('=') || rest.starts_with('=') || rest.split("##").next()?.contains('=');
    (!assigned && !names.is_empty()).then_some((names, rest))
}

fn is_typed(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.' | b'/');
    name.len() <= 60 && !name.starts_with(['.', '_']) && name.bytes().all(plain)
}
