//! Lines of a Claude Code transcript. The format is nobody's promise: fields are looked for, never required, and a
//! line of a type unknown to us is passed over.

use serde_json::{Map, Value};

use super::command::exit_code;
use super::session::{Answer, Call, Deed, Session};
use crate::excerpt::one_line;
use lokid_model::Timestamp;

const MOST_QUOTE: usize = 60;

#[derive(Clone, Default)]
pub(super) struct ClaudeReader {
    /// The last message whose tokens were counted: one message comes in several lines, each with all its tokens.
    counted: String,
    /// Was the call that sent out another agent seen? Its work then stands for that agent's.
    sent_out: bool,
}

impl ClaudeReader {
    pub(super) fn line(&mut self, line: &Map<String, Value>, session: &mut Session<'_>) {
        let text = |name: &str| line.get(name).and_then(Value::as_str);
        let is = |name: &str| line.get(name).and_then(Value::as_bool) == Some(true);
        let at = text("timestamp").and_then(Timestamp::parse);
        let is_side = is("isSidechain");
        if let Some(id) = text("sessionId").filter(|_| session.id.is_empty()) {
            id.clone_into(&mut session.id);
        }
        let message = line.get("message").and_then(Value::as_object);
        match (text("type").unwrap_or_default(), message) {
            ("user", Some(message)) => {
                place(line, session, is_side);
                let is_meta = is("isMeta") || is("isCompactSummary") || is("isVisibleInTranscriptOnly");
                self.user(message, text("uuid"), is_side, is_meta, at, session);
            }
            ("assistant", Some(message)) => {
                place(line, session, is_side);
                if is("isApiErrorMessage") {
                    return session.broke_off();
                }
                self.assistant(message, is_side, at, session);
            }
            // What the person typed while the agent was at work.
            ("attachment", _) if !is_side => {
                let attachment = line.get("attachment").and_then(Value::as_object);
                let queued = attachment.filter(|map| map.get("type").and_then(Value::as_str) == Some("queued_command"));
                if let Some(prompt) = queued.and_then(|map| map.get("prompt")) {
                    session.person(&words(prompt), text("uuid"), at);
                }
            }
            _ => {}
        }
    }

    fn user(
        &mut self,
        message: &Map<String, Value>,
        id: Option<&str>,
        is_side: bool,
        is_meta: bool,
        at: Option<Timestamp>,
        session: &mut Session<'_>,
    ) {
        let Some(content) = message.get("content") else { return };
        for block in content.as_array().into_iter().flatten() {
            if block.get("type").and_then(Value::as_str) == Some("tool_result") {
                answer(block, at, session);
            }
        }
        let said = words(content);
        if said.is_empty() || is_meta {
            return;
        }
        if !is_side {
            return session.person(&said, id, at);
        }
        // The first words of an agent that was sent out are its errand.
        if !self.sent_out {
            self.sent_out = true;
            let call = Call { verb: "subagent".to_owned(), target: said, ..Call::default() };
            session.call("errand", call, at);
            session.answered("errand", Answer::default(), at);
        }
    }

    fn assistant(
        &mut self,
        message: &Map<String, Value>,
        is_side: bool,
        at: Option<Timestamp>,
        session: &mut Session<'_>,
    ) {
        let id = message.get("id").and_then(Value::as_str).unwrap_or_default();
        if id.is_empty() || id != self.counted {
            id.clone_into(&mut self.counted);
            session.tokens(tokens(message.get("usage")));
        }
        let mut calls = false;
        let mut said: Vec<&str> = Vec::new();
        for block in message.get("content").and_then(Value::as_array).into_iter().flatten() {
            match block.get("type").and_then(Value::as_str) {
                Some("tool_use") => {
                    calls = true;
                    let name = block.get("name").and_then(Value::as_str).unwrap_or_default();
                    let call = call(name, block.get("input").unwrap_or(&Value::Null), is_side);
                    self.sent_out |= call.verb == "subagent";
                    session.call(block.get("id").and_then(Value::as_str).unwrap_or_default(), call, at);
                }
                Some("text") => said.extend(block.get("text").and_then(Value::as_str)),
                _ => {}
            }
        }
        if !is_side {
            // Older versions leave the reason out; then text without a call is the end of the turn.
            let ended = message
                .get("stop_reason")
                .and_then(Value::as_str)
                .is_none_or(|reason| reason == "end_turn" || reason == "stop_sequence");
            session.spoke(&said.join("\n"), !said.is_empty() && !calls && ended, at);
        }
    }
}

