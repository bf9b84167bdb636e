//! Where hooks are, whether all of them are there, whether what they call is, and when one last fired.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::ask::Ask;
use super::super::failure::Done;
use super::super::reach::Reach;
use super::super::screen::{Screen, Style};
use super::super::settings::Settings;
use super::super::words;
use super::agent::{Agent, Scope, Shape};
use super::json::{Allowed, Kind, Node, parse};
use super::target::{self, Target};
use super::{command, merge, module, program};
use lokid_sys::plain;

/// One agent's hooks in one file.
pub(in crate::cli) struct HookPlace {
    scope: Scope,
    pub(in crate::cli) path: String,
    /// In the order the agent tells of them.
    events: Vec<String>,
    missing: Vec<String>,
    /// The programs that are called; more than one when somebody wrote another by hand.
    pub(in crate::cli) programs: Vec<String>,
    /// What keeps it from being read or from working.
    pub(in crate::cli) problem: Option<String>,
}

pub(super) fn run(agents: &[Agent], settings: &Settings, screen: &mut Screen) -> Done {
    // Only a daemon knows what fired.
    let status = Reach::answering(settings).ok().and_then(|daemon| daemon.learn(&Ask::get("/status")).ok());
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for agent in agents {
        let last = status.as_ref().and_then(|status| last_event(status, *agent));
        let places = places(*agent, settings);
        for place in &places {
            rows.push(place.row(*agent, last.as_deref(), screen));
        }
        all.push(json!({
            "agent": agent.as_str(),
            "name": agent.name(),
            "last_event_at": last,
            "places": places.iter().map(HookPlace::json).collect::<Vec<_>>(),
        }));
    }
    if settings.json {
        return screen.line(json!({"agents": all}).to_string());
    }
    screen.table(&rows)
}

/// Yours, and the project's if you stand in one.
pub(in crate::cli) fn places(agent: Agent, settings: &Settings) -> Vec<HookPlace> {
    let scopes = if target::root(settings).is_ok() { &[Scope::User, Scope::Project][..] } else { &[Scope::User] };
    let local = scopes.contains(&Scope::Project).then(|| by_hand(agent, settings)).flatten();
    scopes.iter().map(|scope| look(agent, *scope, settings)).chain(local).collect()
}

/// Claude Code also reads a file that nobody shares. We never write there, but somebody may have.
fn by_hand(agent: Agent, settings: &Settings) -> Option<HookPlace> {
    let path = target::root(settings).ok()?.join(".claude/settings.local.json");
    let text = plain::read_text(&path, target::MOST).ok().flatten().filter(|_| agent == Agent::Claude)?;
    let mut place = HookPlace::at(Scope::Project, path.display().to_string());
    read(agent, &text, &mut place);
    Some(place).filter(|place| !place.events.is_empty())
}

/// Where hooks of ours are, for this agent.
pub(super) fn installed(agent: Agent, settings: &Settings) -> Vec<(&'static str, String)> {
    let places = places(agent, settings).into_iter().filter(|place| !place.events.is_empty());
    places.map(|place| (agent.as_str(), place.path)).collect()
}

/// Nothing when the daemon never heard this agent.
pub(in crate::cli) fn last_event(status: &Value, agent: Agent) -> Option<String> {
    let own = format!("/hooks/{}/last_event_at", agent.as_str());
    status.pointer(&own).and_then(Value::as_str).map(str::to_owned)
}

fn look(agent: Agent, scope: Scope, settings: &Settings) -> HookPlace {
    let path = target::place(agent, scope, settings).map(|path| path.display().to_string()).unwrap_or_default();
    let mut place = HookPlace::at(scope, path);
    match Target::look(agent, scope, settings) {
        Ok(target) => read(agent, target.text.as_deref().unwrap_or(""), &mut place),
        Err(failure) => place.problem = failure.error.map(|error| format!("{error:#}")),
    }
    place
}

fn read(agent: Agent, text: &str, place: &mut HookPlace) {
    if agent.shape() == Shape::Module {
        if module::is_ours(text) {
            place.events = agent.events().into_iter().map(str::to_owned).collect();
            place.programs.extend(module::program(text));
        }
        return;
    }
    if text.trim().is_empty() {
        return;
    }
    // Read as generously as we can, and complain as the agent would.
    let root = match parse(text, Allowed::ALL) {
        Ok(root) => root,
        Err(problem) => {
            place.problem = Some(problem.to_string());
            return;
        }
    };
    let found = merge::found(&root, agent);
    let events: BTreeSet<&str> = found.iter().map(|found| found.event.as_str()).collect();
    let known = agent.events().into_iter();
    place.events = known.clone().filter(|event| events.contains(event)).map(str::to_owned).collect();
    if !place.events.is_empty() {
        place.missing = known.filter(|event| !events.contains(event)).map(str::to_owned).collect();
        let programs = found.iter().filter_map(|found| command::program(&found.command));
        place.programs = programs.collect::<BTreeSet<_>>().into_iter().collect();
        let off = root.get("disableAllHooks").is_some_and(is_true);
        place.problem = off.then(|| "switched off by `disableAllHooks`".to_owned());
    }
    if let Err(problem) = parse(text, agent.allowed()) {
        place.problem = Some(format!("{} cannot read it: {problem}", agent.name()));
    }
}

fn is_true(node: &Node) -> bool {
    matches!(&node.kind, Kind::Plain(word) if word == "true")
}

impl HookPlace {
    fn at(scope: Scope, path: String) -> HookPlace {
        HookPlace { scope, path, events: Vec::new(), missing: Vec::new(), programs: Vec::new(), problem: None }
    }

    /// What it calls and is not there.
    pub(in crate::cli) fn gone(&self) -> Option<&String> {
        self.programs.iter().find(|program| !program::exists(program))
    }

    fn trouble(&self) -> Option<String> {
        self.problem.clone().or_else(|| self.gone().map(|gone| format!("{gone} is gone")))
    }

    fn row(&self, agent: Agent, last: Option<&str>, screen: &Screen) -> Vec<String> {
        let installed = !self.events.is_empty();
        let mut state = match (installed, self.missing.len()) {
            (false, _) => "not installed".to_owned(),
            (true, 0) => "installed".to_owned(),
            (true, _) => {
                let all = self.events.len() + self.missing.len();
                format!("{} of {all} events, install again", self.events.len())
            }
        };
        let trouble = self.trouble();
        if let Some(problem) = &trouble {
            state = if installed { format!("{state}, but {problem}") } else { problem.clone() };
        } else if let Some(last) = last.filter(|_| installed) {
            state.push_str(&format!(", last event {}", words::moment(last)));
        }
        let style = match (&trouble, installed) {
            (Some(_), _) => Style::Yellow,
            (None, true) => Style::Green,
            (None, false) => Style::Dim,
        };
        let scope = self.scope.word().to_owned();
        vec![agent.as_str().to_owned(), scope, self.path.clone(), screen.paint(style, &state)]
    }

    fn json(&self) -> Value {
        json!({
            "scope": self.scope.word(),
            "path": self.path,
            "installed": !self.events.is_empty(),
            "events": self.events,
            "missing_events": self.missing,
            "commands": self.programs,
            "command_exists": !self.programs.is_empty() && self.programs.iter().all(|one| program::exists(one)),
            "problem": self.trouble(),
        })
    }
}
