//! Lines of a Codex rollout: `session_meta`, `turn_context`, `response_item` and `event_msg`, each with a payload; the
//! oldest rollouts have the items bare. Calls and answers are read from the items, exit codes and files from events.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::claude::quote;
use super::command::exit_code;
use super::paths::{patched, quoted};
use super::session::{Answer, Call, Deed, Session};
use lokid_model::Timestamp;

const MOST_RUNNING: usize = 32;

#[derive(Clone, Default)]
pub(super) struct CodexReader {
    /// Tokens of the whole session so far, as the last count said.
    total: u64,
    /// Exit codes and files that events told of calls which wait for their answer.
    told: BTreeMap<String, bool>,
    /// Commands that go on running, by the number they are asked for with.
    running: BTreeMap<i64, Call>,
}

impl CodexReader {
    pub(super) fn line(&mut self, line: &Map<String, Value>, session: &mut Session<'_>) {
        let at = line.get("timestamp").and_then(Value::as_str).and_then(Timestamp::parse);
        let payload = line.get("payload").and_then(Value::as_object);
        let kind = line.get("type").and_then(Value::as_str).unwrap_or_default();
        match (kind, payload) {
            ("session_meta", Some(meta)) => about(meta, session),
            ("turn_context", Some(context)) => place(context, session),
            ("response_item", Some(item)) => self.item(item, at, session),
            ("event_msg", Some(event)) => self.event(event, at, session),
            ("", None) => about(line, session),
            (_, None) => self.item(line, at, session),
            _ => {}
        }
    }

