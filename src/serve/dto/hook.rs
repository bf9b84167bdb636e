//! What the hook of an agent says, and is told.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An event of an agent, as its hook was told of it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct HookRequest {
    /// claude, codex, gemini, cursor, copilot or opencode. Unless said, codex for what has a `turn_id` or a transcript
    /// called `rollout-…`, else claude.
    #[serde(default)]
    pub(in crate::serve) agent: Option<String>,
    /// As the agent calls it: `SessionStart`, `PostToolUse`, …
    #[serde(default)]
    pub(in crate::serve) event: String,
    /// Where the hook runs, for agents that do not say.
    #[serde(default)]
    pub(in crate::serve) cwd: Option<PathBuf>,
    /// When it happened, in microseconds since 1970; now unless said otherwise.
    #[serde(default)]
    pub(in crate::serve) at: Option<i64>,
    /// The agent's own JSON. What is missing or odd in it means less and is no error.
    #[serde(default)]
    pub(in crate::serve) input: Value,
}

/// What the agent reads: `hookSpecificOutput.additionalContext`, or what it has in place of that.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(in crate::serve) struct HookAnswer(pub(in crate::serve) Map<String, Value>);
