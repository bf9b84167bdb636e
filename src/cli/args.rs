//! The command line as it is typed: names, options and their help. Nothing here does anything.
//!
//! Help is imperative and every command teaches with an example, which stands in `examples.rs`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgAction, Parser, Subcommand, ValueHint};
use clap_complete::Shell;

use super::examples;
use lokid_model::{Kind, Level, Relation, Scope, TaskType, Tier};

mod ahead;
mod back;
mod care;
mod git;
mod hands;
mod hooks;
mod list;
mod managed;
mod mcp;
mod service;
mod team;
mod tidy;

pub(super) use ahead::{Context, Economics, Predict, Replay, Why};
pub(super) use back::{Changes, Show, Undo};
pub(super) use care::{Forget, Promote, Purge, Redact, Status, Ui};
pub(super) use git::{GitCommand, MergeDriver};
pub(super) use hands::Hook;
pub(super) use hooks::{Hooks, HooksChange};
pub(super) use list::{Export, List};
pub(super) use managed::ManagedCommand;
pub(super) use mcp::Mcp;
pub(super) use service::Service;
pub(super) use team::{Audit, Demote, Join, TeamCommand, TeamInit};
pub(super) use tidy::{Confirm, Consolidate, Contradictions, ContradictionsCommand, Mute, Trust};

