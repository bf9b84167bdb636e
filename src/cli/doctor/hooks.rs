//! The agents' side: do their settings call `lokid hook`, is what they call there, and does anything arrive?
//!
//! It judges what `lokid hooks` finds; that changes settings, this does not.

use serde_json::Value;

use super::super::hooks::{self, Agent, HookPlace};
use super::super::settings::Settings;
use super::super::words;
use super::Check;
use lokid_model::Timestamp;
use lokid_model::time::DAY;
use lokid_sys::{Clock, env};

/// Who worked with an agent within this time would have been heard.
const LATELY: i64 = 7 * DAY;

pub(super) fn look(settings: &Settings, status: Option<&Value>, is_up: bool, checks: &mut Vec<Check>) {
    for agent in Agent::ALL.iter().copied() {
        let places = hooks::places(agent, settings);
        for place in &places {
            checks.extend(place.problem.as_ref().map(|problem| {
                let found = format!("{} has trouble with {}: {problem}", agent.name(), place.path);
                Check::broken("hooks", found, format!("mend {}", place.path))
            }));
        }
        checks.extend(calls(agent, &places));
        let installed = places.iter().any(|place| !place.programs.is_empty());
        if let (true, true, Some(status)) = (installed, is_up, status) {
            checks.extend(firing(agent, status));
        }
    }
}

/// Nothing is said of an agent that is not used here.
fn calls(agent: Agent, places: &[HookPlace]) -> Option<Check> {
    let install = format!("`lokid hooks install {}`", agent.as_str());
    if let Some((place, gone)) = places.iter().find_map(|place| Some((place, place.gone()?))) {
        let found = format!("{} calls {gone}, which is not there ({})", agent.name(), place.path);
        return Some(Check::broken("hooks", found, format!("{install} again, or put lokid on the path")));
    }
    let mut programs: Vec<&str> = places.iter().flat_map(|place| &place.programs).map(String::as_str).collect();
    programs.sort_unstable();
    programs.dedup();
    if !programs.is_empty() {
        return Some(Check::good("hooks", format!("{} calls {}", agent.name(), programs.join(", "))));
    }
    let found = || format!("{} does not tell lokid anything", agent.name());
    is_used(agent).then(|| Check::doubtful("hooks", found(), install))
}

/// The folder of these two is there when they are; those of the others may come from something else.
fn is_used(agent: Agent) -> bool {
    let (Agent::Claude | Agent::Codex, Some(home)) = (agent, env::home_dir()) else { return false };
    agent.user_file(&home, env::var_path).parent().is_some_and(|folder| folder.is_dir())
}

/// Hooks that are installed and not heard do not run. A daemon that does not say when it heard one is not asked.
fn firing(agent: Agent, status: &Value) -> Option<Check> {
    status.get("hooks")?;
    let name = agent.name();
    let fix = match agent {
        Agent::Codex => "start a session in it; it asks once whether the hooks may be trusted: `/hooks`".to_owned(),
        _ => format!("start a session in it; `lokid hooks status {}` tells what is installed", agent.as_str()),
    };
    let Some(told) = hooks::last_event(status, agent) else {
        return Some(Check::doubtful("hooks", format!("{name} has never been heard"), fix));
    };
    let at = Timestamp::parse(&told)?;
    let found = format!("{name} was last heard {}", words::moment(&told));
    let is_long_ago = Clock::system().now().as_micros() - at.as_micros() > LATELY;
    Some(if is_long_ago { Check::doubtful("hooks", found, fix) } else { Check::good("hooks", found) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::State;
    use super::*;

    #[test]
    fn hooks_that_were_not_heard_lately_are_doubtful_and_a_silent_daemon_is_not_asked() {
        let state = |status: Value| firing(Agent::Codex, &status).map(|check| check.state);
        let now = Clock::system().now().to_string();
        assert_eq!(state(json!({})), None);
        assert_eq!(state(json!({"hooks": {}})), Some(State::Doubtful));
        assert_eq!(state(json!({"hooks": {"claude": {"last_event_at": now}}})), Some(State::Doubtful));
        assert_eq!(
            state(json!({"hooks": {"codex": {"last_event_at": "2001-01-01T00:00:00Z"}}})),
            Some(State::Doubtful)
        );
        assert_eq!(state(json!({"hooks": {"codex": {"last_event_at": now}}})), Some(State::Good));
    }
}
