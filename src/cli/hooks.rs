//! `lokid hooks`: put lokid's hooks into an agent's settings, take them out again, and tell where they are.
//!
//! Like `lokid team git` it writes outside lokid's own directories: only when asked to, only after showing what, and so
//! that everything else in the file stays as it was.

mod agent;
mod change;
mod command;
mod json;
mod merge;
mod module;
mod program;
mod status;
mod target;

use super::args::{Hooks, HooksChange};
use super::failure::Done;
use super::screen::Screen;
use super::settings::Settings;

pub(super) use agent::{Agent, Scope};
pub(super) use command::{quote, words};
pub(super) use program::own as own_program;
pub(super) use status::{HookPlace, last_event, places};

pub(super) fn run(hooks: &Hooks, settings: &Settings, screen: &mut Screen) -> Done {
    match hooks {
        Hooks::Install { change, command, print } => {
            let (agent, scope) = resolve(change);
            let program = program::choose(command.as_deref())?;
            if *print {
                change::print(agent, scope, &program, settings, screen)
            } else {
                change::install(agent, scope, &program, change.yes, settings, screen)
            }
        }
        Hooks::Uninstall { change } => {
            let (agent, scope) = resolve(change);
            change::uninstall(agent, scope, change.yes, settings, screen)
        }
        Hooks::Status { agent } => {
            let agents: Vec<Agent> = match agent.as_deref().and_then(Agent::parse) {
                Some(agent) => vec![agent],
                None => Agent::ALL.to_vec(),
            };
            status::run(&agents, settings, screen)
        }
    }
}

/// Agents with hooks of ours, and the files that those stand in.
pub(super) fn installed(settings: &Settings) -> Vec<(&'static str, String)> {
    Agent::ALL.iter().flat_map(|agent| status::installed(*agent, settings)).collect()
}

/// The words were checked as they were typed.
fn resolve(change: &HooksChange) -> (Agent, Scope) {
    (Agent::parse(&change.agent).unwrap_or(Agent::Claude), Scope::from_word(&change.scope))
}
