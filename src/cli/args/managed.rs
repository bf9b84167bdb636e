//! What is typed about the mirror.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ManagedCommand {
    /// Tell what is mirrored, what waits, and what hinders it
    #[command(after_help = super::examples::MANAGED)]
    Status,
}
