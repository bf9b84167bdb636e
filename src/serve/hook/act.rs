//! What follows from a happening: the project is told, and asked what the agent should know now.

use std::sync::Arc;

use super::answer::{capped, takes, takes_before};
use super::command;
use super::payload::{Agent, Happening, What};
use super::told::{Said, Told};
use super::tools::Deeds;
use crate::serve::app::App;
use crate::serve::problem::{Code, Problem};
use lokid_encode::errors::ErrorReader;
use lokid_engine::said::{Handed, SaidAt, Utterance};
use lokid_engine::sessions::UsageReport;
use lokid_engine::{EngineError, Overheard, Project, staging};
use lokid_model::{Namespace, SignalKind, Timestamp};

/// In tokens: what stands beside a deed is short.
const BESIDE: usize = 300;

/// Takes an event in and answers with the text the agent should read, if any.
pub(in crate::serve) fn act(app: &App, happening: &Happening, told: &Told) -> Result<Option<String>, Problem> {
    let started = app.monotonic();
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
    let said = answer(app, &project, happening);
    let texts: Vec<&str> = said.handed.iter().map(|handed| handed.block.text.as_str()).collect();
    let text = capped(&project.contexts.redacted(&texts.join("\n")));
    let took_us = app.monotonic().saturating_duration_since(started).as_micros() as u64;
    note(&project, happening, Utterance { text: text.clone(), took_us, ..said });
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// What was said is told to whoever looks later, and so is silence where a session begins or somebody asks.
fn note(project: &Project, happening: &Happening, said: Utterance) {
    let is_asked = matches!(said.event, SaidAt::SessionStart | SaidAt::Prompt);
    if !is_asked && said.text.is_empty() {
        return;
    }
    let (asked, files) = match &happening.event {
        What::SessionStart { source, .. } => (source.clone(), Vec::new()),
        What::Prompt(prompt) => (prompt.clone(), Vec::new()),
        What::Before(deeds) | What::After { deeds, .. } | What::Failed { deeds, .. } => {
            let files: Vec<String> = deeds.files().iter().map(|path| project.repository.inside(path)).collect();
            (deeds.command.clone().unwrap_or_else(|| files.join(" ")), files)
        }
        _ => return,
    };
    let (session, agent) = (happening.session.clone(), happening.agent.as_str().to_owned());
    project.sessions.note_said(Utterance { session, agent, asked, files, ..said });
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

/// What the agent is told, piece by piece.
fn answer(app: &App, project: &Arc<Project>, happening: &Happening) -> Utterance {
    let namespace = Namespace::default();
    let (session, config) = (happening.session.as_str(), app.config());
    let agent = || Some(happening.agent.as_str().to_owned());
    let budgets = [config.context.session_budget, config.context.prompt_budget];
    let block = || project.contexts.session_block(&namespace, session, agent(), None, budgets[0]);
    let beside = |deeds: &Deeds| Some(beside(project, &namespace, session, deeds));
    let late = |deeds: &Deeds| if takes_before(happening.agent) { None } else { beside(deeds) };
    let fix =
        |text: &str, deeds: &Deeds| Some(project.contexts.known_fix(&namespace, session, text, &deeds.files(), BESIDE));
    let mut topic_moved = false;
    let (event, handed) = match &happening.event {
        What::SessionStart { .. } => (SaidAt::SessionStart, [block(), None]),
        What::Prompt(prompt) => {
            let (missed, given) = match project.sessions.has_block(session) {
                true => (None, project.contexts.prompt_tail(&namespace, session, prompt, &[], None, budgets[1])),
                // Nobody was there when the session began.
                false => project.contexts.first_prompt(&namespace, session, agent(), prompt, budgets),
            };
            topic_moved = given.as_ref().is_some_and(|given| given.topic_moved);
            (SaidAt::Prompt, [missed, given.map(|given| given.handed)])
        }
        What::Before(deeds) => (SaidAt::BeforeTool, [beside(deeds), None]),
        What::After { deeds, doubtful } => match doubtful.as_deref().filter(|text| tells_failure(text)) {
            Some(text) => (SaidAt::Failed, [fix(text, deeds), late(deeds)]),
            None => (SaidAt::AfterTool, [late(deeds), None]),
        },
        What::Failed { deeds, error } => (SaidAt::Failed, [fix(error, deeds), late(deeds)]),
        _ => (SaidAt::AfterTool, [None, None]),
    };
    let handed = handed.into_iter().flatten().filter(|handed| !handed.block.text.is_empty()).collect();
    Utterance { event, handed, topic_moved, ..Utterance::default() }
}

/// What binds at the files and the command of a deed.
fn beside(project: &Arc<Project>, namespace: &Namespace, session: &str, deeds: &Deeds) -> Handed {
    let spoken = deeds.command.as_deref().map(command::spoken).unwrap_or_default();
    let names = |memory: &lokid_model::Memory| command::names(memory, &spoken);
    project.contexts.beside_deed(namespace, session, &deeds.files(), &names, BESIDE)
}

/// An event of this agent has come. Nobody waits for the disk.
pub(in crate::serve) fn note_heard(app: &App, agent: Agent, at: Timestamp) {
    if app.last_heard().heard(agent, at) {
        let app = app.clone();
        drop(tokio::task::spawn_blocking(move || app.last_heard().write_down()));
    }
}
