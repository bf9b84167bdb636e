//! What is typed about a team.

use clap::Subcommand;

mod init;

pub(in crate::cli) use init::TeamInit;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum TeamCommand {
    /// Make a team in a PostgreSQL database, or change who is in it
    #[command(after_help = super::examples::TEAM_INIT)]
    Init(Box<TeamInit>),
}
