//! The agents that can be hooked: where their settings stand, which events they tell of, and how a hook is written
//! down there. Facts only; nothing is read or written.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::json::Allowed;

pub(in crate::cli) use crate::serve::hook::Agent;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Scope {
    User,
    Project,
}

/// How the hooks of an event are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Groups with a matcher, each with its hooks.
    Grouped,
    /// The hooks themselves.
    Flat,
    /// No settings: a plugin in a file of its own.
    Module,
}

/// Seconds a hook may take at most. It takes milliseconds; this is for a machine on its knees.
const PATIENCE: u64 = 5;
/// At the end of a session agents wait for all hooks together hardly longer than this.
const LAST_PATIENCE: u64 = 1;

impl Agent {
    pub(in crate::cli) fn name(self) -> &'static str {
        ["Claude Code", "Codex", "Gemini CLI", "Cursor", "Copilot CLI", "OpenCode"][self as usize]
    }

    pub(super) fn shape(self) -> Shape {
        match self {
            Agent::Claude | Agent::Codex | Agent::Gemini => Shape::Grouped,
            Agent::Cursor | Agent::Copilot => Shape::Flat,
            Agent::OpenCode => Shape::Module,
        }
    }

    /// What the agent itself reads beyond the standard; Claude Code passes over a whole file with a comment in it.
    pub(super) fn allowed(self) -> Allowed {
        match self {
            Agent::Claude | Agent::Codex | Agent::Copilot | Agent::OpenCode => Allowed::NOTHING,
            Agent::Gemini => Allowed::COMMENTS,
            Agent::Cursor => Allowed::ALL,
        }
    }

    /// Never one whose answer the agent would take for something else, as Claude Code's WorktreeCreate.
    pub(super) fn events(self) -> Vec<&'static str> {
        let events = match self {
            Agent::Claude => {
                "SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure PreCompact PostCompact Stop \
                 SubagentStop SessionEnd"
            }
            Agent::Codex => {
                "SessionStart UserPromptSubmit PreToolUse PostToolUse PreCompact PostCompact Stop SubagentStop \
                 SessionEnd"
            }
            Agent::Gemini => "SessionStart BeforeAgent BeforeTool AfterTool PreCompress AfterAgent SessionEnd",
            Agent::Cursor => {
                "sessionStart beforeSubmitPrompt preToolUse postToolUse postToolUseFailure preCompact stop \
                 subagentStop sessionEnd"
            }
            Agent::Copilot => {
                "sessionStart userPromptSubmitted preToolUse postToolUse postToolUseFailure preCompact agentStop \
                 subagentStop sessionEnd"
            }
            // The names that the plugin gives to OpenCode's own events.
            Agent::OpenCode => {
                "SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure PreCompact PostCompact Stop \
                 SessionEnd"
            }
        };
        events.split(' ').collect()
    }

    /// Below the home directory, or where the agent's own variable says.
    pub(in crate::cli) fn user_file(self, home: &Path, var_path: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
        let named = |name: &str, fallback: &str| var_path(name).unwrap_or_else(|| home.join(fallback));
        match self {
            Agent::Claude => named("CLAUDE_CONFIG_DIR", ".claude").join("settings.json"),
            Agent::Codex => named("CODEX_HOME", ".codex").join("hooks.json"),
            Agent::Gemini => {
                var_path("GEMINI_CLI_HOME").unwrap_or_else(|| home.to_owned()).join(".gemini/settings.json")
            }
            Agent::Cursor => home.join(".cursor/hooks.json"),
            Agent::Copilot => named("COPILOT_HOME", ".copilot").join("hooks/lokid.json"),
            Agent::OpenCode => named("XDG_CONFIG_HOME", ".config").join("opencode/plugins/lokid.js"),
        }
    }

    pub(super) fn project_file(self, root: &Path) -> PathBuf {
        root.join(match self {
            Agent::Claude => ".claude/settings.json",
            Agent::Codex => ".codex/hooks.json",
            Agent::Gemini => ".gemini/settings.json",
            Agent::Cursor => ".cursor/hooks.json",
            Agent::Copilot => ".github/hooks/lokid.json",
            Agent::OpenCode => ".opencode/plugins/lokid.js",
        })
    }

    /// The member that holds the command line.
    pub(super) fn command_key(self) -> &'static str {
        if self == Agent::Copilot { "bash" } else { "command" }
    }

    /// The version of its format that the file must name.
    pub(super) fn version(self) -> Option<u64> {
        matches!(self, Agent::Cursor | Agent::Copilot).then_some(1)
    }

    /// What stands in the settings for one event, from the list's element down.
    pub(super) fn entry(self, event: &str, command: &str) -> Value {
        let seconds = if event.eq_ignore_ascii_case("SessionEnd") { LAST_PATIENCE } else { PATIENCE };
        match self {
            Agent::Claude | Agent::Codex => {
                json!({"hooks": [{"type": "command", "command": command, "timeout": seconds}]})
            }
            Agent::Gemini => {
                let hook = json!({"name": "lokid", "type": "command", "command": command, "timeout": seconds * 1000});
                json!({"hooks": [hook]})
            }
            Agent::Cursor => json!({"command": command, "timeout": seconds}),
            Agent::Copilot => json!({"type": "command", "bash": command, "timeoutSec": seconds}),
            Agent::OpenCode => Value::Null,
        }
    }

    /// What a person has to know once it is installed.
    pub(super) fn remark(self) -> &'static str {
        match self {
            Agent::Claude => "sessions that already run take it up when they are started again",
            Agent::Codex => "Codex asks once whether to trust the hooks: `/hooks` in a session",
            Agent::Gemini => "Gemini CLI warns once about new hooks of a project; `/hooks panel` lists them",
            Agent::Cursor => "Cursor shows them under Settings, Hooks",
            Agent::Copilot | Agent::OpenCode => "it is read when the next session starts",
        }
    }
}

