//! The command line: one file a command, each a few questions to the daemon and words around its answers.
//!
//! Commands speak the socket's own language, also when no daemon runs and the same engine answers in-process, so that
//! `--json` is always the API's answer. Only this room prints, and only its `screen.rs` does.

mod args;
mod ask;
mod back;
mod completions;
mod config;
mod consolidate;
mod context;
mod contradictions;
mod daemon;
mod doctor;
mod document;
mod economics;
mod events;
mod examples;
mod export;
mod failure;
mod forget;
mod handover;
mod hook;
mod hooks;
mod import;
mod keep;
mod layer;
mod links;
mod list;
mod logging;
mod man;
mod managed;
mod mcp;
mod mute;
mod oneshot;
mod predict;
mod project;
mod promote;
mod purge;
mod reach;
mod reading;
mod recall;
mod redact;
mod remember;
mod replay;
mod run;
mod screen;
mod service;
mod settings;
mod show;
mod skill;
mod socket;
mod status;
mod stop;
mod team;
mod transcripts;
mod trust;
mod ui;
mod watch;
mod watchdog;
mod why;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command, ManagedCommand};
use failure::Done;
use screen::Screen;
use settings::Settings;

use crate::words;
use lokid_model::DocumentKind;

/// Parses, runs, and says what went wrong.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    lokid_sys::process::keep_private();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // Agents run this at every step: nothing else may come before it.
    if let Some(asked) = hook::Asked::read(&arguments) {
        return hook::run(&asked);
    }
    let args = match Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => {
            // Help and version are answers, not errors, and repeat nothing; clap knows how they look.
            if error.use_stderr() {
                screen::remark(error.render().to_string().trim_end());
            } else {
                let _ = error.print();
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let mut screen = Screen::new(args.global.quiet);
    match dispatch(args, &mut screen).and_then(|()| screen.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(message) = failure.message() {
                // The data before it stands before it.
                let _ = screen.flush();
                screen::remark(&message);
            }
            ExitCode::from(failure.code)
        }
    }
}

/// `lokid hook` as a program of its own: what agents start at every step, without what the rest needs to start.
pub fn hook(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    lokid_sys::process::keep_private();
    // Who calls it as `lokid` is called means the same.
    hook::run(&hook::Asked::of(arguments.into_iter().skip(1).skip_while(|word| word == "hook")))
}

fn dispatch(args: Args, screen: &mut Screen) -> Done {
    let global = &args.global;
    if let Command::Hook(hook) = &args.command {
        hook::run(&hook::Asked::typed(hook, global));
        return Ok(());
    }
    settings::refuse_orphans(global)?;
    // These work with a broken configuration: two exist to mend it, the others have nothing to do with it.
    match &args.command {
        Command::Completions { shell } => return completions::run(*shell, screen),
        Command::Man { directory } => return man::run(directory.as_deref(), global.json, screen),
        Command::Config { check } => return config::run(*check, global, screen),
        Command::Doctor => return doctor::run(global, screen),
        Command::MergeDriver(asked) => return team::git::merge_driver(asked),
        _ => {}
    }
    let settings = Settings::resolve(global)?;
    match args.command {
        Command::Completions { .. }
        | Command::Config { .. }
        | Command::Doctor
        | Command::Hook(_)
        | Command::Man { .. }
        | Command::MergeDriver(_) => Ok(()),
        Command::Run(run) => run::run(&run, settings, screen),
        Command::Status(asked) => match asked.watch {
            Some(every) => watch::run(&asked, every, &settings, screen),
            None => status::run(&settings, screen),
        },
        Command::Ui(asked) => ui::run(&asked, &args.global, &settings, screen),
        Command::Socket => socket::run(&settings, screen),
        Command::Stop => stop::run(&settings, screen),
        Command::Project(command) => project::run(&command, &settings, screen),
        Command::Remember(remember) => remember::run(*remember, &settings, screen),
        Command::Recall(recall) => recall::run(&recall, &settings, screen),
        Command::Context(context) => context::run(&context, &settings, screen),
        Command::Predict(predict) => predict::run(&predict, &settings, screen),
        Command::Why(asked) => why::run(&asked, &settings, screen),
        Command::Economics(economics) => economics::run(&economics, &settings, screen),
        Command::Replay(replay) => replay::run(&replay, &settings, screen),
        Command::List(list) => list::run(&list, &settings, screen),
        Command::Show(show) => show::run(&show, &settings, screen),
        Command::Changes(changes) => back::changes(&changes, &settings, screen),
        Command::Undo(asked) => back::undo(&asked, &settings, screen),
        Command::Forget(forget) => forget::run(&forget, &settings, screen),
        Command::Promote(asked) => promote::run(&asked, &settings, screen),
        Command::Demote(asked) => team::promotion::demote(&asked, &settings, screen),
        Command::Team(asked) => team::run(&asked, &settings, screen),
        Command::Redact(asked) => redact::run(&asked, &settings, screen),
        Command::Consolidate(night) => consolidate::run(&night, &settings, screen),
        Command::Confirm(confirm) => contradictions::confirm(&confirm, &settings, screen),
        Command::Trust(asked) => trust::run(&asked, &settings, screen),
        Command::Mute(asked) => mute::run(&asked, &settings, screen),
        Command::Contradictions(asked) => contradictions::run(&asked, &settings, screen),
        Command::Import(import) => import::run(&import, &settings, screen),
        Command::Export(export) => export::run(&export, &settings, screen),
        Command::Index { topic, layer } => layer::index(topic.as_deref(), &layer, &settings, screen),
        Command::Timeline(layer) => layer::timeline(&layer, &settings, screen),
        Command::Links(links) => links::run(&links, &settings, screen),
        Command::Skill { command } => skill::run(command.as_ref(), &settings, screen),
        Command::Ledger { command } => document::run(DocumentKind::Ledger, command.as_ref(), &settings, screen),
        Command::Handoff { command } => document::run(DocumentKind::Handoff, command.as_ref(), &settings, screen),
        Command::Purge(asked) => purge::run(&asked, &settings, screen),
        Command::Hooks(hooks) => hooks::run(&hooks, &settings, screen),
        Command::Service(service) => service::run(&service, &settings, screen),
        Command::Managed(ManagedCommand::Status) => managed::status(&settings, screen),
        Command::Mcp(serve) => mcp::run(&serve, settings),
        Command::Events => events::run(&settings, screen),
    }
}