    fn item(&mut self, item: &Map<String, Value>, at: Option<Timestamp>, session: &mut Session<'_>) {
        let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "message" => match text("role") {
                "user" => {
                    let words = persons_words(item);
                    if !words.is_empty() {
                        session.person(&words, item.get("id").and_then(Value::as_str), at);
                    }
                }
                "assistant" => session.spoke(&spoken(item), text("phase") != "commentary", at),
                _ => {}
            },
            "function_call" => {
                let arguments = serde_json::from_str(text("arguments")).unwrap_or(Value::Null);
                self.call(text("call_id"), text("name"), &arguments, at, session);
            }
            "local_shell_call" => {
                let action = item.get("action").cloned().unwrap_or(Value::Null);
                self.call(text("call_id"), "shell", &action, at, session);
            }
            "custom_tool_call" => {
                let call = match text("name") {
                    "apply_patch" => patch(text("input")),
                    name => Call { verb: name.to_owned(), target: text("input").to_owned(), ..Call::default() },
                };
                session.call(text("call_id"), call, at);
            }
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                self.output(text("call_id"), item.get("output").unwrap_or(&Value::Null), at, session);
            }
            "web_search_call" => {
                let query = item.get("action").and_then(|action| action.get("query")?.as_str()).unwrap_or_default();
                session.call(
                    "web",
                    Call { verb: "search the web".to_owned(), target: query.to_owned(), ..Call::default() },
                    at,
                );
                session.answered("web", Answer::default(), at);
            }
            _ => {}
        }
    }

    fn call(&mut self, id: &str, name: &str, arguments: &Value, at: Option<Timestamp>, session: &mut Session<'_>) {
        let text = |field: &str| arguments.get(field).and_then(Value::as_str).unwrap_or_default();
        let call = match name {
            "shell" | "exec_command" | "shell_command" | "local_shell" | "container.exec" => {
                let command = command_line(arguments);
                if command.contains("*** Begin Patch") {
                    patch(&command)
                } else {
                    Call { verb: "run".to_owned(), target: command.clone(), deed: Deed::Run(command), is_side: false }
                }
            }
            "apply_patch" => patch(text("input")),
            "write_stdin" => {
                let number = arguments.get("session_id").and_then(Value::as_i64).unwrap_or_default();
                let housekeeping = || Call { verb: name.to_owned(), deed: Deed::Housekeeping, ..Call::default() };
                self.running.remove(&number).unwrap_or_else(housekeeping)
            }
            "update_plan" | "get_goal" | "create_goal" | "update_goal" | "request_user_input" => {
                Call { verb: name.to_owned(), deed: Deed::Housekeeping, ..Call::default() }
            }
            "view_image" => Call { verb: "read".to_owned(), target: text("path").to_owned(), ..Call::default() },
            "spawn_agent" => {
                Call { verb: "subagent".to_owned(), target: text("message").to_owned(), ..Call::default() }
            }
            other => Call { verb: other.to_owned(), ..Call::default() },
        };
        session.call(id, call, at);
    }

    fn output(&mut self, id: &str, output: &Value, at: Option<Timestamp>, session: &mut Session<'_>) {
        let (text, code) = printed(output);
        // A command that goes on is answered by a later question about it.
        if let Some(number) = still_running(&text) {
            if let Some(call) = session.waiting(id).filter(|call| matches!(call.deed, Deed::Run(_))) {
                let call = std::mem::replace(call, Call { deed: Deed::Housekeeping, ..Call::default() });
                if self.running.len() < MOST_RUNNING {
                    self.running.insert(number, call);
                }
            }
            return session.answered(id, Answer::default(), at);
        }
        let told = self.told.remove(id);
        let failed = told.map_or_else(|| code.is_some_and(|code| code != 0), |passed| !passed);
        let refused = text.starts_with("rejected by user") || text.contains("exec command rejected by user");
        let body = text.split_once("Output:\n").map_or(text.as_str(), |(_, body)| body);
        session.answered(id, Answer { output: body, failed: failed && !refused, refused }, at);
    }

    fn event(&mut self, event: &Map<String, Value>, at: Option<Timestamp>, session: &mut Session<'_>) {
        let text =
            |map: &Map<String, Value>, name: &str| map.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        match text(event, "type").as_str() {
            "item_completed" => {
                if let Some(item) = event.get("item").and_then(Value::as_object) {
                    self.done(&text(item, "id"), item, session);
                }
            }
            "exec_command_end" | "patch_apply_end" => self.done(&text(event, "call_id"), event, session),
            "token_count" => self.count(event.get("info").and_then(|info| info.get("total_token_usage")), session),
            "task_complete" => session.spoke("", true, at),
            "turn_aborted" => session.interrupted(),
            "error" | "stream_error" => session.broke_off(),
            _ => {}
        }
    }

    /// How a command or a patch went, told before its output comes.
    fn done(&mut self, id: &str, item: &Map<String, Value>, session: &mut Session<'_>) {
        let Some(call) = session.waiting(id) else { return };
        let code = item.get("exit_code").and_then(Value::as_i64).map(|code| code == 0);
        let passed = code.or_else(|| item.get("success").and_then(Value::as_bool));
        let passed = passed.or_else(|| item.get("status").and_then(Value::as_str).map(|status| status == "completed"));
        if let Some(passed) = passed {
            self.told.insert(id.to_owned(), passed);
            if self.told.len() > MOST_RUNNING {
                self.told.pop_first();
            }
        }
        if let Some(changes) = item.get("changes").and_then(Value::as_object) {
            let is_new = |change: &Value| {
                change.get("type").and_then(Value::as_str) == Some("add") || change.get("add").is_some()
            };
            let files = changes.iter().map(|(path, change)| (path.clone(), is_new(change))).collect();
            if let Deed::Edit { files: known, .. } = &mut call.deed {
                *known = files;
            }
        }
        // Codex itself tells which files a command only reads.
        let parsed = item.get("parsed_cmd").and_then(Value::as_array).into_iter().flatten();
        let reads = parsed.filter(|part| part.get("type").and_then(Value::as_str) == Some("read"));
        let paths = reads.filter_map(|part| part.get("path").or_else(|| part.get("name"))?.as_str().map(str::to_owned));
        let paths: Vec<String> = paths.collect();
        if let (false, Deed::Run(_)) = (paths.is_empty(), &call.deed) {
            *call = Call { verb: "read".to_owned(), target: paths[0].clone(), deed: Deed::Read(paths), is_side: false };
        }
    }

    /// Counts run on over the session; what came out of the cache is not counted.
    fn count(&mut self, usage: Option<&Value>, session: &mut Session<'_>) {
        let part = |name: &str| usage.and_then(|usage| usage.get(name)?.as_u64()).unwrap_or(0);
        let total =
            part("input_tokens").saturating_sub(part("cached_input_tokens")).saturating_add(part("output_tokens"));
        // A session taken up again may count from nothing.
        let before = if total < self.total { 0 } else { self.total };
        session.tokens(total - before);
        self.total = total;
    }
}

