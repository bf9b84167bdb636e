//! What an agent is told, in the shape it reads. Where an agent takes no context at an event, nothing is said there.

use serde_json::{Value, json};

use super::payload::{Agent, Happening, What};
use lokid_model::citation::{CLOSE, OPEN};

/// In characters: agents cut longer texts, and a block without its end would be open.
const LONGEST: usize = 10_000;

/// Does the agent read context at this event?
pub(super) fn takes(happening: &Happening) -> bool {
    match happening.event {
        What::SessionStart { .. } | What::Prompt(_) | What::After { .. } | What::Failed { .. } => true,
        What::Before(_) => takes_before(happening.agent),
        _ => false,
    }
}

/// Does it read context before a tool is used? The others are told when it was.
pub(super) fn takes_before(agent: Agent) -> bool {
    matches!(agent, Agent::Claude | Agent::Codex)
}

pub(in crate::serve) fn shaped(happening: &Happening, text: &str) -> Value {
    let text = capped(text);
    match happening.agent {
        Agent::Claude | Agent::Codex | Agent::OpenCode => {
            let name = match &happening.event {
                What::SessionStart { .. } => "SessionStart",
                What::Prompt(_) => "UserPromptSubmit",
                What::Before(_) => "PreToolUse",
                What::Failed { .. } if happening.called == "PostToolUseFailure" => "PostToolUseFailure",
                _ => "PostToolUse",
            };
            json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}})
        }
        Agent::Gemini => {
            json!({"hookSpecificOutput": {"hookEventName": happening.called, "additionalContext": text}})
        }
        Agent::Cursor => json!({"additional_context": text}),
        Agent::Copilot => json!({"additionalContext": text}),
    }
}

/// Whole lines only, and what was opened is closed.
pub(super) fn capped(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let mut kept = String::new();
    let (mut left, mut is_open) = (LONGEST - CLOSE.len() - 1, false);
    for line in text.lines() {
        let length = line.chars().count() + 1;
        let Some(rest) = left.checked_sub(length) else { break };
        left = rest;
        is_open = (is_open || line == OPEN) && line != CLOSE;
        kept.push_str(line);
        kept.push('\n');
    }
    if is_open {
        kept.push_str(CLOSE);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_too_long_is_cut_at_a_line_and_closed() {
        let block = format!("{OPEN}\n{}{CLOSE}", "- [R:1a2b3c4d] é and more words\n".repeat(1000));
        let capped = capped(&block);
        assert!(capped.chars().count() <= LONGEST && capped.chars().count() > LONGEST - 100);
        assert!(capped.ends_with(CLOSE) && capped.matches(CLOSE).count() == 1);
        assert_eq!(super::capped("short"), "short");
        assert_eq!(super::capped(&"x".repeat(LONGEST + 1)), "");
    }
}
