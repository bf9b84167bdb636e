//! What is typed to put hooks into agents' settings.

use clap::builder::PossibleValuesParser;

use super::super::examples;
use super::super::hooks::{Agent, Scope};

#[derive(Debug, clap::Subcommand)]
pub(in crate::cli) enum Hooks {
    /// Put hooks into an agent's settings: shown first, and nothing else is touched
    #[command(after_help = examples::HOOKS_INSTALL)]
    Install {
        #[command(flatten)]
        change: HooksChange,
        /// Let the hooks call this lokid [else the path of this program]
        #[arg(long, value_name = "PROGRAM")]
        command: Option<String>,
        /// Print what would be written, and write nothing
        #[arg(long, conflicts_with = "yes")]
        print: bool,
    },
    /// Take them out again: the file is what it was before
    #[command(after_help = examples::HOOKS_UNINSTALL)]
    Uninstall {
        #[command(flatten)]
        change: HooksChange,
    },
    /// Tell where hooks are installed, and whether they work
    #[command(after_help = examples::HOOKS_STATUS)]
    Status {
        /// Tell of this agent only
        #[arg(value_parser = PossibleValuesParser::new(Agent::WORDS))]
        agent: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct HooksChange {
    #[arg(value_parser = PossibleValuesParser::new(Agent::WORDS))]
    pub(in crate::cli) agent: String,
    /// In your own settings, or in those of the project
    #[arg(long, default_value = "user", value_parser = PossibleValuesParser::new(Scope::WORDS))]
    pub(in crate::cli) scope: String,
    /// Do not ask
    #[arg(short, long)]
    pub(in crate::cli) yes: bool,
}
