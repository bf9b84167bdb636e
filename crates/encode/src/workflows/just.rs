//! Justfiles: recipes with their dependencies before and after. It must not evaluate expressions.

use super::target::{MOST_COMMANDS, MOST_TARGETS, Target};
use crate::prose;

pub(super) fn read(text: &str) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    let mut comment = String::new();
    let mut private = false;
    let mut in_recipe = false;
    let mut continued = false;
    for line in text.lines().map(|line| prose::head(line.trim_end_matches('\r'), 4_000)) {
        let trimmed = line.trim();
        if line.starts_with([' ', '\t']) {
            if let Some(target) = targets.last_mut().filter(|_| in_recipe) {
                let command = prose::collapse(trimmed.trim_start_matches(['@', '-']).trim_end_matches('\\'));
                let command = command.replace("{{ ", "{{").replace(" }}", "}}");
                let room = target.commands.len() < MOST_COMMANDS;
                match target.commands.last_mut().filter(|_| continued) {
                    Some(last) => {
                        last.push(' ');
                        last.push_str(prose::head(&command, 4_000usize.saturating_sub(last.len())));
                    }
                    None if room && !command.is_empty() && !command.starts_with('#') => target.commands.push(command),
                    None => {}
                }
                continued = trimmed.ends_with('\\');
            }
            continue;
        }
        continued = false;
        if trimmed.is_empty() {
            comment.clear();
        } else if let Some(words) = trimmed.strip_prefix('#') {
            comment = words.trim_start_matches(['#', '!']).trim().to_owned();
        } else if let Some(attribute) = trimmed.strip_prefix('[') {
            private |= attribute.starts_with("private");
            if let Some(doc) = attribute.strip_prefix("doc(") {
                comment = doc.trim_end_matches([']', ')']).trim_matches(['"', '\'']).to_owned();
            }
        } else {
            let recipe = header(trimmed).filter(|_| targets.len() < MOST_TARGETS);
            in_recipe = recipe.is_some();
            if let Some(mut target) = recipe {
                target.about = prose::cut(&comment, 200);
                // Private recipes are only ever steps of others.
                target.hidden = private || target.name.starts_with('_');
                targets.push(target);
            }
            comment.clear();
            private = false;
        }
    }
    targets
}

/// `name param="x" *rest: dep (dep2 arg) && after`
fn header(line: &str) -> Option<Target> {
    let words = ["set ", "alias ", "export ", "import ", "mod ", "unexport ", "import? ", "mod? "];
    if words.iter().any(|word| line.starts_with(word)) {
        return None;
    }
    let line = line.trim_start_matches('@');
    let colon = colon_outside_quotes(line)?;
    if line[colon + 1..].starts_with('=') {
        return None;
    }
    let name = line[..colon].split_whitespace().next()?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if name.len() > 60 || !name.bytes().all(plain) {
        return None;
    }
    let needs = line[colon + 1..].split(" #").next().unwrap_or("");
    let (before, after) = needs.split_once("&&").unwrap_or((needs, ""));
    Some(Target {
        name: name.to_owned(),
        before: dependencies(before),
        after: dependencies(after),
        ..Target::default()
    })
}

fn colon_outside_quotes(line: &str) -> Option<usize> {
    let mut quote = None;
    for (at, character) in line.char_indices() {
        match quote {
            Some(open) if character == open => quote = None,
            Some(_) => {}
            None if matches!(character, '\'' | '"' | '`') => quote = Some(character),
            None if character == ':' => return Some(at),
            None => {}
        }
    }
    None
}

/// `a (b "x") c` names a, b and c.
fn dependencies(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0usize;
    for word in text.split_whitespace().take(60) {
        let opens = word.matches('(').count();
        if depth == 0 {
            let name = word.trim_matches(['(', ')']);
            if !name.is_empty() {
                names.push(name.to_owned());
            }
        }
        depth = (depth + opens).saturating_sub(word.matches(')').count());
    }
    names
}
