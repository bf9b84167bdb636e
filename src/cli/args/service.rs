//! What is typed to have lokid run as a service of its user.

use clap::builder::PossibleValuesParser;

use super::super::examples;
use super::super::service::Manager;

#[derive(Debug, clap::Subcommand)]
pub(in crate::cli) enum Service {
    /// Have it started at login and at the first request: shown first, and taken back by `uninstall`
    #[command(after_help = examples::SERVICE_INSTALL)]
    Install {
        #[command(flatten)]
        change: ServiceChange,
        /// Print what would be written, for this system or for the one named, and write nothing
        #[arg(long, value_name = "MANAGER", num_args = 0..=1, default_missing_value = Manager::own().word())]
        #[arg(value_parser = PossibleValuesParser::new(Manager::WORDS), conflicts_with = "yes")]
        print: Option<String>,
        /// Keep it running while you are logged out
        #[arg(long, conflicts_with = "timer")]
        linger: bool,
    },
    /// Take it out again: files are what they were before
    #[command(after_help = examples::SERVICE_UNINSTALL)]
    Uninstall {
        #[command(flatten)]
        change: ServiceChange,
    },
    /// Tell what is installed, whether it runs, and whether it outlives your logout
    #[command(after_help = examples::SERVICE_STATUS)]
    Status,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ServiceChange {
    /// Not the daemon, but a nightly `lokid run --oneshot --consolidate` in this project
    #[arg(long)]
    pub(in crate::cli) timer: bool,
    /// Do not ask
    #[arg(short, long)]
    pub(in crate::cli) yes: bool,
}
