//! A list of steps as one line: `ci: npm ci→lint→test→build`. For workflows and skills that somebody wrote as a text.

use super::plain::{clipped, count, one_line, terse};
use lokid_model::{Body, Kind, Memory, render};

const MOST_STEPS: usize = 24;

/// Nothing for what is no way of doing something, or no list.
pub(super) fn line(memory: &Memory, most: usize) -> Option<String> {
    if !matches!(memory.kind, Kind::Workflow | Kind::Skill) || memory.body != Body::None {
        return None;
    }
    let lines: Vec<&str> = memory.text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    // A line that is short already says it best.
    if let Some(told) = lines.iter().take(2).find(|line| line.contains('→') && count(line) <= most) {
        return Some((*told).to_owned());
    }
    let steps: Vec<String> = lines.iter().filter_map(|line| item(line)).take(MOST_STEPS).map(short).collect();
    let name = if memory.title.trim().is_empty() { render::first_line(&memory.text) } else { memory.title.trim() };
    let name = terse(&one_line(name));
    (steps.len() >= 2).then(|| clipped(&format!("{name}: {}", steps.join("→")), most))
}

/// `- x`, `* x`, `2. x`, `2) x`.
fn item(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))?,
        _ => line[digits..].strip_prefix(['.', ')'])?,
    };
    Some(rest.trim()).filter(|rest| !rest.is_empty())
}

/// `Run \`npm run lint\`` is lint, `npm ci` stays.
fn short(step: &str) -> String {
    let plain = step.replace('`', "");
    let plain = plain.trim_end_matches('.').trim();
    let command = plain.strip_prefix("Run ").or_else(|| plain.strip_prefix("run ")).unwrap_or(plain);
    let scripts = ["npm run ", "pnpm run ", "yarn run ", "bun run ", "npm ", "cargo ", "make ", "just "];
    let verb = scripts.iter().find_map(|start| command.strip_prefix(start)).filter(|verb| *verb != "ci");
    terse(verb.unwrap_or(command))
}