/// A living memory for the people and agents who work in a repository.
#[derive(Debug, Parser)]
#[command(name = "lokid", version, max_term_width = 100, after_help = examples::LOKID)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Everywhere")]
pub(super) struct Global {
    /// Reach the daemon at this socket [else $LOKID_SOCKET, the configuration, the usual place]
    #[arg(long, global = true, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(super) socket: Option<PathBuf>,
    /// Read this configuration file [else ~/.config/lokid/config.toml]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
    /// Speak of the project this path lies in [else the directory you stand in]
    #[arg(long, global = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(super) project: Option<PathBuf>,
    /// Print the daemon's own answer as JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Leave out remarks; print data and errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Tell more of what is done; twice for everything
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(super) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the daemon in the foreground
    #[command(after_help = examples::RUN)]
    Run(Run),
    /// Show what the daemon knows and how it fares
    #[command(after_help = examples::STATUS)]
    Status(Status),
    /// Check the installation and name the fix for what is wrong
    #[command(after_help = examples::DOCTOR)]
    Doctor,
    /// Look at the memory in a browser: what was said and why, what changed, what is open
    #[command(after_help = examples::UI)]
    Ui(Ui),
    /// Print where the daemon's socket is
    #[command(after_help = examples::SOCKET)]
    Socket,
    /// Stop the daemon
    #[command(after_help = examples::STOP)]
    Stop,
    /// Choose which projects the daemon watches
    #[command(subcommand, after_help = examples::PROJECT)]
    Project(ProjectCommand),
    /// Remember something
    #[command(after_help = examples::REMEMBER)]
    Remember(Box<Remember>),
    /// Ask for what is remembered about something
    #[command(after_help = examples::RECALL)]
    Recall(Box<Recall>),
    /// Show what somebody who is about to work should know
    #[command(after_help = examples::CONTEXT)]
    Context(Box<Context>),
    /// Foretell which files and memories will be needed
    #[command(after_help = examples::PREDICT)]
    Predict(Box<Predict>),
    /// Tell why a file, a line or a symbol is as it is
    #[command(after_help = examples::WHY)]
    Why(Why),
    /// Show what memory cost in tokens and what it saved
    #[command(after_help = examples::ECONOMICS)]
    Economics(Economics),
    /// Replay the repository's history and measure how well it is foretold
    #[command(after_help = examples::REPLAY)]
    Replay(Replay),
    /// List memories, newest first, a line each
    #[command(after_help = examples::LIST)]
    List(Box<List>),
    /// Show one memory
    #[command(after_help = examples::SHOW)]
    Show(Show),
    /// List what changed in the memory, or show one change
    #[command(after_help = examples::CHANGES)]
    Changes(Changes),
    /// Take a change back, or what is left of a night
    #[command(after_help = examples::UNDO)]
    Undo(Undo),
    /// Forget memories, or bring one back
    #[command(after_help = examples::FORGET)]
    Forget(Forget),
    /// Make words unreadable that match a pattern, wherever memory holds them
    #[command(after_help = examples::REDACT)]
    Redact(Redact),
    /// Let the whole organisation have a memory, after showing the exact bytes
    #[command(after_help = examples::PROMOTE)]
    Promote(Promote),
    /// Take back that a memory binds the team or the organisation
    #[command(after_help = examples::DEMOTE)]
    Demote(Demote),
    /// Tidy the memory now, or show what the last night did
    #[command(after_help = examples::CONSOLIDATE)]
    Consolidate(Consolidate),
    /// Vouch for a memory, so that it binds more
    #[command(after_help = examples::CONFIRM)]
    Confirm(Confirm),
    /// Show what files of the repository ask to be, and let them
    #[command(after_help = examples::TRUST)]
    Trust(Trust),
    /// Have a memory told unasked no more
    #[command(after_help = examples::MUTE)]
    Mute(Mute),
    /// List memories that cannot both hold, and settle them
    #[command(after_help = examples::CONTRADICTIONS)]
    Contradictions(Contradictions),
    /// Tell the daemon of an agent's event, and the agent what it should know
    #[command(after_help = examples::HOOK)]
    Hook(Hook),
    /// Take in memories, one JSON record a line
    #[command(after_help = examples::IMPORT)]
    Import(Import),
    /// Hand out all memories, one JSON record a line
    #[command(after_help = examples::EXPORT)]
    Export(Export),
    /// Show the index: the topics the memory holds, or one of them in full
    #[command(after_help = examples::INDEX)]
    Index {
        /// Open this topic
        topic: Option<String>,
        #[command(flatten)]
        layer: Layer,
    },
    /// Show the timeline: recent actions and key decisions
    #[command(after_help = examples::TIMELINE)]
    Timeline(Layer),
    /// Show how a memory is connected, or connect two
    #[command(after_help = examples::LINKS, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
    Links(Links),
    /// List, show and add skills; alone, list them
    #[command(after_help = examples::SKILL)]
    Skill {
        #[command(subcommand)]
        command: Option<SkillCommand>,
    },
    /// List, show and write agents' ledgers; alone, list them
    #[command(after_help = examples::LEDGER)]
    Ledger {
        #[command(subcommand)]
        command: Option<DocumentCommand>,
    },
    /// Show how the mirror in managed memory stores fares
    #[command(subcommand, after_help = examples::MANAGED)]
    Managed(ManagedCommand),
    /// Share the memory of a project with other people and machines
    #[command(subcommand, after_help = examples::TEAM)]
    Team(TeamCommand),
    /// Merge one file of the memory: what git calls
    #[command(hide = true, after_help = examples::MERGE_DRIVER)]
    MergeDriver(MergeDriver),
    /// Serve agents over MCP on the standard streams
    #[command(after_help = examples::MCP)]
    Mcp(Mcp),
    /// List, show and write handoffs between agents; alone, list them
    #[command(after_help = examples::HANDOFF)]
    Handoff {
        #[command(subcommand)]
        command: Option<DocumentCommand>,
    },
    /// Follow what happens, one line an event
    #[command(after_help = examples::EVENTS)]
    Events,
    /// Remove every trace of a project, or of everything
    #[command(after_help = examples::PURGE)]
    Purge(Purge),
    /// Let agents tell lokid what they do, and hear what it knows
    #[command(subcommand, after_help = examples::HOOKS)]
    Hooks(Hooks),
    /// Have lokid run by itself, as a service of your own
    #[command(subcommand, after_help = examples::SERVICE)]
    Service(Service),
    /// Print the manual page, or write one for every command
    #[command(after_help = examples::MAN)]
    Man {
        /// Write the pages into this directory
        #[arg(value_hint = ValueHint::DirPath)]
        directory: Option<PathBuf>,
    },
    /// Print the completions of a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell to complete in
        shell: Shell,
    },
    /// Print every setting with its default, and which file is read
    #[command(after_help = examples::CONFIG)]
    Config {
        /// Check the file instead and tell what is wrong with it
        #[arg(long)]
        check: bool,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct Run {
    /// Watch the project this path lies in [else the directory you stand in]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(super) path: Option<PathBuf>,
    /// Start with the projects watched before, and no other
    #[arg(long, conflicts_with_all = ["path", "here"])]
    pub(super) no_project: bool,
    /// Watch the directory itself though it is in no git repository
    #[arg(long)]
    pub(super) here: bool,
    /// Read what the repository teaches, tell what was learnt, and exit
    #[arg(long, conflicts_with = "no_project")]
    pub(super) oneshot: bool,
    /// Tidy the memory once before exiting
    #[arg(long, requires = "oneshot")]
    pub(super) consolidate: bool,
    /// Take the place of a daemon that runs already, as is done with an older one unasked
    #[arg(long, conflicts_with = "oneshot")]
    pub(super) replace: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum ProjectCommand {
    /// Watch a project from now on
    #[command(after_help = examples::PROJECT_ADD)]
    Add {
        /// A path in the project [else the directory you stand in]
        #[arg(value_hint = ValueHint::DirPath)]
        path: Option<PathBuf>,
        /// Do not wait until it is read
        #[arg(long)]
        no_wait: bool,
    },
    /// Stop watching a project; nothing is erased
    #[command(after_help = examples::PROJECT_REMOVE)]
    Remove {
        /// A path in the project [else the directory you stand in]
        #[arg(value_hint = ValueHint::DirPath)]
        path: Option<PathBuf>,
    },
    /// List the watched projects
    #[command(after_help = examples::PROJECT_LIST)]
    List,
}

#[derive(Debug, Default, clap::Args)]
pub(super) struct Remember {
    /// What to remember; `-`, or nothing, reads it from the standard input
    pub(super) text: Vec<String>,
    /// Say what sort of memory it is [default: note, or fact with --key]
    #[arg(short, long, value_parser = PossibleValuesParser::new(Kind::WORDS))]
    pub(super) kind: Option<String>,
    /// Give it a title
    #[arg(short, long)]
    pub(super) title: Option<String>,
    /// Tag it; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(super) tags: Vec<String>,
    /// Tie it to a file; may be repeated
    #[arg(short, long = "file", value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(super) files: Vec<PathBuf>,
    /// Say how binding it is
    #[arg(long, value_parser = PossibleValuesParser::new(Tier::WORDS))]
    pub(super) tier: Option<String>,
    /// Name what the fact is about, as `build.tool`
    #[arg(long)]
    pub(super) key: Option<String>,
    /// Give the value of the fact [else the text]
    #[arg(long, requires = "key")]
    pub(super) value: Option<String>,
    /// Say where the fact holds, as `production`
    #[arg(long, requires = "key", value_name = "SCOPE")]
    pub(super) fact_scope: Option<String>,
    /// Keep it to yourself: it stays out of the repository
    #[arg(long)]
    pub(super) private: bool,
    /// Say who knows it: `system` means all of your projects and stays out of the repository
    #[arg(long, conflicts_with = "private", value_parser = PossibleValuesParser::new(Scope::WORDS))]
    pub(super) scope: Option<String>,
    /// Weigh it, from 0 to 1
    #[arg(long, value_name = "0..1", value_parser = share)]
    pub(super) importance: Option<f64>,
    /// Say how sure it is, from 0 to 1
    #[arg(long, value_name = "0..1", value_parser = share)]
    pub(super) confidence: Option<f64>,
    /// Mark it as hearsay: found only when asked for
    #[arg(long)]
    pub(super) unverified: bool,
    /// Never show it unasked
    #[arg(long)]
    pub(super) restricted: bool,
    /// Say since when it holds, as 2026-11-13 or a full time
    #[arg(long, value_name = "TIME")]
    pub(super) valid_at: Option<String>,
    /// Say when it stops holding
    #[arg(long, value_name = "TIME")]
    pub(super) expires: Option<String>,
    /// Replace this memory; may be repeated
    #[arg(long, value_name = "ID")]
    pub(super) supersedes: Vec<String>,
    /// Remember it in this namespace
    #[arg(long)]
    pub(super) namespace: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(super) struct Recall {
    /// The question, or the words to look for; `-` reads the standard input
    #[arg(required = true, num_args = 1..)]
    pub(super) query: Vec<String>,
    /// How many memories at the most
    #[arg(short, long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(super) k: u16,
    /// Answer for this task [else found out from the words]
    #[arg(long, value_name = "TYPE", value_parser = PossibleValuesParser::new(TaskType::WORDS))]
    pub(super) task: Option<String>,
    /// Of this kind only; may be given again
    #[arg(long, value_parser = PossibleValuesParser::new(Kind::WORDS))]
    pub(super) kind: Vec<String>,
    /// Of this tier only; may be given again
    #[arg(long, value_parser = PossibleValuesParser::new(Tier::WORDS))]
    pub(super) tier: Vec<String>,
    /// Prefer memories at home in this file; may be given again
    #[arg(long, value_hint = ValueHint::FilePath)]
    pub(super) file: Vec<String>,
    /// What was known and held true then
    #[arg(long, value_name = "TIME")]
    pub(super) as_of: Option<String>,
    /// Leave out what scores less
    #[arg(long, value_name = "SCORE")]
    pub(super) min_score: Option<f64>,
    /// Also show what is `unverified`, `restricted` or `invalid`; may be given again
    #[arg(long, value_parser = PossibleValuesParser::new(["unverified", "restricted", "invalid"]))]
    pub(super) include: Vec<String>,
    /// Show this much of each
    #[arg(long, value_parser = PossibleValuesParser::new(Level::WORDS))]
    pub(super) level: Option<String>,
    /// Show what each score is made of
    #[arg(long)]
    pub(super) explain: bool,
    /// Look in this namespace
    #[arg(long)]
    pub(super) namespace: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(super) struct Import {
    /// The file to read; `-` is the standard input
    #[arg(value_hint = ValueHint::FilePath, required_unless_present_any = ["claude_transcript", "codex_transcript"])]
    pub(super) file: Option<PathBuf>,
    /// Read what an agent did from transcripts of Claude Code, or from a folder of them
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "file", value_hint = ValueHint::AnyPath)]
    pub(super) claude_transcript: Vec<PathBuf>,
    /// The same from rollouts of Codex
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "file", value_hint = ValueHint::AnyPath)]
    pub(super) codex_transcript: Vec<PathBuf>,
    /// Keep sources and mandates as they are given: the file is your own
    #[arg(long)]
    pub(super) trust: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct Layer {
    /// Look in this namespace
    #[arg(long)]
    pub(super) namespace: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(super) struct Links {
    #[command(subcommand)]
    pub(super) command: Option<LinksCommand>,
    #[arg(required = true)]
    pub(super) id: Option<String>,
    /// Follow the connections this far
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=3))]
    pub(super) depth: Option<u8>,
    /// Follow this relation only
    #[arg(long, value_parser = PossibleValuesParser::new(Relation::WORDS))]
    pub(super) relation: Option<String>,
    /// Look in this namespace
    #[arg(long, global = true)]
    pub(super) namespace: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(super) enum LinksCommand {
    /// Connect two memories
    #[command(after_help = examples::LINKS_ADD)]
    Add {
        from: String,
        #[arg(value_parser = PossibleValuesParser::new(Relation::WORDS))]
        relation: String,
        to: String,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum SkillCommand {
    /// List the skills
    #[command(after_help = examples::SKILL_LIST)]
    List,
    /// Show one skill
    #[command(after_help = examples::SKILL_SHOW)]
    Show {
        /// Its name or id
        name: String,
    },
    /// Add a skill from a Markdown document
    #[command(after_help = examples::SKILL_ADD)]
    Add {
        /// The document; `-` is the standard input
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum DocumentCommand {
    /// List them
    #[command(after_help = examples::DOCUMENT_LIST)]
    List,
    /// Show one
    #[command(after_help = examples::DOCUMENT_SHOW)]
    Show { name: String },
    /// Write one: a JSON object on the standard input
    #[command(after_help = examples::DOCUMENT_WRITE)]
    Write { name: String },
    /// Erase one for good
    #[command(after_help = examples::DOCUMENT_ERASE)]
    Erase { name: String },
}

fn share(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 1 is needed".to_owned())
}

#[cfg(test)]
mod tests;
