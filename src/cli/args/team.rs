//! What is typed about a team.

use clap::Subcommand;

use super::git::GitCommand;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum TeamCommand {
    /// Let git merge the memory record by record
    #[command(subcommand, after_help = super::super::examples::TEAM_GIT)]
    Git(GitCommand),
}
