//! What is typed about a memory that is shared over git, and what git itself types.

use std::path::PathBuf;

use clap::{Subcommand, ValueHint};

use super::super::examples;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum GitCommand {
    /// Tell git to merge the memory's files with lokid: shown first, and nothing else is touched
    #[command(after_help = examples::TEAM_GIT)]
    Install {
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// Take it back: both files are what they were before
    #[command(after_help = examples::TEAM_GIT)]
    Uninstall {
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// Tell whether this clone merges with lokid
    #[command(after_help = examples::TEAM_GIT)]
    Status,
}

/// As git fills in `%O %A %B %P`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct MergeDriver {
    /// The file as both sides had it
    #[arg(value_hint = ValueHint::FilePath)]
    pub(in crate::cli) base: PathBuf,
    /// The file as it is here; the result is written to it
    #[arg(value_hint = ValueHint::FilePath)]
    pub(in crate::cli) ours: PathBuf,
    /// The file as it is on the other side
    #[arg(value_hint = ValueHint::FilePath)]
    pub(in crate::cli) theirs: PathBuf,
    /// Where in the repository it belongs
    pub(in crate::cli) path: PathBuf,
}
