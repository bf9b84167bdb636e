//! The agents' side: do their settings call `lokid hook`, is what they call there, and does anything arrive?
//!
//! It reads settings and judges no more of them than these commands; `lokid hooks` changes them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::settings::Settings;
use super::super::words;
use super::Check;
use crate::model::Timestamp;
use crate::model::time::DAY;
use crate::sys::{Clock, env, git, plain};

/// Who worked with an agent within this time would have been heard.
const LATELY: i64 = 7 * DAY;
const LARGEST: u64 = 4 << 20;

struct Agent {
    name: &'static str,
    word: &'static str,
    /// It is in use when this is there.
    home: PathBuf,
    files: Vec<PathBuf>,
}

pub(super) fn look(settings: &Settings, status: Option<&Value>, is_up: bool, checks: &mut Vec<Check>) {
    let root = git::discover(&settings.project).map_or_else(|| settings.project.clone(), |found| found.worktree);
    let mut installed = false;
    for agent in agents(&root) {
        let mut commands = Vec::new();
        for path in &agent.files {
            match plain::read_text(path, LARGEST) {
                Ok(None) => {}
                Ok(Some(text)) => match serde_json::from_str::<Value>(&text) {
                    Ok(settings) => commands.extend(calls(&settings)),
                    Err(error) => checks.push(Check::broken(
                        "hooks",
                        format!("{} is not JSON ({error}): {} passes over all of it", path.display(), agent.name),
                        format!("mend {}", path.display()),
                    )),
                },
                Err(error) => checks.push(Check::doubtful(
                    "hooks",
                    format!("cannot read the settings of {}: {error}", agent.name),
                    format!("chmod u+r {}", path.display()),
                )),
            }
        }
        installed |= !commands.is_empty();
        checks.extend(judge(&agent, commands));
    }
    if let (true, true, Some(status)) = (installed, is_up, status) {
        checks.extend(firing(status));
    }
}

fn agents(root: &Path) -> Vec<Agent> {
    let home = env::var_path("HOME").unwrap_or_default();
    let claude = env::var_path("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.join(".claude"));
    let codex = env::var_path("CODEX_HOME").unwrap_or_else(|| home.join(".codex"));
    let ours = root.join(".claude");
    vec![
        Agent {
            name: "Claude Code",
            word: "claude",
            files: vec![claude.join("settings.json"), ours.join("settings.json"), ours.join("settings.local.json")],
            home: claude,
        },
        Agent {
            name: "Codex",
            word: "codex",
            files: vec![codex.join("hooks.json"), root.join(".codex/hooks.json")],
            home: codex,
        },
    ]
}

/// Nothing is said of an agent that is not used here.
fn judge(agent: &Agent, mut programs: Vec<String>) -> Option<Check> {
    programs.sort();
    programs.dedup();
    let install = format!("`lokid hooks install {}`", agent.word);
    if programs.is_empty() {
        let used = agent.home.is_dir();
        return used.then(|| Check::doubtful("hooks", format!("{} does not tell lokid anything", agent.name), install));
    }
    Some(match programs.iter().find(|program| env::program(program).is_none()) {
        Some(gone) => {
            let found = format!("{} calls {gone}, which is not there", agent.name);
            Check::broken("hooks", found, format!("{install} again, or put lokid on the path"))
        }
        None => Check::good("hooks", format!("{} calls {}", agent.name, programs.join(", "))),
    })
}

/// The programs of all commands that are `… lokid hook …`.
fn calls(settings: &Value) -> Vec<String> {
    match settings {
        Value::String(command) => program_of(command).into_iter().collect(),
        Value::Array(items) => items.iter().flat_map(calls).collect(),
        Value::Object(fields) => fields.values().flat_map(calls).collect(),
        _ => Vec::new(),
    }
}

/// `/opt/my tools/lokid` of `'/opt/my tools/lokid' hook Stop`.
fn program_of(command: &str) -> Option<String> {
    let command = command.trim();
    let (program, rest) = match command.chars().next()? {
        quote @ ('\'' | '"') => command[1..].split_once(quote)?,
        _ => command.split_once(char::is_whitespace)?,
    };
    let is_ours = program == "lokid" || program.ends_with("/lokid");
    (is_ours && rest.split_whitespace().next() == Some("hook")).then(|| program.to_owned())
}

/// Hooks that are installed and never heard do not run. A daemon that does not say when it heard one is not asked.
fn firing(status: &Value) -> Option<Check> {
    let places = ["/hooks/last_event_at", "/projects/0/hooks/last_event_at"];
    let told = places.iter().find_map(|place| status.pointer(place))?;
    let fix = "start a session in the agent; Codex asks once whether the hooks may be trusted";
    let Some(at) = told.as_str().and_then(Timestamp::parse) else {
        return Some(Check::doubtful("hooks", "installed, and nothing has been heard yet", fix));
    };
    let when = words::moment(told.as_str().unwrap_or_default());
    Some(if Clock::system().now().as_micros() - at.as_micros() > LATELY {
        Check::doubtful("hooks", format!("last heard {when}"), fix)
    } else {
        Check::good("hooks", format!("last heard {when}"))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::State;
    use super::*;

    #[test]
    fn the_program_of_a_hook_is_found_and_no_other() {
        for (command, expected) in [
            ("lokid hook Stop", Some("lokid")),
            ("'/opt/my tools/lokid' hook Stop", Some("/opt/my tools/lokid")),
            ("\"/a/lokid\" hook --agent codex Stop", Some("/a/lokid")),
            ("mylokid hook Stop", None),
            ("lokid recall hook", None),
            ("echo lokid hook", None),
            ("", None),
            ("'", None),
        ] {
            assert_eq!(program_of(command).as_deref(), expected, "{command}");
        }
        let nested = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "lokid hook Stop"}]}]}});
        assert_eq!(calls(&nested), ["lokid"]);
    }

    #[test]
    fn hooks_that_were_not_heard_lately_are_doubtful_and_a_silent_daemon_is_not_asked() {
        let state = |status: Value| firing(&status).map(|check| check.state);
        assert_eq!(state(json!({})), None);
        assert_eq!(state(json!({"hooks": {"last_event_at": null}})), Some(State::Doubtful));
        assert_eq!(
            state(json!({"projects": [{"hooks": {"last_event_at": "2001-01-01T00:00:00Z"}}]})),
            Some(State::Doubtful)
        );
        let now = Clock::system().now().to_string();
        assert_eq!(state(json!({"hooks": {"last_event_at": now}})), Some(State::Good));
    }
}
