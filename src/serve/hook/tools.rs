//! What a tool call does: which files it reads or changes, which command it runs, and how it ended. Tools are known by
//! the names the agents give them; one that is not known does nothing we care about.

use serde_json::Value;

use super::command;
use super::payload::text;

const MOST_FILES: usize = 64;
const LONGEST_PATH: usize = 4096;
const LONGEST_COMMAND: usize = 16 << 10;

#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::serve) struct Deeds {
    pub(in crate::serve) opened: Vec<String>,
    pub(in crate::serve) edited: Vec<String>,
    pub(in crate::serve) command: Option<String>,
}

impl Deeds {
    pub(in crate::serve) fn files(&self) -> Vec<String> {
        self.edited.iter().chain(&self.opened).cloned().collect()
    }
}

/// How a tool call ended, as far as its answer tells.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ending {
    Well,
    Failed(String),
    /// Some output, and no word on how it ended.
    Unknown(String),
}

impl Ending {
    pub(super) fn words(self) -> String {
        match self {
            Ending::Well => String::new(),
            Ending::Failed(text) | Ending::Unknown(text) => text,
        }
    }
}

/// Lower case letters and digits alone: `PreToolUse`, `preToolUse` and `pre_tool_use` are one name.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).take(64).map(|c| c.to_ascii_lowercase()).collect()
}

/// Nothing for calls of our own tools and commands: they must not hear themselves.
pub(super) fn deeds(event: &str, input: &Value) -> Option<Deeds> {
    let tool = text(input, &["tool_name", "toolName", "tool"]);
    if is_own_tool(tool) {
        return None;
    }
    let arguments = arguments(input);
    let mut deeds = Deeds::default();
    let given = path_of(&arguments).or_else(|| path_of(input));
    let reads = |path: &str| path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    match plain(if tool.is_empty() { event } else { tool }).as_str() {
        "read" | "readfile" | "view" | "notebookread" | "beforereadfile" | "openfile" => deeds.opened.extend(given),
        "edit" | "multiedit" | "write" | "notebookedit" | "writefile" | "replace" | "strreplace" | "create"
        | "editfile" | "searchreplace" | "strreplaceeditor" | "afterfileedit" => deeds.edited.extend(given),
        // Where is looked; only a file is opened by it.
        "grep" | "search" | "searchfilecontent" | "grepsearch" | "ripgrep" => {
            deeds.opened.extend(given.filter(|path| reads(path)));
        }
        "applypatch" => deeds.edited = patched(&command_of(&arguments)),
        "bash"
        | "shell"
        | "shellcommand"
        | "execcommand"
        | "localshell"
        | "runshellcommand"
        | "runterminalcmd"
        | "runinterminal"
        | "terminal"
        | "beforeshellexecution"
        | "aftershellexecution" => {
            let mut line = command_of(&arguments);
            if line.is_empty() {
                line = command_of(input);
            }
            if command::is_own(&line) {
                return None;
            }
            if line.trim_start().starts_with("apply_patch") {
                deeds.edited = patched(&line);
            } else {
                deeds.opened = command::files_read(&line);
                deeds.command = Some(line).filter(|line| !line.trim().is_empty());
            }
        }
        _ => {}
    }
    deeds.opened.truncate(MOST_FILES);
    deeds.edited.truncate(MOST_FILES);
    Some(deeds)
}

/// `mcp__loki__recall`, and however else a server of this name is spelt.
fn is_own_tool(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["mcp__loki", "mcp_loki", "loki__", "mcp__plugin_loki", "lokid"].iter().any(|own| tool.starts_with(own))
}

/// Copilot hands the arguments over as a text with JSON in it.
fn arguments(input: &Value) -> Value {
    let names = ["tool_input", "toolInput", "toolArgs", "tool_args", "arguments"];
    match names.iter().find_map(|name| input.get(name)) {
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_else(|_| serde_json::json!({"input": text})),
        Some(arguments) => arguments.clone(),
        None => Value::Null,
    }
}

fn path_of(arguments: &Value) -> Option<String> {
    let names = ["file_path", "filePath", "notebook_path", "absolute_path", "target_file", "path"];
    let path = text(arguments, &names);
    (!path.is_empty() && path.len() <= LONGEST_PATH && !path.contains('\0')).then(|| path.to_owned())
}

/// A command as a text, or as the words a program is started with.
fn command_of(arguments: &Value) -> String {
    let names = ["command", "cmd", "input", "patch"];
    let line = match names.iter().find_map(|name| arguments.get(name).filter(|value| !value.is_null())) {
        Some(Value::String(line)) => line.clone(),
        Some(Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [shell, flag, line] if flag.starts_with('-') && flag.ends_with('c') && shell.ends_with("sh") => {
                    (*line).to_owned()
                }
                words => words.join(" "),
            }
        }
        _ => String::new(),
    };
    super::payload::cut(&line, LONGEST_COMMAND)
}

/// The files of a patch in Codex's form.
fn patched(patch: &str) -> Vec<String> {
    let marks = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
    let lines = patch.lines().map(str::trim);
    let named = lines.filter_map(|line| marks.iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim));
    let files = named.filter(|path| !path.is_empty() && path.len() <= LONGEST_PATH);
    files.take(MOST_FILES).map(str::to_owned).collect()
}

pub(super) fn ending(input: &Value) -> Ending {
    let names = ["tool_response", "toolResponse", "tool_result", "toolResult", "tool_output", "output", "result_json"];
    names.iter().find_map(|name| input.get(name)).map_or(Ending::Well, |answer| ended(answer, 0))
}

fn ended(answer: &Value, depth: usize) -> Ending {
    match answer {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ Value::Object(_)) if depth < 2 => ended(&inner, depth + 1),
            _ if text.trim().is_empty() => Ending::Well,
            _ => Ending::Unknown(text.clone()),
        },
        Value::Object(_) => {
            let metadata = answer.get("metadata").unwrap_or(&Value::Null);
            let code = ["exit_code", "exitCode", "returncode"]
                .iter()
                .find_map(|name| answer.get(name).or_else(|| metadata.get(name)))
                .and_then(Value::as_i64);
            let flag = |name: &str| answer.get(name).and_then(Value::as_bool);
            let failed = code.is_some_and(|code| code != 0)
                || flag("is_error") == Some(true)
                || flag("isError") == Some(true)
                || flag("success") == Some(false)
                || text(answer, &["resultType", "result_type"]) == "failure"
                || !text(answer, &["error"]).is_empty();
            if !failed {
                return Ending::Well;
            }
            let parts = ["error", "stderr", "stdout", "output", "textResultForLlm", "llmContent", "message"];
            let said: Vec<&str> =
                parts.iter().map(|name| text(answer, &[name])).filter(|text| !text.is_empty()).collect();
            Ending::Failed(said.join("\n"))
        }
        _ => Ending::Well,
    }
}