impl Scope {
    pub(in crate::cli) const WORDS: [&'static str; 2] = ["user", "project"];

    pub(super) fn from_word(word: &str) -> Scope {
        if word == "project" { Scope::Project } else { Scope::User }
    }

    pub(super) fn word(self) -> &'static str {
        Scope::WORDS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_is_found_by_its_word_and_has_events() {
        for agent in Agent::ALL {
            assert_eq!(Agent::parse(agent.as_str()), Some(*agent));
            assert!(!agent.events().is_empty() && !agent.events().contains(&"WorktreeCreate"));
        }
        assert_eq!(Agent::parse("vim"), None);
    }

    #[test]
    fn an_agents_own_variable_moves_its_file() {
        let home = Path::new("/home/ada");
        let none = |_: &str| None;
        assert_eq!(Agent::Claude.user_file(home, none), Path::new("/home/ada/.claude/settings.json"));
        assert_eq!(Agent::Gemini.user_file(home, none), Path::new("/home/ada/.gemini/settings.json"));
        let moved = |name: &str| (name == "CODEX_HOME").then(|| PathBuf::from("/etc/codex"));
        assert_eq!(Agent::Codex.user_file(home, moved), Path::new("/etc/codex/hooks.json"));
        assert_eq!(Agent::Cursor.project_file(Path::new("/app")), Path::new("/app/.cursor/hooks.json"));
    }

    #[test]
    fn gemini_counts_in_milliseconds_and_the_last_event_is_short() {
        assert_eq!(Agent::Gemini.entry("BeforeTool", "x").pointer("/hooks/0/timeout"), Some(&json!(5000)));
        assert_eq!(Agent::Claude.entry("SessionEnd", "x").pointer("/hooks/0/timeout"), Some(&json!(1)));
        assert_eq!(Agent::Cursor.entry("sessionEnd", "x").pointer("/timeout"), Some(&json!(1)));
    }
}
