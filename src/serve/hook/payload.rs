//! The JSON of an agent's hook, read: which session, where, and what happened. Says nothing of what follows from it.

use std::path::PathBuf;

use serde_json::Value;

use super::tools::{self, Deeds};
use lokid_encode::own_words::without_own_words;
use lokid_model::words::vocabulary;

/// In bytes; what an agent says beyond is cut in the middle.
const LONGEST_PROMPT: usize = 16 << 10;
const LONGEST_MESSAGE: usize = 256 << 10;
const LONGEST_ERROR: usize = 16 << 10;
const LONGEST_NAME: usize = 200;
const LONGEST_PATH: usize = 4_096;

vocabulary!(
    /// Whose hooks are understood.
    Agent {
        Claude = "claude",
        Codex = "codex",
        Gemini = "gemini",
        Cursor = "cursor",
        Copilot = "copilot",
        OpenCode = "opencode",
    }
);

impl Agent {
    /// Whoever does not say who they are: Codex, which runs the same commands as Claude Code when both have the plugin,
    /// numbers its turns, and calls its transcripts rollouts.
    fn known_by(input: &Value) -> Agent {
        let transcript = text(input, &["transcript_path"]).rsplit('/').next().unwrap_or_default();
        let is_codex = !text(input, &["turn_id"]).is_empty() || transcript.starts_with("rollout-");
        if is_codex { Agent::Codex } else { Agent::Claude }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::serve) struct Happening {
    pub(in crate::serve) agent: Agent,
    /// As the agent spells the event.
    pub(in crate::serve) called: String,
    /// Empty when the agent does not say.
    pub(in crate::serve) session: String,
    pub(in crate::serve) cwd: Option<PathBuf>,
    /// Where the agent writes down the session.
    pub(super) transcript: Option<PathBuf>,
    /// The turn and the call it belongs to, as far as the agent numbers them.
    pub(super) turn: String,
    pub(super) call: String,
    pub(in crate::serve) event: What,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::serve) enum What {
    SessionStart {
        after_compaction: bool,
        source: String,
    },
    Prompt(String),
    Before(Deeds),
    After {
        deeds: Deeds,
        /// Output of a command of which the agent does not say how it ended.
        doubtful: Option<String>,
    },
    Failed {
        deeds: Deeds,
        error: String,
    },
    /// The agent has answered. `is_done` unless it goes on because a hook asked it to.
    Answered {
        message: String,
        is_done: bool,
        /// The subagent that answered.
        subagent: Option<String>,
    },
    Compaction,
    SessionEnd,
    /// Our own doing, or nothing that means something here.
    Nothing,
}

impl Happening {
    /// `event` as it was typed behind `lokid hook`; the JSON's own name for it counts when that says nothing to us.
    pub(in crate::serve) fn read(
        agent: impl Into<Option<Agent>>,
        event: &str,
        input: &Value,
        cwd: Option<PathBuf>,
    ) -> Happening {
        let told = text(input, &["hook_event_name", "hookEventName"]);
        let known = |name: &str| kind(name) != Kind::Other;
        let called = if known(event) || told.is_empty() { event } else { told };
        let here = text(input, &["cwd", "working_directory", "workingDirectory"]);
        let roots = ["workspace_roots", "workspaceRoots"].iter().find_map(|name| input.get(name)?.get(0)?.as_str());
        let here = Some(here).filter(|here| here.starts_with('/')).or(roots.filter(|root| root.starts_with('/')));
        Happening {
            agent: agent.into().unwrap_or_else(|| Agent::known_by(input)),
            called: name(called),
            session: name(text(input, &["session_id", "sessionId", "conversation_id", "conversationId"])),
            cwd: here.map(PathBuf::from).or(cwd),
            transcript: Some(text(input, &["transcript_path", "transcriptPath"]))
                .filter(|path| path.starts_with('/') && path.len() < LONGEST_PATH)
                .map(PathBuf::from),
            turn: name(text(input, &["turn_id", "prompt_id", "generation_id", "turnId"])),
            call: name(text(input, &["tool_use_id", "toolUseId", "tool_call_id", "toolCallId"])),
            event: what(kind(called), called, input),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    SessionStart,
    Prompt,
    Before,
    After,
    Failed,
    Said,
    Stop,
    SubagentStop,
    Compaction,
    SessionEnd,
    Other,
}

fn kind(event: &str) -> Kind {
    match tools::plain(event).as_str() {
        "sessionstart" => Kind::SessionStart,
        "userpromptsubmit" | "userpromptsubmitted" | "beforesubmitprompt" | "beforeagent" => Kind::Prompt,
        "pretooluse" | "beforetool" | "beforeshellexecution" | "beforereadfile" | "beforemcpexecution" => Kind::Before,
        "posttooluse" | "aftertool" | "aftershellexecution" | "afterfileedit" | "aftermcpexecution" => Kind::After,
        "posttoolusefailure" => Kind::Failed,
        "afteragentresponse" => Kind::Said,
        "stop" | "afteragent" | "agentstop" => Kind::Stop,
        "subagentstop" => Kind::SubagentStop,
        "precompact" | "precompress" => Kind::Compaction,
        "sessionend" => Kind::SessionEnd,
        _ => Kind::Other,
    }
}

fn what(kind: Kind, called: &str, input: &Value) -> What {
    match kind {
        Kind::SessionStart => {
            let source = text(input, &["source", "trigger"]);
            What::SessionStart { after_compaction: source == "compact", source: name(source) }
        }
        Kind::Prompt => What::Prompt(cut(&without_own_words(text(input, &["prompt"])), LONGEST_PROMPT)),
        Kind::Before => match tools::deeds(called, input) {
            Some(deeds) => What::Before(deeds),
            None => What::Nothing,
        },
        Kind::After => match (tools::deeds(called, input), tools::ending(input)) {
            (None, _) => What::Nothing,
            (Some(deeds), tools::Ending::Failed(error)) => {
                What::Failed { deeds, error: cut(&without_own_words(&error), LONGEST_ERROR) }
            }
            (Some(deeds), tools::Ending::Unknown(output)) if deeds.command.is_some() => {
                What::After { deeds, doubtful: Some(cut(&output, LONGEST_ERROR)) }
            }
            (Some(deeds), _) => What::After { deeds, doubtful: None },
        },
        Kind::Failed => match tools::deeds(called, input) {
            Some(deeds) if input.get("is_interrupt").and_then(Value::as_bool) != Some(true) => {
                let said = text(input, &["error", "error_message", "errorMessage"]);
                let error = if said.is_empty() { tools::ending(input).words() } else { said.to_owned() };
                What::Failed { deeds, error: cut(&without_own_words(&error), LONGEST_ERROR) }
            }
            _ => What::Nothing,
        },
        Kind::Said | Kind::Stop | Kind::SubagentStop => {
            let said = text(input, &["last_assistant_message", "prompt_response", "text", "response"]);
            let goes_on = input.get("stop_hook_active").and_then(Value::as_bool) == Some(true);
            let agent_id = text(input, &["agent_id", "agentId", "subagent_id"]);
            What::Answered {
                message: cut(said, LONGEST_MESSAGE),
                is_done: kind != Kind::Said && !goes_on,
                subagent: (kind == Kind::SubagentStop).then(|| name(agent_id)),
            }
        }
        Kind::Compaction => What::Compaction,
        Kind::SessionEnd => What::SessionEnd,
        Kind::Other => What::Nothing,
    }
}

/// The first of these fields that is a text and not empty.
pub(super) fn text<'a>(value: &'a Value, names: &[&str]) -> &'a str {
    let found = names.iter().find_map(|name| value.get(name)?.as_str().filter(|text| !text.is_empty()));
    found.unwrap_or_default()
}

/// A short name on one line; one that is too long or holds control characters is none.
fn name(text: &str) -> String {
    let sane = text.len() <= LONGEST_NAME && !text.chars().any(char::is_control);
    if sane { text.trim().to_owned() } else { String::new() }
}

/// The beginning and the end of a text that is too long: errors speak at both.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let half = most / 2;
    let head = text.floor_char_boundary(half);
    let tail = text.ceil_char_boundary(text.len() - half);
    format!("{}\n…\n{}", &text[..head], &text[tail..])
}
