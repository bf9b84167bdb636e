//! What is typed about a team.

use clap::Subcommand;
use clap::builder::PossibleValuesParser;

use super::git::GitCommand;

mod init;

pub(in crate::cli) use init::TeamInit;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum TeamCommand {
    /// Make a team in a PostgreSQL database, or change who is in it
    #[command(after_help = super::examples::TEAM_INIT)]
    Init(Box<TeamInit>),
    /// Share the memory of a project over a PostgreSQL database
    #[command(after_help = super::examples::TEAM_JOIN)]
    Join(Join),
    /// Share it no longer; what is here stays here
    #[command(after_help = super::examples::TEAM_LEAVE)]
    Leave,
    /// Tell who is in step, what waits, and what went wrong
    #[command(after_help = super::examples::TEAM_STATUS)]
    Status,
    /// Show what members want promoted, and what would change
    #[command(after_help = super::examples::TEAM_INBOX)]
    Inbox,
    /// List who promoted, demoted, proposed or purged what
    #[command(after_help = super::examples::TEAM_AUDIT)]
    Audit(Audit),
    /// Let git merge the memory record by record
    #[command(subcommand, after_help = super::super::examples::TEAM_GIT)]
    Git(GitCommand),
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Join {
    /// The database, as psql takes it and without a password: `postgres://ana@db.example/team`, or `service=team`
    #[arg(value_name = "DATABASE")]
    pub(in crate::cli) database: String,
    /// What the project is called there [else the name behind --project, or of the folder]
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) name: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Audit {
    /// At most so many lines
    #[arg(long, value_name = "COUNT")]
    pub(in crate::cli) limit: Option<usize>,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Demote {
    /// The memory
    pub(in crate::cli) id: String,
    /// Whom it shall no longer bind
    #[arg(long, default_value = "team", value_parser = PossibleValuesParser::new(["team", "org"]))]
    pub(in crate::cli) from: String,
    /// Look in this namespace
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) namespace: Option<String>,
}