fn place(line: &Map<String, Value>, session: &mut Session<'_>, is_side: bool) {
    let text = |name: &str| line.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    if let Some(cwd) = text("cwd").filter(|_| !is_side) {
        session.stand_in(cwd);
    }
    if let Some(branch) = text("gitBranch").filter(|branch| *branch != "HEAD") {
        session.branch = Some(branch.to_owned());
    }
}

/// The text of a message or a result: a string, or the text blocks of a list. Images say nothing.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter(|block| block.get("type").and_then(Value::as_str) == Some("text"));
            texts.filter_map(|block| block.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn answer(block: &Value, at: Option<Timestamp>, session: &mut Session<'_>) {
    let id = block.get("tool_use_id").and_then(Value::as_str).unwrap_or_default();
    let output = block.get("content").map(words).unwrap_or_default();
    let is_error = block.get("is_error").and_then(Value::as_bool) == Some(true);
    let refused =
        output.starts_with("The user doesn't want to proceed") || output.starts_with("[Request interrupted by user");
    let failed = is_error || exit_code(&output).is_some_and(|code| code != 0 && output.starts_with("Exit code"));
    session.answered(id, Answer { output: &output, failed: failed && !refused, refused }, at);
}

/// Tokens that were worked through for this message; what came out of the cache cost nobody anything new.
fn tokens(usage: Option<&Value>) -> u64 {
    let part = |name: &str| usage.and_then(|usage| usage.get(name)?.as_u64()).unwrap_or(0);
    part("input_tokens").saturating_add(part("cache_creation_input_tokens")).saturating_add(part("output_tokens"))
}

/// A call in the words both agents share.
fn call(name: &str, input: &Value, is_side: bool) -> Call {
    let text = |field: &str| input.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let path = || [text("file_path"), text("notebook_path"), text("path")].into_iter().find(|path| !path.is_empty());
    let (verb, target, deed) = match name {
        "Bash" | "PowerShell" => ("run", text("command"), Deed::Run(text("command"))),
        "Edit" | "MultiEdit" | "NotebookEdit" => {
            let first = input.get("edits").and_then(|edits| edits.get(0)).unwrap_or(input);
            let part = |name: &str| first.get(name).and_then(Value::as_str).unwrap_or_default();
            let change = quote(part("old_string"), part("new_string"));
            let path = path().unwrap_or_default();
            ("edit", path.clone(), Deed::Edit { files: vec![(path, false)], change })
        }
        "Write" => {
            let path = path().unwrap_or_default();
            ("write", path.clone(), Deed::Edit { files: vec![(path, true)], change: String::new() })
        }
        "Read" | "NotebookRead" => {
            let path = path().unwrap_or_default();
            ("read", path.clone(), Deed::Read(vec![path]))
        }
        "Grep" | "Glob" | "LS" => ("search", text("pattern"), Deed::Other),
        "Task" | "Agent" => {
            let errand = [text("description"), text("prompt")].into_iter().find(|errand| !errand.is_empty());
            ("subagent", errand.unwrap_or_default(), Deed::Other)
        }
        "WebFetch" => ("fetch", text("url"), Deed::Other),
        "WebSearch" => ("search the web", text("query"), Deed::Other),
        "Skill" => ("skill", [text("skill"), text("command")].concat(), Deed::Other),
        "TodoWrite" | "TodoRead" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet" | "ToolSearch"
        | "ExitPlanMode" | "EnterPlanMode" | "AskUserQuestion" | "BashOutput" | "TaskOutput" => {
            (name, String::new(), Deed::Housekeeping)
        }
        other => (other, String::new(), Deed::Other),
    };
    Call { verb: verb.to_owned(), target, deed, is_side }
}

/// The first line that an edit changes, before and after. Lines that say nothing are passed over.
pub(super) fn quote(old: &str, new: &str) -> String {
    let says = |line: &&str| line.chars().any(char::is_alphanumeric);
    let (mut olds, mut news) = (old.lines().filter(says), new.lines().filter(says));
    loop {
        match (olds.next(), news.next()) {
            (Some(one), Some(other)) if one == other => {}
            (None, None) => return String::new(),
            (one, other) => {
                let part = |line: Option<&str>| one_line(line.unwrap_or_default(), MOST_QUOTE);
                return match (part(one), part(other)) {
                    (one, other) if one.is_empty() => format!("added `{other}`"),
                    (one, other) if other.is_empty() => format!("removed `{one}`"),
                    (one, other) => format!("`{one}` → `{other}`"),
                };
            }
        }
    }
}