fn about(meta: &Map<String, Value>, session: &mut Session<'_>) {
    let id = meta.get("id").or_else(|| meta.get("session_id")).and_then(Value::as_str);
    if let Some(id) = id.filter(|_| session.id.is_empty()) {
        id.clone_into(&mut session.id);
    }
    place(meta, session);
    if let Some(branch) = meta.get("git").and_then(|git| git.get("branch")?.as_str()) {
        session.branch = Some(branch.to_owned());
    }
}

fn place(context: &Map<String, Value>, session: &mut Session<'_>) {
    if let Some(cwd) = context.get("cwd").and_then(Value::as_str).filter(|cwd| !cwd.is_empty()) {
        session.stand_in(cwd);
    }
}

/// The parts of a message that a person wrote, where the rollout says which those are.
fn persons_words(item: &Map<String, Value>) -> String {
    let kinds = item
        .get("internal_chat_message_metadata_passthrough")
        .and_then(|meta| meta.get("content_item_kinds")?.as_array());
    let is_persons = |at: usize| {
        let kind = kinds.and_then(|kinds| kinds.get(at)?.as_str());
        kind.is_none_or(|kind| kind.starts_with("user") || kind == "unknown")
    };
    let content = item.get("content").and_then(Value::as_array);
    let parts = content.into_iter().flatten().enumerate().filter(|(at, _)| is_persons(*at));
    let texts = parts.filter_map(|(_, part)| part.get("text")?.as_str());
    texts.collect::<Vec<_>>().join("\n")
}

fn spoken(item: &Map<String, Value>) -> String {
    let parts = item.get("content").and_then(Value::as_array).into_iter().flatten();
    parts.filter_map(|part| part.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
}

/// `{"cmd": "…"}`, `{"command": "…"}` or `{"command": ["bash", "-lc", "…"]}`.
fn command_line(arguments: &Value) -> String {
    let given = arguments.get("cmd").or_else(|| arguments.get("command")).unwrap_or(&Value::Null);
    match given {
        Value::String(command) => command.clone(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [_, flag, script] if flag.starts_with('-') => (*script).to_owned(),
                words => words.join(" "),
            }
        }
        _ => String::new(),
    }
}

fn patch(text: &str) -> Call {
    let files = patched(text);
    let (old, new) = quoted(text);
    let target = files.first().map(|(path, _)| path.clone()).unwrap_or_default();
    Call { verb: "edit".to_owned(), target, deed: Deed::Edit { files, change: quote(&old, &new) }, is_side: false }
}

/// What a call printed, and its exit code where the output tells it: plain text, JSON inside a string, or a structure.
fn printed(output: &Value) -> (String, Option<i64>) {
    match output {
        Value::String(text) => {
            let inner = if text.starts_with('{') { serde_json::from_str::<Value>(text).ok() } else { None };
            match inner {
                Some(inner) if inner.get("output").is_some() => printed(&inner),
                _ => (text.clone(), exit_code(text)),
            }
        }
        Value::Object(map) => {
            let text =
                map.get("output").or_else(|| map.get("content")).map(|inner| printed(inner).0).unwrap_or_default();
            let code = map.get("metadata").and_then(|meta| meta.get("exit_code")?.as_i64());
            let success = map.get("success").and_then(Value::as_bool).map(|success| i64::from(!success));
            (text, code.or(success))
        }
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            let text = texts.collect::<Vec<_>>().join("\n");
            let code = exit_code(&text);
            (text, code)
        }
        _ => (String::new(), None),
    }
}

fn still_running(output: &str) -> Option<i64> {
    let (_, rest) = crate::excerpt::head(output, 1_000).split_once("Process running with session ID ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
