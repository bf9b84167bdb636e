//! What is typed to serve agents over MCP.

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Mcp {
    /// Start the daemon and have it watch this project when that is not so yet
    #[arg(long)]
    pub(in crate::cli) start: bool,
    /// Also list the tools under the names Loki Mode's agents know
    #[arg(long)]
    pub(in crate::cli) loki_names: bool,
}
