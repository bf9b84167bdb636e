//! What follows from a happening: the project is told, and asked what the agent should know now.

use std::sync::Arc;

use super::answer::{takes, takes_before};
use super::command;
use super::payload::{Agent, Happening, What};
use super::told::{Said, Told};
use super::tools::Deeds;
use crate::serve::app::App;
use crate::serve::problem::{Code, Problem};
use lokid_encode::errors::ErrorReader;
use lokid_engine::sessions::UsageReport;
use lokid_engine::{EngineError, Overheard, Project, staging};
use lokid_model::{Namespace, SignalKind, Timestamp};

/// In tokens: what stands beside a deed is short.
const BESIDE: usize = 300;

/// Takes an event in and answers with the text the agent should read, if any.
pub(in crate::serve) fn act(app: &App, happening: &Happening, told: &Told) -> Result<Option<String>, Problem> {
    let Some(cwd) = happening.cwd.as_deref().filter(|cwd| cwd.is_absolute()) else { return Ok(None) };
    let project = match app.project_now(Some(cwd)) {
        Ok(project) => project,
        Err(problem) if problem.code() == Code::Busy => return Err(problem),
        Err(_) => return Ok(None),
    };
    if !app.heard().is_new(&told.mark, told.at) {
        return Ok(None);
    }
    if let Err(error) = tell(&project, told) {
        app.heard().forget(&told.mark);
        return Err(error.into());
    }
    if told.session.is_empty() || !takes(happening) {
        return Ok(None);
    }
    let text = answer(app, &project, happening);
    Ok(Some(project.contexts.redacted(&text)).filter(|text| !text.is_empty()))
}

/// Everything a project is told of an event, live or from the spool.
pub(super) fn tell(project: &Arc<Project>, told: &Told) -> Result<(), EngineError> {
    let failed = told.doubtful.as_deref().filter(|text| tells_failure(text)).map(|text| Said {
        kind: SignalKind::Error,
        path: None,
        text: Some(text.to_owned()),
        goal: None,
        within: None,
    });
    for said in told.signals.iter().chain(&failed) {
        let signal = project.repository.placed(told.signal(said), told.cwd.as_deref());
        // A file elsewhere is no business of this project.
        let is_elsewhere = signal.path.as_deref().is_some_and(|path| path.starts_with(['/', '~']));
        if is_elsewhere && matches!(said.kind, SignalKind::FileOpened | SignalKind::FileEdited) {
            continue;
        }
        project.signals.hear(signal);
    }
    if told.session.is_empty() {
        return Ok(());
    }
    let staged = told.cwd.as_deref().and_then(|cwd| staging::waits_for(&project.env.config.load(), cwd));
    project.ears.hear_session(Overheard { staged, ..told.news(failed.is_some()) });
    if told.compacted {
        project.sessions.compacted(&told.session);
    }
    if let Some(cited) = &told.cited {
        // An answer without citations was heard as well.
        let heard = Some(String::new());
        let session = Some(told.session.clone());
        project.sessions.note_usage(&UsageReport {
            session,
            cited: cited.clone(),
            text: heard,
            ..UsageReport::default()
        });
    }
    Ok(())
}

fn tells_failure(text: &str) -> bool {
    let mut reader = ErrorReader::new();
    text.lines().any(|line| !reader.line(line).is_empty()) || !reader.flush().is_empty()
}

fn answer(app: &App, project: &Arc<Project>, happening: &Happening) -> String {
    let namespace = Namespace::default();
    let (session, config) = (happening.session.as_str(), app.config());
    let block = || {
        let agent = Some(happening.agent.as_str().to_owned());
        let given = project.contexts.session_block(&namespace, session, agent, None, config.context.session_budget);
        given.map(|given| given.text).unwrap_or_default()
    };
    let beside = |deeds: &Deeds| beside(project, &namespace, session, deeds);
    let late = |deeds: &Deeds| if takes_before(happening.agent) { String::new() } else { beside(deeds) };
    match &happening.event {
        What::SessionStart { .. } => block(),
        What::Prompt(prompt) => {
            // Nobody was there when the session began.
            let missed = if project.sessions.has_block(session) { String::new() } else { block() };
            let budget = config.context.prompt_budget;
            let given = project.contexts.prompt_tail(&namespace, session, prompt, &[], None, budget);
            joined(&missed, &given.map(|given| given.block.text).unwrap_or_default())
        }
        What::Before(deeds) => beside(deeds),
        What::After { deeds, doubtful } => {
            let fix = doubtful.as_deref().filter(|text| tells_failure(text));
            let fix =
                fix.map(|text| project.contexts.known_fix(&namespace, session, text, BESIDE).text).unwrap_or_default();
            joined(&fix, &late(deeds))
        }
        What::Failed { deeds, error } => {
            let fix = project.contexts.known_fix(&namespace, session, error, BESIDE).text;
            joined(&fix, &late(deeds))
        }
        _ => String::new(),
    }
}

/// What binds at the files and the command of a deed.
fn beside(project: &Arc<Project>, namespace: &Namespace, session: &str, deeds: &Deeds) -> String {
    let spoken = deeds.command.as_deref().map(command::spoken).unwrap_or_default();
    let names = |memory: &lokid_model::Memory| command::names(memory, &spoken);
    project.contexts.beside_deed(namespace, session, &deeds.files(), &names, BESIDE).text
}

fn joined(one: &str, other: &str) -> String {
    if one.is_empty() || other.is_empty() { format!("{one}{other}") } else { format!("{one}\n{other}") }
}

/// An event of this agent has come. Nobody waits for the disk.
pub(in crate::serve) fn note_heard(app: &App, agent: Agent, at: Timestamp) {
    if app.last_heard().heard(agent, at) {
        let app = app.clone();
        drop(tokio::task::spawn_blocking(move || app.last_heard().write_down()));
    }
}
